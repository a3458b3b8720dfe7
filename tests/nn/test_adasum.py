"""Adaptive summation: the formula, and the settings that upstream refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat.nn.optim import adasum


@pytest.fixture
def sixteen_devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(adasum, "_get_stage_device_num", lambda: 16)
    ms.context.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    yield
    ms.context.reset_auto_parallel_context()


def test_orthogonal_parts_are_added_and_equal_ones_averaged() -> None:
    assert adasum.adaptive_sum([torch.tensor([1.0, 0.0]), torch.tensor([0.0, 3.0])]).tolist() == [1, 3]
    assert adasum.adaptive_sum([torch.tensor([1.0, 2.0])] * 4).tolist() == pytest.approx([1, 2])
    assert adasum.adaptive_sum([torch.tensor([1.0]), torch.tensor([5.0])]).tolist() == [3]


def test_formula_of_two() -> None:
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([2.0, -0.5])
    expected = (1 - a @ b / (2 * a @ a)) * a + (1 - a @ b / (2 * b @ b)) * b
    torch.testing.assert_close(adasum.adaptive_sum([a, b]), expected)


@pytest.mark.parametrize("cell", [nn.AdaSumByGradWrapCell, nn.AdaSumByDeltaWeightWrapCell])
def test_what_the_devices_combine_is_what_moves_the_parameters(
    cell: Any, sixteen_devices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adasum, "_over_devices", lambda: lambda value: value * 2)
    parameter = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    cell(nn.SGD([parameter], 0.5))((ms.Tensor([1.0, 1.0]),))
    assert parameter.asnumpy().tolist() == [0, 1]
