# SPDX-License-Identifier: Apache-2.0
"""The bus over real servers: what it carries, what it says when something is away, full or wrong,
and that every call ends once. argv[1] is orbweaver, argv[2] bus_client (D1, C4)."""
import json
import os
import shutil
import signal
import threading
import time

from cut import Wire
from nats_server import Bus, Post
from scenario import case, main, until

ROSTER = "ORB_crawl_ROSTER"


def stands_still(pid):
    """Every thread of it: one that still runs might answer."""
    states = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="ascii") as f:
            states.append(f.read().rpartition(")")[2].split()[0])
    return set(states) == {"T"}


@case("what is appended is read: number, stamp, subject, bytes")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a") as a, Bus(post, "b") as b:
        before = int(time.time() * 1000)
        a.do("append 1 orb.crawl.roster.a 11 first words")
        done = a.done(1)
        assert (done["rc"], done["sequence"], done["repeat"]) == ("OK", 1, False), done
        b.do("append 2 orb.crawl.roster.b 12 second")
        assert b.done(2)["sequence"] == 2
        b.do(f"get 3 {ROSTER} 1")
        got = b.done(3)
        assert (got["rc"], got["sequence"], got["subject"], got["payload"]) == (
            "OK", 1, "orb.crawl.roster.a", "first words"), got
        assert before - 60000 < got["stamp_ms"] < before + 600000, got
        b.do(f"get 4 {ROSTER} 1 orb.crawl.roster.b")
        assert b.done(4)["sequence"] == 2
        b.do(f"get 5 {ROSTER} 0")
        assert b.done(5)["sequence"] == 1
        b.do(f"get 6 {ROSTER} 3")
        assert b.done(6)["rc"] == "NOT_FOUND"


@case("the same bytes again are a repeat, not a second message; another's are not")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a") as a, Bus(post, "b") as b:
        a.do("append 1 orb.crawl.j.b.1.in.a 5 same")
        a.do("append 2 orb.crawl.j.b.1.in.a 5 same")
        first, second = a.done(1), a.done(2)
        assert (first["sequence"], first["repeat"]) == (1, False), first
        assert (second["rc"], second["sequence"], second["repeat"]) == ("OK", 1, True), second
        b.do("append 3 orb.crawl.j.b.1.in.b 5 same")
        assert (b.done(3)["sequence"], post.messages("ORB_crawl_b")) == (2, 2)


@case("after a restart of the agent its ids are still the same")
def _(tmp):
    with Post(tmp) as post:
        for expected in (False, True):
            with Bus(post, "a") as a:
                a.do("append 1 orb.crawl.j.b.1.in.a 5 same")
                assert a.done(1)["repeat"] == expected


@case("an empty payload and the largest one pass; one byte more is refused")
def _(tmp):
    most = 768 << 10
    with Post(tmp) as post, Bus(post, "a") as a:
        a.do("append 1 orb.crawl.j.a.1.out 1 ")
        assert a.done(1)["rc"] == "OK"
        a.do(f"fill 2 orb.crawl.j.a.1.out 2 {most}")
        assert a.done(2)["rc"] == "OK"
        a.do(f"fill 3 orb.crawl.j.a.1.out 3 {most + 1}")
        assert a.done(3)["rc"] == "INVALID"
        a.do("get 4 ORB_crawl_a 2")
        assert a.done(4)["bytes"] == most
        a.do("get 5 ORB_crawl_a 1")
        got = a.done(5)
        assert (got["rc"], got["bytes"]) == ("OK", 0), got


@case("what is said is heard by all who listen, also by the speaker")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a") as a, Bus(post, "b") as b:
        for bus in (a, b):
            bus.do("listen orb.crawl.hb.*")
        for bus in (a, b):  # a subscription is on its way while the call has returned
            def beat_heard():
                a.do("say orb.crawl.hb.a beat")
                bus.take()
                return any(e["event"] == "heard" for e in bus.events)
            until(beat_heard, "a heartbeat is heard")
            heard = bus.wait(lambda e: e["event"] == "heard", "heard")
            assert (heard["subject"], heard["payload"]) == ("orb.crawl.hb.a", "beat"), heard


