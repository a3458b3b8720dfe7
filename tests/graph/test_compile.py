"""Layers compiled by torch.compile: results, gradients and written Parameters as eagerly; training Cells, Model, steps;
what cannot be traced whole.

``COMPILE_ALL=1`` runs every case of the table of layers (two minutes); by default every second layer, in one number of
dimensions, every fourth activation and loss, and those that Dynamo does not trace whole.
"""

from __future__ import annotations

import copy
import os
import pickle
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, context, nn, ops
from mindspore_compat._graph.replay import compile as _compile
from mindspore_compat._graph.replay import inductor as _inductor
from tests.nn.cases import CASES, Case, output_weights, weights_for
from tests.support.versions import COMPILES

pytestmark = [
    pytest.mark.skipif(not COMPILES, reason="torch.compile of Tensors needs torch 2.13"),
    pytest.mark.filterwarnings("ignore"),
]
#: layers that Dynamo does not trace whole: cuDNN-like packed sequences, a loss whose shape depends on values, a torch
# operator with a wrong decomposition
BROKEN = ("GRU.lengths", "RNN.lengths", "loss.CTCLoss", "loss.MultilabelMarginLoss")
#: what Transformer and MSSSIM are made of, and what GRU and LSTM show as well
PARTS = (
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "MultiheadAttention",
    "SSIM",
    "RNN",
)


def chosen() -> list[Case]:
    if os.environ.get("COMPILE_ALL"):
        return CASES
    broken = [next(case for case in CASES if case.name.startswith(name)) for name in BROKEN if name != "RNN.lengths"]
    first: dict[str, Case] = {}
    for case in CASES:
        if not case.name.startswith(BROKEN) and case.name.split(".")[0] not in PARTS:
            is_grouped = case.name.startswith(("act", "loss"))
            name = ".".join(case.name.split(".")[: 1 + is_grouped])
            first.setdefault(re.sub("[123]d", "", name), case)
    groups = [[case for kind, case in first.items() if kind.startswith(group)] for group in ("act", "loss")]
    return (
        [case for case in first.values() if case not in groups[0] + groups[1]][::2]
        + groups[0][::4]
        + groups[1][::4]
        + broken
    )


def built(case: Case) -> Any:
    torch.manual_seed(0)
    cell = case.make(nn, Tensor)
    for parameter in cell.get_parameters():
        if parameter.dtype.is_floating_point:
            parameter.set_data(Tensor(weights_for(parameter.name, parameter.shape)).astype(parameter.dtype))
    return cell.set_train(case.train)


def flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, (tuple, list)) else [value]


def outcome(case: Case, cell: Any, call: Any) -> tuple[list[str], list[Any]]:
    """(types of the outputs, outputs with gradients and Parameters)."""
    torch.manual_seed(1)
    np.random.seed(1)
    inputs = [Tensor(item) if isinstance(item, np.ndarray) else item for item in case.inputs]
    variables = [item for item in inputs if isinstance(item, Tensor) and item.dtype.is_floating_point and case.grad]
    for item in variables:
        item.requires_grad_(True)
    outputs = flat(call(*inputs))
    differentiable = [item for item in outputs if isinstance(item, torch.Tensor) and item.requires_grad]
    if case.grad and differentiable:
        sum((item * Tensor(output_weights(item.shape))).sum() for item in differentiable).backward()
    found = [
        *outputs,
        *(item.grad for item in variables),
        *(item.grad for item in cell.get_parameters()),
        *cell.get_parameters(),
    ]
    return [type(item).__name__ for item in outputs], [
        item.detach().numpy() if isinstance(item, torch.Tensor) else item for item in found
    ]


def check_same(case: Case, backend: str, fullgraph: bool) -> None:
    torch._dynamo.reset()
    cell, other = built(case), built(case).set_grad()  # in evaluation mode torch records it only so
    try:
        kinds, expected = outcome(case, other, other)
    except (TypeError, ValueError, RuntimeError, NotImplementedError):
        pytest.skip("needs other inputs than this test gives")
    found_kinds, found = outcome(case, cell, torch.compile(cell, backend=backend, fullgraph=fullgraph))
    assert found_kinds == kinds
    for a, b in zip(expected, found, strict=True):
        if a is None or b is None or not isinstance(a, np.ndarray):
            assert (a is None) == (b is None)
        else:
            np.testing.assert_allclose(b, a, 1e-5, 1e-5)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in chosen()])
def test_layers(case: Case) -> None:
    if not case.name.startswith(BROKEN):
        return check_same(case, "aot_eager", fullgraph=True)
    check_same(case, "aot_eager", fullgraph=False)  # in pieces, with the same results
    cell = built(case)
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(cell, backend="eager", fullgraph=True)(
            *[Tensor(item) if isinstance(item, np.ndarray) else item for item in case.inputs]
        )


