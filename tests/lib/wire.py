# SPDX-License-Identifier: Apache-2.0
"""wire: a client that shows an answer byte by byte, and a reader of HTTP/1.1 by the letter.

    seen = look(web, "f06.test", "/body")
    seen.raw, seen.end                  # what came, and how it ended: "fin", "rst", "open", "enough"

    crawl(web, range(1, 35))            # a strict crawler of the faults' sites, with keep-alive
    crawl(web, range(1, 35), lax=True)  # one that reads whatever it can, as long as it comes

The two crawlers test the judge: the strict one must be called good, or an expectation asks too much;
the lax one bad, or it asks nothing. They share no code with orbweaver."""
import collections
import concurrent.futures
import html
import re
import socket
import time
import urllib.parse
import zlib

LINK = re.compile(rb"""<a href=["']([^"']*)["']""")
MAX_HEAD = 64 * 1024
MAX_BODY = 1 << 20
TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

Seen = collections.namedtuple("Seen", "raw end seconds")


class Failed(Exception):
    pass


def request(host: str, port: int, path: str, *lines: str, method: str = "GET") -> bytes:
    more = "".join(line + "\r\n" for line in lines)
    return f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUser-Agent: wire\r\n{more}\r\n".encode()


def read_some(s: socket.socket, first: float, silence: float, most: int) -> Seen:
    """What comes until the end, a silence, or `most` bytes; `first` is the patience for a first byte."""
    pieces, have, end, began = [], 0, "enough", time.monotonic()
    while have < most:
        s.settimeout(silence if pieces else first)
        try:
            piece = s.recv(1 << 20)
        except ConnectionResetError:
            end = "rst"
            break
        except TimeoutError:
            end = "open"
            break
        if not piece:
            end = "fin"
            break
        pieces.append(piece)
        have += len(piece)
    return Seen(b"".join(pieces), end, time.monotonic() - began)


def look(web, host: str, path: str, *lines: str, method: str = "GET", first: float = 10.0,
         silence: float = 0.5, most: int = 64 << 20) -> Seen:
    """One request on a connection of its own, and everything that comes back."""
    with web.connect(host) as s:
        s.sendall(request(host, web.http_port, path, *lines, method=method))
        return read_some(s, first, silence, most)


class Connection:
    """Reads answers strictly (RFC 9112); with `lax`, as the worst client would."""

    def __init__(self, web, host: str, lax: bool, timeout: float):
        self.host, self.port, self.lax = host, web.http_port, lax
        self.timeout, self.used, self.got, self.ended = timeout, 0, b"", False
        self.socket = socket.create_connection((web.address(host), self.port), timeout=timeout)

    def close(self) -> None:
        self.socket.close()

    def more(self) -> bool:
        """False at the orderly end. The time limit is for the whole answer."""
        left = self.deadline - time.monotonic()
        if left <= 0 and not self.lax:
            raise Failed("time limit")
        self.socket.settimeout(1.5 if self.lax else left)
        try:
            piece = self.socket.recv(1 << 16)
        except ConnectionResetError:
            if not self.lax or not self.got:
                raise
            piece = b""
        self.got += piece
        self.ended = not piece
        return not self.ended

    def line(self, limit: int) -> bytes:
        while b"\n" not in self.got:
            if (len(self.got) > limit and not self.lax) or not self.more():
                raise Failed("no end of line")
        line, _, self.got = self.got.partition(b"\n")
        if self.lax:
            return line.rstrip(b"\r")
        if not line.endswith(b"\r") or b"\r" in line[:-1] or b"\0" in line:
            raise Failed("not a line")
        return line[:-1]

    def fields(self) -> list:
        rows, room = [], MAX_HEAD
        while True:
            line = self.line(room)
            room -= len(line) + 2
            if not line:
                return rows
            if room < 0 and not self.lax:
                raise Failed("head too large")
            if line[:1] in b" \t" and rows and not self.lax:
                rows[-1][1] = (rows[-1][1] + b" " + line.strip()).strip()
                continue
            name, colon, value = line.partition(b":")
            for part in value.split(b"\rLocation:")[1:] if self.lax else []:
                rows.append([b"location", part.strip()])
            if self.lax or (colon and TOKEN.fullmatch(name)):
                rows.append([name.strip().lower(), value.strip()])

    def exactly(self, n: int) -> bytes:
        while len(self.got) < n:
            if len(self.got) > MAX_BODY and not self.lax:
                raise Failed("too large")
            if not self.more():
                if self.lax and self.got:
                    break
                raise Failed("too short")
        data, self.got = self.got[:n], self.got[n:]
        return data

    def rest(self) -> bytes:
        while len(self.got) <= MAX_BODY or self.lax:
            if not self.more():
                break
        else:
            raise Failed("too large")
        data, self.got = self.got, b""
        return data

    def chunks(self) -> bytes:
        pieces, have = [], 0
        while True:
            size = self.line(1000).split(b";")[0].strip()
            if self.lax:
                n = int((re.search(rb"[0-9a-fA-F]+$", size) or re.search(rb"[0-9a-fA-F]+", size)
                         or [b"0"])[0], 16) & (1 << 64) - 1
            elif re.fullmatch(rb"[0-9a-fA-F]{1,8}", size):
                n = int(size, 16)
            else:
                raise Failed("no chunk size")
            if have + n > MAX_BODY and not self.lax:
                raise Failed("too large")
            if n == 0:
                self.fields()
                return b"".join(pieces)
            pieces.append(self.exactly(n))
            have += n
            if self.line(0 if not self.lax else 10) and not self.lax:
                raise Failed("chunks not parted")

    def status(self) -> int:
        line = self.line(1000)
        match = re.fullmatch(rb"HTTP/1\.[01] ([1-5]\d\d)(?: .*)?", line)
        if match:
            return int(match[1])
        if not self.lax:
            raise Failed("no status line")
        if not re.search(rb"\d", line):
            self.got = line + b"\r\n" + self.got
        return 200

    def get(self, path: str, *lines: str):
        """(status, fields, body); self.reusable says whether the connection may go on."""
        self.deadline = time.monotonic() + self.timeout
        self.socket.sendall(request(self.host, self.port, path, "Accept-Encoding: gzip, deflate", *lines))
        self.used += 1
        for _ in range(20 if not self.lax else 10**9):
            status = self.status()
            fields = self.fields()
            if status >= 200:
                break
            if status == 101 and not self.lax:
                raise Failed("a switch of protocols")
        else:
            raise Failed("too many interim answers")
        body, self.reusable = self.body(status, fields)
        if self.lax:
            self.reusable = not self.ended
        return status, fields, body

    def body(self, status: int, fields: list):
        coding = [v for k, v in fields if k == b"transfer-encoding"]
        lengths = {part.strip() for k, v in fields if k == b"content-length" for part in v.split(b",")}
        if status in (204, 304):
            return b"", not self.got and not self.lax
        if coding and (coding == [b"chunked"] or self.lax):
            return self.chunks(), not lengths and not self.got
        if coding:
            raise Failed("codings in an odd order")
        if self.lax and lengths:
            digits = re.search(rb"\d+", sorted(lengths)[-1])
            return self.exactly(int(digits[0]) & (1 << 64) - 1) if digits else self.rest(), True
        if len(lengths) > 1 or any(not re.fullmatch(rb"\d{1,18}", n) for n in lengths):
            raise Failed("no length")
        if lengths:
            return self.exactly(int(lengths.pop())), not self.got
        return self.rest(), False


