# SPDX-License-Identifier: Apache-2.0
"""C4: a wiring of small parts in one process and in three: the same lines, whoever is killed; and
what cannot be cut, or joined, is refused in words."""
import os
import socket
import subprocess
import sys
import threading
import time

PROGRAM = os.path.abspath(sys.argv[1])
sys.argv[1:] = ["", PROGRAM]  # where tests/lib/crawl.py looks for it

from places import Places, with_addresses  # noqa: E402
from scenario import ROOT, case, is_closed, main, run, until, write  # noqa: E402

WIRING = """name: three places
places:
  home: 127.0.0.1:1
  left: 127.0.0.1:1
  right: 127.0.0.1:1
providers:
  seen: exact
components:
  lines:
  match: {contains: a, at: left}
  unseen: {at: right}
  write: {file: OUT}
connections:
  - lines -> match -> unseen -> write
"""
OTHERS = ["left", "right"]
WORDS = [f"{i % 700:x} {'abc'[i % 3]}" for i in range(20000)]
EXPECTED = list(dict.fromkeys(w for w in WORDS if "a" in w))


def wiring(tmp, text=WIRING) -> str:
    return text.replace("OUT", os.path.join(tmp, "out.txt"))


class TryPlaces(Places):
    """Of `try wiring`, which takes the file as its word."""

    def start(self, place: str) -> None:
        with open(os.path.join(self.folder, f"{place}.err"), "ab") as err:
            self.running[place] = subprocess.Popen(self.words(place), stdin=subprocess.DEVNULL,
                                                   stdout=subprocess.DEVNULL, stderr=err)

    def words(self, place: str) -> list:
        return [PROGRAM, "try", "wiring", "-q", self.file, "--place", place, "--place-secret", self.secret]


def three(tmp, text=WIRING) -> TryPlaces:
    return TryPlaces(tmp, wiring(tmp, text), OTHERS)


def home(where: TryPlaces) -> subprocess.Popen:
    """Ends with its case, if not before."""
    where.running["home"] = subprocess.Popen(where.words("home"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.PIPE, text=True)
    return where.running["home"]


def written(tmp) -> list:
    with open(os.path.join(tmp, "out.txt"), encoding="utf-8") as f:
        return f.read().splitlines()


def lines(words) -> str:
    return "".join(w + "\n" for w in words)


@case("C4: one process and three write the same lines, in the same order")
def _(tmp):
    path = write(tmp, "one.yaml", with_addresses(wiring(tmp)))
    assert run(["try", "wiring", "-q", path], lines(WORDS), program=PROGRAM).code == 0
    assert written(tmp) == EXPECTED
    os.remove(os.path.join(tmp, "out.txt"))
    with three(tmp) as where:
        done = home(where)
        _, err = done.communicate(lines(WORDS), timeout=120)
        assert done.returncode == 0, (err, [where.said(p) for p in OTHERS])
        assert [where.wait(p) for p in OTHERS] == [0, 0], [where.said(p) for p in OTHERS]
    assert written(tmp) == EXPECTED


for _place in OTHERS:
    @case(f"C4: {_place} is killed and started again while lines come: none is lost")
    def _(tmp, place=_place):
        with three(tmp) as where:
            done = home(where)
            for i, part in enumerate((WORDS[:6000], WORDS[6000:12000], WORDS[12000:])):
                if i:
                    where.end(place)
                feed = threading.Thread(target=lambda part=part: (done.stdin.write(lines(part)), done.stdin.flush()))
                feed.start()
                if i:
                    where.start(place)
                feed.join(120)
                assert not feed.is_alive()
            done.stdin.close()
            assert done.wait(120) == 0, done.stderr.read()
            assert [where.wait(p) for p in OTHERS] == [0, 0]
        assert set(written(tmp)) == set(EXPECTED)


@case("credits hold the source back while another place is away")
def _(tmp):
    with three(tmp, WIRING.replace("  lines:\n", "  lines: {credits: 10}\n")) as where:
        where.end("right")
        done = home(where)
        feed = threading.Thread(target=lambda: done.stdin.write(lines(WORDS * 20)))
        feed.start()  # far more than a pipe holds
        feed.join(1.5)
        assert feed.is_alive(), "everything was read, and ten lines may be under way"
        where.start("right")
        feed.join(120)
        done.stdin.close()
        assert done.wait(120) == 0
    assert written(tmp) == EXPECTED


class Cutter:
    """Stands between two places, and cuts every connection when told to."""

    def __init__(self, to: str):
        self.to = (to.split(":")[0], int(to.split(":")[1]))
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listening.getsockname()[1]}"
        self.open, self.cuts = [], 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                one, _ = self.listening.accept()
                other = socket.create_connection(self.to)
            except OSError:
                time.sleep(0.02)
                continue
            self.open += [one, other]
            for a, b in ((one, other), (other, one)):
                threading.Thread(target=self._carry, args=(a, b), daemon=True).start()

    @staticmethod
    def _carry(a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self):
        gone, self.open = self.open, []
        for s in gone:
            self.cuts += 1
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


