"""The number of Python frames between a call and torch, in both modes and at two depths of the stack."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mindspore_compat import Tensor, context, nn, ops

X = Tensor(np.ones((2, 4), np.float32))


class Empty(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x


class Attribute(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.value = 3

    def construct(self, x: Any) -> Any:
        return self.value


class Outer(nn.Cell):
    """Counts the frames of a call inside of another Cell's."""

    def construct(self, call: Callable[[], Any], depth: int) -> int:
        return _deep(call, depth)


def _deep(call: Callable[[], Any], depth: int) -> int:
    return _deep(call, depth - 1) if depth else _frames(call)


def _frames(call: Callable[[], Any]) -> int:
    for _ in range(3):
        call()
    count = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    gc.disable()  # finalizers of other tests' objects are frames as well
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count - 1  # the lambda


CALLS: dict[str, tuple[int, Callable[[bool], Callable[[], Any]]]] = {
    "empty": (3, lambda training: _of(Empty(), training)),
    "attribute": (3, lambda training: _of(Attribute(), training)),
    "ReLU": (5, lambda training: _of(nn.ReLU(), training)),
    "Dense": (7, lambda training: _of(nn.Dense(4, 4), training)),
    "LayerNorm": (8, lambda training: _of(nn.LayerNorm((4,)), training)),
    "ops.add": (3, lambda training: lambda: ops.add(X, X)),
    "P.Add": (4, lambda training: _operator(ops.Add())),
    "sum": (4, lambda training: lambda: X.sum()),
    "softmax": (4, lambda training: lambda: ops.softmax(X)),
    "+": (1, lambda training: lambda: X + X),
}


def _of(cell: nn.Cell, training: bool) -> Callable[[], Any]:
    cell.set_train(training)
    return lambda: cell(X)


def _operator(operator: Any) -> Callable[[], Any]:
    return lambda: operator(X, X)


@pytest.mark.parametrize("depth", [0, 40])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
@pytest.mark.parametrize("name", CALLS)
def test_a_call_enters_few_frames(name: str, mode: int, training: bool, depth: int) -> None:
    most, make = CALLS[name]
    context.set_context(mode=mode)
    call = make(training)
    outer = Outer().set_train(training)
    assert outer(call, depth) <= most


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(("mode", "more"), [(context.PYNATIVE_MODE, 3), (context.GRAPH_MODE, 11)])
@pytest.mark.parametrize("name", CALLS)
def test_an_outermost_call_enters_a_few_frames_more(name: str, mode: int, more: int, training: bool) -> None:
    most, make = CALLS[name]
    context.set_context(mode=mode)
    call = make(training)
    for _ in range(40):  # an evaluation call is considered for a replay less and less often
        call()
    assert _frames(call) <= most + more
