# SPDX-License-Identifier: Apache-2.0
"""The witness of the simulated web, against clients that misbehave on purpose and one that does not.

A gap the witness reports is never smaller than what the client waited; nothing here asserts how
long anything takes, so a slow machine changes nothing."""
import concurrent.futures
import email.utils
import json
import re
import socket
import time
import urllib.parse

from scenario import case, main, run
from simweb import Simweb

SMALL = ["--hosts", "8", "--hosts-per-address", "4", "--pages", "30", "--forbidden", "0.2",
         "--redirects", "0", "--crawl-delays", "0", "--keep-urls", "--cross", "0.5", "--links", "60"]
WAIT_SECONDS = 60


def host_of(url):
    return urllib.parse.urlsplit(url).hostname


def links(web, url):
    """What `simweb page --show-links` says of a page: the truth, not a reading of its HTML."""
    done = run(["page", "--dir", web.folder, "--show-links", url])
    assert done.code == 0, done.err
    rows = [line.split("\t") for line in done.out.splitlines()]
    return [row[1] for row in rows if row[0] in ("a", "area")]


def homes(web):
    """The home pages of all hosts, by address."""
    found = {web.run["home"]}
    for url in [web.run["home"]] + links(web, web.run["home"]):
        found |= {urllib.parse.urljoin(u, "/") for u in [url] + links(web, url)}
        if len(found) == 8:
            break
    rows = {}
    for home in sorted(found):
        rows.setdefault(web.address(host_of(home)), []).append(home)
    return rows


def forbidden_page(web):
    """A page below /private/ of a host whose robots.txt says so."""
    for homes_there in homes(web).values():
        for home in homes_there:
            status, _, body = web.get(urllib.parse.urljoin(home, "/robots.txt"))
            for url in links(web, home):
                if "/private/" in url and host_of(url) == host_of(home) and status == 200:
                    assert re.search(rb"disallow *: */private/", body, re.I), body
                    return url
    raise AssertionError("no forbidden page was found")


def retry_after(headers):
    """Seconds from now; hosts say it as a number or as a date."""
    said = headers["Retry-After"]
    if said.isdigit():
        return int(said)
    return max(email.utils.parsedate_to_datetime(said).timestamp() - time.time(), 0)


def row(report, host):
    found, = [h for h in report["hosts"] if h["host"] == host]
    return found


