# SPDX-License-Identifier: Apache-2.0
"""Politeness against servers that behave badly on purpose, as these servers saw it (tests/lib/witness.py)."""
import time

from scenario import case, main
from small_web import crawl
from witness import Names, Witness

LINKS = b"<title>Home</title>" + b"".join(b"<a href=/%d>x</a>" % i for i in range(4))
ALL = {"/", "/0", "/1", "/2", "/3"}


def page_of(asked):
    """(status, body) of a small site without robots.txt."""
    if asked.path == "/robots.txt":
        return 404, b""
    return 200, LINKS if asked.path == "/" else b"<title>Page</title>"


@case("a request that the server has seen on a kept connection is not sent again before the host's next turn (F6)")
def _(tmp):
    for number, (wait_s, with_reset) in enumerate([(0, False), (0, True), (0.4, False), (0.4, True)]):
        def serve(talk, wait_s=wait_s, with_reset=with_reset):
            for count, asked in enumerate(talk):
                if count == 1:
                    time.sleep(wait_s)
                    talk.close(with_reset)
                else:
                    talk.answer(*page_of(asked))
        with Witness(serve) as web:
            left = crawl(web.url("/"), f"{tmp}/{number}", "-w", "300ms")
            gaps = web.gaps("127.0.0.1")
            assert left.archived() == ALL, left.log()
            assert len(web.seen) > 6 and min(gaps) >= 300, (wait_s, with_reset, gaps)
            assert any("tries:2" in notes for _, notes in left.log().values()), left.log()


main()
