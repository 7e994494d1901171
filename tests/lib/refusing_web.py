# SPDX-License-Identifier: Apache-2.0
"""refusing_web: a small web over TLS that refuses a version of HTTP, by node's HTTP/2 server.

    with RefusingWeb(folder, "alert") as web:
        crawl(web.url("/"), folder, *web.trusts)
        web.asked()                            # [("1.1", "/robots.txt"), ("2", "/"), ...]

    mode             HTTP/1.1 gets                                       HTTP/2
    alert            the TLS alert no_application_protocol               answers
    505, 426         that status; 426 names h2c                          answers
    426-bare         426 without Upgrade                                 answers
    426-websocket    426 that names another protocol                     answers
    403              that status                                         answers
    505-always       505                                                 is not spoken
    505-resets       505                                                 is closed without an answer
    505-resets-once  505                                                 closes the first, then answers
    505-one          505 for one page, the others are good               answers

A refused handshake is asked() as ("tls", "")."""
import json
import os
import shutil
import subprocess

from scenario import skip

PAGES = {"/robots.txt": "User-agent: *\nAllow: /\n",
         "/": "<title>Home</title><a href=/a>a</a><a href=/b>b</a>", "/a": "<title>A</title>", "/b": "<title>B</title>"}


def certificate(folder: str) -> tuple:
    """The files of a key and of a certificate for 127.0.0.1 that signed itself."""
    key, cert = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
                    "-out", cert], check=True, capture_output=True, timeout=60)
    return key, cert


class RefusingWeb:
    def __init__(self, folder: str, mode: str):
        if not shutil.which("node"):
            skip("node is missing")
        key, cert = certificate(folder)
        pages = os.path.join(folder, "pages.json")
        with open(pages, "w", encoding="utf-8") as f:
            json.dump(PAGES, f)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "refusing_web.mjs")
        self.trusts = ["--ca-file", cert]
        self.told = os.path.join(folder, "told.jsonl")
        with open(self.told, "wb"):
            pass
        self.process = subprocess.Popen(["node", script, mode, key, cert, pages, self.told], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line.strip(), "node did not start"
        self.port = int(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()

    def url(self, path: str) -> str:
        return f"https://127.0.0.1:{self.port}{path}"

    def requests(self) -> list:
        """What the server saw, each with at_ms, version, path and whether it was refused."""
        with open(self.told, encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def asked(self) -> list:
        return [(r["version"], r.get("path", "")) for r in self.requests()]
