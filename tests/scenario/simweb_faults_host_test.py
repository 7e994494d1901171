# SPDX-License-Identifier: Apache-2.0
"""The faults of hosts and servers (F35 to F61, F90 to F93) as a plain client sees them, and whether
the judge tells a careful crawler from a reckless one."""
import socket
import ssl
import time

from careful import crawl
from scenario import case, main
from simweb import Simweb

OURS = [f"F{n}" for n in (*range(35, 62), *range(90, 94))]
SHORT = ["--hosts", "4", "--drip", "20ms", "--fault-scale", "0.01", "--retry-after", "1"]


def serve(patience="3s", endless="4M"):
    return Simweb(*SHORT, "--patience", patience, "--endless", endless, "--keep-urls",
                  "--fault", ",".join(OURS))


def seeds(web, ids):
    return [f"http://{i.lower()}.test:{web.http_port}/" for i in ids]


WEB = serve()


class Answer:
    def __init__(self, raw: bytes):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        self.raw, self.head = raw, head
        lines = head.split(b"\r\n")
        self.status = int(lines[0].split()[1]) if lines[0] else 0
        self.headers = [tuple(part.strip() for part in line.partition(b":")[::2]) for line in lines[1:]]

    def header(self, name: bytes):
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)


def ask(host: str, path: str, *more: str, address: str = "", most: int = 1 << 20, tls=None) -> Answer:
    """One request on a connection of its own, read to the end or to `most` bytes."""
    lines = "".join(line + "\r\n" for line in more)
    port = WEB.https_port if tls else WEB.http_port
    raw = b""
    with socket.create_connection((address or WEB.address(host), port), timeout=5) as s:
        if tls:
            s = tls.wrap_socket(s, server_hostname=host)
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n{lines}\r\n".encode())
        while len(raw) < most:
            try:
                piece = s.recv(65536)
            except ConnectionResetError:
                break
            if not piece:
                break
            raw += piece
    return Answer(raw)


def own(path: str) -> str:
    return f"http://{path.replace('/', f':{WEB.http_port}/', 1)}"


@case("F35 and F36: a host asks for time in every form of Retry-After, then answers")
def _(_):
    first = ask("busy429.f35.test", "/page")
    assert first.status == 429 and first.header(b"Retry-After") == b"1", first.raw
    assert ask("busy429.f35.test", "/other").status == 200
    again = ask("busy429.f35.test", "/page")
    assert again.status == 200 and b'href="/told/page/good"' in again.body
    assert [ask("thrice.f35.test", "/page").status for _ in range(4)] == [429, 429, 429, 200]
    for label, form in (("imf", "%a, %d %b %Y %H:%M:%S GMT"), ("rfc850", "%A, %d-%b-%y %H:%M:%S GMT"),
                        ("asctime", "%a %b %d %H:%M:%S %Y")):
        date = ask(f"{label}.f36.test", "/page").header(b"Retry-After").decode()
        ahead = time.mktime(time.strptime(date + " UTC", form + " %Z")) - time.timezone - time.time()
        assert -60 < ahead <= 2.1, (date, ahead)
    said = {label: ask(f"{label}.f36.test", "/page").header(b"Retry-After")
            for label in ("past", "zero", "negative", "garbage", "far", "overflow")}
    assert b"1994" in said["past"] and b"2099" in said["far"] and said["zero"] == b"0", said
    assert said["negative"] == b"-5" and len(said["overflow"]) == 20 and b"tide" in said["garbage"], said
    assert ask("far.f36.test", "/page").status == 503


@case("F37: a broken host stays broken, and its robots.txt does not")
def _(_):
    for label, status in (("e500", 500), ("e502", 502), ("e503", 503)):
        assert [ask(f"{label}.f37.test", "/page").status for _ in range(3)] == [status] * 3
        assert ask(f"{label}.f37.test", "/robots.txt").status == 404


