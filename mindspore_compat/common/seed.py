"""Global seed. MindSpore: ``mindspore.set_seed``, ``mindspore.get_seed``."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch

__all__ = ["SeedStream", "get_seed", "set_seed", "stream_of"]

_seed: int | None = None
times_set = 0  # number of `set_seed` calls: datasets compare it with their own seed's
_kernel_seeds: dict[tuple[str, int], int] = {}
_KERNEL_STEP = 3528531795 ^ 3449720151  # by how much the seed of a random kernel grows with each use
_DEFAULT_GRAPH_SEED = 87654321  # used for the seed 0
_MAXINT32 = 2**31 - 1


def set_seed(seed: int) -> None:
    """Seed all random numbers: Python's, torch's and numpy's global generators (initializers draw from numpy's), and
    (lazily) the datasets.

    Args:
        seed: a non-negative int.

    Raises:
        TypeError: if it is not an int. ValueError: if it is negative.

    Examples:
        >>> ms.set_seed(1)
        >>> print(ms.get_seed())
        1
    """
    global _seed, times_set
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"The argument 'seed' must be type of int, but got {type(seed)}.")
    if seed < 0:
        raise ValueError(f"For 'set_seed', the 'seed' must be int and must >= 0, but got '{seed}'.")
    _seed, times_set = int(seed), times_set + 1
    _kernel_seeds.clear()
    _streams.clear()
    random.seed(_seed)
    np.random.seed(_seed % 2**32)
    torch.manual_seed(_seed)


def get_seed() -> int | None:
    """Return the last seed of `set_seed`, None before."""
    return _seed


class SeedStream(int):
    """Seed of one operator; its sequence continues from call to call. Another one with the same seed begins anew."""

    def generator(self, device: Any) -> torch.Generator:
        """Return the operator's generator on a device."""
        kept = self.__dict__.setdefault("_generators", {})
        if str(device) not in kept:
            kept[str(device)] = torch.Generator(device).manual_seed(int(self))
        return kept[str(device)]


def joined_stream(seed: int, seed2: int) -> SeedStream:
    """Return the stream of an operator with two seeds; both 0 mean the global generator."""
    return SeedStream(seed * 1000003 + seed2)


_streams: dict[int, SeedStream] = {}


def stream_of(seed: int) -> SeedStream:
    """Return the stream of functions with this seed: other numbers at every call, the same after `set_seed`."""
    if seed not in _streams:
        _streams[seed] = SeedStream((seed + 1000003 * (_seed or 0)) % 2**63)
    return _streams[seed]


def _get_graph_seed(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """Return the two seeds of one use of a random kernel: the global one, and its own, which differs at every use; (0,
    0) without a seed.
    """
    graph_seed = {0: _DEFAULT_GRAPH_SEED, None: 0}.get(_seed, _seed) or 0
    op_seed = op_seed or 0
    if op_seed < 0:
        raise ValueError(f"For '{kernel_name}', the 'seed' must be int and must >= 0, but got '{op_seed}'.")
    if graph_seed == 0 and op_seed == 0:
        return 0, 0
    current = _kernel_seeds.setdefault((kernel_name, op_seed), op_seed)
    _kernel_seeds[kernel_name, op_seed] = current + _KERNEL_STEP
    return graph_seed % _MAXINT32, current % _MAXINT32
