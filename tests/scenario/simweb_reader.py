# SPDX-License-Identifier: Apache-2.0
"""simweb_reader: a small crawler that shares nothing with simweb or orbweaver.

    found = Reader(web, "http://www.map0.test:8080/", scope="any", depth=2).crawl()
    found.fetched    {url: HTTP status}
    found.known      {url: why it was not fetched}: scope, robots, depth, nofollow, dead

It reads HTML with html5lib, resolves with urllib.parse, obeys robots.txt with urllib.robotparser, and
asks simweb's DNS and HTTP servers as any client would. What it finds is what the oracle must say. The
rules of depth and of reasons are those that simweb/oracle/oracle.h documents."""
import dataclasses
import gzip
import heapq
import http.client
import re
import socket
import ssl
import urllib.parse
import urllib.robotparser
import xml.etree.ElementTree
import zlib

import html5lib

AGENT = "simweb-reader"
MOST_URLS = 50000
CSS_URL = re.compile(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)'"]*?))\s*\)""", re.I)
REFRESH = re.compile(r"""^\s*\d+(?:\.\d*)?\s*[;,]?\s*(?:url\s*=\s*)?['"]?([^'"]*)['"]?""", re.I)
FEEDS = ("application/rss+xml", "application/atom+xml")


@dataclasses.dataclass
class Found:
    fetched: dict
    known: dict


@dataclasses.dataclass
class Link:
    url: str
    steps: int              # 0 for what a page needs, a redirect's target, a feed, a sitemap
    nofollow: bool = False
    kind: str = "page"      # "page", "feed", "sitemap", "need"


class Dead(Exception):
    """The host cannot be reached, or must not be."""


