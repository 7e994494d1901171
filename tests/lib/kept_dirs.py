# SPDX-License-Identifier: Apache-2.0
"""kept_dirs: crawl directories that an earlier build left, kept as tests/fixtures/N/NAME.tar.xz, and the web that
they are crawls of. tests/fixtures/make writes them, scenario/fixtures opens them.

    with KeptWeb(*WEBS["killed"]) as web:
        command = crawl_command(web, folder)

A crawl that goes on must find its web under the same URLs, so names and the port are fixed; the address is
another for every run, found by a DNS server of the web's own, so that two runs never meet."""
import hashlib
import os
import random
import socket
import threading

from small_web import SmallWeb, page

PORT = 18013
# Hosts, and pages of each beside its home.
WEBS = {"finished": (3, 4), "killed": (6, 8), "resting": (24, 5), "recrawled": (2, 4), "agents": (8, 8), "listed": (24, 5)}
AGENTS = ("a", "b")
TIGHT = ["--frontier-memory", "12k", "--set", "ledger.frontier-slice=20ms", "--set", "ledger.frontier-recent=2k",
         "--set", "ledger.image-size=200k"]


def host_name(number: int) -> str:
    return f"h{number}.kept.test:{PORT}"


class KeptWeb(SmallWeb):
    """Small pages on several hosts, all reachable from the first. `version` changes one page of each host."""

    def __init__(self, hosts: int, pages: int):
        address = f"127.{random.randrange(8, 250)}.{random.randrange(1, 250)}.{random.randrange(1, 250)}"
        self.hosts, self.version, self.let_through = hosts, 1, None
        self.gate = threading.Condition()
        paths = ["/"] + [f"/p{i}" for i in range(1, pages + 1)]
        super().__init__({path: self.answer_to(path, paths) for path in paths}, (address, PORT))
        self.urls = {f"http://{host_name(h)}{path}" for h in range(hosts) for path in paths}
        self.home = f"http://{host_name(0)}/"
        self.names = NameServer(address)

    def __enter__(self):
        self.names.start()
        return super().__enter__()

    def __exit__(self, *what):
        self.allow(None)
        super().__exit__(*what)
        self.names.stop()

    def answer_to(self, path: str, paths: list):
        def give(headers):
            self.pass_gate()
            return self.answer(headers, self.body(headers["Host"], path, paths))
        return give

    def body(self, host: str, path: str, paths: list) -> bytes:
        number = int(host[1:].split(".")[0])
        words = f"host {number}, page {path}" + (f", version {self.version}" if path == "/p1" else "")
        if path != "/":
            return page(words, words, [("/", "home")])
        others = [n for n in (2 * number + 1, 2 * number + 2) if n < self.hosts]
        return page(words, words, [(p, p) for p in paths[1:]] + [(f"http://{host_name(n)}/", "on") for n in others])

    @staticmethod
    def answer(headers, body: bytes) -> tuple:
        etag = {"ETag": '"' + hashlib.sha1(body).hexdigest()[:12] + '"', "Content-Type": "text/html"}
        return (304, etag, b"") if headers.get("If-None-Match") == etag["ETag"] else (200, etag, body)

    # How many pages are answered before the web stands still; None: all.

    def allow(self, pages) -> None:
        with self.gate:
            self.let_through = pages
            self.gate.notify_all()

    def pass_gate(self) -> None:
        with self.gate:
            self.gate.wait_for(lambda: self.let_through is None or self.let_through > 0)
            if self.let_through is not None:
                self.let_through -= 1

    def asked_urls(self) -> list:
        with self.lock:
            return [f"http://{headers['Host']}{path}" for path, headers in self.asked]


class NameServer:
    """Every name has the one address."""

    def __init__(self, address: str):
        self.answer = socket.inet_aton(address)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 0))
        self.at = f"{address}:{self.socket.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.sendto(b"", self.socket.getsockname())
        self.thread.join()
        self.socket.close()

    def serve(self) -> None:
        while True:
            query, client = self.socket.recvfrom(512)
            if not query:
                return
            end = query.index(b"\0", 12) + 5
            is_a = query[end - 4:end - 2] == b"\0\1"
            head = query[:2] + b"\x81\x80\0\1" + (b"\0\1" if is_a else b"\0\0") + b"\0\0\0\0"
            record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + self.answer if is_a else b""
            self.socket.sendto(head + query[12:end] + record, client)


def crawl_command(web: KeptWeb, folder: str, *options) -> list:
    return ["crawl", "-o", folder, "--resolver", web.names.at, "--allow-private", "--scope", "any", "-w", "0", "--ip-delay",
            "0", "--ip-conns", "100", "-q", "--set", "ledger.disk-reserve=0", "--set", "pace.backoff=100ms",
            *options, web.home]


def agent_options(post, name: str) -> list:
    return ["--cluster", post.login(name)["url"], "--agent", name, "--cluster-credentials",
            os.path.dirname(post.login_path(name)), "-v", "-j", "--set", "cluster.cluster-poll=20ms",
            "--set", "cluster.cluster-wait=0"]


def log_urls(folder: str, code: int = 0) -> list:
    """The URLs of crawl.log that have an answer, any or with that code, robots.txt apart."""
    try:
        with open(f"{folder}/logs/crawl.log", encoding="utf-8") as f:
            rows = [line.split(None, 4) for line in f if line.endswith("\n")]
    except FileNotFoundError:
        return []
    return [r[3] for r in rows if (int(r[1]) == code if code else int(r[1]) > 0) and not r[3].endswith("/robots.txt")]
