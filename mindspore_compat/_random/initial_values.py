"""Fans, gains, and random values of initializers, seeded from numpy's global generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat._random.philox import fill_normal as _random_normal
from mindspore_compat._random.philox import fill_truncated_normal as _truncated_normal
from mindspore_compat._random.philox import fill_uniform as _random_uniform
from mindspore_compat.common.tensor import Tensor


def _assignment(arr: np.ndarray, num: Any) -> np.ndarray:
    """Fill ``arr`` with a scalar or an array of its shape; kept under this name since user initializers import it."""
    arr[...] = num
    return arr


def _calculate_fan_in_and_fan_out(shape: Sequence[int]) -> tuple[int, int]:
    """Return the number of inputs and outputs of a weight laid out (out, in, *kernel)."""
    if len(shape) < 2:
        raise ValueError(
            f"'fan_in' and 'fan_out' cannot be computed for tensor with fewer than 2 dimensions, but got dimensions "
            f"{len(shape)}."
        )
    receptive = int(np.prod(shape[2:])) if len(shape) > 2 else 1
    return shape[1] * receptive, shape[0] * receptive


def _calculate_in_and_out(arr: Any) -> tuple[int, int]:
    """Return the number of inputs and outputs of a weight, or of its shape."""
    return _calculate_fan_in_and_fan_out(getattr(arr, "shape", arr))


def _calculate_correct_fan(shape: Sequence[int], mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"'mode' {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(shape)[0 if mode == "fan_in" else 1]


_calculate_gain = torch.nn.init.calculate_gain


def _numpy_seed() -> int:
    """Return the seed of one draw from numpy's global generator, seeded by `set_seed` and ``numpy.random.seed``."""
    return int(np.random.randint(low=1, high=1 << 63, dtype=np.int64))


def _fill(arr: np.ndarray, draw: Callable[..., None], *args: float) -> None:
    """Fill an array of any type by ``draw``."""
    values = arr if arr.dtype == np.float32 else np.empty(arr.shape, np.float32)
    draw(_numpy_seed(), values, *args)
    if values is not arr:
        arr[...] = values


def _init_random_normal_inplace(mean: float, sigma: float, arr: np.ndarray) -> None:
    """Fill the array from Normal(mean, sigma)."""
    _fill(arr, _random_normal, mean, sigma)


def _init_random_uniform_inplace(a: float, b: float, arr: np.ndarray) -> None:
    """Fill the array with numbers from [a, b)."""
    _fill(arr, _random_uniform, a, b)


def _init_truncated_normal_inplace(a: float, b: float, mean: float, sigma: float, arr: np.ndarray) -> None:
    """Fill the array from Normal(mean, sigma) between ``a`` and ``b``."""
    _fill(arr, _truncated_normal, a, b, mean, sigma)


def _init_random_normal(mean: float, sigma: float, shape: Sequence[int]) -> np.ndarray:
    """Return a new float32 array from Normal(mean, sigma)."""
    data = np.empty(shape, np.float32)
    _init_random_normal_inplace(mean, sigma, data)
    return data


def _init_random_uniform(a: float, b: float, shape: Sequence[int]) -> np.ndarray:
    """Return a new float32 array with numbers from [a, b)."""
    data = np.empty(shape, np.float32)
    _init_random_uniform_inplace(a, b, data)
    return data


def _init_truncated_normal(a: float, b: float, mean: float, sigma: float, shape: Sequence[int]) -> np.ndarray:
    """Return a new float32 array from Normal(mean, sigma) between ``a`` and ``b``."""
    data = np.empty(shape, np.float32)
    _init_truncated_normal_inplace(a, b, mean, sigma, data)
    return data


def random_normal(shape: Sequence[int], seed: int, seed2: int, output_tensor: Tensor) -> None:
    """Fill the tensor with standard normal values, the same for the same seeds other than (0, 0), as initializers of
    1.x did.
    """
    generator = np.random.default_rng((seed, seed2) if seed or seed2 else None)
    output_tensor.data.copy_(torch.from_numpy(generator.standard_normal(tuple(shape), dtype=np.float32)))
