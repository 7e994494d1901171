# SPDX-License-Identifier: Apache-2.0
"""small_crawl: the directory of a crawl, made by hand, for the commands that look into one.

    crawl = SmallCrawl(folder)
    crawl.page("http://a.example/", links=["http://a.example/b"], seed=True)
    crawl.close()

Everything it should hold is written here a second time, in Python, so that it shares no code with
the crawler but fingerprints, which `orbweaver try url` prints."""
import base64
import gzip
import hashlib
import json
import os

from scenario import run, write

_prints = {}


def fingerprint(url):
    if url not in _prints:
        _prints[url] = json.loads(run(["try", "url", url]).out)["fingerprint"]
    return _prints[url]


def know(url, text):
    """The fingerprint of a URL of which only its lines are wanted: it need not be computed."""
    _prints[url] = text


def surt(url):
    rest = url.split("://", 1)[1]
    host, _, path = rest.partition("/")
    host = host.split(":")[0].removeprefix("www.")
    return ",".join(reversed(host.split("."))) + ")/" + path.lower()


def record(kind, url, date, block, mime, **extra):
    head = ["WARC/1.1", f"WARC-Type: {kind}", f"WARC-Date: {date}", f"Content-Length: {len(block)}",
            f"WARC-Record-ID: <urn:uuid:{hashlib.md5(block + kind.encode()).hexdigest()[:8]}-0000-4000-8000-000000000000>",
            f"Content-Type: {mime}"]
    if url:
        head.append(f"WARC-Target-URI: {url}")
    head += [f"{k.replace('_', '-')}: {v}" for k, v in extra.items()]
    return gzip.compress("\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n", mtime=0)


class SmallCrawl:
    def __init__(self, folder, archive="OW-20240506070809123-00000-box.warc.gz", is_open=False):
        self.folder, self.archive, self.is_open = folder, archive, is_open
        for name in ("archive", "indexes/parts", "pages", "logs", "links", "state"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        self.warc = record("warcinfo", "", "2024-05-06T07:08:09Z", b"software: by hand\r\n",
                           "application/warc-fields")
        self.cdxj, self.log, self.nodes, self.arcs, self.seeds, self.skipped = [], [], [], [], [], []
        self.pages = ['{"format":"json-pages-1.0","id":"pages","title":"All Pages"}']
        self.extra = ['{"format":"json-pages-1.0","id":"extraPages","title":"Other Pages"}']
        self.known = set()
        self.seconds = 0

    def admit(self, url):
        if url not in self.known:
            self.known.add(url)
            self.nodes.append(f"{fingerprint(url)} {url}")

    def page(self, url, status=200, mime="text/html", body=b"<title>x</title>", links=(), seed=False,
             title="x", path="L", annotations="-", outside=()):
        """One URL fetched, with everything that is written of it. links: URLs or (letter, URL)."""
        self.seconds += 1
        date = f"2024-05-06T{7 + self.seconds // 3600:02}:{self.seconds // 60 % 60:02}:{self.seconds % 60:02}Z"
        ts14 = date.translate(str.maketrans("", "", "-:TZ"))
        if seed:
            self.seeds.append(url)
            path = "-"
        if path != "P":
            self.admit(url)
        answer = (f"HTTP/1.1 {status} X\r\nContent-Type: {mime}\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body
        digest = base64.b32encode(hashlib.sha1(body).digest()).decode()
        if status > 0:
            member = record("response", url, date, answer, "application/http;msgtype=response",
                            WARC_Payload_Digest="sha1:" + digest)
            entry = {"url": url, "mime": mime, "status": str(status), "digest": digest,
                     "length": str(len(member)), "offset": str(len(self.warc)), "filename": self.archive}
            self.cdxj.append(f"{surt(url)} {ts14} {json.dumps(entry, separators=(',', ':'))}")
            self.warc += member
        if status > 0 and path != "P":
            row = {"id": f"p{self.seconds}", "url": url, "ts": date, "title": title, "mime": mime,
                   "status": status, "depth": 0 if seed else 1}
            if seed:
                row["seed"] = True
            (self.pages if seed else self.extra).append(json.dumps(row, ensure_ascii=False))
        self.log.append(f"{date[:-1]}.123Z {status:5} {len(body) if status > 0 else '-':>10} {url} {path} - "
                        f"{mime.split(';')[0] if status > 0 else '-'} #001 {ts14}123+45 sha1:{digest} - {annotations}")
        pairs = [x if isinstance(x, tuple) else ("L", x) for x in links]
        for _, to in pairs:
            self.admit(to)
        pairs += [("L", to) for to in outside]
        if pairs:
            self.arcs.append(fingerprint(url) + "".join(f" {hop}{fingerprint(to)}" for hop, to in pairs))

    def close(self):
        name = self.archive + (".open" if self.is_open else "")
        write(self.folder, "archive/" + name, self.warc)
        for path, lines in (("indexes/parts/index.cdxj", self.cdxj), ("pages/pages.jsonl", self.pages),
                            ("pages/extraPages.jsonl", self.extra), ("logs/crawl.log", self.log),
                            ("links/links.nodes", self.nodes), ("links/links.arcs", self.arcs),
                            ("state/seeds", self.seeds)):
            write(self.folder, path, "".join(line + "\n" for line in lines))
        return self.folder


def usual(tmp, **settings):
    """Two hosts, a redirect, an image, a duplicate, a 404, a forbidden URL, one that is not asked for."""
    c = SmallCrawl(os.path.join(tmp, "crawl"), **settings)
    a, b = "http://www.a.example", "https://b.example"
    c.page(a + "/robots.txt", 404, "text/plain", b"no", path="P")
    c.page(a + "/", links=[a + "/one", ("E", a + "/pic.png"), b + "/", a + "/one"], seed=True,
           title="The first\tof \u00e9 pages", outside=["http://elsewhere.example/"])
    c.page(a + "/one", links=[b + "/", a + "/", a + "/later"], body=b"<title>one</title>")
    c.page(a + "/pic.png", 200, "image/png", b"\x89PNG...", path="E")
    c.page(b + "/", 301, "text/html", b"moved", links=[("R", b + "/home")], seed=True)
    c.seeds.append(f"{b}/home {b}/")
    c.page(b + "/home", links=[a + "/"], path="R", body=b"<p>home & <away>")
    c.page(b + "/copy?x=1&y=2", mime="text/html; charset=utf-8", body=b"<p>home & <away>", path="L",
           annotations="duplicate:digest")
    c.page(b + "/gone", 404, "text/html", b"not here")
    c.page(b + "/private", -9998)
    return c
