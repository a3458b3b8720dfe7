"""Arguments and errors about shapes that convolution and pooling layers share."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.ops.function._conv import same_padding, split_padding

__all__ = ["same_padding", "fixed_same_padding", "sizes", "squeezed", "pad_same", "split_padding"]


def sizes(
    value: Any, name: str, owner: str, count: int, low: int = 1, wrong_length: type[Exception] = ValueError
) -> tuple[int, ...]:
    """An int, or a tuple of ``count`` ints, as a tuple; each at least ``low``.

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
    """What `same_padding` gives for every size, if it is the same at both ends; else None."""
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
    """``x`` and the padding still to apply at both ends of the last axes, for the "same" mode."""
    shape = x.shape[-len(kernel) :]
    pairs = [same_padding(*item) for item in zip(shape, kernel, stride, dilation)]
    return split_padding(x, pairs, value)


def squeezed(x: torch.Tensor, axis: Any) -> torch.Tensor:
    """``x`` without the axes of length 1 among ``axis``, () for all: those that a layer was made with, whatever it
    computes over since.
    """
    return torch.squeeze(x) if axis == () else torch.squeeze(x, axis)
