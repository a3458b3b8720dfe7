"""Sentences in two languages: Multi30k, IWSLT."""

from __future__ import annotations

import os
from typing import Any

from mindspore_compat.dataset.engine._sources.described import FOLDER, TEXTS, TEXTS_LATE, Argument, choice
from mindspore_compat.dataset.engine._sources.files import lines_of, read_xml
from mindspore_compat.dataset.engine._sources.records import RecordsDataset

__all__ = ["IWSLT2016Dataset", "IWSLT2017Dataset", "Multi30kDataset"]


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
