# SPDX-License-Identifier: Apache-2.0
"""The link index: which pages link to a URL, asked while the crawl runs, after kill -9, when it has
ended and after damage. Every answer is compared with links.arcs and links.nodes, read here."""
import collections
import glob
import json
import os
import random
import subprocess
import time

from crawl import ORBWEAVER, SECONDS, Crawl, agree, agree_graph, few, wanted, witnessed
from scenario import case, main
from simweb import Simweb

SEED = int(os.environ.get("ORBWEAVER_TEST_SEED", "1"))
WEB = ["--hosts", "10", "--pages", "25", "--crawl-delays", "0", "--page-bytes", "4k", "--keep-urls"]
SLOW = ["--latency-least", "2ms", "--latency-most", "20ms"]
POLITE = ["-w", "5ms", "--ip-delay", "0", "--ip-conns", "100", "-q"]
OFTEN = {"ledger.sync": "50ms", "ledger.link-index-run": "5k", "ledger.snapshot-size": "300k"}


def crawl_of(web, tmp, *options, **more):
    return Crawl(web, tmp, "--scope", "any", *POLITE, *options, quick=False, sets=OFTEN, **more)


def orbweaver(*words):
    done = subprocess.run([ORBWEAVER, *words], capture_output=True, text=True, timeout=SECONDS, check=False)
    return done


def wait_until(what, seconds=120):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


def whole_lines(crawl, name):
    path = os.path.join(crawl.folder, "links", name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.endswith("\n")]


def truth(*crawls):
    """{URL: {page: letters}}, of pages that have a line in links.nodes."""
    named, found = {}, collections.defaultdict(lambda: collections.defaultdict(set))
    arcs = [line.split() for c in crawls for line in whole_lines(c, "links.arcs")]  # before the nodes they name
    for c in crawls:
        named.update(line.split(" ", 1) for line in whole_lines(c, "links.nodes"))
    for page, *links in arcs:
        for link in links:
            if page in named and link[1:] in named:
                found[named[link[1:]]][named[page]].add(link[0])
    return {url: {page: "".join(sorted(letters)) for page, letters in pages.items()} for url, pages in found.items()}


def exported(where, url):
    done = orbweaver("export", "links", where, "--to", url, "-j")
    assert done.returncode == 0, done
    answer = json.loads(done.stdout)
    pages = {p["url"]: p["hops"] for p in answer["pages"]}
    assert len(pages) == len(answer["pages"]) == answer["count"], "a page comes twice"
    return pages


def asked(where, url):
    done = orbweaver("url", where, url, "-j")
    assert done.returncode == 0, done
    return json.loads(done.stdout)["links"]


def is_right(where, right, rng, count=25):
    """Some URLs, the one with the most links among them, and one that nothing links to."""
    most = max(right, key=lambda url: len(right[url]))
    for url in [most, *rng.sample(sorted(right), min(count, len(right)))]:
        assert exported(where, url) == right[url], url
    links = asked(where, most)
    assert links["count"] == len(right[most]) and len(links["pages"]) == min(5, len(right[most])), links
    assert all(right[most][p["url"]] == p["hops"] for p in links["pages"]), links
    nowhere = "http://heron0.test/nothing/links/to/this"
    assert exported(where, nowhere) == {} and asked(where, nowhere) == {"count": 0, "pages": []}


def runs(crawl):
    return glob.glob(os.path.join(crawl.folder, "links", "index", "links-*"))


@case("kill -9 again and again: the answers are those of links/, while it runs and in the end")
def _(tmp):
    rng = random.Random(SEED)
    with Simweb(*WEB, *SLOW) as web:
        crawl = crawl_of(web, tmp, "--link-index")
        seen, kills = 0, 0
        for _ in range(6):
            process = crawl.start()
            before = len(whole_lines(crawl, "links.arcs"))
            wait_until(lambda: process.poll() is not None or len(whole_lines(crawl, "links.arcs")) > before + 20)
            if process.poll() is None:  # while it runs: what was there before the question, and no more than after it
                least = truth(crawl)
                url = max(least, key=lambda u: len(least[u]))
                pages = exported(crawl.folder, url)
                most = truth(crawl)[url]
                assert set(least[url]) <= set(pages) <= set(most), (url, least[url], pages)
                links = asked(crawl.folder, url)
                assert links["count"] >= len(least[url]) and links["pages"], links
                seen += 1
            time.sleep(rng.random() * 0.2)
            if process.poll() is None:
                crawl.end()
                kills += 1
                left = truth(crawl)  # as the kill left it
                assert exported(crawl.folder, url) == left[url]
                asked(crawl.folder, url)  # `url` mends the directory
                is_right(crawl.folder, truth(crawl), rng, 3)
        done = crawl.run()
        assert done.code == 0, done
        assert seen and kills, (seen, kills)
        assert runs(crawl), "no part of the index was ever written"
        must, once = wanted(web.oracle(web.run["home"], "any")), set(witnessed(web))
        assert not must - once, "never asked for " + few(must - once)
        agree(crawl)
        agree_graph(crawl)
        is_right(crawl.folder, truth(crawl), rng)
    print(f"# seed {SEED}: {kills} kills, asked {seen} times while it ran, {len(runs(crawl))} files of links")


