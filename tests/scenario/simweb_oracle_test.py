# SPDX-License-Identifier: Apache-2.0
"""The oracle walks its own graph, an independent reader walks the HTML: both must find the same."""
import hashlib
import http.client
import os
import re
import subprocess
import sys
import urllib.parse

from scenario import case, main, skip
from simweb import Simweb

try:
    from simweb_reader import Reader
except ImportError:
    # html5lib comes with the system's Python; the one that runs the tests may be another.
    SYSTEM = "/usr/bin/python3"
    if os.path.exists(SYSTEM) and not os.environ.get("SIMWEB_READER_TRIED"):
        os.environ["SIMWEB_READER_TRIED"] = "1"
        os.execv(SYSTEM, [SYSTEM] + sys.argv)
    Reader = None

SMALL = ("--hosts", "8", "--pages", "20", "--page-bytes", "1500", "--links", "20")
FAULT = re.compile(r"^http://(?:[^/]*\.)?(f\d\d)\.test[:/]|^http://[^/]*/(f\d\d)/")
PASSED = (200, 301, 302, 303, 307, 308)


def read(web, seed=None, scope="any", depth=None, **how):
    """What the oracle says and what the reader found, of the same crawl."""
    if Reader is None:
        skip("html5lib (absent)")
    seed = seed or web.run["home"]
    words = [] if depth is None else ["--depth", str(depth)]
    words += ["--" + name.replace("_", "-") for name, wanted in how.items() if wanted]
    return web.oracle(seed, scope, *words), Reader(web, seed, scope, depth, **how).crawl()


def of_class(truth, wanted):
    return {url: why for url, (kind, why) in truth.items() if kind == wanted}


def same(name, expected, got):
    missed, surplus = set(expected) - set(got), set(got) - set(expected)
    assert not missed and not surplus, \
        f"{name}: missed {len(missed)} {sorted(missed)[:5]}, surplus {len(surplus)} {sorted(surplus)[:5]}"


def agree(truth, found):
    """The same URLs fetched, the same known, for the same reasons."""
    same("fetched", of_class(truth, "must"), found.fetched)
    known = of_class(truth, "known")
    same("known", known, found.known)
    differ = [(url, why, found.known[url]) for url, why in known.items() if found.known[url] != why]
    assert not differ, f"reasons differ: {differ[:5]}"
    failed = {url: status for url, status in found.fetched.items()
              if status not in PASSED and not url.endswith("/robots.txt")}
    assert not failed, f"not all are well: {failed}"


def split_faults(rows):
    """Those of the ordinary web, and those of faults."""
    plain = {url: value for url, value in rows.items() if not FAULT.match(url)}
    return plain, {url: value for url, value in rows.items() if url not in plain}


def fits(url, patterns):
    return any(url == p or (p.endswith("*") and url.startswith(p[:-1])) for p in patterns)


def agree_on_faults(truth, found):
    """A fault's table leaves choices: all that must be was fetched, and no more than may be."""
    must, may, known = (of_class(truth, kind) for kind in ("must", "may", "known"))
    missed = set(must) - set(found.fetched)
    assert must and not missed, f"missed {sorted(missed)[:5]}"
    wrong = [url for url in found.fetched if url not in must and fits(url, known)]
    assert not wrong, f"fetched what must not be: {wrong[:5]}"
    other = [url for url in found.fetched if url not in must and not fits(url, may)]
    assert not other, f"fetched what nobody names: {other[:5]}"


