# SPDX-License-Identifier: Apache-2.0
"""F62 to F89 of the simulated web, each seen by a plain client: traps, pages, sitemaps, addresses,
TLS, HTTP/2. (TLS and HTTP/2 below the page: simweb_tls_test.py.)"""
import gzip
import html.parser
import re
import ssl
import socket
import sys

from scenario import case, main
from simweb import Simweb

WEB = Simweb("--hosts", "4", "--pages", "3", "--fault", "all", "--fault-scale", "0.01")


def page(number, path, label=""):
    status, headers, body = WEB.get(WEB.fault(number, path, label))
    assert status == 200, (number, path, status)
    return headers, body


def read_as_html(body):
    """The hrefs that a reader of HTML finds, whatever the bytes really are."""
    found = []
    reader = html.parser.HTMLParser()
    reader.handle_starttag = lambda tag, attributes: found.append(dict(attributes).get("href"))
    reader.feed(body.decode("latin-1"))
    return found


def hrefs(body):
    return [h.decode("latin-1") for h in re.findall(rb'href="?([^">]*)"?', body)]


def over_tls(host, path, sni=None):
    """The whole answer over HTTPS; the certificate must be right for `sni`, or the host."""
    trust = ssl.create_default_context(cafile=WEB.ca)
    with socket.create_connection((WEB.address(host), WEB.https_port), timeout=20) as plain:
        with trust.wrap_socket(plain, server_hostname=sni or host) as s:
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            got = b""
            while piece := s.recv(65536):
                got += piece
            return got


@case("F62: the calendar has a next month however far one goes")
def _(tmp):
    for month in (0, 1, 999999):
        _, body = page(62, f"/cal?month={month}")
        assert f"cal?month={month + 1}" in hrefs(body), body


@case("F63: the path grows with every link, by one folder, by two, by a new one")
def _(tmp):
    for path, link in (("/grow/more/more/", "more/"), ("/ab/a/b/", "a/b/")):
        assert hrefs(page(63, path)[1]) == [link]
    first, = hrefs(page(63, "/deep/")[1])
    second, = hrefs(page(63, "/deep/" + first)[1])
    assert first != second


@case("F64: the same five items come with another session each time")
def _(tmp):
    for path in ("/php/", "/java/", "/sid/", "/cold/"):
        one, two = hrefs(page(64, path)[1]), hrefs(page(64, path)[1])
        assert len(one) == len(two) == 5 and not set(one) & set(two), (one, two)


@case("F65: a choice made leaves the others, in front of what was chosen")
def _(tmp):
    assert len(hrefs(page(65, "/find")[1])) == 30
    links = hrefs(page(65, "/find?color=1&size=2")[1])
    assert len(links) == 20 and all(h.endswith("&color=1&size=2") for h in links), links


@case("F66: links of 1.5 KB, 3 KB, 70 KB and a megabyte, and a short one behind them")
def _(tmp):
    lengths = sorted(len(h) for h in hrefs(page(66, "/long")[1]))
    assert lengths[0] < 20 and 1500 < lengths[1] < 1600 and lengths[-1] > 1000000, lengths


@case("F67: whatever is asked for answers 200 with the same text")
def _(tmp):
    assert page(67, "/soft/start")[1] == page(67, "/soft/anything-else")[1]


@case("F68: two names have the same page and one that differs")
def _(tmp):
    assert page(68, "/same")[1] == page(68, "/same", "www")[1]
    assert page(68, "/differs")[1] != page(68, "/differs", "www")[1]


@case("F68: http and https have one page that differs")
def _(tmp):
    _, body = page(68, "/same")
    schemes = [h for h in hrefs(body) if h.endswith("/scheme")]
    assert [h.split(":")[0] for h in schemes] == ["http", "https"], schemes
    assert hrefs(page(68, "/scheme")[1]) == ["told/only-http"]
    assert b"told/only-https" in over_tls("f68.test", "/scheme")


@case("F69: every host of the farm links to five others that answer too")
def _(tmp):
    links = [h for h in hrefs(page(69, "/pot", "x")[1]) if h.startswith("http")]
    assert len(set(links)) == 5
    label = links[0].split("//")[1].split(".")[0]
    more = [h for h in hrefs(page(69, "/pot", label)[1]) if h.startswith("http")]
    assert len(more) == 5 and not set(links) & set(more)


@case("F70: a line and a document as long as they say, with links at both ends")
def _(tmp):
    for path, least in (("/line", 100000), ("/huge", 2000000)):
        headers, body = page(70, path)
        assert len(body) >= least and int(headers["Content-Length"]) == len(body)
        assert body.count(b"href=told/") == 2
    assert b"\n" not in page(70, "/line")[1]


@case("F71: thousands of links on one page, and what they lead to")
def _(tmp):
    assert len(hrefs(page(71, "/many")[1])) == 10000
    page(71, "/m/77")


@case("F72: tags that are never closed")
def _(tmp):
    assert page(72, "/nested")[1].count(b"<div>") == 1000
    for path in ("/comment", "/script", "/attribute", "/cdata"):
        page(72, path)
    assert b"-->" not in page(72, "/comment")[1]


@case("F73: NUL bytes, bytes that are no UTF-8, half a surrogate pair")
def _(tmp):
    assert b"\0" in page(73, "/nul")[1]
    assert b"\xff" in page(73, "/utf8")[1]
    assert b"&#xDC00;" in page(73, "/surrogate")[1] and b"\xed\xa0\x80" in page(73, "/surrogate")[1]


