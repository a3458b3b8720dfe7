"""Functions in MindSpore's language of array loops, run by Python. MindSpore: ``ops.kernel``, ``ops.ms_kernel``."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._tensor.wrapping import wrap

__all__ = ["kernel", "ms_kernel"]

#: names that the language adds to Python
_WORDS: dict[str, Any] = {
    "output_tensor": lambda shape, dtype: np.zeros(shape, dtype),
    "allocate": lambda shape, dtype: np.zeros(shape, dtype),
    **dict.fromkeys(("parallel", "vectorize", "unroll", "reduce", "serial"), range),
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "tanh": np.tanh,
    "power": np.power,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "erf": math.erf,
    "int32": np.int32,
    "int64": np.int64,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
}


def kernel(fn: Any = None, reg_info: Any = None, compile_attrs: Any = None) -> Any:
    """Decorate a function of arrays with loops, ``output_tensor(shape, dtype)``, ``allocate``, ``exp``, ...

    The function is called with arrays or Tensors and runs in Python; nothing is compiled. ``reg_info`` is stored for
    `Custom`, ``compile_attrs`` has no effect.

    Raises:
        ValueError: if it is given no function.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if not isinstance(function, types.FunctionType):
            raise ValueError(f"For 'kernel', the 'fn' must be a function, but got {type(function).__name__}.")
        scope = {**_WORDS, "grid": _grid, **function.__globals__}
        inner = types.FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
        )

        @functools.wraps(function)
        def run(*args: Any) -> Any:
            found = inner(*[x.detach().cpu().numpy() if isinstance(x, torch.Tensor) else x for x in args])
            if not any(isinstance(x, torch.Tensor) for x in args):
                return found
            if isinstance(found, tuple):
                return tuple(wrap(torch.from_numpy(np.asarray(item))) for item in found)
            return wrap(torch.from_numpy(np.asarray(found)))

        run.reg_info = reg_info  # type: ignore[attr-defined]
        return run

    return decorate if fn is None else decorate(fn)


def _grid(shape: Any) -> Any:
    """Return all places of an array."""
    return np.ndindex(*shape)


ms_kernel = kernel
