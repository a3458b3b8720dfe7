"""Evaluation calls in GRAPH_MODE: replayed they give, write and raise what PYNATIVE_MODE does, and calls that do not
repeat themselves are left alone.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Model, Parameter, Tensor, context, dataset, nn, ops
from mindspore_compat._graph.replay.computations import computations_of
from tests.graph.replaying import EAGER, GRAPH, calls_of, replays

pytestmark = pytest.mark.usefixtures("free_recordings")


class Net(nn.Cell):
    """Enough operators to be replayed; ``body`` is a test's own part."""

    def __init__(self, body: Callable[..., Any] = lambda net, x: x) -> None:
        super().__init__()
        draw = np.random.default_rng(0)
        weight = Tensor(draw.standard_normal((6, 6)).astype(np.float32) * 0.4)
        self.dense1, self.dense2 = nn.Dense(6, 6, weight, "ones"), nn.Dense(6, 6, weight, "zeros")
        self.norm, self.drop = nn.LayerNorm((6,)), nn.Dropout(p=0.5)
        self.cache = Parameter(Tensor(np.zeros((4, 6), np.float32)), name="cache", requires_grad=False)
        self.scale: Any = 1.0
        self.count = 0
        self.seen: list[Any] = []
        self.body = body

    def construct(self, x: Any, *rest: Any, **named: Any) -> Any:
        x = self.norm(ops.tanh(self.dense1(x)) * self.scale)
        x = self.drop(ops.relu(self.dense2(x)) + 0.1) - ops.sigmoid(x) * 0.5
        return self.body(self, x, *rest, **named)


def inputs(count: int = 9, *shape: int) -> list[Tensor]:
    draw = np.random.default_rng(3)
    return [Tensor(draw.standard_normal(shape or (4, 6)).astype(np.float32)) for _ in range(count)]


def values(result: Any) -> Any:
    if isinstance(result, torch.Tensor):
        return result.detach().numpy().copy()
    if isinstance(result, dict):
        return {key: values(item) for key, item in result.items()}
    return type(result)(map(values, result)) if isinstance(result, (tuple, list)) else result


def same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, 1e-5, 1e-6)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        same(list(found.values()), list(expected.values()))
    elif isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        assert found == expected


def compared(
    body: Callable[..., Any],
    arguments: Any = None,
    between: Callable[[int, Any], None] = lambda number, net: None,
    replayed: bool = True,
) -> Any:
    """The network of the GRAPH_MODE run, after all results, kept to the end, and Parameters were found as in
    PYNATIVE_MODE; ``replayed``: whether it is to be replayed.
    """
    runs = []
    for mode in (EAGER, GRAPH):
        context.set_context(mode=EAGER)
        ms.set_seed(1)
        random.seed(1)
        net = Net(body).set_train(False)
        context.set_context(mode=mode)
        results, then = [], []
        for number, given in enumerate(arguments if arguments is not None else [(x,) for x in inputs()]):
            between(number, net)
            found = net(*given)
            results.append(found)
            then.append(values(found))
        runs.append((then, {name: values(item) for name, item in net.parameters_dict().items()}, net, results))
    (expected, weights, _, _), (found, ours, net, results) = runs
    same(found, expected)
    same([values(item) for item in results], found)  # nobody has written to what was given away
    same(ours, weights)
    assert (replays(net) > 0) == replayed, computations_of(net).said
    tensors = [item for item in torch.utils._pytree.tree_leaves(results) if isinstance(item, torch.Tensor)]
    own = {item.untyped_storage().data_ptr() for item in tensors}
    assert not own & {item.untyped_storage().data_ptr() for item in net.get_parameters()}
    assert all(type(item) is Tensor and not item.requires_grad for item in tensors)
    return net