@pytest.mark.parametrize("name", ["Conv2d.pad", "LayerNorm"])
def test_layers_by_inductor(name: str) -> None:
    check_same(next(case for case in CASES if case.name.startswith(name)), "inductor", fullgraph=True)


class Net(nn.Cell):
    """Methods and operators with MindSpore's meaning."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.norm, self.out = nn.Dense(4, 8), nn.BatchNorm1d(8), nn.Dense(8, 3)
        self.w = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")

    def construct(self, x: Any) -> Any:
        h = ops.relu(self.norm(self.fc(x)))
        kept = h
        h += 1
        y = self.out(h - kept + kept * ~(kept > 5)) * self.w + (-self.w)
        return y.expand_dims(0).transpose(0, 2, 1).max(axis=0).astype(ms.float32).T


def net() -> Any:
    made = Net().set_train()
    for parameter in made.get_parameters():
        parameter.set_data(Tensor(weights_for(parameter.name, parameter.shape)))
    return made


LOSS = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
_random = np.random.RandomState(0)
BATCHES = [
    (Tensor(_random.randn(6, 4).astype(np.float32)), Tensor(_random.randint(0, 3, 6).astype(np.int32)))
    for _ in range(6)
]


@pytest.fixture
def graph_mode() -> Iterator[None]:
    context.set_context(mode=context.GRAPH_MODE)
    yield
    context.set_context(mode=context.PYNATIVE_MODE)
    context._values.pop("jit_config", None)


def trained(compiled: str = "", optimizer: Any = nn.Momentum) -> list[float]:
    torch._dynamo.reset()
    made = net()
    step_optimizer = (
        optimizer(made.trainable_params(), 0.05, 0.9)
        if optimizer is nn.Momentum
        else optimizer(made.trainable_params(), 0.01)
    )
    body = torch.compile(made, backend="aot_eager", fullgraph=True) if compiled == "network" else made
    if compiled == "method":
        made.compile(backend="aot_eager", fullgraph=True)
    with_loss = nn.WithLossCell(body, LOSS)
    if compiled == "loss":
        with_loss = torch.compile(with_loss, backend="aot_eager", fullgraph=True)
    step = nn.TrainOneStepCell(with_loss, step_optimizer).set_train()
    if compiled == "step":
        step = torch.compile(step, backend="aot_eager")
    losses = [step(*batch) for batch in BATCHES]
    assert all(type(loss) is Tensor for loss in losses)
    return [float(loss) for loss in losses] + [float(parameter.sum()) for parameter in made.get_parameters()]


@pytest.mark.parametrize(
    ("compiled", "mode", "optimizer"),
    [
        ("network", context.PYNATIVE_MODE, nn.Adam),
        ("loss", context.GRAPH_MODE, nn.Momentum),
        ("step", context.PYNATIVE_MODE, nn.Momentum),
        ("step", context.GRAPH_MODE, nn.Adam),
        ("method", context.GRAPH_MODE, nn.Adam),
    ],
)
def test_training_cells(compiled: str, mode: int, optimizer: Any, graph_mode: None) -> None:
    context.set_context(mode=context.PYNATIVE_MODE)
    expected = trained(optimizer=optimizer)
    context.set_context(mode=mode)
    assert trained(compiled, optimizer) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_model() -> None:
    def losses(compiled: bool) -> list[float]:
        torch._dynamo.reset()
        made, seen = net(), []
        model = ms.Model(
            torch.compile(made, backend="aot_eager") if compiled else made,
            LOSS,
            nn.Momentum(made.trainable_params(), 0.05, 0.9),
        )
        model.train(
            2,
            list(BATCHES),
            callbacks=ms.LambdaCallback(on_train_step_end=lambda c: seen.append(float(c.original_args().net_outputs))),
        )
        return [*seen, float(model.predict(BATCHES[0][0]).sum())]

    assert losses(True) == pytest.approx(losses(False), rel=1e-5)
    with pytest.raises(ValueError, match="cast before compiling"):
        ms.Model(torch.compile(net()), LOSS, nn.Momentum(net().trainable_params(), 0.05, 0.9), amp_level="O2")


@pytest.mark.parametrize(
    "decorate",
    [lambda step: torch.compile(step, backend="aot_eager"), ms.jit(jit_level="O1"), ms.jit(backend="aot_eager")],
    ids=["torch.compile", "jit O1", "jit backend"],
)
def test_functional_steps(decorate: Any) -> None:
    def losses(wrap: Any) -> list[float]:
        torch._dynamo.reset()
        made = net()
        optimizer = nn.Momentum(made.trainable_params(), 0.05, 0.9)
        gradients = ms.value_and_grad(lambda x, y: LOSS(made(x), y), None, optimizer.parameters)

        def step(x: Any, y: Any) -> Any:
            loss, found = gradients(x, y)
            optimizer(found)
            return loss

        run = wrap(step)
        return [float(run(*batch)) for batch in BATCHES]

    assert losses(decorate) == pytest.approx(losses(lambda step: step), rel=1e-5)


def test_modes_and_attributes_are_seen() -> None:
    made = net()
    compiled = torch.compile(made, backend="aot_eager", fullgraph=True)
    for training in (False, True, False):
        made.set_train(training)
        other = copy.deepcopy(made)
        assert np.allclose(compiled(BATCHES[0][0]).asnumpy(), other(BATCHES[0][0]).asnumpy(), atol=1e-6)


def test_a_cell_compiles_itself() -> None:
    from torch._dynamo.testing import CompileCounter

    counter, made = CompileCounter(), net()
    made.compile(backend=counter, fullgraph=True)
    first = made(BATCHES[0][0])
    made(BATCHES[1][0])
    assert counter.frame_count == 1 and type(first) is Tensor
    assert type(copy.deepcopy(made)(BATCHES[0][0])) is Tensor and counter.frame_count == 1  # a copy runs eagerly
    again = pickle.loads(pickle.dumps(made))
    assert type(again(BATCHES[0][0])) is Tensor
    made.compile(BATCHES[0][0])  # upstream's


# --- jit_level --------------------------------------------------------------------------------------------------------


def test_the_level_has_inductor_compile_what_is_replayed(graph_mode: None, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(_compile, "Fused", lambda *parts: made.append(_inductor.Fused(*parts)) or made[-1])
    monkeypatch.setattr(_compile, "_MAX_COMPILED_ON_CPU", 300)
    context.set_context(mode=context.PYNATIVE_MODE)
    expected = trained()
    context.set_context(mode=context.GRAPH_MODE, jit_level="O0")
    assert trained() == pytest.approx(expected, rel=1e-5, abs=1e-5) and not made
    context.set_context(jit_level="O1")
    assert trained() == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert made and all(fused.run not in (fused.plain, fused._first) for fused in made)


def test_a_long_step_is_not_compiled_on_a_cpu(graph_mode: None, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(_compile, "Fused", lambda *parts: made.append(_inductor.Fused(*parts)) or made[-1])
    monkeypatch.setattr(_compile, "_MAX_COMPILED_ON_CPU", 3)
    context.set_context(jit_level="O0")
    expected = trained()
    context.set_context(jit_level="O1")
    assert trained() == expected and not made


def test_a_resnet_is_not_compiled_on_a_cpu(graph_mode: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_compile, "Fused", None)  # a compilation would call it; libraries ask for O2 everywhere
    blocks = [layer for _ in range(16) for layer in (nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU())]
    network = nn.SequentialCell(nn.Conv2d(3, 4, 3), *blocks)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), nn.SGD(network.trainable_params(), 0.01))
    context.set_context(jit_level="O2")
    losses = [float(step(ops.ones((2, 3, 8, 8)), ops.zeros((2, 4, 8, 8)))) for _ in range(5)]
    assert losses == sorted(losses, reverse=True)


def test_where_the_compiler_fails_the_log_says_why(
    graph_mode: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no compiler here")

    context.set_context(mode=context.PYNATIVE_MODE)
    expected = trained()
    context.set_context(mode=context.GRAPH_MODE, jit_level="O2")
    monkeypatch.setattr(torch, "compile", fails)
    monkeypatch.setattr(_compile, "_MAX_COMPILED_ON_CPU", 300)
    assert trained() == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert "no compiler here" in caplog.text


def test_a_function_under_jit_runs_eagerly_where_its_backend_fails(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from torch._dynamo.backends import registry

    def fails(*args: Any) -> Any:
        raise RuntimeError("no backend here")

    monkeypatch.setitem(registry._COMPILER_FNS, "eager", fails)
    seen: list[int] = []

    @ms.jit(backend="eager")
    def function(x: Any) -> Any:
        seen.append(1)
        return x * 2 + 1

    assert function(Tensor([1.0])).asnumpy().tolist() == [3.0] and len(seen) == 1
    assert "no backend here" in caplog.text


def test_the_level_of_a_cell(graph_mode: None) -> None:
    from mindspore_compat._graph.replay import replay as _replay

    step = nn.TrainOneStepCell(nn.WithLossCell(net(), LOSS), nn.Momentum(net().trainable_params(), 0.1, 0.9))
    assert _replay._level_of(step) == ""
    step.set_jit_config(ms.JitConfig(jit_level="O1"))
    assert _replay._level_of(step) == "O1"
