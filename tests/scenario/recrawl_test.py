# SPDX-License-Identifier: Apache-2.0
"""Recrawls: asking again, with conditions, for what is known."""
import gzip
import json
import os
import signal
import subprocess
import time

from scenario import PROGRAM, case, main, run
from small_web import QUICK, Left, SmallWeb, crawl, page

BIG = "filling " * 2000


class Site(SmallWeb):
    """Pages with an ETag, or a Last-Modified, or neither, whose content can be changed."""

    def __init__(self, count: int):
        super().__init__({})
        self.version = [1] * count
        self.slow = 0
        self.pages["/"] = self.plain(page("Home", BIG, [(f"/p{i}", "link") for i in range(count)]))
        for i in range(count):
            self.pages[f"/p{i}"] = self.numbered(i)
        self.pages["/deep"] = self.plain(page("Deep", BIG))
        self.pages["/moved"] = (301, {"Location": "/deep"}, b"")

    def plain(self, body: bytes):
        return lambda headers: self.answer(headers, body, {"ETag": f'"{len(body)}"'})

    def numbered(self, i: int):
        def give(headers):
            time.sleep(self.slow)
            version = self.version[i]
            links = [("/deep", "deep"), ("/moved", "moved")] if i == 1 else []
            body = page(f"Page {i}", f"version {version} of page {i} {BIG}", links)
            validators = [{"ETag": f'"{i}-{version}"'},
                          {"Last-Modified": f"Thu, 0{version} Jan 2015 00:00:00 GMT"}, {}][i % 3]
            return self.answer(headers, body, validators)
        return give

    @staticmethod
    def answer(headers, body, validators):
        etag, modified = validators.get("ETag"), validators.get("Last-Modified")
        same = (etag and headers.get("If-None-Match") == etag) or \
               (modified and headers.get("If-Modified-Since") == modified)
        if same:
            return (304, validators, b"")
        return (200, {"Content-Type": "text/html", **validators}, body)

    def begin(self):
        """What is asked from here on is counted anew."""
        with self.lock:
            self.asked, self.body_bytes = [], 0


def notes(left: Left) -> dict:
    return {path: row[1] for path, row in left.log().items() if path != "/robots.txt"}


def records(left: Left) -> list:
    found = []
    folder = os.path.join(left.folder, "archive")
    for name in sorted(os.listdir(folder)):
        with gzip.open(os.path.join(folder, name)) as f:
            while True:
                line = f.readline()
                if not line:
                    break
                assert line == b"WARC/1.1\r\n", line
                headers = {}
                while (line := f.readline().decode().rstrip("\r\n")):
                    key, value = line.split(": ", 1)
                    headers[key] = value
                f.read(int(headers["Content-Length"]) + 4)
                found.append(headers)
    return found


@case("a resumed crawl knows the payloads of earlier runs: the same once more is a revisit")
def _(tmp):
    same = (200, {"Content-Type": "text/html"}, page("Same", BIG))
    with SmallWeb({"/": page("Home", "", [("/a", "a"), ("/b", "b")]), "/a": same, "/b": same}) as web:
        left = crawl(web.url("/"), tmp, "-n", "2")
        assert web.paths() == ["/", "/a"], web.paths()
        left = crawl(web.url("/"), tmp, "-n", "10")
        assert web.paths() == ["/", "/a", "/b"], web.paths()
        assert "duplicate:digest" in notes(left)["/b"], notes(left)
        found = {(r["WARC-Type"], r.get("WARC-Target-URI")): r for r in records(left)}
        first, again = found[("response", web.url("/a"))], found[("revisit", web.url("/b"))]
        assert again["WARC-Refers-To"] == first["WARC-Record-ID"], again
        assert again["WARC-Refers-To-Date"] == first["WARC-Date"], again
        assert again["WARC-Refers-To-Target-URI"] == web.url("/a"), again


class Edited(SmallWeb):
    """Four pages, three of which are edited in different ways when `version` is 2, and again with 3."""

    def __init__(self):
        self.version = 1
        super().__init__({"/": page("Home", "", [(f"/{name}", name) for name in ("words", "tags", "attributes", "same")]),
                          "/words": lambda _: page("P", f"version {self.version} of the words"),
                          "/tags": lambda _: page("P", "words", more="<hr>" * self.version),
                          "/attributes": lambda _: page("P", "words", more=f"<hr id=x{self.version}>"),
                          "/same": page("P", "always")})

    def notes(self, left: Left) -> dict:
        return {path: [n for n in row if n.startswith("changed")] for path, row in notes(left).items()}


