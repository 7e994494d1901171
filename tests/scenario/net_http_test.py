# SPDX-License-Identifier: Apache-2.0
"""The HTTP engine alone (src/net/http.h) against the faults of the wire, of TLS and of HTTP/2.

http_client does what it is told, one request at a time a host; this file is the smallest crawler
that could drive it: it follows redirects and links. So what the judge says here is the engine's own
doing: framing, limits, reuse of connections, certificates."""
import collections
import concurrent.futures
import html
import json
import re
import socket
import subprocess
import sys
import threading
import urllib.parse

from scenario import case, main, skip
from simweb import Simweb

CLIENT = sys.argv[2]
WIRE = [*range(3, 24), *range(28, 35), 90]
TLS = [86, 87, 88]
H2 = [88, 89]
BODY = 512 << 10
LIMITS = ["connect-timeout=5s", "tls-timeout=1s", "first-byte-timeout=1s", "head-timeout=1500ms",
          "idle-timeout=1s", "fetch-timeout=3s", "allow=127.0.0.0/8", f"body={BODY}"]
LINK = re.compile(r"""<a href=["']?([^"'>]*)""")
HURRY = ["--drip", "20ms", "--patience", "6s", "--endless", "64M", "--retry-after", "1"]
WEB = Simweb("--hosts", "2", "--pages", "2", "--fault", ",".join(f"f{n:02}" for n in WIRE + TLS + [89]), *HURRY)
# Its hosts speak HTTP/2 to whoever offers it.
H2WEB = Simweb("--hosts", "40", "--pages", "30", "--https", "1", "--http2", "1", "--chunked", "0", "--clock-speed",
               "0", "--page-bytes", "40k", "--sprinkle", "f04=0.2,f06=0.2,f08=0.2,f09=0.2", *HURRY)


