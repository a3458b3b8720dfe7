"""Liveness of the run's processes: each connects to one of them, and the kernel closes the connection at its death."""

from __future__ import annotations

import os
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable

from mindspore_compat import log

_LEFT, _FAILED = "left", "failed"
_MOST_REASON = 500


def _alive_checked(connection: socket.socket) -> socket.socket:
    """Turn on the kernel's keep-alive probes: a machine that loses power closes no connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return connection


def _line(kind: str, rank: int, reason: str = "") -> bytes:
    return f"{kind} {rank} {reason[:_MOST_REASON]}".replace("\n", " ").encode(errors="replace") + b"\n"


class Server(threading.Thread):
    """Server of all ranks' connections. It reports ranks that left or failed, and ends when all have gone."""

    def __init__(self, size: int, token: str, local: bool) -> None:
        super().__init__(name="mindspore_compat ranks", daemon=True)
        self._size, self._token = size, token
        self._listening = socket.create_server(("127.0.0.1" if local else "", 0), backlog=size)
        self.port: int = self._listening.getsockname()[1]
        self.failed: list[int] = []
        self._buffers: dict[socket.socket, bytes] = {}
        self._ranks: dict[socket.socket, int] = {}
        self._gone = 0

    def run(self) -> None:
        with selectors.DefaultSelector() as selector, self._listening:
            selector.register(self._listening, selectors.EVENT_READ)
            while self._gone < self._size:
                for key, _ in selector.select():
                    if key.fileobj is self._listening:
                        connection = _alive_checked(self._listening.accept()[0])
                        selector.register(connection, selectors.EVENT_READ)
                        self._buffers[connection] = b""
                    elif not self._read(key.fileobj):  # type: ignore[arg-type]
                        selector.unregister(key.fileobj)
                        self._close(key.fileobj)  # type: ignore[arg-type]

    def _read(self, connection: socket.socket) -> bool:
        """Read the received bytes; return whether more may come."""
        try:
            data = connection.recv(4096)
        except OSError:
            data = b""
        *lines, self._buffers[connection] = (self._buffers[connection] + data).split(b"\n")
        for line in lines:
            kind, _, rest = line.decode(errors="replace").partition(" ")
            if connection not in self._ranks:  # its first words: token and rank
                if kind != self._token:
                    return False
                self._ranks[connection] = int(rest)
            else:
                self._leaves(connection, kind, rest.partition(" ")[2])
                return False
        return bool(data) and len(self._buffers[connection]) < 2 * _MOST_REASON

    def _close(self, connection: socket.socket) -> None:
        if connection in self._ranks:
            self._leaves(connection, _FAILED, "its process ended without a word (killed, or out of memory)")
        self._buffers.pop(connection, None)
        connection.close()

    def _leaves(self, connection: socket.socket, kind: str, reason: str) -> None:
        rank = self._ranks.pop(connection)
        self._gone += 1
        if kind == _FAILED:
            self.failed.append(rank)
        for other in self._ranks:
            try:
                other.sendall(_line(kind, rank, reason))
            except OSError:
                pass  # it has gone as well, and its own turn comes


class Watch(threading.Thread):
    """This process's end of the connection.

    Attributes:
        left: ranks that have ended as they should.
        failed: rank -> reason, of those that have not.
    """

    def __init__(self, rank: int, host: str, port: int, token: str, server_rank: int | None) -> None:
        super().__init__(name="mindspore_compat watch", daemon=True)
        self.left: set[int] = set()
        self.failed: dict[int, str] = {}
        self._rank, self._server_rank, self._closed = rank, server_rank, False
        self._news = threading.Condition()
        self._connection = _alive_checked(socket.create_connection((host, port), 30))
        self._connection.settimeout(None)
        self._connection.sendall(f"{token} {rank}\n".encode())
        os.register_at_fork(after_in_child=self._forget)
        self.start()

    def run(self) -> None:
        buffer = b""
        while not self._closed:
            try:
                data = self._connection.recv(4096)
            except OSError:
                data = b""
            if not data:
                break
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                kind, rank, reason = line.decode(errors="replace").split(" ", 2)
                self._heard(kind, int(rank), reason)
        server = self._server_rank
        if not self._closed and server is not None and server not in {*self.left, *self.failed}:
            self._heard(_FAILED, server, "the connection to it broke")

    def _heard(self, kind: str, rank: int, reason: str) -> None:
        with self._news:
            if kind == _LEFT:
                self.left.add(rank)
            else:
                self.failed[rank] = reason
            self._news.notify_all()
        if kind == _FAILED and len(self.failed) == 1 and not self._closed:  # later failures are caused by it
            grace = _grace_s()
            log.error(
                "rank %s has failed: %s. This process (rank %s) ends in %g s unless it ends by itself.",
                rank,
                reason,
                self._rank,
                grace,
            )
            _later(grace, lambda: self._end(rank, reason))

    def _end(self, rank: int, reason: str) -> None:
        if not self._closed:
            print(
                f"mindspore_compat: rank {self._rank} ends, since rank {rank} has failed: {reason}.",
                file=sys.stderr,
                flush=True,
            )
            os._exit(1)

    def blame(self, wait_s: float = 2.0) -> str:
        """Return a text about the ranks that made a collective fail; "" if none is known to have gone."""
        with self._news:
            self._news.wait_for(lambda: self.failed or self.left, wait_s)
            if self.failed:
                rank, reason = next(iter(self.failed.items()))
                return f"rank {rank} has failed: {reason}"
            if self.left:
                return f"rank {min(self.left)} has already left the run, by release() or at its script's end"
        return ""

    def leave(self, reason: str = "") -> None:
        """Report that this process ends, and its error if there is one."""
        if self._closed:
            return
        self._closed = True
        try:
            self._connection.sendall(_line(_FAILED if reason else _LEFT, self._rank, reason))
            self._connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        if threading.current_thread() is not self:
            self.join(1.0)
        self._connection.close()

    def _forget(self) -> None:
        """Close the copy in a forked process: it would keep the connection open after this one's end."""
        self._closed = True
        self._connection.close()


def _grace_s() -> float:
    text = os.environ.get("MINDSPORE_COMPAT_DEAD_RANK_S", "10")
    try:
        return float(text)
    except ValueError:
        log.warning("MINDSPORE_COMPAT_DEAD_RANK_S must be a number of seconds, but is %r: 10 are taken.", text)
        return 10.0


def _later(seconds: float, action: Callable[[], None]) -> None:
    def wait() -> None:
        time.sleep(seconds)
        action()

    threading.Thread(target=wait, name="mindspore_compat end", daemon=True).start()
