# SPDX-License-Identifier: Apache-2.0
"""Seeds from standard input: the crawl goes on while somebody still types them. And seeds that are none, however they
come."""
import json
import os
import signal
import subprocess
import time

from scenario import PROGRAM, case, main, run, write
from small_web import QUICK, SmallWeb, page

PATIENCE = 30


class Typed:
    """A crawl that reads its seeds from a pipe which stays open."""

    def __init__(self, folder: str, *options):
        self.process = subprocess.Popen(
            [PROGRAM, "crawl", "-o", os.path.join(folder, "c"), "-i", "-", *QUICK, *options],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def type(self, text: str) -> None:
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def ended(self) -> int:
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.stdin.close()
            self.process.stderr.close()
            self.process.wait()


def asked(web, *paths) -> None:
    end = time.monotonic() + PATIENCE
    while not set(paths) <= set(web.paths()):
        assert time.monotonic() < end, (paths, web.paths())
        time.sleep(0.02)


def web_of() -> SmallWeb:
    return SmallWeb({"/": page("Home", "", [("/a", "a")]), "/a": page("A", ""), "/b": page("B", ""),
                     "/c": page("C", "")})


@case("a seed is crawled before the next is typed, also half lines and one without an end")
def _(tmp):
    with web_of() as web:
        crawl = Typed(tmp)
        try:
            crawl.type("# seeds\n" + web.url("/") + "\n")
            asked(web, "/", "/a")
            crawl.type(web.url("/b")[:9])
            time.sleep(0.1)  # half a line; if it is read with the rest, the test shows less
            crawl.type(web.url("/b")[9:] + "\r\n" + "x" * 200000 + "\n" + web.url("/c"))
            asked(web, "/b")
            crawl.process.stdin.close()
        finally:
            code = crawl.ended()
        assert code == 0 and sorted(web.paths()) == ["/", "/a", "/b", "/c"], (code, web.paths())


@case("a crawl ends by its limit, or when it is told, though its input stays open")
def _(tmp):
    for name, options, stop in (("limit", ["-n", "2"], False), ("time", ["-t", "2s"], False),
                                ("told", [], True)):
        with web_of() as web:
            os.makedirs(f"{tmp}/{name}")
            crawl = Typed(f"{tmp}/{name}", *options)
            try:
                crawl.type(web.url("/") + "\n")
                if name != "time":  # its two seconds may be over before the seed is read
                    asked(web, "/", "/a")
                if stop:
                    crawl.process.send_signal(signal.SIGINT)
            finally:
                code = crawl.ended()
            assert code == (130 if stop else 0), (name, code)


SECRET = "s3cret"
BAD = {f"http://user:{SECRET}@127.0.0.1/": "user name or password", f"{SECRET}@127.0.0.1": "user name or password",
       "mailto:a@b.invalid": "neither http nor https", "javascript:alert(1)": "neither http nor https",
       "ftp://b.invalid/": "neither http nor https", "http://127.0.0.1:25/": "port is never asked",
       "http://127.0.0.1:0/": "port is never asked", "/etc/hosts": "path of a file", "http://[/": "IPv6"}


def shown(seed: str) -> str:
    return seed if seed.startswith("mailto:") else seed.replace(f"user:{SECRET}@", "***@").replace(f"{SECRET}@", "***@")


def refusals(said: str) -> dict:
    rows = [json.loads(line) for line in said.splitlines() if '"seed.refused"' in line]
    return {r["seed"]: r for r in rows}


def holds_secret(folder: str) -> list:
    found = []
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    found += [path] if SECRET.encode() in f.read() else []
    return found


@case("each bad seed is named with its reason, the good ones are crawled, and no password is written anywhere")
def _(tmp):
    with web_of() as web:
        left = tmp + "/words"
        done = run(["crawl", "-o", left, *QUICK, "-l", "0", *BAD, web.url("/b"), web.url("/b")])
        said = refusals(done.err)
        assert done.code == 0 and web.paths() == ["/b"], (done, web.paths())
        assert set(said) == {shown(s) for s in BAD}, said
        for seed, why in BAD.items():
            assert why in said[shown(seed)]["why"], said[shown(seed)]
        file = write(tmp, "seeds.txt", "# seeds\n" + "\n".join(BAD) + "\n" + web.url("/c") + "\n" + "x" * 200000 + "\n")
        done = run(["crawl", "-o", left, *QUICK, "-i", file])
        said = refusals(done.err)
        assert done.code == 0 and web.paths() == ["/b", "/c"], (done, web.paths())
        for line, seed in enumerate(BAD, 2):
            assert said[shown(seed)]["line"] == line and said[shown(seed)]["file"] == file, said
        assert said["(a long line)"]["line"] == len(BAD) + 3, said
        assert SECRET not in done.err + done.out and not holds_secret(left), holds_secret(left)


@case("with bad seeds alone a crawl ends with 2 and all the reasons, and keeps none of them")
def _(tmp):
    done = run(["crawl", "-o", tmp + "/none", *BAD])
    assert done.code == 2 and done.err.count("seed.refused") == len(BAD) and "every seed was refused" in done.err, done
    assert SECRET not in done.err and not os.path.exists(tmp + "/none"), done
    file = write(tmp, "seeds.txt", "\n".join(BAD))
    done = run(["crawl", "-o", tmp + "/file", "-i", file])
    assert done.code == 2 and done.err.count("seed.refused") == len(BAD) and "no seed is left" in done.err, done
    assert SECRET not in done.err and not holds_secret(tmp + "/file"), done
    for seed, why in BAD.items():
        done = run(["fetch", seed])
        assert done.code == 2 and why in done.err and SECRET not in done.err + done.out, done


@case("a directory that an earlier version gave a password loses it at the next start, and config show has it nowhere")
def _(tmp):
    with web_of() as web:
        left = tmp + "/c"
        assert run(["crawl", "-o", left, *QUICK, web.url("/b")]).code == 0
        bad = f"http://user:{SECRET}@127.0.0.1:{web.server.server_port}/c"
        with open(left + "/orbweaver.yaml", encoding="utf-8") as f:
            text = f.read().replace("seeds: [", f"seeds: [{bad}, ")
        write(left, "orbweaver.yaml", text)
        done = run(["config", "show", "-o", left])
        assert done.code == 0 and "***@127.0.0.1" in done.out and web.url("/b") in done.out, done
        assert SECRET not in done.out, done
        done = run(["crawl", "-o", left])
        assert done.code == 0 and "user name or password" in done.err and web.paths() == ["/b"], (done, web.paths())
        assert SECRET not in done.err and not holds_secret(left), done
        done = run(["crawl", "-o", left, "--cluster", f"nats://user:{SECRET}@127.0.0.1:1", "--agent", "a"])
        assert done.code == 2 and "--cluster: no user name or password" in done.err, done
        assert not holds_secret(left)


@case("seeds add names bad seeds likewise, and the good ones go on; url shows no password")
def _(tmp):
    with web_of() as web:
        crawl = Typed(tmp)
        try:
            crawl.type(web.url("/") + "\n")
            asked(web, "/", "/a")
            done = run(["seeds", "add", tmp + "/c", *BAD, "-"], stdin="x" * (2 << 20) + "\n" + web.url("/b") + "\n")
            assert done.code == 2 and f"1 added, 0 known from earlier runs, {len(BAD) + 1} refused" in done.out, done
            for seed, why in BAD.items():
                assert any(shown(seed) + ": " in line and why in line for line in done.err.splitlines()), (seed, done)
            asked(web, "/b")
            answer = run(["url", "--json", tmp + "/c", web.url("/b").replace("//", f"//user:{SECRET}@")])
            assert answer.code == 0 and json.loads(answer.out)["url"] == web.url("/b"), answer
            assert SECRET not in done.err + done.out + answer.out, (done, answer)
            crawl.process.stdin.close()
        finally:
            code = crawl.ended()
        assert code == 0 and not holds_secret(tmp), code


@case("a link or redirect with a password is asked for, logged and archived without it")
def _(tmp):
    with web_of() as web:
        with_login = [web.url(path).replace("//", f"//user:{SECRET}@") for path in ("/b", "/c")]
        web.pages["/"] = page("Home", "", [(with_login[0], "b"), ("/r", "r")])
        web.pages["/r"] = (302, {"Location": with_login[1]}, b"")
        assert run(["crawl", "-o", tmp + "/c", *QUICK, web.url("/")]).code == 0
        assert sorted(web.paths()) == ["/", "/b", "/c", "/r"], web.paths()
        assert not any("Authorization" in headers for _, headers in web.asked), web.asked
        assert run(["export", "cdxj", tmp + "/c"]).code == 0
        assert not holds_secret(tmp), holds_secret(tmp)  # what the server sent is in the archive, compressed
        with open(tmp + "/c/indexes/index.cdxj", encoding="utf-8") as f:
            assert {json.loads(line.split(" ", 2)[2])["url"] for line in f} >= {web.url("/b"), web.url("/c")}


main()
