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
        (P.ReduceSum()(a, 1), x.sum(1, dtype=x.dtype)),
        (P.AddN()([a, b, b]), x + y + y),
        (ops.addn([a, b]), x + y),
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
    huge = Tensor(np.array([2**63 + 5, 1], np.uint64)) if dtype == ms.uint64 else a
    assert np.array_equal(P.Invert()(huge).asnumpy(), ~huge.asnumpy())
    with pytest.raises((RuntimeError, ValueError), match="out of"):
        ops.gather(a, Tensor([5], ms.int32), 1)
    assert ops.cummax(a, 1)[1].dtype in (ms.int32, ms.int64)


def test_what_int64_cannot_hold_is_refused() -> None:
    x = Tensor(np.array([2**63 + 5, 1], np.uint64))
    with pytest.raises(NotImplementedError):
        P.Greater()(x, Tensor(np.array([1, 1], np.uint64)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_and_segments(dtype: Any) -> None:
    """As real MindSpore's; rows of no segment hold the dtype's bound."""
    a, b, ids = Tensor(A, dtype), Tensor(B, dtype), Tensor([1, 1], ms.int32)
    x, y = a.asnumpy(), b.asnumpy()
    top, none = np.iinfo(x.dtype).max, np.zeros(3, x.dtype)
    for found, expected in (
        (ops.matmul(a, b.T), x @ y.T),
        (a @ b.T, x @ y.T),
        (ops.baddbmm(a[None, :, :2], a[None], b.T[None]), (x[:, :2] + x @ y.T)[None]),
        (ops.amin(a, 1), x.min(1)),
        (ops.amax(a, 0), x.max(0)),
        (ops.unsorted_segment_sum(a, ids, 2), [none, x.sum(0, dtype=x.dtype)]),
        (ops.unsorted_segment_prod(a, ids, 2), [none + 1, x.prod(0, dtype=x.dtype)]),
        (ops.unsorted_segment_max(a, ids, 2), [none, x.max(0)]),
        (ops.unsorted_segment_min(a, ids, 2), [none + top, x.min(0)]),
    ):
        assert found.dtype is dtype
        assert np.array_equal(found.asnumpy(), expected)


def test_the_order_of_uint64_beyond_int64() -> None:
    x = Tensor(np.array([2**64 - 5, 3, 2**63, 2**63 + 1], np.uint64))
    ids = Tensor([0, 0, 1, 1], ms.int32)
    assert ops.unsorted_segment_max(x, ids, 3).asnumpy().tolist() == [2**64 - 5, 2**63 + 1, 0]
    assert ops.unsorted_segment_min(x, ids, 3).asnumpy().tolist() == [3, 2**63, 2**64 - 1]
    assert ops.unsorted_segment_prod(x, ids, 3).asnumpy().tolist() == [2**64 - 15, 2**63, 1]
    assert [int(ops.amin(x)), int(ops.amax(x))] == [3, 2**64 - 5]
