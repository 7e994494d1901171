# SPDX-License-Identifier: Apache-2.0
"""The faults of the wire (F01 to F34) as a plain socket sees them, and whether the judge tells a
strict client from a lax one."""
import concurrent.futures
import ctypes
import ctypes.util
import io
import re
import tarfile
import time
import zlib

from scenario import case, main, skip
from simweb import Simweb
from wire import crawl, look, read_some, request

ENDLESS = 4 << 20
SILENCE_S = 8.0  # what says nothing for so long has ended: a busy machine may stand still for seconds
SHORT = ["--hosts", "4", "--drip", "20ms", "--fault-scale", "0.01", "--retry-after", "1"]
GZIP = "Accept-Encoding: gzip, deflate, br, zstd"
CLOSE = "Connection: close"


def serve(patience: str, endless: int):
    return Simweb(*SHORT, "--fault", ",".join(f"f{n:02}" for n in range(1, 35)), "--patience", patience,
                  "--endless", str(endless))


WEB = serve("2s", ENDLESS)
APART = {(5, "/race"), (7, "/status"), (8, "/body"), (8, "/length"), (8, "/chunks")}
HOW = {(3, "/silent"): {"first": 1.0}, (7, "/head"): {"silence": 10.0}, (31, "/never"): {"silence": 0.5}}


def host(number: int, label: str = "") -> str:
    return f"{label + '.' if label else ''}f{number:02}.test"


def ask(number: int, path: str, *lines: str, **how):
    return look(WEB, host(number), path, *lines, **how)


def ask_all() -> dict:
    """Every case of the sites' own hosts, side by side: {(number, path): Seen}."""
    cases = []
    for number in range(1, 35):
        status, _, index = WEB.get(WEB.fault(number, "/"))
        assert status == 200, number
        links = re.findall(rf'<li><a href="{re.escape(WEB.fault(number, ""))}(/[^"]*)"', index.decode())
        cases += [(number, path) for path in links if (number, path) not in APART]
    with concurrent.futures.ThreadPoolExecutor(128) as pool:
        return dict(zip(cases, pool.map(lambda c: ask(*c, GZIP, **{"silence": SILENCE_S, **HOW.get(c, {})}), cases)))


def saw(number: int, path: str):
    return SEEN[number, path]


def body_of(seen) -> bytes:
    return seen.raw.split(b"\r\n\r\n", 1)[1]


def field(seen, name: str) -> list:
    head = seen.raw.split(b"\r\n\r\n", 1)[0]
    return re.findall(rb"(?im)^" + name.encode() + rb":[ \t]*(.*?)\r?$", head)


def expect(number: int, rows: dict) -> None:
    """Each path's bytes match, and the connection is left as said."""
    for path, (pattern, end) in rows.items():
        seen = saw(number, path)
        assert re.search(pattern, seen.raw, re.S), (path, seen.raw[:600])
        assert seen.end == end, (path, seen.end, seen.raw[:200])


@case("F01: a SYN is answered by a reset")
def _(_):
    assert WEB.address(host(1)) != WEB.address(host(1, "refused"))
    try:
        WEB.connect(host(1, "refused"), timeout=5)
    except ConnectionRefusedError:
        return
    raise AssertionError("somebody listens")


@case("F02: a SYN is never answered")
def _(_):
    try:
        WEB.connect(host(2, "silent"), timeout=0.5)
    except TimeoutError:
        return
    raise AssertionError("a connection was made")


@case("F03: a request is read and nothing is said")
def _(_):
    seen = saw(3, "/silent")
    assert seen.raw == b"" and seen.end == "open", seen


@case("F04: an end or a reset instead of an answer")
def _(_):
    assert saw(4, "/close")[:2] == (b"", "fin")
    assert saw(4, "/reset")[:2] == (b"", "rst")


