# SPDX-License-Identifier: Apache-2.0
"""The frontier past memory: with a budget that holds only a few hosts at a time the others rest on
disk, and the crawl fetches the same, each URL once, as politely, also when it is killed in between."""
import collections
import glob
import json
import os
import random
import subprocess
import time

from crawl import ORBWEAVER, Crawl, agree, few, no_leftovers, same_set, unfinished, verify, wanted, witnessed
from scenario import case, main
from simweb import Simweb

SEED = int(os.environ.get("ORBWEAVER_TEST_SEED", "1"))
HOSTS = 40
WEB = ["--hosts", str(HOSTS), "--pages", "6", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "2k", "--images", "1"]
TIGHT = {"ledger.frontier-slice": "20ms", "ledger.frontier-recent": "2k", "ledger.snapshot-size": "200k"}
FREE = ["--ip-delay", "0", "--ip-conns", "100", "-q"]


def crawl_of(web, tmp, memory, delay, shards, *options):
    return Crawl(web, tmp, "--scope", "any", "-w", delay, "--frontier-memory", memory, *FREE, *options, quick=False,
                 shards=shards, sets=TIGHT)


def swapped(crawl):
    return len(glob.glob(os.path.join(crawl.folder, "state", "rest", "*")))


def facts(crawl, url):
    done = subprocess.run([ORBWEAVER, "url", "--json", crawl.folder, url], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def is_polite(web, delay_ms):
    p = web.report()["politeness"]
    assert p["most_open"] == 1 and p["overlaps"] == 0 and p["forbidden"] == 0, p
    assert p["least_end_gap_ms"] >= delay_ms, p


for _shards, _memory in ((1, "12k"), (2, "24k"), (4, "24k")):
    @case(f"{_shards} shards with {_memory} of memory fetch what the oracle says, each once, politely")
    def _(tmp, shards=_shards, memory=_memory):
        with Simweb(*WEB) as web:
            crawl = crawl_of(web, tmp, memory, "10ms", shards)
            done = crawl.run()
            assert done.code == 0, done
            truth = web.oracle(web.run["home"], "any")
            same_set(web, truth)
            seen = witnessed(web)
            assert set(seen.values()) == {1}, few(u for u, n in seen.items() if n > 1)
            assert crawl.captured() == seen
            is_polite(web, 10)
            agree(crawl)
            verify(crawl)
            no_leftovers(crawl)
            assert swapped(crawl) > 2, "nothing is swapped"
            print(f"# {len(seen)} URLs, {swapped(crawl)} buckets swapped at the end")
            for url in random.Random(SEED).sample(sorted(wanted(truth)), 5):
                f = facts(crawl, url)
                assert f["host"]["known"] and f["host"]["pages"] > 0 and f["state"] == "fetched", f


@case("a Crawl-delay and robots.txt outlast the time on disk")
def _(tmp):
    with Simweb(*WEB, "--hosts", "30", "--pages", "3", "--crawl-delays", "0.5", "--forbidden", "0.3") as web:
        crawl = crawl_of(web, tmp, "10k", "0", 2)
        assert crawl.run().code == 0
        same_set(web, web.oracle(web.run["home"], "any"))
        report = web.report()
        p = report["politeness"]
        assert p["most_open"] == 1 and p["forbidden"] == 0 and p["under_delay"] == 0, p
        assert report["robots"]["repeats"] == 0, report["robots"]
        assert swapped(crawl) > 3, "nothing is swapped"


@case("a swapped crawl is asked while it runs: how much is on disk, and what of a URL")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp, "12k", "100ms", 2)
        process = crawl.start()
        end, most = time.monotonic() + 60, 0
        while most < 10 and time.monotonic() < end:
            time.sleep(0.05)
            done = subprocess.run([ORBWEAVER, "status", "--json", crawl.folder], stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=60, check=False)
            if done.returncode == 0:
                most = max(most, json.loads(done.stdout).get("buckets_swapped", 0))
            assert process.poll() is None, "it ended before anything was swapped: " + crawl.said()
        assert most >= 10, most
        for url in sorted(witnessed(web))[::40]:
            f = facts(crawl, url)
            assert f["host"]["known"], f
        crawl.end()


@case("kill -9 again and again: nothing is lost, nothing finished is asked for again")
def _(tmp):
    rng = random.Random(SEED)
    may_repeat = collections.Counter()
    with Simweb(*WEB, "--latency-least", "1ms", "--latency-most", "10ms") as web:
        crawl = crawl_of(web, tmp, "16k", "5ms", 2)
        for _ in range(6):
            process, before = crawl.start(), web.report()["requests"]
            more, end = rng.randrange(10, 120), time.monotonic() + 60
            while process.poll() is None and web.report()["requests"] < before + more:
                assert time.monotonic() < end, "it hangs: " + crawl.said()
                time.sleep(0.01)
            if process.poll() is not None:
                assert process.returncode == 0, crawl.said()
                break
            crawl.end()
            may_repeat += unfinished(web, crawl)
        done = crawl.run()
        assert done.code == 0, done
        must, seen = wanted(web.oracle(web.run["home"], "any")), witnessed(web)
        assert set(seen) == must, (few(must - set(seen)), few(set(seen) - must))
        again = collections.Counter({u: n - 1 for u, n in seen.items() if n > 1}) - may_repeat
        assert again.total() <= HOSTS, "asked for again though finished: " + few(again)
        captured = crawl.captured()
        assert set(captured) == must and set(captured.values()) == {1}
        is_polite(web, 5)
        agree(crawl)
        verify(crawl)
        no_leftovers(crawl)
        print(f"# {may_repeat.total()} were not finished, {again.total()} more came twice")


@case("a recrawl of what is swapped to disk asks for everything once more, in the same little memory")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp, "12k", "10ms", 2)
        assert crawl.run().code == 0
        assert swapped(crawl) > 2, "nothing is swapped"
        first = set(witnessed(web))
        again = crawl_of(web, tmp, "12k", "10ms", 2, "--recrawl")
        done = again.run()
        assert done.code == 0, done
        seen = witnessed(web)
        assert set(seen) == first and set(seen.values()) == {2}, few(u for u, n in seen.items() if n != 2)
        is_polite(web, 10)
        assert swapped(again) > 2, "nothing is swapped in the recrawl"
        verify(again)


main()
