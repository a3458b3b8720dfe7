"""Base classes of the sources, and the choice of a sampler by their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.randomness import Order, Unshuffled
from mindspore_compat.dataset.engine._dataset import Dataset
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.engine.samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    RandomSampler,
    SequentialSampler,
    Shuffle,
    SubsetSampler,
)

__all__ = ["MappableDataset", "SourceDataset", "ask_once"]


def select_sampler(
    num_samples: int | None,
    sampler: Any,
    shuffle: bool | Shuffle | None,
    num_shards: int | None,
    shard_id: int | None,
    random_by_default: bool = True,
) -> BuiltinSampler:
    """Return the sampler for a source's arguments. Raises: TypeError, ValueError for arguments that conflict."""
    if sampler is not None:
        if isinstance(sampler, BuiltinSampler) and any(
            v is not None for v in (num_samples, shuffle, num_shards, shard_id)
        ):
            raise ValueError(
                f"Conflicting arguments during sampler assignments. num_samples: {num_samples}, num_shards: "
                f"{num_shards}, shard_id: {shard_id}, shuffle: {shuffle}. Give them to the sampler instead."
            )
        return _as_sampler(sampler, num_samples or None)
    num_samples = num_samples or None  # 0 is all
    check_shards(num_shards, shard_id)
    is_random = random_by_default if shuffle is None else shuffle not in (False, Shuffle.FALSE)
    level = shuffle if isinstance(shuffle, Shuffle) else Shuffle.GLOBAL
    if num_shards is not None and shard_id is not None:
        return DistributedSampler(num_shards, shard_id, level if is_random else False, num_samples)
    if not is_random:
        return SequentialSampler(num_samples=num_samples)
    # with num_samples, MindSpore draws with replacement
    return RandomSampler(num_samples is not None, num_samples, level)


def _as_sampler(sampler: Any, num_samples: int | None) -> BuiltinSampler:
    if isinstance(sampler, BuiltinSampler):
        return sampler
    if isinstance(sampler, (list, tuple, np.ndarray)):
        return SubsetSampler(sampler, num_samples)
    if isinstance(sampler, int):
        return SubsetSampler([int(sampler)])
    if isinstance(sampler, str) or not _is_iterable(sampler):
        raise TypeError(f"Unsupported sampler object of type ({type(sampler)})")
    return IterSampler(sampler, num_samples)


def _is_iterable(sampler: Any) -> bool:
    """Return whether it is iterable by `iter`, as in MindSpore: a sampler that draws in `__iter__` draws once more."""
    try:
        iter(sampler)
    except TypeError:
        return False
    return True


def check_shards(num_shards: int | None, shard_id: int | None) -> None:
    """Raise ValueError for one without the other, and for an invalid shard."""
    if (num_shards is None) != (shard_id is None):
        raise ValueError("num_shards and shard_id need to be passed in together.")
    if num_shards is not None and shard_id is not None and not 0 <= shard_id < num_shards:
        raise ValueError(f"shard_id should be less than num_shards, but got {shard_id} and {num_shards}.")


def ask_once(given: Any) -> None:
    """Request an iterator from a user's sampler or source, as MindSpore does on pipeline creation: some count their
    epochs and change the order in each.
    """
    if given is not None and not isinstance(given, BuiltinSampler):
        iter(given)


class SourceDataset(Dataset):
    """Base of the sources."""

    def __init__(self, num_parallel_workers: int | None = None, cache: Any = None) -> None:
        super().__init__(None, num_parallel_workers, cache)


class MappableDataset(SourceDataset):
    """Source with numbered samples, among which a sampler can choose.

    A subclass gives `_num_rows` and `_fetch` or `_fetch_columns` (which get sample ids).
    """

    #: Whether `_fetch` takes arrays of ids, one row for each.
    _takes_groups = False

    def __init__(
        self,
        num_parallel_workers: int | None = None,
        sampler: Any = None,
        num_samples: int | None = None,
        shuffle: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        super().__init__(num_parallel_workers, cache)
        self.sampler: BuiltinSampler = select_sampler(num_samples, sampler, shuffle, num_shards, shard_id)

    def _num_rows(self) -> int:
        """Return the number of samples of the source, before the sampler."""
        raise NotImplementedError

    def _labels(self) -> np.ndarray | None:
        """Return the class of each sample, for `PKSampler`."""
        return None

    def add_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Let `new_sampler` choose among the samples of the present sampler."""
        new_sampler.add_child(self.sampler)
        self.use_sampler(new_sampler)

    def use_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Put `new_sampler` in place of the present one."""
        if not isinstance(new_sampler, BuiltinSampler):
            raise TypeError(f"Input sampler is not an instance of a sampler, but {type(new_sampler)}.")
        self.sampler = new_sampler
        self._cached_size = None

    def is_shuffled(self) -> bool:
        return self.sampler.is_shuffled()

    def is_sharded(self) -> bool:
        return self.sampler.is_sharded()

    def _size(self) -> int:
        if isinstance(self.sampler, DistributedSampler) and self.sampler.child_sampler is None:
            total = self._num_rows()
            if self.sampler.offset < 0 and total:
                count = -(-total // self.sampler.num_shards)
                return min(count, self.sampler.num_samples) if self.sampler.num_samples else count
        return self._sample_ids(self.sampler.independent(), Unshuffled(), counting=True)

    def _sample_ids(self, sampler: BuiltinSampler, order: Order, counting: bool = False) -> Any:
        total = self._num_rows()
        if total == 0:
            return 0 if counting else np.empty(0, np.int64)
        if counting and self._labels() is None:
            return sampler.count(total)
        ids = sampler.indices(total, order, self._labels())
        if ids.ndim > 1 and not self._takes_groups:
            raise RuntimeError(f"Fetched indices must be numbers, but the sampler gave shape {ids.shape[1:]}.")
        return len(ids) if counting else ids

    def _is_indexed(self) -> bool:
        return True

    def _pass_over(self, run: Run) -> None:
        """Let the sampler go on as if this pass had been read."""
        self._order(run)

    def _order(self, run: Run) -> np.ndarray:
        return self._sampled(run)

    def _sampled(self, run: Run, further: Sequence[BuiltinSampler] = ()) -> np.ndarray:
        """Return numbers of the rows of one pass; `further` samplers choose among those of the own one."""
        sampler, order = run.session.sampler_of(self), run.order_of(self)
        ids = np.asarray(self._sample_ids(sampler, order), dtype=np.int64)
        for one in further:
            ids = ids[one._choose(len(ids), order, None)]
        sampler.end_pass()
        run.session.expect(self, len(ids))
        return ids


class ArrayDataset(MappableDataset):
    """Source with columns as arrays in memory: batches are slices, without a visit to each row."""

    def _arrays(self) -> tuple[np.ndarray, ...]:
        """Return the columns; first axis: samples."""
        raise NotImplementedError

    def _num_rows(self) -> int:
        return len(self._arrays()[0])

    def _fetch_columns(self, index: np.ndarray) -> list[Any]:
        # Copies: in-place writes to a row must not reach the source.
        return [np.take(a, index, axis=0) for a in self._arrays()]
