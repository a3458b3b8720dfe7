"""Decompositions of aten operators of arithmetic, indexing and shapes; layers are in ``decompose_layers.py``.

A row runs while tracing, so its own operators are recorded instead. Rows take aten's argument names; one may return
NotImplemented to keep the operator as it is.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
import torch._decomp
from torch._decomp import core_aten_decompositions

from mindspore_compat._graph.export import decompose_layers as layers

#: Results depend on shapes only, so they are constants of the file.
CREATION = frozenset(
    {
        "zeros_like",
        "ones_like",
        "full_like",
        "empty_like",
        "new_zeros",
        "new_ones",
        "new_full",
        "new_empty",
        "new_empty_strided",
    }
)


def as_axes(dim: Any, ndim: int) -> list[int]:
    """Return axes as non-negative ints; None and [] mean all."""
    if dim is None or dim == []:
        return list(range(ndim))
    return [axis % ndim for axis in (dim if isinstance(dim, (list, tuple)) else [dim])] if ndim else []


def _variance(self: Any, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    axes = as_axes(dim, self.dim())
    count = math.prod(self.shape[axis] for axis in axes)
    centred = self - torch.mean(self, axes, True)
    return torch.sum(centred * centred, axes, keepdim) / max(count - (1 if correction is None else correction), 0)


def _mean_beside(self: Any, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    return torch.mean(self, as_axes(dim, self.dim()), keepdim)


def _vector_norm(self: Any, ord: float = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    x, axes = self if dtype is None else self.to(dtype), as_axes(dim, self.dim())
    if ord == 2:
        return torch.sqrt(torch.sum(x * x, axes, keepdim))
    if ord == 1:
        return torch.sum(torch.abs(x), axes, keepdim)
    if math.isinf(ord):
        return (torch.amax if ord > 0 else torch.amin)(torch.abs(x), axes, keepdim)
    if ord == 0:
        return torch.sum(torch.ne(x, 0).to(x.dtype), axes, keepdim)
    return torch.pow(torch.sum(torch.pow(torch.abs(x), ord), axes, keepdim), 1.0 / ord)


def _logsumexp(self: Any, dim: Any, keepdim: bool = False) -> Any:
    top = torch.amax(self, dim, True)
    result = torch.log(torch.sum(torch.exp(self - top), dim, True)) + top
    return result if keepdim else torch.squeeze(result, tuple(as_axes(dim, self.dim())))


def _select_scatter(self: Any, src: Any, dim: int, index: int) -> Any:
    return _slice_scatter(self, torch.unsqueeze(src, dim), dim, index % self.shape[dim], index % self.shape[dim] + 1)


def _slice_scatter(
    self: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Take each row from ``src`` or ``self``: by a constant index into both, one behind the other."""
    size = self.shape[dim]
    taken = range(*slice(start, end, step).indices(size))
    if step == 1:
        parts = [torch.narrow(self, dim, 0, taken.start), src, torch.narrow(self, dim, taken.stop, size - taken.stop)]
        return torch.cat([part for part in parts if part.shape[dim]], dim)
    place = {row: size + number for number, row in enumerate(taken)}
    return torch.index_select(
        torch.cat([self, src], dim), dim, torch.tensor([place.get(row, row) for row in range(size)], device=self.device)
    )


def _roll(self: Any, shifts: Any, dims: Any = ()) -> Any:
    if not dims:
        return torch.reshape(_roll(torch.reshape(self, (-1,)), shifts, [0]), tuple(self.shape))
    for shift, dim in zip(shifts, dims):
        cut = (-shift) % self.shape[dim]
        if cut:
            self = torch.cat(
                [torch.narrow(self, dim, cut, self.shape[dim] - cut), torch.narrow(self, dim, 0, cut)], dim
            )
    return self


def _linear(indices: list[Any], sizes: list[int]) -> Any:
    """Return one index into axes of ``sizes`` taken as one axis."""
    rows: Any = 0
    for index, size in zip(torch.broadcast_tensors(*indices), sizes):
        rows = rows * size + torch.where(index < 0, index + size, index)
    return rows


def _index(self: Any, indices: Any) -> Any:
    """Turn index tensors into one index into one axis; the result of a bool mask has no fixed shape."""
    given = [axis for axis, index in enumerate(indices) if index is not None]
    if any(indices[axis].dtype in (torch.bool, torch.uint8) for axis in given):
        return NotImplemented
    if given != list(range(given[0], given[-1] + 1)):  # not adjacent: bring them to the front, as in the result
        rest = [axis for axis in range(self.dim()) if axis not in given]
        return _index(torch.permute(self, given + rest), [indices[axis] for axis in given])
    sizes = [self.shape[axis] for axis in given]
    rows = _linear([indices[axis] for axis in given], sizes)
    before, after = list(self.shape[: given[0]]), list(self.shape[given[-1] + 1 :])
    picked = torch.index_select(
        torch.reshape(self, before + [math.prod(sizes)] + after), len(before), torch.reshape(rows, (-1,))
    )
    return torch.reshape(picked, before + list(rows.shape) + after)


