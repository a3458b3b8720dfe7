"""Training steps that branch on a bool which they compute, such as ``if not overflow:``, replayed and eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._graph.replay import replay, tape
from mindspore_compat._graph.replay.computations import computations_of

OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "Momentum": lambda params: nn.Momentum(params, 0.1, 0.9),
    "AdamWeightDecay": lambda params: nn.AdamWeightDecay(params, 1e-2),
    "experimental AdamW": lambda params: ms.experimental.optim.AdamW(params, lr=1e-2),
}
STEPS = 24


class Step(nn.TrainOneStepWithLossScaleCell):
    """A step as the model zoo's trainers have it."""

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        gradients = self.grad(self.network, self.weights)(*inputs, ops.fill(loss.dtype, loss.shape, 1.0) * scale)
        gradients = self.hyper_map(ops.partial(_unscaled, scale), gradients)
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        overflow = self.process_loss_scale(self.get_overflow_status(status, gradients))
        if not overflow:
            self.optimizer(gradients)
        return loss, overflow, scale


def _unscaled(scale: Any, gradient: Any) -> Any:
    return gradient * ops.cast(1.0 / scale, gradient.dtype)


class OnLoss(nn.TrainOneStepCell):
    """A step that branches on its loss, by ``branch``, after ``before``."""

    def __init__(self, network: Any, optimizer: Any, branch: Any, before: Any = None) -> None:
        super().__init__(network, optimizer)
        self.branch, self.before = branch, before
        self.total = ms.Parameter(Tensor(np.zeros(3, np.float32)), name="total")

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        gradients = self.grad(self.network, self.weights)(*inputs, ops.ones_like(loss))
        if self.before is not None:
            self.before(self, gradients)
        factor = 1.0 if self.branch(loss) else 0.5
        self.optimizer(tuple([gradient * factor for gradient in gradients]))
        return loss


def trained(mode: int, make: Callable[[Any, Any], Any], optimizer: Any, label: Callable[[int], float]) -> Any:
    """(rows of losses and further results, all Parameters, the step) after some steps; ``label`` is of step number."""
    ms.set_seed(1)
    ms.set_context(mode=mode)
    random = np.random.RandomState(3)
    net = nn.SequentialCell(
        nn.Dense(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(p=0.3), nn.Dense(16, 4, weight_init="normal")
    )
    for parameter in net.trainable_params():
        parameter.set_data(Tensor(random.randn(*parameter.shape).astype(np.float32) * 0.3))
    step = make(nn.WithLossCell(net, nn.MSELoss()), optimizer(net.trainable_params()))
    step.set_train()
    rows = []
    try:
        for number in range(STEPS):
            x, y = (random.randn(6, size).astype(np.float32) for size in (8, 4))
            y[0, 0] = label(number)
            result = step(Tensor(x), Tensor(y))
            rows.append([item.asnumpy().copy() for item in (result if isinstance(result, tuple) else (result,))])
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    return rows, [item.asnumpy().copy() for item in (*net.get_parameters(), *step.get_parameters())], step


def compared(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[Any, Any], Any], optimizer: Any, label: Callable[[int], float]
) -> Any:
    """Train eagerly and with replays, demand equal results and states, and return the calls of the replayed step."""
    rows, states, step = trained(ms.GRAPH_MODE, make, optimizer, label)
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", "off")
    expected_rows, expected_states, _ = trained(ms.GRAPH_MODE, make, optimizer, label)
    for found, expected in ((rows, expected_rows), ([states], [expected_states])):
        for one, other in zip(found, expected, strict=True):
            for a, b in zip(one, other, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    return next(iter(computations_of(step).calls.values()))


def with_scale(network: Any, optimizer: Any) -> Any:
    return Step(network, optimizer, nn.DynamicLossScaleUpdateCell(1024, 2, 1000))


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize(
    ("overflows", "is_replayed"), [((), True), ((1, 5, 6), None), ((11,), True), (tuple(range(12, 20)), True)]
)
def test_overflows(
    name: str, overflows: tuple[int, ...], is_replayed: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = compared(monkeypatch, with_scale, OPTIMIZERS[name], lambda number: np.inf if number in overflows else 0.5)
    assert not calls.stopped
    if is_replayed:  # else the first recordings met an overflow, and further ones wait for their budget
        assert calls.replayed == STEPS - 3
        assert calls.plan.misses == len(overflows)


def test_a_branch_that_goes_another_way_from_now_on_is_recorded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "_MAX_OTHER_BRANCHES", 3)
    monkeypatch.setattr(replay.Computations, "can_pay", lambda self: True)
    make = lambda network, optimizer: OnLoss(network, optimizer, lambda loss: loss < 100.0)
    calls = compared(monkeypatch, make, OPTIMIZERS["Momentum"], lambda number: 0.5 if number < 12 else 1e3)
    assert calls.plan.run is not None
    assert calls.plan.misses == 0  # since it was recorded anew
    assert not calls.stopped


def test_a_branch_that_goes_either_way_stays_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "_MAX_OTHER_BRANCHES", 3)
    make = lambda network, optimizer: OnLoss(network, optimizer, lambda loss: loss < 100.0)
    label = lambda number: 1e3 if number > 2 and number % 2 else 0.5
    assert compared(monkeypatch, make, OPTIMIZERS["Momentum"], label).stopped


def test_a_number_is_no_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    make = lambda network, optimizer: OnLoss(network, optimizer, lambda loss: float(loss) < 100.0)
    assert compared(monkeypatch, make, OPTIMIZERS["Momentum"], lambda number: 0.5).stopped


def _call_optimizer(step: Any, gradients: Any) -> None:
    step.optimizer(gradients)


def _write_input(step: Any, gradients: Any) -> None:
    ops.assign(step.total, step.total + 1.0)


@pytest.mark.parametrize(
    ("before", "limit", "optimizer", "is_stopped"),
    [
        (_write_input, 1 << 20, "Momentum", False),
        (_write_input, 8, "Momentum", True),  # it could not be undone
        (_call_optimizer, 1 << 20, "experimental AdamW", True),
    ],
)
def test_what_a_step_may_do_before_a_branch(
    before: Any, limit: int, optimizer: str, is_stopped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tape, "MAX_SAVED", limit)
    make = lambda network, optimizer: OnLoss(network, optimizer, lambda loss: loss < 100.0, before)
    calls = compared(monkeypatch, make, OPTIMIZERS[optimizer], lambda number: 1e3 if number in (9, 15) else 0.5)
    assert calls.stopped is is_stopped


def test_the_check_mode_follows_both_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", "check")
    calls = compared(
        monkeypatch, with_scale, OPTIMIZERS["Momentum"], lambda number: np.inf if number in (9, 15) else 0.5
    )
    assert calls.plan.misses == 2
