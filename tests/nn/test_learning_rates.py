"""Learning rate lists and schedules equal real MindSpore's (tests/golden/nn_rates.json)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import nn
from mindspore_compat.common.dtype import float32, int32
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn import dynamic_lr
from tests.nn.rate_cases import LISTS, SCHEDULES, STEPS

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "nn_rates.json").read_text())


@pytest.mark.parametrize("number", range(len(LISTS)), ids=[f"{name}{number}" for number, (name, _) in enumerate(LISTS)])
def test_lists_are_those_of_mindspore(number: int) -> None:
    name, arguments = LISTS[number]
    rates = getattr(dynamic_lr, name)(**arguments)
    assert isinstance(rates, list) and all(isinstance(item, float) for item in rates)
    np.testing.assert_allclose(rates, GOLDEN["lists"][number], rtol=1e-12)


@pytest.mark.parametrize(
    "number", range(len(SCHEDULES)), ids=[f"{name}{number}" for number, (name, _) in enumerate(SCHEDULES)]
)
def test_schedules_are_those_of_mindspore(number: int) -> None:
    name, arguments = SCHEDULES[number]
    cell = getattr(nn, name)(**arguments)
    values = [float(cell(Tensor(step, torch.int32))) for step in STEPS]
    np.testing.assert_allclose(values, GOLDEN["schedules"][number], rtol=2e-6, atol=1e-8)
    assert cell(Tensor([3], torch.int32)).dtype is torch.float32


@pytest.mark.parametrize(
    "rates", [[0.1, 0.2, 0.3], np.array([0.1, 0.2, 0.3]), Tensor(np.array([0.1, 0.2, 0.3], np.float32))]
)
def test_a_list_answers_in_the_shape_of_the_step(rates: Any) -> None:
    optimizer = nn.Momentum([Parameter(Tensor(np.ones(2, np.float32)), name="w")], rates, 0.9)
    for step, expected in (
        (Tensor([2], int32), [np.float32(0.3)]),
        (Tensor(1, int32), np.float32(0.2)),
        (Tensor([9], int32), [np.float32(0.3)]),
    ):
        found = optimizer.learning_rate(step)
        assert found.dtype == float32 and found.asnumpy().tolist() == expected
    assert optimizer.learning_rate(optimizer.global_step).shape == (1,)
    assert optimizer.get_lr().shape == ()


def test_groups_answer_in_the_shape_of_the_step() -> None:
    first, second = (Parameter(Tensor(np.ones(2, np.float32)), name=name) for name in "ab")
    optimizer = nn.Momentum([{"params": [first], "lr": 0.05}, {"params": [second]}], [0.1, 0.2], 0.9)
    assert [rate(Tensor([1], int32)).shape for rate in optimizer.learning_rate] == [(), (1,)]
    assert [item.shape for item in optimizer.get_lr()] == [(), ()]


def test_the_rates_of_groups_are_cells_where_one_is_a_schedule() -> None:
    first, second = (Parameter(Tensor(np.ones(2, np.float32)), name=name) for name in "ab")
    optimizer = nn.Momentum(
        [{"params": [first], "lr": 0.02}, {"params": [second], "lr": nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5)}], 0.1, 0.9
    )
    assert list(optimizer.group_lr) == list(optimizer.learning_rate)
    assert optimizer.group_lr[0].learning_rate.value() == np.float32(0.02)
    optimizer = nn.Momentum([{"params": [first], "lr": 0.02}, {"params": [second]}], 0.1, 0.9)
    assert [rate.name for rate in optimizer.group_lr] == ["learning_rate_group_0", "learning_rate"]


def test_a_negative_step_counts_from_the_end() -> None:
    rates = nn.Momentum(nn.Dense(2, 2).trainable_params(), [0.1, 0.2, 0.3, 0.4], 0.9).learning_rate
    assert [float(rates(Tensor([step], int32)).asnumpy()[0]) for step in (-1, -2, 7)] == pytest.approx([0.4, 0.3, 0.4])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, -0.5])
@pytest.mark.parametrize("name", ["learning_rate", "weight_decay"])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_rate_or_decay_that_is_no_number_is_refused(name: str, value: float, grouped: bool) -> None:
    weight = Parameter(Tensor([1.0]), name="w")
    with pytest.raises(ValueError):
        if grouped:
            nn.Adam([{"params": [weight], {"learning_rate": "lr"}.get(name, name): value}])
        else:
            nn.Adam([weight], **{name: value})
