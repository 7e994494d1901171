# SPDX-License-Identifier: Apache-2.0
"""Directories that an earlier build left (tests/fixtures) open with this one: `report`, `url`, `seeds list` and
`repair --check` read them, and the crawl goes on to its end without asking again for what was done. They
are unpacked somewhere else than where they were made."""
import collections
import glob
import json
import os
import shutil
import subprocess
import tarfile

from kept_dirs import AGENTS, TIGHT, WEBS, KeptWeb, agent_options, crawl_command, log_urls
from nats_server import Post
from scenario import PROGRAM, ROOT, case, main, run

SECONDS = 300
GENERATIONS = sorted(os.listdir(os.path.join(ROOT, "tests", "fixtures")))
GENERATIONS.remove("make")


def kept(name: str) -> list:
    """The generations that have such a directory."""
    return [g for g in GENERATIONS if os.path.exists(os.path.join(ROOT, "tests", "fixtures", g, f"{name}.tar.xz"))]


def unpack(generation: str, name: str, tmp: str) -> str:
    with tarfile.open(os.path.join(ROOT, "tests", "fixtures", generation, f"{name}.tar.xz")) as tar:
        tar.extractall(tmp)
    return os.path.join(tmp, "crawl")


def files_of(folder: str) -> dict:
    """Every file with its bytes, but for what RocksDB logs of each look."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in (n for n in names if not n.startswith(("LOG", "LOCK"))):
            with open(os.path.join(root, name), "rb") as f:
                found[os.path.relpath(os.path.join(root, name), folder)] = f.read()
    return found


def asked(words) -> str:
    done = run(words)
    assert done.code == 0, done
    return done.out


def state_of(folder: str, url: str) -> str:
    return json.loads(asked(["url", "--json", folder, url]))["state"]


def looks_right(folder: str, web: KeptWeb, is_whole: bool = True) -> None:
    """What can be said of the directory before the crawl goes on: on a copy, since `url` recovers what it opens.
    is_whole=False: an agent's, of whose URLs others have some."""
    before, done = files_of(folder), set(log_urls(folder))
    asked(["repair", "--check", folder])
    assert files_of(folder) == before, "repair --check has changed something"
    copy = shutil.copytree(folder, folder + "-copy")
    reported(len(log_urls(folder, 200)), copy)
    assert web.home in asked(["seeds", "list", copy]), folder
    assert state_of(copy, sorted(done)[0]) == "fetched"
    for url in sorted(known_urls(folder) - done)[:3] if is_whole else ():
        assert state_of(copy, url) == "queued", url


def known_urls(folder: str) -> set:
    with open(os.path.join(folder, "links", "links.nodes"), encoding="utf-8") as f:
        return {line.split()[1] for line in f}


def captures(*folders) -> collections.Counter:
    """How often each page stands in the index."""
    found = collections.Counter()
    for folder in folders:
        with open(os.path.join(folder, "indexes", "parts", "index.cdxj"), encoding="utf-8") as f:
            found.update(json.loads(line.split(" ", 2)[2])["url"] for line in f)
    return collections.Counter({url: n for url, n in found.items() if not url.endswith("/robots.txt")})


def goes_on(web: KeptWeb, folder: str, *options) -> None:
    done = run(crawl_command(web, folder, *options), seconds=SECONDS)
    assert done.code == 0, done


def is_complete(web: KeptWeb, before: set, *folders) -> None:
    """What was not done was asked for, once; each page is archived once, and the archives are whole."""
    seen = collections.Counter(web.asked_urls())
    assert not before & set(seen), "asked for again: " + " ".join(sorted(before & set(seen))[:5])
    assert set(seen) == web.urls - before, "never asked for: " + " ".join(sorted(web.urls - before - set(seen))[:5])
    assert set(seen.values()) <= {1}, seen.most_common(3)
    assert captures(*folders) == collections.Counter(web.urls), captures(*folders)
    archives = [path for folder in folders for path in glob.glob(os.path.join(folder, "archive", "*"))]
    assert not asked(["try", "warc", "-q", *archives]).strip()
    reported(len(web.urls), *folders)


def reported(pages: int, *folders) -> None:
    report = json.loads(asked(["report", "--json", *folders, "-o", folders[0] + "-report"]))
    good = [row["urls"] for row in report["statuses"] if row["code"] == 200]
    assert good == [pages] and report["damagedPlaces"] == report["lostFiles"] == report["lostCaptures"] == 0, report


