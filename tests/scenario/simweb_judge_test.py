# SPDX-License-Identifier: Apache-2.0
"""The judge of the simulated web: every fault, and a client that does right by it, one that does
nothing, and one that does all that it should not.

The three know the expectations (`simweb faults F35` prints them), so they prove that the judge tells
right from wrong for each of them, not that a crawler could be that good."""
import collections
import concurrent.futures
import email.utils
import re
import socket
import ssl
import threading
import time

from scenario import case, main, run
from simweb import Simweb

KNOBS = ["--hosts", "2", "--pages", "2", "--fault", "all", "--retry-after", "1", "--drip", "10ms",
         "--endless", "12M", "--fault-scale", "0.01"]
COUNT = 93
THREADS = 24
SECONDS = 0.8       # the careful client's limit for one fetch
BYTES = 300 * 1024  # and for one body
LONGEST_WAIT = 1.6  # it comes back to a host that asks for this long, not to one that asks for more
MOST_TIMES = 5000   # what may be done more often than this is not overdone here
BATCH = 50          # requests sent at a time where there are many
UNDER_WAY = 0.3     # what comes later than this was not on its way when robots.txt was answered
BY_SITEMAP = {"F80", "F81"}  # who reads no sitemaps has not met these
OTHER_SNI = 1024    # the fact that a connection was opened for another name
HEADERS = {1: "Cookie: a=b", 2: "Authorization: Basic YTpi", 4: 'If-None-Match: "x"', 4096: "Cookie: a=" + 70000 * "b"}

Expect = collections.namedtuple("Expect", "kind label path n why")


class Fault:
    """One entry of `simweb faults`, and the places of its hosts."""

    def __init__(self, web, text):
        self.web = web
        self.id = re.match(r"F\d\d", text).group()
        self.site = self.id.lower() + ".test"
        cases, rules = text.split("\ncases:\n")[1].split("\njudged by:\n")
        self.cases = [self._place(re.split("  ", line.strip())[0]) for line in cases.splitlines() if line]
        self.expects = [self._expect(line) for line in rules.splitlines() if line]
        self.origins = {}

    @staticmethod
    def _place(text):
        label, path = re.match(r"(?:([^/:]+):)?([/*].*)$", text).groups()
        return label or "", path

    def _expect(self, line):
        kind, place, n, why = re.match(r"  (.{9}) (.+?)(?: \((\d+)\))?  (.*)$", line).groups()
        label, path = self._place(place)
        return Expect(kind.strip(), label, path, int(n or 0), why)

    def host(self, label):
        return (label + "." if label else "") + self.site

    def address(self):
        return f"127.0.100.{int(self.id[1:])}"

    def line(self, e):
        """How the judge's line about an expectation begins."""
        return f"{e.label + '.' if e.label else ''}{self.id.lower()}{e.path}: "

    def of(self, *kinds):
        return [e for e in self.expects if e.kind in kinds]


def all_faults(web):
    done = run(["faults"] + [f"F{n:02}" for n in range(1, COUNT + 1)])
    assert done.code == 0, done.err
    faults = [Fault(web, text) for text in re.split(r"\n(?=F\d\d \()", done.out)]
    assert len(faults) == COUNT, len(faults)
    return faults


def for_all(faults, client):
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(client, faults))


def settled(web):
    """The report once nothing is under way any more (but for what never ends)."""
    end = time.monotonic() + 30
    before = web.report()
    while True:
        time.sleep(0.1)
        report = web.report()
        is_still = report["open"] == 0 and report["requests"] == before["requests"]
        if is_still or time.monotonic() > end:
            return {f["id"]: f for f in report["faults"]}
        before = report


def request(s, host, path, more=""):
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode())


def read(s, seconds, most, enough=lambda got: False):
    """What comes until it ends, the time is over or it is enough."""
    got, end = bytearray(), time.monotonic() + seconds
    try:
        while len(got) < most and time.monotonic() < end and not enough(got):
            s.settimeout(max(end - time.monotonic(), 0.01))
            piece = s.recv(65536)
            if not piece:
                break
            got += piece
    except OSError:
        pass
    return bytes(got)


# The careful one ------------------------------------------------------------------------------

