"""Numbers given with a dtype keep their digits; without one, Python floats are float32. As real MindSpore 2.10."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor
from mindspore_compat import numpy as mnp

MAKERS = [Tensor, ms.tensor, mnp.array, mnp.asarray, lambda x, dtype: Parameter(Tensor(x, dtype))]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("value", [0.1, 6.000000000000002, 16777217.0, 1e300])
def test_float64_holds_what_was_given(make: Callable[..., Any], value: float) -> None:
    assert make(value, ms.float64).asnumpy().item() == value
    assert make([value, 1], ms.float64).asnumpy().tolist() == [value, 1.0]
    assert make([[value]], ms.float64).asnumpy().tolist() == [[value]]


@pytest.mark.parametrize("make", MAKERS)
def test_integers_of_floats_are_not_rounded_to_float32(make: Callable[..., Any]) -> None:
    assert make(16777217.0, ms.int64).asnumpy().item() == 16777217
    assert make([16777217.0], ms.int32).asnumpy().tolist() == [16777217]


def test_without_a_dtype_floats_are_float32() -> None:
    assert Tensor(0.1).dtype is Tensor([0.1]).dtype is mnp.array(0.1).dtype is ms.float32
