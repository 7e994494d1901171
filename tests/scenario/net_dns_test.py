# SPDX-License-Identifier: Apache-2.0
"""The resolver alone (tests/unit/net/dns_client.c), against the simulated web's names F46 to F51 and
against a name server of a few lines that misbehaves over TCP and EDNS. argv: simweb, dns_client."""
import contextlib
import json
import os
import re
import socket
import sys
import threading

from scenario import case, main, run
from simweb import Simweb

CLIENT = os.path.abspath(sys.argv[2])
MINUTE, DAY = 60_000, 86_400_000
QUICK = ["--dns-timeout", "200ms", "--dns-tries", "2"]

web = Simweb("--hosts", "10", "--fault", "f46", "--fault", "f47", "--fault", "f48", "--fault", "f49",
             "--fault", "f50", "--fault", "f51", "--drip", "300ms")
home = re.match(r"https?://([^/:]+)", web.run["home"]).group(1)


def ask(names, *options, resolver=None, seconds=60):
    """(the lines in the order of the answers, the counts)"""
    done = run(["--resolver", resolver or web.dns, *options], stdin="\n".join(names) + "\n",
               program=CLIENT, seconds=seconds)
    assert done.code == 0 and not done.err, (done.code, done.err)
    lines = [json.loads(line) for line in done.out.splitlines()]
    return lines[:-1], lines[-1]


def by_name(names, *options, **how):
    return {line["name"]: line for line in ask(names, *options, **how)[0]}


@case("an ordinary host is found at the address its server gives, for the server's time")
def _(tmp):
    found = by_name([home])[home]
    assert found["outcome"] == "found" and found["addresses"] == [web.address(home)], found
    assert found["keep_ms"] == 300_000, found
    upper = home.upper() + "."
    assert by_name([upper])[upper]["addresses"] == found["addresses"]


@case("F46: what does not exist, fails, is silent or lies is called so, and the neighbour is found")
def _(tmp):
    names = [f"{label}.f46.test" for label in ("silent", "lies", "servfail", "nx", "slow", "good")]
    lines, counts = ask(names, "--dns-timeout", "500ms", "--dns-tries", "2")
    got = {line["name"].split(".")[0]: line for line in lines}
    assert {label: line["outcome"] for label, line in got.items()} == {
        "silent": "timeout", "lies": "timeout", "servfail": "failed", "nx": "no-name",
        "slow": "found", "good": "found"}, got
    assert got["slow"]["ms"] >= 300, got["slow"]
    order = [line["name"].split(".")[0] for line in lines]
    assert order.index("good") < order.index("slow") < order.index("silent"), order
    assert got["nx"]["keep_ms"] == MINUTE, got["nx"]  # the SOA's
    assert (counts["found"], counts["no_name"], counts["failed"], counts["timeout"]) == (2, 1, 1, 2)


@case("F46: failures are kept for a while: nobody is asked again")
def _(tmp):
    names = ["silent.f46.test", "servfail.f46.test", "", "silent.f46.test", "servfail.f46.test"]
    lines, counts = ask(names, *QUICK)
    assert counts["from_cache"] == 2 and counts["timeout"] == 1 and counts["failed"] == 1, counts
    assert {line["outcome"] for line in lines[2:]} == {"timeout", "failed"}, lines


@case("F47 and F48: any name of a wildcard, and sixteen names of one address")
def _(tmp):
    names = [f"a{i}.f47.test" for i in range(200)] + [f"s{i:02}.f48.test" for i in range(1, 17)]
    got = by_name(names)
    assert all(line["outcome"] == "found" for line in got.values())
    assert len({line["addresses"][0] for name, line in got.items() if "f48" in name}) == 1
    assert len({line["addresses"][0] for name, line in got.items() if "f47" in name}) == 1


@case("F49: an address stays what it was while it is kept, though its TTL is 0")
def _(tmp):
    web.ask("/_sim/reset", method="POST")
    lines, counts = ask(["rebind.f49.test", "", "rebind.f49.test", "", "!rebind.f49.test",
                         "rebind.f49.test"])
    first, second, third = [line["addresses"] for line in lines]
    assert first == second != ["127.0.0.1"], lines
    assert third == ["127.0.0.1"], lines  # forgotten and asked again: what the guard is for
    assert lines[0]["keep_ms"] == MINUTE and counts["from_cache"] == 1, (lines, counts)


@case("F50: addresses that must not be asked are reported as they are, the good one first")
def _(tmp):
    want = {"ten": "10.0.0.1", "b172": "172.16.0.1", "c192": "192.168.0.1",
            "linklocal": "169.254.169.254", "loopback": "127.0.0.1", "zero": "0.0.0.0",
            "mapped": "::ffff:10.0.0.1", "nat64": "64:ff9b::a00:1", "uniquelocal": "fd00::1"}
    got = by_name([f"{label}.f50.test" for label in [*want, "dual"]])
    for label, address in want.items():
        assert got[f"{label}.f50.test"]["addresses"] == [address], got[f"{label}.f50.test"]
    assert got["dual.f50.test"]["addresses"] == [web.address("dual.f50.test"), "::1"]
    only = by_name(["dual.f50.test", "nat64.f50.test"], "--no-ipv6")
    assert only["dual.f50.test"]["addresses"] == [web.address("dual.f50.test")]
    assert only["nat64.f50.test"]["outcome"] == "no-name"


