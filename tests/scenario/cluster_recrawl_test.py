# SPDX-License-Identifier: Apache-2.0
"""A recrawl by several agents: everything known is asked for once more, each URL by the owner of its host now,
also when one is killed in the middle, comes late, or never comes again.

argv: simweb, orbweaver."""
import collections
import json
import os
import signal
import urllib.parse

import scenario
from agents import SECONDS, TIMINGS, Agent, join, stop_all
from crawl import ORBWEAVER, few, verify, wanted, witnessed
from nats_server import Post
from scenario import case, main, until
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER  # what Post runs

HOSTS = 8
WEB = ["--hosts", str(HOSTS), "--pages", "20", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k",
       "--clock-speed", "0", "--changing", "0.3", "--change-every", "7d", "--clock-start", "1780000000000",
       "--latency-least", "2ms", "--latency-most", "20ms"]
WEEK = 604800


def agents_of(web, post, tmp, names, *options):
    agents = [Agent(web, post, tmp, name, "-w", "20ms", *options) for name in names]
    for a in agents:
        a.all = agents
        a.before = len(a.log())
    return agents


def crawl(agents):
    try:
        for a in agents:
            a.start()
        for a in agents:
            a.wait()
    finally:
        stop_all(agents)


def new_rows(agent):
    """Of this run, robots.txt apart."""
    return [r for r in agent.log()[agent.before:] if not r.url.endswith("/robots.txt")]


def version(web, url):
    """What the world says its content depends on."""
    page = json.loads(web.ask("/_sim/page?url=" + urllib.parse.quote(url, safe="")))
    v = page.get("version", {})
    return (v.get("image"),) if page["kind"] == "image" else (v.get("structure"), v.get("text"))


def first_crawl(web, post, tmp, names="abc"):
    """{url: the agent that has it}."""
    agents = agents_of(web, post, tmp, names)
    crawl(agents)
    assert wanted(web.oracle(web.run["home"], "any")) <= set(witnessed(web))
    return {r.url: a.name for a in agents for r in new_rows(a)}


def a_week_passes(web):
    web.ask(f"/_sim/clock?advance={WEEK}", "POST")


def asked_again(web, before):
    """How often each URL was asked for since."""
    return witnessed(web) - before


def is_whole(web, before, may_repeat=0):
    """Everything known was asked for once more; how much of it twice."""
    since = asked_again(web, before)
    missing = set(before) - set(since)
    assert not missing, "never asked again: " + few(missing)
    twice = {u: n for u, n in since.items() if n > 1}
    assert sum(twice.values()) - len(twice) <= may_repeat, "asked for more than once: " + few(twice)
    new = wanted(web.oracle(web.run["home"], "any")) - set(since)
    assert not new, "new, and never asked for: " + few(new)
    return sum(twice.values()) - len(twice)


@case("everything is asked for once more: what changed is new, what did not is a revisit")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        by, before = first_crawl(web, post, tmp), witnessed(web)
        assert set(before.values()) == {1}, few(u for u, n in before.items() if n > 1)
        was = {r.url: version(web, r.url) for a in agents_of(web, post, tmp, "abc") for r in a.log()
               if r.code == 200 and r.url in by}
        a_week_passes(web)
        truth = {url for url, v in was.items() if version(web, url) != v}
        agents = agents_of(web, post, tmp, "abc", "--recrawl")
        crawl(agents)
        is_whole(web, before)
        notes, again_by = {}, {}
        for a in agents:
            verify(a)
            for r in new_rows(a):
                notes[r.url], again_by[r.url] = r.notes.split(","), a.name
        same = {u for u in by if again_by.get(u) == by[u] and u in was}
        assert len(same) > len(was) / 2, (len(same), len(was))
        records = collections.defaultdict(list)
        for a in agents:
            for r in a.records():
                if r.kind in ("response", "revisit"):
                    records[r.url].append(r.kind)
        changed = [u for u in same if "changed" in notes[u]]
        unchanged = [u for u in same if "unchanged" in notes[u]]
        assert len(changed) + len(unchanged) == len(same), few(same - set(changed) - set(unchanged))
        assert set(changed) == same & truth, (few(set(changed) - truth), few(same & truth - set(changed)))
        assert len(changed) > 5 and len(unchanged) > 5, (len(changed), len(unchanged))
        for url in unchanged:
            assert records[url][-1] == "revisit", (url, records[url])
        for url in changed:
            assert records[url][-1] == "response", (url, records[url])
        print(f"# {len(before)} URLs again, {len(by) - len(same)} by another agent or without an answer; "
              f"{len(changed)} changed, {len(unchanged)} not")

        third = agents_of(web, post, tmp, "abc")  # the same command without --recrawl: nothing is left
        at = web.report()["requests"]
        crawl(third)
        assert not asked_again(web, before + before) - collections.Counter(set(witnessed(web)) - set(before)), "more was asked"
        assert web.report()["requests"] - at <= HOSTS, "a finished recrawl asks again"
        fourth = agents_of(web, post, tmp, "abc", "--recrawl")  # and with it another begins
        middle = witnessed(web)
        crawl(fourth)
        is_whole(web, middle)


