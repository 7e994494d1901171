# SPDX-License-Identifier: Apache-2.0
"""export: what a crawl's directory is turned into, read by programs that are not ours."""
import gzip
import hashlib
import json
import os
import re
import subprocess
import xml.etree.ElementTree as xml
import zipfile

import read_only
import warcio
from scenario import PROGRAM, ROOT, case, main, run, skip, write
from small_crawl import SmallCrawl, usual
from small_web import SmallWeb, crawl, page

A, B = "http://www.a.example", "https://b.example"
NS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def snapshot(folder):
    return {os.path.join(at, f): read(at, f) for at, _, files in os.walk(folder) for f in files}


def unchanged(before, folder, made=()):
    """All that was there is as it was; what is new is what was to be made."""
    after = snapshot(folder)
    assert {k: after[k] for k in before} == before
    new = {os.path.relpath(k, folder) for k in after if k not in before} - {"scratch/LOCK"}
    assert new == set(made), new


@case("what is not a crawl is refused with exit 2 and a clear word, by every command")
def _(tmp):
    for what in ("cdxj", "wacz", "links", "pages", "sitemap"):
        for path, word in ((tmp, "not a crawl"), (os.path.join(tmp, "none"), "no such folder"),
                           (write(tmp, "file", ""), "not a folder")):
            done = run(["export", what, path])
            assert done.code == 2 and word in done.err and not done.out, done
        assert run(["export", what]).code == 2
        assert run(["export", what, tmp, tmp]).code == 2
    assert not os.path.exists(os.path.join(tmp, "none"))
    done = run(["export"])
    assert done.code == 2 and "cdxj" in done.err and "sitemap" in done.err


@case("cdxj: the lines sorted by bytes, each once; the crawl's own files stay as they are")
def _(tmp):
    c = usual(tmp)
    c.cdxj.append(c.cdxj[0])
    folder = c.close()
    before = snapshot(folder)
    done = run(["export", "cdxj", folder])
    assert done.code == 0 and done.out == "" and "8 captures" in done.err, done
    expected = "".join(line + "\n" for line in sorted(set(c.cdxj), key=str.encode)).encode()
    assert read(folder, "indexes/index.cdxj") == expected
    unchanged(before, folder, ["indexes/index.cdxj"])
    assert run(["export", "cdxj", folder, "-o", "-"]).out.encode() == expected
    copy = os.path.join(tmp, "copy.cdxj")
    assert run(["export", "cdxj", folder, "-o", copy]).out == "" and read(copy) == expected


ODD = ["http://h.example/a/", "http://h.example/a//", "http://h.example/", "http://h.example", "https://h.example:443/a/?",
       "http://h.example:443/", "http://WWW.h.example/A/B%C3%a4/%7Eb", "http://www7.h.example/", "http://wwwx.h.example/",
       "http://www.www.h.example/", "http://h.example/?", "http://h.example/?&", "http://h.example/?b&&a=&A=1&a=0",
       "http://h.example/a?Z=%c3&y=B/&x=%2F", "http://u:p@www.h.example/x/", "http://u@h.example:81/x/", "http://1.2.3.4/a/",
       "http://0x7f.1:8080/", "http://[2001:DB8::1]:8080/a/", "http://[::ffff:1.2.3.4]/", "http://a,b.h.example/a,b/",
       "http://b\u00fccher.example/\u00e4/?\u00f6", "http://xn--bcher-kva.example/", "http://h.example./a/",
       "http://h.example/a;b=c/d!$'()*+,=:@/~_-.", "http://h.example/a\\b/../c/./", "http://h.example/%2e%2E/a",
       "http://h.example/a?b'c\"d|e\\f^g`h{i}", "http://h.example/a#b", "http://h.example/a/?q=a+b%20c&a[]=1&a[]=0",
       "http://h.example/" + "a/" * 2000, "http://h.example/?" + "&".join(f"k{i * 7919 % 3000}" for i in range(3000)),
       "https://h.example/" + "x" * 60000 + "/"]


@case("keys of the index are those of warcio.js, also of odd URLs")
def _(tmp):
    rows = [json.loads(line) for line in run(["try", "url", *ODD]).out.splitlines()]
    assert len(rows) == len(ODD) and not [r for r in rows if "error" in r], rows
    theirs = warcio.keys([r["normalised"] for r in rows])
    wrong = [(r["url"], r["cdx"], key) for r, key in zip(rows, theirs) if r["cdx"] != key]
    assert not wrong, wrong


