# SPDX-License-Identifier: Apache-2.0
"""HTTPS and HTTP/2 of the simulated web, good and bad, as curl, openssl and python's ssl see it."""
import os
import re
import shutil
import socket
import ssl
import stat
import subprocess
import urllib.parse
import warnings

from scenario import case, main, skip
from simweb import Simweb

FAULTS = ["--hosts", "20", "--pages", "20", "--https", "1", "--http2", "0.5", "--fault", "f86",
          "--fault", "f87", "--fault", "f88", "--fault", "f89"]
# What curl says with its exit code.
COULD_NOT_CONNECT, TIMED_OUT, TLS_FAILED, RECV_FAILED, UNTRUSTED, H2_STREAM = 7, 28, 35, 56, 60, 92

warnings.simplefilter("ignore", DeprecationWarning)  # TLS 1.0 is: that is the point
web = Simweb(*FAULTS)
home = urllib.parse.urlsplit(web.run["home"])


def curl(host, path, *options, seconds=20):
    """(exit code, body, status, HTTP version); the name is resolved by the web's own DNS."""
    if not shutil.which("curl"):
        skip("curl (absent)")
    done = subprocess.run(
        ["curl", "-sS", "-m", str(seconds), "--noproxy", "*", "--cacert", web.ca,
         "--connect-to", f"::{web.address(host)}:", "-w", "\n%{http_code} %{http_version}", *options,
         f"https://{host}:{web.https_port}{path}"],
        capture_output=True, timeout=60, check=False)
    body, _, tail = done.stdout.rpartition(b"\n")
    status, version = tail.decode().split()
    return done.returncode, body, int(status), version


def connect(host, context, timeout=10.0, sni=True):
    raw = socket.create_connection((web.address(host), web.https_port), timeout=timeout)
    try:
        return context.wrap_socket(raw, server_hostname=host if sni else None)
    except BaseException:
        raw.close()
        raise


def trusting():
    return ssl.create_default_context(cafile=web.ca)


def refused(host, text):
    """python's ssl and curl both refuse the host, for that reason."""
    try:
        connect(host, trusting()).close()
        raise AssertionError(f"{host} was trusted")
    except ssl.SSLCertVerificationError as why:
        assert text in str(why), why
    assert curl(host, "/page")[0] == UNTRUSTED
    code, _, status, _ = curl(host, "/page", "--insecure")
    assert (code, status) == (0, 200), (code, status)


@case("the authority's key is its owner's alone")
def _(tmp):
    mode = os.stat(os.path.join(web.folder, "ca.key")).st_mode
    assert stat.S_IMODE(mode) == 0o600, oct(mode)
    out = subprocess.run(["openssl", "x509", "-in", web.ca, "-noout", "-text"], capture_output=True,
                         text=True, timeout=20, check=True).stdout
    assert "CA:TRUE" in out and "prime256v1" in out and "Certificate Sign" in out, out


@case("an ordinary host is served over TLS 1.3 and 1.2, the same bytes each time")
def _(tmp):
    bodies = set()
    for how in ((), ("--tls-max", "1.2"), ("--tlsv1.3",), ("--http1.1",)):
        code, body, status, _ = curl(home.hostname, "/", *how)
        assert (code, status) == (0, 200), (how, code, status)
        bodies.add(body)
    assert len(bodies) == 1 and b"<title" in bodies.pop().lower()


@case("TLS 1.1 is too old for an ordinary host")
def _(tmp):
    code, *_ = curl(home.hostname, "/", "--tls-max", "1.1", "--ciphers", "ALL:@SECLEVEL=0")
    assert code == TLS_FAILED, code


@case("openssl verifies the chain and the name, and a session is resumed")
def _(tmp):
    session = os.path.join(tmp, "session")
    where = ["openssl", "s_client", "-connect", f"{web.address(home.hostname)}:{web.https_port}",
             "-servername", home.hostname, "-verify_hostname", home.hostname, "-CAfile", web.ca]
    request = f"GET /robots.txt HTTP/1.1\r\nHost: {home.netloc}\r\nConnection: close\r\n\r\n".encode()
    first = subprocess.run(where + ["-ign_eof", "-sess_out", session], input=request,
                           capture_output=True, timeout=20, check=False).stdout
    assert b"Verification: OK" in first and b"HTTP/1.1 " in first, first[-500:]
    again = subprocess.run(where + ["-ign_eof", "-sess_in", session], input=request,
                           capture_output=True, timeout=20, check=False).stdout
    assert b"Reused, TLSv1.3" in again, again[-1500:]


def hosts():
    """{host: its HTTP version}: home pages name others; until both versions were met."""
    found, todo = {}, [home.hostname]
    while todo and set(found.values()) != {"2", "1.1"}:
        host = todo.pop()
        code, body, status, found[host] = curl(host, "/", "--http2")
        assert (code, status) == (0, 200), (host, code, status)
        assert body == curl(host, "/", "--http1.1")[1], host
        named = {h.decode() for h in re.findall(rb"//([a-z0-9.-]+\.test):\d+", body)}
        todo += sorted(named - set(found))
    return found


