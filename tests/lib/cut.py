# SPDX-License-Identifier: Apache-2.0
"""cut: a wire between an agent and its server that can be cut, on loopback alone.

    with Wire(port) as wire:        # agents are told wire.port
        wire.cut(loudly=False)      # nothing gets through, and nobody is told
        wire.mend()

Cut loudly, connections are reset and new ones are closed at once. Cut silently, they stay as they are
and what is sent waits at the ends; new ones are taken and hear nothing. Mended, what was cut silently is
reset: a wire that lost some bytes of a stream cannot go on with the next."""
import contextlib
import selectors
import socket
import threading

PIECE = 1 << 16


class Wire:
    def __init__(self, target: int):
        self.target = target
        self.lock = threading.Lock()
        self.is_cut = self.is_loud = False
        self.pairs = []  # [(client, server or None)]
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.over = False
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.over = True
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self._drop()
        self.thread.join(5)

    def cut(self, loudly: bool):
        with self.lock:
            self.is_cut, self.is_loud = True, loudly
        if loudly:
            self._drop()

    def mend(self):
        with self.lock:
            self.is_cut = False
        self._drop()

    def _drop(self):
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for ends in pairs:
            for end in ends:
                if end:
                    with contextlib.suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        while not self.over:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _connect(self, client):
        """The other end; None: silence, or the connection is to be closed."""
        with self.lock:
            if self.is_cut:
                if not self.is_loud:
                    self.pairs.append((client, None))
                return None, not self.is_loud
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 2)
        except OSError:
            return None, False
        server.settimeout(None)
        with self.lock:
            self.pairs.append((client, server))
        return server, True

    def _carry(self, client):
        with client:
            server, stays = self._connect(client)
            if not stays:
                return
            if not server:
                with contextlib.suppress(OSError):  # what it says is read by nobody
                    while client.recv(PIECE):
                        pass
                return
            with server, contextlib.suppress(OSError):
                self._pump(client, server)

    def carried(self, is_answer: bool, piece: bytes):
        """For who wants to see, or to hold up, what passes."""

    def _pump(self, client, server):
        other = {client: server, server: client}
        with selectors.DefaultSelector() as ready:
            for end in other:
                ready.register(end, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select(1):
                    piece = key.fileobj.recv(PIECE)
                    if not piece:
                        return
                    with self.lock:
                        lost = self.is_cut
                    if not lost:
                        self.carried(key.fileobj is server, piece)
                        other[key.fileobj].sendall(piece)
