# SPDX-License-Identifier: Apache-2.0
"""outside: parts in shared objects, built against the installed headers as their authors would."""
import os
import shutil
import subprocess

from scenario import PROGRAM, ROOT, skip


def installed(tmp):
    """The headers where `make install` puts them; a package maintainer would do the same."""
    build = os.path.dirname(PROGRAM)
    meson = shutil.which("meson")
    if not meson or not os.path.exists(os.path.join(build, "build.ninja")):
        skip("part from a shared object (meson or its build folder is absent)")
    root = os.path.join(tmp, "root")
    subprocess.run([meson, "install", "-C", build, "--no-rebuild", "--tags", "devel", "--destdir", root,
                    "--quiet"], check=True, capture_output=True)
    found = {name: folder for folder, _, files in os.walk(root) for name in files}
    assert "part.h" in found and "orbweaver.pc" in found, found
    return root, found["orbweaver.pc"], os.path.dirname(found["part.h"])


def build_example(tmp, name, change=lambda source: source):
    """Builds examples/NAME in `tmp` with its own Makefile; `change` may rewrite its source first. Its wiring's path."""
    root, pc, _ = installed(tmp)
    for file in [f"{name}.c", "Makefile", f"{name}.yaml"]:
        shutil.copy(os.path.join(ROOT, "examples", name, file), tmp)
    source = os.path.join(tmp, f"{name}.c")
    with open(source, encoding="utf-8") as f:
        text = change(f.read())
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "CFLAGS", "DESTDIR")}
    env["PKG_CONFIG_SYSROOT_DIR"] = root
    done = subprocess.run(["make", "-C", tmp, f"PKG_CONFIG_PATH={pc}", "CC=cc", "CFLAGS=-Wall -Wextra -Werror"],
                          check=False, capture_output=True, env=env, text=True)
    assert done.returncode == 0, done.stderr
    return os.path.join(tmp, f"{name}.yaml")
