# SPDX-License-Identifier: Apache-2.0
"""careful: a small crawler that does everything the table of faults asks, in plain Python.

    verdicts = crawl(web, ["http://f35.test:8080/"])                 # a good crawler
    crawl(web, seeds, reckless=True)                                 # its evil twin

It exists to test the simulated web's judge: whoever behaves must be called good, or an expectation
asks too much; its twin must be called bad, or an expectation asks nothing. It shares no code with
orbweaver. One request at a time to a host, a few hosts side by side, one connection a request.
Whatever DNS says, it connects to loopback alone."""
import concurrent.futures
import html
import re
import socket
import ssl
import threading
import time
import urllib.parse

LINK = re.compile(r"""<a\s[^>]*?href\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.I)
REFRESH = re.compile(r"""<meta\s+http-equiv=["']?refresh["']?\s+content=["'](.*?)["']\s*/?>""", re.I | re.S)
REFRESH_URL = re.compile(r"""^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?(.*?)["']?\s*$""", re.I | re.S)
SAFE = "/?:@!$&'()*+,;=%-._~[]"
MAX_BODY = 2 << 20
MAX_ROBOTS = 500 * 1024
LONGEST_WAIT = 2.2  # a test asks for one second, and a date may be one more away
HOSTS_AT_ONCE = 6   # fewer than an address of F48 lets anybody have


class Failed(Exception):
    pass


class Rules:
    """robots.txt for an agent that only '*' speaks to."""

    def __init__(self, body: bytes):
        whole = len(body) < MAX_ROBOTS
        lines = re.split(rb"\r\n|\r|\n", body[:MAX_ROBOTS].removeprefix(b"\xef\xbb\xbf"))
        self.rules, self.delay = [], 0.0
        ours, in_agents = False, False
        for line in lines if whole else lines[:-1]:
            key, colon, value = line.split(b"#")[0].partition(b":")
            key, value = key.strip().lower(), value.strip()
            if not colon:
                continue
            if key == b"user-agent":
                ours = (ours and in_agents) or value == b"*"
                in_agents = True
            elif key in (b"allow", b"disallow"):
                in_agents = False
                if ours and value:
                    self.rules.append((value.decode("latin-1"), key == b"allow"))
            elif key == b"crawl-delay" and ours and re.fullmatch(rb"\d+(\.\d+)?", value):
                self.delay = min(float(value), 1.2)

    def allows(self, path: str) -> bool:
        best = max(((len(rule), allow) for rule, allow in self.rules if _matches(rule, path)), default=(0, True))
        return best[1]


def _matches(rule: str, path: str) -> bool:
    """Each piece between stars at its first place: never goes back."""
    anchored = rule.endswith("$")
    pieces = (rule[:-1] if anchored else rule).split("*")
    if not path.startswith(pieces[0]):
        return False
    at = len(pieces[0])
    for piece in pieces[1:-1]:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if len(pieces) == 1:
        return not anchored or at == len(path)
    if anchored:
        return path.endswith(pieces[-1]) and len(path) - len(pieces[-1]) >= at
    return path.find(pieces[-1], at) >= 0


class Host:
    def __init__(self):
        self.queue, self.due, self.failures = [], 0.0, 0
        self.rules, self.address = None, None


class Crawl:
    def __init__(self, web, reckless: bool, timeout: float, hosts_a_domain: int):
        self.web, self.reckless, self.timeout = web, reckless, timeout
        self.hosts_a_domain = hosts_a_domain
        self.lock = threading.Lock()  # guards hosts and seen; a host's own fields are its visitor's
        self.hosts, self.seen, self.tries = {}, set(), {}
        self.names = web.names()
        self.tls = ssl.create_default_context(cafile=web.ca)

    # The frontier: a host is asked for one thing at a time, when it is due.

    def add(self, url: str, hops: int = 0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or " " in parts.hostname:
            return
        url = urllib.parse.urlunsplit(parts._replace(fragment="", path=parts.path or "/"))
        most_hops = 40 if self.reckless else 10
        with self.lock:
            if hops > most_hops or (url in self.seen and not (self.reckless and hops)):
                return
            if parts.hostname not in self.hosts and not self.reckless:
                domain = parts.hostname.split(".")[-2:]
                if sum(h.split(".")[-2:] == domain for h in self.hosts) >= self.hosts_a_domain:
                    return
            self.seen.add(url)
            self.hosts.setdefault(parts.hostname, Host()).queue.append((url, hops))

    def run(self, seconds: float) -> None:
        end, visits = time.monotonic() + seconds, {}
        with concurrent.futures.ThreadPoolExecutor(HOSTS_AT_ONCE) as pool:
            while time.monotonic() < end:
                with self.lock:
                    waiting = [h for h in self.hosts.values() if h.queue and h not in visits.values()]
                if not waiting and not visits:
                    return
                waiting.sort(key=lambda h: h.due)
                while waiting and waiting[0].due <= time.monotonic() and len(visits) < HOSTS_AT_ONCE:
                    host = waiting.pop(0)
                    visits[pool.submit(self.visit, host, *host.queue.pop(0))] = host
                self.await_one(visits, waiting)
        raise Failed("the crawl did not end in time")

    @staticmethod
    def await_one(visits: dict, waiting: list) -> None:
        """Until a visit ends or another host is due; a visit's own failure is the crawl's."""
        is_full = len(visits) == HOSTS_AT_ONCE or not waiting
        seconds = None if is_full else max(0.0, waiting[0].due - time.monotonic())
        if not visits:
            time.sleep(seconds)
            return
        done, _ = concurrent.futures.wait(visits, seconds, concurrent.futures.FIRST_COMPLETED)
        for visit in done:
            del visits[visit]
            visit.result()

    def later(self, host: Host, url: str, hops: int, seconds: float) -> None:
        """Tries it again, but not for ever; meanwhile the whole host waits."""
        self.tries[url] = self.tries.get(url, 0) + 1
        if self.reckless:
            seconds = 0.0
        host.due = time.monotonic() + seconds
        if self.tries[url] < (15 if self.reckless else 2 if seconds >= LONGEST_WAIT else 4):
            host.queue.insert(0, (url, hops))

    def visit(self, host: Host, url: str, hops: int) -> None:
        parts = urllib.parse.urlsplit(url)
        path = urllib.parse.urlunsplit(("", "", parts.path, parts.query, ""))
        try:
            if host.rules is None and not self.reckless:
                host.rules = self.robots(parts)
            if host.rules and not host.rules.allows(path):
                return
            status, headers, body = self.get(url)
        except (Failed, OSError):
            host.queue.clear()  # parked: nothing here comes back within a test
            return
        if host.rules:
            host.due = time.monotonic() + host.rules.delay
        self.settle(host, url, hops, status, headers, body)

    def settle(self, host, url, hops, status, headers, body) -> None:
        if status in (429, 503):
            self.later(host, url, hops, self.wait_of(headers))
        elif status >= 500:
            self.later(host, url, hops, 0.1 * 2 ** self.tries.get(url, 0))
        elif status in (301, 302, 303, 307, 308) and "location" in headers:
            self.follow(url, headers["location"], hops + 1)
        elif status in (200, 301):
            self.read(url, body, hops)

    def read(self, url: str, body: bytes, hops: int) -> None:
        text = body.decode("utf-8", "replace")
        for match in LINK.finditer(text):
            self.follow(url, html.unescape(match.group(1).strip("\"'")), 0)
        for match in REFRESH.finditer(text):
            to = REFRESH_URL.match(match.group(1))
            if to or self.reckless:
                self.follow(url, to.group(1) if to else "", hops + 1)

    def follow(self, base: str, reference: str, hops: int) -> None:
        """Near enough to WHATWG for what the faults write."""
        reference = reference.strip().replace("\\", "/")
        try:
            self.add(urllib.parse.urljoin(base, urllib.parse.quote(reference, safe=SAFE + "#")), hops)
        except ValueError:
            pass

    def wait_of(self, headers: dict) -> float:
        text = headers.get("retry-after", "")
        if re.fullmatch(r"\d{1,9}", text):
            return min(max(float(text), 0.2), LONGEST_WAIT)
        for form in ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"):
            try:
                moment = time.mktime(time.strptime(text + " UTC", form + " %Z")) - time.timezone
            except (ValueError, OverflowError):
                continue
            return min(max(moment - time.time(), 0.2), LONGEST_WAIT)
        return 1.2 if re.fullmatch(r"\d{10,}", text) else 0.2

    # robots.txt, names, bytes.

    def robots(self, parts) -> Rules:
        url = f"{parts.scheme}://{parts.netloc}/robots.txt"
        for _ in range(6):
            status, headers, body = self.get(url, MAX_ROBOTS)
            if status in (301, 302, 303, 307, 308) and "location" in headers:
                url = urllib.parse.urljoin(url, headers["location"])
            elif status == 200:
                return Rules(body)
            elif status >= 500 or status == 429:
                raise Failed("no rules, no pages")
            else:
                break
        return Rules(b"")

    def address(self, name: str) -> str:
        with self.lock:
            host = self.hosts.setdefault(name, Host())
        if host.address and not self.reckless:
            return host.address
        if re.fullmatch(r"[\d.]+", name):
            found = [name]
        else:
            found = self.resolve(name)
        for address in found:
            if address.startswith("127.") and (self.reckless or address != "127.0.0.1"):
                host.address = address
                return address
        raise Failed(f"{name} has no address that may be asked")

    def resolve(self, name: str) -> list:
        try:
            answer = self.names.ask(name, timeout=self.timeout)
        except OSError as error:
            raise Failed(f"{name}: {error}") from error
        asked = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0\0\1\0\1"
        if answer[:2] != b"\x12\x34" or answer[12:12 + len(asked)].lower() != asked:
            raise Failed(f"{name}: an answer to another question")
        return [data for kind, _, data in self.names.records(name) if kind == 1] if answer[6:8] != b"\0\0" else []

    def get(self, url: str, most: int = MAX_BODY):
        parts = urllib.parse.urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((self.address(parts.hostname), port), timeout=self.timeout) as raw:
            s = self.tls.wrap_socket(raw, server_hostname=parts.hostname) if parts.scheme == "https" else raw
            target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
            s.sendall(f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
            return _answer(s, most)


def _answer(s, most: int):
    got = b""
    while b"\r\n\r\n" not in got:
        piece = s.recv(65536)
        if not piece or len(got) > 300 * 1024:
            raise Failed("no head")
        got += piece
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.decode("utf-8", "replace").split("\r\n")
    status = int(lines[0].split(" ")[1])
    headers = {}
    for line in lines[1:]:
        key, _, value = line.partition(":")
        headers.setdefault(key.lower(), value.strip())
    length = 0 if status in (204, 304) else int(headers.get("content-length", most))
    pieces, have = [body], len(body)
    while have < min(length, most):
        piece = s.recv(65536)
        if not piece:
            break
        pieces.append(piece)
        have += len(piece)
    body = b"".join(pieces)[:min(length, most)]
    return status, headers, _without_chunks(body) if "transfer-encoding" in headers else body


def _without_chunks(body: bytes) -> bytes:
    whole = b""
    while True:
        size, _, body = body.partition(b"\r\n")
        n = int(size.split(b";")[0] or b"0", 16)
        if n == 0:
            return whole
        whole, body = whole + body[:n], body[n + 2:]


def crawl(web, seeds, reckless: bool = False, seconds: float = 60.0, timeout: float = 2.0,
          hosts_a_domain: int = 40) -> dict:
    """Crawls what the seeds lead to; returns the judge's verdicts by fault."""
    c = Crawl(web, reckless, timeout, hosts_a_domain)
    for seed in seeds:
        c.add(seed)
    c.run(seconds)
    return web.verdicts()
