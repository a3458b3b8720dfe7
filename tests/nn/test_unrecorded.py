"""Cells in evaluation mode at top level: torch records nothing, as real MindSpore, but what is asked for."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


class Recurrent(nn.Cell):
    """Gives a state and a list of what it has seen."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 3, "ones")

    def construct(self, x: Any, state: Any, seen: Any = ()) -> Any:
        state = ops.tanh(self.dense(x) + state)
        return state, [*seen, state]


X = Tensor(np.full((2, 3), 0.1, np.float32))


def made(train: bool = False) -> Recurrent:
    return Recurrent().set_train(train)


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request: pytest.FixtureRequest) -> Any:
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def test_a_state_that_is_carried_on_holds_nothing(mode: int) -> None:
    net, state, seen = made(), ops.zeros_like(X), []
    for _ in range(3):
        before = state
        state, seen = net(X, state, seen=seen)
        assert not state.requires_grad and not any(item.requires_grad for item in seen)
    seen.clear()
    gone = weakref.ref(before)
    del before
    gc.collect()
    assert gone() is None


def test_derivatives_inside_are_taken(mode: int) -> None:
    class Step(nn.Cell):
        def __init__(self, net: nn.Cell) -> None:
            super().__init__()
            self.net, self.weights = net, ms.ParameterTuple(net.trainable_params())
            self.gradient = ops.GradOperation(get_by_list=True)

        def construct(self, x: Any, state: Any) -> Any:
            return self.gradient(self.net, self.weights)(x, state)

    class First(nn.Cell):
        def __init__(self, net: nn.Cell) -> None:
            super().__init__()
            self.net = net

        def construct(self, x: Any, state: Any) -> Any:
            return self.net(x, state)[0]

    net = First(made())
    found = Step(net)(X, ops.zeros_like(X))
    expected = ms.grad(lambda: net(X, ops.zeros_like(X)).sum(), None, net.trainable_params())()
    for gradient, other in zip(found, expected, strict=True):
        assert np.abs(gradient.asnumpy()).max() > 0.1
        np.testing.assert_allclose(gradient.asnumpy(), other.asnumpy(), 1e-6)


def test_a_forward_that_an_inner_cell_keeps_is_kept() -> None:
    def keeping() -> Any:
        net = nn.SequentialCell(nn.Dense(3, 3, "ones"))
        net[0].set_grad()
        return net

    net = keeping()
    net(X)
    assert net[0].__dict__["_captured"] is not None
    net = keeping()
    with ms._no_grad():
        net(X)
    assert net[0].__dict__["_captured"] is None


def trained(net: Any, x: Any, state: Any) -> bool:
    """Whether torch's backward reaches the weights."""
    net(x, state)[0].sum().backward()
    found = net.dense.weight.grad is not None
    net.dense.weight.grad = None
    return found


@pytest.mark.cpu_only("torch's own tensors are on the CPU")
def test_who_uses_torch_trains() -> None:
    zeros = ops.zeros_like(X)
    plain = torch.full((2, 3), 0.1)
    assert trained(made(train=True), X, zeros)
    assert trained(made().set_grad(), X, zeros)
    assert trained(made(), plain, zeros)
    assert trained(made(), X, torch.zeros(2, 3))
    assert trained(made(), Tensor(X).requires_grad_(True), zeros)

    class Outer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell = made()

        def forward(self, x: Any, state: Any) -> Any:
            return self.cell(x, state)

    outer = Outer()
    outer.train()
    outer(X, zeros)[0].sum().backward()
    assert outer.cell.dense.weight.grad is not None

    net = made()

    def loss(weights: dict[str, torch.Tensor]) -> torch.Tensor:
        return torch.func.functional_call(net, weights, (X, zeros))[0].sum()

    found = torch.func.grad(loss)({name: value.detach() for name, value in net.named_parameters()})
    assert found["dense.weight"].abs().max() > 0.1


def test_an_evaluated_part_of_a_network_in_training_is_recorded() -> None:
    net = nn.SequentialCell(nn.Dense(3, 3, "ones"), nn.Dense(3, 3)).set_train()
    net[0].set_train(False)
    net(X).sum().backward()
    assert net[0].weight.grad is not None


def test_backward_says_why_there_is_nothing() -> None:
    state, _ = made()(X, ops.zeros_like(X))
    with pytest.raises(RuntimeError):
        state.sum().backward()
    with pytest.raises(RuntimeError):
        Tensor([1.0]).backward()


def test_rows_of_what_it_gives_can_be_written() -> None:
    found = nn.Dense(3, 3)(X)
    for row in found:
        row[0] = 1
    assert found.shape == (2, 3)
