# SPDX-License-Identifier: Apache-2.0
"""`seen:` in the wiring says how known URLs are kept. With each kind a crawl fetches what the oracle
says, each URL once, also when it is killed and its hosts are swapped to disk; a Bloom filter may lose
URLs and says how many. A directory stays with its kind.

ORBWEAVER_TEST_SEED chooses the moments of the kills."""
import collections
import glob
import json
import os
import random
import re
import struct
import subprocess
import time

from crawl import ORBWEAVER, ROOT, Crawl, agree, few, no_leftovers, unfinished, verify, wanted, witnessed
from scenario import case, main
from simweb import Simweb

SEED = int(os.environ.get("ORBWEAVER_TEST_SEED", "1"))
HOSTS = 20
WEB = ["--hosts", str(HOSTS), "--pages", "12", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "2k", "--images", "1"]
SLOW = ["--latency-least", "2ms", "--latency-most", "20ms"]
FREE = ["--scope", "any", "-w", "5ms", "--ip-delay", "0", "--ip-conns", "100", "-q"]
OFTEN = {"ledger.snapshot-size": "20k", "ledger.sync": "50ms"}  # many snapshots, and so much goes to the store
TIGHT = {**OFTEN, "ledger.frontier-slice": "20ms", "ledger.frontier-recent": "2k"}
SAFE_BLOOM = "{part: bloom, expected: 5k, loss: 1e-7}"
KINDS = {"exact": "exact", "rocksdb": "{part: rocksdb, memory: 1M}", "bloom": SAFE_BLOOM}


def wiring(tmp, seen, shards=2):
    """The crawl's wiring with that line for `seen`; None: without any."""
    with open(os.path.join(ROOT, "wirings", "ring.yaml"), encoding="utf-8") as f:
        text = re.sub(r"(?m)^shards: .*$", f"shards: {shards}", f.read())
    assert text.count("  seen: exact ") == 1, text
    text = re.sub(r"(?m)^  seen: exact .*\n", f"  seen: {seen}\n" if seen else "", text)
    path = os.path.join(tmp, f"{abs(hash((seen, shards)))}.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def crawl_of(web, tmp, seen, *options, shards=2, sets=None):
    return Crawl(web, tmp, "--wiring", wiring(tmp, seen, shards), *FREE, *options, quick=False, sets=sets or OFTEN)


def asked(web):
    return web.report()["requests"]


def wait_until(what, seconds=60):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def is_whole(web, crawl, may_repeat=collections.Counter(), slack=0):
    must, seen = wanted(web.oracle(web.run["home"], "any")), witnessed(web)
    assert not must - set(seen), "never asked for " + few(must - set(seen))
    assert not set(seen) - must, "asked for " + few(set(seen) - must)
    again = collections.Counter({url: n - 1 for url, n in seen.items() if n > 1}) - may_repeat
    assert again.total() <= slack, "asked for again though finished: " + few(again)
    captured = crawl.captured()
    assert set(captured) == must and set(captured.values()) == {1}, few(u for u, n in captured.items() if n > 1)
    agree(crawl)
    verify(crawl)
    no_leftovers(crawl)


def in_state(crawl, *path):
    return os.path.join(crawl.folder, "state", *path)


def has_stored(crawl, kind):
    """Whether something has reached the store beside the buckets."""
    if kind == "exact":
        return not os.path.exists(in_state(crawl, "SEEN")) and not os.path.exists(in_state(crawl, "seen"))
    if kind == "rocksdb":
        return any(name.endswith(".sst") for name in os.listdir(in_state(crawl, "seen")))
    bytes_of = b"".join(open(path, "rb").read() for path in glob.glob(in_state(crawl, "images", "*")))
    at = bytes_of.index(b"OWSEEN\1\n") + 8
    era, generation, blocks, hashes, count = struct.unpack_from("<IQQIQ", bytes_of, at)
    assert b"OWBLOOM\1" in bytes_of and (era, generation > 0, hashes > 1) == (0, True, True), (era, generation, blocks, hashes)
    return count > 100


for _kind in KINDS:
    for _memory in ("0", "24k"):
        @case(f"{_kind}, kill -9 at random moments, {'swapped to disk' if _memory != '0' else 'all in memory'}")
        def _(tmp, kind=_kind, memory=_memory):
            rng = random.Random(f"{SEED} {kind} {memory}")
            may_repeat, moments = collections.Counter(), []
            with Simweb(*WEB, *SLOW) as web:
                crawl = crawl_of(web, tmp, KINDS[kind], "--frontier-memory", memory, sets=TIGHT)
                for _ in range(6):
                    before, more = asked(web), rng.randrange(10, 80)
                    process = crawl.start()
                    wait_until(lambda: process.poll() is not None or asked(web) >= before + more)
                    time.sleep(rng.random() * 0.1)
                    if process.poll() is not None:
                        assert process.returncode == 0, crawl.said()
                        break
                    crawl.end()
                    moments.append(more)
                    may_repeat += unfinished(web, crawl)
                done = crawl.run()
                assert done.code == 0, done
                assert has_stored(crawl, kind), os.listdir(in_state(crawl))
                is_whole(web, crawl, may_repeat, slack=HOSTS)
            print(f"# seed {SEED}, {kind}, frontier-memory {memory}: killed behind {moments} requests")


@case("a wiring without seen keeps known URLs exactly, as before")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp, None)
        done = crawl.run()
        assert done.code == 0 and has_stored(crawl, "exact"), done
        is_whole(web, crawl)


