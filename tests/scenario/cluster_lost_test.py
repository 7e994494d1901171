# SPDX-License-Identifier: Apache-2.0
"""A disk is lost in mid-crawl: the captures that are gone with it are named, exactly those, and are
asked for again if one wants that. Real agents and a real
nats-server, all on loopback.

argv: simweb, orbweaver."""
import json
import os
import shutil
import signal

import scenario
from agents import SLOW, agents_of, join, lost_captures, stop_all
from crawl import ORBWEAVER, few, is_robots, read_archive, wanted, witnessed
from nats_server import Post
from scenario import case, main, run, until
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER  # what Post runs
WEB = ["--hosts", "10", "--pages", "16", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k", *SLOW]
TIMINGS = ["--heartbeat", "100ms", "--renew", "300ms", "--suspect", "1s", "--fence", "4s", "--abort", "5s",
           "--dead", "6s"]


def archived(agent):
    return {r.url for path in agent.archives() for r in read_archive(path, is_whole=False)
            if r.kind in ("response", "revisit") and not is_robots(r.url)}


def told(*words, code=0):
    """What a command prints. An agent on a busy machine may not answer in time: then it is asked again, as it says."""
    for _ in range(10):
        done = run(list(words), seconds=60)
        if "does not answer: try again" not in done.err:
            break
    assert done.code == code, done
    return done.out


def wipe(agent):
    """Its process and its directory go; what was in there."""
    agent.end(signal.SIGKILL)
    gone = archived(agent)
    shutil.rmtree(agent.folder)
    return gone


class Three:
    """Three agents of which the second loses its disk when a share of the pages is there."""

    def __init__(self, tmp, *options):
        self.web, self.post, self.agents = Simweb(*WEB), None, []
        self.web.__enter__()
        try:
            self.must = wanted(self.web.oracle(self.web.run["home"], "any"))
            self.post = Post(tmp, agents="a,b,c", timings=TIMINGS)
            self.agents = agents_of(self.web, self.post, tmp, "abc", "-w", "100ms", *options)
            join(self.post, self.agents)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop_all(self.agents)
        if self.post:
            self.post.close()
        self.web.__exit__(None, None, None)

    def wipe_second(self):
        until(lambda: len(self.agents[1].log()) > 25, "it has something to lose", 60)
        return wipe(self.agents[1])

    def wait(self):
        for a in self.agents:
            a.wait()

    def missing(self):
        """Fetched, and in no archive that still is."""
        kept = set().union(*(archived(a) for a in self.agents))
        fetched = set(witnessed(self.web))
        assert not self.must - fetched, "never asked for " + few(self.must - fetched)
        return self.must - kept


@case("captures lost with a wiped disk are named, exactly those, and by url (D1)")
def _(tmp):
    with Three(tmp) as t:
        gone = t.wipe_second()
        t.agents[1].start()
        # While it runs: whoever owns the hosts now knows what is lost of them.
        until(lambda: sum(r.get("answer", {}).get("lost_captures", 0) for r in json.loads(
            told("cluster", "status", t.post.dir, "--json"))["agents"] if "answer" in r) > 0, "counted", 60)
        assert "captures were lost" in told("cluster", "status", t.post.dir)
        one = None
        def says_lost():
            nonlocal one
            for url in sorted(gone):
                said = json.loads(told("url", t.agents[0].folder, url, "--json"))
                if any(e["lost"] for e in said.get("elsewhere", [])):
                    one = url
                    return True
            return False
        until(says_lost, "url says so", 60)
        assert "lost with the disk of agent b" in told("url", t.agents[2].folder, one)
        t.wait()
        missing = t.missing()
        assert missing and not missing - gone, (few(missing), few(missing - gone))
        named = lost_captures(t.agents)
        assert named & t.must == missing, ("named only " + few(named - missing), "not named " + few(missing - named))
        # Of the others alone it is with an agent that was not looked at,
        assert not lost_captures([t.agents[0], t.agents[2]])
        # unless the operator says that it will not come back.
        gone_for_good = lost_captures([t.agents[0], t.agents[2]], "--gone", "b")
        assert gone_for_good and not gone_for_good - missing - archived(t.agents[1])
        # Later, too: the same command with --refetch-lost brings it back.
        for a in t.agents:
            a.command.append("--refetch-lost")
            a.start()
        t.wait()
        assert not t.missing() and not lost_captures(t.agents), few(t.missing())


@case("with refetch-lost, set while it runs, nothing is lost at the end and nothing else is asked for again")
def _(tmp):
    with Three(tmp) as t:
        gone = t.wipe_second()
        told("set", t.post.dir, "refetch-lost=yes")
        t.agents[1].start()
        t.wait()
        assert not t.missing(), few(t.missing())
        assert not lost_captures(t.agents)
        again = {u for u, n in witnessed(t.web).items() if n > 1}
        asked = sum(e["asked_again"] for a in t.agents for e in a.events("cluster.captures_lost"))
        assert asked, "nothing was lost: the test is void"
        open_then = again - gone
        assert len(open_then) <= 10, "again, and never lost: " + few(open_then)


@case("an archive file that is missing from an agent's directory is noticed; with refetch-lost the agent asks again")
def _(tmp):
    with Three(tmp, "--set", "ledger.warc-size=60000") as t:
        t.wait()
        a = t.agents[0]
        before, gone = archived(a), a.archives()[0]
        os.unlink(gone)
        lost = before - archived(a)
        assert lost
        refused = run(a.command[1:], seconds=60)
        assert refused.code == 3 and os.path.basename(gone) in refused.err, refused
        for agent in t.agents:
            agent.command.append("--refetch-lost")
            agent.start()
        t.wait()
        assert not t.missing(), few(t.missing())
        bodies = {r.url for agent in t.agents for path in agent.archives() for r in read_archive(path)
                  if r.kind == "response"}
        assert lost <= bodies, few(lost - bodies)


@case("a directory that is put aside keeps its captures: nothing is lost")
def _(tmp):
    with Three(tmp) as t:
        b = t.agents[1]
        until(lambda: len(b.log()) > 15, "it has something", 60)
        b.process.send_signal(signal.SIGSTOP)
        until(lambda: all(any(e["epoch"] >= 4 for e in a.events("cluster.epoch")) for a in (t.agents[0], t.agents[2])),
              "it is taken for dead", 60)
        b.process.send_signal(signal.SIGCONT)
        t.wait()
        assert b.events("cluster.epoch")[-1]["inc"] == 2, b.events("cluster.epoch")[-1]
        assert not t.missing() and not lost_captures(t.agents)
        with open(os.path.join(b.folder, "state", "agent"), encoding="utf-8") as f:
            assert f.read() == "b 1\n"


main()
