# SPDX-License-Identifier: Apache-2.0
"""D12, the document dump on a network server: archive files go to an archive machine, whatever is killed."""
import contextlib
import glob
import json
import os
import random
import signal
import subprocess

from scenario import PROGRAM, case, is_closed, main, run, skip, until
from sink import Gate, Sink
from small_web import QUICK, SmallWeb, page

PAGES = 60
SMALL_FILES = ["--set", "ledger.warc-size=100k", "--set", "ledger.sync=100ms"]

SLOW = ["-w", "30ms"]  # files get full while others are sent


def web_of(pages: int = PAGES) -> SmallWeb:
    """A chain of pages that compress badly, so that there are several archive files."""
    words = random.Random(7)
    text = [words.randbytes(12_000).hex() for _ in range(pages)]
    return SmallWeb({f"/{i or ''}": page(f"page {i}", text[i], [(f"/{i + 1}", "next")] if i + 1 < pages else [])
                     for i in range(pages)})


def command(web, folder, login, *more) -> list:
    os.makedirs(folder, exist_ok=True)
    return ["crawl", "-o", os.path.join(folder, "crawl"), *QUICK, *SMALL_FILES, "--sink", login, *more, web.url("/")]


def read_all(*path) -> dict:
    got = {}
    for name in glob.glob(os.path.join(*path, "*")):
        with open(name, "rb") as f:
            got[os.path.basename(name)] = f.read()
    return got


def index_lines(text: bytes) -> list:
    assert not text or text.endswith(b"\n")
    return text.splitlines()


def check_arrived(sink: Sink, folder: str, agent: str = "crawl") -> dict:
    """Bytes equal, nothing more and nothing less, each line of the index once; what is there is good."""
    here, there = read_all(folder, agent, "archive"), sink.archives()
    assert here.keys() == there.keys(), (sorted(here), sorted(there))
    assert all(here[name] == there[name] for name in here)
    return check_machine(sink, index_lines(read_all(folder, agent, "indexes", "parts")["index.cdxj"]))


def check_machine(sink: Sink, lines: list) -> dict:
    """What is on the archive machine is whole, and its index is exactly those lines."""
    there, parts = sink.archives(), sink.parts()
    assert sorted(parts) == sorted(name + ".cdxj" for name in there), (sorted(parts), sorted(there))
    arrived = [line for text in parts.values() for line in index_lines(text)]
    assert sorted(arrived) == sorted(lines), (len(arrived), len(lines))
    done = run(["export", "cdxj", sink.dir])
    assert done.code == 0, done.err
    with open(os.path.join(sink.dir, "indexes", "index.cdxj"), "rb") as f:
        assert index_lines(f.read()) == sorted(set(lines))
    for name in there:
        done = run(["try", "warc", os.path.join(sink.dir, "archive", name)])
        assert done.code == 0, done.err
    for line in lines:
        entry = json.loads(line.split(b" ", 2)[2])
        at, n = int(entry["offset"]), int(entry["length"])
        assert there[entry["filename"]][at:at + 2] == b"\x1f\x8b" and at + n <= len(there[entry["filename"]])
    return there


@contextlib.contextmanager
def started(words: list, tmp: str):
    """The program, running; it ends with the block at the latest."""
    with open(os.path.join(tmp, "err"), "ab") as f:
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=f)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(60)


@case("D12: a crawl's archive and index arrive whole, and its end waits for that")
def _(tmp):
    with Sink(tmp, "a1") as sink, web_of() as web:
        done = run(command(web, tmp, sink.login("a1")), seconds=120)
        assert done.code == 0, done.err
        last = json.loads(done.err.splitlines()[-1])
        there = check_arrived(sink, tmp)
        assert len(there) > 3, sorted(there)
        assert last["sink"]["unsent_files"] == 0 and last["sink"]["sent_files"] == len(there), last["sink"]
        again = run(command(web, tmp, sink.login("a1")), seconds=120)
        assert again.code == 0, again.err
        assert len(check_arrived(sink, tmp)) == len(there)
        assert sink.end() == 128 + signal.SIGTERM


