# SPDX-License-Identifier: Apache-2.0
"""What a crawl of several agents keeps to as a crawl of one machine does: its depth,
its budgets; and what it keeps to in itself: an agent with little room left (D6). One real nats-server, all on loopback.

argv: simweb, orbweaver."""
import collections
import json
import os
import subprocess

import scenario
from agents import PATIENT, TIMINGS, agents_of, stop_all, story
from crawl import ORBWEAVER, agree, few, same_set, wanted, witnessed
from nats_server import Post
from scenario import case, main, until
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER  # what Post runs


def together(agents):
    """All begin at once and come to their end."""
    try:
        for a in agents:
            a.start()
        for a in agents:
            a.wait()
    finally:
        stop_all(agents)


def joined(agents):
    """All are in the ring, and hosts have stopped moving."""
    last = [(a.events("cluster.epoch") or [{}])[-1] for a in agents]
    return all(e.get("epoch") == len(agents) and e.get("state") == "up" for e in last)


def start_without_seeds(agent):
    """They come by its standard input, later."""
    agent.command[-1:] = ["-i", "-"]
    with open(agent.errors, "wb") as err:
        agent.process = subprocess.Popen(agent.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=err)


def together_from_the_first_page(home, agents):
    """All take part before anybody has a URL: no host moves that has pages done."""
    try:
        for a in agents:
            start_without_seeds(a)
        try:
            until(lambda: joined(agents), "all take part", 120)
        except AssertionError as e:
            raise AssertionError(story(agents)) from e
        for a in agents:
            a.process.stdin.write(home.encode() + b"\n")
            a.process.stdin.close()
        for a in agents:
            a.wait()
    finally:
        stop_all(agents)


# Depth -------------------------------------------------------------------------------------------

DEEP = ["--hosts", "14", "--pages", "25", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k",
        "--latency-least", "1ms", "--latency-most", "60ms"]

for _depth, _seed in (("3", "1"), ("4", "3")):
    @case(f"depth {_depth} is exact, whoever found a page first: web {_seed}, three agents")
    def _(tmp, depth=_depth, seed=_seed):
        with Simweb(*DEEP, "--seed", seed) as web, Post(tmp, agents="a,b,c", timings=PATIENT) as post:
            agents = agents_of(web, post, tmp, "abc", "-l", depth)
            together_from_the_first_page(web.run["home"], agents)
            must, seen = wanted(web.oracle(web.run["home"], "any", "--depth", depth)), witnessed(web)
            assert not must - set(seen), "missed: " + few(must - set(seen))
            assert not set(seen) - must, "too deep: " + few(set(seen) - must)
            assert set(seen.values()) == {1}, few(u for u, n in seen.items() if n > 1)
            for a in agents:
                agree(a)
            print(f"# depth {depth}, web {seed}: {len(seen)} URLs")


# Capacity ----------------------------------------------------------------------------------------

ROOMY = ["--hosts", "14", "--pages", "60", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k",
         "--latency-least", "5ms", "--latency-most", "40ms"]


def weights(agent):
    return [e["weight"] for e in agent.events("cluster.weight")]


def pages_of(agent):
    return len(agent.log())


def has_shed(agent):
    """Its weight is 0 in the roster, and it has handed over what it had."""
    done = scenario.run(["cluster", "status", agent.folder, "--json"])
    for row in json.loads(done.out)["agents"] if done.code == 0 else []:
        said = row.get("answer", {})
        if row["agent"] == agent.name and said.get("epoch") == said.get("settled"):
            return any(m["me"] and m["weight"] == 0 for m in said.get("members", []))
    return False


