"""Decompositions of aten operators: of arithmetic, indexing and shapes, and of layers (pooling, normalization,
activations, losses, resizing).

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
import torch.nn.functional as tf
from torch._decomp import core_aten_decompositions


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


def _adaptive_cut(size: int, wanted: int) -> list[tuple[int, int]]:
    return [(index * size // wanted, -(-(index + 1) * size // wanted)) for index in range(wanted)]


def _adaptive(pool: Callable[..., Any], reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Reduce the last two axes to a fixed size: one window size where it divides, else a reduction for each place."""

    def adaptive(self: Any, output_size: Any) -> Any:
        height, width = self.shape[-2:]
        rows, columns = output_size
        if (rows, columns) == (height, width):
            return torch.clone(self)
        if (rows, columns) == (1, 1):
            return reduce(self, [-2, -1], True)
        if height % rows == 0 and width % columns == 0:
            return pool(self, (height // rows, width // columns), (height // rows, width // columns))
        strips = [
            torch.cat(
                [
                    reduce(self[..., top:bottom, left:right], [-2, -1], True)
                    for left, right in _adaptive_cut(width, columns)
                ],
                -1,
            )
            for top, bottom in _adaptive_cut(height, rows)
        ]
        return torch.cat(strips, -2)

    return adaptive


_adaptive_avg = _adaptive(tf.avg_pool2d, torch.mean)
_adaptive_max = _adaptive(tf.max_pool2d, torch.amax)


def _window_counts(
    size: int, kernel: int, stride: int, pad: int, ceil: bool, include_pad: bool
) -> tuple[list[int], int]:
    """Return (number of elements in each window of a mean, zeros needed behind the input), by torch's rules."""
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
    """Pool with separate padding; correct means by a constant where windows count fewer elements."""

    def pooling(
        self: Any,
        kernel_size: Any,
        stride: Any = (),
        padding: Any = (0,),
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
        dilation: Any = (1,),
    ) -> Any:
        spatial = 3 if pool in (tf.avg_pool3d, tf.max_pool3d) else 2
        kernel, pad = _spread(kernel_size, spatial), _spread(padding, spatial)
        step = _spread(stride, spatial) if stride else kernel
        if any(item != 1 for item in dilation):
            return NotImplemented
        if self.dim() == spatial + 1:  # files pool batches
            more = {} if lowest else {"count_include_pad": count_include_pad, "divisor_override": divisor_override}
            one = pool(torch.unsqueeze(self, 0), kernel, step, pad, ceil_mode=ceil_mode, **more)
            return (torch.squeeze(one, 0), None) if lowest else torch.squeeze(one, 0)
        found = [
            _window_counts(*item, ceil_mode, count_include_pad)
            for item in zip(self.shape[-spatial:], kernel, step, pad)
        ]
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
        return (
            result
            if all(number == 1 for number in factor.flatten().tolist())
            else result * factor.to(self.device, self.dtype)
        )

    return pooling


def _convolution(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    """Compute over one axis as over two."""
    if weight.dim() != 3:
        return NotImplemented
    wide = torch.convolution(
        torch.unsqueeze(input, 2),
        torch.unsqueeze(weight, 2),
        bias,
        [1, *stride],
        [0, *padding],
        [1, *dilation],
        transposed,
        [0, *output_padding],
        groups,
    )
    return torch.squeeze(wide, 2)


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


def _layer_norm(input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    axes = list(range(input.dim() - len(normalized_shape), input.dim()))
    centred = input - torch.mean(input, axes, True)
    spread = torch.rsqrt(torch.mean(centred * centred, axes, True) + eps)
    result = centred * spread
    if weight is not None:
        result = result * weight
    return result if bias is None else result + bias, None, spread


def _glu(self: Any, dim: int = -1) -> Any:
    half = self.shape[dim] // 2
    return torch.narrow(self, dim, 0, half) * torch.sigmoid(torch.narrow(self, dim, half, half))


def batch_norm_in_training(input: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any, Any]:
    """Return (result, mean of each channel, 1 / its standard deviation, its unbiased variance) with statistics of the
    batch.
    """
    axes, around = [axis for axis in range(input.dim()) if axis != 1], [1, -1] + [1] * (input.dim() - 2)
    mean = torch.mean(input, axes, True)
    squares = (input - mean) * (input - mean)
    spread = torch.rsqrt(torch.mean(squares, axes, True) + eps)
    result = (input - mean) * spread
    if weight is not None:
        result = result * torch.reshape(weight, around)
    if bias is not None:
        result = result + torch.reshape(bias, around)
    count = input.numel() // input.shape[1]
    return (
        result,
        torch.reshape(mean, (-1,)),
        torch.reshape(spread, (-1,)),
        torch.sum(squares, axes) / max(count - 1, 1),
    )


def _elu(self: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    negative = torch.expm1(_scaled(torch.minimum(self, _zero(self)), input_scale))
    return _scaled(torch.relu(self) + _scaled(negative, alpha), scale)


def _gelu(self: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return 0.5 * self * (1 + torch.tanh(math.sqrt(2 / math.pi) * (self + 0.044715 * self * self * self)))
    return self * 0.5 * (1 + torch.erf(self * math.sqrt(0.5)))


def _softplus(self: Any, beta: float = 1, threshold: float = 20) -> Any:
    """Return max(x, 0) + log1p(exp(-|x|)): no overflow, so the threshold is not needed."""
    y = _scaled(self, beta)
    return _scaled(torch.relu(y) + torch.log1p(torch.exp(-torch.abs(y))), 1 if beta == 1 else 1 / beta)


def _safe_softmax(self: Any, dim: int, dtype: Any = None) -> Any:
    """Return zeros for rows that are -inf throughout (all masked)."""
    x = self if dtype is None else self.to(dtype)
    return torch.where(torch.amax(x, [dim], True) == -math.inf, _zero(x), torch.softmax(x, dim))


def _pixel_shuffle(self: Any, upscale_factor: int) -> Any:
    factor = upscale_factor
    *outer, channels, height, width = self.shape
    count, ndim = channels // factor**2, len(outer)
    split = torch.reshape(self, (*outer, count, factor, factor, height, width))
    order = [*range(ndim), ndim, ndim + 3, ndim + 1, ndim + 4, ndim + 2]
    return torch.reshape(torch.permute(split, order), (*outer, count, height * factor, width * factor))


def _zero(like: Any) -> Any:
    return torch.zeros((), dtype=like.dtype, device=like.device)


def _scaled(x: Any, factor: Any) -> Any:
    return x if factor == 1 else x * factor


def _wider(name: str) -> Callable[..., Any]:
    """Resize along one axis by the resizing along two."""

    def resize(self: Any, output_size: Any, align_corners: bool | None = None, scales: Any = None) -> Any:
        corners = {} if align_corners is None else {"align_corners": align_corners}
        return torch.squeeze(getattr(torch._C._nn, name)(torch.unsqueeze(self, 2), [1, *output_size], **corners), 2)

    return resize


def _im2col(self: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    x = tf.pad(self, (padding[1], padding[1], padding[0], padding[0]))
    spans = [dilation[axis] * (kernel_size[axis] - 1) + 1 for axis in range(2)]
    rows, columns = [(x.shape[2 + axis] - spans[axis]) // stride[axis] + 1 for axis in range(2)]
    pieces = []
    for top in range(0, spans[0], dilation[0]):
        for left in range(0, spans[1], dilation[1]):
            piece = x[
                :,
                :,
                top : top + (rows - 1) * stride[0] + 1 : stride[0],
                left : left + (columns - 1) * stride[1] + 1 : stride[1],
            ]
            pieces.append(torch.reshape(piece, (x.shape[0], x.shape[1], 1, rows * columns)))
    return torch.reshape(torch.cat(pieces, 2), (x.shape[0], -1, rows * columns))


def _nll_loss(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    axis = 1 if self.dim() > 1 else 0
    counted = torch.ne(target, ignore_index)
    safe = torch.where(counted, target, torch.zeros((), dtype=target.dtype, device=target.device))
    each = counted.to(self.dtype)
    if weight is not None:
        each = each * torch.reshape(torch.index_select(weight, 0, torch.reshape(safe, (-1,))), tuple(target.shape))
    losses = -torch.squeeze(torch.gather(self, axis, torch.unsqueeze(safe, axis).to(torch.int64)), axis) * each
    total = torch.sum(each)
    return (losses if reduction == 0 else torch.sum(losses) / total if reduction == 1 else torch.sum(losses)), total


def _multilabel_margin_loss(self: Any, target: Any, reduction: int) -> Any:
    """Count each row of ``target`` up to its first negative; torch's decomposition counts all of them."""
    x, labels = torch.atleast_2d(self), torch.atleast_2d(target)
    size = x.shape[1]
    counted = torch.cumsum((labels < 0).to(torch.int32), 1) == 0
    safe = torch.where(counted, labels, torch.zeros((), dtype=labels.dtype, device=labels.device))
    places = torch.arange(size, dtype=labels.dtype, device=labels.device)
    hit = ((torch.unsqueeze(safe, 2) == places) & torch.unsqueeze(counted, 2)).to(x.dtype)
    wanted = torch.amax(hit, 1)
    margins = torch.relu(1 - torch.unsqueeze(torch.gather(x, 1, safe.to(torch.int64)), 2) + torch.unsqueeze(x, 1))
    each = margins * torch.unsqueeze(counted.to(x.dtype), 2) * torch.unsqueeze(1 - wanted, 1)
    losses = torch.sum(each, [1, 2]) / size
    if reduction:
        losses = torch.mean(losses) if reduction == 1 else torch.sum(losses)
    elif self.dim() < 2:
        losses = torch.squeeze(losses, 0)
    return losses, torch.reshape(wanted, tuple(target.shape))


_nearest1d, _linear1d = _wider("upsample_nearest2d"), _wider("upsample_bilinear2d")

#: By aten's name without overload.
_LAYERS: dict[str, Callable[..., Any]] = {
    "reflection_pad1d": _reflect,
    "reflection_pad2d": _reflect,
    "reflection_pad3d": _reflect,
    "replication_pad1d": _replicate,
    "replication_pad2d": _replicate,
    "replication_pad3d": _replicate,
    "_adaptive_avg_pool2d": _adaptive_avg,
    "adaptive_avg_pool2d": _adaptive_avg,
    "adaptive_max_pool2d": lambda self, output_size: (_adaptive_max(self, output_size), None),
    "max_pool2d_with_indices": _pooled(tf.max_pool2d, True),
    "max_pool3d_with_indices": _pooled(tf.max_pool3d, True),
    "avg_pool2d": _pooled(tf.avg_pool2d, False),
    "avg_pool3d": _pooled(tf.avg_pool3d, False),
    "convolution": _convolution,
    "im2col": _im2col,
    "native_group_norm": _group_norm,
    "elu": _elu,
    "celu": lambda self, alpha=1.0: _elu(self, alpha, 1, 1 / alpha),
    "gelu": _gelu,
    "softplus": _softplus,
    "_safe_softmax": _safe_softmax,
    "native_layer_norm": _layer_norm,
    "glu": _glu,
    "relu": lambda self: torch.where(self > 0, self, _zero(self)),
    "silu": lambda self: self * torch.sigmoid(self),
    "mish": lambda self: self * torch.tanh(_softplus(self)),
    "hardsigmoid": lambda self: torch.clamp(self / 6 + 0.5, 0, 1),
    "hardswish": lambda self: self * torch.clamp(self / 6 + 0.5, 0, 1),
    "log_sigmoid_forward": lambda self: (
        torch.minimum(self, _zero(self)) - torch.log1p(torch.exp(-torch.abs(self))),
        None,
    ),
    "leaky_relu": lambda self, negative_slope=0.01: (torch.maximum if negative_slope <= 1 else torch.minimum)(
        self, self * negative_slope
    ),
    "_prelu_kernel": lambda self, weight: torch.relu(self) - weight * torch.relu(-self),
    "threshold": lambda self, threshold, value: torch.where(
        self > threshold, self, torch.tensor(value, dtype=self.dtype, device=self.device)
    ),
    "hardshrink": lambda self, lambd=0.5: torch.where(torch.abs(self) > lambd, self, _zero(self)),
    "softshrink": lambda self, lambd=0.5: self - torch.clamp(self, -lambd, lambd),
    "pixel_shuffle": _pixel_shuffle,
    "upsample_nearest1d": lambda self, output_size, scales=None: _nearest1d(self, output_size),
    "upsample_linear1d": _linear1d,
    "nll_loss_forward": _nll_loss,
    "nll_loss2d_forward": _nll_loss,
    "multilabel_margin_loss_forward": _multilabel_margin_loss,
}


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


def _lerp(self: Any, end: Any, weight: Any) -> Any:
    """Interpolate as torch, which counts from the nearer side; `ops.lerp` has no operator of its own."""
    from_start, from_end = self + (end - self) * weight, end - (end - self) * (1 - weight)
    if isinstance(weight, torch.Tensor):
        return torch.where(torch.abs(weight) < 0.5, from_start, from_end)
    return from_start if abs(weight) < 0.5 else from_end


def _number(value: Any, like: Any) -> Any:
    return (
        value.to(like.dtype)
        if isinstance(value, torch.Tensor)
        else torch.full((), value, dtype=like.dtype, device=like.device)
    )


#: By aten's name without overload.
DECOMPOSITIONS: dict[str, Callable[..., Any]] = {
    **_LAYERS,
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