@case("F38 to F44: redirects lead where they say, and pages refresh")
def _(_):
    def to(host, path):
        answer = ask(host, path)
        assert 300 < answer.status < 309, answer.raw
        return answer.header(b"Location").decode()
    assert to("f38.test", "/self/308") == "/self/308"
    assert (to("f38.test", "/two/a"), to("f38.test", "/two/b")) == ("/two/b", "/two/a")
    assert to("f39.test", "/endless?n=7") == "/endless?n=8"
    assert to("f40.test", "/to-host") == own("other.f40.test/landed")
    assert to("f40.test", "/to-https") == f"https://secure.f40.test:{WEB.https_port}/landed"
    assert [to("f41.test", "/to-" + x).split(":")[0] for x in ("file", "javascript", "data", "ftp")] \
        == ["file", "javascript", "data", "ftp"]
    assert to("f41.test", "/to-metadata").startswith("http://169.254.169.254/")
    assert WEB.address("inside.f41.test") == "127.0.0.1"
    assert to("f42.test", "/at/utf8") == "/told/café/good" and to("f42.test", "/at/empty") == ""
    assert to("f42.test", "/at/slashes").startswith("http:////f42.test")
    bare = ask("f42.test", "/at/missing")
    assert bare.status == 301 and bare.header(b"Location") is None and b"/told/missing/good" in bare.body
    assert to("f43.test", "/wall") == "/check"
    assert ask("f43.test", "/wall", "Cookie: seen=1").status == 200
    assert b'content="0; url=endless?n=4"' in ask("f44.test", "/refresh/endless?n=3").body


@case("F40: the target of a redirect to https answers there, with a certificate of the web's own authority")
def _(_):
    tls = ssl.create_default_context(cafile=WEB.ca)
    assert b"/back" in ask("secure.f40.test", "/landed", tls=tls).body
    back = ask("secure.f40.test", "/back", tls=tls)
    assert back.header(b"Location").decode() == own("other.f40.test/landed-from-https")


@case("F45: cookies by the hundred, by the kilobyte and for strangers")
def _(_):
    def cookies(path):
        return [v for k, v in ask("f45.test", path).headers if k == b"Set-Cookie"]
    assert len(cookies("/many")) == 500
    assert len(cookies("/huge")[0]) > 100 * 1024
    assert any(b"Domain=neighbour.f45.test" in c for c in cookies("/wrong-domain"))
    assert any(c.endswith(b"Domain=test") for c in cookies("/supercookie"))


@case("F46: names that do not resolve")
def _(_):
    names = WEB.names()
    assert names.rcode("nx.f46.test") == 3 and names.rcode("servfail.f46.test") == 2
    assert names.a("slow.f46.test") == [WEB.address("slow.f46.test")]
    for label in ("silent", "lies"):
        try:
            answer = names.ask(f"{label}.f46.test", timeout=0.3)
        except TimeoutError:
            continue
        right = b"\x12\x34" == answer[:2] and b"\x04lies\x03f46\x04test\0" in answer[:40].lower()
        assert label == "lies" and not right, answer


@case("F47 and F48: any name exists, and sixteen hosts share an address")
def _(_):
    assert WEB.address("a1.f47.test") == WEB.address("a77777.f47.test")
    assert own("a778.f47.test/").encode() in ask("a77.f47.test", "/").body
    shared = {WEB.address(f"s{n:02}.f48.test") for n in range(1, 17)}
    assert len(shared) == 1 and shared != {WEB.address("f48.test")}
    begin = time.monotonic()
    assert ask("s07.f48.test", "/page").status == 200 and time.monotonic() - begin >= 0.19


@case("F49 to F51: names that lead astray")
def _(_):
    names = WEB.names()
    first = names.records("rebind.f49.test")
    assert first[0][1] == 0 and first[0][2] not in ("127.0.0.1", ""), first
    assert names.a("rebind.f49.test") == ["127.0.0.1"] == names.a("rebind.f49.test")
    want = {"ten": "10.0.0.1", "linklocal": "169.254.169.254", "loopback": "127.0.0.1", "zero": "0.0.0.0"}
    assert {label: names.a(f"{label}.f50.test")[0] for label in want} == want
    assert names.a("b172.f50.test")[0].startswith("172.") and names.a("c192.f50.test")[0].startswith("192.168.")
    for label, start in (("mapped", "00" * 10 + "ffff0a00"), ("nat64", "0064ff9b"), ("uniquelocal", "fd00")):
        assert names.a(f"{label}.f50.test") == []
        assert names.records(f"{label}.f50.test", 28)[0][2].hex().startswith(start)
    assert [kind for kind, _, _ in names.records("chain.f51.test")] == [5, 5, 5, 1]
    assert 1 not in [kind for kind, _, _ in names.records("loop.f51.test")]
    assert len(names.records("thousand.f51.test", tcp=True)) == 1000
    assert names.ask("thousand.f51.test")[2] & 2, "truncated over UDP"
    assert names.records("brief.f51.test")[0][1] == 0 and names.records("eternal.f51.test")[0][1] >= 2 ** 31 - 1
    assert len(names.a("half.f51.test")) == 2


