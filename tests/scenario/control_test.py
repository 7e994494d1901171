# SPDX-License-Identifier: Apache-2.0
"""A crawl is steered while it runs: asked, paused, told to stop, given seeds and settings; and a
URL is explained before, during and after. argv[1] is simweb, argv[2] orbweaver."""
import contextlib
import json
import os
import re
import socket
import stat
import subprocess
import sys
import time

import read_only
from scenario import case, is_closed, main, run as run_program, skip, until
from simweb import Simweb

ORBWEAVER = os.path.abspath(sys.argv[2])
WEB = ["--hosts", "6", "--pages", "40", "--forbidden", "0.2", "--redirects", "0",
       "--crawl-delays", "0", "--keep-urls"]
WAIT_SECONDS = 60


def orb(*words, code=0, stdin=""):
    done = run_program(list(words), program=ORBWEAVER, stdin=stdin)
    assert done.code == code, (words, done)
    return done


def net(web):
    return ["--resolver", web.dns, "--allow-private=127.0.0.0/8"]


class Crawl:
    """One in a folder of its own; it is gone at the end of the block."""

    def __init__(self, web, folder, *options, seeds=None, delay="300ms"):
        self.folder = folder
        self.errors = open(os.path.join(os.path.dirname(folder), "crawl-stderr"), "ab+")
        words = [ORBWEAVER, "crawl", *(seeds or [web.run["home"]]), "-o", folder, *net(web),
                 "-w", delay, "--ip-delay", "0", *options]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=self.errors)
        self.socket = os.path.join(folder, "run", "control.sock")
        until(self.listens, "no socket")

    def listens(self):
        """A file alone is none: a dead crawl leaves one."""
        if self.process.poll() is not None:
            return True
        return run_program(["status", self.folder], program=ORBWEAVER).code == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        complaints = re.findall(r"Sanitizer: .*|runtime error: .*", self.text())
        self.errors.close()
        assert not complaints or sys.exc_info()[0], complaints

    def status(self):
        return json.loads(orb("status", "--json", self.folder).out)

    def fetched(self, least):
        """Until so many were fetched."""
        return until(lambda: self.status()["fetched"] >= least, f"{least} fetched")

    def ended(self):
        return self.process.wait(WAIT_SECONDS)

    def text(self):
        with open(self.errors.name, encoding="utf-8", errors="replace") as f:
            return f.read()


def log_lines(folder):
    with open(os.path.join(folder, "logs", "crawl.log"), encoding="utf-8") as f:
        return [line.split() for line in f]


def url(folder, text):
    return json.loads(orb("url", "--json", folder, text).out)


def requests(web):
    return web.report()["requests"]


