"""aten operators in terms of simpler ones. A row is run while tracing, so what it calls is written down instead of the operator.

Rows take aten's argument names; one may answer NotImplemented to keep the operator as it is.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as tf

__all__ = ["CREATION", "DECOMPOSITIONS", "as_axes"]

#: Results depend on shapes only, so they are constants of the file.
CREATION = frozenset({"zeros_like", "ones_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided"})


def as_axes(dim: Any, ndim: int) -> list[int]:
    """Axes as non-negative ints; None and [] mean all."""
    if dim is None or dim == []:
        return list(range(ndim))
    return [axis % ndim for axis in (dim if isinstance(dim, (list, tuple)) else [dim])] if ndim else []


def _variance(self: Any, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    axes = as_axes(dim, self.dim())
    count = math.prod(self.shape[axis] for axis in axes)
    centred = self - torch.mean(self, axes, True)
    return torch.sum(centred * centred, axes, keepdim) / max(count - (1 if correction is None else correction), 0)


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


def _slice_scatter(self: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """Row by row from ``src`` or ``self``: a constant index into both, one behind the other."""
    size = self.shape[dim]
    taken = range(*slice(start, end, step).indices(size))
    if step == 1:
        parts = [torch.narrow(self, dim, 0, taken.start), src, torch.narrow(self, dim, taken.stop, size - taken.stop)]
        return torch.cat([part for part in parts if part.shape[dim]], dim)
    place = {row: size + number for number, row in enumerate(taken)}
    return torch.index_select(torch.cat([self, src], dim), dim, torch.tensor([place.get(row, row) for row in range(size)], device=self.device))


def _roll(self: Any, shifts: Any, dims: Any = ()) -> Any:
    if not dims:
        return torch.reshape(_roll(torch.reshape(self, (-1,)), shifts, [0]), tuple(self.shape))
    for shift, dim in zip(shifts, dims):
        cut = (-shift) % self.shape[dim]
        if cut:
            self = torch.cat([torch.narrow(self, dim, cut, self.shape[dim] - cut), torch.narrow(self, dim, 0, cut)], dim)
    return self


def _pad_by_index(index_of: Callable[[int, int], int]) -> Callable[..., Any]:
    def pad(self: Any, padding: Any) -> Any:
        for number in range(len(padding) // 2):
            axis = self.dim() - 1 - number
            size = self.shape[axis]
            rows = [index_of(row, size) for row in range(-padding[2 * number], size + padding[2 * number + 1])]
            if rows != list(range(size)):
                self = torch.index_select(self, axis, torch.tensor(rows, device=self.device))
        return self
    return pad


_reflect = _pad_by_index(lambda row, size: -row if row < 0 else 2 * (size - 1) - row if row >= size else row)
_replicate = _pad_by_index(lambda row, size: min(max(row, 0), size - 1))


def _index(self: Any, indices: Any) -> Any:
    """Index tensors: one becomes index_select, several neighbours one linear index; bool masks have no fixed shape."""
    given = [axis for axis, index in enumerate(indices) if index is not None]
    if any(indices[axis].dtype in (torch.bool, torch.uint8) for axis in given):
        return NotImplemented
    if given != list(range(given[0], given[-1] + 1)):  # apart from each other: bring them to the front, as the result has them
        rest = [axis for axis in range(self.dim()) if axis not in given]
        return _index(torch.permute(self, given + rest), [indices[axis] for axis in given])
    rows = torch.broadcast_tensors(*[indices[axis] for axis in given])
    sizes = [self.shape[axis] for axis in given]
    linear: Any = 0
    for row, size in zip(rows, sizes):
        linear = linear * size + torch.where(row < 0, row + size, row)
    before, after = list(self.shape[:given[0]]), list(self.shape[given[-1] + 1:])
    flat = torch.reshape(self, before + [math.prod(sizes)] + after)
    picked = torch.index_select(flat, len(before), torch.reshape(linear, (-1,)))
    return torch.reshape(picked, before + list(rows[0].shape) + after)


def _index_put(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    if len(indices) == 1 and indices[0] is not None and indices[0].dtype is torch.bool and values.numel() == 1 and not accumulate:
        mask = torch.reshape(indices[0], list(indices[0].shape) + [1] * (self.dim() - indices[0].dim()))
        return torch.where(mask, torch.reshape(values, ()), self)
    return NotImplemented


def _adaptive_cut(size: int, wanted: int) -> list[tuple[int, int]]:
    return [(index * size // wanted, -(-(index + 1) * size // wanted)) for index in range(wanted)]


def _adaptive(pool: Callable[..., Any], reduce: Callable[..., Any]) -> Callable[..., Any]:
    """To a fixed size over the last two axes: one window size where it divides, else a reduction for each place."""
    def adaptive(self: Any, output_size: Any) -> Any:
        height, width = self.shape[-2:]
        rows, columns = output_size
        if (rows, columns) == (height, width):
            return torch.clone(self)
        if (rows, columns) == (1, 1):
            return reduce(self, [-2, -1], True)
        if height % rows == 0 and width % columns == 0:
            return pool(self, (height // rows, width // columns), (height // rows, width // columns))
        strips = [torch.cat([reduce(self[..., top:bottom, left:right], [-2, -1], True) for left, right in _adaptive_cut(width, columns)], -1)
                  for top, bottom in _adaptive_cut(height, rows)]
        return torch.cat(strips, -2)
    return adaptive


_adaptive_avg = _adaptive(tf.avg_pool2d, torch.mean)
_adaptive_max = _adaptive(tf.max_pool2d, torch.amax)


def _group_norm(input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float) -> Any:
    shape, groups = tuple(input.shape), torch.reshape(input, (N, group, -1))
    mean = torch.mean(groups, [2], True)
    spread = torch.rsqrt(torch.mean(torch.square(groups - mean), [2], True) + eps)
    result = torch.reshape((groups - mean) * spread, shape)
    around = (1, C) + (1,) * (len(shape) - 2)
    if weight is not None:
        result = result * torch.reshape(weight, around)
    if bias is not None:
        result = result + torch.reshape(bias, around)
    return result, torch.reshape(mean, (N, group)), torch.reshape(spread, (N, group))


def _window_counts(size: int, kernel: int, stride: int, pad: int, ceil: bool, include_pad: bool) -> tuple[list[int], int]:
    """(how many elements each window of a mean counts, zeros needed behind the input), by torch's rules."""
    count = (-(-(size + 2 * pad - kernel) // stride) if ceil else (size + 2 * pad - kernel) // stride) + 1
    if ceil and (count - 1) * stride >= size + pad:
        count -= 1
    counts = []
    for start in range(-pad, -pad + count * stride, stride):
        end = min(start + kernel, size + pad)
        counts.append(end - start if include_pad else min(end, size) - max(start, 0))
    return counts, max(0, (count - 1) * stride + kernel - size - pad)


def _spread(value: Any, count: int) -> list[int]:
    return list(value) * count if len(value) == 1 else list(value)


def _pooled(pool: Callable[..., Any], lowest: bool) -> Callable[..., Any]:
    """Pooling with padding as padding and then pooling; means are corrected by a constant where windows count fewer elements."""
    def pooling(self: Any, kernel_size: Any, stride: Any = (), padding: Any = (0,), ceil_mode: bool = False, count_include_pad: bool = True,
                divisor_override: Any = None, dilation: Any = (1,)) -> Any:
        spatial = 3 if pool in (tf.avg_pool3d, tf.max_pool3d) else 2
        kernel, pad = _spread(kernel_size, spatial), _spread(padding, spatial)
        step = _spread(stride, spatial) if stride else kernel
        if any(item != 1 for item in dilation):
            return NotImplemented
        found = [_window_counts(*item, ceil_mode, count_include_pad) for item in zip(self.shape[-spatial:], kernel, step, pad)]
        sides = [side for axis in range(spatial - 1, -1, -1) for side in (pad[axis], found[axis][1])]
        fill = (-math.inf if self.dtype.is_floating_point else torch.iinfo(self.dtype).min) if lowest else 0.0
        result = pool(tf.pad(self, sides, "constant", fill) if any(sides) else self, tuple(kernel), tuple(step))
        if lowest:
            return result, None
        factor = torch.ones((), dtype=torch.float64)
        for axis, (counts, _) in enumerate(found):
            along = [kernel[axis] / (number if divisor_override is None else 1) for number in counts]
            factor = factor * torch.tensor(along, dtype=torch.float64).reshape([-1] + [1] * (spatial - 1 - axis))
        factor = factor / (divisor_override or 1)
        return result if all(number == 1 for number in factor.flatten().tolist()) else result * factor.to(self.device, self.dtype)
    return pooling


def _convolution(input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int) -> Any:
    """Over one axis as over two."""
    if weight.dim() != 3:
        return NotImplemented
    wide = torch.convolution(torch.unsqueeze(input, 2), torch.unsqueeze(weight, 2), bias, [1, *stride], [0, *padding], [1, *dilation], transposed,
                             [0, *output_padding], groups)
    return torch.squeeze(wide, 2)


def _elu(self: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    negative = torch.expm1(_scaled(torch.minimum(self, _zero(self)), input_scale))
    return _scaled(torch.relu(self) + _scaled(negative, alpha), scale)


def _gelu(self: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return 0.5 * self * (1 + torch.tanh(math.sqrt(2 / math.pi) * (self + 0.044715 * self * self * self)))
    return self * (torch.erf(self / math.sqrt(2)) + 1) * 0.5


def _safe_softmax(self: Any, dim: int, dtype: Any = None) -> Any:
    """Rows that are -inf throughout (all masked) give zeros."""
    x = self if dtype is None else self.to(dtype)
    return torch.where(torch.amax(x, [dim], True) == -math.inf, _zero(x), torch.softmax(x, dim))


def _topk(self: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Any axis and either end, in terms of the largest along the last axis."""
    moved = torch.transpose(self, dim, -1)
    values, places = torch.topk(moved if largest else -moved, k, -1, True, sorted)
    return torch.transpose(values if largest else -values, dim, -1), torch.transpose(places, dim, -1)


def _batch_norm(input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float, eps: float, **_: Any) -> Any:
    """With statistics of the batch: the moving ones are not needed, and not changed."""
    if not training:
        return NotImplemented
    axes, around = [axis for axis in range(input.dim()) if axis != 1], [1, -1] + [1] * (input.dim() - 2)
    mean = torch.mean(input, axes, True)
    spread = torch.rsqrt(torch.mean((input - mean) * (input - mean), axes, True) + eps)
    result = (input - mean) * spread
    if weight is not None:
        result = result * torch.reshape(weight, around)
    if bias is not None:
        result = result + torch.reshape(bias, around)
    return result, torch.reshape(mean, (-1,)), torch.reshape(spread, (-1,))


def _split(self: Any, split_size: Any, dim: int = 0) -> Any:
    sizes = split_size if isinstance(split_size, (list, tuple)) else \
        [min(split_size, self.shape[dim] - start) for start in range(0, self.shape[dim], split_size)]
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    return [torch.narrow(self, dim, start, size) for start, size in zip(starts, sizes)]


#: By aten's name without overload.
DECOMPOSITIONS: dict[str, Callable[..., Any]] = {
    "addcmul": lambda self, tensor1, tensor2, value=1: self + (tensor1 * tensor2 if value == 1 else tensor1 * tensor2 * value),
    "addcdiv": lambda self, tensor1, tensor2, value=1: self + (tensor1 / tensor2 if value == 1 else tensor1 / tensor2 * value),
    "lerp": lambda self, end, weight: self + (end - self) * weight,
    "baddbmm": lambda self, batch1, batch2, beta=1, alpha=1: _scaled(self, beta) + _scaled(torch.bmm(batch1, batch2), alpha),
    "mv": lambda self, vec: torch.squeeze(torch.mm(self, torch.unsqueeze(vec, 1)), 1),
    "dot": lambda self, tensor: torch.sum(self * tensor),
    "std": lambda **kwargs: torch.sqrt(_variance(**kwargs)),
    "var": _variance,
    "var_mean": lambda **kwargs: (_variance(**kwargs), torch.mean(kwargs["self"], as_axes(kwargs.get("dim"), kwargs["self"].dim()),
                                                                             kwargs.get("keepdim", False))),
    "std_mean": lambda **kwargs: (torch.sqrt(_variance(**kwargs)), torch.mean(
        kwargs["self"], as_axes(kwargs.get("dim"), kwargs["self"].dim()), kwargs.get("keepdim", False))),
    "linalg_vector_norm": _vector_norm,
    "logsumexp": _logsumexp,
    "select_scatter": _select_scatter, "slice_scatter": _slice_scatter, "roll": _roll, "index": _index, "index_put": _index_put,
    "reflection_pad1d": _reflect, "reflection_pad2d": _reflect, "reflection_pad3d": _reflect,
    "replication_pad1d": _replicate, "replication_pad2d": _replicate, "replication_pad3d": _replicate,
    "_adaptive_avg_pool2d": _adaptive_avg, "adaptive_avg_pool2d": _adaptive_avg,
    "adaptive_max_pool2d": lambda self, output_size: (_adaptive_max(self, output_size), None),
    "native_group_norm": _group_norm,
    "frac": lambda self: self - torch.trunc(self),
    "exp2": lambda self: torch.pow(2.0, self), "log2": lambda self: torch.log(self) / math.log(2), "log10": lambda self: torch.log(self) / math.log(10),
    "log_sigmoid_forward": lambda self: (-_softplus(-self, 1, 20), None),
    "leaky_relu": lambda self, negative_slope=0.01: (torch.maximum if negative_slope <= 1 else torch.minimum)(self, self * negative_slope),
    "_prelu_kernel": lambda self, weight: torch.relu(self) - weight * torch.relu(-self),
    "elu": _elu, "gelu": _gelu, "topk": _topk, "native_batch_norm": _batch_norm, "convolution": _convolution,
    "silu": lambda self: self * torch.sigmoid(self), "mish": lambda self: self * torch.tanh(_softplus(self, 1, 20)),
    "hardsigmoid": lambda self: torch.clamp(self / 6 + 0.5, 0, 1), "hardswish": lambda self: self * torch.clamp(self / 6 + 0.5, 0, 1),
    "fmod": lambda self, other: self - torch.div(self, other, rounding_mode="trunc") * other,
    "masked_fill": lambda self, mask, value: torch.where(mask, value.to(self.dtype) if isinstance(value, torch.Tensor) else
                                                         torch.full((), value, dtype=self.dtype, device=self.device), self),
    "split": _split, "split_with_sizes": lambda self, split_sizes, dim=0: _split(self, split_sizes, dim),
    "unbind": lambda self, dim=0: [torch.select(self, dim, index) for index in range(self.shape[dim])],
    "max_pool2d_with_indices": _pooled(tf.max_pool2d, True), "max_pool3d_with_indices": _pooled(tf.max_pool3d, True),
    "avg_pool2d": _pooled(tf.avg_pool2d, False), "avg_pool3d": _pooled(tf.avg_pool3d, False),
    "expm1": lambda self: torch.exp(self) - 1, "log1p": lambda self: torch.log(self + 1), "rsqrt": lambda self: torch.reciprocal(torch.sqrt(self)),
    "erfc": lambda self: 1 - torch.erf(self),
    "_safe_softmax": _safe_softmax,
    "softplus": lambda self, beta=1, threshold=20: _softplus(self, beta, threshold),
    "threshold": lambda self, threshold, value: torch.where(self > threshold, self, torch.tensor(value, dtype=self.dtype, device=self.device)),
    "pixel_shuffle": lambda self, upscale_factor: _pixel_shuffle(self, upscale_factor),
    "tril": lambda self, diagonal=0: torch.where(torch.ones(self.shape[-2:], device=self.device).tril(diagonal) > 0, self, _zero(self)),
    "triu": lambda self, diagonal=0: torch.where(torch.ones(self.shape[-2:], device=self.device).triu(diagonal) > 0, self, _zero(self)),
}


def _zero(like: Any) -> Any:
    return torch.zeros((), dtype=like.dtype, device=like.device)


def _scaled(x: Any, factor: Any) -> Any:
    return x if factor == 1 else x * factor


def _softplus(x: Any, beta: float, threshold: float) -> Any:
    """max(x, 0) + log1p(exp(-|x|)): no overflow, so the threshold is not needed."""
    y = _scaled(x, beta)
    return _scaled(torch.relu(y) + torch.log1p(torch.exp(-torch.abs(y))), 1 if beta == 1 else 1 / beta)


def _pixel_shuffle(x: Any, factor: int) -> Any:
    *outer, channels, height, width = x.shape
    count, ndim = channels // factor**2, len(outer)
    split = torch.reshape(x, (*outer, count, factor, factor, height, width))
    order = [*range(ndim), ndim, ndim + 3, ndim + 1, ndim + 4, ndim + 2]
    return torch.reshape(torch.permute(split, order), (*outer, count, height * factor, width * factor))
