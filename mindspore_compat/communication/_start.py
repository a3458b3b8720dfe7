"""Join and exit of this process in a distributed run, and the liveness of the others: each connects to one of them, and
the kernel closes the connection at its death.
"""

from __future__ import annotations

import atexit
import contextlib
import glob
import os
import secrets
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import torch
import torch.distributed as dist

from mindspore_compat import log
from mindspore_compat._runtime.launch import Launch, launch_of

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


_PREFIX = "mindspore_compat"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_watch: Watch | None = None
_local: tuple[int, int] | None = None  # (local rank, local size)


def is_running() -> bool:
    """Return whether torch's default process group is open: by `join`, or by the user's own ``init_process_group``."""
    return dist.is_available() and dist.is_initialized()


def world_size() -> int:
    """Return the number of processes."""
    return dist.get_world_size() if is_running() else 1


def world_rank() -> int:
    """Return the world rank of this process."""
    return dist.get_rank() if is_running() else 0


def local_rank() -> int:
    """Return this process's rank on its machine."""
    launch = launch_of()
    return _local[0] if _local else (launch.local_rank or 0) if is_running() else 0


def local_size() -> int:
    """Return the number of processes on this machine."""
    launch = launch_of()
    return _local[1] if _local else (launch.local_size or 1) if is_running() else 1


def blame(wait_s: float = 2.0) -> str:
    """Return the rank that made a collective fail; "" if none is known."""
    return _watch.blame(wait_s) if _watch is not None else ""


def join(with_cuda: bool, timeout: timedelta | None = None) -> None:
    """Open torch's default process group by the launcher's variables. Do nothing in a single process, or if it is open.

    Args:
        with_cuda: NCCL for CUDA tensors beside gloo for those of the CPU.
        timeout: of collectives; None: torch's.

    Raises:
        RuntimeError: if the variables of a launcher are incomplete, or the others do not come.
    """
    launch = launch_of()
    if is_running() or launch.size == 1:
        return
    if launch.missing:
        raise RuntimeError(
            f"For 'init', {launch.missing}: this would be one of {launch.size} processes of {launch.launcher}. Set "
            "what is missing, start with torchrun, mpirun or 'mindspore-compat msrun', or unset these variables to run "
            "one process."
        )
    try:
        if launch.is_scheduler:
            _serve(launch)
        store, rank = _met(launch)
        backend = "cpu:gloo,cuda:nccl" if with_cuda and dist.is_nccl_available() else "gloo"
        dist.init_process_group(backend, store=store, rank=rank, world_size=launch.size, timeout=timeout)
    except dist.DistError as error:
        raise RuntimeError(
            f"For 'init', not all of the {launch.size} processes that {launch.launcher} names met at {launch.host}:"
            f"{launch.port} within {launch.timeout_s:g} s; this is rank {launch.rank}. See that each of them runs and "
            f"calls init(), and that the address is rank 0's.\n{error}"
        ) from error
    _settle(launch, store, rank)


def join_at(method: str | None, store: Any, rank: int, size: int, timeout: timedelta | None = None) -> None:
    """Join at an address from the program: a URL of torch's, or a store."""
    if is_running():
        return
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() and dist.is_nccl_available() else "gloo"
    try:
        dist.init_process_group(backend, method, timeout, size, rank, store)
    except dist.DistError as error:
        raise RuntimeError(
            f"For 'init_process_group', not all of the {size} processes met at {method or 'the store'}; this is rank "
            f"{rank}.\n{error}"
        ) from error
    if store is None:
        store = dist.distributed_c10d._get_default_store()
    host = urlsplit(method or "").hostname or getattr(store, "host", None)
    _settle(Launch("init_process_group", rank, size, host=host), store, rank)


def _met(launch: Launch) -> tuple[Any, int]:
    """Return (store shared by all processes, this one's rank)."""
    timeout = timedelta(seconds=launch.timeout_s)
    if launch.launcher == "torchrun":  # its agent may serve the store
        store, rank, _ = next(dist.rendezvous("env://", timeout=timeout))
        return store, rank
    assert launch.host is not None and launch.port is not None  # else it is missing
    is_master = launch.rank == 0 and not launch.scheduler
    store = dist.TCPStore(
        launch.host, launch.port, launch.size + launch.scheduler, is_master, timeout, wait_for_workers=False
    )
    store.set_timeout(timeout)
    rank = store.add(f"{_PREFIX}/came", 1) - 1 if launch.rank is None else launch.rank
    store.set(f"{_PREFIX}/rank/{rank}", "")
    store.wait([f"{_PREFIX}/rank/{number}" for number in range(launch.size)])
    return store, rank