class Careful:
    """Index first, then what must be fetched, once each, one after another; it takes little, waits
    little, uses no connection twice and leaves a host alone for as long as that asks."""

    def __init__(self, fault):
        self.fault = fault
        self.web = fault.web
        self.free_at = {}  # host: when it may be asked again; absent: at once
        self.times = collections.Counter()
        self.context = ssl.create_default_context(cafile=self.web.ca)

    def crawl(self):
        index = self.get("", "/")
        for scheme, label in re.findall(r'href="(https?)://([^/"]*?)\.?' + re.escape(self.fault.site),
                                        index.decode("latin-1")):
            self.fault.origins[label] = scheme
        for e in self.fault.of("fetched", "at least"):
            label = "x" if e.label == "*" else e.label
            for i in range(max(e.n, 1)):
                path = e.path[:-1] + str(i) if e.path.endswith("*") else e.path
                if self.times[label, path] <= (0 if e.path.endswith("*") else i):
                    self.get(label, path)

    def get(self, label, path):
        host = self.fault.host(label)
        wait = self.free_at.get(host, 0) - time.monotonic()
        if wait > LONGEST_WAIT:
            return b""
        time.sleep(max(wait, 0))
        self.times[label, path] += 1
        answer = self.fetch(label, host, path)
        self.free_at[host] = time.monotonic() + self.pause(label, path, answer)
        return answer

    def fetch(self, label, host, path):
        is_https = self.fault.origins.get(label) == "https"
        port = self.web.https_port if is_https else self.web.http_port
        try:
            with socket.socket() as s:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
                s.settimeout(20)
                s.connect((self.web.address(host), port))
                if is_https:
                    with self.context.wrap_socket(s, server_hostname=host) as t:
                        request(t, f"{host}:{port}", path, "Connection: close\r\n")
                        return read(t, SECONDS, BYTES)
                request(s, f"{host}:{port}", path, "Connection: close\r\n")
                return read(s, SECONDS, BYTES)
        except OSError:
            return b""

    def pause(self, label, path, answer):
        """How long the host is left alone after this answer."""
        asked = [e.n / 1000 for e in self.fault.of("gap") if e.label in ("", label)
                 and (e.path == path or (e.path.endswith("*") and path.startswith(e.path[:-1])))]
        head = answer.partition(b"\r\n\r\n")[0].decode("latin-1")
        after = re.search(r"^Retry-After: *(.*?)\r?$", head, re.M | re.I)
        if not after or not asked:
            return max(asked, default=0)
        if after[1].isdigit():
            return int(after[1])
        try:
            return (email.utils.parsedate_to_datetime(after[1]).timestamp() - time.time()) + 1
        except (TypeError, ValueError, OverflowError):
            return LONGEST_WAIT


# The bad one ----------------------------------------------------------------------------------

