# SPDX-License-Identifier: Apache-2.0
"""--http auto|1.1|2: servers that refuse HTTP/1.1 are asked over HTTP/2, in the host's next turn, and that is
remembered for the host. The servers are node's and nginx's own."""
import getpass
import glob
import gzip
import os
import socket
import subprocess
import time

import places
from refusing_web import RefusingWeb, certificate
from scenario import PROGRAM, ROOT, case, main, run, skip, until, write
from small_web import QUICK, Left, SmallWeb, crawl, page

NGINX = "/usr/sbin/nginx"
CONF = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.err;
events {{}}
http {{
    types {{ text/html html; }}
    log_format asked "$server_protocol $status $request_uri";
    access_log {folder}/nginx.log asked;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {cert}; ssl_certificate_key {key};
        root {folder}/root; index index.html;
        if ($server_protocol ~ HTTP/1) {{ return 505; }}
    }}
}}
"""
REFUSALS = ["alert", "505", "426", "426-bare"]
ALL_PAGES = {"/", "/a", "/b"}


def host_line(folder: str, url: str) -> str:
    done = run(["url", folder + "/crawl", url])
    assert done.code == 0, done.err
    return next(line for line in done.out.splitlines() if line.startswith("host "))


def archive(folder: str) -> bytes:
    """All records of the crawl, unpacked."""
    names = glob.glob(os.path.join(folder, "crawl", "archive", "*.warc.gz"))
    assert names, os.listdir(os.path.join(folder, "crawl"))
    return b"".join(gzip.open(name).read() for name in names)


def asked_of(web, mode: str, wanted: list) -> None:
    """The server saw these requests, after one that was refused. Of a handshake that it refuses node tells when the
    other end knows it already."""
    if mode == "alert":
        until(lambda: ("tls", "") in web.asked(), "no handshake was refused")
        assert web.asked().count(("tls", "")) == 1, web.asked()
        assert [a for a in web.asked() if a[0] != "tls"] == wanted, web.asked()
    else:
        assert web.asked() == [("1.1", "/robots.txt"), *wanted], web.asked()


EVERYTHING = [("2", "/robots.txt"), ("2", "/"), ("2", "/a"), ("2", "/b")]


@case("a server that refuses HTTP/1.1 is asked over HTTP/2, and every page is archived once")
def _(tmp):
    for mode in REFUSALS:
        folder = os.path.join(tmp, mode)
        os.makedirs(folder)
        with RefusingWeb(folder, mode) as web:
            left = crawl(web.url("/"), folder, *web.trusts)
            asked_of(web, mode, EVERYTHING)
            assert left.archived() == ALL_PAGES and len(left.index()) == 4, (mode, left.index())
            log = left.log()
            assert log["/robots.txt"] == (200, ["tries:2", "h2"]), (mode, log)
            assert all(log[path] == (200, ["h2"]) for path in ALL_PAGES), (mode, log)
            assert "HTTP/2: it refuses HTTP/1.1" in host_line(folder, web.url("/a"))
            bytes_ = archive(folder)
            assert bytes_.count(b"WARC-Protocol: h2\r\n") == 8, bytes_.count(b"WARC-Protocol")
            assert b"HTTP/1.1 505" not in bytes_ and b"HTTP/1.1 426" not in bytes_


@case("the request over HTTP/2 waits for the host's delay like any other")
def _(tmp):
    with RefusingWeb(tmp, "505") as web:
        crawl(web.url("/"), tmp, *web.trusts, "-w", "300ms")
        times = [r["at_ms"] for r in web.requests()]
        gaps = [b - a for a, b in zip(times, times[1:])]
        assert len(gaps) == 4 and min(gaps) >= 300, gaps


@case("what a host speaks outlives a restart")
def _(tmp):
    for mode in REFUSALS[:2]:
        folder = os.path.join(tmp, mode)
        os.makedirs(folder)
        with RefusingWeb(folder, mode) as web:
            crawl(web.url("/a"), folder, *web.trusts)
            asked_of(web, mode, [("2", "/robots.txt"), ("2", "/a")])
            crawl(web.url("/b"), folder)
            asked_of(web, mode, [("2", "/robots.txt"), ("2", "/a"), ("2", "/b")])
            assert "HTTP/2: it refuses HTTP/1.1" in host_line(folder, web.url("/b"))


@case("what a host speaks outlives kill -9")
def _(tmp):
    with RefusingWeb(tmp, "505") as web:
        options = ["crawl", "-o", tmp + "/crawl", *QUICK, *web.trusts, "-w", "500ms"]
        killed = subprocess.Popen([PROGRAM, *options, web.url("/")], stdin=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            until(lambda: len(web.asked()) >= 4, "the crawl did not come to its second page")
        finally:
            killed.kill()
            killed.wait(60)
        left = crawl(web.url("/"), tmp)
        asked = web.asked()
        assert [a for a in asked if a[0] == "1.1"] == [("1.1", "/robots.txt")], asked
        assert left.archived() == ALL_PAGES and {("2", "/a"), ("2", "/b")} <= set(asked), asked


@case("a place that fetches and has no records asks like the others")
def _(tmp):
    places.ORBWEAVER = PROGRAM
    with open(os.path.join(ROOT, "wirings", "three-places.yaml"), encoding="utf-8") as f:
        wiring = f.read()
    for mode in REFUSALS[:2]:
        folder = os.path.join(tmp, mode)
        os.makedirs(folder)
        with RefusingWeb(folder, mode) as web, \
                places.Places(folder, wiring, ["fetcher", "reader"], [*QUICK, *web.trusts]) as others:
            left = crawl(web.url("/"), folder, *web.trusts, *others.options("home"))
            asked_of(web, mode, EVERYTHING)
            assert left.archived() == ALL_PAGES, left.archived()
            assert "HTTP/2: it refuses HTTP/1.1" in host_line(folder, web.url("/a"))


@case("--http 1.1 never offers HTTP/2, and the refusal is the result")
def _(tmp):
    for mode, code in (("alert", -2), ("505", 505), ("426", 426)):
        folder = os.path.join(tmp, mode)
        os.makedirs(folder)
        with RefusingWeb(folder, mode) as web:
            left = crawl(web.url("/"), folder, *web.trusts, "--http", "1.1", "--ignore-robots",
                         code=4 if mode == "alert" else 0)
            until(web.asked, "the server saw nothing")  # node tells of a handshake late
            assert web.asked() == [("tls", "") if mode == "alert" else ("1.1", "/")], web.asked()
            assert left.log()["/"][0] == code, left.log()
            assert "HTTP/2" not in host_line(folder, web.url("/"))


@case("answers that do not say that HTTP/1.1 is refused are results")
def _(tmp):
    for mode, code in (("403", 403), ("426-websocket", 426)):
        folder = os.path.join(tmp, mode)
        os.makedirs(folder)
        with RefusingWeb(folder, mode) as web:
            left = crawl(web.url("/"), folder, *web.trusts)
            assert web.asked() == [("1.1", "/robots.txt"), ("1.1", "/")], web.asked()
            assert left.log()["/"][0] == code, left.log()


@case("where HTTP/2 is not spoken either, the result is that of HTTP/1.1, and each page is asked for once")
def _(tmp):
    with RefusingWeb(tmp, "505-always") as web:
        seeds = [web.url("/"), web.url("/a"), web.url("/b")]
        left = crawl(seeds, tmp, *web.trusts, "--ignore-robots")
        paths = [path for _, path in web.asked()]
        assert sorted(paths) == sorted(["/", "/a", "/b", paths[0]]) and paths[0] == paths[1], web.asked()
        assert all(version == "1.1" for version, _ in web.asked()), web.asked()
        assert {code for code, _ in left.log().values()} == {505}, left.log()
        assert "it refuses HTTP/1.1, and HTTP/2 did not work either" in host_line(tmp, web.url("/"))


@case("where HTTP/2 breaks off, that is a try that failed, and the tries are limited")
def _(tmp):
    with RefusingWeb(tmp, "505-resets") as web:
        left = crawl(web.url("/"), tmp, *web.trusts, "--ignore-robots", code=4)
        assert web.asked() == [("1.1", "/")] + [("2", "/")] * 3, web.asked()
        assert left.log()["/"][0] == -8, left.log()
        times = [r["at_ms"] for r in web.requests()]
        assert min(b - a for a, b in zip(times[1:], times[2:])) >= 100, times  # the back-off


@case("a host that breaks off its first request over HTTP/2 is not lost")
def _(tmp):
    with RefusingWeb(tmp, "505-resets-once") as web:
        left = crawl(web.url("/"), tmp, *web.trusts)
        assert web.asked() == [("1.1", "/robots.txt"), ("2", "/robots.txt"), *EVERYTHING], web.asked()
        assert left.archived() == ALL_PAGES, left.log()
        assert left.log()["/robots.txt"] == (200, ["tries:3", "h2"]), left.log()
        assert "HTTP/2: it refuses HTTP/1.1" in host_line(tmp, web.url("/a"))


@case("a page alone may be refused over HTTP/1.1")
def _(tmp):
    with RefusingWeb(tmp, "505-one") as web:
        left = crawl(web.url("/"), tmp, *web.trusts)
        assert web.asked().count(("1.1", "/b")) == 1 and web.asked().count(("2", "/b")) == 1, web.asked()
        assert left.archived() == ALL_PAGES and left.log()["/b"] == (200, ["tries:2", "h2"]), left.log()


@case("a robots.txt that redirects to the same host over TLS is asked for over HTTP/2 there")
def _(tmp):
    with RefusingWeb(tmp, "505") as web, SmallWeb({"/": page("Plain", "")}) as plain:
        plain.pages["/robots.txt"] = (301, {"Location": web.url("/robots.txt")}, b"")
        left = crawl(plain.url("/"), tmp, *web.trusts)
        assert web.asked() == [("1.1", "/robots.txt"), ("2", "/robots.txt")], web.asked()
        assert left.archived() == {"/"} and plain.paths() == ["/"], left.log()


@case("--http2, http2: yes, ORBWEAVER_HTTP2 and --set http.http2=yes still mean --http 2")
def _(tmp):
    config = write(tmp, "http2.yaml", "http2: yes\n")
    ways = [(["--http", "2"], {}), (["--http2"], {}), (["-c", config], {}), ([], {"ORBWEAVER_HTTP2": "yes"}),
            (["--set", "http.http2=yes"], {}), (["--http", "1.1", "--http2"], {}),
            (["-c", config, "--http", "auto"], {}), (["--http2", "--no-http2"], {})]
    for number, (flags, env) in enumerate(ways):
        folder = os.path.join(tmp, str(number))
        os.makedirs(folder)
        with RefusingWeb(folder, "505") as web:
            out = os.path.join(folder, "crawl")
            done = run(["crawl", "-o", out, *QUICK, *web.trusts, *flags, web.url("/a")], env=env, seconds=120)
            assert done.code == 0 and Left(out, done).archived() == {"/a"}, (flags, done.err[-2000:])
            begins = [] if number < 6 else [("1.1", "/robots.txt")]
            assert web.asked() == begins + [("2", "/robots.txt"), ("2", "/a")], (flags, env, web.asked())


@case("the directory keeps the setting under its new name")
def _(tmp):
    with RefusingWeb(tmp, "505") as web:
        left = crawl(web.url("/a"), tmp, *web.trusts, "--http2")
        assert "http: 2" in left.lines("orbweaver.yaml"), left.lines("orbweaver.yaml")
        crawl(web.url("/b"), tmp)
        assert {version for version, _ in web.asked()} == {"2"}, web.asked()


@case("what is no version of HTTP is refused")
def _(tmp):
    for flags in (["--http", "3"], ["--http", "1"], ["--http2=maybe"]):
        done = run(["crawl", "-o", tmp + "/c", *flags, "http://127.0.0.1:65535/"])
        assert done.code == 2 and "expected one of auto|1.1|2" in done.err, (flags, done.err)
    done = run(["crawl", "-o", tmp + "/c", "--http"])
    assert done.code == 2 and "--http needs a value (auto|1.1|2)" in done.err, done.err
    bad = write(tmp, "bad.yaml", "http: 3\n")
    done = run(["check", bad])
    assert done.code == 2 and "bad.yaml:1" in done.err + done.out and "auto|1.1|2" in done.err + done.out, done
    done = run(["crawl", "-o", tmp + "/c", "--set", "http.http=9", "http://127.0.0.1:65535/"])
    assert done.code == 2 and "auto|1.1|2" in done.err, done.err


@case("orbweaver fetch asks again over HTTP/2, too, and says so")
def _(tmp):
    with RefusingWeb(tmp, "alert") as web:
        done = run(["fetch", "--allow-private", "-w", "0", *web.trusts, web.url("/a")])
        assert done.code == 0 and "the server refuses HTTP/1.1: asked again over HTTP/2" in done.out, done.out
        asked_of(web, "alert", [("2", "/robots.txt"), ("2", "/a")])
        done = run(["fetch", "--allow-private", "-w", "0", "--http", "1.1", *web.trusts, web.url("/a")])
        assert done.code == 4 and "the server refuses HTTP/1.1" in done.out, done.out
        until(lambda: web.asked().count(("tls", "")) == 2, "no second handshake")
        assert len(web.asked()) == 4, web.asked()


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def nginx_start(folder: str, port: int):
    key, cert = certificate(folder)
    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    conf = write(folder, "nginx.conf", CONF.format(folder=folder, port=port, user=user, key=key, cert=cert))
    process = subprocess.Popen([NGINX, "-c", conf], stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return process
        except OSError:
            assert time.monotonic() < end and process.poll() is None, "nginx did not start"
            time.sleep(0.02)


@case("nginx that answers HTTP/1.1 with 505 is crawled over HTTP/2")
def _(tmp):
    if not os.path.exists(NGINX):
        skip("nginx is missing")
    os.makedirs(tmp + "/root")
    write(tmp + "/root", "index.html", b"<title>Home</title><a href=a.html>a</a>")
    write(tmp + "/root", "a.html", b"<title>A</title>")
    port = free_port()
    process = nginx_start(tmp, port)
    try:
        left = crawl(f"https://127.0.0.1:{port}/", tmp, "--ca-file", tmp + "/certificate.pem")
    finally:
        process.terminate()
        process.wait(60)
    with open(tmp + "/nginx.log", encoding="utf-8") as f:
        asked = f.read().splitlines()
    assert asked == ["HTTP/1.1 505 /robots.txt", "HTTP/2.0 404 /robots.txt", "HTTP/2.0 200 /",
                     "HTTP/2.0 200 /a.html"], asked
    assert left.archived() == {"/", "/a.html"} and left.log()["/"] == (200, ["h2"]), left.log()


main()
