# SPDX-License-Identifier: Apache-2.0
"""Politeness against servers that behave badly on purpose, as these servers saw it (tests/lib/witness.py)."""
import os
import re
import subprocess
import threading
import time

from scenario import PROGRAM, ROOT, case, main, until, write
from small_web import QUICK, crawl
from witness import Names, Witness, now_ms

LINKS = b"<title>Home</title>" + b"".join(b"<a href=/%d>x</a>" % i for i in range(4))
ALL = {"/", "/0", "/1", "/2", "/3"}


def page_of(asked):
    """(status, body) of a small site without robots.txt."""
    if asked.path == "/robots.txt":
        return 404, b""
    return 200, LINKS if asked.path == "/" else b"<title>Page</title>"


@case("a request that the server has seen on a kept connection is not sent again before the host's next turn (F6)")
def _(tmp):
    for number, (wait_s, with_reset) in enumerate([(0, False), (0, True), (0.4, False), (0.4, True)]):
        def serve(talk, wait_s=wait_s, with_reset=with_reset):
            for count, asked in enumerate(talk):
                if count == 1:
                    time.sleep(wait_s)
                    talk.close(with_reset)
                else:
                    talk.answer(*page_of(asked))
        with Witness(serve) as web:
            left = crawl(web.url("/"), f"{tmp}/{number}", "-w", "300ms")
            gaps = web.gaps("127.0.0.1")
            assert left.archived() == ALL, left.log()
            assert len(web.seen) > 6 and min(gaps) >= 300, (wait_s, with_reset, gaps)
            assert any("tries:2" in notes for _, notes in left.log().values()), left.log()


def good(talk):
    for asked in talk:
        talk.answer(*page_of(asked))


def crawl_hosts(web, names, folder, hosts, *options, path="/", **more):
    """Crawls a page of each host, with politeness as it is by default where `options` do not say."""
    seeds = [web.url(path, host) for host in hosts]
    polite = ["--resolver", names.at, "--ip-conns", "4", "--ip-delay", "100ms", "-w", "300ms"]
    return crawl(seeds, folder, *polite, *options, **more)


@case("each address of a host that is tried has its permit, also if the one before refused the connection (F3)")
def _(tmp):
    hosts = [f"h{i}.test" for i in range(12)]
    lock, opened, most = threading.Lock(), [0], [0]

    def slow(talk):
        for asked in talk:
            with lock:
                opened[0] += 1
                most[0] = max(most[0], opened[0])
            time.sleep(0.2)
            with lock:
                opened[0] -= 1
            talk.answer(*page_of(asked))

    addresses = {host: [f"127.0.1.{1 + i % 4}", "127.0.1.9"] for i, host in enumerate(hosts)}
    with Witness(slow, ["127.0.1.9"], [f"127.0.1.{i}" for i in range(1, 5)]) as web, Names(addresses) as names:
        for number, options in enumerate((["--ip-conns", "2", "--ip-delay", "0"], ["--ip-delay", "100ms"])):
            began, before = now_ms(), len(web.seen)
            left = crawl_hosts(web, names, f"{tmp}/{number}", hosts, "--ignore-robots", "--depth", "0", *options)
            assert len(web.seen) - before == 12 and len(left.log()) == 1, (web.paths(), left.log())
            assert {code for code, _ in left.log().values()} == {200}, left.log()
            if number == 0:
                assert most[0] <= 2, most
            else:
                assert now_ms() - began >= 11 * 100, now_ms() - began


@case("an address that refused is passed over for a while, and its host loses nothing (F3)")
def _(tmp):
    with Witness(good, ["127.0.1.9"], ["127.0.1.1"]) as web, Names({"a.test": ["127.0.1.1", "127.0.1.9"]}) as names:
        left = crawl_hosts(web, names, tmp, ["a.test"])
        assert sorted(web.paths()) == sorted(ALL | {"/robots.txt"}), web.paths()
        assert left.archived() == ALL and left.numbers["retried"] == 0, left.numbers
        assert len(web.connections) == 1 and min(web.gaps("a.test")) >= 300, web.gaps("a.test")


@case("a host whose addresses all refuse has its tries and is given up, however its names change (F3)")
def _(tmp):
    for number, ttl in enumerate((300, 0)):
        with Witness(good, ["127.0.1.9"], [f"127.0.1.{i}" for i in range(1, 5)]) as web, Names(
                {"a.test": [f"127.0.1.{i}" for i in range(1, 5)]}, ttl) as names:
            left = crawl_hosts(web, names, f"{tmp}/{number}", ["a.test"], "-w", "10ms", "--ignore-robots",
                               "--tries", "2", code=4)
            assert left.log()["/"][0] == -2 and left.numbers["retried"] == 1, (left.log(), left.numbers)


RULES = b"User-agent: *\nDisallow: /1\n"
LOOSE = ["--ip-conns", "100", "--ip-delay", "0"]


