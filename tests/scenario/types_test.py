# SPDX-License-Identifier: Apache-2.0
"""Crawls of some media types: what is archived and read, and what is only logged."""
import json
import threading

from scenario import case, main, run
from small_web import SmallWeb, crawl, page

PDF = (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4\n" + b"x" * 200)
PNG = (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + b"x" * 100)
LIST = b"<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" \
       b"<url><loc>%s</loc></url></urlset>"


def web_of() -> SmallWeb:
    web = SmallWeb({})
    web.pages.update({
        "/robots.txt": (200, {"Content-Type": "text/plain"},
                        b"User-agent: *\nSitemap: " + web.url("/map.xml").encode() + b"\n"),
        "/map.xml": (200, {"Content-Type": "application/xml"}, LIST % web.url("/listed").encode()),
        "/": page("Home", "", [("/paper.pdf", "paper"), ("/moved", "moved"), ("/gone", "gone"),
                               ("/bare", "no type"), ("/x.xhtml", "xhtml")], "<img src=/a.png>"),
        "/listed": page("Listed", ""),
        "/paper.pdf": PDF,
        "/a.png": PNG,
        "/moved": (301, {"Content-Type": "application/pdf", "Location": "/target"}, b""),
        "/target": page("Target", ""),
        "/bare": (200, {}, page("Bare", "", [("/deep", "deep")])),
        "/deep": page("Deep", ""),
        "/x.xhtml": (200, {"Content-Type": "application/xhtml+xml"}, page("x", "", [("/deeper", "d")])),
        "/deeper": page("Deeper", ""),
    })
    return web


@case("answers of other types are logged, but neither archived nor read")
def _(tmp):
    with web_of() as web:
        left = crawl(web.url("/"), tmp, "--types", "text/html")
        assert left.archived() == {"/", "/listed", "/map.xml", "/moved", "/target", "/gone"}, left.archived()
        log = left.log()
        for path in ("/paper.pdf", "/a.png", "/bare", "/x.xhtml"):
            assert log[path][0] == 200 and "type" in log[path][1], log[path]
        assert "type" not in log["/"][1] and "type" not in log["/map.xml"][1]
        assert "/deep" not in web.paths() and "/deeper" not in web.paths(), web.paths()
        assert "/listed" in web.paths() and "/target" in web.paths(), web.paths()
        assert left.numbers["unkept"] == 4, left.numbers


@case("P7, P8: the body of another type is not downloaded")
def _(tmp):
    film = (200, {"Content-Type": "video/mp4"}, b"x" * (64 << 20))
    with SmallWeb({"/": page("Home", "", [("/film.mp4", "film"), ("/a", "a")]), "/film.mp4": film,
                   "/a": page("A", "")}) as web:
        left = crawl(web.url("/"), tmp, "--types=-video/*")
        assert left.archived() == {"/", "/a"}, left.archived()
        assert left.log()["/film.mp4"] == (200, ["type"]), left.log()
        assert web.paths().count("/film.mp4") == 1, web.paths()
        assert web.sent_bytes < 32 << 20, web.sent_bytes  # what fits into the kernel's buffers is less


@case("a minus takes all but these, and so does an exclamation mark")
def _(tmp):
    for number, sign in enumerate("-!"):
        with web_of() as web:
            left = crawl(web.url("/"), f"{tmp}/{number}", f"--types={sign}image/*,{sign}application/pdf")
            assert sorted(set(web.paths()) - left.archived()) == ["/a.png", "/paper.pdf"], left.archived()
            assert {"/deep", "/deeper"} <= set(web.paths())


@case("what is no type is refused")
def _(tmp):
    done = run(["crawl", "-o", tmp + "/c", "--types", "html", "http://127.0.0.1:65535/"])
    assert done.code == 2 and 'orbweaver: --types: "html" is not a media type; expected type/subtype' in done.err, done.err


@case("plain flags reach the parts that have the setting")
def _(tmp):
    with SmallWeb({"/": page("Home", "", [("/a", "a"), ("/b", "b"), ("/c", "c")]) + b"x" * 5000}) as web:
        for path in "abc":
            web.pages["/" + path] = page(path, "")
        left = crawl(web.url("/"), tmp, "--host-pages", "2", "--body-size", "1000")
        assert len(web.paths()) == 2, web.paths()
        assert "lenTrunc" in left.log()["/"][1], left.log()
        told = {path: run(["url", left.folder, web.url(path)]).out for path in ("/", web.paths()[1])}
        assert ", 1000 bytes, truncated: longer than is taken (fetch.body-size)" in told["/"], told
        assert "truncated" not in told[web.paths()[1]], told
        asked = [json.loads(run(["url", left.folder, "--json", web.url(path)]).out) for path in told]
        assert [a["last"]["truncated"] for a in asked] == ["length", ""], asked
    go_on = threading.Event()
    with SmallWeb({"/": lambda _: go_on.wait(60) and page("Slow", "")}) as web:
        left = crawl(web.url("/"), tmp + "/slow", "--timeout", "300ms", "--tries", "1", code=4)
        go_on.set()
        assert left.log()["/"][0] < 0, left.log()
    done = run(["crawl", "-o", tmp + "/d", "--tries", "0", "http://127.0.0.1:65535/"])
    assert done.code == 2 and "tries" in done.err, done.err


main()
