"""Creation of tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.adapt import as_int, as_ints, as_plain, dtype_or_none, to_dtype
from mindspore_compat._ops.declare import Int, classes, functions, op, primitive, primitive_class
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.data import sent
from mindspore_compat._tensor.wrapping import copied, plain, wrap
from mindspore_compat.common.dtype import to_torch_dtype

_Run = Callable[..., Any]


_int64 = torch.int64


@op
def cast(input: Any, dtype: Any) -> Any:
    """Return ``input`` (tensor or number) in another dtype.

    Examples:
        >>> print(ops.cast(Tensor([1.7, -1.7]), ms.int32))
        [ 1 -1]
    """
    dtype = dtype if dtype.__class__ is torch.dtype else to_torch_dtype(dtype)
    if not isinstance(input, torch.Tensor):
        return None if input is None else wrap(as_plain(input, dtype))  # detectors of 1.x evaluate with None as labels
    return wrap(input) if input.dtype is dtype else wrap(to_dtype(input, dtype))


Cast = primitive_class("Cast", cast, inputs="input_x dtype")


@op
def type_as(input: Any, other: Any) -> Any:
    """Return ``input`` in the dtype of ``other``."""
    return cast(input, other.dtype)


TypeAs = primitive_class("TypeAs", type_as)


@op(hidden="device")
def zeros(size: Any, dtype: Any = None, *, device: Any = None) -> Any:
    """Return zeros of a shape; float32 by default."""
    return wrap(torch.zeros(as_ints(size), dtype=dtype_or_none(dtype) or torch.float32, device=current_device()))


Zeros = primitive_class("Zeros", zeros)


@op(formerly="type=dtype")
def ones(shape: Any, dtype: Any = None) -> Any:
    """Return ones of a shape; float32 by default."""
    return wrap(torch.ones(as_ints(shape), dtype=dtype_or_none(dtype) or torch.float32, device=current_device()))


Ones = primitive_class("Ones", ones)


def filled(size: Any, value: Any, dtype: Any, device: Any) -> Any:
    """Return a shape filled with a number or with a Tensor's, which gets the sum of the gradient."""
    if isinstance(value, torch.Tensor) and value.requires_grad:
        value = torch.reshape(value, ()).to(device, dtype or value.dtype)
        return torch.clone(torch.broadcast_to(value, size))
    return torch.full(size, _number(value), dtype=dtype, device=device)


@op
def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    """Return a shape filled with one value; without a dtype its integer part, in int64, as in MindSpore: the smallest
    number for those that int64 does not have.
    """
    if dtype is None:
        fill_value = _number(fill_value)
        fits = isinstance(fill_value, int) or -(2**63) <= fill_value < 2**63
        dtype, fill_value = torch.int64, int(fill_value) if fits else -(2**63)
    return wrap(filled(as_ints(size), fill_value, dtype_or_none(dtype), current_device()))


FillV2 = primitive_class("FillV2", lambda shape, value: full(shape, value, dtype=value.dtype))


@op
def fill(type: Any, shape: Any, value: Any) -> Any:
    """Return a shape filled with one value, in the dtype ``type``."""
    return wrap(filled(as_ints(shape), value, dtype_or_none(type), current_device()))


Fill = primitive_class("Fill", fill, inputs="dtype dims x")


@op(method="fills")
def fills(x: Any, value: Any) -> Any:
    """Return a tensor like ``x`` filled with one value."""
    return wrap(filled(x.shape, value, x.dtype, x.device))


Fills = primitive_class("Fills", fills)


@op
def zero_(input: Any) -> Any:
    """Set all elements to 0 in place."""
    with torch.no_grad():
        torch.zero_(input)
    return input


@op(formerly="t=dtype")
def eye(n: int, m: int | None = None, dtype: Any = None) -> Any:
    """Return an n×m matrix with ones on the diagonal."""
    rows, columns = as_int(n), as_int(n if m is None else m)
    return wrap(torch.eye(rows, columns, dtype=dtype_or_none(dtype) or torch.float32, device=current_device()))


Eye = primitive_class("Eye", eye)


@op(formerly="input_x=input x=input")
def zeros_like(input: Any, *, dtype: Any = None) -> Any:
    """Return zeros of the shape and dtype of ``input``."""
    if not isinstance(input, torch.Tensor):
        input = as_plain(input)
    return wrap(torch.zeros_like(input, dtype=dtype_or_none(dtype), requires_grad=False))


