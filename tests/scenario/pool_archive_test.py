# SPDX-License-Identifier: Apache-2.0
"""What members pack and the manager joins: the archive of a managed crawl says what that of a ring says, and programs
that are not ours read it."""
import gzip
import os

import browser
from crawl import (ORBWEAVER, Crawl, agree, few, is_robots, no_leftovers, same_set, verify, verify_by_warcio,
                   verify_digests, wiring_of)
from pool import QUICK, Pool
from replay import Replay
from scenario import case, main, run, skip
from simweb import Simweb

WEB = ["--hosts", "10", "--pages", "25", "--changing", "0", "--crawl-delays", "0", "--page-bytes", "6k", "--keep-urls",
       "--coded", "0.4", "--chunked", "0.4", "--redirects", "0.1"]
# Of one crawl, or of the order in which pages came.
OWN = {"WARC-Record-ID", "WARC-Date", "WARC-Warcinfo-ID", "WARC-Concurrent-To", "WARC-Refers-To", "WARC-Refers-To-Date",
       "WARC-Refers-To-Target-URI"}
OWN_FACTS = (b"via:", b"hopsFromSeed:", b"fetchTimeMs:")


def crawled(web, tmp: str, wiring: str, *options, member=()) -> Crawl:
    with Pool(web, tmp, wiring, "--scope", "any", *options, quick=QUICK) as pool:
        pool.start()
        for name in ("m1", "m2"):
            pool.add(name, *member)
            pool.join(name)
        assert pool.wait() == 0, pool.story()
        for name in ("m1", "m2"):
            assert pool.wait_member(name) == 0, pool.story()
        return pool.crawl


def lines(block: bytes, but: tuple) -> list:
    return [line for line in block.split(b"\r\n") if not line.startswith(but)]


def told(crawl: Crawl) -> dict:
    """{(type, URL): fields, and the block as lines}, without what differs between two crawls; robots.txt may be asked
    for by another page."""
    found = {}
    for r in crawl.records():
        if r.kind == "warcinfo" or is_robots(r.url):
            continue
        assert (r.kind, r.url) not in found, r
        fields = {k: v for k, v in r.headers.items() if k not in OWN}
        if r.kind in ("response", "revisit"):
            head, _, body = r.block.partition(b"\r\n\r\n")
            found[r.kind, r.url] = (fields, lines(head, (b"Date:",)), body)
        elif r.kind == "request":
            found[r.kind, r.url] = (fields, lines(r.block, ()), b"")
        else:
            fields.pop("Content-Length")
            found[r.kind, r.url] = (fields, lines(r.block, OWN_FACTS), b"")
    return found


def same_archive(ring: Crawl, star: Crawl) -> int:
    """Record by record. Of two pages with one payload the first is a response: which one that is, differs."""
    one, two = told(ring), told(star)
    answers = {url for kind, url in one if kind in ("response", "revisit")}
    others = {url for kind, url in two if kind in ("response", "revisit")}
    assert answers == others, few(answers ^ others)
    compared = 0
    for key, record in one.items():
        if key not in two:
            kind, url = key
            other = {"response": "revisit", "revisit": "response"}.get(kind)
            assert other and (other, url) in two, key
            first, second = record[0], two[other, url][0]
            assert first["WARC-Payload-Digest"] == second["WARC-Payload-Digest"], key
            continue
        compared += 1
        assert record == two[key], (key, record[:2], two[key][:2])
    assert set(two) - set(one) == {k for k in two if k not in one and k[0] in ("response", "revisit")}
    return compared


for _wiring, _member, _options in (("managed", (), ()), ("priority", ("--trusted",), ()),
                                   ("managed", (), ("--archive-only",))):
    @case(" ".join((_wiring, *_member, *_options)) + ": the archive says what a ring's says, and warcio.js reads it")
    def _(tmp, wiring=_wiring, member=_member, options=_options):
        with Simweb(*WEB) as web:
            os.makedirs(tmp + "/ring")
            ring = Crawl(web, tmp + "/ring", "--scope", "any", *options, "--wiring", wiring_of(tmp, 2))
            done = ring.run()
            assert done.code == 0, done
            star = crawled(web, tmp + "/star", wiring, *options, member=member)
            same_set(web, web.oracle(web.run["home"], "any"), star.captured())
        compared = same_archive(ring, star)
        assert compared > 400, compared
        if not options:
            agree(star)
        verify(star)
        verify_digests(star)
        no_leftovers(star)
        for path in star.archives():
            with gzip.open(path) as f:
                assert f.read(), path
        print(f"# {compared} records are the same; {verify_by_warcio(star)} digests by warcio.js")


@case("pages of a WACZ that members packed are shown by replayweb.page")
def _(tmp):
    if not browser.find():
        skip("chromium is not installed")
    with Simweb("--demo", "--crawl-delays", "0") as web:
        crawl = crawled(web, tmp, "managed", "--allow-private=127.0.0.0/8")
    wacz = os.path.join(tmp, "crawl.wacz")
    done = run(["export", "wacz", crawl.folder, "-o", wacz], program=ORBWEAVER)
    assert done.code == 0, done
    wide = {r.url for r in crawl.records() if b"utf-16" in r.block[:600]}
    titles = {p["url"]: p["title"] for p in crawl.pages() if p["url"] not in wide}
    with Replay(wacz) as replay, browser.Browser() as chromium:
        for url in sorted(titles)[:4]:
            seen = replay.shown(chromium, url)
            assert seen["title"] == titles[url], (url, seen["title"], titles[url])
            assert all(width > 0 for _, width in seen["images"]), (url, seen["images"])


main()