for _generation in kept("listed"):
    for _order in ([], ["--order", "breadth"], ["--order", "priority"]):
        @case(f"{_generation}: lists of --order priority go on {' '.join(_order) or 'as they were'}")
        def _(tmp, generation=_generation, order=_order):
            folder = unpack(generation, "listed", tmp)
            before = set(log_urls(folder))
            with KeptWeb(*WEBS["listed"]) as web:
                looks_right(folder, web)
                goes_on(web, folder, *TIGHT, *order, "-n", "0")
                is_complete(web, before, folder)


for _generation in kept("agents"):
    @case(f"{_generation}: a finished crawl opens, is reported, and has nothing left to ask")
    def _(tmp, generation=_generation):
        folder = unpack(generation, "finished", tmp)
        with KeptWeb(*WEBS["finished"]) as web:
            looks_right(folder, web)
            goes_on(web, folder)
            is_complete(web, web.urls, folder)

    @case(f"{_generation}: a killed crawl replays its journal and asks for the rest alone")
    def _(tmp, generation=_generation):
        folder = unpack(generation, "killed", tmp)
        before = set(log_urls(folder))
        with KeptWeb(*WEBS["killed"]) as web:
            looks_right(folder, web)
            assert 0 < len(before) < len(web.urls), len(before)
            goes_on(web, folder)
            is_complete(web, before, folder)

    @case(f"{_generation}: hosts in state/rest come back, with their queues")
    def _(tmp, generation=_generation):
        folder = unpack(generation, "resting", tmp)
        before = set(log_urls(folder))
        assert len(os.listdir(os.path.join(folder, "state", "rest"))) > 3
        with KeptWeb(*WEBS["resting"]) as web:
            looks_right(folder, web)
            goes_on(web, folder, *TIGHT, "-n", "0")
            is_complete(web, before, folder)

    @case(f"{_generation}: a recrawl compares with what an earlier recrawl kept")
    def _(tmp, generation=_generation):
        folder = unpack(generation, "recrawled", tmp)
        with KeptWeb(*WEBS["recrawled"]) as web:
            looks_right(folder, web)
            was = json.loads(asked(["url", "--json", folder, web.home + "p1"]))["last"]
            assert was["what_changed"] == "text", was
            web.version = 3
            goes_on(web, folder, "--recrawl")
            assert sorted(web.asked_urls()) == sorted(web.urls), web.asked_urls()
            assert all(headers.get("If-None-Match") for _, headers in web.asked), "a page was asked for without its ETag"
            notes = {url: state(folder, url) for url in web.urls}
            changed = {url for url, what in notes.items() if what == "text"}
            assert changed == {url for url in web.urls if url.endswith("/p1")}, notes

    @case(f"{_generation}: two agents go on with their directories, though their servers have lost everything")
    def _(tmp, generation=_generation):
        unpack(generation, "agents", tmp)
        folders = [os.path.join(tmp, name) for name in AGENTS]
        before = {url for folder in folders for url in log_urls(folder)}
        with KeptWeb(*WEBS["agents"]) as web, Post(tmp, agents=",".join(AGENTS)) as post:
            for folder in folders:
                looks_right(folder, web, is_whole=False)
            run_agents(web, post, folders)
            is_complete(web, before, *folders)


def state(folder: str, url: str) -> str:
    """What the last recrawl found changed of a page."""
    with open(os.path.join(folder, "logs", "crawl.log"), encoding="utf-8") as f:
        last = [line.split(None, 11)[11].split(",") for line in f if line.split(None, 4)[3] == url][-1]
    return next((note.strip()[len("changed:"):] for note in last if note.startswith("changed:")), "")


def run_agents(web: KeptWeb, post: Post, folders: list) -> None:
    """Both to their end."""
    running = []
    try:
        for folder, name in zip(folders, AGENTS):
            with open(folder + ".err", "wb") as err:
                running.append(subprocess.Popen([PROGRAM, *crawl_command(web, folder, *agent_options(post, name))],
                                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err))
        for process, folder in zip(running, folders):
            code = process.wait(SECONDS)
            with open(folder + ".err", encoding="utf-8", errors="replace") as f:
                assert code == 0, (folder, code, f.read()[-3000:])
    finally:
        for process in running:
            process.kill()
            process.wait()


main(threads=2)