@case("D12: two agents send to one machine, and its index is that of both")
def _(tmp):
    with Sink(tmp, "a1", "a2") as sink, web_of(12) as web, web_of(9) as other:
        for name, one in (("a1", web), ("a2", other)):
            done = run(command(one, os.path.join(tmp, name), sink.login(name), "--agent", name), seconds=120)
            assert done.code == 0, done.err
        lines, here = [], {}
        for name in ("a1", "a2"):
            here |= read_all(tmp, name, "crawl", "archive")
            lines += index_lines(read_all(tmp, name, "crawl", "indexes", "parts")["index.cdxj"])
        assert sink.archives() == here
        assert any("-a1." in n for n in here) and any("-a2." in n for n in here), sorted(here)
        check_machine(sink, lines)


def killed_receiver(tmp, after):
    with Sink(tmp, "a1") as sink, web_of() as web, Gate(sink.port, after) as gate:
        with started(command(web, tmp, gate.login(sink, "a1"), *SLOW), tmp) as process:
            assert gate.is_shut.wait(60)
            sink.kill()
            gate.open()
            gate.cut()
            sink.start()
            assert process.wait(120) == 0
        check_arrived(sink, tmp)


def killed_agent(tmp, after, *more):
    with Sink(tmp, "a1") as sink, web_of() as web, Gate(sink.port, after) as gate:
        words = command(web, tmp, gate.login(sink, "a1"), *SLOW, *more)
        with started(words, tmp) as process:
            assert gate.is_shut.wait(60)
            process.kill()
            process.wait(60)
        gate.open()
        gate.cut()
        done = run(words, seconds=120)
        assert done.code == 0, done.err
        return check_arrived(sink, tmp) if not more else check_removed(sink, tmp)


def check_removed(sink, tmp):
    here = read_all(tmp, "crawl", "archive")
    there = check_machine(sink, index_lines(read_all(tmp, "crawl", "indexes", "parts")["index.cdxj"]))
    assert len(here) == 1 and len(there) > 3, (sorted(here), sorted(there))
    serial = lambda name: int(name.split("-")[2])
    assert serial(next(iter(here))) == max(map(serial, there))
    return there


# In the handshake, in the login, within the first file, between two, within a later one.
for where in (300, 1500, 50_000, 150_000, 205_000, 330_000, 420_000, 600_000):
    @case(f"D12: the machine killed when {where} bytes were on their way loses and doubles nothing")
    def _(tmp, after=where):
        killed_receiver(tmp, after)

    @case(f"D12: the agent killed when {where} bytes were on their way loses and doubles nothing")
    def _(tmp, after=where):
        killed_agent(tmp, after)


@case("D12: a connection that is cut again and again goes on where it was")
def _(tmp):
    with Sink(tmp, "a1") as sink, web_of(12) as web, Gate(sink.port, 30_000) as gate:
        with started(command(web, tmp, gate.login(sink, "a1")), tmp) as process:
            for _ in range(6):
                assert gate.is_shut.wait(60)
                gate.cut()
                gate.open(40_000)
            gate.open()
            gate.cut()
            assert process.wait(120) == 0
        check_arrived(sink, tmp)


@case("D12: with sink-remove only the last file stays, and a crawl that was killed resumes")
def _(tmp):
    with Sink(tmp, "a1") as sink, web_of() as web:
        done = run(command(web, tmp, sink.login("a1"), "--sink-remove"), seconds=120)
        assert done.code == 0, done.err
        check_removed(sink, tmp)
    done = run(["crawl", "-o", os.path.join(tmp, "x"), "--sink-remove", "--depth", "2", "http://127.0.0.1/"])
    assert done.code == 2 and "--depth" in done.err, done.err


for where in (150_000, 420_000, 600_000):
    @case(f"D12: with sink-remove, the agent killed when {where} bytes were on their way resumes")
    def _(tmp, after=where):
        killed_agent(tmp, after, "--sink-remove")


@case("nobody is let in with a wrong secret, an unknown name, or a certificate of another authority")
def _(tmp):
    with Sink(tmp, "a1") as sink, Sink(os.path.join(tmp, "other"), "a1") as other, web_of(3) as web:
        wrong = [sink.login("a1", secret="0" * 48), sink.login("a1", name="a2"),
                 other.login("a1", sink.port)]
        for i, login in enumerate(wrong):
            folder = os.path.join(tmp, str(i))
            os.mkdir(folder)
            done = run(command(web, folder, login, "--sink-wait", "1s"), seconds=120)
            assert done.code == 1 and "sink.unsent" in done.err, done.err
            assert ("certificate" if i == 2 else "name and secret") in done.err, done.err
            assert json.loads(done.err.splitlines()[-1])["sink"]["unsent_files"] >= 1
            assert read_all(folder, "crawl", "archive")
        assert not sink.archives() and not other.archives()
        good = sink.login("a1")
        assert run(["sink", "remove", sink.dir, "a1"]).code == 0
        done = run(["sink", "send", os.path.join(tmp, "0", "crawl"), "--sink", good, "--sink-wait", "1s"])
        assert done.code == 1 and "name and secret" in done.err, done.err
        assert run(["sink", "add", sink.dir, "a1"]).code == 0  # counts at once
        done = run(["sink", "send", os.path.join(tmp, "0", "crawl"), "--sink", sink.login("a1")])
        assert done.code == 0, done.err
        check_arrived(sink, os.path.join(tmp, "0"))


