# SPDX-License-Identifier: Apache-2.0
"""The simulated web's DNS server, asked by dig and by a client that hides nothing."""
import re
import shutil
import socket
import subprocess
import time

from scenario import case, main, skip
from simweb import Simweb

A, CNAME, AAAA = 1, 5, 28
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
FAULTS = ["--hosts", "10", "--fault", "f46", "--fault", "f47", "--fault", "f48", "--fault", "f49",
          "--fault", "f50", "--fault", "f51", "--drip", "300ms"]
TRAP = "127.0.0.1"

web = Simweb(*FAULTS)
home = re.match(r"https?://([^/:]+)", web.run["home"]).group(1)


def dig(*args):
    if not shutil.which("dig"):
        skip("dig (absent)")
    port = web.dns.rsplit(":", 1)[1]
    done = subprocess.run(["dig", "@127.0.0.1", "-p", port, "+tries=1", "+time=2", *args],
                          capture_output=True, text=True, timeout=30, check=False)
    return done.stdout


def status(out):
    return re.search(r"status: (\w+)", out).group(1)


@case("dig finds an ordinary host, and its domain without an address")
def _(tmp):
    out = dig(home, "A")
    assert status(out) == "NOERROR", out
    assert re.search(rf"^{home}\.\s+300\s+IN\s+A\s+127\.1\.\d+\.\d+$", out, re.M), out
    assert " aa" in out and "WARNING" not in out, out
    for name, kind in ((home, "AAAA"), (home.split(".", 1)[1], "A"), ("test", "A"), (home, "TXT")):
        out = dig(name, kind)
        assert status(out) == "NOERROR" and "ANSWER: 0" in out, out
        assert re.search(r"^test\.\s+60\s+IN\s+SOA\s+ns\.test\.", out, re.M), out


@case("dig is told of names that do not exist, and of those that are not ours")
def _(tmp):
    out = dig("nobody-has-this-name.test")
    assert status(out) == "NXDOMAIN" and "SOA" in out, out
    out = dig("www.example.com")
    assert status(out) == "REFUSED" and "ANSWER: 0" in out, out


@case("dig keeps its letters' case, over UDP, EDNS and TCP")
def _(tmp):
    odd = "".join(c.upper() if i % 2 else c for i, c in enumerate(home))
    for how in ("+noedns", "+bufsize=1232", "+tcp", "+cookie"):
        out = dig(odd, "A", how)
        assert f"\n{odd}." in out and "127.1." in out, (how, out)


@case("a thousand addresses are cut over UDP and whole over TCP")
def _(tmp):
    for bufsize, least in ((512, 25), (1232, 70), (4096, 250)):
        out = dig("thousand.f51.test", "+ignore", f"+bufsize={bufsize}")
        assert " tc" in out and out.count("\tA\t") >= least, out[:600]
        assert int(re.search(r"MSG SIZE  rcvd: (\d+)", out).group(1)) <= bufsize
    whole = dig("thousand.f51.test", "+short").split()  # dig asks again over TCP by itself
    assert len(whole) == len(set(whole)) == 1000
    socket.create_connection((whole[0], web.http_port), timeout=5).close()  # the right one is first
    assert all(a.startswith("127.0.") for a in whole)


@case("chains lead to an address, circles to none, and each link can be asked for")
def _(tmp):
    rows = web.names().records("chain.f51.test")
    assert [what for what, _, _ in rows] == [CNAME] * 3 + [A], rows
    for link in (1, 2, 3):
        rows = web.names().records(f"alias{link}.chain.f51.test")
        assert [what for what, _, _ in rows] == [CNAME] * (3 - link) + [A], rows
    for name in ("loop.f51.test", "loop.loop.f51.test"):
        rows = web.names().records(name)
        assert [what for what, _, _ in rows] == [CNAME, CNAME], rows


@case("names that fail do so in their own way, and the server goes on")
def _(tmp):
    assert web.names().rcode("nx.f46.test") == NXDOMAIN
    assert web.names().rcode("servfail.f46.test") == SERVFAIL
    for tcp in (False, True):
        try:
            web.names().ask("silent.f46.test", timeout=0.5, tcp=tcp)
            raise AssertionError("an answer from the silent one")
        except (socket.timeout, TimeoutError):
            pass
    assert web.names().rcode("good.f46.test") == NOERROR


@case("a slow answer is right when it comes, over UDP and TCP")
def _(tmp):
    for tcp in (False, True):
        before = time.monotonic()
        rows = web.names().records("slow.f46.test", tcp=tcp)
        assert [what for what, _, _ in rows] == [A], rows
        assert time.monotonic() - before >= 0.25, "not slow at all"


