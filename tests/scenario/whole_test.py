# SPDX-License-Identifier: Apache-2.0
"""report and every export over several directories as one crawl, as those of a cluster's agents: what
two of them say together is what one says that did everything.

argv: orbweaver."""
import gzip
import hashlib
import json
import os
import re
import zipfile

from scenario import case, main, run
from small_crawl import SmallCrawl

A, B = "http://www.a.example", "https://b.example"
MINE = {A + "/": [A + "/one", B + "/", B + "/two"], A + "/one": [A + "/", B + "/two", A + "/later"]}
THEIRS = {B + "/": [A + "/", B + "/two"], B + "/two": [B + "/", A + "/one", B + "/never"]}


def fetch(crawl, pages, outside=()):
    for url, links in pages.items():
        crawl.page(url, links=links, outside=outside, seed=url == A + "/")


def agents(tmp):
    """Two that each fetched its own host and found URLs of both; one that did everything."""
    a, b, one = (SmallCrawl(os.path.join(tmp, name)) for name in ("x", "y", "one"))
    fetch(a, MINE)
    fetch(b, THEIRS, ["http://elsewhere.example/"])
    fetch(one, MINE)
    fetch(one, THEIRS, ["http://elsewhere.example/"])
    return [c.close() for c in (a, b, one)]


def graph_of(folder):
    def lines(name):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            return f.read().splitlines()
    nodes = dict(line.split(" ", 1) for line in lines("links.nodes"))
    arcs = [tuple(line.split()) for line in lines("links.arcs")]
    assert arcs == sorted(set(arcs), key=lambda p: (int(p[0]), int(p[1])))
    assert len(set(nodes.values())) == len(nodes) and sorted(map(int, nodes)) == list(range(len(nodes)))
    return set(nodes.values()), {(nodes[x], nodes[y]) for x, y in arcs}


@case("links: one node a URL, whoever found it, and the arcs of all")
def _(tmp):
    x, y, one = agents(tmp)
    done = run(["export", "links", x, y, "-o", os.path.join(tmp, "g")])
    assert done.code == 0 and "2 arcs lead outside" in done.err, done
    assert run(["export", "links", one]).code == 0
    assert graph_of(os.path.join(tmp, "g")) == graph_of(os.path.join(one, "links/graph"))
    assert sorted(os.listdir(os.path.join(tmp, "g"))) == ["links.arcs", "links.nodes"]
    assert run(["export", "links", x, y]).code == 2, "several, and nowhere to write to"


@case("links --to: pages of all directories, each once")
def _(tmp):
    x, y, one = agents(tmp)
    for url in (A + "/one", B + "/two", A + "/"):
        both, alone = (json.loads(run(["export", "links", *dirs, "--to", url, "--json"]).out)
                       for dirs in ([x, y], [one]))
        assert sorted(p["url"] for p in both["pages"]) == sorted(p["url"] for p in alone["pages"]), both
        assert both["count"] == alone["count"] > 1


@case("sitemap: the pages of all, each once, in one order")
def _(tmp):
    x, y, one = agents(tmp)
    both, alone = (re.findall("<loc>(.*?)</loc>", run(["export", "sitemap", *dirs]).out)
                   for dirs in ([x, y], [one]))
    assert both == alone == sorted(both) and len(both) == 4


@case("wacz: archives of all, though they have one name, and one index that leads to each capture")
def _(tmp):
    x, y, _ = agents(tmp)
    path = os.path.join(tmp, "all.wacz")
    done = run(["export", "wacz", x, y, "-o", path])
    assert done.code == 0 and "4 captures of 2 archives" in done.err, done
    with zipfile.ZipFile(path) as z:
        for r in json.loads(z.read("datapackage.json"))["resources"]:
            assert r["hash"] == "sha256:" + hashlib.sha256(z.read(r["path"])).hexdigest(), r
        lines = gzip.decompress(z.read("indexes/index.cdx.gz")).decode().splitlines()
        assert lines == sorted(lines, key=str.encode) and len(lines) == 4
        for row in (json.loads("{" + line.split(" {", 1)[1]) for line in lines):
            data, at = z.read("archive/" + row["filename"]), int(row["offset"])
            assert f"WARC-Target-URI: {row['url']}\r\n".encode() in gzip.decompress(
                data[at:at + int(row["length"])])
        for name, count in (("pages/pages.jsonl", 2), ("pages/extraPages.jsonl", 4)):
            rows = [json.loads(line) for line in z.read(name).decode().splitlines()]
            assert len(rows) == count and sum("format" in r for r in rows) == 1, rows
        assert len(z.read("logs/crawl.log").splitlines()) == 4
    assert run(["export", "wacz", x, y]).code == 2, "several, and no name for the file"


@case("report: the sum of all with the structure of links, as if one had done everything")
def _(tmp):
    x, y, one = agents(tmp)
    both, alone = (json.loads(run(["report", *dirs, "--json"]).out) for dirs in ([x, y], [one]))
    assert both["archiveFiles"] == 2 and alone["archiveFiles"] == 1, (both, alone)
    for key in ("first", "last", "archiveFiles", "archiveRecords"):
        del both[key], alone[key]
    assert sorted(map(str, both["links"].pop("mostLinked"))) == sorted(map(str, alone["links"].pop("mostLinked")))
    assert both == alone, (both, alone)
    assert both["links"]["outDegrees"]["sum"] == 13 and both["links"]["remaining"] == 2


@case("report: a sitemap that was fetched is not left to do, and is no robots.txt")
def _(tmp):
    c = SmallCrawl(os.path.join(tmp, "crawl"))
    c.page(A + "/robots.txt", 200, "text/plain", b"Sitemap: /map.xml", path="P")
    c.page(A + "/", seed=True, links=[A + "/later"])
    c.admit(A + "/map.xml")
    c.page(A + "/map.xml", 200, "text/xml", b"<urlset/>", path="P")
    got = json.loads(run(["report", "--json", c.close()]).out)
    assert (got["links"]["known"], got["links"]["remaining"]) == (3, 1), got["links"]
    assert (got["answers"], got["robots"]) == (3, 1), got


@case("cdxj: several directories as often as one likes; nothing stays behind")
def _(tmp):
    x, y, _ = agents(tmp)
    first = run(["export", "cdxj", x, y])
    assert first.code == 0 and len(first.out.splitlines()) == 4, first
    assert run(["export", "cdxj", x, y]).out == first.out
    assert not [name for name in os.listdir(x) if name.endswith(".cdxj")], os.listdir(x)


main()
