# SPDX-License-Identifier: Apache-2.0
"""simweb as a person meets it: help, errors, the commands beside serve."""
import json
import os
import re
import stat
import subprocess

from scenario import case, main, run, ROOT
from simweb import Simweb

HOME = "http://www.map0.test:8080/"


@case("--help is one screen and names every command")
def _(tmp):
    done = run(["--help"])
    lines = done.out.splitlines()
    assert done.code == 0 and len(lines) <= 40 and max(map(len, lines)) <= 100, done.out
    for command in ("serve", "oracle", "report", "page", "faults", "clock"):
        assert re.search(rf"^  {command}\b", done.out, re.M), command
        about = run([command, "--help"])
        assert about.code == 0 and about.out.startswith(f"usage: simweb {command}"), about


@case("what is misspelt is refused with what was probably meant, and nothing is served")
def _(tmp):
    rows = ((["oracel"], "oracle"), (["--hots", "5"], "--hosts"), (["--fault", "f99"], "f99"),
            (["--cross", "2"], "cross"), (["serve", "now"], "now"), (["oracle"], "seed"),
            (["oracle", "--seed-url", "http://nowhere.test/"], "nowhere"), (["page"], "URL"),
            (["faults", "F99"], "F99"), (["--sprinkle", "f35"], "f35"))
    for words, said in rows:
        done = run(words, cwd=tmp)
        assert done.code == 2 and said in done.err and not done.out, (words, done)
    assert os.listdir(tmp) == []


@case("a report without a running web says how to start one")
def _(tmp):
    done = run(["report"], cwd=tmp)
    assert done.code == 1 and "simweb serve" in done.err, done


@case("page prints what would be served, and its true links")
def _(tmp):
    page = run(["page", HOME])
    links = run(["page", "--show-links", HOME])
    assert page.code == 0 and page.out.lower().startswith("<!doctype html>")
    kinds = {line.split("\t")[0] for line in links.out.splitlines()}
    assert {"a", "style", "script", "icon"} <= kinds, kinds
    assert run(["page", HOME + "no/such/place"]).code == 1


@case("the oracle of a running web speaks of its ports, and flags change what it is asked")
def _(tmp):
    with Simweb("--hosts", "3", "--pages", "4") as web:
        rows = web.oracle(web.run["home"], "any")
        assert all(f":{web.http_port}/" in url for url in rows), rows
        assert {"must", "known"} >= {kind for kind, _ in rows.values()}
        fewer = web.oracle(web.run["home"], "any", "--pages-only")
        assert 0 < len(fewer) < len(rows)
        seed_only = web.oracle(web.run["home"], "any", "--depth", "0", "--pages-only", "--no-sitemaps")
        for depth in ("0.5", "-2", "1e30"):
            odd = run(["oracle", "--dir", web.folder, "--seed-url", web.run["home"], "--depth", depth])
            assert odd.code == 2 and "whole number" in odd.err, odd.err
        assert [u for u, (kind, _) in seed_only.items() if kind == "must" and not u.endswith("robots.txt")] \
            == [web.run["home"]]


@case("report and clock reach the running web through its folder")
def _(tmp):
    with Simweb("--hosts", "3", "--pages", "4") as web:
        web.get(web.run["home"])
        text = run(["report", "--dir", web.folder])
        assert text.code == 0 and "1 requests" in text.out, text
        assert json.loads(run(["report", "--json", "--reset", "--dir", web.folder]).out)["requests"] == 1
        assert web.report()["requests"] == 0
        before = json.loads(run(["clock", "--dir", web.folder]).out)["wall_ms"]
        after = json.loads(run(["clock", "--advance", "7d", "--dir", web.folder]).out)["wall_ms"]
        assert after - before >= 7 * 86400 * 1000
        mode = stat.S_IMODE(os.stat(os.path.join(web.folder, "run.json")).st_mode)
        assert mode == 0o600, oct(mode)


@case("faults shows one with its cases and how it is judged")
def _(tmp):
    done = run(["faults", "f35"])
    assert done.code == 0 and "does:" in done.out and "judged by:" in done.out and "gap" in done.out
    assert len(run(["faults"]).out.splitlines()) == 93


@case("docs/faults.md is what the program says")
def _(tmp):
    with open(os.path.join(ROOT, "docs", "faults.md"), encoding="utf-8") as f:
        written = f.read()
    table = run(["faults", "--markdown"]).out
    assert table in written, "run: simweb faults --markdown"
    assert len(re.findall(r"^\| F\d\d \|", written, re.M)) == 93


@case("a full disk behind standard output is an error")
def _(tmp):
    with open("/dev/full", "w", encoding="utf-8") as full:
        from scenario import PROGRAM
        done = subprocess.run([PROGRAM, "faults"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"standard output" in done.stderr


main()