@case("a nearly full agent sheds its hosts, in steps, and has them back with a greater quota (D6)")
def _(tmp):
    with Simweb(*ROOMY) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", "150ms", "--set", "cluster.disk-look=50ms")
        small = agents[1]
        small.command[2:2] = ["--disk-quota", "150k"]
        try:
            for a in agents:
                a.start()
            until(lambda: weights(small)[-1:] == [0], "it is nearly full", 120)
            until(lambda: has_shed(small), "it has nothing any more", 120)
            full = pages_of(small)
            others = sum(pages_of(a) for a in agents if a is not small)
            until(lambda: sum(pages_of(a) for a in agents if a is not small) > others + 60, "the others go on", 120)
            held = pages_of(small)
            done = scenario.run(["set", small.folder, "cluster.disk-quota=1G"])
            assert done.code == 0, done
            until(lambda: weights(small)[-1] == 64, "it takes hosts again", 120)
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        steps = weights(small)
        down = steps[:steps.index(0) + 1]
        assert down == sorted(down, reverse=True) and len(down) > 1, steps
        assert held == full, f"{held - full} pages of hosts that it had handed over"
        same_set(web, web.oracle(web.run["home"], "any"))
        for a in agents:
            agree(a)
        print(f"# weights {steps}; {full} pages when full, {held} while full, {pages_of(small)} in the end")


# Budgets -----------------------------------------------------------------------------------------

LARGE = ["--hosts", "12", "--pages", "120", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "2k", "--images", "0",
         "--hosts-per-domain", "6"]
PAGES = 150
SLOW = ("-w", "200ms")  # at most 60 pages a second in all: what a machine that is busy for a moment lets through is little


def taken(agents):
    """Pages of each, as budgets count them: answers, robots.txt apart."""
    return [sum(1 for r in a.log() if r.code >= 100 and not r.url.endswith("/robots.txt")) for a in agents]


@case("--pages is of all agents together: reached, and passed by what two heartbeats let through")
def _(tmp):
    with Simweb(*LARGE) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", *SLOW, "-n", str(PAGES))
        together(agents)
        pages = taken(agents)
        print(f"# --pages {PAGES}: {pages}, {sum(pages) - PAGES} too many")
        assert PAGES <= sum(pages), "ended early"
        assert sum(pages) < 2.5 * PAGES, "each took its own budget"  # three would take 450
        assert all(a.events("cluster.limit_reached") for a in agents), "one did not end by the limit"
        for a in agents:
            agree(a)
        more = agents_of(web, post, tmp, "abc", *SLOW, "-n", str(2 * PAGES))
        together(more)  # a greater limit goes on
        assert 2 * PAGES <= sum(taken(more)) < 4 * PAGES, taken(more)  # or 900
        print(f"# --pages {2 * PAGES} then: {sum(taken(more)) - 2 * PAGES} too many")
        before = sum(taken(more))
        free = agents_of(web, post, tmp, "abc", *SLOW)  # each keeps the limit, and knows that it is reached
        try:
            for a in free:
                a.start()
            until(lambda: sum(taken(free)) > before, lambda: story(free))
            assert [a.events("limit.lifted")[0]["value"] for a in free] == [str(2 * PAGES)] * 3, story(free)
        finally:
            stop_all(free)


@case("--size and --time end the crawl for all of them")
def _(tmp):
    with Simweb(*LARGE) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", *SLOW, "-Q", "400k")
        together(agents)
        sizes = [sum(max(r.size, 0) for r in a.log()) for a in agents]
        assert 300_000 < sum(sizes) < 900_000, sizes  # bodies; headers are counted, too
        assert all(a.events("cluster.limit_reached") for a in agents)
        print(f"# --size 400k: {sizes}, bodies")
    os.mkdir(f"{tmp}/2")
    with Simweb(*LARGE) as web, Post(f"{tmp}/2", agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, f"{tmp}/2", "abc", "-w", "200ms")
        agents[0].command[2:2] = ["-t", "12s"]  # one knows of it, and says it to all
        together(agents)
        said = [a.events("cluster.limit_reached")[0]["reached"] for a in agents]
        assert "time" in said[0] and all("another agent" in s for s in said[1:]), said


@case("--domain-pages is of all agents together")
def _(tmp):
    with Simweb(*LARGE) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", *SLOW, "--set", "budget.domain-pages=150")
        together(agents)
        domains = collections.Counter(
            ".".join(r.url.split("/")[2].split(":")[0].split(".")[-2:]) for a in agents for r in a.log()
            if r.code >= 100 and not r.url.endswith("/robots.txt"))
        print(f"# --domain-pages 150: {dict(domains)}")
        assert max(domains.values()) >= 150, domains
        assert max(domains.values()) < 280, domains  # three agents alone would take up to 450


main(threads=3)