@case("F51: chains are followed, circles fail, a thousand are eight, and TTLs are clamped")
def _(tmp):
    labels = ("chain", "loop", "thousand", "brief", "eternal", "half")
    got = by_name([f"{label}.f51.test" for label in labels])
    line = lambda label: got[f"{label}.f51.test"]
    assert line("chain")["addresses"] == web.names().a("chain.f51.test"), line("chain")
    assert line("loop")["outcome"] == "failed", line("loop")
    whole = [data for _, _, data in web.names().records("thousand.f51.test", tcp=True)]
    assert len(whole) == 1000 and line("thousand")["addresses"] == whole[:8], line("thousand")
    assert line("brief")["keep_ms"] == MINUTE, line("brief")
    assert MINUTE <= line("eternal")["keep_ms"] <= DAY, line("eternal")
    assert len(line("half")["addresses"]) == 2, line("half")
    short = by_name(["brief.f51.test", "eternal.f51.test"], "--dns-ttl-least", "5s", "--dns-ttl-most", "10s")
    assert short["brief.f51.test"]["keep_ms"] == 5000, short
    assert 5000 <= short["eternal.f51.test"]["keep_ms"] <= 10_000, short


@case("numbers are addresses or nothing, and what is no name is refused")
def _(tmp):
    got = by_name(["127.1.2.3", "[fd00::7]", "127.1", "0x7f.0.0.1", "a..b", "a_b." + "c" * 64 + ".test",
                   ".".join(["a" * 49] * 6)])
    assert got["127.1.2.3"]["addresses"] == ["127.1.2.3"]
    assert got["[fd00::7]"]["addresses"] == ["fd00::7"]
    assert sum(line["outcome"] == "not valid" for line in got.values()) == 5, got


@case("a name that others are asking for is asked for once")
def _(tmp):
    lines, counts = ask([home] * 50)
    assert len(lines) == 50 and len({tuple(line["addresses"]) for line in lines}) == 1
    assert counts["joined"] == 49 and counts["found"] == 1, counts


@case("a resolver that is no address is refused with what was expected")
def _(tmp):
    for wrong in ("localhost:53", "127.0.0.1:0", "127.0.0.1:99999", "[::1", "127.0.0.1,,"):
        done = run(["--resolver", wrong], program=CLIENT)
        assert done.code == 2 and "such as 127.0.0.1:8053" in done.err, (wrong, done)


@case("the system's resolver reads /etc/hosts; a resolver that was named is asked instead")
def _(tmp):
    done = run([], stdin="localhost\nsome.localhost\n", program=CLIENT)
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [line["outcome"] for line in lines[:2]] == ["found", "found"], lines
    assert "127.0.0.1" in lines[1]["addresses"] and lines[2]["found"] == 0, lines
    assert by_name(["localhost"])["localhost"]["outcome"] == "failed"  # simweb: REFUSED


# A server of our own ------------------------------------------------------------------------------

