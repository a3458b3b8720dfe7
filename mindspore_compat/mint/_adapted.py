"""Functions of ``mindspore.mint`` that differ from torch's of the same name in their arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.saved_shapes import by_shape
from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.integer_results import cut_after, given_in, mean_in
from mindspore_compat._ops import elementwise
from mindspore_compat._ops.adapt import pair
from mindspore_compat._ops.creation import filled
from mindspore_compat._ops.elementwise import floor_divide, lerp  # noqa: F401
from mindspore_compat._ops.indexing import gather_elements as gather  # noqa: F401
from mindspore_compat._ops.indexing import scatter, take  # noqa: F401
from mindspore_compat._ops.linalg import cross  # noqa: F401
from mindspore_compat._ops.reduction import histc  # noqa: F401
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.data import device_from
from mindspore_compat._tensor.index_bounds import count_from_end
from mindspore_compat.common.generator import generator_on

_Base = torch._C.TensorBase
_Numbers = (torch.Tensor, int, float)


masked_select = functools.partial(by_shape, torch.masked_select)


def scatter_add(input: Any, dim: int, index: Any, src: Any) -> torch.Tensor:
    return count_from_end(lambda places: torch.scatter_add(input, dim, places, src), index, input.shape[dim])


def addr_(input: Any, vec1: Any, vec2: Any, beta: Any, alpha: Any) -> Any:
    return _Base.addr_(input, vec1, vec2, beta=beta, alpha=alpha)


def _of_numbers_too(function: Callable[..., torch.Tensor]) -> Callable[[Any, Any], torch.Tensor]:
    """Return a function of two tensors, or a tensor and a number, that accepts numbers on both sides."""

    def of_both(input: Any, other: Any) -> torch.Tensor:
        try:
            return function(input, other)
        except TypeError:
            if not (isinstance(input, _Numbers) and isinstance(other, _Numbers)):
                raise
            return function(*pair(input, other))

    of_both.__name__ = function.__name__
    return of_both


ge, gt, le, ne, maximum, minimum, logical_and, pow = map(
    _of_numbers_too,
    (torch.ge, torch.gt, torch.le, torch.ne, torch.maximum, torch.minimum, torch.logical_and, kernels.pow),
)


def sub(input: Any, other: Any, alpha: Any) -> torch.Tensor:
    kinds = {getattr(item, "dtype", None) for item in (input, other)}
    return torch.sub(
        *(pair(input, other) if torch.bool in kinds and None not in kinds else (input, other)), alpha=alpha
    )


def arange(start: Any, end: Any, step: Any, *, dtype: Any, device: torch.device) -> torch.Tensor:
    if end is None:
        start, end = 0, start
    return torch.arange(start, end, step, dtype=dtype, device=device)


def clamp(input: Any, min: Any, max: Any) -> torch.Tensor:
    return subgradients.clamp(input, min, max)


def cumprod(input: Any, dim: int, dtype: Any) -> torch.Tensor:
    if dtype is None:
        return torch.cumprod(input, dim)
    return given_in(torch.cumprod, input, dim, dtype=dtype)


def cumsum(input: Any, dim: int, dtype: Any) -> torch.Tensor:
    return given_in(torch.cumsum, input, dim, dtype=dtype)


def eye(n: int, m: Any, dtype: Any, device: torch.device) -> torch.Tensor:
    return torch.eye(n, n if m is None else m, dtype=dtype, device=device)


def full(size: Any, fill_value: Any, *, dtype: Any, device: torch.device) -> torch.Tensor:
    of_value = fill_value.dtype if isinstance(fill_value, torch.Tensor) else None
    return filled(size, fill_value, dtype or of_value, device)


def full_like(input: Any, fill_value: Any, *, dtype: Any) -> torch.Tensor:
    return filled(input.shape, fill_value, dtype or input.dtype, input.device)


def flip(input: Any, dims: Any) -> torch.Tensor:
    return torch.flip(input, (dims,) if isinstance(dims, int) else tuple(dims))


def median(input: Any, dim: Any, keepdim: bool) -> Any:
    return torch.median(input) if dim is None else torch.median(input, dim, keepdim)


def meshgrid(*tensors: Any, indexing: Any) -> Any:
    return torch.meshgrid(*tensors, indexing="ij" if indexing is None else indexing)


def norm(input: Any, p: Any, dim: Any, keepdim: bool, *, dtype: Any) -> torch.Tensor:
    return torch.norm(input, p, dim, keepdim, dtype=dtype)


def normal(mean: Any, std: Any, size: Any, generator: Any) -> torch.Tensor:
    given = next((item for item in (mean, std) if isinstance(item, torch.Tensor)), None)
    if given is not None:
        return torch.normal(mean, std, generator=generator_on(generator, given.device))
    device = current_device()
    return torch.normal(mean, std, size, generator=generator_on(generator, device), device=device)


def bernoulli(input: Any, *, generator: Any) -> torch.Tensor:
    return torch.bernoulli(input, generator=generator_on(generator, input.device))


def multinomial(input: Any, num_samples: int, replacement: bool, *, generator: Any) -> torch.Tensor:
    return torch.multinomial(input, num_samples, replacement, generator=generator_on(generator, input.device))


def npu_gelu(input: Any, approximate: str) -> torch.Tensor:
    return torch.nn.functional.gelu(input, approximate=approximate)


def all(input: Any, dim: Any, keepdim: bool) -> torch.Tensor:
    return torch.all(input if input.dtype is not torch.uint8 else input != 0, dim, keepdim)


def prod(input: Any, dim: Any, keepdim: bool, *, dtype: Any) -> torch.Tensor:
    return given_in(kernels.prod, input, *(() if dim is None else (dim, keepdim)), dtype=dtype)


def round(input: Any, *, decimals: int) -> torch.Tensor:
    if not decimals:
        return torch.round(input)
    return torch.round(input, decimals=decimals)


def _placed(device: Any) -> torch.device:
    return current_device() if device is None else device_from(device)


def _sizes(size: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the sizes. As in MindSpore, a first size that is a sequence stands for all; later ones are ignored."""
    return tuple(size[0]) if size and isinstance(size[0], (tuple, list)) else size


