"""Sources of text lines. Upstream: ``mindspore.dataset.engine.datasets_text``; of it what counted projects use."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import numpy as np

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.validator_helpers import workers_in_range
from mindspore_compat.dataset.engine._columns import Row
from mindspore_compat.dataset.engine._session import Run
from mindspore_compat.dataset.engine._source_nodes import SourceDataset
from mindspore_compat.dataset.engine._tfrecord import check_reading, equal_share, found_files, in_turns
from mindspore_compat.dataset.engine.samplers import Shuffle

__all__ = ["CLUEDataset", "TextFileDataset"]


class _LinesDataset(SourceDataset):
    """Rows made of the lines of text files, empty ones left out; a shard is a run of lines."""

    def __init__(self, dataset_files: str | list[str], num_samples: int | None, num_parallel_workers: int | None, shuffle: Any,
                 num_shards: int | None, shard_id: int | None, cache: Any) -> None:
        check_reading(num_samples, shuffle, num_shards, shard_id)
        super().__init__(num_parallel_workers, cache)
        self.dataset_files = sorted(found_files(dataset_files))
        self._workers = config.get_num_parallel_workers() if num_parallel_workers is None else workers_in_range(num_parallel_workers)
        self._shuffles_rows = shuffle not in (False, Shuffle.FALSE, Shuffle.FILES, Shuffle.INFILE)
        self._shuffles_files = shuffle is Shuffle.FILES
        self._num_samples, self._shards, self._shard = num_samples or None, num_shards, shard_id or 0

    @cached_property
    def _lines(self) -> list[list[str]]:
        found = []
        for path in self.dataset_files:
            with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
                found.append([line for line in (line.removesuffix("\n") for line in stream) if line])
        if not any(found):
            raise RuntimeError(f"Invalid data, {type(self).__name__} API can't read the data file (interface mismatch or no data found). "
                               f"Check text file: {', '.join(self.dataset_files)}")
        return found

    def _size(self) -> int:
        return len(self._chosen(np.random.default_rng(0)))

    def _is_indexed(self) -> bool:
        return True

    def is_shuffled(self) -> bool:
        return self._shuffles_rows or self._shuffles_files

    def is_sharded(self) -> bool:
        return self._shards is not None and self._shards > 1

    def _order(self, run: Run) -> np.ndarray:
        return self._chosen(run.shared_rng(run.pass_number) if self._shards else run.rng(self))

    def _chosen(self, rng: np.random.Generator) -> np.ndarray:
        """Numbers of the lines of one pass, counted through all files."""
        stops = np.cumsum(list(map(len, self._lines)))
        ranges = [np.arange(stop - len(lines), stop) for stop, lines in zip(stops, self._lines, strict=True)]
        if self._shuffles_files:
            ranges = [ranges[file] for file in rng.permutation(len(ranges))]
        if self._shards:
            ranges = equal_share(ranges, self._shards, self._shard)
        order = in_turns(ranges, 1 if self._shuffles_rows else self._workers)
        if self._shuffles_rows:
            rng.shuffle(order)
        return order[: self._num_samples]

    def _fetch(self, index: np.ndarray) -> list[Row]:
        stops = np.cumsum(list(map(len, self._lines)))
        rows = []
        for number in index:
            file = int(np.searchsorted(stops, number, side="right"))
            rows.append(self._row(self._lines[file][number - stops[file]], self.dataset_files[file]))
        return rows

    def _row(self, line: str, path: str) -> Row:
        raise NotImplementedError


class TextFileDataset(_LinesDataset):
    """The lines of text files, as column ``text``; empty lines are left out.

    Args:
        dataset_files: a name, a glob pattern, or a list of them; files are read in alphabetical order.
        shuffle: True or GLOBAL: all lines; FILES: the order of the files; False: none.
        num_shards, shard_id: this one's share, a run of lines; all shares have as many.

    Raises:
        ValueError: if there is no such file, or an argument is out of range. RuntimeError: if there are no lines.
    """

    def __init__(self, dataset_files: str | list[str], num_samples: int | None = None, num_parallel_workers: int | None = None,
                 shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None, shard_id: int | None = None, cache: Any = None) -> None:
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _column_names(self) -> list[str]:
        return ["text"]

    def _row(self, line: str, path: str) -> Row:
        return (np.array(line),)


_PAIR = {"train": "label sentence1 sentence2", "test": "id sentence1 sentence2"}
_SPANS = "span1_index span1_text span2_index span2_text text"
#: Columns by task and use; "eval" has those of "train".
_CLUE = {
    "AFQMC": _PAIR, "CMNLI": _PAIR,
    "TNEWS": {"train": "keywords label label_desc sentence", "test": "id keywords sentence"},
    "IFLYTEK": {"train": "label label_des sentence", "test": "id sentence"},
    "WSC": {"train": f"idx label {_SPANS}", "test": f"idx {_SPANS}"},
    "CSL": {"train": "abst id keyword label", "test": "abst id keyword"},
}  # fmt: skip
_NUMBERS = ("id", "idx", "span1_index", "span2_index")


class CLUEDataset(_LinesDataset):
    """Rows of the CLUE benchmark's files, which have a JSON object on every line. Numbers come as uint32, all else as text.

    Args:
        dataset_files: a name, a glob pattern, or a list of them; files are read in alphabetical order.
        task: "AFQMC", "TNEWS", "IFLYTEK", "CMNLI", "WSC" or "CSL"; with ``usage`` it says which columns there are.
        usage: "train", "test" or "eval".
        shuffle, num_shards, shard_id: as of `TextFileDataset`.

    Raises:
        ValueError: if there is no such file, or an argument is out of range. RuntimeError: if a line is no JSON or lacks a column.
    """

    def __init__(self, dataset_files: str | list[str], task: str = "AFQMC", usage: str = "train", num_samples: int | None = None,
                 num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None,
                 shard_id: int | None = None, cache: Any = None) -> None:
        task, usage = task or "AFQMC", usage or "train"
        if task not in _CLUE:
            raise ValueError(f"task should be 'AFQMC', 'TNEWS', 'IFLYTEK', 'CMNLI', 'WSC' or 'CSL', but got {task!r}.")
        if usage not in ("train", "test", "eval"):
            raise ValueError(f"usage should be 'train', 'test' or 'eval', but got {usage!r}.")
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self.task, self.usage = task, usage
        self._names = _CLUE[task]["test" if usage == "test" else "train"].split()

    def _column_names(self) -> list[str]:
        return list(self._names)

    def _row(self, line: str, path: str) -> Row:
        try:
            values = json.loads(line)
            values = {**values, **values.get("target", {})}
            return tuple(_column(values[name], np.uint32 if name in _NUMBERS else np.str_, len(line)) for name in self._names)
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:  # no JSON, or other values than there should be
            raise RuntimeError(f"Invalid json, failed to parse {path}, {error}") from None
        except KeyError as error:
            raise RuntimeError(f"Invalid json file, in given JSON file {path}, failed to find key: {error.args[0]}. "
                               f"Check that it is of task {self.task} and usage {self.usage}.") from None


def _column(value: Any, dtype: Any, length: int) -> np.ndarray:
    """An array of a JSON value; of many short texts and a long one it would be much of nothing."""
    if isinstance(value, list) and len(value) * max((len(str(item)) for item in value), default=0) > max(1 << 22, 64 * length):
        raise ValueError(f"a list of {len(value)} texts of very different length")
    return np.array(value, dtype)
