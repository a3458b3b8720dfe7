"""Gradients of operators as operators: against torch's derivatives of the forward operators, and their own derivatives.

Values, dtypes and errors are compared with real MindSpore by ``cases_9_gradient_operators.txt``; most of upstream's have
no derivative of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import auto_generate
from mindspore_compat.ops.operations import _grad_ops as G
from tests.support.versions import COMPILES


def _f(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> Tensor:
    drawn = np.random.RandomState(seed + len(shape)).uniform(low, high, shape)
    return Tensor(drawn.astype(np.float64))


X, Y, DY = _f(2, 3), _f(2, 3, seed=1), _f(2, 3, seed=2)
SHARE, POSITIVE = _f(2, 3, low=0.1, high=0.9), _f(2, 3, low=0.5, high=3.0)
IMAGE, SMALL = _f(1, 2, 4, 4), _f(1, 2, 2, 2)

#: gradient -> (the forward function, the gradient as a function of x and dy, x)
_OF_FORWARD: dict[str, tuple[Callable[..., Any], Callable[..., Any], Tensor]] = {
    "AbsGrad": (torch.abs, lambda x, dy: G.AbsGrad()(x, dy), X),
    "ACosGrad": (torch.acos, lambda x, dy: G.ACosGrad()(x, dy), SHARE),
    "AsinGrad": (torch.asin, lambda x, dy: G.AsinGrad()(x, dy), SHARE),
    "AtanGrad": (torch.atan, lambda x, dy: G.AtanGrad()(x, dy), X),
    "AcoshGrad": (torch.acosh, lambda x, dy: G.AcoshGrad()(ops.acosh(x), dy), POSITIVE + 1),
    "AsinhGrad": (torch.asinh, lambda x, dy: G.AsinhGrad()(ops.asinh(x), dy), X),
    "ReciprocalGrad": (torch.reciprocal, lambda x, dy: G.ReciprocalGrad()(1 / x, dy), POSITIVE),
    "InvGrad": (torch.reciprocal, lambda x, dy: G.InvGrad()(1 / x, dy), POSITIVE),
    "RsqrtGrad": (torch.rsqrt, lambda x, dy: G.RsqrtGrad()(ops.rsqrt(x), dy), POSITIVE),
    "SqrtGrad": (torch.sqrt, lambda x, dy: G.SqrtGrad()(ops.sqrt(x), dy), POSITIVE),
    "SigmoidGrad": (torch.sigmoid, lambda x, dy: G.SigmoidGrad()(ops.sigmoid(x), dy), X),
    "TanhGrad": (torch.tanh, lambda x, dy: G.TanhGrad()(ops.tanh(x), dy), X),
    "SiLUGrad": (torch.nn.functional.silu, lambda x, dy: G.SiLUGrad()(dy, x), X),
    "EluGrad": (torch.nn.functional.elu, lambda x, dy: G.EluGrad()(dy, ops.elu(x)), X),
    "ReluGrad": (torch.relu, lambda x, dy: G.ReluGrad()(dy, x), X),
    "ReLU6Grad": (torch.nn.functional.relu6, lambda x, dy: G.ReLU6Grad()(dy, x), X * 5),
    "GeLUGrad": (
        lambda x: torch.nn.functional.gelu(x, approximate="tanh"), lambda x, dy: G.GeLUGrad()(dy, x, x), X
    ),
    "HSwishGrad": (torch.nn.functional.hardswish, lambda x, dy: G.HSwishGrad()(dy, x), X * 2),
    "HSigmoidGrad": (lambda x: torch.clamp(x / 6 + 0.5, 0, 1), lambda x, dy: G.HSigmoidGrad()(dy, x), X * 2),
    "SoftplusGrad": (torch.nn.functional.softplus, lambda x, dy: G.SoftplusGrad()(dy, x), X),
    "LogSoftmaxGrad": (
        lambda x: torch.log_softmax(x, 0), lambda x, dy: G.LogSoftmaxGrad(0)(ops.log_softmax(x, 0), dy), X
    ),
}  # fmt: skip


def _torch(x: Any) -> torch.Tensor:
    return torch.Tensor.as_subclass(x.detach(), torch.Tensor)


@pytest.mark.parametrize("name", sorted(_OF_FORWARD))
def test_it_is_the_derivative_of_the_forward_operator_and_so_is_its_own(name: str) -> None:
    forward, gradient, x = _OF_FORWARD[name]
    point, dy = _torch(x).requires_grad_(), _torch(DY).requires_grad_()
    (expected,) = torch.autograd.grad(forward(point), point, dy, create_graph=True)
    np.testing.assert_allclose(gradient(x, DY).asnumpy(), expected.detach().cpu().numpy(), rtol=1e-6, atol=1e-9)
    seed = _torch(Y)
    second = torch.autograd.grad(expected, (point, dy), seed, allow_unused=True)
    found = ms.grad(lambda x, dy: (gradient(x, dy) * Y).sum(), grad_position=(0, 1))(x, DY)
    for mine, theirs in zip(found, second):
        # torch's zeros of derivatives may have no memory, which numpy would read: a sum has
        wanted = np.zeros(mine.shape) if theirs is None else (theirs + torch.zeros(())).numpy(force=True)
        np.testing.assert_allclose(mine.asnumpy(), wanted, rtol=1e-6, atol=1e-9)


#: a gradient as a function of tensors by which finite differences differentiate
_OF_SEVERAL: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "PReLUGrad": (lambda dy, x, w: G.PReLUGrad()(dy, x, w), (IMAGE * 2, IMAGE, _f(2))),
    "FastGeLUGrad": (lambda dy, x: G.FastGeLUGrad()(dy, x), (DY.astype(ms.float32), X.astype(ms.float32))),
    "GridSampler2DGrad": (
        lambda dy, x, grid: G.GridSampler2DGrad()(dy, x, grid), (SMALL, IMAGE, _f(1, 2, 2, 2, low=-0.8, high=0.8))
    ),
    "BinaryCrossEntropyGrad": (lambda x, y, dy: G.BinaryCrossEntropyGrad("none")(x, y, dy), (SHARE, SHARE * 0.5, DY)),
    "SmoothL1LossGrad": (lambda x, y, dy: G.SmoothL1LossGrad(1.0, "none")(x, y, dy), (X, Y, DY)),
    "ResizeBilinearGrad": (lambda dy: G.ResizeBilinearGrad()(dy, SMALL), (IMAGE,)),
    "ResizeNearestNeighborV2Grad": (lambda dy: G.ResizeNearestNeighborV2Grad()(dy, (2, 2)), (IMAGE,)),
    "MirrorPadGrad": (lambda dy: G.MirrorPadGrad()(dy, Tensor([[0, 0], [1, 1]])), (_f(2, 4),)),
}  # fmt: skip


def _total(found: Any) -> Any:
    parts = found if isinstance(found, tuple) else (found,)
    return sum(
        (part * ops.cast(ops.arange(1, part.numel() + 1), part.dtype).reshape(part.shape)).sum() for part in parts
    )


@pytest.mark.parametrize("name", sorted(_OF_SEVERAL))
def test_its_own_derivative_is_that_of_finite_differences(name: str) -> None:
    if name == "GridSampler2DGrad" and not COMPILES:
        pytest.skip("torch 2.6 has no second derivative of it")
    gradient, given = _OF_SEVERAL[name]
    single = given[0].dtype is torch.float32
    step, near = (1e-2, 5e-2) if single else (1e-6, 1e-4)
    found = ms.grad(lambda *items: _total(gradient(*items)), grad_position=tuple(range(len(given))))(*given)
    found = found if isinstance(found, tuple) else (found,)
    for place, (x, mine) in enumerate(zip(given, found)):
        values = x.asnumpy().copy()
        expected = np.zeros(values.shape)
        for index in np.ndindex(*values.shape):
            moved = []
            for sign in (1, -1):
                changed = values.copy()
                changed[index] += sign * step
                items = [*given[:place], Tensor(changed), *given[place + 1 :]]
                moved.append(float(_total(gradient(*items)).asnumpy()))
            expected[index] = (moved[0] - moved[1]) / (2 * step)
        np.testing.assert_allclose(mine.asnumpy(), expected, rtol=near, atol=near)


@pytest.mark.parametrize("module", ["mindspore_compat.ops.operations._grad_ops", "mindspore_compat.ops.auto_generate"])
@pytest.mark.parametrize("name", ["HSwishGrad", "PReLUGrad", "ResizeNearestNeighborV2Grad"])
def test_it_is_found_where_upstream_shows_it(module: str, name: str) -> None:
    import importlib

    assert getattr(importlib.import_module(module), name) is getattr(auto_generate, name)


def test_it_is_mapped_and_runs_in_a_graph() -> None:
    rows = ops.vmap(ops.vmap(lambda dy, x: G.ReluGrad()(dy, x)))(DY, X)
    np.testing.assert_array_equal(rows.asnumpy(), G.ReluGrad()(DY, X).asnumpy())
    grid = _f(3, 1, 2, 2, 2, low=-0.8, high=0.8)
    mapped = ops.vmap(lambda dy, x, grid: G.GridSampler2DGrad()(dy, x, grid))(
        _f(3, 1, 2, 2, 2, seed=3), _f(3, 1, 2, 4, 4), grid
    )
    one = G.GridSampler2DGrad()(_f(3, 1, 2, 2, 2, seed=3)[1], _f(3, 1, 2, 4, 4)[1], grid[1])
    for all_of_them, single in zip(mapped, one):
        np.testing.assert_allclose(all_of_them.asnumpy()[1], single.asnumpy(), rtol=1e-6)
    compiled = ms.jit(lambda x, dy: G.HSwishGrad()(dy, x))
    np.testing.assert_array_equal(compiled(X, DY).asnumpy(), G.HSwishGrad()(DY, X).asnumpy())


def test_places_beyond_a_tensor_are_refused() -> None:
    with pytest.raises((RuntimeError, ValueError)):
        G.MaxPoolGradWithArgmaxV2(2)(IMAGE, SMALL, Tensor(np.full((1, 2, 2, 2), 16), ms.int64))


def test_relu6_passes_the_gradient_at_its_upper_corner_as_upstream() -> None:
    found = G.ReLU6Grad()(Tensor([1.0, 2.0, 3.0, 4.0]), Tensor([0.0, 6.0, 5.0, 7.0]))
    assert found.asnumpy().tolist() == [0.0, 2.0, 3.0, 0.0]
