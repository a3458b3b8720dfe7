"""Numbers that the dtype of a result does not hold: infinity in floats, an error in integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

INF = float("inf")
X = Tensor(np.array([1.0, 2.0], np.float16))
I8 = Tensor(np.array([1, 2], np.int8))
MASK = Tensor(np.array([True, False]))
#: results of real MindSpore
ANSWERS: dict[str, tuple[Callable[[], Any], Any, list[float]]] = {
    "Fill": (lambda: ops.Fill()(ms.float16, (2,), -1e9), ms.float16, [-INF, -INF]),
    "full": (lambda: ops.full((2,), 1e9, dtype=ms.float16), ms.float16, [INF, INF]),
    "full float32": (lambda: ops.full((2,), 1e39, dtype=ms.float32), ms.float32, [INF, INF]),
    "full_like": (lambda: ops.full_like(X, -1e9), ms.float16, [-INF, -INF]),
    "masked_fill": (lambda: X.masked_fill(MASK, -1e9), ms.float16, [-INF, 2]),
    "Tensor.fill": (lambda: X.fill(-1e9), ms.float16, [-INF, -INF]),
    "clamp": (lambda: ops.clamp(X, -1e9, 1e9), ms.float16, [1, 2]),
    "hardtanh": (lambda: ops.hardtanh(X, -1e9, 1e9), ms.float16, [1, 2]),
    "threshold": (lambda: ops.threshold(X, 1e9, 1e9), ms.float16, [INF, INF]),
    "pad": (lambda: ops.pad(X, (1, 1), value=-1e9), ms.float16, [-INF, 1, 2, -INF]),
    "ConstantPad1d": (lambda: nn.ConstantPad1d(1, -1e9)(X.reshape(1, 2))[0], ms.float16, [-INF, 1, 2, -INF]),
    "index_fill": (lambda: ops.index_fill(X, 0, Tensor([0], ms.int32), -1e9), ms.float16, [-INF, 2]),
}


@pytest.mark.parametrize(
    "function",
    [
        lambda: ops.Fill()(ms.int8, (2,), 300),
        lambda: ops.Fill()(ms.int32, (2,), 3e10),
        lambda: ops.full_like(I8, 300),
        lambda: I8.masked_fill(MASK, 300),
    ],
)
def test_integers_are_refused(function: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError):
        function()


@pytest.mark.parametrize("name", ANSWERS)
def test_results(name: str) -> None:
    function, dtype, expected = ANSWERS[name]
    result = function()
    assert result.dtype == dtype
    assert result.astype(ms.float32).asnumpy().tolist() == expected


def test_gradient_of_a_masked_fill() -> None:
    found = ms.grad(lambda x: ops.masked_fill(x, MASK, -1e9)[1] * 3)(X)
    assert found.dtype == ms.float16
    assert found.asnumpy().tolist() == [0, 3]
