"""Shapes and the order of axes. Part of ``mindspore.ops.function.array_func``."""

from __future__ import annotations

import builtins
from typing import Any

import torch

from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.indexing import check_indices
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_axes, as_int, as_ints, as_plain, checks_places, in_range

__all__ = """
    shape shape_ dyn_shape dtype rank size numel is_tensor reshape reshape_ view_as transpose permute swapaxes
    swapdims moveaxis movedim t adjoint expand_dims unsqueeze squeeze flatten ravel broadcast_to expand expand_as
    tile repeat_elements repeat_interleave atleast_1d atleast_2d atleast_3d flip fliplr flipud reverse
    reverse_sequence roll rot90 tril triu diagonal matrix_band_part
""".split()


_int32 = torch.int32
# torch.split is Python code that calls the tensor's own method, which is MindSpore's
_split, _split_with_sizes = torch._VF.split, torch._VF.split_with_sizes  # type: ignore[attr-defined]


def shape(input_x: Any) -> tuple[int, ...]:
    """Return the shape as a tuple of ints.

    Examples:
        >>> print(ops.shape(ops.ones((2, 3))))
        (2, 3)
    """
    return tuple(input_x.shape)


shape_ = shape


def dyn_shape(input_x: Any) -> Any:
    """Return the shape as an int64 tensor."""
    return wrap(constant(tuple(input_x.shape), input_x.device, torch.int64))


def dtype(x: Any) -> torch.dtype:
    """Return the dtype."""
    return x.dtype


def rank(input_x: Any) -> int:
    """Return the number of axes."""
    return input_x.dim()


def size(input_x: Any) -> int:
    """Return the number of elements."""
    return input_x.numel()


numel = size


def is_tensor(obj: Any) -> bool:
    """Return whether it is a tensor."""
    return isinstance(obj, torch.Tensor)


def reshape(input: Any, shape: Any) -> Any:
    """Return the same values in another shape; one length may be -1."""
    return wrap(torch.reshape(input, shape if shape.__class__ is tuple else as_ints(shape)))


reshape_ = reshape


def view_as(input: Any, other: Any) -> Any:
    """Return ``input`` in the shape of ``other``."""
    return wrap(torch.reshape(input, tuple(other.shape)))


def transpose(input: Any, dims: Any = None, *, input_perm: Any = None) -> Any:
    """Permute the axes to the order ``dims`` (``input_perm`` in 1.x)."""
    return wrap(torch.permute(input, as_ints(input_perm if dims is None else dims)))


def permute(input: Any, axis: Any, *rest: int) -> Any:
    """Permute the axes to the order ``axis``."""
    return wrap(torch.permute(input, (axis, *rest) if rest else as_ints(axis)))


def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """Exchange two axes."""
    return wrap(torch.transpose(input, axis0, axis1))