@case("a liar answers with another id or another name, and points at the trap")
def _(tmp):
    seen = set()
    for _ in range(4):
        answer = web.names().ask("lies.f46.test")
        other_id = answer[:2] != b"\x12\x34"
        other_name = b"\x04lies\x03f46\x04test\x00" not in answer
        assert other_id != other_name, answer
        assert answer.endswith(socket.inet_aton(TRAP)), answer
        seen.add(other_id)
    assert seen == {True, False}
    assert "ID mismatch" in dig("lies.f46.test") or "mismatch" in dig("lies.f46.test")


@case("a rebinding name is right once and the trap ever after")
def _(tmp):
    rows = [web.names().records("rebind.f49.test")[0] for _ in range(3)]
    assert rows[0][2].startswith("127.0.1") and rows[0][2] != TRAP, rows
    assert [row[2] for row in rows[1:]] == [TRAP, TRAP], rows
    assert all(row[1] == 0 for row in rows), rows


@case("addresses that no crawler may ask are given as they are")
def _(tmp):
    names = web.names()
    for label, address in (("ten", "10.0.0.1"), ("b172", "172.16.0.1"), ("c192", "192.168.0.1"),
                           ("linklocal", "169.254.169.254"), ("loopback", TRAP), ("zero", "0.0.0.0")):
        assert names.a(f"{label}.f50.test") == [address], label
    for label, address in (("mapped", "::ffff:10.0.0.1"), ("nat64", "64:ff9b::a00:1"),
                           ("uniquelocal", "fd00::1")):
        assert names.a(f"{label}.f50.test") == [], label
        rows = names.records(f"{label}.f50.test", AAAA)
        assert [data for _, _, data in rows] == [socket.inet_pton(socket.AF_INET6, address)], label


@case("TTLs of nothing, of 68 years, and beyond")
def _(tmp):
    names = web.names()
    assert names.records("brief.f51.test")[0][1] == 0
    assert [names.records("eternal.f51.test")[0][1] for _ in range(2)] == [2**31 - 1, 2**32 - 1]


@case("two addresses: the first refuses, the second serves")
def _(tmp):
    first, second = web.names().a("half.f51.test")
    try:
        socket.create_connection((first, web.http_port), timeout=5)
        raise AssertionError("somebody listens there")
    except ConnectionRefusedError:
        pass
    socket.create_connection((second, web.http_port), timeout=5).close()


@case("any label of a wildcard site exists, and those of F48 share one address")
def _(tmp):
    names = web.names()
    assert names.a("a1.f47.test") and names.a("a987654321.f47.test")
    assert names.a("s01.f48.test") == names.a("s16.f48.test")


@case("messages that are no questions get no answer and do no harm")
def _(tmp):
    host, port = web.dns.rsplit(":", 1)
    bad = [b"", b"\0", b"\x12\x34" * 6, b"\xff" * 600,
           b"\x12\x34\x01\x00\x00\x01\0\0\0\0\0\0\xc0\x0c\0\1\0\1",
           b"\x12\x34\x81\x80\x00\x01\0\0\0\0\0\0\x04test\0\0\1\0\1"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(0.5)
        for message in bad:
            s.sendto(message, (host, int(port)))
        try:
            raise AssertionError(s.recv(65535))
        except (socket.timeout, TimeoutError):
            pass
    with socket.create_connection((host, int(port)), timeout=5) as s:
        s.sendall(b"\xff\xff" + b"\xff" * 1000)
    assert web.names().rcode(home) == NOERROR


@case("many questions on one TCP connection are all answered")
def _(tmp):
    host, port = web.dns.rsplit(":", 1)
    name = b"".join(bytes([len(x)]) + x.encode() for x in home.split(".")) + b"\0"
    with socket.create_connection((host, int(port)), timeout=10) as s:
        for number in range(50):
            query = number.to_bytes(2, "big") + b"\x01\x00\x00\x01\0\0\0\0\0\0" + name + b"\0\1\0\1"
            s.sendall(len(query).to_bytes(2, "big") + query)
        answers = s.makefile("rb")
        ids = []
        for _ in range(50):
            size = int.from_bytes(answers.read(2), "big")
            ids.append(int.from_bytes(answers.read(size)[:2], "big"))
        assert sorted(ids) == list(range(50)), ids


@case("the witness counted the questions, and the server ends well")
def _(tmp):
    dns = web.report()["dns"]
    assert dns["a"] > 50 and dns["aaaa"] > 3, dns
    assert dns["rcodes"][str(REFUSED)] == 1 and dns["rcodes"][str(NXDOMAIN)] == 2, dns
    web.close()


try:
    main()
finally:
    if web.process.poll() is None:
        web.process.kill()
