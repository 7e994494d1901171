# SPDX-License-Identifier: Apache-2.0
"""pool: a manager and the members of its pool, on loopback (docs/pools.md).

    with Pool(web, folder, "managed", "--scope", "any") as pool:
        pool.start()                        # the manager, in the background
        pool.join("m1"); pool.join("m2")
        assert pool.wait() == 0             # the crawl is done

A member dials by way of a wire of its own, which can be cut. Processes are ended by their own id."""
import os
import signal
import subprocess

from crawl import NETWORKS, ORBWEAVER, SECONDS, Crawl
from cut import Wire
from places import free_address
from scenario import until

# Short, so that a test that waits for `dead` is soon over; long enough for a machine that stands still.
TIMINGS = {"ping": "300ms", "fence": "2s", "abort": "2500ms", "dead": "3500ms", "visit": "60s"}
QUICK = ["-w", "0", "--ip-delay", "0", "--ip-conns", "100", "-q"]


class Pool:
    def __init__(self, web, folder: str, wiring: str, *options, timings=None, sets=(), quick=QUICK, seeds=None, wire=Wire):
        os.makedirs(folder, exist_ok=True)
        self.web, self.folder, self.wiring = web, folder, wiring
        self.address = free_address()
        self.wire_kind = wire
        times = {**TIMINGS, **(timings or {})}
        settings = {**{f"crawlers.{key}": value for key, value in times.items()}, "ledger.restart-wait": times["dead"], **dict(sets)}
        self.crawl = Crawl(web, folder, "--wiring", wiring, "--place", "manager", "--manager", self.address, *quick, *options,
                           quick=False, seeds=seeds, sets=settings)
        self.members, self.wires = {}, {}
        self.ended = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*self.members.values(), self.crawl.process]:
            if process and process.poll() is None:
                process.kill()
                process.wait(SECONDS)
        for wire in self.wires.values():
            wire.close()

    # The manager.

    def start(self) -> None:
        self.crawl.start()
        saved = os.path.join(self.crawl.folder, "orbweaver.yaml")
        until(lambda: os.path.exists(saved) or self.crawl.process.poll() is not None, "the manager's settings")
        assert self.crawl.process.poll() is None, self.crawl.said()

    def wait(self, seconds: int = SECONDS) -> int:
        return self.crawl.process.wait(seconds)

    def lines(self) -> int:
        """Of the log of the running crawl."""
        try:
            with open(os.path.join(self.crawl.folder, "logs", "crawl.log"), "rb") as f:
                return f.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def until_lines(self, count: int) -> None:
        until(lambda: self.lines() >= count or self.crawl.process.poll() is not None, f"{count} lines of the log")

    # Members.

    def key(self, name: str, *options) -> str:
        path = os.path.join(self.crawl.folder, "members", name + ".yaml")
        if not os.path.exists(path):
            self.add(name, *options)
        return path

    def add(self, name: str, *options) -> None:
        subprocess.run([ORBWEAVER, "member", "add", self.crawl.folder, name, "--wiring", self.wiring, *options], check=True,
                       stdout=subprocess.DEVNULL, timeout=SECONDS)

    def wire(self, name: str) -> Wire:
        if name not in self.wires:
            self.wires[name] = self.wire_kind(int(self.address.rsplit(":", 1)[1]))
        return self.wires[name]

    def command(self, name: str, *options) -> list:
        return [ORBWEAVER, "crawl", "-c", self.key(name), "--manager", f"127.0.0.1:{self.wire(name).port}", "-v", *options]

    def join(self, name: str, *options) -> subprocess.Popen:
        with open(os.path.join(self.folder, name + ".err"), "ab") as err:
            self.members[name] = subprocess.Popen(self.command(name, *options), stdin=subprocess.DEVNULL,
                                                  stdout=subprocess.DEVNULL, stderr=err)
        return self.members[name]

    def end(self, name: str, number: int = signal.SIGKILL) -> int:
        process = self.members.pop(name)
        process.send_signal(number)
        return process.wait(SECONDS)

    def wait_member(self, name: str) -> int:
        return self.members.pop(name).wait(SECONDS)

    def said(self, name: str) -> str:
        with open(os.path.join(self.folder, name + ".err"), encoding="utf-8", errors="replace") as f:
            return f.read()

    def story(self) -> str:
        return "\n".join([self.crawl.said(), *(f"-- {n}\n{self.said(n)[-3000:]}" for n in sorted(os.listdir(self.folder))
                                               if n.endswith(".err") for n in [n[:-4]])])
