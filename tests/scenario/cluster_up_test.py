# SPDX-License-Identifier: Apache-2.0
"""`orbweaver cluster up`: server and agents of one crawl on this machine by one command (D1). argv[1] is
simweb, argv[2] orbweaver."""
import contextlib
import json
import os
import signal
import subprocess

import scenario
from agents import PATIENT
from crawl import NETWORKS, ORBWEAVER, QUICK, same_set, wanted, witnessed
from nats_server import SERVER, wipe_store
from scenario import case, main, run, skip, until
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER
SECONDS = 200
WEB = ["--hosts", "14", "--pages", "25", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k", "--latency-least",
       "5ms", "--latency-most", "40ms"]


def command(web, folder, *options):
    if not SERVER:
        skip("nats-server (absent)")
    return [ORBWEAVER, "cluster", "up", "-o", folder, *options, "--", "--resolver", web.dns,
            f"--allow-private={NETWORKS}", "--ca-file", web.ca, "--scope", "any", *QUICK, "-w", "50ms",
            web.run["home"]]


@contextlib.contextmanager
def running(words):
    """It is ended by its own id if it does not end itself."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(SECONDS)
        process.stderr.close()


def asked(web):
    return web.report()["requests"]


def children(pid):
    """Its children by name: an agent's is behind --agent, the server's is nats-server."""
    found = {}
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        pids = f.read().split()
    for child in pids:
        with contextlib.suppress(OSError), open(f"/proc/{child}/cmdline", encoding="utf-8") as f:
            words = f.read().split("\0")
            if "--agent" in words:
                found[words[words.index("--agent") + 1]] = int(child)
            elif words[0] == "nats-server":
                found["nats-server"] = int(child)
    return found


@case("^C stops all in order, and the folder alone goes on to the end; the same command finds it finished")
def _(tmp):
    folder = os.path.join(tmp, "up")
    with Simweb(*WEB) as web:
        words = command(web, folder, "--agents", "2")
        with running(words) as first:
            until(lambda: asked(web) > 100 or first.poll() is not None, "it crawls")
            first.send_signal(signal.SIGINT)
            code, said = first.wait(SECONDS), first.stderr.read()
            assert code == 130 and "the same command resumes" in said, (code, said)
        stopped = asked(web)
        done = subprocess.run(words[:words.index("--agents")], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
        assert done.returncode == 0 and b"finished: " in done.stderr, done
        same_set(web, web.oracle(web.run["home"], "any"))
        print(f"# {stopped} requests before the stop, {asked(web)} in all")
        said = run(["url", folder, web.run["home"]])
        assert said.code == 0 and "state    fetched" in said.out and "archive/" in said.out, said
        for where, wanted_code, note in ((folder, 0, ""), (folder + "/a1", 0, "belongs to one agent of a cluster"),
                                         (folder + "/post", 2, "is the operator's folder of a cluster")):
            said = run(["seeds", "list", where])
            assert said.code == wanted_code and note in said.err, said
            assert where != folder or said.out == f"200\t{web.run['home']}\t200 OK\n", said
        last = asked(web)
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
        assert done.returncode == 0 and b"finished: " in done.stderr and asked(web) == last, done


@case("an agent and the server that are killed are started again, and the crawl is whole")
def _(tmp):
    with Simweb(*WEB) as web, running(command(web, os.path.join(tmp, "up"), "--agents", "2")) as up:
        until(lambda: asked(web) > 100 or up.poll() is not None, "it crawls")
        os.kill(children(up.pid)["a2"], signal.SIGKILL)
        until(lambda: asked(web) > 200 or up.poll() is not None, "it crawls on")
        os.kill(children(up.pid)["nats-server"], signal.SIGKILL)
        code, said = up.wait(SECONDS), up.stderr.read()
        assert code == 0, said
        assert "a2 was killed (signal 9); it is started again" in said and "nats-server has ended" in said, said
        seen, must = witnessed(web), wanted(web.oracle(web.run["home"], "any"))
        assert not must - set(seen), must - set(seen)
        again = [u for u, n in seen.items() if n > 1]
        assert len(again) <= 14, again  # what was open at the kill: one a host


@case("the server is killed and its store wiped: the streams are made again, and nothing is lost or asked twice")
def _(tmp):
    folder = os.path.join(tmp, "up")
    with Simweb(*WEB) as web, running(command(web, folder, "--agents", "2", *PATIENT)) as up:
        until(lambda: asked(web) > 100 or up.poll() is not None, "it crawls")
        os.kill(up.pid, signal.SIGSTOP)  # so that the server is not back before its store is gone
        os.kill(children(up.pid)["nats-server"], signal.SIGKILL)
        until(lambda: "nats-server" not in children(up.pid), "the server is gone")
        wipe_store(os.path.join(folder, "post"))
        os.kill(up.pid, signal.SIGCONT)
        code, said = up.wait(SECONDS), up.stderr.read()
        assert code == 0 and "nats-server has ended" in said, (code, said)
        same_set(web, web.oracle(web.run["home"], "any"))
        assert "streams that its store had lost are made again" in said, said


@case("a seed told to all agents that names a metadata address is refused by whoever owns it")
def _(tmp):
    folder, metadata = os.path.join(tmp, "up"), "http://169.254.169.254/latest/meta-data/"
    with Simweb(*WEB) as web, running(command(web, folder, "--agents", "2")) as up:
        until(lambda: asked(web) > 50 or up.poll() is not None, "it crawls")
        assert run(["seeds", "add", folder, metadata]).code == 0
        code, said = up.wait(SECONDS), up.stderr.read()
        assert code == 0, said
        said = run(["url", folder, metadata])
        assert said.code == 0 and "state    refused" in said.out, said


@case("who ends by itself has a reason: it is said, and the command fails")
def _(tmp):
    folder = os.path.join(tmp, "up")
    with Simweb(*WEB) as web:
        words = command(web, folder, "--agents", "2")
        with running([*words[:-1], "--no-such-option", words[-1]]) as up:
            code, said = up.wait(SECONDS), up.stderr.read()
            assert code == 2 and "agent a1 ended with 2: see " in said and "/a1.log; the others continue" in said, (code, said)


@case("a greater --agents makes the crawl grow, behind a limit that was reached and by the settings that are kept")
def _(tmp):
    folder = os.path.join(tmp, "up")
    with Simweb(*WEB) as web:
        with running([*command(web, folder, "--agents", "1"), "-n", "60"]) as up:
            assert up.wait(SECONDS) == 0, up.stderr.read()
        assert sum(witnessed(web).values()) == 60, witnessed(web)
        with running([ORBWEAVER, "cluster", "up", "-o", folder, "--agents", "3"]) as up:
            code, said = up.wait(SECONDS), up.stderr.read()
            assert code == 0 and "by 3 agents" in said, (code, said)
            assert "the limit pages: 60 was reached" in said, said
        same_set(web, web.oracle(web.run["home"], "any"))
        with open(os.path.join(folder, "post", "plan.json"), encoding="utf-8") as f:
            assert len(json.load(f)["agents"]) == 3
        fewer = subprocess.run(command(web, folder, "--agents", "2"), capture_output=True, check=False, timeout=SECONDS)
        assert fewer.returncode == 2 and b"drain" in fewer.stderr, fewer


main(threads=2)