@case("P9: a recrawl says what changed: elements, words, or neither")
def _(tmp):
    with Edited() as web:
        crawl(web.url("/"), tmp, "--compare")
        web.version = 2
        left = crawl(web.url("/"), tmp, "--recrawl")
        assert web.notes(left) == {
            "/": [], "/same": [], "/words": ["changed", "changed:text"], "/tags": ["changed", "changed:structure"],
            "/attributes": ["changed", "changed:markup"]}, web.notes(left)
        numbers = {key: left.numbers[key] for key in left.numbers if "changed" in key}
        assert numbers == {"changed": 3, "unchanged": 2, "changed_structure": 1, "changed_text": 1,
                           "changed_markup": 1}, numbers
        found = json.loads(run(["url", "--json", left.folder, web.url("/words")]).out)["last"]
        assert found["what_changed"] == "text" and "last its text" in found["text"], found
        found = json.loads(run(["report", "--json", left.folder]).out)
        assert [found[key] for key in ("changed", "changedStructure", "changedText", "changedMarkup")] == [3, 1, 1, 1]


@case("without --compare the first recrawl keeps what the second compares")
def _(tmp):
    with Edited() as web:
        crawl(web.url("/"), tmp)
        web.version = 2
        left = crawl(web.url("/"), tmp, "--recrawl")
        assert web.notes(left)["/words"] == ["changed"], web.notes(left)
        web.version = 3
        left = crawl(web.url("/"), tmp, "--recrawl")
        assert web.notes(left)["/words"] == ["changed", "changed:text"], web.notes(left)
        assert web.notes(left)["/tags"] == ["changed", "changed:structure"], web.notes(left)


@case("unchanged pages are confirmed, changed ones are seen, and little is transferred")
def _(tmp):
    with Site(9) as web:
        crawl(web.url("/"), tmp)
        first, everything = web.body_bytes, sorted(web.paths())
        web.begin()
        web.version[4] = web.version[6] = web.version[8] = 2
        left = crawl(web.url("/"), tmp, "--recrawl")
        assert sorted(web.paths()) == everything, web.paths()
        got = notes(left)
        changed = {path for path, n in got.items() if "changed" in n}
        assert changed == {"/p4", "/p6", "/p8"}, got
        unchanged = {path for path, n in got.items() if "unchanged" in n}
        assert unchanged == {"/", "/deep"} | {f"/p{i}" for i in (0, 1, 2, 3, 5, 7)}, got
        assert all(any(n in got[path] for n in ("warcRevisit:notModified", "duplicate:digest")) for path in unchanged), got
        assert web.body_bytes < 0.6 * first, (web.body_bytes, first)
        assert left.log()["/p0"][0] == 304 and left.log()["/p2"][0] == 200, left.log()
        n = left.numbers
        assert (n["changed"], n["unchanged"], n["revisits"]) == (3, 8, 8), n
        conditions = {path: h for path, h in web.asked}
        assert conditions["/p1"].get("If-Modified-Since") and "If-None-Match" not in conditions["/p1"]
        assert "If-None-Match" not in conditions["/p2"] and "If-Modified-Since" not in conditions["/p2"]
        archives = [os.path.join(left.folder, "archive", f) for f in os.listdir(left.folder + "/archive")]
        done = run(["try", "warc", "-q", *archives])
        assert done.code == 0 and not done.out.strip(), done.out[-2000:]


@case("revisit records name the capture they stand for, also the third time")
def _(tmp):
    with Site(3) as web:
        crawl(web.url("/"), tmp)
        crawl(web.url("/"), tmp, "--recrawl")
        left = crawl(web.url("/"), tmp, "--recrawl")
        responses, seen = {}, []
        for record in records(left):
            if record["WARC-Type"] == "response":
                responses[record["WARC-Record-ID"]] = record
            elif record["WARC-Type"] == "revisit" and "/robots.txt" not in record["WARC-Target-URI"]:
                seen.append(record)
        assert len(seen) == 10, len(seen)
        for record in seen:
            first = responses[record["WARC-Refers-To"]]
            assert record["WARC-Refers-To-Target-URI"] == record["WARC-Target-URI"] == first["WARC-Target-URI"]
            assert record["WARC-Refers-To-Date"] == first["WARC-Date"]
            assert record["WARC-Payload-Digest"] == first["WARC-Payload-Digest"]
        profiles = {(r["WARC-Target-URI"].rsplit("/", 1)[1], r["WARC-Profile"].rsplit("/", 1)[1]) for r in seen}
        assert ("p0", "server-not-modified") in profiles and ("p2", "identical-payload-digest") in profiles