class Reader:
    def __init__(self, web, seed, scope="any", depth=None, pages_only=False, no_sitemaps=False,
                 follow_nofollow=False, ignore_robots=False, most_urls=MOST_URLS):
        self.web, self.seed, self.scope = web, seed, scope
        self.depth = float("inf") if depth is None else depth
        self.pages_only, self.no_sitemaps = pages_only, no_sitemaps
        self.follow_nofollow, self.ignore_robots = follow_nofollow, ignore_robots
        self.most_urls = most_urls
        self.names = web.names()
        self.addresses, self.connections, self.robots = {}, {}, {}
        self.fetched, self.known = {}, {}
        self.deep, self.unfollowed = set(), set()
        self.queue, self.turn = [], 0

    def crawl(self) -> Found:
        self._push(0, Link(self.seed, 0))
        visited = set()
        while self.queue:
            depth, _, link = heapq.heappop(self.queue)
            if link.url in visited:
                continue
            visited.add(link.url)
            if len(visited) > self.most_urls:
                raise RuntimeError("there is no end to it")
            self._visit(link, depth)
        for url in self.unfollowed - visited - self.deep:
            self.known.setdefault(url, "nofollow")
        for url in self.deep - visited:
            self.known.setdefault(url, "depth")
        for connection in self.connections.values():
            connection.close()
        return Found(self.fetched, self.known)

    def _push(self, depth, link):
        self.turn += 1
        heapq.heappush(self.queue, (depth, self.turn, link))

    def _meet(self, depth, link):
        if not self._in_scope(link.url):
            self.known[link.url] = "scope"
        elif link.kind == "need" and self.pages_only:
            self.known[link.url] = "pages-only"
        elif link.kind in ("feed", "sitemap") and self.no_sitemaps:
            self.known[link.url] = "no-sitemaps"
        elif link.nofollow and not self.follow_nofollow:
            self.unfollowed.add(link.url)
        elif depth + link.steps > self.depth:
            self.deep.add(link.url)
        else:
            self._push(depth + link.steps, link)

    def _in_scope(self, url):
        host, seed = (urllib.parse.urlsplit(u).hostname for u in (url, self.seed))
        if self.scope == "domain":
            return self._domain(host) == self._domain(seed)
        return self.scope == "any" or host == seed

    def _domain(self, host):
        """The suffix is public, so a registrable domain is one label more."""
        labels = self.web.run["settings"]["suffix"].count(".") + 2
        return host.split(".")[-labels:]

    # One URL ------------------------------------------------------------------------------------

    def _visit(self, link, depth):
        url = link.url
        try:
            rules = self._rules(url, depth)
        except Dead:
            self.known[url] = "dead"
            return
        if not rules.can_fetch(AGENT, url) and not self.ignore_robots:
            self.known[url] = "robots"
            return
        if url in self.fetched:     # robots.txt itself
            return
        status, headers, body = self._get(url)
        self.fetched[url] = status
        for found in self._links(link, status, headers, body):
            self._meet(depth, found)

    def _rules(self, url, depth):
        """robots.txt of the host, fetched once; the sitemaps it names are met then."""
        parts = urllib.parse.urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self.robots:
            rules = urllib.robotparser.RobotFileParser()
            status, _, body = self._get(origin + "/robots.txt")
            self.fetched[origin + "/robots.txt"] = status
            rules.parse(body.decode("utf-8", "replace").splitlines() if status == 200 else [])
            self.robots[origin] = rules
            for place in rules.site_maps() or []:
                self._meet(depth, Link(place, 0, kind="sitemap"))
        return self.robots[origin]

    def _links(self, link, status, headers, body):
        kind = headers.get_content_type()
        if status in (301, 302, 303, 307, 308):
            target = resolve(link.url, headers.get("Location", ""))
            return [Link(target, 0)] if is_http(target) else []
        if status != 200:
            return []
        if kind == "text/html":
            return list(self._html_links(link.url, headers, body))
        if kind == "text/css":
            return [Link(u, 0, kind="need") for u in css_links(link.url, body.decode())]
        if link.kind in ("feed", "sitemap"):
            return list(xml_links(link.url, body))
        return []

    def _html_links(self, url, headers, body):
        parser = html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
        tree = parser.parse(body, transport_encoding=headers.get_content_charset(),
                            default_encoding="windows-1252", useChardet=False)
        base = next((e.get("href") for e in tree.iter("base") if e.get("href") is not None), "")
        base = resolve(url, base)
        base = base if is_http(base) else url
        robots = [e.get("content", "") for e in tree.iter("meta")
                  if e.get("name", "").lower() == "robots"] + headers.get_all("X-Robots-Tag", [])
        closed = any(word.strip().lower() in ("nofollow", "none")
                     for text in robots for word in text.split(","))
        for element in tree.iter():
            if not isinstance(element.tag, str):
                continue            # a comment
            for found in element_links(element):
                found.url = resolve(base, found.url)
                found.nofollow |= closed and found.kind != "need"
                if is_http(found.url):
                    yield found

    # The wire -----------------------------------------------------------------------------------

    def _address(self, host):
        if host not in self.addresses:
            found = None
            for _ in range(3):      # a busy machine may lose a datagram
                try:
                    found = self.names.a(host)
                    break
                except TimeoutError:
                    pass
            self.addresses[host] = found[0] if found else None
        address = self.addresses[host]
        trap = address == "127.0.0.1" and not host.endswith("localhost")
        if not address or not address.startswith("127.") or trap:
            raise Dead(host)
        return address

    def _connection(self, parts):
        """One that is open already, or a new one: to the address by http, to the name by https."""
        address = self._address(parts.hostname)
        key = (parts.scheme, parts.hostname if parts.scheme == "https" else address)
        if key not in self.connections:
            port = parts.port or (443 if parts.scheme == "https" else 80)
            new = http.client.HTTPConnection(address, port, timeout=20)
            if parts.scheme == "https":
                context = ssl.create_default_context(cafile=self.web.ca)
                plain = socket.create_connection((address, port), timeout=20)
                new.sock = context.wrap_socket(plain, server_hostname=parts.hostname)
            self.connections[key] = new
        return key, self.connections[key]

    def _get(self, url):
        parts = urllib.parse.urlsplit(url)
        target = parts.path + ("?" + parts.query if parts.query else "")
        headers = {"Host": parts.netloc, "User-Agent": AGENT}
        if zlib.crc32(url.encode()) & 1:
            headers["Accept-Encoding"] = "gzip"
        for attempt in (0, 1):
            key, connection = self._connection(parts)
            try:
                connection.request("GET", target, headers=headers)
                answer = connection.getresponse()
                body = answer.read()
                break
            except ConnectionRefusedError as why:
                raise Dead(parts.hostname) from why
            except (http.client.HTTPException, ConnectionError):
                connection.close()
                self.connections.pop(key)
                if attempt:
                    raise
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        return answer.status, answer.headers, body


