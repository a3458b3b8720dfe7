"""Nodes that combine several datasets: zip, concat, flat_map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mindspore_compat._runtime.random_engines import choices
from mindspore_compat.dataset.core.randomness import Order
from mindspore_compat.dataset.engine._dataset import Dataset, register_node
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.engine._nodes._column_maps import column_map, inserted
from mindspore_compat.dataset.engine._sources.base import MappableDataset
from mindspore_compat.dataset.engine.samplers import (
    BuiltinSampler,
    DistributedSampler,
    RandomSampler,
    SequentialSampler,
)

__all__ = ["ConcatDataset", "ZipDataset"]


@register_node
class ZipDataset(Dataset):
    """Columns of several datasets side by side, as long as the shortest."""

    def _column_names(self) -> list[str]:
        names = [name for child in self.children for name in child._column_names()]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise RuntimeError(f"Invalid data, duplicate column {name} already exists when zipping datasets.")
        return names

    def _column_map(self) -> list[str]:
        return inserted(name for child in self.children for name in column_map(child))

    def _begin_session(self) -> None:
        self._column_names()

    def _size(self) -> int:
        return min(child.get_dataset_size() for child in self.children)

    def _stream(self, run: Run) -> Iterator[Row]:
        run.session.read_on(self)
        streams = [child._stream(run) for child in self.children]
        for rows in zip(*streams, strict=False):
            yield tuple(value for row in rows for value in row)
        for stream in streams:
            run.session.leave(self, stream)


@register_node
class ConcatDataset(Dataset):
    """Rows of several datasets one after another."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        super().__init__(datasets)
        for number, child in enumerate(self.children):
            if child.get_dataset_size() == 0:  # reads a source without a length, as in MindSpore
                raise ValueError(f"The dataset number {number} of concat has no samples.")
        self._sampler: DistributedSampler | None = None
        self._is_mixed = False

    def _column_names(self) -> list[str]:
        names = self.children[0]._column_names()
        for child in self.children[1:]:
            if child._column_names() != names:
                raise RuntimeError(f"The columns of concat differ: {names} and {child._column_names()}.")
        return names

    def use_sampler(self, sampler: BuiltinSampler) -> None:
        """Read one shard of the whole, with a DistributedSampler without shuffle and num_samples; or, with a
        RandomSampler, rows of all datasets in random turns: each dataset's own keep their order.
        """
        if not isinstance(sampler, (DistributedSampler, RandomSampler)):
            raise TypeError(f"The parameter {sampler} of concat must be DistributedSampler or RandomSampler!")
        if isinstance(sampler, RandomSampler):
            if sampler.replacement or sampler.get_num_samples() is not None:
                raise ValueError("The RandomSampler of concat must have neither replacement nor num_samples.")
            self._is_mixed = True
            return
        if sampler.is_shuffled() or sampler.num_samples is not None:
            raise ValueError("The DistributedSampler of concat must have neither shuffle nor num_samples.")
        for child in self.children:
            if child.is_sharded():
                raise ValueError("A dataset of concat is sharded already, so the whole can not be sharded.")
            if isinstance(child, MappableDataset):
                # In a fixed order, or the shards of several processes would overlap.
                child.use_sampler(SequentialSampler(num_samples=child.sampler.num_samples))
        self._sampler, self._cached_size = sampler, None

    def is_sharded(self) -> bool:
        return self._sampler is not None or super().is_sharded()

    def _begin_session(self) -> None:
        self._column_names()

    def _size(self) -> int:
        total = sum(child.get_dataset_size() for child in self.children)
        if self._sampler is None:
            return total
        return len(range(self._sampler.shard_id, total, self._sampler.num_shards))

    def _mixed(self, run: Run) -> Iterator[Row]:
        """Yield rows of the datasets in a random order of datasets."""
        sizes = [child.get_dataset_size() for child in self.children]
        run.session.read_on(self)
        streams = [child._stream(run) for child in self.children]
        kinds: list | None = None
        for place in _drawn_datasets(sizes, run.order_of(self)):
            row = next(streams[place], None)
            if row is not None:
                kinds = self._check_kinds(kinds, row)
                yield row
        for stream in streams:
            run.session.leave(self, stream)

    def is_shuffled(self) -> bool:
        return self._is_mixed or super().is_shuffled()

    def _stream(self, run: Run) -> Iterator[Row]:
        if self._is_mixed:
            yield from self._mixed(run)
            return
        kinds: list | None = None
        number = 0
        for child in self.children:
            for i, row in enumerate(child._stream(run)):
                if i == 0:
                    kinds = self._check_kinds(kinds, row)
                if self._sampler is None or number % self._sampler.num_shards == self._sampler.shard_id:
                    yield row
                number += 1

    @staticmethod
    def _check_kinds(kinds: list | None, row: Row) -> list:
        found = [(getattr(v, "dtype", type(v)), getattr(v, "ndim", 0)) for v in row]
        for (before, rank), (now, other) in zip(kinds or found, found, strict=True):
            is_string = getattr(before, "kind", "") in "US" and getattr(now, "kind", "") in "US"
            for what, one, two in (("types", before, now), ("tensor rank", rank, other)):
                if one != two and not (what == "types" and is_string):
                    raise RuntimeError(f"Concat: the data {what} of the two datasets differ: {one} and {two}.")
        return found


def _drawn_datasets(sizes: list[int], order: Order) -> list[int]:
    """Return the dataset of each next row, drawn in proportion to the rows left. At the end of a pass a number is drawn
    too, and the next pass goes on.
    """
    draws = order.engine(step=0).doubles((order.passes + 1) * (sum(sizes) + 1))[-sum(sizes) - 1 :]
    left, chosen = list(sizes), []
    for draw in draws[:-1].tolist():
        place = int(choices(left, draw))
        left[place] -= 1
        chosen.append(place)
    return chosen


@register_node
def flat_map(dataset: Dataset, func: Callable[..., Dataset]) -> Dataset:
    """Return `Dataset.flat_map`: the function is called for every row now, as in MindSpore."""
    parts = [func(*row) for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    if not parts:
        raise RuntimeError("flat_map needs a dataset with at least one row.")
    return parts[0] if len(parts) == 1 else ConcatDataset(parts)