@case("lines of an earlier version, whose keys have no slash at their end, get the key of today")
def _(tmp):
    folders = []
    for name in ("one", "two"):
        c = SmallCrawl(os.path.join(tmp, name))
        for i in range(30):
            c.page(f"http://{name}.example/big/a-{i:04}.html")
        c.page(f"http://{name}.example/big/a/", seed=True)
        right, c.cdxj[-1] = sorted(c.cdxj), c.cdxj[-1].replace("/big/a/ ", "/big/a ", 1)
        assert c.cdxj[-1] not in right
        folders.append(c.close())
        assert run(["export", "cdxj", folders[-1], "-o", "-"]).out.splitlines() == right
        index = os.path.join(folders[-1], "indexes/index.cdxj")
        with open(index, "w", encoding="utf-8") as f:  # also where the sorted index is all there is
            f.write("".join(line + "\n" for line in sorted(c.cdxj)))
        os.rename(os.path.join(folders[-1], "indexes/parts/index.cdxj"), os.path.join(tmp, "kept"))
        assert run(["export", "cdxj", folders[-1], "-o", "-"]).out.splitlines() == right
        os.rename(os.path.join(tmp, "kept"), os.path.join(folders[-1], "indexes/parts/index.cdxj"))
        wacz = os.path.join(tmp, name + ".wacz")
        assert run(["export", "wacz", folders[-1], "-o", wacz]).code == 0
        with zipfile.ZipFile(wacz) as z:
            assert gzip.decompress(z.read("indexes/index.cdx.gz")).decode().splitlines() == right
    both = run(["export", "cdxj", *folders]).out.splitlines()
    assert len(both) == 62 and both == sorted(both) and [x for x in both if x.startswith("example,two)/big/a/ ")], both


@case("a line that is just being written is left for the next time")
def _(tmp):
    c = usual(tmp)
    folder = c.close()
    for name in ("indexes/parts/index.cdxj", "logs/crawl.log", "links/links.nodes", "links/links.arcs",
                 "pages/extraPages.jsonl"):
        with open(os.path.join(folder, name), "ab") as f:
            f.write(b"half of a li")
    assert "8 captures" in run(["export", "cdxj", folder]).err
    assert "damaged" in run(["export", "pages", folder]).err
    assert " 0 damaged" in run(["export", "pages", folder]).err
    assert " 0 damaged" in run(["export", "links", folder]).err
    assert json.loads(run(["report", "--json", folder]).out)["damagedLines"] == 0


@case("a crawl of which nothing is there yet exports nothing, and well")
def _(tmp):
    c = SmallCrawl(os.path.join(tmp, "crawl"))
    folder = c.close()
    for what in (["cdxj", "-o", "-"], ["links"], ["pages"], ["sitemap"], ["wacz"]):
        done = run(["export", what[0], folder, *what[1:]])
        assert done.code == 0, (what, done)
    os.remove(os.path.join(folder, "links/links.arcs"))
    assert run(["export", "links", folder]).code == 0
    assert read(folder, "links/graph/links.arcs") == b""


def graph_of(folder):
    nodes = dict(line.split(" ", 1) for line in read(folder, "links.nodes").decode().splitlines())
    arcs = [tuple(line.split()) for line in read(folder, "links.arcs").decode().splitlines()]
    return nodes, arcs


@case("links: nodes in the order they were found, arcs by number, each once, none to outside")
def _(tmp):
    c = usual(tmp)
    folder = c.close()
    before = snapshot(folder)
    done = run(["export", "links", folder])
    assert done.code == 0 and "1 arcs lead outside" in done.err, done
    unchanged(before, folder, ["links/graph/links.nodes", "links/graph/links.arcs"])
    nodes, arcs = graph_of(os.path.join(folder, "links/graph"))
    assert [nodes[str(i)] for i in range(len(nodes))] == [n.split(" ", 1)[1] for n in c.nodes]
    assert arcs == sorted(arcs, key=lambda p: (int(p[0]), int(p[1]))) and len(set(arcs)) == len(arcs)
    assert {(nodes[x], nodes[y]) for x, y in arcs} == {
        (A + "/", A + "/one"), (A + "/", A + "/pic.png"), (A + "/", B + "/"), (A + "/one", B + "/"),
        (A + "/one", A + "/"), (A + "/one", A + "/later"), (B + "/", B + "/home"), (B + "/home", A + "/")}
    to = os.path.join(tmp, "graph")
    assert run(["export", "links", folder, "-o", to]).code == 0
    assert graph_of(to) == (nodes, arcs) and sorted(os.listdir(to)) == ["links.arcs", "links.nodes"]