# --- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        lambda net, x: x,
        lambda net, x: (x, x),
        lambda net, x: (x, x.T, x[1:], x.view(-1)),
        lambda net, x: [x, (x, {"a": x * 2, "b": None}), 3, "name", 2.5],
        lambda net, x: {"x": x, "cache": net.cache},
        lambda net, x: (net.cache, net.cache[1:], net.dense1.weight.T),
        lambda net, x: net.cache[0],
        lambda net, x: net.dense1.weight + 0,
        lambda net, x: ops.ones((2, 3)),
        lambda net, x: Tensor([1.0, 2.0]),
        lambda net, x: (Tensor([1.0, 2.0]), ops.arange(4), ops.zeros_like(x)),
        lambda net, x: ops.split(x, 3, 1),
        lambda net, x: ops.unbind(x, 0),
        lambda net, x: ops.topk(x, 2),
        lambda net, x: x.astype(ms.float16),
        lambda net, x: x > 0,
        lambda net, x: ops.stop_gradient(x),
        lambda net, x: (x.reshape(2, 2, 6).transpose(1, 0, 2).reshape(4, 6).T, x.expand_dims(0).squeeze(0)),
        lambda net, x: (x * 2 + 3 - 0.5) / 7,
        lambda net, x: ops.broadcast_to(x[:1], (4, 6)),
        lambda net, x: x.shape,
        lambda net, x: None,
    ],
)
def test_results(body: Any) -> None:
    compared(body)


@pytest.mark.parametrize(
    "body",
    [lambda net, x, y: y, lambda net, x, y: (y, y[1:]), lambda net, x, y: y.T, lambda net, x, y: [x, y.view(-1)]],
)
def test_an_input_that_is_returned_has_memory_of_its_own(body: Any) -> None:
    context.set_context(mode=GRAPH)
    net = Net(body)
    for x, y in zip(inputs(), inputs()[::-1], strict=True):
        result = net(x, y)
        if isinstance(result, torch.Tensor) and result.shape == y.shape:
            assert result is y
            continue
        first = values(result)
        torch.Tensor.add_(y, 1.0)
        same(values(result), first)
    assert replays(net) > 0


@pytest.mark.parametrize("when", range(6))
@pytest.mark.parametrize(
    "body",
    [
        lambda net, x: (x, net.cache, x.T, net.dense2.weight[1]),
        lambda net, x: (Tensor([1.0, 2.0])[1:], ops.ones((2,)), Tensor([3.0])),
    ],
)
def test_what_is_given_away_may_be_written_to(body: Any, when: int) -> None:
    context.set_context(mode=GRAPH)
    net = Net(body)
    (x,) = inputs(1)
    first = values(net(x))
    for number in range(9):
        found = net(x)
        same(values(found), first)
        for item in found if number == when else ():
            torch.Tensor.fill_(item, 7.0)
    assert replays(net) > 0


@pytest.mark.parametrize(
    "make",
    [
        lambda x: type("Other", (dict,), {})(x=x),
        lambda x: type("Others", (list,), {})([x]),
        lambda x: np.float32(x.shape[0]) * np.ones(2),
        lambda x: torch.Tensor.as_subclass(x, type("Kind", (Tensor,), {})),
    ],
)
def test_an_object_of_another_class_is_not_made_of_a_tape(make: Any) -> None:
    context.set_context(mode=GRAPH)
    net = Net(lambda net, x: make(x))
    kinds = {type(net(x)).__name__ for x in inputs()}
    assert len(kinds) == 1 and replays(net) == 0


# --- what is written --------------------------------------------------------------------------------------------------


def place(number: int) -> Tensor:
    return Tensor(np.array([number % 4], np.int32))


