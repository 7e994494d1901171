# SPDX-License-Identifier: Apache-2.0
"""A crawl fetches what the simulated web's oracle says, each URL once, and what it leaves tells the
same as what the servers saw: for every scope, over http and https, in chunks and codings, on one
shard and on four."""
import collections
import os
import re
import urllib.parse

import warcio
from crawl import (Crawl, agree, agree_graph, few, no_leftovers, same_set, verify, verify_by_warcio, verify_digests,
                   wanted, witnessed)
from scenario import case, main, run, skip
from simweb import Simweb

WEB = ["--hosts", "14", "--pages", "25", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k"]
FOLLOWED = ("a", "area", "iframe", "frame", "feed", "refresh", "canonical", "alternate")


def crawled(tmp, *options, web=(), oracle=(), scope="any", shards=0, seeds=None, sets=None):
    """Crawls a web of its own and compares with the oracle; the crawl, and what it should fetch."""
    os.makedirs(tmp, exist_ok=True)
    with Simweb(*WEB, *web) as w:
        crawl = Crawl(w, tmp, "--scope", scope, *options, shards=shards, seeds=seeds, sets=sets)
        done = crawl.run()
        assert done.code == 0, done
        truth = w.oracle(w.run["home"], scope, *oracle)
        same_set(w, truth)
        seen = witnessed(w)
        _same_as_seen(crawl, seen)
        agree(crawl)
        agree_graph(crawl)
        verify(crawl)
        verify_digests(crawl)
        no_leftovers(crawl)
        assert w.report()["politeness"]["forbidden"] == 0
        return crawl, truth


def _same_as_seen(crawl, seen):
    """The archive holds what the servers were asked for, as often as they were."""
    captured = crawl.captured()
    assert captured == seen, f"archive without request {few((captured - seen).keys())}; " \
                             f"request without archive {few((seen - captured).keys())}"


for _scope in ("host", "domain", "any"):
    @case(f"scope {_scope}: what the oracle says, and nothing else")
    def _(tmp, scope=_scope):
        _, truth = crawled(tmp, scope=scope)
        print(f"# {scope}: {len(wanted(truth))} URLs")


@case("four shards fetch the same as one, and node's warcio reads what they wrote")
def _(tmp):
    crawl, _ = crawled(tmp, shards=4)
    assert len({r.shard for r in crawl.log()}) > 1, "only one shard had anything to do"
    print(f"# warcio computed {verify_by_warcio(crawl)} digests, "
          f"{warcio.same_keys(crawl.lines('indexes', 'index.cdxj'))} keys")


@case("one shard alone, archives of 200 KB each")
def _(tmp):
    crawl, _ = crawled(tmp, shards=1, sets={"ledger.warc-size": "200k"})
    assert len(crawl.archives()) > 3, crawl.archives()


@case("https, chunks and codings on every host")
def _(tmp):
    crawl, _ = crawled(tmp, web=["--https", "1", "--chunked", "1", "--coded", "1"])
    blocks = [r.block.partition(b"\r\n\r\n")[0].lower() for r in crawl.records() if r.kind == "response"]
    assert any(b"chunked" in b for b in blocks) and any(b"\ncontent-encoding: " in b for b in blocks)
    assert all(r.url.startswith("https://") for r in crawl.log() if r.path != "-"), crawl.log()[:3]


@case("HTTP/2 where it is offered, when asked for")
def _(tmp):
    with Simweb(*WEB) as w:
        if "HTTP/1.1 only" in Crawl(w, tmp, "--http2").run().err:
            skip("HTTP/2 (the engine speaks HTTP/1.1 only)")
    crawl, _ = crawled(tmp + "/h2", "--http2", web=["--https", "1"])
    kinds = collections.Counter(r.headers.get("WARC-Protocol", "") for r in crawl.records() if r.kind == "response")
    print(f"# {dict(kinds)}")


for _depth in (0, 1):
    @case(f"depth {_depth}")
    def _(tmp, depth=str(_depth)):
        crawled(tmp, "-l", depth, oracle=["--depth", depth])


for _depth, _shards, _seed in (("2", 1, "1"), ("3", 1, "1"), ("3", 2, "2"), ("4", 2, "3")):
    @case(f"depth {_depth} is exact, however a page was found first: web {_seed}, {_shards} shards")
    def _(tmp, depth=_depth, shards=_shards, seed=_seed):
        with Simweb(*WEB, "--seed", seed) as w:
            crawl = Crawl(w, tmp, "--scope", "any", "-l", depth, shards=shards)
            assert crawl.run().code == 0
            must, seen = wanted(w.oracle(w.run["home"], "any", "--depth", depth)), witnessed(w)
            assert not set(seen) - must, "too deep: " + few(set(seen) - must)
            assert not must - set(seen), "missed: " + few(must - set(seen))
            assert set(seen.values()) == {1}
            agree(crawl)


for _depth, _shards, _seed in (("3", 2, "1"), ("3", 1, "4")):
    @case(f"a sitemap is as near as the nearest page of its host, whichever was asked for first: web {_seed}")
    def _(tmp, depth=_depth, shards=_shards, seed=_seed):
        """Hosts that take their time: robots.txt is first asked for on a longer way than there is."""
        with Simweb(*WEB, "--seed", seed, "--latency-least", "1ms", "--latency-most", "60ms") as w:
            crawl = Crawl(w, tmp, "--scope", "any", "-l", depth, shards=shards)
            assert crawl.run().code == 0
            must, seen = wanted(w.oracle(w.run["home"], "any", "--depth", depth)), witnessed(w)
            assert not must - set(seen), "missed: " + few(must - set(seen))
            assert not set(seen) - must, "too deep: " + few(set(seen) - must)
            assert set(seen.values()) == {1}
            agree(crawl)


@case("depth 2 is exact across restarts, with another number of shards")
def _(tmp):
    with Simweb(*WEB, "--seed", "16") as w:
        for pages, shards in (("100", 2), ("300", 1), ("500", 2), ("0", 1)):
            crawl = Crawl(w, tmp, "--scope", "any", "-l", "2", "-n", pages, shards=shards)
            assert crawl.run().code == 0
        must, seen = wanted(w.oracle(w.run["home"], "any", "--depth", "2")), witnessed(w)
        assert set(seen) == must, "missed: " + few(must - set(seen)) + " too deep: " + few(set(seen) - must)
        assert set(seen.values()) == {1}
        agree(crawl)


@case("pages only: no picture, style or script")
def _(tmp):
    crawled(tmp, "--pages-only", oracle=["--pages-only"], shards=2)


@case("robots.txt ignored when the operator says so")
def _(tmp):
    with Simweb(*WEB, "--forbidden", "0.1") as w:
        crawl = Crawl(w, tmp, "--scope", "any", "--ignore-robots")
        done = crawl.run()
        assert done.code == 0 and "robots" in done.err, done
        truth = w.oracle(w.run["home"], "any", "--ignore-robots")
        without = wanted(w.oracle(w.run["home"], "any", "--ignore-robots", "--no-sitemaps"))
        for url in wanted(truth) - without:  # feeds are read, sitemaps are not known
            truth[url] = ("may", "")
        same_set(w, truth)
        assert w.report()["robots"]["requests"] == 0


@case("every bad habit of links at once: redirects, nofollow, copies, forbidden pages")
def _(tmp):
    crawled(tmp, web=["--redirects", "0.3", "--nofollow", "0.1", "--duplicates", "0.1", "--forbidden", "0.2",
                      "--seed", "7"])


def links_of(web, url):
    done = run(["page", "--dir", web.folder, "--show-links", url])
    return [line.split("\t") for line in done.out.splitlines()] if done.code == 0 else []


def walk(web, seed, is_inside):
    """What a crawl with such a scope must fetch, by the web's own list of links."""
    must, queue = {seed}, [(seed, True)]
    while queue:
        url, follows = queue.pop()
        for kind, to in links_of(web, url):
            is_link = kind in FOLLOWED
            if kind == "nofollow" or to in must or (is_link and not (follows and is_inside(to))):
                continue
            must.add(to)
            queue.append((to, is_link))
    return must


PLAIN = ["--redirects", "0", "--forbidden", "0", "--nofollow", "0"]


@case("scope page: the seeds and what they need")
def _(tmp):
    with Simweb(*WEB, *PLAIN) as w:
        crawl = Crawl(w, tmp, "--scope", "page")
        assert crawl.run().code == 0
        truth = {u: ("must", "") for u in walk(w, w.run["home"], lambda u: False)}
        same_set(w, truth)
        agree(crawl)


@case("scope prefix: the seed's folder, and what its pages need")
def _(tmp):
    with Simweb(*WEB, *PLAIN) as w:
        home = w.run["home"]
        folders = collections.Counter(urllib.parse.urljoin(to, ".") for kind, to in links_of(w, home)
                                      if kind == "a" and to.startswith(home) and to.count("/") == 4)
        folder = folders.most_common(1)[0][0]
        seed = next(to for kind, to in links_of(w, home) if kind == "a" and to.startswith(folder))
        crawl = Crawl(w, tmp, "--scope", "prefix", seeds=[seed])
        assert crawl.run().code == 0
        must = walk(w, seed, lambda u: u.startswith(folder))
        assert len(must) > 5, must
        same_set(w, {u: ("must", "") for u in must})
        agree(crawl)


@case("a list of seeds, some bad, in a file: the good ones are crawled, the bad ones named")
def _(tmp):
    with Simweb(*WEB) as w:
        path = tmp + "/seeds"
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"# a comment\n\n{w.run['home']}\nftp://example.org/\nhttp://[/\n")
        crawl = Crawl(w, tmp, "--scope", "host", "-i", path, seeds=[])
        done = crawl.run()
        assert done.code == 0 and done.err.count("seed.refused") == 2, done
        same_set(w, w.oracle(w.run["home"], "host"))


@case("a limit of pages is kept, and the same command goes on behind it")
def _(tmp):
    with Simweb(*WEB) as w:
        first = Crawl(w, tmp, "--scope", "any", "-n", "50")
        assert first.run().code == 0
        assert sum(witnessed(w).values()) == 50, sum(witnessed(w).values())
        rest = Crawl(w, tmp, "--scope", "any", "-n", "0")  # the directory remembers what it was told
        assert rest.run().code == 0
        same_set(w, w.oracle(w.run["home"], "any"))
        agree(rest)


@case("what a server was sent is what the archive says it was")
def _(tmp):
    crawl, _ = crawled(tmp, "--user-agent", "spider/1.0", "--contact", "mail@example.org", scope="host")
    requests = [r for r in crawl.records() if r.kind == "request"]
    for r in requests:
        parts = urllib.parse.urlsplit(r.url)
        target = r.url.split(parts.netloc, 1)[1]
        assert r.block.startswith(f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\n".encode()), r.block
        assert re.search(rb"\r\nUser-Agent: spider/1\.0 .*mail@example\.org", r.block), r.block
        assert r.block.endswith(b"\r\n\r\n")


main(threads=2)
