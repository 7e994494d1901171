# SPDX-License-Identifier: Apache-2.0
"""try change: two versions of a page or a picture, as a person compares them."""
import json

from scenario import case, main, run, write

PAGE = """<!doctype html><html><head><title>x</title></head><body><h1>Orb webs</h1>
<p>An orb web takes half an hour.</p><p>She eats it <b>each</b> night.</p><p>Then <b>she</b> rests.</p></body></html>"""


def compare(tmp, new, *flags, old=PAGE):
    done = run(["try", "change", "--json", *flags, write(tmp, "old", old), write(tmp, "new", new)])
    assert done.code == 0, done
    return json.loads(done.out)


def pgm(pixels, width, largest=255):
    height = len(pixels) // width
    head = b"P5\n# a comment\n%d %d %d\n" % (width, height, largest)
    return head + (bytes(pixels) if largest < 256 else b"".join(p.to_bytes(2, "big") for p in pixels))


@case("P9 the same page twice has not changed, in all three ways of asking")
def _(tmp):
    found = compare(tmp, PAGE)
    assert not found["changed"] and found["structure"]["similarity"] == 1, found
    page = write(tmp, "page", PAGE)
    assert run(["try", "change", page, page]).out.startswith("no change\n")
    assert run(["try", "change", page, "-"], stdin=PAGE).out.startswith("no change\n")


@case("P9 an added element is structure, named by its place; with --steps the text is left alone")
def _(tmp):
    found = compare(tmp, PAGE.replace("</p><p>Then", "</p><ul><li>one<li>two</ul><p>Then"))
    assert found["structure"]["by"] == "tree" and found["text"]["changed"], found
    assert found["structure"]["places"] == [
        {"what": "added", "path": "html>body>ul", "level": 3, "elements": 3}], found
    assert found["structure"]["levels"] == [3, 4], found
    steps = compare(tmp, PAGE.replace("</p><p>Then", "</p><ul><li>one<li>two</ul><p>Then"), "--steps")
    assert steps["text"] == {"tested": False} and "text_sha256" not in steps["old"], steps


@case("P10 P12 the codes stand side by side in words")
def _(tmp):
    done = run(["try", "change", write(tmp, "old", PAGE), write(tmp, "new", PAGE.replace("half", "flah"))])
    assert "changed: text\n" in done.out, done
    assert "missed by text-1, text-2" in done.out, done
    assert "hhtbhppbpb" in done.out and "ldey1ppbpb" in done.out, done


@case("P14 what a reader cannot see is no change: attributes, comments, spelling, white space")
def _(tmp):
    new = PAGE.replace("<p>", "<p class=a  >").replace("<h1>", "<!-- <i> --><h1>").replace("web ", "w&#101;b\n ")
    found = compare(tmp, new)
    assert not found["changed"], found


@case("P13 pictures: a brighter one is nearly the same, a mirrored one is not")
def _(tmp):
    pixels = [(x * 5 + y * 2) % 200 for y in range(40) for x in range(40)]
    found = compare(tmp, pgm([p + 20 for p in pixels], 40), old=pgm(pixels, 40))
    image = found["image"]
    assert image["changed"] and image["near"] and "ival-16" in image["missed_by"], found
    mirrored = [pixels[y * 40 + 39 - x] for y in range(40) for x in range(40)]
    assert not compare(tmp, pgm(mirrored, 40), old=pgm(pixels, 40))["image"]["near"]
    wide = pgm([p * 257 for p in pixels], 40, 65535)
    assert not compare(tmp, wide, old=pgm(pixels, 40))["changed"]
    white = compare(tmp, pgm([255] * 256, 16), old=pgm([255] * 256, 16))
    assert white["old"]["ival_16"] == "8912760", white


@case("wrong pictures and wrong words are refused, saying why")
def _(tmp):
    good, page = write(tmp, "good", pgm([1, 2, 3, 4], 2)), write(tmp, "page", PAGE)
    rows = {
        b"P5 2 2 255\nabc": "ends before its last pixel",
        b"P5 2 2 0\nabcd": "largest value",
        b"P5 0 2 255\n": "no pixels",
        b"P5 2 two 255\n": "width, height",
        b"P5 99999 2 255\nabc": "over the limit",
        b"P5\n18446744073709551617 2 255\nabc": "width, height",
        b"P5 # only a comment": "width, height",
    }
    for data, why in rows.items():
        done = run(["try", "change", good, write(tmp, "bad", data)])
        assert done.code == 1 and why in done.err, (data, done)
    assert run(["try", "change", good, page]).code == 2
    assert run(["try", "change", page]).code == 2
    assert run(["try", "change", page, tmp + "/absent"]).code == 1


@case("a picture beside a file that is not there: the missing file is named")
def _(tmp):
    done = run(["try", "change", write(tmp, "old", pgm([0] * 4, 2)), tmp + "/absent"])
    assert done.code == 1 and "absent: No such file" in done.err, done


@case("the last letters of tags cannot spell what a terminal would obey")
def _(tmp):
    new = PAGE.replace("<h1>", "<a\x1b><a[><a3><am><a\u009b><a\x7f><h1>")
    done = run(["try", "change", write(tmp, "old", PAGE), write(tmp, "new", new)])
    assert done.code == 0 and "\\u001b[3m\\u009b\\u007f" in done.out, done
    assert not any(c < " " and c != "\n" or "\x7f" <= c <= "\x9f" for c in done.out), done


main()