def empty(*size: Any, dtype: Any, device: Any) -> torch.Tensor:
    return torch.empty(_sizes(size), dtype=dtype, device=_placed(device))


def rand(*size: Any, generator: Any, dtype: Any, device: Any) -> torch.Tensor:
    place = _placed(device)
    return torch.rand(_sizes(size), generator=generator_on(generator, place), dtype=dtype, device=place)


def randn(*size: Any, generator: Any, dtype: Any, device: Any) -> torch.Tensor:
    place = _placed(device)
    return torch.randn(_sizes(size), generator=generator_on(generator, place), dtype=dtype, device=place)


def randint(*args: Any, generator: Any, dtype: Any, device: Any) -> torch.Tensor:
    place = _placed(device)
    return torch.randint(*args, generator=generator_on(generator, place), dtype=dtype or torch.int64, device=place)


def randperm(n: int, *, generator: Any, dtype: Any) -> torch.Tensor:
    device = current_device()
    return torch.randperm(n, generator=generator_on(generator, device), dtype=dtype, device=device)


def _like(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    @functools.wraps(function)
    def like(*args: Any, dtype: Any, device: Any) -> torch.Tensor:
        return function(*args, dtype=dtype, device=None if device is None else device_from(device))

    return like


_likes = (torch.empty_like, torch.rand_like, torch.randn_like, torch.randint_like)
empty_like, rand_like, randn_like, randint_like = map(_like, _likes)


def repeat_interleave(input: Any, repeats: Any, dim: Any, *, output_size: Any) -> torch.Tensor:
    if isinstance(repeats, (tuple, list)):
        repeats = torch.tensor(repeats, device=input.device)
    return torch.repeat_interleave(input, repeats, dim, output_size=output_size)


def squeeze(input: Any, dim: Any) -> torch.Tensor:
    return torch.squeeze(input) if dim == () else torch.squeeze(input, dim)


def triangular_solve(b: Any, A: Any, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    matrix, is_upper = (A.mT, not upper) if transpose else (A, upper)
    return torch.linalg.solve_triangular(matrix, b, upper=is_upper, unitriangular=unitriangular), A.clone()


def linalg_norm(A: Any, ord: Any, dim: Any, keepdim: bool, *, dtype: Any) -> torch.Tensor:
    return torch.linalg.norm(A, ord, dim, keepdim, dtype=dtype)


def qr(A: Any, mode: str) -> Any:
    return tuple(torch.linalg.qr(A, mode))


def mean(input: Any, dim: Any, keepdim: bool, *, dtype: Any) -> torch.Tensor:
    if dtype is None and not input.is_floating_point() and not input.is_complex():  # MindSpore's stays an integer
        return torch.trunc(torch.mean(input, dim, keepdim, dtype=torch.float64)).to(input.dtype)
    return mean_in(input, dim, keepdim, dtype=dtype)


def nansum(input: Any, dim: Any, keepdim: bool, *, dtype: Any) -> torch.Tensor:
    is_integral = not input.is_floating_point() and not input.is_complex() and input.dtype is not torch.bool
    return cut_after(torch.nansum, input, dim, keepdim, dtype=input.dtype if dtype is None and is_integral else dtype)


def sum(input: Any, dim: Any, keepdim: bool, *, dtype: Any) -> torch.Tensor:
    return given_in(torch.sum, input, dim, keepdim, dtype=dtype)


def xlogy(input: Any, other: Any) -> torch.Tensor:
    if not (isinstance(input, _Numbers) and isinstance(other, _Numbers)):
        return torch.xlogy(input, other)  # it raises
    return elementwise.xlogy(input, other)
