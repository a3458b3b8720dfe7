"""Nodes that compute nothing: they select and order rows (shuffle, repeat, skip, take, split), choose or rename
columns, combine datasets (zip, concat, flat_map), or wait for training (sync_wait).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count as count_from
from itertools import islice, pairwise
from typing import Any

import numpy as np

from mindspore_compat import log
from mindspore_compat._runtime.random_engines import choices
from mindspore_compat.dataset.core.independent import refuse_if_independent
from mindspore_compat.dataset.core.randomness import Order, chosen_seed, fresh_seed
from mindspore_compat.dataset.core.validator_helpers import INT32_MAX, check_columns, check_value
from mindspore_compat.dataset.engine._dataset import Columns, Dataset, register_node
from mindspore_compat.dataset.engine._execution.buffer import shuffled_places, through_buffer
from mindspore_compat.dataset.engine._execution.columns import Row, positions
from mindspore_compat.dataset.engine._execution.session import Run, Session
from mindspore_compat.dataset.engine._node import Node
from mindspore_compat.dataset.engine._nodes._column_maps import column_map, inserted
from mindspore_compat.dataset.engine._sources.base import MappableDataset
from mindspore_compat.dataset.engine.samplers import (
    BuiltinSampler,
    DistributedSampler,
    RandomSampler,
    SequentialSampler,
)
from mindspore_compat.dataset.transforms._operation import call_user_function

__all__ = [
    "FilterDataset",
    "RepeatDataset",
    "ShuffleDataset",
    "SkipDataset",
    "TakeDataset",
    "ProjectDataset",
    "RenameDataset",
    "ConcatDataset",
    "ZipDataset",
    "SyncWaitDataset",
]


class _IndexNode(Dataset):
    """Base of nodes that pass their child's rows on; a subclass gives `_order` and `_pick`."""

    def __init__(self, input_dataset: Dataset) -> None:
        super().__init__(input_dataset)

    def _is_indexed(self) -> bool:
        return self.children[0]._is_indexed()

    def _stream(self, run: Run) -> Iterator[Row]:
        return super()._stream(run) if run.session.by_number(self) else self._pick(run)

    def _pick(self, run: Run) -> Iterator[Row]:
        raise NotImplementedError


@register_node
class TransferDataset(_IndexNode):
    """Result of `Dataset.device_que`: the rows unchanged."""

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def _order(self, run: Run) -> np.ndarray:
        return self.children[0]._order(run)

    def _pick(self, run: Run) -> Iterator[Row]:
        return self.children[0]._stream(run)

    def send(self, num_epochs: int = -1) -> None:
        """Do nothing: there is no queue on the device; see `Dataset.device_que`."""

    def continue_send(self) -> None:
        """Do nothing; see `send`."""

    def stop_send(self) -> None:
        """Do nothing; see `send`."""


@register_node
class ShuffleDataset(_IndexNode):
    """Rows drawn from a buffer of the next `buffer_size`."""

    _moves_rows = True

    def __init__(self, input_dataset: Dataset, buffer_size: int) -> None:
        check_value(buffer_size, (2, INT32_MAX), "buffer_size")
        super().__init__(input_dataset)
        self.buffer_size = buffer_size
        self._reshuffles = True  # at each pass

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def is_shuffled(self) -> bool:
        return True

    def _order(self, run: Run) -> np.ndarray:
        order = self.children[0]._order(run)
        return order[shuffled_places(len(order), self.buffer_size, self._random_order(run))]

    def _random_order(self, run: Run) -> Order:
        order = run.order_of(self)
        return order if self._reshuffles else order.first()

    def _pick(self, run: Run) -> Iterator[Row]:
        rows, count = self.children[0]._stream(run), self.children[0].get_dataset_size
        return through_buffer(rows, self.buffer_size, self._random_order(run), count)


