# SPDX-License-Identifier: Apache-2.0
"""read_only: a command that sees a folder mounted read-only, in a mount namespace of its own. Root is
bound by that, too, unlike by modes."""
import subprocess

from scenario import skip

MOUNT = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


def before(folder: str) -> list:
    """Words to put before a command's; skips the case where there are no namespaces."""
    for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
        words = [*unshare, "sh", "-c", MOUNT, folder]
        probe = ["sh", "-c", 'touch "$0/probe" 2>/dev/null && exit 7 || exit 0', folder]
        if subprocess.run([*words, *probe], capture_output=True, timeout=60, check=False).returncode == 0:
            return words
    return skip("a mount namespace (unshare -m)")
