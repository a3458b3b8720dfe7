"""Tensor methods that are operators, installed when `mindspore_compat.ops` loads. MindSpore: ``mindspore.Tensor``.

Methods without an operator are in ``common/tensor.py`` and its mixins.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._ops.declare import METHODS
from mindspore_compat._ops.former import FORMER
from mindspore_compat._ops.indexing import fill_diagonal
from mindspore_compat._ops.other import Load
from mindspore_compat._tensor.indexing import as_indices
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.ops import function as F
from mindspore_compat.ops._compiled_methods import install_compiled_methods
from mindspore_compat.ops._method_spellings import install_spellings
from mindspore_compat.ops._sparse_methods import install_sparse_methods

__all__ = ["METHODS"]

_Base = torch._C.TensorBase


class _OwnArguments:
    """Methods whose arguments differ from the function's; torch's call form works, too, if there is one."""

    def addmv(self: Any, mat: Any, vec: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        """Return beta * self + alpha * (mat @ vec)."""
        return F.addmv(self, mat, vec, beta=beta, alpha=alpha)

    def addr(self: Any, vec1: Any, vec2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        """Return beta * self + alpha * outer(vec1, vec2)."""
        return F.addr(self, vec1, vec2, beta=beta, alpha=alpha)

    def clip(
        self: Any, min: Any = None, max: Any = None, dtype: Any = None, *, xmin: Any = None, xmax: Any = None
    ) -> Any:
        """Clip to [min, max] (``xmin``, ``xmax`` and ``dtype`` in 1.x)."""
        result = F.clamp(self, xmin if min is None else min, xmax if max is None else max)
        return result if dtype is None else result.astype(dtype)

    def reverse_sequence(self: Any, seq_lengths: Any, seq_dim: int = 0, batch_dim: int = 0) -> Any:
        """Reverse the first ``seq_lengths`` steps of each batch element."""
        return F.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)

    def round(self: Any, decimals: Any = 0) -> Any:
        """Round half to even, to ``decimals`` places."""
        return F.round(self, decimals=decimals)

    def diff(self: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
        """Return the n-th difference along ``axis``."""
        return F.diff(self, n, axis, prepend, append)

    def swapaxes(self: Any, axis0: Any = None, axis1: Any = None, *, axis2: Any = None) -> Any:
        """Exchange two axes: ``axis0`` and ``axis1``; in 1.x ``axis1`` and ``axis2``."""
        return F.swapaxes(self, *(axis for axis in (axis0, axis1, axis2) if axis is not None))

    def new_ones(self: Any, *size: Any, **kwargs: Any) -> Any:
        """Return ones of a size, in ``dtype`` or that of this tensor; torch's ``new_ones(*sizes)`` as well."""
        return wrap(_Base.new_ones(self, *_size_and_dtype(size, kwargs), **kwargs))

    def new_zeros(self: Any, *size: Any, **kwargs: Any) -> Any:
        """Return zeros, as `new_ones`."""
        return wrap(_Base.new_zeros(self, *_size_and_dtype(size, kwargs), **kwargs))

    def expand(self: Any, *size: Any, **kwargs: Any) -> Any:
        """Broadcast to a size: ints, a sequence of them or a Tensor."""
        if len(size) == 1 and isinstance(size[0], torch.Tensor):
            size = (size[0].tolist(),)
        return wrap(_Base.expand(self, *size, **kwargs))

    def expand_as(self: Any, other: Any = None, *, x: Any = None) -> Any:
        """Broadcast to the shape of ``other`` (``x`` in PyNative's older form)."""
        return F.expand_as(self, x if other is None else other)

    def multinomial(self: Any, num_samples: Any, replacement: Any = True, seed: Any = None) -> Any:
        """Draw int32 classes by the weights in the last axis."""
        return F.multinomial(self, num_samples, replacement, seed)

    def softmax(self: Any, axis: Any = -1, dtype: Any = None) -> Any:
        """Return exp(x) normalized to sum 1 along ``axis``."""
        return F.softmax(self, axis, dtype=dtype)

    def fill_diagonal(self: Any, fill_value: Any, wrap: Any = False) -> Any:
        """Return a copy with a value on the main diagonal."""
        return fill_diagonal(self, fill_value, wrap)

    def qr(self: Any, some: Any = True) -> Any:
        """Return (Q, R), square Q unless ``some``."""
        return F.qr(self, "reduced" if some else "complete")

    def narrow(self: Any, axis: Any = None, start: Any = None, length: Any = None, *, dim: Any = None) -> Any:
        """Return ``length`` slices of ``axis`` from ``start``."""
        return F.narrow(self, dim if axis is None else axis, start, length)

    def gather(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Return slices, as ``gather(input_indices, axis, batch_dims=0)``; torch's ``gather(dim, index)`` returns
        elements.
        """
        if (args and isinstance(args[0], int)) or "index" in kwargs or "dim" in kwargs:
            dim = args[0] if args else kwargs["dim"]
            index = args[1] if len(args) > 1 else kwargs["index"]
            return wrap(_Base.gather(self, dim, as_indices(index, self)))
        names = ("input_indices", "axis", "batch_dims")
        bound = {**dict(zip(names, args)), **kwargs}
        return F.gather(self, bound["input_indices"], bound["axis"], bound.get("batch_dims", 0))

    def select(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Return self where the condition holds, else y, as ``select(condition, y)``; torch's ``select(dim, index)``
        returns one slice.
        """
        if (args and isinstance(args[0], torch.Tensor)) or "condition" in kwargs:
            condition = args[0] if args else kwargs["condition"]
            y = args[1] if len(args) > 1 else kwargs["y"]
            return F.select(condition, self, y)
        dim = kwargs.pop("dim", kwargs.pop("axis", None)) if not args else args[0]
        return wrap(_Base.select(self, dim, args[1] if len(args) > 1 else kwargs["index"]))

    def where(self: Any, condition: Any, y: Any) -> Any:
        """Return self where the condition holds, else ``y``."""
        return F.select(condition, self, y)

    def scatter_add(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Add at coordinates, as ``scatter_add(indices, updates)``; torch's ``scatter_add(dim, index, src)`` adds
        elements.
        """
        if len(args) + len(kwargs) == 3:
            values = {**dict(zip(("dim", "index", "src"), args)), **kwargs}
            return wrap(_Base.scatter_add(self, values["dim"], as_indices(values["index"], self), values["src"]))
        return F.tensor_scatter_add(self, *args, **kwargs)


def _size_and_dtype(size: tuple, kwargs: dict[str, Any]) -> tuple:
    """Return ``(size, dtype)`` by position, as in MindSpore; the dtype goes to the keywords, as torch has it."""
    if len(size) == 2 and isinstance(size[1], torch.dtype):
        kwargs["dtype"] = size[1]
        return size[:1]
    return size


def _load(self: Any) -> Any:
    """Return the operator ``P.Load()``, which copies the present values of a Parameter."""
    return Load()


METHODS |= {name: getattr(F, name) for name in FORMER if name in METHODS}
METHODS |= {name: method for name, method in vars(_OwnArguments).items() if not name.startswith("_")}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
install_spellings()
install_compiled_methods()
install_sparse_methods()
Parameter.load = property(_load)  # type: ignore[attr-defined]
