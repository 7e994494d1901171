# SPDX-License-Identifier: Apache-2.0
"""The libraries asked through the command line, as the README shows."""
import gzip
import json
import os
import re
import xml.etree.ElementTree

from scenario import ROOT, case, main, run, write

ROBOTS = "User-agent: *\nDisallow: /private/\nAllow: /private/x$\nCrawl-delay: 2\nSitemap: /s.xml\n"
PAGE = ('<html lang=en><title>T</title><base href="/b/"><a href="x?a=1&amp;b=2" rel=nofollow>go <b>on</b></a>'
        '<img srcset="a 1x, b 2x"><style>@import "c.css"; p { background: url(d.png) }</style><p>words')


@case("try robots names the line and rule that decide, for arguments and for standard input")
def _(tmp):
    file = write(tmp, "robots.txt", ROBOTS)
    urls = ["https://e.org/private/a", "https://e.org/private/x", "https://e.org/"]
    done = run(["try", "robots", file, "--agent", "orbweaver"] + urls)
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert [r[:3] for r in rows] == [["deny", "2", "/private/"], ["allow", "3", "/private/x$"],
                                     ["allow", "0", "-"]], done
    assert run(["try", "robots", file, "--agent", "orbweaver"], stdin="\r\n".join(urls) + "\r\n").out == done.out
    assert "crawl-delay\t2.000" in run(["try", "robots", file, "--agent", "x", "--all"]).out
    assert run(["try", "robots", os.path.join(tmp, "absent"), "--agent", "x", "/"]).code == 1
    assert run(["try", "robots"]).code == 2


@case("try robots reads the first 500 KiB of a file of any size")
def _(tmp):
    file = write(tmp, "robots.txt", "User-agent: *\nDisallow: /x\n" + "#" * (80 << 20) + "\nDisallow: /y\n")
    done = run(["try", "robots", file, "/x", "/y"])
    assert done.code == 0 and [line.split("\t")[0] for line in done.out.splitlines()] == ["deny", "allow"], done


SITEMAP = ('<?xml version="1.0"?><!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset>'
           '<url><loc>/a?b&amp;c&x;</loc><lastmod>Thu, 05 Jan 2017 13:34:51 +0100</lastmod><priority>0.8</priority>'
           '<xhtml:link rel="alternate" hreflang="de" href="http://e.org/de"/></url>'
           '<url><loc>http://[</loc></url><url><lastmod>2005</lastmod></url></urlset>')


@case("try sitemap gives each URL with its date and kind, from plain and gzip'd files, and counts the rest")
def _(tmp):
    done = run(["try", "sitemap", write(tmp, "s.xml", SITEMAP), "--url", "https://e.org/d/s.xml"])
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0 and [r["kind"] for r in rows] == ["alternate", "page", "page", "summary"], done
    assert rows[0]["url"] == "http://e.org/de" and rows[0]["lang"] == "de" and rows[0]["number"] == 1, rows[0]
    assert rows[1]["url"] == "https://e.org/a?b&c" and rows[1]["priority"] == 0.8, rows[1]
    assert rows[1]["lastmod"] == "2017-01-05T12:34:51Z", rows[1]
    assert rows[2]["url"] is None and rows[2]["raw"] == "http://[" and rows[2]["error"], rows[2]
    assert rows[3]["format"] == "urlset" and rows[3]["without-loc"] == 1 and rows[3]["entities-dropped"] == 1, rows[3]
    half = SITEMAP.encode()
    packed = gzip.compress(half[:100]) + gzip.compress(half[100:])
    assert run(["try", "sitemap", write(tmp, "s", packed), "--url", "https://e.org/d/s.xml"]).out == done.out
    cut = run(["try", "sitemap", write(tmp, "c", packed[:-9])])
    assert cut.code == 1 and "gzip" in cut.err and '"summary"' in cut.out, cut
    assert json.loads(run(["try", "sitemap", "-"], stdin=SITEMAP).out.splitlines()[1])["url"] == "/a?b&c"
    page = run(["try", "sitemap", "-"], stdin="<!doctype html><title>404</title>")
    assert page.code == 1 and '"html"' in page.out, page
    assert run(["try", "sitemap"]).code == 2
    assert run(["try", "sitemap", "-", "--url", "no"], stdin=SITEMAP).code == 2


@case("try links gives every reference with element, attribute, rel and text, resolved")
def _(tmp):
    file = write(tmp, "p.html", PAGE)
    done = run(["try", "links", file, "--url", "https://e.org/"])
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [r["url"] for r in rows] == ["https://e.org/b/" + x for x in ("x?a=1&b=2", "a", "b", "c.css", "d.png")], done
    assert rows[0]["element"] == "a" and rows[0]["attribute"] == "href"
    assert rows[0]["rel"] == "nofollow" and rows[0]["text"] == "go on"
    assert run(["try", "links", "-", "--url", "https://e.org/"], stdin=PAGE).out == done.out
    assert run(["try", "links", file, "--url", "not a url"]).code == 2


