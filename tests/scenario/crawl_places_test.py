# SPDX-License-Identifier: Apache-2.0
"""C4: the same wiring in one process and in three is the same crawl, also when one of the three is
killed and started again; the parts cannot tell."""
import collections
import os

from crawl import (NETWORKS, QUICK, SHORT, Crawl, agree, few, is_robots, no_leftovers, same_set, verify, verify_digests,
                   witnessed)
from places import Places
from scenario import ROOT, case, main, until
from simweb import Simweb

WEB = ["--hosts", "14", "--pages", "25", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k"]
OTHERS = ["fetcher", "reader"]


def wiring() -> str:
    with open(os.path.join(ROOT, "wirings", "three-places.yaml"), encoding="utf-8") as f:
        return f.read()


def network(web) -> list:
    """What a place that fetches must know of the web; the rest of the crawl's options are nobody else's."""
    given = ["--resolver", web.dns, f"--allow-private={NETWORKS}", "--ca-file", web.ca, *QUICK]
    for key, value in SHORT.items():
        given += ["--set", f"{key}={value}"]
    return given


def crawl_in_three(web, tmp, *options):
    os.makedirs(tmp, exist_ok=True)
    with Places(tmp, wiring(), OTHERS, network(web)) as places:
        crawl = Crawl(web, tmp, "--scope", "any", *options, *places.options("home"))
        done = crawl.run()
        assert done.code == 0, (done, [places.said(p) for p in OTHERS])
        for place in OTHERS:
            assert places.wait(place) == 0, places.said(place)
    return crawl


def so_far(crawl) -> list:
    """Lines of the log of a crawl that is running: the last may not be whole."""
    try:
        with open(os.path.join(crawl.folder, "logs", "crawl.log"), "rb") as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []


def archive(crawl) -> collections.Counter:
    return collections.Counter((r.url, r.headers.get("WARC-Payload-Digest")) for r in crawl.records()
                               if r.kind in ("response", "revisit"))


def results(crawl) -> collections.Counter:
    return collections.Counter((r.code, r.url) for r in crawl.log() if not is_robots(r.url))


def check(web, crawl, is_exact=True) -> None:
    same_set(web, web.oracle(web.run["home"], "any"), None if is_exact else collections.Counter(set(witnessed(web))))
    agree(crawl)
    verify(crawl)
    verify_digests(crawl)
    no_leftovers(crawl)
    assert web.report()["politeness"]["forbidden"] == 0


@case("C4: three processes fetch and keep what one does, and both what the oracle says")
def _(tmp):
    with Simweb(*WEB, "--coded", "0.5", "--chunked", "0.5", "--redirects", "0.1") as web:
        crawl = crawl_in_three(web, tmp)
        check(web, crawl)
        three, rows = archive(crawl), results(crawl)
        os.makedirs(tmp + "/one")
        crawl = Crawl(web, tmp + "/one", "--scope", "any", "--wiring",
                      os.path.join(ROOT, "wirings", "three-places.yaml"))
        assert crawl.run().code == 0
        agree(crawl)
        one, here = archive(crawl), results(crawl)
        assert set(witnessed(web).values()) == {2}
    assert here == rows, f"one only {few(map(str, here - rows))}; three only {few(map(str, rows - here))}"
    assert one == three, f"one only {few(map(str, one - three))}; three only {few(map(str, three - one))}"
    print(f"# {sum(three.values())} records")


@case("https in three processes")
def _(tmp):
    with Simweb(*WEB, "--https", "1") as web:
        check(web, crawl_in_three(web, tmp))


for _place in OTHERS:
    @case(f"C4: {_place} is killed and started again, twice: nothing is lost, nothing kept twice")
    def _(tmp, place=_place):
        with Simweb(*WEB, "--latency-least", "20ms", "--latency-most", "60ms") as web, Places(tmp, wiring(), OTHERS, network(web)) as places:
            crawl = Crawl(web, tmp, "--scope", "any", *places.options("home"))
            crawl.start()
            for kept in (40, 150):
                until(lambda kept=kept: len(so_far(crawl)) > kept, f"{kept} pages")
                places.end(place)
                places.start(place)
            assert crawl.process.wait(240) == 0, crawl.said()
            assert [places.wait(p) for p in OTHERS] == [0, 0]
            check(web, crawl, is_exact=False)
            again = [u for u, n in witnessed(web).items() if n > 1]
            assert len(again) <= 2 * 14, few(again)  # one a host, each time
            kept = archive(crawl)
            assert max(kept.values()) == 1, few(u for (u, _), n in kept.items() if n > 1)
            print(f"# asked for again: {len(again)} of {len(witnessed(web))}")


@case("C4: home is killed and started again: it goes on where its ledger ends")
def _(tmp):
    with Simweb(*WEB, "--latency-least", "20ms", "--latency-most", "60ms") as web, Places(tmp, wiring(), OTHERS, network(web)) as places:
        crawl = Crawl(web, tmp, "--scope", "any", *places.options("home"))
        crawl.start()
        until(lambda: len(so_far(crawl)) > 60, "60 pages")
        crawl.end()
        done = crawl.run()
        assert done.code == 0, done
        assert [places.wait(p) for p in OTHERS] == [0, 0]
        check(web, crawl, is_exact=False)


@case("politeness outlives kills, of the fetcher and of home: no gap is smaller than the delay, nothing overlaps")
def _(tmp):
    web_options = ["--hosts", "8", "--pages", "8", "--keep-urls", "--page-bytes", "2k", "--images", "1", "--links", "10",
                   "--crawl-delays", "0.3", "--latency-least", "50ms", "--latency-most", "200ms"]
    with Simweb(*web_options) as web:
        given = ["--resolver", web.dns, f"--allow-private={NETWORKS}", "-w", "300ms", "--ip-delay", "0", "--ip-conns",
                 "100", "-q"]
        with Places(tmp, wiring(), OTHERS, given) as places:
            crawl = Crawl(web, tmp, "--scope", "any", "-w", "300ms", "--ip-delay", "0", "--ip-conns", "100", "-q",
                          *places.options("home"), quick=False)
            crawl.start()
            for kept in (10, 30, 50):
                until(lambda kept=kept: len(so_far(crawl)) > kept or crawl.process.poll() is not None, "pages")
                if kept == 30:
                    crawl.end()
                    crawl.start()
                else:
                    places.end("fetcher")
                    places.start("fetcher")
            assert crawl.process.wait(240) == 0, crawl.said()
            assert [places.wait(p) for p in OTHERS] == [0, 0]
        same_set(web, web.oracle(web.run["home"], "any"), collections.Counter(set(witnessed(web))))
        report = web.report()
        polite = report["politeness"]
        print(f"# least gap {polite['least_end_gap_ms']} ms over {polite['requests']} requests")
        assert polite["most_open"] == 1 and polite["overlaps"] == 0, polite
        assert polite["under_delay"] <= report["robots"]["repeats"], polite
        assert polite["least_end_gap_ms"] >= 300, polite


main(threads=2)
