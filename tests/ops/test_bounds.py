"""Derivatives at bounds, beyond what `cases_9_bounds.txt` compares with real MindSpore."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, nn, ops

AT = np.array([-1, 0, 1, 6, 7], np.float32)
SLOPES = [0, 0, 1, 1, 0]


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_relu6_at_its_bounds_in_every_dtype(dtype: Any) -> None:
    found = ms.grad(lambda x: ops.relu6(x).sum())(Tensor(AT, dtype))
    assert found.dtype is dtype
    assert found.float().asnumpy().tolist() == SLOPES


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_the_number_after_6_is_beyond_relu6(dtype: Any) -> None:
    import torch

    above = Tensor(np.array(6.0 + 4 * torch.finfo(dtype).eps)).astype(dtype)
    assert float(above) > 6
    assert float(ms.grad(ops.relu6)(above)) == 0


def test_relu6_composes() -> None:
    x = Tensor(AT)
    first = ms.grad(lambda x: (ops.relu6(x) ** 3).sum())
    assert ms.grad(lambda x: first(x).sum())(x).asnumpy().tolist() == [0, 0, 6, 36, 0]
    rows = ops.vmap(ms.grad(lambda x: ops.relu6(x).sum()))(ops.stack((x, x)))
    assert rows.asnumpy().tolist() == [SLOPES, SLOPES]
    assert ms.jvp(ops.relu6, (x,), (ops.ones_like(x),))[1].asnumpy().tolist() == SLOPES


def test_a_loaded_parameter_is_trained() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = Parameter(Tensor([2.0, 3.0]), name="weight")
            self.load = ops.operations.other_ops.Load()

        def construct(self, x: Any) -> Any:
            return (self.load(self.weight) * x).sum()

    net = Net()
    by_x, (by_weight,) = ms.grad(net, 0, net.trainable_params())(Tensor([1.0, 5.0]))
    assert by_x.asnumpy().tolist() == [2, 3]
    assert by_weight.asnumpy().tolist() == [1, 5]


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.int32, ms.int8], ids=str)
@pytest.mark.parametrize("bounds", [(Tensor(0.6), Tensor(4.4)), (0.6, 4.4), (Tensor([1, 2, 3]), None), (None, 2.5)])
def test_clip_by_value_stays_in_the_dtype_of_its_input(dtype: Any, bounds: tuple[Any, Any]) -> None:
    x = Tensor([-3, 2, 7]).astype(dtype)
    found = ops.clip_by_value(x, *bounds)
    given = [
        None if bound is None else np.asarray(bound.asnumpy() if isinstance(bound, Tensor) else bound)
        for bound in bounds
    ]
    expected = np.clip(x.asnumpy(), *[None if bound is None else bound.astype(x.asnumpy().dtype) for bound in given])
    assert found.dtype == dtype and found.asnumpy().tolist() == expected.tolist()
    assert ops.clip_by_value((x, x), *bounds)[1].dtype == dtype


@pytest.mark.parametrize(
    "clamp",
    [ops.clamp, ops.clip, Tensor.clamp, Tensor.clip, mint.clamp, ops.clamp_],
    ids=lambda f: f"{f.__module__}.{f.__qualname__}",
)
def test_what_clamp_refuses(clamp: Any) -> None:
    x = Tensor([1.0, 2.0])
    with pytest.raises(ValueError, match="at least one of 'min' or 'max' must not be None"):
        clamp(x, None, None)
    for given in ((x, True, None), (x, 0, Tensor(True)), (Tensor([True]), 0, 1)):
        with pytest.raises(ValueError, match="must not be bool"):
            clamp(*given)
    assert x.asnumpy().tolist() == [1, 2]
