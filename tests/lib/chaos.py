# SPDX-License-Identifier: Apache-2.0
"""chaos: a crawl of several agents with everything going wrong that a seed says, and what must hold all
the same (D1, D8).

    happened = one(seed)       # asserts; the message begins with the seed

A fault begins when the web has seen so many requests (or when that has stood still), and ends some
seconds later. Faults overlap. When all have ended the agents must come to their end, and then
    the fetched set is the oracle's;
    a URL was asked for again only if it was open, or its outcome not acknowledged, when somebody was
    killed, frozen or cut off: counted, printed, within a bound; and never when its outcome stood in a
    stream by then (tests/lib/streams.py);
    captures that are missing are those of wiped directories, and the program names exactly those;
    the witness saw nothing impolite but for what the issue excepts, at most one a host and fault;
    every directory agrees with itself and its archives can be read."""
import collections
import contextlib
import dataclasses
import datetime
import json
import math
import os
import random
import shutil
import signal
import tempfile
import time

import scenario
from agents import Agent, lost_captures, stop_all
from crawl import agree, few, is_robots, read_archive, verify, wanted, witnessed
from cut import Wire
from nats_server import Post
from simweb import Simweb
from streams import safe_since

NAMES = "abcd"  # the last one only joins
BEGIN = 3
FENCE, DEAD = 4, 6  # seconds
TIMINGS = ["--heartbeat", "100ms", "--renew", "300ms", "--suspect", "1s", "--fence", f"{FENCE}s", "--abort", "5s",
           "--dead", f"{DEAD}s"]
HOSTS = 14
UNTOLD_SECONDS = 3  # how long an outcome may be on its way to its acknowledgement, on a busy machine
PILE_SECONDS = 10   # and how long to send what could not be sent while servers were away
STILL_SECONDS = 3   # no request for so long: the next fault comes all the same
END_SECONDS = 240   # far more than all that must be waited for: a hang, not a measurement

# kind: (least, most) seconds. Past DEAD whoever is hit is declared dead. In this order they are gone
# through, A_RUN a seed: successive seeds have all of them.
KINDS = {
    "kill": (0, 2), "freeze_long": (DEAD + 2, DEAD + 6), "join": (0, 0), "cut": (0.5, 3),
    "lost": (0, 0), "server": (0.5, 5), "freeze": (0.5, 3), "wipe": (0, 2),
    "leave": (0, 0), "cut_long": (DEAD + 2, DEAD + 6), "kill_long": (DEAD + 2, DEAD + 6),
    "pause": (1, DEAD + 2),
}
OUTAGE = {"outage": (62, 70)}  # of all servers; in soak alone
A_RUN = 4


@dataclasses.dataclass
class Fault:
    kind: str
    at: float       # the share of all pages that are asked for by then
    victim: int
    seconds: float
    is_loud: bool
    ends: float = 0

    def __str__(self):
        return f"{self.kind} {self.victim} at {self.at:.2f} for {self.seconds:.1f} s"


def plan(seed: int, is_long: bool = False) -> list:
    """The faults of a seed. Successive seeds go round all kinds."""
    rng, kinds = random.Random(seed), list(KINDS)
    chosen = [kinds[(seed * A_RUN + i) % len(kinds)] for i in range(A_RUN)]
    if is_long:
        chosen.append("outage")
    moments = [rng.uniform(0.05, 0.5) for _ in chosen] + [1.0]
    chosen.append(rng.choice(["kill", "freeze", "cut", "server"]))  # when others go home, and some do not hear it
    faults = [Fault(kind, at, rng.randrange(BEGIN), rng.uniform(*{**KINDS, **OUTAGE}[kind]), rng.random() < 0.5)
              for kind, at in zip(chosen, moments)]
    return sorted(faults, key=lambda f: f.at)


