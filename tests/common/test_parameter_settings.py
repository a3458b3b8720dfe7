"""What a Parameter's settings of parallel training take."""

from __future__ import annotations

from typing import Any

import pytest

from mindspore_compat import Parameter, Tensor

FLAGS = ("layerwise_parallel", "parallel_optimizer", "parallel_optimizer_comm_recompute")


@pytest.mark.parametrize("value", [None, 1, "True", [True], Tensor([1])])
def test_flags_must_be_bools(value: Any) -> None:
    parameter = Parameter(Tensor([1.0]), name="w")
    for name in FLAGS:
        with pytest.raises(TypeError, match=f"`{name}` must be bool type"):
            setattr(parameter, name, value)
    for name in FLAGS[:2]:
        with pytest.raises(TypeError, match=f"`{name}` must be bool type"):
            Parameter(Tensor([1.0]), name="w", **{name: value})


def test_flags_stay_with_a_parameter() -> None:
    parameter = Parameter(Tensor([1.0]), name="w", layerwise_parallel=True, parallel_optimizer=False)
    assert parameter.layerwise_parallel is True and parameter.parallel_optimizer is False
    assert parameter.parallel_optimizer_comm_recompute is False and parameter.sliced is False
    parameter.parallel_optimizer_comm_recompute = parameter.sliced = True
    assert parameter.parallel_optimizer_comm_recompute is True and parameter.sliced is True
    assert parameter.clone().layerwise_parallel is True


@pytest.mark.parametrize("value", [None, "s", True, -1, 1.5])
def test_comm_fusion_is_a_number(value: Any) -> None:
    parameter = Parameter(Tensor([1.0]), name="w")
    with pytest.raises(TypeError, match="must be int and must >= 0"):
        parameter.comm_fusion = value
    parameter.comm_fusion = 0
    assert parameter.comm_fusion == 0
