"""Arguments of operators as their kernels take them: pairs, dtypes as numbers. Upstream:
``mindspore.ops._utils.arg_handler``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.ops._declare import plain

__all__ = """
    DtypeToEnum arg_invalid_info dtype_to_type_id to_2d_paddings to_dilations to_kernel_size to_output_padding to_pair
    to_rates to_strides
""".split()

#: upstream's numbers of dtypes
_TYPE_IDS = {
    torch.bool: 30,
    torch.int8: 32,
    torch.int16: 33,
    torch.int32: 34,
    torch.int64: 35,
    torch.uint8: 37,
    torch.uint16: 38,
    torch.uint32: 39,
    torch.uint64: 40,
    torch.float16: 42,
    torch.float32: 43,
    torch.float64: 44,
    torch.bfloat16: 45,
    torch.complex64: 51,
    torch.complex128: 52,
}


def arg_invalid_info(op_name: str, arg_name: str, arg_val: Any) -> str:
    """The message about a wrong argument."""
    return f"For '{op_name}', the value of '{arg_name}' is invalid: '{arg_val}'."


def to_pair(op_name: str, arg_name: str, arg_val: Any) -> Any:
    """A number twice; sequences as they are."""
    if isinstance(arg_val, (int, float)):
        return arg_val, arg_val
    if isinstance(arg_val, (list, tuple)):
        return arg_val
    raise ValueError(arg_invalid_info(op_name, arg_name, arg_val))


def _of_image(name: str) -> Callable[[str, str, Any], Any]:
    def convert(op_name: str, arg_name: str, value: Any) -> Any:
        if isinstance(value, float):
            raise ValueError(arg_invalid_info(op_name, arg_name, value))
        pair = to_pair(op_name, arg_name, value)
        return (pair[2], pair[3]) if len(pair) == 4 else pair

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = "(rows, columns) of an int, of two numbers, or of four for (N, C, H, W)."
    return convert


to_kernel_size, to_strides, to_rates, to_dilations, to_output_padding = map(
    _of_image, ("to_kernel_size", "to_strides", "to_rates", "to_dilations", "to_output_padding")
)


def to_2d_paddings(op_name: str, arg_name: str, pad: Any) -> Any:
    """An int twice; sequences as they are."""
    if isinstance(pad, float):
        raise ValueError(arg_invalid_info(op_name, arg_name, pad))
    return to_pair(op_name, arg_name, pad)


def _dtype_to_type_id(op_name: str, arg_name: str, dtype: Any) -> int | None:
    """Upstream's number of a dtype; None for None."""
    if dtype is None:
        return None
    if not isinstance(dtype, (torch.dtype, type)):
        raise TypeError(
            f"For '{op_name}', the '{arg_name}' must be a mindspore dtype, but got {dtype!r} of type "
            f"{type(dtype).__name__}."
        )
    return _TYPE_IDS[to_torch_dtype(dtype)]


DtypeToEnum = plain("DtypeToEnum", _dtype_to_type_id)
dtype_to_type_id = DtypeToEnum()