@pytest.mark.parametrize(
    "write",
    [
        lambda net, x, at: ops.assign(net.cache, x),
        lambda net, x, at: ops.assign_add(net.cache, x),
        lambda net, x, at: net.cache.__setitem__(at, x[:1]),
        lambda net, x, at: net.cache.__setitem__((slice(None), at), x[:, :1]),
        lambda net, x, at: net.cache.__setitem__(slice(1, 3), x[1:3]),
        lambda net, x, at: net.cache.__setitem__(0, 0.5),
        lambda net, x, at: net.cache.__setitem__(x > 0.3, 2.0),
        lambda net, x, at: ops.scatter_update(net.cache, at, x[:1]),
        lambda net, x, at: ops.assign(net.cache, net.cache * 0.5 + ops.expand_dims(ops.one_hot(at, 4)[0], 1) * x),
        lambda net, x, at: net.cache.set_data(x + 0),
    ],
)
@pytest.mark.parametrize("returns", [lambda net, x: x, lambda net, x: (net.cache, net.cache * 2, net.cache[1])])
def test_a_cache(write: Any, returns: Any) -> None:
    def body(net: Any, x: Any, at: Any) -> Any:
        write(net, x, at)
        return returns(net, x)

    found = [(x, place(number)) for number, x in enumerate(inputs(13))]
    runs = []
    for mode in (EAGER, GRAPH):
        context.set_context(mode=mode)
        net = Net(body)
        results, then = [], []
        for given in found:
            results.append(net(*given))
            then.append(values(results[-1]))
        runs.append((then, values(net.cache)))
    same([values(item) for item in results], then)
    same(runs[1], runs[0])
    assert replays(net) > 0


def test_an_input_that_is_written_to() -> None:
    def run(mode: int) -> list[Any]:
        context.set_context(mode=mode)
        net, state = Net(lambda net, x, state: state.add_(x) * 1.0), Tensor(np.zeros((4, 6), np.float32))
        return [values((net(x, state), state)) for x in inputs()]

    same(run(GRAPH), run(EAGER))


# --- what changes between calls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda net: net.dense1.weight.set_data(Tensor(np.ones((6, 6), np.float32))),
        lambda net: ms.load_param_into_net(net, {"dense1.weight": Parameter(Tensor(np.ones((6, 6), np.float32)))}),
        lambda net: setattr(net.dense1, "weight", Parameter(Tensor(np.ones((6, 6), np.float32)), name="w")),
        lambda net: setattr(net.dense1.weight, "data", torch.ones(6, 6, device=net.cache.device)),
        lambda net: ops.assign(net.dense1.weight, net.dense1.weight * 2),
        lambda net: net.dense1.weight.__setitem__(0, 3.0),
        lambda net: setattr(net, "scale", 2.0),
        lambda net: setattr(net, "dense2", nn.Dense(6, 6, "ones", "ones")),
        lambda net: setattr(net, "body", lambda net, x: x * 3),
        lambda net: net.dense1.register_forward_hook(lambda cell, given, result: result * 2),
        lambda net: net.norm.set_train(),
        lambda net: net.norm.gamma.set_dtype(ms.float64),
        lambda net: net.to_float(ms.float16),
        lambda net: net.cache.asnumpy(),
    ],
)
@pytest.mark.parametrize("when", [1, 2, 3, 6])
def test_changes(change: Any, when: int) -> None:
    def between(number: int, net: Any) -> None:
        if number == when:
            change(net)

    runs = []
    for mode in (EAGER, GRAPH):
        context.set_context(mode=EAGER)
        net, found = Net(), []
        context.set_context(mode=mode)
        for number, x in enumerate(inputs(14)):
            between(number, net)
            found.append(values(net(x)))
        runs.append(found)
    same(runs[1], runs[0])


def test_training_in_between() -> None:
    def run(mode: int) -> list[Any]:
        context.set_context(mode=EAGER)
        ms.set_seed(2)
        net, found = Net(), []
        net.drop = nn.Dropout(p=0.0)
        context.set_context(mode=mode)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.01))
        for number, x in enumerate(inputs(40)):
            if number % 3 == 0:
                step.set_train()
                found.append(values(step(x, x * 0.5)))
                net.set_train(False)
            found.append(values(net(x)))
        assert mode == EAGER or (replays(net) > 8 and replays(step) > 0)
        return found

    same(run(GRAPH), run(EAGER))


def test_dropout_follows_the_mode() -> None:
    context.set_context(mode=GRAPH)
    net = Net()
    (x,) = inputs(1)
    quiet = values(net(x))
    for number in range(30):
        net.set_train(number % 4 == 1)
        equal = np.array_equal(values(net(x)), quiet)
        assert equal == (number % 4 != 1)
    assert replays(net) > 0


