"""Texts with labels, tags or answers: CSV and TSV folders, CoNLL, SQuAD, IMDB."""

from __future__ import annotations

import os
from typing import Any

from mindspore_compat.dataset.engine._sources.csv import csv_rows
from mindspore_compat.dataset.engine._sources.described import (
    ARRAYS,
    FOLDER,
    TEXTS,
    TEXTS_LATE,
    TRAIN_TEST,
    TRAIN_VALID_TEST,
    FilesDataset,
    choice,
)
from mindspore_compat.dataset.engine._sources.files import files_in, lines_of, read_json_file, reading
from mindspore_compat.dataset.engine._sources.records import RecordsDataset
from mindspore_compat.dataset.engine._sources.text_lines import FolderOfFiles

__all__ = [
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
