"""Vocabularies and conversions. MindSpore: ``mindspore.dataset.text.utils``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from operator import index
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import check_file, check_positive, type_check, type_check_list

__all__ = ["NormalizeForm", "Vocab", "as_text", "to_bytes", "to_str"]


class NormalizeForm(IntEnum):
    """Unicode normal forms."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


def to_bytes(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """Return an array of texts as bytes."""
    return np.char.encode(array, encoding)


def to_str(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """Return an array of bytes as texts."""
    return array if array.dtype.kind == "U" else np.char.decode(array, encoding)


def as_text(value: Any, words: str = "The input should be a scalar string.") -> str:
    """Return one text from a 0-d array, a text or bytes. Raises: RuntimeError for others, with MindSpore's words."""
    item = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
    if isinstance(item, bytes):
        return item.decode("utf-8")
    if not isinstance(item, str):
        kind = f"{getattr(value, 'dtype', type(value))} of shape {getattr(value, 'shape', ())}"
        raise RuntimeError(f"{words} Got {kind}.")
    return str(item)  # no numpy.str_


class Vocab:
    """Words and their numbers. Make one with `from_list`, `from_dict`, `from_file` or `from_dataset`."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._words: dict[int, str] = {}

    @classmethod
    def _of(cls, words: Iterable[tuple[str, int]]) -> Vocab:
        vocab = cls()
        vocab._ids = dict(words)
        vocab._words = {number: word for word, number in vocab._ids.items()}
        return vocab

    @classmethod
    def _with_special(cls, words: list[str], special_tokens: list[str] | None, special_first: bool) -> Vocab:
        special = special_tokens or []
        ordered = special + words if special_first else words + special
        repeated = [word for word, count in Counter(ordered).items() if count > 1]
        if repeated:
            raise ValueError(f"word_list and special_tokens contain duplicate words: {repeated[:3]}.")
        return cls._of((word, number) for number, word in enumerate(ordered))

    @classmethod
    def from_list(
        cls, word_list: list[str], special_tokens: list[str] | None = None, special_first: bool = True
    ) -> Vocab:
        """Return words in their order, the special tokens in front or behind. Raises: ValueError for duplicates."""
        type_check(word_list, list, "word_list")
        return cls._with_special(word_list, special_tokens, special_first)

    @classmethod
    def from_dict(cls, word_dict: dict[str, int]) -> Vocab:
        """Return a vocabulary from {word: number}. Raises: ValueError for a negative number."""
        if any(number < 0 for number in word_dict.values()):
            raise ValueError(f"word_dict has negative numbers: {word_dict}.")
        return cls._of(word_dict.items())

    @classmethod
    def from_file(
        cls,
        file_path: str,
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """Return a vocabulary of one word a line, up to ``delimiter`` if it occurs; at most ``vocab_size`` words."""
        if vocab_size is not None:
            check_positive(vocab_size, "vocab_size")
        check_file(file_path)
        try:
            with open(file_path, encoding="utf-8") as stream:
                words = [
                    line.split(delimiter)[0] if delimiter else line for line in stream.read().splitlines()[:vocab_size]
                ]
        except UnicodeDecodeError as error:
            raise RuntimeError(f"from_file: {file_path} is no UTF-8 text: {error}") from error
        try:
            return cls._with_special(words, special_tokens, special_first)
        except ValueError as error:
            raise ValueError(f"from_file: {file_path}: {error}") from error

    @classmethod
    def from_dataset(
        cls,
        dataset: Any,
        columns: str | list[str] | None = None,
        freq_range: tuple | None = None,
        top_k: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """Return words of the columns (default all), the most frequent first, equals by the alphabet.

        Args:
            freq_range: (least, most) occurrences, None for no bound.
            top_k: at most this number of words.
        """
        names = dataset.get_col_names() if columns is None else [columns] if isinstance(columns, str) else list(columns)
        least, most = freq_range or (None, None)
        if least is not None and most is not None and least > most:
            raise ValueError(f"freq_range should be (least, most), but got {freq_range}.")
        if top_k is not None:
            check_positive(top_k, "top_k")
        counts: Counter[str] = Counter()
        for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
            for name in names:
                counts.update(map(as_text, row[name].ravel()))
        kept = sorted(
            (
                (word, count)
                for word, count in counts.items()
                if (least is None or count >= least) and (most is None or count <= most)
            ),
            key=lambda item: (-item[1], item[0]),
        )
        return cls._with_special([word for word, _ in kept[:top_k]], special_tokens, special_first)

    @property
    def c_vocab(self) -> Vocab:
        """MindSpore's object of the data engine: this one."""
        return self

    def vocab(self) -> dict[str, int]:
        """Return {word: number}."""
        return dict(self._ids)

    def tokens_to_ids(self, tokens: str | list[str]) -> int | list[int]:
        """Return numbers of one word or several; -1 for a missing one."""
        if isinstance(tokens, str):
            return self._ids.get(tokens, -1)
        items = tokens.tolist() if isinstance(tokens, np.ndarray) else tokens
        type_check_list(items, (str, np.str_), "tokens")
        return [self._ids.get(item, -1) for item in items]

    def ids_to_tokens(self, ids: int | list[int]) -> str | list[str]:
        """Return words of one number or several; "" for a missing one."""
        if isinstance(ids, (int, np.integer)):
            return self._words.get(int(ids), "")
        return [self._words.get(index(item), "") for item in ids]
