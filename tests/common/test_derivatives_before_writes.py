"""Derivatives of what used a Parameter before compiled code writes to it: by the values at the time of use, as real
MindSpore 2.10 in GRAPH_MODE (memory banks, queues of keys, codebooks).
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat._tensor.aliasing import _running
from tests.common.test_memory_in_graphs import TAKES, WRITES
from tests.common.test_shared_memory import ONES
from tests.graph.replaying import replays

USES: dict[str, Callable[[Any], Any]] = {
    "itself": lambda p: p,
    "a product with itself": lambda p: p * p,
    "of numbers": lambda p: ops.exp(p * 0.5),
    **{name: take for name, take in TAKES.items() if name not in ("split", "in a dict")},
}


def joined(use: Callable[[Any], Any], p: Any, x: Any) -> Any:
    """Operators that keep what was taken for the derivative."""
    taken = use(p)
    return (taken * taken * x.sum() + ops.exp(taken * 0.1)).sum() + (p * x * x).sum()


class Using(nn.Cell):
    def __init__(self, use: Callable[[Any], Any], write: Callable[[nn.Cell, Tensor], Any], trained: bool) -> None:
        super().__init__()
        self.p = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) / 4), name="p", requires_grad=trained)
        self.use, self.write = use, write

    def construct(self, x: Tensor, v: Tensor) -> Tensor:
        first = joined(self.use, self.p, x)
        self.write(self, v)
        return first * joined(self.use, self.p, x)


@pytest.mark.parametrize(  # ``add_`` to what is differentiated by is refused, as upstream
    ("write", "trained"),
    [pair for pair in product(WRITES, (False, True)) if pair[0] != "optimizer" and pair != ("add_", True)],
)
@pytest.mark.parametrize("use", USES)
def test_they_are_by_the_values_at_the_time_of_use(use: str, write: str, trained: bool) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net, x, v = Using(USES[use], WRITES[write], trained), Tensor(ONES * 0.5), Tensor(ONES * 0.7)
    inputs = [x, net.p.clone(), net.p.clone()]
    weights = [net.p] if trained else None
    for _ in range(3):
        inputs[1] = Tensor(net.p.asnumpy().copy())
        value, found = ms.value_and_grad(net, 0, weights)(x, v)
        inputs[2] = Tensor(net.p.asnumpy().copy())
        assert (inputs[1].asnumpy() != inputs[2].asnumpy()).any()
        wanted, (by_x, *by_p) = ms.value_and_grad(
            lambda x, p, q: joined(USES[use], p, x) * joined(USES[use], q, x), (0, 1, 2)
        )(*inputs)
        found = (found[0], found[1][0]) if trained else (found,)
        np.testing.assert_allclose(value.asnumpy(), wanted.asnumpy(), 1e-5)
        np.testing.assert_allclose(found[0].asnumpy(), by_x.asnumpy(), 1e-5)
        if trained:
            np.testing.assert_allclose(found[1].asnumpy(), sum(by_p).asnumpy(), 1e-5)
        net.p.set_data(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) / 4))


def test_nothing_of_a_network_that_wrote_is_kept() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Using(USES["itself"], WRITES["assign"], True)
    ms.value_and_grad(net, 0, [net.p])(Tensor(ONES * 0.5), Tensor(ONES * 0.7))
    weight = weakref.ref(net.p)
    del net
    gc.collect()
    assert weight() is None


class Block(nn.Cell):
    def __init__(self, write: Callable[[nn.Cell, Tensor], Any], trained: bool) -> None:
        super().__init__()
        self.p = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) / 4), name="p", requires_grad=trained)
        self.w = Parameter(Tensor(ONES * 1.5), name="w")
        self.write = write

    def construct(self, x: Tensor) -> Tensor:
        y = ops.tanh(x * self.p * self.w)
        self.write(self, ops.stop_gradient(y) * 0.5 + 0.25)
        return y * self.p


class Twice(nn.Cell):
    def __init__(self, block: nn.Cell) -> None:
        super().__init__()
        self.block = block

    def construct(self, x: Tensor) -> Tensor:
        return (self.block(self.block(x) + x) ** 2).sum()


@pytest.mark.parametrize(
    ("write", "trained"),
    [pair for pair in product(WRITES, (False, True)) if pair[0] != "optimizer" and pair != ("add_", True)],
)
def test_a_block_that_is_computed_again_writes_once(write: str, trained: bool) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    kept, again = (Twice(Block(WRITES[write], trained)) for _ in range(2))
    again.block.recompute()
    x = Tensor(ONES * 0.3)
    for _ in range(3):
        (loss, (by_x, by_p)), (wanted, (also_x, also_p)) = (
            ms.value_and_grad(net, 0, net.trainable_params())(x) for net in (again, kept)
        )
        np.testing.assert_allclose(again.block.p.asnumpy(), kept.block.p.asnumpy(), 1e-6)
        for one, other in zip((loss, by_x, *by_p), (wanted, also_x, *also_p), strict=True):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), 1e-5)


class Slope(nn.Cell):
    """A derivative within a block, for which that is computed again before its first run has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Block(WRITES["assign"], False)

    def construct(self, x: Tensor) -> Tensor:
        return ops.grad(self.inner)(x) * x


