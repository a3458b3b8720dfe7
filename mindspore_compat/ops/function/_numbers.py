"""Normal, uniform and Laplace numbers for functions and operators: MindSpore's on a CPU, with `mindspore.set_seed` or
seeds; else torch's. A function's seeds advance from call to call; an operator has a stream of its own.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._random.operator_engine import Ints, Laplaces, Normals, Reals, engine_of, filled, with_seeds
from mindspore_compat._runtime.device import current_device
from mindspore_compat.common.seed import SeedStream, stream_of
from mindspore_compat.ops._adapt import to_dtype

__all__ = ["fixed_generator", "generator_of", "ints", "laplaces", "normals", "numbers", "reals"]


def generator_of(seed: Any, device: Any = None) -> torch.Generator | None:
    """Return the generator of a seed; None, 0 and -1 mean the global one. An operator's `SeedStream` advances by
    itself. An int is a function's: it draws other numbers at every call until `set_seed`.
    """
    if seed is None or seed == 0 or seed == -1:
        return None
    return (seed if isinstance(seed, SeedStream) else stream_of(int(seed))).generator(device or "cpu")


def fixed_generator(seed: Any, device: Any) -> torch.Generator | None:
    """Return a fresh generator, for functions that draw the same numbers at every call with a seed."""
    return generator_of(SeedStream(seed) if seed else seed, device)


def normals(name: str, shape: tuple[int, ...], seed: Any) -> torch.Tensor:
    """Return float32 from N(0, 1), for a function."""
    found = numbers(Normals, name, seed, shape)
    if found is None:
        return torch.randn(shape, generator=generator_of(seed, current_device()), device=current_device())
    return found


def reals(name: str, shape: tuple[int, ...], seed: Any) -> torch.Tensor:
    """Return float32 from [0, 1), for a function."""
    found = numbers(Reals, name, seed, shape)
    if found is None:
        return torch.rand(shape, generator=generator_of(seed, current_device()), device=current_device())
    return found


def laplaces(name: str, shape: tuple[int, ...], seed: Any) -> torch.Tensor:
    """Return float32 of the Laplace distribution, for a function."""
    found = numbers(Laplaces, name, seed, shape)
    if found is not None:
        return found
    u = torch.rand(shape, generator=generator_of(seed, current_device()), device=current_device()) - 0.5
    return -torch.sign(u) * torch.log1p(-2 * torch.abs(u))


def ints(name: str, low: int, high: int, shape: tuple[int, ...], seed: Any, dtype: torch.dtype) -> torch.Tensor:
    """Return ints from [low, high), for a function."""
    fits = -(2**31) <= low < high < 2**31
    found = numbers(Ints, name, seed, shape, low, high) if fits else None
    if found is not None:
        return to_dtype(found, dtype)
    device = current_device()
    return torch.randint(low, high, shape, generator=generator_of(seed, device), dtype=dtype, device=device)


def numbers(kind: type, function: str, seed: Any, shape: tuple[int, ...], *bounds: int) -> torch.Tensor | None:
    """Return an engine's numbers for a function, or for the operator of a stream; None where torch draws.

    Args:
        kind: Normals, Laplaces, Reals, or Ints with their ``bounds``.
        seed: the function's argument, or the operator's stream.
    """
    engine = engine_of(seed, function, with_seeds(kind, function, seed), kind=shape, repeats=True)
    return None if engine is None else filled(engine.fill, shape, torch.int32 if bounds else torch.float32, *bounds)
