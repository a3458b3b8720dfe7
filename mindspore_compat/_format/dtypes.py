"""``tensor_type`` strings of a checkpoint and their numpy dtypes."""

from __future__ import annotations

import numpy as np

BFLOAT16, HIFLOAT8, INT4, STRING = "BFloat16", "HiFloat8", "Int4", "str"

#: bfloat16 is stored as its bits; Int4 (qint4x2) as one int8 an element.
NUMPY_OF: dict[str, np.dtype] = {
    "Bool": np.dtype("?"),
    "Int8": np.dtype("i1"),
    "Int16": np.dtype("<i2"),
    "Int32": np.dtype("<i4"),
    "Int64": np.dtype("<i8"),
    "UInt8": np.dtype("u1"),
    "UInt16": np.dtype("<u2"),
    "UInt32": np.dtype("<u4"),
    "UInt64": np.dtype("<u8"),
    "Float16": np.dtype("<f2"),
    "Float32": np.dtype("<f4"),
    "Float64": np.dtype("<f8"),
    BFLOAT16: np.dtype("<u2"),
    INT4: np.dtype("i1"),
    "Complex64": np.dtype("<c8"),
    "Complex128": np.dtype("<c16"),
    "Float8E4M3FN": np.dtype("u1"),
    "Float8E5M2": np.dtype("u1"),
    HIFLOAT8: np.dtype("u1"),
}
#: types of the three tensors of a map parameter, under numpy's names
MAP_TYPES = ("int32", "float32", "float16", "float64")


def item_bytes(tensor_type: str) -> int:
    """Return the bytes of one element; 4 for a character of a string (UCS-4)."""
    return 4 if tensor_type == STRING else NUMPY_OF[tensor_type].itemsize
