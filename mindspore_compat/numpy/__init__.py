"""numpy's functions on Tensors. MindSpore: ``mindspore.numpy``."""

from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback as _apply_dtype_fallback
from mindspore_compat.numpy import fft
from mindspore_compat.numpy.array_creations import *  # noqa: F403
from mindspore_compat.numpy.array_creations import __all__ as _creations
from mindspore_compat.numpy.array_ops import *  # noqa: F403
from mindspore_compat.numpy.array_ops import __all__ as _arrays
from mindspore_compat.numpy.dtypes import *  # noqa: F403
from mindspore_compat.numpy.dtypes import __all__ as _dtypes
from mindspore_compat.numpy.logic_ops import *  # noqa: F403
from mindspore_compat.numpy.logic_ops import __all__ as _logic
from mindspore_compat.numpy.math_ops import *  # noqa: F403
from mindspore_compat.numpy.math_ops import __all__ as _math

_apply_dtype_fallback(globals(), (*_creations, *_arrays, *_logic, *_math))

__all__ = ["fft", *_creations, *_arrays, *_logic, *_math, *_dtypes]
