"""Damaged and hostile files of every format that is read: the documented exception with the file's name, or values;
never more than that.

``python -m tools.fuzz_files`` for a long run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools import fuzz_files

ROWS = fuzz_files.formats()


@pytest.mark.parametrize("name", list(ROWS))
def test_damaged_files_are_refused_or_read(name: str) -> None:
    result = fuzz_files.run(ROWS[name], 40, seed=20)
    assert not result.failures, "\n".join(result.failures)
    assert result.mutants == 40


def _bad(path: Path) -> Any:
    """A reader that does what none should."""
    import ctypes

    data = path.read_bytes()
    if b"s" in data:
        (path.parent.parent / "elsewhere").write_bytes(data)
    if b"l" in data:
        ctypes.CDLL(None)
    if b"m" in data:
        bytearray(1 << 30)
    if b"w" in data:
        try:
            bytearray(1 << 30)
        except MemoryError as error:
            raise ValueError(path.name) from error
    if b"h" in data:
        while True:
            pass
    if b"k" in data:
        import os

        os.abort()
    if b"x" in data:
        raise ValueError("no name in it")
    raise KeyError(path.name)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"s", "has effects: writes"),
        (b"l", "has effects: ctypes.dlopen"),
        (b"m", "raises MemoryError"),
        (b"w", "takes more memory than it may"),
        (b"h", "hangs at"),
        (b"k", "the process ended with -6"),
        (b"x", "does not name the file"),
        (b"", "raises KeyError"),
    ],
)
def test_the_fuzzer_notices(content: bytes, text: str) -> None:
    def seeds(folder: Path) -> list[Path]:
        (folder / "seed").write_bytes(b"")
        return [folder / "seed"]

    row = fuzz_files.Format(
        "bad",
        seeds,
        lambda path: _bad(path) if path.stat().st_size else None,
        (ValueError,),
        damage=(lambda data, rng: content or b"_",) * 50,
        seconds=0.5,
    )
    result = fuzz_files.run(row, 6)
    assert any(text in failure for failure in result.failures), result.failures
