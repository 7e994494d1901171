# SPDX-License-Identifier: Apache-2.0
"""Wirings as a person uses them: check, run, change the file, add a part of one's own (C1, C2, C3)."""
import os
import re
import shutil
import signal
import subprocess

from outside import build_example, installed
from scenario import PROGRAM, ROOT, case, main, run, write

GREP = """name: grep
components:
  lines:
  match: {contains: cat}
  write:
connections:
  - lines -> match -> write
"""
WORDS = "cat\ndog\nconcat\ncat\n"


def try_wiring(tmp, text, stdin=WORDS, args=()):
    return run(["try", "wiring", *args, write(tmp, "w.yaml", text)], stdin=stdin)


@case("C1 a wiring runs to its end on local input and says what each component did")
def _(tmp):
    done = try_wiring(tmp, GREP)
    assert done.code == 0 and done.out == "cat\nconcat\ncat\n", done
    assert re.search(r"match +4 +4 ", done.err) and re.search(r"write +3 +0 +3", done.err), done.err


@case("C2 removing a part from the file changes what happens")
def _(tmp):
    without = GREP.replace("  match: {contains: cat}\n", "").replace("-> match ", "")
    done = try_wiring(tmp, without)
    assert done.code == 0 and done.out == WORDS, done


@case("C2 replacing the seen provider in the file changes what happens, and nothing is rebuilt")
def _(tmp):
    wiring = """shards: 2
providers: {seen: exact}
components: {lines: , unseen: , write: }
connections:
  - lines -> unseen: {queue: 10, route: hash}
  - unseen -> write: {queue: 10}
"""
    exact = try_wiring(tmp, wiring)
    assert sorted(exact.out.split()) == ["cat", "concat", "dog"], exact
    nothing = try_wiring(tmp, wiring.replace("exact", "nothing"))
    assert sorted(nothing.out.split()) == ["cat", "cat", "concat", "dog"], nothing


@case("C2 the assignment of hosts is a word in the file: every agent has a share, together everything")
def _(tmp):
    with open(os.path.join(ROOT, "wirings", "share-of-urls.yaml"), encoding="utf-8") as f:
        wiring = f.read()
    urls = "".join(f"HTTP://Host{i}.Example:80/?b=2&a=1#top\n" for i in range(300)) + "mailto:x@example.org\n"
    every = sorted(f"http://host{i}.example/?a=1&b=2" for i in range(300))
    shares = {}
    for kind in ["ring", "rendezvous", "modulo"]:
        parts = [try_wiring(tmp, wiring.replace("part: ring", f"part: {kind}").replace("agent: ant", f"agent: {who}"),
                            urls) for who in ["ant", "bee", "cat"]]
        assert all(p.code == 0 and p.out for p in parts), parts
        assert sorted("".join(p.out for p in parts).split()) == every, kind
        assert re.search(r"normalise +301 +301 +0 +1 ", parts[0].err), parts[0].err
        shares[kind] = [p.out for p in parts]
    assert shares["ring"] != shares["modulo"] and shares["ring"] != shares["rendezvous"]


@case("C3 the wiring of the manual runs on four threads and on one, with the same lines")
def _(tmp):
    path = os.path.join(ROOT, "wirings", "unique-lines.yaml")
    words = "".join(f"cat{i % 5000}\n" for i in range(50000))
    four = run(["try", "wiring", path], stdin=words)
    one = run(["try", "wiring", "--one-thread", "-q", path], stdin=words)
    assert four.code == 0 and one.code == 0 and one.err == "", (four.err, one.err)
    assert sorted(four.out.split()) == sorted(one.out.split()) == sorted({f"cat{i}" for i in range(5000)})


@case("every wiring in wirings/ passes check, and --dot prints a graph")
def _(tmp):
    for name in sorted(os.listdir(os.path.join(ROOT, "wirings"))):
        path = os.path.join(ROOT, "wirings", name)
        done = run(["check", path])
        assert done.code == 0 and "components\n" in done.out, (name, done)
        dot = run(["check", "--dot", path])
        assert dot.out.startswith("digraph wiring {") and dot.out.endswith("}\n"), dot