def test_a_derivative_within_a_block_that_is_computed_again() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    kept, again = Slope(), Slope()
    again.recompute()
    found, wanted = (ms.value_and_grad(net, 0, net.trainable_params())(Tensor(ONES * 0.3)) for net in (again, kept))
    np.testing.assert_allclose(found[0].asnumpy(), wanted[0].asnumpy(), 1e-6)
    np.testing.assert_allclose(found[1][0].asnumpy(), wanted[1][0].asnumpy(), 1e-5)
    np.testing.assert_allclose(again.inner.p.asnumpy(), kept.inner.p.asnumpy(), 1e-6)
    assert not _running.watching


class Queue(nn.Cell):
    """As MoCo: negatives from a queue, which then takes the newest keys."""

    def __init__(self, by_view: bool) -> None:
        super().__init__()
        self.encoder = nn.Dense(3, 2, weight_init="ones", has_bias=False)
        start = np.eye(2, 4, dtype=np.float32)
        self.queue = Parameter(Tensor(start.T if by_view else start), name="queue", requires_grad=False)
        self.by_view = by_view

    def construct(self, x: Tensor) -> Tensor:
        q = self.encoder(x)
        new = ops.stop_gradient(q)
        if self.by_view:
            negative = ops.matmul(q, self.queue.T)
            ops.assign(self.queue, ops.concat((self.queue[2:], new), 0))
        else:
            negative = ops.matmul(q, self.queue)
            ops.assign(self.queue, ops.concat((self.queue[:, 2:], new.T), 1))
        return negative


@pytest.mark.parametrize("by_view", [False, True])
@pytest.mark.parametrize("optimizer", [nn.SGD, nn.Momentum])
def test_training_against_a_queue(optimizer: Any, by_view: bool) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Queue(by_view)
    weights = net.encoder.trainable_params()
    made = optimizer(weights, 0.01) if optimizer is nn.SGD else optimizer(weights, 0.01, 0.0)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), made).set_train()
    weight, queue = np.ones((2, 3)), np.eye(2, 4)
    label = ops.zeros((2, 4))
    for number in range(8):
        x = (ONES * number + np.arange(3)) / 10
        loss = step(Tensor(x, ms.float32), label)
        q = x @ weight.T
        np.testing.assert_allclose(loss.asnumpy(), ((q @ queue) ** 2).mean(), 1e-4)
        weight = weight - 0.01 * (2 / 8 * (q @ queue) @ queue.T).T @ x
        np.testing.assert_allclose(net.encoder.weight.asnumpy(), weight, 1e-4)
        queue = np.concatenate([queue[:, 2:], q.T], 1)
        np.testing.assert_allclose(net.queue.asnumpy(), queue.T if by_view else queue, 1e-4)
    assert bool(replays(step)) is not by_view  # the queue's memory is another after each step where views are kept