@case("an index that begins late has all links; a second crawl of the same pages counts them once")
def _(tmp):
    rng = random.Random(SEED)
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp)
        assert crawl.run().code == 0
        url = web.run["home"]
        done = orbweaver("url", crawl.folder, url)
        assert done.returncode == 0 and "links    no link index: start with --link-index\n" in done.stdout, done
        assert asked(crawl.folder, url) is None
        assert not os.path.exists(os.path.join(crawl.folder, "links", "index"))
        right = truth(crawl)
        assert exported(crawl.folder, url) == right[url]  # without an index all links are read
        again = crawl_of(web, tmp, "--link-index", "--recrawl")
        assert again.run().code == 0
        wait = truth(crawl)
        assert len(whole_lines(crawl, "links.arcs")) > len({x.split()[0] for x in whole_lines(crawl, "links.arcs")})
        assert {u: set(p) for u, p in wait.items()} == {u: set(p) for u, p in right.items()}
        assert runs(crawl)
        is_right(crawl.folder, wait, rng)
        done = orbweaver("url", crawl.folder, url)
        assert f"links    {len(wait[url])} pages link to it\n" in done.stdout, done


@case("a damaged index is refused with exit code 3; repair makes it again")
def _(tmp):
    rng = random.Random(SEED)
    with Simweb(*WEB, *SLOW) as web:
        crawl = crawl_of(web, tmp, "--link-index")
        assert crawl.run().code == 0
        right, url = truth(crawl), web.run["home"]
        path = sorted(runs(crawl))[0]
        with open(path, "r+b") as f:
            f.seek(os.path.getsize(path) - 20)
            byte = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte[0] ^ 1]))
        for words in (["url", crawl.folder, url], ["export", "links", crawl.folder, "--to", url]):
            done = orbweaver(*words)
            assert done.returncode == 3 and os.path.basename(path) in done.stderr and "repair" in done.stderr, done
        done = crawl.run()
        assert done.code == 3 and os.path.basename(path) in done.err and "orbweaver repair" in done.err, done
        done = orbweaver("repair", "--check", crawl.folder)
        assert done.returncode == 3 and os.path.basename(path) in done.stdout + done.stderr, done
        done = orbweaver("repair", crawl.folder)
        assert done.returncode == 0 and "links/index was made again" in done.stdout + done.stderr, done
        assert orbweaver("repair", "--check", crawl.folder).returncode == 0
        is_right(crawl.folder, right, rng, 5)
        assert crawl.run().code == 0


@case("several directories are one crawl: a page counts once, whichever of them has it")
def _(tmp):
    with Simweb(*WEB) as web:
        crawls = []
        for name in ("a", "b"):
            os.mkdir(os.path.join(tmp, name))
            crawls.append(crawl_of(web, os.path.join(tmp, name), "--link-index", *(["-n", "60"] if name == "b" else [])))
            assert crawls[-1].run().code in (0, 10), name
        right = truth(*crawls)
        for url in sorted(right)[:20]:
            done = orbweaver("export", "links", *(c.folder for c in crawls), "--to", url, "-j")
            assert done.returncode == 0, done
            assert {p["url"]: p["hops"] for p in json.loads(done.stdout)["pages"]} == right[url], url


@case("with --archive-only there are no links: refused")
def _(tmp):
    with Simweb("--hosts", "1") as web:
        done = crawl_of(web, tmp, "--link-index", "--archive-only").run()
        assert done.code == 2 and "link-index" in done.err and "archive-only" in done.err, done


main()