def shards(folder, number):
    """The crawl's wiring for so many shards."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(ROOT, "wirings", "ring.yaml"), encoding="utf-8") as f:
        text, changed = re.subn(r"(?m)^shards: .*$", f"shards: {number}", f.read())
    assert changed == 1
    return ["--wiring", write(folder, "ring.yaml", text)]


def rules_of_others(web_of, target="b.test", path="/elsewhere.txt", own=b"", before=None):
    """a*.test have their rules at another host, which has pages and rules of its own."""
    def serve(talk):
        for asked in talk:
            if before and before(talk, asked):
                continue
            if asked.path == "/robots.txt" and asked.host.startswith("a"):
                talk.answer(301, Location=web_of().url(path, target))
            elif asked.path == "/robots.txt":
                talk.answer(200, own, "text/plain")
            elif asked.path == path:
                talk.answer(200, RULES, "text/plain")
            else:
                talk.answer(*page_of(asked))
    return serve


def redirected(tmp, hosts, options=(), **how):
    """Crawls them; (web, left). The rules of the target hold for all, and nothing is lost."""
    web = Witness(rules_of_others(lambda: web, **how))
    names = ["b.test", *hosts]
    with web, Names({host: ["127.0.0.1"] for host in names}) as at:
        left = crawl_hosts(web, at, tmp, names, *LOOSE, *options)
    for host in hosts:
        assert sorted(web.paths(host)) == sorted(["/robots.txt", *ALL - {"/1"}]), (host, web.paths(host))
    assert sorted(p for p in web.paths("b.test") if p != "/elsewhere.txt") == sorted(["/robots.txt", *ALL])
    assert web.paths("b.test").count("/elsewhere.txt") == len(hosts), web.paths("b.test")
    for host in names:
        assert min(web.gaps(host)) >= 300, (host, web.gaps(host))
    return web, left


@case("a robots.txt at another host is asked for in that host's turn, one at a time and after its delay (F4)")
def _(tmp):
    hosts = [f"a{i}.test" for i in range(6)]
    for number in (1, 3):
        redirected(f"{tmp}/{number}", hosts, shards(f"{tmp}/{number}", number),
                   before=lambda talk, asked: asked.host == "b.test" and time.sleep(0.05))


@case("the Crawl-delay of the host that a robots.txt redirects to is kept (F4)")
def _(tmp):
    web, _ = redirected(tmp, ["a0.test", "a1.test", "a2.test"], shards(tmp, 2), own=b"User-agent: *\nCrawl-delay: 1\n")
    known = next(i for i, a in enumerate(web.of("b.test")) if a.path == "/robots.txt")
    gaps = web.gaps("b.test")[known:]
    assert len(gaps) >= 5 and min(gaps) >= 1000, gaps


@case("a robots.txt that redirects waits for the Retry-After of the other host, and its own answer's counts there (F4)")
def _(tmp):
    for path in ("/0", "/elsewhere.txt"):
        busy = []

        def before(talk, asked, path=path, busy=busy):
            if asked.host != "b.test" or asked.path != path or busy:
                return False
            busy.append(asked)
            talk.answer(429, Retry_After="2")
            return True

        web = Witness(rules_of_others(lambda: web, before=before))
        hosts = ["a0.test", "a1.test", "a2.test"]
        with web, Names({host: ["127.0.0.1"] for host in ["b.test", *hosts]}) as at:
            crawl_hosts(web, at, tmp + path, ["b.test", *hosts], *LOOSE, *shards(tmp + path, 2))
        number = web.of("b.test").index(busy[0])
        gaps = web.gaps("b.test")
        assert len(gaps) > number and gaps[number] >= 2000 and min(gaps) >= 300, gaps
        assert all(set(web.paths(host)) == {"/robots.txt", *ALL - {"/1"}} for host in hosts), web.seen


@case("robots.txt that redirect to each other, round and round, end and are polite (F4)")
def _(tmp):
    ring = {"a0.test": "a1.test", "a1.test": "a2.test", "a2.test": "a0.test"}

    def serve(talk):
        for asked in talk:
            if asked.path == "/robots.txt":
                talk.answer(302, Location=web.url("/robots.txt", ring[asked.host]))
            else:
                talk.answer(*page_of(asked))
    web = Witness(serve)
    with web, Names({host: ["127.0.0.1"] for host in ring}) as at:
        left = crawl_hosts(web, at, tmp, list(ring), *LOOSE, *shards(tmp, 2), "-w", "50ms")
    for host in ring:
        assert min(web.gaps(host)) >= 50, web.gaps(host)
        assert set(web.paths(host)) == ALL | {"/robots.txt"}, web.paths(host)
        assert web.paths(host).count("/robots.txt") == 6, web.paths(host)  # each was followed five times
    assert left.numbers["failed"] == 0, left.numbers


@case("hosts whose robots.txt wait for another host keep no other host from being asked (F4)")
def _(tmp):
    def before(talk, asked):
        if asked.host != "b.test" or asked.path != "/elsewhere.txt" or len(web.of("c.test")) > 1:
            return False
        talk.answer(503, Retry_After="1")
        return True

    web = Witness(rules_of_others(lambda: web, before=before))
    hosts = [f"a{i}.test" for i in range(520)]  # more than a shard has visits open
    with web, Names({host: ["127.0.0.1"] for host in ["b.test", "c.test", *hosts]}) as at:
        left = crawl_hosts(web, at, tmp, [*hosts, "c.test"], *LOOSE, *shards(tmp, 1), "-w", "5ms", "--depth", "0")
    assert left.numbers["failed"] == 0, left.numbers
    first = next(a for a in web.of("c.test") if a.path == "/")
    assert web.paths("b.test").count("/elsewhere.txt") > len(hosts) and first.began_ms < web.of("b.test")[-1].began_ms


@case("a robots.txt that says 429 has its host wait, and so do the host's other ports")
def _(tmp):
    def serve(talk):
        for asked in talk:
            if asked.path == "/robots.txt" and web.paths().count("/robots.txt") == 1:
                talk.answer(429, Retry_After="2")
            else:
                talk.answer(*page_of(asked))
    web = Witness(serve)
    with web, Names({"a.test": ["127.0.0.1"]}) as at:
        left = crawl_hosts(web, at, tmp, ["a.test"], *LOOSE)
    assert left.archived() == ALL and web.gaps("a.test")[0] >= 2000 and min(web.gaps("a.test")) >= 300, web.gaps("a.test")


@case("two origins of a host have one request at a time, with the delay between them")
def _(tmp):
    seen = []

    def serve(talk):
        for asked in talk:
            seen.append(asked)
            time.sleep(0.05)
            talk.answer(*page_of(asked))
    with Witness(serve) as one, Witness(serve) as two, Names({"a.test": ["127.0.0.1"]}) as at:
        left = crawl([one.url("/", "a.test"), two.url("/", "a.test")], tmp, "--resolver", at.at, *LOOSE, "-w", "200ms")
    assert len(left.index()) == 12, left.index()
    asked = sorted(seen, key=lambda a: a.began_ms)
    gaps = [b.began_ms - a.ended_ms for a, b in zip(asked, asked[1:])]
    assert len(asked) == 12 and min(gaps) >= 200, gaps


@case("a wait for the host that a robots.txt redirects to outlives a restart (F4)")
def _(tmp):
    stopped = threading.Event()

    def before(talk, asked):
        if asked.path != "/elsewhere.txt" or stopped.is_set():
            return False
        talk.answer(503, Retry_After="3")
        return True

    web = Witness(rules_of_others(lambda: web, before=before))
    hosts = [f"a{i}.test" for i in range(3)]
    with web, Names({host: ["127.0.0.1"] for host in ["b.test", *hosts]}) as at:
        seeds = [web.url("/", host) for host in hosts]
        polite = ["--resolver", at.at, *LOOSE, "-w", "100ms"]
        process = subprocess.Popen([PROGRAM, "crawl", "-o", tmp + "/crawl", *QUICK, *polite, *seeds],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: "/elsewhere.txt" in web.paths("b.test"), "the other host is asked")
        until(lambda: all("/robots.txt" in web.paths(host) for host in hosts), "all are redirected")
        time.sleep(0.5)
        process.terminate()
        assert process.wait(60) in (0, 5, 130, 143), process.returncode
        asked = len(web.of("b.test"))
        stopped.set()
        left = crawl([], tmp, *polite)
    gaps = web.gaps("b.test")
    assert asked >= 1 and gaps[asked - 1] >= 3000 and min(gaps) >= 100, (asked, gaps)
    assert all({"/", "/0", "/2", "/3"} <= set(web.paths(host)) for host in hosts), left.numbers


@case("a robots.txt at hosts that are swapped to disk is asked for once, in their turn (F4)")
def _(tmp):
    targets, hosts = [f"b{i}.test" for i in range(5)], [f"a{i}.test" for i in range(60)]

    def serve(talk):
        for asked in talk:
            if asked.path == "/robots.txt" and asked.host in hosts:
                talk.answer(301, Location=web.url("/elsewhere.txt", targets[hosts.index(asked.host) % 5]))
            elif asked.path == "/elsewhere.txt":
                talk.answer(200, RULES, "text/plain")
            else:
                talk.answer(*page_of(asked))
    web = Witness(serve)
    with web, Names({host: ["127.0.0.1"] for host in [*targets, *hosts]}) as at:
        left = crawl_hosts(web, at, tmp, hosts, *LOOSE, *shards(tmp, 2), "-w", "50ms", "--frontier-memory", "12K",
                           "--set", "ledger.frontier-slice=200ms")
    assert left.numbers["buckets_swapped"] > 10, left.numbers
    for host in hosts:
        assert sorted(web.paths(host)) == sorted(["/robots.txt", *ALL - {"/1"}]), (host, web.paths(host))
    for host in targets:
        assert len(web.of(host)) == 12 and min(web.gaps(host)) >= 50, (host, web.paths(host), web.gaps(host))


main(threads=3)
