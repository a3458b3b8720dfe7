"""uint16, uint32 and uint64, which MindSpore computes with and torch mostly does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import operations as P

DTYPES = [ms.uint16, ms.uint32, ms.uint64]
A, B = [[7, 2, 9], [4, 4, 1]], [[3, 5, 9], [2, 6, 1]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_as_numpy(dtype: Any) -> None:
    a, b = Tensor(A, dtype), Tensor(B, dtype)
    x, y = a.asnumpy(), b.asnumpy()
    for found, expected in (
        (a + b, x + y),
        (a - b, x - y),  # around 0 as in C
        (a * b, x * y),
        (a > b, x > y),
        (a <= b, x <= y),
        (P.Add()(a, b), x + y),
        (P.AddN()([a, b, b]), x + y + y),
        (P.Greater()(a, b), x > y),
        (P.Invert()(a), ~x),
        (P.Maximum()(a, b), np.maximum(x, y)),
        (P.FloorDiv()(a, b), x // y),
        (ops.bitwise_and(a, b), x & y),
        (ops.gather(a, Tensor([2, 0], ms.int32), 1), x[:, [2, 0]]),
        (P.GatherD()(a, 1, Tensor([[2], [0]], ms.int32)), [[9], [4]]),
        (P.BatchMatMul()(a[None], b.T[None]), (x @ y.T)[None]),
        (ops.cummax(a, 1)[0], np.maximum.accumulate(x, 1)),
    ):
        assert found.asnumpy().dtype == np.asarray(expected, None if hasattr(expected, "dtype") else x.dtype).dtype
        assert np.array_equal(found.asnumpy(), expected)
    assert ops.cummax(a, 1)[1].dtype in (ms.int32, ms.int64)


def test_what_int64_cannot_hold_is_refused() -> None:
    x = Tensor(np.array([2**63 + 5, 1], np.uint64))
    with pytest.raises(NotImplementedError, match="UInt64"):
        P.Greater()(x, Tensor(np.array([1, 1], np.uint64)))