def element_links(e):
    """The links of one element, not resolved yet."""
    tag, get = e.tag.lower(), e.get
    rel = get("rel", "").lower().split()
    if tag in ("a", "area") and get("href") is not None:
        yield Link(get("href"), 1, nofollow="nofollow" in rel)
    elif tag == "iframe" and get("src"):
        yield Link(get("src"), 1)
    elif tag in ("img", "source"):
        if get("src"):
            yield Link(get("src"), 0, kind="need")
        for candidate in get("srcset", "").split(","):
            if candidate.split():
                yield Link(candidate.split()[0], 0, kind="need")
    elif tag == "script" and get("src"):
        yield Link(get("src"), 0, kind="need")
    elif tag == "link" and get("href"):
        if "stylesheet" in rel or "icon" in rel:
            yield Link(get("href"), 0, kind="need")
        elif "alternate" in rel and get("type", "").lower() in FEEDS:
            yield Link(get("href"), 0, kind="feed")
    elif tag == "meta" and get("http-equiv", "").lower() == "refresh":
        target = REFRESH.match(get("content", ""))
        if target and target.group(1).strip():
            yield Link(target.group(1), 1)
    elif tag == "style":
        for url in css_urls(e.text or ""):
            yield Link(url, 0, kind="need")
    for url in css_urls(get("style", "")):
        yield Link(url, 0, kind="need")


def css_urls(text):
    for match in CSS_URL.finditer(re.sub(r"/\*.*?\*/", "", text, flags=re.S)):
        url = next(g for g in match.groups() if g is not None)
        if not url.startswith(("data:", "#")):
            yield url


def css_links(base, text):
    return [resolve(base, url) for url in css_urls(text)]


def xml_links(base, body):
    """Of a sitemap, an index of them, an RSS or an Atom feed."""
    if body[:2] == b"\x1f\x8b":
        body = gzip.decompress(body)
    tree = xml.etree.ElementTree.fromstring(body)
    name = tree.tag.rpartition("}")[2]
    local = [(e, e.tag.rpartition("}")[2]) for e in tree.iter()]
    if name in ("sitemapindex", "urlset"):
        for e, tag in local:
            if tag == "loc" and name == "sitemapindex":
                yield Link(resolve(base, e.text), 0, kind="sitemap")
            elif tag == "loc":
                yield Link(resolve(base, e.text), 1)
        return
    for e, tag in local:
        if tag == "item":
            yield Link(resolve(base, next(c.text for c in e if c.tag == "link")), 1)
        elif tag == "entry":
            links = [c for c in e if c.tag.endswith("}link")]
            yield Link(resolve(base, links[0].get("href")), 1)


def is_http(url):
    return url.startswith(("http://", "https://"))


def resolve(base, reference):
    """An absolute URL without fragment, normalised as far as simweb's own links need it; "" if there
    is none."""
    reference = reference.strip(" \t\r\n\f")
    reference = reference.replace("\t", "").replace("\n", "").replace("\r", "")
    try:
        parts = urllib.parse.urlsplit(urllib.parse.urljoin(base, reference))
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https"):
        return parts.geturl()
    path = without_dots(urllib.parse.quote(parts.path, safe="/%:@!$&'()*+,;=~-._"))
    query = urllib.parse.quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc.lower(), path or "/", query, ""))


def without_dots(path):
    kept = []
    segments = path.split("/")
    for i, segment in enumerate(segments):
        last = i == len(segments) - 1
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
            continue
        if last:
            kept.append("")
    return "/".join(kept)
