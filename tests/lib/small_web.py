# SPDX-License-Identifier: Apache-2.0
"""small_web: a web of a few pages on one loopback port, made by the test itself.

    with SmallWeb({"/": page("Home", "words", [("/a", "anchor")])}) as web:
        crawl(web.url("/"), folder, "--depth", "1")
        web.asked                              # [(path, headers), ...] without robots.txt

A page is bytes of HTML, a function of the request's headers, or (status, headers, body)."""
import http.server
import json
import os
import socket
import threading

from scenario import run

QUICK = ["-w", "0", "--ip-delay", "0", "--ip-conns", "100", "--allow-private", "-j",
         "--set", "ledger.disk-reserve=0", "--set", "pace.backoff=100ms"]


def page(title: str, text: str, links=(), more: str = "") -> bytes:
    anchors = "".join(f'<p><a href="{to}">{words}</a></p>' for to, words in links)
    return (f"<!DOCTYPE html><meta charset=utf-8><title>{title}</title>{more}<p>{text}</p>"
            f"{anchors}").encode()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # one write an answer: no delayed acknowledgement between head and body

    def do_GET(self):  # the name that http.server looks for
        web = self.server.web
        with web.lock:
            if self.path != "/robots.txt":
                web.asked.append((self.path, dict(self.headers)))
        got = web.pages.get(self.path)
        if callable(got):
            got = got(self.headers)
        if got is None:
            got = (404, {"Content-Type": "text/html"}, b"<p>nothing")
        if isinstance(got, bytes):
            got = (200, {"Content-Type": "text/html; charset=utf-8"}, got)
        status, headers, body = got
        with web.lock:
            web.body_bytes += len(body)
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.send_body(web, body)

    def send_body(self, web, body):
        """Counts what the kernel took, which ends where the crawler hangs up."""
        try:
            for at in range(0, len(body) or 1, 1 << 16):
                self.wfile.write(body[at:at + (1 << 16)])
                self.wfile.flush()
                with web.lock:
                    web.sent_bytes += len(body[at:at + (1 << 16)])
        except ConnectionError:
            self.close_connection = True

    def setup(self):
        super().setup()
        if self.server.web.send_buffer:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.server.web.send_buffer)

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # the crawler has hung up
            pass

    def finish(self):
        try:
            super().finish()
        except ConnectionError:
            pass

    def log_message(self, *_):
        pass


class SmallWeb:
    def __init__(self, pages: dict, address=("127.0.0.1", 0), send_buffer: int = 0):
        self.send_buffer = send_buffer  # of a connection, in the kernel; 0: the kernel's choice
        self.pages, self.asked, self.body_bytes, self.sent_bytes = pages, [], 0, 0
        self.lock = threading.Lock()
        self.server = http.server.ThreadingHTTPServer(address, _Handler)
        self.server.daemon_threads = True
        self.server.web = self
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"

    def paths(self) -> list:
        return [path for path, _ in self.asked]


class Left:
    """What a crawl left in its directory, and its last words (--json) as `numbers`."""

    def __init__(self, folder: str, done):
        self.folder, self.done = folder, done
        self.numbers = json.loads(done.err.splitlines()[-1]) if done.err.strip() else {}

    def lines(self, *path) -> list:
        name = os.path.join(self.folder, *path)
        if not os.path.exists(name):
            return []
        with open(name, encoding="utf-8") as f:
            return f.read().splitlines()

    def log(self) -> dict:
        """{path: (code, annotations)} of the last line about it."""
        rows = (line.split(None, 11) for line in self.lines("logs", "crawl.log"))
        return {"/" + r[3].split("/", 3)[3]: (int(r[1]), r[11].split(",")) for r in rows}

    def index(self) -> list:
        return [json.loads(line.split(" ", 2)[2]) for line in self.lines("indexes", "parts", "index.cdxj")]

    def archived(self) -> set:
        paths = {"/" + e["url"].split("/", 3)[3] for e in self.index()}
        return paths - {"/robots.txt"}


def crawl(seeds, folder: str, *options, code: int = 0) -> Left:
    out = os.path.join(folder, "crawl")
    os.makedirs(folder, exist_ok=True)
    seeds = [seeds] if isinstance(seeds, str) else seeds
    done = run(["crawl", "-o", out, *QUICK, *options, *seeds], seconds=120)
    assert done.code == code, (done.code, done.err[-2000:])
    return Left(out, done)
