# SPDX-License-Identifier: Apache-2.0
"""What we write, read by programs that are not ours; and `try warc` on good and bad archives.

argv: the program, the maker of the sample archive."""
import base64
import gzip
import json
import os
import re
import subprocess
import sys

from scenario import ROOT, case, main, run, skip, write

SAMPLE = os.path.abspath(sys.argv[2])
TYPES = "warcinfo request response metadata revisit resource conversion continuation".split()


def sample(tmp, coding):
    data = subprocess.run([SAMPLE, coding], capture_output=True, check=True, timeout=60).stdout
    return write(tmp, "s.warc" + ("" if coding == "plain" else ".gz"), data), data


def ours(path, *flags):
    done = run(["try", "warc", "--json", *flags, path])
    return done, [json.loads(line) for line in done.out.splitlines()]


@case("gzip itself accepts our members and gives back the plain archive")
def _(tmp):
    plain = sample(tmp, "plain")[1]
    for coding in ("fast", "compact"):
        path, data = sample(tmp, coding)
        tested = subprocess.run(["gzip", "-t", path], capture_output=True, timeout=60, check=False)
        assert tested.returncode == 0, tested.stderr
        unpacked = subprocess.run(["gzip", "-dc", path], capture_output=True, timeout=60, check=True).stdout
        assert unpacked == plain and gzip.decompress(data) == plain


@case("node's warcio reads the same records at the same offsets, and the same payload digests")
def _(tmp):
    got = subprocess.run([os.path.join(ROOT, "tools", "get-warcio")], capture_output=True, text=True,
                         timeout=200, check=False)
    if got.returncode:
        skip("node's warcio (" + got.stderr.strip() + ")")
    script = os.path.join(ROOT, "tests", "unit", "warc", "warcio.mjs")
    for coding in ("fast", "compact", "plain"):
        path = sample(tmp, coding)[0]
        # A torn archive makes it wait for ever, hence the limit; a small heap is enough.
        seen = subprocess.run(["node", script, got.stdout.strip(), path], capture_output=True, text=True,
                              timeout=60, check=False)
        assert seen.returncode == 0, seen.stderr
        theirs = [json.loads(line) for line in seen.stdout.splitlines()]
        mine = [r for r in ours(path)[1] if "type" in r]
        assert [r["type"] for r in theirs] == TYPES == [r["type"] for r in mine]
        for a, b in zip(theirs, mine):
            assert (a["offset"], a["url"], a["payload_bytes"]) == \
                (b["offset"], b["url"], b["payload_bytes"]), (a, b)
            if coding != "plain":
                assert a["length"] == b["length"], (a, b)
            if a["type"] == "response":
                assert a["digest"] == "sha1:" + base64.b32encode(base64.b64decode(a["sha1"])).decode()


@case("try warc prints a line a record and a summary")
def _(tmp):
    path, data = sample(tmp, "fast")
    done = run(["try", "warc", path])
    assert done.code == 0 and not done.err, done
    lines = done.out.splitlines()
    assert [l.split()[2] for l in lines[:-1]] == TYPES
    assert all(len(l.split()) == 6 for l in lines[:-1])
    assert lines[2].split()[3:] == ["200", "text/html", "http://example.com/a"]
    assert lines[4].split()[4] == "warc/revisit"
    last = lines[-2].split()
    assert int(last[0]) + int(last[1]) == len(data)
    assert re.search(r": 8 records, .* 0 errors", lines[-1]), lines[-1]
    assert run(["try", "warc", "--quiet", path]).out == ""


@case("try warc reads standard input and several files, and says which one is wrong")
def _(tmp):
    good, data = sample(tmp, "plain")
    piped = run(["try", "warc", "-"], stdin=data.decode("utf-8", "surrogateescape"))
    assert piped.code == 0 and "8 records" in piped.out, piped
    bad = write(tmp, "bad.warc", data[:-1])
    done = run(["try", "warc", "-q", good, bad, good])
    assert done.code == 1 and "bad.warc: error at offset " + str(len(data) - 1) in done.err, done
    assert done.err.count("\n") == 1


@case("try warc names the offset of a changed byte, a cut and a wrong digest")
def _(tmp):
    path, data = sample(tmp, "fast")
    records = [r for r in ours(path)[1] if "type" in r]
    third = records[2]
    crc = third["offset"] + third["length"] - 8
    broken = bytearray(data)
    broken[crc] ^= 1
    done, lines = ours(write(tmp, "crc.warc.gz", bytes(broken)))
    assert done.code == 1 and sum("type" in l for l in lines) == 2
    error = next(l for l in lines if "error" in l)
    assert error["offset"] == crc and "CRC-32" in error["error"], error
    cut = third["offset"] + third["length"] - 3
    done, lines = ours(write(tmp, "cut.warc.gz", data[:cut]))
    assert done.code == 1 and next(l for l in lines if "error" in l)["offset"] == cut
    assert lines[-1]["whole_bytes"] == third["offset"]
    plain_path, plain = sample(tmp, "plain")
    at = next(r for r in ours(plain_path)[1] if r.get("type") == "response")["offset"]
    done, lines = ours(write(tmp, "digest.warc", plain.replace(b"5\r\nhello", b"5\r\nhallo")))
    error = next(l for l in lines if "error" in l)
    assert done.code == 1 and error["offset"] == at and "WARC-Payload-Digest" in error["error"], error
    assert sum("type" in l for l in lines) == 8, "a wrong digest does not end the reading"


@case("try warc refuses what is no archive, and says what was expected")
def _(tmp):
    for data, offset, expected in ((b"", 0, "a record"), (b"<html>", 0, "WARC/"),
                                   (b"filedesc://x", 0, "ARC"), (b"\x28\xb5\x2f\xfd", 0, "zstd"),
                                   (b"\x1f\x8b\x07" + bytes(9), 2, "deflate")):
        done = run(["try", "warc", write(tmp, "x", data)])
        assert done.code == 1 and f"offset {offset}: expected " in done.err, done
        assert expected in done.err, (data, done)
    assert run(["try", "warc", os.path.join(tmp, "absent")]).code == 1
    assert run(["try", "warc"]).code == 2


@case("try warc shows no byte of an archive that a terminal would obey")
def _(tmp):
    record = (b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\n"
              b"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://a/\xc3\xbc\xc2\x9b\xff\r\n"
              b"WARC-Block-Digest: \x9b31m\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
    done = run(["try", "warc", write(tmp, "x.warc", record)])
    assert done.code == 1 and "http://a/\u00fc%C2%9B%FF\n" in done.out, done
    assert "expected WARC-Block-Digest %9B31m to be a digest" in done.err, done


main()
