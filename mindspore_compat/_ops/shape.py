"""Shapes: reshaping, joining, splitting, padding."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as tf

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._numerics.autocast import cast_here
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import as_axes, as_int, as_ints, as_plain, checks_places, in_range, to_dtype
from mindspore_compat._ops.declare import Int, Ints, PositiveInt, classes, functions, op, primitive, primitive_class
from mindspore_compat._ops.elementwise import conj
from mindspore_compat._ops.indexing import strided_slice
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.indexing import check_indices
from mindspore_compat._tensor.methods_shape import whole_lengths
from mindspore_compat._tensor.wrapping import copied, wrap

_Run = Callable[..., Any]


_split, _split_with_sizes = torch._VF.split, torch._VF.split_with_sizes  # type: ignore[attr-defined]


@op(fallback=False, formerly="input_x=tensors")
def concat(tensors: Any, axis: int = 0) -> Any:
    """Join tensors along an axis. Compiled code may join an empty tuple, to a Tensor whose values cannot be read."""
    parts = tuple(tensors)
    return wrap(torch.cat(parts, as_int(axis)) if parts or not in_graph() else torch.empty(0, device="meta"))


cat = concat


@op(fallback=False, hidden="dim", formerly="input_x=tensors")
def stack(tensors: Any, axis: int = 0, *, dim: int | None = None) -> Any:
    """Join tensors along a new axis."""
    return wrap(torch.stack(tuple(tensors), axis if dim is None else dim))


@op(fallback=False)
def unstack(input_x: Any, axis: int = 0) -> Any:
    """Return the slices along ``axis``, without it, as a tuple."""
    return wrap(tuple(torch.unbind(input_x, as_int(axis))))


@op(fallback=False, formerly="x=input")
def unbind(input: Any, dim: int = 0) -> Any:
    """Return the slices along ``dim``, without it, as a tuple."""
    return unstack(input, dim)


@op(fallback=False, hidden="output_num input_x")
def split(
    tensor: Any = None,
    split_size_or_sections: Any = None,
    axis: int = 0,
    output_num: int | None = None,
    *,
    input_x: Any = None,
) -> Any:
    """Split along ``axis``: of an equal length, or of the lengths given.

    ``output_num`` (1.x; also ``split(x, axis, output_num)``) is the number of equal pieces instead.
    """
    tensor = input_x if tensor is None else tensor
    if output_num is not None:
        axis = axis if split_size_or_sections is None else int(split_size_or_sections)
        return chunks_of(tensor, axis, output_num)
    if isinstance(split_size_or_sections, (tuple, list)):
        return wrap(tuple(_split_with_sizes(tensor, [int(item) for item in split_size_or_sections], axis)))
    if split_size_or_sections is not None and split_size_or_sections <= 0:  # no length: the axis of 1.x
        return chunks_of(tensor, int(split_size_or_sections), axis)
    return wrap(tuple(_split(tensor, split_size_or_sections, axis)))


def chunks_of(x: Any, axis: int, output_num: int) -> Any:
    """Return ``output_num`` pieces of equal length."""
    length = x.shape[axis]
    if output_num <= 0 or length % output_num:
        raise ValueError(
            f"For 'Split', the length of axis {axis} ({length}) must be a multiple of 'output_num', but got "
            f"{output_num}."
        )
    return wrap(tuple(_split(x, length // output_num, axis)))


@op(fallback=False)
def chunk(input: Any, chunks: int, axis: int = 0) -> Any:
    """Split into at most ``chunks`` pieces of equal length, the last may be shorter."""
    return wrap(tuple(torch.chunk(input, chunks, axis)))


@op(method="tensor_split")
def tensor_split(input: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Split into a number of nearly equal ones, or cut at the indices."""
    return wrap(tuple(torch.tensor_split(input, indices_or_sections, axis)))


@op(method="hsplit")
def hsplit(input: Any, indices_or_sections: Any) -> Any:
    """Run `tensor_split` along the second axis (the first if there is only one)."""
    return tensor_split(input, indices_or_sections, 0 if input.dim() == 1 else 1)


