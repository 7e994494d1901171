# SPDX-License-Identifier: Apache-2.0
"""Damage in a crawl's directory: the start refuses it, `repair` mends it, and what an archive file had that is missing is
named and asked for again."""
import collections
import glob
import os
import shutil

from crawl import ORBWEAVER, Crawl, few, is_robots, read_archive, verify, wanted
from scenario import case, main, run as run_program, until
from simweb import Simweb

WEB = ["--hosts", "6", "--pages", "60", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k"]
SLOW = ["--latency-least", "2ms", "--latency-most", "30ms"]
POLITE = ["--scope", "any", "-w", "5ms", "--ip-delay", "0", "--ip-conns", "100", "-q"]
REFUSED = "the directory is damaged; nothing was changed"


def files_of(folder: str) -> dict:
    """Every file with its bytes; RocksDB logs each look."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            if os.path.isfile(path) and not name.startswith("LOG"):
                with open(path, "rb") as f:
                    found[os.path.relpath(path, folder)] = f.read()
    return found


def flip(path: str, share: float) -> None:
    with open(path, "r+b") as f:
        f.seek(int(os.path.getsize(path) * share))
        byte = f.read(1)
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte[0] ^ 4]))


def crawl_of(web, tmp, shards=2, **sets) -> Crawl:
    return Crawl(web, tmp, *POLITE, quick=False, shards=shards, sets=sets)


def killed(web, tmp) -> Crawl:
    crawl = crawl_of(web, tmp)
    crawl.start()
    until(lambda: web.report()["requests"] > 100, "a hundred requests")
    crawl.end()
    return crawl


def run(command):
    return run_program(command[1:], program=command[0])


def repair(crawl, *options):
    return run([ORBWEAVER, "repair", *options, crawl.folder])


def captured(crawl) -> collections.Counter:
    return collections.Counter(r.url for path in crawl.archives() for r in read_archive(path, is_whole=False)
                               if r.kind in ("response", "revisit") and not is_robots(r.url))


def is_whole(web, crawl, before) -> None:
    """Every record from before is there, each page of the web is archived once."""
    verify(crawl)
    seen, must = captured(crawl), wanted(web.oracle(web.run["home"], "any"))
    assert not before - seen, few(before - seen)
    assert not must - set(seen), few(must - set(seen))
    assert max(seen.values()) == 1, seen.most_common(3)


@case("one flipped bit in the journal of a killed crawl is refused with 3; repair keeps every record, and the crawl goes on")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = killed(web, tmp)
        before = captured(crawl)
        flip(glob.glob(os.path.join(crawl.folder, "state", "journal", "*"))[0], 0.5)
        was = files_of(crawl.folder)
        refused = crawl.run()
        assert refused.code == 3 and "state/journal" in refused.err and REFUSED in refused.err, refused
        assert "orbweaver repair" in refused.err, refused
        checked = repair(crawl, "--check")
        assert checked.code == 3 and "state/journal" in checked.out, checked
        assert files_of(crawl.folder) == was
        mended = repair(crawl)
        assert mended.code == 0 and "the crawl can go on" in mended.out and "not rebuilt" in mended.out, mended
        assert captured(crawl) == before
        assert repair(crawl, "--check").code == 0
        done = crawl.run()
        assert done.code == 0, done
        is_whole(web, crawl, before)


@case("a crawl whose state is gone is refused; repair makes it again")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = killed(web, tmp)
        before = captured(crawl)
        shutil.rmtree(os.path.join(crawl.folder, "state"))
        assert crawl.run().code == 3
        mended = repair(crawl)
        assert mended.code == 0 and "state/seeds is missing" in mended.out, mended
        done = crawl.run()
        assert done.code == 0, done
        is_whole(web, crawl, before)


@case("an archive file that is missing is noticed and named, and its captures are asked for again")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp, 1, **{"ledger.warc-size": "60000"})
        assert crawl.run().code == 0
        before = captured(crawl)
        gone = crawl.archives()[1]
        os.rename(gone, os.path.join(tmp, "gone.warc.gz"))
        was, lost = files_of(crawl.folder), set(before) - set(captured(crawl))
        assert lost and len(crawl.archives()) > 2
        refused = crawl.run()
        assert refused.code == 3 and os.path.basename(gone) in refused.err, refused
        assert files_of(crawl.folder) == was
        told = run([ORBWEAVER, "report", crawl.folder])
        assert told.code == 3 and os.path.basename(gone) in told.err and "captures are lost" in told.out, told
        with open(os.path.join(crawl.folder, "reports", "lost-captures-report.txt"), encoding="utf-8") as f:
            named = {line.split()[2] for line in f.read().splitlines()[1:]}
        assert lost <= named, few(lost - named)
        again = run(crawl.command + ["--refetch-lost"])
        assert again.code == 0, again
        assert set(captured(crawl)) == set(before)
        bodies = {r.url for path in crawl.archives() for r in read_archive(path) if r.kind == "response"}
        assert lost <= bodies, few(lost - bodies)  # no revisit of what is gone
        assert crawl.run().code == 0  # the loss is known: no reason to refuse any more
        assert run([ORBWEAVER, "report", crawl.folder]).code == 0


@case("a missing archive file that repair has noted does not stop the crawl")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp, 1, **{"ledger.warc-size": "60000"})
        assert crawl.run().code == 0
        os.unlink(crawl.archives()[1])
        noted = repair(crawl)
        assert noted.code == 0 and "noted as lost" in noted.out, noted
        assert crawl.run().code == 0


@case("an open archive that is missing is refused; repair names its captures, and they are asked for again")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = killed(web, tmp)
        before = captured(crawl)
        gone = [path for path in crawl.archives() if path.endswith(".open")][0]
        os.unlink(gone)
        lost = set(before) - set(captured(crawl))
        refused = crawl.run()
        assert refused.code == 3 and os.path.basename(gone)[:-5] in refused.err, refused
        mended = repair(crawl)
        assert mended.code == 0 and "captures are lost" in mended.out, mended
        again = run(crawl.command + ["--refetch-lost"])
        assert again.code == 0, again
        assert lost <= set(captured(crawl))
        is_whole(web, crawl, collections.Counter(set(before) - lost))


@case("a repair that is cut off is refused, and repaired anew")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = killed(web, tmp)
        before = captured(crawl)
        flip(glob.glob(os.path.join(crawl.folder, "state", "journal", "*"))[0], 0.5)
        assert repair(crawl).code == 0
        mark = os.path.join(crawl.folder, "state", "REBUILDING")
        assert not os.path.exists(mark)
        with open(mark, "w", encoding="ascii") as f:
            f.write("repair is at work here\n")
        assert crawl.run().code == 3 and repair(crawl, "--check").code == 3
        assert repair(crawl).code == 0
        assert crawl.run().code == 0
        is_whole(web, crawl, before)


@case("without its settings a crawl is refused; with all options given again it goes on")
def _(tmp):
    with Simweb(*WEB, *SLOW) as web:
        crawl = killed(web, tmp)
        before = captured(crawl)
        os.unlink(os.path.join(crawl.folder, "orbweaver.yaml"))
        refused = run([ORBWEAVER, "crawl", "-o", crawl.folder])
        assert refused.code == 3 and "orbweaver.yaml" in refused.err, refused
        assert crawl.run().code == 0
        is_whole(web, crawl, before)


@case("report reads every record: one that is damaged is named with its file and place")
def _(tmp):
    with Simweb(*WEB) as web:
        crawl = crawl_of(web, tmp, 1)
        assert crawl.run().code == 0
        assert run([ORBWEAVER, "report", crawl.folder]).code == 0
        flip(crawl.archives()[0], 0.5)
        told = run([ORBWEAVER, "report", crawl.folder])
        assert told.code == 3 and "no whole record" in told.err, told
        assert os.path.basename(crawl.archives()[0]) in told.err, told
        assert run([ORBWEAVER, "report", "--quick", crawl.folder]).code == 0
        checked = repair(crawl, "--check")
        assert checked.code == 3 and "no whole record" in checked.out, checked


main()
