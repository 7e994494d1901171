# SPDX-License-Identifier: Apache-2.0
"""report and exports of the whole crawl from the directory of any agent that runs, and from the
operator's folder: what others have comes over the bus. Real agents and a real
nats-server, all on loopback.

argv: simweb, orbweaver."""
import glob
import json
import os
import re
import signal

import scenario
from agents import TIMINGS, agents_of, stop_all
from crawl import ORBWEAVER
from nats_server import Post
from scenario import case, main, run, until
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER  # what Post runs
WEB = ["--hosts", "40", "--pages", "40", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k"]
PIECE = 256 << 10


def orb(*words, code=0):
    done = run(list(words), seconds=120)
    assert done.code == code, (words, done)
    return done


class Paused:
    """Three agents that have stopped asking, one of them with more than a piece of links; nothing moves."""

    def __init__(self, tmp, heavy=True):
        self.web, self.post, self.agents = Simweb(*WEB), None, []
        self.web.__enter__()
        try:
            self.post = Post(tmp, agents="a,b,c", timings=TIMINGS)
            self.agents = agents_of(self.web, self.post, tmp, "abc", "-w", "20ms")
            for a, weight in zip(self.agents, (32, 128, 32)):
                a.command += ["--agent-weight", str(weight)] if heavy else []
                a.start()
            until(lambda: all(any(e["epoch"] == 3 for e in a.events("cluster.settled")) for a in self.agents),
                  "all are in", 60)
            until(lambda: all(len(a.log()) > 5 for a in self.agents) and (
                not heavy or self.bytes_of(self.agents[1]) > PIECE + 1000), "there is enough", 120)
            orb("pause", self.post.dir)
            until(self.is_still, "nothing moves", 60)
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

    @staticmethod
    def bytes_of(agent):
        path = os.path.join(agent.folder, "links", "links.arcs")
        return os.path.getsize(path) if os.path.exists(path) else 0

    def is_still(self):
        rows = json.loads(orb("cluster", "status", self.post.dir, "--json").out)["agents"]
        return all("answer" in r and r["answer"]["crawl_state"] == "paused" and not r["answer"]["open"]
                   and not r["answer"]["parcels"] and not r["answer"]["pages_unsent"] for r in rows)

    def dirs(self):
        return [a.folder for a in self.agents]

    def leaves_nothing(self):
        left = [p for d in [self.post.dir, *self.dirs()] for p in glob.glob(os.path.join(d, "whole.*"))]
        assert not left, left


def graph_of(folder):
    def lines(name):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            return f.read().splitlines()
    nodes = dict(line.split(" ", 1) for line in lines("links.nodes"))
    return set(nodes.values()), {(nodes[x], nodes[y]) for x, y in (line.split() for line in lines("links.arcs"))}


def by_pages(report):
    """Of URLs that equally many pages link to any may be among the first; archives are read where they are."""
    top = sorted(p["pages"] for p in report["links"]["mostLinked"])
    here = ("archiveFiles", "archiveRecords", "damagedPlaces", "lostFiles")
    rest = {key: value for key, value in report.items() if key not in here}
    return {**rest, "links": {**report["links"], "mostLinked": top}}


def captures(text):
    rows = [json.loads(line.split(" ", 2)[2]) for line in text.splitlines()]
    return sorted((r["url"], r["offset"], os.path.basename(r["filename"])) for r in rows), rows


@case("from any agent, and the operator's folder, the same as from all directories")
def _(tmp):
    with Paused(tmp) as c:
        report = json.loads(orb("report", *c.dirs(), "--json").out)
        index = captures(orb("export", "cdxj", *c.dirs()).out)[0]
        pages = sorted(orb("export", "pages", *c.dirs(), "--json").out.splitlines())
        sitemap = orb("export", "sitemap", *c.dirs()).out
        orb("export", "links", *c.dirs(), "-o", os.path.join(tmp, "g"))
        graph = graph_of(os.path.join(tmp, "g"))
        some = sorted(graph[1])[len(graph[1]) // 2][1]
        to = {p["url"] for p in json.loads(orb("export", "links", *c.dirs(), "--to", some, "--json").out)["pages"]}
        assert report["answers"] == sum(len([r for r in a.log() if r.code > 0]) for a in c.agents)
        for where in (c.post.dir, c.agents[0].folder):
            got = json.loads(orb("report", where, "--json").out)
            assert by_pages(got) == by_pages(report), (got, report)
            assert os.path.exists(os.path.join(where, "reports", "hosts-report.txt"))
            names, rows = captures(orb("export", "cdxj", where).out)
            assert names == index
            assert {r["filename"].split("archive/")[0] for r in rows} == {
                f"{a.name}:" if a.folder != where else where + "/" for a in c.agents}
            assert sorted(orb("export", "pages", where, "--json").out.splitlines()) == pages
            assert orb("export", "sitemap", where).out == sitemap
            orb("export", "links", where)
            assert graph_of(os.path.join(where, "links/graph")) == graph
            assert {p["url"] for p in json.loads(
                orb("export", "links", where, "--to", some, "--json").out)["pages"]} == to
        c.leaves_nothing()
        # One alone.
        alone = json.loads(orb("report", c.agents[2].folder, "--here", "--json").out)
        assert alone["answers"] < report["answers"]
        # Archives do not come over the bus.
        said = orb("export", "wacz", c.agents[0].folder, code=5).err
        assert "b, c" in said and "sink" in said and not glob.glob(os.path.join(tmp, "**", "*.wacz"), recursive=True)
        orb("export", "wacz", c.agents[0].folder, "--here", "-o", os.path.join(tmp, "here.wacz"))
        orb("export", "wacz", *c.dirs(), "-o", os.path.join(tmp, "all.wacz"))


@case("who does not answer is named, and the result is said to be a part")
def _(tmp):
    with Paused(tmp, heavy=False) as c:
        c.agents[1].end(signal.SIGKILL)
        for where in (c.agents[0].folder, c.post.dir):
            done = orb("report", where, "--json", code=5)
            assert re.search(r"agents b did not answer", done.err), done.err
            assert json.loads(done.out)["answers"] == sum(
                len([r for r in a.log() if r.code > 0]) for a in (c.agents[0], c.agents[2]))
            assert orb("export", "pages", where, code=5).out
        c.leaves_nothing()
        until(lambda: "dead" in orb("cluster", "status", c.agents[0].folder).out or "b" in json.loads(
            orb("cluster", "status", c.agents[0].folder, "--json").out)["agents"][0]["answer"]["away"], "dead", 60)
        assert "agents b " in orb("export", "cdxj", c.agents[0].folder, code=5).err


@case("pieces: of the files of lines alone, whole and with their checksum; nobody is asked for another")
def _(tmp):
    with Paused(tmp, heavy=False) as c, c.post.client("b") as b:
        def ask(**words):
            return b.request("orb.crawl.ask.a.b", json.dumps({"do": "piece", **words}).encode()).json()
        import base64
        path = os.path.join(c.agents[0].folder, "logs", "crawl.log")
        with open(path, "rb") as f:
            whole = f.read()
        got = ask(file="logs/crawl.log", **{"from": 0})
        assert base64.b64decode(got["data"]) == whole[:PIECE] and got["size"] == len(whole)
        assert base64.b64decode(ask(file="logs/crawl.log", **{"from": 100})["data"]) == whole[100:]
        assert ask(file="logs/crawl.log", **{"from": 1 << 60})["data"] == ""
        for bad in ("state/MANIFEST", "../b.login", "/etc/passwd", "logs/../state/LOCK", "", "archive"):
            assert ask(file=bad, **{"from": 0})["error"]["code"] == "not-found", bad
        for wrong in ({"file": "logs/crawl.log"}, {"file": "logs/crawl.log", "from": -1}, {"from": 0},
                      {"file": 7, "from": 0}, {"file": "logs/crawl.log", "from": "0"}):
            assert "error" in ask(**wrong), wrong
        # It answers for itself, whoever is named.
        assert base64.b64decode(ask(file="state/agent", agent="c", **{"from": 0})["data"]) == b"a 1\n"


main()