@op(method="vsplit")
def vsplit(input: Any, indices_or_sections: Any) -> Any:
    """Run `tensor_split` along the first axis."""
    return tensor_split(input, indices_or_sections, 0)


@op(method="dsplit")
def dsplit(input: Any, indices_or_sections: Any) -> Any:
    """Run `tensor_split` along the third axis."""
    return tensor_split(input, indices_or_sections, 2)


@op
def hstack(tensors: Any) -> Any:
    """Join along the second axis (the first for 1-d)."""
    return wrap(torch.hstack(tuple(tensors)))


@op
def vstack(inputs: Any) -> Any:
    """Join along the first axis as rows."""
    return wrap(torch.vstack(tuple(inputs)))


row_stack = op(vstack, name="row_stack", shown="tensors")


@op(formerly="inputs=tensors")
def dstack(tensors: Any) -> Any:
    """Join along the third axis."""
    return wrap(torch.dstack(tuple(tensors)))


@op
def column_stack(tensors: Any) -> Any:
    """Return 1-d tensors as columns."""
    return wrap(torch.column_stack(tuple(tensors)))


_int32 = torch.int32

# torch.split is Python code that calls the tensor's own method, which is MindSpore's
_split, _split_with_sizes = torch._VF.split, torch._VF.split_with_sizes  # type: ignore[attr-defined]


@op(fallback=False)
def shape(input_x: Any) -> tuple[int, ...]:
    """Return the shape as a tuple of ints.

    Examples:
        >>> print(ops.shape(ops.ones((2, 3))))
        (2, 3)
    """
    return tuple(input_x.shape)


Shape = primitive_class("Shape", shape, inputs="x")


shape_ = op(shape, name="shape_", shown="x")


@op(fallback=False)
def dyn_shape(input_x: Any) -> Any:
    """Return the shape as an int64 tensor."""
    return wrap(constant(tuple(input_x.shape), input_x.device, torch.int64))


TensorShape = primitive_class("TensorShape", dyn_shape)


@op(fallback=False)
def dtype(x: Any) -> torch.dtype:
    """Return the dtype."""
    return x.dtype


DType = primitive_class("DType", dtype)


@op(fallback=False)
def rank(input_x: Any) -> int:
    """Return the number of axes."""
    return input_x.dim()


Rank = primitive_class("Rank", rank, inputs="x")


@op(fallback=False, formerly="x=input")
def size(input_x: Any) -> int:
    """Return the number of elements."""
    return input_x.numel()


Size = primitive_class("Size", size)


numel = op(size, name="numel", shown="input")


@op(fallback=False)
def is_tensor(obj: Any) -> bool:
    """Return whether it is a tensor."""
    return isinstance(obj, torch.Tensor)


@op(fallback=False, formerly="input_x=input input_shape=shape")
def reshape(input: Any, shape: Any) -> Any:
    """Return the same values in another shape; one length may be -1."""
    try:
        return wrap(torch.reshape(input, shape if shape.__class__ is tuple else as_ints(shape)))
    except TypeError:  # floats
        return wrap(torch.reshape(input, whole_lengths(shape)))


Reshape = primitive_class("Reshape", reshape)
reshape_ = reshape


@op(fallback=False)
def view_as(input: Any, other: Any) -> Any:
    """Return ``input`` in the shape of ``other``."""
    return wrap(torch.reshape(input, tuple(other.shape)))


@op(fallback=False, hidden="input_perm", formerly="input_x=input")
def transpose(input: Any, dims: Any = None, *, input_perm: Any = None) -> Any:
    """Permute the axes to the order ``dims`` (``input_perm`` in 1.x)."""
    return wrap(torch.permute(input, as_ints(input_perm if dims is None else dims)))


Transpose = primitive_class("Transpose", transpose)
TransposeView = primitive_class("TransposeView", transpose, inputs="input input_perm")
ConjugateTranspose = primitive_class("ConjugateTranspose", lambda x, perm: conj(transpose(x, perm)))


@op(fallback=False, formerly="x=input dims=axis", method="permute")
def permute(input: Any, axis: Any, *rest: int) -> Any:
    """Permute the axes to the order ``axis``."""
    return wrap(torch.permute(input, (axis, *rest) if rest else as_ints(axis)))


