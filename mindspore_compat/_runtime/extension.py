"""Compiled CUDA library of csrc/, loaded on first use. On failure it keeps the reason, which `mindspore-compat env`
prints.

`setup.py` builds it where nvcc is; nothing needs it, torch.linalg does the same more slowly.
"""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path

#: its path, by setup.py
LIBRARY = Path(__file__).parents[1] / "_lib" / "libmindspore_compat_cuda.so"
_ABI = 1


@functools.cache
def _load() -> tuple[ctypes.CDLL | None, str]:
    """Return (library, "") or (None, reason)."""
    if not LIBRARY.exists():
        return None, f"not built (no nvcc when the package was installed; {LIBRARY.name} is missing)"
    try:
        found = ctypes.CDLL(str(LIBRARY))
        abi = found.msc_abi_version()
    except (OSError, AttributeError) as error:
        return None, f"built, but does not load: {error}"
    if abi != _ABI:
        return None, f"built for another version of this package (ABI {abi}, needed {_ABI}): reinstall"
    return found, ""


def library() -> ctypes.CDLL | None:
    """Return the library, or None where it is not built or does not load."""
    return _load()[0]


def describe() -> str:
    """Return one line for a bug report."""
    found, reason = _load()
    return f"loaded from {LIBRARY}" if found is not None else reason
