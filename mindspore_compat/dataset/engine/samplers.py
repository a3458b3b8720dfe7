"""Selection and order of a source's samples. MindSpore: ``mindspore.dataset`` samplers.

Every sampler turns a pass over ``n`` samples into an int64 array of sample ids; a child sampler goes first and the
parent chooses among the child's ids.
"""

from __future__ import annotations

import copy
import itertools
import numbers
import operator
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from mindspore_compat.dataset.core.randomness import Order, Unshuffled, configured_seed
from mindspore_compat.dataset.core.validator_helpers import check_num_samples

__all__ = [
    "BuiltinSampler",
    "DistributedSampler",
    "IterSampler",
    "PKSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Shuffle",
    "SubsetRandomSampler",
    "SubsetSampler",
    "WeightedRandomSampler",
]

if TYPE_CHECKING:
    from typing_extensions import Self


class Shuffle(str, Enum):
    """Levels of shuffling: whole sources, the order of files, or the rows in them."""

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


class BuiltinSampler:
    """Base of the samplers below; user-defined ones derive from `Sampler`."""

    shuffle: Any = False

    def __init__(self, num_samples: int | None = None) -> None:
        self.child_sampler: BuiltinSampler | None = None
        self.num_samples = None if num_samples is None else check_num_samples(num_samples)

    def parse(self) -> BuiltinSampler:
        """Return this sampler: MindSpore's engine makes its own from it."""
        return self

    def add_child(self, sampler: BuiltinSampler) -> None:
        """Let `sampler` choose first. Raises: RuntimeError if there is a child already."""
        if self.child_sampler is not None:
            raise RuntimeError("Cannot add child sampler, this sampler already has a child.")
        self.child_sampler = sampler

    def get_child(self) -> BuiltinSampler | None:
        """Return the child sampler or None."""
        return self.child_sampler

    def chain(self) -> list[BuiltinSampler]:
        """Return this sampler and those that choose before it, the first to choose first."""
        return [*([] if self.child_sampler is None else self.child_sampler.chain()), self]

    def get_num_samples(self) -> int | None:
        """Return the smaller of this sampler's and its child's `num_samples`, None where neither has one."""
        child = None if self.child_sampler is None else self.child_sampler.get_num_samples()
        counts = [c for c in (self.num_samples, child) if c is not None]
        return min(counts) if counts else None

    def is_shuffled(self) -> bool:
        """Return whether the order is random."""
        return self.child_sampler is not None and self.child_sampler.is_shuffled()

    def get_shuffle_mode(self) -> Shuffle:
        """Return this sampler's shuffle mode, not its child's; as in MindSpore, ``Shuffle.FALSE`` for `PKSampler`."""
        return self.shuffle if isinstance(self.shuffle, Shuffle) else Shuffle.FALSE

    def is_sharded(self) -> bool:
        """Return whether only one shard is read."""
        return self.child_sampler is not None and self.child_sampler.is_sharded()

    def indices(self, size: int, order: Order, labels: np.ndarray | None = None) -> np.ndarray:
        """Return the ids of one pass over `size` samples, as an int64 array."""
        if self.child_sampler is None:
            return self._choose(size, order, labels)
        ids = self.child_sampler.indices(size, order, labels)
        return ids[self._choose(len(ids), order, None if labels is None else labels[ids])]

    def is_users(self) -> bool:
        """Return whether a sampler of the user's own is among this one and its children."""
        return self.child_sampler is not None and self.child_sampler.is_users()

    def independent(self, source: Any = None) -> Self:
        """A sampler that goes on from where this one stands and does not move it: a user's may keep a state.

        Parts without a copy are shared, and so is `source`, which a sampler often knows.
        """
        if not self.is_users():
            return self
        try:
            return copy.deepcopy(self, {id(source): source})
        except Exception:  # a generator, a lock, whatever a `__deepcopy__` of the user's raises
            return self

    def end_pass(self) -> None:
        """End a pass: all its ids have been read."""
        if self.child_sampler is not None:
            self.child_sampler.end_pass()

    def count(self, size: int) -> int:
        """Return how many ids `indices` gives."""
        return len(self.indices(size, Unshuffled()))

    def _choose(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        raise NotImplementedError

    def _limit(self, size: int) -> int:
        return min(size, self.num_samples) if self.num_samples else size


class SequentialSampler(BuiltinSampler):
    """Samples in their order, from `start_index` on, at most `num_samples`."""

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        self.start_index = start_index
        super().__init__(num_samples)

    def _choose(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        start = operator.index(self.start_index or 0)
        if not 0 <= start < size:
            raise RuntimeError(f"start_index must be in [0, num_rows), but got {start} of {size} rows.")
        return np.arange(start, start + self._limit(size - start))


class RandomSampler(BuiltinSampler):
    """Samples in random order, with or without replacement."""

    def __init__(
        self, replacement: bool = False, num_samples: int | None = None, shuffle: Shuffle = Shuffle.GLOBAL
    ) -> None:
        self.replacement = replacement
        self.shuffle = shuffle
        self.reshuffle_each_epoch = True
        super().__init__(num_samples)

    def is_shuffled(self) -> bool:
        return True

    def _choose(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        count = self._limit(size)
        if self.replacement:
            return order.engine(int(self.reshuffle_each_epoch)).below(np.full(count, size))
        if not self.reshuffle_each_epoch:
            order = order.first()
        return order.shuffled(size)[:count]


class SubsetSampler(BuiltinSampler):
    """The given `indices`, in their order."""

    def __init__(self, indices: Iterable[int] | int, num_samples: int | None = None) -> None:
        if isinstance(indices, numbers.Number):
            indices = [indices]  # type: ignore[list-item]
        ids: list[Any] = list(indices)  # type: ignore[arg-type]
        for i, index in enumerate(ids):
            if not isinstance(index, numbers.Integral) or isinstance(index, bool):
                raise TypeError(f"{type(self).__name__}: indices must be int, but indices[{i}] is {index!r}.")
        self.indices_list = np.asarray(ids, dtype=np.int64)
        super().__init__(num_samples)

    def get_num_samples(self) -> int | None:
        count = self._limit(len(self.indices_list))
        child = None if self.child_sampler is None else self.child_sampler.get_num_samples()
        return count if child is None else min(count, child)

    def _choose(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        return self.chosen(size)

    def chosen(self, size: int) -> np.ndarray:
        """Return the indices, in their order. Raises: RuntimeError."""
        ids = self.indices_list[: self._limit(len(self.indices_list))]
        wrong = ids[(ids < 0) | (ids >= size)]
        if len(wrong):
            raise RuntimeError(f"Sample ID ({wrong[0]}) is out of bound, expected range [0, {size - 1}]")
        return ids


class SubsetRandomSampler(SubsetSampler):
    """The given `indices`, in random order."""

    shuffle = Shuffle.GLOBAL

    def is_shuffled(self) -> bool:
        return True

    def _choose(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        ids = self.chosen(size)
        return ids[order.shuffled(len(ids), step=0)]


class WeightedRandomSampler(BuiltinSampler):
    """Sample ``i`` is drawn with a probability in proportion to ``weights[i]``, at most as many as there are; without
    replacement those of weight 0 come last.
    """

    shuffle = Shuffle.GLOBAL

    def __init__(self, weights: Iterable[float], num_samples: int | None = None, replacement: bool = True) -> None:
        self.weights = np.asarray(weights, dtype=np.float64)
        self.replacement = replacement
        super().__init__(num_samples)

    def is_shuffled(self) -> bool:
        return True

    def parse(self) -> WeightedRandomSampler:
        """Return this sampler. Raises: RuntimeError for weights that allow no draw."""
        if (self.weights < 0).any() or not self.weights.any():
            raise RuntimeError("WeightedRandomSampler: weights must not be negative, all zero or empty.")
        return self

    def _choose(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        weights = self.parse().weights
        count = min(self.num_samples or size, size)
        if len(weights) > size:
            raise RuntimeError(f"WeightedRandomSampler: there are {len(weights)} weights, but {size} rows.")
        engine = order.engine(step=0)
        if self.replacement:
            return engine.choices(weights, count)
        if len(weights) < count:
            raise RuntimeError(f"WeightedRandomSampler: {len(weights)} weights do not give {count} different rows.")
        with np.errstate(divide="ignore"):
            return np.argsort(engine.exponentials(len(weights)) / weights, kind="stable")[:count]


class DistributedSampler(BuiltinSampler):
    """One of `num_shards` equal shards: every `num_shards`-th sample of an order that all shards share.

    The shared order comes from the dataset's seed: without one (``mindspore.set_seed`` or ``dataset.config.set_seed``)
    all shards use the same fixed seed, so they never overlap. The end is padded with samples from the start; `offset`
    >= 0 starts with that shard instead, without padding.
    """

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool | Shuffle = True,
        num_samples: int | None = None,
        offset: int = -1,
    ) -> None:
        self.num_shards = operator.index(num_shards)
        self.shard_id = operator.index(shard_id)
        self.shuffle = shuffle if isinstance(shuffle, Shuffle) else Shuffle.GLOBAL if shuffle else Shuffle.FALSE
        self.seed = configured_seed()
        self.offset = offset
        super().__init__(num_samples)

    def set_offset(self, offset: int) -> DistributedSampler:
        """Change `offset`."""
        self.offset = offset
        return self

    def is_shuffled(self) -> bool:
        return self.shuffle != Shuffle.FALSE if self.child_sampler is None else self.child_sampler.is_shuffled()

    def is_sharded(self) -> bool:
        return self.num_shards > 1 if self.child_sampler is None else self.child_sampler.is_sharded()

    def check(self) -> None:
        """Raise RuntimeError for invalid shards."""
        if self.num_shards <= 0 or not 0 <= self.shard_id < self.num_shards:
            raise RuntimeError(f"DistributedSampler: shard_id {self.shard_id} is not in [0, {self.num_shards}).")

    def share(self, size: int, in_blocks: bool = False) -> np.ndarray:
        """Return the places of this shard among `size`; with `in_blocks` consecutive ones, whatever the offset."""
        count = -(-size // self.num_shards)
        if in_blocks:
            places = (self.shard_id * count + np.arange(count)) % size
        elif self.offset < 0:
            places = (self.shard_id + self.num_shards * np.arange(count)) % size
        else:
            places = np.arange(size)[(self.shard_id - self.offset) % self.num_shards :: self.num_shards]
        return places[: self._limit(len(places))]

    def _choose(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        self.check()
        places = self.share(size)
        # MindSpore's copy for each iterator begins one further than the user's sampler
        return places if self.shuffle == Shuffle.FALSE else order.shuffled(size, self.seed + 1)[places]


class PKSampler(BuiltinSampler):
    """`num_val` samples of every class of a source with labels (ImageFolderDataset, MnistDataset, ...), drawn at random
    with replacement; `shuffle` puts the classes in random order.
    """

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ) -> None:
        if num_class is not None:
            raise NotImplementedError("Not supported to specify num_class for PKSampler.")
        self.num_val = num_val
        self.shuffle = shuffle
        self.class_column = class_column
        super().__init__(num_samples)

    def is_shuffled(self) -> bool:
        return self.shuffle

    def _choose(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        if labels is None:
            raise RuntimeError("PKSampler needs a dataset with labels, such as ImageFolderDataset or MnistDataset.")
        if self.num_val < 1:
            raise RuntimeError(f"PKSampler: num_val should be greater than 0, but got num_val: {self.num_val}.")
        ids = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        engine = order.first().engine()
        if self.shuffle:  # of the classes, once for all passes; then the first pass goes on with the same engine
            ids = [ids[place] for place in engine.shuffled(len(ids))]
        if order.passes:
            engine = order.engine()
        places = np.repeat(np.arange(len(ids)), self.num_val)[: self.num_samples or None]
        drawn = engine.below(np.array([len(some) for some in ids])[places])
        return np.array([ids[place][draw] for place, draw in zip(places, drawn, strict=True)], np.int64)


class Sampler(BuiltinSampler):
    """Base of user-defined samplers: override ``__iter__`` to yield ids; `dataset_size` is set before it is called."""

    def __init__(self, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.dataset_size = 0
        if num_samples is None and hasattr(self, "__len__"):
            self.num_samples = len(self)

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} must override __iter__.")

    def reset(self) -> None:
        """Reset after each pass; to be overridden."""

    def is_users(self) -> bool:
        return True

    def end_pass(self) -> None:
        super().end_pass()
        self.reset()

    def _choose(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        self.dataset_size = size
        ids: list[Any] = list(itertools.islice(self, self.num_samples or None))
        try:
            array = np.asarray(ids).astype(np.int64)
        except (TypeError, ValueError) as error:
            raise RuntimeError("Fetched indices cannot be converted to a valid ndarray.") from error
        if array.ndim > 1:  # each is a group of ids, passed to the source unchanged
            return array
        wrong = array[(array < 0) | (array >= size)]
        if len(wrong):
            raise RuntimeError(f"Sample ID ({wrong[0]}) is out of bound, expected range [0, {size - 1}]")
        return array


class IterSampler(Sampler):
    """An iterable of ids as a sampler."""

    def __init__(self, sampler: Iterable[int], num_samples: int | None = None) -> None:
        if num_samples is None and hasattr(sampler, "__len__"):
            num_samples = len(sampler)  # type: ignore[arg-type]
        super().__init__(num_samples)
        self.sampler = sampler

    def __iter__(self) -> Iterator[int]:
        return iter(self.sampler)