@op(fallback=False)
def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """Exchange two axes."""
    return wrap(torch.transpose(input, axis0, axis1))


TransposeExtView = primitive_class("TransposeExtView", swapaxes, inputs="input dim0 dim1")


@op(fallback=False)
def swapdims(input: Any, dim0: int, dim1: int) -> Any:
    """Exchange two axes."""
    return wrap(torch.transpose(input, dim0, dim1))


@op(fallback=False, method="moveaxis movedim")
def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Move axes to other places."""
    return wrap(torch.movedim(x, source, destination))


movedim = moveaxis


@op(fallback=False, method="t")
def t(input: Any) -> Any:
    """Return the transposed matrix; 0-d and 1-d stay."""
    return wrap(torch.t(input))


@op
def adjoint(x: Any) -> Any:
    """Exchange the last two axes and conjugate."""
    return wrap(torch.adjoint(x).resolve_conj())


@op(fallback=False)
def expand_dims(input_x: Any, axis: Any) -> Any:
    """Insert an axis of length 1 at ``axis``."""
    if axis.__class__ is int:
        return wrap(torch.unsqueeze(input_x, axis))
    if isinstance(axis, (tuple, list)):
        for item in axis:
            input_x = torch.unsqueeze(input_x, int(item))
        return wrap(input_x)
    return wrap(torch.unsqueeze(input_x, as_int(axis)))


ExpandDims = primitive_class("ExpandDims", expand_dims)


@op(fallback=False, formerly="input_x=input")
def unsqueeze(input: Any, dim: int) -> Any:
    """Insert an axis of length 1 at ``dim``."""
    return wrap(torch.unsqueeze(input, dim))


@op(fallback=False, formerly="input_x=input")
def squeeze(input: Any, axis: Any = None) -> Any:
    """Remove the axes of length 1: all, or those among the named ones."""
    axis = as_axes(axis)
    return wrap(torch.squeeze(input) if axis is None else torch.squeeze(input, axis))


Squeeze = primitive_class(
    "Squeeze",
    squeeze,
    "Without axes of length 1: all, or those named.",
    axis=(Ints[int | tuple | list], ()),  # type: ignore[misc]
    settable=True,
)


@op(fallback=False, formerly="input_x=input")
def flatten(input: Any, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Any:
    """Join axes ``start_dim`` to ``end_dim``; order "F" is column-major. All but the first: a copy."""
    if order not in ("C", "F"):
        raise ValueError(f"For 'flatten', argument 'order' value must be 'C' or 'F', but got {order!r}.")
    if order == "F":
        input = torch.permute(input, tuple(builtins.range(input.dim() - 1, -1, -1)))
    if input.dim() <= 1 and start_dim == 1:
        return wrap(torch.reshape(input, (-1,)))
    flat = torch.flatten(input, start_dim, end_dim)
    return wrap(torch.clone(flat) if (start_dim, end_dim) == (1, -1) else flat)


Flatten = primitive_class("Flatten", lambda input_x: flatten(input_x))


@op(fallback=False)
def ravel(input: Any) -> Any:
    """Return all elements in one axis."""
    return wrap(torch.reshape(input, (-1,)))


@op(fallback=False, formerly="x=input")
def broadcast_to(input: Any, shape: Any) -> Any:
    """Return ``input`` repeated to ``shape``; -1 keeps a length."""
    return wrap(torch.Tensor.expand(input, as_ints(shape)))


BroadcastTo = primitive_class(
    "BroadcastTo",
    broadcast_to,
    "The input repeated to ``shape``.",
    shape=(Ints[list | tuple | torch.Tensor], ...),  # type: ignore[misc]
    inputs="input",
    settable=True,
)


@op(fallback=False)
def expand(input_x: Any, size: Any) -> Any:
    """Return ``input`` repeated to ``size``; -1 keeps a length."""
    return broadcast_to(input_x, size)


Expand = primitive_class("Expand", lambda x, shape: copied(expand(x, shape)), inputs="x shape")


@op(fallback=False)
def expand_as(input: Any, other: Any) -> Any:
    """Return ``input`` repeated to the shape of ``other``."""
    return broadcast_to(input, tuple(other.shape))


@op(formerly="input_x=input multiples=dims reps=dims")
def tile(input: Any, dims: Any) -> Any:
    """Return ``input`` repeated as a whole, ``dims`` times along each axis."""
    return wrap(torch.tile(input, as_ints(dims)))


Tile = primitive_class("Tile", tile)


@op
def repeat_elements(x: Any, rep: int, axis: int = 0) -> Any:
    """Repeat each element ``rep`` times along ``axis``."""
    return wrap(torch.repeat_interleave(x, rep, axis))


@op(formerly="x=input dim=axis")
def repeat_interleave(input: Any, repeats: Any, axis: int | None = None) -> Any:
    """Repeat each element along ``axis`` (None: of the flattened tensor)."""
    if isinstance(repeats, (tuple, list)):
        repeats = int(repeats[0]) if len(repeats) == 1 else constant(repeats, input.device)
    return wrap(torch.repeat_interleave(input, repeats, axis))


@op
def atleast_1d(inputs: Any) -> Any:
    """Return it with at least one axis."""
    return wrap(torch.atleast_1d(inputs if isinstance(inputs, torch.Tensor) else tuple(inputs)))


@op
def atleast_2d(inputs: Any) -> Any:
    """Return it with at least two axes."""
    return wrap(torch.atleast_2d(inputs if isinstance(inputs, torch.Tensor) else tuple(inputs)))


@op
def atleast_3d(inputs: Any) -> Any:
    """Return it with at least three axes."""
    return wrap(torch.atleast_3d(inputs if isinstance(inputs, torch.Tensor) else tuple(inputs)))


@op(formerly="x=input")
def flip(input: Any, dims: Any) -> Any:
    """Reverse along the axes."""
    return wrap(torch.flip(input, as_ints(dims)))


@op(method="reverse")
def reverse(x: Any, axis: Any) -> Any:
    """Reverse along the axes."""
    return wrap(torch.flip(x, as_ints(axis)))


ReverseV2 = primitive_class("ReverseV2", reverse, None, axis=(Ints[list | tuple], ...), inputs="input", settable=True)  # type: ignore[misc]


@op(formerly="x=input")
def fliplr(input: Any) -> Any:
    """Reverse along the second axis."""
    return wrap(torch.fliplr(input))


@op(formerly="x=input")
def flipud(input: Any) -> Any:
    """Reverse along the first axis."""
    return wrap(torch.flipud(input))


@op
@checks_places("ReverseSequence", "seq_lengths")
def reverse_sequence(x: Any, seq_lengths: Any, seq_dim: int, batch_dim: int = 0) -> Any:
    """Reverse the first ``seq_lengths`` steps of each batch element.

    Raises:
        ValueError: if ``seq_dim`` and ``batch_dim`` are one axis.
    """
    if in_range(seq_dim, x.dim()) == in_range(batch_dim, x.dim()):
        raise ValueError(
            f"For 'ReverseSequence', the 'batch_dim' should be != seq_dim: {seq_dim}, but got {batch_dim}."
        )
    length = x.shape[seq_dim]
    steps = torch.arange(length, device=x.device)
    check_indices(seq_lengths)
    lengths = torch.unsqueeze(as_plain(seq_lengths, torch.int64, x), 1)
    places = torch.where(steps < lengths, lengths - 1 - steps, steps)
    places = torch.where(lengths < 0, -1, places)  # for torch to refuse
    shape = [1] * x.dim()
    shape[batch_dim], shape[seq_dim] = places.shape
    places = torch.reshape(places if batch_dim < seq_dim else torch.t(places), shape)
    return wrap(torch.gather(x, seq_dim, torch.Tensor.expand(places, tuple(x.shape))))


ReverseSequence = primitive_class(
    "ReverseSequence", reverse_sequence, seq_dim=(Int, ...), batch_dim=(int, 0), inputs="x seq_lengths"
)


@op(formerly="x=input")
def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Shift along the axes with wrap-around."""
    return wrap(torch.roll(input, shifts, dims))


