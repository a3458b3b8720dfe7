"""Writing files that are either whole or not there."""
from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from typing import Any

__all__ = ["write_atomically"]


def write_atomically(path: str, pieces: Iterable[Any], mode: int | None = None) -> None:
    """Write to a temporary file in the same folder, flush it to the disk, and rename it over ``path``.

    Until the rename an older file stays as it was; on any error the temporary file is removed.
    """
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f".{os.path.basename(path)}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
