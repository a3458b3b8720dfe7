"""Derivatives at bounds, beyond what `cases_9_bounds.txt` compares with real MindSpore."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, nn, ops
from mindspore_compat._numerics import subgradients

AT = np.array([-1, 0, 1, 6, 7], np.float32)
SLOPES = [0, 0, 1, 1, 0]


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_relu6_at_its_bounds_in_every_dtype(dtype: Any) -> None:
    found = ms.grad(lambda x: ops.relu6(x).sum())(Tensor(AT, dtype))
    assert found.dtype is dtype
    assert found.float().asnumpy().tolist() == SLOPES


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_the_number_after_6_is_beyond_relu6(dtype: Any) -> None:
    above = Tensor(np.array(6.0 + 4 * torch.finfo(dtype).eps)).astype(dtype)
    assert float(above) > 6
    assert float(ms.grad(ops.relu6)(above)) == 0


#: a function, where its derivative has a kink, and what upstream's is before, at and after it
KINKS: list[tuple[Callable[[Any], Any], float, list[float]]] = [
    (ops.relu6, 0, [0, 0, 1]),
    (ops.relu6, 6, [1, 1, 0]),
    (lambda x: ops.leaky_relu(x, 0.25), 0, [0.25, 0.625, 1]),
    (nn.LeakyReLU(1.5), 0, [1.5, 1.25, 1]),
    (nn.LeakyReLU(0), 0, [0, 0.5, 1]),
    (ops.hardtanh, -1, [0, 0.5, 1]),
    (nn.Hardtanh(-2.0, 0.5), 0.5, [1, 0.5, 0]),
    (nn.Hardtanh(0, 1), 0, [0, 0.5, 1]),
]


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
@pytest.mark.parametrize(("function", "at", "slopes"), KINKS)
def test_at_a_kink_and_beside_it(function: Any, at: float, slopes: list[float], dtype: Any) -> None:
    far = Tensor([at - 0.25, at, at + 0.25], dtype)
    beside = [float(torch.nextafter(torch.tensor(float(at)), torch.tensor(to))) for to in (-9.0, 9.0)]
    assert ms.grad(function)(far).float().asnumpy().tolist() == slopes
    assert ms.grad(function)(far).dtype is dtype
    if dtype is ms.float32 and at:
        near = Tensor([beside[0], at, beside[1]], dtype)
        assert ms.grad(function)(near).asnumpy().tolist() == slopes
    elif not at:
        near = Tensor([-2 * torch.finfo(dtype).tiny, -0.0, 2 * torch.finfo(dtype).tiny], dtype)
        assert ms.grad(function)(near).float().asnumpy().tolist() == slopes


@pytest.mark.parametrize(("function", "at", "slopes"), KINKS)
def test_kinks_in_other_differentiations(function: Any, at: float, slopes: list[float]) -> None:
    x = Tensor([at - 0.25, at, at + 0.25])
    first = ms.grad(lambda x: (function(x) * x).sum())  # its own derivative is twice the slope
    assert ms.grad(lambda x: first(x).sum())(x).asnumpy().tolist() == [2 * slope for slope in slopes]
    rows = ops.vmap(ms.grad(lambda x: function(x).sum()))(ops.stack((x, x)))
    assert rows.asnumpy().tolist() == [slopes, slopes]
    assert ms.jvp(function, (x,), (ops.ones_like(x),))[1].asnumpy().tolist() == slopes


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
@pytest.mark.parametrize("least", [-1.0, -0.6, 0.0, 0.5, 0.7, 3.0])
def test_hardtanh_is_cut_at_its_bounds_and_nowhere_else(least: float, dtype: Any) -> None:
    """Over the numbers about a bound that the dtype has; in 16 bits kernels compare with the bound in float32."""
    bound = torch.tensor(least, dtype=dtype if dtype is ms.float64 else ms.float32)
    spacing = torch.finfo(dtype).eps * (abs(least) / 4 or torch.finfo(dtype).tiny)
    x = Tensor(torch.unique((bound.double() + torch.arange(-8, 9).double() * spacing).to(dtype)))
    expected = [0.5 if item == bound else float(item > bound) for item in x]
    assert 0 in expected and 1 in expected
    assert ms.grad(lambda x: ops.hardtanh(x, least, least + 1))(x).float().asnumpy().tolist() == expected


def test_gradients_at_kinks_do_not_overflow() -> None:
    largest = Tensor([60000.0] * 3, ms.float16)
    found = ops.GradOperation(sens_param=True)(ops.hardtanh)(Tensor([-1.0, 0.0, 3.0], ms.float16), largest)
    assert found.asnumpy().tolist() == [30000, 60000, 0]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: subgradients.clamp(x, -1.0, 2.0),
        lambda x, y: subgradients.clamp(x, min=0),
        lambda x, y: subgradients.clamp(x, max=y),
        lambda x, y: subgradients.clamp(x, y, torch.tensor(1.0)),
        lambda x, y: subgradients.clamp(x, 2.0, -1.0),
        subgradients.fmax,
        subgradients.fmin,
    ],
)
@pytest.mark.skipif(torch.__version__ >= (2, 14), reason="torch's own are others")
def test_bounds_are_torchs_up_to_2_13_where_torch_has_others(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What replaces torch's functions from 2.14 on has the values and derivatives that they had."""
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([-inf, -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0, inf, nan, 1.0, nan], requires_grad=True)
    y = torch.tensor([0.0, -2.0, 1.0, 0.0, -0.0, 1.0, 3.0, 2.0, inf, 1.0, nan, nan], requires_grad=True)
    found = []
    for is_replaced in (False, True):
        monkeypatch.setattr(subgradients, "_SHARES_BOUNDS", is_replaced)
        z = function(x, y)
        found.append((z, *torch.autograd.grad(z.sum(), (x, y), allow_unused=True)))
        assert z.dtype is x.dtype
        half = function(x.half(), y.half())
        assert half.dtype is torch.float16
    for one, other in zip(*found):
        number = (one is None) == (other is None)
        assert number and (one is None or torch.equal(torch.nan_to_num(one, 7.0), torch.nan_to_num(other, 7.0)))


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
    with pytest.raises(RuntimeError, match="At least one of 'min' or 'max' must not be None"):
        clamp(x, None, None)
    assert x.asnumpy().tolist() == [1, 2]
