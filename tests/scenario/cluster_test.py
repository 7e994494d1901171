# SPDX-License-Identifier: Apache-2.0
"""Who may come in and what they may do: every attempt is made for real against real servers that
`orbweaver cluster` configured, and is refused. argv[1] is orbweaver, argv[2] bus_client (D1, G7:
authenticated, encrypted connections)."""
import contextlib
import json
import os
import signal
import socket
import ssl
import stat
import time

from nats import Client, Refused
from nats_server import Bus, Post, free_ports
from scenario import case, main, run, until, write

ROSTER = "ORB_crawl_ROSTER"


def refused(port, *login):
    try:
        Client(port, *login).close()
    except Refused as why:
        return "Authorization" in str(why)
    return False


def unchanged(post, stream, count):
    assert post.messages(stream) == count, (stream, post.messages(stream), count)


def acknowledged(answer):
    return answer is not None and answer.data.startswith(b"{") and "seq" in answer.json() \
        and "error" not in answer.json()


# Coming in


@case("nobody comes in without a name, with a wrong password, or with the hash for a password")
def _(tmp):
    with Post(tmp) as post:
        port = post.machines[0].client
        a, b = post.login("a"), post.login("b")
        assert refused(port)
        assert refused(port, "", "")
        assert refused(port, a["say"]["user"], "")
        assert refused(port, a["say"]["user"], a["say"]["password"][:-1])
        assert refused(port, a["say"]["user"], b["say"]["password"])
        assert refused(port, a["hear"]["user"], a["say"]["password"])
        assert refused(port, "route", a["say"]["password"])
        assert refused(port, "sys", "sys")
        with open(os.path.join(post.dir, "plan.json"), encoding="utf-8") as f:
            plan = json.load(f)
        assert refused(port, a["say"]["user"], plan["agents"][0]["say"])
        assert refused(port, "admin", plan["admin"])
        post.client("a").close()


@case("files are their owner's alone; no server's configuration holds a login's password")
def _(tmp):
    with Post(tmp, machines=3, agents="a,b,c", start=False) as post:
        secrets = [half["password"] for name in ("a", "b", "c", "operator", "admin")
                   for half in (post.login(name)[h] for h in ("say", "hear") if h in post.login(name))]
        assert len(set(secrets)) == 9 and all(len(s) == 48 for s in secrets)
        for folder, _, names in os.walk(post.dir):
            assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700, folder
            for name in names:
                path = os.path.join(folder, name)
                assert stat.S_IMODE(os.stat(path).st_mode) == 0o600, path
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                if not name.endswith(".login"):
                    assert not any(s in text for s in secrets), path
        for m, own in zip(post.machines, "abc"):
            assert sorted(n for n in os.listdir(m.folder) if n.endswith(".login")) == [own + ".login"]
            assert "authority.key" not in os.listdir(m.folder)


@case("clients are served on loopback alone")
def _(tmp):
    with Post(tmp) as post:
        port = post.machines[0].client
        with open("/proc/net/tcp", encoding="ascii") as f:
            at = [line.split()[1] for line in f if line.split()[3] == "0A"]
        assert f"0100007F:{port:04X}" in at and f"00000000:{port:04X}" not in at
        with open("/proc/net/tcp6", encoding="ascii") as f:
            assert not any(f":{port:04X} " in line.split(":", 1)[1][:40] for line in f if " 0A " in line)


# Other servers


