"""Derivatives inside of what is differentiated: on a device torch would take them in a thread of its own, whose nodes
have numbers of their own, while ours tells by number what was computed before the forward (a constant).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

pytestmark = pytest.mark.gpu
X = np.array([0.3, -1.2, 2.0])


def _by_autograd(x: Any) -> Any:
    point = torch.Tensor.as_subclass(x, torch.Tensor)
    (found,) = torch.autograd.grad(point**3, point, torch.ones_like(point), create_graph=True)
    return found


def _by_vjp(x: Any) -> Any:
    point = torch.Tensor.as_subclass(x, torch.Tensor)
    _, pull = torch.func.vjp(lambda x: x**3, point)
    return pull(torch.ones_like(point))[0]


def _by_backward(x: Any) -> Any:
    point = torch.Tensor.as_subclass(x, torch.Tensor).clone()
    leaf = point.detach().requires_grad_()
    (leaf**2).sum().backward()
    assert leaf.grad is not None
    return point * leaf.grad * 1.5  # half of what the derivative of the whole is: the gradient is a constant


def _by_gradient_operator(x: Any) -> Any:
    return ops.operations._grad_ops.MirrorPadGrad()((3 * x * x)[None], [[0, 0], [0, 0]])[0]


def _by_grad(x: Any) -> Any:
    return ms.grad(lambda x: (x**3).sum())(x)


#: gives 3x², whose derivative in the direction of ones is 6x (3x where the gradient is cut off)
_INNER: list[tuple[Callable[[Any], Any], float]] = [
    (_by_autograd, 6), (_by_vjp, 6), (_by_backward, 3), (_by_gradient_operator, 6), (_by_grad, 6)
]  # fmt: skip


@pytest.mark.parametrize("older", [0, 1000], ids=["", "after others"])
@pytest.mark.parametrize(("inner", "factor"), _INNER, ids=[inner.__name__ for inner, _ in _INNER])
def test_a_derivative_inside_of_a_forward_is_differentiated(
    inner: Callable[[Any], Any], factor: float, older: int, at: Callable[[str], Any]
) -> None:
    at("GPU")
    x = Tensor(X)
    recorded = torch.ones(3, device=x.device, requires_grad=True)
    for _ in range(older):  # this thread's numbers run ahead of those of the device's thread
        recorded = recorded + 1
    before = torch._C._is_multithreading_enabled()
    found = ms.grad(lambda x: inner(x).sum())(x)
    np.testing.assert_allclose(found.asnumpy(), factor * X, rtol=1e-12)
    assert torch._C._is_multithreading_enabled() == before


def test_a_loss_with_a_derivative_trains_on_the_device(at: Callable[[str], Any]) -> None:
    weights = []
    for target in ("CPU", "GPU"):
        at(target)
        ms.set_seed(1)
        net = nn.Dense(3, 1, weight_init=Tensor(X[None], ms.float32))
        optimizer = nn.SGD(net.trainable_params(), 0.1)

        def loss(x: Any, net: Any = net) -> Any:
            return (_by_autograd(net(x)) ** 2).sum()

        step = ms.value_and_grad(loss, None, optimizer.parameters)
        for _ in range(3):
            optimizer(step(Tensor(X[None], ms.float32))[1])
        weights.append(net.weight.asnumpy())
    np.testing.assert_allclose(weights[1], weights[0], rtol=1e-5)
    assert not np.allclose(weights[0], X)