@case("links: twelve nodes and more are sorted as numbers, and damaged lines are counted")
def _(tmp):
    c = SmallCrawl(os.path.join(tmp, "crawl"))
    urls = [f"http://a.example/{i}" for i in range(12)]
    for url in urls:
        c.page(url, links=urls)
    c.arcs += ["nonsense", c.arcs[0] + " L12", "0123456789abcdeg Laaaaaaaaaaaaaaaa"]
    c.nodes += ["short", "0123456789abcdef"]
    folder = c.close()
    done = run(["export", "links", folder])
    assert "12 nodes, 144 arcs" in done.err and "5 damaged" in done.err, done
    arcs = graph_of(os.path.join(folder, "links/graph"))[1]
    assert [(int(x), int(y)) for x, y in arcs] == [(x, y) for x in range(12) for y in range(12)]


@case("links --to: the pages with a link to a URL, however the URL is written, and how many")
def _(tmp):
    folder = usual(tmp).close()
    done = run(["export", "links", folder, "--to", "HTTP://www.A.example:80/#top"])
    assert done.code == 0 and done.out == f"L\t{A}/one\nL\t{B}/home\n", done
    assert "2 pages link to http://www.a.example/" in done.err
    got = json.loads(run(["export", "links", folder, "--to", A + "/pic.png", "--json"]).out)
    assert got == {"to": A + "/pic.png", "pages": [{"url": A + "/", "hops": "E"}], "count": 1}
    done = run(["export", "links", folder, "--to", "http://nobody.example/"])
    assert done.code == 0 and done.out == "" and "0 pages" in done.err
    done = run(["export", "links", folder, "--to", "http://[/"])
    assert done.code == 2 and "--to" in done.err


@case("pages: fields by tabs, or the crawl's own JSON; a title cannot forge a field")
def _(tmp):
    c = usual(tmp)
    c.page(A + "/evil", title="a\tb\nc\u009b31m\x1b[0m\u202exe.gpj\u2066")
    folder = c.close()
    done = run(["export", "pages", folder])
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert lines[0] == ["url", "ts", "status", "mime", "title", "depth", "seed"], lines[0]
    assert all(len(line) == 7 for line in lines) and len(lines) == 9, lines
    assert lines[1] == [A + "/", "2024-05-06T07:00:02Z", "200", "text/html", "The first of \u00e9 pages", "0", "seed"]
    assert lines[-1][4] == "a b c\\u009b31m\\u001b[0m\\u202exe.gpj\\u2066", lines[-1]
    got = run(["export", "pages", folder, "--json"]).out.splitlines()
    # a terminal gets them escaped, with the same meaning; a file as the crawl wrote them
    assert [json.loads(line) for line in got] == [json.loads(line) for line in c.pages[1:] + c.extra[1:]]
    assert not re.search("[\u0080-\u009f\u202a-\u202e\u2066-\u2069]", got[-1]) and "\u202e" in c.extra[-1]
    assert run(["export", "pages", folder, "--json", "-o", tmp + "/lines"]).code == 0
    assert read(tmp, "lines").decode().splitlines() == c.pages[1:] + c.extra[1:]
    path = os.path.join(tmp, "pages.tsv")
    assert run(["export", "pages", folder, "-o", path]).code == 0 and read(path).decode() == done.out


