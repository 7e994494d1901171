# SPDX-License-Identifier: Apache-2.0
"""browser: a headless chromium, driven over a pipe by the DevTools protocol.

    with Browser() as browser:
        browser.open("http://index.localhost:8080/")
        browser.ask("document.title")
        browser.shoot("index.png")

It talks to this machine alone: every name but localhost's is refused. `find()` is the program, or
None where there is none."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

WAIT_SECONDS = 30
MESSAGE_MAX_BYTES = 64 << 20


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self, width: int = 1200, height: int = 1500):
        self.folder = tempfile.mkdtemp(prefix="browser-")
        self.size = (width, height)
        self.number = 0
        self.events = []
        self.rest = b""
        to_read, self.to = os.pipe()
        self.from_, to_write = os.pipe()
        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync",
             "--disable-component-update", "--hide-scrollbars", "--remote-debugging-pipe",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
             f"--window-size={width},{height}", "--user-data-dir=" + self.folder, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=lambda: _as_three_and_four(to_read, to_write))
        os.close(to_read)
        os.close(to_write)
        try:
            self._attach()
        except Exception:
            self.close()
            raise

    def _attach(self):
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(domain + ".enable")
        self.resize(*self.size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for end in (self.to, self.from_):
            try:
                os.close(end)
            except OSError:
                pass
        try:
            self.process.wait(5)  # it ends with its pipe
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def resize(self, width: int, height: int) -> None:
        self.size = (width, height)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def call(self, method: str, **params) -> dict:
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + WAIT_SECONDS
        while True:
            answer = self._next(end)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def _next(self, end: float) -> dict:
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.from_], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(self.from_, 1 << 16) if ready else b""
            if not piece or len(self.rest) > MESSAGE_MAX_BYTES:
                raise RuntimeError("the browser said nothing in time" if not ready else "it ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, url: str) -> None:
        """Returns once the page and everything it needs are loaded."""
        self.events = []
        went = self.call("Page.navigate", url=url)
        if went.get("errorText"):
            raise RuntimeError(f"{url}: {went['errorText']}")
        end = time.monotonic() + WAIT_SECONDS
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._next(end))

    def failures(self) -> list:
        """URLs of the page that were answered with an error, or not at all."""
        asked = {e["params"]["requestId"]: e["params"]["request"]["url"] for e in self.events
                 if e.get("method") == "Network.requestWillBeSent"}
        bad = [asked.get(e["params"]["requestId"], "?") for e in self.events
               if e.get("method") == "Network.loadingFailed"]
        return bad + [e["params"]["response"]["url"] for e in self.events
                      if e.get("method") == "Network.responseReceived"
                      and e["params"]["response"]["status"] >= 400]

    def ask(self, expression: str):
        """The value of a script's expression; of what it promises, if it does."""
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                        awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(str(got["exceptionDetails"]))
        return got["result"].get("value")

    def shoot(self, path: str) -> None:
        shot = self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as f:
            f.write(base64.b64decode(shot["data"]))


def _as_three_and_four(to_read: int, to_write: int) -> None:
    """In the child: the protocol's pipe is read from 3 and written to 4."""
    low, high = os.dup(to_read), os.dup(to_write)
    while low in (3, 4):
        low = os.dup(low)
    while high in (3, 4):
        high = os.dup(high)
    os.dup2(low, 3)
    os.dup2(high, 4)
