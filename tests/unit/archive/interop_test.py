# SPDX-License-Identifier: Apache-2.0
"""An archive as a crawl leaves it, read by our own program and by node's warcio.

argv: the program, the maker of the sample archive."""
import base64
import glob
import gzip
import json
import os
import subprocess
import sys
import zipfile

from scenario import ROOT, case, main, run, skip

SAMPLE = os.path.abspath(sys.argv[2])
GROUPS = ["response", "revisit", "response", "response", "response", "response"]
TYPES = ["warcinfo"] + [t for g in GROUPS for t in (g, "request", "metadata")]


def sample(tmp):
    made = subprocess.run([SAMPLE, str(tmp)], capture_output=True, text=True, check=True, timeout=60)
    (path,) = glob.glob(os.path.join(str(tmp), "archive", "*"))
    assert path.endswith("-00000-host.warc.gz"), path
    return path, [line.split(" ", 2) for line in made.stdout.splitlines()]


@case("our own reader finds no fault and not a note")
def _(tmp):
    path = sample(tmp)[0]
    done = run(["try", "warc", "--json", "--notes", path])
    assert done.code == 0, done
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [r["type"] for r in rows if "type" in r] == TYPES
    assert rows[-1]["errors"] == 0 and rows[-1]["notes"] == 0, rows[-1]


@case("every line of the index cuts out one record, of that URL")
def _(tmp):
    path, index = sample(tmp)
    data = open(path, "rb").read()
    assert [key for key, _, _ in index] == \
        ["com,example)/a", "com,example)/b?x=2&y=1", "org,example)/c", "org,example)/cut",
         "org,example)/encoded", "org,example)/picture"]
    for (_, _, fields), kind in zip(index, GROUPS):
        entry = json.loads(fields)
        assert entry["filename"] == os.path.basename(path)
        at, length = int(entry["offset"]), int(entry["length"])
        record = gzip.decompress(data[at:at + length]).decode("utf-8", "replace")
        assert f"\r\nWARC-Type: {kind}\r\n" in record and f"\r\nWARC-Target-URI: {entry['url']}\r\n" in record
        assert f"sha1:{entry['digest']}\r\n" in record
        assert (entry["mime"] == "warc/revisit") == (kind == "revisit")


@case("bodies that are packed already stand in their member as they came, and gzip and zcat read it")
def _(tmp):
    path, index = sample(tmp)
    data = open(path, "rb").read()
    for _, _, fields in index[-2:]:
        entry = json.loads(fields)
        member = data[int(entry["offset"]):int(entry["offset"]) + int(entry["length"])]
        record = gzip.decompress(member)
        body = record.split(b"\r\n\r\n", 2)[2][:-4]
        assert len(body) > 5000 and body[:60000] in member, entry
        assert len(member) < len(body) + 700, (len(member), len(body))
        assert b"WARC-Record-ID" not in member, "the header is packed"
    plain = gzip.decompress(data)
    for tool in (["gzip", "-dc"], ["zcat"]):
        assert subprocess.run([*tool, path], capture_output=True, timeout=60, check=True).stdout == plain


@case("node's warcio reads the same records and the same payload digests")
def _(tmp):
    got = subprocess.run([os.path.join(ROOT, "tools", "get-warcio")], capture_output=True, text=True,
                         timeout=200, check=False)
    if got.returncode:
        skip("node's warcio (" + got.stderr.strip() + ")")
    script = os.path.join(ROOT, "tests", "unit", "warc", "warcio.mjs")
    seen = subprocess.run(["node", script, got.stdout.strip(), sample(tmp)[0]], capture_output=True,
                          text=True, timeout=60, check=False)
    assert seen.returncode == 0, seen.stderr
    rows = [json.loads(line) for line in seen.stdout.splitlines()]
    assert [r["type"] for r in rows] == TYPES
    encoded = next(r for r in rows if r["type"] == "response" and r["url"].endswith("/encoded"))
    rows.remove(encoded)  # it undoes the coding before it hands out a payload
    assert encoded["payload_bytes"] > 60000 and encoded["length"] < 15000, encoded
    for row in rows:
        if row["type"] == "response":
            assert row["digest"] == "sha1:" + base64.b32encode(base64.b64decode(row["sha1"])).decode(), row


@case("js-wacz makes the same index of it, line by line, as export wacz does")
def _(tmp):
    got = subprocess.run([os.path.join(ROOT, "tools", "get-js-wacz")], capture_output=True, text=True,
                         timeout=300, check=False)
    if got.returncode:
        skip("js-wacz (" + got.stderr.strip() + ")")
    folder, theirs, ours = (os.path.join(str(tmp), name) for name in ("crawl", "theirs.wacz", "ours.wacz"))
    path, index = sample(folder)
    os.makedirs(os.path.join(folder, "indexes", "parts"))
    with open(os.path.join(folder, "indexes", "parts", "index.cdxj"), "w", encoding="utf-8") as f:
        f.writelines(" ".join(fields) + "\n" for fields in reversed(index))
    cli = os.path.join(got.stdout.strip(), "node_modules/@harvard-lil/js-wacz/bin/cli.js")
    made = subprocess.run(["node", cli, "create", "-f", path, "-o", theirs], capture_output=True, text=True,
                          timeout=120, check=False)
    assert made.returncode == 0, made
    done = run(["export", "wacz", folder, "-o", ours])
    assert done.code == 0, done
    with zipfile.ZipFile(theirs) as x, zipfile.ZipFile(ours) as y:
        assert gzip.decompress(y.read("indexes/index.cdx.gz")) == x.read("indexes/index.cdx")


main()