@case("no command lets a page steer the terminal: titles, types, headers and links are escaped")
def _(tmp):
    steering = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
    title = "good\u202egpj.exe\u2069\u009b31m\x1b]0;owned\x07 \u061c\u200e\u200f"
    html = page(title, f"text {title}", [(f"/{title}", title)])
    path = write(tmp, "page.html", html.decode())
    with SmallWeb({"/": (200, {"Content-Type": "text/html; charset=utf-8", "X-Odd": "a\x9bb"}, html)}) as web:
        crawl(web.url("/"), tmp + "/c")
        for words in (["fetch", "--allow-private", web.url("/")],
                      ["fetch", "--allow-private", "--json", web.url("/")],
                      ["export", "pages", tmp + "/c"], ["export", "pages", "--json", tmp + "/c"],
                      ["export", "cdxj", tmp + "/c", "-o", "-"], ["export", "links", tmp + "/c"],
                      ["report", tmp + "/c"], ["report", "--json", tmp + "/c"],
                      ["url", tmp + "/c", web.url("/")], ["seeds", "list", tmp + "/c"],
                      ["try", "text", path], ["try", "text", "--json", path],
                      ["try", "links", path, "--base", "http://a.example/"],
                      ["crawl", f"http://a.example:x/{title}".replace("\x07", ""), "-o", tmp + "/d"]):
            done = run(words)
            assert done.out or done.err, words
            for text in (done.out, done.err):
                found = steering.search(text)
                assert not found, (words, ascii(text[max(0, found.start() - 40):found.end() + 40]))
        shown = run(["fetch", "--allow-private", web.url("/")]).out
        assert "good\\u202egpj.exe\\u2069\\u009b31m" in shown, shown
        told = json.loads(run(["fetch", "--allow-private", "--json", web.url("/")]).out)
        assert "good\u202egpj.exe\u2069" in told["page"]["title"], ascii(told["page"])


@case("sitemap: HTML answered 200, each once, escaped, with its last date")
def _(tmp):
    c = usual(tmp)
    c.page(A + "/one")
    folder = c.close()
    done = run(["export", "sitemap", folder])
    assert done.code == 0, done
    root = xml.fromstring(done.out)
    rows = {u.find(NS + "loc").text: u.find(NS + "lastmod").text for u in root}
    assert root.tag == NS + "urlset" and rows == {
        A + "/": "2024-05-06T07:00:02Z", A + "/one": "2024-05-06T07:00:10Z",
        B + "/home": "2024-05-06T07:00:06Z", B + "/copy?x=1&y=2": "2024-05-06T07:00:07Z"}, rows
    reader = run(["try", "sitemap", write(tmp, "s.xml", done.out)])
    assert reader.code == 0 and '"entries":4' in reader.out, reader


@case("sitemap: more than a file may hold become parts with an index")
def _(tmp):
    folder = usual(tmp).close()
    done = run(["export", "sitemap", folder, "--most", "3"])
    assert done.code == 2 and "-o FILE.xml" in done.err and done.out == "", done
    path = os.path.join(tmp, "map.xml")
    done = run(["export", "sitemap", folder, "--most", "3", "-o", path, "--base", "https://a.example/maps"])
    assert done.code == 0, done
    index = xml.fromstring(read(path))
    assert index.tag == NS + "sitemapindex"
    assert [s.find(NS + "loc").text for s in index] == [f"https://a.example/maps/map-{i}.xml" for i in (1, 2)]
    parts = [xml.fromstring(read(tmp, f"map-{i}.xml")) for i in (1, 2)]
    assert [len(p) for p in parts] == [3, 1]
    assert sorted(os.listdir(tmp)) == ["crawl", "map-1.xml", "map-2.xml", "map.xml"]
    assert run(["export", "sitemap", folder, "-o", "map.txt"]).code == 2


def check_wacz(path, c):
    """Sizes and digests as the package says, the index as the crawl's; returns the package."""
    with zipfile.ZipFile(path) as z:
        assert z.testzip() is None
        package = json.loads(z.read("datapackage.json"))
        digest = json.loads(z.read("datapackage-digest.json"))
        assert digest == {"path": "datapackage.json",
                          "hash": "sha256:" + hashlib.sha256(z.read("datapackage.json")).hexdigest()}
        assert package["profile"] == "data-package" and package["wacz_version"] == "1.1.1"
        names = {r["path"] for r in package["resources"]}
        assert names | {"datapackage.json", "datapackage-digest.json"} == set(z.namelist())
        for r in package["resources"]:
            data = z.read(r["path"])
            assert r["bytes"] == len(data) and r["name"] == os.path.basename(r["path"])
            assert r["hash"] == "sha256:" + hashlib.sha256(data).hexdigest()
        for info in z.infolist():
            if info.filename.startswith("archive/"):
                assert info.compress_type == zipfile.ZIP_STORED
        cdx = z.read("indexes/index.cdx.gz")
        assert gzip.decompress(cdx).decode().splitlines() == sorted(set(c.cdxj), key=str.encode)
        check_blocks(cdx, z.read("indexes/index.idx").decode().splitlines())
        check_captures(z, c)
    return package


