"""numpy's functions on Tensors. Upstream: ``mindspore.numpy``."""

import math
import types as _types

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
from mindspore_compat.numpy.utils import told as _told

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
_wrapped: dict = {}  # two names of a function stay one
for _name in (*_creations, *_arrays, *_logic, *_math):
    _inner = globals()[_name]
    if isinstance(_inner, _types.FunctionType):
        globals()[_name] = _wrapped.setdefault(_inner, _told(_inner))

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
