"""Sources of texts. MindSpore: ``mindspore.dataset.engine.datasets_text``."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import refused
from mindspore_compat.dataset.engine._sources.described import (
    ARRAYS,
    FOLDER,
    TEXTS,
    TEXTS_LATE,
    TRAIN_TEST,
    TRAIN_VALID_TEST,
    Argument,
    FilesDataset,
    choice,
)
from mindspore_compat.dataset.engine._sources.files import files_in, lines_of, read_json_file, read_xml, reading
from mindspore_compat.dataset.engine._sources.records import RecordsDataset, found_files
from mindspore_compat.dataset.engine.datasets_standard_format import FILES, csv_rows

__all__ = [
    "CLUEDataset",
    "EnWik9Dataset",
    "PennTreebankDataset",
    "TextFileDataset",
    "WikiTextDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "Multi30kDataset",
    "AGNewsDataset",
    "AmazonReviewDataset",
    "CoNLL2000Dataset",
    "DBpediaDataset",
    "IMDBDataset",
    "SQuADDataset",
    "SST2Dataset",
    "SogouNewsDataset",
    "UDPOSDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
]


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


class _Pairs(RecordsDataset):
    """Sentences in two languages, from two files at once; one name stands for both files."""

    columns = "text:text translation:text"
    language_pair: list[str]

    def _both(self, part: str) -> tuple[str, str]:
        raise NotImplementedError

    def _files(self) -> list[str]:
        return [self._both(part)[0] for part in self._parts_of_usage()]

    def _parts_of_usage(self) -> list[str]:
        raise NotImplementedError

    def _records(self, path: str) -> list[Any]:
        part = next(part for part in self._parts_of_usage() if self._both(part)[0] == path)
        sides = [lines_of(file) for file in self._both(part)]
        return [pair for pair in zip(*sides, strict=False) if pair[0] and pair[1]]


def _check_pair(allowed: str) -> Any:
    pairs = [tuple(pair.split("-")) for pair in allowed.split()]

    def check(value: Any, name: str) -> None:
        if tuple(value) not in pairs:
            raise ValueError(f"Input {name} is not within the valid set of {pairs}. Got {value}.")

    return check


class Multi30kDataset(_Pairs):
    """Multi30k: text and translation.

    Args:
        usage: "train", "test", "valid" or "all" (default). language_pair: ["en", "de"] (default) or ["de", "en"].
    """

    arguments = (
        FOLDER,
        choice("usage", "train test valid all", "all"),
        Argument("language_pair", None, _check_pair("en-de de-en"), ["en", "de"]),
        *(a._replace(default=None) for a in TEXTS),
    )
    _folders = {"test": "mmt16_task1_test/test", "train": "training/train", "valid": "validation/val"}

    def _parts_of_usage(self) -> list[str]:
        return list(self._folders) if self.usage == "all" else [self.usage]

    def _both(self, part: str) -> tuple[str, str]:
        source, target = (
            os.path.join(self.dataset_dir, f"{self._folders[part]}.{language}") for language in self.language_pair
        )
        return source, target


_TAGS = (
    "<url",
    "<keywords",
    "<talkid",
    "<description",
    "<reviewer",
    "<translator",
    "<title",
    "<speaker",
    "<doc",
    "</doc",
)


class _IwsltDataset(_Pairs):
    """A translation task of IWSLT: lines for training, XML for the rest. No files are written (MindSpore writes some in
    the folder).
    """

    def _set(self, part: str) -> str:
        raise NotImplementedError

    def _folder(self) -> str:
        raise NotImplementedError

    _year = "16"

    def _parts_of_usage(self) -> list[str]:
        return ["train", "valid", "test"] if self.usage == "all" else [self.usage]

    def _both(self, part: str) -> tuple[str, str]:
        pair = "-".join(self.language_pair)
        start, end = ("train.tags", "") if part == "train" else (f"IWSLT{self._year}.TED.{self._set(part)}", ".xml")
        source, target = (
            os.path.join(self._folder(), f"{start}.{pair}.{language}{end}") for language in self.language_pair
        )
        if part != "train" and not os.path.exists(source):
            raise RuntimeError(f"Invalid file, failed to load xml file: {source}.")
        return source, target

    def _records(self, path: str) -> list[Any]:
        part = next(part for part in self._parts_of_usage() if self._both(part)[0] == path)
        read = _plain_lines if part == "train" else _segments
        sides = [read(file) for file in self._both(part)]
        return [(a.strip(" "), b.strip(" ")) for a, b in zip(*sides, strict=False) if a is not None and b is not None]


def _plain_lines(path: str) -> list[str | None]:
    """Return lines; None for those with tags."""
    return [None if any(tag in line for tag in _TAGS) else line.rstrip("\r") for line in lines_of(path)]


def _segments(path: str) -> list[str | None]:
    return [segment.text or "" for segment in read_xml(path).iter("seg")]


class IWSLT2016Dataset(_IwsltDataset):
    """IWSLT 2016: text and translation.

    Args:
        usage: "train", "valid", "test" or "all" (default). language_pair: default ["de", "en"].
        valid_set, test_set: "dev2010", or "tst2010" to "tst2014"; default "tst2013" and "tst2014".
    """

    _sets = "dev2010 tst2010 tst2011 tst2012 tst2013 tst2014"
    arguments = (
        FOLDER,
        choice("usage", "train test valid all", "all"),
        Argument("language_pair", None, _check_pair("en-ar en-de en-fr en-cs ar-en fr-en de-en cs-en"), ["de", "en"]),
        choice("valid_set", _sets, "tst2013"),
        choice("test_set", _sets, "tst2014"),
        *TEXTS_LATE,
    )
    valid_set: str
    test_set: str

    def _set(self, part: str) -> str:
        return self.valid_set if part == "valid" else self.test_set

    def _folder(self) -> str:
        return os.path.join(self.dataset_dir, "texts", *self.language_pair, "-".join(self.language_pair))


_LANGUAGES = "nl de it en ro"


class IWSLT2017Dataset(_IwsltDataset):
    """IWSLT 2017: text and translation.

    Args:
        usage: "train", "valid", "test" or "all" (default). language_pair: two of "de", "en", "it", "nl" and "ro";
            default ["de", "en"].
    """

    arguments = (
        FOLDER,
        choice("usage", "train test valid all", "all"),
        Argument(
            "language_pair",
            None,
            _check_pair(" ".join(f"{a}-{b}" for a in _LANGUAGES.split() for b in _LANGUAGES.split() if a != b)),
            ["de", "en"],
        ),
        *TEXTS_LATE,
    )
    _year = "17"

    def _set(self, part: str) -> str:
        return "dev2010" if part == "valid" else "tst2010"

    def _folder(self) -> str:
        return os.path.join(self.dataset_dir, "texts", "DeEnItNlRo", "DeEnItNlRo", "DeEnItNlRo-DeEnItNlRo")


_CSV = {"train": ["train.csv"], "test": ["test.csv"], "all": ["test.csv", "train.csv"]}


class _CsvFolder(FolderOfFiles):
    """``train.csv`` and ``test.csv``; all columns are texts."""

    arguments = (FOLDER, TRAIN_TEST, *TEXTS)
    _names = _CSV

    def _records(self, path: str) -> list[Any]:
        return csv_rows(path, ",")

    def _values(self, record: Any, path: str) -> tuple:
        if len(record) != len(self._columns()):
            raise RuntimeError(f"Invalid csv, {path} has {len(record)} columns: {record!r:.200}.")
        return tuple(record)


class AGNewsDataset(_CsvFolder):
    """AG News: index, title and description, all texts. Args: usage: "train", "test" or "all" (default)."""

    columns = "index:text title:text description:text"


class AmazonReviewDataset(_CsvFolder):
    """Amazon reviews (full or polarity): label, title and content, all texts. Args: usage: "train", "test" or "all"
    (default).
    """

    columns = "label:text title:text content:text"


class DBpediaDataset(_CsvFolder):
    """DBpedia: class, title and content, all texts. Args: usage: "train", "test" or "all" (default)."""

    columns = "class:text title:text content:text"


class YahooAnswersDataset(_CsvFolder):
    """Yahoo answers: class, title, content and answer, all texts. Args: usage: "train", "test" or "all" (default)."""

    columns = "class:text title:text content:text answer:text"


class SogouNewsDataset(_CsvFolder):
    """Sogou news: index, title and content, all texts. Args: usage: "train", "test" or "all" (default)."""

    arguments = (FOLDER, TRAIN_TEST, *TEXTS_LATE)
    columns = "index:text title:text content:text"
    _names = {**_CSV, "all": ["train.csv", "test.csv"]}


class YelpReviewDataset(_CsvFolder):
    """Yelp reviews (full or polarity): label and text, both texts. Args: usage: "train", "test" or "all" (default)."""

    arguments = (FOLDER, TRAIN_TEST, *TEXTS_LATE)
    columns = "label:text text:text"
    _names = {**_CSV, "all": ["train.csv", "test.csv"]}


class CoNLL2000Dataset(FolderOfFiles):
    """CoNLL 2000: word, pos_tag and chunk_tag, texts (words of the sentence,). Args: usage: "train", "test" or "all"
    (default).
    """

    arguments = (FOLDER, TRAIN_TEST, *TEXTS_LATE)
    columns = "word:text pos_tag:text chunk_tag:text"
    _names = {"train": ["train.txt"], "test": ["test.txt"], "all": ["test.txt", "train.txt"]}
    _between = " "

    def _records(self, path: str) -> list[Any]:
        sentences: list[list[list[str]]] = [[]]
        for line in lines_of(path):
            if not line.strip(" "):
                sentences.append([])
                continue
            words = line.strip(" ").split(self._between)
            if len(words) < 3:
                raise RuntimeError(f"Invalid data, {path} should have three words on each line, got {line!r:.200}.")
            sentences[-1].append(words[:3])
        return [tuple(map(list, zip(*sentence, strict=True))) for sentence in sentences if sentence]


class UDPOSDataset(CoNLL2000Dataset):
    """UDPOS: word, universal and stanford, texts (words of the sentence,). Args: usage: "train", "valid", "test" or
    "all" (default).
    """

    arguments = (FOLDER, TRAIN_VALID_TEST, *TEXTS_LATE)
    columns = "word:text universal:text stanford:text"
    _names = {
        "train": ["en-ud-tag.v2.train.txt"],
        "valid": ["en-ud-tag.v2.dev.txt"],
        "test": ["en-ud-tag.v2.test.txt"],
        "all": ["en-ud-tag.v2.dev.txt", "en-ud-tag.v2.test.txt", "en-ud-tag.v2.train.txt"],
    }
    _between = "\t"


class SST2Dataset(FolderOfFiles):
    """Stanford Sentiment Treebank: sentence, and label (not for the test), both texts. Args: usage: "train" (default),
    "test" or "dev".
    """

    arguments = (FOLDER, choice("usage", "train test dev", "train"), *TEXTS)
    _names = {"train": ["train.tsv"], "test": ["test.tsv"], "dev": ["dev.tsv"]}

    @property
    def columns(self) -> str:  # type: ignore[override]
        return "sentence:text" if self.usage == "test" else "sentence:text label:text"

    def _records(self, path: str) -> list[Any]:
        rows = [tuple(line.split("\t")) for line in lines_of(path)[1:] if line]
        if any(len(row) != 2 for row in rows):
            raise RuntimeError(f"Invalid data, {path} should have two texts with a tab between them on each line.")
        return [row[1:] for row in rows] if self.usage == "test" else rows


class SQuADDataset(RecordsDataset):
    """SQuAD 1.1 or 2.0: context, question, text (answers,) and answer_start (uint32, one for each; the largest number
    without an answer).

    Args:
        usage: "train", "dev" or "all" (default).
    """

    arguments = (FOLDER, choice("usage", "train dev all", "all"), *TEXTS)
    columns = "context:text question:text text:text answer_start:uint32"

    def _files(self) -> list[str]:
        found = []
        for usage in ("train", "dev") if self.usage == "all" else (self.usage,):
            there = [
                path
                for version in ("1.1", "2.0")
                if os.path.isfile(path := os.path.join(self.dataset_dir, f"{usage}-v{version}.json"))
            ]
            if not there:
                raise RuntimeError(f"Invalid path, failed to find SQuAD {usage} data file: {self.dataset_dir}.")
            found.extend(there)
        return found

    def _records(self, path: str) -> list[Any]:
        with reading(path):
            return [
                (
                    part["context"],
                    item["question"],
                    [answer["text"] for answer in item["answers"]] or [""],
                    [answer["answer_start"] for answer in item["answers"]] or [2**32 - 1],
                )
                for document in read_json_file(path)["data"]
                for part in document["paragraphs"]
                for item in part["qas"]
            ]


class IMDBDataset(FilesDataset):
    """IMDB's reviews: text (the last line of a file, which has one) and label (int32: 1 positive, 0 negative).

    Args:
        usage: "train", "test" or "all" (default).
    """

    arguments = (FOLDER, TRAIN_TEST, *ARRAYS)
    columns = "text:text label:int32"
    label_column = "label"

    def _find(self) -> list[tuple]:
        usages = ("train", "test") if self.usage == "all" else (self.usage,)
        return [
            (path, int(label == "pos"))
            for usage in usages
            for label in ("pos", "neg")
            for path in files_in(os.path.join(self.dataset_dir, usage, label))
        ]

    def _expanded(self, sample: tuple) -> tuple:
        return next((line for line in reversed(lines_of(sample[0])) if line), ""), sample[1]

    def num_classes(self) -> int | None:
        return 2
