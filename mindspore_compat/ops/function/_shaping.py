"""Shapes, joining, splitting and reordering. Part of ``mindspore.ops.function.array_func``."""

from __future__ import annotations

import builtins
from typing import Any

import torch
import torch.nn.functional as tf

from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_axes, as_ints, as_plain, bad_argument, to_dtype
from mindspore_compat.ops.function.random_func import generator_of

__all__ = [
    "shape",
    "shape_",
    "dyn_shape",
    "dtype",
    "rank",
    "size",
    "numel",
    "is_tensor",
    "reshape",
    "reshape_",
    "view_as",
    "transpose",
    "permute",
    "swapaxes",
    "swapdims",
    "moveaxis",
    "movedim",
    "t",
    "adjoint",
    "expand_dims",
    "unsqueeze",
    "squeeze",
    "flatten",
    "ravel",
    "broadcast_to",
    "expand",
    "expand_as",
    "tile",
    "repeat_elements",
    "repeat_interleave",
    "concat",
    "cat",
    "stack",
    "unstack",
    "unbind",
    "split",
    "chunk",
    "tensor_split",
    "hsplit",
    "vsplit",
    "dsplit",
    "hstack",
    "vstack",
    "row_stack",
    "dstack",
    "column_stack",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "flip",
    "fliplr",
    "flipud",
    "reverse",
    "reverse_sequence",
    "roll",
    "rot90",
    "tril",
    "triu",
    "diagonal",
    "sort",
    "msort",
    "argsort",
    "topk",
    "top_k",
    "unique",
    "unique_consecutive",
    "unique_with_pad",
    "space_to_depth",
    "depth_to_space",
    "space_to_batch_nd",
    "batch_to_space_nd",
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
    "pad",
    "mirror_pad",
    "padding",
    "matrix_band_part",
    "shuffle",
    "unravel_index",
    "searchsorted",
    "bucketize",
]

_int32 = torch.int32
# torch.split is Python code that calls the tensor's own method, which is MindSpore's
_split, _split_with_sizes = torch._VF.split, torch._VF.split_with_sizes  # type: ignore[attr-defined]


def shape(input_x: Any) -> tuple[int, ...]:
    """The shape as a tuple of ints."""
    return tuple(input_x.shape)


shape_ = shape


def dyn_shape(input_x: Any) -> Any:
    """The shape as an int64 tensor."""
    return wrap(torch.tensor(tuple(input_x.shape), dtype=torch.int64))


def dtype(x: Any) -> torch.dtype:
    """The dtype."""
    return x.dtype


def rank(input_x: Any) -> int:
    """The number of axes."""
    return input_x.dim()


def size(input_x: Any) -> int:
    """The number of elements.

    Raises:
        TypeError: if it is no tensor.
    """
    if not isinstance(input_x, torch.Tensor):
        raise TypeError(f"For 'size', the 'input_x' must be a Tensor, but got {type(input_x).__name__}.")
    return input_x.numel()


numel = size


def is_tensor(obj: Any) -> bool:
    """Whether it is a tensor."""
    return isinstance(obj, torch.Tensor)


def reshape(input: Any, shape: Any) -> Any:
    """The same values in another shape; one length may be -1."""
    try:
        return wrap(torch.reshape(input, shape if shape.__class__ is tuple else as_ints(shape)))
    except RuntimeError as error:
        raise bad_argument("Reshape", error) from None


reshape_ = reshape


def view_as(input: Any, other: Any) -> Any:
    """``input`` in the shape of ``other``."""
    return wrap(torch.reshape(input, tuple(other.shape)))


def transpose(input: Any, dims: Any = None, *, input_perm: Any = None) -> Any:
    """The axes in the order ``dims`` (``input_perm`` in 1.x)."""
    try:
        return wrap(torch.permute(input, as_ints(input_perm if dims is None else dims)))
    except (RuntimeError, IndexError) as error:
        raise bad_argument("Transpose", error) from None


def permute(input: Any, axis: Any, *rest: int) -> Any:
    """The axes in the order ``axis``."""
    return wrap(torch.permute(input, (axis, *rest) if rest else as_ints(axis)))