@case("one asks, one answers; nobody there is said; an answer counts once")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a") as a, Bus(post, "b") as b:
        b.do("listen orb.crawl.ask.b.*")
        for ticket in range(1, 600):
            a.do(f"ask {ticket} orb.crawl.ask.b.a 2000 how are you")
            b.take()
            if any(e["event"] == "asked" for e in b.events):
                break
            time.sleep(0.1)
        asked = b.wait(lambda e: e["event"] == "asked", "asked")
        assert (asked["subject"], asked["payload"]) == ("orb.crawl.ask.b.a", "how are you")
        b.do(f"answer {asked['reply']} well")
        b.do(f"answer {asked['reply']} well again")
        assert b.done(asked["reply"])["rc"] == "NOT_FOUND"
        answer = a.wait(lambda e: e["event"] == "done" and e["rc"] == "OK", "an answer")
        assert answer["payload"] == "well", answer
        a.do("ask 1000 orb.crawl.ask.nobody.a 300 hello")
        assert a.done(1000)["rc"] == "AGAIN"
        a.do("ask 1001 orb.crawl.ask.a.b 300 not mine to say")
        assert a.done(1001)["rc"] == "AGAIN"
        a.do("counts")
        assert a.wait(lambda e: e["event"] == "counts", "counts")["refused"] >= 1


@case("a full stream says so and takes nothing, and nothing old is dropped for it")
def _(tmp):
    with Post(tmp, options=("--stream-size", "1M")) as post, Bus(post, "a") as a:
        for ticket in range(1, 12):
            a.do(f"fill {ticket} orb.crawl.j.b.1.in.a {ticket} 200000")
        ends = [a.done(ticket)["rc"] for ticket in range(1, 12)]
        assert "LIMIT" in ends and set(ends) == {"OK", "LIMIT"}, ends
        a.do("get 20 ORB_crawl_b 1")
        assert a.done(20)["sequence"] == 1
        assert post.messages("ORB_crawl_b") == ends.count("OK")


@case("no such stream, no such subject: not now, never yes")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a", timeout_ms=500) as a:
        a.do("append 1 orb.crawl.j.nobody.1.in.a 1 lost")
        a.do("get 2 ORB_crawl_nobody 1")
        a.do("append 3 orb.crawl.elsewhere 1 lost")
        for ticket in (1, 2, 3):
            assert a.done(ticket)["rc"] == "AGAIN"
        for line in ("append 4 orb.*.x 1 t", "append 5 orb..x 1 t", "get 6 ORB.x 1", "get 7 X 1 a b"):
            a.do(line)
        for ticket in (4, 5, 6, 7):
            assert a.done(ticket)["rc"] == "INVALID"


@case("past the most that may be open a call begins nothing")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a", timeout_ms=2000) as a:
        a.do("burst 1 1100 orb.crawl.j.nobody.1.in.a 10")
        ends = [a.done(ticket) for ticket in range(1, 1101)]
        refused = [e for e in ends if e["event"] == "not"]
        assert len(refused) >= 1 and all(e["rc"] == "AGAIN" for e in ends), len(refused)
        a.do("append 2000 orb.crawl.roster.a 1 then")
        assert a.done(2000)["rc"] == "OK"


@case("who does not poll loses what was said, counted, and nothing that was asked of the streams")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a") as a, post.client("b") as b:
        a.do("listen orb.crawl.hb.*")

        def beat_heard():
            b.pub("orb.crawl.hb.b", b"beat")
            b.flush()
            a.take()
            return any(e["event"] == "heard" for e in a.events)
        until(beat_heard, "a listens")
        a.do("append 1 orb.crawl.roster.a 1 x\nsleep 8000")
        for _ in range(60):
            for _ in range(100):
                b.pub("orb.crawl.hb.b", b"beat" * 10)
            b.flush()
        assert a.done(1)["rc"] == "OK"
        a.do("append 2 orb.crawl.roster.a 2 y")
        assert a.done(2)["rc"] == "OK"
        a.do("counts")
        lost = a.wait(lambda e: e["event"] == "counts", "counts")["heard_lost"]
        a.take()
        heard = sum(e["event"] == "heard" for e in a.events)
        assert lost >= 1 and heard <= 6000, (lost, heard)