def route_attempt(machine, folder=None, password=None, authority=None):
    """Tries to become a route as a server would; what the server says once we are in, or why not."""
    with open(os.path.join(machine.folder, "nats-server.conf"), encoding="utf-8") as f:
        right = f.read().split("authorization {user: route, password: \"")[1].split('"')[0]
    raw = socket.create_connection(("127.0.0.1", machine.route), timeout=5)
    with contextlib.closing(raw):
        if folder is not None:
            how = ssl.create_default_context(cafile=os.path.join(authority or folder, "authority.crt"))
            how.check_hostname = True
            if os.path.exists(os.path.join(folder, "route.crt")):
                how.load_cert_chain(os.path.join(folder, "route.crt"), os.path.join(folder, "route.key"))
            try:
                raw = how.wrap_socket(raw, server_hostname="127.0.0.1")
            except (ssl.SSLError, ConnectionError) as why:
                return f"no TLS: {why}"
        hello = {"user": "route", "pass": right if password is None else password, "verbose": False,
                 "tls_required": True, "name": "Z" * 56, "headers": True, "cluster": "orb-crawl"}
        said = b""
        with contextlib.suppress(OSError):
            raw.sendall(b"CONNECT " + json.dumps(hello).encode() + b"\r\nINFO "
                        + json.dumps({"server_id": "Z" * 56, "server_name": "evil", "version": "2.9.10",
                                      "proto": 1, "host": "127.0.0.1", "port": 1, "headers": True,
                                      "auth_required": True, "tls_required": True, "max_payload": 1 << 20,
                                      "cluster": "orb-crawl", "lnoc": True}).encode()
                        + b"\r\nPING\r\n")
            end = time.monotonic() + 5
            while b"PONG" not in said and time.monotonic() < end:
                got = raw.recv(65536)
                if not got:
                    break
                said += got
        return said.decode(errors="replace")


@case("a foreign server cannot join: no certificate, another authority's, no password")
def _(tmp):
    with Post(tmp, machines=3, agents="a,b,c") as post:
        post.orb("add", "d", "--host", "127.0.0.1:{}:{}".format(*free_ports(2)))
        good = next(os.path.join(post.dir, n) for n in os.listdir(post.dir)
                    if os.path.exists(os.path.join(post.dir, n, "d.login")))
        os.mkdir(os.path.join(tmp, "other"))
        other = Post(os.path.join(tmp, "other"), start=False)
        target = post.machines[0]
        bare = os.path.join(tmp, "bare")
        os.mkdir(bare)
        write(bare, "authority.crt", open(os.path.join(good, "authority.crt"), "rb").read())
        assert "PONG" in route_attempt(target, good)  # the attempt itself is right
        assert route_attempt(target, None) == ""  # without TLS nothing is said, not even hello
        assert "PONG" not in route_attempt(target, bare)
        assert "PONG" not in route_attempt(target, other.machines[0].folder, authority=good)
        assert "no TLS" in route_attempt(target, other.machines[0].folder)  # nor do we trust it
        assert "PONG" not in route_attempt(target, good, password="wrong")
        assert "PONG" not in route_attempt(target, good, password="")


# Speaking as another


ADMINISTRATION = [f"$JS.API.STREAM.DELETE.{ROSTER}", f"$JS.API.STREAM.PURGE.{ROSTER}",
                  "$JS.API.ACCOUNT.PURGE.CRAWL", f"$JS.ACK.{ROSTER}.x.1.1.1.1.1"]
FORGED = ADMINISTRATION + ["orb.crawl.hb.b", "orb.crawl.roster.b", "orb.crawl.j.a.1.in.b", "orb.crawl.j.b.1.out",
          "orb.crawl.j.b.1.in.b", "orb.crawl.ask.a.b", "orb.crawl.bundle.a.b",
          "orb.crawl.control.operator", "orb.crawl.control.a", "orb.crawl.ask.b.operator", "orb.crawl.scope.b"]


def hears_nothing(listener, what):
    listener.flush()
    heard = listener.next(0.3)
    assert heard is None, (what, heard)


