# SPDX-License-Identifier: Apache-2.0
"""Exit code 5: the cluster cannot be reached, or what its log says contradicts what the agent has journalled.
One real nats-server, all on loopback.

argv: simweb, orbweaver."""
import json
import os
import shutil
import signal

import scenario
from agents import PATIENT, SECONDS, SLOW, TIMINGS, Agent, agents_of, is_right, pages, stop_all
from crawl import ORBWEAVER
from nats_server import Post, wipe_store
from scenario import case, main, until
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER  # what Post runs
WEB = ["--hosts", "8", "--pages", "12", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "2k", *SLOW]
# Enough that whoever comes late on a slow machine is still in mid-crawl.
LARGER = ["--hosts", "8", "--pages", "40", *WEB[4:]]
SOON = ("--set", "cluster.cluster-wait=2s")
UNTOLD, OPEN = 6, 8  # outcomes, before it pauses; requests that are open then, one a host
COMMAND = "`orbweaver cluster streams --dir DIR`"


def ends_with_5(agent, words):
    code = agent.process.wait(SECONDS)
    assert code == 5, (code, agent.said()[-2000:])
    assert words in agent.said(), agent.said()[-2000:]


def begun(agent, pages=4):
    return len(agent.log()) >= pages


@case("no server: it says so and ends with 5; when there is one, the same command crawls")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "ab", *SOON)
        post.machines[0].end(signal.SIGTERM)
        try:
            agents[0].start()
            ends_with_5(agents[0], "cannot read the roster")
            post.machines[0].start()
            for a in agents:
                a.start()
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        is_right(web, agents)


@case("a login that the server does not know: 5")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b", timings=TIMINGS) as post:
        path = post.login_path("a")
        login = post.login("a")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for secret in {v for v in login.values() if isinstance(v, str) and len(v) >= 20}:
            text = text.replace(secret, secret[::-1])
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        agent = Agent(web, post, tmp, "a", *SOON)
        try:
            agent.start()
            ends_with_5(agent, "cannot read the roster")
        finally:
            stop_all([agent])
        assert web.report()["requests"] == 0, "it asked for something all the same"


def shows_its_pause(agent):
    done = scenario.run(["cluster", "status", agent.folder, "--json"], seconds=60)
    row = [r["answer"] for r in json.loads(done.out)["agents"] if r["agent"] == agent.name][0]
    assert row["untold_paused"] and row["untold_most"] == UNTOLD, row
    assert 0 < row["untold"] <= UNTOLD + OPEN, row
    text = scenario.run(["cluster", "status", agent.folder], seconds=60).out
    line = f"{agent.name}: {row['untold']} outcomes untold, at most {UNTOLD}; paused: {row['untold']} outcomes untold"
    assert line in text, text


@case("servers that go away in mid-crawl are waited for, and said to be; few outcomes stay untold meanwhile")
def _(tmp):
    with Simweb(*LARGER) as web, Post(tmp, agents="a,b", timings=PATIENT) as post:
        agents = agents_of(web, post, tmp, "ab", "-w", "200ms", *SOON, "--set", f"cluster.untold-pages={UNTOLD}")
        try:
            for a in agents:
                a.start()
            until(lambda: all(begun(a) for a in agents), "both have begun")
            post.machines[0].end(signal.SIGKILL)
            until(lambda: all(a.events("cluster.paused") for a in agents), "they say that they pause", 120)
            shows_its_pause(agents[0])
            try:
                until(lambda: all(a.events("cluster.waiting") for a in agents), "they say that they wait", 120)
            except AssertionError as e:  # what they did instead
                raise AssertionError([(a.process.poll(), a.said()[-1500:]) for a in agents]) from e
            assert all(a.process.poll() is None for a in agents), "one gave up"
            post.machines[0].start()
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        is_right(web, agents)
        assert all(a.events("cluster.resumed") and a.events("cluster.unpaused") for a in agents)


