# SPDX-License-Identifier: Apache-2.0
"""What a person meets first: help, version, wrong words, settings."""
import os
import re
import subprocess

import read_only
from scenario import ROOT, PROGRAM, case, main, run, write
from small_web import QUICK, SmallWeb, page

PLAIN = [word for word in QUICK if word != "-j"]  # words for a person
WIDTH = 78


@case("--help lists every command on one screen, each with its own --help")
def _(tmp):
    done = run(["--help"])
    assert done.code == 0 and not done.err
    lines = done.out.splitlines()
    assert len(lines) <= 40, len(lines)
    names = [m[1].strip() for m in (re.match(r"  ([a-z]+(?: [a-z]+)?)  +\S", l) for l in lines) if m]
    for family in ("simulate", "member", "sink", "try"):  # they share a line
        rest = next(l for l in lines if l.startswith(f"  {family} ")).split(":")[1].split()
        names = [n for n in names if n != family] + [f"{family} {one}" for one in rest]
    assert {"check", "config show", "try url", "sink listen", "member add", "simulate pool"} < set(names), names
    for name in names:
        one = run(name.split() + ["--help"])
        assert one.code == 0 and one.out.startswith(f"usage: orbweaver {name}"), one
        assert all(len(line) <= 120 for line in one.out.splitlines()), one.out


def commands() -> list:
    page = run(["--manual"]).out
    return re.findall(r"^\.SS ([a-z]+(?: [a-z]+)?)(?: [^a-z].*)?$", page, re.M)


@case("a text of --help is wrapped once: no line ends early, unless a paragraph does")
def _(tmp):
    seen = 0
    for name in commands():
        paragraphs = run(name.split() + ["--help"]).out.split("\n\n")
        lines = paragraphs[1].splitlines() if len(paragraphs) > 1 and paragraphs[1][0] != " " else []
        seen += len(lines) > 1
        for line, following in zip(lines, lines[1:]):
            could_take = len(line) + 1 + len(following.split()[0]) <= WIDTH
            assert len(line) <= WIDTH and (not could_take or line.endswith(".")), (name, line, following)
    assert seen > 30, seen


@case("--version prints name and version")
def _(tmp):
    done = run(["--version"])
    assert re.fullmatch(r"orbweaver \d+\.\d+\.\d+\n", done.out), done


@case("no command at all is a usage error that shows the help")
def _(tmp):
    done = run([])
    assert done.code == 2 and "usage:" in done.out


@case("a misspelt command, option and group are answered with what was meant")
def _(tmp):
    assert 'did you mean "check"?' in run(["chekc"]).err
    assert run(["chekc"]).code == 2
    done = run(["config", "show", "--detph=3"])
    assert done.code == 2 and "unknown option --detph; did you mean --depth?" in done.err, done
    assert "try needs one of: url" in run(["try"]).err


@case("an option of crawl that stands before -- is told to stand behind it")
def _(tmp):
    for flag in ("--scope", "-l"):
        done = run(["cluster", "up", "-o", tmp + "/up", "http://127.0.0.1:8999/", flag, "3"])
        assert done.code == 2 and f"{flag} is an option of crawl: write it behind --" in done.err, done
    done = run(["cluster", "up", "-o", tmp + "/up", "http://127.0.0.1:8999/", "--socpe", "any"])
    assert done.code == 2 and "unknown option --socpe" in done.err, done
    assert not os.path.exists(tmp + "/up")


@case("a directory that is not there is named, by every command that asks a running crawl")
def _(tmp):
    file = write(tmp, "file", "")
    for command in (["status"], ["pause"], ["stop"], ["checkpoint"]):
        done = run([*command, tmp + "/none"])
        assert (done.code, done.out, done.err) == (2, "", f"orbweaver: {tmp}/none: no such directory\n"), done
        done = run([*command, file])
        assert done.code == 2 and done.err == f"orbweaver: {file}: not a directory\n", done
    done = run(["status", tmp])
    assert done.code == 2 and f"no crawl runs in {tmp}; orbweaver crawl -o {tmp}" in done.err, done


