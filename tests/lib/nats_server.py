# SPDX-License-Identifier: Apache-2.0
"""nats_server: a cluster's servers on loopback, made by `orbweaver cluster`, and buses that talk to them.

    with Post(tmp, machines=3, agents="a,b,c") as post:
        with Bus(post, "a") as a:
            a.do("append 1 orb.crawl.roster.a 1 hello")
            assert a.done(1)["rc"] == "OK"

Servers are started and ended by their own process id. argv[1] is orbweaver, argv[2] bus_client."""
import json
import os
import queue
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from nats import Client
from scenario import run, skip, until

WAIT_SECONDS = 60
SERVER = shutil.which("nats-server", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/bin")


RESERVED = []  # abstract sockets, one a port, held until this test ends


def reserve(port):
    """False: another test has it, even if its server does not run at the moment."""
    name = socket.socket(socket.AF_UNIX)
    try:
        name.bind(f"\0orbweaver-test-port-{port}")
        with socket.socket() as s:
            s.bind(("127.0.0.1", port))
    except OSError:
        name.close()
        return False
    RESERVED.append(name)
    return True


def free_ports(count):
    """Below those that the kernel gives to connections, and no other test takes them: a server that
    was killed must find its own free when it comes back."""
    ports = []
    while len(ports) < count:
        port = random.randrange(10000, 32000)
        if reserve(port):
            ports.append(port)
    return ports


def wipe_store(folder):
    """Everything that the servers below that folder have kept is gone; none of them runs."""
    stores = [os.path.join(d, "jetstream") for d, inside, _ in os.walk(folder) if "jetstream" in inside]
    assert stores, "the store is not where the test thinks"
    for store in stores:
        shutil.rmtree(store)


class Machine:
    def __init__(self, post, route, client):
        self.post, self.route, self.client = post, route, client
        self.folder = os.path.join(post.dir, f"127.0.0.1-{route}")
        self.process = None
        self.starts = 0  # how often it was ready before

    @property
    def spec(self):
        return f"127.0.0.1:{self.route}:{self.client}"

    def accepts(self):
        """This server, not a stranger at its port: its own log says that it listens."""
        try:
            socket.create_connection(("127.0.0.1", self.client), 1).close()
        except OSError:
            return False
        return self.log().count("Server is ready") > self.starts

    def start(self):
        self.starts = self.log().count("Server is ready")
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen([SERVER, "-c", "nats-server.conf"], cwd=self.folder,
                                            stdout=log, stderr=log)
        until(lambda: self.accepts() or self.process.poll() is not None, "a server starts")
        assert self.process.poll() is None, self.log()

    def end(self, how=signal.SIGKILL):
        if self.process:
            self.process.send_signal(how)
            self.process.wait(WAIT_SECONDS)
            self.process = None

    def log(self):
        path = os.path.join(self.folder, "log")
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()


class Post:
    def __init__(self, tmp, machines=1, agents="a,b", options=(), start=True, timings=()):
        if not SERVER:
            skip("nats-server (absent)")
        self.dir = os.path.join(tmp, "cluster")
        self.timings = timings  # of the roster
        ports = free_ports(2 * machines)
        self.machines = [Machine(self, ports[2 * i], ports[2 * i + 1]) for i in range(machines)]
        self.made = self.orb("init", "--hosts", ",".join(m.spec for m in self.machines), "--agents",
                             agents, "--stream-size", "8M", *options)
        if start:
            self.start()

    def orb(self, command, *words, code=0):
        done = run(["cluster", command, "--dir", self.dir, *words], seconds=120)
        assert done.code == code, (command, words, done)
        return done

    def start(self):
        if not self.timings:  # the roster is the test's to write
            with open(os.path.join(self.dir, "founded"), "w", encoding="utf-8"):
                pass
        try:
            for m in self.machines:
                m.start()
            self.orb("streams", "--wait", "60s", *self.timings)
        except AssertionError as e:
            self.close()
            raise AssertionError([m.log()[-3000:] for m in self.machines]) from e
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for m in self.machines:
            m.end()

    def login_path(self, name):
        for folder in [self.dir] + [m.folder for m in self.machines]:
            path = os.path.join(folder, name + ".login")
            if os.path.exists(path):
                return path
        raise AssertionError("no login of " + name)

    def login(self, name):
        with open(self.login_path(name), encoding="utf-8") as f:
            return json.load(f)

    def client(self, name, half="say", machine=None):
        """A raw connection with somebody's login; to the machine it belongs to, or another."""
        login = self.login(name)
        port = machine.client if machine else int(login["url"].rsplit(":", 1)[1])
        return Client(port, login[half]["user"], login[half]["password"])

    def messages(self, stream):
        """How many a stream holds, as the administrator sees it."""
        with self.client("admin") as admin:
            return admin.request(f"$JS.API.STREAM.INFO.{stream}").json()["state"]["messages"]


class Bus:
    """A bus_client; events are kept until they are asked for."""

    def __init__(self, post, name, timeout_ms=3000, up=True):
        self.process = subprocess.Popen([os.path.abspath(sys.argv[2]), post.login_path(name),
                                         str(timeout_ms)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.events = []
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if up:
            self.wait(lambda e: e["event"] == "up", "up")

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        code = self.close()
        assert kind or code == 0, f"bus_client ended with {code}"

    def close(self):
        self.process.stdin.close()
        try:
            return self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def do(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def take(self):
        while True:
            try:
                self.events.append(self.lines.get_nowait())
            except queue.Empty:
                return

    def wait(self, which, what, seconds=WAIT_SECONDS):
        """The first event that is so, taken out."""
        end = time.monotonic() + seconds
        while True:
            self.take()
            for i, e in enumerate(self.events):
                if which(e):
                    return self.events.pop(i)
            left = end - time.monotonic()
            assert left > 0, (what, self.events[-5:])
            try:
                self.events.append(self.lines.get(timeout=left))
            except queue.Empty:
                pass

    def done(self, ticket):
        """How a ticket ended, or that it could not be begun."""
        return self.wait(lambda e: e["event"] in ("done", "not") and e["ticket"] == ticket,
                         f"ticket {ticket} ends")

    def try_until(self, line, ticket, rc="OK"):
        """Repeats a call until it ends so; what is not there yet is asked for again."""
        end = time.monotonic() + WAIT_SECONDS
        while True:
            self.do(line)
            e = self.done(ticket)
            if e["rc"] == rc:
                return e
            assert e["rc"] in ("AGAIN", "NOT_FOUND"), e
            assert time.monotonic() < end, e
            time.sleep(0.1)