@case("a server killed in the middle: every ticket ends once, then it works again")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a") as a:
        machine = post.machines[0]
        a.do("burst 1 500 orb.crawl.j.b.1.in.a 2000")
        machine.end(signal.SIGKILL)
        a.wait(lambda e: e["event"] == "down", "down")
        a.do("append 900 orb.crawl.roster.a 1 while it is away")
        assert a.done(900)["rc"] == "AGAIN"
        ends = [a.done(ticket) for ticket in range(1, 501)]
        assert {e["rc"] for e in ends} <= {"OK", "AGAIN"}
        machine.start()
        a.wait(lambda e: e["event"] == "up", "up again")
        a.try_until("append 901 orb.crawl.roster.a 2 back", 901)
        acknowledged = sum(e["rc"] == "OK" for e in ends)
        assert post.messages("ORB_crawl_b") >= acknowledged
        a.take()
        assert not [e for e in a.events if e["event"] in ("done", "not")], a.events


@case("a server that stands still: calls end by time, the connection is given up, then comes back")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a", timeout_ms=500) as a:
        process = post.machines[0].process
        process.send_signal(signal.SIGSTOP)
        try:
            until(lambda: stands_still(process.pid), "the server stands still")
            a.do("append 1 orb.crawl.roster.a 1 x")
            assert a.done(1)["rc"] == "AGAIN"
            a.wait(lambda e: e["event"] == "down", "pings stay without answer")
        finally:
            process.send_signal(signal.SIGCONT)
        a.wait(lambda e: e["event"] == "up", "up again")
        a.try_until("append 2 orb.crawl.roster.a 2 y", 2)


@case("a bus may be opened before its server, and closed without it")
def _(tmp):
    with Post(tmp, start=False) as post:
        with Bus(post, "a", up=False) as a:
            a.do("append 1 orb.crawl.roster.a 1 x")
            assert a.done(1)["rc"] == "AGAIN"
            post.start()
            a.wait(lambda e: e["event"] == "up", "up")
            a.do("append 2 orb.crawl.roster.a 1 x")
            assert a.done(2)["rc"] == "OK"


class HeldUp(Wire):
    """Holds the answers to a connection's second ping, the flush before it counts as there."""

    def __init__(self, target):
        self.pings, self.held, self.go = {}, 0, threading.Event()
        super().__init__(target)

    def carried(self, is_answer, piece):
        me = threading.get_ident()  # a thread a connection
        self.pings[me] = self.pings.get(me, 0) + (is_answer and piece.count(b"PONG"))
        if is_answer and self.pings[me] == 2 and not self.go.is_set():
            self.held += 1
            self.go.wait(30)


class Detour:
    """A login whose way goes over a wire."""

    def __init__(self, post, wire, tmp):
        self.post, self.wire, self.tmp = post, wire, tmp

    def login_path(self, name):
        login = {**self.post.login(name), "url": f"nats://127.0.0.1:{self.wire.port}"}
        path = os.path.join(self.tmp, name + ".login")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as f:
            json.dump(login, f)
        return path


@case("what is listened to while the connection is being made is heard (agents that never ended)")
def _(tmp):
    with Post(tmp) as post, HeldUp(post.machines[0].client) as wire, Bus(post, "b") as b, \
            Bus(Detour(post, wire, tmp), "a", up=False) as a:
        until(lambda: wire.held == 2, "both connections wait for their flush")
        a.do("listen orb.crawl.hb.*")
        a.do("append 1 orb.crawl.roster.a 1 x")  # its refusal says that the listening was begun
        assert a.done(1)["rc"] == "AGAIN"
        wire.go.set()
        a.wait(lambda e: e["event"] == "up", "up")

        def beat_heard():
            b.do("say orb.crawl.hb.b beat")
            a.take()
            return any(e["event"] == "heard" for e in a.events)
        until(beat_heard, "a heartbeat is heard", 20)