def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """Two axes exchanged."""
    return wrap(torch.transpose(input, axis0, axis1))


def swapdims(input: Any, dim0: int, dim1: int) -> Any:
    """Two axes exchanged."""
    return wrap(torch.transpose(input, dim0, dim1))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Axes moved to other places."""
    return wrap(torch.movedim(x, source, destination))


movedim = moveaxis


def t(input: Any) -> Any:
    """The transposed matrix; 0-d and 1-d stay."""
    return wrap(torch.t(input))


def adjoint(x: Any) -> Any:
    """Last two axes exchanged, conjugated."""
    return wrap(torch.adjoint(x).resolve_conj())


def expand_dims(input_x: Any, axis: Any) -> Any:
    """A new axis of length 1 at ``axis``."""
    if axis.__class__ is int:
        try:
            return wrap(torch.unsqueeze(input_x, axis))
        except IndexError as error:
            raise bad_argument("ExpandDims", error) from None
    if isinstance(axis, (tuple, list)):
        for item in axis:
            input_x = torch.unsqueeze(input_x, int(item))
        return wrap(input_x)
    if isinstance(axis, (float, bool, str)):
        raise TypeError(f"For 'ExpandDims', the 'axis' must be an int, but got {axis!r} of type {type(axis).__name__}.")
    return wrap(torch.unsqueeze(input_x, int(axis)))


def unsqueeze(input: Any, dim: int) -> Any:
    """A new axis of length 1 at ``dim``."""
    return wrap(torch.unsqueeze(input, dim))


def squeeze(input: Any, axis: Any = None) -> Any:
    """Without the axes of length 1: all, or those among the named ones."""
    axis = as_axes(axis)
    return wrap(torch.squeeze(input) if axis is None else torch.squeeze(input, axis))


def flatten(input: Any, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Any:
    """Axes ``start_dim`` to ``end_dim`` as one; order "F" is column-major."""
    if order not in ("C", "F"):
        raise ValueError(f"For 'flatten', argument 'order' value must be 'C' or 'F', but got {order!r}.")
    if order == "F":
        input = torch.permute(input, tuple(builtins.range(input.dim() - 1, -1, -1)))
    if input.dim() <= 1 and start_dim == 1:
        return wrap(torch.reshape(input, (-1,)))
    return wrap(torch.flatten(input, start_dim, end_dim))


def ravel(input: Any) -> Any:
    """All elements in one axis."""
    return wrap(torch.reshape(input, (-1,)))


def broadcast_to(input: Any, shape: Any) -> Any:
    """``input`` repeated to ``shape``; -1 keeps a length."""
    try:
        return wrap(torch.Tensor.expand(input, as_ints(shape)))
    except RuntimeError as error:
        raise bad_argument("BroadcastTo", error) from None


def expand(input_x: Any, size: Any) -> Any:
    """``input`` repeated to ``size``; -1 keeps a length."""
    return broadcast_to(input_x, size)


def expand_as(input: Any, other: Any) -> Any:
    """``input`` repeated to the shape of ``other``."""
    return broadcast_to(input, tuple(other.shape))


def tile(input: Any, dims: Any) -> Any:
    """``input`` repeated as a whole, ``dims`` times along each axis."""
    return wrap(torch.tile(input, as_ints(dims)))


def repeat_elements(x: Any, rep: int, axis: int = 0) -> Any:
    """Each element repeated ``rep`` times along ``axis``."""
    return wrap(torch.repeat_interleave(x, rep, axis))


def repeat_interleave(input: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element repeated along ``axis`` (None: of the flattened tensor)."""
    if isinstance(repeats, (tuple, list)):
        repeats = int(repeats[0]) if len(repeats) == 1 else torch.tensor(repeats, device=input.device)
    return wrap(torch.repeat_interleave(input, repeats, axis))


