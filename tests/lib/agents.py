# SPDX-License-Identifier: Apache-2.0
"""Agents that are one crawl, for tests: each with a directory of its own, one nats-server for all
(tests/lib/nats_server.py), all on loopback."""
import collections
import json
import os
import signal
import tempfile

import scenario
from crawl import Crawl, agree, few, same_set, verify, wanted, witnessed

SECONDS = 200
HOSTS = 14
WEB = ["--hosts", str(HOSTS), "--pages", "25", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k"]
SLOW = ["--latency-least", "5ms", "--latency-most", "40ms"]
TIMINGS = ["--heartbeat", "200ms", "--renew", "500ms", "--suspect", "2s", "--fence", "8s", "--abort", "10s",
           "--dead", "12s"]
# Where nobody is to die nobody may be taken for dead, however long the machine stands still.
PATIENT = ["--heartbeat", "200ms", "--renew", "500ms", "--suspect", "2s", "--fence", "80s", "--abort", "100s",
           "--dead", "120s"]
# Servers may be away for longer than an agent that is started waits by itself.
SETS = {"ledger.sync": "100ms", "cluster.cluster-poll": "20ms", "cluster.cluster-wait": "0"}


class Agent(Crawl):
    """One of them: a crawl with a directory of its own and everybody's seeds."""

    def __init__(self, web, post, tmp, name, *options, url=None):
        folder = os.path.join(tmp, name)
        os.makedirs(folder, exist_ok=True)
        login = post.login_path(name)
        super().__init__(web, folder, "--scope", "any", "--cluster", url or post.login(name)["url"], "--agent",
                         name, "--cluster-credentials", os.path.dirname(login), "-v", "-j", *options,
                         sets=SETS)
        self.name = name
        self.all = [self]

    def lines(self, *path):
        """The node of a page stands with whoever found it: of all agents together."""
        if path != ("links", "links.nodes"):
            return super().lines(*path)
        return sorted({line for a in self.all for line in super(Agent, a).lines(*path)})

    def wait(self):
        code = self.process.wait(SECONDS)
        assert code == 0, (self.name, code, self.said()[-3000:])

    def events(self, name):
        rows = []
        for line in self.said().splitlines():
            if line.startswith("{") and f'"{name}"' in line:
                rows.append(json.loads(line))
        return rows


def agents_of(web, post, tmp, names, *options):
    agents = [Agent(web, post, tmp, name, *options) for name in names]
    for a in agents:
        a.all = agents
    return agents


def pages(*agents):
    return sum(len(a.log()) for a in agents)


def join(post, newcomers, others=(), most=40):
    """They are started, and have their hosts before all is done: on a slow machine the crawl waits for them at
    `most` pages. (Who comes later takes those for dead who have gone home, and asks for what only they have.)"""
    def are_up():
        return all(any(e["state"] == "up" for e in a.events("cluster.epoch")) for a in newcomers)

    for a in newcomers:
        a.start()
    names = " ".join(a.name for a in newcomers)
    scenario.until(lambda: are_up() or pages(*others, *newcomers) > most, f"{names} join", 120)
    if not are_up():
        assert scenario.run(["pause", post.dir]).code == 0
        scenario.until(are_up, f"{names} have their hosts", 120)
        assert scenario.run(["unpause", post.dir]).code == 0


def story(agents):
    """What became of the ring and of the processes, for whoever has to explain a failure."""
    names = ("cluster.epoch", "cluster.weight", "cluster.waiting", "cluster.state", "cluster.ended")
    rows = []
    for a in agents:
        rows += [" ".join(str(v) for v in [a.name, e["time"][11:23], e["event"], *(e.get(k) for k in (
            "epoch", "state", "weight", "waits_for"))]) for name in names for e in a.events(name)]
        other = [line for line in a.said().splitlines() if not line.startswith("{")]
        rows.append(f"{a.name} ended with {a.process.poll() if a.process else 'nothing'}: " + " | ".join(other[:40]))
    return "\n".join(rows)


def stop_all(agents):
    for a in agents:
        if a.process and a.process.poll() is None:
            a.process.send_signal(signal.SIGCONT)
            a.process.kill()
            a.process.wait(SECONDS)


def lost_captures(agents, *options):
    """What the program names as lost with a disk, looking at all directories there are."""
    with tempfile.TemporaryDirectory() as to:
        begun = ("state/seeds", "logs/crawl.log")  # who was killed at once has neither
        dirs = [a.folder for a in agents if any(os.path.exists(os.path.join(a.folder, b)) for b in begun)]
        done = scenario.run(["report", *dirs, "-o", to, "--json", *options], seconds=60)
        assert done.code == 0, done
        with open(os.path.join(to, "reports", "lost-captures-report.txt"), encoding="utf-8") as f:
            rows = [line.split() for line in f.read().splitlines()]
        assert rows[0] == ["[agent]", "[incarnation]", "[url]"], rows[:1]
        urls = [row[2] for row in rows[1:]]
        assert len(set(urls)) == len(urls) == json.loads(done.out)["lostCaptures"], done.out
        return set(urls)


def print_costs(what, agents):
    total, pages = collections.Counter(), 0
    for a in agents:
        pages += sum(1 for r in a.log() if r.code >= 100)
        for row in a.events("cluster.ended")[-1:]:
            total.update({k: v for k, v in row.items() if isinstance(v, int)})
    pages = max(1, pages)
    print(f"# {what}: {pages} answers; a page {total['appends'] / pages:.2f} appends of "
          f"{total['append_bytes'] / pages:.0f} bytes, {total['gets'] / pages:.2f} gets, "
          f"{total['says'] / pages:.2f} heartbeats; {total['foreign']} links sent, "
          f"{total['repeated']} spared by the cache, {total['refused']} refused")


def is_right(web, agents, may_repeat=0, dead=None):
    """All of the oracle's, each once but for a few; what was asked for is in somebody's archive; every
    directory but that of one who was killed agrees with itself; more than one had work."""
    truth, seen = web.oracle(web.run["home"], "any"), witnessed(web)
    if not may_repeat:
        same_set(web, truth, seen)
    must = wanted(truth)
    assert not must - set(seen), "never asked for " + few(must - set(seen))
    again = sum(n - 1 for u, n in seen.items() if n > 1)
    assert again <= may_repeat, f"{again} asked for again: " + few(u for u, n in seen.items() if n > 1)
    captured = collections.Counter()
    for a in agents:
        if a is dead:
            captured += collections.Counter(e["url"] for e in a.index())
            continue
        captured += a.captured()
        agree(a)
        if a.archives():  # who came last may have found nothing left
            verify(a)
    assert not must - set(captured), "archived nowhere: " + few(must - set(captured))
    assert sum(1 for a in agents if a.index()) > 1, "only one had anything to do"
    return again
