"""Whoever doubts a replay: what it gives is its own, what goes wrong is raised, recordings cost little, and it can be
seen, switched off and checked.
"""

from __future__ import annotations

import logging
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import Parameter, Tensor, context, jit, nn, ops
from mindspore_compat._graph.replay import compile as _compile
from mindspore_compat._graph.replay import replay as _replay
from mindspore_compat._graph.replay.tape import Node, Ref
from tests.graph.replaying import EAGER, GRAPH, batches, calls_of, compared, replays, trained

X = Tensor(np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 4))
Y = Tensor(np.ones((5, 3), np.float32))


def graph_calls(function: Callable[..., Any], *args: Any, calls: int = 7) -> list[Any]:
    """(value, gradient) of some calls in GRAPH_MODE, the later ones replayed."""
    context.set_context(mode=GRAPH)
    grad_of = ops.value_and_grad(function, 0)
    found = [grad_of(*args) for _ in range(calls)]
    assert replays(function) == calls - 3
    return found


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tensor([1.0, 2.0]),
        lambda: Tensor(np.float32([1, 2])),
        lambda: ops.zeros((2,)),
        lambda: Tensor([[1.0, 2.0]])[0],
        lambda: Tensor([1.0, 2.0]).reshape(1, 2),
        lambda: ops.stop_gradient(Tensor([1.0, 2.0])),
        lambda: (Tensor([1.0, 2.0]) + 0).view(2, 1),
        lambda: Tensor([1.0, 2.0, 3.0])[1:],
    ],
)
def test_a_tensor_made_and_returned_is_a_new_one_at_each_call(make: Any) -> None:
    def function(x: Any) -> Any:
        made = make()
        return (x * 2).sum(), made

    found = [made for (_, made), _ in graph_calls(function, Tensor([1.0]))]
    before = [made.asnumpy().copy() for made in found]
    for number, made in enumerate(found):
        torch.Tensor.fill_(made, 100.0 + number)
    assert [float(made.flatten()[0]) for made in found] == [100.0 + number for number in range(len(found))]
    assert all((one == before[0]).all() for one in before)


def test_a_tensor_from_outside_that_is_returned_is_that_tensor_and_a_parameter_a_copy() -> None:
    """As MindSpore's graph mode."""
    table, weight = Tensor([1.0, 2.0]), Parameter(Tensor([3.0]), name="w")

    def function(x: Any) -> Any:
        return (x * weight).sum(), table, weight

    for (_, ours, parameter), _ in graph_calls(function, Tensor([1.0])):
        assert ours is table and parameter.asnumpy() == 3.0
        ops.assign_add(parameter, Tensor([1.0])) if isinstance(parameter, Parameter) else parameter.add_(1.0)
    assert weight.asnumpy() == 3.0


@pytest.mark.parametrize(
    "bad",
    [
        lambda x, index: ops.gather(x, index, 0),
        lambda x, index: x[index],
        lambda x, index: ops.gather_elements(x, 0, index),
        lambda x, index: ops.cross_entropy(x.reshape(1, -1), index[:1]),
        lambda x, index: Tensor([6, 6]) // (index - 9),
    ],
)
def test_an_error_of_a_value_that_nobody_uses_is_raised(bad: Any) -> None:
    def function(x: Any, index: Any) -> Any:
        bad(x, index)
        return (x * x).sum()

    good, wrong = Tensor([0, 1], torch.int64), Tensor([9, 9], torch.int64)
    x = Tensor([1.0, 2.0, 3.0])
    for mode in (EAGER, GRAPH):
        context.set_context(mode=mode)
        grad_of = ops.grad(function)
        for _ in range(6):
            grad_of(x, good)
        try:
            bad(x, wrong)
        except (IndexError, ValueError, RuntimeError, ZeroDivisionError):  # a replay raises torch's
            with pytest.raises((IndexError, ValueError, RuntimeError, ZeroDivisionError)):
                grad_of(x, wrong)
        else:
            grad_of(x, wrong)


def test_the_default_dtype() -> None:
    def function(x: Any) -> Any:
        return (x * torch.ones(3, device=x.device)).sum()

    def dtypes(mode: int) -> list[Any]:
        context.set_context(mode=mode)
        grad_of, found = ops.value_and_grad(function), []
        try:
            for step in range(12):
                torch.set_default_dtype(torch.float64 if 5 <= step < 9 else torch.float32)
                found.append(grad_of(Tensor(np.float32([1, 2, 3])))[0].dtype)
        finally:
            torch.set_default_dtype(torch.float32)
        return found

    assert dtypes(GRAPH) == dtypes(EAGER)


