# SPDX-License-Identifier: Apache-2.0
"""Real sites: documentation as Debian packs it, served by nginx. Every page and everything pages need
is fetched exactly once, as two other tools found it (../shared/conformance/README.md, corpus), and
nothing outside of that."""
import collections
import getpass
import os
import re
import socket
import subprocess
import time
import urllib.parse

import warcio
from crawl import Crawl, agree, few, verify, verify_digests
from scenario import ROOT, case, main, skip

LISTS = os.path.join(ROOT, "..", "shared", "conformance", "corpus")
CORPUS = os.path.join(ROOT, ".cache", "corpus")
SITES = {"python3.11-doc": "usr/share/doc/python3.11/html", "postgresql-doc-15": "usr/share/doc/postgresql-doc-15/html"}
NGINX = "/usr/sbin/nginx"
CONF = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.err;
events {{}}
http {{
    types {{ text/html html; text/css css; application/javascript js; image/svg+xml svg; image/png png; }}
    default_type application/octet-stream;
    log_format asked "$status $request_uri";
    access_log {folder}/nginx.log asked;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Site:
    """nginx over a folder; what it was asked for."""

    def __init__(self, folder: str, root: str):
        self.folder, self.port = folder, free_port()
        user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
        with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as f:
            f.write(CONF.format(folder=folder, port=self.port, root=root, user=user))
        self.process = subprocess.Popen([NGINX, "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                assert time.monotonic() < end and self.process.poll() is None, "nginx did not start"
                time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)

    def asked(self) -> collections.Counter:
        with open(f"{self.folder}/nginx.log", encoding="utf-8") as f:
            return collections.Counter(line.rstrip("\n").split(" ", 1)[1] for line in f)


def paths_of(package: str) -> dict:
    """path and query as in a request: kind."""
    rows = {}
    with open(os.path.join(LISTS, package + ".urls.tsv"), encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                url, _, kind = line.rstrip("\n").split("\t")
                rows[url.split("/", 3)[3]] = kind
    return {"/" + path: kind for path, kind in rows.items()}


def named_by_styles(root: str) -> set:
    """What style sheets name: allowed, not asked for."""
    found = set()
    for at, _, names in os.walk(root):
        for name in names:
            if name.endswith(".css"):
                base = "/" + os.path.relpath(os.path.join(at, name), root)
                with open(os.path.join(at, name), encoding="utf-8", errors="replace") as f:
                    for pair in re.findall(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""", f.read()):
                        url = pair[0] or pair[1]
                        found.add(urllib.parse.urljoin(base, url.strip()).split("#")[0])
    return found


for _package, _root in SITES.items():
    @case(f"{_package}: every page and what it needs exactly once, and nothing else")
    def _(tmp, package=_package, root=_root):
        root = os.path.join(CORPUS, package, root)
        if not os.path.isdir(LISTS):
            skip("the lists of ../shared/conformance/corpus")
        if not os.path.isdir(root):
            skip(f"{package} (tools/get-corpus)")
        if not os.path.exists(NGINX):
            skip("nginx (tools/install-packages test)")
        kinds = paths_of(package)
        must = {path for path, kind in kinds.items() if kind in ("nav", "embed")}
        with Site(tmp, root) as site:
            seed = f"http://127.0.0.1:{site.port}/index.html"
            crawl = Crawl(None, tmp, "--scope", "host", "--allow-private=127.0.0.0/8", seeds=[seed])
            done = crawl.run()
            assert done.code == 0, done
            asked = site.asked()
        allowed = set(kinds) | named_by_styles(root) | {"/robots.txt", "/index.html"}
        assert not must - set(asked), "never asked for " + few(must - set(asked))
        assert not set(asked) - allowed, "asked for " + few(set(asked) - allowed)
        assert set(asked.values()) == {1}, "more than once: " + few(p for p, n in asked.items() if n > 1)
        agree(crawl)
        verify(crawl)
        verify_digests(crawl)
        print(f"# {package}: {len(asked)} requests, {len(must)} were wanted, "
              f"{warcio.same_keys(crawl.lines('indexes', 'index.cdxj'))} keys are warcio's")


main()