ZerosLike = primitive_class("ZerosLike", zeros_like, inputs="x")


@op(formerly="input_x=input")
def ones_like(input: Any, *, dtype: Any = None) -> Any:
    """Return ones of the shape and dtype of ``input``."""
    if not isinstance(input, torch.Tensor):
        input = as_plain(input)
    return wrap(torch.ones_like(input, dtype=dtype_or_none(dtype), requires_grad=False))


OnesLike = primitive_class("OnesLike", ones_like, inputs="x")


@op
def full_like(input: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    """Return one value in the shape and dtype of ``input``."""
    return wrap(filled(input.shape, fill_value, dtype_or_none(dtype) or input.dtype, input.device))


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, (torch.Tensor, np.generic)) else value


@op(formerly="stop=end rtype=dtype")
def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Any:
    """Return start, start + step, ... below ``end``; one argument is the end. float32, or int64 if all are ints."""
    if end is None:
        start, end = 0, start
    start, end, step = _number(start), _number(end), _number(step)
    if dtype is None:
        dtype = torch.float32 if any(isinstance(item, float) for item in (start, end, step)) else torch.int64
    dtype = dtype_or_none(dtype)
    if any(isinstance(item, float) for item in (start, end, step)) and not torch.compiler.is_compiling():
        return wrap(_single_range(start, end, step, dtype))
    return wrap(torch.arange(start, end, step, dtype=dtype, device=current_device()))


def _single_range(start: float, end: float, step: float, dtype: Any) -> torch.Tensor:
    """Return a range computed in float32 for any dtype, as MindSpore, each value from its own number. Another formula
    differs by an ulp, which comparisons show (``arange(-8.0, 8.0, 0.1)`` holds a 0).
    """
    first, last, width = np.float32(start), np.float32(end), np.float32(step)
    count = (last - first) / width
    size = math.ceil(count)
    values = torch.arange(size, dtype=torch.float32, device=current_device()) * width.item() + first.item()
    return values if dtype is None else to_dtype(values, dtype)


@op(formerly="limit=end delta=step")
def range(start: Any, end: Any = None, step: Any = 1, maxlen: int = 1000000) -> Any:
    """Return start, start + step, ... below ``end``; ints give int64."""
    result = arange(start, end, step)
    return result if result.dtype.is_floating_point else wrap(to_dtype(result, torch.int64))


tensor_range = range


@op(hidden="num", formerly="stop=end")
def linspace(start: Any, end: Any, steps: Any = None, *, num: Any = None) -> Any:
    """Return ``steps`` values from ``start`` to ``end``, both included; ``num`` is the name of 1.x."""
    steps = num if steps is None else steps
    dtype = start.dtype if isinstance(start, torch.Tensor) else torch.float32
    return wrap(torch.linspace(float(start), float(end), int(steps), dtype=dtype, device=current_device()))


LinSpace = primitive_class("LinSpace", linspace, inputs="start stop num")


@op
def logspace(start: Any, end: Any, steps: Any, base: int = 10, *, dtype: Any = torch.float32) -> Any:
    """Return base**start ... base**end in ``steps`` values."""
    return wrap(
        torch.logspace(
            float(start), float(end), int(steps), float(base), dtype=dtype_or_none(dtype), device=current_device()
        )
    )


LogSpace = primitive_class(
    "LogSpace", logspace, "base**start ... base**end.", steps=(int, 10), base=(int, 10), dtype=(Any, torch.float32)
)


@op(formerly="x=input_x")
def scalar_to_tensor(input_x: Any, dtype: Any = torch.float32) -> Any:
    """Return a 0-d tensor from a number; without ``dtype``, float32."""
    return wrap(constant(input_x, current_device(), dtype_or_none(dtype)))


ScalarToTensor = primitive_class("ScalarToTensor", scalar_to_tensor, inputs="x dtype")


@op
def scalar_to_array(input_x: Any) -> Any:
    """Return a 0-d tensor from a number."""
    return wrap(as_plain(input_x))


ScalarToArray = primitive_class("ScalarToArray", scalar_to_array)


@op
def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """Return a Python number converted to the kind of the dtype ``input_y``."""
    dtype = dtype_or_none(input_y)
    assert dtype is not None
    return torch.tensor(_number(input_x)).to(dtype).item()