def count_in_self(net: Any, x: Any) -> Any:
    net.count += 1
    return x * net.count


def list_of_tensors(net: Any, x: Any) -> Any:
    net.seen.append(x * 2)
    return x


def test_python_state_of_a_cell_is_seen() -> None:
    compared(count_in_self, replayed=False)


def test_a_tensor_that_is_kept_is_kept_at_each_call() -> None:
    net = compared(list_of_tensors, replayed=False)
    assert len(net.seen) == 9


@pytest.mark.parametrize(
    "body",
    [
        lambda net, x: x * 2 if x.sum() > 0 else x - 1,
        lambda net, x: x * float(x.max()),
        lambda net, x: x + Tensor(x.asnumpy()),
        lambda net, x: x[x > 0],
        lambda net, x: ops.nonzero(x > 0),
        lambda net, x: x * random.random(),
    ],
)
def test_what_python_looks_at(body: Any) -> None:
    compared(body, replayed=False)


@pytest.mark.parametrize(
    "operator",
    [
        lambda function: ops.operations.PyFunc(function, [], [], [ms.float32], [(1,)]),
        lambda function: ops.Custom(function, (1,), ms.float32, "pyfunc"),
    ],
)
def test_a_python_function_without_inputs_runs_at_each_call(operator: Any) -> None:
    calls: list[None] = []

    def reset() -> np.ndarray:
        calls.append(None)
        return np.array([max(len(calls) - 5, 0)], np.float32)

    reset_op = operator(reset)

    def body(net: Any, x: Any) -> Any:
        state = reset_op()
        return x * 0 + (state[0] if isinstance(state, tuple) else state)

    ms.set_context(mode=ms.GRAPH_MODE)
    net, x = Net(body).set_train(False), inputs(1)[0]
    assert [float(net(x).max()) for _ in range(9)] == [0, 0, 0, 0, 0, 1, 2, 3, 4]


def test_random_numbers_differ_from_call_to_call() -> None:
    context.set_context(mode=GRAPH)
    net = Net(lambda net, x: (ops.randn(3) + ops.mean(x) * 0, ops.rand(2), ops.dropout(x, 0.5)))
    (x,) = inputs(1)
    found = [values(net(x)) for _ in range(9)]
    for part in range(3):
        assert len({item[part].tobytes() for item in found}) == 9


@pytest.mark.cpu_only("a GPU draws torch's numbers")
def test_random_numbers_are_those_without_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(word: str) -> list[Any]:
        monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", word)
        context.set_context(mode=GRAPH)
        ms.set_seed(5)
        draw = ops.StandardNormal(seed=3)
        net = Net(lambda net, x: (ops.randn(3), draw((2,)), draw((2,)), ops.rand(2) + ops.mean(x)))
        return [values(net(x)) for size in (4, 5, 4) for x in inputs(6, size, 6)]

    same(run("on"), run("off"))


def test_an_error_is_that_of_python_and_leaves_the_replay() -> None:
    def run(mode: int) -> list[Any]:
        context.set_context(mode=mode)
        net, found = Net(lambda net, x, index: ops.gather(x, index, 0)), []
        for number, x in enumerate(inputs(12)):
            index = Tensor([0, 9 if number in (0, 5, 9) else 2], ms.int32)
            try:
                found.append(values(net(x, index)))
            except (IndexError, ValueError, RuntimeError) as error:
                found.append((type(error).__name__, str(error).split("\n")[0]))
        assert mode == EAGER or replays(net) > 3
        return found

    same(run(GRAPH), run(EAGER))


def test_a_torch_module_inside_is_not_replayed() -> None:
    def body(net: Any, x: Any) -> Any:
        return net.inner(x)

    def between(number: int, net: Any) -> None:
        if number == 0:
            net.inner = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.Dropout(0.0)).to(net.cache.device)
            torch.nn.init.ones_(net.inner[0].weight)
            torch.nn.init.ones_(net.inner[0].bias)
        if number == 5:
            net.inner[0].weight = torch.nn.Parameter(torch.zeros(6, 6, device=net.cache.device))
        if number == 7:
            net.inner.register_forward_hook(lambda module, given, result: result * 2)

    compared(body, between=between, replayed=False)