Roll = primitive_class(
    "Roll",
    roll,
    "Shifted with wrap-around.",
    shifts=(Ints[int | list | tuple], ...),  # type: ignore[misc]
    dims=(Ints[int | list | tuple | None], None),  # type: ignore[misc]
    inputs="input",
    settable=True,
)


@op(formerly="x=input", method="rot90")
def rot90(input: Any, k: int, dims: Any) -> Any:
    """Turn by k·90° in the plane of two axes."""
    return wrap(torch.rot90(input, k, list(dims)))


@op
def tril(input: Any, diagonal: int = 0) -> Any:
    """Return the lower triangle, the rest zero."""
    return wrap(torch.tril(input, diagonal))


Tril = primitive_class("Tril", tril, "The lower triangle.", diagonal=(int, 0), inputs="x")


@op
def triu(input: Any, diagonal: int = 0) -> Any:
    """Return the upper triangle, the rest zero."""
    return wrap(torch.triu(input, diagonal))


Triu = primitive_class("Triu", triu, "The upper triangle.", diagonal=(int, 0), settable=True)


@op
def matrix_band_part(x: Any, lower: Any, upper: Any) -> Any:
    """Return matrices with all but ``lower`` sub- and ``upper`` super-diagonals set to zero; negative keeps all."""
    rows = torch.unsqueeze(torch.arange(x.shape[-2], device=x.device), 1)
    cols = torch.arange(x.shape[-1], device=x.device)
    check_indices(lower)
    check_indices(upper)
    lower, upper = as_plain(lower), as_plain(upper)
    lower, upper = (torch.reshape(item, (*item.shape, 1, 1)) if item.dim() else item for item in (lower, upper))
    keep = ((lower < 0) | (rows - cols <= lower)) & ((upper < 0) | (cols - rows <= upper))
    return wrap(torch.where(keep, x, torch.zeros((), dtype=x.dtype, device=x.device)))


