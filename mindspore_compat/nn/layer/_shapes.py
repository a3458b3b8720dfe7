"""Arguments and errors about shapes that convolution and pooling layers share."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.ops.function._conv import same_padding, split_padding

__all__ = ["same_padding", "fixed_same_padding", "sizes", "squeezed", "explained", "pad_same", "split_padding"]


def sizes(
    value: Any, name: str, owner: str, count: int, low: int = 1, wrong_length: type[Exception] = ValueError
) -> tuple[int, ...]:
    """An int, or a tuple of ``count`` ints, as a tuple; each at least ``low``.

    Raises:
        TypeError: for other types. ValueError: for a smaller number, and unless allowed for another length.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        items = (value,) * count
    elif isinstance(value, (tuple, list)):
        items = tuple(value)
        if len(items) != count:
            raise wrong_length(
                f"For '{owner}', the '{name}' must be an int or a tuple of {count} ints, but got {value!r}."
            )
    else:
        raise TypeError(
            f"For '{owner}', the '{name}' must be an int or a tuple of {count} ints, but got {value!r} of type "
            f"{type(value).__name__}."
        )
    for item in items:
        if isinstance(item, bool) or not isinstance(item, int):
            raise TypeError(
                f"For '{owner}', the '{name}' must be an int or a tuple of {count} ints, but got {value!r}."
            )
        if item < low:
            kind = "positive" if low == 1 else "non-negative"
            raise ValueError(
                f"For '{owner}', the '{name}' must be a {kind} int or a tuple of {count} {kind} ints, but got "
                f"{value!r}."
            )
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


def explained(
    error: Exception,
    owner: str,
    x: Any,
    ndims: tuple[int, ...],
    channels: int | None = None,
    weight: Any = None,
    too_small: type[Exception] = ValueError,
) -> Exception:
    """What MindSpore raises for such an input, if that is what torch complained about; else the error itself."""
    if not isinstance(x, torch.Tensor):
        return TypeError(f"For '{owner}', the input must be a Tensor, but got {type(x).__name__}.")
    shape = tuple(x.shape)
    if len(shape) not in ndims:
        return ValueError(
            f"For '{owner}', the input must have {' or '.join(map(str, ndims))} axes, but got shape {shape}."
        )
    if weight is not None and weight.dtype is not x.dtype:
        return TypeError(
            f"For '{owner}', the input must have the dtype of the weight {weight.dtype}, but got {x.dtype}. "
            "Cast the input, or use Cell.to_float."
        )
    if channels is not None and shape[1] != channels:  # upstream has a RuntimeError for this one
        return RuntimeError(f"For '{owner}', axis 1 of the input must have {channels} channels, but got shape {shape}.")
    if (
        "ize" in str(error)
        and isinstance(error, RuntimeError)
        and x.numel()
        and not isinstance(error, torch.OutOfMemoryError)
    ):
        return too_small(f"For '{owner}', the input of shape {shape} is too small for the window: {error}")
    return error


def squeezed(x: torch.Tensor, axis: Any) -> torch.Tensor:
    """``x`` without the axes of length 1 among ``axis``, () for all: those that a layer was made with, whatever it
    computes over since.
    """
    return torch.squeeze(x) if axis == () else torch.squeeze(x, axis)