@case("a Bloom filter that is too small loses URLs, fetches none twice, and says how many it expects")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp, "{part: bloom, expected: 10, loss: 0.1}", "-v", sets={**OFTEN, "ledger.sync": "5ms"})
        crawl.command.remove("-q")
        done = crawl.run()
        assert done.code == 0, done
        must, seen = wanted(web.oracle(web.run["home"], "any")), witnessed(web)
        assert not set(seen) - must and set(seen.values()) == {1}, few(set(seen) - must)
        lost = len(must - set(seen))
        said = re.findall(r"seen\.bloom expected=10 loss_at_expected=0\.1 in_filter=(\d+) loss_now=(\S+) urls_lost_so_far=(\S+)",
                          done.err)
        assert len(said) == 2 and said[0] == ("0", "0", "0"), done.err
        assert int(said[1][0]) > 10 and float(said[1][1]) > 0.1 and float(said[1][2]) > 1, said
        assert "the first path to a URL counts" in done.err, done.err
        assert lost > 0, "nothing was lost"
        print(f"# {lost} of {len(must)} URLs lost; expected {said[1][2]}")
        agree(crawl)
        verify(crawl)


@case("status tells the loss of a Bloom filter, and nothing for the other kinds")
def _(tmp):
    for seen in ("exact", "{part: bloom, expected: 5k, loss: 0.01}"):
        with Simweb(*WEB, *SLOW) as web:
            folder = os.path.join(tmp, seen[:6].strip("{"))
            os.mkdir(folder)
            crawl = crawl_of(web, folder, seen)
            crawl.start()
            wait_until(lambda: asked(web) > 40)
            done = subprocess.run([ORBWEAVER, "status", "--json", crawl.folder], capture_output=True, timeout=60, check=False)
            crawl.end()
            told = json.loads(done.stdout).get("seen")
            if seen == "exact":
                assert told is None, told
            else:
                assert told["kind"] == "bloom" and told["expected"] == 5000 and told["loss_at_expected"] == 0.01, told
                assert 0 <= told["loss_now"] < 0.01 and told["urls_lost_so_far"] < 10 and told["bytes"] > 5000, told


def refused(tmp, web, made, opened, words, *options, sets=None):
    crawl = crawl_of(web, tmp, made)
    if made:
        crawl.start()
        wait_until(lambda: asked(web) > 20)
        crawl.end()
    done = crawl_of(web, tmp, opened, *options, sets=sets).run()
    assert done.code == 2 and words in done.err, done
    return done