@pytest.mark.parametrize(
    "change",
    [
        lambda net: net.add_module("dense2", nn.Dense(8, 3, weight_init="ones", bias_init="zeros")),
        lambda net: net.register_buffer("shift", Tensor([2.0])),
        lambda net: net.register_parameter("factor", Parameter(Tensor([3.0]), name="factor")),
        lambda net: setattr(net.norm, "use_batch_statistics", False),
        lambda net: net.dense1.register_forward_hook(lambda *_: _[2] * 2),
        lambda net: net._cells.update(dense1=nn.Dense(6, 8, weight_init="ones", bias_init="zeros")),
        lambda net: net.norm.set_train(False),
        lambda net: delattr(net, "bias2"),
    ],
)
def test_changes_by_torchs_names_are_seen(change: Any) -> None:
    def body(net: Any, x: Any) -> Any:
        return (
            x * net.factor + (net.shift if "shift" in net._buffers else 0) + (net.bias2 if hasattr(net, "bias2") else 0)
        )

    def between(step: int, net: Any, cell: Any) -> None:
        if step == 0:
            net.factor, net.bias2 = Parameter(Tensor([1.0]), name="factor"), Parameter(Tensor([1.0]), name="bias2")
        if step == 8:
            change(net)

    compared(body=body, between=between)


def _step(network: nn.Cell) -> nn.TrainOneStepCell:
    context.set_context(mode=GRAPH)
    optimizer = nn.SGD(network.trainable_params(), 0.0)
    return nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer).set_train()


@pytest.mark.parametrize("kind", ["training Cell", "value_and_grad", "jit"])
def test_a_torch_module_that_is_replaced_or_changed_takes_effect_at_the_next_call(kind: str) -> None:
    inner = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), *(torch.nn.LeakyReLU(0.1) for _ in range(8)))
    network, mse = nn.SequentialCell(inner, nn.Dense(4, 3)), nn.MSELoss()
    step: Any = _step(network)
    if kind == "value_and_grad":
        grad_of = ops.value_and_grad(lambda x: mse(network(x), Y), None, network.trainable_params())
        step = lambda x, y: grad_of(x)[0]
    elif kind == "jit":
        step = jit(lambda x, y: mse(network(x), y))
    for change in (
        lambda: None,
        lambda: inner.__setitem__(1, torch.nn.Tanh()),
        lambda: setattr(inner[2], "negative_slope", 0.7),
    ):
        change()
        expected = float(mse(network(X), Y))
        assert [float(step(X, Y)) for _ in range(5)] == pytest.approx([expected] * 5)


def test_cells_made_between_steps_leave_it_replayed() -> None:
    step = _step(nn.SequentialCell(*(nn.Dense(4, 4) for _ in range(5)), nn.Dense(4, 3)))
    for _ in range(8):
        step(X, Y)
        nn.SequentialCell(nn.Dense(3, 3), nn.BatchNorm1d(3))
    assert [calls.replayed > 3 for calls in calls_of(step)] == [True]


