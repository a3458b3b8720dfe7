"""GRAPH_MODE gives what running eagerly gives, step for step, whatever a network does; and it replays where nothing
speaks against it.
"""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import Parameter, Tensor, context, jit, nn, ops, set_seed
from mindspore_compat._runtime.device import current_device
from mindspore_compat.common import dtype
from tests.graph.replaying import EAGER, GRAPH, Counting, Step, StepOfItsOwn, batches, calls_of, compared, replays
from tests.nn.cases import CASES, Case
from tests.nn.test_against_golden import REFUSED, built, leaves, to_tensor

pytestmark = pytest.mark.usefixtures("free_recordings")
CALLS = 5


def varied(value: Any, step: int) -> Any:
    """Another input of the same kind: floats a little different, everything else as it is."""
    if isinstance(value, tuple):
        return tuple(varied(item, step) for item in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.asarray(value * (1 - 0.01 * step), value.dtype)
    return value


def trace(case: Case, mode: int) -> tuple[list[Any], Any]:
    """Outputs, gradients and parameters of some calls, and the Cell."""
    net = built(case)
    floats = [
        position for position, item in enumerate(case.inputs) if isinstance(item, np.ndarray) and item.dtype.kind == "f"
    ]
    weights = [
        parameter for parameter in net.get_parameters() if parameter.requires_grad and parameter.dtype.is_floating_point
    ]

    if not floats and not weights:
        pytest.skip("nothing to differentiate by")
    step_of = ops.value_and_grad(net, tuple(floats) or None, weights or None)
    found = []
    context.set_context(mode=mode)
    for step in range(CALLS):
        torch.manual_seed(step)
        found.append(step_of(*[to_tensor(varied(item, step)) for item in case.inputs]))
        found.append([parameter.asnumpy().copy() for parameter in net.get_parameters()])
    return found, net


REPLAYED: list[str] = []
RUN: list[str] = []


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES if case.name not in REFUSED])
def test_layers_give_what_they_give_eagerly(case: Case) -> None:
    try:
        expected, net = trace(case, EAGER)
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as error:
        pytest.skip(f"not differentiable: {error}")
    assert not calls_of(net)
    actual, net = trace(case, GRAPH)
    for number, (ours, eager) in enumerate(zip(leaves(actual), leaves(expected), strict=True)):
        ours, eager = (item.detach().numpy() if isinstance(item, torch.Tensor) else item for item in (ours, eager))
        np.testing.assert_allclose(ours, eager, 1e-5, 1e-6, err_msg=f"result {number}")
    assert replays(net) or calls_of(net)[0].stopped
    (REPLAYED if replays(net) else RUN).append(case.name)


def test_most_layers_are_replayed() -> None:
    """Only those that let Python look at values, or whose operators' outputs depend on values, run eagerly."""
    assert len(REPLAYED) > 10 * len(RUN), RUN


def test_a_step_is_replayed_whole() -> None:
    cell = compared()
    assert replays(cell) == len(batches()) - 3 and not replays(cell.network)


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda p: nn.SGD(p, 0.1, momentum=0.9),
        lambda p: nn.Adam(p, 0.01),
        lambda p: nn.Momentum(p, [0.1, 0.05, 0.01], 0.9),
        lambda p: nn.Momentum(p, nn.CosineDecayLR(0.01, 0.1, 8), 0.9),
        lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1),
        lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.01, loss_scale=2.0),
        lambda p: nn.Lamb(p, 0.01),
        lambda p: nn.RMSProp(p, 0.01),
        lambda p: nn.Momentum([{"params": p[:2], "lr": 0.2}, {"params": p[2:]}], 0.1, 0.9, use_nesterov=True),
    ],
)
def test_optimizers(optimizer: Any) -> None:
    assert replays(compared(optimizer=optimizer)) == len(batches()) - 3


def test_loss_scale_cells() -> None:
    for scale in (2.0**10, 2.0**127):  # the second overflows at first
        cell = compared(
            wrap=lambda net, optimizer, scale=scale: nn.TrainOneStepWithLossScaleCell(
                net, optimizer, nn.DynamicLossScaleUpdateCell(scale, 2, 3)
            )
        )
        assert replays(cell) == len(batches()) - 3


@pytest.mark.parametrize("wrap", [Step, StepOfItsOwn, nn.TrainOneStepCell])
@pytest.mark.parametrize(
    "optimizer",
    [
        lambda p: nn.Momentum(p, 0.1, 0.9),
        lambda p: nn.Adam(p, 0.01),
        Counting,
        lambda p: nn.LARS(nn.SGD(p, 0.1)),
        lambda p: nn.SGD(p, nn.PolynomialDecayLR(0.1, 0.01, 8, 0.5)),
    ],
    ids=["Momentum", "Adam", "own", "LARS", "SGD"],
)
def test_training_cells_of_the_user(wrap: Any, optimizer: Any) -> None:
    assert replays(compared(wrap=wrap, optimizer=optimizer)) == len(batches()) - 3