def forge_all(post, machine=None):
    """Everything that agent a might try; b and the streams must not notice."""
    with contextlib.ExitStack() as stack:
        say = stack.enter_context(post.client("a", "say", machine))
        hear = stack.enter_context(post.client("a", "hear", machine))
        b = stack.enter_context(post.client("b", "hear"))
        operator = stack.enter_context(post.client("operator", "hear"))
        for subject in ("orb.crawl.hb.*", "orb.crawl.ask.b.*", "orb.crawl.bundle.b.*"):
            b.sub(subject)
        operator.sub("orb.crawl.hb.*")
        b.flush(), operator.flush()
        streams = [ROSTER, "ORB_crawl_CONTROL", "ORB_crawl_a", "ORB_crawl_b"]
        before = {s: post.messages(s) for s in streams}
        own = "orb.crawl.roster.a"
        for subject in FORGED:
            # Said plainly, on either connection.
            assert not acknowledged(say.request(subject, b"forged", seconds=0.3)), subject
            hear.pub(subject, b"forged")
            # As the subject of an answer: to an append, to a reading, to a heartbeat that a itself
            # hears and answers, and to the administration.
            say.pub(own, b"mine", reply=subject)
            say.pub(f"$JS.API.DIRECT.GET.{ROSTER}", b'{"seq":1}', reply=subject)
            say.pub("$JS.API.INFO", b"", reply=subject)
            say.pub(f"$JS.API.STREAM.INFO.{ROSTER}", b"", reply=subject)
            say.pub("orb.crawl.ask.nobody.a", b"", reply=subject)
            before[ROSTER] += not subject.startswith("$JS.ACK.")  # which no client may ask for
        hear.sub("orb.crawl.hb.*")
        hear.flush()
        for subject in FORGED:
            say.pub("orb.crawl.hb.a", b"beat", reply=subject)
            beat = hear.next(2)
            if beat is None and subject.startswith("$JS.ACK."):
                continue  # the one kind of reply that the servers would not rewrite
            assert beat is not None and beat.subject == "orb.crawl.hb.a", beat
            assert beat.reply.startswith("_R_."), beat  # not what was asked for
            hear.pub(beat.reply, b"forged")
        say.flush(), hear.flush()
        beats = 0
        while (heard := b.next(0.5)) is not None:
            assert (heard.subject, heard.data) == ("orb.crawl.hb.a", b"beat"), heard
            beats += 1
        assert beats >= len(FORGED) - 1
        while (heard := operator.next(0.3)) is not None:
            assert heard.subject == "orb.crawl.hb.a", heard
        until(lambda: post.messages(ROSTER) >= before[ROSTER], "a's own entries are there", 10)
        for stream in streams:
            unchanged(post, stream, before[stream])


@case("an agent cannot speak as another or as the operator, by no trick with subjects of answers")
def _(tmp):
    with Post(tmp) as post:
        with post.client("a") as a:
            assert acknowledged(a.request("orb.crawl.roster.a", b"mine"))
        forge_all(post)


@case("nor over another machine's server")
def _(tmp):
    with Post(tmp, machines=3, agents="a,b,c") as post:
        with post.client("a") as a:
            until(lambda: acknowledged(a.request("orb.crawl.roster.a", b"mine")), "appended")
        forge_all(post, machine=post.machines[2])


@case("an agent hears heartbeats and what is meant for it, nothing else")
def _(tmp):
    with Post(tmp) as post, post.client("a", "hear") as a, post.client("b") as b:
        wide = ["orb.crawl.ask.b.*", "orb.crawl.ask.*.*", "orb.crawl.bundle.b.*", "orb.crawl.j.>",
                "orb.crawl.roster.*", "orb.crawl.>", ">", "_INBOX.>", "_R_.>", "$JS.>", "$SYS.>", "*"]
        for subject in wide:
            a.sub(subject)
        a.flush()
        assert sum("Permissions Violation" in e for e in a.errors) == len(wide), a.errors
        b.request("orb.crawl.roster.b", b"x")
        b.pub("orb.crawl.ask.b.b", b"x")
        b.pub("orb.crawl.bundle.c.b", b"x")
        hears_nothing(a, "what is meant for b")
        with post.client("a") as own:  # its own account hears none of it either
            own.sub(">")
            own.flush()
            assert "Permissions Violation" in own.errors[0], own.errors
            b.pub("orb.crawl.hb.b", b"beat")
            b.request("orb.crawl.roster.b", b"y")
            hears_nothing(own, "anything of CRAWL")


@case("an answer is given once, to what was asked, and to nothing else")
def _(tmp):
    with Post(tmp) as post, post.client("a") as a, post.client("b", "hear") as b:
        b.sub("orb.crawl.ask.b.*")
        b.flush()
        a.sub("_INBOX.x")
        a.pub("orb.crawl.ask.b.a", b"?", reply="_INBOX.x")
        asked = b.next()
        b.pub(asked.reply, b"one")
        b.pub(asked.reply, b"two")
        b.pub("_INBOX.x", b"three")
        b.flush()
        assert a.next().data == b"one"
        assert a.next(0.3) is None
        assert len(b.errors) == 2, b.errors


# Administration