def _common(tensors: Any, owner: str) -> list[torch.Tensor]:
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(
            f"For '{owner}', the 'tensors' must be a tuple or list of Tensors, but got {type(tensors).__name__}."
        )
    if not tensors:
        raise ValueError(f"For '{owner}', the 'tensors' must hold at least one Tensor, but it is empty.")
    return list(tensors)


def concat(tensors: Any, axis: int = 0) -> Any:
    """Tensors joined along an axis."""
    try:
        return wrap(torch.cat(_common(tensors, "concat"), int(axis)))
    except (RuntimeError, IndexError) as error:
        raise bad_argument("Concat", error) from None


cat = concat


def stack(tensors: Any, axis: int = 0, *, dim: int | None = None) -> Any:
    """Tensors joined along a new axis."""
    items = _common(tensors, "stack")
    first = items[0].dtype
    if any(item.dtype is not first for item in items):
        raise TypeError(
            f"For 'stack', all inputs must have the same data type, but got {[str(item.dtype) for item in items]}."
        )
    try:
        return wrap(torch.stack(items, axis if dim is None else dim))
    except (RuntimeError, IndexError) as error:
        raise bad_argument("Stack", error) from None


def unstack(input_x: Any, axis: int = 0) -> Any:
    """The slices along ``axis``, without it, as a tuple."""
    return wrap(tuple(torch.unbind(input_x, int(axis))))


def unbind(input: Any, dim: int = 0) -> Any:
    """The slices along ``dim``, without it, as a tuple."""
    return unstack(input, dim)


def split(
    tensor: Any = None,
    split_size_or_sections: Any = None,
    axis: int = 0,
    output_num: int | None = None,
    *,
    input_x: Any = None,
) -> Any:
    """Pieces along ``axis``: of an equal length, or of the lengths given.

    ``output_num`` (1.x; also ``split(x, axis, output_num)``) is the number of equal pieces instead.
    """
    tensor = input_x if tensor is None else tensor
    if output_num is not None:
        axis = axis if split_size_or_sections is None else int(split_size_or_sections)
        return chunks_of(tensor, axis, output_num)
    if isinstance(split_size_or_sections, (tuple, list)):
        sizes = [int(item) for item in split_size_or_sections]
        if sum(sizes) != tensor.shape[axis]:
            raise ValueError(
                f"For 'split', the sum of 'split_size_or_sections' must be equal to the length of axis {axis} "
                f"{tensor.shape[axis]}, but got {sum(sizes)}."
            )
        return wrap(tuple(_split_with_sizes(tensor, sizes, axis)))
    if isinstance(split_size_or_sections, bool) or not isinstance(split_size_or_sections, int):
        raise TypeError(
            "For 'split', the type of Argument 'split_size_or_sections' should be integer, tuple(int) or list(int), "
            f"but got {split_size_or_sections!r}."
        )
    if split_size_or_sections <= 0:
        raise ValueError(
            "For 'split', the value of 'split_size_or_sections' must be more than zero, but got "
            f"{split_size_or_sections}."
        )
    return wrap(tuple(_split(tensor, split_size_or_sections, axis)))