@case("F52 to F54: robots.txt that is not there, fails, or is elsewhere")
def _(_):
    for status in (404, 401, 403, 410):
        assert ask(f"none{status}.f52.test", "/robots.txt").status == status
    assert ask("e500.f53.test", "/robots.txt").status == 500
    assert ask("reset.f53.test", "/robots.txt").raw == b"" == ask("close.f53.test", "/robots.txt").raw
    begin = time.monotonic()
    assert ask("hold.f53.test", "/robots.txt").raw == b"" and time.monotonic() - begin >= 2.9
    assert [ask("turned.f53.test", "/robots.txt").status for _ in range(3)] == [200, 503, 503]
    assert ask("moved.f54.test", "/robots.txt").header(b"Location").decode() == own("rules.f54.test/robots.txt")
    for label, hops in (("chain5", 5), ("chain6", 6)):
        path = "/robots.txt"
        for _ in range(hops):
            path = ask(f"{label}.f54.test", path).header(b"Location").decode()
        assert b"Disallow: /private/" in ask(f"{label}.f54.test", path).body


@case("F55: the limit of 500 KiB cuts a rule, and there is more behind it, or no end at all")
def _(_):
    body = ask("k600.f55.test", "/robots.txt").body
    assert len(body) == 600 * 1024 and body[:500 * 1024].endswith(b"\nDisallow: /s")
    assert b"\nDisallow: /late/\n" in body and body.endswith(b"\n")
    assert len(ask("endless.f55.test", "/robots.txt", most=3 << 20).raw) >= 3 << 20


@case("F56 to F61: robots.txt that says odd things")
def _(_):
    def rules(host):
        return ask(host, "/robots.txt").body
    assert rules("html.f56.test").startswith(b"<!DOCTYPE") and rules("image.f56.test").startswith(b"\x89PNG")
    assert rules("bom.f57.test").startswith(b"\xef\xbb\xbfUser-agent") and b"\n" not in rules("cr.f57.test")
    assert "Disallow: /private/" in rules("utf16.f57.test").decode("utf-16") and b"\0" in rules("nul.f57.test")
    assert rules("rules.f58.test").count(b"\n") > 1000 and len(rules("longline.f58.test")) > 120000
    assert rules("stars.f58.test").count(b"*a") == 24 and b"/mid$dle" in rules("dollar.f58.test")
    assert b"Dissallow" in rules("typo.f59.test") and rules("merged.f59.test").count(b"User-agent: *") == 2
    assert b"Crawl-delay: 0.2" in rules("fifth.f60.test") and b"1000000000" in rules("decades.f60.test")
    assert [b"/queued/" in rules("closing.f61.test") for _ in range(3)] == [False, True, True]
    assert [b"/later/" in rules("opening.f61.test") for _ in range(2)] == [True, False]