@case("F05: a used connection ends as the request comes, a fresh one answers")
def _(_):
    def twice(path: str):
        with WEB.connect(host(5)) as s:
            s.sendall(request(host(5), WEB.http_port, "/told/first"))
            assert read_some(s, 10, 1.0, 1 << 20).raw.startswith(b"HTTP/1.1 200 ")
            s.sendall(request(host(5), WEB.http_port, path))
            return read_some(s, 10, 1.0, 1 << 20)
    assert twice("/race")[:2] == (b"", "fin")
    assert b"/told/race/good" in twice("/race").raw
    assert twice("/fresh")[:2] == (b"", "rst") and twice("/fresh")[:2] == (b"", "rst")
    assert b"/told/fresh/good" in saw(5, "/fresh").raw
    idle = saw(5, "/idle")
    assert idle.end == "fin" and b"/told/idle/good" in idle.raw and b"onnection: close" not in idle.raw


@case("F06: a reset comes in the middle")
def _(_):
    body = saw(6, "/body")
    assert body.end == "rst" and 8000 < len(body_of(body)) < int(field(body, "Content-Length")[0]), body
    assert field(body, "ETag") == [b'"f06-body"']
    expect(6, {"/chunk": (rb"\r\n3e80\r\n.{8000}$", "rst"), "/head": (rb"\r\nContent-Len$", "rst")})


@case("F07 and F08: bytes come one by one, and the answer outlasts the patience")
def _(_):
    for number, path, start in ((7, "/status", b"HTTP/1.1 200"), (7, "/head", b"HTTP/1.1 200 OK\r\n"),
                                (8, "/body", b"HTTP/1.1 200 OK\r\n"), (8, "/length", b"HTTP/1.1 200 OK\r\n"),
                                (8, "/chunks", b"HTTP/1.1 200 OK\r\n")):
        with WEB.connect(host(number)) as s:
            s.sendall(request(host(number), WEB.http_port, path))
            pieces, end = [], time.monotonic() + 0.4
            while time.monotonic() < end or len(pieces) < 4:  # a machine that stands still joins pieces
                s.settimeout(20)
                pieces.append(s.recv(1 << 16))
                assert pieces[-1], (path, "ended")
        assert len(pieces) > 3 and b"".join(pieces).startswith(start[:len(b"".join(pieces))]), (path, pieces[:3])
        assert sum(map(len, pieces[1:])) < 6 * 700, (path, "too fast", len(pieces))


@case("F07: a client that never leaves is left after the patience")
def _(_):
    seen = saw(7, "/head")
    assert seen.end in ("fin", "rst") and seen.seconds > 2, seen[1:]


@case("F09, F10, F21, F23, F31: what has no end is ended by --endless alone")
def _(_):
    for number, path, unit in ((9, "/radio", b"never the same song twice"), (9, "/page", b"<p>This sentence"),
                               (10, "/endless-lines", b"\r\nX-Another: "), (10, "/endless-line", b"this line has no end"),
                               (21, "/endless", b"\r\n40\r\n<p>A chunk"), (23, "/endless", b"\r\nX-Trailer: "),
                               (31, "/endless", b"HTTP/1.1 103 Early Hints\r\n")):
        seen = saw(number, path)
        assert ENDLESS * 0.9 < len(seen.raw) < ENDLESS * 2 and seen.end in ("fin", "rst"), (path, len(seen.raw), seen.end)
        assert seen.raw.count(unit) > ENDLESS / 2000, (path, seen.raw.count(unit))


@case("F10: long heads that do end")
def _(_):
    long = saw(10, "/long")
    assert max(map(len, long.raw.split(b"\r\n"))) > 128 * 1024 and b"/told/long/part" in long.raw
    assert saw(10, "/many").raw.count(b"\r\nX-Line-") == 6000
    assert saw(10, "/some").raw.count(b"\r\nX-Line-") == 60