@case("without a machine the crawl goes on, says what is unsent, and sink send brings it later")
def _(tmp):
    with Sink(tmp, "a1") as sink, web_of(12) as web:
        login = sink.login("a1")
        sink.kill()
        done = run(command(web, tmp, login, "--sink-wait", "1s"), seconds=120)
        assert done.code == 1 and "sink.unsent" in done.err and "Connection refused" in done.err, done.err
        done = run(["sink", "send", os.path.join(tmp, "crawl"), "--sink", login, "--sink-wait", "1s"])
        assert done.code == 1 and " 0 bytes) are acknowledged" in done.err.replace("(0", " 0"), done.err
        sink.start()
        done = run(["sink", "send", os.path.join(tmp, "crawl"), "--sink", login])
        assert done.code == 0, done.err
        check_arrived(sink, tmp)


@case("a name that is taken by other bytes is refused: both stay as they are, and what is behind it arrives")
def _(tmp):
    with Sink(tmp, "a1") as sink, web_of(12) as web:
        login = sink.login("a1")
        assert run(command(web, tmp, login), seconds=120).code == 0
        there, folder = sink.archives(), os.path.join(tmp, "crawl")
        names = sorted(there)
        with open(os.path.join(folder, "archive", names[0]), "ab") as f:
            f.write(b"more")
        os.remove(os.path.join(folder, "state", "sent"))
        os.remove(os.path.join(sink.dir, "archive", names[-1]))
        done = run(["sink", "send", folder, "--sink", login])
        assert done.code == 1 and names[0] in done.err and "another file has that name" in done.err, done.err
        assert sink.archives() == there


@case("status tells how much is unsent, and why; SIGTERM twice does not wait")
def _(tmp):
    with Sink(tmp, "a1") as sink, web_of() as web:
        login = sink.login("a1")
        sink.kill()
        folder = os.path.join(tmp, "crawl")

        def tells():
            done = run(["status", folder])
            return done.code == 0 and "not yet" in done.out and "Connection refused" in done.out

        def ends():  # two signals at the same moment may be one
            process.send_signal(signal.SIGTERM)
            return process.poll() is not None

        with started(command(web, tmp, login), tmp) as process:
            until(tells, "status tells what is unsent")
            status = json.loads(run(["status", "-j", folder]).out)
            assert status["sink"]["sent_files"] == 0 and "refused" in status["sink"]["trouble"], status["sink"]
            process.send_signal(signal.SIGTERM)
            until(lambda: not glob.glob(os.path.join(folder, "archive", "*.open")), "files are ended")
            assert process.poll() is None
            until(ends, "it ends")
            assert process.wait(60) in (128 + signal.SIGTERM, -signal.SIGTERM)  # behind its end a third kills it


@case("a machine whose disk would be too full takes nothing, and all of it when there is room")
def _(tmp):
    with Sink(tmp, "a1", options=("--disk-reserve", "100000000G")) as sink, web_of(12) as web:
        done = run(command(web, tmp, sink.login("a1"), "--sink-wait", "1s"), seconds=120)
        assert done.code == 1 and "disk is full" in done.err, done.err
        assert not [name for name, data in sink.archives().items() if data or not name.endswith(".part")]
        sink.end()
        sink.options = ["--disk-reserve", "0"]
        sink.start()
        done = run(["sink", "send", os.path.join(tmp, "crawl"), "--sink", sink.login("a1")])
        assert done.code == 0, done.err
        check_arrived(sink, tmp)