# --- what it costs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("what", ["attribute", "rate", "mode", "layer", "shape"])
def test_recordings_are_paid_for(every: int, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock on which a network takes a second and a recording seven more: beyond the first tapes, at most 1.2
    times the eager time.
    """
    data, clock, record = batches(120), [0.0], _replay.record

    def slow_record(*args: Any, **kwargs: Any) -> Any:
        clock[0] += 7
        return record(*args, **kwargs)

    def body(net: Any, x: Any) -> Any:
        clock[0] += 1
        return x

    def between(step: int, net: Any, cell: Any) -> None:
        if step % every:
            return
        if what == "attribute":
            net.scale = 1.0 + step
        elif what == "rate":
            cell.optimizer.learning_rate.set_data(Tensor(0.1 / (1 + step)))
        elif what == "mode":
            cell.set_train(step // every % 2 == 0)
        elif what == "layer":
            net.dropout = nn.Dropout(p=0.25)
        else:
            data[step] = tuple(item[: 2 + step // every % 3] for item in data[step])

    monkeypatch.setattr(_replay, "_clock", lambda: clock[0])
    monkeypatch.setattr(_replay, "record", slow_record)
    trained(GRAPH, body=body, between=between, data=data)
    tapes = 2 if what == "rate" else 1  # another one when the rate is found to move
    assert clock[0] <= 1.2 * len(data) + 2 * 7 * tapes


@pytest.mark.usefixtures("free_recordings")
def test_a_rate_that_changes_at_each_step_is_replayed() -> None:
    """The optimizer is called at each replay then, and reads its rate itself."""

    def between(step: int, net: Any, cell: Any) -> None:
        if step > 4:
            cell.optimizer.learning_rate.set_data(Tensor(0.1 / (1 + step)))

    cell = compared(between=between, data=batches(40))
    assert replays(cell) > 30


# --- what it says, and how it is switched -----------------------------------------------------------------------------


def texts(caplog: pytest.LogCaptureFixture, **options: Any) -> list[str]:
    with caplog.at_level(logging.INFO, logger="mindspore_compat"):
        trained(GRAPH, **options)
    return [record.getMessage() for record in caplog.records if record.name == "mindspore_compat"]


def test_it_is_said_once_that_a_step_is_replayed(caplog: pytest.LogCaptureFixture) -> None:
    found = [text for text in texts(caplog) if "CUDA graph" not in text]
    assert len(found) == 1 and "TrainOneStepCell is replayed from now on" in found[0]


def test_it_is_said_once_why_a_step_is_not_replayed(caplog: pytest.LogCaptureFixture) -> None:
    found = texts(caplog, body=lambda net, x: x * float(x.sum()))
    assert found and all("runs eagerly" in text and "reads" in text for text in found) and len(found) == len(set(found))


@pytest.mark.parametrize(
    "name, value", [("MS_JIT", "0"), ("MINDSPORE_COMPAT_REPLAY", "off"), ("MINDSPORE_COMPAT_REPLAY", "0")]
)
def test_the_environment_turns_replays_off(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(name, value)
    expected = trained(EAGER)[0]
    with caplog.at_level(logging.INFO, logger="mindspore_compat"):
        losses, _, cell = trained(GRAPH)
    assert losses == expected and not calls_of(cell) and "the environment says so" in caplog.text


@pytest.mark.parametrize("value", ["of", "check:x", "check:0", "check:-1", ""])
def test_a_wrong_word_in_the_environment(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", value)
    with pytest.raises(ValueError, match=f"MINDSPORE_COMPAT_REPLAY must be .* but got '{value}'"):
        trained(GRAPH)


@pytest.mark.parametrize("options", [{"jit_config": {"jit_level": "O0"}}, {"jit_level": "O0"}])
def test_the_level_o0_is_a_replay(options: Any) -> None:
    try:
        context.set_context(**options)
        assert context.get_context("jit_config") == {"jit_level": "O0"} and context.get_context("jit_level") == "O0"
        assert replays(trained(GRAPH)[2])
    finally:
        context._values.pop("jit_config", None)


@pytest.mark.parametrize("options", [{"jit_config": {"jit_level": "O5"}}, {"jit_config": {"level": "O0"}}])
def test_wrong_levels(options: Any) -> None:
    with pytest.raises(ValueError):
        context.set_context(**options)


# --- the check mode ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", ["check", "check:3"])
@pytest.mark.parametrize(
    "optimizer", [None, lambda p: nn.Adam(p, 0.01), lambda p: nn.Momentum(p, [0.1, 0.05, 0.01], 0.9)]
)
def test_checked_steps_give_what_they_give(every: str, optimizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", every)
    assert replays(compared(optimizer=optimizer)) == len(batches()) - 3


def _spoil(cell: Any, change: Callable[[Any, Any], Any]) -> None:
    plan = calls_of(cell)[0].plan
    run = plan.run
    plan.run = lambda tensors: change(cell, run(tensors))


def _shift_weights(cell: Any, result: Any) -> Any:
    cell.network.backbone_network.dense1.weight[:] += 0.01
    return result


@pytest.mark.parametrize(
    "change, what", [(lambda cell, result: result * 1.01, "a result"), (_shift_weights, "a tensor that it writes to")]
)
def test_a_difference_is_raised(change: Any, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", "check")
    _, _, cell = trained(GRAPH)
    _spoil(cell, change)
    with pytest.raises(
        RuntimeError, match=f"TrainOneStepCell: {what} of shape .* differs by .* between Python and the replayed step"
    ):
        cell(*batches()[0])


def test_a_long_tape_frees_each_tensor_at_its_last_use() -> None:
    count = 30_000  # looking through all names at each node took minutes
    nodes = [Node(None, None, (Ref(f"t{max(i - 2, 0)}"),), {}, [f"t{i}"], False, ()) for i in range(1, count)]
    last, keep = _compile._last_uses(nodes), {"t0", f"t{count - 1}"}
    freed = [line for i, node in enumerate(nodes) for line in _compile._freed(node, i, last, keep)]
    assert freed[0] == "        del t1" and freed[-1] == f"        del t{count - 3}"
    assert len(freed) == count - 3


LONG = """
import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._autograd import recorded
from mindspore_compat._graph.replay import tape

recorded.MAX_NODES = tape.MAX_NODES = 1000
ms.set_context(mode=ms.GRAPH_MODE)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(Tensor([[0.9]]), name="w")

    def construct(self, x):
        h = x
        for _ in range(3000):
            h = ops.tanh(ops.matmul(h, self.w) + x)
        return h.sum()

net = Net()
step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
print([round(float(step(Tensor([[0.1]]))), 4) for _ in range(4)])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no ulimit")
def test_a_long_recurrence_fits_on_the_stack() -> None:
    """torch frees visited nodes of a graph recursively."""
    command = f"ulimit -s 1024; exec {shlex.quote(sys.executable)} -c {shlex.quote(LONG)}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "[0.5016, 0.3754, 0.2295, 0.1524]"  # torch's