def test_a_kept_forward_is_not_lost() -> None:
    def run(mode: int) -> list[Any]:
        context.set_context(mode=mode)
        net, found = Net(), []
        net.set_grad()
        grad_of = ops.GradOperation(get_all=True)(net)
        for x in inputs():
            found += [values(net(x)), values(grad_of(x))]
        return found

    same(run(GRAPH), run(EAGER))


def test_derivatives_inside_and_outside() -> None:
    def run(mode: int) -> list[Any]:
        context.set_context(mode=mode)
        inner = Net()
        net = Net(lambda net, x: ops.grad(inner)(x) + x)
        grad_of = ops.grad(net)
        return [values(item) for x in inputs() for item in (net(x), grad_of(x))]

    same(run(GRAPH), run(EAGER))


# --- arguments --------------------------------------------------------------------------------------------------------


def test_arguments_by_name_and_of_other_kinds() -> None:
    def body(net: Any, x: Any, y: Any = None, factor: Any = 1.0, pair: Any = ()) -> Any:
        x = x * factor if y is None else x + y
        return x + pair[0] if pair else x

    def run(mode: int) -> list[Any]:
        context.set_context(mode=mode)
        net, found = Net(body), []
        for number, x in enumerate(inputs(40)):
            for named in (
                {},
                {"y": x * 2},
                {"factor": 2.0},
                {"factor": 2},
                {"factor": number},
                {"pair": (x, number % 2)},
            ):
                found.append(values(net(x, **named)))
        assert mode == EAGER or replays(net) > 20
        return found

    same(run(GRAPH), run(EAGER))


def test_one_tensor_in_two_places() -> None:
    one, other = inputs(2)

    def body(net: Any, x: Any, y: Any, z: Any) -> Any:
        return y.add_(1.0) + z, x

    def run(mode: int) -> list[Any]:
        context.set_context(mode=mode)
        net = Net(body)
        return [values(net(one, *((one * 1.0,) * 2 if number % 2 else (one * 1.0, other)))) for number in range(16)]

    same(run(GRAPH), run(EAGER))


def test_model_predict_and_eval() -> None:
    def run(mode: int) -> list[Any]:
        context.set_context(mode=mode)
        net = Net()
        model = Model(net, nn.MSELoss(), metrics={"mse", "mae"})
        found: list[Any] = [values(model.predict(x)) for x in inputs()]
        data = [(x, x * 0.5) for x in inputs(8)]
        found += [model.eval(_Batches(data)) for _ in range(3)]
        if mode == GRAPH:
            assert replays(net) > 0 and replays(model._eval_network) > 0
        return found

    same(run(GRAPH), run(EAGER))


class _Batches:
    """What Model takes for a dataset: rows that are batches."""

    def __new__(cls, rows: list[Any]) -> Any:
        x, y = (np.concatenate([row[place].asnumpy() for row in rows]) for place in range(2))
        return dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4)


# --- when it is worth it ----------------------------------------------------------------------------------------------


def test_a_few_operators_are_not_replayed() -> None:
    context.set_context(mode=GRAPH)
    net = nn.ReLU()
    for x in inputs(20):
        net(x)
    assert replays(net) == 0 and computations_of(net).skip > 0


def test_pynative_mode_replays_nothing() -> None:
    context.set_context(mode=EAGER)
    net = Net()
    for x in inputs(20):
        net(x)
    assert not calls_of(net)


