"""Tensor methods whose name, arguments or meaning differ between MindSpore and torch.

Where both libraries have a method of one name, MindSpore's meaning wins. torch's call form still works where the
arguments differ. ``_ops/tensor_methods.py`` installs methods that are operators; ``torch_methods.py`` adds the rest of
torch's methods, returning Tensors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.program import program
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._numerics.float8 import limited, to_dtype
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._tensor.aliasing import replace_values
from mindspore_compat._tensor.legacy_attributes import LegacyAttributes
from mindspore_compat._tensor.methods_reduce import ReduceMethods
from mindspore_compat._tensor.methods_shape import ShapeMethods
from mindspore_compat._tensor.param_info import ParamInfo
from mindspore_compat._tensor.wrapping import byte_view, plain, wrap
from mindspore_compat.common.dtype import dtype_name, to_torch_dtype
from mindspore_compat.common.generator import generator_on

if TYPE_CHECKING:  # a stub of what _ops/tensor_methods.py installs: tools/make_stubs.py
    from mindspore_compat._tensor.installed_methods import InstalledMethods
else:
    InstalledMethods = object

_Base = torch._C.TensorBase


def _no_parameter(tensor: Any) -> Any:
    """Return the tensor, or a view of a Parameter: a Cell that stores the result must not register it as a weight."""
    if isinstance(tensor, torch.nn.Parameter):
        return _Base.view_as(tensor, tensor)
    return tensor


def _to(name: str, dtype: torch.dtype) -> Any:
    def method(self: Any) -> Any:
        return wrap(_no_parameter(_Base.to(self, dtype)))

    method.__name__ = name
    method.__doc__ = f"The values as {str(dtype)[6:]}."
    return method


class TensorMethods(ReduceMethods, ShapeMethods, LegacyAttributes, InstalledMethods):
    """Mixin in front of ``torch.Tensor``; holds no state."""

    __slots__ = ()

    # --- dtype and copies ---

    bool, int, long, short, byte = (
        _to(name, dtype)
        for name, dtype in (
            ("bool", torch.bool),
            ("int", torch.int32),
            ("long", torch.int64),
            ("short", torch.int16),
            ("byte", torch.uint8),
        )
    )
    half, float, double, bfloat16 = (
        _to(name, dtype)
        for name, dtype in (
            ("half", torch.float16),
            ("float", torch.float32),
            ("double", torch.float64),
            ("bfloat16", torch.bfloat16),
        )
    )

    def astype(self: Any, dtype: Any, copy: Any = True) -> Any:
        """Return the values in another dtype. As MindSpore, an equal dtype returns the same memory, whatever ``copy``
        says.

        Examples:
            >>> print(Tensor([1.7, -1.7]).astype(ms.int32))
            [ 1 -1]
        """
        target = dtype if dtype.__class__ is torch.dtype else to_torch_dtype(dtype)
        if target is self.dtype:
            if self.requires_grad and THREAD.running:  # torch would refuse assignments to it
                return wrap(_Base.clone(self)) if copy else self
            return wrap(_no_parameter(self))
        return wrap(to_dtype(self, target))

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the values in another dtype (a dtype, its name or a numpy type), or on another device: torch's, or
        "CPU", "GPU", "Ascend".
        """
        if args and args[0].__class__ is str and args[0] in ("CPU", "GPU", "Ascend"):
            args = (CPU if args[0] == "CPU" else current_device(), *args[1:])
        elif not args and "other" in kwargs:
            args = (kwargs.pop("other"),)
        if (
            args and args[0] is not None and not isinstance(args[0], (torch.dtype, torch.device, torch.Tensor))
        ):  # None: as Module.to calls it
            try:
                args = (to_torch_dtype(args[0]), *args[1:])
            except TypeError:
                if not isinstance(args[0], str):  # a str may name a device
                    raise
        return wrap(_no_parameter(_Base.to(limited(self, *args, kwargs.get("dtype")), *args, **kwargs)))

    def type(self: Any, dtype: Any = None) -> Any:
        """Return the dtype's name as a str, or the values in another dtype."""
        if dtype is None:
            return dtype_name(self.dtype)
        return self.astype(dtype)

    def type_as(self: Any, other: Any) -> Any:
        """Return the values in the dtype of ``other``."""
        return self.astype(other.dtype)

    def copy(self: Any) -> Any:
        """Return a copy on new storage."""
        return wrap(_Base.clone(self))

    def value(self: Any) -> Any:
        """Return the tensor itself."""
        return self

    def set_dtype(self: Any, dtype: Any) -> Any:
        """Change this tensor in place to another dtype, and return it."""
        target = to_torch_dtype(dtype)
        self.data = to_dtype(_Base.detach(self), target)
        return target

    # --- initialization: data exist from the start ---

    @property
    def has_init(self) -> Any:
        return False

    @property
    def init(self) -> Any:
        """The Initializer of a tensor without values: always None here. Pruning scripts set None."""
        return None

    @init.setter
    def init(self, value: Any) -> None:
        if value is not None:
            raise UnsupportedError(
                "A Tensor that has its values takes no Initializer any more. Use set_data(initializer(...))."
            )

    param_info: Any = None

    def set_param_info(self, info: ParamInfo | None) -> None:
        """Store a record of a Parameter's attributes with a Tensor."""
        self.param_info = info

    def set_const_arg(self: Any, const_arg: Any = True) -> Any:
        """Do nothing: there is no graph compiler."""
        return self

    def init_data(self: Any, slice_index: Any = None, shape: Any = None, opt_shard_group: Any = None) -> Any:
        """Return the tensor itself."""
        return self

    def to_tensor(self: Any, slice_index: Any = None, shape: Any = None, opt_shard_group: Any = None) -> Any:
        """Return `init_data`, as in MindSpore 1.x."""
        return self.init_data(slice_index, shape, opt_shard_group)

    def flush_from_cache(self) -> None:
        """Do nothing: there is no cache."""

    def data_sync(self, wait: Any = True) -> None:
        """Do nothing: reading waits by itself."""

    # --- changing elements ---

    def assign_value(self: Any, value: Any) -> Any:
        """Take over the values, shape and dtype of ``value``."""
        if value.shape == self.shape and value.dtype is self.dtype:
            replace_values(self, value.detach())
        else:
            program.values_written()
            self._set_data(value.detach().clone())  # a program's subclass may let ``data`` be read only
        return self

    def itemset(self: Any, *args: Any) -> Any:
        """Return a copy with one element replaced: ``itemset(value)`` for the only one, ``itemset(index, value)`` with
        a flat or full index.
        """
        result = _Base.clone(self, memory_format=torch.contiguous_format)
        if len(args) == 1:
            result[...] = args[0]
        elif isinstance(args[0], tuple):
            result[args[0]] = args[1]
        else:
            _Base.view(result, -1)[args[0]] = args[1]
        return wrap(result)

    @with_dtype_fallback
    def fill(self: Any, value: Any) -> Any:
        """Return a tensor like this one filled with ``value``; None fills floats with nan."""
        if value is None:
            value = math.nan
        return wrap(
            torch.full_like(self, value.item() if isinstance(value, torch.Tensor) else value, requires_grad=False)
        )

    def get_bytes(self: Any) -> Any:
        """Return the values as bytes, each element in its dtype's width."""
        data = _Base.detach(self).cpu().resolve_conj().resolve_neg()
        return byte_view(plain(data.contiguous())).numpy().tobytes()

    # --- arithmetic and random values, by torch alone ---

    def multiply(self: Any, value: Any) -> Any:
        """Multiply by a number or Tensor, element by element."""
        return self * value

    def triangular_solve(
        self: Any, A: Any, upper: Any = True, transpose: Any = False, unitriangular: Any = False
    ) -> Any:
        """Return (solution of A x = self, A) for a triangular matrix."""
        matrix = torch.transpose(A, -1, -2) if transpose else A
        return wrap(
            (torch.linalg.solve_triangular(matrix, self, upper=upper != transpose, unitriangular=unitriangular), A)
        )

    def log_normal(self: Any, mean: Any = 1.0, std: Any = 2.0) -> Any:
        """Return a tensor like this one from the log-normal distribution."""
        return wrap(_Base.log_normal_(torch.empty_like(self), mean, std))

    def cauchy(self: Any, median: Any = 0.0, sigma: Any = 1.0) -> Any:
        """Return a tensor like this one from the Cauchy distribution."""
        return wrap(_Base.cauchy_(torch.empty_like(self), median, sigma))

    def uniform(self: Any, from_: Any = 0.0, to: Any = 1.0, generator: Any = None) -> Any:
        """Return a tensor like this one from [from_, to)."""
        return wrap(_Base.uniform_(torch.empty_like(self), from_, to, generator=generator_on(generator, self.device)))
