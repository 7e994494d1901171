# SPDX-License-Identifier: Apache-2.0
"""Building a variation of the project and counting what its tests say. Used by the tiers."""
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@dataclasses.dataclass
class Build:
    folder: str
    compiler: str
    options: list
    linker: str = "lld"  # bfd takes about a sixth of a build for itself
    test_args: list = dataclasses.field(default_factory=list)  # meson test's, when all tests run


AGAIN_MOST = 4  # scenarios of a build that run again; where more fail, the cause is not the machine
SANITIZED = ["-Db_lundef=false", "-Doptimization=1"]
GCC = Build("build", "gcc", ["-Dtests=true", "-Dbench=true"])  # benchmarks are built, not run
ASAN = Build("build-asan", "clang", ["-Db_sanitize=address,undefined"] + SANITIZED)
TSAN = Build("build-tsan", "clang", ["-Db_sanitize=thread"] + SANITIZED)
FUZZ = Build("build-fuzz", "clang", ["-Db_sanitize=address,undefined", "-Dfuzz=true", "-Dtests=false"]
             + SANITIZED)
# With frames, so that tools/bench-steps sees who called; that costs about a percent.
BENCH = Build("build-bench", "gcc", ["-Dbench=true", "-Dtests=false", "-Dc_args=-fno-omit-frame-pointer"],
              linker="bfd")


def say(text: str) -> None:
    print(text, flush=True)


def start_preparing() -> threading.Thread:
    """Brings what tests read and the project does not contain; a failure only means a skip."""
    os.chdir(ROOT)
    thread = threading.Thread(target=bring)
    thread.start()
    return thread


def prepare() -> None:
    start_preparing().join()


def bring() -> None:
    for script in ("tools/get-corpus", "tools/get-warcio", "tools/get-js-wacz", "tools/get-replaywebpage"):
        if os.path.exists(script):
            subprocess.run([script], stdout=subprocess.DEVNULL, check=False)


def build(b: Build) -> bool:
    say(f"== {b.folder}: {b.compiler} {' '.join(b.options)}")
    env = dict(os.environ, CC=b.compiler)
    if shutil.which(f"ld.{b.linker}"):
        env["CC_LD"] = b.linker
    options = b.options + ["-Dwerror=true"]
    if os.path.exists(f"{b.folder}/build.ninja"):
        setup = ["meson", "configure", b.folder] + options
    else:
        setup = ["meson", "setup", b.folder] + options
    if not quiet(setup, env):
        return False
    return quiet(["ninja", "-C", b.folder], env)


def quiet(command: list, env: dict) -> bool:
    """Runs a command and shows what it printed only if it failed."""
    done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode:
        say(done.stdout[-12000:])
        say(f"failed: {' '.join(command)}")
    return done.returncode == 0


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: list = dataclasses.field(default_factory=list)
    sets: list = dataclasses.field(default_factory=list)
    repeated: list = dataclasses.field(default_factory=list)  # failed beside others, and passed alone

    def include(self, part: "Count") -> None:
        self.passed += part.passed
        self.failed += part.failed
        self.skipped += part.skipped
        self.sets += part.sets
        self.repeated += part.repeated


def command(args: list) -> Count:
    """A program that is one test: its exit code decides."""
    good = subprocess.run(args, cwd=ROOT, check=False).returncode == 0
    return Count(passed=int(good), failed=int(not good))


def run(b: Build, tests: list = ()) -> Count:
    """Runs the tests of a build folder, all or some, and counts the cases inside them, not the programs."""
    start(b, 4, tests).wait()
    return count(b)


def run_beside(processes: list) -> list:
    """Runs all tests of several build folders at the same time, of each so many at once: while the last
    tests of one leave a core idle the others use it. Pairs of a build and a number; the counts in that order."""
    running = [start(b, n, b.test_args) for b, n in processes]
    for process in running:
        process.wait()
    return [count(b) for b, _ in processes]


def log_of(b: Build) -> str:
    return f"{b.folder}/meson-logs/testlog.json"