class Member(Agent):
    """An agent with a wire of its own, whose directories and words are all kept."""

    def __init__(self, web, post, tmp, name, machine, *options):
        self.wire = Wire(machine.client)
        super().__init__(web, post, tmp, name, *options, url=f"nats://127.0.0.1:{self.wire.port}")
        self.starts = 0
        self.is_lost = False  # killed, and never started again
        self.is_leaving = False
        self.wiped = set()    # what stood in directories that are gone
        self.untold = set()   # what it did, and nobody may have heard of
        self.lapses = 0       # how often it was killed or taken for dead
        self.heard_until = math.inf  # when it was first cut off or frozen for so long that others took it for dead
        self.asked = []       # (URL, when) of directories that are gone

    def start(self):
        self.starts += 1
        self.errors = os.path.join(os.path.dirname(self.folder), f"stderr.{self.starts}")
        return super().start()

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def lapse(self, when):
        """What it did since then may be done again, and so may what it has open."""
        self.lapses += 1
        path = os.path.join(self.folder, "logs", "crawl.log")
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8", errors="replace") as f:
            rows = [line.split() for line in f]  # it may end within a line
        self.untold |= {row[3] for row in rows if len(row) > 3 and row[0] >= when}

    def asked_for(self):
        """(URL, seconds since 1970) of everything it has logged."""
        path = os.path.join(self.folder, "logs", "crawl.log")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8", errors="replace") as f:
            rows = [line.split() for line in f]
        return [(row[3], begun(row[8])) for row in rows if len(row) > 8 and row[8][:17].isdigit()]

    def away_for_long(self):
        self.heard_until = min(self.heard_until, time.time())

    def saw(self):
        """URLs in its archives, however they end."""
        return {r.url for path in self.archives() for r in read_archive(path, is_whole=False)
                if r.kind in ("response", "revisit") and not is_robots(r.url)}

    def is_gone(self):
        """Wiped, and killed for ever before it was taken in again: nobody but the operator knows what became of it."""
        return self.is_lost and bool(self.wiped) and not os.path.exists(os.path.join(self.folder, "state", "agent"))

    def last_words(self):
        states = self.events("cluster.state")[-1:]
        return f"{self.name}: " + str(states[0] if states else self.said()[-600:])


def stamp(seconds_ago=0.0):
    at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)
    return at.strftime("%Y-%m-%dT%H:%M:%S")


def begun(stamp17):
    """Of a field yyyymmddhhmmssSSS+duration."""
    at = datetime.datetime.strptime(stamp17[:14], "%Y%m%d%H%M%S").replace(tzinfo=datetime.timezone.utc)
    return at.timestamp() + int(stamp17[14:17]) / 1000


def fingerprints(urls):
    said = scenario.run(["try", "url", *urls]).out.splitlines()
    rows = [json.loads(line) for line in said]
    assert len(rows) == len(urls), said[:3]
    return {url: int(row["fingerprint"], 16) for url, row in zip(urls, rows)}


