"""Padding, and moves of blocks between axes. Parts of ``nn_func``, ``array_func``."""

from __future__ import annotations

import builtins
from typing import Any

import torch
import torch.nn.functional as tf

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_ints

__all__ = """
    space_to_depth depth_to_space space_to_batch_nd batch_to_space_nd pixel_shuffle pixel_unshuffle channel_shuffle
    pad mirror_pad padding sides_of
""".split()


def space_to_depth(x: Any, block_size: int) -> Any:
    """Rearrange (N, C, H, W) to (N, C·b², H/b, W/b); blocks vary slowest in the channels."""
    n, c, h, w = x.shape
    b = block_size
    x = torch.reshape(x, (n, c, h // b, b, w // b, b))
    return wrap(torch.reshape(torch.permute(x, (0, 3, 5, 1, 2, 4)), (n, c * b * b, h // b, w // b)))


def depth_to_space(x: Any, block_size: int) -> Any:
    """Rearrange (N, C·b², H, W) to (N, C, H·b, W·b); blocks vary slowest in the channels."""
    n, c, h, w = x.shape
    b = block_size
    x = torch.reshape(x, (n, b, b, c // (b * b), h, w))
    return wrap(torch.reshape(torch.permute(x, (0, 3, 4, 1, 5, 2)), (n, c // (b * b), h * b, w * b)))


def space_to_batch_nd(input_x: Any, block_size: Any, paddings: Any) -> Any:
    """Move blocks of the last axes into the batch, after zero padding ((before, after) for each block axis)."""
    blocks = [block_size] * len(paddings) if isinstance(block_size, int) else list(block_size)
    flat = [int(item) for sides in reversed(list(paddings)) for item in sides]
    x = tf.pad(input_x, flat)
    count, lead = len(blocks), x.dim() - len(blocks)
    head, spatial = list(x.shape[:lead]), list(x.shape[lead:])
    x = torch.reshape(x, head + [part for length, b in zip(spatial, blocks) for part in (length // b, b)])
    inner = [lead + 2 * i + 1 for i in builtins.range(count)]
    outer = [lead + 2 * i for i in builtins.range(count)]
    x = torch.permute(x, (*inner, *builtins.range(lead), *outer))
    batch = head[0]
    for b in blocks:
        batch *= b
    return wrap(torch.reshape(x, (batch, *head[1:], *[length // b for length, b in zip(spatial, blocks)])))


def batch_to_space_nd(input_x: Any, block_shape: Any, crops: Any) -> Any:
    """Return the inverse of `space_to_batch_nd`, then ``crops`` ((before, after) for each block axis) cut off."""
    blocks = [block_shape] * len(crops) if isinstance(block_shape, int) else list(block_shape)
    count, lead = len(blocks), input_x.dim() - len(blocks)
    spatial = list(input_x.shape[lead:])
    product = 1
    for b in blocks:
        product *= b
    head = [input_x.shape[0] // product, *input_x.shape[1:lead]]
    x = torch.reshape(input_x, (*blocks, *head, *spatial))
    order = [*builtins.range(count, count + lead)]
    for i in builtins.range(count):
        order += [count + lead + i, i]
    x = torch.reshape(torch.permute(x, order), (*head, *[length * b for length, b in zip(spatial, blocks)]))
    for axis, (before, after) in enumerate(crops, lead):
        x = torch.narrow(x, axis, int(before), x.shape[axis] - int(before) - int(after))
    return wrap(x)


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Rearrange (..., C·r², H, W) to (..., C, H·r, W·r)."""
    return wrap(torch.pixel_shuffle(input, upscale_factor))


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """Rearrange (..., C, H·r, W·r) to (..., C·r², H, W)."""
    return wrap(torch.pixel_unshuffle(input, downscale_factor))


def channel_shuffle(x: Any, groups: int) -> Any:
    """Interleave the channels over the groups."""
    return wrap(torch.channel_shuffle(x, groups))


def pad(input_x: Any, padding: Any = None, mode: str = "constant", value: Any = None, *, paddings: Any = None) -> Any:
    """Pad by (before, after) pairs, the last axis first; nested ((before, after), ...), first axis first, is the form
    of 1.x, where the argument was named ``paddings``.
    """
    padding = paddings if padding is None else padding
    if isinstance(padding, (tuple, list)) and padding and isinstance(padding[0], (tuple, list)):
        padding = [int(item) for sides in reversed(list(padding)) for item in sides]
    sides = list(as_ints(padding))
    if mode == "constant":
        return wrap(tf.pad(input_x, sides, value=0 if value is None else value))
    while mode != "constant" and len(sides) // 2 < input_x.dim() - 2:  # torch wants all but batch and channel named
        sides += [0, 0]
    return wrap(tf.pad(input_x, sides, mode))


def sides_of(paddings: Any, contiguous: bool = True) -> Any:
    """Return (before, after) pairs, the last axis first; not ``contiguous`` are all sides before, then all after."""
    if contiguous:
        return paddings
    sides = as_ints(paddings)
    half = len(sides) // 2
    return tuple(side for pair in zip(sides[:half], sides[half:]) for side in pair)


def mirror_pad(input_x: Any, paddings: Any, mode: str) -> Any:
    """Pad by mirrored values: "REFLECT" without, "SYMMETRIC" with the border itself.

    Raises:
        ValueError: for another mode.
    """
    check_one_of(mode, "mode", ("REFLECT", "SYMMETRIC"), "MirrorPad")
    paddings = paddings.tolist() if isinstance(paddings, torch.Tensor) else paddings
    for axis, (before, after) in enumerate(paddings):
        if before or after:
            length = input_x.shape[axis]
            skip = 1 if mode == "REFLECT" else 0
            places = [
                *builtins.range(before - 1 + skip, skip - 1, -1),
                *builtins.range(length),
                *builtins.range(length - 1 - skip, length - 1 - skip - after, -1),
            ]
            input_x = torch.index_select(input_x, axis, constant(places, input_x.device))
    return wrap(input_x)


def padding(x: Any, pad_dim_size: int = 8) -> Any:
    """Fill the last axis (of length 1) with zeros up to ``pad_dim_size``."""
    if x.shape[-1] != 1:
        raise ValueError(f"For 'Padding', the last axis of 'x' must have length 1, but got {x.shape[-1]}.")
    return wrap(tf.pad(x, (0, pad_dim_size - 1)))


apply_dtype_fallback(globals(), __all__)