def start(b: Build, processes: int, tests: list = ()) -> subprocess.Popen:
    if os.path.exists(log_of(b)):
        os.unlink(log_of(b))
    args = ["meson", "test", "-C", b.folder, "--no-rebuild", "--num-processes", str(processes), "--quiet", *tests]
    return subprocess.Popen(args, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def count(b: Build) -> Count:
    """What the tests of a build folder have said. Of the scenarios, whose processes share the machine with all
    others, a few that failed run once more, each alone: a machine that stood still in the middle spoils a test, a
    fault of the program shows itself again. The report names them in its last lines. Other tests have one try."""
    programs = read_log(b)
    failed = [name for name, part in programs.items() if part.failed]
    repeated = []
    if 0 < len(failed) <= AGAIN_MOST and all(name.startswith("scenario/") for name in failed):
        say(f"{b.folder}: again, alone: {' '.join(failed)}")
        start(b, 1, failed).wait()
        again = read_log(b)
        for name in failed:
            part = again.get(name, programs[name])
            say(f"{b.folder}: {name} {'failed again' if part.failed else 'passed alone'}")
            if not part.failed:
                repeated.append(f"{b.folder} {name}")
            programs[name] = part
    total = Count(repeated=repeated)
    for part in programs.values():
        total.include(part)
    if not programs:
        say(f"{b.folder}: the tests did not run")
        total.failed = 1
    return total


def read_log(b: Build) -> dict:
    """The count of each test program of the last run."""
    programs = {}
    if os.path.exists(log_of(b)):
        with open(log_of(b), encoding="utf-8", errors="replace") as lines:
            for line in lines:
                result = json.loads(line)
                part = programs.setdefault(result["name"].rpartition(" / ")[2], Count())
                count_program(result, part)
    return programs


def count_program(result: dict, total: Count) -> None:
    out = result.get("stdout", "")
    name = result["name"]
    passed, failed, left_out = 0, [], 0
    for line in out.splitlines():
        case = re.match(r"\s*(not ok|ok)\b\s*\d*\s*(?:- )?(.*)", line)
        if case and "# SKIP" in line.upper():
            left_out += case[1] == "not ok"  # so cmocka says it
        elif case and case[1] == "not ok":
            failed.append(case[2])
        elif case:
            passed += 1
        elif line.startswith("# skipped: "):
            total.skipped.append(line[len("# skipped: "):])
        elif line.startswith("# set "):
            total.sets.append(line[len("# set "):])
    if result["result"] == "SKIP" and not passed:
        if not out.strip():
            total.skipped.append(name)
    elif result["result"] == "FAIL" and left_out and not failed and result.get("returncode") == 0:
        pass  # meson takes cmocka's "not ok … # SKIP" for a failure; the program itself does not
    elif result["result"] not in ("OK", "SKIP") and not failed:
        failed.append(result["result"].lower())
    elif result["result"] == "OK" and not passed and "ok" not in out:
        passed = 1
    total.passed += passed
    total.failed += len(failed)
    if failed:
        say(f"FAILED {name}: {'; '.join(failed)}")
        say(out[-6000:])
        say(result.get("stderr", "")[-6000:])


class Total(Count):
    def __init__(self) -> None:
        super().__init__()

    def failed_build(self, b: Build) -> None:
        say(f"{b.folder}: does not build")
        self.failed += 1

    def add(self, label: str, part: Count) -> None:
        if part.sets and not self.sets:
            for line in sorted(set(part.sets)):
                say(f"set {line}")
        self.include(part)
        say(f"{label}: {part.passed} passed, {part.failed} failed (this build)")

    def report(self) -> int:
        skipped = sorted(set(self.skipped))
        say("skipped: " + ("; ".join(skipped) if skipped else "nothing"))
        if self.repeated:
            say("failed beside other tests, passed alone: " + "; ".join(self.repeated))
        say(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


if __name__ == "__main__":
    sys.exit("tests.py is a module; run tools/check, tools/soak or tools/fuzz")
