"""Numbers of dtypes: ``mindspore.ops.DtypeToEnum``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._ops.declare import primitive_class
from mindspore_compat.common.dtype import to_torch_dtype

__all__ = ["DtypeToEnum"]

_NUMBERS: dict[torch.dtype, int] = {
    **{torch.bool: 30, torch.int8: 32, torch.int16: 33, torch.int32: 34, torch.int64: 35},
    **{torch.uint8: 37, torch.uint16: 38, torch.uint32: 39, torch.uint64: 40},
    **{torch.float16: 42, torch.float32: 43, torch.float64: 44, torch.bfloat16: 45},
    **{torch.complex64: 51, torch.complex128: 52},
}


def _number(op_name: str, arg_name: str, dtype: Any) -> int | None:
    """Return the number of a dtype in MindSpore's C++ core; None for None."""
    return None if dtype is None else _NUMBERS[to_torch_dtype(dtype)]


DtypeToEnum = primitive_class("DtypeToEnum", _number)
