# SPDX-License-Identifier: Apache-2.0
"""Rows M1 to M5, P1 to P3: a manager with crawlers, a server with clients. What the server saw decides."""
import collections
import json
import os
import signal
import socket
import subprocess
import time

import scenario
from crawl import ORBWEAVER, agree, few, is_robots, no_leftovers, same_set, verify, verify_digests, witnessed

scenario.PROGRAM = ORBWEAVER  # what outside.py installs the headers of

from cut import Wire  # noqa: E402
from outside import build_example  # noqa: E402
from pool import Pool  # noqa: E402
from scenario import ROOT, case, main, run, until, write  # noqa: E402
from simweb import Simweb  # noqa: E402
from small_web import SmallWeb, page  # noqa: E402

WEB = ["--hosts", "12", "--pages", "25", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k"]
SLOW = ["--latency-least", "20ms", "--latency-most", "60ms"]
SLOWLY = ["-w", "400ms", "--ip-delay", "0", "--ip-conns", "100", "-q"]
WIRINGS = ["managed", "priority"]


def status(pool) -> dict:
    done = run(["status", pool.crawl.folder, "--json"], program=ORBWEAVER)
    assert done.code == 0, done
    return json.loads(done.out)


def orphaned(pool) -> int:
    """Visits that were lost with their members, by the last line of the manager's log that says so."""
    return sum(int(line.rpartition("lost=")[2].split()[0]) for line in pool.crawl.said().splitlines() if "member.gone " in line)


def check(web, pool, is_exact=True) -> None:
    crawl = pool.crawl
    same_set(web, web.oracle(web.run["home"], "any"), None if is_exact else collections.Counter(set(witnessed(web))))
    agree(crawl)
    verify(crawl)
    verify_digests(crawl)
    no_leftovers(crawl)
    polite = web.report()["politeness"]
    assert polite["forbidden"] == 0 and polite["overlaps"] == 0 and polite["most_open"] == 1, polite
    kept = crawl.captured()
    assert max(kept.values()) == 1, few(u for u, n in kept.items() if n > 1)


for _wiring in WIRINGS:
    @case(f"{_wiring}: two members fetch what the oracle says, each page once, and the manager has all (M1, M4, P2)")
    def _(tmp, wiring=_wiring):
        with Simweb(*WEB, "--coded", "0.3", "--chunked", "0.3", "--redirects", "0.1") as web, \
                Pool(web, tmp, wiring, "--scope", "any", "--set", "crawlers.window=4") as pool:
            pool.start()
            pool.join("m1")
            until(lambda: status(pool)["members"], "the first member")
            pool.join("m2")
            assert pool.wait() == 0, pool.story()
            assert [pool.wait_member(m) for m in ("m1", "m2")] == [0, 0], pool.story()
            check(web, pool)

    @case(f"{_wiring}: a member is killed, one joins, one leaves, one comes back: nothing is lost or asked too often (P1)")
    def _(tmp, wiring=_wiring):
        with Simweb(*WEB, *SLOW) as web, Pool(web, tmp, wiring, "--scope", "any") as pool:
            pool.start()
            pool.join("m1")
            pool.join("m2")
            pool.until_lines(40)
            pool.end("m1")
            pool.join("m3")
            pool.until_lines(100)
            assert pool.end("m2", signal.SIGTERM) == 0, pool.story()
            pool.join("m1")
            assert pool.wait() == 0, pool.story()
            check(web, pool, is_exact=False)
            again = [u for u, n in witnessed(web).items() if n > 1]
            assert len(again) <= 12, few(again)  # one a host, of the member that was killed
            assert sum(n - 1 for n in witnessed(web).values()) <= orphaned(pool), (again, pool.story())
            print(f"# asked for again: {len(again)} of {len(witnessed(web))}")

    @case(f"{_wiring}: the manager is killed and started again while members ask")
    def _(tmp, wiring=_wiring):
        with Simweb(*WEB, *SLOW) as web, Pool(web, tmp, wiring, "--scope", "any") as pool:
            pool.start()
            pool.join("m1")
            pool.join("m2")
            pool.until_lines(60)
            pool.crawl.end()
            pool.start()
            assert pool.wait() == 0, pool.story()
            check(web, pool, is_exact=False)
            again = [u for u, n in witnessed(web).items() if n > 1]
            assert len(again) <= 2 * 12, few(again)


for _loudly in (False, True):
    @case(f"a partition {'that resets' if _loudly else 'in silence'} for longer than `dead`: the cut member stops, others go on")
    def _(tmp, loudly=_loudly):
        with Simweb(*WEB, *SLOW) as web, Pool(web, tmp, "managed", "--scope", "any") as pool:
            pool.start()
            pool.join("m1")
            pool.join("m2")
            pool.until_lines(60)
            pool.wire("m1").cut(loudly)
            until(lambda: "member.no_lease" in pool.said("m1") or status(pool)["members"][0]["present"] is False,
                  "the lease's end")
            before = pool.lines()
            until(lambda: pool.lines() > before + 10 or pool.crawl.process.poll() is not None, "others to go on")
            pool.wire("m1").mend()
            assert pool.wait() == 0, pool.story()
            check(web, pool, is_exact=False)


@case("a member that stands still for longer than `dead`: one open request a host at most overlaps, and its answers are void")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Pool(web, tmp, "managed", "--scope", "any") as pool:
        pool.start()
        pool.join("m1")
        pool.join("m2")
        pool.until_lines(60)
        pool.members["m1"].send_signal(signal.SIGSTOP)
        until(lambda: any(not m["present"] for m in status(pool)["members"]), "m1 to be given up")
        pool.members["m1"].send_signal(signal.SIGCONT)
        assert pool.wait() == 0, pool.story()
        crawl = pool.crawl
        same_set(web, web.oracle(web.run["home"], "any"), collections.Counter(set(witnessed(web))))
        agree(crawl)
        kept = crawl.captured()
        assert max(kept.values()) == 1, few(u for u, n in kept.items() if n > 1)
        report = web.report()["politeness"]
        assert report["overlaps"] <= 12 and report["most_open"] <= 2, report  # one a frozen host (star.md, rule 9)


@case("a second process with a member's name waits until the first one's lease has ended")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Pool(web, tmp, "managed", "--scope", "any") as pool:
        pool.start()
        first = pool.join("m1")
        pool.until_lines(10)
        second = pool.join("m1")
        until(lambda: "member.waits" in pool.said("m1"), "the second to be told")
        first.kill()
        first.wait(60)
        assert pool.wait() == 0, pool.story()
        assert second.wait(60) == 0, pool.story()
        check(web, pool, is_exact=False)


@case("a key that was never made, one of another name and one that is revoked are refused")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Pool(web, tmp, "managed", "--scope", "any", quick=SLOWLY) as pool:
        pool.start()
        pool.join("m1")
        pool.until_lines(10)
        key = pool.key("m2")
        with open(key, encoding="utf-8") as f:
            text = f.read()
        stolen = os.path.join(tmp, "m3.yaml")
        with open(os.open(stolen, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as f:
            f.write(text.replace("member: m2", "member: m1"))  # with m2's secret
        with open(os.path.join(tmp, "m3.err"), "wb") as err:
            thief = subprocess.Popen([ORBWEAVER, "crawl", "-c", stolen, "-v"], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=err)
        pool.members["m3"] = thief
        until(lambda: "the same secret" in pool.said("m3"), "the thief to be refused")
        assert {m["name"] for m in status(pool)["members"]} == {"m1"}
        pool.join("m2")
        until(lambda: sum(m["present"] for m in status(pool)["members"]) == 2, "the second member")
        done = run(["member", "remove", pool.crawl.folder, "m2"], program=ORBWEAVER)
        assert done.code == 0, done
        until(lambda: "expelled" in pool.crawl.said(), "the revoked member to be expelled")
        assert pool.wait() == 0, pool.story()
        check(web, pool, is_exact=False)


@case("junk, silence and idle connections at the manager's port keep no member out")
def _(tmp):
    with Simweb(*WEB) as web, Pool(web, tmp, "managed", "--scope", "any") as pool:
        pool.start()
        host, port = pool.address.split(":")
        idle = [socket.create_connection((host, int(port)), 5) for _ in range(80)]
        for i, s in enumerate(idle):
            if i % 2:
                s.sendall(os.urandom(500))
        pool.join("m1")
        assert pool.wait() == 0, pool.story()
        for s in idle:
            s.close()
        check(web, pool)


@case("a frozen member does not hold up the end")
def _(tmp):
    with Simweb(*WEB) as web, Pool(web, tmp, "managed", "--scope", "any") as pool:
        pool.start()
        for m in ("m1", "m2", "m3"):
            pool.join(m)
        until(lambda: len(status(pool)["members"]) == 3, "three members")
        pool.members["m3"].send_signal(signal.SIGSTOP)
        assert pool.wait() == 0, pool.story()
        assert [pool.wait_member(m) for m in ("m1", "m2")] == [0, 0], pool.story()
        check(web, pool, is_exact=False)


@case("twenty frozen members do not hold up the end")
def _(tmp):
    with Simweb(*WEB) as web, Pool(web, tmp, "managed", "--scope", "any", timings={"dead": "30s", "abort": "25s", "fence": "20s"}) as pool:
        pool.start()
        pool.join("m1")
        frozen = [f"f{i}" for i in range(20)]
        for m in frozen:
            pool.join(m)
        until(lambda: sum(m["connected"] > 0 for m in status(pool)["members"]) == 21 or pool.crawl.process.poll() is not None, "all members")
        for m in frozen:
            pool.members[m].send_signal(signal.SIGSTOP)
        assert pool.wait() == 0, pool.story()
        assert pool.wait_member("m1") == 0, pool.story()
        check(web, pool, is_exact=False)


@case("one member of four on a slow line: the others go on, and everything is fetched once")
def _(tmp):
    with Simweb(*WEB) as web, Pool(web, tmp, "managed", "--scope", "any") as pool:
        pool.wires["m1"] = CrawlingWire(int(pool.address.rsplit(":", 1)[1]))
        pool.start()
        for m in ("m1", "m2", "m3", "m4"):
            pool.join(m)
        assert pool.wait() == 0, pool.story()
        check(web, pool)


@case("the manager is killed and started again while a member is cut off: that one stops before others ask its hosts")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Pool(web, tmp, "priority", "--scope", "any") as pool:
        pool.start()
        for m in ("m1", "m2"):
            pool.join(m)
        pool.until_lines(60)
        pool.wire("m1").cut(loudly=False)
        pool.crawl.end()
        pool.start()
        before = pool.lines()
        until(lambda: pool.lines() > before + 20 or pool.crawl.process.poll() is not None, "the new manager to go on")
        pool.wire("m1").mend()
        assert pool.wait() == 0, pool.story()
        check(web, pool, is_exact=False)


@case("without members the manager waits and says so")
def _(tmp):
    with Simweb(*WEB) as web, Pool(web, tmp, "managed", "--scope", "any") as pool:
        pool.start()
        until(lambda: "no member" in (status(pool).get("waits") or {"text": ""})["text"], "the reason of the wait")
        pool.join("m1")
        assert pool.wait() == 0, pool.story()
        check(web, pool)


class CrawlingWire(Wire):
    """Carries about 30 KB a second from a member to its manager."""

    def carried(self, is_answer, piece):
        if not is_answer:
            time.sleep(len(piece) / 3e4)


class SlowWire(Wire):
    """Carries about 3 MB a second from a member to its manager."""

    def carried(self, is_answer, piece):
        if not is_answer:
            time.sleep(len(piece) / 3e6)


@case("an answer that takes longer than `dead` on a slow line is no silence: it comes through, and is asked for once")
def _(tmp):
    large = b"<title>Large</title>" + os.urandom(1 << 20) * 16  # over 5 s of the wire
    pages = {"/": page("Home", "words", [("/large", "large"), ("/small", "small")]),
             "/large": (200, {"Content-Type": "application/octet-stream"}, large), "/small": page("Small", "words")}
    with SmallWeb(pages) as web, Pool(None, tmp, "managed", "--allow-private=127.0.0.0/8", seeds=[web.url("/")], wire=SlowWire) as pool:
        pool.start()
        pool.join("m1")
        assert pool.wait() == 0, pool.story()
        rows = {r.url.rpartition("/")[2]: r.code for r in pool.crawl.log()}
        assert rows["large"] == 200 and rows["small"] == 200, rows
        assert web.paths().count("/large") == 1, web.paths()


def poisoned(tmp) -> str:
    """The managed wiring with a part at the members that dies of pages with the word casino."""
    build_example(tmp, "drop", lambda text: text.replace("visit_drop(v,", "__builtin_trap(); visit_drop(v,"))
    with open(os.path.join(ROOT, "wirings", "managed.yaml"), encoding="utf-8") as f:
        text = f.read()
    for old, new in [("  focus:", "  drop: {part: ./drop.so, words: [casino], at: crawlers}\n  focus:"), ("-> read ->", "-> read -> drop ->")]:
        assert old in text
        text = text.replace(old, new, 1)
    return write(tmp, "poison.yaml", text)


@case("a page that kills members is given up after three; no other page is, and all others are kept")
def _(tmp):
    pages = {"/": page("Home", "words", [(f"/{i}", "a page") for i in range(40)] + [("/poison", "do not read")])}
    pages.update({f"/{i}": page(str(i), "words") for i in range(40)})
    pages["/poison"] = page("Win", "the Casino of the town", [("/hidden", "more")])
    wiring = poisoned(tmp)
    with SmallWeb(pages) as web, \
            Pool(None, tmp, wiring, "--allow-private=127.0.0.0/8", seeds=[web.url("/")], sets={"pace.delay": "50ms"}) as pool:
        pool.start()
        for name in ("m1", "m2"):
            pool.join(name)
        while pool.crawl.process.poll() is None:
            until(lambda: pool.crawl.process.poll() is not None or any(p.poll() for p in pool.members.values()), "a death")
            for name, process in list(pool.members.items()):
                if pool.crawl.process.poll() is None and process.poll():
                    pool.join(name)
        assert pool.wait() == 0, pool.story()
        rows = {r.url.rpartition("/")[2]: r.code for r in pool.crawl.log()}
        assert rows.pop("poison") == -7002, rows
        rows.pop("robots.txt")
        assert set(rows.values()) == {200} and len(rows) == 41, rows
        assert web.paths().count("/poison") == 3, web.paths()


@case("members outlive a manager that is stopped, and leave when the crawl is over; a crawl that is over needs none")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Pool(web, tmp, "managed", "--scope", "any") as pool:
        pool.start()
        pool.join("m1")
        pool.until_lines(40)
        assert pool.crawl.end(signal.SIGTERM) == 143, pool.story()
        until(lambda: "member.lost" in pool.said("m1"), "the member to miss its manager")
        assert pool.members["m1"].poll() is None, pool.story()
        pool.start()
        assert pool.wait() == 0, pool.story()
        assert pool.wait_member("m1") == 0, pool.story()
        check(web, pool, is_exact=False)
        pool.start()
        assert pool.wait() == 0, pool.story()


@case("a member whose key has other settings than the manager is refused, and told what to do")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web, Pool(web, tmp, "managed", "--scope", "any", quick=SLOWLY) as pool:
        pool.start()
        key = pool.key("m1")
        with open(key, "a", encoding="utf-8") as f:
            f.write("user-agent: another\n")
        pool.join("m1")
        assert pool.wait_member("m1") == 2, pool.story()
        assert "orbweaver member add" in pool.said("m1"), pool.said("m1")
        os.chmod(key, 0o644)
        pool.join("m1")
        assert pool.wait_member("m1") == 2 and "chmod 600" in pool.said("m1"), pool.said("m1")
        pool.add("m1")
        pool.join("m1")
        until(lambda: any(m["connected"] for m in status(pool)["members"]), "the member with a new key")


@case("timings that would not be polite are refused with --set, too")
def _(tmp):
    done = run(["crawl", "--wiring", "managed", "--place", "manager", "--set", "crawlers.dead=1s", "-o", tmp + "/c", "http://127.0.0.1:9/"],
               program=ORBWEAVER)
    assert done.code == 2 and "--set crawlers" in done.err and "dead" in done.err, done
    assert not os.path.exists(tmp + "/c"), "nothing is left behind"


@case("check says what is wrong with a pool, in the line where it stands")
def _(tmp):
    with open(os.path.join(ROOT, "wirings", "managed.yaml"), encoding="utf-8") as f:
        good = f.read()
    for old, new, said in [
            (": {lost: disposition}", "", "write where messages go that no member answers, as {lost: disposition}"),
            ("{lost: disposition}", "{lost: schedule}", "must stand at"),
            ("pool: yes", "pool: yes, abort: 14s", "abort"),
            ("pool: yes", "pool: no", "expected address:port, or {pool: yes}"),
            ("schedule: {credits: 65536}", "schedule: {at: crawlers}", "is a source"),
            ("robots:", "robots: {at: crawlers}", "whose state cannot"),
            ("  manager:", "  other: 127.0.0.1:9\n  manager:", "has one other place, its manager")]:
        assert old in good, old
        path = write(tmp, "bad.yaml", good.replace(old, new, 1))
        done = run(["check", path], program=ORBWEAVER)
        assert done.code == 2 and said in done.err and "bad.yaml:" in done.err, (old, new, done)


@case("a pool's place without a key says what to do, and a wrong wiring names the line")
def _(tmp):
    done = run(["crawl", "--wiring", "managed", "--place", "crawlers"], program=ORBWEAVER)
    assert done.code == 2 and "orbweaver member add" in done.err, done
    done = run(["member", "add", tmp, "Bad Name"], program=ORBWEAVER)
    assert done.code == 2 and "member's name" in done.err, done
    done = run(["member", "remove", tmp, "m9"], program=ORBWEAVER)
    assert done.code == 2 and "no member m9" in done.err, done


main()
