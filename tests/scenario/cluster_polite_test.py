# SPDX-License-Identifier: Apache-2.0
"""A host that moves takes its next moment, its back-off and its robots.txt with it (D8): the witness sees
no two requests at once and no gap under the delay, the Crawl-delay or a Retry-After, whoever asks, and
robots.txt once a host. One real nats-server, all on loopback.

argv: simweb, orbweaver."""
import collections
import signal
import time

import scenario
from agents import PATIENT, SLOW, TIMINGS, agents_of, is_right, stop_all
from crawl import ORBWEAVER, few, wanted, witnessed
from nats_server import Post
from refusing_web import certificate
from scenario import case, main, until
from simweb import Simweb
from witness import Names, Witness

scenario.PROGRAM = ORBWEAVER  # what Post runs
DELAY_MS = 300
WEB = ["--hosts", "10", "--pages", "16", "--keep-urls", "--page-bytes", "2k", "--images", "1", "--links", "10"]
LOOSE = {"pace.tries": "12", "pace.host-failures": "100"}


def is_polite(web, may_repeat_robots=0):
    """The witness has nothing against anybody, at any time."""
    report = web.report()
    p, robots = report["politeness"], report["robots"]
    assert p["most_open"] == 1 and p["overlaps"] == 0, p
    assert p["forbidden"] == 0 and p["during_backoff"] == 0, p
    assert p["least_end_gap_ms"] >= DELAY_MS, p
    assert robots["repeats"] <= may_repeat_robots, robots
    assert p["under_delay"] <= robots["repeats"], p
    return p


def host_of(url):
    return url.split("/")[2]


def moved(agents):
    """Hosts that more than one agent asked for pages: those that moved in mid-crawl."""
    who = collections.defaultdict(set)
    for a in agents:
        for r in a.log():
            if r.code >= 100:
                who[host_of(r.url)].add(a.name)
    return {h for h, names in who.items() if len(names) > 1}


def set_all(agents, **sets):
    for a in agents:
        at = a.command.index("--set")
        for key, value in sets.items():
            a.command[at:at] = ["--set", f"{key}={value}"]


def begun(agents, pages):
    return all(len(a.log()) >= pages for a in agents)


def join_and_leave(agents):
    """Two begin, the third comes, the first goes."""
    try:
        for a in agents[:2]:
            a.start()
        until(lambda: begun(agents[:2], 4), "two have begun")
        agents[2].start()
        until(lambda: begun(agents[2:], 4), "the third takes part")
        done = scenario.run(["set", agents[0].folder, "cluster.leave=yes"])
        assert done.code == 0, done
        for a in agents:
            a.wait()
    finally:
        stop_all(agents)
    assert agents[0].events("cluster.ended")[-1]["state"] == "gone", agents[0].said()[-2000:]
    hosts = moved(agents)
    assert hosts, "no host moved while it had work: nothing was tried"
    return hosts


@case("a join and a leave: no gap under the delay or the Crawl-delay, robots.txt once a host (D8)")
def _(tmp):
    with Simweb(*WEB, *SLOW, "--crawl-delays", "0.3", "--forbidden", "0.1") as web, \
            Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", f"{DELAY_MS}ms")
        hosts = join_and_leave(agents)
        p = is_polite(web)
        is_right(web, agents)
        print(f"# {len(hosts)} hosts moved; least gap {p['least_end_gap_ms']} ms over {p['requests']} requests")


@case("a join and a leave: a Retry-After is kept by who has the host then (D8)")
def _(tmp):
    with Simweb(*WEB, *SLOW, "--crawl-delays", "0", "--sprinkle", "f35=0.5", "--retry-after", "2") as web, \
            Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", f"{DELAY_MS}ms")
        set_all(agents, **LOOSE)
        hosts = join_and_leave(agents)
        p = is_polite(web)
        assert not wanted(web.oracle(web.run["home"], "any")) - set(witnessed(web))
        print(f"# {len(hosts)} hosts moved; least gap {p['least_end_gap_ms']} ms over {p['requests']} requests")


@case("a death: who adopts its hosts keeps their delays, too (D8)")
def _(tmp):
    with Simweb(*WEB, *SLOW, "--crawl-delays", "0") as web, \
            Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", f"{DELAY_MS}ms")
        try:
            for a in agents:
                a.start()
            until(lambda: begun(agents, 4), "all have begun")
            agents[1].end(signal.SIGKILL)
            for a in agents[::2]:
                a.wait()
        finally:
            stop_all(agents)
        p = is_polite(web, may_repeat_robots=3)  # of which a kill cut off the answer
        must = wanted(web.oracle(web.run["home"], "any"))
        assert not must - set(witnessed(web)), few(must - set(witnessed(web)))
        print(f"# least gap {p['least_end_gap_ms']} ms over {p['requests']} requests; {len(moved(agents))} hosts moved")