WEBS = [
    ("a whole web", SMALL, {}),
    ("a host", SMALL + ("--seed", "2"), {"scope": "host"}),
    ("a domain", SMALL + ("--seed", "3", "--hosts-per-domain", "3"), {"scope": "domain"}),
    ("a web one link deep", SMALL + ("--seed", "4"), {"depth": 1}),
    ("a web two links deep, without sitemaps and feeds", SMALL + ("--seed", "5", "--pages", "60"),
     {"depth": 2, "no_sitemaps": True}),
    ("the seed alone and what it needs", SMALL, {"depth": 0}),
    ("a web of copies and redirects",
     SMALL + ("--seed", "6", "--duplicates", "0.25", "--near-duplicates", "0.2", "--redirects", "0.3"), {}),
    ("a web that says nofollow and forbids much",
     SMALL + ("--seed", "7", "--nofollow", "0.4", "--forbidden", "0.3"), {"no_sitemaps": True}),
    ("the same, by a crawl that minds neither",
     SMALL + ("--seed", "7", "--nofollow", "0.4", "--forbidden", "0.3"),
     {"no_sitemaps": True, "follow_nofollow": True, "ignore_robots": True, "depth": 2}),
    ("pages alone, within a domain", SMALL + ("--seed", "8"), {"scope": "domain", "pages_only": True}),
    ("a web with https", SMALL + ("--seed", "9", "--https", "0.4"), {"depth": 3}),
    ("many hosts of very different sizes",
     SMALL + ("--seed", "10", "--hosts", "40", "--pages", "8", "--host-sizes", "zipf"), {}),
    ("the demo", ("--demo", "--pages", "6", "--page-bytes", "1500", "--links", "15"), {}),
]


def add_web(name, options, how):
    @case(f"oracle and reader agree on {name}")
    def _(_tmp):
        with Simweb(*options) as web:
            agree(*read(web, **how))


for row in WEBS:
    add_web(*row)