class Run:
    """One crawl and what happens to it."""

    def __init__(self, seed, tmp, web, post, is_long):
        self.seed, self.web, self.post = seed, web, post
        rng = random.Random(seed ^ 0x5eed)
        self.delay_ms = rng.choice([0, 20, 60])
        self.members = [Member(web, post, tmp, name, post.machines[i % len(post.machines)], "-w",
                               f"{self.delay_ms}ms") for i, name in enumerate(NAMES)]
        for m in self.members:
            m.all = self.members
        self.oracle = web.oracle(web.run["home"], "any")
        self.must = wanted(self.oracle)
        self.waiting = plan(seed, is_long)
        self.going = []
        self.happened = collections.Counter()
        self.asked, self.still_since = 0, time.monotonic()
        self.frozen_long = 0
        self.again = set()  # asked for more than once
        self.silences = []  # (begun, ended)
        self.patience = time.monotonic() + END_SECONDS

    # What happens ------------------------------------------------------------------------------------

    def crawl(self):
        for m in self.members[:BEGIN]:
            m.start()
        while self.waiting or self.going or any(m.is_running() for m in self.members):
            self.look()
            self.begin_some()
            self.end_some()
            assert time.monotonic() < self.patience, "some never end:\n" + self.words()
            time.sleep(0.02)

    def words(self):
        return "\n".join(m.last_words() for m in self.members if m.is_running())

    def look(self):
        asked = self.web.report()["requests"]
        if asked != self.asked:
            self.asked, self.still_since = asked, time.monotonic()

    def begin_some(self):
        is_still = time.monotonic() - self.still_since > STILL_SECONDS
        while self.waiting and (is_still or self.asked >= self.waiting[0].at * len(self.must)):
            if not self.begin(self.waiting[0]):
                # Everybody is busy with something else: later, as long as there is somebody.
                if not any(m.is_running() for m in self.members) and not self.going:
                    self.waiting.clear()
                return
            fault = self.waiting.pop(0)
            is_still = False
            self.still_since = time.monotonic()
            self.happened[fault.kind] += 1
            fault.ends = time.monotonic() + fault.seconds
            self.patience = fault.ends + END_SECONDS
            self.going.append(fault)
            if fault.kind in ("server", "outage", "cut", "cut_long"):
                self.silences.append((time.monotonic(), fault.ends))
            elif len(self.post.machines) > 1 and fault.kind not in ("pause", "join", "leave"):
                # Where streams have copies an outcome waits until those who were sent its links have
                # them: somebody away keeps others' outcomes back until it counts as dead.
                self.silences.append((time.monotonic(), max(fault.ends, time.monotonic() + DEAD + 2)))

    def end_some(self):
        for fault in [f for f in self.going if f.ends <= time.monotonic()]:
            self.going.remove(fault)
            getattr(self, "end_" + fault.kind.removesuffix("_long"), lambda _: None)(fault)

    def victim(self, fault):
        """Somebody who runs and to whom nothing else is being done; None: there is nobody."""
        busy = {f.victim for f in self.going if f.kind not in ("server", "outage")}
        for _ in range(BEGIN):
            fault.victim = (fault.victim + 1) % BEGIN
            m = self.members[fault.victim]
            if m.is_running() and fault.victim not in busy and not m.is_leaving:
                return m
        return None

    def begin(self, fault):
        """Whether it could be done."""
        return getattr(self, "begin_" + fault.kind.removesuffix("_long"))(fault)

    def unheard_since(self, seconds=0.0):
        """Since when what somebody did may be unheard: some seconds, or since servers went away or a wire
        was cut, if that was mended only lately: what has piled up must be sent first."""
        now = time.monotonic()
        since = now - seconds - UNTOLD_SECONDS
        for begun, ended in self.silences:
            if ended + PILE_SECONDS > since:
                since = min(since, begun - UNTOLD_SECONDS)
        return stamp(now - since)

    def begin_kill(self, fault):
        m = self.victim(fault)
        if not m:
            return False
        m.end(signal.SIGKILL)
        m.lapse(self.unheard_since())
        return True

    def end_kill(self, fault):
        self.members[fault.victim].start()

    def begin_lost(self, fault):
        done = self.begin_kill(fault)
        self.members[fault.victim].is_lost = done
        return done

    def begin_wipe(self, fault):
        if not self.begin_kill(fault):
            return False
        m = self.members[fault.victim]
        m.wiped |= m.saw()
        m.asked += m.asked_for()
        shutil.rmtree(m.folder)
        return True

    end_wipe = end_kill

    def begin_freeze(self, fault):
        m = self.victim(fault)
        if m:
            m.process.send_signal(signal.SIGSTOP)
            if fault.kind.endswith("_long"):
                m.away_for_long()
        return m is not None

    def end_freeze(self, fault):
        m = self.members[fault.victim]
        if fault.kind.endswith("_long"):
            m.lapse(self.unheard_since(fault.seconds))
            self.frozen_long += 1
        m.process.send_signal(signal.SIGCONT)

    def begin_cut(self, fault):
        m = self.victim(fault)
        if m:
            m.wire.cut(fault.is_loud)
            if fault.kind.endswith("_long"):
                m.away_for_long()
        return m is not None

    def end_cut(self, fault):
        m = self.members[fault.victim]
        if fault.kind.endswith("_long"):
            m.lapse(self.unheard_since(fault.seconds))
        m.wire.mend()

    def begin_pause(self, fault):
        m = self.victim(fault)
        return m is not None and scenario.run(["pause", m.folder]).code == 0

    def end_pause(self, fault):
        # A pause is everybody's: whoever runs may end it.
        running = [m for m in [self.members[fault.victim], *self.members] if m.is_running()]
        if running and not any(scenario.run(["unpause", m.folder]).code == 0 for m in running):
            fault.ends = time.monotonic() + 1  # no server has heard it: once more
            self.going.append(fault)

    def begin_server(self, fault):
        up = [m for m in self.post.machines if m.process]
        if len(up) < len(self.post.machines):
            return False
        up[fault.victim % len(up)].end(signal.SIGKILL)
        return True

    def begin_outage(self, _):
        for m in self.post.machines:
            m.end(signal.SIGKILL)
        return True

    def end_server(self, _):
        for m in self.post.machines:
            if not m.process:
                m.start()

    end_outage = end_server

    def begin_join(self, _):
        self.members[-1].start()
        return True

    def begin_leave(self, fault):
        m = self.victim(fault)
        if not m:
            return False
        done = scenario.run(["set", m.folder, "cluster.leave=yes"])
        m.is_leaving = done.code == 0
        return m.is_leaving

    # What must hold ----------------------------------------------------------------------------------

    def check(self):
        for m in self.members:
            if m.starts and not m.is_lost:
                assert m.process.returncode == 0, (m.name, m.process.returncode, m.said()[-2000:])
        again = self.check_fetched()
        lost = self.check_captured()
        impolite = self.check_polite()
        return f"{self.asked} requests, {again}, {lost} captures lost with a disk, {impolite}"

    def check_fetched(self):
        seen = witnessed(self.web)
        may = {u for u, (kind, _) in self.oracle.items() if kind == "may"}
        assert not self.must - set(seen), "never asked for " + few(self.must - set(seen))
        assert not set(seen) - self.must - may, "asked for " + few(set(seen) - self.must - may)
        again = {u: n for u, n in seen.items() if n > 1 and u not in may}
        self.again = set(again)
        open_then = set(again) - set().union(*(m.untold for m in self.members))
        lapses = sum(m.lapses for m in self.members)
        assert len(open_then) <= lapses * HOSTS, f"{lapses} times somebody was away, and {few(open_then)} again"
        assert all(n <= 1 + lapses for n in again.values()), again
        self.check_none_was_safe(sorted(again))
        return f"{len(again)} again ({len(open_then)} of them open when one of {lapses} went away)"

    def check_none_was_safe(self, again):
        """Whoever asked again could not know better."""
        if not again:
            return
        safe, prints = safe_since(self.post, {m.name: m.heard_until for m in self.members}), fingerprints(again)
        assert safe, "no outcome stands in any stream: nothing was looked at"
        asked = [row for m in self.members if m.starts for row in m.asked + m.asked_for() if row[0] in prints]
        wrong = [(url, at, safe[prints[url]]) for url, at in asked if safe.get(prints[url], math.inf) < at - 0.001]
        assert not wrong, f"asked for though it was safe: {wrong[:5]}"

    def check_captured(self):
        kept, wiped = set(), set()
        for m in self.members:
            if not m.starts:
                continue
            wiped |= m.wiped
            kept |= m.saw()
            if not m.is_lost:
                agree(m, has_all_nodes=not any(o.wiped or o.is_lost for o in self.members), again=self.again)
                if m.archives():
                    verify(m)
        missing = self.must - kept
        assert not missing - wiped, "archived nowhere: " + few(missing - wiped)
        there = [m for m in self.members if m.starts]
        named = lost_captures(there, *(word for m in there if m.is_gone() for word in ("--gone", m.name))) & self.must
        assert named == missing, f"named, and not lost {few(named - missing)}; lost, and not named {few(missing - named)}"
        return len(missing)

    def check_polite(self):
        report = self.web.report("hosts=1")
        bad = [h for h in report["hosts"] if h["overlaps"] or h["forbidden"] or h["during_backoff"]
               or (h["least_end_gap_ms"] is not None and h["least_end_gap_ms"] < self.delay_ms)]
        for h in bad:
            assert not h["forbidden"] and not h["during_backoff"], h
            assert h["overlaps"] <= self.frozen_long, h
            assert self.frozen_long, h
        return f"{len(bad)} hosts asked beside a frozen one"


