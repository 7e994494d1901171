# SPDX-License-Identifier: Apache-2.0
"""A crawl is killed, interrupted, starved of disk and given torn files, and goes on each time: in the
end it has fetched what the oracle says, asked again for nothing but what was open, and the archive
holds each page once.

ORBWEAVER_TEST_SEED chooses the moments, ORBWEAVER_TEST_KILLS how many there are (20)."""
import collections
import glob
import json
import os
import random
import signal
import subprocess
import time

from crawl import (ORBWEAVER, Crawl, agree, agree_graph, few, no_leftovers, same_set, unfinished, verify, verify_digests, wanted,
                   witnessed)
from scenario import case, main, skip, write
from simweb import Simweb

SEED = int(os.environ.get("ORBWEAVER_TEST_SEED", "1"))
KILLS = int(os.environ.get("ORBWEAVER_TEST_KILLS", "20"))
CRAWLS = 4
HOSTS = 12
NONE, ANYTHING = collections.Counter(), 10**6
WEB = ["--hosts", str(HOSTS), "--pages", "25", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k"]
SLOW = ["--latency-least", "2ms", "--latency-most", "30ms"]
POLITE = ["-w", "5ms", "--ip-delay", "0", "--ip-conns", "100", "-q"]


def crawl_of(web, tmp, *options, **more):
    sets = {"ledger.image-size": "300k", **more.pop("sets", {})}
    return Crawl(web, tmp, "--scope", "any", *POLITE, *options, quick=False, sets=sets, **more)


def wait_until(what, seconds=60):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def asked(web):
    return web.report()["requests"]


def state_of(crawl):
    done = subprocess.run([ORBWEAVER, "status", "--json", crawl.folder], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, check=False)
    return json.loads(done.stdout)["state"] if done.returncode == 0 else None


def finish(crawl):
    done = crawl.run()
    assert done.code == 0, done
    return done


def is_right(web, crawl, may_repeat, slack=0):
    """The whole set; twice only what was not finished at one of the stops; each page once in the
    archive; all files agree. Lines reach the kernel just before the journal does: `slack` is for
    kills between the two."""
    must, seen = wanted(web.oracle(web.run["home"], "any")), witnessed(web)
    assert not must - set(seen), "never asked for " + few(must - set(seen))
    assert not set(seen) - must, "asked for " + few(set(seen) - must)
    again = collections.Counter({url: n - 1 for url, n in seen.items() if n > 1})
    too_often = again - may_repeat
    assert sum(too_often.values()) <= slack, f"{sum(too_often.values())} asked for again though finished: " + few(too_often)
    captured = crawl.captured()
    assert set(captured) == must, (few(must - set(captured)), few(set(captured) - must))
    assert set(captured.values()) == {1}, "archived twice: " + few(u for u, n in captured.items() if n > 1)
    logged = collections.Counter(r.url for r in crawl.log() if r.code >= 100 and r.url in must)
    assert set(logged.values()) == {1} and set(logged) == must, "logged twice: " + few(
        u for u, n in logged.items() if n > 1)
    agree(crawl)
    agree_graph(crawl)
    verify(crawl)
    verify_digests(crawl)
    no_leftovers(crawl)
    return sum(again.values())


def kill_often(tmp, number, kills, shards, web_options=()):
    """kill -9 at random moments; how many requests came twice."""
    rng = random.Random(SEED * 1000 + number)
    moments, may_repeat = [], collections.Counter()
    span = max(4, min(120, 1500 // max(kills, 1)))  # so that the last kill still finds it at work
    with Simweb(*WEB, *SLOW, *web_options) as web:
        crawl = crawl_of(web, tmp, shards=shards)
        for _ in range(kills):
            before, more = asked(web), rng.randrange(0, span)
            process = crawl.start()
            wait_until(lambda: process.poll() is not None or asked(web) >= before + more)
            time.sleep(rng.random() * 0.03)
            if process.poll() is None:
                crawl.end()
                moments.append(more)
                may_repeat += unfinished(web, crawl)
            else:
                assert process.returncode == 0, crawl.said()
        finish(crawl)
        twice = is_right(web, crawl, may_repeat, slack=HOSTS)
    print(f"# seed {SEED}, crawl {number}, {shards} shards: killed behind {moments} requests; "
          f"{may_repeat.total()} were not finished, {twice} came twice")


for _number in range(CRAWLS):
    @case(f"kill -9 at random moments, crawl {_number + 1}")
    def _(tmp, number=_number):
        kills = KILLS // CRAWLS + (number < KILLS % CRAWLS)
        kill_often(tmp, number, kills, (1, 2, 4, 2)[number % 4], ["--https", "0.3"] if number == 3 else [])


for _name, _signal, _code in (("^C", signal.SIGINT, 130), ("SIGTERM", signal.SIGTERM, 143)):
    @case(f"{_name} stops in order with {_code}; nothing comes twice")
    def _(tmp, number=_signal, code=_code):
        with Simweb(*WEB, *SLOW) as web:
            crawl = crawl_of(web, tmp)
            crawl.start()
            wait_until(lambda: asked(web) > 100)
            assert crawl.end(number) == code, crawl.said()
            verify(crawl)
            agree(crawl)
            finish(crawl)
            assert is_right(web, crawl, NONE) == 0


@case("^C twice stops at once")
def _(tmp):
    with Simweb(*WEB, "--latency-least", "20s", "--latency-most", "20s") as web:
        crawl = crawl_of(web, tmp)
        process = crawl.start()
        wait_until(lambda: asked(web) > 0)
        process.send_signal(signal.SIGINT)
        wait_until(lambda: state_of(crawl) == "stopping")  # two signals at once may be one
        assert crawl.end(signal.SIGINT) in (130, -2), crawl.said()


@case("an archive whose end is torn off, and one with bytes behind its end, are mended")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = crawl_of(web, tmp, shards=1)
        for harm in (tear, litter, tear):
            before = asked(web)
            crawl.start()
            wait_until(lambda: asked(web) > before + 60)
            crawl.end()
            for path in glob.glob(os.path.join(crawl.folder, "archive", "*.open")):
                harm(path)
        finish(crawl)
        is_right(web, crawl, NONE, slack=ANYTHING)  # what the tear took is fetched again


def tear(path):
    """As a power cut leaves it: the last bytes are missing."""
    os.truncate(path, max(0, os.path.getsize(path) - 700))


def litter(path):
    with open(path, "ab") as f:
        f.write(b"\x1f\x8b\x08\x00garbage" + bytes(300))


@case("other files with torn ends are cut and written again")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = crawl_of(web, tmp)
        crawl.start()
        wait_until(lambda: asked(web) > 100)
        crawl.end()
        may_repeat = unfinished(web, crawl)
        for name in ("logs/crawl.log", "indexes/parts/index.cdxj", "links/links.arcs", "pages/extraPages.jsonl"):
            with open(os.path.join(crawl.folder, name), "ab") as f:
                f.write(b'{"half a line')
        finish(crawl)
        is_right(web, crawl, may_repeat, slack=HOSTS)


@case("a second crawl in the same directory is refused, and the first goes on")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = crawl_of(web, tmp)
        process = crawl.start()
        wait_until(lambda: asked(web) > 20)
        second = crawl_of(web, tmp).run()
        assert second.code == 3 and "another process" in second.err, second
        assert process.wait(120) == 0, crawl.said()
        assert is_right(web, crawl, NONE) == 0


@case("a finished crawl says so, asks nobody and exits 0")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = Crawl(web, tmp, "--scope", "host", "-w", "0", "--ip-delay", "0", quick=False)
        finish(crawl)
        before = asked(web)
        again = finish(crawl)
        assert "nothing is left to do" in again.err, again
        assert asked(web) == before
        same_set(web, web.oracle(web.run["home"], "host"))


FULL = """
mount -t tmpfs -o size={first} tmpfs "$1" || exit 77
"${{@:2}}" 2>"$1.first"; echo "first $?"
mount -o remount,size=200m "$1" || exit 77
"${{@:2}}" 2>"$1.second"; echo "second $?"
cp -a "$1" "$1.copy"
"""


@case("a full disk ends the crawl with 3 and a clear word; with room it goes on and misses nothing")
def _(tmp):
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        skip("a small disk of our own (root, unshare -m)")
    with Simweb(*WEB, "--page-bytes", "60k") as web:
        crawl = crawl_of(web, tmp)
        os.makedirs(crawl.folder)
        done = subprocess.run(["unshare", "-m", "bash", "-c", FULL.format(first="6m"), "bash", crawl.folder,
                               *crawl.command], capture_output=True, text=True, timeout=240, check=False)
        if done.returncode == 77:
            skip("a small disk of our own (mount)")
        said = open(crawl.folder + ".first", encoding="utf-8").read()
        assert "first 3" in done.stdout and "second 0" in done.stdout, (done, said)
        assert "no space left on the disk" in said, said
        os.rmdir(crawl.folder)
        os.rename(crawl.folder + ".copy", crawl.folder)
        is_right(web, crawl, NONE, slack=ANYTHING)


# What never begins ----------------------------------------------------------------------------

def refused(args, code, *words):
    done = subprocess.run([ORBWEAVER, "crawl", *args], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, (args, done)
    for word in words:
        assert word in done.stderr, (args, word, done.stderr)
    return done


@case("bad flags, values and wirings are refused with 2 and a reason")
def _(tmp):
    out = ["-o", tmp + "/crawl"]
    refused([*out, "--depht", "3", "http://a.test/"], 2, "depth")
    refused([*out, "-l", "many", "http://a.test/"], 2, "many")
    refused([*out, "--scope", "all", "http://a.test/"], 2, "scope")
    refused([*out, "--set", "http.nothing=1", "http://a.test/"], 2, "nothing")
    refused([*out, "--exclude", "(", "http://a.test/"], 2, "exclude")
    refused([*out, "--wiring", "no-such", "http://a.test/"], 2, "no-such")
    bad = write(tmp, "bad.yaml", "name: bad\nshards: 1\ncomponents:\n  sedes:\n")
    refused([*out, "--wiring", bad, "http://a.test/"], 2, "bad.yaml", "sedes")
    assert not os.path.exists(tmp + "/crawl/archive"), os.listdir(tmp)


@case("nothing to begin with, or no seed that is a URL, is refused with 2")
def _(tmp):
    refused(["-o", tmp + "/a", "-q"], 2, "seed")
    refused(["-o", tmp + "/b", "-q", "ftp://example.org/", "http://[/"], 2, "seed")


@case("no seed that can be reached is 4; and when it can be, the same command goes on")
def _(tmp):
    with Simweb(*WEB) as web:
        seed = f"http://no-such-host.invalid:{web.http_port}/"
        done = crawl_of(web, tmp, seeds=[seed], sets={"pace.backoff": "10ms", "dns.dns-failed": "10ms"}).run()
        assert done.code == 4, done


@case("a directory that cannot be made is named")
def _(tmp):
    path = write(tmp, "file", "") + "/crawl"
    refused(["-o", path, "-q", "http://127.0.0.1:65535/"], 3, path)


SPARSE = ["--hosts", str(HOSTS), "--pages", "30", "--links", "4", "--images", "0", "--keep-urls", "--crawl-delays", "0",
          "--page-bytes", "4k", "--latency-least", "1ms", "--latency-most", "200ms"]

for _web, _shards in ((1, 1), (2, 2)):
    @case(f"depth is exact though the crawl is killed where shorter ways are being found: web {_web}, {_shards} shards")
    def _(tmp, number=_web, shards=_shards):
        """Few links and hosts that differ in speed: most pages are first found on a longer way than there is."""
        rng = random.Random(SEED * 1000 + 700 + number)
        with Simweb(*SPARSE, "--seed", str(number)) as web:
            crawl = crawl_of(web, tmp, "-l", "4", shards=shards)
            for _kill in range(6):
                least = asked(web) + rng.randrange(20, 70)
                crawl.start()
                wait_until(lambda goal=least: asked(web) >= goal or crawl.process.poll() is not None)
                crawl.end()
            finish(crawl)
            must, seen = wanted(web.oracle(web.run["home"], "any", "--depth", "4")), witnessed(web)
            assert not must - set(seen), "missed: " + few(must - set(seen))
            assert not set(seen) - must, "too deep: " + few(set(seen) - must)
            agree(crawl)


main(threads=2)