class Bad:
    """Breaks every expectation that a client can break, on plain connections to the fault's own
    address, whatever the host. `broken` has those it broke."""

    def __init__(self, fault):
        self.fault = fault
        self.port = fault.web.http_port
        self.broken = []

    def crawl(self):
        self.ask("", "/")
        patient = [threading.Thread(target=self.sit_through, args=(e,))
                   for e in self.fault.of("leaves", "bytes")]
        for thread in patient:
            thread.start()
        for e in self.fault.expects:
            how = getattr(self, "break_" + e.kind.replace(" ", "_"), None)
            if how and how(e):
                self.broken.append(e)
        for thread in patient:
            thread.join()

    def connect(self, address=None):
        return socket.create_connection((address or self.fault.address(), self.port), timeout=5)

    def ask(self, label, path, more="", address=None):
        """Asks, sees an answer begin if it does so soon, and is gone."""
        try:
            with self.connect(address) as s:
                request(s, self.host(label), path, "Connection: close\r\n" + more)
                read(s, 0.15, 1)
        except OSError:
            pass

    def host(self, label):
        return label if label == "127.0.0.1" else self.fault.host("x" if label == "*" else label)

    @staticmethod
    def some(path):
        return "/" if path == "*" else path[:-1] + "x" if path.endswith("*") else path

    def break_never(self, e):
        mount = "/" + self.fault.id.lower() if e.label == "127.0.0.1" else ""
        self.ask(e.label, mount + self.some(e.path))
        return True

    def ask_often(self, e, times):
        """Many requests without waiting for each answer; all on one connection."""
        with self.connect() as s:
            for done in range(0, times, BATCH):
                for _ in range(min(BATCH, times - done)):
                    request(s, self.host(e.label), self.some(e.path))
                read(s, 5, 1 << 30, lambda got: got.count(b"HTTP/1.1 ") >= BATCH)

    def break_at_most(self, e):
        if e.n >= MOST_TIMES:
            return False
        if e.n > BATCH:
            self.ask_often(e, e.n + BATCH)
        else:
            for _ in range(e.n + 1):
                self.ask(e.label, self.some(e.path))
        return True

    def sit_through(self, e):
        """Takes all there is, for as long as it comes."""
        with self.connect() as s:
            request(s, self.host(e.label), e.path, "Connection: close\r\n")
            read(s, 60, 1 << 30)
        self.broken.append(e)

    def break_at_once(self, e):
        """Several times: a machine that stands still in between may part them."""
        labels = [label for label, path in self.fault.cases if path == e.path][:e.n + 1]
        for _ in range(3):
            sockets = [self.connect() for _ in labels]
            for s, label in zip(sockets, labels):
                request(s, self.host(label), e.path, "Connection: close\r\n")
            for s in sockets:
                read(s, 5, 1 << 20)
                s.close()
        return len(labels) > e.n

    def break_no_reuse(self, e):
        """False where the server itself ends the connection."""
        try:
            with self.connect() as s:
                request(s, self.host(e.label), e.path)
                read(s, 10, 1)
                read(s, 0.1, 1 << 20)
                request(s, self.host(e.label), "/told/again")
                told = b"a healthy page"
                return told in read(s, 10, 1 << 20, lambda got: told in got)
        except OSError:
            return False

    def break_gap(self, e):
        places = self.fault.cases if e.path == "*" else [(e.label, self.some(e.path))]
        for label, path in places:
            for _ in range(4):
                self.ask(label, path)
        return True

    def break_not_at(self, e):
        self.ask("", "/", address="127.0.0.1")
        return True

    def break_no_fact(self, e):
        for bit, header in HEADERS.items():
            if e.n & bit:
                self.ask(e.label, self.some(e.path), header + "\r\n")
        if e.n & OTHER_SNI:
            self.borrow_connection()
        return True

    def borrow_connection(self):
        """Asks for one host of the fault on a TLS connection that was opened for another."""
        one, two = [label for label, _ in self.fault.cases][:2]
        context = ssl.create_default_context(cafile=self.fault.web.ca)
        address = (self.fault.web.address(self.host(one)), self.fault.web.https_port)
        with socket.create_connection(address, timeout=20) as s:
            with context.wrap_socket(s, server_hostname=self.host(one)) as t:
                request(t, self.host(two), "/", "Connection: close\r\n")
                read(t, 20, 1 << 20)

    def break_not_after(self, e):
        for _ in range(e.n):
            self.ask(e.label, "/robots.txt")
        time.sleep(UNDER_WAY)
        self.ask(e.label, self.some(e.path))
        return True


# ----------------------------------------------------------------------------------------------

WEB = Simweb(*KNOBS, "--patience", "5s")
FAULTS = all_faults(WEB)
RESULTS = collections.defaultdict(dict)


def judged(name, client, faults=None):
    """What the web of these faults says of a client that nobody came before."""
    faults = faults or FAULTS
    web = faults[0].web
    web.ask("/_sim/reset", "POST")
    began = time.monotonic()
    for_all(faults, client)
    verdicts = settled(web)
    print(f"# {name}: {time.monotonic() - began:.1f} s")
    for fault in faults:
        RESULTS[fault.id][name] = verdicts[fault.id]["verdict"]
    return verdicts


@case("nobody came: nothing is said of any fault")
def _(tmp):
    verdicts = judged("absent", lambda fault: None)
    assert {v["verdict"] for v in verdicts.values()} == {"unseen"}


@case("a careful client is good by every fault")
def _(tmp):
    verdicts = judged("careful", lambda fault: Careful(fault).crawl())
    wrong = {f: v["why"] for f, v in verdicts.items() if v["verdict"] != "good"}
    assert not wrong, wrong


