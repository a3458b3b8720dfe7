"""Dropout. Part of ``mindspore.ops.function.nn_func``."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as tf

from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._random.operator_engine import (
    ChannelMasks,
    Masks,
    engine_of,
    engines_draw,
    filled,
    stream_with,
    with_seeds,
)
from mindspore_compat._random.rng_state import Drawn
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.seed import SeedStream, get_seed
from mindspore_compat.ops.function._numbers import generator_of

__all__ = """
    channel_mask draws_by_engine dropout dropout1d dropout2d dropout3d dropout_stream dropout_with_mask dropped
""".split()


def _check_probability(p: Any, owner: str) -> float:
    if not 0 <= p <= 1:
        raise ValueError(f"For '{owner}', the 'p' must be in [0, 1], but got {p}.")
    return float(p)


def dropout(input: Any, p: float = 0.5, training: bool = True, seed: int | None = None) -> Any:
    """Set elements to 0 with probability ``p``, the rest scaled by 1 / (1 - p)."""
    p = _check_probability(p, "dropout")
    if not training:
        return input
    if p == 0:
        return wrap(torch.clone(input))
    make = with_seeds(partial(Masks, keep_prob=1 - p), "dropout", seed)
    engine = engine_of(seed, "dropout", make, input, repeats=True) if p < 1 else None
    if engine is not None:
        return wrap(_masked(input, engine)[0])
    if seed is None:
        return wrap(torch.dropout(input, p, True))
    return dropout_with_mask(input, 1 - p, seed)[0]


def dropout_stream(keep_prob: float, seed: int, seed2: int) -> SeedStream:
    """Return the random stream of an operator or layer with these seeds."""
    return stream_with(partial(Masks, seed, seed2, keep_prob), seed, seed2)


def dropout_with_mask(x: Any, keep_prob: float, seed: int | None = None) -> Any:
    """Return (x · mask / keep_prob, mask)."""
    engine = engine_of(seed, "dropout", None, x, repeats=True)
    if engine is not None:
        result, mask = _masked(x, engine)
        return wrap(result), wrap(mask.to(x.dtype))
    keep = (
        torch.rand(tuple(x.shape), device=x.device, dtype=torch.float32, generator=generator_of(seed, x.device))
        < keep_prob
    )
    mask = keep.to(x.dtype)
    return wrap(x * mask / keep_prob), wrap(mask)


def dropped(x: Any, p: float, stream: SeedStream) -> Any:
    """Run `dropout` in training, with MindSpore's numbers where ``stream`` has them."""
    engine = engine_of(stream, "dropout", None, x, repeats=True)
    return torch.dropout(x, p, True) if engine is None else _masked(x, engine)[0]


def draws_by_engine(stream: SeedStream, x: torch.Tensor) -> bool:
    """Return whether `dropped` would use MindSpore's numbers."""
    return isinstance(stream, Drawn) and engines_draw((x,))


def _masked(x: torch.Tensor, engine: Masks) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (x with the engine's mask, scaled up with MindSpore's rounding, and the mask, bool)."""
    mask = filled(engine.fill, x.shape, torch.bool)
    return x * mask * _scale(engine.keep_prob, x.dtype), mask


@lru_cache(64)
def _scale(keep_prob: float, dtype: torch.dtype) -> float:
    return torch.tensor(np.float32(1) / np.float32(keep_prob), dtype=dtype).item()


def dropout1d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Set whole channels of (N, C, L) or (C, L) to 0 with probability ``p``."""
    p = _check_probability(p, "dropout1d")
    found = _channels("Dropout2D", torch.unsqueeze(input, -1), p) if training and input.dim() == 3 else None
    return wrap(tf.dropout1d(input, p, training) if found is None else torch.squeeze(found, -1))


def dropout2d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Set whole channels to 0 with probability ``p``."""
    p = _check_probability(p, "dropout2d")
    found = _channels("Dropout2D", input, p) if training else None
    return wrap(tf.dropout2d(input, p, training) if found is None else found)


def dropout3d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Set whole channels to 0 with probability ``p``."""
    p = _check_probability(p, "dropout3d")
    found = _channels("Dropout3D", input, p) if training else None
    return wrap(tf.dropout3d(input, p, training) if found is None else found)


def channel_mask(operator: str, x: torch.Tensor, keep_prob: float) -> torch.Tensor | None:
    """Return the channels that ``Dropout2D`` or ``Dropout3D`` keeps of (N, C, ...): bool, with axes of size 1 behind;
    None where torch draws, as it does without a seed.
    """
    if get_seed() is None or not keep_prob:
        return None
    engine = engine_of(_shared(operator, keep_prob), operator, None, x, repeats=True)
    return None if engine is None else filled(engine.fill, (*x.shape[:2], *[1] * (x.dim() - 2)), torch.bool)


@lru_cache(None)
def _shared(operator: str, keep_prob: float) -> SeedStream:
    """Return one kernel for all operators of this rate: they have no seeds."""
    return stream_with(partial(ChannelMasks, keep_prob), 1)


def _channels(operator: str, x: torch.Tensor, p: float) -> torch.Tensor | None:
    mask = channel_mask(operator, x, 1 - p) if x.dim() == int(operator[-2]) + 2 else None
    return None if mask is None else x * mask * _scale(1 - p, x.dtype)


apply_dtype_fallback(globals(), __all__)