@register_node
class RepeatDataset(_IndexNode):
    """The child's rows `count` times, each pass shuffled and augmented anew; -1 or None without end."""

    def __init__(self, input_dataset: Dataset, count: int | None = None) -> None:
        if count not in (None, -1):
            check_value(count, (1, INT32_MAX), "count")
        super().__init__(input_dataset)
        self.count = -1 if count is None else count

    def _size(self) -> int:
        return self.children[0].get_dataset_size() * max(self.count, 1)

    def get_repeat_count(self) -> int:
        return super().get_repeat_count() if self.count == 1 else self.count

    def _is_indexed(self) -> bool:
        return self.count > 0 and super()._is_indexed()

    def _order(self, run: Run) -> np.ndarray:
        return np.concatenate([self.children[0]._order(run.repeated(i, self.count)) for i in range(self.count)])

    def _pick(self, run: Run) -> Iterator[Row]:
        for i in range(self.count) if self.count > 0 else count_from():
            is_empty = True
            for row in self.children[0]._stream(run.repeated(i, self.count)):
                is_empty = False
                yield row
            if is_empty and self.count < 0:  # it may be so for ever
                return


@register_node
class SkipDataset(_IndexNode):
    """The rows after the first `count`."""

    _moves_rows = True

    def __init__(self, input_dataset: Dataset, count: int) -> None:
        check_value(count, (0, INT32_MAX), "count")
        super().__init__(input_dataset)
        self.count = count

    def _size(self) -> int:
        return max(0, self.children[0].get_dataset_size() - self.count)

    def _order(self, run: Run) -> np.ndarray:
        return self.children[0]._order(run)[self.count :]

    def _pick(self, run: Run) -> Iterator[Row]:
        return islice(self.children[0]._stream(run), self.count, None)


@register_node
class TakeDataset(_IndexNode):
    """The first `count` rows; -1 takes all."""

    _moves_rows = True

    def __init__(self, input_dataset: Dataset, count: int = -1) -> None:
        if count != -1:
            check_value(count, (1, INT32_MAX), "count")
        super().__init__(input_dataset)
        self.count = count

    def _size(self) -> int:
        child = self.children[0]
        if self.count < 0:
            return child.get_dataset_size()
        if child.get_repeat_count() == -1:  # an endless stream has enough rows
            return self.count
        return min(self.count, child.get_dataset_size())

    def _order(self, run: Run) -> np.ndarray:
        order = self.children[0]._order(run)
        return order if self.count < 0 else order[: self.count]

    def _pick(self, run: Run) -> Iterator[Row]:
        run.session.read_on(self)
        rows = self.children[0]._stream(run)
        yield from rows if self.count < 0 else islice(rows, self.count)
        run.session.leave(self, rows)


@register_node
class FilterDataset(Dataset):
    """The rows for which the predicate holds."""

    def __init__(
        self,
        input_dataset: Dataset,
        predicate: Callable,
        input_columns: Columns | None = None,
        num_parallel_workers: int | None = None,
    ) -> None:
        super().__init__(input_dataset, num_parallel_workers)
        self.predicate = predicate
        self.input_columns = None if input_columns is None else check_columns(input_columns, "input_columns")

    def _stream(self, run: Run) -> Iterator[Row]:
        names = self.children[0]._column_names()
        places = positions(self.input_columns or names, names, "input")
        for row in self.children[0]._stream(run):
            if call_user_function(self._holds, tuple(row[i] for i in places), "filter operation failed."):
                yield row

    def _holds(self, *values: Any) -> bool:
        result = self.predicate(*values)
        if isinstance(result, np.ndarray) and result.size == 0:
            return False
        return bool(result)  # as `if` decides: an error for several elements


class _ColumnNode(Dataset):
    """Base of nodes with chosen or renamed columns; rows keep their numbers."""

    def _choose(self, row: Row) -> Row:
        return row

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def _stream(self, run: Run) -> Iterator[Row]:
        return (self._choose(row) for row in self.children[0]._stream(run))

    def _is_indexed(self) -> bool:
        return self.children[0]._is_indexed()

    def _order(self, run: Run) -> np.ndarray:
        return self.children[0]._order(run)

    def _step(self, value: Any) -> list[Any]:
        return list(self._choose(tuple(value)))


