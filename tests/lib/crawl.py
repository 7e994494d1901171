# SPDX-License-Identifier: Apache-2.0
"""crawl: runs orbweaver over a simulated web, and reads what it left in its directory.

    with Simweb("--keep-urls") as web:
        crawl = Crawl(web, folder, "--scope", "host")
        done = crawl.run()
        assert done.code == 0, done.err
        agree(crawl)                        # all files tell the same

argv: simweb, orbweaver. Nothing here shares code with either."""
import base64
import collections
import glob
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import zlib

import warcio
from scenario import ROOT, Done

ORBWEAVER = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else "build/orbweaver"
NETWORKS = "127.0.64.0/18,127.1.0.0/16"  # the simulated web's, without 127.0.0.1 (docs/simweb.md)
QUICK = ["-w", "0", "--ip-delay", "0", "--ip-conns", "100", "-q"]
SHORT = {"pace.backoff": "200ms", "ledger.disk-reserve": "0"}
HTML = ("text/html", "application/xhtml+xml")
PIECE = 16 << 10
SECONDS = 240  # far more than any crawl here takes: a hang, not a measurement

Row = collections.namedtuple("Row", "time code size url path via mime shard begun digest source notes")
Record = collections.namedtuple("Record", "kind url file offset length headers block")


def wiring_of(folder: str, shards: int) -> str:
    """The wiring ring for so many shards."""
    with open(os.path.join(ROOT, "wirings", "ring.yaml"), encoding="utf-8") as f:
        text = f.read()
    changed = re.sub(r"(?m)^shards: .*$", f"shards: {shards}", text)
    assert changed.count(f"shards: {shards}") == 1, text
    path = os.path.join(folder, f"ring-{shards}.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(changed)
    return path


def sanitized() -> int:
    """A sanitizer's shadow takes several times as much."""
    with open(ORBWEAVER, "rb") as f:
        text = f.read()
    return 8 if b"__asan_init" in text or b"__tsan_init" in text else 1


class Crawl:
    """One crawl: its directory and the command that starts it and goes on with it."""

    def __init__(self, web, folder: str, *options, seeds=None, shards: int = 0, sets: dict = None,
                 quick: bool = True):
        self.web = web
        self.folder = os.path.join(folder, "crawl")
        self.seeds = [web.run["home"]] if seeds is None else seeds
        self.process = None
        self.errors = os.path.join(folder, "stderr")
        self.command = [ORBWEAVER, "crawl", "-o", self.folder]
        if web:
            self.command += ["--resolver", web.dns, f"--allow-private={NETWORKS}", "--ca-file", web.ca]
        if shards:
            self.command += ["--wiring", wiring_of(folder, shards)]
        for key, value in {**SHORT, **(sets or {})}.items():
            self.command += ["--set", f"{key}={value}"]
        self.command += (QUICK if quick else []) + list(options) + self.seeds

    def run(self, seconds: int = SECONDS, before=()) -> Done:
        done = subprocess.run([*before, *self.command], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=seconds, check=False)
        return Done(done.returncode, done.stdout.decode("utf-8", "replace"),
                    done.stderr.decode("utf-8", "replace"))

    def start(self) -> subprocess.Popen:
        with open(self.errors, "wb") as err:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=err)
        return self.process

    def end(self, number: int = signal.SIGKILL) -> int:
        """Sends the signal, waits; the exit code, or minus the signal that ended it."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS)

    def said(self) -> str:
        with open(self.errors, encoding="utf-8", errors="replace") as f:
            return f.read()

    # What it left.

    def lines(self, *path) -> list:
        name = os.path.join(self.folder, *path)
        if not os.path.exists(name):
            return []
        with open(name, encoding="utf-8", errors="replace") as f:
            text = f.read()
        assert not text or text.endswith("\n"), f"{name} ends within a line: {text[-200:]!r}"
        return text.splitlines()

    def log(self) -> list:
        rows = [line.split(None, 11) for line in self.lines("logs", "crawl.log")]
        return [Row(r[0], int(r[1]), int(r[2]), *r[3:]) for r in rows]

    def index(self) -> list:
        return [json.loads(line.split(" ", 2)[2]) for line in self.lines("indexes", "parts", "index.cdxj")]

    def pages(self) -> list:
        rows = []
        for name in ("pages.jsonl", "extraPages.jsonl"):
            lines = self.lines("pages", name)
            assert not lines or "format" in json.loads(lines[0]), lines[:1]
            rows += [json.loads(line) for line in lines[1:]]
        return rows

    def archives(self) -> list:
        return sorted(glob.glob(os.path.join(self.folder, "archive", "*")))

    def records(self) -> list:
        return [record for path in self.archives() for record in read_archive(path)]

    def captured(self) -> collections.Counter:
        """How often each URL but robots.txt stands in the archive."""
        return collections.Counter(r.url for r in self.records()
                                   if r.kind in ("response", "revisit") and not is_robots(r.url))


def memory_kb(pid: int) -> int:
    """The most memory that the process has had so far; 0 once it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            found = re.search(r"VmHWM:\s+(\d+) kB", f.read())
        return int(found[1]) if found else 0
    except OSError:
        return 0


