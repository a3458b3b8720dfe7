"""Base of samplers: levels of shuffling, chains of samplers."""

from __future__ import annotations

import copy
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from mindspore_compat.dataset.core.randomness import Order, Unshuffled
from mindspore_compat.dataset.core.validator_helpers import check_num_samples

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
