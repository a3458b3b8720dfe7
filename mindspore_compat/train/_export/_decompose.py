"""aten operators in terms of simpler ones. A row is run while tracing, so what it calls is written down instead of the operator.

Rows take aten's argument names; one may answer NotImplemented to keep the operator as it is.
"""
from __future__ import annotations

import math
from typing import Any, Callable

import torch
import torch.nn.functional as tf

__all__ = ["CREATION", "DECOMPOSITIONS"]

#: Results depend on shapes only, so they are constants of the file.
CREATION = frozenset({"zeros_like", "ones_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided"})


def _axes(dim: Any, ndim: int) -> list[int]:
    if dim is None or dim == []:
        return list(range(ndim))
    return [axis % ndim for axis in (dim if isinstance(dim, (list, tuple)) else [dim])] if ndim else []


def _variance(self: Any, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    axes = _axes(dim, self.dim())
    count = math.prod(self.shape[axis] for axis in axes)
    centred = self - torch.mean(self, axes, True)
    return torch.sum(centred * centred, axes, keepdim) / max(count - (1 if correction is None else correction), 0)


def _vector_norm(self: Any, ord: float = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    x, axes = self if dtype is None else self.to(dtype), _axes(dim, self.dim())
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
    return result if keepdim else torch.squeeze(result, tuple(_axes(dim, self.dim())))


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


def _matmul_in_parts(input: Any, hx: Any, weights: Any, has_bias: bool, layers: int, bidirectional: bool, batch_first: bool,
                     step: Callable[..., Any]) -> Any:
    """The steps of a recurrent network one after the other; returns (output, lists of the states at the end)."""
    x = torch.transpose(input, 0, 1) if batch_first else input
    each, directions, finals = (4 if has_bias else 2), (2 if bidirectional else 1), []
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            number = layer * directions + direction
            own = weights[number * each:(number + 1) * each]
            state = tuple(item[number] for item in hx)
            bias = own[2] + own[3] if has_bias and step is not _gru_step else None
            gates = tf.linear(x, own[0], bias if step is not _gru_step else own[2] if has_bias else None)
            rows = []
            for time in (range(x.shape[0] - 1, -1, -1) if direction else range(x.shape[0])):
                state = step(gates[time], state, own[1], own[3] if has_bias else None)
                rows.append(state[0])
            outputs.append(torch.stack(rows[::-1] if direction else rows))
            finals.append(state)
        x = torch.cat(outputs, -1) if directions > 1 else outputs[0]
    return (torch.transpose(x, 0, 1) if batch_first else x), [torch.stack(items) for items in zip(*finals)]


def _lstm_step(gates: Any, state: tuple[Any, ...], weight: Any, bias: Any) -> tuple[Any, ...]:
    i, f, g, o = torch.chunk(gates + tf.linear(state[0], weight), 4, -1)
    cell = torch.sigmoid(f) * state[1] + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(cell), cell


def _gru_step(gates: Any, state: tuple[Any, ...], weight: Any, bias: Any) -> tuple[Any, ...]:
    r, z, n = torch.chunk(gates, 3, -1)
    own_r, own_z, own_n = torch.chunk(tf.linear(state[0], weight, bias), 3, -1)
    z = torch.sigmoid(z + own_z)
    n = torch.tanh(n + torch.sigmoid(r + own_r) * own_n)
    return (n + z * (state[0] - n),)


def _hardsigmoid(self: Any) -> Any:
    return torch.clamp(self / 6 + 0.5, 0, 1)


def _rnn(input: Any, hx: Any, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool,
         batch_first: bool, step: Any) -> Any:
    states = tuple(hx) if isinstance(hx, (list, tuple)) else (hx,)
    output, finals = _matmul_in_parts(input, states, list(params), has_biases, num_layers, bidirectional, batch_first, step)
    return (output, *finals)


#: By name, or name.overload.
DECOMPOSITIONS: dict[str, Callable[..., Any]] = {
    "rsub": lambda self, other, alpha=1: other - (self if alpha == 1 else self * alpha),
    "addcmul": lambda self, tensor1, tensor2, value=1: self + (tensor1 * tensor2 if value == 1 else tensor1 * tensor2 * value),
    "addcdiv": lambda self, tensor1, tensor2, value=1: self + (tensor1 / tensor2 if value == 1 else tensor1 / tensor2 * value),
    "lerp": lambda self, end, weight: self + (end - self) * weight,
    "baddbmm": lambda self, batch1, batch2, beta=1, alpha=1: _scaled(self, beta) + _scaled(torch.bmm(batch1, batch2), alpha),
    "mv": lambda self, vec: torch.squeeze(torch.mm(self, torch.unsqueeze(vec, 1)), 1),
    "dot": lambda self, tensor: torch.sum(self * tensor),
    "std.correction": lambda **kwargs: torch.sqrt(_variance(**kwargs)),
    "var.correction": _variance,
    "var_mean.correction": lambda **kwargs: (_variance(**kwargs), torch.mean(kwargs["self"], _axes(kwargs.get("dim"), kwargs["self"].dim()),
                                                                             kwargs.get("keepdim", False))),
    "std_mean.correction": lambda **kwargs: (torch.sqrt(_variance(**kwargs)), torch.mean(
        kwargs["self"], _axes(kwargs.get("dim"), kwargs["self"].dim()), kwargs.get("keepdim", False))),
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
