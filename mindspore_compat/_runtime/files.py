"""Atomic file writes: a file is complete or does not exist.

The writer process loads this file by its path, without the package: only the standard library here.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows: temporary files of killed processes stay
    fcntl = None  # type: ignore[assignment]

_TEMPORARY = re.compile(r"\.(?P<name>.+)\.\d+\.[0-9a-f]{8}\.tmp")
_cleaned: set[str] = set()


def write_atomically(path: str, pieces: Iterable[Any], mode: int | None = None) -> None:
    """Write the pieces by `replacing`."""
    with replacing(path, mode) as file:
        for piece in pieces:
            file.write(piece)


@contextmanager
def replacing(path: str, mode: int | None = None) -> Iterator[BinaryIO]:
    """Open a temporary file in the same folder; at the end flush it to the disk and rename it to ``path``.

    Until the rename an older file stays as it was; on any error the temporary file is removed. The first write into a
    folder also removes the temporary files of killed processes there.
    """
    folder = os.path.dirname(path) or "."
    temporary = None
    try:
        if folder not in _cleaned:
            _cleaned.add(folder)
            remove_stale(folder)
        file, temporary = _locked_temporary(folder, os.path.basename(path))
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:
                os.chmod(temporary, mode)
            os.replace(temporary, path)
        temporary = None
        _flush_folder(folder)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


def _locked_temporary(folder: str, name: str) -> tuple[BinaryIO, str]:
    """Return a new file with this process's lock, so that `remove_stale` of others leaves it alone."""
    while True:
        path = os.path.join(folder, f".{name[:200]}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
        file = open(path, "xb")  # noqa: SIM115
        if fcntl is None or not _lock(file, wait=True) or _is_still(path, file):
            return file, path
        file.close()  # another process took it for a stale one before it was locked


def _lock(file: Any, wait: bool) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by someone, or a file system without locks
        return False
    return True


def _is_still(path: str, file: Any) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _flush_folder(folder: str) -> None:
    """Make the rename itself durable, where the system lets one open folders."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def remove_stale(folder: str) -> list[str]:
    """Remove the temporary files of killed processes in a folder (those without a lock); return their names."""
    removed: list[str] = []
    try:
        names = os.listdir(folder) if fcntl is not None else []
    except OSError:  # writing there will tell
        names = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            if not _TEMPORARY.fullmatch(name) or not stat.S_ISREG(os.lstat(path).st_mode):  # a FIFO would wait for ever
                continue
            with open(path, "rb") as file:
                if _lock(file, wait=False):
                    os.unlink(path)
                    removed.append(name)
        except OSError:
            continue
    return removed
