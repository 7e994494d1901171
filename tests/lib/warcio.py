# SPDX-License-Identifier: Apache-2.0
"""warcio: index keys as warcio.js computes them, which replayweb.page, cdxj-indexer and js-wacz use."""
import json
import os
import subprocess

from scenario import ROOT, skip


def folder() -> str:
    """Where node's warcio is, or the case is skipped."""
    got = subprocess.run([os.path.join(ROOT, "tools", "get-warcio")], capture_output=True, text=True,
                         timeout=200, check=False)
    if got.returncode:
        skip("node's warcio (" + got.stderr.strip() + ")")
    return got.stdout.strip()


def keys(urls: list) -> list:
    """The key of each URL."""
    script = os.path.join(ROOT, "tests", "lib", "surt.mjs")
    done = subprocess.run(["node", script, folder()], input=json.dumps(urls), capture_output=True, text=True,
                          timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def same_keys(lines: list) -> int:
    """Each line of an index has the key that warcio.js computes of its URL; how many lines."""
    rows = [(line.split(" ", 1)[0], json.loads(line.split(" ", 2)[2])["url"]) for line in lines]
    wrong = [(url, ours, theirs) for (ours, url), theirs in zip(rows, keys([url for _, url in rows])) if ours != theirs]
    assert not wrong, f"{len(wrong)} keys differ: {wrong[:5]}"
    return len(rows)