@case("a second process with a copy of the directory: the first ends with 5")
def _(tmp):
    with Simweb(*LARGER) as web, Post(tmp, agents="a,b", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "ab", "-w", "300ms")
        copy = Agent(web, post, os.path.join(tmp, "copy"), "a", "-w", "300ms")
        try:
            for a in agents:
                a.start()
            until(lambda: all(begun(a) for a in agents), "both have begun")
            agents[0].process.send_signal(signal.SIGSTOP)  # so that its files stand still
            shutil.copytree(agents[0].folder, copy.folder, ignore=lambda *_: ["control.sock"])
            copy.start()
            until(lambda: any(e["state"] == "up" for e in copy.events("cluster.epoch")), "the copy takes part", 120)
            agents[0].process.send_signal(signal.SIGCONT)
            ends_with_5(agents[0], "another process runs with this agent's name")
        finally:
            stop_all([*agents, copy])


@case("a second process with an empty directory ends with 5 and names the first, which goes on; status shows the first")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b", timings=PATIENT) as post:
        agents = agents_of(web, post, tmp, "ab", "-w", "250ms")
        twin = Agent(web, post, os.path.join(tmp, "twin"), "a", "-w", "250ms")
        try:
            for a in agents:
                a.start()
            until(lambda: all(begun(a) for a in agents), "both have begun")
            twin.start()
            states = set()
            while twin.process.poll() is None and agents[0].process.poll() is None:
                states |= {state_of(post, "a")}
            ends_with_5(twin, "another process runs with this agent's name: agent a, incarnation 1,")
            assert f"process {agents[0].process.pid} " in twin.said() and "cluster add" in twin.said(), twin.said()
            assert not twin.log(), "the second process asked for something"
            for a in agents:
                a.wait()
        finally:
            stop_all([*agents, twin])
        assert states == {("up", 1)}, states
        assert is_right(web, agents) == 0
        assert agents[0].events("cluster.namesake"), "the first does not warn"


def state_of(post, name):
    done = scenario.run(["cluster", "status", post.dir, "--json"])
    rows = {r["agent"]: r.get("answer", {}) for r in json.loads(done.out)["agents"]}
    return rows[name].get("state"), rows[name].get("inc")


@case("a roster that another beginning has replaced: 5, and nothing is asked for")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "ab", "-w", "300ms")
        other = Agent(web, post, os.path.join(tmp, "other"), "b", "-w", "300ms")
        try:
            for a in agents:
                a.start()
            until(lambda: all(begun(a) for a in agents), "both have begun")
            for a in agents:
                assert a.end(signal.SIGTERM) == 143, a.said()[-2000:]
            post.machines[0].end(signal.SIGTERM)
            wipe(post)
            post.start()
            other.start()  # somebody begins anew
            until(lambda: begun(other), "it crawls")
            before = len(agents[0].log())
            agents[0].start()
            ends_with_5(agents[0], "roster")
            assert len(agents[0].log()) == before, "it asked for something"
        finally:
            stop_all([*agents, other])


@case("the servers' store is new: agents name the command, `cluster streams` makes the streams, the crawl is whole")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=PATIENT) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", "250ms")
        away = agents[2]
        late = Agent(web, post, tmp, "c", "-w", "250ms", "--set", "cluster.cluster-wait=8s")
        try:
            for a in agents:
                a.start()
            until(lambda: all(begun(a) for a in agents), "all have begun")
            assert away.end(signal.SIGTERM) == 143, away.said()[-2000:]
            post.machines[0].end(signal.SIGKILL)
            wipe_store(post.dir)
            post.machines[0].start()
            for a in agents[:2]:
                until(lambda a=a: named(a), f"{a.name} says what to do", 120)
            late.start()  # who is started meanwhile gives up, with the same words
            ends_with_5(late, COMMAND)
            before = pages(*agents)
            post.orb("streams", *PATIENT)
            away.start()
            for a in agents:
                a.wait()
        finally:
            stop_all([*agents, late])
        assert before < pages(*agents), "all was done before"
        assert is_right(web, agents) == 0
        assert all(a.events("cluster.resumed") for a in agents[:2])


def named(agent):
    return any(COMMAND in e["why"] for e in agent.events("cluster.waiting"))


def wipe(post):
    """The servers' disk is new, and an operator founds the cluster once more."""
    wipe_store(post.dir)
    os.remove(os.path.join(post.dir, "founded"))


main(threads=3)