def chunks_of(x: Any, axis: int, output_num: int) -> Any:
    """``output_num`` pieces of equal length.

    Raises:
        ValueError: if the length cannot be divided.
    """
    length = x.shape[axis]
    if output_num <= 0 or length % output_num:
        raise ValueError(
            f"For 'Split', the length of axis {axis} ({length}) must be a multiple of 'output_num', but got "
            f"{output_num}."
        )
    return wrap(tuple(_split(x, length // output_num, axis)))


def chunk(input: Any, chunks: int, axis: int = 0) -> Any:
    """At most ``chunks`` pieces of equal length, the last may be shorter."""
    return wrap(tuple(torch.chunk(input, chunks, axis)))


def tensor_split(input: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Pieces: so many nearly equal ones, or cut at the indices."""
    return wrap(tuple(torch.tensor_split(input, indices_or_sections, axis)))


def hsplit(input: Any, indices_or_sections: Any) -> Any:
    """`tensor_split` along the second axis (the first if there is only one)."""
    return tensor_split(input, indices_or_sections, 0 if input.dim() == 1 else 1)


def vsplit(input: Any, indices_or_sections: Any) -> Any:
    """`tensor_split` along the first axis."""
    return tensor_split(input, indices_or_sections, 0)


def dsplit(input: Any, indices_or_sections: Any) -> Any:
    """`tensor_split` along the third axis."""
    return tensor_split(input, indices_or_sections, 2)


def hstack(tensors: Any) -> Any:
    """Joined along the second axis (the first for 1-d)."""
    return wrap(torch.hstack(tuple(tensors)))


def vstack(inputs: Any) -> Any:
    """Joined along the first axis as rows."""
    return wrap(torch.vstack(tuple(inputs)))


row_stack = vstack


def dstack(tensors: Any) -> Any:
    """Joined along the third axis."""
    return wrap(torch.dstack(tuple(tensors)))


def column_stack(tensors: Any) -> Any:
    """1-d tensors as columns."""
    return wrap(torch.column_stack(tuple(tensors)))


def atleast_1d(inputs: Any) -> Any:
    """With at least one axis."""
    return wrap(torch.atleast_1d(inputs if isinstance(inputs, torch.Tensor) else tuple(inputs)))


def atleast_2d(inputs: Any) -> Any:
    """With at least two axes."""
    return wrap(torch.atleast_2d(inputs if isinstance(inputs, torch.Tensor) else tuple(inputs)))


def atleast_3d(inputs: Any) -> Any:
    """With at least three axes."""
    return wrap(torch.atleast_3d(inputs if isinstance(inputs, torch.Tensor) else tuple(inputs)))


def flip(input: Any, dims: Any) -> Any:
    """Reversed along the axes."""
    return wrap(torch.flip(input, as_ints(dims)))


def reverse(x: Any, axis: Any) -> Any:
    """Reversed along the axes."""
    return wrap(torch.flip(x, as_ints(axis)))


def fliplr(input: Any) -> Any:
    """Reversed along the second axis."""
    return wrap(torch.fliplr(input))


def flipud(input: Any) -> Any:
    """Reversed along the first axis."""
    return wrap(torch.flipud(input))


def reverse_sequence(x: Any, seq_lengths: Any, seq_dim: int, batch_dim: int = 0) -> Any:
    """For each batch element, the first ``seq_lengths`` steps reversed."""
    length = x.shape[seq_dim]
    steps = torch.arange(length, device=x.device)
    lengths = torch.unsqueeze(torch.as_tensor(seq_lengths), 1).to(torch.int64)
    places = torch.where(steps < lengths, lengths - 1 - steps, steps)
    shape = [1] * x.dim()
    shape[batch_dim], shape[seq_dim] = places.shape
    places = torch.reshape(places if batch_dim < seq_dim else torch.t(places), shape)
    return wrap(torch.gather(x, seq_dim, torch.Tensor.expand(places, tuple(x.shape))))


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Shifted along the axes with wrap-around."""
    return wrap(torch.roll(input, shifts, dims))


def rot90(input: Any, k: int, dims: Any) -> Any:
    """Turned by k·90° in the plane of two axes."""
    return wrap(torch.rot90(input, k, list(dims)))


def tril(input: Any, diagonal: int = 0) -> Any:
    """The lower triangle, the rest zero."""
    return wrap(torch.tril(input, diagonal))


def triu(input: Any, diagonal: int = 0) -> Any:
    """The upper triangle, the rest zero."""
    return wrap(torch.triu(input, diagonal))


def matrix_band_part(x: Any, lower: Any, upper: Any) -> Any:
    """Matrices with all but ``lower`` sub- and ``upper`` super-diagonals set to zero; negative keeps all."""
    rows = torch.unsqueeze(torch.arange(x.shape[-2], device=x.device), 1)
    cols = torch.arange(x.shape[-1], device=x.device)
    lower, upper = as_plain(lower), as_plain(upper)
    lower, upper = (torch.reshape(item, (*item.shape, 1, 1)) if item.dim() else item for item in (lower, upper))
    keep = ((lower < 0) | (rows - cols <= lower)) & ((upper < 0) | (cols - rows <= upper))
    return wrap(torch.where(keep, x, torch.zeros((), dtype=x.dtype, device=x.device)))


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A diagonal of the plane of two axes, as last axis."""
    return wrap(torch.diagonal(input, offset, dim1, dim2))


# --- order ------------------------------------------------------------------------------------------------------------


def sort(input_x: Any, axis: int = -1, descending: bool = False) -> Any:
    """(sorted values, int32 indices)."""
    values, indices = torch.sort(input_x, axis, descending)
    return wrap(values), wrap(to_dtype(indices, _int32))


def msort(input: Any) -> Any:
    """Sorted along the first axis."""
    return wrap(torch.msort(input))


def argsort(input: Any, axis: int = -1, descending: bool = False) -> Any:
    """The int32 indices that sort."""
    return wrap(to_dtype(torch.argsort(input, axis, descending), _int32))


def _as_they_are(input: Any, axis: int) -> tuple[torch.Tensor, torch.Tensor]:
    places = torch.arange(input.shape[axis], device=input.device).reshape(
        -1, *[1] * (input.dim() - 1 - axis % input.dim())
    )
    return input.clone(), places.expand(input.shape)


def topk(input: Any, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True) -> Any:
    """(the k largest or smallest values along ``dim``, their int32 indices)."""
    axis = -1 if dim is None else dim
    try:
        if (
            input.dim() and int(k) == input.shape[axis]
        ):  # all: equal ones stay in their order, and without `sorted` all do
            values, indices = (
                torch.sort(input, dim=axis, descending=largest, stable=True) if sorted else _as_they_are(input, axis)
            )
        else:
            values, indices = torch.topk(input, int(k), axis, largest, sorted)
    except RuntimeError as error:
        raise bad_argument("TopK", error) from None
    return wrap(values), wrap(to_dtype(indices, _int32))


def top_k(input_x: Any, k: int, sorted: bool = True) -> Any:
    """(the k largest values of the last axis, their int32 indices)."""
    return topk(input_x, k, -1, True, sorted)


def unique(input: Any) -> Any:
    """(distinct elements in the order of first occurrence, index of each element in them)."""
    flat = torch.reshape(input, (-1,))
    values, inverse = torch.unique(flat, sorted=True, return_inverse=True)
    first = torch.full((values.numel(),), flat.numel(), dtype=torch.int64, device=input.device)
    first = torch.scatter_reduce(first, 0, inverse, torch.arange(flat.numel(), device=input.device), "amin")
    order = torch.argsort(first)
    place = torch.empty_like(order)
    place[order] = torch.arange(order.numel(), device=input.device)
    dtype = torch.int64 if input.dtype is torch.int64 else _int32
    return wrap(values[order]), wrap(to_dtype(torch.reshape(place[inverse], tuple(input.shape)), dtype))


def unique_with_pad(x: Any, pad_num: Any) -> Any:
    """`unique`, with the distinct elements filled up by ``pad_num`` to the length of ``x``."""
    values, inverse = unique(x)
    result = torch.full_like(x, int(pad_num))
    result[: values.numel()] = values
    return wrap(result), inverse


def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Elements without consecutive repetitions, and what else is asked for."""
    return wrap(torch.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim))


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """Where the values would be inserted to keep the order."""
    values = as_plain(values, sorted_sequence.dtype, sorted_sequence)
    return wrap(
        torch.searchsorted(sorted_sequence, values, out_int32=out_int32, right=right or side == "right", sorter=sorter)
    )


def bucketize(input: Any, boundaries: Any, *, right: bool = False) -> Any:
    """The number of the bucket of each element."""
    bounds = as_plain(list(boundaries) if isinstance(boundaries, tuple) else boundaries)
    return wrap(torch.bucketize(input, bounds, out_int32=True, right=right))


def unravel_index(indices: Any, dims: Any) -> Any:
    """Coordinates of flat indices in a shape, one row each axis."""
    return wrap(torch.stack(torch.unravel_index(indices, as_ints(dims))))


def shuffle(x: Any, seed: int | None = None) -> Any:
    """The slices along the first axis in random order."""
    return wrap(x[torch.randperm(x.shape[0], generator=generator_of(seed)).to(x.device)])


# --- blocks -----------------------------------------------------------------------------------------------------------


def space_to_depth(x: Any, block_size: int) -> Any:
    """(N, C, H, W) to (N, C·b², H/b, W/b); blocks vary slowest in the channels."""
    n, c, h, w = x.shape
    b = block_size
    x = torch.reshape(x, (n, c, h // b, b, w // b, b))
    return wrap(torch.reshape(torch.permute(x, (0, 3, 5, 1, 2, 4)), (n, c * b * b, h // b, w // b)))


def depth_to_space(x: Any, block_size: int) -> Any:
    """(N, C·b², H, W) to (N, C, H·b, W·b); blocks vary slowest in the channels."""
    n, c, h, w = x.shape
    b = block_size
    x = torch.reshape(x, (n, b, b, c // (b * b), h, w))
    return wrap(torch.reshape(torch.permute(x, (0, 3, 4, 1, 5, 2)), (n, c // (b * b), h * b, w * b)))


def space_to_batch_nd(input_x: Any, block_size: Any, paddings: Any) -> Any:
    """Blocks of the last axes moved into the batch, after zero padding ((before, after) for each block axis)."""
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
    """The inverse of `space_to_batch_nd`, then ``crops`` ((before, after) for each block axis) cut off."""
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
    """(..., C·r², H, W) to (..., C, H·r, W·r)."""
    return wrap(torch.pixel_shuffle(input, upscale_factor))


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """(..., C, H·r, W·r) to (..., C·r², H, W)."""
    return wrap(torch.pixel_unshuffle(input, downscale_factor))


def channel_shuffle(x: Any, groups: int) -> Any:
    """Channels interleaved over the groups."""
    return wrap(torch.channel_shuffle(x, groups))


# --- padding ----------------------------------------------------------------------------------------------------------


def pad(input_x: Any, padding: Any = None, mode: str = "constant", value: Any = None, *, paddings: Any = None) -> Any:
    """Padded by (before, after) pairs, the last axis first; nested ((before, after), ...), first axis first, is the
    form of 1.x, where the argument was named ``paddings``.
    """
    padding = paddings if padding is None else padding
    if padding is None:
        raise TypeError("For 'pad', the 'padding' must be a tuple, list or Tensor of ints, but got None.")
    if isinstance(padding, (tuple, list)) and padding and isinstance(padding[0], (tuple, list)):
        padding = [int(item) for sides in reversed(list(padding)) for item in sides]
    sides = list(as_ints(padding))
    if mode == "constant":
        return wrap(tf.pad(input_x, sides, value=0 if value is None else value))
    if mode not in ("reflect", "replicate", "circular"):
        raise ValueError(
            f"For 'pad', the 'mode' must be one of 'constant', 'reflect', 'replicate' and 'circular', but got {mode!r}."
        )
    while mode != "constant" and len(sides) // 2 < input_x.dim() - 2:  # torch wants all but batch and channel named
        sides += [0, 0]
    return wrap(tf.pad(input_x, sides, mode))


def mirror_pad(input_x: Any, paddings: Any, mode: str) -> Any:
    """Padded by mirrored values: "REFLECT" without, "SYMMETRIC" with the border itself.

    Raises:
        ValueError: for another mode.
    """
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"For 'MirrorPad', the 'mode' must be 'REFLECT' or 'SYMMETRIC', but got {mode!r}.")
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
            input_x = torch.index_select(input_x, axis, torch.tensor(places, device=input_x.device))
    return wrap(input_x)


def padding(x: Any, pad_dim_size: int = 8) -> Any:
    """The last axis (of length 1) filled up with zeros to ``pad_dim_size``."""
    if x.shape[-1] != 1:
        raise ValueError(f"For 'Padding', the last axis of 'x' must have length 1, but got {x.shape[-1]}.")
    return wrap(tf.pad(x, (0, pad_dim_size - 1)))
