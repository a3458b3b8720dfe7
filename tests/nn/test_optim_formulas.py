"""Arithmetic that MindSpore's CPU cannot serve as an oracle for, against the formulas of its documentation
in float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mindspore_compat import nn
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.optim.adafactor import AdaFactor
from mindspore_compat.nn.optim.ftrl import FTRL
from mindspore_compat.nn.optim.lars import LARS
from mindspore_compat.train.serialization import load_param_into_net

START, GRADIENT = np.array([1.0, 2.0, -1.0]), np.array([0.5, -0.2, 0.1])


def after(make: Any, steps: int = 2, name: str = "w") -> np.ndarray:
    parameter = Parameter(Tensor(START.astype(np.float32)), name=name)
    optimizer = make([parameter])
    for _ in range(steps):
        optimizer((Tensor(GRADIENT.astype(np.float32)),))
    return parameter.asnumpy()


def test_momentum_with_nesterov() -> None:
    p, v = START.copy(), np.zeros(3)
    for _ in range(2):
        v = 0.9 * v + GRADIENT
        p = p - 0.1 * (GRADIENT + 0.9 * v)
    np.testing.assert_allclose(after(lambda params: nn.Momentum(params, 0.1, 0.9, use_nesterov=True)), p, rtol=1e-6)


def test_adagrad_without_slot_updates_keeps_its_divisor() -> None:
    actual = after(lambda params: nn.Adagrad(params, 0.5, 0.1, update_slots=False))
    np.testing.assert_allclose(actual, START - 0.2 * GRADIENT / np.sqrt(0.5), rtol=1e-6)


def test_ftrl_with_l1_moves_every_weight_towards_zero() -> None:
    p, n, z = START.copy(), np.full(3, 0.2), np.zeros(3)
    for _ in range(2):
        new = n + GRADIENT**2
        z = z + GRADIENT - (np.sqrt(new) - np.sqrt(n)) / 0.1 * p
        p = np.where(np.abs(z) > 0.3, (0.3 * np.sign(z) - z) / (np.sqrt(new) / 0.1), 0.0)
        n = new
    np.testing.assert_allclose(after(lambda params: FTRL(params, 0.2, 0.1, l1=0.3)), p, rtol=1e-5, atol=1e-7)


def test_sgd_takes_a_schedule_of_weight_decay() -> None:
    p, v = START.copy(), np.zeros(3)
    for step in range(3):
        v = 0.9 * v + GRADIENT + 0.5 * 0.5 ** (step / 2) * p
        p = p - 0.1 * v
    decay = nn.ExponentialDecayLR(0.5, 0.5, 2)
    actual = after(lambda params: nn.SGD(params, 0.1, momentum=0.9, weight_decay=decay), steps=3)
    np.testing.assert_allclose(actual, p, rtol=1e-5, atol=1e-6)


def test_lars_follows_the_rates_and_decays_of_each_step() -> None:
    parameters = [Parameter(Tensor(START.astype(np.float32)), name=name) for name in ("a", "b")]
    groups = [{"params": parameters[:1], "lr": [0.2, 0.01]}, {"params": parameters[1:]}]
    decay = nn.ExponentialDecayLR(0.5, 0.1, 1)
    optimizer = LARS(nn.Momentum(groups, [0.1, 0.03], 0.9, weight_decay=decay), coefficient=0.02, use_clip=True)
    for _ in range(2):
        optimizer((Tensor(GRADIENT.astype(np.float32)),) * 2)
    for parameter, rates in zip(parameters, ((0.2, 0.01), (0.1, 0.03))):
        p, v = START.copy(), np.zeros(3)
        for rate, factor in zip(rates, (0.5, 0.05)):
            norm = np.linalg.norm(p)
            ratio = min(0.02 * norm / (np.linalg.norm(GRADIENT) + factor * norm + 1e-5) / rate, 1.0)
            v = 0.9 * v + ratio * (GRADIENT + factor * p)
            p = p - rate * v
        np.testing.assert_allclose(parameter.asnumpy(), p, rtol=1e-5)


@pytest.mark.parametrize("clip", [False, True])
def test_lars_scales_gradients_by_the_trust_ratio(clip: bool) -> None:
    p, v = START.copy(), np.zeros(3)
    for _ in range(2):
        norm, gradient_norm = np.linalg.norm(p), np.linalg.norm(GRADIENT)
        ratio = 0.02 * norm / (gradient_norm + 0.1 * norm + 1e-5)
        ratio = min(ratio / 0.1, 1.0) if clip else ratio
        v = 0.9 * v + ratio * (GRADIENT + 0.1 * p)
        p = p - 0.1 * v

    def make(params: Any) -> Any:
        return LARS(nn.Momentum(params, 0.1, 0.9, weight_decay=0.1), coefficient=0.02, use_clip=clip)

    np.testing.assert_allclose(after(make), p, rtol=1e-5)


def test_lars_leaves_filtered_parameters_to_the_inner_optimizer_without_decay() -> None:
    actual = after(lambda params: LARS(nn.SGD(params, 0.1, weight_decay=0.1)), steps=1, name="fc.bias")
    np.testing.assert_allclose(actual, START - 0.1 * GRADIENT, rtol=1e-6)


def test_lars_has_the_states_of_mindspore_and_counts_steps_once() -> None:
    parameter = Parameter(Tensor(START.astype(np.float32)), name="w")
    optimizer = LARS(nn.Momentum([parameter], 0.1, 0.9))
    for _ in range(3):
        optimizer((Tensor(GRADIENT.astype(np.float32)),))
    names = [item.name for item in optimizer.get_parameters() if item.name != "w"]
    assert names == ["global_step", "fake_lr", "fake_param", "learning_rate", "momentum", "moments.w"]
    assert optimizer.global_step.asnumpy().tolist() == [3]


def test_lars_takes_over_loss_scale() -> None:
    plain = after(lambda params: LARS(nn.Momentum(params, 0.1, 0.9), coefficient=0.02))
    parameter = Parameter(Tensor(START.astype(np.float32)), name="w")
    optimizer = LARS(nn.Momentum([parameter], 0.1, 0.9, loss_scale=8.0), coefficient=0.02)
    for _ in range(2):
        optimizer((Tensor(8 * GRADIENT.astype(np.float32)),))
    np.testing.assert_allclose(parameter.asnumpy(), plain, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda p: FTRL(p, learning_rate=[0.1, 0.2]), ValueError),
        (lambda p: AdaFactor(p, 0.1), ValueError),
        (lambda p: nn.Momentum(p, 0.1, -2), ValueError),
        (lambda p: nn.RMSProp(p, 0.1, epsilon=-1e-5), ValueError),
        (lambda p: FTRL(p, lr_power=0.5), ValueError),
    ],
)
def test_wrong_arguments_are_refused_as_upstream_does(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make([Parameter(Tensor(START.astype(np.float32)), name="w")])


def test_momentum_of_zero_still_keeps_its_buffer() -> None:
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="w")
    optimizer = nn.Momentum([weight], 0.5, 0.0)
    optimizer((Tensor(np.full(3, 2, np.float32)),))
    assert weight.asnumpy().tolist() == [0.0] * 3 and optimizer.moments[0].asnumpy().tolist() == [2.0] * 3


@pytest.mark.parametrize("dampening", [0.0, 0.5])
def test_sgd_begins_anew_where_a_loaded_stat_is_1(dampening: float) -> None:
    parameters = [Parameter(Tensor(np.ones(size, np.float32)), name=name) for name, size in (("a", 2), ("b", 3))]
    optimizer = nn.SGD(parameters, 0.1, momentum=0.9, dampening=dampening)

    def step(value: float) -> None:
        optimizer(tuple(Tensor(np.full(item.shape, value, np.float32)) for item in parameters))

    def sums() -> list[float]:
        return [float(item.asnumpy()[0]) for item in optimizer.accum]

    step(1.0)
    step(2.0)
    assert sums() == pytest.approx([0.9 + (1 - dampening) * 2] * 2)
    beginning = {f"{name}.{item.name}": value for name, value in (("accum", 5.0), ("stat", 1.0)) for item in parameters}
    states = {item.name: item for item in optimizer.get_parameters()}
    load_param_into_net(
        optimizer,
        {
            name: Parameter(Tensor(np.full(states[name].shape, value, np.float32)), name=name)
            for name, value in (beginning | {"a": 1.0, "b": 1.0}).items()
        },
    )
    step(4.0)
    assert sums() == [4.0, 4.0] and [item.asnumpy().max() for item in optimizer.stat] == [0.0, 0.0]
    step(5.0)
    assert sums() == pytest.approx([0.9 * 4 + (1 - dampening) * 5] * 2)


@pytest.mark.parametrize(("beta1", "beta2"), [(0.0, 0.9), (0.5, 0.0)])
def test_adam_takes_betas_of_zero(beta1: float, beta2: float) -> None:
    weights, m, v = START, 0.0, 0.0
    for step in (1, 2):
        m, v = beta1 * m + (1 - beta1) * GRADIENT, beta2 * v + (1 - beta2) * GRADIENT**2
        rate = 0.1 * np.sqrt(1 - beta2**step) / (1 - beta1**step)
        weights = weights - rate * m / (np.sqrt(v) + 1e-8)
    found = after(lambda p: nn.Adam(p, 0.1, beta1=beta1, beta2=beta2))
    np.testing.assert_allclose(found, weights, rtol=1e-6)