@case("a seed file that cannot be read is named with its flag and reason; no directory is left, none is changed")
def _(tmp):
    with SmallWeb({"/": page("Home", "")}) as web:
        folder = os.path.join(tmp, "good")
        assert run(["crawl", "-o", folder, *PLAIN, web.url("/")]).code == 0
        before = snapshot(folder)
        for name, why in ((tmp, "it is a directory"), (os.path.join(tmp, "nope.txt"), "no such file")):
            for place in (os.path.join(tmp, "new"), folder):
                done = run(["crawl", "-o", place, "-i", name, web.url("/")])
                assert done.code == 2 and done.err.startswith(f"orbweaver: -i {name}: {why}"), done
            done = run(["crawl", "-o", os.path.join(tmp, "new")], env={"ORBWEAVER_INPUT": name})
            assert done.code == 2 and f"the setting input {name}: {why}" in done.err, done
        assert not os.path.exists(os.path.join(tmp, "new")) and snapshot(folder) == before


def snapshot(folder: str) -> dict:
    found = {}
    for here, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(here, name), "rb") as f:
                found[os.path.join(here, name)] = f.read()
    return found


@case("a seed with a password and no scheme is refused for the password, which is not shown")
def _(tmp):
    done = run(["crawl", "-o", tmp + "/c", "joe:secret@example.invalid"])
    assert done.code == 2 and "has a user name or password" in done.err and "secret" not in done.err, done
    assert not os.path.exists(tmp + "/c")


@case("a wrong value that a flag gave is told with the flag; one of --set with the part's option")
def _(tmp):
    file = write(tmp, "file", "x")
    for flag, value in (("types", "foo"), ("include", "("), ("exclude", "("), ("normalise", "nonsense"),
                        ("keywords", "a^x"), ("keep-score", "3"), ("resolver", "x"), ("ca-file", file),
                        ("allow-private", "zz"), ("user-agent", "("), ("contact", "zz"), ("sink", tmp + "/none"),
                        ("cluster", "nats://127.0.0.1:1")):
        more = ["--keywords", "owl"] if flag == "keep-score" else []
        done = run(["crawl", "-o", f"{tmp}/{flag}", f"--{flag}={value}", *more, "http://127.0.0.1:65535/"])
        named = "agent" if flag == "cluster" else flag  # which of them is it?
        assert done.code == 2 and done.err.startswith(f"orbweaver: --{named}: "), (flag, done)
    done = run(["crawl", "-o", tmp + "/set", "--set", "scope.exclude=(", "http://127.0.0.1:65535/"])
    assert done.code == 2 and done.err.startswith("orbweaver: scope.exclude: '(': at byte"), done
    done = run(["fetch", "--resolver", "x", "http://127.0.0.1:65535/"])
    assert done.code == 2 and 'orbweaver: --resolver: "x" is no address' in done.err, done


@case("a greater --depth says that links which were left out stay left out, once")
def _(tmp):
    web = {"/": page("Home", "", [("/a", "a")]), "/a": page("A", "", [("/b", "b")]), "/b": page("B", "")}
    words = "--depth 3: links that were left out at --depth 1 stay left out"
    with SmallWeb(web) as served:
        crawl = ["crawl", "-o", tmp + "/c", *PLAIN]
        assert run([*crawl, "--depth", "1", served.url("/")]).code == 0
        done = run([*crawl, "--depth", "1"])
        assert done.code == 0 and "left out" not in done.err, done
        done = run([*crawl, "--depth", "3"])
        assert done.code == 0 and done.err.count(words) == 1, done
        assert set(served.paths()) == {"/", "/a"}, served.paths()
        assert "left out" not in run(crawl).err
        done = run([*crawl, "--depth", "5", "-j"])
        assert done.code == 0 and '"depth.raised"' in done.err and '"before":3' in done.err, done


