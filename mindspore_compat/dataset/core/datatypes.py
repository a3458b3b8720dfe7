"""Dtypes as users write them, as NumPy dtypes. MindSpore: ``mindspore.dataset.core.datatypes``."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["mstype_to_detype", "numpy_dtype", "nptype_to_detype"]


def numpy_dtype(data_type: Any) -> np.dtype:
    """Return `data_type` (a MindSpore, torch or NumPy dtype, or a name) as a NumPy dtype. Raises: TypeError."""
    name = str(data_type)
    if name.startswith("torch."):
        name = name[len("torch.") :]
        if name == "bfloat16":
            raise TypeError("bfloat16 is not a NumPy type; cast to float32 here and to bfloat16 in the network.")
        return np.dtype(name)
    if name.lower() in ("string", "str"):
        return np.dtype(np.str_)
    if isinstance(data_type, str) and data_type.endswith("_"):
        data_type = data_type[:-1]
    try:
        return np.dtype(data_type)
    except (TypeError, ValueError, SyntaxError) as error:  # numpy reads some texts as little programs
        raise TypeError(f"{data_type!r} is not a data type such as mindspore.float32 or numpy.float32.") from error


def mstype_to_detype(type_: Any) -> np.dtype:
    """Return the data engine's type of a MindSpore dtype: a NumPy dtype with the engine's name as text."""
    return numpy_dtype(type_)


def nptype_to_detype(type_: Any) -> np.dtype:
    """Return the data engine's type of a NumPy dtype: the dtype itself."""
    return np.dtype(type_)