@case("F90: a second answer comes to one request")
def _(_):
    raw = b""
    host = "f90.test"
    with WEB.connect(host, timeout=5) as s:
        s.sendall(f"GET /extra HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        while raw.count(b"</html>") < 2:
            piece = s.recv(65536)
            assert piece, raw
            raw += piece
        assert raw.count(b"HTTP/1.1 200 OK\r\n") == 2
        s.sendall(f"GET /told/next HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert s.recv(65536).startswith(b"HTTP/1.1 200")  # whoever goes on finds the connection open
    assert b"408" in ask(host, "/goodbye").body


@case("F91 to F93: a server that changes its mind, its validators, its clock")
def _(_):
    assert ask("f91.test", "/agent").body != ask("f91.test", "/agent", "User-Agent: Mozilla/5.0").body
    assert ask("f91.test", "/time").body != ask("f91.test", "/time").body
    assert [ask("f91.test", "/now-and-then").status for _ in range(3)] == [200, 404, 200]
    assert [ask("f92.test", "/first-304").status for _ in range(2)] == [304, 200]
    assert ask("f92.test", "/always-304").status == 304
    tags = [ask("f92.test", "/new-tag").header(b"ETag") for _ in range(2)]
    assert tags[0] != tags[1]
    assert b"1970" in ask("f93.test", "/1970").header(b"Date") and ask("f93.test", "/no-date").header(b"Date") is None
    dates = {ask("f93.test", "/jumps").header(b"Date") for _ in range(2)}
    assert len(dates) == 2


@case("the judge finds no fault with a careful crawler, who fetched all that the oracle says it must")
def _(_):
    with serve(patience="9s", endless="64M") as web:
        zoo = f"http://zoo.test:{web.http_port}/"
        verdicts = crawl(web, [zoo])
        bad = {i: verdicts[i] for i in OURS if verdicts[i]["verdict"] != "good"}
        assert not bad, bad
        fetched = set(web.report("urls=1")["url_counts"])
        oracle = web.oracle(zoo)
        must = {url for url, (kind, _) in oracle.items() if kind == "must"}
        known = {url for url, (kind, _) in oracle.items() if kind == "known"}
        assert len(must) > 200 and len(known) > 40, (len(must), len(known))
        assert must <= fetched, must - fetched
        assert not known & fetched, known & fetched


@case("the judge finds fault with one who reads only the index pages")
def _(_):
    with serve() as web:
        for i in OURS:
            host = f"{i.lower()}.test"
            with web.connect(host) as s:
                s.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                assert s.recv(100).startswith(b"HTTP/1.1 200")
        verdicts = web.verdicts()
        content = {"F37", "F50"}  # there is nothing that must be fetched
        assert {i for i in OURS if verdicts[i]["verdict"] == "good"} == content, verdicts


@case("the judge finds fault with a reckless crawler")
def _(_):
    ids = [i for i in OURS if i not in ("F47", "F48")]  # see the next case
    with serve() as web:
        verdicts = crawl(web, seeds(web, ids), reckless=True)
        bad = {i for i in ids if verdicts[i]["verdict"] == "bad"}
        want = {"F35", "F36", "F37", "F38", "F39", "F40", "F41", "F43", "F49", "F50", "F53", "F54", "F55",
                "F57", "F58", "F59", "F60", "F61"}
        assert want <= bad, (sorted(want - bad), sorted(bad - want))


@case("the judge sees who asks an address too much, keeps a spoilt connection, spreads cookies, or never stops")
def _(_):
    with serve() as web:
        def get(host, path, more=""):
            s = web.connect(host)
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode())
            return s
        for i in ("F45", "F47", "F48", "F90", "F91"):
            get(f"{i.lower()}.test", "/").recv(100)
        open_at_once = [get(f"s{n:02}.f48.test", "/page") for n in range(1, 13)]
        assert all(s.recv(100) for s in open_at_once)
        kept = get("f90.test", "/junk")
        kept.recv(65536)
        kept.sendall(b"GET /told/x HTTP/1.1\r\nHost: f90.test\r\n\r\n")
        assert kept.recv(65536)
        get("neighbour.f45.test", "/told/next/super", "Cookie: d=1\r\n").recv(100)
        with web.connect("f91.test") as s:
            for _ in range(60):
                s.sendall(b"GET /time HTTP/1.1\r\nHost: f91.test\r\n\r\n")
                while b"</html>" not in s.recv(65536):
                    pass
        with web.connect("a1.f47.test") as s:
            for n in range(1, 2202):
                s.sendall(f"GET / HTTP/1.1\r\nHost: a{n}.f47.test\r\n\r\n".encode())
                while b"</html>" not in s.recv(65536):
                    pass
        why = {i: " ".join(v["why"]) for i, v in web.verdicts().items()}
        assert "at once to one address" in why["F48"], why["F48"]
        assert "the same connection" in why["F90"] and "cookie" in why["F45"].lower(), (why["F90"], why["F45"])
        assert "/time: asked for 60" in why["F91"] and "budget" in why["F47"], (why["F91"], why["F47"])


@case("sprinkled over ordinary hosts they are judged alike, and the rest of the web stays whole")
def _(_):
    with Simweb(*SHORT[2:], "--hosts", "24", "--pages", "4", "--images", "0", "--page-bytes", "2k", "--links", "12",
                "--crawl-delays", "0", "--patience", "9s", "--endless", "64M",
                "--sprinkle", "pace=0.2,redir=0.3,cookie=0.1,robots=0.1,server=0.3") as web:
        verdicts = crawl(web, [web.run["home"]])
        seen = {i: v["verdict"] for i, v in verdicts.items() if v["verdict"] != "unseen"}
        assert len(seen) >= 5 and set(seen.values()) == {"good"}, verdicts
        report = web.report()
        assert report["politeness"]["during_backoff"] == 0 and report["urls"]["forbidden"] == 0, report


try:
    main(threads=6)
finally:
    WEB.close()