@case("some hosts offer HTTP/2 and some do not, and both give the same page")
def _(tmp):
    found = hosts()
    assert set(found.values()) == {"2", "1.1"}, found


@case("codings, conditions and HEAD work over HTTP/2")
def _(tmp):
    host = [name for name, version in hosts().items() if version == "2"][0]
    plain = curl(host, "/", "--http2")[1]
    for coding in ("gzip", "br", "zstd"):
        done = curl(host, "/", "--http2", "--compressed", "-H", f"Accept-Encoding: {coding}")
        assert done == (0, plain, 200, "2"), (coding, done)
    out = curl(host, "/", "--http2", "-D", "-", "-o", os.devnull)[1]
    etag = re.search(rb"^etag: (.*)\r$", out, re.M).group(1).decode()
    done = curl(host, "/", "--http2", "-H", f"If-None-Match: {etag}")
    assert done == (0, b"", 304, "2"), done
    head = ["--http2", "-D", "-", "-o", os.devnull]
    code, out, *_ = curl("good.f89.test", "/page", *head)
    assert code == 0 and out.startswith(b"HTTP/2 200"), out
    assert b"transfer-encoding" not in out.lower() and b"connection:" not in out.lower(), out
    code, out, *_ = curl("good.f89.test", "/page", "--http2", "--head")
    assert code == 0 and b"HTTP/2 200" in out and b"<" not in out, out
    code, _, status, version = curl("good.f89.test", "/nothing", "--http2")
    assert (code, status, version) == (0, 404, "2"), (code, status, version)


@case("many requests share one HTTP/2 connection")
def _(tmp):
    urls = [f"https://good.f89.test:{web.https_port}/told/{i}" for i in range(50)]
    done = subprocess.run(
        ["curl", "-sS", "-m", "30", "--http2", "--parallel", "--cacert", web.ca, "--connect-to",
         f"::{web.address('good.f89.test')}:", "-w", "%{http_code} %{num_connects}\n",
         *[part for url in urls for part in ("-o", os.devnull, url)]],
        capture_output=True, text=True, timeout=60, check=False)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0 and [row[0] for row in rows] == ["200"] * 50, done
    assert sum(int(row[1]) for row in rows) < 50, "a connection for every request"


@case("an expired certificate, another's, one of its own, and one of nobody known")
def _(tmp):
    connect("good.f86.test", trusting()).close()
    assert curl("good.f86.test", "/page")[:3:2] == (0, 200)
    refused("expired.f86.test", "certificate has expired")
    refused("wrong.f86.test", "Hostname mismatch")
    refused("self.f86.test", "self-signed certificate")
    refused("unknown.f86.test", "unable to get local issuer certificate")


@case("a handshake that is never answered")
def _(tmp):
    try:
        connect("stall.f87.test", trusting(), timeout=1.0).close()
        raise AssertionError("it was answered")
    except (socket.timeout, TimeoutError):
        pass
    assert curl("stall.f87.test", "/page", seconds=1)[0] == TIMED_OUT


@case("a storm of alerts, of which most clients soon have enough")
def _(tmp):
    assert curl("alerts.f87.test", "/page")[0] == TLS_FAILED
    hello = ssl.MemoryBIO()
    try:
        trusting().wrap_bio(ssl.MemoryBIO(), hello, server_hostname="alerts.f87.test").do_handshake()
    except ssl.SSLWantReadError:
        pass
    with socket.create_connection((web.address("alerts.f87.test"), web.https_port), timeout=5) as s:
        s.sendall(hello.read())
        got = b""
        while len(got) < 7 * 100000:  # a client that takes them all comes to their end
            got += s.recv(65536)
        assert set(got[i:i + 7] for i in range(0, 7 * 100000, 7)) == {b"\x15\3\3\0\2\1\x5a"}
        s.settimeout(0.3)
        try:
            raise AssertionError(s.recv(65536))
        except (socket.timeout, TimeoutError):
            pass


@case("TLS 1.0 and nothing newer")
def _(tmp):
    assert curl("old.f87.test", "/page")[0] == TLS_FAILED
    code, _, status, _ = curl("old.f87.test", "/page", "--tlsv1.0", "--ciphers", "ALL:@SECLEVEL=0")
    assert (code, status) == (0, 200), (code, status)
    old = trusting()
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version = ssl.TLSVersion.TLSv1
    with connect("old.f87.test", old) as s:
        assert s.version() == "TLSv1", s.version()


@case("an end without close_notify, where others send one")
def _(tmp):
    for host, path, is_clean in (("abrupt.f87.test", "/unsized", False),
                                 ("good.f86.test", "/page", True)):
        raw = socket.create_connection((web.address(host), web.https_port), timeout=10)
        strict = trusting()
        strict.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)
        with strict.wrap_socket(raw, server_hostname=host, suppress_ragged_eofs=False) as s:
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            got = b""
            try:
                while piece := s.recv(65536):
                    got += piece
                ended_clean = True
            except ssl.SSLError:
                ended_clean = False
            assert got.startswith(b"HTTP/1.1 200") and ended_clean == is_clean, (host, got)
    assert curl("abrupt.f87.test", "/page")[:3:2] == (0, 200)