class Engine:
    """http_client as a process; ask() waits for its answer, from any thread."""

    def __init__(self, *settings, web=WEB):
        self.web = web
        self.process = subprocess.Popen([CLIENT, *LIMITS, *settings], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.lock, self.count, self.waiting, self.counts = threading.Lock(), 0, {}, {}
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer["id"] == "counts":
                self.counts = answer
                continue
            with self.lock:
                self.waiting.pop(answer["id"]).set_result(answer)
        with self.lock:
            for future in self.waiting.values():
                future.set_exception(RuntimeError("the client ended"))

    def ask(self, host, path="/", scheme="http", address=None, method="GET", port=None):
        port = port or (self.web.https_port if scheme == "https" else self.web.http_port)
        future = concurrent.futures.Future()
        with self.lock:
            self.count += 1
            number = str(self.count)
            self.waiting[number] = future
            self.process.stdin.write("\t".join([number, scheme, host, str(port), address or self.web.address(host),
                                                method, path]) + "\n")
            self.process.stdin.flush()
        return future.result(60)

    def close(self):
        self.process.stdin.close()
        self.reader.join()
        assert self.process.wait(60) == 0


def unchunked(text: str) -> str:
    pieces = []
    while (size := re.match(r"([0-9a-fA-F]+)[^\n]*\n", text)) and int(size[1], 16):
        pieces.append(text[size.end():size.end() + int(size[1], 16)])
        text = text[size.end() + int(size[1], 16):].lstrip("\r\n")
    return "".join(pieces)


def leads_to(url: str, answer: dict) -> list:
    """Where an answer leads, of the faults' own sites."""
    if answer["outcome"] not in ("whole", "truncated"):
        return []
    if answer["status"] in (301, 302, 303, 307, 308):
        places = [answer["location"] or ""]
    elif answer["status"] == 200 and (answer["type"] or "").startswith("text/html") \
            and "content-range" not in answer["head"].lower():
        body = unchunked(answer["body"]) if answer["is_chunked"] else answer["body"]
        places = [html.unescape(m) for m in LINK.findall(body)]
    else:
        places = []
    return [urllib.parse.urljoin(url, p) for p in places if p]


def said(answer: dict) -> str:
    return answer["outcome"] + ("" if answer["cut"] == "none" else "/" + answer["cut"])


def crawl(engine: Engine, number: int) -> dict:
    """All of one fault's site: {url without scheme and port: answer}."""
    queue = collections.deque([WEB.fault(number, "/")])
    seen, answers = set(queue), {}
    while queue:
        url = queue.popleft()
        parts = urllib.parse.urlsplit(url)
        if not parts.hostname.endswith(f"f{number:02}.test"):
            continue
        path = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        answer = engine.ask(parts.hostname, path, parts.scheme)
        if number == 5 and said(answer) == "closed":
            # The server had received it: that is a try that failed, and the crawl asks again in the host's next turn.
            answer = engine.ask(parts.hostname, path, parts.scheme)
        answers[parts.hostname.removesuffix(f"f{number:02}.test") + path] = answer
        for place in leads_to(url, answer):
            if place not in seen:
                seen.add(place)
                queue.append(place)
    return answers


def crawl_all(faults: list, *settings) -> tuple:
    engine = Engine("ca-file=" + WEB.ca, *settings)
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        answers = dict(zip(faults, pool.map(lambda n: crawl(engine, n), faults)))
    engine.close()
    return answers, engine.counts


SEEN, _ = crawl_all(WIRE + TLS)
SEEN_H2, COUNTS_H2 = crawl_all(H2, "http2=yes")
SEEN[89] = SEEN_H2[89]
VERDICTS = WEB.verdicts()

# "outcome", "outcome/cut", with the status where it matters.
EXPECTED = {
    3: {"/silent": "timeout"},
    4: {"/close": "closed", "/reset": "closed"},
    5: {"/race": "whole", "/fresh": "whole", "/idle": "whole"},
    6: {"/body": "truncated/disconnect", "/chunk": "truncated/disconnect", "/head": "closed"},
    7: {"/status": "timeout", "/head": "timeout"},
    8: {"/body": "truncated/time", "/length": "truncated/time", "/chunks": "truncated/time"},
    9: {"/radio": "truncated/length", "/page": "truncated/length"},
    10: {"/endless-lines": "not-http", "/endless-line": "not-http", "/long": "not-http",
         "/many": "not-http", "/some": "whole"},
    11: {"/nul": "not-http", "/cr": "not-http", "/nul-value": "not-http", "/nul-name": "not-http",
         "/control": "whole"},
    12: {"/no-colon": "whole", "/space": "whole", "/space-before-colon": "whole", "/no-name": "whole"},
    13: {"/location": "whole", "/type": "whole", "/away": "whole"},
    14: {"/two": "not-http", "/last": "not-http", "/same": "whole"},
    15: {**{"/" + p: "not-http" for p in ("negative", "plus", "letters", "overflow", "hex", "empty",
                                          "list-differs")}, "/list-same": "whole"},
    16: {"/short/page": "truncated/disconnect", "/whole/page": "whole", "/none": "truncated/disconnect"},
    17: {"/answer": "whole", "/text": "whole"},
    18: {"/chunked": "whole", "/length": "whole"},
    19: {"/two": "whole", "/same": "whole"},
    20: {"/" + p: "truncated/disconnect" for p in ("garbage", "overflow", "negative", "prefix", "letters",
                                                   "missing-crlf")},
    21: {"/endless": "truncated/length", "/no-last": "truncated/disconnect",
         "/half": "truncated/disconnect"},
    22: {"/plain": "whole", "/like": "whole"},
    23: {"/some": "whole", "/endless": "truncated/disconnect", "/nul": "not-http", "/order": "not-http",
         "/twice": "not-http"},
    28: {**{"/" + p: "not-http" for p in ("no-code", "one-digit", "two-digits", "hundred-digits", "wraps",
                                          "negative", "letters", "long-version")},
         "/no-reason": "whole"},
    29: {"/page": "not-http", "/head": "not-http"},
    30: {"/" + p: "not-http" for p in ("minor", "two", "three", "rtsp", "lower", "frames", "preface", "ssh")},
    31: {"/hints": "whole", "/flood": "not-http", "/endless": "not-http", "/never": "timeout",
         "/switch": "not-http", "/only": "closed"},
    32: {"/no-content": "whole", "/not-modified": "whole", "/text": "whole", "/head": "whole"},
    33: {"/first": "whole", "/middle": "whole", "/range": "whole"},
    34: {"/basic": "whole", "/negotiate": "whole", "/proxy": "whole", "/legal": "whole"},
    86: {"good./page": "whole", "expired./page": "no-tls", "wrong./page": "no-tls", "self./page": "no-tls",
         "unknown./page": "no-tls"},
    87: {"stall./page": "timeout", "alerts./page": "no-tls", "old./page": "no-tls", "abrupt./page": "whole",
         "abrupt./unsized": "truncated/disconnect"},
    88: {"one./page": "whole", "two./page": "whole"},
    89: {f"{label}./page": "whole"
         for label in ("good", "goaway", "early", "rst", "settings", "continuation", "hpack")},
    90: {"/extra": "whole", "/redirect": "whole", "/junk": "whole", "/goodbye": "whole"},
}


@case("every case of F03-F34 and F86-F90 that the engine decides ends as docs/faults.md wants")
def _(_):
    wrong = []
    for number, rows in EXPECTED.items():
        for path, want in rows.items():
            answer = SEEN[number].get(path)
            if answer is None or said(answer) != want:
                wrong.append((f"F{number:02}{path}", want, answer and (said(answer), answer["why"])))
    assert not wrong, wrong


@case("the judge calls every one of them good")
def _(_):
    bad = {k: v for k, v in VERDICTS.items() if int(k[1:]) in EXPECTED and v["verdict"] != "good"}
    assert not bad, bad


@case("no case was left out")
def _(_):
    left = set()
    for number, rows in EXPECTED.items():
        links = re.findall(r'<li><a href="https?://([^"/:]*)(?::\d+)?(/[^"]*)"', SEEN[number]["/"]["body"])
        assert links, number
        for host, path in links:
            place = host.removesuffix(f"f{number:02}.test") + path
            if place not in rows and not place.startswith("/told/"):
                left.add(f"F{number:02}{place}: {said(SEEN[number][place])}")
    assert not left, left


@case("statuses are those of the answers")
def _(_):
    statuses = {(31, "/hints"): 200, (32, "/no-content"): 204, (32, "/not-modified"): 304,
                (33, "/first"): 206, (34, "/basic"): 401, (34, "/legal"): 451, (19, "/two"): 301}
    for (number, path), status in statuses.items():
        got = SEEN[number][path]["status"]
        assert got == status or (status == 301 and got in (301, 302)), (number, path, got)


@case("a body is exactly its bytes: nothing behind a length, no body with a 204, the limit to the byte")
def _(_):
    assert SEEN[32]["/text"]["body"] == "" and SEEN[32]["/no-content"]["body"] == ""
    assert SEEN[9]["/page"]["body_bytes"] == BODY
    length = re.search(r"(?i)content-length: *(\d+)", SEEN[17]["/text"]["head"])[1]
    assert SEEN[17]["/text"]["body_bytes"] == int(length)
    assert SEEN[18]["/length"]["body"].endswith("0\r\n\r\n")
    assert SEEN[22]["/plain"]["is_not_chunked"] and not SEEN[22]["/plain"]["is_chunked"]


@case("an answer to HEAD has no body, whatever comes")
def _(_):
    engine = Engine()
    answer = engine.ask("f32.test", "/head", method="HEAD")
    assert said(answer) == "whole" and answer["body"] == "", answer
    again = engine.ask("f32.test", "/head")
    assert said(again) == "whole" and "/told/head/bad" not in again["body"], again
    engine.close()


@case("connections are kept, also over TLS, and by origin")
def _(_):
    engine = Engine("ca-file=" + WEB.ca)
    for scheme, host in (("http", "f34.test"), ("https", "one.f88.test"), ("https", "two.f88.test")):
        assert not engine.ask(host, "/page", scheme)["is_reused"], host
        assert engine.ask(host, "/page", scheme)["is_reused"], host
    engine.close()


@case("a new connection over TLS resumes the session of its own origin alone")
def _(_):
    for setting in ("idle-connections=0", "close=yes"):
        engine = Engine("ca-file=" + WEB.ca, setting)
        for host in ("one.f88.test", "two.f88.test", "one.f88.test", "two.f88.test"):
            answer = engine.ask(host, "/page", "https")
            assert answer["outcome"] == "whole" and not answer["is_reused"], answer
        engine.close()
        assert engine.counts["connected"] == 4 and engine.counts["resumed"] == 2, (setting, engine.counts)


@case("with insecure a certificate that does not verify is accepted and recorded")
def _(_):
    engine = Engine("ca-file=" + WEB.ca, "insecure=yes")
    for label in ("expired", "wrong", "self", "unknown"):
        answer = engine.ask(f"{label}.f86.test", "/page", "https")
        assert answer["outcome"] == "whole" and answer["tls_unverified"], (label, answer)
    good = engine.ask("good.f86.test", "/page", "https")
    assert good["outcome"] == "whole" and not good["tls_unverified"], good
    engine.close()


@case("refusals say why")
def _(_):
    whys = {(86, "expired./page"): "certificate has expired", (86, "wrong./page"): "ostname mismatch",
            (87, "stall./page"): "the handshake took too long", (14, "/two"): "two different Content-Length"}
    for (number, path), why in whys.items():
        assert why in (SEEN[number][path]["why"] or ""), (number, path, SEEN[number][path]["why"])


@case("the guard refuses before anything is sent, and a good address beside a bad one is used")
def _(_):
    engine = Engine()
    assert engine.ask("f34.test", address="10.0.0.1")["outcome"] == "refused-address"
    assert engine.ask("f34.test", address="169.254.169.254,::1")["outcome"] == "refused-address"
    answer = engine.ask("f34.test", address="10.0.0.1," + WEB.address("f34.test"))
    assert answer["outcome"] == "whole", answer
    engine.close()


@case("IPv6 is spoken")
def _(_):
    try:
        listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError as why:
        skip(f"no IPv6 here: {why}")

    def answer():
        connection, _ = listener.accept()
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        connection.close()

    server = threading.Thread(target=answer, daemon=True)
    server.start()
    engine = Engine("allow=::1")
    got = engine.ask("six.test", address="::1", port=listener.getsockname()[1])
    assert got["outcome"] == "whole" and got["body"] == "hi", got
    engine.close()
    listener.close()


@case("HTTP/2 is spoken where it is good, and HTTP/1.1 after one failure where it is not")
def _(_):
    spoken = {place: answer["is_h2"] for place, answer in SEEN_H2[89].items()}
    for label in ("good", "goaway"):
        assert spoken[f"{label}./page"] and spoken[f"{label}./told/on"], spoken
    for label in ("early", "rst", "settings", "continuation", "hpack"):
        assert not spoken[f"{label}./page"] and not spoken[f"{label}./told/on"], spoken
    assert COUNTS_H2["fell_back"] == 5, COUNTS_H2
    assert not spoken["/"] and all(not answer["is_h2"] for rows in SEEN.values() if rows is not SEEN_H2[89]
                                   for answer in rows.values())
    for label in ("one", "two"):
        answer = SEEN_H2[88][f"{label}./page"]
        assert answer["outcome"] == "whole" and answer["is_h2"], answer


@case("a head of HTTP/2 is written as HTTP/1.1's")
def _(_):
    head = SEEN_H2[89]["good./page"]["head"]
    assert head.startswith("HTTP/1.1 200 \r\ncontent-type: text/html") and head.endswith("\r\n\r\n"), head
    assert not re.search(r"(?m)^:", head) and SEEN_H2[89]["good./page"]["type"].startswith("text/html")


HOME = urllib.parse.urlsplit(H2WEB.run["home"]).hostname
PLACES = [urllib.parse.urlsplit(url) for url in H2WEB.oracle(H2WEB.run["home"])]
FAULTY = {m[1]: parts.hostname for parts in PLACES if (m := re.match(r"/(f\d\d)/", parts.path))}


def ask_h2(engine: Engine, path: str) -> dict:
    """A fault's place, on a host that has the fault."""
    return engine.ask(FAULTY[path[1:4]], path, "https")


@case("ordinary pages are the same over both, and one connection serves them all")
def _(_):
    seen, paths = {}, [p.path for p in PLACES if p.hostname == HOME and not re.match(r"/f\d\d/", p.path)][:40]
    assert len(paths) > 20, paths
    for version in ("no", "yes"):
        engine = Engine("ca-file=" + H2WEB.ca, "http2=" + version, "body=8388608", web=H2WEB)
        seen[version] = {path: engine.ask(HOME, path, "https") for path in paths}
        engine.close()
        assert engine.counts["connected"] == 1 and engine.counts["fell_back"] == 0, engine.counts
    for path, old in seen["no"].items():
        new = seen["yes"][path]
        assert said(old) == said(new) == "whole" and new["is_h2"] and not old["is_h2"], (path, old, new)
        for what in ("status", "body", "body_bytes", "location", "type"):
            assert old[what] == new[what], (path, what, old[what], new[what])


@case("bodies over HTTP/2 have the same limits of length and time, and ends that are none are seen")
def _(_):
    engine = Engine("ca-file=" + H2WEB.ca, "http2=yes", web=H2WEB)
    wanted = {"/f09/radio": "truncated/length", "/f09/page": "truncated/length", "/f08/body": "truncated/time",
              "/f06/body": "truncated/disconnect"}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = dict(zip(wanted, pool.map(lambda path: ask_h2(engine, path), wanted)))
    engine.close()
    assert {path: said(answer) for path, answer in answers.items()} == wanted, answers
    assert all(answer["is_h2"] for answer in answers.values())
    assert answers["/f09/radio"]["body_bytes"] == answers["/f09/page"]["body_bytes"] == BODY
    assert answers["/f08/body"]["body_bytes"] > 0 and engine.counts["fell_back"] == 0, engine.counts


@case("a body of many windows comes through HTTP/2")
def _(_):
    engine = Engine("ca-file=" + H2WEB.ca, "http2=yes", "body=33554432", "fetch-timeout=60s", web=H2WEB)
    answer = ask_h2(engine, "/f09/page")
    engine.close()
    assert said(answer) == "truncated/length" and answer["body_bytes"] == 32 << 20 and answer["is_h2"], said(answer)


@case("over HTTP/2 connections are kept by origin, closed when we said so, and HEAD has no body")
def _(_):
    engine = Engine("ca-file=" + WEB.ca, "http2=yes")
    for host in ("one.f88.test", "two.f88.test"):
        first, again = engine.ask(host, "/page", "https"), engine.ask(host, "/page", "https", method="HEAD")
        assert first["is_h2"] and not first["is_reused"] and again["is_h2"] and again["is_reused"], (first, again)
        assert said(again) == "whole" and again["body"] == "" and again["status"] == 200, again
        assert engine.ask(host, "/page", "https")["body"] == first["body"] != ""
    engine.close()
    assert engine.counts["connected"] == 2 and engine.counts["idle"] == 2, engine.counts
    engine = Engine("ca-file=" + WEB.ca, "http2=yes", "close=yes")
    for _ in range(2):
        assert not engine.ask("one.f88.test", "/page", "https")["is_reused"]
    engine.close()
    assert engine.counts["resumed"] == 1 and engine.counts["idle"] == 0, engine.counts


@case("an answer that HTTP/2 breaks off before its head is asked for over HTTP/1.1, and is what that says")
def _(_):
    engine = Engine("ca-file=" + H2WEB.ca, "http2=yes", web=H2WEB)
    answer = ask_h2(engine, "/f04/reset")
    assert said(answer) == "closed" and not answer["is_h2"], answer
    assert not engine.ask(FAULTY["f04"], "/", "https")["is_h2"] and engine.ask(FAULTY["f09"], "/", "https")["is_h2"]
    engine.close()
    assert engine.counts["fell_back"] == 1, engine.counts


try:
    main()
finally:
    WEB.close()
    H2WEB.close()
