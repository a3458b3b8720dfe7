"""Random access to compressed files without holding all of their content: a few kilobytes can become many gigabytes."""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Iterator
from typing import Any

from mindspore_compat._format.wire import FormatError

_LEAST_ROOM, _RATIO = 64 << 20, 16
_PIECE, _CHUNK = 1 << 20, 1 << 16
_MOST_POINTS = 512  # each holds some 45 KiB
_WINDOW = {"GZIP": 31, "ZLIB": 15}  # zlib's numbers for the two kinds of head


def most_bytes(path: str) -> int:
    """Return the limit of bytes to hold of a compressed file: 64 MiB, or the content of data that are no bomb."""
    return max(_LEAST_ROOM, _RATIO * os.path.getsize(path))


class CompressedFile:
    """Content of a compressed file. Up to `most_bytes` it is held; of a larger one only states of the decompressor are,
    from which reading resumes.

    Reading forward costs as much as decompressing; a distant position costs up to a 512th of the file. Threads may
    share it.

    Args:
        compression: "GZIP" or "ZLIB".
    """

    def __init__(self, path: str, compression: str) -> None:
        self._path, self._compression = path, compression
        self._most = most_bytes(path)
        self._content: bytearray | None = bytearray()
        #: (place in the content, place in the file, input that is not used yet, decompressor)
        self._points: list[tuple[int, int, bytes, Any]] = []
        self._lock = threading.Lock()
        self._forward: Iterator[bytes] | None = None
        self._piece, self._begin = b"", 0
        self.size = 0
        for piece in self._pieces(self._start(), True):
            self.size += len(piece)
            if self._content is not None:
                self._content += piece
                if self.size > self._most:
                    self._content = None
        if self._content is not None:
            self._points = []

    def read(self, place: int, length: int) -> bytes:
        """Return n bytes from a position, or as many as there are."""
        if self._content is not None:
            return bytes(self._content[place : place + length])
        if length > self._most:
            raise FormatError(
                f"{self._path} holds a piece of {length} bytes at byte {place} of its content, too much for its size"
            )
        with self._lock:
            return self._found(place, min(length, self.size - place))

    def _found(self, place: int, length: int) -> bytes:
        if self._forward is None or not self._begin <= place <= self._begin + len(self._piece) + _PIECE:
            point = max(
                (point for point in self._points if point[0] <= place),
                key=lambda point: point[0],
                default=self._start(),
            )
            self._forward, self._piece, self._begin = self._pieces(point, False), b"", point[0]
        found = bytearray()
        while len(found) < length:
            inside = place + len(found) - self._begin
            if inside < len(self._piece):
                found += self._piece[inside : inside + length - len(found)]
            else:
                self._begin += len(self._piece)
                self._piece = next(self._forward)
        return bytes(found)

    def _start(self) -> tuple[int, int, bytes, Any]:
        return 0, 0, b"", zlib.decompressobj(_WINDOW[self._compression])

    def _pieces(self, point: tuple[int, int, bytes, Any], notes: bool) -> Iterator[bytes]:
        """Yield the content from a point on; with ``notes`` the points are noted."""
        place, position, rest, machine = point[0], point[1], point[2], point[3].copy()
        spacing, is_full = _PIECE, False
        with open(self._path, "rb") as stream:
            stream.seek(position)
            while True:
                if notes:
                    spacing = self._note((place, stream.tell(), rest, machine), spacing)
                if not rest and not is_full:
                    rest = stream.read(_CHUNK)
                    if not rest:
                        break
                if machine.eof:  # gzip's files may be joined, and zeros may stand behind them
                    rest = rest.lstrip(b"\0") if self._compression == "GZIP" else b""
                    if not rest:
                        if self._compression == "ZLIB":
                            return
                        continue
                    machine = self._start()[3]
                try:
                    piece = machine.decompress(rest, _PIECE)
                except zlib.error as error:
                    raise FormatError(f"{self._path} is not compressed with {self._compression}: {error}") from error
                rest = machine.unused_data if machine.eof else machine.unconsumed_tail
                is_full = len(piece) == _PIECE and not machine.eof
                place += len(piece)
                if piece:
                    yield piece
        if not machine.eof:
            raise FormatError(f"{self._path} is not compressed with {self._compression}: it is cut off")

    def _note(self, point: tuple[int, int, bytes, Any], spacing: int) -> int:
        """Record a point if it is far enough from the last; when there are too many, drop every second one."""
        if not self._points or point[0] - self._points[-1][0] >= spacing:
            self._points.append((*point[:3], point[3].copy()))
            if len(self._points) > _MOST_POINTS:
                self._points = self._points[::2]
                spacing *= 2
        return spacing

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self._path, "compression": self._compression}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]
