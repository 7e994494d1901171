# SPDX-License-Identifier: Apache-2.0
"""Seeds from standard input: the crawl goes on while somebody still types them."""
import os
import signal
import subprocess
import time

from scenario import PROGRAM, case, main
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
            time.sleep(0.1)
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
                asked(web, "/", "/a")
                if stop:
                    crawl.process.send_signal(signal.SIGINT)
            finally:
                code = crawl.ended()
            assert code == (130 if stop else 0), (name, code)


main()