@case("who connects anew is down, up, and hears what it listened to; calls go on")
def _(tmp):
    with Post(tmp) as post, Bus(post, "a") as a:
        a.do("listen orb.crawl.hb.*")
        for ticket in range(1, 4):
            a.do("anew")
            a.wait(lambda e: e["event"] == "down", "down")
            a.wait(lambda e: e["event"] == "up", "up")
            a.try_until(f"append {ticket} orb.crawl.roster.a {ticket} x", ticket)
            a.events.clear()

            def beat_heard():
                a.do("say orb.crawl.hb.a beat")
                a.take()
                return any(e["event"] == "heard" for e in a.events)
            until(beat_heard, "a heartbeat is heard")


@case("three servers: the leader killed, nothing that was acknowledged is lost (D1)")
def _(tmp):
    with Post(tmp, machines=3, agents="a,b,c") as post:
        with post.client("admin") as admin:
            info = admin.request("$JS.API.STREAM.INFO.ORB_crawl_b").json()
        assert info["config"]["num_replicas"] == 3, info
        leader = next(m for m in post.machines if info["cluster"]["leader"].endswith(f"-{m.route}"))
        sender = "abc"[(post.machines.index(leader) + 1) % 3]  # its own server lives on
        with Bus(post, sender) as bus:
            for ticket in range(1, 41):
                bus.do(f"append {ticket} orb.crawl.j.b.1.in.{sender} {ticket} text {ticket}")
            kept = [bus.done(ticket)["rc"] for ticket in range(1, 41)]
            assert kept == ["OK"] * 40, kept
            leader.end(signal.SIGKILL)
            for ticket in range(41, 61):
                bus.try_until(f"append {ticket} orb.crawl.j.b.1.in.{sender} {ticket} text {ticket}",
                              ticket)
            seen, at = [], 1
            while len(set(seen)) < 60:
                got = bus.try_until(f"get {1000 + at} ORB_crawl_b {at}", 1000 + at)
                seen.append(got["payload"])
                at = got["sequence"] + 1
                assert at < 500
            assert set(seen) == {f"text {n}" for n in range(1, 61)}
            leader.start()
            bus.try_until(f"append 2000 orb.crawl.roster.{sender} 1 all there", 2000)


@case("three servers: one whose disk was lost is filled by the others, and then stands in for them")
def _(tmp):
    with Post(tmp, machines=3, agents="a,b,c") as post, Bus(post, "a") as a:
        for ticket in range(1, 21):
            a.try_until(f"append {ticket} orb.crawl.j.b.1.in.a {ticket} text {ticket}", ticket)
        lost = post.machines[1]
        lost.end(signal.SIGKILL)
        shutil.rmtree(os.path.join(lost.folder, "store"))
        lost.start()

        def all_current():
            with post.client("admin") as admin:
                answer = admin.request("$JS.API.STREAM.INFO.ORB_crawl_b")
            cluster = answer.json().get("cluster", {}) if answer else {}
            copies = cluster.get("replicas", [])
            return cluster.get("leader") and len(copies) == 2 and all(
                c.get("current") and not c.get("offline") for c in copies)
        until(all_current, "every copy is whole again")
        post.machines[2].end(signal.SIGKILL)  # now the refilled one is needed for a majority
        a.try_until("append 100 orb.crawl.j.b.1.in.a 100 after", 100)
        seen, at = [], 1
        while "after" not in seen:
            got = a.try_until(f"get {1000 + at} ORB_crawl_b {at}", 1000 + at)
            seen.append(got["payload"])
            at = got["sequence"] + 1
            assert at < 500
        assert seen[:20] == [f"text {n}" for n in range(1, 21)], seen


main(threads=4)