def check_blocks(cdx, heads):
    assert heads[0] == '!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}'
    at = 0
    for head in heads[1:]:
        key, text = head.split(" {", 1)
        row = json.loads("{" + text)
        block = cdx[at:at + row["length"]]
        assert row["offset"] == at and row["filename"] == "index.cdx.gz"
        assert row["digest"] == "sha256:" + hashlib.sha256(block).hexdigest()
        assert gzip.decompress(block).decode().startswith(key + " {")
        at += row["length"]
    assert at == len(cdx)


def check_captures(z, c):
    for line in c.cdxj:
        row = json.loads("{" + line.split(" {", 1)[1])
        data = z.read("archive/" + row["filename"])
        member = data[int(row["offset"]):int(row["offset"]) + int(row["length"])]
        assert f"WARC-Target-URI: {row['url']}\r\n".encode() in gzip.decompress(member)


@case("wacz: every file with its size and digest, archives stored, captures where the index says")
def _(tmp):
    c = usual(tmp)
    folder = c.close()
    before = snapshot(folder)
    done = run(["export", "wacz", folder + "/", "--title", "A \"small\" crawl"])
    assert done.code == 0 and "8 captures of 1 archives" in done.err, done
    package = check_wacz(folder + ".wacz", c)
    assert package["title"] == 'A "small" crawl' and package["mainPageUrl"] == A + "/"
    assert package["software"].startswith("orbweaver ")
    with zipfile.ZipFile(folder + ".wacz") as z:
        for name in ("pages/pages.jsonl", "pages/extraPages.jsonl", "logs/crawl.log"):
            assert z.read(name) == read(folder, name)
        assert z.read("archive/" + c.archive) == c.warc
    unchanged(before, folder)


@case("wacz: an index of more than a block's lines stands in several")
def _(tmp):
    c = SmallCrawl(os.path.join(tmp, "crawl"))
    c.page("http://a.example/", seed=True)
    one = json.loads("{" + c.cdxj[0].split(" {", 1)[1])
    c.cdxj += [f"example,a)/ 20240507{i // 3600:02}{i // 60 % 60:02}{i % 60:02} {json.dumps(one)}" for i in range(7000)]
    folder = c.close()
    path = os.path.join(tmp, "x.wacz")
    assert run(["export", "wacz", folder, "-o", path]).code == 0
    check_wacz(path, c)
    with zipfile.ZipFile(path) as z:
        assert len(z.read("indexes/index.idx").splitlines()) == 1 + 3


@case("wacz: of an archive being written goes in what the index knows, and nothing torn")
def _(tmp):
    c = usual(tmp, is_open=True)
    whole = len(c.warc)
    c.warc += b"\x1f\x8bhalf of a record"
    folder = c.close()
    write(folder, "archive/OW-20240506070810000-00001-box.warc.gz.open", b"\x1f\x8b")
    path = os.path.join(tmp, "x.wacz")
    done = run(["export", "wacz", folder, "-o", path])
    assert done.code == 0 and "of 1 archives" in done.err, done
    check_wacz(path, c)
    with zipfile.ZipFile(path) as z:
        assert z.getinfo("archive/" + c.archive).file_size == whole


@case("wacz: where it cannot be written nothing is left behind")
def _(tmp):
    folder = usual(tmp).close()
    done = run(["export", "wacz", folder, "-o", os.path.join(tmp, "no/such/x.wacz")])
    assert done.code == 1 and "x.wacz" not in os.listdir(tmp), done
    assert not os.path.exists(os.path.join(folder, "scratch"))
    os.makedirs(os.path.join(tmp, "full", "x.wacz"))  # found out when all is there
    done = run(["export", "wacz", folder, "-o", os.path.join(tmp, "full", "x.wacz")])
    assert done.code == 1 and os.listdir(os.path.join(tmp, "full")) == ["x.wacz"], done
    assert [f for f in os.listdir(os.path.join(folder, "scratch"))] == ["LOCK"]


