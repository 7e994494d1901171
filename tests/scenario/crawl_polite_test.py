# SPDX-License-Identifier: Apache-2.0
"""Politeness, as the servers saw it: never two requests at once to a host, never sooner than the
delay, the Crawl-delay or a Retry-After, nothing that robots.txt forbids, no more at once from one
address than allowed; and all of that across kills too.

The witness stamps an end before its last write and a start after its read: what the machine delays
only widens a gap. So a gap that is too small is the crawler's, and a slow machine changes nothing."""
import os
import random
import signal
import time

from crawl import Crawl, agree, few, same_set, wanted, witnessed
from scenario import case, main
from simweb import Simweb

SEED = int(os.environ.get("ORBWEAVER_TEST_SEED", "1"))
WEB = ["--hosts", "10", "--pages", "12", "--keep-urls", "--page-bytes", "2k", "--images", "1", "--links", "10"]
FREE = ["--ip-delay", "0", "--ip-conns", "100", "-q"]


def is_polite(web, delay_ms):
    """The witness has nothing against anybody, and no gap is smaller than the delay. Who was killed
    before it could read a robots.txt asks for it once more, not knowing its Crawl-delay."""
    report = web.report()
    p = report["politeness"]
    assert p["most_open"] == 1 and p["overlaps"] == 0, p
    assert p["forbidden"] == 0 and p["during_backoff"] == 0, p
    assert p["under_delay"] <= report["robots"]["repeats"], p
    assert p["least_end_gap_ms"] >= delay_ms, p
    return p


def crawl_of(web, tmp, delay, *options, **more):
    return Crawl(web, tmp, "--scope", "any", "-w", delay, *FREE, *options, quick=False, **more)


for _delay in (0, 20, 50):
    @case(f"a delay of {_delay} ms is kept between the end of one request and the start of the next")
    def _(tmp, delay=_delay):
        with Simweb(*WEB, "--crawl-delays", "0", "--latency-most", "5ms") as web:
            crawl = crawl_of(web, tmp, f"{delay}ms", shards=2)
            assert crawl.run().code == 0
            p = is_polite(web, delay)
            same_set(web, web.oracle(web.run["home"], "any"))
            print(f"# delay {delay} ms: least gap {p['least_end_gap_ms']} ms over {p['requests']} requests")


@case("robots.txt: what it forbids is not asked for, what its Crawl-delay asks is kept")
def _(tmp):
    with Simweb(*WEB, "--pages", "4", "--crawl-delays", "0.5", "--forbidden", "0.3") as web:
        crawl = crawl_of(web, tmp, "0", shards=2)
        assert crawl.run().code == 0
        is_polite(web, 0)
        truth = web.oracle(web.run["home"], "any")
        same_set(web, truth)
        assert [u for u, (kind, why) in truth.items() if kind == "known" and why == "robots"], "nothing is forbidden"
        forbidden = [r for r in crawl.log() if r.code == -9998]
        assert forbidden and all(r.size == 0 for r in forbidden)


@case("a strict server's Retry-After is kept by the whole host, and nothing is lost")
def _(tmp):
    with Simweb(*WEB, "--crawl-delays", "0", "--hosts", "6", "--rate-limit", "12", "--rate-burst", "4") as web:
        crawl = crawl_of(web, tmp, "20ms", sets={"pace.tries": "12", "pace.host-failures": "100"})
        assert crawl.run().code == 0
        is_polite(web, 20)
        must, seen = wanted(web.oracle(web.run["home"], "any")), witnessed(web)
        assert set(seen) == must, (few(must - set(seen)), few(set(seen) - must))
        assert sum(seen.values()) > len(must), "nobody was ever refused"
        assert {r.code for r in crawl.log() if r.url in must} <= {200, 301, 302, 303, 307, 308}, \
            few({f"{r.code} {r.url}" for r in crawl.log() if r.url in must and r.code >= 400})


@case("Retry-After on every host (F35)")
def _(tmp):
    with Simweb(*WEB, "--crawl-delays", "0", "--sprinkle", "f35=1", "--retry-after", "1") as web:
        crawl = crawl_of(web, tmp, "10ms")
        assert crawl.run().code == 0
        is_polite(web, 10)
        verdict = web.verdicts()["F35"]
        assert verdict["verdict"] == "good", verdict


def stop_often(tmp, number, *web_options):
    """Stops at random moments by that signal and goes on; then the witness is asked."""
    rng = random.Random(SEED)
    with Simweb(*WEB, "--pages", "9", "--crawl-delays", "0.3", *web_options) as web:
        crawl = crawl_of(web, tmp, "30ms", shards=2)
        stops = 0
        for _ in range(6):
            before = web.report()["requests"]
            process = crawl.start()
            more = rng.randrange(5, 60)
            end = time.monotonic() + 60
            while process.poll() is None and web.report()["requests"] < before + more and time.monotonic() < end:
                time.sleep(0.01)
            if process.poll() is None:
                stops += 1
                crawl.end(number)
        done = crawl.run()
        assert done.code == 0, done
        p = is_polite(web, 30)
        print(f"# seed {SEED}: stopped {stops} times; least gap {p['least_end_gap_ms']} ms")
        agree(crawl)


@case("politeness outlives kills: no gap is smaller than the delay or the Crawl-delay, at a restart neither")
def _(tmp):
    stop_often(tmp, signal.SIGKILL)


@case("a Retry-After outlives a stop and a restart")
def _(tmp):
    """By an orderly stop: of an answer that a kill cut off nobody knows what it asked for."""
    stop_often(tmp, signal.SIGTERM, "--sprinkle", "f35=0.5", "--retry-after", "1")


@case("an address gets no more requests at once than allowed, whatever hosts are there")
def _(tmp):
    for most in (1, 3):
        with Simweb(*WEB, "--hosts", "12", "--hosts-per-address", "12", "--crawl-delays", "0", "--latency-least",
                    "5ms", "--latency-most", "10ms", "--pages", "4") as web:
            os.mkdir(f"{tmp}/{most}")
            crawl = Crawl(web, f"{tmp}/{most}", "--scope", "any", "-w", "0", "--ip-delay", "0", "--ip-conns", str(most),
                          "-q", quick=False, shards=2)
            assert crawl.run().code == 0
            same_set(web, web.oracle(web.run["home"], "any"))
            seen = web.report()["addresses"]["most_open"]
            print(f"# ip-conns {most}: {seen} open at most")
            assert seen <= most


@case("the delay of an address is kept: so many requests cannot have come any sooner")
def _(tmp):
    with Simweb(*WEB, "--hosts", "8", "--hosts-per-address", "8", "--crawl-delays", "0", "--pages", "3") as web:
        crawl = Crawl(web, tmp, "--scope", "any", "-w", "0", "--ip-delay", "20ms", "--ip-conns", "4", "-q",
                      quick=False, shards=2)
        began = time.monotonic()
        assert crawl.run().code == 0
        took = time.monotonic() - began
        same_set(web, web.oracle(web.run["home"], "any"))
        requests = web.report()["requests"]
        assert took >= (requests - 1) * 0.020, (took, requests)


main(threads=3)