@case("check draws calls, queues, threads and what is left open")
def _(tmp):
    done = run(["check", os.path.join(ROOT, "wirings", "unique-lines.yaml")])
    for line in ["unique lines: 4 shards, each a thread", "lines, on shard 0, source with 1024 credits",
                 "    .out ==[queue 1000, by hash]==> match.in", "    .out --[call]--> unseen.in",
                 "    .again (not connected: messages end)", "    .out ==[queue 1000, to shard 0]==> write.in",
                 "  seen (exact), on each shard", "      contains: cat"]:
        assert line in done.out, (line, done.out)


@case("check tells everything that is wrong, with line and column, and ends with 2")
def _(tmp):
    bad = write(tmp, "bad.yaml", "nme: x\ncomponents:\n  lines: {fiel: a}\n  wirte:\nconnections:\n  - lnes -> write\n")
    done = run(["check", bad])
    assert done.code == 2 and done.out == "", done
    assert done.err.splitlines() == [
        f'{bad}:1:1: wiring: unknown key "nme"; did you mean "name"?',
        f'{bad}:3:11: components.lines: unknown option "fiel"; did you mean "file"?',
        f'{bad}:4:3: components.wirte: unknown part "wirte"; did you mean "write"?',
        f'{bad}:6:5: connections: unknown component "lnes"; did you mean "lines"?',
        f'{bad}:6:13: connections: unknown component "write"; did you mean "wirte"?'], done.err
    assert run(["try", "wiring", bad]).code == 2
    absent = run(["check", os.path.join(tmp, "absent.yaml")])
    assert absent.code == 2 and "No such file" in absent.err, absent
    absent = run(["try", "wiring", os.path.join(tmp, "absent.yaml")])
    assert absent.code == 2 and "absent.yaml:1:1: cannot read the file: No such file" in absent.err, absent


@case("check --parts lists every part with its ports and options")
def _(tmp):
    done = run(["check", "--parts"])
    assert done.code == 0 and "match: lets lines through" in done.out and "seen/exact:" in done.out, done
    assert re.search(r"option +contains .*live", done.out), done.out


@case("C3 a part that fails stops the flow; the program names it and ends with 1")
def _(tmp):
    done = try_wiring(tmp, GREP.replace("  write:", "  write: {file: /dev/full}"))
    assert done.code == 1 and "component write: cannot write" in done.err, done
    done = try_wiring(tmp, GREP.replace("  lines:", "  lines: {file: absent.txt}"))
    assert done.code == 1 and "component lines: cannot open absent.txt" in done.err, done