def _serve(launch: Launch) -> None:
    """Run as the scheduler of a dynamic cluster: serve the rendezvous until all have left, then end this process."""
    assert launch.host is not None and launch.port is not None
    store = dist.TCPStore(launch.host, launch.port, launch.size + 1, True, wait_for_workers=False)
    server = _started_server(store, launch)
    server.join()
    time.sleep(0.2)  # the last one is still closing the store
    if server.failed:
        print(f"mindspore_compat: rank {server.failed[0]} has failed.", file=sys.stderr, flush=True)
    sys.exit(1 if server.failed else 0)


def _started_server(store: Any, launch: Launch) -> Server:
    token = secrets.token_hex(16)
    server = Server(launch.size, token, launch.host in _LOOPBACK)
    server.start()
    store.set(f"{_PREFIX}/watch", f"{server.port} {token}")
    return server


def _settle(launch: Launch, store: Any, rank: int) -> None:
    """Set up this process once all have joined."""
    global _watch, _local
    if rank == 0 and not launch.scheduler:
        _started_server(store, launch)
    port, _, token = store.get(f"{_PREFIX}/watch").decode().partition(" ")
    try:
        host = launch.host or "127.0.0.1"
        _watch = Watch(rank, host, int(port), token, None if launch.scheduler else 0)
    except OSError as error:
        log.warning("rank %s cannot watch over the other ranks: %s:%s %s.", rank, launch.host, port, error)
    atexit.register(_at_exit, os.getpid())
    if launch.local_rank is not None and launch.local_size is not None:
        _local = launch.local_rank, launch.local_size
    else:
        store.set(f"{_PREFIX}/host/{rank}", socket.gethostname())
        hosts = [store.get(f"{_PREFIX}/host/{number}") for number in range(launch.size)]
        _local = hosts[:rank].count(hosts[rank]), hosts.count(hosts[rank])
    if launch.device_id is None and launch.local_rank is None:
        os.environ["DEVICE_ID"] = str(_local[0])  # from now on the device of this process, see own_device_id
    for name, value in (("RANK_ID", rank), ("RANK_SIZE", launch.size)):  # MindSpore's, which scripts read after init
        os.environ.setdefault(name, str(value))


def _at_exit(process: int) -> None:
    if os.getpid() != process:  # forked off: neither the connection nor gloo's threads are its own
        return
    error = getattr(sys, "last_value", None)
    if error is None and is_running():
        _close()  # while the watch is there, which ends a wait for a dead rank
    if _watch is not None:
        _watch.leave(f"{type(error).__name__}: {error}" if error is not None else "")
    if error is not None and is_running():  # the group stays open: to close it may wait for the others
        _wait_for_gloo()


def _close() -> None:
    """Close the process group, so that gloo's threads end."""
    dist.destroy_process_group()
    _wait_for_gloo()


def _wait_for_gloo() -> None:
    """Wait until gloo's threads sleep: one that releases a tensor at the interpreter's exit aborts the process."""
    deadline, idle = time.monotonic() + 2, 0
    while idle < 3 and time.monotonic() < deadline:  # torch's caches may keep the group, whose threads then live on
        time.sleep(0.002)  # without Python's lock, for which they wait
        idle = 0 if _is_gloo_busy() else idle + 1


def _is_gloo_busy() -> bool:
    """Return whether a thread of gloo computes or is about to; False if the system does not show it."""
    for path in glob.glob("/proc/self/task/*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            name, _, rest = Path(path).read_text().partition("(")[2].rpartition(")")
            if "gloo" in name and rest.split()[0] != "S":
                return True
    return False


def leave() -> None:
    """Close the process group."""
    global _watch, _local
    if _watch is not None:
        _watch.leave()
    _watch = _local = None
    atexit.unregister(_at_exit)
    if is_running():
        _close()
