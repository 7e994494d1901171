# SPDX-License-Identifier: Apache-2.0
"""A crawl that runs for an hour under the thread sanitizer, over many hosts and every fault there is, while
somebody asks, pauses, sets, adds seeds and exports at random moments. It is paced, so that it waits for its
hosts and not for the processor. In the end the sanitizer has said nothing, the crawl stopped in order, its
files agree, and its memory has in the last half grown by no more than its URLs explain.

    long_crawl.py SIMWEB ORBWEAVER [MINUTES [SEED]]     60 minutes, seed 1

A line a minute, one line of result at the end; exit code 0 is good."""
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from crawl import ORBWEAVER, Crawl, agree, verify
from simweb import Simweb

MINUTES = float(sys.argv[3]) if len(sys.argv) > 3 else 60
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
HOSTS, DELAY_SECONDS = 200, 8
# Of a host twice as many URLs as can be asked for meanwhile: it never runs dry, and knows most of them soon.
PAGES = max(20, round(MINUTES * 60 / DELAY_SECONDS))
WEB = ["--hosts", str(HOSTS), "--pages", str(PAGES), "--images", "1", "--https", "0.2", "--page-bytes", "6k",
       "--fault", "all", "--fault-scale", "0.01", "--endless", "4M", "--drip", "100ms", "--retry-after", "5",
       "--sprinkle", "f35=0.05", "--latency-most", "300ms"]
SETS = {"http.fetch-timeout": "20s", "http.first-byte-timeout": "10s", "pace.backoff": "5s", "pace.backoff-most": "60s",
        "pace.delay-most": "10s", "fetch.body-size": "2M", "budget.domain-hosts": "300", "budget.farm-pages": "500",
        "ledger.snapshot-size": "2M", "ledger.history-memory": "4M", "ledger.digest-memory": "1M"}
COMMAND_SECONDS = 120  # for one command, under a sanitizer, on a busy machine
JUDGED_MINUTES = 10    # a shorter run is over before what grows at first has stopped
# What may come in the last half. Tables that fill up to a limit of their own are kept small here, so that they
# are full by then. What is left is what a page leaves in the frontier, 0.14 KB as seen of a build with gcc; the
# sanitizer's shadow is several times that.
GROWN_MB, GROWN_KB_A_PAGE = 16, 1