@pytest.mark.parametrize("word", ["off", "check"])
def test_switches(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", word)
    context.set_context(mode=GRAPH)

    def body(net: Any, x: Any) -> Any:
        ops.assign_add(net.cache, x)
        return net.cache * 2

    net = Net(body)
    found = [values(net(x)) for x in inputs()]
    assert (replays(net) > 0) == (word == "check")
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", "on")
    context.set_context(mode=EAGER)
    same(found, [values(item) for net in [Net(body)] for item in map(net, inputs())])


def test_check_finds_what_python_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", "check")
    context.set_context(mode=GRAPH)
    factor = [1.0]
    net = Net(lambda net, x: x * factor[0])
    for x in inputs(5):
        net(x)
    factor[0] = 2.0
    with pytest.raises(RuntimeError, match="differs by"):
        net(*inputs(1))


def test_another_thread_computes_eagerly() -> None:
    context.set_context(mode=GRAPH)
    net = Net()
    (x,) = inputs(1)
    expected = next(values(net(x)) for _ in range(6))
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.extend(values(net(x)) for _ in range(5))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        same(values(net(x)), expected)
    for thread in threads:
        thread.join()
    assert len(found) == 15
    same(found, [expected] * 15)


def test_a_cell_under_jit_is_replayed_in_pynative_mode() -> None:
    context.set_context(mode=EAGER)
    net, plain = Net(), Net()
    ms.jit(net)
    for x in inputs():
        same(values(net(x)), values(plain(x)))
    assert replays(net) > 0


def test_on_a_gpu_a_call_is_one_graph(caplog: pytest.LogCaptureFixture) -> None:
    """The cache is written where it is, and results are copies of the graph's own."""

    def body(net: Any, x: Any, at: Any) -> Any:
        net.cache[at] = x[:1]
        return x, net.cache * 2, net.cache

    given = [(x, place(number)) for number, x in enumerate(inputs(16))]
    with caplog.at_level(logging.INFO, logger="mindspore_compat"):
        net = compared(body, given)
    said = [record.getMessage() for record in caplog.records if "CUDA graph" in record.getMessage()]
    assert [("as one CUDA graph" in text) for text in said] == ([True] if net.cache.device.type == "cuda" else [])


# --- functions under jit ----------------------------------------------------------------------------------------------


class Decoder(Net):
    @ms.jit
    def decode(self, x: Any, at: Any) -> Any:
        self.cache[at] = x[:1]
        return self.dense2(ops.tanh(self.cache @ self.dense1.weight)) * 2 + ops.relu(x) - ops.sigmoid(x) * x


@pytest.mark.parametrize("mode", [EAGER, GRAPH])
def test_a_method_under_jit(mode: int) -> None:
    context.set_context(mode=mode)
    net, plain = Decoder(), Decoder()
    decode = Decoder.decode.__wrapped__
    for number, x in enumerate(inputs(12)):
        found = net.decode(x, place(number))
        same(values(found), values(decode(plain, x, place(number))))
        same(values(net.cache), values(plain.cache))
        if number == 7:
            net.dense2, plain.dense2 = (nn.Dense(6, 6, "ones", "ones") for _ in range(2))
    assert replays(net) > 4


def test_a_function_under_jit_that_calls_a_network() -> None:
    context.set_context(mode=EAGER)
    net = Net()

    @ms.jit
    def step(x: Any, factor: float) -> Any:
        return net(x) * factor + ops.softmax(x, -1)

    for number, x in enumerate(inputs(12)):
        found = step(x, 2.0)
        same(values(found), values(net(x) * 2.0 + ops.softmax(x, -1)))
        assert not found.requires_grad
        if number == 6:
            net.dense1.weight.set_data(net.dense1.weight * 2)
    assert replays(step.__wrapped__) > 3
    net.set_train()
    assert step(x, 2.0).requires_grad


def test_a_training_step_under_jit_is_no_evaluation() -> None:
    context.set_context(mode=EAGER)
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    grad_of = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)

    @ms.jit
    def step(x: Any) -> Any:
        loss, grads = grad_of(x)
        optimizer(grads)
        return loss

    losses = {float(step(inputs(1)[0])) for _ in range(8)}
    assert len(losses) == 8 and not calls_of(step.__wrapped__)


def test_a_function_under_jit_that_names_what_has_no_value_yet() -> None:
    context.set_context(mode=EAGER)
    if scales := False:
        scale = 2.0

    @ms.jit
    def double(x: Any) -> Any:
        return x * scale if scales else x + x

    same(values(double(ops.ones(2))), values(ops.ones(2) * 2))
