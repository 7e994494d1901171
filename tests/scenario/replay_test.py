# SPDX-License-Identifier: Apache-2.0
"""export wacz, opened by replayweb.page in a browser: pages show their text, pictures and style from the
archive alone, also where the archive holds only a revisit, or a redirect. The web that was crawled is gone
by then. argv: simweb, orbweaver. $ORBWEAVER_TEST_SHOTS: a folder for pictures of what was shown."""
import os
import urllib.parse

import browser
import small_crawl
from crawl import ORBWEAVER, Crawl
from replay import Replay, files
from scenario import case, main, run, skip
from simweb import Simweb

SHOTS = os.environ.get("ORBWEAVER_TEST_SHOTS")


def stored_members(crawl: Crawl) -> int:
    """Answers whose body stands in the archive as it came."""
    data = b"".join(open(path, "rb").read() for path in crawl.archives())
    bodies = [r.block.partition(b"\r\n\r\n")[2] for r in crawl.records() if r.kind == "response"]
    return sum(len(body) > 600 and body[:60000] in data for body in bodies)


def crawled(tmp: str) -> tuple:
    """A crawl of the demo, whose server has ended, and its WACZ."""
    if not browser.find():
        skip("chromium is not installed")
    files()
    with Simweb("--demo", "--crawl-delays", "0") as web:
        crawl = Crawl(web, tmp, "--scope", "any", "--allow-private=127.0.0.0/8",
                      sets={"fetch.encodings": "gzip, deflate, br"})
        done = crawl.run()
        assert done.code == 0, done
    assert stored_members(crawl) > 3, "pages that are packed already are stored"
    wacz = os.path.join(tmp, "crawl.wacz")
    done = run(["export", "wacz", crawl.folder, "-o", wacz], program=ORBWEAVER)
    assert done.code == 0, done
    return crawl, wacz


def replayed(replay, chromium, url: str, shown_as: str = None) -> dict:
    seen = replay.shown(chromium, url, shown_as)
    if SHOTS:
        os.makedirs(SHOTS, exist_ok=True)
        chromium.shoot(os.path.join(SHOTS, urllib.parse.quote(url, safe="") + ".png"))
    return seen


def is_whole(url: str, seen: dict) -> None:
    """All of its pictures have sizes, its style sheet has rules and applies: nothing of that can come
    from anywhere but the archive."""
    assert "not found" not in seen["title"].lower(), (url, seen["title"])
    assert all(width > 0 for _, width in seen["images"]), (url, seen["images"])
    assert len(seen["rules"]) == 1 and seen["rules"][0][1] > 30, (url, seen["rules"])
    assert seen["margin"] == "0px" and "pattern.png" in seen["behind"], (url, seen)


def head_of(record) -> bytes:
    """Of an answer; a revisit has nothing else."""
    return record.block.partition(b"\r\n\r\n")[0]


def page_titles(crawl: Crawl) -> dict:
    """{url: title} of the pages a replay can show. Without those in UTF-16: it writes its script into
    them as if they were UTF-8, whoever made the archive."""
    wide = {r.url for r in crawl.records() if b"utf-16" in head_of(r)}
    return {p["url"]: p["title"] for p in crawl.pages() if p["url"] not in wide}


def one_of_each_host(titles: dict) -> list:
    """The demo's servers differ: chunks or not, and other codings."""
    hosts = {}
    for url in titles:
        at = urllib.parse.urlsplit(url)
        if at.path != "/":
            hosts.setdefault(at.netloc, url)
    assert len(hosts) >= 10, hosts
    return list(hosts.values())


@case("pages of a WACZ are shown by replayweb.page with text, pictures and style")
def _(tmp):
    crawl, wacz = crawled(tmp)
    titles = page_titles(crawl)
    pictures = 0
    with Replay(wacz) as replay, browser.Browser() as chromium:
        for url in one_of_each_host(titles):
            seen = replayed(replay, chromium, url)
            is_whole(url, seen)
            assert seen["title"] == titles[url], (url, seen["title"], titles[url])
            pictures += len(seen["images"])
        assert pictures >= 10, pictures
        # It reads the pieces it wants, where the index says they are, not the file.
        size = os.path.getsize(wacz)
        pieces = [(a, b) for a, b in replay.ranges if (a, b) != (0, size - 1)]
        assert pieces and sum(b - a + 1 for a, b in pieces) < size / 2, (size, pieces)


@case("a page of which the WACZ has a revisit, and one that is a redirect, are shown")
def _(tmp):
    crawl, wacz = crawled(tmp)
    titles = page_titles(crawl)
    revisits = {r.url: r for r in crawl.records() if r.kind == "revisit"}
    twins = [u for u in revisits if u in titles]
    moved = {r.url: head_of(r) for r in crawl.records()
             if r.kind in ("response", "revisit") and r.block.startswith(b"HTTP/1.1 30")}
    assert twins and moved, "the demo has neither"
    with Replay(wacz) as replay, browser.Browser() as chromium:
        twin = twins[0]
        seen = replayed(replay, chromium, twin)
        is_whole(twin, seen)
        assert seen["title"] == titles[twin], (twin, seen["title"])
        for url, head in moved.items():
            where = [line for line in head.decode().split("\r\n") if line.lower().startswith("location:")]
            target = urllib.parse.urljoin(url, where[0].split(":", 1)[1].strip())
            if target in titles:
                break
        else:
            raise AssertionError("no redirect leads to a page")
        seen = replayed(replay, chromium, url, target)
        is_whole(target, seen)
        assert seen["title"] == titles[target], (target, seen["title"])


@case("a page whose address ends with a slash is found among thousands whose addresses begin alike")
def _(tmp):
    if not browser.find():
        skip("chromium is not installed")
    c = small_crawl.SmallCrawl(os.path.join(tmp, "crawl"))
    urls = ["http://a.example/big/a/"] + [f"http://a.example/big/a-{i:04}.html" for i in range(4200)]
    for i, url in enumerate(urls):
        small_crawl.know(url, f"{i:016x}")
        c.page(url, body=f"<title>page {i}</title><p>text".encode(), seed=i == 0)
    wacz = os.path.join(tmp, "crawl.wacz")
    done = run(["export", "wacz", c.close(), "-o", wacz], program=ORBWEAVER)
    assert done.code == 0, done
    with Replay(wacz) as replay, browser.Browser() as chromium:
        for i in (0, 1, 4200):
            seen = replayed(replay, chromium, urls[i])
            assert seen["title"] == f"page {i}", (urls[i], seen)


@case("what the WACZ does not have is said not to be there")
def _(tmp):
    crawl, wacz = crawled(tmp)
    url = crawl.seeds[0] + "never-was.html"
    with Replay(wacz) as replay, browser.Browser() as chromium:
        seen = replayed(replay, chromium, url)
        assert "not found" in seen["title"].lower() and url in seen["text"], seen


main()