@case("oracle and reader agree from a seed that is no home page")
def _(_tmp):
    with Simweb(*SMALL, "--seed", "11") as web:
        truth = web.oracle(web.run["home"])
        pages = [url for url, (kind, _) in truth.items() if kind == "must" and url.endswith(".html")]
        truth, found = read(web, seed=pages[len(pages) // 2], depth=1)
        agree(truth, found)
        assert "depth" in found.known.values()


@case("every reason not to fetch comes up, and the reader has the same")
def _(_tmp):
    with Simweb(*SMALL, "--seed", "12", "--pages", "40", "--nofollow", "0.3", "--forbidden", "0.2",
                "--cross", "0.5") as web:
        truth, found = read(web, scope="domain", depth=2, no_sitemaps=True)
        agree(truth, found)
        assert {"scope", "robots", "depth", "nofollow", "no-sitemaps"} <= set(found.known.values()), \
            set(found.known.values())


@case("hosts that are dead by a sprinkled fault are known and not fetched")
def _(_tmp):
    with Simweb(*SMALL, "--hosts", "30", "--pages", "5", "--sprinkle", "f01=0.2", "--sprinkle", "f50=0.2") as web:
        truth, found = read(web)
        for url, (kind, why) in truth.items():
            if kind == "may":
                assert url.endswith("/robots.txt") and why in ("f01", "f50"), url
            elif why in ("f01", "f50"):
                truth[url] = (kind, "dead")
        agree(truth, found)
        assert list(found.known.values()).count("dead") > 5


@case("path faults sprinkled over hosts are linked by their home pages")
def _(_tmp):
    faults = [word for fault in ("f38", "f75", "f76", "f78") for word in ("--sprinkle", fault + "=0.25")]
    with Simweb(*SMALL, "--hosts", "12", "--pages", "6", *faults) as web:
        truth, found = read(web)
        plain, of_faults = split_faults(truth)
        read_plain, read_faults = split_faults(found.fetched)
        known_plain, _ = split_faults(found.known)
        found.fetched, found.known = read_plain, known_plain
        agree(plain, found)
        found.fetched = read_faults
        agree_on_faults(of_faults, found)
        assert len({url.split("/")[3] for url in of_faults}) >= 3


@case("a crawl of the zoo meets every enabled fault")
def _(_tmp):
    with Simweb("--hosts", "2", "--fault", "f38,f50", "--fault", "f76", "--fault", "f78") as web:
        zoo = f"http://zoo.test:{web.http_port}/"
        truth, found = read(web, seed=zoo)
        must = of_class(truth, "must")
        for fault in ("f38", "f50", "f76", "f78"):
            assert f"http://{fault}.test:{web.http_port}/" in must
            assert f"http://{fault}.test:{web.http_port}/robots.txt" in must
        assert of_class(truth, "known")[f"http://ten.f50.test:{web.http_port}/page"] == "f50"
        found.fetched = {url: status for url, status in found.fetched.items() if FAULT.match(url)}
        agree_on_faults({url: row for url, row in truth.items() if FAULT.match(url)}, found)
        truth = web.oracle(zoo, "host")
        assert truth[zoo] == ("must", "")
        assert truth[f"http://f50.test:{web.http_port}/"] == ("known", "scope")


@case("a seed that is not of this web is refused with the reason")
def _(_tmp):
    with Simweb("--hosts", "2") as web:
        for seed, reason in (("http://nowhere.example/", "no page of this web"),
                             (web.run["home"] + "nothing-here", "no page of this web"),
                             ("ftp://x/", "no page of this web"),
                             (web.run["home"].replace("http:", "https:"), "did you mean")):
            done = subprocess.run([sys.argv[1], "oracle", "--dir", web.folder, "--seed-url", seed],
                                  capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode == 2 and reason in done.stderr, (seed, done)


CLOCK_MS = 1787529600000   # some changes after the epoch of the world
FIXED = ("--hosts", "45", "--page-bytes", "3k", "--links", "20", "--clock-start", str(CLOCK_MS),
         "--clock-speed", "0", "--coded", "0", "--changing", "0.8")


def fingerprints(web, urls):
    """One line a URL: what anybody sees of it."""
    names, found, connections = web.names(), {}, {}
    for url in urls:
        parts = urllib.parse.urlsplit(url)
        if parts.hostname not in connections:
            connections[parts.hostname] = http.client.HTTPConnection(
                names.a(parts.hostname)[0], parts.port, timeout=20)
        connection = connections[parts.hostname]
        connection.request("GET", url[len(f"http://{parts.netloc}"):], headers={"Host": parts.netloc})
        answer = connection.getresponse()
        body = answer.read()
        found[url] = (answer.status, answer.headers.get("ETag"), answer.headers.get("Last-Modified"),
                      answer.headers.get("Content-Type"), answer.headers.get("Location"),
                      hashlib.sha256(body).hexdigest())
    for connection in connections.values():
        connection.close()
    return found


def fingerprints_of(options, urls=None, port=None):
    """Of a web of its own; on a port that was free a moment ago, since the port stands in every URL."""
    options = options + (("--http-port", str(port)) if port else ())
    with Simweb(*options) as web:
        if urls is None:
            must = of_class(web.oracle(web.run["home"]), "must")
            urls = sorted(must)[:10000]
        return web.http_port, urls, fingerprints(web, urls)


@case("two servers with the same seed are byte-identical over 10,000 URLs, and another seed is not")
def _(_tmp):
    for attempt in range(5):
        port, urls, first = fingerprints_of(FIXED)
        try:
            _, _, second = fingerprints_of(FIXED, urls, port)
        except RuntimeError:    # somebody else has the port by now
            if attempt == 4:
                raise
            continue
        break
    assert len(urls) == 10000, len(urls)
    differ = [url for url in urls if first[url] != second[url]]
    assert not differ, f"{len(differ)} differ: {differ[:3]} {first[differ[0]]} {second[differ[0]]}"
    assert sum(row[0] == 200 for row in first.values()) > 9000
    assert len({row[5] for row in first.values()}) > 8000


@case("another seed is another web")
def _(_tmp):
    with Simweb("--hosts", "3", "--seed", "1") as one, Simweb("--hosts", "3", "--seed", "2") as two:
        urls = [{url.split("/", 3)[3] for url in web.oracle(web.run["home"])} for web in (one, two)]
        shared = urls[0] & urls[1]
        assert len(shared) < len(urls[0]) / 4, sorted(shared)[:5]


main()