for _made, _opened, _words in (
        ("rocksdb", "exact", 'kept with "seen: rocksdb", and the wiring says "seen: exact": write the first'),
        ("rocksdb", SAFE_BLOOM, 'kept with "seen: rocksdb", and the wiring says "seen: bloom"'),
        (SAFE_BLOOM, "exact", 'kept with "seen: bloom", and the wiring says "seen: exact"'),
        (SAFE_BLOOM, "rocksdb", 'kept with "seen: bloom", and the wiring says "seen: rocksdb"'),
        ("exact", SAFE_BLOOM, 'kept with "seen: exact", and the wiring says "seen: bloom"'),
        (SAFE_BLOOM, "{part: bloom, expected: 200k, loss: 1e-7}", 'was made with "expected: 5000, loss: 1e-07"')):
    @case(f"a directory made with {_made} is not opened with {_opened}")
    def _(tmp, made=_made, opened=_opened, words=_words):
        with Simweb(*WEB, *SLOW) as web:
            refused(tmp, web, made, opened, words)
            done = crawl_of(web, tmp, made).run()
            assert done.code == 0, done


@case("a directory made with exact goes on with rocksdb: nothing is lost, nothing comes twice")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = crawl_of(web, tmp, "exact")
        crawl.start()
        wait_until(lambda: asked(web) > 100)
        crawl.end()
        may_repeat = unfinished(web, crawl)
        crawl = crawl_of(web, tmp, "rocksdb")
        done = crawl.run()
        assert done.code == 0 and has_stored(crawl, "rocksdb"), done
        is_whole(web, crawl, may_repeat, slack=HOSTS)


@case("what a crawl cannot use is refused with words: a filter in a cluster, a part for lines, a wrong loss")
def _(tmp):
    with Simweb(*WEB) as web:
        for seen, words, options, sets in (
                ("bloom", "bloom cannot be used with --cluster", ["--cluster", "nats://127.0.0.1:1", "--agent", "ant"], None),
                ("nothing", "this part is for lines of text; a crawl uses exact, rocksdb or bloom", [], None),
                ("bloom", "loss: 0.5 is not from 1e-09 to 0.1", [], {"seen.loss": "0.5"}),
                ("bloom", "expected", [], {"seen.expected": "0"})):
            done = crawl_of(web, tmp, seen, *options, sets=sets).run()
            assert done.code == 2 and words in done.err, (seen, done)
        assert not os.path.exists(os.path.join(tmp, "crawl", "state", "SEEN"))


for _kind in ("rocksdb", "bloom"):
    @case(f"{_kind}: a recrawl forgets what is known, and asks for each URL once more")
    def _(tmp, kind=_kind):
        with Simweb(*WEB) as web:
            crawl = crawl_of(web, tmp, KINDS[kind])
            done = crawl.run()
            assert done.code == 0, done
            for _ in range(2):
                crawl.command.append("--recrawl")
                done = crawl.run()
                crawl.command.pop()
                assert done.code == 0, done
            must, seen = wanted(web.oracle(web.run["home"], "any")), witnessed(web)
            assert set(seen) == must and set(seen.values()) == {3}, few(u for u, n in seen.items() if n != 3)
            again = crawl.run()
            assert again.code == 0 and witnessed(web) == seen, again


@case("rocksdb: a set of known URLs that is missing is damage, and url and repair read such a directory")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp, "rocksdb")
        assert crawl.run().code == 0
        home = subprocess.run([ORBWEAVER, "url", "--json", crawl.folder, web.run["home"]], capture_output=True, timeout=60,
                              check=False)
        assert home.returncode == 0 and json.loads(home.stdout)["state"] == "fetched", home
        fine = subprocess.run([ORBWEAVER, "repair", "--check", crawl.folder], capture_output=True, timeout=60, check=False)
        assert fine.returncode == 0, fine
        os.rename(in_state(crawl, "seen"), os.path.join(tmp, "aside"))
        done = crawl.run()
        assert done.code != 0 and "state/seen: it is missing" in done.err, done
        os.rename(os.path.join(tmp, "aside"), in_state(crawl, "seen"))
        assert crawl.run().code == 0
        is_whole(web, crawl)


main()