def memory_kb(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmRSS:\s+(\d+) kB", f.read())[1])
    except (OSError, TypeError):
        return 0


class Operator:
    """Somebody who cannot leave a crawl alone."""

    def __init__(self, crawl: Crawl, rng: random.Random):
        self.crawl, self.rng, self.counts, self.bad = crawl, rng, {}, []

    def tell(self, *words, codes=(0,)) -> str:
        done = subprocess.run([ORBWEAVER, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=COMMAND_SECONDS, check=False)
        name = " ".join(words[:2]) if words[0] in ("seeds", "export") else words[0]
        self.counts[name] = self.counts.get(name, 0) + 1
        if done.returncode not in codes or "ThreadSanitizer" in done.stderr:
            self.bad.append(f"{' '.join(words)}: {done.returncode} {done.stderr[-3000:]}")
        return done.stdout

    def act(self) -> None:
        folder, rng = self.crawl.folder, self.rng
        what = rng.choice(("status", "status", "pause", "set", "checkpoint", "url", "seeds", "list", "cdxj"))
        if what == "status":
            self.tell("status", "--json", folder)
        elif what == "pause":
            self.tell("pause", folder)
            time.sleep(rng.random() * 3)
            self.tell("unpause", folder)
        elif what == "set":
            value = rng.choice((f"delay={rng.randrange(DELAY_SECONDS, DELAY_SECONDS + 4)}s",
                                f"pace.tries={rng.randrange(2, 5)}", f"ip-conns={rng.randrange(2, 9)}"))
            self.tell("set", folder, value)
        elif what == "checkpoint":
            self.tell("checkpoint", folder)
        elif what == "url":
            self.tell("url", folder, self.crawl.seeds[rng.randrange(len(self.crawl.seeds))])
        elif what == "seeds":
            self.tell("seeds", "add", folder, f"{self.crawl.seeds[0]}?more={rng.randrange(10 ** 6)}")
        elif what == "list":
            self.tell("seeds", "list", folder)
        else:
            self.tell("export", "cdxj", folder)


def grown(samples: list) -> tuple:
    """Kilobytes before half time and at the end (medians of a tenth), and the lines in between."""
    n, tenth = len(samples), max(1, len(samples) // 10)
    before, last = samples[max(0, n // 2 - tenth):n // 2 + 1], samples[-tenth:]
    return (statistics.median(kb for kb, _ in before), statistics.median(kb for kb, _ in last),
            last[-1][1] - before[-1][1])


def lines_of(crawl: Crawl) -> int:
    try:
        with open(os.path.join(crawl.folder, "logs", "crawl.log"), "rb") as f:
            return sum(1 for _ in f)
    except FileNotFoundError:
        return 0  # it has just begun


def watch(crawl: Crawl, operator: Operator) -> list:
    """Until the time is over: its memory, every two seconds or so."""
    begun, samples, minute, lines = time.monotonic(), [], 0, 0
    next_act = begun + 10  # it begins first
    while time.monotonic() < begun + MINUTES * 60 and crawl.process.poll() is None:
        samples.append((memory_kb(crawl.process.pid), lines))
        if time.monotonic() >= next_act:
            operator.act()
            next_act = time.monotonic() + operator.rng.uniform(2, 10)
        if time.monotonic() >= begun + minute * 60:
            minute += 1
            lines = lines_of(crawl)
            print(f"minute {minute - 1}: RSS {samples[-1][0] // 1024} MB, {lines} lines in crawl.log, "
                  f"{sum(operator.counts.values())} commands, {len(operator.bad)} of them failed", flush=True)
        time.sleep(2)
    return samples


def faults_of(crawl: Crawl, operator: Operator, samples: list) -> list:
    """Everything that is not as it should be."""
    bad = list(operator.bad)
    if crawl.process.poll() is None:
        code = crawl.end(signal.SIGTERM)
        if code != 143:
            bad.append(f"SIGTERM ended it with {code}")
    else:
        bad.append(f"it ended by itself, with {crawl.process.returncode}")
    said = crawl.said()
    if "ThreadSanitizer" in said:
        bad.append(said[:20000])
    for look in (verify, lambda c: agree(c, is_honest=False)):
        try:
            look(crawl)
        except AssertionError as why:
            bad.append(str(why)[:3000])
    half, end, lines = grown(samples)
    if MINUTES >= JUDGED_MINUTES and end > half + GROWN_MB * 1024 + GROWN_KB_A_PAGE * lines:
        bad.append(f"its memory grew from {half / 1024:.0f} MB at half time to {end / 1024:.0f} MB, with {lines} URLs")
    return bad


def main() -> int:
    print(f"seed {SEED}, {MINUTES:g} minutes, {HOSTS} hosts with {PAGES} pages each, and all faults", flush=True)
    with tempfile.TemporaryDirectory(prefix="soak-") as tmp, Simweb(*WEB, "--seed", str(SEED)) as web:
        crawl = Crawl(web, tmp, "--scope", "any", "-w", f"{DELAY_SECONDS}s", "-q", quick=False, shards=2, sets=SETS,
                      seeds=[web.run["home"], f"http://zoo.test:{web.http_port}/"])
        operator = Operator(crawl, random.Random(SEED))
        crawl.start()
        try:
            samples = watch(crawl, operator)
            bad = faults_of(crawl, operator, samples)
            done = len(crawl.log())
        finally:
            if crawl.process.poll() is None:
                crawl.end()
    half, end, lines = grown(samples)
    for line in bad:
        print("not right: " + line, flush=True)
    print(f"long crawl, seed {SEED}: {MINUTES:g} minutes, {done} lines in crawl.log, {sum(operator.counts.values())} "
          f"commands {operator.counts}, RSS {half / 1024:.0f} MB at half time, {end / 1024:.0f} MB at the end, {lines} URLs "
          "later"
          + ("" if MINUTES >= JUDGED_MINUTES else " (too short to judge)")
          + f": {len(bad)} not right", flush=True)
    return 1 if bad else 0


sys.exit(main())
