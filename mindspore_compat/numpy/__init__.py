"""numpy's functions on Tensors. Upstream: ``mindspore.numpy``."""

import math

from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback as _apply_dtype_fallback
from mindspore_compat.common.dtype import (
    bool_,
    float16,
    float32,
    float64,
    float_,
    int8,
    int16,
    int32,
    int64,
    int_,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
)
from mindspore_compat.numpy import fft
from mindspore_compat.numpy.array_creations import *  # noqa: F403
from mindspore_compat.numpy.array_creations import __all__ as _creations
from mindspore_compat.numpy.array_ops import *  # noqa: F403
from mindspore_compat.numpy.array_ops import __all__ as _arrays
from mindspore_compat.numpy.logic_ops import *  # noqa: F403
from mindspore_compat.numpy.logic_ops import __all__ as _logic
from mindspore_compat.numpy.math_ops import *  # noqa: F403
from mindspore_compat.numpy.math_ops import __all__ as _math

pi, inf, nan, PINF, NINF = math.pi, math.inf, math.nan, math.inf, -math.inf
numeric_types = [
    int_,
    int8,
    int16,
    int32,
    int64,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    float_,
    float16,
    float32,
    float64,
    bool_,
]
_apply_dtype_fallback(globals(), (*_creations, *_arrays, *_logic, *_math))

__all__ = [
    "fft",
    *_creations,
    *_arrays,
    *_logic,
    *_math,
    "pi",
    "inf",
    "nan",
    "PINF",
    "NINF",
    "numeric_types",
    "bool_",
    "float16",
    "float32",
    "float64",
    "float_",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
