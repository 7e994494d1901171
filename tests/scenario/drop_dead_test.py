# SPDX-License-Identifier: Apache-2.0
"""--drop-dead: what does not answer or is gone is asked for once. The same faulty web is crawled with
and without it; its own witness counts the requests."""
import atexit
import json
import re
import subprocess
import tempfile

from crawl import ORBWEAVER, SECONDS, Crawl, agree, few, wanted
from scenario import case, main
from simweb import Simweb

# Silent: never answers, closes, no such name. Gone and forbidden: refused for good. Busy: asks for time.
FAULTS = ["f03", "f04", "f34", "f35", "f37", "f46"]
KNOBS = ["--hosts", "4", "--pages", "10", "--crawl-delays", "0", "--retry-after", "1", "--keep-urls",
         "--fault-scale", "0.01", "--patience", "20s"]
SETS = {
    "http.connect-timeout": "2s", "http.first-byte-timeout": "1s", "http.head-timeout": "2s", "http.idle-timeout": "1s",
    "http.fetch-timeout": "3s", "pace.backoff": "100ms", "pace.backoff-most": "400ms", "pace.retry-after-most": "3s",
    "dns.dns-timeout": "300ms", "dns.dns-tries": "1", "dns.dns-failed": "1s",
}


class Faulty:
    def __init__(self, *options):
        self.tmp = tempfile.TemporaryDirectory()
        self.web = Simweb(*KNOBS, *(word for f in FAULTS for word in ("--fault", f)))
        port = self.web.http_port
        seeds = [*(f"http://{f}.test:{port}/" for f in FAULTS), self.web.run["home"], f"http://none.test:{port}/"]
        self.crawl = Crawl(self.web, self.tmp.name, "--scope", "any", "-w", "10ms", "--ip-delay", "0",
                           "--ip-conns", "10", "-q", *options, seeds=seeds, sets=SETS, quick=False)
        self.done = self.crawl.run()
        self.report = self.web.report("urls=1")
        self.counts = self.report["url_counts"]

    def close(self):
        self.web.close()
        self.tmp.cleanup()

    def of(self, what):
        """{URL without its port: (code, annotations)} of crawl.log."""
        return {re.sub(r":\d+/", "/", r.url): (r.code, r.notes) for r in self.crawl.log() if what in r.url}

    def asked(self, what):
        return {re.sub(r":\d+/", "/", u): n for u, n in self.counts.items() if what in u}


BOTH = {"patient": Faulty(), "dropping": Faulty("--drop-dead")}
for one in BOTH.values():
    atexit.register(one.close)
PATIENT, DROPPING = BOTH["patient"], BOTH["dropping"]


@case("both crawls end as finished, fetch every healthy page once, and agree with themselves")
def _(tmp):
    for name, f in BOTH.items():
        assert f.done.code == 0, (name, f.done)
        must = wanted(f.web.oracle(f.web.run["home"], "any"))
        assert not must - set(f.counts), (name, few(must - set(f.counts)))
        assert not [u for u in must if f.counts[u] != 1], name
        agree(f.crawl, is_honest=False)


@case("what never answers, or closes, is asked for once")
def _(tmp):
    for fault in ("f03.test", "f04.test"):
        more, once = PATIENT.asked(fault), DROPPING.asked(fault)
        assert max(more.values()) > 1, more
        silent = {u for u, (code, _) in DROPPING.of(fault).items() if code < 0}
        assert silent, DROPPING.of(fault)
        # a connection that is kept and dies before a byte is one try with two requests
        again = {u: once.get(u, 0) for u in silent if once.get(u, 0) > (2 if fault == "f04.test" else 1)}
        assert not again, again
        assert sum(once.values()) < sum(more.values()), (once, more)


@case("crawl.log and `url` say why")
def _(tmp):
    rows = {**DROPPING.of("f03.test"), **DROPPING.of("none.test")}
    dropped = {u: row for u, row in rows.items() if "dropped_at_once" in row[1]}
    assert any(code == -4 for code, _ in dropped.values()) and any(code == -1 for code, _ in dropped.values()), rows
    assert not [row for row in PATIENT.of("") .values() if "dropped_at_once" in row[1]]
    url = next(r.url for r in DROPPING.crawl.log() if r.code == -4 and "dropped_at_once" in r.notes)
    done = subprocess.run([ORBWEAVER, "url", DROPPING.crawl.folder, url, "-j"], capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    assert done.returncode == 0 and "dropped at once (--drop-dead)" in json.loads(done.stdout)["why"], done


@case("a name that is not there is given up with its first answer")
def _(tmp):
    (code, notes), = DROPPING.of("none.test").values()
    assert code == -1 and "dropped_at_once" in notes, notes
    (code, notes), = PATIENT.of("none.test").values()
    assert code == -1 and notes == "no_such_name", notes


@case("what asks for time gets it: 429 and 503 are asked for again, and their waits are kept")
def _(tmp):
    for name, f in BOTH.items():
        waits = f.asked("f35.test")
        assert max(waits.values()) > 1, (name, waits)
        verdicts = {v["id"]: v for v in f.report["faults"]}
        for fault in ("F35", "F37"):
            assert verdicts[fault]["verdict"] == "good", (name, verdicts[fault])
        polite = f.report["politeness"]
        assert polite["most_open"] == 1 and polite["during_backoff"] == 0 and polite["under_delay"] == 0, (name, polite)
    assert {u: code for u, (code, _) in DROPPING.of("f35.test").items()} == {u: code for u, (code, _) in PATIENT.of("f35.test").items()}


@case("what is forbidden or gone is asked for once either way")
def _(tmp):
    for name, f in BOTH.items():
        refused = {u: n for u, n in f.asked("f34.test").items() if f.of("f34.test").get(u, (0,))[0] in (401, 403, 404, 407, 410, 451)}
        assert refused and set(refused.values()) == {1}, (name, refused)


main()