class Server:
    """UDP and TCP on one port; `udp(query)` gives datagrams, `tcp(connection, query)` does as it
    likes with the connection."""

    def __init__(self, udp, tcp=None):
        self.udp, self.tcp, self.queries, self.connections = udp, tcp, [], 0
        for _ in range(20):  # a port free for both
            self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.datagrams.bind(("127.0.0.1", 0))
            self.streams = socket.socket()
            try:
                self.streams.bind(self.datagrams.getsockname())
                break
            except OSError:
                self.datagrams.close()
                self.streams.close()
        if tcp:
            self.streams.listen(20)
        self.address = "127.0.0.1:%d" % self.datagrams.getsockname()[1]
        self.datagrams.settimeout(0.1)
        self.streams.settimeout(0.1)
        self.over = False
        self.threads = [threading.Thread(target=self._udp), threading.Thread(target=self._tcp)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        for thread in self.threads:
            thread.join()
        self.datagrams.close()
        self.streams.close()

    def _udp(self):
        while not self.over:
            with contextlib.suppress(TimeoutError, ConnectionError):
                query, peer = self.datagrams.recvfrom(2048)
                self.queries.append(query)
                for answer in self.udp(query):
                    self.datagrams.sendto(answer, peer)

    def _tcp(self):
        while self.tcp and not self.over:
            with contextlib.suppress(TimeoutError, ConnectionError):
                connection, _ = self.streams.accept()
                self.connections += 1
                with connection:
                    connection.settimeout(1)
                    self.tcp(connection, lambda: self.over)


def question(query):
    at = 12
    while query[at]:
        at += 1 + query[at]
    return query[12:at + 5]


def reply(query, flags=0x8180, answers=(), extra=b""):
    return (query[:2] + flags.to_bytes(2, "big") + b"\x00\x01" + len(answers).to_bytes(2, "big") +
            bytes(4) + question(query) + b"".join(answers) + extra)


def is_a(query):
    return question(query)[-3] == 1


def a(last, ttl=300):
    return b"\xc0\x0c\x00\x01\x00\x01" + ttl.to_bytes(4, "big") + b"\x00\x04" + bytes([10, 0, 0, last])


def truncated(query):
    yield reply(query, 0x8380) if is_a(query) else reply(query)


def framed(message):
    return len(message).to_bytes(2, "big") + message


def tcp_query(connection):
    size = int.from_bytes(connection.recv(2), "big")
    return connection.recv(size)


@case("what was cut is asked for over TCP, also when it comes byte by byte")
def _(tmp):
    def tcp(connection, over):
        whole = framed(reply(tcp_query(connection), answers=[a(i) for i in range(1, 101)]))
        for i in range(0, 40):
            connection.sendall(whole[i:i + 1])
        connection.sendall(whole[40:])
        connection.recv(1)

    with Server(truncated, tcp) as server:
        got = by_name(["big.test"], resolver=server.address)["big.test"]
    assert got["addresses"] == [f"10.0.0.{i}" for i in range(1, 9)], got


@case("over TCP: refused, closed at once, silent, endless and nonsense all end")
def _(tmp):
    def silent(connection, over):
        while not over():
            with contextlib.suppress(TimeoutError):
                connection.recv(1)

    def endless(connection, over):
        tcp_query(connection)
        with contextlib.suppress(OSError):
            while not over():
                connection.sendall(framed(b"x" * 65535))

    def nonsense(connection, over):
        query = tcp_query(connection)
        connection.sendall(framed(reply(query, answers=[b"\xc0\xff"])) + b"\x00")
        connection.recv(1)

    for how in (None, lambda connection, over: None, silent, endless, nonsense):
        with Server(truncated, how) as server:
            got = by_name(["big.test"], *QUICK, resolver=server.address)["big.test"]
        assert got["outcome"] in ("failed", "timeout"), (how, got)
        assert how is None or server.connections > 0, how


@case("a server that knows no EDNS is asked without it")
def _(tmp):
    def udp(query):
        has_edns = query[11] == 1
        good = [a(7)] if is_a(query) else []
        yield reply(query, 0x8181) if has_edns else reply(query, answers=good)

    with Server(udp) as server:
        got = by_name(["old.test"], resolver=server.address)["old.test"]
    assert got["addresses"] == ["10.0.0.7"], got


@case("answers from elsewhere, with another id, question or type are ignored; ids are not counted up")
def _(tmp):
    def udp(query):
        wrong = bytes([query[0] ^ 1]) + query[1:]
        yield reply(wrong, answers=[a(66)])
        yield reply(query[:12] + b"\x05other\x04test\x00\x00\x01\x00\x01", answers=[a(66)])
        yield query  # the question itself
        yield b""
        yield query[:11]
        yield reply(query, answers=[a(7)] if is_a(query) else [])

    with Server(udp) as server:
        names = [f"n{i}.test" for i in range(50)]
        got = by_name(names, resolver=server.address)
        ids = [int.from_bytes(query[:2], "big") for query in server.queries]
    assert all(line["addresses"] == ["10.0.0.7"] for line in got.values()), got
    assert len(set(ids)) > 90 and sum(b - a == 1 for a, b in zip(ids, ids[1:])) < 5, ids


@case("a datagram lost is sent again, and the other server is asked when one is dead")
def _(tmp):
    seen = set()

    def udp(query):
        key = question(query)
        if key in seen:
            yield reply(query, answers=[a(7)] if is_a(query) else [])
        seen.add(key)

    with Server(udp) as server:
        got = by_name(["lost.test"], *QUICK, resolver=server.address)["lost.test"]
        assert got["addresses"] == ["10.0.0.7"] and got["ms"] >= 200, got
        with Server(lambda query: []) as dead:
            got = by_name(["lost.test"], *QUICK, resolver=f"{dead.address},{server.address}")["lost.test"]
        assert got["outcome"] == "found" and dead.queries, got


@case("three thousand names of which every tenth is silent: the others do not wait for them")
def _(tmp):
    def udp(query):
        if question(query)[1:2] != b"s":
            yield reply(query, answers=[a(7)] if is_a(query) else [])

    names = [f"{'s' if i % 10 == 0 else 'n'}{i}.test" for i in range(3000)]
    with Server(udp) as server:
        lines, counts = ask(names, "--dns-timeout", "1s", "--dns-tries", "2", "--no-ipv6",
                            resolver=server.address, seconds=120)
    outcomes = [line["outcome"] for line in lines]
    assert len(lines) == 3000 and outcomes.index("timeout") >= 2000, outcomes.index("timeout")
    assert all((line["outcome"] == "timeout") == (line["name"][0] == "s") for line in lines)
    assert counts["found"] == 2700 and counts["open"] == 0, counts


try:
    main()
finally:
    web.close()
