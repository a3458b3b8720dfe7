"""Files of MATLAB: what SciPy reads, and what it crashes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat._format.matlab import Sparse, dense, read_variables
from mindspore_compat._format.wire import FormatError

scipy_io = pytest.importorskip("scipy.io")
sparse = pytest.importorskip("scipy.sparse")


def _variables() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    cells = np.empty((2, 3), object)
    for i in range(6):
        cells[i % 2, i // 2] = rng.integers(0, 9, (i, 2))
    values = {
        kind: rng.integers(0, 100, (3, 4, 2)).astype(kind)
        for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
    }
    return {
        **values,
        "complex": rng.standard_normal((2, 3)) + 1j,
        "empty": np.zeros((0, 3)),
        "text": "a text",
        "cells": cells,
        "flag": np.array([[True, False]]),
        "struct": {"a": np.arange(4.0), "inner": {"s": sparse.csc_matrix(np.eye(4)[:, ::-1])}},
        "sparse": sparse.csc_matrix(rng.integers(0, 2, (5, 7)).astype(float)),
    }


def _agree(found: Any, expected: Any) -> None:
    if isinstance(found, Sparse):
        assert np.array_equal(dense(found), expected.toarray())
    elif isinstance(found, dict):
        for name, value in found.items():
            _agree(value, expected[name])
    elif isinstance(found, str):
        assert [found] == expected.tolist()
    elif found.dtype == object:
        assert found.shape == expected.shape
        for one, other in zip(found.reshape(-1), expected.reshape(-1), strict=True):
            _agree(one, other)
    else:
        assert (
            found.shape == expected.shape
            and np.array_equal(found, expected)
            and (found.dtype == expected.dtype or expected.dtype == bool)
        )


@pytest.mark.parametrize("compressed", [False, True])
def test_variables_are_those_that_scipy_reads(tmp_path: Path, compressed: bool) -> None:
    scipy_io.savemat(tmp_path / "a.mat", _variables(), do_compression=compressed)
    expected = {
        name: value for name, value in scipy_io.loadmat(tmp_path / "a.mat").items() if not name.startswith("__")
    }
    found = read_variables((tmp_path / "a.mat").read_bytes(), 1 << 20)
    assert list(found) == list(expected)
    for name, value in found.items():
        _agree(value, expected[name])


def test_damaged_files_are_refused_or_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for compressed in (False, True):
        scipy_io.savemat(tmp_path / "a.mat", _variables(), do_compression=compressed)
        good = (tmp_path / "a.mat").read_bytes()
        refused = 0
        for _ in range(400):
            bad = bytearray(good)
            for _ in range(rng.integers(1, 4)):
                at = 128 + 8 * int(rng.integers((len(bad) - 128) // 8)) + int(rng.integers(8))
                bad[at] = int(rng.choice([0, 1, 5, 14, 127, 128, 255]))
            try:
                found = read_variables(bytes(bad), 1 << 20)
                for value in found.values():
                    if isinstance(value, Sparse):
                        dense(value)
            except FormatError:
                refused += 1
        assert refused > 100
        for end in (0, 50, 128, 131, 140, len(good) - 9):
            with pytest.raises(FormatError) if end not in (128,) else pytest.MonkeyPatch.context():
                read_variables(good[:end], 1 << 20)


def test_a_bomb_and_indices_outside_are_refused(tmp_path: Path) -> None:
    scipy_io.savemat(tmp_path / "a.mat", {"zeros": np.zeros(200000)}, do_compression=True)
    with pytest.raises(FormatError, match="more than a file of this size"):
        read_variables((tmp_path / "a.mat").read_bytes(), 1 << 20)
    with pytest.raises(FormatError, match="outside"):
        dense(Sparse((2, 1), np.array([5]), np.array([0, 1]), np.array([1.0])))
    with pytest.raises(FormatError, match="places"):
        dense(Sparse((1 << 20, 1 << 20), np.array([5]), np.array([0, 1]), np.array([1.0])))
