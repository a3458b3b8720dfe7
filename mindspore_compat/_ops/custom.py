"""Operators of the program: `Custom` and `ms_kernel`."""

from __future__ import annotations

import ctypes
import functools
import math
import os
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat._autograd.custom_backward import own_backward
from mindspore_compat._graph.program import program
from mindspore_compat._ops.declare import classes, functions
from mindspore_compat._ops.primitive import PrimitiveWithInfer
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.dtype import dtype_name, to_torch_dtype

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
_Tensors = Sequence[torch.Tensor]


class Custom(PrimitiveWithInfer):
    """Operator from a function of numpy arrays ("pyfunc") or from a C function in a shared library ("aot").

    Args:
        func: the function, or for "aot" ``"path/to/library.so:name"``; its C signature is
            ``int name(int nparam, void **params, int *ndims, int64_t **shapes, const char **dtypes, void *stream, void
            *extra)``.
        out_shape, out_dtype: of the output (tuples of them for several), or functions of the inputs' shapes and dtypes.
            Without them the outputs are what a Python function returns.
        func_type: "pyfunc", "hybrid" (as of `kernel`; run by Python) or "aot"; "akg", "tbe" and "aicpu" are not
            available.
        bprop: ``bprop(*inputs, out, dout)`` gives the gradients of the inputs.
        reg_info: descriptions as of `CustomRegOp`; kept, nothing is selected by them.
    Raises:
        UnsupportedError: when it is called, for a ``func_type`` that needs MindSpore's compilers.
    """

    def __init__(
        self,
        func: Callable[..., Any] | str,
        out_shape: Any = None,
        out_dtype: Any = None,
        func_type: str = "pyfunc",
        bprop: Any = None,
        reg_info: Any = None,
    ) -> None:
        super().__init__("Custom")
        self._who = f"For 'Custom', 'func_type': {func_type}, 'func': {func}"
        self.func, self.func_type, self.out_shape, self.out_dtype = func, func_type, out_shape, out_dtype
        self.bprop = bprop
        self.reg_info = reg_info if reg_info is not None else getattr(func, "reg_info", None)
        self.add_prim_attr("func_type", func_type)

    def __call__(self, *inputs: Any) -> Any:
        if torch.is_grad_enabled() and any(isinstance(item, torch.Tensor) and item.requires_grad for item in inputs):
            return wrap(own_backward(lambda *inputs: self._compute(inputs), self._gradients, len(inputs), *inputs))
        return wrap(self._compute(inputs))

    def _gradients(self, inputs: list[Any], out: Any, dout: Any) -> tuple[Any, ...]:
        if self.bprop is None:
            raise RuntimeError(
                f"{self._who}: the gradient is not known. Pass 'bprop', a function of the inputs, the output and its "
                "gradient."
            )
        grads = self.bprop(*inputs, out, dout)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(inputs):
            raise TypeError(
                f"{self._who}: 'bprop' must return a gradient for each of the {len(inputs)} inputs, but returned "
                f"{len(grads)}."
            )
        return grads

    def get_bprop(self) -> Any:
        """Return the function given as ``bprop``."""
        return self.bprop

    def _compute(self, inputs: Sequence[Any]) -> Any:
        device = next((item.device for item in inputs if isinstance(item, torch.Tensor)), current_device())
        if self.func_type not in ("hybrid", "pyfunc", "aot"):
            raise UnsupportedError(
                f"{self._who}: needs MindSpore's kernel compiler. Write it as 'pyfunc' or 'aot', or with functions of "
                "mindspore.ops."
            )
        # the shapes, the dtypes and a library's function see a number as a Tensor without axes
        tensors = [
            torch.tensor(item, dtype=torch.float32 if isinstance(item, float) else None, device=device)
            if isinstance(item, (bool, int, float))
            else item
            for item in inputs
        ]
        if self.out_shape is None and self.func_type != "aot":
            return self._returned(inputs, device)
        shapes, dtypes, single = self._outputs([item for item in tensors if isinstance(item, torch.Tensor)])
        run = self._by_library if self.func_type == "aot" else self._by_python
        found = run(
            [
                plain(item.detach()) if isinstance(item, torch.Tensor) else item
                for item in (tensors if self.func_type == "aot" else inputs)
            ],
            shapes,
            dtypes,
            device,
        )
        return found[0] if single else tuple(found)

    def _outputs(self, inputs: _Tensors) -> tuple[list[tuple[int, ...]], list[torch.dtype], bool]:
        """Return shapes and dtypes of the outputs, and whether there is one instead of a tuple."""
        shape = self.out_shape(*[list(item.shape) for item in inputs]) if callable(self.out_shape) else self.out_shape
        dtype = self.out_dtype(*[item.dtype for item in inputs]) if callable(self.out_dtype) else self.out_dtype
        if isinstance(dtype, (tuple, list)):
            return [tuple(item) for item in shape], [to_torch_dtype(item) for item in dtype], False
        return [tuple(shape)], [to_torch_dtype(dtype)], True

    def _called(self, inputs: Sequence[Any]) -> Any:
        assert callable(self.func)
        program.not_repeatable("it calls a Python function")
        return self.func(*[item.detach().cpu().numpy() if isinstance(item, torch.Tensor) else item for item in inputs])

    def _returned(self, inputs: Sequence[Any], device: torch.device) -> Any:
        """Return what the Python function returns, as tensors."""
        found = self._called(inputs)
        parts = [
            torch.from_numpy(np.array(item)).to(device) for item in (found if isinstance(found, tuple) else (found,))
        ]
        return tuple(parts) if isinstance(found, tuple) else parts[0]

    def _by_python(
        self, inputs: list[Any], shapes: list[tuple[int, ...]], dtypes: list[torch.dtype], device: torch.device
    ) -> list[torch.Tensor]:
        found = self._called(inputs)
        parts = found if isinstance(found, (tuple, list)) else (found,)
        if len(parts) != len(shapes):
            raise ValueError(
                f"{self._who}, the function must return {len(shapes)} arrays as 'out_shape' says, but returned "
                f"{len(parts)}."
            )
        results = []
        for part, shape, dtype in zip(parts, shapes, dtypes):
            array = np.asarray(part)
            results.append(torch.from_numpy(np.array(array)).to(device, dtype).reshape(shape))
        return results

    def _by_library(
        self, inputs: list[Any], shapes: list[tuple[int, ...]], dtypes: list[torch.dtype], device: torch.device
    ) -> list[torch.Tensor]:
        tensors = [item.contiguous() for item in inputs if isinstance(item, torch.Tensor)]
        outputs = [torch.empty(shape, dtype=dtype, device=device) for shape, dtype in zip(shapes, dtypes)]
        both = [*tensors, *outputs]
        count = len(both)
        sizes = [(ctypes.c_int64 * max(item.dim(), 1))(*item.shape) for item in both]
        status = _library_function(str(self.func), self._who)(
            ctypes.c_int(count),
            (ctypes.c_void_p * count)(*[item.data_ptr() for item in both]),
            (ctypes.c_int * count)(*[item.dim() for item in both]),
            (ctypes.POINTER(ctypes.c_int64) * count)(
                *[ctypes.cast(item, ctypes.POINTER(ctypes.c_int64)) for item in sizes]
            ),
            (ctypes.c_char_p * count)(*[dtype_name(item.dtype).lower().encode() for item in both]),
            ctypes.c_void_p(torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else None),
            ctypes.c_void_p(None),
        )
        if status:
            raise RuntimeError(f"{self._who}: the function returned {status}. It has to return 0 when it is done.")
        return outputs


def _library_function(place: str, who: str) -> Any:
    path, has_name, name = place.rpartition(":")
    if not has_name or not os.path.isfile(path):
        raise RuntimeError(f"{who}: there is no such library. Give it as 'path/to/library.so:function'.")
    library = ctypes.CDLL(os.path.abspath(path))
    if hasattr(library, f"{name}Init"):
        raise UnsupportedError(
            f"{who}: '{name}Init' takes attributes from MindSpore's C++ class AotExtra, which is not there. Give them "
            "as inputs, and leave the 'Init' function out."
        )
    function = getattr(library, name)
    function.restype = ctypes.c_int
    return function


__all__ = functions(globals())
PRIMITIVES = classes(globals())
