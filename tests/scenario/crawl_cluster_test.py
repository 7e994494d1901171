# SPDX-License-Identifier: Apache-2.0
"""Several agents are one crawl: what they fetch together is what the oracle says, each URL by one of
them and once (D1), also when one is killed, frozen, paused, comes later or leaves. One real nats-server, all on
loopback. Each case prints what the agents told each other, a page.

argv: simweb, orbweaver."""
import datetime
import signal

import scenario
from agents import HOSTS, SECONDS, SLOW, TIMINGS, WEB, agents_of, is_right, print_costs, stop_all
from crawl import ORBWEAVER
from nats_server import Post
from scenario import case, main, until
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER  # what Post runs


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
        ends = [a.events("cluster.ended")[-1] for a in agents]
        told, before = (sum(e[key] for e in ends) for key in ("told", "told_before"))
        assert 0 < before < told, (before, told)  # each link that two others found was taken once
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


@case("an agent killed in mid-crawl is adopted by the others, and nothing is missing (D1, D7)")
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
        assert agents[0].events("cluster.ended")[-1]["state"] == "gone", agents[0].said()[-2000:]
        print_costs("one joined, one left", agents)


@case("agents that are paused hand hosts over all the same, and nobody takes them for dead")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", "100ms")
        try:
            for a in agents[:2]:
                a.start()
            until(lambda: busy(agents[:2], 5), "two have begun")
            assert scenario.run(["pause", agents[0].folder]).code == 0
            agents[2].start()
            # A pause is everybody's, also of who comes later: it is up when it was given its hosts.
            until(lambda: any(e["state"] == "up" for e in agents[2].events("cluster.epoch")),
                  "the third is up, with hosts that the paused ones had")
            assert scenario.run(["unpause", agents[0].folder]).code == 0
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        is_right(web, agents)
        epochs = {e["epoch"] for a in agents for e in a.events("cluster.epoch")}
        assert max(epochs) == 3, f"somebody was declared dead: {epochs}"


main(threads=2)
