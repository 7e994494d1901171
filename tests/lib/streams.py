# SPDX-License-Identifier: Apache-2.0
"""What stands in the streams of a cluster, read with the administrator's login: which outcomes are safe
there, and since when (src/cluster/wire/records_internal.h has the form)."""
import base64
import datetime
import json
import struct

URL, DONE, HOST = 1, 2, 3
RECORDS = 1


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        value, = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def text(self, form="B"):
        length = self.number(form)
        self.at += length
        return self.data[self.at - length:self.at]


def _skip_record(b, kind):
    """Moves behind the record; its fingerprint and time, if it is a done."""
    if kind == URL:
        b.at += 1 + 1 + 2 + 8 + 8
        b.text()
        b.text("H")
    elif kind == HOST:
        b.at += 8 + 8
        b.text("I")
    elif kind == DONE:
        fingerprint, time_ms = b.number("Q"), b.number("Q")
        b.at += 4 + 20
        where = b.text()
        b.at += 8
        if where:
            b.at += 1 + 1 + 2
            b.text()
            b.text("H")
        return fingerprint, time_ms
    else:
        raise AssertionError(f"a record of kind {kind}")
    return None


def dones(payload):
    """(fingerprint, wall clock in ms) of every done in a batch."""
    b = Bytes(payload)
    version, what = b.number("B"), b.number("B")
    assert version == 3, f"a batch of version {version}"
    b.at += 8 + 8 + 1
    b.text()
    b.at += 8 + 8
    found = []
    while what == RECORDS and b.at < len(payload):
        kind = b.number("B")
        b.text()
        done = _skip_record(b, kind)
        if done:
            found.append(done)
    return found


def messages(admin, stream):
    """(subject, seconds since 1970 when it was stored, bytes)"""
    state = admin.request(f"$JS.API.STREAM.INFO.{stream}").json()["state"]
    for sequence in range(state["first_seq"], state["last_seq"] + 1):
        got = admin.request(f"$JS.API.STREAM.MSG.GET.{stream}", json.dumps({"seq": sequence}).encode()).json()
        if "message" in got:
            m = got["message"]
            stamp = datetime.datetime.fromisoformat(m["time"][:26].rstrip("Z").ljust(26, "0") + "+00:00")
            yield m["subject"], stamp.timestamp(), base64.b64decode(m.get("data", ""))


def safe_since(post, agents):
    """fingerprint -> seconds since 1970 when its outcome first stood in the stream of whoever asked. `agents`: name ->
    until when its word counts: of one that was taken for dead while it was frozen, what it still sent does not."""
    first = {}
    with post.client("admin") as admin:
        for name, until in agents.items():
            for subject, stamp, payload in messages(admin, f"ORB_crawl_{name}"):
                if not subject.endswith(".out") or stamp >= until:
                    continue
                for fingerprint, _ in dones(payload):
                    first[fingerprint] = min(stamp, first.get(fingerprint, stamp))
    return first
