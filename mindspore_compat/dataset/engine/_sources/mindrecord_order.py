"""Row order of `MindDataset`: MindSpore's MindRecord has samplers of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._runtime.random_engines import LinearCongruential, MersenneTwister
from mindspore_compat.dataset.core.randomness import Order
from mindspore_compat.dataset.engine._sampler_base import BuiltinSampler, Shuffle
from mindspore_compat.dataset.engine.samplers import (
    DistributedSampler,
    RandomSampler,
    SubsetRandomSampler,
    SubsetSampler,
)

__all__ = ["MindRecordOrder"]


class MindRecordOrder:
    """The numbers of the rows of one pass.

    Args:
        chain: the samplers, innermost first. stops: where each file ends. in_blocks: whether a shard is a run of rows
            that follow each other, whatever the offset.
    """

    def __init__(self, chain: list[BuiltinSampler], stops: np.ndarray, in_blocks: bool) -> None:
        self._chain, self._stops, self._in_blocks = chain, stops, in_blocks

    def rows(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        """Return row numbers of the pass of `order`."""
        return order.continued("rows", lambda state, passes: self._pass(state, passes, size, order, labels))[0]

    def _pass(
        self, state: tuple[np.ndarray, np.ndarray] | None, passes: int, size: int, order: Order, labels: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (rows of this pass, rows to take the shard of)."""
        again = [sampler for sampler in self._chain if isinstance(sampler, DistributedSampler)]
        if state is None:
            rows = whole = np.arange(size)
            for sampler in self._chain:
                whole = rows if sampler in again else whole
                rows = self._through(sampler, rows, Order(order.seed), labels)
            return rows, whole
        rows, whole = state
        if again:
            return self._through(again[-1], whole, Order(order.seed, passes), labels), whole
        for sampler in self._chain:
            if isinstance(sampler, RandomSampler):
                rows = self._through(sampler, rows, Order(order.seed, passes), labels)
        return rows, whole

    def _through(self, sampler: BuiltinSampler, rows: np.ndarray, order: Order, labels: Any) -> np.ndarray:
        """Return the rows that `sampler` chooses from `rows`."""
        if isinstance(sampler, RandomSampler):
            seed = order.seed + (1 + order.passes if sampler.reshuffle_each_epoch else 0)
            if sampler.replacement:
                count = sampler.num_samples or len(rows)
                return rows[[MersenneTwister(seed + i).integer(0, len(rows) - 1) for i in range(count)]]
            return rows[self._shuffled(sampler.shuffle, len(rows), seed)][: sampler.num_samples or None]
        if isinstance(sampler, DistributedSampler):
            sampler.check()
            if sampler.shuffle != Shuffle.FALSE:
                rows = rows[self._shuffled(sampler.shuffle, len(rows), sampler.seed + 1 + order.passes)]
            return rows[sampler.share(len(rows), self._in_blocks)]
        if isinstance(sampler, SubsetSampler):  # modulo; negative ones as unsigned numbers
            chosen = sampler.indices_list[: sampler.num_samples or None].astype(np.uint64)
            rows = rows[(chosen % np.uint64(len(rows))).astype(np.int64)]
            is_random = isinstance(sampler, SubsetRandomSampler)
            return rows[LinearCongruential(order.seed + 1).shuffled(len(rows))] if is_random else rows
        return rows[sampler._choose(len(rows), order, None if labels is None else labels[rows])]

    def _shuffled(self, how: Any, size: int, seed: int) -> np.ndarray:
        """Return places of rows in random order; of files; or within each file."""
        if how not in (Shuffle.FILES, Shuffle.INFILE) or self._stops[-1] != size:
            return LinearCongruential(seed).shuffled(size)
        files = np.split(np.arange(size), self._stops[:-1])
        if how == Shuffle.FILES:
            return np.concatenate([files[number] for number in LinearCongruential(seed).shuffled(len(files))])
        return np.concatenate([file[LinearCongruential(seed).shuffled(len(file))] for file in files])