@case("two hosts on one address have a certificate each")
def _(tmp):
    assert web.address("one.f88.test") == web.address("two.f88.test")
    for host in ("one.f88.test", "two.f88.test"):
        with connect(host, trusting()) as s:
            names = [value for _, value in s.getpeercert()["subjectAltName"]]
            assert names == [host], names


@case("a client without SNI gets an alert where it is needed")
def _(tmp):
    context = trusting()
    context.check_hostname = False
    try:
        connect("one.f88.test", context, sni=False).close()
    except ssl.SSLError as why:
        assert "UNRECOGNIZED_NAME" in str(why), why
        return
    raise AssertionError("the handshake went through without SNI")


@case("and elsewhere a certificate for the address")
def _(tmp):
    context = trusting()
    context.check_hostname = False
    with connect(home.hostname, context, sni=False) as s:
        names = s.getpeercert()["subjectAltName"]
        assert names == (("IP Address", web.address(home.hostname)),), names


@case("GOAWAY ends the connection, not the page")
def _(tmp):
    code, body, status, version = curl("goaway.f89.test", "/page", "--http2")
    assert (code, status, version) == (0, 200, "2") and b"Here we are" in body
    url = f"https://goaway.f89.test:{web.https_port}/page"
    done = subprocess.run(["curl", "-sS", "-m", "20", "--http2", "--cacert", web.ca, "--connect-to",
                           f"::{web.address('goaway.f89.test')}:", "-w", "%{num_connects} ",
                           "-o", os.devnull, url, "-o", os.devnull, url],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout.split() == ["1", "1"], done


@case("a stream that is reset, and three floods: curl leaves, and HTTP/1.1 is good there")
def _(tmp):
    for label, expected in (("rst", H2_STREAM), ("settings", RECV_FAILED),
                            ("continuation", RECV_FAILED), ("hpack", RECV_FAILED)):
        host = f"{label}.f89.test"
        code, *_ = curl(host, "/page", "--http2")
        assert code == expected, (label, code)
        code, body, status, version = curl(host, "/page", "--http1.1")
        assert (code, status, version) == (0, 200, "1.1") and b"Here we are" in body, label


def frames(host):
    """Every frame (type, flags, payload) a client that never leaves is sent after one request."""
    context = trusting()
    context.set_alpn_protocols(["h2"])
    settings = b"\0\0\0\4\0\0\0\0\0"
    # :method GET, :scheme https, :path /, :authority HOST without indexing, of HPACK's static table
    block = b"\x82\x87\x84\x01" + bytes([len(host)]) + host.encode()
    request = len(block).to_bytes(3, "big") + b"\1\5\0\0\0\1" + block
    with connect(host, context) as s:
        s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings + request)
        stream = s.makefile("rb")
        while len(head := stream.read(9)) == 9:
            yield head[3], head[4], stream.read(int.from_bytes(head[:3], "big"))


@case("the floods are what they say, and come to an end")
def _(tmp):
    settings, continuations, bomb = (list(frames(f"{label}.f89.test"))
                                     for label in ("settings", "continuation", "hpack"))
    assert sum(1 for kind, flags, _ in settings if kind == 4 and not flags & 1) >= 100000
    assert sum(1 for kind, flags, _ in continuations if kind == 9 and not flags & 4) == 99999
    assert sum(1 for kind, *_ in bomb if kind == 9) == 63 and bomb[-1][1] & 4
    assert sum(payload.count(b"\xbe") for kind, _, payload in bomb if kind in (1, 9)) > 1000000


@case("an HTTP/2 client that opens no window is let go when patience is over")
def _(tmp):
    def frame(kind, flags, stream, body=b""):
        return (len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body)
    with Simweb("--hosts", "1", "--pages", "5", "--https", "1", "--http2", "1",
                "--patience", "100ms") as slow:
        name = urllib.parse.urlsplit(slow.run["home"]).hostname
        context = ssl.create_default_context(cafile=slow.ca)
        context.set_alpn_protocols(["h2"])
        raw = socket.create_connection((slow.address(name), slow.https_port), timeout=30)
        with context.wrap_socket(raw, server_hostname=name) as s:
            get = b"\x82\x87\x84\x41" + bytes([len(name)]) + name.encode()
            s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
                      frame(4, 0, 0, b"\x00\x04\x00\x00\x00\x00") + frame(1, 5, 1, get))
            try:
                while s.recv(65536):
                    pass
            except ConnectionResetError:
                pass
        report = slow.report()
        assert report["requests"] == 1 and report["open"] == 0, report


@case("the witness saw the requests over HTTP/2, and the server ends well")
def _(tmp):
    seen = web.verdicts()["F89"]
    assert seen["requests"] > 0, seen
    web.close()


try:
    main()
finally:
    if web.process.poll() is None:
        web.process.kill()
