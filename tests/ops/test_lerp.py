"""`lerp` counts from its start for every weight, where torch's counts back from the end beyond 0.5: numbers of real
MindSpore 2.10.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops

INF = float("inf")


@pytest.mark.parametrize("lerp", [ops.lerp, Tensor.lerp, mint.lerp, ops.Lerp()])
@pytest.mark.parametrize("weight", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("as_tensor", [False, True])
def test_infinite_ends(lerp: Callable[..., Any], weight: float, as_tensor: bool) -> None:
    start, end = Tensor([-INF, -1.0, INF, 3.0]), Tensor([-1.0, -INF, INF, 5.0])
    found = lerp(start, end, Tensor([weight] * 4) if as_tensor else weight)
    assert np.array_equal(found.asnumpy(), [np.nan, -INF, np.nan, 3 + 2 * weight], equal_nan=True)


def test_rounding_and_gradients() -> None:
    assert ops.lerp(Tensor([1e8]), Tensor([1.0]), 1.0).asnumpy().tolist() == [0.0]
    half = ops.lerp(Tensor([1000.0], ms.float16), Tensor([1.003], ms.float16), 0.75)
    assert half.dtype == ms.float16 and half.asnumpy().tolist() == [250.75]
    assert ops.lerp(Tensor([1.0]), Tensor([3.0]), Tensor([0.5], ms.float16)).dtype == ms.float32
    gradients = ms.grad(ops.lerp, (0, 1, 2))(Tensor([1.0, 2.0]), Tensor([3.0, 5.0]), Tensor([0.75, 0.25]))
    assert [one.asnumpy().tolist() for one in gradients] == [[0.25, 0.75], [0.75, 0.25], [2.0, 3.0]]