@case("an agent cannot make, change, purge or delete streams, nor read their administration")
def _(tmp):
    with Post(tmp) as post:
        with post.client("a") as a:
            a.request("orb.crawl.roster.a", b"one")
        description = json.dumps({"name": "EVIL", "subjects": ["evil.>"], "storage": "memory"}).encode()
        attempts = [("STREAM.CREATE.EVIL", description),
                    (f"STREAM.UPDATE.{ROSTER}", json.dumps({"name": ROSTER, "subjects": ["x"]}).encode()),
                    (f"STREAM.PURGE.{ROSTER}", b""), (f"STREAM.DELETE.{ROSTER}", b""),
                    (f"STREAM.MSG.DELETE.{ROSTER}", b'{"seq":1}'), (f"STREAM.INFO.{ROSTER}", b""),
                    (f"STREAM.SNAPSHOT.{ROSTER}", b'{"deliver_subject":"x"}'),
                    (f"STREAM.LEADER.STEPDOWN.{ROSTER}", b""), (f"STREAM.PEER.REMOVE.{ROSTER}", b"{}"),
                    (f"CONSUMER.CREATE.{ROSTER}", json.dumps(
                        {"stream_name": ROSTER, "config": {"deliver_subject": "orb.crawl.hb.b"}}).encode()),
                    (f"CONSUMER.DURABLE.CREATE.{ROSTER}.d", b"{}"), ("STREAM.NAMES", b""), ("INFO", b""),
                    ("ACCOUNT.PURGE.CRAWL", b""), ("META.LEADER.STEPDOWN", b"")]
        for name in ("a", "operator"):
            for half in ("say", "hear"):
                with post.client(name, half) as c:
                    for api, body in attempts:
                        answer = c.request("$JS.API." + api, body, seconds=0.2) if half == "say" else \
                            c.pub("$JS.API." + api, body, reply="orb.crawl.hb.a")
                        if answer is not None and answer.data:
                            assert "error" in answer.json(), (name, half, api, answer)
                    c.flush()
                    if half == "hear":
                        assert len(c.errors) == len(attempts), c.errors
        unchanged(post, ROSTER, 1)
        with post.client("admin") as admin:
            names = admin.request("$JS.API.STREAM.NAMES").json()["streams"]
            assert sorted(names) == sorted([ROSTER, "ORB_crawl_CONTROL", "ORB_crawl_a", "ORB_crawl_b"])
            info = admin.request(f"$JS.API.STREAM.INFO.{ROSTER}").json()
            assert info["state"]["consumer_count"] == 0 and info["config"]["subjects"] == ["orb.crawl.roster.*"]
            # The administrator writes no entry and hears nobody, either.
            admin.pub("orb.crawl.roster.b", b"forged")
            admin.sub("orb.crawl.>")
            admin.flush()
            assert len(admin.errors) == 2, admin.errors
        unchanged(post, ROSTER, 1)


def without(text, begin, end):
    """The text without every piece from `begin` up to `end`."""
    while begin in text:
        before, _, rest = text.partition(begin)
        text = before + rest[rest.index(end):]
    return text


@case("the two locks before JetStream's administration hold each alone; without both it is open")
def _(tmp):
    # Server 2.9 lets any account purge any other's streams (CVE-2025-30215).
    permissions = (", permissions: {\n      publish: {allow: [\"orb", "}]\n    imports")
    stand_in = ("      {service: {account: NOBODY", "    ]\n")
    for locks, holds in ((0, True), (1, True), (2, True), (3, False)):
        folder = os.path.join(tmp, str(locks))
        os.mkdir(folder)
        with Post(folder, start=False) as post:
            path = os.path.join(post.machines[0].folder, "nats-server.conf")
            with open(path, encoding="utf-8") as f:
                text = f.read()
            if locks & 1:
                text = without(text, *permissions)
            if locks & 2:
                text = without(text, *stand_in)
            write(post.machines[0].folder, "nats-server.conf", text)
            post.start()
            with post.client("a") as a:
                a.request("$JS.API.ACCOUNT.PURGE.CRAWL", b"", seconds=1)
            with post.client("admin") as admin:
                names = admin.request("$JS.API.STREAM.NAMES").json().get("streams") or []
            assert (len(names) == 4) == holds, (locks, names)


