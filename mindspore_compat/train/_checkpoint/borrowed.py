"""Inner names of upstream's serialization that old scripts borrow for a `load_checkpoint` of their own."""

from __future__ import annotations

from typing import Any

from mindspore_compat.common.dtype import dtype_name, dtype_to_nptype, qint4x2, string, to_torch_dtype
from mindspore_compat.train._checkpoint.load import as_prefixes, load_source

__all__ = ["_check_checkpoint_param", "tensor_to_ms_type", "tensor_to_np_type"]

_TYPES = tuple(("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 bool bfloat16").split())

#: ``tensor_type`` of the file -> dtype
tensor_to_ms_type = {
    **{dtype_name(dtype): dtype for dtype in map(to_torch_dtype, _TYPES)},
    "str": string,
    "Int4": qint4x2,
}


class _NumpyTypes(dict[str, Any]):
    """Indexed as in 1.x and 2.0, called as in later versions."""

    def __call__(self, tensor_type_str: str) -> Any:
        """The numpy type of a ``tensor_type`` of the file; bfloat16 as float32."""
        return dtype_to_nptype(to_torch_dtype(tensor_type_str))


tensor_to_np_type = _NumpyTypes(
    {dtype_name(dtype): dtype_to_nptype(dtype) for dtype in map(to_torch_dtype, _TYPES)}, str="U"
)


def _check_checkpoint_param(ckpt_file_name: str, filter_prefix: Any = None) -> tuple[str, Any]:
    """The file's full name and the prefixes as they are, checked as `load_checkpoint` does.

    Raises:
        ValueError: if there is no such file, its name does not end with ".ckpt", or a prefix is empty. TypeError: for
            other types.
    """
    path = load_source(ckpt_file_name, "ckpt")
    as_prefixes(filter_prefix, "filter_prefix")
    return str(path), filter_prefix
