# SPDX-License-Identifier: Apache-2.0
"""Focused crawls: what is kept, what is followed, and how much more is harvested (D13, P7)."""
import gzip
import random

from scenario import case, main, run
from small_web import SmallWeb, crawl, page

SPIDERS = "The garden spider spins an orb web and waits. Spiders eat what the web catches."
NOTHING = "Trains leave every hour. Tickets are sold at the counter on the ground floor."


def spiders() -> dict:
    return {
        "/": page("Portal", NOTHING, [("/spider", "eight legs"), ("/trains", "timetables")]),
        "/spider": page("Spiders", SPIDERS, [("/silk", "spider silk"), ("/about", "imprint")],
                        "<img src=/spider.png>"),
        "/silk": page("Silk", "Silk of the orb web. " + SPIDERS),
        "/about": page("Imprint", NOTHING),
        "/trains": page("Trains", NOTHING, [("/night", "night trains")], "<img src=/train.png>"),
        "/night": page("Night trains", NOTHING),
        "/spider.png": (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + b"x" * 100),
        "/train.png": (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + b"y" * 100),
    }


@case("without keywords nothing is scored and everything is taken")
def _(tmp):
    with SmallWeb(spiders()) as web:
        left = crawl(web.url("/"), tmp)
        assert sorted(web.paths()) == sorted(web.pages), web.paths()
        assert left.archived() == set(web.pages)
        assert not any("score:" in note for _, notes in left.log().values() for note in notes)
        assert left.numbers["relevant"] == left.numbers["irrelevant"] == left.numbers["unkept"] == 0


@case("pages that do not fit are neither archived nor followed; a seed is followed in any case")
def _(tmp):
    with SmallWeb(spiders()) as web:
        left = crawl(web.url("/"), tmp, "--keywords", "spider,orb web^2")
        assert sorted(web.paths()) == ["/", "/about", "/silk", "/spider", "/spider.png", "/trains"], web.paths()
        assert left.archived() == {"/spider", "/silk", "/spider.png"}, left.archived()
        scores = {path: [n for n in notes if n.startswith("score:")] for path, (_, notes) in left.log().items()}
        assert float(scores["/spider"][0][6:]) > 0.5 and scores["/trains"] == ["score:0.000"], scores
        assert not scores["/spider.png"]
        n = left.numbers
        assert (n["relevant"], n["irrelevant"], n["unkept"], n["off_topic"]) == (2, 3, 3, 2), n
        listed = "".join(left.lines("pages", "pages.jsonl") + left.lines("pages", "extraPages.jsonl"))
        assert '/spider"' in listed and "/trains" not in listed


@case("a link that promises nothing is not asked for at all")
def _(tmp):
    with SmallWeb(spiders()) as web:
        crawl(web.url("/"), tmp, "--keywords", "spider,orb web^2", "--link-score", "0.4")
        assert sorted(web.paths()) == ["/", "/silk", "/spider", "/spider.png"], web.paths()


@case("a link is wanted if one of several references to it is")
def _(tmp):
    pages = spiders()
    pages["/"] = page("Portal", NOTHING, [("/x", "click here"), ("/x", "spider"), ("/x", "there")])
    pages["/x"] = page("x", NOTHING)
    with SmallWeb(pages) as web:
        crawl(web.url("/"), tmp, "--keywords", "spider", "--link-score", "0.2")
        assert web.paths() == ["/", "/x"], web.paths()


@case("the last line says the harvest")
def _(tmp):
    with SmallWeb(spiders()) as web:
        done = run(["crawl", "-o", tmp + "/c", "-w", "0", "--ip-delay", "0", "--allow-private", "--set",
                    "ledger.disk-reserve=0", "--keywords", "spider", web.url("/")])
        assert done.code == 0 and "harvest 40% (2 of 5 pages)" in done.err, done.err


def long_pages() -> dict:
    """Eight megabytes each; of what they speak is said in the first kilobytes, or said late."""
    rest = b"<!--" + b"x" * (8 << 20) + b"-->"
    big = {
        "/": page("Portal", NOTHING, [(p, "a link") for p in ("/spiders", "/trains", "/packed", "/late", "/small", "/shy")]) + rest,
        "/spiders": page("Spiders", SPIDERS * 40, [("/silk", "silk")]) + rest,
        "/silk": page("Silk", SPIDERS * 40) + rest,
        "/trains": page("Trains", NOTHING * 40, [("/night", "night trains")]) + rest,
        "/late": page("Late", NOTHING * 400) + SPIDERS.encode() * 400 + rest,
        "/small": page("Small", NOTHING, [("/behind", "behind it")]),
        "/behind": page("Behind", NOTHING),
        "/shy": page("Shy", "", more="<script>" + "x" * 20000 + "</script>") + SPIDERS.encode() * 40,
    }
    noise = random.Random(1).randbytes(6 << 20).hex().encode()
    packed = gzip.compress(page("Timetables", NOTHING * 40) + b"<!--" + noise, 1)
    big["/packed"] = (200, {"Content-Type": "text/html", "Content-Encoding": "gzip"}, packed)
    big["/robots.txt"] = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /none\n" + b"# trains\n" * 40000)
    return big


