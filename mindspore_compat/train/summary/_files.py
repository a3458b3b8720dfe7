"""Event files: framed records, written whole or not at all, flushed on request."""

from __future__ import annotations

import os
import re
import time

from mindspore_compat._format.events import event
from mindspore_compat._format.records import OVERHEAD, frame

_BUFFERED = 1 << 16
_SECONDS = re.compile(r"(?<=\.summary)\.(\d+)\.")


class FileIsFull(Exception):
    """Error for a next record beyond ``max_file_size``."""


class EventFile:
    """A file, created at its first record.

    Args:
        path: if it exists then, the next second is taken for the one in its name.
        first: the Event that stands at its beginning as (field key, text), or None.
        mode_at_end: permissions once it is closed.
        limit: ``max_file_size``; None for none.
    """

    def __init__(
        self, path: str, first: tuple[bytes, bytes] | None, mode_at_end: int | None = None, limit: int | None = None
    ) -> None:
        self.path = path
        self._first, self._mode_at_end, self._left = first, mode_at_end, limit
        self._handle: int | None = None
        self._waiting: list[bytes] = []
        self._waiting_bytes = self._place = 0

    def write(self, data: bytes) -> None:
        """Add a record.

        Raises:
            FileIsFull: if ``limit`` forbids it. OSError: with the path; the file then ends with its last whole record.
        """
        if self._handle is None:
            self._handle = self._make()
            if self._first is not None:
                self._add(event(time.time(), *self._first))
        self._add(data)

    def _make(self) -> int:
        while True:
            try:
                return os.open(
                    self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if self._mode_at_end is not None else 0o644
                )
            except FileExistsError:  # of another process that began in the same second
                name = _SECONDS.sub(lambda match: f".{int(match[1]) + 1}.", os.path.basename(self.path), count=1)
                if name == os.path.basename(self.path):
                    raise
                self.path = os.path.join(os.path.dirname(self.path), name)

    def _add(self, data: bytes) -> None:
        if self._left is not None:
            needed = len(data) + OVERHEAD
            if needed > self._left:
                raise FileIsFull(
                    f"'max_file_size' reached: {self.path!r} gets no more records, {self._left} bytes are left."
                )
            self._left -= needed
        record = frame(data)
        self._waiting.append(record)
        self._waiting_bytes += len(record)
        if self._waiting_bytes >= _BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Pass everything to the system."""
        if not self._waiting or self._handle is None:
            return
        records, self._waiting, self._waiting_bytes = self._waiting, [], 0
        try:
            view = memoryview(b"".join(records))
            written = 0
            while written < len(view):
                written += os.write(self._handle, view[written:])
            self._place += written
        except OSError as error:
            self._keep_whole(records)
            raise OSError(error.errno, error.strerror, self.path) from error

    def _keep_whole(self, records: list[bytes]) -> None:
        """Truncate the file after a failed write, behind the last complete record."""
        assert self._handle is not None
        end = os.lseek(self._handle, 0, os.SEEK_END)
        for record in records:
            if self._place + len(record) > end:
                break
            self._place += len(record)
        os.ftruncate(self._handle, self._place)

    def close(self) -> None:
        """Flush and close; no more records are accepted."""
        if self._handle is None:
            return
        try:
            self.flush()
        finally:
            handle, self._handle = self._handle, None
            if self._mode_at_end is not None:
                os.fchmod(handle, self._mode_at_end)
            os.close(handle)
