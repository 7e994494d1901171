# SPDX-License-Identifier: Apache-2.0
"""Politeness against servers that behave badly on purpose, as these servers saw it (tests/lib/witness.py)."""
import threading
import time

from scenario import case, main
from small_web import crawl
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


main()
