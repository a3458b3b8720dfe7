"""File writes in another process: `BackgroundWriter.submit` takes a snapshot and returns. Design:
docs/design/ckpt-format.md.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import logging
import mmap
import os
import socket
import subprocess
import sys
import tempfile
import threading
from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import torch

_log = logging.getLogger("mindspore_compat")
_ALIGNMENT = 64
_HELP_FROM = 16 << 20  # bytes from which a second thread is worth its start
_LEAST_COPY, _LARGEST_COPY, _OWN_BYTES = 1 << 20, 16 << 20, 8 << 20
_MAX_JOBS = 2  # one is being written, one waits
_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "writer_process.py")


def is_available() -> bool:
    """Return whether this system can pass file descriptors to another process, and the path of Python is known."""
    return hasattr(socket, "send_fds") and bool(sys.executable)


def _aligned(place: int) -> int:
    return place + -place % _ALIGNMENT


def _length(piece: Any) -> int:
    return piece.numel() if hasattr(piece, "data_ptr") else len(piece)


def _room(pieces: Sequence[Any]) -> int:
    """Return the number of bytes that `_Snapshot.fill` needs."""
    return sum(_aligned(_length(piece)) + 16 for piece in pieces)


def _copy(jobs: list[tuple[int, int, int]]) -> None:
    """Run (target, source, bytes) jobs; a second thread takes a share where torch may use several and there is enough
    work.
    """
    total = sum(count for _, _, count in jobs)
    if total < _HELP_FROM or torch.get_num_threads() < 2:
        for job in jobs:
            ctypes.memmove(*job)
        return
    size = min(
        max(total // 32, _LEAST_COPY), _LARGEST_COPY
    )  # small enough to share, and large enough for copies past the cache
    parts = deque(
        (target + start, source + start, min(size, count - start))
        for target, source, count in jobs
        for start in range(0, count, size)
    )

    def work(left: int) -> None:
        try:
            while len(parts) > left:
                ctypes.memmove(*parts.popleft())  # without the interpreter's lock
        except IndexError:  # the other one took the last
            pass

    helper = threading.Thread(
        target=work, args=(max(_OWN_BYTES // size, 2),)
    )  # leaves the end to the package, so that nothing waits for it
    helper.start()
    work(0)
    helper.join()


class _Snapshot:
    """Memory that the writer process can read. It has no name, so nothing is left behind after a crash."""

    def __init__(self, size: int) -> None:
        self.size = size + (size >> 6) + (1 << 16)  # a bit more, so that the next, slightly larger state fits
        if hasattr(os, "memfd_create"):
            self.file: Any = open(os.memfd_create("mindspore_compat"), "r+b", buffering=0)  # noqa: SIM115
        else:
            self.file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self.file.fileno(), 0, self.size)  # fails here rather than with a SIGBUS later
        else:
            self.file.truncate(self.size)
        self._map = mmap.mmap(self.file.fileno(), self.size, flags=mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
        self._bytes = torch.frombuffer(self._map, dtype=torch.uint8)
        self._is_pinned = False

    def fill(self, pieces: Sequence[Any]) -> tuple[int, int]:
        """Copy buffers, uint8 tensors and objects with ``numel``, ``data_ptr`` and ``is_cuda``, each to an aligned
        place, so that each copy is a plain memcpy.

        Returns:
            (where the table of (start, length) is, how many rows it has)
        """
        place, table, devices, base = 0, array("q"), set(), self._bytes.data_ptr()
        jobs: list[tuple[int, int, int]] = []
        for piece in pieces:
            length = _length(piece)
            if not hasattr(piece, "data_ptr"):
                self._map[place : place + length] = piece if isinstance(piece, bytes) else bytes(piece)
            elif not piece.is_cuda:
                jobs.append((base + place, piece.data_ptr(), length))
            else:
                devices.add(piece.device)
                self._pin()
                self._bytes[place : place + length].copy_(piece, non_blocking=True)
            table.extend((place, length))
            place = _aligned(place + length)
        _copy(jobs)
        self._map[place : place + 8 * len(table)] = table.tobytes()
        for device in devices:
            torch.cuda.current_stream(device).synchronize()
        return place, len(table) // 2

    def _pin(self) -> None:
        """Pin the memory for direct copies from the GPU; without that the copies are only slower."""
        if not self._is_pinned:
            self._is_pinned = True
            result = torch.cuda.cudart().cudaHostRegister(self._bytes.data_ptr(), self.size, 0)
            if int(result) != 0:
                _log.info("the snapshot of a checkpoint could not be pinned (cudaHostRegister: %s)", result)

    def __del__(self) -> None:
        if getattr(self, "_is_pinned", False):
            try:
                torch.cuda.cudart().cudaHostUnregister(self._bytes.data_ptr())
            except Exception:  # the interpreter is ending
                pass


class BackgroundWriter:
    """Queue of snapshots for a process that writes them, in order.

    At most two jobs are on their way; `submit` waits when there are more, so memory is bounded by two snapshots. An
    error, or the death of the process, is raised by the next `submit`, `flush` or `close`, with the path. The process
    starts with the first job.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._numbers = 0
        self._forget()

    def _forget(self) -> None:
        """Reset the state to that without a process."""
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._received = b""
        self._jobs: dict[int, tuple[str, _Snapshot]] = {}
        self._idle: list[_Snapshot] = []
        self._failures: list[Exception] = []

    def pending(self) -> list[str]:
        """Paths that are accepted but not yet known to be written, oldest first."""
        with self._lock:
            self._collect(wait=False)
            return [path for path, _ in self._jobs.values()]

    def submit(
        self,
        path: str,
        pieces: Iterable[Any],
        mode: int | None = None,
        crc: bool = False,
        key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        obsolete: Sequence[str] = (),
    ) -> None:
        """Copy the pieces (buffers and flat uint8 tensors) and have them written to ``path``.

        Args:
            crc, key, enc_mode: what to put around the bytes.
            obsolete: files to remove when this one is complete.

        Raises:
            OSError, RuntimeError: of an earlier job, whose path it names; this job is then not accepted. OSError: if
                there is no memory for the snapshot.
        """
        with self._lock:
            self._collect(wait=False)
            self._raise_failures()
            while len(self._jobs) >= _MAX_JOBS:
                self._collect(wait=True)
                self._raise_failures()
            self._start()
            listed = list(pieces)
            snapshot = self._snapshot(path, _room(listed))
            table, rows = snapshot.fill(listed)
            self._numbers += 1
            job = {
                "id": self._numbers,
                "path": path,
                "table": table,
                "rows": rows,
                "mode": mode,
                "crc": crc,
                "key": key.hex() if key else "",
                "enc_mode": enc_mode,
                "obsolete": list(obsolete),
            }
            # From here until it is listed the snapshot has no owner: an interrupt in between only costs its
            # memory.
            self._send(job, snapshot)
            self._jobs[self._numbers] = (path, snapshot)

    def _snapshot(self, path: str, size: int) -> _Snapshot:
        fitting = next((item for item in self._idle if item.size >= size), None)
        if fitting is not None:
            self._idle.remove(fitting)
            return fitting
        self._idle.clear()
        try:
            return _Snapshot(max(size, 1))
        except OSError as error:
            raise OSError(
                error.errno,
                f"no memory for the snapshot of {size} bytes ({error.strerror}); save with async_save=False",
                path,
            ) from None

    def _start(self) -> None:
        if self._process is not None:
            return
        ours, theirs = socket.socketpair()
        with theirs:
            # own session: a Ctrl-C in the terminal is the trainer's
            self._process = subprocess.Popen(
                [sys.executable, _PROGRAM, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
            )
        self._channel = ours

    def _send(self, job: dict[str, Any], snapshot: _Snapshot) -> None:
        assert self._channel is not None
        body = json.dumps(job).encode()
        message = len(body).to_bytes(4, "little") + body
        try:
            sent = socket.send_fds(self._channel, [message], [snapshot.file.fileno()])
            self._channel.sendall(message[sent:])
        except OSError:
            self._jobs[job["id"]] = (job["path"], snapshot)
            self._bury()
            self._raise_failures()

    def _collect(self, wait: bool) -> None:
        """Take in answers; with ``wait``, at least one if any is due. Notices a dead process at once."""
        while self._channel is not None:
            try:
                data = self._channel.recv(1 << 16, 0 if wait else socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            except ConnectionError:
                data = b""
            if not data:
                self._bury()
                return
            self._received += data
            *lines, self._received = self._received.split(b"\n")
            for line in lines:
                self._take(json.loads(line))
                wait = False

    def _take(self, answer: dict[str, Any]) -> None:
        _, snapshot = self._jobs.pop(answer["id"], (None, None))
        if snapshot is not None:
            self._idle.append(snapshot)
        if answer["error"] is not None:
            number, kind, text = answer["error"]
            path = answer["path"]
            self._failures.append(
                OSError(number, text, path)
                if number
                else RuntimeError(f"writing {path} in the background failed: {kind}: {text}")
            )

    def _bury(self) -> None:
        """Turn the jobs of a dead process into failures, ready to start another process."""
        assert self._process is not None and self._channel is not None
        self._channel.close()
        code = self._process.wait()
        paths, failures = [path for path, _ in self._jobs.values()], self._failures
        self._forget()
        self._failures = failures
        if paths:
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            self._failures.append(
                RuntimeError(
                    f"the process that writes checkpoints {how} before it reported {', '.join(paths)}: "
                    "not written, unless it is there. The next save starts a new process."
                )
            )

    def _raise_failures(self) -> None:
        failures, self._failures = self._failures, []
        for other in failures[1:]:
            _log.error("%s", other)
        if failures:
            raise failures[0]

    def flush(self) -> None:
        """Wait until everything accepted is written; raise the first error since the last call."""
        with self._lock:
            while self._jobs:
                self._collect(wait=True)
            del self._idle[1:]
            self._raise_failures()

    def wait_for(self, path: str) -> None:
        """Wait until ``path`` is written; errors stay for the next `submit`, `flush` or `close`."""
        with self._lock:
            self._collect(wait=False)
            while any(path == waiting for waiting, _ in self._jobs.values()):
                self._collect(wait=True)

    def close(self) -> None:
        """Run `flush`, and end the process. It starts again with the next job."""
        with self._lock:
            try:
                self.flush()
            finally:
                if self._process is not None and self._channel is not None:
                    self._channel.close()
                    self._process.wait()
                    self._forget()


_writer: BackgroundWriter | None = None


def background_writer() -> BackgroundWriter:
    """Return the writer of this process. At exit it waits for accepted jobs, and logs failures."""
    global _writer
    if _writer is None:
        _writer = BackgroundWriter()
        atexit.register(_close_at_exit)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_leave_to_parent)
    return _writer


def _close_at_exit() -> None:
    try:
        if _writer is not None:
            _writer.close()
    except Exception as error:
        _log.error("a checkpoint was not written: %s", error)


def _leave_to_parent() -> None:
    """Leave the writer process and its jobs to the parent, in a forked child."""
    global _writer
    if _writer is not None:
        if _writer._channel is not None:
            _writer._channel.close()
        if _writer._process is not None:
            _writer._process.returncode = 0  # so that Popen does not look after a process that is not its child
        _writer._lock = threading.RLock()
        _writer._forget()
