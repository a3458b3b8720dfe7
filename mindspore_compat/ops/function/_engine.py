"""What upstream's CPU kernels draw from for operators with seeds, as pure functions of these: C++'s ``minstd_rand0``
(Park and Miller), seeded by a hash of both seeds, under the distributions of GCC's library.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from mindspore_compat._runtime.random_engines import LinearCongruential
from mindspore_compat.common import _philox
from mindspore_compat.common._program import program
from mindspore_compat.common._tracing import is_tracing
from mindspore_compat.common.seed import SeedStream

__all__ = ["Engine", "LogUniform", "stream_with", "told_by"]

_MIXING_KEY = 0x02461E293EC8F720
_64_BITS = 2**64 - 1


class Engine(LinearCongruential):
    """One operator's generator: its numbers go on from call to call."""

    def __init__(self, seed: int, seed2: int) -> None:
        even, odd = _philox.words(seed & _64_BITS, 1, _MIXING_KEY, seed2 & _64_BITS)
        super().__init__(int(even[0, 0]) | int(odd[0, 0]) << 32)

    def classes(self, limit: int, count: int) -> Iterator[int]:
        """Ints from [0, limit), without end; the engine goes on by those that are taken."""
        while True:
            yield self.integer(0, limit - 1)


class LogUniform:
    """Ints from [0, limit), the more often the smaller, as the operator of that name draws them."""

    def __init__(self, seed: int) -> None:
        self._seed, self._block = seed & _64_BITS, 0

    def classes(self, limit: int, count: int) -> Iterator[int]:
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