@case("hosts on one address with several agents: together they ask it about as often as one would (D8)")
def _(tmp):
    delay_ms, window = 60, 4
    with Simweb("--hosts", "14", "--pages", "60", "--hosts-per-address", "14", "--crawl-delays", "0", "--page-bytes",
                "2k") as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        agents = agents_of(web, post, tmp, "abc", "-w", "0", "--ip-delay", f"{delay_ms}ms", "--ip-conns", "100")
        try:
            for a in agents:
                a.start()
            until(lambda: begun(agents, 20), "all three ask that address")
            time.sleep(window)  # until each knows that the others do, and what was promised before is over
            before, since = web.report()["requests"], time.monotonic()
            time.sleep(window)
            asked, seconds = web.report()["requests"] - before, time.monotonic() - since
        finally:
            stop_all(agents)
        one = seconds * 1000 / delay_ms
        assert web.report()["addresses"]["addresses"] == 1
        # A busy machine makes it less, never more.
        assert asked < 1.5 * one, f"{asked} requests in {seconds:.1f} s, where one agent makes {one:.0f}"
        print(f"# {asked} requests of three agents where one may make {one:.0f}")


LINKS = b"<title>x</title>" + b"".join(b"<a href=/%d>x</a>" % i for i in range(3))


class Small:
    """A witness (tests/lib/witness.py) as a Crawl takes a web: any host name leads to it."""

    def __init__(self, serve, hosts, folder):
        self.web, self.names = Witness(serve, ["127.1.0.9"]), Names({host: ["127.1.0.9"] for host in hosts})
        self.ca = certificate(folder)[1]

    def __enter__(self):
        self.web.__enter__()
        self.names.__enter__()
        self.dns = self.names.at
        return self

    def __exit__(self, *_):
        self.names.__exit__()
        self.web.__exit__()


@case("a robots.txt at a host of another agent waits for that host's turn: one at a time, after its delay (F4)")
def _(tmp):
    delay_ms, hosts, targets = 300, [f"a{i}.test" for i in range(8)], ["b.test", "c.test"]
    busy = []

    def serve(talk):
        for asked in talk:
            if asked.host in targets:
                time.sleep(0.05)  # time for a second request, if there were one
            if asked.path == "/robots.txt" and asked.host in hosts:
                to = targets[hosts.index(asked.host) % 2]
                talk.answer(301, Location=small.web.url("/rules.txt", to))
            elif asked.path == "/rules.txt" and asked.host == "c.test" and not busy:
                busy.append(asked)
                talk.answer(503, Retry_After="2")
            elif asked.path in ("/robots.txt", "/rules.txt"):
                delay = b"Crawl-delay: 0.6\n" if asked.path == "/robots.txt" and asked.host == "b.test" else b""
                talk.answer(200, b"User-agent: *\nDisallow: /1\n" + delay, "text/plain")
            else:
                talk.answer(200, LINKS)

    with Small(serve, hosts + targets, tmp) as small, Post(tmp, agents="a,b", timings=PATIENT) as post:
        small.run = {"home": small.web.url("/", hosts[0])}
        seeds = [small.web.url("/", host) for host in targets + hosts]
        agents = agents_of(small, post, tmp, "ab", "-w", f"{delay_ms}ms", "--ip-conns", "100", "--ip-delay", "0")
        for a in agents:
            a.command[-1:] = seeds
        try:
            for a in agents:
                a.start()
            for a in agents:
                a.wait()
        finally:
            stop_all(agents)
        web, owners = small.web, collections.defaultdict(set)
        for a in agents:
            for r in a.log():
                if not r.url.endswith(".txt"):
                    owners[host_of(r.url).split(":")[0]].add(a.name)
        elsewhere = [h for i, h in enumerate(hosts) if owners[h] != owners[targets[i % 2]]]
        assert elsewhere, f"no redirect led to another agent's host: {dict(owners)}"
    for host in hosts + targets:
        assert {"/", "/0", "/2"} == set(web.paths(host)) - {"/robots.txt", "/rules.txt"}, (host, web.paths(host))
        assert min(web.gaps(host)) >= delay_ms, (host, web.gaps(host))
    known = next(i for i, a in enumerate(web.of("b.test")) if a.path == "/robots.txt")
    assert min(web.gaps("b.test")[known:]) >= 600, web.gaps("b.test")
    after = web.gaps("c.test")[web.of("c.test").index(busy[0])]
    assert after >= 2000, web.gaps("c.test")
    print(f"# {len(elsewhere)} of {len(hosts)} led to another agent's host")


main(threads=3)
