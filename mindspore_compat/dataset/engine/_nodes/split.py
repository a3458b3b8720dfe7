"""Dataset.split: disjoint parts of one dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.randomness import chosen_seed, fresh_seed
from mindspore_compat.dataset.engine._dataset import Dataset, register_node
from mindspore_compat.dataset.engine._execution.buffer import shuffled_places
from mindspore_compat.dataset.engine._execution.session import Run, Session
from mindspore_compat.dataset.engine._node import Node
from mindspore_compat.dataset.engine._sources.base import MappableDataset
from mindspore_compat.dataset.engine.samplers import BuiltinSampler, RandomSampler, SequentialSampler

#: MindSpore shuffles rows without numbers through a buffer of this size.
_BUFFER = 10000


class _Part(MappableDataset):
    """Some rows of an indexed dataset; `use_sampler` gives them another order.

    As in MindSpore, the whole is put into the same random order in every pass, and cut: parts are disjoint if the whole
    itself is not shuffled. Without a chosen seed they are always disjoint.
    """

    def __init__(self, whole: Dataset, randomize: bool, seed: int, start: int, stop: int) -> None:
        super().__init__(shuffle=False)
        self.children = [whole]
        self._randomize, self._seed, self._start, self._stop = randomize, seed, start, stop

    def _column_names(self) -> list[str]:
        return self.children[0]._column_names()

    def _num_rows(self) -> int:
        return self._stop - self._start

    def _sampled(self, run: Run, further: Sequence[BuiltinSampler] = ()) -> np.ndarray:
        whole = self.children[0]
        if not run.session.is_seeded:  # all parts have to agree, and all iterators over them
            order = self._cut(whole, replace(run, pass_number=0, seed=self._seed))
            return order[super()._sampled(run, further)]
        if isinstance(whole, MappableDataset):
            return whole._sampled(run, [*self._samplers(), *run.session.sampler_of(self).chain(), *further])
        return self._cut(whole, run)[super()._sampled(run, further)]

    def _samplers(self) -> list[BuiltinSampler]:
        mix = RandomSampler()
        mix.reshuffle_each_epoch = False
        return [*([mix] if self._randomize else []), SequentialSampler(self._start, self._stop - self._start)]

    def _cut(self, whole: Node, run: Run) -> np.ndarray:
        """Return this part of a pass over the whole."""
        if isinstance(whole, MappableDataset):
            return whole._sampled(run, self._samplers())
        order = whole._order(run)
        if self._randomize:
            order = order[shuffled_places(len(order), _BUFFER, run.order_of(whole).first())]
        return order[self._start : self._stop]


@register_node
def split(dataset: Dataset, sizes: Sequence[Any], randomize: bool = True) -> list[Dataset]:
    """Return parts as `Dataset.split` does."""
    if dataset.is_sharded():
        raise RuntimeError("Dataset should not be sharded before split.")
    counts = _absolute_sizes(dataset.get_dataset_size(), sizes)
    starts = np.cumsum([0, *counts]).tolist()
    is_drawn = chosen_seed() is not None and Session(dataset, is_serial=True).draws_below(dataset)
    if dataset._is_indexed() and not (is_drawn and dataset.children):  # random ones come in their own order
        seed = fresh_seed()
        return [_Part(dataset, randomize, seed, start, stop) for start, stop in pairwise(starts)]
    if randomize:
        dataset = dataset.shuffle(_BUFFER)
        dataset._reshuffles = False  # type: ignore[attr-defined]
    return [dataset.skip(start).take(count) for start, count in zip(starts, counts, strict=False)]


def _absolute_sizes(total: int, sizes: Any) -> list[int]:
    """Return row counts of the parts. Raises: ValueError, RuntimeError."""
    is_counted = all(isinstance(s, int) for s in sizes)
    if any(s <= 0 for s in sizes) or (not is_counted and abs(sum(sizes) - 1) > 1e-9):
        raise ValueError(f"sizes must be above 0, and the sum of fractions must be 1, but got {sizes}.")
    if is_counted:
        if sum(sizes) != total:
            raise RuntimeError(f"Sum of split sizes {sum(sizes)} is not equal to dataset size {total}.")
        return list(sizes)
    return _round_fractions(total, sizes)


def _round_fractions(total: int, fractions: Sequence[float]) -> list[int]:
    """Return rounded counts; rows lost by rounding go to the first part, extra rows come off the first possible one."""
    counts = [round(f * total) for f in fractions]
    if 0 in counts:
        raise RuntimeError(f"Split percentage {fractions[counts.index(0)]} is too small for {total} rows.")
    missing = total - sum(counts)
    for i, count in enumerate(counts):
        if count + missing > 0:
            counts[i] += missing
            break
    return counts