def until(web, condition):
    """Asks for the report until it is as it must become; its last state otherwise."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        report = web.report("hosts=1")
        if condition(report) or time.monotonic() > end:
            return report
        time.sleep(0.01)


def ask(web, url):
    """Sends a request and leaves it open."""
    parts = urllib.parse.urlsplit(url)
    s = socket.create_connection((web.address(parts.hostname), parts.port), timeout=20)
    s.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
    return s


@case("two requests at once to one host are seen there, and on its address")
def _(tmp):
    with Simweb(*SMALL, "--bandwidth-least", "500", "--bandwidth-most", "500") as web:
        home = web.run["home"]
        first = ask(web, home)
        assert until(web, lambda r: r["open"] == 1)["open"] == 1
        second = ask(web, home + "?again")
        report = until(web, lambda r: r["open"] == 2)
        time.sleep(0.3)  # who hangs up within 100 ms may have done so before the second began
        for s in (first, second):
            s.close()
        after = until(web, lambda r: r["open"] == 0)
        assert row(after, host_of(home))["most_open"] == 2, after
        assert row(after, host_of(home))["overlaps"] == 1, after
        assert row(after, host_of(home))["least_end_gap_ms"] == 0, after
        assert after["politeness"]["most_open"] == 2 and after["addresses"]["most_open"] == 2
        assert after["politeness"]["worst"][0]["host"] == host_of(home)
        assert after["open"] == 0 and report["open"] == 2
        third = web.get(urllib.parse.urljoin(home, "/robots.txt"))
        assert third[0] in (200, 404)
        assert row(web.report("hosts=1"), host_of(home))["overlaps"] == 1


@case("two requests at once to two hosts of one address are seen on the address alone")
def _(tmp):
    with Simweb(*SMALL, "--bandwidth-least", "500", "--bandwidth-most", "500") as web:
        address, there = next(item for item in homes(web).items() if len(item[1]) > 1)
        web.ask("/_sim/reset", "POST")
        sockets = [ask(web, there[0])]
        until(web, lambda r: r["open"] == 1)
        sockets.append(ask(web, there[1]))
        report = until(web, lambda r: r["open"] == 2)
        assert report["open"] == 2
        for s in sockets:
            s.close()
        assert report["politeness"]["most_open"] == 1, report["politeness"]
        assert report["politeness"]["overlaps"] == 0
        assert report["addresses"]["most_open"] == 2, report["addresses"]
        assert report["addresses"]["worst"][0]["address"] == address
        assert report["addresses"]["worst"][0]["overlaps"] == 1


@case("a gap is at least what the client waited, and the smallest one counts")
def _(tmp):
    with Simweb(*SMALL) as web:
        home = web.run["home"]
        for waited in (0.4, 0.2, 0.3):
            web.get(home)
            time.sleep(waited)
        web.get(home)
        first = row(web.report("hosts=1"), host_of(home))
        assert first["least_end_gap_ms"] >= 200, first
        assert first["least_start_gap_ms"] >= first["least_end_gap_ms"], first
        assert first["most_open"] == 1 and first["overlaps"] == 0
        time.sleep(0.05)
        web.get(home)
        second = row(web.report("hosts=1"), host_of(home))
        assert 50 <= second["least_end_gap_ms"] <= first["least_end_gap_ms"], (first, second)


@case("requests on one connection follow each other, and their gaps are seen")
def _(tmp):
    with Simweb(*SMALL, "--chunked", "0") as web:
        home = urllib.parse.urlsplit(web.run["home"])
        s = socket.create_connection((web.address(home.hostname), home.port), timeout=20)
        for _ in range(3):
            s.sendall(f"HEAD / HTTP/1.1\r\nHost: {home.netloc}\r\n\r\n".encode())
            got = b""
            while b"\r\n\r\n" not in got:
                got += s.recv(65536)
            time.sleep(0.1)
        s.close()
        found = row(web.report("hosts=1"), home.hostname)
        assert found["requests"] == 3 and found["overlaps"] == 0, found
        assert found["least_end_gap_ms"] >= 100, found


@case("requests sent before the last answer came are seen to be open at once")
def _(tmp):
    with Simweb(*SMALL) as web:
        first, second = next(there for there in homes(web).values() if len(there) > 1)[:2]
        web.ask("/_sim/reset", "POST")

        def pipeline(*urls):
            parts = [urllib.parse.urlsplit(u) for u in urls]
            with socket.create_connection((web.address(parts[0].hostname), parts[0].port)) as s:
                s.sendall(b"".join(f"HEAD / HTTP/1.1\r\nHost: {p.netloc}\r\n\r\n".encode()
                                   for p in parts))
                got = b""
                while got.count(b"\r\n\r\n") < len(urls):
                    got += s.recv(65536)
        pipeline(first, second)
        report = web.report()
        assert report["politeness"]["overlaps"] == 0, "each host was asked once"
        assert report["addresses"]["overlaps"] == 1 and report["addresses"]["most_open"] == 2
        pipeline(first, first, first)
        report = web.report("hosts=1")
        host = row(report, host_of(first))
        assert host["overlaps"] == 2 and host["most_open"] == 2, host
        assert host["least_end_gap_ms"] == 0, host
        assert report["open"] == 0, report


@case("a client that leaves in the middle and comes back at once was never there twice")
def _(tmp):
    with Simweb(*SMALL, "--page-bytes", "3M", "--page-spread", "0") as web:
        home = web.run["home"]
        for _ in range(40):
            s = ask(web, home)
            assert s.recv(1000).startswith(b"HTTP/1.1 200")
            s.close()
        report = until(web, lambda r: r["open"] == 0)
        found = row(report, host_of(home))
        assert found["requests"] == 40, found
        assert found["most_open"] == 1 and found["overlaps"] == 0, found


@case("requests during a back-off that was asked for are counted, others are not")
def _(tmp):
    with Simweb(*SMALL, "--rate-limit", "0.001", "--rate-burst", "1") as web:
        home = web.run["home"]
        assert web.get(home)[0] == 200
        status, headers, _ = web.get(home)
        assert status in (429, 503) and retry_after(headers) > 900, (status, headers)
        assert web.report()["politeness"]["during_backoff"] == 0
        for _ in range(3):
            assert web.get(home)[0] in (429, 503)
        report = web.report("hosts=1")
        assert report["politeness"]["during_backoff"] == 3, report["politeness"]
        assert row(report, host_of(home))["during_backoff"] == 3
        assert 0 < report["politeness"]["worst_early_ms"] <= 1000 * 1001
        assert report["addresses"]["during_backoff"] == 0


@case("a client that waits as long as it was told has broken nothing, however slow the answers")
def _(tmp):
    with Simweb(*SMALL, "--rate-limit", "1", "--rate-burst", "1", "--latency-least", "300ms",
                "--latency-most", "300ms") as web:
        forms = set()

        def obey(home):
            for _ in range(3):
                status, headers, _ = web.get(home)
                if status in (429, 503):
                    forms.add(headers["Retry-After"].isdigit())
                    time.sleep(retry_after(headers))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(obey, [h for there in homes(web).values() for h in there][:4]))
        politeness = web.report()["politeness"]
        assert politeness["during_backoff"] == 0, politeness
        print(f"# Retry-After as a number, as a date: {True in forms}, {False in forms}")


@case("requests sooner than a Crawl-delay that was read are counted")
def _(tmp):
    with Simweb(*SMALL, "--crawl-delays", "1") as web:
        hosts = [h for there in homes(web).values() for h in there]
        delayed = [h for h in hosts if b"Crawl-delay" in web.get(urllib.parse.urljoin(h, "/robots.txt"))[2]]
        web.ask("/_sim/reset", "POST")
        hasty, patient = delayed[0], delayed[1]
        web.get(hasty)
        web.get(hasty)
        assert web.report()["politeness"]["under_delay"] == 0, "nobody had read robots.txt"
        for home, wait in ((hasty, 0), (patient, 1.1)):
            web.get(urllib.parse.urljoin(home, "/robots.txt"))
            time.sleep(wait)
            web.get(home)
        report = web.report("hosts=1")
        assert row(report, host_of(hasty))["under_delay"] == 1
        assert row(report, host_of(patient))["under_delay"] == 0


@case("what robots.txt forbids is counted and named")
def _(tmp):
    with Simweb(*SMALL) as web:
        url = forbidden_page(web)
        web.ask("/_sim/reset", "POST")
        for _ in range(2):
            web.get(url)
        report = web.report("hosts=1")
        assert report["urls"]["forbidden"] == 2, report["urls"]
        assert report["urls"]["forbidden_first"] == [url]
        assert row(report, host_of(url))["forbidden"] == 2


@case("the same URL three times is seen as that, robots.txt apart")
def _(tmp):
    with Simweb(*SMALL) as web:
        home = web.run["home"]
        robots = urllib.parse.urljoin(home, "/robots.txt")
        for url in (home, robots, home, home, home + "?x=1", robots):
            web.get(url)
        report = web.report("urls=1")
        assert report["requests"] == 6 and report["missed"] == 0
        assert report["url_counts"] == {home: 3, robots: 2, home + "?x=1": 1}
        assert report["urls"]["distinct"] == 2 and report["urls"]["requests"] == 4
        assert report["urls"]["fetched_again"] == 1 and report["urls"]["repeats"] == 2
        assert report["urls"]["again_first"] == [home]
        assert report["robots"] == {"requests": 2, "distinct": 1, "fetched_again": 1, "repeats": 1}


@case("a polite client leaves nothing to complain of")
def _(tmp):
    with Simweb(*SMALL) as web:
        for home in [h for there in homes(web).values() for h in there]:
            web.get(urllib.parse.urljoin(home, "/robots.txt"))
        web.ask("/_sim/reset", "POST")
        todo, seen = [web.run["home"]], set()
        while todo and len(seen) < 15:
            url = todo.pop(0)
            if url in seen or "/private/" in url:
                continue
            seen.add(url)
            assert web.get(url)[0] == 200
            todo += links(web, url)
            time.sleep(0.02)
        report = web.report()
        assert report["requests"] == report["urls"]["distinct"] == 15
        assert report["urls"]["fetched_again"] == report["urls"]["forbidden"] == 0
        for part in (report["politeness"], report["addresses"]):
            assert part["most_open"] == 1 and part["overlaps"] == 0 and part["during_backoff"] == 0
            assert part["least_end_gap_ms"] is None or part["least_end_gap_ms"] >= 20, part


@case("DNS queries are counted by name, type and answer")
def _(tmp):
    with Simweb(*SMALL) as web:
        name = host_of(web.run["home"])
        for _ in range(3):
            web.names().ask(name)
        web.names().ask(name, 28)
        web.names().ask("nobody.here.test")
        report = web.report("hosts=1")
        assert report["dns"]["queries"] == 5, report["dns"]
        assert report["dns"]["a"] == 4 and report["dns"]["aaaa"] == 1
        assert report["dns"]["rcodes"] == {"0": 4, "3": 1}, report["dns"]
        assert {"name": name, "type": 1, "rcode": 0, "count": 3} in report["dns_names"]


@case("a reset forgets everything, open requests included")
def _(tmp):
    with Simweb(*SMALL, "--bandwidth-least", "500", "--bandwidth-most", "500") as web:
        s = ask(web, web.run["home"])
        until(web, lambda r: r["open"] == 1)
        web.ask("/_sim/reset", "POST")
        report = web.report("urls=1&hosts=1")
        assert report["requests"] == report["open"] == 0 and report["hosts"] == []
        assert report["url_counts"] == {}
        s.close()
        web.get(urllib.parse.urljoin(web.run["home"], "/robots.txt"))
        report = until(web, lambda r: r["requests"] == 1 and r["open"] == 0)
        assert report["politeness"]["most_open"] == 1 and report["politeness"]["overlaps"] == 0


@case("simweb report says it to a person, and --json to a program")
def _(tmp):
    with Simweb(*SMALL, "--fault", "f34") as web:
        for _ in range(2):
            web.get(web.run["home"])
        web.get(web.fault(34, "/"))
        done = run(["report", "--dir", web.folder])
        assert done.code == 0, done.err
        assert "3 requests, 0 of them for robots.txt" in done.out, done.out
        assert "2 URLs; 1 asked for again, 1 times" in done.out, done.out
        assert host_of(web.run["home"]) in done.out and "f34.test" in done.out
        assert re.search(r"^faults: 0 good, 1 bad, \d+ not seen$", done.out, re.M), done.out
        assert re.search(r"^  F34  f34/", done.out, re.M), done.out
        assert len(done.out.splitlines()) <= 40
        whole = json.loads(run(["report", "--json", "--dir", web.folder]).out)
        assert whole["requests"] == 3


main(threads=6)