def decode(fields: list, body: bytes, lax: bool) -> bytes:
    """Undoes the codings that are said; what is not coded so is taken as it is."""
    names = [n.strip() for k, v in fields if k == b"content-encoding" for n in v.split(b",")]
    if lax:
        while names:  # and whatever is packed inside
            body = zlib.decompressobj(47).decompress(body, 16 << 20)
            names = body[:2] == b"\x1f\x8b"
        return body
    for name in reversed(names):
        for bits in {b"gzip": (31,), b"deflate": (15, -15)}.get(name, ()):
            try:
                body = zlib.decompressobj(bits).decompress(body, MAX_BODY)
                break
            except zlib.error:
                continue
    return body


class Crawl:
    """Of one site, with one connection a host, kept as long as it may be."""

    def __init__(self, web, lax: bool, timeout: float):
        self.web, self.lax, self.timeout = web, lax, timeout
        self.connections, self.cookie = {}, []

    def fetch(self, host: str, path: str, *lines: str):
        """Asks once more on a fresh connection if a used one ended without a byte."""
        for _ in range(40 if self.lax else 2):
            c = self.connections.pop(host, None) or Connection(self.web, host, self.lax, self.timeout)
            fresh, began = c.used == 0, time.monotonic()
            try:
                answer = c.get(path, *lines)
                if c.reusable:
                    self.connections[host] = c
                else:
                    c.close()
                return answer
            except (Failed, OSError) as error:
                c.close()
                insists = self.lax and fresh and time.monotonic() < began + 0.9  # before the patience ends it
                if c.got or not (insists or not (self.lax or fresh)):
                    raise Failed(str(error)) from error
        raise Failed("lost too often")

    def insist(self, host: str, path: str, status: int, fields: list) -> None:
        """What a lax crawler does besides: knocks again, keeps cookies, trusts every validator."""
        for _ in range(12 if status in (401, 407, 451) else 0):
            self.fetch(host, path, "Authorization: Basic Og==")
        for cookie in (v for k, v in fields if k == b"set-cookie"):
            self.cookie = ["Cookie: " + cookie.decode("latin-1")]
        for tag in (v for k, v in fields if k == b"etag"):
            self.fetch(host, path, "If-None-Match: " + tag.decode("latin-1"))

    def visit(self, host: str, path: str) -> list:
        """Fetches a page and returns where it leads."""
        try:
            status, fields, body = self.fetch(host, path, *self.cookie)
            if self.lax:
                self.insist(host, path, status, fields)
            text = decode(fields, body, self.lax)
        except (Failed, OSError, zlib.error):
            return []
        here = f"http://{host}:{self.web.http_port}{path}"
        if status in (301, 302):
            places = [v.split(b"\0")[0].decode("latin-1") for k, v in fields if k == b"location"]
            return [urllib.parse.urljoin(here, place) for place in places][-1 if self.lax else 0:][:1]
        kind = next((v for k, v in fields if k == b"content-type"), b"")
        if not self.lax and (status != 200 or not kind.startswith(b"text/html")):
            return []
        return [urllib.parse.urljoin(here, html.unescape(m[1].decode("latin-1"))) for m in LINK.finditer(text)]

    def site(self, number: int) -> None:
        queue = collections.deque([self.web.fault(number, "/")])
        seen = set(queue)
        while queue:
            parts = urllib.parse.urlsplit(queue.popleft())
            path = urllib.parse.urlunsplit(("", "", parts.path, parts.query, ""))
            for url in self.visit(parts.hostname, path):
                if url not in seen:
                    seen.add(url)
                    queue.append(url)
        for c in self.connections.values():
            c.close()


def crawl(web, numbers, lax: bool = False, timeout: float = 2.0) -> dict:
    """All sites side by side; returns the judge's verdicts by fault."""
    with concurrent.futures.ThreadPoolExecutor(len(numbers)) as pool:
        list(pool.map(lambda number: Crawl(web, lax, timeout).site(number), numbers))
    return web.verdicts()
