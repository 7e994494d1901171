# SPDX-License-Identifier: Apache-2.0
"""A recrawl of the simulated web, whose clock was moved: what changed there is seen here, and nothing
else. argv: simweb, orbweaver."""
import collections
import glob
import json
import os
import subprocess
import sys
import urllib.parse

from scenario import ROOT, case, main, run, skip
from simweb import Simweb

ORBWEAVER = os.path.abspath(sys.argv[2])
NETWORKS = "127.0.64.0/18,127.1.0.0/16"


def crawl(web, folder: str, *options) -> dict:
    """{url: (status, annotations)} of this run; the last words under ""."""
    path = os.path.join(folder, "logs", "crawl.log")
    before = os.path.getsize(path) if os.path.exists(path) else 0
    done = run(["crawl", "-o", folder, "-w", "0", "--ip-delay", "0", "--ip-conns", "100", "-j", "--scope", "any",
                "--resolver", web.dns, f"--allow-private={NETWORKS}", "--set", "ledger.disk-reserve=0",
                "--set", "pace.delay-most=0", *options, web.run["home"]], program=ORBWEAVER, seconds=240)
    assert done.code == 0, done.err[-2000:]
    with open(path, encoding="utf-8") as f:
        f.seek(before)
        rows = [line.split(None, 11) for line in f.read().splitlines()]
    seen = {r[3]: (int(r[1]), r[11].split(",")) for r in rows if not r[3].endswith("/robots.txt")}
    return {**seen, "": json.loads(done.err.splitlines()[-1])}


def version(web, url: str) -> tuple:
    """What the world says its content depends on."""
    page = json.loads(web.ask("/_sim/page?url=" + urllib.parse.quote(url, safe="")))
    v = page.get("version", {})
    return (v.get("image"),) if page["kind"] == "image" else (v.get("structure"), v.get("text"))


def by_warcio(folder: str) -> list:
    got = subprocess.run([os.path.join(ROOT, "tools", "get-warcio")], capture_output=True, text=True,
                         timeout=200, check=False)
    if got.returncode:
        skip("node's warcio (" + got.stderr.strip() + ")")
    script, rows = os.path.join(ROOT, "tests", "unit", "warc", "warcio.mjs"), []
    for path in sorted(glob.glob(os.path.join(folder, "archive", "*"))):
        seen = subprocess.run(["node", script, got.stdout.strip(), path], capture_output=True, text=True,
                              timeout=240, check=False)
        assert seen.returncode == 0, seen.stderr[-2000:]
        rows += [json.loads(line) for line in seen.stdout.splitlines()]
    return rows


def kinds_agree(web, truth: dict, second: dict) -> None:
    """P9: what the world changed of a page, its structure or its text, is what the log says."""
    seen = collections.Counter()
    for url, (_, notes) in second.items():
        was, is_now = truth.get(url, ()), version(web, url) if url in truth else ()
        if "changed" not in notes or len(was) != 2:
            continue
        kinds = tuple(kind for kind, a, b in zip(("structure", "text"), was, is_now) if a != b)
        said = tuple(n.split(":")[1] for n in notes if n.startswith("changed:"))
        if said:
            assert set(kinds) <= set(said), (url, was, is_now, notes)
            seen[kinds] += 1
    assert seen[("structure",)] + seen[("structure", "text")] and seen[("text",)], seen
    print(f"# changes by the truth, all named: {dict(seen)}")


@case("what changed by the truth is seen as changed, and little else is transferred")
def _(tmp):
    folder = os.path.join(tmp, "crawl")
    options = ("--hosts", "6", "--pages", "40", "--clock-speed", "0", "--changing", "0.3", "--change-every", "7d",
               "--clock-start", "1780000000000", "--crawl-delays", "0", "--keep-urls")
    with Simweb(*options) as web:
        first = crawl(web, folder, "--compare")
        first_numbers = first.pop("")
        truth = {url: version(web, url) for url, (code, _) in first.items() if code == 200}
        assert len(truth) > 200, len(truth)
        web.ask("/_sim/clock?advance=604800", "POST")
        changed = {url for url, was in truth.items() if version(web, url) != was}
        assert 10 < len(changed) < len(truth) / 2, (len(changed), len(truth))

        second = crawl(web, folder, "--recrawl")
        numbers = second.pop("")
        assert not set(first) - set(second), sorted(set(first) - set(second))[:5]
        seen = {url for url, (_, notes) in second.items() if "changed" in notes}
        same = {url for url, (_, notes) in second.items() if "unchanged" in notes}
        assert not changed - seen, sorted(changed - seen)[:5]
        assert not (seen & set(truth)) - changed, sorted((seen & set(truth)) - changed)[:5]
        assert set(truth) - changed <= same, sorted(set(truth) - changed - same)[:5]
        assert numbers["changed"] == len(seen) and numbers["unchanged"] == len(same), numbers
        kinds_agree(web, truth, second)
        assert numbers["bytes"] < 0.5 * first_numbers["bytes"], (numbers["bytes"], first_numbers["bytes"])
        print(f"# {len(truth)} URLs, {len(changed)} changed; bytes {first_numbers['bytes']} and {numbers['bytes']}")

        done = run(["try", "warc", "-q", *glob.glob(os.path.join(folder, "archive", "*"))], program=ORBWEAVER)
        assert done.code == 0 and not done.out.strip(), done.out[-2000:]
        rows = [r for r in by_warcio(folder) if r["type"] in ("response", "revisit")]
        kinds = collections.defaultdict(list)
        for r in rows:
            kinds[r["url"]].append((r["type"], r["digest"]))
        for url in same & set(truth):
            captures = kinds[url]
            assert len(captures) == 2 and captures[1][0] == "revisit", (url, captures)
            assert captures[0][1] == captures[1][1], (url, captures)
        for url in changed:
            captures = kinds[url]
            assert len(captures) == 2 and captures[0][1] != captures[1][1], (url, captures)


main()