ScalarCast = primitive_class("ScalarCast", scalar_cast)


@op
def tuple_to_array(input_x: Any) -> Any:
    """Return a 1-d tensor from a tuple (or list, or range) of numbers of one type; ints give int32, floats float32."""
    if isinstance(input_x[0], torch.Tensor) and input_x[0].dim():
        result = torch.stack([plain(item) for item in input_x])
    else:
        result = as_plain(tuple(_number(item) for item in input_x))
    return wrap(to_dtype(result, torch.int32) if result.dtype is torch.int64 else result)


TupleToArray = primitive_class("TupleToArray", tuple_to_array)


@op
def one_hot(indices: Any, depth: Any, on_value: Any = 1, off_value: Any = 0, axis: int = -1) -> Any:
    """Return ``on_value`` where the new axis of length ``depth`` equals the index, else ``off_value``; indices out of
    range give none.
    """
    depth = int(depth)
    on, off = as_plain(on_value).detach(), as_plain(off_value).detach()  # without a gradient, as in MindSpore
    axis = axis if axis >= 0 else indices.dim()
    shape = [1] * (indices.dim() + 1)
    shape[axis] = depth
    classes = torch.reshape(torch.arange(depth, device=indices.device), shape)
    hit = torch.eq(torch.unsqueeze(indices, axis), classes)
    return wrap(torch.where(hit, on.to(indices.device), off.to(indices.device)))


@op
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = _int64) -> Any:
    """Return (2, n) indices of the lower triangle."""
    return wrap(torch.tril_indices(row, col, offset, dtype=dtype_or_none(dtype), device=current_device()))


TrilIndices = primitive_class(
    "TrilIndices",
    tril_indices,
    "Indices of the lower triangle.",
    row=(int, ...),
    col=(int, ...),
    offset=(int, 0),
    dtype=(Any, torch.int32),
)


@op
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = _int64) -> Any:
    """Return (2, n) indices of the upper triangle."""
    return wrap(torch.triu_indices(row, col, offset, dtype=dtype_or_none(dtype), device=current_device()))


TriuIndices = primitive_class(
    "TriuIndices",
    triu_indices,
    "Indices of the upper triangle.",
    row=(int, ...),
    col=(int, ...),
    offset=(int, 0),
    dtype=(Any, torch.int32),
)


@op
def vander(x: Any, N: int | None = None) -> Any:
    """Return the Vandermonde matrix, highest power first."""
    return wrap(vandermonde(x, N))


def vandermonde(x: torch.Tensor, count: int | None, increasing: bool = False) -> torch.Tensor:
    """Return ``count`` powers of the elements of a vector, in rows; `torch.vander` has no derivative."""
    if x.dim() != 1:
        raise ValueError(f"For 'vander', the input must have one axis, but got the shape {tuple(x.shape)}.")
    exponents = torch.arange(len(x) if count is None else count, device=x.device)
    return kernels.pow(torch.unsqueeze(x, 1), exponents if increasing else torch.flip(exponents, (0,)))


@op(formerly="input_x=input", method="diag")
def diag(input: Any) -> Any:
    """Return a tensor of twice the axes with ``input`` on its diagonal."""
    shape = tuple(input.shape)
    return wrap(torch.reshape(torch.diag_embed(torch.reshape(input, (-1,))), shape + shape))


Diag = primitive_class("Diag", diag)


@op(method="diagflat")
def diagflat(input: Any, offset: int = 0) -> Any:
    """Return a matrix with the flattened ``input`` on a diagonal."""
    return wrap(torch.diagflat(input, offset))


@op
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return matrices with the last axis of ``input`` on a diagonal."""
    return wrap(torch.diag_embed(input, offset, dim1, dim2))


@op
def meshgrid(*inputs: Any, indexing: str = "xy") -> Any:
    """Return coordinate grids of 1-d tensors; "xy" swaps the first two axes."""
    if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)):
        inputs = tuple(inputs[0])
    return tuple(map(copied, torch.meshgrid(*inputs, indexing=indexing)))


@op
def cartesian_prod(*inputs: Any) -> Any:
    """Return all combinations of the elements of 1-d tensors."""
    return wrap(torch.cartesian_prod(*inputs))


@op(formerly="x=input")
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Return all combinations of ``r`` elements."""
    return wrap(torch.combinations(input, r, bool(with_replacement)))


