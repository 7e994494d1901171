# SPDX-License-Identifier: Apache-2.0
"""simweb: starts the simulated web for a test and asks its witness.

    with Simweb("--hosts", "10") as web:
        web.get("http://www.heron0.test/")         # a plain client, see there
        report = web.report()

Ports are the kernel's choice; everything lives in a folder of its own and ends with the block."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build/simweb/simweb"
START_SECONDS = 60


class Simweb:
    def __init__(self, *options, command="serve"):
        self.folder = tempfile.mkdtemp(prefix="simweb-")
        ports = ["--http-port", "0", "--https-port", "0", "--dns-port", "0", "--control-port", "0"]
        self.errors = open(os.path.join(self.folder, "stderr"), "wb+")
        self.process = subprocess.Popen([PROGRAM, command, "--dir", self.folder, *ports, *options],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=self.errors)
        try:
            self._wait()
        except Exception:
            self.close()
            raise

    def _wait(self):
        path = os.path.join(self.folder, "run.json")
        end = time.monotonic() + START_SECONDS
        while not os.path.exists(path):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("simweb did not start: " + self.stderr())
            time.sleep(0.02)
        with open(path, encoding="utf-8") as f:
            self.run = json.load(f)
        self.http_port = self.run["http_port"]
        self.https_port = self.run["https_port"]
        self.dns = self.run["dns"]
        self.control = self.run["control"]
        self.token = self.run["token"]
        self.ca = os.path.join(self.folder, "ca.pem")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends it; a crash or a sanitizer's complaint fails the test."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        text = self.stderr()
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        if code not in (0, 143) and sys.exc_info()[0] is None:
            raise RuntimeError(f"simweb ended with {code}: {text[-4000:]}")

    def stderr(self) -> str:
        self.errors.flush()
        with open(self.errors.name, "rb") as f:
            return f.read().decode("utf-8", "replace")

    def ask(self, path: str, method: str = "GET") -> bytes:
        """The control port, with the token."""
        host, port = self.control.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        connection.request(method, path, headers={"Authorization": "Bearer " + self.token})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"control {path}: {answer.status} {body[:300]!r}")
        return body

    def report(self, query: str = "") -> dict:
        return json.loads(self.ask("/_sim/report" + ("?" + query if query else "")))

    def verdicts(self) -> dict:
        return {f["id"]: f for f in self.report()["faults"]}

    def oracle(self, seed_url: str, scope: str = "any", *options) -> dict:
        """{url: (class, why)} as `simweb oracle` prints it for this very web."""
        out = subprocess.run([PROGRAM, "oracle", "--dir", self.folder, "--seed-url", seed_url,
                              "--scope", scope, *options], capture_output=True, text=True,
                             timeout=300, check=True).stdout
        rows = (line.split("\t") for line in out.splitlines())
        return {row[1]: (row[0], row[2] if len(row) > 2 else "") for row in rows}

    def names(self) -> "Names":
        return Names(self.dns)

    def address(self, host: str) -> str:
        return Names(self.dns).a(host)[0]

    def get(self, url: str, headers: dict = None, timeout: float = 20.0):
        """One polite request on a connection of its own: (status, headers, body)."""
        parts = urllib.parse.urlsplit(url)
        address = self.address(parts.hostname)
        connection = http.client.HTTPConnection(address, parts.port or 80, timeout=timeout)
        path = url.split(parts.netloc, 1)[1] or "/"
        try:
            connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": parts.netloc, "Connection": "close", **(headers or {})}.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def fault(self, number: int, path: str, label: str = "", scheme: str = "http") -> str:
        """The URL of a fault's place: web.fault(46, "/page", "nx")."""
        port = self.https_port if scheme == "https" else self.http_port
        return f"{scheme}://{label + '.' if label else ''}f{number:02}.test:{port}{path}"

    def connect(self, host: str, timeout: float = 20.0) -> socket.socket:
        """A plain socket to the host's HTTP port, at the address its DNS gives."""
        return socket.create_connection((self.address(host), self.http_port), timeout=timeout)


class Names:
    """A few lines of DNS client, so that a test sees exactly what the server sent."""

    def __init__(self, server: str):
        host, port = server.rsplit(":", 1)
        self.server = (host, int(port))

    def ask(self, name: str, kind: int = 1, timeout: float = 5.0, tcp: bool = False) -> bytes:
        query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
        for label in name.split("."):
            query += bytes([len(label)]) + label.encode()
        query += b"\x00" + kind.to_bytes(2, "big") + b"\x00\x01"
        if tcp:
            with socket.create_connection(self.server, timeout=timeout) as s:
                s.sendall(len(query).to_bytes(2, "big") + query)
                want = int.from_bytes(_exactly(s, 2), "big")
                return _exactly(s, want)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(timeout)
            s.sendto(query, self.server)
            return s.recv(65535)

    def records(self, name: str, kind: int = 1, **how) -> list:
        """[(type, ttl, data)] of the answer section; A as text, the rest as bytes."""
        answer = self.ask(name, kind, **how)
        count = int.from_bytes(answer[6:8], "big")
        at = _skip_name(answer, 12) + 4
        rows = []
        for _ in range(count):
            at = _skip_name(answer, at)
            what, ttl, size = (int.from_bytes(answer[at:at + 2], "big"),
                               int.from_bytes(answer[at + 4:at + 8], "big"),
                               int.from_bytes(answer[at + 8:at + 10], "big"))
            data = answer[at + 10:at + 10 + size]
            rows.append((what, ttl, socket.inet_ntoa(data) if what == 1 else data))
            at += 10 + size
        return rows

    def rcode(self, name: str, kind: int = 1) -> int:
        return self.ask(name, kind)[3] & 15

    def a(self, name: str) -> list:
        return [data for what, _, data in self.records(name) if what == 1]


def _exactly(s: socket.socket, n: int) -> bytes:
    got = b""
    while len(got) < n:
        piece = s.recv(n - len(got))
        if not piece:
            raise EOFError("the connection ended early")
        got += piece
    return got


def _skip_name(message: bytes, at: int) -> int:
    while message[at]:
        if message[at] & 0xC0:
            return at + 2
        at += 1 + message[at]
    return at + 1