@case("headers do not purge, and the operator alone writes control")
def _(tmp):
    with Post(tmp) as post, post.client("a") as a, post.client("operator") as operator:
        assert acknowledged(a.request("orb.crawl.roster.a", b"one"))
        for value in ("all", "sub"):
            answer = a.request("orb.crawl.roster.a", b"x", [("Nats-Rollup", value)])
            assert "error" in answer.json(), answer
        unchanged(post, ROSTER, 1)
        assert acknowledged(operator.request("orb.crawl.control.operator", b"pause"))
        assert not acknowledged(operator.request("orb.crawl.control.a", b"x", seconds=0.3))
        assert not acknowledged(operator.request("orb.crawl.roster.operator", b"x", seconds=0.3))
        unchanged(post, "ORB_crawl_CONTROL", 1)


# What is written to mislead the reader


@case("a header that names another writer is not believed")
def _(tmp):
    with Post(tmp) as post, post.client("a") as a, Bus(post, "b") as b:
        lies = [("Nats-Subject", "orb.crawl.roster.b"), ("Nats-Sequence", "77"),
                ("Nats-Stream", "ORB_crawl_b"), ("Nats-Time-Stamp", "1999-01-01T00:00:00Z")]
        assert acknowledged(a.request("orb.crawl.roster.a", b"lie", lies))
        b.do(f"get 1 {ROSTER} 1")
        got = b.done(1)
        assert (got["rc"], got["sequence"], got["subject"], got["payload"]) == (
            "OK", 1, "orb.crawl.roster.a", "lie"), got
        assert got["stamp_ms"] > 1700000000000, got


JUNK = [b"NATS/1.0 404 Message Not Found\r\n\r\n", b"NATS/1.0 503\r\n\r\n", b"NATS/1.0\r\n\r\n",
        b"NATS/1.0\r\nno colon\r\n\r\n", b"NATS/1.0\r\n: empty\r\n\r\n", b"\0\0\0\0\0", b"\r\n\r\n",
        b"NATS/1.0\r\nA: b", b"NATS/1.0\r\nNats-Sequence: 5\r\nNats-Subject: x\r\n\r\n",
        b"NATS/1.0\r\nNats-Sequence:\r\n\r\n\r\n\r\n", b"NATS/9.9\r\nA: b\r\n\r\n", b"x" * 300,
        b"NATS/1.0\r\n" + b"A: b\r\n" * 400 + b"\r\n", b"NATS/1.0\r\nA" + b"\0" * 50 + b": b\r\n\r\n",
        b"NATS/1.0 " + b"4" * 500 + b"\r\n\r\n", b"NATS/1.0\nA: b\n\n", b"NATS/1.0\r\n A: b\r\n\r\n",
        b"NATS/1.0\r\nNats-Msg-Id: 1\r\nNats-Msg-Id: 2\r\n\r\n"]


@case("junk for a header stops no reader: it is read, or said to be junk, and passed")
def _(tmp):
    with Post(tmp) as post, post.client("a") as a, Bus(post, "b") as b:
        for i, head in enumerate(JUNK):
            a.request("orb.crawl.roster.a", b"" if i % 2 else b"junk", head, seconds=1)
        assert acknowledged(a.request("orb.crawl.roster.a", b"the end"))
        last = post.messages(ROSTER)
        assert last > 10, last
        at, junk = 1, 0
        while True:
            b.do(f"get {at} {ROSTER} {at}")
            got = b.done(at)
            assert got["rc"] in ("OK", "CORRUPT"), got
            if got["rc"] == "CORRUPT":
                junk += 1
                at += 1
                continue
            assert got["subject"] == "orb.crawl.roster.a" and got["sequence"] >= at, got
            at = got["sequence"] + 1
            if got["payload"] == "the end":
                break
        print(f"# {last} messages, {junk} of them unreadable")


@case("an id that another has used up beforehand takes nobody's message away")
def _(tmp):
    with Post(tmp) as post, post.client("a") as a, Bus(post, "b") as b:
        # What b will send, and its number, is known to a; what b's servers see as its id is not.
        for guess in ("5", "0000000000000005", f"{5:x}", "orb.crawl.j.a.1.in.b 5"):
            a.request("orb.crawl.j.a.1.in.a", b"poison", [("Nats-Msg-Id", guess)])
        b.do("append 1 orb.crawl.j.a.1.in.b 5 hello")
        done = b.done(1)
        assert done["rc"] == "OK" and not done["repeat"], done