def is_robots(url: str) -> bool:
    return re.fullmatch(r"https?://[^/]+/robots\.txt", url) is not None


def read_archive(path: str, is_whole: bool = True) -> list:
    """The records of a file with a gzip member each, by Python's own gzip; is_whole=False: whoever wrote
    it was killed, and the last member may be a piece."""
    with open(path, "rb") as f:
        data = memoryview(f.read())
    records, at = [], 0
    while at < len(data):
        member, text, end = zlib.decompressobj(31), b"", at
        while not member.eof and end < len(data):  # piece by piece: what is behind the end is copied
            text += member.decompress(data[end:end + PIECE])
            end = min(end + PIECE, len(data))
        if not member.eof and not is_whole:
            break
        assert member.eof, f"{path}: the member at {at} is not whole"
        length = end - at - len(member.unused_data)
        head, _, block = text.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        records.append(Record(headers["WARC-Type"], headers.get("WARC-Target-URI", ""), path, at, length,
                              headers, block[:int(headers["Content-Length"])]))
        at += length
    return records


def witnessed(web) -> collections.Counter:
    """How often the web was asked for each URL, robots.txt apart."""
    counts = web.report("urls=1")["url_counts"]
    return collections.Counter({u: n for u, n in counts.items() if not is_robots(u)})


def unfinished(web, crawl):
    """What was asked for and is in no file yet: of a crawl that was killed just now."""
    path = os.path.join(crawl.folder, "logs", "crawl.log")
    if not os.path.exists(path):
        return collections.Counter(witnessed(web).keys())  # its first requests were open
    with open(path, encoding="utf-8", errors="replace") as f:
        done = {line.split(None, 4)[3] for line in f if line.endswith("\n")}
    return collections.Counter(set(witnessed(web)) - done)


def wanted(oracle: dict) -> set:
    """Pages and what they need; robots.txt is asked for again now and then, and is not among them."""
    return {url for url, (kind, _) in oracle.items() if kind == "must" and not is_robots(url)}


def few(urls) -> str:
    urls = sorted(urls)
    return f"{len(urls)}: " + " ".join(map(str, urls[:6]))


def same_set(web, oracle: dict, seen: collections.Counter = None) -> None:
    """What was fetched is what the oracle says, and each of it once."""
    seen = witnessed(web) if seen is None else seen
    must, may = wanted(oracle), {u for u, (kind, _) in oracle.items() if kind == "may"}
    assert not must - set(seen), "never asked for " + few(must - set(seen))
    assert not set(seen) - must - may, "asked for " + few(set(seen) - must - may)
    again = {u for u, n in seen.items() if n != 1 and u not in may}
    assert not again, "asked for more than once " + few(again)


def _same(what: str, a, b) -> None:
    """Two counters, or sets, are equal."""
    a, b = collections.Counter(a), collections.Counter(b)
    assert a == b, f"{what}: only the first has {few((a - b).keys())}; only the second {few((b - a).keys())}"


def agree(crawl: Crawl, is_honest: bool = True, has_all_nodes: bool = True, again=frozenset()) -> None:
    """crawl.log, the index, the archive, the lists of pages and links tell the same. Where servers lie
    about types (is_honest=False) a page is what its bytes say, not what crawl.log has for a type. Where
    somebody's directory is lost (has_all_nodes=False) so are the nodes that it had found for others. `again`
    are URLs that were asked for more than once, maybe by the same agent in two of its lives."""
    rows = [r for r in crawl.log() if r.digest != "-"]
    index, records = crawl.index(), crawl.records()
    captures = [r for r in records if r.kind in ("response", "revisit")]
    _same("crawl.log and index", [(r.url, r.digest) for r in rows],
          [(e["url"], "sha1:" + e["digest"]) for e in index])
    _same("index and archive", [(e["filename"], int(e["offset"]), int(e["length"]), e["url"]) for e in index],
          [(os.path.basename(r.file), r.offset, r.length, r.url) for r in captures])
    at = {(os.path.basename(r.file), r.offset): r for r in captures}
    for e in index:
        record = at[e["filename"], int(e["offset"])]
        assert record.headers["WARC-Payload-Digest"] == "sha1:" + e["digest"], e
        assert (e.get("mime") == "warc/revisit") == (record.kind == "revisit"), e
    _same("requests and answers", [r.url for r in records if r.kind == "request"], [r.url for r in captures])
    _agree_pages(crawl, rows, is_honest, again)
    _agree_links(crawl, is_honest, has_all_nodes, again)


def _agree_pages(crawl: Crawl, rows: list, is_honest: bool, again) -> None:
    listed = collections.Counter(p["url"] for p in crawl.pages())
    good = [r for r in rows if r.code == 200]
    twice = {u for u, n in listed.items() if n > 1} - again
    assert not twice, "pages listed twice: " + few(twice)
    if is_honest:
        _same("HTML in crawl.log and lists of pages", {r.url for r in good if r.mime in HTML}, set(listed))
    else:
        assert not set(listed) - {r.url for r in good}, few(set(listed) - {r.url for r in good})