@case("F74: encodings that are said in one place and contradicted in another")
def _(tmp):
    assert page(74, "/bom16")[1].decode("utf-16").startswith("<a href=told/16>")
    assert page(74, "/bom16be")[1].decode("utf-16").startswith("<a href=told/be>")
    headers, body = page(74, "/header16")
    assert "utf-16le" in headers["Content-Type"] and body.decode("utf-16-le").startswith("<a href")
    assert page(74, "/bom-first")[1].startswith(b"\xef\xbb\xbf")
    headers, body = page(74, "/header-first")
    assert "1252" in headers["Content-Type"] and b"meta charset=utf-8" in body


@case("F75 to F79: the pages are served with the very bytes and types that make them odd")
def _(tmp):
    assert page(75, "/base/two")[1].count(b"<base") == 2
    schemes = page(76, "/schemes")[1]
    assert b"javascript:" in schemes
    for odd in ("ws", "wss", "ftp", "blob:http"):
        assert f"{odd}://f76.test:{WEB.http_port}/told/".encode() in schemes, odd
    assert b"told\\backslash" in page(77, "/hrefs")[1]
    assert page(78, "/header")[0]["X-Robots-Tag"] == "nofollow"
    assert page(79, "/pdf")[1].startswith(b"%PDF") and page(79, "/pdf")[0]["Content-Type"] == "text/html"
    assert page(79, "/untyped")[0]["Content-Type"] is None
    for name in ("pdf", "png", "zip", "video"):
        headers, body = page(79, "/" + name)
        assert headers["Content-Type"] == "text/html", name
        assert f"told/in-{name}" in read_as_html(body), f"{name} has nothing that a wrong reader could find"


@case("F80: robots.txt names sitemaps with entities, laughs and an include")
def _(tmp):
    _, robots = page(80, "/robots.txt")
    assert robots.count(b"Sitemap: ") == 3
    assert b"SYSTEM" in page(80, "/entity.xml")[1]
    assert page(80, "/laughs.xml")[1].count(b"<!ENTITY") == 10
    assert b"XInclude" in page(80, "/include.xml")[1]
    assert b"SYSTEM" in page(80, "/feed.xml")[1]


@case("F81: an index that lists itself, too many URLs, another host's, gzip by name alone")
def _(tmp):
    assert WEB.fault(81, "/index.xml").encode() in page(81, "/index.xml")[1]
    assert page(81, "/many.xml")[1].count(b"<loc>") == 601
    assert b"other.f81.test" in page(81, "/foreign.xml")[1]
    headers, body = page(81, "/large.xml")
    assert len(body) == int(headers["Content-Length"]) > 500000 and body.count(b"<loc>") == 2
    headers, body = page(81, "/packed.xml.gz")
    assert headers["Content-Encoding"] is None and b"/told/packed" in gzip.decompress(body)


@case("F82 to F85: addresses that are not what they seem, and the names they stand for")
def _(tmp):
    ports = page(82, "/ports")[1]
    assert b"user:secret@" in ports and b":65536/" in ports and b"f82.test:/told/default" in ports
    assert f":00{WEB.http_port}/".encode() in ports
    assert b"0x7f000001" in page(83, "/numbers")[1]
    assert "bücher".encode() in page(84, "/idn")[1]
    page(84, "/told/idn", "xn--bcher-kva")
    page(84, "/told/idn", "xn--pple-43d")
    assert b"//dot.f84.test.:" in page(84, "/idn")[1]
    assert b"%252F" in page(85, "/percent")[1]


@case("F83: a request to the trap by number is known for what it is")
def _(tmp):
    with socket.create_connection(("127.0.0.1", WEB.http_port), timeout=10) as s:
        s.sendall(b"GET /f83/told/trap HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        while s.recv(65536):
            pass
    WEB.get(WEB.fault(83, "/"))
    verdict = WEB.verdicts()["F83"]
    assert verdict["verdict"] == "bad" and any("guard" in w for w in verdict["why"]), verdict


@case("F86 and F88: pages over TLS from hosts whose certificates are right")
def _(tmp):
    for number, label in ((86, "good"), (88, "one"), (88, "two"), (89, "good")):
        assert over_tls(f"{label}.f{number}.test", "/page").startswith(b"HTTP/1.1 200 OK")


@case("F87: an answer of known length is the last on its connection, which ends without a word")
def _(tmp):
    head, _, body = over_tls("abrupt.f87.test", "/page").partition(b"\r\n\r\n")
    assert b"Connection: close" in head and f"Content-Length: {len(body)}".encode() in head


@case("F88: whoever asks for one host on a connection to another is found out")
def _(tmp):
    WEB.get(WEB.fault(88, "/"))
    for label in ("one", "two"):
        over_tls(f"{label}.f88.test", "/told/over-tls")
    assert WEB.verdicts()["F88"]["verdict"] == "good", WEB.verdicts()["F88"]
    over_tls("two.f88.test", "/page", sni="one.f88.test")
    verdict = WEB.verdicts()["F88"]
    assert verdict["verdict"] == "bad" and "another name" in verdict["why"][0], verdict


@case("F80 and F81: who reads no sitemaps is not judged, who reads one and misses the rest is")
def _(tmp):
    for number, path in ((80, "/include.xml"), (81, "/index.xml")):
        WEB.ask("/_sim/reset", "POST")
        WEB.get(WEB.fault(number, "/"))
        WEB.get(WEB.fault(number, "/told/start"))
        assert WEB.verdicts()[f"F{number}"]["verdict"] == "unseen"
        rows = WEB.oracle(WEB.fault(number, "/"), "any", "--no-sitemaps")
        assert rows[WEB.fault(number, path)] == ("known", "no-sitemaps"), rows
        assert rows[WEB.fault(number, "/told/start")][0] in ("must", "may"), rows
        page(number, path)
        assert WEB.verdicts()[f"F{number}"]["verdict"] == "bad"


try:
    main()
finally:
    WEB.close() if sys.exc_info()[0] in (None, SystemExit) else WEB.process.kill()