@case("a limit that is reached again says so in the same words, whichever it is and whatever else happens")
def _(tmp):
    with SmallWeb({"/": page("Home", "words " * 500)}) as web:
        for flag, value, key in (("-n", "1", "pages"), ("-Q", "100", "size")):
            crawl = ["crawl", "-o", tmp + "/" + key, *PLAIN, "--allow-private=127.0.0.1", flag, value]
            assert run([*crawl, web.url("/")]).code == 0
            for more in ([], ["http://127.0.0.2:8999/"]):  # an address that is not allowed
                done = run([*crawl, *more])
                assert done.code == 0 and done.err.endswith(
                    f"nothing was fetched: the limit --{key} {value} is already reached; give a greater one, "
                    "or 0 for no limit\n"), done
            with subprocess.Popen([PROGRAM, *crawl, "-i", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as waiting:
                code = waiting.wait(60)  # seeds that could still be typed would not be asked for
                assert code == 0 and b"is already reached" in waiting.stderr.read(), (key, code)


@case("export wacz says what cannot be written and why, before the work, and names -o")
def _(tmp):
    folder = os.path.join(tmp, "below", "c")
    os.makedirs(os.path.dirname(folder))
    with SmallWeb({"/": page("Home", "")}) as web:
        assert run(["crawl", "-o", folder, *PLAIN, web.url("/")]).code == 0
    words = read_only.before(os.path.dirname(folder))
    done = run([*words[1:], PROGRAM, "export", "wacz", folder], program=words[0])
    assert done.code == 1 and done.err == (f"orbweaver: {folder}.wacz cannot be written: {tmp}/below/: read-only file "
                                           "system; -o FILE says where the file goes\n"), done
    done = run([*words[1:], PROGRAM, "export", "wacz", folder, "-o", tmp + "/x.wacz"], program=words[0])
    assert done.code == 0 and os.path.getsize(tmp + "/x.wacz") > 0, done
    done = run(["export", "wacz", folder, "-o", tmp + "/none/x.wacz"])
    assert done.code == 1 and f"{tmp}/none/x.wacz cannot be written: {tmp}/none/: not found" in done.err, done


@case("a word that a command has no use for is a usage error, not silence")
def _(tmp):
    for command in [["config", "show"], ["config", "defaults"], ["simulate", "balance"]]:
        done = run([*command, "x"])
        assert done.code == 2 and done.out == "" and " takes no arguments" in done.err, done
    for words in [["check"], ["check", "a", "b"], ["try", "wiring"]]:
        done = run(words)
        assert done.code == 2 and "expected one" in done.err, done


@case("a flag beats the environment, which beats the file, which beats the default")
def _(tmp):
    file = write(tmp, "o.yaml", "delay: 5s\ndepth: 7\nexclude: [a, b]\nscope: domain\n")
    done = run(["config", "show", "-c", file, "-w", "3s"],
               env={"ORBWEAVER_DELAY": "4s", "ORBWEAVER_DEPTH": "8", "ORBWEAVER_INCLUDE": "x, y"})
    assert done.code == 0, done.err
    found = {m[1]: (m[2].strip(), m[3]) for m in re.finditer(r"^([a-z0-9-]+): (.*?) *# (\w+)$", done.out, re.M)}
    assert found["delay"] == ("3s", "flag"), found
    assert found["depth"] == ("8", "environment"), found
    assert found["include"] == ("[x, y]", "environment"), found
    assert found["exclude"] == ("[a, b]", "file"), found
    assert found["scope"] == ("domain", "file"), found
    assert found["ip-conns"] == ("4", "default"), found


@case("a wrong value names where it stands and what was expected")
def _(tmp):
    file = write(tmp, "o.yaml", "depth: 7\ndelay: soon\nscoop: any\n")
    done = run(["config", "show", "-c", file])
    assert done.code == 2, done
    assert f'{file}:2:8: delay: "soon": expected a duration' in done.err, done.err
    assert f"{file}:3:1: " in done.err and 'did you mean "scope"?' in done.err, done.err
    done = run(["config", "show", "--ip-conns=0"])
    assert done.code == 2 and '--ip-conns "0": expected a whole number' in done.err, done
    done = run(["config", "show"], env={"ORBWEAVER_SCOPE": "all"})
    assert done.code == 2 and "ORBWEAVER_SCOPE=all: expected one of host|domain" in done.err, done
    done = run(["config", "show", "-c", os.path.join(tmp, "absent.yaml")])
    assert done.code == 2 and "absent.yaml" in done.err, done


@case("the defaults are a file that config show reads back unchanged")
def _(tmp):
    file = write(tmp, "d.yaml", run(["config", "defaults"]).out)
    assert run(["check", file]).code == 0, run(["check", file])
    plain = re.sub(r" *# \w+$", "", run(["config", "show"]).out, flags=re.M)
    from_file = re.sub(r" *# \w+$", "", run(["config", "show", "-c", file]).out, flags=re.M)
    assert re.sub(r"# config:|config:.*", "", plain) == re.sub(r"# config:|config:.*", "", from_file)


@case("what config show prints is read back unchanged, whatever stands in a text or a list")
def _(tmp):
    odd = ["a{2,3}", "[a-z],", "null", "~", "x: y", "\\.jpe?g$", "- a", "#b", "q\"q", " pad ", "tab\there", "del\x7f"]
    flags = [f"--exclude={text}" for text in odd]
    for contact in odd:
        shown = run(["config", "show", *flags, f"--contact={contact}"])
        assert shown.code == 0, shown
        again = run(["config", "show", "-c", write(tmp, "again.yaml", shown.out)])
        values = [re.sub(r" *# \w+$", "", done.out, flags=re.M) for done in (shown, again)]
        assert again.code == 0 and re.sub(r"# config:|config:.*", "", values[0]) == \
            re.sub(r"# config:|config:.*", "", values[1]), (contact, shown.out, again)


@case("the manual holds every command and option, and man accepts it")
def _(tmp):
    page = run(["--manual"]).out
    for name in ("config show", "try url", "check"):
        assert f".SS {name}" in page
    assert "\\-\\-ip\\-delay" in page
    path = write(tmp, "orbweaver.1", page)
    done = subprocess.run(["man", "--warnings", "-l", path], capture_output=True, text=True,
                          env=dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8"), check=False)
    assert done.returncode == 0 and "--ip-delay" in done.stdout.replace("\u2010", "-"), done
    assert not done.stderr.strip(), done.stderr


@case("completion is valid bash and offers commands and options")
def _(tmp):
    path = write(tmp, "c.bash", run(["--completion"]).out)
    script = (f"source {path}; COMP_WORDS=(orbweaver config show --ip); COMP_CWORD=3; _orbweaver; "
              "echo ${COMPREPLY[@]}; COMP_WORDS=(orbweaver c); COMP_CWORD=1; _orbweaver; echo ${COMPREPLY[@]}; "
              "COMP_WORDS=(orbweaver try u); COMP_CWORD=2; _orbweaver; echo ${COMPREPLY[@]}")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    first, second, third = done.stdout.splitlines()
    assert first.split() == ["--ip-conns", "--ip-delay"], done.stdout
    assert "check" in second.split() and "config" in second.split(), done.stdout
    assert third.split() == ["url"], done.stdout


@case("a full disk behind standard output is an error, not silence")
def _(tmp):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PROGRAM, "config", "defaults"], stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False)
    assert done.returncode == 1 and "cannot write the output" in done.stderr, done


@case("ARCHITECTURE.md names only parts and folders that exist")
def _(tmp):
    text = open(os.path.join(ROOT, "ARCHITECTURE.md"), encoding="utf-8").read()
    for path in set(re.findall(r"`((?:src|tests|tools|fuzz|bench|docs|examples|wirings)/[A-Za-z0-9_./-]*)`", text)):
        assert os.path.exists(os.path.join(ROOT, path)), f"{path} is named and not there"
    catalogue = open(os.path.join(ROOT, "src/catalog/catalog.c"), encoding="utf-8").read()
    for part in re.findall(r"^\| part `([a-z-]+)`", text, re.M):
        assert part.replace("-", "_") in catalogue, f"part {part} is named and not in the catalogue"
    for part in re.findall(r"&part_([a-z_]+)", catalogue):
        assert f"| part `{part.replace('_', '-')}`" in text, f"part {part} is not in ARCHITECTURE.md"


main()