@case("a Last-Modified in the future is not believed (F92)")
def _(tmp):
    future = {"Content-Type": "text/html", "Last-Modified": "Fri, 01 Jan 2120 00:00:00 GMT"}
    with SmallWeb({"/": (200, future, page("Home", BIG))}) as web:
        crawl(web.url("/"), tmp)
        crawl(web.url("/"), tmp, "--recrawl")
        assert "If-Modified-Since" not in web.asked[1][1], web.asked


@case("without --recrawl a finished recrawl has nothing left to do; with it, another one begins")
def _(tmp):
    with Site(3) as web:
        for options, asked in (([], 6), ([], 0), (["--recrawl"], 6), ([], 0), (["--recrawl"], 6)):
            web.begin()
            crawl(web.url("/"), tmp, *options)
            assert len(web.paths()) == asked, (options, web.paths())


@case("no seed needs to be named again, and new ones are taken")
def _(tmp):
    with Site(3) as web:
        crawl(web.url("/p1"), tmp)
        web.begin()
        crawl([], tmp, "--recrawl")
        assert sorted(web.paths()) == ["/deep", "/moved", "/p1"], web.paths()
        web.begin()
        crawl(web.url("/p2"), tmp, "--recrawl")
        assert sorted(web.paths()) == ["/deep", "/moved", "/p1", "/p2"], web.paths()


@case("an error does not make it forget what it had")
def _(tmp):
    with Site(1) as web:
        good = web.pages["/p0"]
        crawl(web.url("/p0"), tmp)
        web.pages["/p0"] = (404, {}, b"")
        crawl(web.url("/p0"), tmp, "--recrawl")
        web.pages["/p0"] = good
        left = crawl(web.url("/p0"), tmp, "--recrawl")
        assert left.log()["/p0"][0] == 304 and "unchanged" in left.log()["/p0"][1], left.log()


@case("what an unfinished crawl had queued is asked for too")
def _(tmp):
    with Site(12) as web:
        crawl(web.url("/"), tmp, "-n", "4")
        web.begin()
        crawl(web.url("/"), tmp, "--recrawl", "-n", "0")
        assert len(web.paths()) == len(set(web.paths())) == 15, web.paths()


@case("limits count from the beginning of the recrawl, and one that a limit ended is over")
def _(tmp):
    with Site(12) as web:
        crawl(web.url("/"), tmp)
        for _ in range(2):
            web.begin()
            crawl(web.url("/"), tmp, "--recrawl", "-n", "5")
            assert len(web.paths()) == 5, web.paths()


@case("a limit that the directory keeps counts from the beginning of each recrawl")
def _(tmp):
    with Site(12) as web:
        left = crawl(web.url("/"), tmp, "-n", "5")
        assert len(web.paths()) == 5, web.paths()
        for _ in range(2):
            web.begin()
            done = run(["crawl", "-o", left.folder, "--recrawl"])
            assert done.code == 0 and len(web.paths()) == 5, (done, web.paths())


@case("a recrawl that was interrupted goes on, with --recrawl or without, and asks for nothing twice")
def _(tmp):
    with Site(40) as web:
        crawl(web.url("/"), tmp)
        everything = sorted(web.paths())
        for number, after in ((signal.SIGTERM, ["--recrawl"]), (signal.SIGKILL, ["--recrawl"]),
                              (signal.SIGTERM, [])):
            web.begin()
            web.slow = 0.05
            out = os.path.join(tmp, "crawl")
            running = subprocess.Popen([PROGRAM, "crawl", "-o", out, *QUICK, "--recrawl", web.url("/")],
                                       stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while len(web.paths()) < 10:
                assert running.poll() is None
                time.sleep(0.01)
            running.send_signal(number)
            running.wait(60)
            web.slow = 0
            before = len(web.paths())
            assert before < len(everything), before
            left = crawl(web.url("/"), tmp, *after)
            assert sorted(set(web.paths())) == everything, set(everything) - set(web.paths())
            again = len(web.paths()) - len(everything)  # kill -9: what was open is asked for again
            assert again <= (2 if number == signal.SIGKILL else 1), again
            assert all("unchanged" in n for path, n in notes(left).items() if path != "/moved")


@case("--recrawl in a new directory is a crawl")
def _(tmp):
    with Site(3) as web:
        crawl(web.url("/"), tmp, "--recrawl")
        assert len(web.paths()) == 6, web.paths()


main()