@case("F11, F12 and F13: header lines that are none, or go on")
def _(_):
    expect(11, {"/nul": (rb"\r\nLocation: /told/nul/bad\0\.html\r\n", "open"),
                "/cr": (rb"\r\nX-Odd: one\rLocation: /told/cr/bad\r\n", "open"),
                "/nul-value": (rb"\r\nX-Odd: one\0two\r\n", "open"), "/nul-name": (rb"\r\nX-O\0dd: ", "open"),
                "/control": (rb"X-Odd: \x01\x02\x1b", "open")})
    expect(12, {"/no-colon": (rb"\r\nthis line has no colon\r\n", "open"), "/space": (rb"\r\nTwo Words: ", "open"),
                "/space-before-colon": (rb"\r\nX-Odd : ", "open"), "/no-name": (rb"\r\n: a value", "open")})
    expect(13, {"/location": (rb"^HTTP/1.1 302 .*\r\nLocation:\r\n /told/location/good\r\n", "open"),
                "/type": (rb"text/html;\r\n\tcharset=utf-8\r\n", "open"),
                "/away": (rb"X-Odd: one\r\n Location: /told/away/bad\r\n", "open")})


@case("F14 and F15: lengths that contradict or are none")
def _(_):
    two = saw(14, "/two")
    assert field(two, "Content-Length") == [b"%d" % len(body_of(two)), b"%d" % (len(body_of(two)) // 2)]
    said = {}
    for path in ("negative", "plus", "letters", "overflow", "hex", "empty", "list-differs", "list-same"):
        seen = saw(15, "/" + path)
        n, (said[path],) = len(body_of(seen)), field(seen, "Content-Length")
        said[path] = said[path].replace(b"%d" % n, b"N")
        assert seen.end == ("fin" if path in ("negative", "hex", "empty") else "open"), (path, seen.end)
        if path == "overflow":
            assert int(said[path]) == 2**64 + n, said
    del said["overflow"]
    assert said == {"negative": b"-5", "plus": b"+N", "letters": b"Nabc", "hex": b"0x400", "empty": b"",
                    "list-differs": b"N, 6", "list-same": b"N, N"}, said


@case("F16, F17 and F18: bodies that are shorter or longer than said, or framed twice")
def _(_):
    short, whole = saw(16, "/short/page"), saw(16, "/whole/page")
    assert body_of(short) == body_of(whole) and short.end == "fin" and whole.end == "open"
    assert int(field(short, "Content-Length")[0]) == len(body_of(short)) + 1000
    assert ask(16, "/whole/good", CLOSE).raw.startswith(b"HTTP/1.1 200 ")
    none = saw(16, "/none")
    assert body_of(none) == b"" and none.end == "fin" and field(none, "Content-Length") == [b"1000"]
    extra = saw(17, "/answer")
    n = int(field(extra, "Content-Length")[0])
    assert body_of(extra)[n:].startswith(b"HTTP/1.1 200 OK\r\n") and b"/told/answer/bad" in body_of(extra)[n:]
    assert b"/told/answer/bad" not in body_of(extra)[:n] and extra.end == "open"
    expect(18, {"/chunked": (rb"Transfer-Encoding: chunked\r\nContent-Length: \d+\r\n\r\n[0-9a-f]+;x=", "open"),
                "/length": (rb"Content-Length: \d+\r\nTransfer-Encoding: chunked\r\n.*\r\n0\r\n\r\n$", "open")})


@case("F19: two places to go")
def _(_):
    assert field(saw(19, "/two"), "Location") == [b"/told/two/first", b"/told/two/bad"]
    assert field(saw(19, "/same"), "Location") == [b"/told/same/part"] * 2


@case("F20 to F23: chunks that are broken, cut, or none")
def _(_):
    expect(20, {"/garbage": (rb"</html>\n\r\nno size at all\r\n<!D", "open"),
                "/overflow": (rb"\r\n1000000000000[0-9a-f]{4}\r\n<!D.*/told/overflow/b\r\n[0-9a-f]+\r\nad", "open"),
                "/negative": (rb"\r\n-[0-9a-f]{4}\r\n", "open"), "/prefix": (rb"\r\n0x[0-9a-f]{4}\r\n", "open"),
                "/letters": (rb"\r\n[0-9a-f]{4}zz\r\n", "open"),
                "/missing-crlf": (rb"</html>\n[0-9a-f]{4}\r\n<!D", "open")})
    expect(21, {"/no-last": (rb"</html>\n\r\n$", "fin"), "/half": (rb"</html>\n$", "fin")})
    expect(22, {"/plain": (rb"chunked\r\nConnection: close\r\n\r\n<!DOCTYPE.*</html>\n$", "fin"),
                "/like": (rb"\r\n\r\nFace to face", "fin")})
    expect(23, {"/some": (rb"\r\n0\r\nX-Sum: 17\r\nSet-Cookie: trailer=yes\r\n.*\r\n\r\n$", "open"),
                "/nul": (rb"\r\n0\r\nX-Trailer: one\0two\r\n\r\n$", "open"),
                "/order": (rb"Transfer-Encoding: chunked, gzip\r\n.*/told/order/b\r\n[0-9a-f]+\r\nad", "fin"),
                "/twice": (rb"Transfer-Encoding: chunked, chunked\r\n", "fin")})


@case("F24: gzip and deflate bombs unpack to 11.5 MB, without end to no end")
def _(_):
    for path, bits in (("/gzip", 31), ("/deflate", 15)):
        packed = body_of(saw(24, path))
        text = zlib.decompress(packed, bits)
        assert len(packed) < 30000 and 11_500_000 < len(text) < 11_600_000, (path, len(packed), len(text))
        assert b"/told/bomb/end" in text[-100:] and b"</html>" in text[:1000]
    twice = body_of(saw(24, "/twice"))
    assert len(twice) < 3000 and len(zlib.decompress(zlib.decompress(twice, 31), 31)) > 11_500_000
    endless = saw(24, "/endless-gzip")
    assert ENDLESS * 0.9 < len(endless.raw) < ENDLESS * 2 and endless.end in ("fin", "rst")
    stream = zlib.decompressobj(31)
    text = stream.decompress(body_of(endless)[:100_000])
    assert len(text) > 15_000_000 and b"/told/endless/part" in text[:1000] and text[1000:].strip() == b""


def library(name: str):
    found = ctypes.util.find_library(name)
    if not found:
        skip(f"lib{name} (absent)")
    return ctypes.CDLL(found)


@case("F24: a br bomb unpacks to 11.5 MB")
def _(_):
    packed, dec = body_of(saw(24, "/br")), library("brotlidec")
    room, n = ctypes.create_string_buffer(12_000_000), ctypes.c_size_t(12_000_000)
    assert dec.BrotliDecoderDecompress(ctypes.c_size_t(len(packed)), packed, ctypes.byref(n), room) == 1
    assert len(packed) < 2000 and n.value > 11_500_000, (len(packed), n.value)


@case("F24: zstd bombs unpack to 11.5 MB, without end to no end")
def _(_):
    zstd = library("zstd")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
    packed, room = body_of(saw(24, "/zstd")), ctypes.create_string_buffer(16 << 20)
    n = zstd.ZSTD_decompress(room, ctypes.c_size_t(16 << 20), packed, ctypes.c_size_t(len(packed)))
    assert len(packed) < 3000 and 11_500_000 < n < 11_600_000, (len(packed), n)

    class Buffer(ctypes.Structure):
        _fields_ = [("p", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]
    head = body_of(saw(24, "/endless-zstd"))[:4096]
    text = ctypes.create_string_buffer(head, len(head))
    source = Buffer(ctypes.cast(text, ctypes.c_void_p), len(head), 0)
    target = Buffer(ctypes.cast(room, ctypes.c_void_p), 16 << 20, 0)
    context = ctypes.c_void_p(zstd.ZSTD_createDCtx())
    while source.pos < source.size and target.pos < target.size:
        left = zstd.ZSTD_decompressStream(context, ctypes.byref(target), ctypes.byref(source))
        assert left < 1 << 31, "no zstd"
    zstd.ZSTD_freeDCtx(context)
    assert target.pos == target.size and b"/told/endless-zstd/part" in room.raw[:1000]


@case("F25: gzip that is broken in six ways")
def _(_):
    for path, prefix in (("magic", None), ("method", None), ("block", 0), ("sum", 7000), ("size", 7000), ("cut", 2000)):
        packed, stream, text, whole = body_of(saw(25, "/" + path)), zlib.decompressobj(31), b"", True
        try:
            for at in range(len(packed)):
                text += stream.decompress(packed[at:at + 1])
        except zlib.error:
            whole = False
        whole = whole and stream.eof
        assert not whole and (text == b"" if not prefix else len(text) > prefix), (path, whole, len(text))


@case("F26 and F27: codings that are not as said, and files that are packed themselves")
def _(_):
    plain, twice, raw = (saw(26, p) for p in ("/plain", "/twice", "/raw"))
    assert field(plain, "Content-Encoding") == [b"gzip"] and b"/told/plain/good" in plain.raw
    assert field(twice, "Content-Encoding") == [b"gzip, gzip"]
    assert b"/told/twice/good" in zlib.decompress(zlib.decompress(body_of(twice), 31), 31)
    assert field(raw, "Content-Encoding") == [b"deflate"] and b"/told/raw/good" in zlib.decompress(body_of(raw), -15)
    three = zlib.decompress(zlib.decompress(zlib.decompress(body_of(saw(26, "/three")), 31), 15), 31)
    assert b"/told/three/part" in three
    assert not field(ask(26, "/raw", CLOSE), "Content-Encoding")
    packed = zlib.decompress(zlib.decompress(body_of(saw(27, "/packed.tar.gz")), 31), 31)
    named = zlib.decompress(body_of(saw(27, "/named.tar.gz")), 31)
    for tar, link in ((packed, b"/told/packed/bad"), (named, b"/told/named/part")):
        with tarfile.open(fileobj=io.BytesIO(tar)) as t:
            assert t.getnames() == ["index.html"] and link in t.extractfile("index.html").read()
    sitemap = zlib.decompress(zlib.decompress(body_of(saw(27, "/sitemap.xml.gz")), 31), 31)
    assert f"<loc>{WEB.fault(27, '/told/sitemap/part')}</loc>".encode() in sitemap
    assert f"Sitemap: {WEB.fault(27, '/sitemap.xml.gz')}\n".encode() in ask(27, "/robots.txt", CLOSE).raw


@case("F28, F29 and F30: first lines that are none")
def _(_):
    expect(28, {"/no-code": (rb"^HTTP/1\.1 OK\r\n", "open"), "/one-digit": (rb"^HTTP/1\.1 2 OK\r\n", "open"),
                "/two-digits": (rb"^HTTP/1\.1 20 OK\r\n", "open"), "/hundred-digits": (rb"^HTTP/1\.1 \d{100} OK", "open"),
                "/wraps": (rb"^HTTP/1\.1 4294967496 OK", "open"), "/negative": (rb"^HTTP/1\.1 -200 ", "open"),
                "/letters": (rb"^HTTP/1\.1 2OO OK", "open"), "/long-version": (rb"^HTTP/1\.\d{100,} 200 OK", "open"),
 "/no-reason": (rb"^HTTP/1\.1 200\r\n", "open")})
    expect(29, {"/page": (rb"^<!DOCTYPE html>.*</html>\n$", "fin"),
                "/head": (rb"^Content-Type: text/html\r\nLocation: /told/head/bad\r\n", "fin")})
    expect(30, {"/minor": (rb"^HTTP/1\.2 200 OK\r\n", "open"), "/two": (rb"^HTTP/2 200 OK\r\n", "open"),
                "/three": (rb"^HTTP/3\.0 ", "open"), "/rtsp": (rb"^RTSP/1\.0 ", "open"),
                "/lower": (rb"^http/1\.1 ", "open"), "/frames": (rb"^\0\0\0\x04\0{5}\0\0\x08\x07\0{12}\x01$", "fin"),
                "/preface": (rb"^PRI \* HTTP/2\.0\r\n\r\nSM\r\n\r\n\0", "fin"), "/ssh": (rb"^SSH-2\.0-simweb\r\n$", "fin")})


@case("F31: answers before the answer")
def _(_):
    expect(31, {"/hints": (rb"^HTTP/1\.1 100 Continue\r\n\r\n(HTTP/1\.1 103 .*?\r\n\r\n){3}HTTP/1\.1 200 OK\r\n", "open"),
                "/never": (rb"^HTTP/1\.1 100 Continue\r\n\r\n$", "open"),
                "/only": (rb"^HTTP/1\.1 100 Continue\r\n\r\n$", "fin"),
                "/switch": (rb"^HTTP/1\.1 101 .*\r\n\r\n<!DOCTYPE", "fin")})
    flood = saw(31, "/flood")
    assert flood.raw.count(b"HTTP/1.1 103 ") == 1000 and b"HTTP/1.1 200 OK\r\n" in flood.raw


@case("F32, F33 and F34: bodies that may not be, parts of a page, refusals")
def _(_):
    expect(32, {"/no-content": (rb"^HTTP/1\.1 204 [^<]*\r\n\r\nHTTP/1\.1 200 OK\r\n", "open"),
                "/not-modified": (rb"^HTTP/1\.1 304 [^<]*\r\n\r\nHTTP/1\.1 200 OK\r\n", "open"),
                "/text": (rb"^HTTP/1\.1 204 .*\r\n\r\n<!DOCTYPE", "open"), "/head": (rb"/told/head/good", "open")})
    assert b"/told/head/bad" in ask(32, "/head", CLOSE, method="HEAD").raw
    first = saw(33, "/first")
    assert first.raw.startswith(b"HTTP/1.1 206 ")
    assert field(first, "Content-Range") == [b"bytes 0-%d/5000" % (len(body_of(first)) - 1)]
    expect(33, {"/middle": (rb"^HTTP/1\.1 206 .*Content-Range: bytes 1000-", "open"),
                "/range": (rb"^HTTP/1\.1 200 .*Content-Range: bytes 0-", "open")})
    expect(34, {"/basic": (rb"^HTTP/1\.1 401 .*\r\nWWW-Authenticate: Basic ", "open"),
                "/negotiate": (rb"^HTTP/1\.1 401 .*Negotiate\r\nWWW-Authenticate: NTLM", "open"),
                "/proxy": (rb"^HTTP/1\.1 407 .*\r\nProxy-Authenticate: ", "open"),
                "/legal": (rb"^HTTP/1\.1 451 Unavailable For Legal Reasons\r\n", "open")})


@case("the zoo links every site, and a site answers 404 to what it has not")
def _(_):
    zoo = WEB.get(f"http://zoo.test:{WEB.http_port}/")[2]
    for number in range(1, 35):
        assert WEB.fault(number, "/").encode() in zoo, number
        assert WEB.get(WEB.fault(number, "/nowhere"))[0] == 404, number


@case("a strict client is judged good, by every fault")
def _(_):
    bad = {i: v for i, v in STRICT.result().items() if v["verdict"] != "good" and i < "F35"}
    assert not bad, bad


@case("a lax client is judged bad")
def _(_):
    # Of these not much more than outliving them is asked.
    outlived, left = {"F12", "F22", "F25"}, LAX.result()
    for _ in range(3):
        left = {i: v for i, v in left.items() if v["verdict"] != "bad" and "F02" < i < "F35"}
        if left.keys() <= outlived:
            return
        # A machine that stood still for longer than the patience made the server leave first.
        again = lax_client()
        left = {i: again[i] for i in left}
    raise AssertionError(left)


def crawled(patience: str, endless: int, first: int, lax: bool) -> dict:
    """The verdicts on a client that has a web of its own."""
    with serve(patience, endless) as web:
        return crawl(web, range(first, 35), lax=lax)


def lax_client() -> dict:
    return crawled("1s", 8 << 20, 3, True)


if __name__ == "__main__":
    try:
        # They mostly wait, so they go on beside the cases.
        with concurrent.futures.ThreadPoolExecutor(2) as behind:
            # The kernel takes some MB more than the strict client does: endless is well beyond.
            STRICT = behind.submit(crawled, "10s", 64 << 20, 1, False)
            LAX = behind.submit(lax_client)
            SEEN = ask_all()
            main()
    finally:
        WEB.close()
