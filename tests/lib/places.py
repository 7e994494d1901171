# SPDX-License-Identifier: Apache-2.0
"""places: one wiring, cut over processes on this machine (docs/remote.md).

    with Places(folder, wiring, ["fetcher", "reader"], options) as places:
        places.options("home")              # what the crawl itself is started with

Addresses are free ones of the loopback. Processes are ended by their own id."""
import os
import re
import secrets
import signal
import socket
import subprocess

from crawl import ORBWEAVER, SECONDS


def free_address() -> str:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{s.getsockname()[1]}"


def with_addresses(text: str) -> str:
    """The wiring, with each address of its places another one that is free."""
    return re.sub(r"127\.0\.0\.1:\d+", lambda _: free_address(), text)


class Places:
    def __init__(self, folder: str, wiring: str, others: list, options=()):
        self.folder, self.others, self.given = folder, others, list(options)
        self.file = os.path.join(folder, "places.yaml")
        self.secret = os.path.join(folder, "secret")
        self.running = {}
        with open(self.file, "w", encoding="utf-8") as f:
            f.write(with_addresses(wiring))
        with open(os.open(self.secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as f:
            f.write(secrets.token_hex(24) + "\n")

    def options(self, place: str) -> list:
        return ["--wiring", self.file, "--place", place, "--place-secret", self.secret]

    def start(self, place: str) -> None:
        assert place not in self.running
        with open(os.path.join(self.folder, f"{place}.err"), "ab") as err:
            self.running[place] = subprocess.Popen(
                [ORBWEAVER, "crawl", *self.options(place), *self.given], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)

    def end(self, place: str, number: int = signal.SIGKILL) -> int:
        process = self.running.pop(place)
        process.send_signal(number)
        return process.wait(SECONDS)

    def wait(self, place: str) -> int:
        """It ends by itself; its exit code."""
        return self.running.pop(place).wait(SECONDS)

    def said(self, place: str) -> str:
        with open(os.path.join(self.folder, f"{place}.err"), encoding="utf-8", errors="replace") as f:
            return f.read()

    def __enter__(self):
        for place in self.others:
            self.start(place)
        return self

    def __exit__(self, *_):
        for place in list(self.running):
            self.end(place)
