"""Shape arguments of convolution and pooling layers, with their errors."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._ops.conv import same_padding, split_padding


def sizes(
    value: Any, name: str, owner: str, count: int, low: int = 1, wrong_length: type[Exception] = ValueError
) -> tuple[int, ...]:
    """Return an int, or a tuple of ``count`` ints, as a tuple; each at least ``low``.

    Raises:
        ValueError: for a smaller number, and another length.
    """
    items = tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
    if len(items) != count:
        raise wrong_length(f"For '{owner}', the '{name}' must be an int or {count} ints, but got {value!r}.")
    if any(item < low for item in items):
        raise ValueError(f"For '{owner}', the '{name}' must be at least {low}, but got {value!r}.")
    return items


def fixed_same_padding(
    kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Return the result of `same_padding` if it is the same at both ends for every size; else None."""
    fixed = []
    for width, step, gap in zip(kernel, stride, dilation):
        reach = gap * (width - 1) + 1
        if step == 1 and reach % 2:
            fixed.append(reach // 2)
        elif reach == 1:
            fixed.append(0)
        else:
            return None
    return tuple(fixed)


def pad_same(
    x: Any, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...], value: float = 0.0
) -> tuple[Any, tuple[int, ...]]:
    """Return ``x`` and the padding still to apply at both ends of the last axes, for the "same" mode."""
    shape = x.shape[-len(kernel) :]
    pairs = [same_padding(*item) for item in zip(shape, kernel, stride, dilation)]
    return split_padding(x, pairs, value)


def squeezed(x: torch.Tensor, axis: Any) -> torch.Tensor:
    """Return ``x`` without the axes of length 1 among ``axis``, () for all: the axes from the layer's constructor."""
    return torch.squeeze(x) if axis == () else torch.squeeze(x, axis)
