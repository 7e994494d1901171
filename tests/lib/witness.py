# SPDX-License-Identifier: Apache-2.0
"""witness: a server of a few lines that behaves badly on purpose, and remembers what it saw; and name servers for it.

    def serve(conversation):                   # one a connection, in a thread of its own
        for asked in conversation:             # each request that came whole
            conversation.answer(200, b"words")

    with Witness(serve, ["127.0.0.1", "127.0.0.2"]) as web, Names({"a.test": ["127.0.0.1"]}) as names:
        ...
    web.seen                                   # [Asked, ...] in the order in which they came

A request is stamped after it was read, its end before the last write or the close: what the machine delays only widens
a gap."""
import dataclasses
import socket
import struct
import threading
import time

PATIENCE_S = 60


def now_ms() -> float:
    return time.monotonic() * 1000


@dataclasses.dataclass
class Asked:
    host: str  # without port
    path: str
    address: str
    connection: int
    began_ms: float
    ended_ms: float = 0.0  # 0: it was not answered


class Conversation:
    def __init__(self, web, connection, address, number):
        self.web, self.connection, self.address, self.number = web, connection, address, number
        self.asked = None
        self.is_open = True

    def __iter__(self):
        while self.is_open and (head := self._head()):
            lines = head.split("\r\n")
            host = next((line.split(":")[1].strip() for line in lines if line.lower().startswith("host:")), "")
            self.asked = Asked(host, lines[0].split(" ")[1], self.address, self.number, now_ms())
            with self.web.lock:
                self.web.seen.append(self.asked)
            yield self.asked

    def _head(self) -> str:
        got = b""
        try:
            while b"\r\n\r\n" not in got:
                piece = self.connection.recv(65536)
                if not piece:
                    return ""
                got += piece
        except OSError:
            return ""
        return got.decode("latin-1")

    def answer(self, status: int, body: bytes = b"", kind: str = "text/html", **headers):
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        head += "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        self.asked.ended_ms = now_ms()
        try:
            self.connection.sendall(head.encode() + b"\r\n" + body)
        except OSError:
            self.is_open = False

    def close(self, with_reset: bool = False):
        if with_reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if self.asked and not self.asked.ended_ms:
            self.asked.ended_ms = now_ms()
        self.is_open = False
        self.connection.close()


class Witness:
    """Listens on all `addresses` with one port. `refusing` have the port, too, and count as closed: a connection there
    is refused."""

    def __init__(self, serve, addresses=("127.0.0.1",), refusing=(), port=0):
        self.serve, self.seen, self.connections, self.lock = serve, [], [], threading.Lock()
        self.is_over = False
        self.listeners, self.held = self._bind(list(addresses), list(refusing), port)
        self.port = (self.listeners or self.held)[0].getsockname()[1]
        self.threads = []

    @staticmethod
    def _bind(addresses, refusing, port):
        for _ in range(100):
            sockets = []
            chosen = port
            try:
                for at in addresses + refusing:
                    s = socket.socket(socket.AF_INET6 if ":" in at else socket.AF_INET)
                    sockets.append(s)
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    s.bind((at, chosen))
                    chosen = s.getsockname()[1]
                for s in sockets[:len(addresses)]:
                    s.listen(256)
                return sockets[:len(addresses)], sockets[len(addresses):]
            except OSError:
                for s in sockets:
                    s.close()
                if port:
                    raise
        raise AssertionError("no port is free at all addresses")

    def __enter__(self):
        for listener in self.listeners:
            self._run(self._accept, listener)
        return self

    def __exit__(self, *_):
        self.is_over = True
        for s in self.listeners:
            s.shutdown(socket.SHUT_RDWR)
            s.close()
        for s in self.held:
            s.close()
        with self.lock:
            for _, _, _, connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        for thread in self.threads:
            thread.join(PATIENCE_S)

    def _run(self, what, *args):
        thread = threading.Thread(target=what, args=args, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _accept(self, listener):
        at = listener.getsockname()[0]
        while not self.is_over:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.settimeout(PATIENCE_S)
            with self.lock:
                number = len(self.connections)
                self.connections.append((now_ms(), at, number, connection))
            self._run(self._talk, connection, at, number)

    def _talk(self, connection, at, number):
        conversation = Conversation(self, connection, at, number)
        self.serve(conversation)
        conversation.close()

    def url(self, path: str, host: str = "") -> str:
        return f"http://{host or self.listeners[0].getsockname()[0]}:{self.port}{path}"

    def paths(self, host: str = "") -> list:
        return [a.path for a in self.seen if not host or a.host == host]

    def of(self, host: str) -> list:
        return sorted((a for a in self.seen if a.host == host), key=lambda a: a.began_ms)

    def gaps(self, host: str) -> list:
        """From the end of each request of that host to the beginning of the next; below zero: two at once."""
        asked = self.of(host)
        return [b.began_ms - a.ended_ms for a, b in zip(asked, asked[1:])]


class Names:
    """A name server: {name: [addresses]}; other names do not exist. Several addresses are given in their order."""

    def __init__(self, names: dict, ttl: int = 300):
        self.names, self.ttl, self.asked = names, ttl, []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.at = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.socket.sendto(b"", self.socket.getsockname())
        self.thread.join(PATIENCE_S)
        self.socket.close()

    def _serve(self):
        while True:
            query, whence = self.socket.recvfrom(4096)
            if not query:
                return
            self.socket.sendto(self._reply(query), whence)

    def _reply(self, query: bytes) -> bytes:
        at, labels = 12, []
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode())
            at += 1 + query[at]
        question = query[12:at + 5]
        kind = struct.unpack(">H", question[-4:-2])[0]
        name = ".".join(labels).lower()
        known = self.names.get(name)
        self.asked.append(name)
        family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
        records = [socket.inet_pton(family, a) for a in known or []
                   if family and (":" in a) == (family == socket.AF_INET6)]
        answers = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, self.ttl, len(r)) + r for r in records)
        flags = 0x8180 if known is not None else 0x8183
        return query[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0) + question + answers
