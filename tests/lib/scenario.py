# SPDX-License-Identifier: Apache-2.0
"""scenario: runs programs as a person would and prints TAP.

    from scenario import case, run, main

    @case("a misspelt command is answered with the nearest one")
    def _(tmp):
        done = run(["chek"])
        assert done.code == 2 and "did you mean" in done.err

    main()

`run` starts build/orbweaver (argv[1] of the script) with a time limit. A case gets a folder of its
own, removed afterwards. `skip(why)` ends a case as skipped, with the line the runner collects.
`main(threads=8)` runs cases side by side, for a file whose cases share nothing and mostly wait."""
import concurrent.futures
import dataclasses
import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build/orbweaver"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_cases = []


class _WholeLines:
    """Standard output for cases that run side by side: print() gives a line and its end in two
    pieces, and somebody else's line must not stand between them."""

    def __init__(self, out):
        self.out = out
        self.lock = threading.Lock()
        self.begun = threading.local()

    def write(self, text):
        whole, end, rest = (getattr(self.begun, "text", "") + text).rpartition("\n")
        self.begun.text = rest
        with self.lock:
            self.out.write(whole + end)
        return len(text)

    def __getattr__(self, name):
        return getattr(self.out, name)


class Skipped(Exception):
    pass


def skip(why: str) -> None:
    print(f"# skipped: {why}")
    raise Skipped(why)


@dataclasses.dataclass
class Done:
    code: int
    out: str
    err: str


def run(args, stdin: str = "", env: dict = None, cwd: str = None, program: str = None,
        seconds: int = 60) -> Done:
    """Ends after `seconds`; standard input is always given, never the terminal's."""
    whole_env = {k: v for k, v in os.environ.items() if not k.startswith("ORBWEAVER_")}
    whole_env.update(env or {})
    done = subprocess.run([program or PROGRAM] + list(args), input=stdin.encode("utf-8", "surrogateescape"),
                          capture_output=True, timeout=seconds, env=whole_env, cwd=cwd, check=False)
    return Done(done.returncode, done.stdout.decode("utf-8", "replace"),
                done.stderr.decode("utf-8", "replace"))


def write(folder: str, name: str, text) -> str:
    path = os.path.join(folder, name)
    data = text if isinstance(text, bytes) else text.encode()
    with open(path, "wb") as f:
        f.write(data)
    return path


def is_closed(connection) -> bool:
    """Whether the other end of a socket has closed it, or reset it."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def until(condition, what, seconds: float = 60):
    """Asks until it is so; what never comes fails the test."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, what
        time.sleep(0.05)


def case(name: str):
    def take(function):
        _cases.append((name, function))
        return function
    return take


def _outcome(number: int, name: str, function) -> str:
    """The lines that say how a case went."""
    with tempfile.TemporaryDirectory() as tmp:
        try:
            function(tmp)
            return f"ok {number} - {name}"
        except Skipped as why:
            return f"ok {number} - {name} # SKIP {why}"
        except Exception:
            return f"not ok {number} - {name}\n# " + traceback.format_exc().replace("\n", "\n# ")


def main(threads: int = 1) -> None:
    failed = 0
    sys.stdout = _WholeLines(sys.stdout)
    print(f"1..{len(_cases)}")
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        numbered = [(number, name, function) for number, (name, function) in enumerate(_cases, 1)]
        for outcome in pool.map(lambda row: _outcome(*row), numbered):
            failed += outcome.startswith("not ok")
            print(outcome, flush=True)
    sys.exit(1 if failed else 0)
