"""Decompositions of aten operators of layers (pooling, normalization, activations, losses, resizing), as in
``decompose.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as tf


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
DECOMPOSITIONS: dict[str, Callable[..., Any]] = {
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
