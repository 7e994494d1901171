# SPDX-License-Identifier: Apache-2.0
"""Running a crawler on a web of our own and seeing what it cost. Used by the tools bench-*.

CPU is the crawler's alone; what was asked for is counted by the server; everything kept goes to a
folder in memory, so that no disk is measured."""
import contextlib
import dataclasses
import importlib.machinery
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOOLS = os.path.dirname(os.path.abspath(__file__))
NGINX = "/usr/sbin/nginx"

# Everything on but waiting: the web is ours and on loopback.
ORBWEAVER = ["crawl", "--scope", "any", "--delay", "0", "--ip-delay", "0", "--quiet",
             "--allow-private=127.0.0.0/8", "-o", "{out}"]


@dataclasses.dataclass
class Crawler:
    name: str
    keeps: str
    command: list  # {seed} and {out}, a folder of its own, are put in
    goal: float = 0  # of the floor of its web; 0: none
    web: str = "plain"  # or "encoded": the server offers gzip


@dataclasses.dataclass
class Row:
    crawler: Crawler
    cpu_us: float
    rate: float
    peak_mb: float
    found: int
    twice: int
    other: int
    note: str


def tool(name: str):
    """Another of the tools as a module, for its functions."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.path.join(TOOLS, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


def use_build(build: str) -> None:
    """From here on tests/lib can be imported, and runs the programs of this build."""
    sys.path.insert(0, os.path.join(os.path.dirname(TOOLS), "tests", "lib"))
    import scenario
    import simweb
    scenario.PROGRAM, simweb.PROGRAM = f"{build}/orbweaver", f"{build}/simweb/simweb"


def missing(crawler: Crawler) -> str:
    """Why it cannot run here, or nothing."""
    program = crawler.command[0]
    if not shutil.which(program):
        return f"{os.path.basename(program)} is not installed"
    if crawler.command[1] == "crawl":
        usage = subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout
        if not any(line.split()[:1] == ["crawl"] for line in usage.splitlines()):
            return "orbweaver has no command `crawl` yet"
    return ""


class Server:
    """nginx on a new synthetic web, and what it was asked for."""

    def __init__(self, folder: str, pages: int, *options):
        self.folder = folder
        done = subprocess.run([os.path.join(TOOLS, "make-web"), folder, f"--pages={pages}", *options],
                              capture_output=True, text=True, check=True)
        self.described = done.stdout.strip()
        with open(f"{folder}/urls", encoding="ascii") as f:
            self.urls = f.read().split()
        self.process = subprocess.Popen([NGINX, "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
        self.wait_for(f"{folder}/pid")

    def wait_for(self, path: str) -> None:
        for _ in range(200):
            if os.path.exists(path):
                return
            time.sleep(0.05)
        raise SystemExit(f"nginx does not start: see {self.folder}/error.log")

    def take_requests(self) -> list:
        """Every (status, URL) asked for since the last time."""
        log = f"{self.folder}/requests"
        os.rename(log, log + ".old")
        self.process.send_signal(signal.SIGUSR1)
        self.wait_for(log)
        time.sleep(0.3)  # the worker empties its buffer into the old file when it opens the new one
        with open(log + ".old", encoding="utf-8", errors="replace") as f:
            return [tuple(line.rstrip("\n").split(" ", 1)) for line in f]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGQUIT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait(10)


def peak_kb(pid: int) -> int:
    """The peak of the program itself: what wait4 says includes this program before it became that one."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as f:
            return next((int(line.split()[1]) for line in f if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def run(command: list, limit_s: float) -> tuple:
    """Seconds, rusage, peak KB, and why it did not end well."""
    start, peak, note = time.monotonic(), 0, ""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        peak = max(peak, peak_kb(process.pid))
        if not note and time.monotonic() - start > limit_s:
            note = f"stopped after {limit_s:.0f} s"
            process.kill()
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - start, usage, peak, note


def measure(crawler: Crawler, server: Server, folder: str, limit_s: float) -> Row:
    out = os.path.join(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    server.take_requests()
    seconds, usage, peak, note = run([a.format(seed=server.urls[0], out=out) for a in crawler.command], limit_s)
    asked = server.take_requests()
    good = [url for status, url in asked if status == "200"]
    found = len(set(good) & set(server.urls))
    pages = max(len(good), 1)
    shutil.rmtree(out, ignore_errors=True)
    return Row(crawler, (usage.ru_utime + usage.ru_stime) * 1e6 / pages, len(good) / seconds, peak / 1024,
               found, len(good) - len(set(good)), len(asked) - len(good), note)


def show_head() -> None:
    print(f"{'crawler':26} {'keeps':8} {'CPU-us/page':>11} {'pages/s':>8} {'peak MB':>8} {'found':>7} {'twice':>6}"
          f" {'other':>6}", flush=True)


def show(row: Row) -> None:
    print(f"{row.crawler.name:26} {row.crawler.keeps:8} {row.cpu_us:11.0f} {row.rate:8.0f} {row.peak_mb:8.0f}"
          f" {row.found:7} {row.twice:6} {row.other:6}  {row.note}".rstrip(), flush=True)


@contextlib.contextmanager
def folder_in_memory(name: str):
    """A folder that goes away again; what programs remember goes there, not to the user's own."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix=f"{name}-", dir=memory)
    os.chmod(folder, 0o755)  # started by root, nginx's worker is somebody else
    os.environ.update(HOME=folder, TMPDIR=folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