@case("junk and too much of it: the server hangs up or refuses, and everybody else goes on")
def _(tmp):
    with Post(tmp) as post, Bus(post, "b") as b:
        for bytes_ in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100, b"PUB " + b"x" * 100000, b"CONNECT {\r\n"):
            with contextlib.closing(socket.create_connection(
                    ("127.0.0.1", post.machines[0].client), timeout=5)) as raw, \
                    contextlib.suppress(OSError):
                raw.recv(4096)
                raw.sendall(bytes_)
                raw.recv(4096)
        with post.client("a") as a, contextlib.suppress(Refused):
            a.pub("orb.crawl.j.b.1.in.a", b"x" * (2 << 20))
            a.flush()
        with post.client("a") as a:  # fits the server, not the stream
            answer = a.request("orb.crawl.j.b.1.in.a", b"x" * (900 << 10))
            assert answer is not None and "error" in answer.json(), answer
        unchanged(post, "ORB_crawl_b", 0)
        b.do("listen orb.crawl.hb.*")
        with post.client("a") as a:  # larger than a bus takes: dropped before it is handed out
            a.pub("orb.crawl.hb.a", b"x" * (900 << 10))
            a.flush()
        b.do("append 1 orb.crawl.roster.b 1 still here")
        assert b.done(1)["rc"] == "OK"
        b.take()
        assert not [e for e in b.events if e["event"] == "heard"], b.events


# Changing who is in


@case("a removed agent is put out when the servers read again, and cannot come back")
def _(tmp):
    with Post(tmp, machines=3, agents="a,b,c") as post, Bus(post, "b") as b:
        old = post.login("a")
        with post.client("a") as say, post.client("a", "hear") as hear:
            until(lambda: acknowledged(say.request("orb.crawl.roster.a", b"one")), "appended")
            out = post.orb("remove", "a").out
            assert "3 of 3 servers" in out, out

            def put_out(c):
                try:
                    c.flush()
                    return False
                except (Refused, OSError):
                    return True
            until(lambda: put_out(say), "a's speaking connection ends")
            until(lambda: put_out(hear), "a's hearing connection ends")
        for m in post.machines:
            for half in ("say", "hear"):
                until(lambda: refused(m.client, old[half]["user"], old[half]["password"]), "refused")
        b.try_until("append 1 orb.crawl.roster.b 1 I stay", 1)
        assert not os.path.exists(os.path.join(post.machines[0].folder, "a.login"))


@case("an agent added to a server that runs can read and write at once")
def _(tmp):
    with Post(tmp, agents="a") as post:
        post.orb("add", "b")
        with Bus(post, "b") as b:
            b.try_until("append 1 orb.crawl.roster.b 1 here I am", 1)
            assert b.try_until("get 2 ORB_crawl_ROSTER 1", 2)["payload"] == "here I am"


@case("an agent added while others speak: its login works, theirs go on; a new machine carries")
def _(tmp):
    with Post(tmp, machines=3, agents="a,b,c") as post, Bus(post, "a") as a:
        ports = free_ports(2)
        a.do("listen orb.crawl.hb.*")  # before, and it goes on hearing
        assert refused(post.machines[0].client, "say.d", "x")
        done = post.orb("add", "d", "--host", "127.0.0.1:{}:{}".format(*ports))
        assert "3 of 4 servers" in done.out, done
        from nats_server import Machine
        new = Machine(post, *ports)
        post.machines.append(new)
        new.start()
        with Bus(post, "d") as d:
            d.try_until("append 1 orb.crawl.roster.d 1 here I am", 1)
            a.try_until("append 2 orb.crawl.j.d.1.in.a 1 welcome", 2)
            got = d.try_until("get 3 ORB_crawl_d 1", 3)
            assert got["payload"] == "welcome", got

            def beat_heard():
                d.do("say orb.crawl.hb.d beat")
                a.take()
                return [e for e in a.events if e["event"] == "heard" and e["subject"] == "orb.crawl.hb.d"]
            until(beat_heard, "d's heartbeat is heard")
        with post.client("admin") as admin:
            info = admin.request("$JS.API.STREAM.INFO.ORB_crawl_d").json()
        places = [info["cluster"]["leader"]] + [r["name"] for r in info["cluster"]["replicas"]]
        assert len(places) == 3 and f"crawl-127.0.0.1-{new.route}" not in places, places


