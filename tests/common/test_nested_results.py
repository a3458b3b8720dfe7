"""Results of tuples: shared parts are walked once, named tuples keep their class."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._tensor.wrapping import wrap


def doubled(x: Any, levels: int = 200, kind: type = tuple) -> Any:
    for _ in range(levels):
        x = {"a": x, "b": x} if kind is dict else kind((x, x))
    return x


@pytest.mark.parametrize("kind", [tuple, list, dict])
def test_each_part_is_wrapped_once_and_stays_shared(kind: type) -> None:
    found = wrap(doubled(torch.ones(2).as_subclass(Shown), 200, kind))
    for _ in range(200):
        first, second = found.values() if kind is dict else found
        assert first is second
        found = first
    assert type(found) is Shown


class Shown(torch.Tensor):
    """A user's class, which no result changes."""


def test_what_becomes_a_new_tuple_stays_shared() -> None:
    class Pair(tuple):
        __slots__ = ()

    found = wrap(doubled(torch.ones(2), 200, Pair))
    assert type(found) is tuple and found[0] is found[1]
    for _ in range(200):
        found = found[0]
    assert type(found) is Tensor


def test_a_cell_may_return_it() -> None:
    class Doubling(nn.Cell):
        def construct(self, x: Any) -> Any:
            return doubled(x)

    x = Tensor([1.0])
    found = Doubling()(x)
    assert found[0] is found[1]


def test_equal_tuples_are_not_taken_for_one() -> None:
    a, b = torch.ones(1), torch.zeros(1)
    assert [[float(item) for item in part] for part in wrap([(a, b), (b, a), (a, b)])] == [[1, 0], [0, 1], [1, 0]]


class _Output(NamedTuple):
    loss: Any
    logits: Any = None


class _Named(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(2, 2, "ones", "zeros")

    def construct(self, x: Any) -> Any:
        y = self.dense(x)
        return _Output(y.sum(), [_Output(y), x])


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "auto", "half"])
def test_a_named_tuple_stays_one(mode: int, level: str) -> None:
    ms.set_context(mode=mode)
    net, x = _Named(), Tensor([[1.0, 2.0]])
    net = net.to_float(ms.float16) if level == "half" else ms.amp.auto_mixed_precision(net, level)
    for trains in (True, True, False, False):
        found = net.set_train(trains)(x)
        assert type(found) is _Output and type(found.logits[0]) is _Output and found.loss.asnumpy() == 6
        assert found.loss.dtype is (ms.float16 if level == "half" else ms.float32)
    assert found.logits[0].loss.asnumpy().tolist() == [[3, 3]]
    assert (found.logits[1] is x) == (mode == ms.PYNATIVE_MODE)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_named_tuple_comes_out_of_gradients_without_a_graph(mode: int) -> None:
    ms.set_context(mode=mode)
    net = _Named().set_train()
    found, gradient = ms.value_and_grad(net, 0, has_aux=True)(Tensor([[1.0, 2.0]]))
    assert type(found) is _Output and found.loss.grad_fn is None and gradient.asnumpy().tolist() == [[2, 2]]
    assert ms.value_and_grad(lambda x: net(x).loss, 0)(Tensor([[1.0, 2.0]]))[0].asnumpy() == 6
