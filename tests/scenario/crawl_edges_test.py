# SPDX-License-Identifier: Apache-2.0
"""Where a crawl meets its own limits: pages with more links than anybody needs, exactly so many pages
though some fail, a time that is over while everybody waits, and directories and lists of seeds that
cannot be used. The web is a few lines of this file."""
import collections
import http.server
import itertools
import glob
import json
import os
import shutil
import signal
import socket
import threading
import time

from crawl import ORBWEAVER, SECONDS, Crawl, agree, memory_kb, sanitized
from scenario import case, main, run, skip, until

HOSTS = 6
LINKS = 50000
CLOSE = ("Connection", "close")  # a kept connection that ends would be asked again without a word


class Web:
    """Answers by path: `pages` maps a path to a function of (host, how often it was asked), which gives
    status, body and fields, or None. Then, and where `answers` gives False, the connection is closed
    instead."""

    def __init__(self, port=0, **pages):
        asked = collections.Counter()
        lock = threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                host = self.headers["Host"]
                name = self.path.strip("/").replace(".", "_") or "home"
                with lock:
                    asked[host, name] += 1
                    count = asked[host, name]
                if not pages.get("answers", lambda: True)():
                    self.close_connection = True
                    return
                answer = pages.get(name, pages["other"])(host, count)
                if answer is None:
                    self.close_connection = True
                    return
                status, body, *fields = answer
                self.send_response(status)
                for field in fields:
                    self.send_header(*field)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.asked = asked
        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 1024

        self.server = Server(("0.0.0.0", port), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def seeds(self, count: int = 1):
        return [f"http://127.0.0.{i + 1}:{self.server.server_port}/" for i in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def page(*links) -> bytes:
    return b"<title>t</title>" + b"".join(b'<a href="%s">x</a>\n' % link for link in links)


def absent(_host, _count):
    return 404, b"none"


def plain(_host, _count):
    return 200, page()


def crawled(web, tmp, *options, seeds=1, **more):
    os.makedirs(tmp, exist_ok=True)
    crawl = Crawl(None, tmp, "--allow-private", *options, seeds=web.seeds(seeds), **more)
    return crawl, crawl.run()


@case("a page with fifty thousand long links is a page like any other, also to who goes on")
def many_links(tmp):
    home = page(*(b"/%d/%s" % (i, b"a" * 200) for i in range(LINKS)))
    with Web(home=lambda *_: (200, home), robots_txt=absent, other=plain) as web:
        crawl, done = crawled(web, tmp, "-n", "3")
        assert done.code == 0, done
        again = crawl.run()
        assert again.code == 0, again
        agree(crawl)
        with open(os.path.join(crawl.folder, "links", "links.nodes"), encoding="ascii") as f:
            assert sum(1 for _ in f) == LINKS + 1


LISTED = 20000         # URLs of a sitemap, half of them sitemaps
NAMED, TAKEN = 10, 30  # sitemaps and pages that a host may bring by sitemaps
NESTED_KB, NESTED_BYTES = 110 << 10, 16 << 20


def nested_sitemaps():
    """Every URL of the host is an index of sitemaps that nobody has seen: without end."""
    numbers = itertools.count()
    entries = [b"<sitemap><loc>/@/s%d.xml</loc></sitemap><url><loc>/@/%d</loc></url>" % (i, i)
               for i in range(LISTED // 2)]
    text = b"<sitemapindex>" + b"\n".join(entries)
    return lambda: (200, text.replace(b"/@/", b"/%d/" % next(numbers)), ("Content-Type", "application/xml"), CLOSE)


def peak_kb_until(crawl, process, is_over) -> int:
    peak, end = 0, time.monotonic() + SECONDS
    while not is_over() and process.poll() is None and time.monotonic() < end:
        peak = max(peak, memory_kb(process.pid))
        time.sleep(0.01)
    assert time.monotonic() < end, crawl.said()[-2000:]
    return peak


def folder_bytes(folder: str) -> int:
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


@case("sitemaps in sitemaps without end: their host has its limits, a killed crawl forgets none, others get all")
def nested(tmp):
    more = nested_sitemaps()
    links = page(*(b"/%d.html" % i for i in range(20)))

    def is_bad(host):
        return host.startswith("127.0.0.1:")

    def robots(host, count):
        return (200, b"Sitemap: /s.xml", ("Content-Type", "text/plain")) if is_bad(host) else absent(host, count)

    with Web(robots_txt=robots, home=lambda *_: (200, links), s_xml=lambda *_: more(),
             other=lambda host, _: more() if is_bad(host) else plain(host, _)) as web:
        crawl = Crawl(None, tmp, "--allow-private", "-w", "20ms", "-n", "600", seeds=web.seeds(4),
                      sets={"budget.host-sitemaps": NAMED, "budget.host-sitemap-urls": TAKEN})
        peak = peak_kb_until(crawl, crawl.start(), lambda: "host.limit_reached" in crawl.said())
        crawl.end()
        process = crawl.start()
        peak = max(peak, peak_kb_until(crawl, process, lambda: False))
        assert process.returncode == 0, crawl.said()[-2000:]
        agree(crawl)
        bad, *good = web.seeds(4)
        rows = crawl.log()
        brought = [row.split()[1] for row in crawl.lines("links", "links.nodes") if row.split()[1].startswith(bad)]
        size = folder_bytes(crawl.folder)
        print(f"# {peak >> 10} MB of memory, {size >> 20} MB on disk, {len(brought)} URLs")
        # The home page, its links, sitemaps and their pages.
        assert len(set(brought)) == 1 + 20 + NAMED + TAKEN, len(set(brought))
        assert {r.url for r in rows if r.url.startswith(bad) and "robots.txt" not in r.url} == set(brought)
        for limit in ("host-sitemaps", "host-sitemap-urls"):
            assert any(f"overLimit:{limit}:" in r.notes for r in rows), limit
            assert f"limit={limit}" in crawl.said(), crawl.said()
        taken = {r.url for r in rows if r.code == 200}
        assert taken >= {seed + f"{i}.html" for seed in good for i in range(20)} | set(good)
        assert size < NESTED_BYTES and peak < NESTED_KB * sanitized(), (size, peak)


@case("a host brings so many bytes of links to another, whose queue holds so many; both are counted and told")
def generous(tmp):
    numbers = itertools.count()
    with Web(robots_txt=absent, other=lambda host, _: (200, full_of_links() if is_giver(host) else page())) as web:
        giver, taker = web.seeds(2)
        prefix = (taker + "x" * 50).encode()

        def is_giver(host):
            return host.startswith("127.0.0.1:")

        def full_of_links():
            return page(*(b"%s/%d" % (prefix, next(numbers)) for _ in range(1000)),
                        *(b"/%d" % next(numbers) for _ in range(5)))

        crawl, done = crawled(web, tmp, "-j", "-n", "30", "-w", "0", "--ip-delay", "0", seeds=2, quick=False,
                              sets={"budget.host-url-size": "200k", "ledger.host-queue-size": "64k"})
        assert done.code == 0, done
        nodes = [row.split()[1] for row in crawl.lines("links", "links.nodes")]
        brought = sum(len(url) for url in nodes if url.startswith(taker) and url != taker)
        assert 190000 < brought < 210000, brought
        said = [json.loads(line) for line in done.err.splitlines()]
        end = said[-1]
        assert end["over_limit"].keys() == {"host-url-size", "host-queue"} and end["queued"] < 1500, end
        assert end["over_budget"] == sum(end["over_limit"].values()), end
        assert [e["limit"] for e in said if e.get("event") == "host.limit_reached"] == ["host-url-size"], said
        assert any("overLimit:host-url-size:" in row.notes for row in crawl.log())


@case("bodies that take too much memory together are cut, and said to be; small ones never are")
def much_memory(tmp):
    large = b"<title>large</title>" + b"x" * (8 << 20)
    with Web(home=lambda *_: (200, large), robots_txt=absent, other=plain) as web:
        for name, most, is_cut in (("little", "2M", True), ("usual", "512M", False)):
            folder = os.path.join(tmp, name)
            crawl, done = crawled(web, folder, sets={"http.body-memory": most})
            row, = [r for r in crawl.log() if r.url == web.seeds()[0]]
            assert done.code == 0 and row.code == 200, (done, row)
            assert (row.size < len(large)) == is_cut and ("lenTrunc" in str(row)) == is_cut, row


@case("so many pages are fetched as were asked for, though others fail meanwhile")
def exact(tmp):
    def flaky(_host, count):
        return (503, b"busy") if count == 1 else (200, page())
    home = page(*(b"/%d" % i for i in range(20)))
    for shards in (1, 3):
        for wanted in (HOSTS + 1, 5 * HOSTS):
            with Web(home=lambda *_: (200, home), robots_txt=absent, other=flaky) as web:
                folder = os.path.join(tmp, f"{shards}-{wanted}")
                crawl, done = crawled(web, folder, "-n", str(wanted), seeds=HOSTS, shards=shards)
                assert done.code == 0, done
                rows = [r for r in crawl.log() if r.code > 0 and not r.url.endswith("/robots.txt")]
                assert len(rows) == wanted, (shards, wanted, len(rows))


@case("a crawl whose time is over ends, though its only host is to be left alone for long")
def time_is_over(tmp):
    with Web(robots_txt=lambda *_: (503, b"busy"), other=plain) as web:
        _, done = crawled(web, tmp, "-t", "4s", sets={"pace.backoff": "1h", "pace.backoff-most": "1h"})
        assert done.code == 0, done
        assert sum(web.asked.values()) == 1, web.asked


@case("a crawl whose time is over ends while nobody answers; what was open is asked when it goes on")
def silence_at_the_end(tmp):
    silent = 600  # more than one shard asks at a time
    never = {f"http.{name}-timeout": "1h" for name in ("first-byte", "head", "idle", "fetch")}
    with socket.socket() as s:
        s.bind(("0.0.0.0", 0))
        s.listen(4096)  # the kernel takes connections that no program will answer
        port = s.getsockname()[1]
        seeds = [f"http://127.0.{i // 200}.{i % 200 + 1}:{port}/" for i in range(silent)]
        crawl = Crawl(None, tmp, "--allow-private", "-v", "-t", "1s", "--grace", "100ms", seeds=seeds,
                      shards=1, sets=never)
        done = crawl.run()
        assert done.code == 0 and "the crawl's time is over" in done.err, done
        assert done.err.count("crawl.limit") == 1, done.err
        assert not crawl.log(), crawl.log()[:3]  # nothing was given up
        for u in (seeds[0], seeds[-1]):
            told = run(["url", "--json", crawl.folder, u], program=crawl.command[0])
            assert '"state":"queued"' in told.out, told
    # the same command goes on with more time, and everybody is asked once
    with Web(robots_txt=absent, other=plain, port=port) as web:
        crawl.command[crawl.command.index("1s")] = "10m"
        assert crawl.run().code == 0
        fetched = [r.url for r in crawl.log() if r.code == 200]
        assert sorted(fetched) == sorted(seeds), (len(fetched), len(set(fetched)))
        assert all(n == 1 for n in web.asked.values()), web.asked.most_common(3)


@case("a robots.txt that is never more than unchanged is asked for twice, and nothing else is")
def unchanged_robots(tmp):
    with Web(robots_txt=lambda *_: (304, b""), other=plain) as web:
        crawl, done = crawled(web, tmp)
        assert done.code == 4, done
        assert [name for _, name in web.asked.elements()] == ["robots_txt"] * 2, web.asked
        assert [r.code for r in crawl.log() if r.url == web.seeds()[0]] == [-61]


@case("a robots.txt that leads where nobody may ask cannot be had, and is asked for a few times")
def robots_elsewhere(tmp):
    with Web(robots_txt=lambda *_: (301, b"", ("Location", "http://10.0.0.1/robots.txt")),
             other=plain) as web:
        crawl = Crawl(None, tmp, "--allow-private=127.0.0.0/8", seeds=web.seeds())
        done = crawl.run()
        assert done.code == 4, done
        assert [name for _, name in web.asked.elements()] == ["robots_txt"] * 4, web.asked
        assert [r.code for r in crawl.log() if r.url == web.seeds()[0]] == [-61]


@case("every hop of a robots.txt that is redirected is archived and logged")
def robots_hops(tmp):
    with Web(robots_txt=lambda *_: (301, b"moved", ("Location", "/b.txt")),
             b_txt=lambda *_: (302, b"found", ("Location", "/c.txt")),
             c_txt=lambda *_: (200, b"User-agent: *\nDisallow: /secret\n"),
             home=lambda *_: (200, page(b"/secret")), other=plain) as web:
        crawl, done = crawled(web, tmp)
        assert done.code == 0, done
        home = web.seeds()[0]
        rows = [(r.url[len(home):], r.code, r.path) for r in crawl.log()]
        assert rows == [("robots.txt", 301, "P"), ("b.txt", 302, "P"), ("c.txt", 200, "P"), ("", 200, "-"),
                        ("secret", -9998, "L")], rows
        kept = {r.url[len(home):]: r.block for r in crawl.records() if r.kind == "response"}
        assert set(kept) == {"robots.txt", "b.txt", "c.txt", ""}, kept
        assert kept["robots.txt"].endswith(b"moved") and kept["b.txt"].endswith(b"found"), kept
        assert {e["url"][len(home):] for e in crawl.index()} == set(kept), crawl.index()


@case("where nothing may be asked for, robots.txt is not asked for either")
def no_share(tmp):
    with Web(home=lambda *_: (200, page()), robots_txt=absent, other=plain) as second:
        links = (f"{second.seeds()[0]}{i}".encode() for i in range(3))  # the same host, another port
        with Web(home=lambda *_: (200, page(b"/a", *links)), robots_txt=absent, other=plain) as web:
            crawl, done = crawled(web, tmp, "--host-pages", "2")
            assert done.code == 0, done
            assert second.asked.total() == 0, second.asked
            codes = sorted(r.code for r in crawl.log() if "robots.txt" not in r.url)
            assert codes == [-5003, -5003, -5003, 200, 200], codes


@case("an origin that fails every second time is no dead one: only failures in a row are counted")
def every_second_time(tmp):
    turns = itertools.count()
    with Web(robots_txt=lambda *_: (404, b"", CLOSE), other=lambda *_: (200, page(), CLOSE),
             answers=lambda: next(turns) % 2) as second:
        links = [f"{second.seeds()[0]}{i}".encode() for i in range(30)]
        with Web(home=lambda *_: (200, page(*links)), robots_txt=absent, other=plain) as web:
            crawl, done = crawled(web, tmp, sets={"pace.backoff": "1ms", "pace.tries": "100"})
            assert done.code == 0, done
            codes = {r.url: r.code for r in crawl.log()}
            assert [codes.get(link.decode()) for link in links] == [200] * len(links), codes


@case("each URL of an origin has its own tries: another's failures do not use them up")
def own_tries(tmp):
    """A second origin of the host closes the connection the first time that each page is asked for."""
    def shy(_host, count):
        return (200, page(), CLOSE) if count > 1 else None
    with Web(robots_txt=lambda *_: (404, b"", CLOSE), other=shy) as second:
        links = [f"{second.seeds()[0]}{i}".encode() for i in range(8)]
        with Web(home=lambda *_: (200, page(*links)), robots_txt=absent, other=plain) as web:
            crawl, done = crawled(web, tmp, "--tries", "2", sets={"pace.backoff": "1ms"})
            assert done.code == 0, done
            codes = {r.url: r.code for r in crawl.log()}
            assert [codes.get(link.decode()) for link in links] == [200] * len(links), codes
            counts = {count for (_, name), count in second.asked.items() if name != "robots_txt"}
            assert counts == {2}, second.asked


@case("what failed says in the log which page led to it")
def via(tmp):
    with Web(home=lambda *_: (200, page(b"/secret")), other=plain,
             robots_txt=lambda *_: (200, b"User-agent: *\nDisallow: /secret\n")) as web:
        crawl, done = crawled(web, tmp)
        assert done.code == 0, done
        home = web.seeds()[0]
        assert [(r.code, r.via) for r in crawl.log() if r.url == home + "secret"] == [(-9998, home)]


@case("where a seed redirects to is a seed in pages.jsonl, and what it links to is none")
def redirected_seed(tmp):
    with Web(home=lambda *_: (301, b"", ("Location", "/there")), robots_txt=absent, other=plain,
             there=lambda *_: (200, page(b"/else"))) as web:
        crawl, done = crawled(web, tmp)
        assert done.code == 0, done
        rows = {os.path.basename(p["url"]): (p.get("seed", False), p["depth"]) for p in crawl.pages()}
        assert rows == {"there": (True, 0), "else": (False, 1)}, rows
        last = crawl.lines("logs", "progress-statistics.log")[-1].split()
        assert len(last) == 13 and last[1:4] == ["3", "0", "3"], last
        assert any("/there" in line for line in crawl.lines("pages", "pages.jsonl"))


# What an interruption leaves of a crawl's settings ------------------------------------------------

SITE = 20


class Halting(Web):
    """A home page and SITE others of ten thousand bytes. From the page number `halts` on none is answered,
    until that is raised."""

    def __init__(self):
        self.halts, self.lock, self.answered, self.waits = 0, threading.Condition(), 0, False
        body = page(*(b"/%d" % i for i in range(SITE))) + b"x" * 10000

        def answer(_host, _count):
            with self.lock:
                self.waits = self.answered >= self.halts
                self.lock.wait_for(lambda: self.answered < self.halts)
                self.answered += 1
            return 200, body
        super().__init__(robots_txt=absent, other=answer, home=answer)

    def answers(self, count: int) -> None:
        with self.lock:
            self.halts = count
            self.lock.notify_all()

    def __exit__(self, *_):
        self.answers(1 << 30)
        super().__exit__()


def resumed(crawl, *options, **more):
    """By the directory alone."""
    return run(["crawl", "-o", crawl.folder, *options], program=ORBWEAVER, **more)


def fetched(crawl) -> int:
    rows = [r.url for r in crawl.log() if r.code == 200]
    assert len(rows) == len(set(rows)), rows
    return len(rows)


def kept(crawl) -> dict:
    return dict(line.split(": ", 1) for line in crawl.lines("orbweaver.yaml") if ": " in line and line[0] != "#")


@case("a crawl that is interrupted or killed keeps its limits; one that was reached is lifted, and said to be")
def keeps_limits(tmp):
    for number, flag, key, value, wanted in ((signal.SIGKILL, "-n", "pages", "6", 6),
                                             (signal.SIGINT, "-Q", "size", "55k", 6)):
        with Halting() as web:
            folder = os.path.join(tmp, key)
            os.makedirs(folder)
            crawl = Crawl(None, folder, "--allow-private", flag, value, seeds=web.seeds())
            web.answers(3)
            crawl.start()
            until(lambda: web.waits, "three pages")
            crawl.process.send_signal(number)
            crawl.end(number)  # the second ^C does not wait for the page that halts
            web.answers(1 << 30)
            assert kept(crawl)[key] == value, kept(crawl)
            done = resumed(crawl)
            assert done.code == 0 and fetched(crawl) == wanted, (flag, fetched(crawl), done)
            assert f"the limit --{key} {value} is reached" in done.err, done
            done = resumed(crawl, flag, value)
            assert done.code == 0 and f"the limit --{key} {value} is already reached" in done.err, done
            assert crawl.lines("state", "limits") == [f"{key}: {value}"]
            if key == "pages":  # as a kill at the end leaves it: the sums tell
                with open(os.path.join(crawl.folder, "state", "limits"), "wb") as f:
                    f.write(b"\xff\n")
            done = resumed(crawl)
            words = f"orbweaver: the limit --{key} {value} was reached; going on without it"
            assert done.code == 0 and done.err.startswith(words), done
            assert fetched(crawl) == SITE + 1 and key not in kept(crawl), (fetched(crawl), kept(crawl))
            agree(crawl)


@case("the limit of a flag takes the place of the one that is kept, and is kept itself; so is a time")
def new_limits(tmp):
    with Halting() as web:
        web.answers(1 << 30)
        crawl = Crawl(None, tmp, "--allow-private", "-n", "3", "-t", "1h", seeds=web.seeds())
        assert crawl.run().code == 0 and fetched(crawl) == 3
        done = resumed(crawl, "-n", "5", "--depth", "7", "--exclude", "/nothing", "--exclude", "/none")
        assert done.code == 0 and fetched(crawl) == 5 and "going on" not in done.err, done
        assert kept(crawl)["depth"] == "7" and kept(crawl)["exclude"] == "[/nothing, /none]", kept(crawl)
        done = resumed(crawl, "-t", "1ms", "--exclude=")  # which is over long ago
        assert done.code == 0 and fetched(crawl) == 5, done
        assert kept(crawl)["time"] == "1ms" and "exclude" not in kept(crawl), kept(crawl)
        done = resumed(crawl)
        assert done.code == 0 and "--time 1ms was reached; going on without it" in done.err, done
        assert fetched(crawl) == SITE + 1, fetched(crawl)


@case("a seed file is kept with its whole path, read again for new seeds, and may be gone; -i -i reads both")
def keeps_seed_files(tmp):
    with Web(home=plain, robots_txt=absent, other=plain) as web:
        home = web.seeds()[0]
        for name in "ab":
            with open(os.path.join(tmp, name), "w", encoding="ascii") as f:
                f.write(home + name + "\n")
        crawl = Crawl(None, tmp, "--allow-private", seeds=[])
        done = run([*crawl.command[1:], "-i", "a", "-i", "b"], program=ORBWEAVER, cwd=tmp)
        assert done.code == 0 and sorted(r.url[len(home):] for r in crawl.log() if r.code == 200) == ["a", "b"], done
        with open(os.path.join(tmp, "a"), "a", encoding="ascii") as f:
            f.write(home + "c\n")
        os.remove(os.path.join(tmp, "b"))
        done = resumed(crawl)
        assert done.code == 0 and os.path.join(tmp, "b") in done.err and "cannot be read" in done.err, done
        assert sorted(r.url[len(home):] for r in crawl.log() if r.code == 200) == ["a", "b", "c"], done
        assert kept(crawl)["input"] == f"[{tmp}/a]", kept(crawl)


@case("the same command again and again keeps each seed once; what YAML cannot keep is refused")
def keeps_seeds_once(tmp):
    with Web(home=plain, robots_txt=absent, other=plain) as web:
        crawl = Crawl(None, tmp, "--allow-private", seeds=web.seeds())
        for _ in range(3):
            assert crawl.run().code == 0
        assert kept(crawl)["seeds"] == f"[{web.seeds()[0]}]", kept(crawl)
        done = resumed(crawl, "--contact", b"\xff")
        assert done.code == 2 and "--contact: the value is not UTF-8" in done.err, done
        assert resumed(crawl).code == 0


@case("a directory that cannot be used and seeds that cannot be read are named")
def unusable(tmp):
    path = os.path.join(tmp, "a-file")
    with open(path, "wb"):
        pass
    program = Crawl(None, tmp, seeds=[]).command[0]
    done = run(["crawl", "-o", path, "http://a.invalid/"], program=program)
    assert done.code == 3 and path in done.err, done
    done = run(["crawl", "-o", os.path.join(tmp, "c"), "-i", tmp], program=program)
    assert done.code == 2 and f"-i {tmp}: it is a directory" in done.err, done


MANY = [b"/p%d" % i for i in range(60)]
LIMITS_KB = [120000, 300000, 400000, 480000, 1200000]


@case("too little memory is said, with exit code 1, and nothing is lost")
def too_little_memory(tmp):
    if sanitized() > 1:
        skip("a sanitizer needs an address space without limit")
    for kb in LIMITS_KB:
        with Web(home=lambda *_: (200, page(*MANY)), other=plain, robots_txt=absent) as web:
            crawl = Crawl(None, os.path.join(tmp, str(kb)), "--allow-private", seeds=web.seeds())
            os.makedirs(os.path.dirname(crawl.folder))
            done = crawl.run(before=["sh", "-c", f'ulimit -v {kb} && exec "$0" "$@"'])
            assert done.code == 0 or (done.code == 1 and "memory" in done.err and "safe" in done.err), (kb, done)
            assert done.code == 1 or kb != LIMITS_KB[0], done
            done = crawl.run()
            assert done.code == 0, (kb, done)
            agree(crawl)
            assert {f"p{i}" for i in range(60)} <= {name for _, name in web.asked}, (kb, web.asked)


def remove(pattern):
    def harm(folder):
        for path in glob.glob(os.path.join(folder, pattern)):
            os.remove(path)
    return harm


def write(name, data):
    def harm(folder):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
    return harm


def halve(name):
    return lambda folder: os.truncate(os.path.join(folder, name), os.path.getsize(os.path.join(folder, name)) // 2)


def flip(name):
    def harm(folder):
        with open(os.path.join(folder, name), "r+b") as f:
            data = bytearray(f.read())
            data[9] ^= 1
            f.seek(0)
            f.write(data)
    return harm


OPENING = [["crawl", "-q", "-o", "DIR"], ["url", "DIR", "http://127.0.0.1/"]]
READING = [["report", "DIR"], ["export", "cdxj", "DIR"], ["export", "pages", "DIR"], ["export", "links", "DIR"]]
LIST = [["seeds", "list", "DIR"]]
# What is done to a directory, what names it in the words, the exit code, and which commands see it.
HARMS = [
    (write("state/VERSION", b"orbweaver crawl 2\n"), "state/VERSION", 2, OPENING + READING),
    (remove("state/history/MANIFEST-*"), "state/history", 3, OPENING + LIST),
    (remove("state/history/CURRENT"), "state/history", 3, OPENING + LIST),
    (remove("state/history/*.sst"), "state/history", 3, OPENING),
    (flip("state/MANIFEST"), "state/MANIFEST", 3, OPENING + READING),
    (remove("state/images/*"), "state/images/", 3, OPENING),
    (remove("state/seeds"), "state/seeds", 3, OPENING + READING + LIST),
    (halve("logs/crawl.log"), "logs/crawl.log", 3, OPENING + READING),
    (halve("links/links.nodes"), "links/links.nodes", 3, OPENING + READING),
    (write("state/RECRAWL", b"begun 1"), "state/RECRAWL", 3, OPENING),
]


@case("damage is exit code 3 and another version exit code 2, in every command that can see it; the words name the file")
def damaged(tmp):
    with Web(home=lambda *_: (200, page(b"/a")), other=plain, robots_txt=absent) as web:
        crawl, done = crawled(web, tmp)
        assert done.code == 0, done
        program, folder = crawl.command[0], os.path.join(tmp, "damaged")
        for harm, name, code, commands in HARMS:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(crawl.folder, folder)
            harm(folder)
            for command in commands:  # none of them changes what it refuses
                done = run([folder if word == "DIR" else word for word in command], program=program)
                assert done.code == code and name in done.err, (name, command, done)


main()