@case("a disk that gets full within a file: the agent keeps its files and goes on when there is room")
def _(tmp):
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        skip("a small disk of our own (root, unshare -m)")
    sink = Sink(tmp, "a1")
    kept = os.path.join(tmp, "kept")
    subprocess.run(["cp", "-r", sink.dir, kept], check=True)
    sink.before = ["unshare", "-m", "bash", "-c",
                   f'mount -t tmpfs -o size=300k tmpfs {sink.dir} && cp -r {kept}/sink {sink.dir} && exec "$@"', "bash"]
    with sink, web_of() as web:
        pid = sink.process.pid  # unshare and bash have become it
        sink.root = f"/proc/{pid}/root"
        with started(command(web, tmp, sink.login("a1")), tmp) as process:
            folder = os.path.join(tmp, "crawl")
            until(lambda: "disk is full" in run(["status", folder]).out, "status says that its disk is full")
            subprocess.run(["nsenter", "-t", str(pid), "-m", "mount", "-o", "remount,size=50m", sink.dir], check=True)
            assert process.wait(120) == 0
        there = sink.archives()
        assert there == read_all(tmp, "crawl", "archive")
        lines = index_lines(read_all(tmp, "crawl", "indexes", "parts")["index.cdxj"])
        assert sorted(l for t in sink.parts().values() for l in index_lines(t)) == sorted(lines)


@case("what does not speak the protocol is dropped, and the machine serves on")
def _(tmp):
    import socket
    import ssl
    with Sink(tmp, "a1") as sink, web_of(3) as web:
        context = ssl.create_default_context(cafile=os.path.join(sink.dir, "sink", "authority.crt"))
        for words in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 4096, b"\x05\0\0\0\x02aaaa", b"\0" * 64):
            with socket.create_connection(("127.0.0.1", sink.port), 10) as plain:
                plain.sendall(words)  # no TLS
            with socket.create_connection(("127.0.0.1", sink.port), 10) as plain, \
                    context.wrap_socket(plain, server_hostname="127.0.0.1") as link:
                link.sendall(words)
                got = link.recv(1000)
                assert got[4:6] == b"\x14\x01", got  # REFUSED, BAD
                assert link.recv(1000) == b""
        assert run(command(web, tmp, sink.login("a1")), seconds=120).code == 0
        check_arrived(sink, tmp)


@case("300 idle connections keep no login out: the oldest stranger makes room, and the log stays short")
def _(tmp):
    import socket
    import ssl
    with Sink(tmp, "a1") as sink, web_of(3) as web:
        context = ssl.create_default_context(cafile=os.path.join(sink.dir, "sink", "authority.crt"))
        idle = [socket.create_connection(("127.0.0.1", sink.port), 60) for _ in range(300)]
        with socket.create_connection(("127.0.0.1", sink.port), 60) as plain, \
                context.wrap_socket(plain, server_hostname="127.0.0.1") as link:
            link.sendall(b"\x05\0\0\0\x02aaaa")
            assert link.recv(1000)[4:6] == b"\x14\x01"  # served: REFUSED, BAD
        assert sum(not is_closed(s) for s in idle) <= 16
        assert run(command(web, tmp, sink.login("a1")), seconds=120).code == 0
        check_arrived(sink, tmp)
        for s in idle:
            s.close()
        assert sink.said().count("sink.handshake_failed") <= 20, sink.said()


@case("commands refuse what is not theirs")
def _(tmp):
    assert run(["sink", "init", os.path.join(tmp, "d"), "--host", "not a host"]).code == 2
    assert run(["sink", "init", os.path.join(tmp, "d"), "--agents", "Bad"]).code == 2
    assert run(["sink", "init", os.path.join(tmp, "d")]).code == 2  # it is one already
    assert run(["sink", "add", os.path.join(tmp, "d"), "../x"]).code == 2
    assert run(["sink", "remove", os.path.join(tmp, "d"), "nobody"]).code == 2
    os.mkdir(os.path.join(tmp, "e"))
    assert run(["sink", "listen", os.path.join(tmp, "e")]).code == 2
    assert run(["sink", "listen", os.path.join(tmp, "d"), "--listen", "here"]).code == 2
    assert run(["sink", "add", os.path.join(tmp, "e"), "a1"]).code == 2
    assert run(["sink", "send", os.path.join(tmp, "e"), "--sink", "x"]).code == 2
    for path in glob.glob(os.path.join(tmp, "d", "sink", "*")):
        assert os.stat(path).st_mode & 0o077 == 0, path
    done = run(["crawl", "-o", os.path.join(tmp, "f"), "--sink", os.path.join(tmp, "none"), "http://127.0.0.1/"])
    assert done.code == 2 and "none" in done.err, done.err


main(threads=2)
