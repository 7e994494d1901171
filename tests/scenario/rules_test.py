# SPDX-License-Identifier: Apache-2.0
"""A crawl's own rules of normalising: whoever looks at the crawl compares URLs as it did."""
import json
import os

from scenario import case, main, run
from small_web import SmallWeb, crawl, page


def looked(left, url: str) -> dict:
    done = run(["url", "--json", left.folder, url])
    assert done.code == 0, done
    return json.loads(done.out)


def tracked(folder: str, *options):
    """A web whose two pages differ by what the rule `tracking` drops; the second is deeper."""
    home = page("Home", "", [("/a?utm_source=x", "tracked"), ("/b//c", "slashes")])
    with SmallWeb({"/": home, "/a": page("Plain", ""), "/a?utm_source=x": page("Tracked", ""),
                   "/b//c": page("Two", ""), "/b/c": page("One", "")}) as web:
        left = crawl([web.url("/"), web.url("/s?utm_source=y")], folder, *options)
        return left, web, set(web.paths())


@case("--normalise decides which URLs are one, and url goes by the same when the crawl has ended")
def _(tmp):
    for number, options in enumerate((["--normalise", "default,-tracking,slashes"],
                                      ["--set", "scope.normalise=default,-tracking,slashes"])):
        left, web, asked = tracked(f"{tmp}/{number}", *options)
        assert asked == {"/", "/a?utm_source=x", "/b/c", "/s?utm_source=y"}, asked
        assert looked(left, web.url("/a?utm_source=x"))["state"] == "fetched"
        assert looked(left, web.url("/a"))["state"] == "unknown"
        assert looked(left, web.url("/b///c"))["state"] == "fetched"
    left, web, asked = tracked(tmp + "/default")
    assert asked == {"/", "/a", "/b//c", "/s"}, asked
    assert looked(left, web.url("/a?utm_source=x"))["state"] == "fetched"
    assert looked(left, web.url("/b/c"))["state"] == "unknown"


@case("seeds list and export links --to go by the crawl's rules too")
def _(tmp):
    left, web, _ = tracked(tmp, "--normalise=-tracking")
    seeds = run(["seeds", "list", "--json", left.folder])
    codes = {json.loads(line)["url"]: json.loads(line).get("code") for line in seeds.out.splitlines()}
    assert codes == {web.url("/"): 200, web.url("/s?utm_source=y"): 404}, seeds
    done = run(["export", "links", "--to", web.url("/a?utm_source=x"), left.folder])
    assert done.code == 0 and web.url("/") in done.out, done


@case("a crawl that goes on goes by the rules it was started with; what is no rule is refused")
def _(tmp):
    left, web, _ = tracked(tmp, "--normalise=-tracking")
    with open(os.path.join(left.folder, "orbweaver.yaml"), encoding="utf-8") as f:
        assert "normalise: \"-tracking\"" in f.read()
    done = run(["crawl", "-o", tmp + "/other", "--normalise", "nonsense", "http://127.0.0.1:65535/"])
    assert done.code == 2 and "nonsense" in done.err, done


main()
