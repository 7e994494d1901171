# SPDX-License-Identifier: Apache-2.0
"""Several agents are one crawl: what they fetch together is what the oracle says, each URL by one of
them and once (D1), also when one is killed, frozen, comes later or leaves. One real nats-server, all on
loopback. Each case prints what the agents told each other, a page.

argv: simweb, orbweaver."""
import collections
import datetime
import json
import os
import signal
import subprocess

import scenario
from crawl import NETWORKS, ORBWEAVER, QUICK, Crawl, agree, few, same_set, verify, wanted, witnessed
from post import SERVER, Post
from scenario import case, main, skip, until
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER  # what Post runs
SECONDS = 200
HOSTS = 14
WEB = ["--hosts", str(HOSTS), "--pages", "25", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k"]
SLOW = ["--latency-least", "5ms", "--latency-most", "40ms"]
TIMINGS = ["--beat", "200ms", "--renew", "500ms", "--suspect", "2s", "--fence", "8s", "--abort", "10s",
           "--dead", "12s"]
SETS = {"ledger.sync": "100ms", "cluster.cluster-poll": "20ms"}


class Agent(Crawl):
    """One of them: a crawl with a directory of its own and everybody's seeds."""

    def __init__(self, web, post, tmp, name, *options):
        folder = os.path.join(tmp, name)
        os.makedirs(folder, exist_ok=True)
        login = post.login_path(name)
        super().__init__(web, folder, "--scope", "any", "--cluster", post.login(name)["url"], "--agent",
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


def stop_all(agents):
    for a in agents:
        if a.process and a.process.poll() is None:
            a.process.send_signal(signal.SIGCONT)
            a.process.kill()
            a.process.wait(SECONDS)


def print_costs(what, agents):
    total, pages = collections.Counter(), 0
    for a in agents:
        pages += sum(1 for r in a.log() if r.code >= 100)
        for row in a.events("cluster.end")[-1:]:
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
        verify(a)
    assert not must - set(captured), "archived nowhere: " + few(must - set(captured))
    assert sum(1 for a in agents if a.index()) > 1, "only one had anything to do"
    return again


@case("three agents fetch together what the oracle says, each URL once (D1)")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc")
        try:
            for a in agents:
                a.start()
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        is_right(web, agents)
        print_costs("three agents", agents)


def asked(web):
    return web.report()["requests"]


def busy(agents, count):
    """Each of them has asked for so many pages."""
    return all(len(a.log()) >= count for a in agents)


def untold(agent, seconds=3):
    """Invariant 7: one open request a host, and outcomes that nobody had acknowledged: those of its
    last moments, with room for a busy machine."""
    times = [datetime.datetime.fromisoformat(r.time.replace("Z", "+00:00")) for r in agent.log()]
    late = max(times) - datetime.timedelta(seconds=seconds)
    return HOSTS + sum(1 for t in times if t >= late)


@case("an agent killed in mid-crawl is adopted by the others, and nothing is missing (D8)")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", "100ms")
        try:
            for a in agents:
                a.start()
            until(lambda: busy(agents, 5), "all have begun")
            agents[1].end(signal.SIGKILL)
            for a in agents:
                if a is not agents[1]:
                    a.wait()
        finally:
            stop_all(agents)
        before = asked(web)
        again = is_right(web, agents, may_repeat=untold(agents[1]), dead=agents[1])
        own = {r.url for r in agents[1].log()}
        print(f"# {before} requests; {again} again, of {len(own)} that the dead agent had done")
        print_costs("one killed", agents)


@case("an agent killed and started again at once goes on as the same one")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", "100ms")
        try:
            for a in agents:
                a.start()
            until(lambda: busy(agents, 5), "all have begun")
            agents[1].end(signal.SIGKILL)
            agents[1].start()
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        again = is_right(web, agents, may_repeat=HOSTS)
        assert agents[1].events("cluster.epoch")[-1]["inc"] == 1, "it came as another"
        print(f"# {again} again")
        print_costs("one killed and started again", agents)


@case("an agent that is frozen for long is declared dead, returns, and takes part again")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", "300ms")
        try:
            for a in agents:
                a.start()
            until(lambda: busy(agents, 5), "all have begun")
            agents[1].process.send_signal(signal.SIGSTOP)
            frozen = asked(web)
            until(lambda: any(e.get("epoch", 0) > 3 for a in agents for e in a.events("cluster.epoch")),
                  "it is declared dead", 60)
            agents[1].process.send_signal(signal.SIGCONT)
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        again = is_right(web, agents, may_repeat=HOSTS)  # open ones, in a frozen process
        assert agents[1].events("cluster.epoch")[-1]["inc"] == 2, "it was never declared dead"
        print(f"# frozen after {frozen} requests; {again} again")
        print_costs("one frozen", agents)


@case("an agent joins in mid-crawl, another leaves: each URL once all the same")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", "200ms")
        try:
            for a in agents[:2]:
                a.start()
            until(lambda: busy(agents[:2], 5), "two have begun")
            agents[2].start()
            until(lambda: busy(agents[2:], 3), "the third takes part")
            done = scenario.run(["set", agents[0].folder, "cluster.leave=yes"])
            assert done.code == 0, done
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        is_right(web, agents)
        assert agents[0].events("cluster.end")[-1]["state"] == "gone", agents[0].said()[-2000:]
        print_costs("one joined, one left", agents)


@case("cluster up: server and agents by one command; ^C stops all, the same command ends it")
def _(tmp):
    folder = os.path.join(tmp, "up")
    if not SERVER:
        skip("nats-server (absent)")
    with Simweb(*WEB, *SLOW) as web:
        command = [ORBWEAVER, "cluster", "up", "--agents", "2", "-o", folder, "--", "--resolver", web.dns,
                   f"--allow-private={NETWORKS}", "--ca-file", web.ca, "--scope", "any", *QUICK,
                   "-w", "50ms", web.run["home"]]
        first = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            until(lambda: asked(web) > 100 or first.poll() is not None, "it crawls")
            first.send_signal(signal.SIGINT)
            assert first.wait(SECONDS) == 130, first.stderr.read()
        finally:
            if first.poll() is None:
                first.terminate()
                first.wait(SECONDS)
            first.stderr.close()
        stopped = asked(web)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                              check=False)
        assert done.returncode == 0, done
        same_set(web, web.oracle(web.run["home"], "any"))
        print(f"# {stopped} requests before the stop, {asked(web)} in all")


main()