@register_node
class ProjectDataset(_ColumnNode):
    """Only some columns, in a given order."""

    def __init__(self, input_dataset: Dataset, columns: Columns) -> None:
        self.columns = check_columns(columns, "columns")
        super().__init__(input_dataset)

    def _places(self) -> list[int]:
        return positions(self.columns, self.children[0]._column_names(), "project")

    def _begin_session(self) -> None:
        self._chosen = self._places()

    def _column_names(self) -> list[str]:
        self._places()
        return self.columns

    def _column_map(self) -> list[str]:
        return inserted(self._column_names())

    def _choose(self, row: Row) -> Row:
        return tuple(row[i] for i in self._chosen)


@register_node
class RenameDataset(_ColumnNode):
    """Columns under other names."""

    def __init__(self, input_dataset: Dataset, input_columns: Columns, output_columns: Columns) -> None:
        self.input_columns = check_columns(input_columns, "input_columns")
        self.output_columns = check_columns(output_columns, "output_columns")
        if len(self.input_columns) != len(self.output_columns):
            raise ValueError(f"Unequal number of columns: {self.input_columns} and {self.output_columns}.")
        super().__init__(input_dataset)

    def _column_names(self) -> list[str]:
        names = list(self.children[0]._column_names())
        places = positions(self.input_columns, names, "rename")
        for place, name in zip(places, self.output_columns, strict=True):
            names[place] = name
        if len(set(names)) != len(names):
            raise RuntimeError(f"Invalid column, rename gives two columns the same name: {names}.")
        return names

    def _column_map(self) -> list[str]:
        renamed = dict(zip(self.input_columns, self.output_columns, strict=True))
        return inserted(renamed.get(name, name) for name in column_map(self.children[0]))

    def _begin_session(self) -> None:
        self._column_names()


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
                raise ValueError("A dataset of concat is sharded already, so the whole cannot be sharded.")
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


@register_node
class SyncWaitDataset(Dataset):
    """Node that passes on rows for `num_batch` batches above it, then those that `sync_update` releases.

    The pipeline runs on demand in the reading thread, so waiting there would never end: reading an unreleased row ends
    the waiting for good, with a warning, as MindSpore's time-out does.
    """

    condition_name: str

    def __init__(
        self, input_dataset: Dataset, condition_name: str, num_batch: int, callback: Callable | None = None
    ) -> None:
        refuse_if_independent("Dataset sync wait")
        super().__init__(input_dataset)
        self.condition_name = condition_name
        self.num_batch = num_batch
        self.callback = callback
        self._is_disabled = False
        self._released = self._at_once = num_batch  # rows

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def is_sync(self) -> bool:
        return True

    def disable_sync(self) -> None:
        self._is_disabled = True

    def batched(self, batch_size: int) -> None:
        """Count so many rows as one batch above."""
        self._at_once *= batch_size
        self._released = self._at_once

    def release(self, rows: int | None, data: Any) -> None:
        """Let more rows pass and hand `data` to the callback."""
        self._released += self._at_once if rows is None else rows
        if self.callback is not None:
            self.callback(data)

    def _stream(self, run: Run) -> Iterator[Row]:
        self._released = self._at_once
        for row in self.children[0]._stream(run):
            if not self._is_disabled and self._released <= 0:
                log.warning(
                    f"sync_wait '{self.condition_name}': no row is released, and it waits no longer. Call "
                    f"sync_update('{self.condition_name}') after every {self.num_batch} batches."
                )
                self._is_disabled = True
            self._released -= 1
            yield row


@register_node
def sync_update(dataset: Dataset, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
    """Release the node of that name below `dataset`. Raises: RuntimeError where there is none."""
    nodes = [node for node in waiting(dataset) if node.condition_name == condition_name]
    if not nodes:
        raise RuntimeError(f"Condition name not found: {condition_name!r}.")
    for node in nodes:
        node.release(num_batch, data)


def waiting(dataset: Node) -> Iterator[SyncWaitDataset]:
    """Yield the `SyncWaitDataset` nodes in a pipeline."""
    if isinstance(dataset, SyncWaitDataset):
        yield dataset
    for child in dataset.children:
        yield from waiting(child)
