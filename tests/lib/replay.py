# SPDX-License-Identifier: Apache-2.0
"""replay: a WACZ file opened by replayweb.page, in a browser, from a server of this machine.

    with Replay("crawl.wacz") as replay, Browser() as browser:
        seen = replay.shown(browser, "http://a.example/")

The server understands byte ranges, as the replay needs to read a large file piece by piece, and
remembers which were asked for. The replayed page lies in a frame within a frame, parts of which are
shadow roots; all come from the same origin, so that a script can look into them."""
import html
import http.server
import json
import os
import re
import subprocess
import threading
import time
import urllib.parse

from scenario import ROOT, skip

LOADS, LOAD_SECONDS = 4, 25
TYPES = {".js": "text/javascript", ".wacz": "application/wacz", ".html": "text/html; charset=utf-8"}

# The window of the frame that shows a URL: its address ends with mp_/ and that URL.
FIND = """(() => {
  const inside = root => [...root.querySelectorAll('*')].flatMap(e => [
      ...(e.tagName === 'IFRAME' && e.contentDocument ? [e.contentWindow, ...inside(e.contentDocument)] : []),
      ...(e.shadowRoot ? inside(e.shadowRoot) : [])]);
  return inside(document).find(w => w.location.href.endsWith('mp_/' + URL_OF_PAGE));
})()"""

LOOK = """(async () => {
  const w = FIND;
  if (!w || w.document.readyState !== 'complete')
    return null;
  const d = w.document;
  await Promise.all([...d.images].map(i => i.decode().catch(() => 0)));
  return {
    title: d.title,
    text: d.body.innerText,
    images: [...d.images].map(i => [i.currentSrc || i.src, i.naturalWidth]),
    rules: [...d.styleSheets].filter(s => s.href).map(s => [s.href, s.cssRules.length]),
    margin: w.getComputedStyle(d.body).marginTop,
    behind: w.getComputedStyle(d.body).backgroundImage,
  };
})()"""


def files() -> str:
    """The folder of the replay's two files, or the case is skipped."""
    got = subprocess.run([os.path.join(ROOT, "tools", "get-replaywebpage")], capture_output=True, text=True,
                         timeout=200, check=False)
    if got.returncode:
        skip("replaywebpage (" + got.stderr.strip() + ")")
    return got.stdout.strip()


class Replay:
    def __init__(self, wacz: str):
        folder = files()
        self.routes = {"/ui.js": os.path.join(folder, "ui.js"), "/replay/sw.js": os.path.join(folder, "sw.js"),
                       "/replay/ui.js": os.path.join(folder, "ui.js"), "/crawl.wacz": wacz}
        self.ranges = []  # (first, last) of the WACZ
        self.not_found = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(10)

    def page(self, url: str) -> str:
        """The address of a page with the replay of `url` in it."""
        return f"http://127.0.0.1:{self.server.server_port}/?" + urllib.parse.urlencode({"url": url})

    def shown(self, browser, url: str, shown_as: str = None) -> dict:
        """What the replay of `url` shows, once it is all there; shown_as: where it leads to. On a busy
        machine the replay's own worker can come too late for the first load, so that is tried again."""
        script = LOOK.replace("FIND", FIND.replace("URL_OF_PAGE", json.dumps(shown_as or url)))
        for _ in range(LOADS):
            browser.open(self.page(url))
            end = time.monotonic() + LOAD_SECONDS
            while time.monotonic() < end:
                seen = browser.ask(script)
                if seen and seen["text"].strip():
                    return seen
                time.sleep(0.2)
        raise AssertionError(f"{url} was never shown; not found: {self.not_found}")


def _embedding(query: str) -> bytes:
    url = urllib.parse.parse_qs(query).get("url", [""])[0]
    return ("<!doctype html><meta charset=utf-8><title>replay</title>"
            "<style>html,body,replay-web-page{margin:0;height:100%}</style><script src=/ui.js></script>"
            f'<replay-web-page source="/crawl.wacz" replayBase="/replay/" url="{html.escape(url)}">'
            "</replay-web-page>").encode()


def _handler(replay: Replay):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            at = urllib.parse.urlsplit(self.path)
            if at.path == "/":
                return self.answer(200, ".html", _embedding(at.query))
            if at.path not in replay.routes:
                replay.not_found.append(self.path)
                return self.answer(404, ".html", b"not here")
            path = replay.routes[at.path]
            with open(path, "rb") as f:
                return self.part(path, f.read())

        def part(self, path: str, data: bytes):
            asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
            if not asked or not (asked[1] or asked[2]):
                return self.answer(200, os.path.splitext(path)[1], data)
            first = int(asked[1]) if asked[1] else max(0, len(data) - int(asked[2]))
            last = min(int(asked[2]), len(data) - 1) if asked[1] and asked[2] else len(data) - 1
            replay.ranges.append((first, last))
            return self.answer(206, os.path.splitext(path)[1], data[first:last + 1],
                               {"Content-Range": f"bytes {first}-{last}/{len(data)}"})

        def answer(self, code: int, ending: str, body: bytes, more: dict = None):
            self.send_response(code)
            fields = {"Content-Type": TYPES[ending], "Content-Length": len(body), "Accept-Ranges": "bytes",
                      "Service-Worker-Allowed": "/", **(more or {})}
            for name, value in fields.items():
                self.send_header(name, str(value))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler
