# SPDX-License-Identifier: Apache-2.0
"""Agents whose memory holds only a few hosts at a time: the others rest on disk, also while hosts
change their owner. What is fetched is what the oracle says, each URL once, as politely (D1, D8).

argv: simweb, orbweaver."""
import glob
import os
import signal

import scenario
from agents import SLOW, TIMINGS, Agent, is_right, join, print_costs, stop_all
from crawl import ORBWEAVER
from nats_server import Post
from scenario import case, main, until
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER  # what Post runs

HOSTS = 40
WEB = ["--hosts", str(HOSTS), "--pages", "10", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "2k",
       "--images", "1", *SLOW]
TIGHT = {"ledger.frontier-slice": "20ms", "ledger.frontier-recent": "2k", "ledger.snapshot-size": "200k"}
DELAY_MS = 60


def agents_of(web, post, tmp, names, memory):
    sets = [part for key, value in TIGHT.items() for part in ("--set", f"{key}={value}")]
    agents = [Agent(web, post, tmp, name, "-w", f"{DELAY_MS}ms", "--frontier-memory", memory, *sets) for name in names]
    for a in agents:
        a.all = agents
    return agents


def swapped(agent):
    return len(glob.glob(os.path.join(agent.folder, "state", "rest", "*")))


def busy(agents, count):
    return all(len(a.log()) >= count for a in agents)


def is_polite(web):
    p = web.report()["politeness"]
    assert p["most_open"] == 1 and p["overlaps"] == 0 and p["forbidden"] == 0, p
    assert p["least_end_gap_ms"] >= DELAY_MS, p


@case("three agents whose hosts are swapped to disk fetch what the oracle says, each URL once")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "12k")
        try:
            for a in agents:
                a.start()
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        is_right(web, agents)
        is_polite(web)
        count = [swapped(a) for a in agents]
        assert sum(count) > 5, count
        print(f"# buckets swapped at the end: {count}")
        print_costs("three agents on disk", agents)


@case("swapped hosts are handed over when one joins and one leaves, each URL once all the same")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "12k")
        try:
            join(post, agents[:2])
            until(lambda: busy(agents[:2], 30), "two have begun")
            count = [swapped(a) for a in agents[:2]]
            assert sum(count) > 5, f"nothing is swapped before the third joins: {count}"
            join(post, agents[2:], agents[:2], most=200)
            until(lambda: busy(agents[2:], 10), "the third takes part")
            assert scenario.run(["set", agents[0].folder, "cluster.leave=yes"]).code == 0
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        is_right(web, agents)
        is_polite(web)
        assert agents[0].events("cluster.ended")[-1]["state"] == "gone", agents[0].said()[-2000:]
        print(f"# buckets swapped when the third joined: {count}")


@case("a join, a leave and a kill -9, with what is known on disk: nothing is missing, nobody is impolite")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c,d", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abcd", "12k")
        try:
            join(post, agents[:3])
            until(lambda: busy(agents[:3], 15), "three have begun")
            agents[1].end(signal.SIGKILL)
            killed = len(agents[1].log())
            agents[3].start()
            until(lambda: busy(agents[3:], 5), "the fourth takes part", 120)
            assert scenario.run(["set", agents[0].folder, "cluster.leave=yes"]).code == 0
            for a in agents:
                if a is not agents[1]:
                    a.wait()
        finally:
            stop_all(agents)
        # One open request a host, and outcomes that nobody had acknowledged yet.
        again = is_right(web, agents, may_repeat=HOSTS + killed // 2, dead=agents[1])
        is_polite(web)
        print(f"# {again} again, of {killed} that the dead agent had done; swapped {[swapped(a) for a in agents]}")


@case("an agent killed and started again finds what was swapped, and asks for nothing that was done")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "ab", "12k")
        try:
            for a in agents:
                a.start()
            for more in (20, 60):
                until(lambda more=more: busy(agents[1:], more), "it has work")
                agents[1].end(signal.SIGKILL)
                agents[1].start()
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        again = is_right(web, agents, may_repeat=2 * HOSTS)
        is_polite(web)
        assert agents[1].events("cluster.epoch")[-1]["inc"] == 1, "it came as another"
        print(f"# {again} again")


main(threads=2)