def _index_put(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Write a number by a bool mask, or values at index tensors for the first axes."""
    if any(index is None for index in indices):
        return NotImplemented
    if any(index.dtype in (torch.bool, torch.uint8) for index in indices):
        if len(indices) > 1 or values.numel() > 1 or accumulate:
            return NotImplemented
        mask = torch.reshape(indices[0], list(indices[0].shape) + [1] * (self.dim() - indices[0].dim()))
        return torch.where(mask, torch.reshape(values, ()), self)
    sizes, after = list(self.shape[: len(indices)]), list(self.shape[len(indices) :])
    rows, width = _linear(list(indices), sizes), math.prod(after)
    updates = torch.reshape(torch.broadcast_to(values, list(rows.shape) + after), (-1, width))
    places = torch.broadcast_to(torch.reshape(rows, (-1, 1)), tuple(updates.shape))
    flat = torch.reshape(self, (math.prod(sizes), width))
    return torch.reshape(
        (torch.scatter_add if accumulate else torch.scatter)(flat, 0, places, updates), tuple(self.shape)
    )


def _scatter(self: Any, dim: int, index: Any, src: Any = None, value: Any = None, reduce: str = "") -> Any:
    """Return numbers as a tensor of the index's shape, and ``src`` cut to that shape."""
    if reduce or (src is not None and tuple(src.shape) == tuple(index.shape)):
        return NotImplemented
    if src is None:
        return torch.scatter(
            self, dim, index, torch.full(tuple(index.shape), value, dtype=self.dtype, device=self.device)
        )
    for axis, size in enumerate(index.shape):
        src = torch.narrow(src, axis, 0, size)
    return torch.scatter(self, dim, index, src)


def _scatter_reduce(self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> Any:
    return torch.scatter_add(self, dim, index, src) if reduce == "sum" and include_self else NotImplemented


def _diagonal(self: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    first, second = dim1 % self.dim(), dim2 % self.dim()
    rest = [axis for axis in range(self.dim()) if axis not in (first, second)]
    rows, columns = self.shape[first], self.shape[second]
    places = [row * columns + row + offset for row in range(rows) if 0 <= row + offset < columns]
    flat = torch.reshape(
        torch.permute(self, [*rest, first, second]), [self.shape[axis] for axis in rest] + [rows * columns]
    )
    return torch.index_select(flat, len(rest), torch.tensor(places, dtype=torch.int64, device=self.device))


def _diag_embed(self: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    if offset or (dim1, dim2) != (-2, -1):
        return NotImplemented
    hit = torch.eye(self.shape[-1], device=self.device) > 0
    return torch.where(hit, torch.unsqueeze(self, -1), _zero(self))


def _cdist(x1: Any, x2: Any, p: float, compute_mode: Any = None) -> Any:
    return _vector_norm(torch.unsqueeze(x1, -2) - torch.unsqueeze(x2, -3), p, [-1])


def _nan_to_num(self: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    limits = torch.finfo(self.dtype)
    for hit, value in (
        (torch.isnan(self), nan or 0.0),
        (self == math.inf, limits.max if posinf is None else posinf),
        (self == -math.inf, limits.min if neginf is None else neginf),
    ):
        self = torch.where(hit, _number(value, self), self)
    return self


def _clamp(self: Any, min: Any = None, max: Any = None) -> Any:
    for limit, pick in ((min, torch.maximum), (max, torch.minimum)):
        if limit is not None:
            self = pick(self, _number(limit, self))
    return self


def _round(self: Any, decimals: int = 0) -> Any:
    if not self.dtype.is_floating_point:
        return torch.clone(self) if decimals >= 0 else NotImplemented
    if decimals > 0:
        return torch.round(self * 10.0**decimals) / 10.0**decimals
    return torch.round(self / 10.0**-decimals) * 10.0**-decimals if decimals else NotImplemented


def _pow(self: Any, exponent: Any) -> Any:
    """Compute integer powers as products."""
    if isinstance(self, torch.Tensor) and type(exponent) is int and 0 < exponent <= 16:
        return functools.reduce(lambda result, _: result * self, range(exponent - 1), self)
    return NotImplemented


def _topk(self: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Reduce any axis and either end to the largest along the last axis."""
    moved = torch.transpose(self, dim, -1)
    values, places = torch.topk(moved if largest else -moved, k, -1, True, sorted)
    return torch.transpose(values if largest else -values, dim, -1), torch.transpose(places, dim, -1)


def _split(self: Any, split_size: Any, dim: int = 0) -> Any:
    sizes = (
        split_size
        if isinstance(split_size, (list, tuple))
        else [min(split_size, self.shape[dim] - start) for start in range(0, self.shape[dim], split_size)]
    )
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    return [torch.narrow(self, dim, start, size) for start, size in zip(starts, sizes)]


def _zero(like: Any) -> Any:
    return torch.zeros((), dtype=like.dtype, device=like.device)


def _lerp(self: Any, end: Any, weight: Any) -> Any:
    """Interpolate as torch, which counts from the nearer side; `ops.lerp` has no operator of its own."""
    from_start, from_end = self + (end - self) * weight, end - (end - self) * (1 - weight)
    if isinstance(weight, torch.Tensor):
        return torch.where(torch.abs(weight) < 0.5, from_start, from_end)
    return from_start if abs(weight) < 0.5 else from_end


def _scaled(x: Any, factor: Any) -> Any:
    return x if factor == 1 else x * factor


def _number(value: Any, like: Any) -> Any:
    return (
        value.to(like.dtype)
        if isinstance(value, torch.Tensor)
        else torch.full((), value, dtype=like.dtype, device=like.device)
    )


#: By aten's name without overload.
DECOMPOSITIONS: dict[str, Callable[..., Any]] = {
    **layers.DECOMPOSITIONS,
    "addcmul": lambda self, tensor1, tensor2, value=1: self + _scaled(tensor1 * tensor2, value),
    "addcdiv": lambda self, tensor1, tensor2, value=1: self + _scaled(tensor1 / tensor2, value),
    "lerp": _lerp,
    "baddbmm": lambda self, batch1, batch2, beta=1, alpha=1: (
        _scaled(self, beta) + _scaled(torch.bmm(batch1, batch2), alpha)
    ),
    "addmv": lambda self, mat, vec, beta=1, alpha=1: (
        _scaled(self, beta) + _scaled(torch.squeeze(torch.mm(mat, torch.unsqueeze(vec, 1)), 1), alpha)
    ),
    "mv": lambda self, vec: torch.squeeze(torch.mm(self, torch.unsqueeze(vec, 1)), 1),
    "dot": lambda self, tensor: torch.sum(self * tensor),
    "std": lambda **kwargs: torch.sqrt(_variance(**kwargs)),
    "var": _variance,
    "var_mean": lambda **kwargs: (_variance(**kwargs), _mean_beside(**kwargs)),
    "std_mean": lambda **kwargs: (torch.sqrt(_variance(**kwargs)), _mean_beside(**kwargs)),
    "linalg_vector_norm": _vector_norm,
    "_cdist_forward": _cdist,
    "logsumexp": _logsumexp,
    "select_scatter": _select_scatter,
    "slice_scatter": _slice_scatter,
    "scatter": _scatter,
    "scatter_reduce": _scatter_reduce,
    "roll": _roll,
    "index": _index,
    "index_put": _index_put,
    "diagonal": _diagonal,
    "diag_embed": _diag_embed,
    "topk": _topk,
    "trace": lambda self: torch.sum(_diagonal(self)),
    "split": _split,
    "split_with_sizes": lambda self, split_sizes, dim=0: _split(self, split_sizes, dim),
    "unbind": lambda self, dim=0: [torch.select(self, dim, index) for index in range(self.shape[dim])],
    "masked_fill": lambda self, mask, value: torch.where(mask, _number(value, self), self),
    "tril": lambda self, diagonal=0: torch.where(
        torch.ones(self.shape[-2:], device=self.device).tril(diagonal) > 0, self, _zero(self)
    ),
    "triu": lambda self, diagonal=0: torch.where(
        torch.ones(self.shape[-2:], device=self.device).triu(diagonal) > 0, self, _zero(self)
    ),
    "square": lambda self: self * self,
    "clamp_min": lambda self, min: torch.clamp(self, min=min),
    "clamp_max": lambda self, max: torch.clamp(self, max=max),
    "round": _round,
    "pow": _pow,
    **dict.fromkeys(
        ("ceil", "floor"), lambda self: NotImplemented if self.dtype.is_floating_point else torch.clone(self)
    ),
    "nan_to_num": _nan_to_num,
    "maximum": lambda self, other: torch.where(self > other, self, other),
    "minimum": lambda self, other: torch.where(self < other, self, other),
    "clamp": _clamp,
    "stack": lambda tensors, dim=0: torch.cat([torch.unsqueeze(item, dim) for item in tensors], dim),
    "isfinite": lambda self: torch.abs(self) < math.inf,
    "trunc": lambda self: torch.sign(self) * torch.floor(torch.abs(self)),
    "frac": lambda self: self - torch.trunc(self),
    "fmod": lambda self, other: self - torch.div(self, other, rounding_mode="trunc") * other,
    "exp2": lambda self: torch.pow(2.0, self),
    "log2": lambda self: torch.log(self) / math.log(2),
    "log10": lambda self: torch.log(self) / math.log(10),
    "expm1": lambda self: torch.exp(self) - 1,
    "log1p": lambda self: torch.log(self + 1),
    "rsqrt": lambda self: torch.reciprocal(torch.sqrt(self)),
    "erfc": lambda self: 1 - torch.erf(self),
}


@functools.cache
def torch_decompositions() -> dict[Any, Callable[..., Any]]:
    """Return torch's own decompositions by overload, for operators without a row here: losses, gradients. Call one as
    the overload.

    Decompositions of gradients into non-core operators are included, since no format has any of them.
    """
    every = torch._decomp.decomposition_table
    return {op: row for op, row in every.items() if "_backward" in str(op)} | dict(core_aten_decompositions())