@contextlib.contextmanager
def connection(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(30)

        def connects():
            try:
                s.connect(path)
                return True
            except BlockingIOError:  # many wait already
                return False
        until(connects, "no connection")
        yield s


def ask(s, data):
    """One line there, one back; None if the other end has closed."""
    s.sendall(data)
    got = b""
    while not got.endswith(b"\n"):
        piece = s.recv(65536)
        if not piece:
            return None
        got += piece
    return json.loads(got)


@case("status says how it goes and what it waits for; for people and as JSON")
def _(tmp):
    with Simweb(*WEB) as web, Crawl(web, tmp + "/c") as crawl:
        crawl.fetched(1)
        orb("set", crawl.folder, "delay=1h")
        waits = until(lambda: "3599" in str(crawl.status()["waits"]) and crawl.status()["waits"], "no word on what it waits for")
        assert waits["for"] == "host" and "may be asked again in" in waits["text"], waits
        status = crawl.status()
        assert status["state"] == "running" and status["pid"] == crawl.process.pid
        assert status["hosts_waiting"] == 1 and status["queued"] > 0, status
        text = orb("status", crawl.folder).out
        assert re.search(r"^waits +\S+ may be asked again in", text, re.M), text
        assert re.search(r"^hosts +1: 0 being asked, 0 ready, 1 waiting", text, re.M), text


@case("a paused crawl asks for nothing until it is unpaused, and then goes on to its end")
def _(tmp):
    with Simweb(*WEB) as web, Crawl(web, tmp + "/c", delay="50ms") as crawl:
        crawl.fetched(3)
        assert "paused" in orb("pause", crawl.folder).out
        assert "already" in orb("pause", crawl.folder).out
        until(lambda: crawl.status()["open"] == 0, "what was under way has not ended")
        before = requests(web)
        time.sleep(1)
        status = crawl.status()
        assert requests(web) == before, "it asked while it was paused"
        assert status["state"] == "paused" and status["waits"]["for"] == "unpause", status
        assert status["queued"] > 0 and crawl.process.poll() is None
        orb("unpause", crawl.folder)
        assert crawl.ended() == 0, crawl.text()
        assert requests(web) > before
        assert not os.path.exists(crawl.socket)


@case("stop waits until the crawl has ended, says the last status, and the next start goes on")
def _(tmp):
    with Simweb(*WEB) as web:
        with Crawl(web, tmp + "/c", delay="100ms") as crawl:
            crawl.fetched(3)
            last = json.loads(orb("stop", "--json", crawl.folder).out)
            assert last["state"] == "ended" and last["fetched"] >= 3, last
            until(lambda: crawl.process.poll() is not None, "it still runs after stop")
            assert crawl.process.returncode == 143, crawl.text()
            assert not os.path.exists(crawl.socket)
        done = orb("status", tmp + "/c", code=2)
        assert "no crawl runs in" in done.err and "orbweaver crawl -o" in done.err, done
        with Crawl(web, tmp + "/c", delay="20ms") as crawl:
            assert crawl.ended() == 0, crawl.text()
        urls = [line[3] for line in log_lines(tmp + "/c")]
        truth = {u for u, (kind, _) in web.oracle(web.run["home"], "host").items()
                 if kind == "must"}
        pages = [u for u in urls if not u.endswith("/robots.txt")]
        assert len(pages) == len(set(pages)), "something was fetched twice"
        assert truth and truth <= set(urls), sorted(truth - set(urls))[:5]


@case("stop --now waits for nobody")
def _(tmp):
    with Simweb(*WEB, "--bandwidth-least", "10", "--bandwidth-most", "10") as web:
        with Crawl(web, tmp + "/c") as crawl:
            until(lambda: crawl.status()["open"] == 1, "nothing is under way")
            orb("stop", "--now", crawl.folder)
            assert crawl.ended() == 143, crawl.text()


@case("seeds that are added while it runs, paused or not, are crawled and draw the scope")
def _(tmp):
    with Simweb(*WEB) as web, Crawl(web, tmp + "/c", delay="500ms") as crawl:
        crawl.fetched(1)
        home = web.run["home"]
        orb("pause", crawl.folder)
        oracle = web.oracle(home, "any")
        hosts = sorted({u.split("/")[2] for u, (kind, _) in oracle.items() if kind == "must"})
        others = [f"http://{h}/" for h in hosts if h != home.split("/")[2]]
        assert url(crawl.folder, others[0])["scope"]["in"] is False
        done = orb("seeds", "add", crawl.folder, others[0], "no such host", "ftp://a.test/", code=2)
        assert "1 added, 0 known from earlier runs, 2 refused" in done.out, done
        assert "no such host: the host has a character" in done.err, done
        assert "ftp://a.test/: neither http nor https" in done.err, done
        assert url(crawl.folder, others[0])["state"] == "queued"
        done = orb("seeds", "add", crawl.folder, "-", stdin="# more\n\n" + "\n".join(others[1:]))
        assert f"{len(others) - 1} added" in done.out, done
        until(lambda: orb("seeds", "list", crawl.folder).out.startswith("200\t"), "no status")
        rows = [line.split("\t") for line in orb("seeds", "list", crawl.folder).out.splitlines()]
        assert [row[1] for row in rows] == [home, *others], rows
        assert rows[0][0] == "200" and {row[0] for row in rows[1:]} == {"-"}, rows
        orb("unpause", crawl.folder)
        def listed():
            rows = orb("seeds", "list", "--json", crawl.folder).out.splitlines()
            return rows if {json.loads(row)["code"] for row in rows} == {200} else None
        rows = until(listed, "some seeds were not fetched")
        found = url(crawl.folder, others[0])
        assert found["state"] == "fetched" and found["scope"]["in"] is True, found
        orb("stop", crawl.folder)
        crawl.ended()
        again = orb("seeds", "list", "--json", crawl.folder).out.splitlines()
        assert again == rows
        done = orb("seeds", "add", crawl.folder, "http://x.test/", code=2)
        assert f"orbweaver crawl -o {crawl.folder}" in done.err, done


def closed_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@case("a seed that failed or was refused has the code and the words of crawl.log, wherever it is asked for")
def _(tmp):
    with Simweb(*WEB) as web:
        seeds = [web.run["home"], web.run["home"] + "private/", "http://no-such-name.test/", f"http://127.0.0.1:{closed_port()}/x/",
                 "http://10.1.2.3/"]
        folder = tmp + "/c"
        orb("crawl", *seeds, "-o", folder, *net(web), "-w", "0", "--ip-delay", "0", "-q", "--scope", "page", "--set",
            "pace.backoff=50ms")
        with open(folder + "/logs/crawl.log", encoding="utf-8") as f:
            rows = {r[3]: (int(r[1]), r[11]) for r in (line.split(None, 11) for line in f)}
        listed = [json.loads(line) for line in orb("seeds", "list", "-j", folder).out.splitlines()]
        told = dict(line.split("\t")[1:] for line in orb("seeds", "list", folder).out.splitlines())
        with open(folder + "/reports/seeds-report.txt", encoding="utf-8") as f:
            report = {r[2]: (int(r[0]), r[1]) for r in (line.split() for line in f.readlines()[1:])}
        codes = set()
        for seed in listed:
            code, notes = rows[seed["url"]]
            assert seed["code"] == code and report[seed["url"]] == (code, "CRAWLED" if code > 0 else "NOTCRAWLED"), seed
            if code > 0:
                continue
            words = re.sub("tries:[0-9]+,?", "", notes.strip()).replace("_", " ")
            codes.add(code)
            found = url(folder, seed["url"])
            assert found["last"]["code"] == code and f"with code {code}: " in found["why"], found
            if words not in ("", "-"):
                assert seed["reason"] == words and told[seed["url"]].endswith(": " + words), (seed, notes, told)
                assert found["last"]["reason"] == words and found["why"].endswith(": " + words), (found, notes)
        print(f"# codes {sorted(codes)}")
        assert len(codes) >= 4, rows


@case("seeds that were said to be safe survive kill -9")
def _(tmp):
    with Simweb(*WEB) as web:
        with Crawl(web, tmp + "/c") as crawl:
            crawl.fetched(1)
            orb("pause", crawl.folder)
            orb("seeds", "add", crawl.folder, f"http://late.test:{web.http_port}/a")
            time.sleep(0.1)
            crawl.process.kill()
            crawl.process.wait()
        # the socket of a dead crawl is no crawl
        assert os.path.exists(tmp + "/c/run/control.sock")
        assert "no crawl runs" in orb("status", tmp + "/c", code=2).err
        found = url(tmp + "/c", f"http://late.test:{web.http_port}/a")
        assert found["state"] == "queued" and found["scope"]["in"] is True, found
        with Crawl(web, tmp + "/c", delay="1h") as crawl:
            assert crawl.status()["state"] == "running"
            assert url(crawl.folder, f"http://late.test:{web.http_port}/a")["running"] is True


@case("a setting changes while it runs, in every part that has it; wrong ones are explained")
def _(tmp):
    with Simweb(*WEB) as web, Crawl(web, tmp + "/c", delay="400ms") as crawl:
        orb("pause", crawl.folder)  # so that it is there until the last word
        rows = [
            ("dealy=1s", 'no setting is named "dealy"; did you mean "delay"?'),
            ("pace.dealy=1s", 'did you mean "delay"?'),
            ("paec.delay=1s", 'did you mean "pace"?'),
            ("scope=any", "cannot be changed while the crawl runs"),
            ("schedule.recrawl=yes", "cannot be changed while running"),
            ("delay=soon", "delay=soon: expected a duration"),
            ("exclude=(", "missing closing parenthesis"),
            ("backoff=1s", 'did you mean "pace.backoff"?'),
            ("delay", "expected KEY=VALUE"),
        ]
        for word, words in rows:
            done = orb("set", crawl.folder, word, code=2)
            assert words in done.err and not done.out, (word, done)
        done = orb("set", crawl.folder, "delay=0")
        assert re.match(r"pace.delay\b.* = 0", done.out), done
        done = orb("set", crawl.folder, "depth=50")
        assert re.match(r"scope.depth\b.* = 50", done.out) and "ledger.depth only changes with the next start" in done.out, done
        assert "addresses.ip-delay = 0" in orb("set", crawl.folder, "ip-delay=0").out
        for word in ("pages=100k", "exclude=nothing", "pace.tries=3"):
            orb("set", crawl.folder, word)
        with open(crawl.folder + "/orbweaver.yaml", encoding="utf-8") as f:  # for the next start
            kept = f.read().splitlines()
        assert {"delay: 0s", "ip-delay: 0s", "pages: 100000", "exclude: [nothing]"} <= set(kept), kept
        orb("set", crawl.folder, "exclude=")
        orb("unpause", crawl.folder)
        assert crawl.ended() == 0, crawl.text()


@case("what is excluded while it runs no longer belongs to the crawl, until it does again")
def _(tmp):
    with Simweb(*WEB) as web, Crawl(web, tmp + "/c", delay="1h") as crawl:
        home = web.run["home"]
        until(lambda: crawl.status()["queued"], "its seed is not queued")
        assert url(crawl.folder, home + "secret")["scope"]["in"] is True
        orb("set", crawl.folder, "exclude=secret")
        found = url(crawl.folder, home + "secret")
        assert found["scope"]["in"] is False and "--exclude" in found["scope"]["text"], found
        assert found["state"] == "unknown" and "--exclude" in found["why"], found
        orb("set", crawl.folder, "exclude=")
        assert url(crawl.folder, home + "secret")["scope"]["in"] is True


@case("a paused crawl can be stopped, and is no longer paused when it goes on")
def _(tmp):
    with Simweb(*WEB) as web:
        with Crawl(web, tmp + "/c") as crawl:
            crawl.fetched(1)
            orb("pause", crawl.folder)
            orb("stop", crawl.folder)
            assert crawl.ended() == 143, crawl.text()
        with Crawl(web, tmp + "/c", delay="0") as crawl:
            assert crawl.ended() == 0, crawl.text()


@case("a crawl whose name servers are silent says that it waits for them")
def _(tmp):
    with Simweb(*WEB) as web, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        dns = f"127.0.0.1:{silent.getsockname()[1]}"
        with Crawl(web, tmp + "/c", "--resolver", dns, "--set", "dns.dns-timeout=60s") as crawl:
            waits = until(lambda: (crawl.status()["waits"] or {}).get("for") == "names", "no word")
            assert waits


@case("url explains what was fetched, what waits, what is refused and what was never met")
def _(tmp):
    with Simweb(*WEB) as web:
        home = web.run["home"]
        with Crawl(web, tmp + "/c", delay="200ms") as crawl:
            crawl.fetched(1)
            found = url(crawl.folder, home)
            assert found["state"] == "fetched" and found["last"]["code"] == 200, found
            assert "it was fetched on" in found["why"] and found["last"]["digest"], found
            origin = found["host"]["origins"][0]
            assert origin["scheme"] == "http" and origin["port"] == web.http_port, origin
            assert (origin["tries"], origin["failures"], origin["dead"]) == (0, 0, False), origin
            assert origin["robots"] == "rules", origin
            assert f"origin   http, port {web.http_port}: robots.txt rules" in orb("url", crawl.folder, home).out
            capture = found["captures"][0]
            assert capture["file"].endswith(".warc.gz") and capture["offset"] > 0, capture
            orb("pause", crawl.folder)
            until(lambda: crawl.status()["open"] == 0, "open")
            done = {line[3] for line in log_lines(crawl.folder)}
            truth = web.oracle(home, "host")
            waiting = [u for u, (kind, _) in truth.items() if kind == "must" and u not in done]
            states = {u: url(crawl.folder, u) for u in waiting[:20]}
            queued = [f for f in states.values() if f["state"] == "queued"]
            assert queued and all("queue" in f["why"] for f in queued), states
            assert all(f["via"].startswith("http://") for f in queued), queued
            out = url(crawl.folder, "http://elsewhere.test/")
            assert out["state"] == "unknown" and "outside of what the seeds draw" in out["why"], out
            done = orb("url", crawl.folder, "http://[/", code=2)
            assert "is no URL" in done.err
            orb("unpause", crawl.folder)
            orb("set", crawl.folder, "delay=0")
            assert crawl.ended() == 0, crawl.text()
        forbidden = [line[3] for line in log_lines(tmp + "/c") if line[1] == "-9998"]
        assert forbidden, "the web forbids nothing"
        found = url(tmp + "/c", forbidden[0])
        assert found["running"] is False and found["state"] == "refused", found
        assert re.search(r'robots.txt forbids it \(line \d+, "/private/"\)', found["why"]), found
        assert found["robots"]["allowed"] is False and found["host"]["pages"] > 0
        out = url(tmp + "/c", "http://elsewhere.test/")
        assert "outside of what the seeds draw" in out["why"], out
        text = orb("url", tmp + "/c", home).out
        assert re.search(r"^state +fetched: it was fetched on .*: 200 OK$", text, re.M), text
        assert re.search(r"^archive +archive/\S+\.warc\.gz, byte \d+", text, re.M), text
        assert "not a crawl's directory" in orb("url", tmp, home, code=2).err


@case("looking at a crawl that does not run leaves it as it was")
def _(tmp):
    with Simweb(*WEB) as web:
        with Crawl(web, tmp + "/c", delay="20ms", seeds=[web.run["home"]]) as crawl:
            crawl.fetched(5)
            orb("stop", crawl.folder)
            crawl.ended()
        before = log_lines(tmp + "/c")
        for _ in range(3):
            url(tmp + "/c", web.run["home"])
        assert log_lines(tmp + "/c") == before
        with Crawl(web, tmp + "/c", delay="0") as crawl:
            assert crawl.ended() == 0, crawl.text()
        urls = [line[3] for line in log_lines(tmp + "/c") if "robots.txt" not in line[3]]
        assert len(urls) == len(set(urls))


@case("url looks into a directory that cannot be written, and says what it could not read")
def _(tmp):
    folder = tmp + "/c"
    with Simweb(*WEB) as web:
        orb("crawl", web.run["home"], "-o", folder, *net(web), "-w", "0", "--ip-delay", "0", "-q", "-n", "5")
    with open(folder + "/links/links.nodes", encoding="utf-8") as f:
        found = [line.split()[1] for line in f]
    fetched = {r[3] for r in log_lines(folder) if int(r[1]) > 0}
    words = read_only.before(folder)
    for where, state in ((found[0], "fetched"), (next(u for u in found if u not in fetched), "known"),
                         ("http://never.test/", "unknown")):
        done = run_program([*words[1:], ORBWEAVER, "url", "-j", folder, where], program=words[0])
        assert done.code == 0, done
        answer = json.loads(done.out)
        assert answer["state"] == state and "cannot be written" in answer["host"]["text"], answer
        assert (len(answer["captures"]) == 1) == (state == "fetched"), answer
    assert url(folder, found[0])["state"] == "fetched"


@case("checkpoint makes an image of the state")
def _(tmp):
    with Simweb(*WEB) as web, Crawl(web, tmp + "/c", delay="100ms") as crawl:
        crawl.fetched(2)
        images = os.path.join(crawl.folder, "state", "images")
        assert "checkpoint" in orb("checkpoint", crawl.folder).out
        until(lambda: os.path.isdir(images) and os.listdir(images), "no image")


@case("only the owner can use the socket, however long its path is")
def _(tmp):
    deep = os.path.join(tmp, "d" * 100, "e" * 100)
    os.makedirs(deep)
    with Simweb(*WEB) as web, Crawl(web, deep + "/c", delay="1h") as crawl:
        assert crawl.status()["state"] == "running"
        assert stat.S_IMODE(os.stat(crawl.socket).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(os.path.dirname(crawl.socket)).st_mode) == 0o700
        # what other users cannot open they cannot lock; archives and logs stay readable
        modes = {name: stat.S_IMODE(os.stat(os.path.join(crawl.folder, name)).st_mode) & 0o077
                 for name in ("state", "state/LOCK", "state/seeds", "archive", "logs/crawl.log")}
        before = os.umask(0o022)
        os.umask(before)
        assert modes == {"state": 0, "state/LOCK": 0, "state/seeds": 0, "archive": 0o055 & ~before,
                         "logs/crawl.log": 0o044 & ~before}, modes
        second = orb("crawl", "-o", crawl.folder, *net(web), code=3)
        assert f"state/LOCK, held by process {crawl.process.pid}" in second.err, second
        if os.geteuid() != 0:
            skip("another user can only be tried by root")
        os.chmod(tmp, 0o755)
        os.chmod(os.path.dirname(crawl.socket), 0o777)
        os.chmod(crawl.socket, 0o777)
        # Even where the files let everybody in, the kernel says who it is.
        code = ("import os,socket\nos.chdir(%r)\nos.setgid(65534)\nos.setuid(65534)\n"
                "s=socket.socket(socket.AF_UNIX)\ns.settimeout(20)\ns.connect('control.sock')\n"
                "try: s.sendall(b'{\"do\":\"status\"}\\n'); print(repr(s.recv(100)))\n"
                "except OSError: print(repr(b''))\n")
        done = subprocess.run([sys.executable, "-c", code % os.path.dirname(crawl.socket)],
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.stdout.strip() == "b''", done


@case("garbage, half lines, long lines and too many clients do no harm")
def _(tmp):
    with Simweb(*WEB) as web, Crawl(web, tmp + "/c", delay="1h") as crawl:
        with connection(crawl.socket) as s:
            rows = [
                (b"\n", "not JSON"), (b"{}\n", '"do" is missing'), (b"[1]\n", "expected an object"),
                (b"\xff\xfe\x00\n", "not JSON"), (b'{"do":"statsu"}\n', 'did you mean "status"?'),
                (b'{"do":"set"}\n', '"key" is missing'), (b'{"do":"seeds","urls":[]}\n', "1 to 200"),
                (b'{"do":"url","url":7}\n', '"url" is missing, or is not text'),
                (b"[" * 5000 + b"\n", "not JSON"),
            ]
            for data, words in rows:
                answer = ask(s, data)
                assert words in answer["error"]["message"], (data[:40], answer)
                assert answer["error"]["code"] == "invalid"
            s.sendall(b'{"do":"sta')
            time.sleep(0.1)
            assert ask(s, b'tus"}\n{"do":"status"}\n')["ok"] is True
        with connection(crawl.socket) as s:
            with contextlib.suppress(OSError):
                s.sendall(b"x" * (2 << 20))
            data = b""
            with contextlib.suppress(OSError):
                data = s.recv(65536)
            assert not data or b"too long" in data, data
        with contextlib.ExitStack() as all_of_them:
            clients = [all_of_them.enter_context(connection(crawl.socket)) for _ in range(40)]
            assert crawl.status()["ok"]  # for one more the client that is silent longest goes
            left = [not is_closed(s) for s in clients]
            assert sum(left) <= 16 and all(left[-8:]), left
            clients[-1].setblocking(True)
            assert ask(clients[-1], b'{"do":"status"}\n')["ok"] is True
        until(lambda: crawl.status()["ok"], "it does not answer any more")
        assert crawl.process.poll() is None


@case("fetch shows one page: what was decided, headers, links, robots, scope")
def _(tmp):
    with Simweb(*WEB) as web:
        home = web.run["home"]
        words = [*net(web), "--delay", "10ms"]
        report = json.loads(orb("fetch", "--json", home, *words).out)
        assert report["url"] == home and report["answer"]["status"] == 200
        assert report["robots"]["allowed"] is True
        assert report["page"]["media"] == "html" and report["page"]["title"]
        assert report["request"].startswith("GET / HTTP/1.1\r\nHost: ")
        links = report["links"]
        assert any(link["follows"] and link["why"] == "in scope" for link in links)
        assert any(link["why"] == "outside of what the seeds draw" for link in links)
        text = orb("fetch", home, *words).out
        assert re.search(r"^\d\. robots.txt allows it", text, re.M), text
        assert "  < HTTP/1.1 200 OK" in text and "  > GET / HTTP/1.1" in text
        private = [u["url"] for u in links if u["why"] == "robots.txt forbids it"]
        assert private, "the web forbids nothing"
        before = requests(web)
        done = orb("fetch", private[0], *words, code=1)
        assert 'robots.txt forbids it: line' in done.out and "request" not in done.out, done
        assert requests(web) == before + 1  # robots.txt alone
        assert "200 OK" in orb("fetch", "--ignore-robots", private[0], *words).out


@case("fetch says why nobody answered")
def _(tmp):
    with Simweb(*WEB) as web:
        home = web.run["home"]
        assert "there is no such name" in orb("fetch", "http://nosuch.test/", *net(web), code=4).out
        before = requests(web)
        done = orb("fetch", home, "--resolver", web.dns, code=4)
        assert "none of its 1 addresses is public" in done.out, done
        assert requests(web) == before
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            done = orb("fetch", f"http://127.0.0.1:{s.getsockname()[1]}/", *net(web), code=4)
        assert "no-connect" in done.out, done
        assert "neither http nor https" in orb("fetch", "ftp://a.test/", code=2).err
        assert "expected one URL" in orb("fetch", code=2).err


main(threads=2)
