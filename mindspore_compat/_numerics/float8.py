"""Conversion to float8_e4m3fn: numbers beyond its range become NaN, as in MindSpore; torch takes the largest number."""

from __future__ import annotations

from typing import Any

import torch

_to = torch._C.TensorBase.to
_LIMITED = torch.float8_e4m3fn
_BEYOND = 464.0  # it still rounds to 448; 480 would be the next number


def limited(tensor: torch.Tensor, *dtypes: Any) -> torch.Tensor:
    """Return a tensor that torch converts correctly if float8_e4m3fn is among the dtypes; else the tensor itself."""
    if _LIMITED not in dtypes or tensor.dtype is _LIMITED or tensor.is_complex():
        return tensor
    wide = _to(tensor, torch.promote_types(tensor.dtype, torch.float32))
    return torch.where(wide.abs() > _BEYOND, torch.copysign(torch.full_like(wide, torch.nan), wide), wide)


def to_dtype(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the values in ``dtype``; the tensor itself if it has that dtype."""
    return _to(limited(tensor, dtype) if dtype is _LIMITED else tensor, dtype)