@case("C4: connections that are cut again and again are taken up where they were: each line once, in order")
def _(tmp):
    with three(tmp) as where:
        with open(where.file, encoding="utf-8") as f:
            text = f.read()
        right = text.split("right: ")[1].split("\n")[0]
        cutter = Cutter(right)
        where.end("left")
        mine = where.file  # left sees right behind the cutter; the others listen where they did
        where.file = write(tmp, "left.yaml", text.replace(right, cutter.address))
        where.start("left")
        where.file = mine
        done = home(where)
        words = [f"{i} a" for i in range(4000)]
        for at in range(0, len(words), 200):
            done.stdin.write(lines(words[at:at + 200]))
            done.stdin.flush()
            cutter.cut()
            until(lambda at=at: os.path.exists(f"{tmp}/out.txt") and len(written(tmp)) >= at, "lines go on")
        done.stdin.close()
        assert done.wait(120) == 0, done.stderr.read()
        assert where.wait("left") == 0
        where.end("right")  # its last word may have been cut off
        assert cutter.cuts > 5, cutter.cuts
        print(f"# {cutter.cuts} cuts")
    assert written(tmp) == words


def refused(tmp, text, *words) -> None:
    done = run(["check", write(tmp, "bad.yaml", with_addresses(text))], program=PROGRAM)
    assert done.code == 2, done
    for word in words:
        assert word in done.err + done.out, (word, done)


@case("a provider with state is not at two places")
def _(tmp):
    refused(tmp, WIRING.replace("  write: {file: OUT}", "  again: {part: unseen}\n  write: {file: OUT}")
            .replace("unseen -> write", "unseen -> again -> write"),
            "bad.yaml:12:3: components.again: stands at \"home\" and needs provider \"seen\", whose state cannot be at "
            "two places, and unseen needs it at \"right\"; expected at: right")


@case("sources stand at one place")
def _(tmp):
    refused(tmp, WIRING.replace("  write:", "  more: {part: lines, at: left}\n  write:")
            .replace("connections:", "connections:\n  - more -> match"),
            "components.more: is a source at \"left\", and source lines stands at \"home\"", "expected at: home")


@case("the crawl's ledger is not at two places")
def _(tmp):
    with open(os.path.join(ROOT, "wirings", "three-places.yaml"), encoding="utf-8") as f:
        text = f.read()
    refused(tmp, text.replace("  write-warc:\n", "  write-warc: {at: reader}\n"),
            "components.write-warc: stands at \"reader\" and needs provider \"", "expected at: home")


def starts(tmp, *words, mode=0o600, secret="x" * 40):
    path = write(tmp, "w.yaml", with_addresses(wiring(tmp)))
    key = write(tmp, "key", secret)
    os.chmod(key, mode)
    return run(["try", "wiring", path, *[key if w == "KEY" else w for w in words]], program=PROGRAM)


@case("a place that is not there, a secret that is none")
def _(tmp):
    for words, told in ((["--place", "lefd", "--place-secret", "KEY"], "did you mean \"left\"?"),
                        (["--place", "left"], "expected --place-secret FILE"),
                        (["--place", "left", "--place-secret", "/nowhere"], "cannot read /nowhere")):
        done = starts(tmp, *words)
        assert done.code == 2 and told in done.err, done
    done = starts(tmp, "--place", "left", "--place-secret", "KEY", mode=0o644)
    assert done.code == 2 and "expected mode 600" in done.err, done
    done = starts(tmp, "--place", "left", "--place-secret", "KEY", secret="short")
    assert done.code == 2 and "expected 32 to 1024" in done.err, done


@case("another wiring is told so; another secret never gets in")
def _(tmp):
    with three(tmp) as where:
        with open(where.file, encoding="utf-8") as f:
            text = f.read()
        own = where.file
        where.file = write(tmp, "other.yaml", text.replace("unseen -> write", "unseen -> more -> write")
                           .replace("  write:", "  more: {part: match, contains: b}\n  write:"))
        done = home(where)
        _, err = done.communicate("a\n", timeout=60)
        assert done.returncode != 0 and "place left refuses: it has another wiring file" in err, err
        where.file = own
        key = where.secret
        where.secret = write(tmp, "other", "y" * 48)
        os.chmod(where.secret, 0o600)
        done = home(where)
        done.stdin.write("a\n")
        done.stdin.flush()
        time.sleep(1)
        assert done.poll() is None and not os.path.exists(os.path.join(tmp, "out.txt")) or written(tmp) == []
        done.kill()
        done.wait(60)
        where.secret = key
        done = home(where)
        _, err = done.communicate("a\n", timeout=60)
        assert done.returncode == 0, err
    assert written(tmp) == ["a"]


@case("strangers at the door get nothing, and keep nobody out")
def _(tmp):
    with three(tmp) as where:
        with open(where.file, encoding="utf-8") as f:
            host, port = f.read().split("left: ")[1].split("\n")[0].split(":")
        held = []

        def knock():
            try:
                held.append(socket.create_connection((host, int(port)), timeout=5))
                return True
            except OSError:
                return False
        until(knock, "left listens")
        for i in range(100):  # more than there are seats
            assert knock()
            held[-1].sendall(b"GET / HTTP/1.1\r\n\r\n" if i < 20 else b"")
        # for each that comes too much the oldest goes: the last ones are still there
        idle = held[-80:]
        until(lambda: sum(is_closed(s) for s in idle) >= 16, "idle strangers are dropped")
        assert not any(is_closed(s) for s in idle[-8:]), [is_closed(s) for s in idle]
        done = home(where)
        _, err = done.communicate(lines(WORDS), timeout=120)
        assert done.returncode == 0, err
        for s in held:
            s.close()
    assert written(tmp) == EXPECTED


main()
