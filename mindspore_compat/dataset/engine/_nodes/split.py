"""Dataset.split: disjoint parts of one dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.randomness import chosen_seed, fresh_seed
from mindspore_compat.dataset.core.validator_helpers import refused, type_check
from mindspore_compat.dataset.engine._dataset import Dataset, register_node
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.engine._sources.base import MappableDataset

__all__ = ["split"]


class _Part(MappableDataset):
    """Some rows of an indexed dataset, in the same order in every epoch; `use_sampler` gives it another."""

    def __init__(self, whole: Dataset, order: _SharedOrder, start: int, stop: int) -> None:
        super().__init__(shuffle=False)
        self.children = [whole]
        self._shared, self._start, self._stop = order, start, stop

    def _column_names(self) -> list[str]:
        return self.children[0]._column_names()

    def _num_rows(self) -> int:
        return self._stop - self._start

    def _order(self, run: Run) -> np.ndarray:
        return self._shared.get(run)[self._start : self._stop][super()._order(run)]


class _SharedOrder:
    """The one order that all parts of a split are cut from: the same in every epoch, or parts would overlap."""

    def __init__(self, whole: Dataset, randomize: bool) -> None:
        self._whole = whole
        self._randomize = randomize
        seed = chosen_seed()
        self._seed = fresh_seed() if seed is None else seed
        self._order: np.ndarray | None = None

    def get(self, run: Run) -> np.ndarray:
        """Row numbers of the whole, in the order to cut."""
        if self._order is None:
            order = self._whole._order(replace(run, key=(self._seed, 0), pass_number=0))
            self._order = np.random.default_rng((self._seed, 1)).permutation(order) if self._randomize else order
        return self._order


@register_node
def split(dataset: Dataset, sizes: Sequence[Any], randomize: bool = True) -> list[Dataset]:
    """See `Dataset.split`."""
    type_check(randomize, bool, "randomize")
    counts = _absolute_sizes(dataset.get_dataset_size(), sizes)
    starts = np.cumsum([0, *counts]).tolist()
    if dataset._is_indexed():
        order = _SharedOrder(dataset, randomize)
        return [_Part(dataset, order, start, stop) for start, stop in pairwise(starts)]
    if randomize:
        dataset = dataset.shuffle(max(2, min(10000, starts[-1])))
    return [dataset.skip(start).take(count) for start, count in zip(starts, counts, strict=False)]


def _absolute_sizes(total: int, sizes: Any) -> list[int]:
    """Row counts of the parts. Raises: TypeError, ValueError, RuntimeError as upstream."""
    type_check(sizes, list, "sizes")
    if not sizes:
        raise ValueError("sizes cannot be empty.")
    if total <= 0:
        raise RuntimeError("dataset_size is unknown, unable to split.")
    if all(isinstance(s, int) and not isinstance(s, bool) for s in sizes):
        if any(s <= 0 for s in sizes):
            raise refused(ValueError, "there should be no negative or zero numbers in sizes.", sizes)
        if sum(sizes) != total:
            raise RuntimeError(f"Sum of split sizes {sum(sizes)} is not equal to dataset size {total}.")
        return list(sizes)
    if not all(isinstance(s, float) for s in sizes):
        raise refused(ValueError, "sizes should be list of int or list of float.", sizes)
    if any(not 0 < s <= 1 for s in sizes):
        raise refused(ValueError, "all values in sizes should be in (0, 1].", sizes)
    if abs(sum(sizes) - 1) > 1e-9:
        raise ValueError(f"sizes is a list of float, but the percentages do not sum up to 1: {sizes}.")
    return _round_fractions(total, sizes)


def _round_fractions(total: int, fractions: Sequence[float]) -> list[int]:
    """Rounded counts; what rounding lost goes to the first part, what it added comes off the first that has it."""
    counts = [round(f * total) for f in fractions]
    if 0 in counts:
        raise RuntimeError(f"Split percentage {fractions[counts.index(0)]} is too small for {total} rows.")
    missing = total - sum(counts)
    for i, count in enumerate(counts):
        if count + missing > 0:
            counts[i] += missing
            break
    return counts