MatrixBandPart = primitive_class("MatrixBandPart", matrix_band_part)


@op(fallback=False)
def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return a diagonal of the plane of two axes, as last axis."""
    return wrap(torch.diagonal(input, offset, dim1, dim2))


@with_dtype_fallback
def space_to_depth(x: Any, block_size: int) -> Any:
    """Rearrange (N, C, H, W) to (N, C·b², H/b, W/b); blocks vary slowest in the channels."""
    n, c, h, w = x.shape
    b = block_size
    x = torch.reshape(cast_here(x), (n, c, h // b, b, w // b, b))
    return wrap(torch.reshape(torch.permute(x, (0, 3, 5, 1, 2, 4)), (n, c * b * b, h // b, w // b)))


SpaceToDepth = primitive_class(
    "SpaceToDepth",
    space_to_depth,
    "Blocks of the image moved into the channels.",
    block_size=(PositiveInt, ...),
    inputs="x",
)


@with_dtype_fallback
def depth_to_space(x: Any, block_size: int) -> Any:
    """Rearrange (N, C·b², H, W) to (N, C, H·b, W·b); blocks vary slowest in the channels."""
    n, c, h, w = x.shape
    b = block_size
    x = torch.reshape(cast_here(x), (n, b, b, c // (b * b), h, w))
    return wrap(torch.reshape(torch.permute(x, (0, 3, 4, 1, 5, 2)), (n, c // (b * b), h * b, w * b)))


DepthToSpace = primitive_class(
    "DepthToSpace",
    depth_to_space,
    "Channels moved into blocks of the image.",
    block_size=(PositiveInt, ...),
    inputs="x",
)


@op
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


SpaceToBatchND = primitive_class(
    "SpaceToBatchND",
    space_to_batch_nd,
    "Blocks of the last axes moved into the batch.",
    block_shape=(Any, ..., "block_size"),
    paddings=(Any, ...),
)


@op
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


BatchToSpaceNDV2 = primitive_class("BatchToSpaceNDV2", batch_to_space_nd)
BatchToSpaceND = primitive_class(
    "BatchToSpaceND",
    batch_to_space_nd,
    "The batch moved into blocks of the last axes.",
    block_shape=(Any, ...),
    crops=(Any, ...),
)


@op(formerly="x=input")
def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Rearrange (..., C·r², H, W) to (..., C, H·r, W·r)."""
    return wrap(torch.pixel_shuffle(input, upscale_factor))