@case("a client that reads the index pages alone has missed what must be fetched, and nothing else")
def _(tmp):
    verdicts = judged("lazy", lambda fault: Bad(fault).ask("", "/"))
    for fault in FAULTS:
        wanted = fault.of("fetched", "at least")
        why = verdicts[fault.id]["why"]
        if fault.id in BY_SITEMAP:
            assert verdicts[fault.id]["verdict"] == "unseen", (fault.id, why)
            continue
        assert verdicts[fault.id]["verdict"] == ("bad" if wanted else "good"), (fault.id, why)
        assert len(why) == min(len(wanted), 21), (fault.id, why)
        for e, line in zip(wanted[:20], why):
            assert line.startswith(fault.line(e) + "never asked for"), (line, e)
            assert line.endswith(f"({e.why})"), (line, e)


def is_told(fault, e, verdicts) -> bool:
    return any(line.startswith(fault.line(e)) and line.endswith(f"({e.why})") for line in verdicts[fault.id]["why"])


def bad_clients(wanted) -> tuple:
    """What clients broke on a web of their own, the verdicts, and what was broken without a word."""
    with Simweb(*KNOBS, "--patience", "6s") as web:  # they sit through all of it
        faults = [fault for fault in all_faults(web) if fault.id in {f.id for f in wanted}]
        clients = {fault.id: Bad(fault) for fault in faults}
        verdicts = judged("bad", lambda fault: clients[fault.id].crawl(), faults)
    silent = [(fault.id, e, verdicts[fault.id]["why"]) for fault in faults for e in clients[fault.id].broken
              if not is_told(fault, e, verdicts) and len(verdicts[fault.id]["why"]) <= 20]
    return clients, {fault.id: verdicts[fault.id] for fault in faults}, silent


@case("a client that does all it should not is told each of it")
def _(tmp):
    clients, verdicts, silent = bad_clients(FAULTS)
    for _ in range(2):  # a machine that stood still spoils what is to come in time
        if silent:
            repeated = bad_clients([fault for fault in FAULTS if fault.id in {row[0] for row in silent}])
            clients, verdicts, silent = {**clients, **repeated[0]}, {**verdicts, **repeated[1]}, repeated[2]
    kinds, told = collections.Counter(), collections.Counter()
    for fault in FAULTS:
        kinds.update(e.kind for e in fault.expects)
        told.update(e.kind for e in clients[fault.id].broken if is_told(fault, e, verdicts))
        RESULTS[fault.id]["broken"] = len(clients[fault.id].broken)
    for kind in sorted(kinds):
        print(f"# {kind}: {told[kind]} of {kinds[kind]} broken and told")
    assert not silent, silent
    whole = [(fault.id, e) for fault in FAULTS for e in fault.expects
             if e not in clients[fault.id].broken and e.kind not in ("fetched", "at least")
             and not (e.kind == "at most" and e.n >= MOST_TIMES)]
    assert not whole, f"nobody could break these: {whole}"
    for fault in FAULTS:
        if clients[fault.id].broken:
            assert verdicts[fault.id]["verdict"] == "bad", fault.id


@case("each host that a fault is sprinkled over is judged by itself, and named")
def _(tmp):
    with Simweb("--hosts", "3", "--pages", "2", "--cross", "1", "--sprinkle", "f34=1") as web:
        home = web.run["home"]
        links = run(["page", "--dir", web.folder, "--show-links", home]).out
        hosts = sorted(set(re.findall(r"https?://([^/:]+)", links + home)))
        assert len(hosts) > 1, links
        places = [e.path for fault in FAULTS if fault.id == "F34" for e in fault.of("fetched")]
        for host in hosts[:2]:
            for path in ["/"] + places:
                web.get(f"http://{host}:{web.http_port}/f34{path}")
        good = web.verdicts()["F34"]
        assert good["verdict"] == "good" and good["why"] == [], good
        for _ in range(30):
            web.get(f"http://{hosts[0]}:{web.http_port}/f34{places[0]}")
        bad = web.verdicts()["F34"]
        assert bad["verdict"] == "bad", bad
        assert all(line.startswith(hosts[0] + "/f34/") for line in bad["why"]), bad


@case("what came of each fault")
def _(tmp):
    for fault in FAULTS:
        r = RESULTS[fault.id]
        print(f"# {fault.id} careful={r.get('careful')} lazy={r.get('lazy')} bad={r.get('bad')}"
              f" ({r.get('broken')} of {len(fault.expects)} expectations broken)")
    WEB.close()


main()
