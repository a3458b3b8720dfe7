"""What a Parameter's settings of parallel training take; conversions, flags and clones of Parameters."""

from __future__ import annotations

from typing import Any

import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn


def test_flags_stay_with_a_parameter() -> None:
    parameter = Parameter(Tensor([1.0]), name="w", layerwise_parallel=True, parallel_optimizer=False)
    assert parameter.layerwise_parallel is True and parameter.parallel_optimizer is False
    assert parameter.parallel_optimizer_comm_recompute is False and parameter.sliced is False
    parameter.parallel_optimizer_comm_recompute = parameter.sliced = True
    assert parameter.parallel_optimizer_comm_recompute is True and parameter.sliced is True
    assert parameter.clone().layerwise_parallel is True


def _set_dtype(parameter: Parameter, dtype: Any) -> None:
    parameter.set_dtype(dtype)


def _set_values(parameter: Parameter, dtype: Any) -> None:
    parameter.data = Tensor([1.0, 2.0]).astype(dtype)


def _assign_value(parameter: Parameter, dtype: Any) -> None:
    parameter.assign_value(Tensor([1.0, 2.0]).astype(dtype))


@pytest.mark.parametrize("change", [_set_dtype, _set_values, _assign_value])
@pytest.mark.parametrize("wanted", [True, False])
def test_gradients_come_and_go_with_the_dtype(change: Any, wanted: bool) -> None:
    parameter = Parameter(Tensor([1, 2], ms.int32), requires_grad=wanted)
    for dtype in (ms.float32, ms.int32, ms.bool_, ms.float16, ms.float32):
        change(parameter, dtype)
        assert parameter.dtype is dtype and parameter.requires_grad is wanted
    gradient = ms.grad(lambda x: (x * parameter).sum(), None, [parameter] if wanted else [])(Tensor(3.0))
    assert [g.asnumpy().tolist() for g in gradient] == ([[3.0, 3.0]] if wanted else [])


def test_a_clone_keeps_the_dtype_whatever_fills_it() -> None:
    parameter = Parameter(Tensor([1.0, 2.0], ms.float16), name="w")
    assert parameter.clone(Tensor([3.0, 4.0], ms.float32)).dtype is ms.float16


@pytest.mark.parametrize("convert", ["to", "float", "half"])
def test_a_converted_parameter_is_no_parameter(convert: str) -> None:
    parameter = Parameter(Tensor([1.0] * 6, ms.float16 if convert == "half" else ms.float32), name="weight")
    converted = parameter.to(ms.float32) if convert == "to" else getattr(parameter, convert)()
    assert type(converted) is Tensor
    cell = nn.Cell()
    cell.weight, cell.kept = parameter, converted
    assert [item.name for item in cell.get_parameters()] == ["weight"]
    weight = Parameter(Tensor([1.0] * 6), name="weight")
    assert ms.grad(lambda: weight.float().sum() * 2, None, weight)().sum() == 12


def test_unique_of_a_parameter_is_a_flag() -> None:
    parameter = Parameter(Tensor([1.0] * 6), name="weight")
    assert parameter.unique is False
    parameter.unique = True
    assert (parameter.unique, parameter.clone().unique) == (True, False)


def test_set_parameter_data_is_set_data() -> None:
    """Its name in MindSpore 0.x, which networks published then call."""
    parameter = Parameter(Tensor([1.0, 2.0]), name="w")
    assert parameter.set_parameter_data(Tensor([3.0, 4.0])) is parameter
    assert parameter.asnumpy().tolist() == [3.0, 4.0]