def links(page, *options):
    done = run(["try", "links", "-", "--url", "https://e.org/d/p?\u00e4"] + list(options), stdin=page)
    assert done.code == 0, done
    return [json.loads(line)["url"] for line in done.out.splitlines()]


@case("try links reads by content type: XHTML, CSS, and nothing in what has no links")
def _(tmp):
    page = '<script src="a"/><title/><a href="b"/><a href="c">'
    assert links(page, "--content-type", "application/xhtml+xml; charset=utf-8") == ["https://e.org/d/" + x for x in "abc"]
    assert links(page) == ["https://e.org/d/a"]
    assert links('@import "a"; p { background: url(b) }', "--content-type", "text/css") == ["https://e.org/d/a", "https://e.org/d/b"]
    assert links(page, "--content-type", "text/plain") == links("") == []


@case("try links takes no data: or javascript: as base, and the page's own URL as UTF-8")
def _(tmp):
    for base in "data:,x", "javascript:1", "http://[":
        assert links(f'<base href="{base}"><a href=y>') == ["https://e.org/d/y"]
    assert links('<meta charset=windows-1252><a href=""><a href="?&auml;">') == ["https://e.org/d/p?%C3%A4", "https://e.org/d/p?%E4"]
    long = "data:image/png;base64," + "A" * 4000
    assert links(f'<img src="{long}">') == [long]


@case("try text shows title and visible text in the page's charset")
def _(tmp):
    file = write(tmp, "p.html", "<title>Gr\u00fc\u00dfe</title><p>\u043f\u0440\u0438\u0432\u0435\u0442<script>no</script>".encode("utf-8"))
    done = run(["try", "text", file])
    assert "title: Gr\u00fc\u00dfe" in done.out and "\u043f\u0440\u0438\u0432\u0435\u0442" in done.out and "no" not in done.out, done
    file = write(tmp, "c.html", "<p>\u043f\u0440\u0438\u0432\u0435\u0442".encode("windows-1251"))
    assert "\u043f\u0440\u0438\u0432\u0435\u0442" in run(["try", "text", file, "--content-type", "text/html; charset=cp1251"]).out


@case("D4 simulate balance keeps the default's largest deviation under 4.5 % up to 100 agents")
def _(tmp):
    svg = os.path.join(tmp, "b.svg")
    done = run(["simulate", "balance", "--svg", svg], seconds=240)
    assert done.code == 0, done
    largest = done.out[done.out.index("largest deviation"):].splitlines()
    agents = [int(n) for n in largest[1].split()[1:]]
    default = next(line for line in largest if "<- default" in line)
    shares = [float(n) for n in re.findall(r"\d+\.\d+", default)]
    assert len(shares) == len(agents)
    assert all(s < 4.5 for s, n in zip(shares, agents) if n <= 100), default
    assert xml.etree.ElementTree.parse(svg).getroot().tag.endswith("svg")


@case("try warc ends with 1 and the offset when an archive is cut, and lists what was whole")
def _(tmp):
    text = (b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000%d>\r\n"
            b"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://e.org/\r\nContent-Type: text/plain\r\n"
            b"Content-Length: 5\r\n\r\nhello\r\n\r\n")
    whole = write(tmp, "w.warc", text % 1 + text % 2)
    done = run(["try", "warc", whole])
    assert done.code == 0 and done.out.count("resource") == 2, done
    cut = write(tmp, "c.warc", (text % 1 + text % 2)[:-20])
    done = run(["try", "warc", cut, whole])
    assert done.code == 1 and done.out.count("resource") >= 3, done
    assert "c.warc" in done.err + done.out and re.search(r"\b\d{3}\b", done.err), done


@case("a line of standard input is read whole, NUL and all, and one without end is refused")
def _(tmp):
    file = write(tmp, "robots.txt", ROBOTS)
    done = run(["try", "robots", file, "--agent", "x"], stdin="/a\0b\n/private/\n")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["allow", "deny"], done
    done = run(["try", "robots", file, "--agent", "x"], stdin="/" * (1 << 20) + "/\n/private/\n")
    assert done.code == 1 and "over the limit" in done.err, done.err


@case("the commands of the README exist, and its wirings run")
def _(tmp):
    readme = open(os.path.join(ROOT, "README.md"), encoding="utf-8").read()
    for command in set(re.findall(r"build/orbweaver ((?:try|simulate|config) \w+|check)", readme)):
        assert run(command.split() + ["--help"]).code == 0, command
    for path in set(re.findall(r"(?:wirings|docs)/[\w./-]+\.(?:yaml|md|svg)", readme)):
        assert os.path.exists(os.path.join(ROOT, path)), path
    done = run(["try", "wiring", os.path.join(ROOT, "wirings/share-of-urls.yaml")],
               stdin="".join(f"http://host{i}.example/?utm_source=x\n" for i in range(400)))
    assert done.code == 0 and 50 < len(done.out.splitlines()) < 150, done
    assert "utm_source" not in done.out


main()