@op
def block_diag(*inputs: Any) -> Any:
    """Return a matrix with the inputs as blocks on its diagonal."""
    return wrap(torch.block_diag(*inputs))


@op
def bartlett_window(window_length: Any, periodic: bool = True, *, dtype: Any = None) -> Any:
    """Return a triangular window."""
    return wrap(
        torch.bartlett_window(int(window_length), periodic, dtype=dtype_or_none(dtype), device=current_device())
    )


BartlettWindow = primitive_class("BartlettWindow", bartlett_window, periodic=(bool, True), dtype=(Any, torch.float32))


@op
def blackman_window(window_length: Any, periodic: bool = True, *, dtype: Any = None) -> Any:
    """Return a Blackman window."""
    return wrap(
        torch.blackman_window(int(window_length), periodic, dtype=dtype_or_none(dtype), device=current_device())
    )


BlackmanWindow = primitive_class("BlackmanWindow", blackman_window, periodic=(bool, True), dtype=(Any, torch.float32))


@op
def hamming_window(
    window_length: Any, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None
) -> Any:
    """Return a Hamming window."""
    return wrap(
        torch.hamming_window(
            int(window_length), periodic, alpha, beta, dtype=dtype_or_none(dtype), device=current_device()
        )
    )


HammingWindow = primitive_class(
    "HammingWindow",
    hamming_window,
    periodic=(bool, True),
    alpha=(float, 0.54),
    beta=(float, 0.46),
    dtype=(Any, torch.float32),
    inputs="length",
)


@op
def hann_window(window_length: Any, periodic: bool = True, *, dtype: Any = None) -> Any:
    """Return a Hann window; float64 by default."""
    return wrap(
        torch.hann_window(
            int(window_length), periodic, dtype=dtype_or_none(dtype) or torch.float64, device=current_device()
        )
    )


@op
def kaiser_window(window_length: Any, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None) -> Any:
    """Return a Kaiser window, float64 unless ``dtype`` says otherwise."""
    made = torch.kaiser_window(int(window_length), periodic, beta, dtype=dtype_or_none(dtype) or torch.float64)
    return wrap(sent(made, current_device()))


@op
def sequence_mask(lengths: Any, maxlen: int | None = None) -> Any:
    """Return bool mask of shape lengths.shape + (maxlen,), true below each length."""
    maxlen = int(torch.max(lengths)) if maxlen is None else int(maxlen)
    return wrap(torch.arange(maxlen, device=lengths.device) < torch.unsqueeze(lengths, -1))


@op
def deepcopy(input_x: Any) -> Any:
    """Return a copy on new storage."""
    return wrap(torch.clone(input_x))


def new_ones(input: Any, size: Any, *, dtype: Any = None) -> Any:
    """Return ones of a size, in ``dtype`` or that of ``input``."""
    return wrap(torch.Tensor.new_ones(input, as_ints(size), dtype=dtype_or_none(dtype)))


def new_zeros(input: Any, size: Any, *, dtype: Any = None) -> Any:
    """Return zeros of a size, in ``dtype`` or that of ``input``."""
    return wrap(torch.Tensor.new_zeros(input, as_ints(size), dtype=dtype_or_none(dtype)))


@primitive(settable=True)
def Meshgrid(indexing: str = "xy") -> _Run:
    """Coordinate grids of 1-d tensors."""
    check_one_of(indexing, "indexing", ("xy", "ij"), "Meshgrid")
    return lambda inputs: meshgrid(*inputs, indexing=indexing)


@primitive(settable=True)
def OneHot(axis: Int = -1) -> _Run:
    """``on_value`` where the new axis of length ``depth`` equals the index, else ``off_value``.

    Examples:
        >>> print(ops.OneHot()(Tensor([0, 2], ms.int32), 3, Tensor(1.0), Tensor(0.0)))
        [[1. 0. 0.]
         [0. 0. 1.]]
    """
    return lambda indices, depth, on_value, off_value: one_hot(indices, depth, on_value, off_value, axis)


@primitive(settable=True)
def Range(maxlen: int = 1000000) -> _Run:
    """start, start + delta, ... below ``limit``."""
    return lambda start, end, step: range(start, end, step, maxlen)


__all__ = functions(globals())
PRIMITIVES = classes(globals())
