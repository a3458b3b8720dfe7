"""What upstream's CPU kernels draw from for operators with seeds, as pure functions of these: C++'s ``minstd_rand0``
(Park and Miller), seeded by a hash of both seeds, under the distributions of GCC's library.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from mindspore_compat.common import _philox
from mindspore_compat.common._program import program
from mindspore_compat.common._tracing import is_tracing
from mindspore_compat.common.seed import SeedStream

__all__ = ["Engine", "LogUniform", "stream_with", "told_by"]

_MODULUS, _FACTOR = 2**31 - 1, 16807
_SPAN = _MODULUS - 2  # a draw, less the smallest one, is at most this
_MIXING_KEY = 0x02461E293EC8F720
_64_BITS = 2**64 - 1


class Engine:
    """One operator's generator: its numbers go on from call to call."""

    def __init__(self, seed: int, seed2: int) -> None:
        even, odd = _philox.words(seed & _64_BITS, 1, _MIXING_KEY, seed2 & _64_BITS)
        self._state = (int(even[0, 0]) | int(odd[0, 0]) << 32) % _MODULUS or 1

    def _draws(self, count: int) -> np.ndarray:
        """The next draws, less the smallest one there is."""
        result, power = np.array([self._state * _FACTOR % _MODULUS], np.int64), _FACTOR
        while len(result) < count:
            result, power = np.concatenate([result, result * power % _MODULUS]), power * power % _MODULUS
        if count:
            self._state = int(result[count - 1])
        return result[:count] - 1

    def fractions(self, count: int) -> np.ndarray:
        """Doubles from [0, 1)."""
        low, high = self._draws(2 * count).astype(np.float64).reshape(-1, 2).T
        return np.minimum((low + high * (_SPAN + 1.0)) / (_SPAN + 1.0) ** 2, np.nextafter(1.0, 0.0))

    def below(self, limit: int) -> Iterator[int]:
        """Ints from [0, limit), without end; the engine goes on by those that are taken."""
        while True:
            yield self._one(limit)

    def _one(self, limit: int) -> int:
        width = _SPAN // limit
        while True:
            self._state = self._state * _FACTOR % _MODULUS
            if self._state - 1 < limit * width:
                return (self._state - 1) // width

    def order(self, count: int) -> list[int]:
        """0 to ``count`` - 1 in random order."""
        places = list(range(count))

        def exchange(place: int, other: int) -> None:
            places[place], places[other] = places[other], places[place]

        if not count or _SPAN // count < count:  # one draw for each place, otherwise for two
            for place in range(1, count):
                exchange(place, self._one(place + 1))
            return places
        if count % 2 == 0:
            exchange(1, self._one(2))
        for place in range(2 - count % 2, count, 2):
            first, second = divmod(self._one((place + 1) * (place + 2)), place + 2)
            exchange(place, first)
            exchange(place + 1, second)
        return places


class LogUniform:
    """Ints from [0, limit), the more often the smaller, as the operator of that name draws them."""

    def __init__(self, seed: int) -> None:
        self._seed, self._block = seed & _64_BITS, 0

    def below(self, limit: int, count: int) -> Iterator[int]:
        """Ints without end; the next call of an operator that samples ``count`` of them begins elsewhere."""
        first, whole = self._block, np.log1p(np.float32(limit))
        self._block += 512 * count
        for block in itertools.count(first, 256):
            even, odd = _philox.words(block, 256, 87654321, self._seed)
            fractions = ((even & np.uint64(0xFFFFF)) << np.uint64(32) | odd).T.reshape(-1) / 2.0**52
            yield from ((np.exp(fractions * whole).astype(np.int64) - 1) % limit).tolist()


def stream_with(engine: Engine | LogUniform | None, seed: int) -> SeedStream:
    """The stream of an operator that draws from the engine where `told_by` gives that, otherwise from torch's."""
    stream = SeedStream(abs(seed))
    stream.engine = engine  # type: ignore[attr-defined]
    return stream


def told_by(seed: Any, *inputs: torch.Tensor) -> Any:
    """The engine of the operator, None where torch draws: without a seed, on a GPU, in a vmap or a trace, and where
    several processes compute one network. Who captures operators can not repeat what an engine draws.
    """
    engine = getattr(seed, "engine", None)
    if engine is None or is_tracing() or program.parallel is not None:
        return None
    if any(item.device.type != "cpu" or torch._C._functorch.is_batchedtensor(item) for item in inputs):
        return None
    program.not_repeatable("an operator with a seed draws numbers on the host")
    return engine