@op(formerly="x=input")
def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """Rearrange (..., C, H·r, W·r) to (..., C·r², H, W)."""
    return wrap(torch.pixel_unshuffle(input, downscale_factor))


@op
def channel_shuffle(x: Any, groups: int) -> Any:
    """Interleave the channels over the groups."""
    return wrap(torch.channel_shuffle(x, groups))


ChannelShuffle = primitive_class("ChannelShuffle", channel_shuffle, group=(int, ..., "groups"), inputs="x")


@op(hidden="paddings")
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


@with_dtype_fallback
def sides_of(paddings: Any, contiguous: bool = True) -> Any:
    """Return (before, after) pairs, the last axis first; not ``contiguous`` are all sides before, then all after."""
    if contiguous:
        return paddings
    sides = as_ints(paddings)
    half = len(sides) // 2
    return tuple(side for pair in zip(sides[:half], sides[half:]) for side in pair)


@op
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


MirrorPad = primitive_class(
    "MirrorPad",
    mirror_pad,
    "Padded by mirrored values.",
    mode=(Literal["REFLECT", "SYMMETRIC"], "REFLECT"),
    inputs="x paddings",
)


@op
def padding(x: Any, pad_dim_size: int = 8) -> Any:
    """Fill the last axis (of length 1) with zeros up to ``pad_dim_size``."""
    if x.shape[-1] != 1:
        raise ValueError(f"For 'Padding', the last axis of 'x' must have length 1, but got {x.shape[-1]}.")
    return wrap(tf.pad(x, (0, pad_dim_size - 1)))


Padding = primitive_class("Padding", padding, "The last axis filled up with zeros.", pad_dim_size=(int, 8))

Unstack = primitive_class(
    "Unstack",
    unstack,
    "The slices along ``axis``, without it.",
    axis=(Int, 0),
    num=(int | None, None, None),
    inputs="x",
)
_Format = Literal["NHWC", "NCHW"]


@primitive
def DataFormatDimMap(src_format: _Format = "NHWC", dst_format: _Format = "NCHW") -> _Run:
    """The numbers in ``src_format`` of the axes that ``dst_format`` has at places; negative ones count from the end."""
    table = [src_format.index(letter) for letter in dst_format]

    def run(input_x: Any) -> Any:
        places = torch.remainder(input_x.long(), 4)
        return wrap(to_dtype(constant(table, input_x.device)[places], input_x.dtype))

    return run


@primitive
def DataFormatVecPermute(src_format: _Format = "NHWC", dst_format: _Format = "NCHW") -> _Run:
    """(4,) or (4, 2), a row an axis, from one format to the other."""
    order = [src_format.index(letter) for letter in dst_format]

    def run(input_x: Any) -> Any:
        if tuple(input_x.shape) not in ((4,), (4, 2)):
            raise ValueError(
                f"For 'DataFormatVecPermute', the shape must be (4,) or (4, 2), but got {tuple(input_x.shape)}."
            )
        return wrap(torch.index_select(input_x, 0, constant(order, input_x.device)))

    return run


def _broadcast_to(x: Any, shape: Any) -> Any:
    """Return ``x`` broadcast to a shape, as a copy."""
    return copied(broadcast_to(x, as_ints(shape)))


DynamicBroadcastTo = primitive_class("DynamicBroadcastTo", _broadcast_to)


def _broadcast_axes(s0: Any, s1: Any) -> Any:
    """Return the axes over which a gradient is summed for the first, and the second, of two shapes that broadcast."""
    first, second = as_ints(s0), as_ints(s1)
    dims = len(torch.broadcast_shapes(first, second))
    padded = [(1,) * (dims - len(item)) + item for item in (first, second)]
    axes = [
        [i for i in range(dims) if mine[i] == 1 and (theirs[i] != 1 or i < dims - length)]
        for mine, theirs, length in zip(padded, padded[::-1], (len(first), len(second)))
    ]
    return wrap(tuple(constant(item, current_device(), torch.int64) for item in axes))


