"""numpy's ``pad``, differentiable in every mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.numpy._windows import _number
from mindspore_compat.numpy.array_ops import apply_along_axis
from mindspore_compat.numpy.utils import as_tensor

__all__ = ["pad"]

_MODES = (
    *("constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum"),
    *("reflect", "symmetric", "wrap", "empty"),
)
_STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": torch.amax,
    "minimum": torch.amin,
    "mean": lambda x, axis, keep: torch.Tensor.to(
        torch.mean(x if x.dtype.is_floating_point else torch.Tensor.to(x, torch.float64), axis, keep), x.dtype
    ),
    "median": lambda x, axis, keep: torch.Tensor.to(
        torch.quantile(x if x.dtype is torch.float64 else torch.Tensor.to(x, torch.float32), 0.5, axis, keep), x.dtype
    ),
}


def _pairs(value: Any, axes: int) -> list:
    """Return (before, after) of each axis, of a number, a pair or a pair for each."""
    if isinstance(value, torch.Tensor):
        value = value.tolist()
    return np.broadcast_to(np.asarray(value), (axes, 2)).tolist()


def _by_places(x: torch.Tensor, axis: int, before: int, after: int, mode: str) -> torch.Tensor:
    places = torch.from_numpy(np.pad(np.arange(x.shape[axis]), (before, after), mode))  # type: ignore[call-overload]
    return torch.index_select(x, axis, places.to(x.device))


def _turned(x: torch.Tensor, axis: int, before: int, after: int, mode: str) -> torch.Tensor:
    """Reflect about the last element: 2 · last - mirrored, repeatedly if the pad is longer than the input."""
    edge = int(mode == "reflect")
    length = x.shape[axis] - edge
    if length == 0:
        return _by_places(x, axis, before, after, "edge")
    for side, count in ((0, before), (1, after)):
        while count:
            part = min(count, length)
            size = x.shape[axis]
            start = edge if side == 0 else size - edge - part
            mirrored = torch.flip(torch.narrow(x, axis, start, part), (axis,))
            added = 2 * torch.narrow(x, axis, 0 if side == 0 else size - 1, 1) - mirrored
            x = torch.cat((added, x) if side == 0 else (x, added), axis)
            count -= part
    return x


def _filled(x: torch.Tensor, axis: int, sizes: list, values: list) -> torch.Tensor:
    parts = [x]
    for side, (size, value) in enumerate(zip(sizes, values)):
        shape = [size if i == axis else n for i, n in enumerate(x.shape)]
        parts.insert(0 if side == 0 else len(parts), x.new_full(shape, value))
    return torch.cat(parts, axis)


def _with_statistics(x: torch.Tensor, axis: int, sizes: list, lengths: list, mode: str) -> torch.Tensor:
    """Fill both sides with the maximum, mean, … of a number of elements there."""
    count, parts = x.shape[axis], [x]
    for side, (size, length) in enumerate(zip(sizes, lengths)):
        taken = count if length is None else min(length, count)
        near = torch.narrow(x, axis, 0 if side == 0 else count - taken, taken)
        shape = [size if i == axis else n for i, n in enumerate(x.shape)]
        parts.insert(0 if side == 0 else len(parts), _STATISTICS[mode](near, axis, True).expand(shape))
    return torch.cat(parts, axis)


def _ramped(x: torch.Tensor, axis: int, sizes: list, ends: list) -> torch.Tensor:
    """Fill both sides from the edge to the end values in even steps; the end value is the outermost."""
    parts, inner = [x], x if x.dtype.is_floating_point else torch.Tensor.to(x, torch.float64)
    for side, (size, end) in enumerate(zip(sizes, ends)):
        edge = torch.narrow(inner, axis, 0 if side == 0 else x.shape[axis] - 1, 1)
        steps = torch.arange(size, device=x.device) if side == 0 else torch.arange(size - 1, -1, -1, device=x.device)
        shape = [size if i == axis else 1 for i in range(x.dim())]
        ramp = end + (edge - end) * torch.reshape(torch.Tensor.to(steps, inner.dtype) / max(size, 1), shape)
        parts.insert(0 if side == 0 else len(parts), torch.Tensor.to(ramp, x.dtype))
    return torch.cat(parts, axis)


def _by_function(x: torch.Tensor, sides: list, function: Callable[..., Any], kwargs: dict) -> Any:
    """Apply ``function(vector, (before, after), axis, kwargs)`` to each vector along each axis, with empty room. Take
    its result, or the vector that it has written to.
    """

    def call(vector: Any, *args: Any) -> Any:
        found = function(vector, *args)
        return vector if found is None else found

    for axis, sizes in enumerate(sides):
        x = _filled(x, axis, sizes, [0, 0])
    for axis, sizes in enumerate(sides):
        x = apply_along_axis(call, axis, x, tuple(sizes), axis, kwargs)
    return wrap(x)


def pad(
    arr: Any,
    pad_width: Any,
    mode: Any = "constant",
    stat_length: Any = None,
    constant_values: Any = 0,
    end_values: Any = 0,
    reflect_type: str = "even",
    **kwargs: Any,
) -> Any:
    """Pad as numpy's ``pad``.

    Args:
        pad_width: how many before and after, of all axes or of each.
        mode: as numpy's, or a function that returns a vector with its ends filled.
        stat_length: how many elements at each end count for "maximum", "mean", "median" and "minimum"; None all.
        constant_values, end_values: for "constant" and "linear_ramp", as ``pad_width``.
        reflect_type: "even" or "odd", for "reflect" and "symmetric".

    Raises:
        ValueError: for other modes and negative widths. TypeError: for widths that are no integers.
    """
    source = as_tensor(arr)
    if not source.dim():
        return wrap(source)
    sides = _pairs(pad_width, source.dim())
    if any(size < 0 for pair in sides for size in pair):
        raise ValueError(f"For 'pad', the 'pad_width' must not be negative, but got {pad_width}. Use a slice to cut.")
    if callable(mode):
        return _by_function(source, sides, mode, kwargs)
    check_one_of(mode, "mode", _MODES, "pad")
    if mode in ("constant", "empty") and np.ndim(constant_values) == 0:
        flat = [size for pair in reversed(sides) for size in pair]
        return wrap(torch.nn.functional.pad(source, flat, value=_number(constant_values)))
    lengths = [[None, None]] * source.dim() if stat_length is None else _pairs(stat_length, source.dim())
    values = _pairs(constant_values if mode == "constant" else end_values, source.dim())
    for axis, sizes in enumerate(sides):
        if mode == "constant":
            source = _filled(source, axis, sizes, values[axis])
        elif mode == "linear_ramp":
            source = _ramped(source, axis, sizes, values[axis])
        elif mode in _STATISTICS:
            source = _with_statistics(source, axis, sizes, lengths[axis], mode)
        elif mode in ("reflect", "symmetric") and reflect_type == "odd":
            source = _turned(source, axis, sizes[0], sizes[1], mode)
        else:
            source = _by_places(source, axis, sizes[0], sizes[1], mode)
    return wrap(source)