@case("P7: --peek gives a page up whose first bytes miss the topic; the server sends less, and what fits is whole")
def _(tmp):
    topic = ["--keywords", "spider,orb web^2", "--follow-score", "0.1"]
    sent, left = {}, {}
    for name, options in (("all", []), ("peek", ["--peek", "8K"])):
        with SmallWeb(long_pages(), send_buffer=64 << 10) as web:
            left[name] = crawl(web.url("/"), f"{tmp}/{name}", *topic, *options)
            sent[name] = web.sent_bytes
    assert left["all"].archived() == {"/spiders", "/silk", "/shy", "/late"}, left["all"].log()
    # Off the topic, by their first bytes: a page, one in gzip, and one that comes to it too late.
    missed = {p for p, (code, notes) in left["peek"].log().items() if "peeked" in notes}
    assert missed == {"/trains", "/packed", "/late"}, left["peek"].log()
    for path in missed:
        code, notes = left["peek"].log()[path]
        assert code == 200 and any(n.startswith("score:0") for n in notes), (path, notes)
    # The seed, a page that is shorter than the look, and one whose first bytes have no words are not given up.
    assert left["peek"].archived() == {"/spiders", "/silk", "/shy"}, left["peek"].archived()
    assert "/night" not in left["peek"].log() and not any("peeked" in n for _, n in left["all"].log().values())
    lengths = {p["url"].rsplit("/", 1)[1]: int(p["length"]) for p in left["all"].index() if "robots" not in p["url"]}
    again = {p["url"].rsplit("/", 1)[1]: int(p["length"]) for p in left["peek"].index() if "robots" not in p["url"]}
    assert all(abs(again[p] - lengths[p]) < 200 for p in again), (lengths, again)
    missing = sum(len(b if isinstance(b, bytes) else b[2]) for p, b in long_pages().items() if p in missed)
    assert sent["all"] - sent["peek"] > missing // 2, (sent, missing)
    n = left["peek"].numbers
    assert n["fetched"] == left["all"].numbers["fetched"] - sum(p in left["all"].log() for p in ("/night",)), n
    print(f"# sent {sent['all'] >> 20} MB without, {sent['peek'] >> 20} MB with --peek 8K")


@case("--peek without keywords is refused")
def _(tmp):
    done = run(["crawl", "-o", tmp + "/c", "--peek", "8K", "http://127.0.0.1:65535/"])
    assert done.code == 2 and "peek" in done.err and "keywords" in done.err, done


@case("keywords and scores that are none are refused with the reason")
def _(tmp):
    for options, why in ((["--keywords", "a^x"], '--keywords: "a^x"'), (["--keep-score", "2"], "from 0 to 1"),
                         (["--keep-score", "much"], "expected a number")):
        done = run(["crawl", "-o", tmp + "/c", *options, "http://127.0.0.1:65535/"])
        assert done.code == 2 and why in done.err, (options, done.err)


def topical_web(count: int, seed: int) -> dict:
    """Pages of six topics; two in five links stay within the topic, and half of the anchors name it."""
    rng = random.Random(seed)
    topics = ["spider", "train", "cheese", "glacier", "violin", "harbour"]
    filler = "about again along always another around because become before beside".split()
    topic_of = [topics[0] if i == 0 else rng.choice(topics) for i in range(count)]
    of_topic = {t: [i for i in range(count) if topic_of[i] == t] for t in topics}
    pages = {}
    for i in range(count):
        words = rng.choices(filler, k=120) + [topic_of[i]] * 6 + rng.choices(topics, k=1)
        rng.shuffle(words)
        links = []
        for _ in range(6):
            near = rng.random() < 0.4
            to = rng.choice(of_topic[topic_of[i]]) if near else rng.randrange(count)
            words_to = topic_of[to] if rng.random() < 0.5 else rng.choice(filler)
            links.append((f"/p{to}", words_to))
        pages[f"/p{i}"] = page(f"Page {i}", " ".join(words), links)
    return pages


@case("a focused crawl harvests far more than an unfocused one of the same size")
def _(tmp):
    pages = topical_web(3000, 7)
    rates = {}
    with SmallWeb(pages) as web:
        for name, options in (("unfocused", ["--keep-score", "0.43", "--follow-score", "0"]),
                              ("followed", ["--keep-score", "0.43", "--follow-score", "0.43"]),
                              ("ordered", ["--keep-score", "0.43", "--follow-score", "0", "--order", "topic"]),
                              ("before", ["--keep-score", "0.43", "--follow-score", "0.43",
                                          "--link-score", "0.3"])):
            left = crawl(web.url("/p0"), tmp + "/" + name, "--keywords", "spider", "-n", "200", *options)
            n = left.numbers
            assert n["relevant"] + n["irrelevant"] == 200, n
            rates[name] = n["relevant"] / 200
    print("# harvest rates:", rates)
    assert rates["followed"] > 1.15 * rates["unfocused"], rates
    assert rates["before"] > 2 * rates["unfocused"], rates
    assert rates["ordered"] > 1.5 * rates["followed"] and rates["ordered"] > 0.7, rates


@case("ordered by topic, nothing starves: each page is asked for once")
def _(tmp):
    pages = topical_web(300, 3)
    with SmallWeb(pages) as web:
        left = crawl(web.url("/p0"), tmp, "--keywords", "spider", "--keep-score", "0", "--follow-score", "0", "--order", "topic")
        reached = sorted(web.paths())
        assert len(reached) == len(set(reached)) > 250, len(reached)
        with SmallWeb(pages) as plain:
            crawl(plain.url("/p0"), tmp + "/plain")
            assert sorted(plain.paths()) == reached
        assert left.numbers["queued"] == 0, left.numbers


main()
