"""Tensor methods whose arguments are not those of the function of their name; torch's call form works, too, if there is
one. `install_methods` puts them on `Tensor`, with the methods that operators' declarations name (``METHODS``).

Methods without an operator are in ``_tensor/``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.former_names import or_older_meaning, renamed_args
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._ops import clip, elementwise, indexing, linalg, random, reduction, shape
from mindspore_compat._ops.activation import softmax
from mindspore_compat._ops.adapt import as_plain
from mindspore_compat._ops.declare import METHODS
from mindspore_compat._ops.former import FORMER, norm_before_2_0
from mindspore_compat._ops.other import Load
from mindspore_compat._tensor.indexing import as_indices
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor

_Base = torch._C.TensorBase
_torchs_add, _torchs_sub, _torchs_ldexp = Tensor.add, Tensor.sub, Tensor.ldexp


def _operand(self: Any, other: Any, alpha: Any) -> Any:
    """Return other * alpha for ``add`` and ``sub``."""
    if other.__class__ in (list, tuple):
        other = as_plain(other, like=self)
    is_bool = isinstance(other, torch.Tensor) and other.dtype is torch.bool
    if is_bool and self.dtype is not torch.bool:
        other, is_bool = _Base.to(other, self.dtype), False
    if not isinstance(alpha, torch.Tensor) and alpha == 1:
        return other
    if is_bool:
        return other if alpha else torch.zeros_like(other)
    return other * alpha


class _OwnArguments:
    @renamed_args(y="other")
    def add(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        """Return self + alpha * other."""
        return _torchs_add(self, _operand(self, other, alpha))

    @renamed_args(y="other")
    def sub(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        """Return self - alpha * other."""
        operand = _operand(self, other, alpha)
        if self.dtype is torch.bool and isinstance(operand, torch.Tensor):
            self = _Base.to(self, operand.dtype)
        return _torchs_sub(self, operand)

    def ldexp(self: Any, other: Any) -> Any:
        """Return self * 2 ** other."""
        if not isinstance(other, torch.Tensor):
            other = torch.as_tensor(int(other) if isinstance(other, bool) else other, device=self.device)
        if not other.dtype.is_floating_point:
            other = _Base.to(other, torch.float32)  # as in the function
        return _torchs_ldexp(self, other)

    @functools.wraps(indexing.index_add)
    def index_add(self: Any, *args: Any, **kwargs: Any) -> Any:
        if (args and isinstance(args[0], int)) or "dim" in kwargs:  # torch's (dim, index, source, *, alpha=1)
            given = {**dict(zip(("dim", "index", "source"), args)), **kwargs}
            given["index"] = as_indices(given["index"], self)
            return wrap(_Base.index_add(self, **given))
        return indexing.index_add(self, *args, **kwargs)

    @functools.wraps(shape.permute)
    def permute(self: Any, *args: Any, **kwargs: Any) -> Any:
        axes = kwargs.get("dims", kwargs.get("axis")) if kwargs else (args[0] if args else None)
        if axes is None:  # the axes in reverse
            return shape.permute(self, tuple(range(_Base.dim(self) - 1, -1, -1)))
        return shape.permute(self, axes) if kwargs else shape.permute(self, *args)

    def addmv(self: Any, mat: Any, vec: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        """Return beta * self + alpha * (mat @ vec)."""
        return linalg.addmv(self, mat, vec, beta=beta, alpha=alpha)

    def addr(self: Any, vec1: Any, vec2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        """Return beta * self + alpha * outer(vec1, vec2)."""
        return linalg.addr(self, vec1, vec2, beta=beta, alpha=alpha)

    def clip(
        self: Any, min: Any = None, max: Any = None, dtype: Any = None, *, xmin: Any = None, xmax: Any = None
    ) -> Any:
        """Clip to [min, max] (``xmin``, ``xmax`` and ``dtype`` in 1.x)."""
        result = clip.clamp(self, xmin if min is None else min, xmax if max is None else max)
        return result if dtype is None else result.astype(dtype)

    def reverse_sequence(self: Any, seq_lengths: Any, seq_dim: int = 0, batch_dim: int = 0) -> Any:
        """Reverse the first ``seq_lengths`` steps of each batch element."""
        return shape.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)

    def round(self: Any, decimals: Any = 0) -> Any:
        """Round half to even, to ``decimals`` places."""
        if decimals >= 0 and not self.dtype.is_floating_point and not self.dtype.is_complex:
            return wrap(_Base.clone(self))
        return elementwise.round(self, decimals=decimals)

    def diff(self: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
        """Return the n-th difference along ``axis``."""
        return reduction.diff(self, n, axis, prepend, append)

    def swapaxes(self: Any, axis0: Any = None, axis1: Any = None, *, axis2: Any = None) -> Any:
        """Exchange two axes: ``axis0`` and ``axis1``; in 1.x ``axis1`` and ``axis2``."""
        return shape.swapaxes(self, *(axis for axis in (axis0, axis1, axis2) if axis is not None))

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
        return shape.expand_as(self, x if other is None else other)

    def multinomial(self: Any, num_samples: Any, replacement: Any = True, seed: Any = None) -> Any:
        """Draw int32 classes by the weights in the last axis."""
        return random.multinomial(self, num_samples, replacement, seed)

    def softmax(self: Any, axis: Any = -1, dtype: Any = None) -> Any:
        """Return exp(x) normalized to sum 1 along ``axis``."""
        return softmax(self, axis, dtype=dtype)

    def fill_diagonal(self: Any, fill_value: Any, wrap: Any = False) -> Any:
        """Return a copy with a value on the main diagonal."""
        return indexing.fill_diagonal(self, fill_value, wrap)

    def qr(self: Any, some: Any = True) -> Any:
        """Return (Q, R), square Q unless ``some``."""
        return linalg.qr(self, "reduced" if some else "complete")

    def narrow(self: Any, axis: Any = None, start: Any = None, length: Any = None, *, dim: Any = None) -> Any:
        """Return ``length`` slices of ``axis`` from ``start``."""
        return indexing.narrow(self, dim if axis is None else axis, start, length)

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
        return indexing.gather(self, bound["input_indices"], bound["axis"], bound.get("batch_dims", 0))

    def select(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Return self where the condition holds, else y, as ``select(condition, y)``; torch's ``select(dim, index)``
        returns one slice.
        """
        if (args and isinstance(args[0], torch.Tensor)) or "condition" in kwargs:
            condition = args[0] if args else kwargs["condition"]
            y = args[1] if len(args) > 1 else kwargs["y"]
            return indexing.select(condition, self, y)
        dim = kwargs.pop("dim", kwargs.pop("axis", None)) if not args else args[0]
        return wrap(_Base.select(self, dim, args[1] if len(args) > 1 else kwargs["index"]))

    @renamed_args(other="y")
    def where(self: Any, condition: Any, y: Any) -> Any:
        """Return self where the condition holds, else ``y``."""
        return indexing.select(condition, self, y)

    def scatter_add(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Add at coordinates, as ``scatter_add(indices, updates)``; torch's ``scatter_add(dim, index, src)`` adds
        elements.
        """
        if len(args) + len(kwargs) == 3:
            values = {**dict(zip(("dim", "index", "src"), args)), **kwargs}
            return wrap(_Base.scatter_add(self, values["dim"], as_indices(values["index"], self), values["src"]))
        return indexing.tensor_scatter_add(self, *args, **kwargs)


def _size_and_dtype(size: tuple, kwargs: dict[str, Any]) -> tuple:
    """Return ``(size, dtype)`` by position, as in MindSpore; the dtype goes to the keywords, as torch has it."""
    if len(size) == 2 and isinstance(size[1], torch.dtype):
        kwargs["dtype"] = size[1]
        return size[:1]
    return size


def _load(self: Any) -> Any:
    """Return the operator ``P.Load()``, which copies the present values of a Parameter."""
    return Load()


def _int32_of_bools(inner: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a method that gives int32 of bools and an int in compiled code, and int64 in PyNative mode."""

    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "value" in kwargs or "other" in kwargs:
            args = (*args, kwargs.pop("value", None) if "value" in kwargs else kwargs.pop("other"))
        result = inner(self, *args, **kwargs)
        if self.dtype is torch.bool and type(args[0]) is int and in_graph():
            return wrap(_Base.to(result, torch.int32))
        return result

    return method


def install_methods() -> None:
    """Complete ``METHODS``, and install them on `Tensor`."""
    METHODS.update((name, or_older_meaning(*FORMER[name])(METHODS[name])) for name in FORMER if name in METHODS)
    METHODS.update((name, method) for name, method in vars(_OwnArguments).items() if not name.startswith("_"))
    METHODS.update(
        bernoulli=or_older_meaning(random.bernoulli, 0, (), "seed")(Tensor.bernoulli),
        fmod=_int32_of_bools(METHODS["fmod"]),
        multiply=_int32_of_bools(Tensor.multiply),
        norm=or_older_meaning(norm_before_2_0, 0, (), "axis keep_dims epsilon")(Tensor.norm),
        split=or_older_meaning(shape.split, 0, (), "output_num")(Tensor.split),
    )
    for name, method in METHODS.items():
        setattr(Tensor, name, method)
    Parameter.load = property(_load)  # type: ignore[attr-defined]


install_methods()
