"""Checks of parameters that the distributions share."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common.dtype import dtype_name, to_torch_dtype

__all__ = ["check_floating", "check_positive", "sample_shape"]


def check_floating(dtype: Any, owner: str) -> None:
    """Raise TypeError unless ``dtype`` is a float type."""
    if not to_torch_dtype(dtype).is_floating_point:
        raise TypeError(
            f"For '{owner}', the 'dtype' must be one of [Float16, Float32, Float64], but got "
            f"{dtype_name(to_torch_dtype(dtype))}."
        )


def check_positive(value: Any, name: str) -> None:
    """Raise ValueError unless all of ``value`` is above 0."""
    if value is not None and not bool(torch.all(value > 0)):
        raise ValueError(f"{name} must be greater than zero.")


def sample_shape(shape: Any) -> tuple[int, ...]:
    """The shape that `sample` got. Raises: TypeError if it is no tuple."""
    if not isinstance(shape, tuple):
        raise TypeError(f"For shape, input type must be a tuple, but got {type(shape).__name__}.")
    return shape
