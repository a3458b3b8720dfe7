"""Helpers of layers with Parameters."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter


def parameter(init: Any, shape: Any, dtype: Any, name: str, requires_grad: bool = True) -> Parameter:
    """Return a Parameter with an initializer's values, float32 if ``dtype`` is None."""
    return Parameter(initializer(init, shape, dtype or torch.float32), name=name, requires_grad=requires_grad)


def each(value: Any, axes: int) -> tuple[int, ...]:
    """Return one number for each axis."""
    return (value,) * axes if isinstance(value, int) else tuple(value)