def _agree_links(crawl: Crawl, is_honest: bool, has_all_nodes: bool, again) -> None:
    rows = crawl.lines("links", "links.nodes")
    nodes = dict(line.split(" ", 1) for line in rows)
    repeated = [row for row, n in collections.Counter(rows).items() if n > 1]
    assert not repeated, f"{len(repeated)} of {len(nodes)} lines of links.nodes come again: " + few(repeated)
    sources = collections.Counter(line.split(" ", 1)[0] for line in crawl.lines("links", "links.arcs"))
    # A robots.txt that was moved is in no queue, wherever it lies.
    fetched = {r.url for r in crawl.log() if not is_robots(r.url) and (is_honest or not r.path.endswith("P"))}
    twice = {nodes.get(source, source) for source, n in sources.items() if n > 1} - again
    assert not twice, "two lists of links of one page: " + few(twice)
    if has_all_nodes:
        _same("sources of links that are no nodes", set(sources) - set(nodes), set())
        assert not fetched - set(nodes.values()), "fetched, but no node: " + few(fetched - set(nodes.values()))


def agree_graph(crawl: Crawl) -> None:
    """`export links`: a node for each URL that links.nodes names, none of them twice; arcs as links.arcs
    has them; each node has an arc or was asked for."""
    done = subprocess.run([ORBWEAVER, "export", "links", crawl.folder], capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    assert done.returncode == 0, done
    named = dict(line.split(" ", 1) for line in crawl.lines("links", "links.nodes"))
    nodes = [line.split(" ", 1) for line in crawl.lines("links", "graph", "links.nodes")]
    assert [int(number) for number, _ in nodes] == list(range(len(nodes)))
    _same("nodes of the graph and URLs of links.nodes", [url for _, url in nodes], set(named.values()))
    arcs = [tuple(line.split()) for line in crawl.lines("links", "graph", "links.arcs")]
    urls = dict(nodes)
    found = {(named[page], named[to[1:]]) for page, *links in (line.split() for line in crawl.lines("links", "links.arcs"))
             for to in links if page in named and to[1:] in named}
    _same("arcs of the graph and of links.arcs", [(urls[a], urls[b]) for a, b in arcs], found)
    ghosts = set(urls.values()) - {r.url for r in crawl.log()} - {url for arc in found for url in arc}
    assert not ghosts, "nodes without arc or page: " + few(ghosts)


def verify(crawl: Crawl) -> None:
    """Our own reader finds no fault in the archive: lengths, checksums, digests, references."""
    done = subprocess.run([ORBWEAVER, "try", "warc", "-q", *crawl.archives()], capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    assert done.returncode == 0 and not done.stdout.strip(), done.stdout[-2000:] + done.stderr[-2000:]


def entity(block: bytes) -> tuple:
    """(head, entity) of an HTTP answer as received: chunks removed, codings kept."""
    head, _, body = block.partition(b"\r\n\r\n")
    if not re.search(rb"(?im)^transfer-encoding:.*chunked", head):
        return head, body
    whole = b""
    while True:
        size, _, body = body.partition(b"\r\n")
        n = int(size.split(b";")[0], 16)
        if n == 0:
            return head, whole
        whole, body = whole + body[:n], body[n + 2:]


def sha1_text(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def verify_digests(crawl: Crawl) -> int:
    """The digests of all payloads, computed here once more; how many."""
    answers = [r for r in crawl.records() if r.kind == "response"]
    for r in answers:
        assert sha1_text(entity(r.block)[1]) == r.headers["WARC-Payload-Digest"], (r.file, r.offset, r.url)
    return len(answers)


def verify_by_warcio(crawl: Crawl) -> int:
    """Node's warcio finds the same records, and the same digests where no coding (which it undoes)
    stands between; how many digests."""
    script, checked = os.path.join(ROOT, "tests", "unit", "warc", "warcio.mjs"), 0
    for path in crawl.archives():
        seen = subprocess.run(["node", script, warcio.folder(), path], capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        assert seen.returncode == 0, seen.stderr[-2000:]
        rows = [json.loads(line) for line in seen.stdout.splitlines()]
        ours = read_archive(path)
        _same("records", [(r["type"], r["url"] or "") for r in rows], [(r.kind, r.url) for r in ours])
        for row, r in zip(rows, ours):
            if r.kind == "response" and b"\ncontent-encoding:" not in entity(r.block)[0].lower():
                digest = "sha1:" + base64.b32encode(base64.b64decode(row["sha1"])).decode()
                assert row["digest"] == digest, row
                checked += 1
    return checked


def no_leftovers(crawl: Crawl) -> None:
    """No file that is only half made: no .open archive, no temporary name."""
    names = [os.path.relpath(os.path.join(at, n), crawl.folder) for at, _, names in os.walk(crawl.folder)
             for n in names]
    bad = [n for n in names if n.endswith((".open", ".tmp", ".part", ".new")) and not n.startswith("state/history")]
    assert not bad, bad
