# SPDX-License-Identifier: Apache-2.0
"""nats: a small client of the NATS protocol over a plain socket, for tests that must say what no
library would: raw headers, foreign reply subjects, junk. Every read has a time limit.

    with Client(port, "user", "password") as c:
        c.sub("orb.c.hb.*")
        c.pub("orb.c.hb.a", b"hello", reply="somewhere")
        answer = c.request("$JS.API.INFO", b"")
"""
import json
import os
import socket
import time

SECONDS = 5


class Refused(Exception):
    """The server said -ERR, or hung up."""


class Message:
    def __init__(self, subject, reply, header, data):
        self.subject, self.reply, self.header, self.data = subject, reply, header, data

    @property
    def status(self):
        """"503" of a header that begins NATS/1.0 503; "" without."""
        first = self.header.split(b"\r\n", 1)[0].split(b" ")
        return first[1].decode() if len(first) > 1 else ""

    def json(self):
        return json.loads(self.data)

    def __repr__(self):
        return f"Message({self.subject!r}, {self.reply!r}, {self.header!r}, {self.data[:200]!r})"


class Client:
    def __init__(self, port, user=None, password=None, host="127.0.0.1", seconds=SECONDS):
        self.sock = socket.create_connection((host, port), timeout=seconds)
        self.seconds = seconds
        self.data = b""
        self.errors = []
        self.messages = []
        self.sids = 0
        self.inbox = "_INBOX." + os.urandom(8).hex()
        self.asked = 0
        try:
            line = self._line()
            if not line.startswith(b"INFO "):
                raise Refused(line)
            self.info = json.loads(line[5:])
            hello = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True,
                     "lang": "test", "version": "0", "protocol": 1}
            if user is not None:
                hello.update({"user": user, "pass": password})
            self._send(b"CONNECT " + json.dumps(hello).encode() + b"\r\n")
            self.flush()
        except BaseException:
            self.sock.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()

    def _send(self, data):
        try:
            self.sock.sendall(data)
        except OSError as e:
            raise Refused(f"hung up: {e}; {self.errors}") from e

    def _more(self, end):
        self.sock.settimeout(max(0.001, end - time.monotonic()))
        try:
            got = self.sock.recv(1 << 20)
        except ConnectionError as e:
            raise Refused(f"hung up: {e}; {self.errors}") from e
        if not got:
            raise Refused(f"hung up; {self.errors}")
        self.data += got

    def _line(self, end=None):
        end = end or time.monotonic() + self.seconds
        while b"\r\n" not in self.data:
            self._more(end)
        line, self.data = self.data.split(b"\r\n", 1)
        return line

    def _bytes(self, count, end):
        while len(self.data) < count + 2:
            self._more(end)
        got, self.data = self.data[:count], self.data[count + 2:]
        return got

    def _step(self, end):
        """Takes one thing from the server; its first word."""
        line = self._line(end)
        word, _, rest = line.partition(b" ")
        word = word.upper()
        if word == b"PING":
            self._send(b"PONG\r\n")
        elif word == b"-ERR":
            self.errors.append(rest.decode())
        elif word in (b"MSG", b"HMSG"):
            f = rest.decode().split()
            sizes = 2 if word == b"HMSG" else 1
            reply = f[2] if len(f) == 3 + sizes else ""
            total = int(f[-1])
            whole = self._bytes(total, end)
            head = int(f[-2]) if sizes == 2 else 0
            self.messages.append(Message(f[0], reply, whole[:head], whole[head:]))
        return word

    def flush(self):
        """Everything sent has been read by the server, everything it had to say is here."""
        self._send(b"PING\r\n")
        end = time.monotonic() + self.seconds
        while self._step(end) != b"PONG":
            if self.errors and "Authorization" in self.errors[-1]:
                raise Refused(self.errors[-1])

    def sub(self, subject, queue=""):
        self.sids += 1
        self._send(f"SUB {subject} {queue} {self.sids}\r\n".encode())
        return self.sids

    def pub(self, subject, data=b"", reply="", header=None):
        """`header` is bytes as they are to be sent, or a list of (name, value)."""
        if isinstance(header, list):
            header = b"NATS/1.0\r\n" + b"".join(f"{n}: {v}\r\n".encode() for n, v in header) + b"\r\n"
        if header is None:
            self._send(f"PUB {subject} {reply} {len(data)}\r\n".encode() + data + b"\r\n")
        else:
            self._send(f"HPUB {subject} {reply} {len(header)} {len(header) + len(data)}\r\n".encode()
                       + header + data + b"\r\n")

    def next(self, seconds=None):
        """The next message, or None when there is none in time."""
        end = time.monotonic() + (self.seconds if seconds is None else seconds)
        try:
            while not self.messages:
                self._step(end)
        except TimeoutError:
            return None
        return self.messages.pop(0)

    def request(self, subject, data=b"", header=None, seconds=None):
        """The answer; None: nobody answered in time. Other messages stay for next()."""
        if not self.asked:
            self.sub(self.inbox + ".*")
        self.asked += 1
        reply = f"{self.inbox}.{self.asked}"
        self.pub(subject, data, reply, header)
        end = time.monotonic() + (self.seconds if seconds is None else seconds)
        try:
            while True:
                for i, m in enumerate(self.messages):
                    if m.subject == reply:
                        return self.messages.pop(i)
                self._step(end)
        except TimeoutError:
            return None
