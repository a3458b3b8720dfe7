"""Hooks run at every call of what is replayed: of Cells, Parameters and inputs."""

from __future__ import annotations

from typing import Any

import pytest

from mindspore_compat import Tensor, context, nn, ops
from tests.graph.replaying import EAGER, GRAPH, alike, batches, compared, rows

pytestmark = pytest.mark.usefixtures("free_recordings")


def test_hooks() -> None:
    seen: list[int] = []

    def between(step: int, net: Any, cell: Any) -> None:
        if step == 0:
            net.dense1.register_forward_hook(lambda *_: seen.append(1))

    compared(between=between)
    assert len(seen) == 2 * len(batches())


def test_hooks_of_parameters_set_and_removed() -> None:
    net, handles = nn.Dense(6, 3, weight_init="ones"), []

    def run(mode: int) -> list[float]:
        grad_of, found = ops.grad(net, None, net.trainable_params()), []
        for step, x in enumerate(rows(12)):
            if step == 5:
                handles.append(net.weight.register_hook(lambda gradient: gradient * 2))
            if step == 9:
                handles.pop().remove()
            context.set_context(mode=mode)
            found.append(float(grad_of(x)[0].sum()))
        return found

    assert run(EAGER) == run(GRAPH)


@pytest.mark.parametrize(
    "made", [lambda fn: ops.grad(fn, (0, 1)), ops.GradOperation(get_all=True)], ids=["grad", "all"]
)
def test_hooks_of_inputs_run_at_every_call(made: Any) -> None:
    """Also of one that comes after calls without hooks were recorded, and not any more once they are removed."""
    context.set_context(mode=GRAPH)
    gradient, x, y, other = made(lambda x, y: (x * y).sum()), Tensor([3.0]), Tensor([5.0]), Tensor([30.0])

    def found(*inputs: Tensor) -> list[float]:
        return [float(item) for item in gradient(*inputs)]

    assert [found(other, y) for _ in range(6)] == [[5, 30]] * 6
    handle = x.register_hook(lambda gradient: gradient * 2)
    for _ in range(3):
        assert [found(other, y) for _ in range(6)] == [[5, 30]] * 6
        assert [found(x, y) for _ in range(6)] == [[10, 3]] * 6
    handle.remove()
    assert [found(x, y) for _ in range(6)] == [[5, 3]] * 6


def test_hooks_of_inputs_differentiated_by_inside_of_a_recorded_function() -> None:
    context.set_context(mode=GRAPH)
    x = Tensor([3.0])
    x.register_hook(lambda gradient: gradient * 2)
    outer = ops.grad(lambda scale: (scale * ops.grad(lambda x: x * x)(x)).sum())
    assert [float(outer(Tensor([1.0]))) for _ in range(8)] == [12.0] * 8


def test_hooks_of_a_cell_behind_a_function() -> None:
    net, calls = nn.Dense(6, 3), []
    net.register_forward_hook(lambda *_: calls.append(1))
    alike(lambda x: net(x).sum(), rows())
    assert len(calls) == 2 * len(rows())
