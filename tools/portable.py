#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The portable tests: pure libraries, wire formats and disk formats on other processors, s390x
(big-endian) and arm64, built by Debian's cross compilers and run under qemu-user.

    tools/portable.py [s390x] [arm64]

tests/portable.txt names the tests that are left out. What cannot be brought is a skip with its reason."""
import dataclasses
import fnmatch
import json
import os
import platform
import shutil
import subprocess
import sys

import tests

PROCESSORS = {"s390x": "s390x", "arm64": "aarch64"}  # Debian's name and the kernel's
LIST = "tests/portable.txt"
# Little optimisation and no debug information: half of the time is the compiler's.
OPTIONS = ["-Doptimization=1", "-Ddebug=false", "-Dwerror=true"]
SLOWER = 10  # times a test's limit in seconds


def left_out() -> dict:
    """Patterns of names, and why."""
    with open(os.path.join(tests.ROOT, LIST), encoding="utf-8") as lines:
        rows = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    return {pattern: why.strip() for pattern, why in rows}


def select(folder: str) -> list:
    """The tests of a build folder that run, as meson describes them. Fails for a row that fits none."""
    said = subprocess.run(["meson", "introspect", "--tests", folder], cwd=tests.ROOT, capture_output=True, check=True)
    known = [t for t in json.loads(said.stdout) if {"orbweaver:unit", "orbweaver:conform"} & set(t["suite"])]
    rows = left_out()
    stale = [p for p in rows if not fnmatch.filter([t["name"] for t in known], p)]
    if stale:
        raise LookupError(f"{LIST}: no test is called {', '.join(stale)}; write its new name or remove the row")
    return [t for t in known if not any(fnmatch.fnmatchcase(t["name"], p) for p in rows)]


def targets(folder: str, chosen: list) -> list:
    inside = os.path.join(tests.ROOT, folder) + os.sep
    return sorted({word[len(inside):] for t in chosen for word in t["cmd"] if word.startswith(inside)})


def is_older(path: str, than: str) -> bool:
    return not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(than)


def build(processor: str, sysroot: str) -> tests.Build:
    """Builds the test programs alone. None if that failed."""
    b = tests.Build(f"build-{processor}", f"{PROCESSORS[processor]}-linux-gnu-gcc", OPTIONS)
    tests.say(f"== {b.folder}: {b.compiler} {' '.join(b.options)}")
    env = dict(os.environ)
    cross = f"{sysroot}/cross.ini"
    if is_older(f"{tests.ROOT}/{b.folder}/build.ninja", cross):
        shutil.rmtree(f"{tests.ROOT}/{b.folder}", ignore_errors=True)  # meson keeps the options of the first setup
        if not tests.quiet(["meson", "setup", b.folder, "--cross-file", cross] + OPTIONS, env):
            return None
    try:
        chosen = select(b.folder)
    except LookupError as problem:
        tests.say(str(problem))
        return None
    if not tests.quiet(["ninja", "-C", b.folder, *targets(b.folder, chosen)], env):
        return None
    names = [t["name"] for t in chosen]
    return dataclasses.replace(b, test_args=["--timeout-multiplier", str(SLOWER), *names])


def builds(total: tests.Total, processors=tuple(PROCESSORS)) -> list:
    """The builds whose tests can run. The total hears of the others: a skip or a failure."""
    ready = []
    for processor in processors:
        if PROCESSORS[processor] == platform.machine():
            continue  # this machine is one: its own builds run these tests
        got = subprocess.run([f"{tests.ROOT}/tools/get-sysroot", processor], capture_output=True, text=True, check=False)
        if got.returncode:
            total.skipped.append(f"portable tests on {processor} ({got.stderr.strip()})")
            continue
        b = build(processor, got.stdout.strip())
        if b:
            ready.append(b)
        else:
            tests.say(f"build-{processor}: does not build")
            total.failed += 1
    return ready


def main() -> int:
    os.chdir(tests.ROOT)
    total = tests.Total()
    ready = builds(total, sys.argv[1:] or tuple(PROCESSORS))
    for b, count in zip(ready, tests.run_beside([(b, 1) for b in ready])):
        total.add(b.folder, count)
    return total.report()


if __name__ == "__main__":
    sys.exit(main())
