"""Kinds for which torch has no kernel and upstream has; the answers are those of MindSpore 2.10 on a CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops

U = [[1, 2], [3, 0]]

#: call -> (what MindSpore gives, its kind; "" is that of the argument ``u``)
OF_UNSIGNED: dict[str, tuple[Any, str]] = {
    "mint.add(u, u)": ([[2, 4], [6, 0]], ""),
    "mint.add(u, u, alpha=2)": ([[3, 6], [9, 0]], ""),
    "mint.sub(u, u.flip((0,)))": ("wraps", ""),
    "mint.neg(u)": ("negated", ""),
    "-u": ("negated", ""),
    "~u": ([[False, False], [False, True]], "bool"),
    "mint.lt(u, w)": ([[True, False], [False, True]], "bool"),
    "mint.logical_not(u)": ([[False, False], [False, True]], "bool"),
    "mint.sum(u)": (6, ""),
    "u.sum(0)": ([4, 2], ""),
    "mint.prod(u + u, 1)": ([8, 0], ""),
    "u.prod()": (0, ""),
    "mint.nansum(u)": (6, ""),
    "mint.max(u)": (3, ""),
    "u.max()": (3, ""),
    "u.min()": (0, ""),
    "u.argmax()": (2, "int64"),
    "u.cumsum(0)": ([[1, 2], [4, 2]], ""),
    "u.nonzero()": ([[0, 0], [0, 1], [1, 0]], "int64"),
    "u.topk(1)[0]": ([[2], [3]], ""),
    "mint.amax(u, 1)": ([2, 3], ""),
    "mint.floor_divide(u, w)": ([[0, 1], [1, 0]], ""),
    "mint.flip(u, (0,))": ([[3, 0], [1, 2]], ""),
    "mint.masked_select(u, u == w)": ([2], ""),
    "mint.nn.functional.relu(u)": (U, ""),
    "ops.relu(u)": (U, ""),
}

OF_BOOLS: dict[str, tuple[Any, str]] = {
    "mint.abs(b)": ([True, False], "bool"),
    "b.abs()": ([True, False], "bool"),
    "mint.trunc(b)": ([True, False], "bool"),
    "mint.sub(b, c)": ([False, True], "bool"),
    "mint.sub(b, c, alpha=2)": ([False, True], "bool"),
    "mint.sub(b, 3)": ([-2, -3], "int64"),
    "mint.sub(b, 2.5)": ([-1.5, -2.5], "float32"),
    "b.sub(c)": ([False, True], "bool"),
    "mint.sub(x, True)": ([0.5, 1.5], "float32"),
    "mint.floor_divide(b, c)": ([True, False], "bool"),
    "mint.fmod(b, True)": ([False, False], "bool"),
    "mint.nansum(b)": (1, "int64"),
    "mint.all(u8)": (False, "bool"),
    "mint.nn.functional.relu(b)": ([True, False], "bool"),
    "ops.relu(b)": ([True, False], "bool"),
    "mint.maximum(x, 2.0)": ([2.0, 2.5], "float32"),
    "mint.ge(2.0, x)": ([True, False], "bool"),
    "mint.logical_and(b, True)": ([True, False], "bool"),
    "mint.round(i)": ([4, 5], "int32"),
    "mint.xlogy(x.half(), 2.0)": ([1.0397208, 1.732868], "float32"),
    "ops.xlogy(x.half(), 2.0)": ([1.0397208, 1.732868], "float32"),
}


def _is(found: Any, expected: Any, kind: str) -> None:
    assert str(found.dtype).rpartition(".")[2].lower().rstrip("_") == kind
    np.testing.assert_allclose(np.asarray(found.asnumpy()).astype(float), np.asarray(expected, float), rtol=1e-6)


@pytest.mark.parametrize("kind", ["uint16", "uint32", "uint64"])
@pytest.mark.parametrize("call", OF_UNSIGNED)
def test_unsigned_integers(call: str, kind: str) -> None:
    u = Tensor(np.array(U), getattr(ms, kind))
    expected, expected_kind = OF_UNSIGNED[call]
    if expected == "negated":
        expected = (-np.array(U, kind)).astype(float)
    elif expected == "wraps":
        expected = (np.array(U, kind) - np.array(U, kind)[::-1]).astype(float)
    _is(
        eval(call, {"u": u, "w": Tensor(np.array([[2, 2], [2, 2]]), u.dtype), "mint": mint, "ops": ops}),
        expected,
        expected_kind or kind,
    )


@pytest.mark.parametrize("call", OF_BOOLS)
def test_bools(call: str) -> None:
    names = {
        "b": Tensor([True, False]),
        "c": Tensor([True, True]),
        "x": Tensor([1.5, 2.5], ms.float32),
        "i": Tensor([4, 5], ms.int32),
        "u8": Tensor([1, 0], ms.uint8),
    }
    _is(eval(call, {**names, "mint": mint, "ops": ops}), *OF_BOOLS[call])


INTS, BOOLS, FLOATS = (
    Tensor(np.array([1, 2], np.int32)),
    Tensor(np.array([True, False])),
    Tensor(np.array([1.0, 2.0], np.float32)),
)


@pytest.mark.parametrize(
    ("result", "dtype", "expected"),
    [
        (mint.sub(INTS, BOOLS), ms.int32, [0, 2]),
        (mint.sub(BOOLS, INTS, alpha=2), ms.int32, [-1, -4]),
        (INTS.sub(BOOLS), ms.int32, [0, 2]),
        (INTS.sub(BOOLS, alpha=2), ms.int32, [-1, 2]),
        (BOOLS.sub(INTS), ms.int32, [0, -2]),
        (FLOATS.sub(BOOLS, alpha=2), ms.float32, [-1.0, 2.0]),
        (FLOATS.add(BOOLS, alpha=2), ms.float32, [3.0, 2.0]),
        (mint.minimum(INTS, 1.5), ms.float32, [1.0, 1.5]),
        (mint.minimum(2, INTS), ms.int32, [1, 2]),
    ],
)
def test_bools_and_numbers_beside_tensors(result: Any, dtype: Any, expected: list[float]) -> None:
    """As real MindSpore 2.10: a bool takes the other's dtype, and ``alpha`` counts."""
    assert result.dtype == dtype and result.asnumpy().tolist() == expected
