"""The dtype that a Cell computes in: `Cell.to_float`, and the flags ``fp16``, ``fp32``, ``bf16``."""

from __future__ import annotations

import enum
import threading
from typing import Any

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.context import in_graph

__all__ = ["FLAG_DTYPES", "FLOATS", "MixedPrecisionType", "cast_floats", "casting", "compiled_dtype"]

FLOATS = (torch.float16, torch.float32, torch.bfloat16, torch.float64)
FLAG_DTYPES = {"fp16": torch.float16, "fp32": torch.float32, "bf16": torch.bfloat16}


class MixedPrecisionType(enum.Enum):
    """What a Cell computes in. Upstream: ``mindspore._c_expression.MixedPrecisionType``."""

    NOTSET = 0
    FP16 = 1
    FP32 = 2
    BF16 = 3


def compiled_dtype(state: dict[str, Any]) -> torch.dtype | None:
    """The dtype of `Cell.set_mixed_precision_type` where upstream compiles, else that of `Cell.to_float`."""
    chosen = state.get("_compiled_type")
    if chosen is None or not in_graph():
        return state["_cast_dtype"]
    return FLAG_DTYPES.get(chosen.name.lower())


class _Casting(threading.local):
    """How many Cells with a dtype from `to_float` are running: while one is, it sees its own and its children's
    parameters in that dtype.
    """

    depth = 0


casting = _Casting()


def cast_floats(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        return (
            wrap(torch._C.TensorBase.to(value, dtype)) if value.dtype in FLOATS and value.dtype is not dtype else value
        )
    if isinstance(value, (tuple, list)):
        return type(value)([cast_floats(item, dtype) for item in value]) if type(value) in (tuple, list) else value
    return value