def one(seed: int, is_long: bool = False) -> collections.Counter:
    """Runs a seed; what happened. Whatever fails says the seed."""
    rng = random.Random(seed ^ 0xca5e)
    servers, pages = rng.choice([1, 1, 3]), 40
    begun = time.monotonic()
    words = f"seed {seed}: {servers} servers; " + "; ".join(map(str, plan(seed, is_long)))
    print("# " + words, flush=True)
    web_options = ["--hosts", str(HOSTS), "--pages", str(pages), "--keep-urls", "--crawl-delays", "0", "--page-bytes",
                   "4k", "--latency-least", "5ms", "--latency-most", "40ms"]
    with tempfile.TemporaryDirectory() as tmp, Simweb(*web_options) as web, \
            Post(tmp, machines=servers, agents=",".join(NAMES), timings=TIMINGS) as post:
        run = Run(seed, tmp, web, post, is_long)
        try:
            run.crawl()
            said = run.check()
        except BaseException as e:
            keep(tmp, seed)
            raise AssertionError(f"seed {seed} ({words}): {e}") from e
        finally:
            stop_all(run.members)
            for m in run.members:
                m.wire.close()
    print(f"# seed {seed}: {time.monotonic() - begun:.0f} s, {dict(run.happened)}; {said}", flush=True)
    return run.happened


def keep(tmp, seed):
    """For whoever looks for the cause, if a folder is named."""
    folder = os.environ.get("ORBWEAVER_TEST_KEEP")
    if folder:
        with contextlib.suppress(OSError):
            shutil.copytree(tmp, os.path.join(folder, f"chaos-{seed}"), dirs_exist_ok=True)


def never(happened: collections.Counter, is_long: bool = False) -> list:
    """Kinds that a set of runs has not seen."""
    return [kind for kind in [*KINDS, *(OUTAGE if is_long else ())] if not happened[kind]]