class Averaging(nn.TrainOneStepCell):
    """A step that assigns to Parameters by attribute, in each way, and to an attribute the value that it has."""

    def __init__(self, network: Any, optimizer: Any) -> None:
        super().__init__(network, optimizer, 1.0)
        self.count, self.even = Parameter(Tensor(0, dtype.int32)), Parameter(Tensor(0.0))
        self.last, self.stage = Parameter(Tensor(1.0)), "train"
        self.averages = self.weights.clone("ema", init="same")

    def construct(self, *inputs: Any) -> Any:
        self.stage = "train"
        loss = super().construct(*inputs)
        self.count += 1
        self.even = 2.0 * self.count.astype(dtype.float32)
        self.last = self.last + loss
        keep = 0.9 * (1 - ops.exp(-self.even))
        for average, weight in zip(self.averages, self.weights):
            ops.assign(average, average * keep + weight * (1 - keep))
        return loss


def test_a_step_that_assigns_to_its_parameters_is_replayed() -> None:
    cell = compared(wrap=Averaging)
    assert replays(cell) == len(batches()) - 3
    assert (int(cell.count), float(cell.even)) == (len(batches()), 2.0 * len(batches()))


def test_an_optimizer_that_changes_its_attributes() -> None:
    class Drifting(Counting):
        def construct(self, gradients: Any) -> Any:
            self.rates = [self.rates[0] * 0.9] * 3
            return super().construct(gradients)

    compared(optimizer=Drifting, wrap=Step)


def test_an_optimizer_called_on_some_steps_only() -> None:
    class Every(StepOfItsOwn):
        def construct(self, x: Any, y: Any) -> Any:
            loss = self.network(x, y)
            grads = self.grad(self.network, self.weights)(x, y)
            if float(loss) > 1.0:
                self.optimizer(grads)
            return loss, grads[0]

    assert not replays(compared(wrap=Every))


def test_functions_with_closures() -> None:
    def run(mode: int) -> tuple[list[float], int]:
        net, loss_of = nn.Dense(6, 3, weight_init="ones", bias_init="zeros"), nn.CrossEntropyLoss()

        def forward(x: Any, y: Any) -> Any:
            logits = net(x)
            return loss_of(logits, y), logits

        grad_of, optimizer = (
            ops.value_and_grad(forward, None, net.trainable_params(), has_aux=True),
            nn.SGD(net.trainable_params(), 0.1),
        )
        losses = []
        context.set_context(mode=mode)
        for x, y in batches():
            (loss, logits), grads = grad_of(x, y)
            assert isinstance(loss, Tensor) and isinstance(logits, Tensor) and isinstance(grads[0], Tensor)
            optimizer(grads)
            losses.append(float(loss))
        return losses, replays(forward)

    expected, _ = run(EAGER)
    assert run(GRAPH) == (expected, len(batches()) - 3)


def test_a_function_under_jit_is_replayed() -> None:
    def run(decorate: Any) -> tuple[list[float], int]:
        net, loss_of = nn.Dense(6, 3, weight_init="ones", bias_init="zeros"), nn.CrossEntropyLoss()
        optimizer = nn.SGD(net.trainable_params(), 0.1)

        def forward(x: Any, y: Any) -> Any:
            return (lambda loss: loss * 2.0)(loss_of(net(x), y))

        grad_of = ops.value_and_grad(forward, None, net.trainable_params())

        @decorate
        def step(x: Any, y: Any) -> Any:
            loss, grads = grad_of(x, y)
            optimizer(grads)
            return loss

        return [float(step(*batch)) for batch in batches()], replays(forward)

    expected, none = run(lambda function: function)
    losses, count = run(jit)
    assert losses == expected and none == 0 and count == len(batches()) - 3
    assert run(jit(jit_level="O1"))[0] == pytest.approx(expected, rel=1e-5) and not context.is_graph_mode()


class Curved(nn.Cell):
    """The second derivative of a float16 network, beside the network itself."""

    def __init__(self, recomputes: bool) -> None:
        super().__init__()
        layers = [nn.Dense(6, 6, weight_init="xavier_uniform", activation="tanh") for _ in range(3)]
        self.net = nn.SequentialCell(layers).to_float(torch.float16)
        if recomputes:
            self.net.recompute()
        self.slope = ops.grad(self.net)

    def construct(self, x: Any, y: Any) -> Any:
        curve = ops.grad(self.slope)(x)
        return ops.mean(ops.square(self.net(x) - curve)) + ops.mean(ops.square(self.slope(x)))


@pytest.mark.parametrize("recomputes", [False, True])
def test_equal_operators_run_once(monkeypatch: Any, recomputes: bool) -> None:
    """With the same numbers, and not where recomputation is to hold less memory."""

    def run(replay: str) -> tuple[list[np.ndarray], collections.Counter[str]]:
        monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", replay)
        set_seed(1)
        loss = Curved(recomputes)
        step = nn.TrainOneStepCell(loss, nn.Adam(loss.trainable_params(), 0.01)).set_train()
        context.set_context(mode=GRAPH)
        for x, y in batches(8):
            step(x, y)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            step(x, y)
        assert bool(replays(step)) == (replay == "on")
        counts = collections.Counter({item.key: item.count for item in profile.key_averages()})
        return [parameter.asnumpy() for parameter in loss.get_parameters()], counts

    expected, eager = run("off")
    found, replayed = run("on")
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    if current_device().type == "cuda":
        return  # a profile does not show the operators of a CUDA graph
    casts, products = (replayed[name] / eager[name] for name in ("aten::_to_copy", "aten::addmm"))
    assert (casts < 0.9 and products < 0.9) if not recomputes else casts > 0.98 and products == 1, (casts, products)