def swapdims(input: Any, dim0: int, dim1: int) -> Any:
    """Exchange two axes."""
    return wrap(torch.transpose(input, dim0, dim1))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Move axes to other places."""
    return wrap(torch.movedim(x, source, destination))


movedim = moveaxis


def t(input: Any) -> Any:
    """Return the transposed matrix; 0-d and 1-d stay."""
    return wrap(torch.t(input))


def adjoint(x: Any) -> Any:
    """Exchange the last two axes and conjugate."""
    return wrap(torch.adjoint(x).resolve_conj())


def expand_dims(input_x: Any, axis: Any) -> Any:
    """Insert an axis of length 1 at ``axis``."""
    if axis.__class__ is int:
        return wrap(torch.unsqueeze(input_x, axis))
    if isinstance(axis, (tuple, list)):
        for item in axis:
            input_x = torch.unsqueeze(input_x, int(item))
        return wrap(input_x)
    return wrap(torch.unsqueeze(input_x, as_int(axis)))


def unsqueeze(input: Any, dim: int) -> Any:
    """Insert an axis of length 1 at ``dim``."""
    return wrap(torch.unsqueeze(input, dim))


def squeeze(input: Any, axis: Any = None) -> Any:
    """Remove the axes of length 1: all, or those among the named ones."""
    axis = as_axes(axis)
    return wrap(torch.squeeze(input) if axis is None else torch.squeeze(input, axis))


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


def ravel(input: Any) -> Any:
    """Return all elements in one axis."""
    return wrap(torch.reshape(input, (-1,)))


def broadcast_to(input: Any, shape: Any) -> Any:
    """Return ``input`` repeated to ``shape``; -1 keeps a length."""
    return wrap(torch.Tensor.expand(input, as_ints(shape)))


def expand(input_x: Any, size: Any) -> Any:
    """Return ``input`` repeated to ``size``; -1 keeps a length."""
    return broadcast_to(input_x, size)


def expand_as(input: Any, other: Any) -> Any:
    """Return ``input`` repeated to the shape of ``other``."""
    return broadcast_to(input, tuple(other.shape))


def tile(input: Any, dims: Any) -> Any:
    """Return ``input`` repeated as a whole, ``dims`` times along each axis."""
    return wrap(torch.tile(input, as_ints(dims)))


def repeat_elements(x: Any, rep: int, axis: int = 0) -> Any:
    """Repeat each element ``rep`` times along ``axis``."""
    return wrap(torch.repeat_interleave(x, rep, axis))


def repeat_interleave(input: Any, repeats: Any, axis: int | None = None) -> Any:
    """Repeat each element along ``axis`` (None: of the flattened tensor)."""
    if isinstance(repeats, (tuple, list)):
        repeats = int(repeats[0]) if len(repeats) == 1 else constant(repeats, input.device)
    return wrap(torch.repeat_interleave(input, repeats, axis))


def atleast_1d(inputs: Any) -> Any:
    """Return it with at least one axis."""
    return wrap(torch.atleast_1d(inputs if isinstance(inputs, torch.Tensor) else tuple(inputs)))


def atleast_2d(inputs: Any) -> Any:
    """Return it with at least two axes."""
    return wrap(torch.atleast_2d(inputs if isinstance(inputs, torch.Tensor) else tuple(inputs)))


def atleast_3d(inputs: Any) -> Any:
    """Return it with at least three axes."""
    return wrap(torch.atleast_3d(inputs if isinstance(inputs, torch.Tensor) else tuple(inputs)))


def flip(input: Any, dims: Any) -> Any:
    """Reverse along the axes."""
    return wrap(torch.flip(input, as_ints(dims)))


def reverse(x: Any, axis: Any) -> Any:
    """Reverse along the axes."""
    return wrap(torch.flip(x, as_ints(axis)))


def fliplr(input: Any) -> Any:
    """Reverse along the second axis."""
    return wrap(torch.fliplr(input))


def flipud(input: Any) -> Any:
    """Reverse along the first axis."""
    return wrap(torch.flipud(input))


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


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Shift along the axes with wrap-around."""
    return wrap(torch.roll(input, shifts, dims))


def rot90(input: Any, k: int, dims: Any) -> Any:
    """Turn by k·90° in the plane of two axes."""
    return wrap(torch.rot90(input, k, list(dims)))


def tril(input: Any, diagonal: int = 0) -> Any:
    """Return the lower triangle, the rest zero."""
    return wrap(torch.tril(input, diagonal))


def triu(input: Any, diagonal: int = 0) -> Any:
    """Return the upper triangle, the rest zero."""
    return wrap(torch.triu(input, diagonal))


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


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return a diagonal of the plane of two axes, as last axis."""
    return wrap(torch.diagonal(input, offset, dim1, dim2))


_FAST = """
    shape shape_ dyn_shape dtype rank size numel is_tensor reshape view_as transpose permute swapaxes swapdims moveaxis
    t expand_dims unsqueeze squeeze flatten ravel broadcast_to expand expand_as diagonal
"""  # views, which torch has for all dtypes
apply_dtype_fallback(globals(), __all__, skip=_FAST)
