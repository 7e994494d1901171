# SPDX-License-Identifier: Apache-2.0
"""--order breadth, priority and topic: each fetches the same set, each URL once and politely, also with kill -9 in the
middle and with hosts on disk, and a crawl may go on in another order (P4, P5, P7)."""
import collections
import json
import os
import random
import subprocess
import time

from crawl import ORBWEAVER, Crawl, agree, few, no_leftovers, same_set, unfinished, verify, wanted, witnessed
from scenario import case, main, run
from simweb import Simweb

SEED = int(os.environ.get("ORBWEAVER_TEST_SEED", "1"))
HOSTS = 30
WEB = ["--hosts", str(HOSTS), "--pages", "8", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "2k", "--images", "1"]
SLOW = ["--latency-least", "1ms", "--latency-most", "10ms"]
TIGHT = {"ledger.frontier-slice": "20ms", "ledger.frontier-recent": "2k", "ledger.snapshot-size": "100k"}
FREE = ["--ip-delay", "0", "--ip-conns", "100", "-q"]
ORDERS = {"breadth": [], "priority": ["--order", "priority"],
          # every page is kept and followed, whatever it scores: the oracle's set
          "topic": ["--order", "topic", "--keywords", "the,and,of", "--keep-score", "0", "--follow-score", "0"]}


def crawl_of(web, tmp, order, memory="0", delay="5ms", shards=2, options=()):
    return Crawl(web, tmp, "--scope", "any", "-w", delay, "--frontier-memory", memory, *FREE, *ORDERS[order], *options,
                 quick=False, shards=shards, sets=TIGHT)


def is_polite(web, delay_ms):
    p = web.report()["politeness"]
    assert p["most_open"] == 1 and p["overlaps"] == 0 and p["forbidden"] == 0, p
    assert p["least_end_gap_ms"] >= delay_ms, p


def asked(web):
    return web.report()["requests"]


def kill_behind(web, crawl, more):
    """Starts it and kills it behind so many requests; False: it has ended before."""
    process, before, end = crawl.start(), asked(web), time.monotonic() + 120
    while process.poll() is None and asked(web) < before + more:
        assert time.monotonic() < end, "it hangs: " + crawl.said()
        time.sleep(0.01)
    if process.poll() is not None:
        assert process.returncode == 0, crawl.said()
        return False
    crawl.end()
    return True


def is_right(web, crawl, may_repeat, killed):
    """Lines reach the kernel just before the journal does: a kill between the two repeats up to a URL a host."""
    must, seen = wanted(web.oracle(web.run["home"], "any")), witnessed(web)
    assert set(seen) == must, (few(must - set(seen)), few(set(seen) - must))
    again = collections.Counter({u: n - 1 for u, n in seen.items() if n > 1}) - may_repeat
    assert again.total() <= (HOSTS if killed else 0), "asked for again though finished: " + few(again)
    captured = crawl.captured()
    assert set(captured) == must and set(captured.values()) == {1}
    is_polite(web, 5)
    agree(crawl)
    verify(crawl)
    no_leftovers(crawl)
    print(f"# {len(must)} URLs, {killed} kills, {may_repeat.total()} were not finished, {again.total()} more came twice")


for _order, _memory, _shards in (("priority", "0", 2), ("priority", "12k", 1), ("topic", "16k", 2)):
    @case(f"{_order}, {_shards} shards, memory {_memory}: the oracle's set, each once, politely")
    def _(tmp, order=_order, memory=_memory, shards=_shards):
        with Simweb(*WEB) as web:
            crawl = crawl_of(web, tmp, order, memory, shards=shards)
            done = crawl.run()
            assert done.code == 0, done
            same_set(web, web.oracle(web.run["home"], "any"))
            is_right(web, crawl, collections.Counter(), 0)


