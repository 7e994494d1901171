# SPDX-License-Identifier: Apache-2.0
"""C2: a step of the crawl that comes from outside."""
import os

from outside import build_example
from scenario import case, main, run
from small_web import QUICK, SmallWeb, crawl, page


def web_pages() -> dict:
    return {
        "/": page("Home", "words", [("/lucky", "win"), ("/good", "good")]),
        "/lucky": page("Win", "the Casino of the town", [("/hidden", "more")], "<img src=/coins.png>"),
        "/good": page("Good", "nothing but words", [("/more", "more")]),
        "/more": page("More", "words"),
        "/hidden": page("Hidden", "words"),
        "/coins.png": (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + b"x" * 100),
    }


@case("C2 a step from outside drops pages: they are logged with the reason, not archived, not followed")
def _(tmp):
    wiring = build_example(tmp, "drop")
    folder = os.path.join(tmp, "crawl")
    with SmallWeb(web_pages()) as web:
        left = crawl(web.url("/"), folder, "--wiring", wiring)
        assert sorted(web.paths()) == ["/", "/good", "/lucky", "/more"], web.paths()
        assert left.archived() == {"/", "/good", "/more"}, left.archived()
        assert left.log()["/lucky"] == (200, ["has_the_word_casino"]), left.log()
        assert left.log()["/good"][1] == ["-"], left.log()
        assert left.numbers["unkept"] == 1, left.numbers
        listed = "".join(left.lines("pages", "pages.jsonl") + left.lines("pages", "extraPages.jsonl"))
        assert '/good"' in listed and "/lucky" not in listed
        web.asked.clear()
        crawl(web.url("/"), folder)
        assert not web.asked, "all hosts were given back, and everything is done"


def ends_visits(source: str) -> str:
    """The same step, but it ends what it should drop, as parts of other messages may."""
    changed = source.replace("visit_drop(v,", "part_end(self, m); return; visit_drop(v,")
    assert changed != source
    return changed


@case("C2 a step that ends a visit stops the crawl and is named; nothing is lost")
def _(tmp):
    wiring = build_example(tmp, "drop", ends_visits)
    folder = os.path.join(tmp, "crawl")
    os.makedirs(folder)
    with SmallWeb(web_pages()) as web:
        done = run(["crawl", "-o", os.path.join(folder, "crawl"), *QUICK, "--wiring", wiring, web.url("/")], seconds=120)
        assert done.code == 2 and "drop" in done.err and "ended a visit before its last step" in done.err, done
        web.asked.clear()
        left = crawl(web.url("/"), folder, "--wiring", "ring")
        assert "/lucky" in web.paths() and "/hidden" in web.paths(), web.paths()
        assert left.archived() == set(web.pages), left.archived()


main()