@case("C3 ^C drains: what was read is written, then the program ends well")
def _(tmp):
    path = write(tmp, "w.yaml", GREP)
    child = subprocess.Popen([PROGRAM, "try", "wiring", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, bufsize=0)
    child.stdin.write(b"cat\ndog\nconcat\n")
    child.stdin.flush()
    assert child.stdout.readline() == b"cat\n"  # it runs, and waits for more
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 0 and out == b"concat\n", (child.returncode, out, err)


@case("C2 a part in a shared object, built against the installed headers, runs in a wiring")
def _(tmp):
    build_example(tmp, "shout")
    done = run(["try", "wiring", os.path.join(tmp, "shout.yaml")], stdin="hello\n")
    assert done.code == 0 and done.out == "HELLO!!!\n", done
    checked = run(["check", "shout.yaml"], cwd=tmp)
    assert checked.code == 0 and "marks: 3" in checked.out, checked
    wrong = run(["check", "-"], cwd=tmp, stdin=open(os.path.join(tmp, "shout.yaml")).read().replace("marks", "mraks"))
    assert wrong.code == 2 and 'did you mean "marks"?' in wrong.err, wrong


@case("C2 a shared object of another ABI, without the symbol or absent is refused, saying so")
def _(tmp):
    _, _, include = installed(tmp)
    source = os.path.join(ROOT, "examples", "shout", "shout.c")
    cc = ["cc", "-std=gnu11", "-fPIC", "-shared", f"-I{include}", "-o", os.path.join(tmp, "shout.so")]
    wiring = os.path.join(ROOT, "examples", "shout", "shout.yaml")
    shutil.copy(wiring, tmp)
    subprocess.run(cc + ["-DSHOUT_ABI=4711", source], check=True)
    done = run(["try", "wiring", os.path.join(tmp, "shout.yaml")])
    assert done.code == 2 and "shout.yaml:5:17: components.shout:" in done.err, done
    assert re.search(r"was built for part ABI 4711, this program has \d+: build it again", done.err), done
    subprocess.run(cc + ["-Dorbweaver_part=other_name", source], check=True)
    done = run(["check", os.path.join(tmp, "shout.yaml")])
    assert done.code == 2 and "has no symbol orbweaver_part" in done.err, done
    subprocess.run(cc + ["-Dbuf_fill=no_such_function", source], check=True)
    done = run(["check", os.path.join(tmp, "shout.yaml")])
    assert done.code == 2 and "undefined symbol: no_such_function" in done.err, done
    write(tmp, "shout.so", "#!/bin/sh\n")
    done = run(["check", os.path.join(tmp, "shout.yaml")])
    assert done.code == 2 and "shout.yaml:5:17: " in done.err and "file too short" in done.err, done
    os.unlink(os.path.join(tmp, "shout.so"))
    done = run(["check", os.path.join(tmp, "shout.yaml")])
    assert done.code == 2 and "shout.so: cannot open shared object file" in done.err, done


@case("C2 every function in an installed header is in the program, for parts to call")
def _(tmp):
    _, _, include = installed(tmp)
    shown = subprocess.run(["nm", "-D", "--defined-only", PROGRAM], check=True, capture_output=True, text=True).stdout
    there = {line.split()[2] for line in shown.splitlines()}
    function = re.compile(r"^(?!static|typedef)[A-Za-z][\w *]*[ *](\w+)\([^;{]*;", re.M)
    named = {name for folder, _, files in os.walk(include) for file in files
             for name in function.findall(open(os.path.join(folder, file), encoding="utf-8").read())}
    assert {"part_emit", "log_write", "line_open", "mem_alloc", "buf_printf"} <= named, named
    assert named <= there, named - there


@case("a line longer than a message may be ends the flow, saying so; the longest goes through")
def _(tmp):
    longest = "x" * (1 << 20) + "\n"
    done = try_wiring(tmp, GREP.replace("cat", "x"), stdin=longest)
    assert done.code == 0 and done.out == longest, (done.code, len(done.out))
    for more in [1, 70000, 200000]:
        done = try_wiring(tmp, GREP.replace("cat", "x"), stdin="x" * more + longest)
        assert done.code == 1 and "component lines: a line is longer than 1 MiB" in done.err, done.err


@case("standard input and output that are closed are empty, and no file of ours takes their place")
def _(tmp):
    wiring = write(tmp, "w.yaml", GREP.replace("write:", f"write: {{file: {tmp}/out.txt}}").replace("cat", "''"))
    closed = f"exec '{PROGRAM}' try wiring '{wiring}' <&- >&- 2>&-"
    done = subprocess.run(["sh", "-c", closed], check=False, timeout=60)
    assert done.returncode == 0, done
    with open(os.path.join(tmp, "out.txt"), encoding="utf-8") as f:
        assert f.read() == ""


@case("try wiring counts the problems that it does not show, as check does")
def _(tmp):
    bad = write(tmp, "bad.yaml", "components:\n" + "".join(f"  no{i}:\n" for i in range(30)))
    for command in [["check"], ["try", "wiring"]]:
        done = run([*command, bad])
        assert done.code == 2 and done.err.endswith("... and 10 more\n"), done.err


main()
