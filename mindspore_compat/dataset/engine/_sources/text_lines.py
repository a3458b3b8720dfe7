"""Texts, one on each line: plain files, language models, CLUE."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import refused
from mindspore_compat.dataset.engine._sources.csv import FILES
from mindspore_compat.dataset.engine._sources.described import FOLDER, TEXTS, TRAIN_VALID_TEST, choice
from mindspore_compat.dataset.engine._sources.files import lines_of
from mindspore_compat.dataset.engine._sources.records import RecordsDataset
from mindspore_compat.dataset.engine._sources.shards import found_files

__all__ = ["CLUEDataset", "EnWik9Dataset", "PennTreebankDataset", "TextFileDataset", "WikiTextDataset"]


class TextFileDataset(RecordsDataset):
    """The lines of text files, as column ``text``; empty lines are skipped.

    Args:
        dataset_files: a name, a glob pattern, or a list of them; files are read in alphabetical order.
        shuffle: True or GLOBAL: all lines; FILES: the order of the files; False: none.
        num_shards, shard_id: this one's share, a run of lines; all shares have as many.

    Raises:
        ValueError: if there is no such file, or an argument is out of range. RuntimeError: if there are no lines.
    """

    arguments = (FILES, *TEXTS)
    columns = "text:text"
    dataset_files: list[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dataset_files = found_files(self.dataset_files)

    def _files(self) -> list[str]:
        return self.dataset_files

    def _records(self, path: str) -> list[Any]:
        return [(line,) for line in lines_of(path) if line]

    def _size(self) -> int:
        if not any(records for _, records in self._parts):
            raise self._nothing()
        return super()._size()


_PAIR = {"train": "label sentence1 sentence2", "test": "id sentence1 sentence2"}


_SPANS = "span1_index span1_text span2_index span2_text text"


#: Columns by task and use; "eval" has those of "train".
_CLUE = {
    "AFQMC": _PAIR,
    "CMNLI": _PAIR,
    "TNEWS": {"train": "keywords label label_desc sentence", "test": "id keywords sentence"},
    "IFLYTEK": {"train": "label label_des sentence", "test": "id sentence"},
    "WSC": {"train": f"idx label {_SPANS}", "test": f"idx {_SPANS}"},
    "CSL": {"train": "abst id keyword label", "test": "abst id keyword"},
}


_NUMBERS = ("id", "idx", "span1_index", "span2_index")


class CLUEDataset(TextFileDataset):
    """Rows of the CLUE benchmark's files with a JSON object on every line. Numbers become uint32 (float32, int32 below
    0), all else text.

    Args:
        dataset_files: a name, a glob pattern, or a list of them; files are read in alphabetical order.
        task: "AFQMC", "TNEWS", "IFLYTEK", "CMNLI", "WSC" or "CSL"; with ``usage`` it says which columns there are.
        usage: "train", "test" or "eval".
        shuffle, num_shards, shard_id: as of `TextFileDataset`.

    Raises:
        ValueError: if there is no such file, or an argument is out of range. RuntimeError: if a line is no JSON or
            lacks a column.
    """

    arguments = (
        FILES,
        choice("task", list(_CLUE), "AFQMC", "AFQMC"),
        choice("usage", "train test eval", "train", "train"),
        *TEXTS,
    )

    @property
    def columns(self) -> str:  # type: ignore[override]
        names = _CLUE[self.task]["test" if self.usage == "test" else "train"].split()
        return " ".join(f"{name}:{'uint32' if name in _NUMBERS else 'text'}" for name in names)

    def _values(self, record: Any, path: str) -> tuple:
        (line,) = record
        try:
            values = json.loads(line)
            values = {**values, **values.get("target", {})}
            found = tuple(_bounded(values[name], len(line)) for name in self._column_names())
            return tuple(_of_json(value, kind) for value, (_, kind) in zip(found, self._columns(), strict=True))
        except (
            ValueError,
            TypeError,
            AttributeError,
            OverflowError,
            RecursionError,
        ) as error:  # no JSON, or unexpected values
            raise RuntimeError(f"Invalid json, failed to parse {path}, {error}") from None
        except KeyError as error:
            raise RuntimeError(f"{path}, {self.task}, {self.usage}: failed to find key: {error.args[0]}.") from None


def _of_json(value: Any, kind: str) -> np.ndarray:
    """Return a text, list of texts, or number also where texts are expected. Raises: ValueError, OverflowError."""
    if kind == "uint32":
        return np.array(value, np.uint32)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return np.array(value, np.float32 if isinstance(value, float) else np.uint32 if value >= 0 else np.int32)
    if not isinstance(value, str) and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        raise refused(ValueError, "expected a text, a number or a list of texts.", type(value).__name__)
    return np.array(value, np.str_)


def _bounded(value: Any, length: int) -> Any:
    """Return a JSON value. Raises: ValueError if its array were far larger, as for many short texts and a long one."""
    if isinstance(value, list) and len(value) * max((len(str(item)) for item in value), default=0) > max(
        1 << 22, 64 * length
    ):
        raise ValueError(f"a list of {len(value)} texts of very different length")
    return value


class FolderOfFiles(RecordsDataset):
    """Some files of a folder, by usage."""

    _names: dict[str, list[str]]

    def _files(self) -> list[str]:
        return [os.path.join(self.dataset_dir, name) for name in self._names[self.usage]]


class PennTreebankDataset(FolderOfFiles):
    """The lines of Penn Treebank as column text; empty ones are skipped. Args: usage: "train", "valid", "test" or "all"
    (default).
    """

    arguments = (FOLDER, TRAIN_VALID_TEST, *TEXTS)
    columns = "text:text"
    _start, _end = "ptb.", ".txt"

    def _files(self) -> list[str]:
        usages = ["test", "train", "valid"] if self.usage == "all" else [self.usage]
        return [os.path.join(self.dataset_dir, f"{self._start}{usage}{self._end}") for usage in usages]

    def _records(self, path: str) -> list[Any]:
        return [(line,) for line in lines_of(path) if line]


class WikiTextDataset(PennTreebankDataset):
    """The lines of WikiText as column text; empty ones are skipped. Args: usage: "train", "valid", "test" or "all"
    (default).
    """

    _start, _end = "wiki.", ".tokens"


class EnWik9Dataset(RecordsDataset):
    """The lines of the first 10^9 bytes of Wikipedia's dump, empty ones as well, as column text."""

    arguments = (FOLDER, *(a._replace(default=True) if a.name == "shuffle" else a for a in TEXTS))
    columns = "text:text"

    def _files(self) -> list[str]:
        return [os.path.join(self.dataset_dir, "enwik9")]

    def _records(self, path: str) -> list[Any]:
        return [(line,) for line in lines_of(path)]