@case("wacz: js-wacz makes the same index and the same resources of our archive")
def _(tmp):
    got = subprocess.run([os.path.join(ROOT, "tools", "get-js-wacz")], capture_output=True, text=True,
                         timeout=300, check=False)
    if got.returncode:
        skip("js-wacz (" + got.stderr.strip() + ")")
    c = usual(tmp)
    folder, theirs, ours = c.close(), os.path.join(tmp, "theirs.wacz"), os.path.join(tmp, "ours.wacz")
    cli = os.path.join(got.stdout.strip(), "node_modules/@harvard-lil/js-wacz/bin/cli.js")
    made = subprocess.run(["node", cli, "create", "-f", os.path.join(folder, "archive", c.archive), "-p",
                           os.path.join(folder, "pages"), "-o", theirs], capture_output=True, text=True,
                          timeout=120, check=False)
    assert made.returncode == 0 and os.path.exists(theirs), made
    assert run(["export", "wacz", folder, "-o", ours]).code == 0
    with zipfile.ZipFile(theirs) as x, zipfile.ZipFile(ours) as y:
        # Its digests of files are not compared: it adds every piece of a file twice.
        resources = [{(r["path"], r["bytes"]): z.read(r["path"]) for r in json.loads(z.read("datapackage.json"))["resources"]
                      if not r["path"].startswith(("indexes/", "logs/"))} for z in (x, y)]
        assert resources[0] == resources[1] and len(resources[0]) == 3, resources
        places = []
        for lines in (x.read("indexes/index.cdx"), gzip.decompress(y.read("indexes/index.cdx.gz"))):
            rows = [json.loads("{" + line.split(" {", 1)[1]) for line in lines.decode().splitlines()]
            places.append({(r["url"], int(r["offset"]), int(r["length"]), r["filename"]) for r in rows})
        assert places[0] == places[1] and len(places[0]) == 8, places


def look(before, folder, to):
    """Every command on a folder with results in `to`: what it printed, and what it wrote."""
    os.makedirs(os.path.join(to, "tmp"))
    said = {}
    for words in (["report", folder], ["report", "-j", "-o", to, folder], ["export", "cdxj", folder, "-o", to + "/x.cdxj"],
                  ["export", "wacz", folder, "-o", to + "/x.wacz"], ["export", "links", folder, "-o", to + "/graph"],
                  ["export", "links", folder, "--to", A + "/"], ["export", "pages", folder],
                  ["export", "sitemap", folder, "-o", to + "/x.xml"], ["seeds", "list", folder],
                  ["try", "warc", os.path.join(folder, "archive", os.listdir(os.path.join(folder, "archive"))[0])]):
        done = run([*before[1:], PROGRAM, *words] if before else words, program=before[0] if before else None,
                   env={"TMPDIR": to + "/tmp"})
        assert done.code == 0, (words, done)
        said[" ".join(words[:2])] = (done.out, done.err)
    assert os.listdir(to + "/tmp") == [], os.listdir(to + "/tmp")
    with zipfile.ZipFile(to + "/x.wacz") as z:
        packed = {name: z.read(name) for name in z.namelist() if not name.startswith("datapackage")}
    os.remove(to + "/x.wacz")
    return said, packed, {os.path.relpath(path, to): data for path, data in snapshot(to).items()}


@case("a directory that cannot be written is looked into all the same, and left as it is")
def _(tmp):
    folder = usual(tmp).close()
    before, read_only_words = snapshot(folder), read_only.before(folder)
    said, packed, made = look(read_only_words, folder, os.path.join(tmp, "away"))
    assert snapshot(folder) == before
    assert "no files of the report are written; -o" in said["report " + folder][1], said
    for words, option in ((["export", "cdxj", folder], "-o FILE"), (["export", "links", folder], "-o FOLDER")):
        done = run([*read_only_words[1:], PROGRAM, *words], program=read_only_words[0])
        assert done.code == 1 and "cannot be written: " + option in done.err, done
    as_usual, usually_packed, usually_made = look([], folder, os.path.join(tmp, "usual"))
    assert packed == usually_packed and made == usually_made and len(made) == 8, (sorted(made), sorted(usually_made))
    assert {k: out for k, (out, _) in said.items()} == {k: out for k, (out, _) in as_usual.items()}


@case("two at a time are not let into one crawl")
def _(tmp):
    import fcntl
    folder = usual(tmp).close()
    assert run(["export", "cdxj", folder]).code == 0
    with open(os.path.join(folder, "scratch/LOCK"), "rb+") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        done = run(["export", "sitemap", folder])
        if done.code == 0:
            fcntl.flock(f, fcntl.LOCK_UN)
            fcntl.lockf(f, fcntl.LOCK_EX)
            done = run(["export", "sitemap", folder])
        assert done.code == 1 and "another export" in done.err, done


main()
