# SPDX-License-Identifier: Apache-2.0
"""sink: an archive machine on loopback, and a way to it that can be cut at any byte.

    with Sink(folder, "a1") as sink:             # sink init, sink listen
        crawl(url, folder, "--sink", sink.login("a1"))
        sink.kill(); sink.start()
        sink.archives()                          # {name: bytes}

    with Gate(sink.port, after=100_000) as gate: # passes so many bytes to the machine, then holds
        login = gate.login(sink, "a1")
        gate.is_shut.wait(60)
        gate.open()                              # passes everything from now on
"""
import os
import re
import select
import signal
import socket
import subprocess
import threading

from scenario import PROGRAM, run

SECONDS = 60


class Sink:
    def __init__(self, folder: str, *agents, options=("--disk-reserve", "0")):
        self.dir, self.options, self.process, self.port = os.path.join(folder, "sink"), list(options), None, 0
        self.err, self.before = os.path.join(folder, "sink.err"), []
        self.root = ""  # in front of paths, if the machine has a file system of its own
        os.makedirs(folder, exist_ok=True)
        done = run(["sink", "init", self.dir, "--agents", ",".join(agents)])
        assert done.code == 0, done.err

    def start(self) -> "Sink":
        """The same port again after the first time."""
        with open(self.err, "ab") as err:
            begin = err.tell()
            self.process = subprocess.Popen(
                [*self.before, PROGRAM, "sink", "listen", "-v", self.dir, "--listen", f"127.0.0.1:{self.port}",
                 *self.options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        for _ in range(SECONDS * 20):
            found = re.search(r"listening on port (\d+)", self.said(begin))
            if found:
                self.port = int(found[1])
                return self
            assert self.process.poll() is None, self.said(begin)
            try:
                self.process.wait(0.05)
            except subprocess.TimeoutExpired:
                pass
        raise AssertionError("the archive machine does not listen")

    def said(self, begin: int = 0) -> str:
        with open(self.err, encoding="utf-8", errors="replace") as f:
            f.seek(begin)
            return f.read()

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(SECONDS)

    def kill(self) -> None:
        assert self.end(signal.SIGKILL) == -signal.SIGKILL

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end(signal.SIGKILL)

    def login(self, agent: str, port: int = 0, secret: str = "", name: str = "") -> str:
        """Path of a login: for the machine's port now, or a gate's; as it was made, or forged."""
        with open(os.path.join(self.dir, "sink", agent + ".login"), encoding="utf-8") as f:
            text = f.read()
        text = re.sub(r"server: .*", f"server: 127.0.0.1:{port or self.port}", text)
        if secret:
            text = re.sub(r"secret: .*", f"secret: {secret}", text)
        if name:
            text = re.sub(r"agent: .*", f"agent: {name}", text)
        path = os.path.join(os.path.dirname(self.dir), f"{name or agent}-{port or self.port}{secret[:4]}.login")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def files(self, *path) -> dict:
        folder = os.path.join(self.root + self.dir, *path)
        got = {}
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            with open(os.path.join(folder, name), "rb") as f:
                got[name] = f.read()
        return got

    def archives(self) -> dict:
        return self.files("archive")

    def parts(self) -> dict:
        return {n: b for n, b in self.files("indexes", "parts").items() if n != "index.cdxj"}


class Gate:
    """Connections go through it to a port; once `after` bytes have gone there in all, it holds them."""

    def __init__(self, port: int, after: int):
        self.port, self.left, self.ends = port, after, False
        self.is_shut, self.lock, self.pairs = threading.Event(), threading.Lock(), []
        self.ear = socket.create_server(("127.0.0.1", 0))
        self.threads = [threading.Thread(target=self._accept, daemon=True)]

    def __enter__(self):
        self.threads[0].start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.ear.close()
        self.cut()
        for thread in self.threads:
            thread.join(SECONDS)

    def login(self, sink: Sink, agent: str) -> str:
        return sink.login(agent, self.ear.getsockname()[1])

    def open(self, more: int = 1 << 60) -> None:
        """So many bytes more may pass."""
        with self.lock:
            self.left += more
            self.is_shut.clear()

    def cut(self) -> None:
        """Connections that are there end."""
        with self.lock:
            for one in self.pairs:
                for s in one:
                    s.close()
            self.pairs = []

    def _accept(self):
        while not self.ends:
            if not select.select([self.ear], [], [], 0.1)[0]:
                continue
            try:
                here = self.ear.accept()[0]
            except OSError:
                return
            try:
                there = socket.create_connection(("127.0.0.1", self.port), 5)
            except OSError:
                here.close()
                continue
            with self.lock:
                self.pairs.append((here, there))
            thread = threading.Thread(target=self._carry, args=(here, there), daemon=True)
            self.threads.append(thread)
            thread.start()

    def _room(self) -> int:
        with self.lock:
            if self.left <= 0:
                self.is_shut.set()
            return min(max(self.left, 0), 1 << 16)

    def _step(self, here, there) -> bool:
        room = self._room()
        ready = select.select([there] + ([here] if room else []), [], [], 0.05)[0]
        for one in ready:
            data = one.recv(room if one is here else 1 << 16)
            if not data:
                return False
            (there if one is here else here).sendall(data)
            if one is here:
                with self.lock:
                    self.left -= len(data)
        return True

    def _carry(self, here, there):
        try:
            while not self.ends and self._step(here, there):
                pass
        except (OSError, ValueError):  # closed by cut(), or by the other end
            pass
        here.close()
        there.close()
