"""Changes between calls that a replay must follow, and results that later calls must leave alone."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mindspore_compat import Parameter, Tensor, context, jit, nn, ops
from tests.graph.replaying import EAGER, GRAPH, Net, Step, batches, replays, rows


def put_in_dict(store: Any, value: Any) -> None:
    store.dict["last"] = value


def put_in_list(store: Any, value: Any) -> None:
    store.list[:] = [value]


def put_in_object(store: Any, value: Any) -> None:
    store.last = value


class Noted(nn.Cell):
    def __init__(self, put: Callable[[Any, Any], None]) -> None:
        super().__init__()
        self.net, self.put, self.store = Net(), put, SimpleNamespace(dict={}, list=[])

    def construct(self, x: Any) -> Any:
        result = self.net(x).sum()
        self.put(self.store, result)
        return result


def held(store: Any) -> Any:
    (found,) = [*store.dict.values(), *store.list, *([store.last] if hasattr(store, "last") else [])]
    return found.asnumpy()


@pytest.mark.parametrize("put", [put_in_dict, put_in_list, put_in_object])
@pytest.mark.parametrize("kind", ["evaluation", "gradient", "step"])
def test_what_a_call_stores_is_of_that_call(put: Any, kind: str) -> None:
    context.set_context(mode=GRAPH)
    cell = Noted(put)
    optimizer = nn.Momentum(cell.trainable_params(), 0.01, 0.9)
    call: Any = {
        "evaluation": cell,
        "gradient": lambda x: grad_of(x)[0],
        "step": nn.TrainOneStepCell(cell, optimizer),
    }[kind]
    grad_of = ops.value_and_grad(cell, None, cell.trainable_params())
    if kind != "evaluation":
        (call if kind == "step" else cell).set_train()
    for x in rows(9):
        assert call(x).asnumpy() == held(cell.store)


class Returning(Step):
    def construct(self, *inputs: Any) -> Any:
        loss = super().construct(*inputs)
        weight = self.weights[0]
        return loss, inputs[0], weight, weight.T, weight[0]


def test_results_of_a_step_have_their_own_memory() -> None:
    context.set_context(mode=GRAPH)
    net = nn.WithLossCell(Net(), nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = Returning(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    step.set_train()
    found = []
    for x, y in batches(9):
        before = x.asnumpy().copy()
        found.append(result := step(x, y))
        weight = step.weights[0].asnumpy().copy()
        result[1].add_(1.0)
        np.testing.assert_array_equal(x.asnumpy(), before)
        found[-1] = *result, weight
    assert replays(step) > 0
    for _, _, whole, turned, row, weight in found:
        for ours, expected in ((whole, weight), (turned, weight.T), (row, weight[0])):
            np.testing.assert_array_equal(ours.asnumpy(), expected)


def test_auxiliary_results_keep_the_values_of_their_call() -> None:
    context.set_context(mode=GRAPH)
    weight = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    grad_of = ops.value_and_grad(lambda x: ((x * weight).sum(), weight, weight[0], weight.T), 0, has_aux=True)
    found = []
    for number in range(8):
        weight.set_data(Tensor(np.full((2, 2), number, np.float32)))
        found.append(grad_of(Tensor([1.0, 1.0]))[0])
    for number, (_, *aux) in enumerate(found):
        assert all((item.asnumpy() == number).all() for item in aux)


@pytest.mark.parametrize("index", [Tensor([True, False, True]), [0, 2], Tensor([0, 2])])
def test_a_shared_tensor_that_gets_new_memory_is_found(index: Any) -> None:
    context.set_context(mode=GRAPH)

    class Scaled(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.scale = Tensor([1.0, 2.0, 3.0])

        def construct(self, x: Any) -> Any:
            for _ in range(10):
                x = x * self.scale
            return x

    net = Scaled()
    shared = net.scale.asnumpy()
    for number in range(9):
        if number == 5:
            net.scale[index] = 0.5
        expected = Tensor([1.0, 2.0, 3.0] if number < 5 else [0.5, 2.0, 0.5]).asnumpy() ** 10
        np.testing.assert_allclose(net(Tensor([1.0, 1.0, 1.0])).asnumpy(), expected, 1e-6)
    assert replays(net) > 0 and list(shared) == [1, 2, 3]


RATE = 1.0


@pytest.mark.parametrize("new", [3.0, Tensor([3.0])])
@pytest.mark.parametrize("mode", [GRAPH, EAGER])
def test_names_of_a_function_may_get_other_values(new: Any, mode: int, monkeypatch: Any) -> None:
    context.set_context(mode=mode)
    rate: Any = 1.0

    def function(x: Any, times: float = 1.0) -> Any:
        for _ in range(10):
            x = x * rate
        return (x * RATE * times).sum()

    grad_of, compiled = ops.grad(function), jit(function)

    def calls(expected: float) -> None:
        for _ in range(6):
            x = Tensor([2.0])
            np.testing.assert_allclose(grad_of(x).asnumpy(), [expected], 1e-5)
            np.testing.assert_allclose(compiled(x).asnumpy(), 2 * expected, 1e-5)

    calls(1.0)
    assert mode == EAGER or replays(function) > 0
    rate = new
    calls(3.0**10)
    monkeypatch.setitem(globals(), "RATE", new)
    calls(3.0**11)
    function.__defaults__ = (new,)
    calls(3.0**12)