for _order, _memory in (("priority", "0"), ("priority", "16k"), ("topic", "0")):
    @case(f"{_order}, memory {_memory}: kill -9 again and again, and nothing is lost or asked for twice")
    def _(tmp, order=_order, memory=_memory):
        rng = random.Random(SEED)
        may_repeat, kills = collections.Counter(), 0
        with Simweb(*WEB, *SLOW) as web:
            crawl = crawl_of(web, tmp, order, memory)
            while kills < 5 and kill_behind(web, crawl, rng.randrange(10, 80)):
                may_repeat += unfinished(web, crawl)
                kills += 1
            done = crawl.run()
            assert done.code == 0, done
            assert kills >= 3, kills
            is_right(web, crawl, may_repeat, kills)


@case("a crawl that was killed goes on in any other order; without --order in the one that it had")
def _(tmp):
    rng = random.Random(SEED)
    may_repeat = collections.Counter()
    with Simweb(*WEB, *SLOW) as web:
        for kills, order in enumerate(("priority", "breadth", "topic", "priority", "topic")):
            assert kill_behind(web, crawl_of(web, tmp, order, "16k"), rng.randrange(20, 60)), order
            may_repeat += unfinished(web, crawl_of(web, tmp, order))
        with open(os.path.join(tmp, "crawl", "orbweaver.yaml"), encoding="utf-8") as f:
            assert "order: topic" in f.read()
        crawl = crawl_of(web, tmp, "breadth", "16k")  # says no order
        assert crawl.run().code == 0, crawl.said()
        with open(os.path.join(tmp, "crawl", "orbweaver.yaml"), encoding="utf-8") as f:
            assert "order: topic" in f.read()
        is_right(web, crawl, may_repeat, kills + 1)


def ask(*words):
    done = subprocess.run([ORBWEAVER, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert done.returncode in (0, 2), done
    return json.loads(done.stdout) if "--json" in words else done.stdout.decode()


@case("status and url say the order, the list of a URL, and why it is in that list")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = crawl_of(web, tmp, "priority", delay="200ms")
        process, end = crawl.start(), time.monotonic() + 120
        while asked(web) < 60:
            assert process.poll() is None and time.monotonic() < end, crawl.said()
            time.sleep(0.02)
        status = ask("status", "--json", crawl.folder)
        assert status["order"] == "priority", status
        assert "order: priority" in ask("status", crawl.folder)
        must, waiting = wanted(web.oracle(web.run["home"], "any")), None
        for url in sorted(must - set(witnessed(web))):
            facts = ask("url", "--json", crawl.folder, url)
            waiting = facts if facts["state"] == "queued" else waiting
            if waiting:
                break
        assert waiting and waiting["order"] == "priority" and waiting["list"] in (1, 2, 3), waiting
        assert waiting["back_links"] >= 1 and "forward_links" in waiting, waiting
        assert f"its value is {waiting['pvalue']}" in waiting["why"] and "of three lists" in waiting["why"], waiting
        crawl.end()
        stopped = ask("url", "--json", crawl.folder, waiting["url"])
        assert stopped["state"] in ("queued", "fetched"), stopped
        assert stopped["state"] == "fetched" or stopped["list"] in (1, 2, 3), stopped


@case("a recrawl by priority asks for everything once more, revisits in their own turns")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp, "priority")
        assert crawl.run().code == 0
        first = witnessed(web)
        again = crawl_of(web, tmp, "priority", options=["--recrawl"])
        done = again.run()
        assert done.code == 0, done
        second = witnessed(web) - first
        assert second == first, (few(set(first) - set(second)), few(u for u, n in second.items() if n > 1))
        is_polite(web, 5)


@case("an order that cannot work is refused with what to write instead")
def _(tmp):
    done = run(["crawl", "-o", tmp + "/c", "--allow-private", "--order", "topic", "http://127.0.0.1:65535/"], program=ORBWEAVER)
    assert done.code == 2 and "--keywords" in done.err, done
    done = run(["crawl", "-o", tmp + "/c", "--order", "fast", "http://127.0.0.1:65535/"], program=ORBWEAVER)
    assert done.code == 2 and "breadth|priority|topic" in done.err, done


main()