@case("a bus whose login is refused tries on, and is let in once it is good again")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a") as a:
        machine = post.machines[0]
        path = os.path.join(machine.folder, "nats-server.conf")
        with open(path, encoding="utf-8") as f:
            right = f.read()
        write(machine.folder, "nats-server.conf", right.replace('user: "say.a"', 'user: "say.gone"'))
        machine.process.send_signal(signal.SIGHUP)
        a.wait(lambda e: e["event"] == "down", "put out")
        time.sleep(1.5)  # long enough for several refusals: a client of the library would give up
        write(machine.folder, "nats-server.conf", right)
        machine.process.send_signal(signal.SIGHUP)
        a.wait(lambda e: e["event"] == "up", "let in again")
        a.try_until("append 1 orb.crawl.roster.a 1 back", 1)


@case("streams that are gone are made again; those that are there stay")
def _(tmp):
    with Post(tmp) as post:
        with post.client("a") as a, post.client("admin") as admin:
            a.request("orb.crawl.roster.a", b"one")
            admin.request("$JS.API.STREAM.DELETE.ORB_crawl_b")
        post.orb("streams")
        unchanged(post, ROSTER, 1)
        unchanged(post, "ORB_crawl_b", 0)
        with post.client("admin") as admin:
            admin.request("$JS.API.STREAM.DELETE.ORB_crawl_b")
            admin.request("$JS.API.STREAM.CREATE.ORB_crawl_b", json.dumps(
                {"name": "ORB_crawl_b", "subjects": ["orb.crawl.j.b.>"], "storage": "memory"}).encode())
        done = post.orb("streams", code=1)
        assert "other settings" in done.err, done


# What a person may write


@case("names, machines and folders that cannot be are refused with what was expected")
def _(tmp):
    folder = os.path.join(tmp, "c")
    rows = [(["--hosts", "a,b"], "majority"), (["--hosts", "a b"], "HOST"), (["--hosts", "a,a,b"], "taken"),
            (["--hosts", ""], "hosts"), ([], "hosts"), (["--hosts", "a", "--agents", "A"], "a-z"),
            (["--hosts", "a", "--agents", "operator"], "operator"), (["--hosts", "a", "--agents", "x,x"], "x"),
            (["--hosts", "a", "--agents", "x" * 33], "32"), (["--hosts", "a", "--agents", "x@b"], "hosts"),
            (["--hosts", "a", "--agents", "x.y"], "a-z"), (["--hosts", "a", "--crawl", "A_b"], "a-z"),
            (["--hosts", "a,b,c", "--stores", "4"], "3 or 5"), (["--hosts", "a", "word"], "word"),
            (["--hosts", "a:0"], "HOST"), (["--hosts", "../x"], "HOST"), (["--hosts", 'a"b'], "HOST")]
    for words, said in rows:
        done = run(["cluster", "init", "--dir", folder, *words])
        assert done.code == 2 and said in done.err, (words, done)
        assert not os.path.exists(folder), words
    assert run(["cluster", "add", "x", "--dir", folder]).code == 2
    done = run(["cluster", "init", "--dir", folder, "--hosts", "one.example"])
    assert done.code == 0 and "one copy" in done.out and "chattr +S" in done.out, done
    assert os.path.exists(os.path.join(folder, "one.example", "one.login"))
    again = run(["cluster", "init", "--dir", folder, "--hosts", "one.example"])
    assert again.code == 2 and "already" in again.err, again
    assert "stays one" in run(["cluster", "add", "x", "--dir", folder, "--host", "two.example"]).err
    gone = run(["cluster", "add", "one", "--dir", folder])
    assert gone.code == 2 and "one" in gone.err, gone
    assert run(["cluster", "remove", "nobody", "--dir", folder]).code == 2
    away = run(["cluster", "streams", "--dir", folder, "--wait", "500ms", "--server", "nats://127.0.0.1:1"])
    assert away.code == 1 and "cannot log in as admin" in away.err, away
    write(folder, "plan.json", "{}")
    assert run(["cluster", "streams", "--dir", folder]).code == 1


main(threads=4)
