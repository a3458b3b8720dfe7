"""Casts of operators' floating-point inputs: the choice of torch's kernel, and the mode of a Cell with `Cell.to_float`
in PYNATIVE_MODE.
"""

from __future__ import annotations

import threading
import types
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import _is_tracing
from mindspore_compat.context import in_jit

_Base = torch._C.TensorBase
_dtype_of = _Base.dtype.__get__  # type: ignore[attr-defined]
_FLOATS = (torch.float16, torch.float32, torch.bfloat16, torch.float64)


def _computing() -> frozenset[str]:
    """Return the names of torch's operators that compute: not those that make, read or copy."""
    spaces = (torch, torch.nn.functional, torch._C._nn)
    found = {
        name
        for space in spaces
        for name in dir(space)
        if name.islower() and not name.startswith("_") and not isinstance(getattr(space, name), types.ModuleType)
    }
    dunder = "add radd sub rsub mul rmul truediv rtruediv matmul rmatmul pow rpow neg abs".split()
    left = """tensor as_tensor asarray from_numpy numel result_type promote_types can_cast clone detach empty zeros ones
        full arange linspace eye rand randn randint randperm is_tensor sym_int typename compile save load dtype
        device finfo iinfo stack_size set_printoptions full_like zeros_like ones_like
        empty_like rand_like randn_like""".split()
    return frozenset(
        {name for name in found if not name.endswith("_") and not name.startswith(("is_", "get_", "set_"))} - {*left}
        | {f"__{name}__" for name in dunder}
    )


COMPUTING = _computing()
#: operators that show the same elements, which MindSpore's PyNative mode does not cast
_VIEWS = frozenset(
    """reshape view view_as transpose permute squeeze unsqueeze split split_with_sizes chunk unbind narrow select
    swapaxes swapdims t flatten unflatten expand expand_as broadcast_to broadcast_tensors diagonal movedim moveaxis
    ravel adjoint as_strided tensor_split hsplit vsplit dsplit real imag view_as_real view_as_complex atleast_1d
    atleast_2d atleast_3d alias slice_copy unfold""".split()
)
#: operators that write to their inputs, or take many weights at once, which their layers have cast
_WITH_STATE = frozenset(
    "batch_norm native_batch_norm instance_norm lstm gru rnn_tanh rnn_relu fake_quantize_per_tensor_affine".split()
)
_CAST = (COMPUTING | {"linalg_norm", "linalg_vector_norm", "linalg_matrix_norm"}) - _VIEWS - _WITH_STATE


def cast_each(value: Any, change: Any) -> Any:
    """Return ``value`` with ``change`` of every tensor in it, through lists and tuples."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)) and any(isinstance(item, (torch.Tensor, list, tuple)) for item in value):
        return type(value)([cast_each(item, change) for item in value])
    return value


def float_types(values: Any) -> set[torch.dtype]:
    """Return the floating-point types of the tensors in ``values``."""
    return {_dtype_of(tensor) for value in values for tensor in kernels.floats(value)}


def run_by_kernel(func: Any, args: Any, kwargs: Any) -> Any:
    """Return the result of torch's operator, by the kernel that `kernels` chooses for the inputs' type."""
    kernel = kernels.kernel_of(func)
    if kernel is None:
        return func(*args, **kwargs)
    with kernels.as_torch(False):
        return kernel(*args, **kwargs)


class _Innermost(threading.local):
    mode: Any = None


_innermost = _Innermost()


def common_type(left: torch.dtype, right: torch.dtype) -> torch.dtype:
    """Return the type in which an operator of both computes."""
    common = torch.promote_types(left, right)
    mode = _innermost.mode
    return common if mode is None or common not in _FLOATS or in_jit.depth else mode.dtype


def cast_here(tensor: Any) -> Any:
    """Return an input of an operator that torch computes by views, in the type of the Cell around it."""
    mode = _innermost.mode
    return tensor if mode is None or in_jit.depth or tensor.dtype not in _FLOATS else _Base.to(tensor, mode.dtype)


def _is_from_program(value: Any) -> bool:
    """Return True for a Tensor of the program and for a view that an operator has made of one."""
    return isinstance(value, torch.Tensor) and (type(value) is not torch.Tensor or "is_from_program" in value.__dict__)


class OperatorsIn(TorchFunctionMode):
    """Mode that casts the program's floating-point Tensors to one type for each operator, as MindSpore's PyNative mode
    does in a Cell of `Cell.to_float`. The innermost mode counts.

    Operators of this package hold wider intermediate values as torch's plain tensors, so these are not cast.
    """

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype
        self._entered: list[tuple[Any, Any]] = []

    @staticmethod
    def innermost() -> torch.dtype | None:
        """Return the type of the innermost mode; None without one."""
        mode = _innermost.mode
        return None if mode is None else mode.dtype

    def __enter__(self) -> Any:
        table = kernels.as_torch()  # so that operators come here before their 16-bit inputs change
        table.__enter__()
        self._entered.append((_innermost.mode, table))
        _innermost.mode = self
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        _innermost.mode, table = self._entered.pop()
        table.__exit__(None, None, None)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if _innermost.mode is not self:
            return func(*args, **kwargs)
        name = "" if in_jit.depth or _is_tracing() else getattr(func, "__name__", "")
        if name in _CAST and (others := self._others((*args, *kwargs.values()))):

            def cast(tensor: torch.Tensor) -> torch.Tensor:
                return _Base.to(tensor, self.dtype) if _dtype_of(tensor) in others else tensor

            args = tuple([cast_each(value, cast) for value in args])
            kwargs = {key: cast_each(value, cast) for key, value in kwargs.items()}
        result = run_by_kernel(func, args, kwargs)
        if name in _VIEWS and any(_is_from_program(value) for value in args):
            for tensor in kernels.floats(result):
                tensor.is_from_program = True  # type: ignore[attr-defined]
        return result

    def _others(self, values: Any) -> set[torch.dtype]:
        """Return the types of the program's Tensors that are cast, and with them what operators made like them."""
        given = [tensor for value in values for tensor in kernels.floats(value) if _is_from_program(tensor)]
        return {_dtype_of(tensor) for tensor in given}.intersection(_FLOATS) - {self.dtype}
