"""What initializers draw: fans, gains and numbers of the common generator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat.common.seed import numpy_generator
from mindspore_compat.common.tensor import Tensor

__all__ = []


def _assignment(arr: np.ndarray, num: Any) -> np.ndarray:
    """Fill ``arr`` with a scalar or an array of its shape; kept under this name since user initializers import it."""
    arr[...] = num
    return arr


def _calculate_fan_in_and_fan_out(shape: Sequence[int]) -> tuple[int, int]:
    """Inputs and outputs of a weight laid out (out, in, *kernel).

    Raises:
        ValueError: for fewer than two axes.
    """
    if len(shape) < 2:
        raise ValueError(
            f"The shape of 'data' must have at least 2 axes to compute fan in and fan out, but got {tuple(shape)}."
        )
    receptive = int(np.prod(shape[2:])) if len(shape) > 2 else 1
    return shape[1] * receptive, shape[0] * receptive


_calculate_in_and_out = _calculate_fan_in_and_fan_out


def _calculate_correct_fan(shape: Sequence[int], mode: str) -> int:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"'mode' must be 'fan_in' or 'fan_out', but got {mode!r}.")
    return _calculate_fan_in_and_fan_out(shape)[0 if mode == "fan_in" else 1]


def _calculate_gain(nonlinearity: str, param: Any = None) -> float:
    try:
        return torch.nn.init.calculate_gain(nonlinearity, param)
    except ValueError as error:
        raise ValueError(f"'nonlinearity' is not supported: {error}") from None


def _random_normal(mean: float, sigma: float, shape: Sequence[int]) -> np.ndarray:
    return numpy_generator().standard_normal(shape, dtype=np.float32) * np.float32(sigma) + np.float32(mean)


def random_normal(shape: Sequence[int], seed: int, seed2: int, output_tensor: Tensor) -> None:
    """Fill the tensor with standard normal values, the same for the same seeds other than (0, 0). 1.x's initializers
    drew by it.
    """
    if tuple(shape) != tuple(output_tensor.shape):
        raise ValueError(
            f"For 'random_normal', the 'output_tensor' must have the shape {tuple(shape)}, but got "
            f"{tuple(output_tensor.shape)}."
        )
    generator = np.random.default_rng((seed, seed2)) if seed or seed2 else numpy_generator()
    output_tensor.data.copy_(torch.from_numpy(generator.standard_normal(tuple(shape), dtype=np.float32)))


def _random_uniform(low: float, high: float, shape: Sequence[int]) -> np.ndarray:
    return numpy_generator().random(shape, dtype=np.float32) * np.float32(high - low) + np.float32(low)


def _truncated_normal(
    mean: float,
    sigma: float,
    low: float,
    high: float,
    shape: Sequence[int],
    generator: np.random.Generator | None = None,
) -> np.ndarray:
    """Normal(mean, sigma) cut at mean + sigma·[low, high], by the inverse distribution function."""

    def cdf(x: float) -> float:
        return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))

    probability = torch.from_numpy((generator or numpy_generator()).uniform(cdf(low), cdf(high), shape))
    standard = math.sqrt(2.0) * torch.erfinv(2.0 * probability - 1.0)
    return standard.clamp_(low, high).numpy() * sigma + mean
