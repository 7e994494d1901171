# SPDX-License-Identifier: Apache-2.0
"""One crawl with a pool, whose processes are killed, frozen, cut off, joining and leaving as a seed says.

What must hold, by what the server saw and the manager kept:
- the set of pages is the oracle's, and each is archived and logged once;
- no two requests of a host overlap, except one for each host and each member that stood still;
- a URL is asked for again only where a fault took a visit away, one for each host at most;
- every process ends by itself, with code 0."""
import collections
import random
import shutil
import signal
import tempfile
import time

from crawl import agree, few, no_leftovers, same_set, witnessed
from pool import Pool
from scenario import until
from simweb import Simweb

HOSTS = 10
WEB = ["--hosts", str(HOSTS), "--pages", "20", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "3k", "--images", "1",
       "--latency-least", "10ms", "--latency-most", "80ms"]
KINDS = ["kill", "freeze", "long freeze", "cut", "long cut", "reset", "leave", "join", "manager"]
A_RUN = 5  # faults of one run
MEMBERS = 4


class Run:
    def __init__(self, seed: int, web, folder: str, wiring: str):
        self.random = random.Random(seed)
        self.pool = Pool(web, folder, wiring, "--scope", "any")
        self.happened = collections.Counter()
        self.frozen = self.taken = 0
        self.next = 1

    def join(self) -> str:
        name = f"m{self.next}"
        self.next += 1
        self.pool.join(name)
        return name

    def some(self) -> str:
        return self.random.choice(sorted(self.pool.members))

    def is_over(self) -> bool:
        return self.pool.crawl.process.poll() is not None

    def progress(self, lines: int) -> None:
        target = self.pool.lines() + lines
        until(lambda: self.pool.lines() >= target or self.is_over(), "progress of the crawl")

    def pause(self, least: float, most: float) -> None:
        """How long a fault lasts; nothing is asserted of it."""
        time.sleep(self.random.uniform(least, most))

    def fault(self, kind: str) -> None:
        self.happened[kind] += 1
        self.taken += 1
        if kind == "kill":
            name = self.some()
            self.pool.end(name)
            self.pool.join(name)
        elif kind in ("freeze", "long freeze"):
            member = self.pool.members[self.some()]
            self.frozen += 1
            member.send_signal(signal.SIGSTOP)
            self.pause(*((0.1, 1.5) if kind == "freeze" else (4, 6)))
            member.send_signal(signal.SIGCONT)
        elif kind in ("cut", "long cut", "reset"):
            wire = self.pool.wire(self.some())
            wire.cut(loudly=kind == "reset")
            self.pause(*((4, 6) if kind == "long cut" else (0.1, 1.5)))
            wire.mend()
        elif kind == "leave":
            if len(self.pool.members) > 1:
                name = self.some()
                code = self.pool.end(name, signal.SIGTERM)
                assert code in (0, 143), (code, self.pool.said(name)[-2000:])
        elif kind == "join":
            self.join()
        elif kind == "manager":
            self.pool.crawl.end()
            self.pool.start()

    def go(self) -> None:
        kinds = self.random.sample(KINDS, A_RUN)
        self.pool.start()
        for _ in range(2):
            self.join()
        for kind in kinds:
            self.progress(self.random.randint(5, 25))
            if self.is_over():
                break
            self.fault(kind)
        assert self.pool.wait() == 0, self.pool.story()


def check(web, run: Run) -> None:
    crawl = run.pool.crawl
    seen = witnessed(web)
    same_set(web, web.oracle(web.run["home"], "any"), collections.Counter(set(seen)))
    agree(crawl)
    no_leftovers(crawl)
    kept = crawl.captured()
    assert max(kept.values()) == 1, few(u for u, n in kept.items() if n > 1)
    polite = web.report()["politeness"]
    assert polite["forbidden"] == 0, polite
    assert polite["overlaps"] <= run.frozen * HOSTS and polite["most_open"] <= 1 + run.frozen, polite
    again = sum(n - 1 for n in seen.values())
    assert again <= run.taken * HOSTS, (again, run.happened)


def one(seed: int) -> collections.Counter:
    """A run; what happened in it."""
    folder = tempfile.mkdtemp(prefix=f"pool-chaos-{seed}-")
    wiring = "managed" if seed % 2 else "priority"
    with Simweb("--seed", str(seed), *WEB) as web:
        run = Run(seed, web, folder, wiring)
        with run.pool:
            try:
                run.go()
                check(web, run)
            except Exception as e:
                raise AssertionError(f"seed {seed} ({wiring}): {dict(run.happened)}\n{run.pool.story()[-6000:]}") from e
    shutil.rmtree(folder, ignore_errors=True)
    return run.happened


def never(happened: collections.Counter) -> list:
    return [k for k in KINDS if not happened[k]]