DynamicBroadcastGradientArgs = primitive_class("DynamicBroadcastGradientArgs", _broadcast_axes)


@primitive(settable=True)
def Concat(axis: Int = 0) -> _Run:
    """Tensors joined along ``axis``.

    Examples:
        >>> print(ops.Concat(axis=1)((Tensor([[1], [2]]), Tensor([[3], [4]]))))
        [[1 3]
         [2 4]]
    """
    return lambda tensors, *more: concat((tensors, *more) if more else tensors, axis)


@primitive(inputs="x")
def Stack(axis: Int = 0) -> _Run:
    """Tensors joined along a new axis."""
    return lambda tensors, *more: stack((tensors, *more) if more else tensors, axis)


@primitive
def Pack(axis: int = 0) -> _Run:
    """The old name of `Stack`."""
    return Stack(axis)._run


@primitive
def ParallelConcat() -> _Run:
    """Tensors of first length 1 joined along the first axis."""
    return lambda values: concat(values, 0)


@primitive
def Unpack(axis: int = 0) -> _Run:
    """The old name of `Unstack`."""
    return Unstack(axis)._run


@primitive(settable=True)
def Split(axis: Int = 0, output_num: PositiveInt = 1) -> _Run:
    """``output_num`` pieces of equal length along ``axis``."""
    return lambda input_x: chunks(input_x, axis, output_num)


def chunks(x: Any, axis: int, count: int) -> Any:
    """Run `split` into equal pieces."""
    return split(x, axis, output_num=count)


@primitive(inputs="input_x")
def SplitV(size_splits: Any, split_dim: int, num_split: int) -> _Run:
    """Pieces of the given lengths along an axis; one length may be -1."""

    def run(input_x: Any) -> Any:
        rest = input_x.shape[split_dim] - sum(item for item in size_splits if item != -1)
        return split(input_x, [rest if item == -1 else item for item in size_splits], split_dim)

    return run


@primitive
def IdentityN() -> _Run:
    """The tensors themselves."""
    return lambda x: tuple(wrap(torch.clone(item)) for item in x)


@primitive(settable=True)
def StridedSlice(
    begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0
) -> _Run:
    """input[begin:end:strides, ...] with masks."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if any(masks):
        return lambda input_x, begin, end, strides: wrap(
            torch.clone(strided_slice(input_x, begin, end, strides, *masks))
        )
    return strided_slice


@primitive(inputs="tensor")
def DynamicShape(dtype: Any = 9) -> _Run:
    """The shape as a tensor."""
    return dyn_shape


@primitive
def SpaceToBatch(block_size: int, paddings: Any) -> _Run:
    """Blocks of the image moved into the batch."""
    return lambda x: space_to_batch_nd(x, [block_size] * 2, paddings)


@primitive
def BatchToSpace(block_size: int, crops: Any) -> _Run:
    """The batch moved into blocks of the image."""
    return lambda x: batch_to_space_nd(x, [block_size] * 2, crops)


@primitive(inputs="x")
def Pad(paddings: Any) -> _Run:
    """Zeros around: ((before, after), ...), the first axis first."""

    def run(input_x: Any) -> Any:
        if input_x.dim() != len(paddings):
            raise ValueError(
                f"For 'Pad', the length of 'paddings' must be equal to the rank of 'input_x', but got {len(paddings)} "
                f"vs {input_x.dim()}."
            )
        flat = [int(side) for sides in reversed(paddings) for side in sides]
        return wrap(torch.nn.functional.pad(input_x, flat))

    return run


@primitive
def PadV3(mode: str = "constant", paddings_contiguous: bool = True) -> _Run:
    """Padded by (before, after) pairs, the last axis first, as `ops.pad`. Without ``paddings_contiguous`` all sides
    before stand first, then all sides after.
    """
    return lambda x, paddings, constant_value=None: pad(
        x, sides_of(paddings, paddings_contiguous), {"edge": "replicate"}.get(mode, mode), constant_value
    )


__all__ = functions(globals())
PRIMITIVES = classes(globals())
