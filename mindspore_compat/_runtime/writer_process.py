"""Process that writes files in the background. `writer.py` starts it by its path: standard library only, and no package
imports.

It receives a socket. A message is a length (4 bytes), a JSON object, and a file descriptor to read the finished bytes
from. The object is {"id", "path", "table", "rows", "mode", "crc", "key", "enc_mode", "obsolete"}; the table in that
file locates its pieces. Each job is answered, in order, by a line {"id", "path", "error": null or [errno, type, text]}.
At the end of the socket, the process writes all accepted jobs, then ends: a killed trainer loses no submitted file.
"""

from __future__ import annotations

import importlib.util
import json
import mmap
import os
import signal
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def _neighbour(path: str) -> ModuleType:
    """Load a module of the package by its path, without the package, whose import would load torch."""
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), path)
    spec = importlib.util.spec_from_file_location(os.path.basename(place)[:-3], place)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


def _exactly(channel: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = channel.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _jobs(channel: socket.socket) -> Iterator[tuple[dict[str, Any], int]]:
    while True:
        head, handles, _, _ = socket.recv_fds(channel, 4, 1)
        if not head:
            return
        try:
            head += _exactly(channel, 4 - len(head))
            yield json.loads(_exactly(channel, int.from_bytes(head, "little"))), handles[0]
        except EOFError:  # the trainer died in the middle of a message: that job was never accepted
            return


def _pieces(view: memoryview, table: int, rows: int) -> Iterator[memoryview]:
    for start, count in struct.iter_unpack("=qq", view[table : table + 16 * rows]):
        yield view[start : start + count]


def _write(job: dict[str, Any], handle: int, files: ModuleType, envelope: ModuleType) -> None:
    view = memoryview(mmap.mmap(handle, 0, prot=mmap.PROT_READ))  # goes with its last slice, which a traceback may hold
    pieces: Any = _pieces(view, job["table"], job["rows"])
    if job["key"]:
        pieces = envelope.encrypt(pieces, bytes.fromhex(job["key"]), job["enc_mode"])
    elif job["crc"]:
        pieces = envelope.crc_of(pieces)
    files.write_atomically(job["path"], pieces, job["mode"])
    for path in job["obsolete"]:
        try:
            os.chmod(path, stat.S_IWRITE)
            os.remove(path)
        except FileNotFoundError:
            pass


def _answer(channel: socket.socket, job: dict[str, Any], error: list[Any] | None) -> None:
    line = json.dumps({"id": job["id"], "path": job["path"], "error": error}) + "\n"
    try:
        channel.sendall(line.encode())
    except OSError:  # the trainer is gone; what it handed over is still written
        pass


def _stand_back() -> None:
    """Lower the priority, so that a job does not interrupt the trainer (its share of the time stays the same)."""
    try:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    except (AttributeError, OSError):  # not Linux, or not allowed
        pass


def main() -> None:
    """Serve the socket whose descriptor is the first argument."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the trainer's end is what ends this process
        signal.signal(number, signal.SIG_IGN)
    _stand_back()
    channel = socket.socket(fileno=int(sys.argv[1]))
    del sys.path[0]  # this folder: its modules are not to stand in for others
    files, envelope = _neighbour("files.py"), _neighbour("../_format/envelope.py")
    for job, handle in _jobs(channel):
        error = None
        try:
            _write(job, handle, files, envelope)
        except BaseException as caught:  # reported, and the next job is served
            error = [
                getattr(caught, "errno", None),
                type(caught).__name__,
                getattr(caught, "strerror", None) or str(caught),
            ]
        finally:
            os.close(handle)
        _answer(channel, job, error)


if __name__ == "__main__":
    main()
