# SPDX-License-Identifier: Apache-2.0
"""Every fault of the simulated web in one crawl, beside healthy hosts: each is treated as
docs/faults.md asks, by the judge's verdict; no healthy page is lost; memory stays within a bound.

Times and budgets are short so that it ends soon; what is judged are choices, not speed."""
import atexit
import collections
import tempfile
import time

from crawl import Crawl, agree, few, memory_kb, no_leftovers, sanitized, verify, wanted
from scenario import case, main
from simweb import Simweb

KNOBS = ["--hosts", "8", "--pages", "20", "--crawl-delays", "0", "--retry-after", "1", "--drip", "10ms",
         "--endless", "12M", "--fault-scale", "0.01", "--patience", "20s", "--keep-urls"]
SETS = {
    "http.connect-timeout": "2s", "http.tls-timeout": "2s", "http.first-byte-timeout": "2s",
    "http.head-timeout": "3s", "http.idle-timeout": "2s", "http.fetch-timeout": "5s",
    "pace.backoff": "200ms", "pace.backoff-most": "1s", "pace.retry-after-most": "3s", "pace.delay-most": "1s",
    "dns.dns-timeout": "300ms", "dns.dns-tries": "2", "dns.dns-failed": "1s",
    "fetch.body-size": "4M", "read.links": "300", "budget.domain-hosts": "100", "budget.farm-pages": "500",
}
MEMORY_KB = 400 * 1024
COUNT = 93


class Zoo:
    """One crawl of all faults; the cases below look at what came of it."""

    def __init__(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.web = Simweb(*KNOBS, "--fault", "all")
        self.seeds = [f"http://zoo.test:{self.web.http_port}/", self.web.run["home"]]
        self.crawl = Crawl(self.web, self.tmp.name, "--scope", "any", "-w", "10ms", "--ip-delay", "0",
                           "--ip-conns", "4", "-q", seeds=self.seeds, sets=SETS, quick=False, shards=2)
        self.peak_kb = 0
        process = self.crawl.start()
        end = time.monotonic() + 400
        while process.poll() is None and time.monotonic() < end:
            self.peak_kb = max(self.peak_kb, memory_kb(process.pid))
            time.sleep(0.05)
        self.code = process.poll()
        if self.code is None:
            self.crawl.end()
        self.report = settled(self.web)

    def close(self):
        self.web.close()
        self.tmp.cleanup()


def settled(web) -> dict:
    """The report once the servers have noticed that everybody has gone."""
    end = time.monotonic() + 30
    report = web.report("urls=1&sights=1")
    while report["open"] and time.monotonic() < end:
        time.sleep(0.1)
        report = web.report("urls=1&sights=1")
    return report


ZOO = Zoo()
atexit.register(ZOO.close)


@case("the crawl ends by itself, as finished")
def _(tmp):
    assert ZOO.code == 0, (ZOO.code, ZOO.crawl.said()[-2000:])


@case("every fault is judged good")
def _(tmp):
    verdicts = {f["id"]: f for f in ZOO.report["faults"]}
    print(f"# verdicts: {dict(collections.Counter(f['verdict'] for f in verdicts.values()))}")
    assert len(verdicts) == COUNT
    wrong = {i: (f["verdict"], f["why"][:4]) for i, f in verdicts.items() if f["verdict"] != "good"}
    assert not wrong, wrong


@case("no healthy page is lost, none is fetched twice")
def _(tmp):
    must = wanted(ZOO.web.oracle(ZOO.web.run["home"], "any"))
    seen = ZOO.report["url_counts"]
    assert len(must) > 300
    assert not must - set(seen), few(must - set(seen))
    assert not [u for u in must if seen[u] != 1], few(u for u in must if seen[u] != 1)


@case("no host had two requests at once, was asked during a back-off, or for what its robots.txt forbids")
def _(tmp):
    polite = ZOO.report["politeness"]
    assert polite["most_open"] == 1 and polite["overlaps"] == 0, polite
    assert polite["during_backoff"] == 0 and polite["under_delay"] == 0 and polite["forbidden"] == 0, polite


@case("memory stays within a bound, whatever was sent")
def _(tmp):
    print(f"# memory: {ZOO.peak_kb / 1024:.0f} MB at most")
    assert ZOO.peak_kb < MEMORY_KB * sanitized(), ZOO.peak_kb


@case("the archive is whole, and all files tell the same")
def _(tmp):
    verify(ZOO.crawl)
    agree(ZOO.crawl, is_honest=False)
    no_leftovers(ZOO.crawl)


main()