@case("one is killed in the middle of a recrawl and goes on: nothing is asked twice but what was open")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        first_crawl(web, post, tmp)
        a_week_passes(web)
        before = witnessed(web)
        agents = agents_of(web, post, tmp, "abc", "--recrawl")
        try:
            for a in agents:
                a.start()
            until(lambda: all(len(new_rows(a)) >= 10 for a in agents), "all have begun")
            agents[1].end(signal.SIGKILL)
            agents[1].start()
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        again = is_whole(web, before, may_repeat=HOSTS)
        print(f"# {again} twice")


@case("one dies in the middle of a recrawl: the others ask again for what it had left")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        first_crawl(web, post, tmp)
        a_week_passes(web)
        before = witnessed(web)
        agents = agents_of(web, post, tmp, "abc", "--recrawl")
        try:
            for a in agents:
                a.start()
            until(lambda: all(len(new_rows(a)) >= 10 for a in agents), "all have begun")
            agents[1].end(signal.SIGKILL)
            done = len(new_rows(agents[1]))
            for a in (agents[0], agents[2]):
                a.wait()
        finally:
            stop_all(agents)
        again = is_whole(web, before, may_repeat=HOSTS + done)
        print(f"# {again} twice, of {done} that the dead one had done")


@case("one never comes to the recrawl: what only it knew is asked for again all the same")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        by, before = first_crawl(web, post, tmp), witnessed(web)
        a_week_passes(web)
        agents = agents_of(web, post, tmp, "ab", "--recrawl")
        crawl(agents)
        is_whole(web, before)
        print(f"# {sum(1 for name in by.values() if name == 'c')} URLs were known to the absent one alone")


@case("what somebody had done who died in the first crawl is asked for again, by whom it was left to")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc")
        try:
            join(post, agents)
            until(lambda: all(len(a.log()) >= 30 for a in agents), "all have begun")
            agents[1].end(signal.SIGKILL)
            for a in (agents[0], agents[2]):
                a.wait()
        finally:
            stop_all(agents)
        lost = {r.url for r in new_rows(agents[1])} - {r.url for a in (agents[0], agents[2]) for r in new_rows(a)}
        before = witnessed(web)
        crawl(agents_of(web, post, tmp, "ac", "--recrawl"))
        is_whole(web, before)
        print(f"# {len(lost)} URLs were in the history of the dead one alone")


@case("what somebody had done who left the first crawl is asked for again, by whom it was left to")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc")
        try:
            join(post, agents)
            until(lambda: all(len(a.log()) >= 20 for a in agents), "all have begun")
            assert scenario.run(["set", agents[1].folder, "cluster.leave=yes"]).code == 0
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        lost = {r.url for r in new_rows(agents[1])}
        before = witnessed(web)
        crawl(agents_of(web, post, tmp, "ac", "--recrawl"))
        is_whole(web, before)
        print(f"# {len(lost)} URLs were in the history of the one who left alone")


@case("whose last recrawl did not know its end is told so, and comes with the next start")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b", timings=TIMINGS) as post:
        first_crawl(web, post, tmp, "ab")
        agents = agents_of(web, post, tmp, "ab", "--recrawl")
        crawl(agents)
        mark = os.path.join(agents[1].folder, "state", "RECRAWL")
        with open(mark, encoding="ascii") as f:
            text = f.read()
        assert text.startswith("ended "), text
        with open(mark, "w", encoding="ascii") as f:  # as if it had been killed just before that
            f.write(text.replace("ended", "begun").split(" #")[0] + "\n")  # without the hash of the other word
        before = witnessed(web)
        a, b = agents_of(web, post, tmp, "ab", "--recrawl")
        try:
            a.start()
            until(lambda: new_rows(a), "one has begun")
            b.start()
            assert b.process.wait(SECONDS) == 5 and "--recrawl" in b.said(), b.said()[-2000:]
            b.start()
            a.wait()
            b.wait()
        finally:
            stop_all([a, b])
        is_whole(web, before)


@case("who is started without --recrawl is told so, and the recrawl does not end without it")
def _(tmp):
    with Simweb(*WEB) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        first_crawl(web, post, tmp)
        a_week_passes(web)
        before = witnessed(web)
        agents, late = agents_of(web, post, tmp, "ab", "--recrawl"), agents_of(web, post, tmp, "c")[0]
        try:
            for a in agents:
                a.start()
            until(lambda: all(new_rows(a) for a in agents), "two have begun")
            late.start()
            assert late.process.wait(SECONDS) == 5, late.said()[-2000:]
            assert "--recrawl" in late.said(), late.said()[-2000:]
            late = agents_of(web, post, tmp, "c", "--recrawl")[0]
            agents.append(late)
            late.start()
            for a in agents:
                a.wait()
        finally:
            stop_all([*agents, late])
        is_whole(web, before)


main(threads=2)
