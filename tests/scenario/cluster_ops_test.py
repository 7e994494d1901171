# SPDX-License-Identifier: Apache-2.0
"""A cluster is operated from any of its agents, and from the operator's folder: asked how it is,
paused, given seeds, stopped, an agent taken out. One real nats-server, all on loopback.

argv: simweb, orbweaver."""
import json
import os
import signal
import subprocess
import time

import scenario
from agents import PATIENT, SECONDS, SLOW, TIMINGS, WEB, agents_of, is_right, stop_all
from crawl import ORBWEAVER
from nats_server import Post
from scenario import case, main, run, until
from simweb import Simweb
from small_web import SmallWeb

scenario.PROGRAM = ORBWEAVER  # what Post runs
OTHER = ["--hosts", "3", "--pages", "5", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k"]


def orb(*words, code=0):
    done = run(list(words), seconds=60)
    assert done.code == code, (words, done)
    return done


def told(*words):
    return json.loads(orb(*words, "--json").out)


class Cluster:
    """Three agents that crawl slowly, and are gone at the end of the block."""

    def __init__(self, tmp, *options, names="abc", web=(*WEB, *SLOW), timings=TIMINGS):
        self.web, self.post = Simweb(*web), None
        self.web.__enter__()
        try:
            self.post = Post(tmp, agents="a,b,c", timings=timings)
            self.agents = agents_of(self.web, self.post, tmp, names, "-w", "500ms", *options)
            for a in self.agents:
                a.start()
            until(self.is_settled, "all are in", 60)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop_all(getattr(self, "agents", []))
        if self.post:
            self.post.close()
        self.web.__exit__(None, None, None)

    def rows(self, where):
        return {r["agent"]: r for r in told("cluster", "status", where)["agents"]}

    def is_settled(self):
        done = run(["cluster", "status", self.post.dir, "--json"])
        if done.code:
            return False
        rows = [r for r in json.loads(done.out)["agents"] if "answer" in r]
        return len(rows) == len(self.agents) and all(
            r["answer"]["state"] == "up" and r["answer"]["settled"] == r["answer"]["epoch"] == len(rows)
            for r in rows)

    def states(self):
        return {r["agent"]: r["answer"]["crawl_state"] for r in self.rows(self.post.dir).values()
                if "answer" in r}

    def requests(self):
        return self.web.report()["requests"]


def dir_of(agent):
    return agent.folder


@case("every agent, and the operator, tells how all of them are")
def _(tmp):
    with Cluster(tmp) as c:
        for where in [c.post.dir] + [dir_of(a) for a in c.agents]:
            rows = c.rows(where)
            assert sorted(rows) == ["a", "b", "c"], rows
            one = rows["b"]["answer"]
            assert one["inc"] == 1 and one["epoch"] == 3 and not one["suspects"], one
            assert abs(sum(m["share"] for m in one["members"]) - 1) < 0.001, one["members"]
            assert all(0.2 < m["share"] < 0.5 for m in one["members"]), one["members"]
            text = orb("cluster", "status", where).out
            assert "settled" in text and len(text.splitlines()) == 8, text
            assert text.count(" outcomes untold, at most 512\n") == 3, text
        assert "1 copy" in orb("cluster", "status", c.post.dir).out


@case("an agent that is silent is shown so, with what the others know of it, and is not waited for")
def _(tmp):
    with Cluster(tmp, timings=PATIENT) as c:
        c.agents[1].process.send_signal(signal.SIGSTOP)
        for where in [c.post.dir, dir_of(c.agents[0])]:
            def is_known():
                row = c.rows(where)["b"]
                return row.get("silent") and row["known"]["suspect"]
            until(is_known, "b is silent, and suspected", 60)
            row = c.rows(where)["b"]
            assert row["known"]["state"] == "living" and row["known"]["silent_ms"] > 0 and row["error"], row
            assert all("answer" in r for name, r in c.rows(where).items() if name != "b")
            text = orb("cluster", "status", where).out
            line = [t for t in text.splitlines() if t.startswith("b ")][0]
            assert line.split()[1] == "silent" and "in the roster: living; last heard by " in line, text

            # Who waits for it needs the three seconds of a question, every time.
            def is_soon():
                begun = time.monotonic()
                c.rows(where)
                return time.monotonic() - begun < 2.5
            until(is_soon, "status does not wait for b", 60)


@case("status is the sum of all agents, or of one alone")
def _(tmp):
    with Cluster(tmp) as c:
        until(lambda: c.requests() > 20, "it crawls", 60)
        orb("pause", c.post.dir)
        until(lambda: set(c.states().values()) == {"paused"} and
              told("status", c.post.dir)["open"] == 0, "all rest", 60)
        alone = [told("status", dir_of(a), "--only") for a in c.agents]
        for where in [c.post.dir, dir_of(c.agents[2])]:
            whole = told("status", where)
            assert whole["fetched"] == sum(s["fetched"] for s in alone) > 0, (whole, alone)
            assert whole["queued"] == sum(s["queued"] for s in alone), (whole, alone)
            assert whole["state"] == "paused" and len(whole["agents"]) == 3
            text = orb("status", where).out
            assert text.count("\nagent ") == 3 and "3 agents" in text, text


@case("url asks the agent that owns the host, and says which one that is")
def _(tmp):
    with Cluster(tmp) as c:
        def pages(agent):
            return [r.url for r in agent.log() if r.code == 200 and not r.path.endswith("P")]
        until(lambda: all(pages(a) for a in c.agents), "all have pages", 60)
        for owner in c.agents:
            url = pages(owner)[0]
            until(lambda: told("url", dir_of(owner), url)["state"] == "fetched", "the history has it", 60)
            for a in c.agents:
                said = told("url", dir_of(a), url)
                assert said["url"] == url and said["state"] == "fetched", said
                assert said.get("agent", owner.name) == owner.name, said
                assert (a is owner) == ("agent" not in said), said
                assert said["captures"] and said["last"]["code"] == 200, said
        other = [a for a in c.agents if a is not owner][0]
        assert f"{owner.name} owns its host" in orb("url", dir_of(other), url).out


@case("pause reaches all from one agent's directory, also one that was away")
def _(tmp):
    with Cluster(tmp) as c:
        until(lambda: all(a.log() for a in c.agents), "all have begun", 60)
        c.agents[1].end(signal.SIGKILL)
        orb("pause", dir_of(c.agents[0]))
        until(lambda: set(c.states().values()) == {"paused"}, "those that run are paused", 60)
        before = len(c.agents[1].log())
        c.agents[1].start()
        until(lambda: c.states() == dict.fromkeys("abc", "paused"), "the third is, too", 60)
        assert len(c.agents[1].log()) - before <= 0, "it crawled before it had read the log"
        orb("unpause", c.post.dir)
        until(lambda: c.states() == dict.fromkeys("abc", "running"), "all go on", 60)
        until(lambda: len(c.agents[1].log()) > before, "it crawls", 60)


@case("stop reaches all, and who is started again goes on")
def _(tmp):
    with Cluster(tmp) as c:
        orb("stop", dir_of(c.agents[0]))
        for a in c.agents:
            assert a.process.wait(SECONDS) == 143, a.said()[-2000:]
        for a in c.agents:
            a.start()
        until(lambda: c.states() == dict.fromkeys("abc", "running"), "an old stop stops nobody", 60)


@case("seeds and settings said to one agent are everybody's, also those who come later")
def _(tmp):
    with Cluster(tmp, "--scope", "host", names="ab", web=OTHER) as c:
        home = c.web.run["home"]
        new = next(u for u in c.web.oracle(home, "any") if u.split("/")[2] != home.split("/")[2])
        orb("seeds", "add", dir_of(c.agents[0]), new)
        orb("set", c.post.dir, "delay=400ms")
        until(lambda: all(len(a.events("control.done")) == 2 for a in c.agents), "both have it", 60)
        late = agents_of(c.web, c.post, tmp, "c", "-w", "500ms", "--scope", "host")[0]
        c.agents.append(late)
        late.start()
        until(lambda: len(late.events("control.done")) == 2, "the third has it", 60)
        for a in c.agents:
            assert new in open(os.path.join(dir_of(a), "state", "seeds"), encoding="utf-8").read()
            assert told("url", dir_of(a), new)["scope"]["in"]
        for a in c.agents:
            a.wait()
        done = {r.url for a in c.agents for r in a.log()}
        assert new in done and home in done, (new, home, sorted(done))


@case("where a seed redirects to joins everybody's scope, also later")
def _(tmp):
    with Simweb(*OTHER) as web, SmallWeb({}) as door, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
        home = web.run["home"]
        door.pages["/"] = (302, {"Location": home}, b"")
        agents = agents_of(web, post, tmp, "abc", "--scope", "host", "-w", "300ms",
                           "--allow-private=127.0.0.0/8")
        for a in agents:
            a.command[-1] = door.url("/")
        try:
            for a in agents[:2]:
                a.start()
            until(lambda: all(a.events("cluster.scope_extended") for a in agents[:2]), "two know it", 60)
            agents[2].start()
            until(lambda: agents[2].events("cluster.scope_extended"), "the third knows it", 60)
            for a in agents:
                assert {e["url"] for e in a.events("cluster.scope_extended")} == {home}, a.events("cluster.scope_extended")
                a.wait()
        finally:
            stop_all(agents)
        assert post.messages("ORB_crawl_CONTROL") == 1
        wanted = {u for u in web.oracle(home, "host")}
        done = {r.url for a in agents for r in a.log()}
        assert home in done and len(wanted & done) > 1, (len(wanted), sorted(done))


@case("an agent is drained from the operator's folder: it hands over and exits 0")
def _(tmp):
    with Cluster(tmp) as c:
        until(lambda: all(a.log() for a in c.agents), "all have begun", 60)
        orb("cluster", "drain", "b", "--dir", c.post.dir)
        c.agents[1].wait()
        # It ends when it has read that it is gone; the others may read that a moment later.
        until(lambda: sorted(c.rows(dir_of(c.agents[0]))) == ["a", "c"], "only a and c are listed", 30)


def merged(tmp, agents):
    """One index of all directories: sorted, whole, and every archive where it says."""
    path = os.path.join(tmp, "all.cdxj")
    orb("export", "cdxj", *[dir_of(a) for a in agents], "-o", path)
    lines = open(path, encoding="utf-8").read().splitlines()
    assert lines == sorted(set(lines), key=str.encode)
    rows = [json.loads(line.split(" ", 2)[2]) for line in lines]
    assert all(os.path.exists(r["filename"]) for r in rows)
    own = [row for a in agents for row in a.index()]
    assert sorted(r["url"] for r in rows) == sorted(r["url"] for r in own)
    report = told("report", *[dir_of(a) for a in agents])
    assert report["answers"] == sum(told("report", dir_of(a))["answers"] for a in agents) > 0
    assert report["links"]["remaining"] == 0, report["links"]
    pages = orb("export", "pages", *[dir_of(a) for a in agents], "--json").out.splitlines()
    assert len(pages) == sum(len(orb("export", "pages", dir_of(a), "--json").out.splitlines())
                             for a in agents) > 0


@case("who left is purged from the servers, comes again, and the crawl is right (gc, exports)")
def _(tmp):
    with Cluster(tmp) as c:
        until(lambda: all(len(a.log()) > 3 for a in c.agents), "all have begun", 60)
        assert " 0 messages" in orb("cluster", "gc", "--dir", c.post.dir).out, "all live"
        orb("agent", "leave", dir_of(c.agents[1]))
        c.agents[1].wait()
        until(lambda: all(r.get("answer", {}).get("settled") == r.get("answer", {}).get("epoch") == 4
                          for r in c.rows(dir_of(c.agents[0])).values()), "settled", 60)
        before = c.post.messages("ORB_crawl_b")
        could = orb("cluster", "gc", "--dry-run", "--dir", c.post.dir).out
        assert f"b 1: {before} messages could go" in could and "a 1" not in could, could
        assert c.post.messages("ORB_crawl_b") == before > 0
        done = orb("cluster", "gc", "--dir", c.post.dir).out
        assert f"b 1: {before} messages\n" in done, done
        assert c.post.messages("ORB_crawl_b") == 0
        c.agents[1].start()
        orb("set", c.post.dir, "delay=0")
        for a in c.agents:
            a.wait()
        is_right(c.web, c.agents)
        assert c.agents[1].events("cluster.epoch")[-1]["inc"] == 2
        merged(tmp, c.agents)


@case("the folder of cluster up stands for all its agents: status, pause, stop, exports")
def _(tmp):
    folder = os.path.join(tmp, "up")
    with Simweb(*OTHER) as web, open(os.path.join(tmp, "said"), "w+", encoding="utf-8") as said:
        words = [ORBWEAVER, "cluster", "up", "--agents", "2", "-o", folder, web.run["home"], "--",
                 "--resolver", web.dns, "--allow-private=127.0.0.0/8", "--scope", "any", "-w", "400ms",
                 "--ip-delay", "0"]
        up = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        try:
            until(lambda: run(["status", folder]).code == 0 and told("status", folder).get("fetched"),
                  "it crawls", 60)
            orb("pause", folder)
            until(lambda: told("status", folder)["state"] == "paused", "both are", 60)
            assert len(told("cluster", "status", folder)["agents"]) == 2
            count = len(orb("export", "cdxj", folder).out.splitlines())
            one, two = (os.path.join(folder, a) for a in ("a1", "a2"))
            assert count == sum(len(orb("export", "cdxj", a, "--here", "-o", "-").out.splitlines())
                                for a in (one, two)) > 0
            assert count == len(orb("export", "cdxj", one).out.splitlines()), "of all, by asking"
            orb("stop", folder)
            assert up.wait(SECONDS) == 143, said.seek(0) or said.read()
        finally:
            if up.poll() is None:
                up.terminate()
                up.wait(SECONDS)


@case("without the operator's login an agent tells nobody but itself")
def _(tmp):
    with Cluster(tmp, names="a") as c:
        os.rename(os.path.join(c.post.dir, "operator.login"), os.path.join(tmp, "away"))
        done = orb("pause", dir_of(c.agents[0]), code=2)
        assert "operator's login" in done.err, done
        assert "paused" in orb("pause", dir_of(c.agents[0]), "--only").out
        with c.post.client("b") as b:
            for what in ("pause", "stop", "drain", "set", "seeds"):
                ask = json.dumps({"do": what, "agent": "a", "key": "delay", "value": "1s",
                                  "urls": ["http://example.org/"]}).encode()
                said = b.request("orb.crawl.ask.a.b", ask).json()
                assert "error" in said, (what, said)
            assert b.request("orb.crawl.ask.a.b", b'{"do":"agent"}').json()["agent"] == "a"
            for junk in (b"", b"{", b"\xff" * 1000, b"[" * 5000):
                assert "error" in b.request("orb.crawl.ask.a.b", junk).json()


main()
