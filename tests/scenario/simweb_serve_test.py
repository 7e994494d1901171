# SPDX-License-Identifier: Apache-2.0
"""The server of the simulated web, seen by raw sockets, curl and wget."""
import concurrent.futures
import http.client
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import time

from scenario import case, main, skip
from simweb import PROGRAM, Simweb

PLAIN = ("--chunked", "0", "--coded", "0")


class Client:
    """One connection to a host, with answers taken apart by hand."""

    def __init__(self, web, host, timeout=30.0):
        self.web, self.host = web, host
        self.socket = web.connect(host, timeout)
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def head(self, path="/", method="GET", version="1.1", **headers):
        lines = [f"{method} {path} HTTP/{version}", f"Host: {self.host}:{self.web.http_port}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def send(self, data: bytes):
        self.socket.sendall(data)

    def _more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError("the server closed")
        self.rest += piece

    def _until(self, end: bytes) -> bytes:
        while end not in self.rest:
            self._more()
        taken, self.rest = self.rest.split(end, 1)
        return taken

    def _exactly(self, n: int) -> bytes:
        while len(self.rest) < n:
            self._more()
        taken, self.rest = self.rest[:n], self.rest[n:]
        return taken

    def answer(self, has_body=True):
        """(status, {name: value}, body); fails on anything that is not HTTP/1.1 to the letter."""
        lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        status = re.fullmatch(r"HTTP/1\.1 (\d{3}) [ -~]+", lines[0])
        assert status, lines[0]
        headers = {}
        for line in lines[1:]:
            name, value = re.fullmatch(r"([!-9;-~]+): ([!-~](?:.*[!-~])?)", line).groups()
            assert name.lower() not in headers, lines
            headers[name.lower()] = value
        code = int(status[1])
        if not has_body or code == 304:
            return code, headers, b""
        if headers.get("transfer-encoding") == "chunked":
            assert "content-length" not in headers
            return code, headers, self._chunks()
        return code, headers, self._exactly(int(headers["content-length"]))

    def _chunks(self) -> bytes:
        body = b""
        while True:
            size = int(self._until(b"\r\n"), 16)
            body += self._exactly(size)
            assert self._exactly(2) == b"\r\n"
            if size == 0:
                return body

    def ask(self, path="/", method="GET", version="1.1", **headers):
        self.send(self.head(path, method, version, **headers))
        return self.answer(has_body=method != "HEAD")

    def is_closed(self) -> bool:
        return self.rest == b"" and self.socket.recv(1) == b""


def home(web) -> str:
    return re.match(r"http://([^/:]+)", web.run["home"])[1]


def hosts(web, wanted: int) -> list:
    """The first hosts that home pages lead to, breadth first."""
    found, at = [home(web)], 0
    while at < len(found) and len(found) < wanted:
        with Client(web, found[at]) as c:
            page = c.ask()[2].decode("latin-1").replace("\0", "")
        at += 1
        for host in re.findall(r"//([a-z0-9.-]+\.[a-z]+)(?::\d+)?/", page.replace("&#x2F;", "/")):
            if host not in found and host.endswith(web.run["settings"]["suffix"]):
                found.append(host)
    return found[:wanted]


def paths(web, host: str) -> list:
    """Some pages of the host that its sitemap names, without redirects."""
    with Client(web, host) as c:
        page = c.ask()[2].decode("latin-1")
    found = re.findall(r'href="(/[a-z0-9/.-]+\.html)"', page)
    return list(dict.fromkeys(found))


@case("a page is HTTP/1.1 to the letter, the same bytes twice, and dated by the web's clock")
def _(tmp):
    with Simweb("--clock-start", "1800000000000", "--clock-speed", "0") as web:
        for host in hosts(web, 12):
            with Client(web, host) as c:
                status, headers, body = c.ask()
                assert status == 200 and b"<" in body
                assert headers["date"] == "Fri, 15 Jan 2027 08:00:00 GMT", headers
                assert headers["content-type"].startswith("text/html")
                assert "etag" in headers or "last-modified" in headers
                again = c.ask()
                assert again == (status, headers, body)


@case("one connection carries many requests, and pipelined ones are answered in their order")
def _(tmp):
    with Simweb() as web:
        with Client(web, home(web)) as c:
            for _ in range(50):
                assert c.ask()[0] == 200
            wanted = ["/", "/robots.txt", "/nothing-here", "/"] * 10
            c.send(b"".join(c.head(path) for path in wanted))
            got = [c.answer() for _ in wanted]
            assert [g[0] for g in got[:4]] == [200, 200, 404, 200]
            assert [g[2] for g in got] == [g[2] for g in got[:4]] * 10
        report = web.report()
        assert report["requests"] == 90 and report["open"] == 0, report["requests"]
        assert report["politeness"]["most_open"] == 2, "pipelined requests are open at once"


@case("Connection: close and HTTP/1.0 end the connection, HTTP/1.0 keep-alive does not")
def _(tmp):
    with Simweb("--chunked", "1") as web:
        with Client(web, home(web)) as c:
            assert c.ask(Connection="close")[1]["connection"] == "close"
            assert c.is_closed()
        with Client(web, home(web)) as c:
            status, headers, _ = c.ask(version="1.0")
            assert status == 200 and "transfer-encoding" not in headers and c.is_closed()
        with Client(web, home(web)) as c:
            assert c.ask(version="1.0", Connection="keep-alive")[1]["connection"] == "keep-alive"
            assert c.ask(version="1.0", Connection="keep-alive")[0] == 200


@case("HEAD has the head of GET and no body, whole, coded and in chunks")
def _(tmp):
    with Simweb("--chunked", "0.5", "--coded", "0.5", "--clock-speed", "0") as web:
        ways = set()
        for host in hosts(web, 12):
            with Client(web, host) as c:
                for coding in ("identity", "gzip"):
                    get = c.ask(Accept_Encoding=coding)
                    head = c.ask(method="HEAD", Accept_Encoding=coding)
                    assert head[1] == get[1] and head[0] == 200
                    ways.add("transfer-encoding" in get[1])
        assert ways == {True, False}


@case("a share of the hosts answers in chunks: one, several, or many of odd sizes")
def _(tmp):
    with Simweb("--chunked", "1", "--page-bytes", "30k", "--page-spread", "0") as web:
        counts = set()
        for host in hosts(web, 12):
            with Client(web, host) as c:
                c.send(c.head())
                while b"\r\n0\r\n\r\n" not in c.rest:
                    c._more()
                sizes = re.findall(rb"(?:^|\r\n)([0-9a-f]+)\r\n", c.rest.split(b"\r\n\r\n", 1)[1])
                counts.add(min(len(sizes), 10))
        assert len(counts) >= 3, counts


@case("codings give the same page as identity, with a tag of their own and Vary")
def _(tmp):
    import gzip
    with Simweb("--coded", "1", "--clock-speed", "0") as web:
        for host in hosts(web, 6):
            with Client(web, host) as c:
                plain = c.ask()
                assert "content-encoding" not in plain[1]
                assert plain[1]["vary"] == "Accept-Encoding"
                coded = c.ask(Accept_Encoding="gzip")
                assert coded[1]["content-encoding"] == "gzip"
                assert gzip.decompress(coded[2]) == plain[2]
                if "etag" in plain[1]:
                    assert coded[1]["etag"] != plain[1]["etag"]
                refused = c.ask(Accept_Encoding="gzip;q=0, identity")
                assert refused[2] == plain[2]
                seen = {c.ask(Accept_Encoding=name)[1].get("content-encoding")
                        for name in ("gzip", "br", "zstd", "deflate")}
                assert seen == {"gzip", "br", "zstd", None}, seen
    with Simweb("--coded", "0") as web:
        with Client(web, home(web)) as c:
            headers = c.ask(Accept_Encoding="gzip, br, zstd")[1]
            assert "content-encoding" not in headers and "vary" not in headers


@case("curl --compressed reads every coding and every way of framing")
def _(tmp):
    with Simweb("--coded", "0.7", "--chunked", "0.5", "--clock-speed", "0") as web:
        for host in hosts(web, 10):
            def curl(*more):
                return subprocess.run(
                    ["curl", "-sS", "--noproxy", "*", "--max-time", "60", "--connect-to",
                     f"::{web.address(host)}:", *more, f"http://{host}:{web.http_port}/"],
                    capture_output=True, check=True).stdout
            assert curl() == curl("--compressed") and len(curl()) > 200


@case("a page that did not change is a 304 by tag and by date, until the clock is turned")
def _(tmp):
    with Simweb("--changing", "1", "--change-every", "1h", "--clock-speed", "0",
                "--coded", "1") as web:
        tags = dates = 0
        for host in hosts(web, 20):
            with Client(web, host) as c:
                _, headers, body = c.ask()
                tag, date = headers.get("etag"), headers.get("last-modified")
                if tag:
                    tags += 1
                    status, short, _ = c.ask(If_None_Match=f'"x", W/{tag}')
                    assert status == 304 and short["etag"] == tag and "content-length" not in short
                    assert c.ask(If_None_Match='"x"')[0] == 200
                    assert c.ask(If_None_Match="*")[0] == 304
                if date:
                    dates += 1
                    assert c.ask(If_Modified_Since=date)[0] == 304
                    assert c.ask(If_Modified_Since="Thu, 01 Jan 1970 00:00:00 GMT")[0] == 200
                    assert c.ask(If_Modified_Since="yesterday")[0] == 200
                if tag and date:
                    assert c.ask(If_Modified_Since=date, If_None_Match='"x"')[0] == 200
        assert 0 < tags < 20 or 0 < dates < 20 or tags + dates > 20
        web.ask("/_sim/clock?advance=8640000", "POST")
        with Client(web, home(web)) as c:
            _, headers, _ = c.ask()
            later = json.loads(web.ask("/_sim/page?url=" + web.run["home"]))
            assert later["version"]["text"] + later["version"]["structure"] > 0, later


@case("turning the clock changes pages, and turning it back brings the old ones again")
def _(tmp):
    with Simweb("--changing", "1", "--change-every", "1h", "--clock-start", "1750000000000",
                "--clock-speed", "0") as web:
        with Client(web, home(web)) as c:
            before = c.ask()
            moved = json.loads(web.ask("/_sim/clock?advance=864000", "POST"))
            assert moved["wall_ms"] == 1750000000000 + 864000000, moved
            after = c.ask()
            assert after[2] != before[2]
            since = after[1].get("last-modified") or after[1]["date"]
            assert after[1].get("etag") != before[1].get("etag") or "etag" not in before[1]
            web.ask("/_sim/clock?to=2025-06-15T15:06:40Z", "POST")
            assert json.loads(web.ask("/_sim/clock"))["wall_ms"] == 1750000000000
            assert c.ask() == before
            assert c.ask(If_Modified_Since=since)[0] == 200, "a date to come says nothing"


@case("a host asked too often answers 429 or 503 with Retry-After in seconds or as a date")
def _(tmp):
    from email.utils import parsedate_to_datetime
    with Simweb("--rate-limit", "0.2", "--rate-burst", "3", "--hosts", "40") as web:
        forms, codes = set(), set()
        for host in hosts(web, 24)[4:]:
            with Client(web, host) as c:
                for _ in range(9):
                    status, headers, _ = c.ask("/favicon.ico")
                    if status != 200:
                        break
                assert status in (429, 503), status
                codes.add(status)
                wait = headers["retry-after"]
                if not wait.isdigit():
                    then = parsedate_to_datetime(wait) - parsedate_to_datetime(headers["date"])
                    wait, form = then.total_seconds(), "date"
                else:
                    form = "seconds"
                forms.add(form)
                assert 1 <= float(wait) <= 6, wait
                assert c.ask("/robots.txt")[0] in (200, 404)
        assert forms == {"seconds", "date"} and codes == {429, 503}, (forms, codes)
        assert web.report()["politeness"]["during_backoff"] >= 20


@case("a host has its latency before the first byte and its bandwidth behind it")
def _(tmp):
    with Simweb("--latency-least", "300ms", "--latency-most", "300ms") as web:
        with Client(web, home(web)) as c:
            start = time.monotonic()
            c.send(c.head())
            c.socket.recv(1)
            assert time.monotonic() - start >= 0.29
    with Simweb("--bandwidth-least", "60k", "--bandwidth-most", "60k", "--page-bytes", "30k",
                "--page-spread", "0", *PLAIN) as web:
        with Client(web, home(web)) as c:
            start = time.monotonic()
            body = c.ask()[2]
            assert time.monotonic() - start >= len(body) / 61440 * 0.8, len(body)


@case("latencies differ by host and stay a host's own")
def _(tmp):
    with Simweb("--latency-least", "20ms", "--latency-most", "2s", "--hosts", "20") as web:
        def least(host):
            with Client(web, host) as c:
                times = []
                for _ in range(2):
                    start = time.monotonic()
                    c.ask("/robots.txt")
                    times.append(time.monotonic() - start)
                return min(times)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            times = list(pool.map(least, hosts(web, 6)))
        assert max(times) > 1.5 * min(times) >= 0.03, times


@case("the control port answers to its token and to a name of loopback alone")
def _(tmp):
    with Simweb() as web:
        host, port = web.control.split(":")

        def ask(path="/_sim/clock", method="GET", name=None, **headers):
            c = http.client.HTTPConnection(host, int(port), timeout=20)
            c.putrequest(method, path, skip_host=True)
            for key, value in {"Host": name or web.control, **headers}.items():
                c.putheader(key, value)
            c.endheaders()
            a = c.getresponse()
            body = json.loads(a.read())
            c.close()
            assert a.headers["Content-Type"] == "application/json"
            assert a.status == 200 or body["error"]
            return a.status
        token = {"Authorization": "Bearer " + web.token}
        assert ask(**token) == 200
        assert ask() == 401
        assert ask(Authorization="Bearer " + web.token[:-1]) == 401
        assert ask(Authorization="Bearer " + web.token + "0") == 401
        assert ask(Authorization="Bearer " + "0" * 32) == 401
        assert ask(Authorization="Basic " + web.token) == 401
        assert ask(name="evil.test", **token) == 421
        assert ask(name="localhost:1", **token) == 200
        assert ask("/_sim/nothing", **token) == 404
        assert ask("/_sim/reset", **token) == 405
        assert ask("/_sim/clock?advance=x", "POST", **token) == 400
        assert ask("/_sim/page?url=http://nobody/", **token) == 404
        assert ask(method="DELETE", **token) == 405
        for moment in ("2024-12-31", "18446744073709551615"):
            assert ask("/_sim/clock?to=" + moment, "POST", **token) == 400
        with socket.create_connection((host, int(port)), timeout=20) as s:
            s.sendall(f"HEAD /_sim/clock HTTP/1.1\r\nHost: {web.control}\r\n"
                      "Connection: close\r\n\r\n".encode())
            head = b"".join(iter(lambda: s.recv(65536), b""))
            assert head.endswith(b"\r\n\r\n") and head.count(b"\r\n\r\n") == 1, head
            assert b"\r\nDate: " in head, head
        assert web.get(f"http://{home(web)}:{web.http_port}/_sim/report")[0] == 404


@case("the report can be reset, and tells what a page is")
def _(tmp):
    with Simweb() as web:
        with Client(web, home(web)) as c:
            c.ask()
            assert web.report("urls=1")["url_counts"] == {web.run["home"]: 1}
            web.ask("/_sim/reset", "POST")
            assert web.report()["requests"] == 0
            c.ask()
            assert web.report()["requests"] == 1
        facts = json.loads(web.ask("/_sim/page?url=" + web.run["home"]))
        assert facts["kind"] == "page" and facts["role"] == "normal" and facts["page"] == 0


@case("run.json is its owner's alone; a second server is refused; the end removes it")
def _(tmp):
    with Simweb() as web:
        path = os.path.join(web.folder, "run.json")
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert web.run["pid"] == web.process.pid and len(web.token) == 32
        done = subprocess.run([PROGRAM, "serve", "--dir", web.folder, "--http-port", "0"],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode != 0 and "already" in done.stderr, done
        taken = subprocess.run([PROGRAM, "serve", "--dir", tmp, "--http-port", str(web.http_port)],
                               capture_output=True, text=True, timeout=60)
        assert taken.returncode != 0 and "--http-port" in taken.stderr, taken
        web.process.terminate()
        assert web.process.wait(30) == 0
        assert not os.path.exists(path)


@case("an unknown host is told so, an unknown page is a 404, another method a 405")
def _(tmp):
    with Simweb() as web:
        with Client(web, home(web)) as c:
            c.host = "nobody.example"
            assert c.ask()[0] == 421
            c.host = home(web).upper() + "."
            assert c.ask()[0] == 200
            assert c.ask("/no/such/page.html")[0] == 404
            status, headers, _ = c.ask(method="DELETE")
            assert status == 405 and headers["allow"] == "GET, HEAD"


@case("a body with a request is refused and heard out, however long it is")
def _(tmp):
    with Simweb() as web:
        for size, method, expected in ((10, "POST", 405), (3_000_000, "POST", 405), (10, "GET", 400)):
            with Client(web, home(web)) as c:
                c.send(c.head(method=method, Content_Length=size))
                c.send(b"x" * size)
                status, headers, _ = c.answer()
                assert status == expected and headers["connection"] == "close", (status, headers)
                assert c.is_closed()
        with Client(web, home(web)) as c:
            assert c.ask(method="POST", Content_Length=0)[0] == 405
            assert c.ask()[0] == 200


@case("what is no request is a 400, a head over the limit a 431, and both end the connection")
def _(tmp):
    with Simweb() as web:
        for wrong, status in ((b"hello\r\n", 400), (b"GET / HTTP/1.1\r\n\r\n", 400),
                              (b"GET / HTTP/1.1\nHost: a\n\n", 400),
                              (b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000, 431),
                              (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200, 431),
                              (b"GET /" + b"a" * 300_000, 431)):
            with Client(web, home(web)) as c:
                c.send(wrong)
                assert c.answer()[0] == status, wrong[:40]
                assert c.is_closed()
        with Client(web, home(web)) as c:
            long = "/" + "a" * 100_000
            assert c.ask(long)[0] == 404
            assert c.ask()[0] == 200


@case("a client that sends byte by byte is answered as any other")
def _(tmp):
    with Simweb(*PLAIN) as web:
        with Client(web, home(web)) as c:
            expected = c.ask()
            c.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in c.head(X_Slow="yes"):
                c.send(bytes([byte]))
            assert c.answer()[2] == expected[2]


@case("a client that closes its own half still gets its answer")
def _(tmp):
    with Simweb("--page-bytes", "1M", "--page-spread", "0", *PLAIN) as web:
        with Client(web, home(web)) as c:
            c.send(c.head())
            c.socket.shutdown(socket.SHUT_WR)
            time.sleep(0.3)
            assert len(c.answer()[2]) > 500_000
            assert c.is_closed()


def answered_before_close(web, times: int) -> tuple:
    """When the requests were sent that one connection answered, and when the server had closed it."""
    sent = []
    with Client(web, home(web)) as c:
        try:
            for _ in range(times):
                moment = time.monotonic()
                assert c.ask("/robots.txt")[0] in (200, 404)
                sent.append(moment)
                time.sleep(0.6)
            assert c.is_closed()
        except (EOFError, ConnectionError):
            pass  # the machine stood still for longer than the timeout
    return sent, time.monotonic()


@case("a silent connection is closed after the idle timeout, and not before its time")
def _(tmp):
    idle_s, times = 2, 5
    with Simweb("--idle-timeout", f"{idle_s}s") as web:
        for _ in range(5):
            sent, closed = answered_before_close(web, times)
            assert closed - sent[-1] >= idle_s, "it was closed too early"
            if len(sent) == times:
                break
        assert len(sent) == times and sent[-1] - sent[0] > idle_s, "a request does not start the time again"


@case("thousands of connections may stand idle, and one too many closes the longest idle")
def _(tmp):
    with Simweb("--connections", "3000") as web:
        clients = []
        try:
            for _ in range(3000):
                clients.append(Client(web, home(web)))
            for c in (clients[0], clients[1], clients[2999]):
                assert c.ask("/robots.txt")[0] in (200, 404)
                time.sleep(0.01)
            with Client(web, home(web)) as late:
                assert late.ask("/robots.txt")[0] in (200, 404)
                assert clients[0].is_closed()
                assert clients[1].ask("/robots.txt")[0] in (200, 404)
            assert web.report()["open"] == 0
        finally:
            for c in clients:
                c.socket.close()


@case("thousands of addresses are opened, each with its own hosts")
def _(tmp):
    with Simweb("--hosts", "5000", "--hosts-per-address", "1", "--pages", "3") as web:
        names = hosts(web, 30)
        assert len({web.address(name) for name in names}) == 30
        for name in names[-3:]:
            with Client(web, name) as c:
                assert c.ask()[0] == 200


def _hold(web):
    """A fault that answers nothing for ever, with somebody who waits for it."""
    c = Client(web, "f03.test")
    page = c.ask()[2].decode()
    where = re.search(r'href="http://([a-z0-9.-]+)(?::\d+)?(/[^"]*)"', page)
    c.socket.close()
    held = Client(web, where[1])
    held.send(held.head(where[2]))
    return held, where[2]


def _quiet_report(web):
    """Once the last farewell has been seen: it may come behind the question for the report."""
    for _ in range(100):
        report = web.report("hosts=1")
        if report["open"] == 0:
            return report
        time.sleep(0.05)
    raise AssertionError(f"{report['open']} requests stay open")


@case("one who hangs up and asks again is never seen with two requests open")
def _(tmp):
    with Simweb("--fault", "f03") as web:
        for _ in range(150):
            held, path = _hold(web)
            held.socket.close()
        report = _quiet_report(web)
        assert report["politeness"]["most_open"] == 1, report["politeness"]
        sights = web.report("sights=1")["sights"]
        ends = [s["end"] for s in sights if s["path"] == path]
        assert len(ends) == 150 and set(ends) == {"client-left"}, set(ends)


@case("requests one after another, each on its own connection, are never seen to overlap")
def _(tmp):
    with Simweb("--page-bytes", "60k", "--chunked", "0.5") as web:
        for host in hosts(web, 3):
            for _ in range(100):
                with Client(web, host) as c:
                    c.ask()
        told = web.report()["politeness"]
        assert told["most_open"] == 1 and told["overlaps"] == 0, told


@case("two requests at once to one host are seen")
def _(tmp):
    with Simweb("--latency-least", "300ms", "--latency-most", "300ms") as web:
        with Client(web, home(web)) as a, Client(web, home(web)) as b:
            a.send(a.head())
            b.send(b.head())
            assert a.answer()[0] == b.answer()[0] == 200
        told = web.report()["politeness"]
        assert told["most_open"] == 2 and told["overlaps"] == 1, told


@case("one address refuses and one stays silent")
def _(tmp):
    with Simweb("--fault", "all") as web:
        refused = socket.socket()
        try:
            refused.connect(("127.0.90.1", web.http_port))
            raise AssertionError("somebody listens at the refusing address")
        except ConnectionRefusedError:
            pass
        finally:
            refused.close()
        silent = socket.socket()
        silent.settimeout(2)
        try:
            silent.connect(("127.0.90.2", web.http_port))
            raise AssertionError("somebody answered at the silent address")
        except socket.timeout:
            pass
        finally:
            silent.close()


@case("a fault sprinkled over hosts is linked by their home pages and answered below its mount")
def _(tmp):
    with Simweb("--sprinkle", "f06=1", "--coded", "0.5", "--hosts", "8") as web:
        for host in hosts(web, 6):
            with Client(web, host) as c:
                page = c.ask()[2]
                assert page.count(b'<a href="/f06/">') == 1, host
                assert page.index(b'<a href="/f06/">') < page.lower().index(b"</body")
                status, _, index = c.ask("/f06/")
                assert status == 200 and b"/f06/" in index
        sights = web.report("sights=1")["sights"]
        assert sights and all(s["fault"] == "F06" for s in sights)


@case("https hosts are reached by TLS with the web's own authority, http sends there")
def _(tmp):
    with Simweb("--https", "1", "--http2", "0.5") as web:
        host = re.match(r"https://([^/:]+)", web.run["home"])[1]
        with Client(web, host) as c:
            status, headers, _ = c.ask("/x?y=1")
            assert status == 301
            assert headers["location"] == f"https://{host}:{web.https_port}/x?y=1"
        versions = set()
        seen = {host}
        for name in list(seen) + ["blog." + host.split(".", 1)[1]]:
            for option in ("--http1.1", "--http2"):
                done = subprocess.run(
                    ["curl", "-sS", "--noproxy", "*", "--max-time", "60", option, "--cacert", web.ca,
                     "--connect-to", f"::{web.address(host)}:", "-w", "%{http_version} %{http_code}",
                     "-o", os.path.join(tmp, option), f"https://{name}:{web.https_port}/"],
                    capture_output=True, text=True, check=True).stdout
                assert done.endswith(" 200"), done
                versions.add(done.split()[0])
            with open(os.path.join(tmp, "--http1.1"), "rb") as a, \
                    open(os.path.join(tmp, "--http2"), "rb") as b:
                assert a.read() == b.read()
        assert "1.1" in versions


@case("wget follows a small web with all its pages need, and meets nothing broken")
def _(tmp):
    if not shutil.which("wget"):
        skip("wget is not installed")
    with Simweb("--hosts", "4", "--pages", "12", "--images", "1", "--hosts-per-address", "4",
                "--changing", "0", "--redirects", "0.1") as web:
        proxy = f"http://{web.address(home(web))}:{web.http_port}/"  # it takes whole URLs as a proxy
        done = subprocess.run(
            ["wget", "--no-verbose", "--recursive", "--level", "20", "--page-requisites",
             "--span-hosts", "--tries", "1", "--timeout", "30", "-e", "use_proxy=on",
             "-e", "http_proxy=" + proxy, "-e", "no_proxy=", web.run["home"]],
            cwd=tmp, capture_output=True, text=True, timeout=200)
        report = web.report("urls=1")
        fetched = set(report["url_counts"])
        truth = web.oracle(web.run["home"], "any")
        must = {url for url, (kind, _) in truth.items()
                if kind == "must" and not url.endswith("/robots.txt")}
        # wget takes text of scripts for links; what it could not have is among those alone.
        broken = set(re.findall(r"(http://\S+):\n\S+ \S+ ERROR", done.stderr))
        assert broken and not broken & must, sorted(broken & must)[:5]
        assert len(fetched & must) >= 0.7 * len(must), (len(fetched & must), len(must))
        assert report["politeness"]["most_open"] == 1 and report["urls"]["forbidden"] == 0


@case("a client of the web as a proxy is told 502 where no host can be reached, and not accused")
def _(tmp):
    with Simweb("--hosts", "2", "--pages", "2", "--fault", "f01,f02,f41") as web:
        def ask(url):
            with socket.create_connection(("127.0.0.1", web.http_port), timeout=20) as s:
                s.sendall(f"GET {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
                return int(s.makefile("rb").readline().split()[1])
        assert ask(web.fault(1, "/page", "refused")) == 502
        assert ask(web.fault(2, "/page", "silent")) == 502
        assert ask(web.fault(41, "/told/inside/bad", "inside")) == 502
        for number in (1, 2, 41):
            assert ask(web.fault(number, "/")) == 200
        for number in (1, 2):
            assert ask(web.fault(number, "/told/other")) == 200
        assert ask(web.fault(41, "/to-file")) == 302
        verdicts = web.verdicts()
        assert all(verdicts[f]["verdict"] == "good" for f in ("F01", "F02", "F41")), verdicts
        assert ask("/f41/told/number/bad") == 200  # not as a proxy: F41's redirect to 127.0.0.1
        assert web.verdicts()["F41"]["verdict"] == "bad"


@case("names are answered over UDP and TCP, and counted")
def _(tmp):
    with Simweb() as web:
        names = web.names()
        host = home(web)
        assert names.a(host) == names.a(host.upper()) and names.a(host)[0].startswith("127.1.")
        assert names.records(host, tcp=True)[0][2] == names.a(host)[0]
        assert names.rcode("nobody." + host) == 3
        assert web.report()["dns"]["queries"] >= 6


main(threads=6)
