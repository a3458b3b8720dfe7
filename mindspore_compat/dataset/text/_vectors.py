"""Word vectors from files. MindSpore: ``mindspore.dataset.text.utils``."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from mindspore_compat._format.source import open_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, kind_of
from mindspore_compat.dataset.text._vocab import as_text
from mindspore_compat.dataset.transforms._operation import TensorOperation


class Vectors:
    """A vector for each of many words. Make one with `from_file`: a word and its numbers on every line, perhaps below a
    line of two numbers.
    """

    #: Patterns of file names, with their text in messages.
    _name: tuple[str, str] | None = None

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._values = np.empty((0, 0), np.float32)

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None) -> Any:
        """Return the vectors of a file, at most ``max_vectors``; of a repeated word the first.

        Raises:
            RuntimeError: there is no such file, it is empty, or its vectors differ in length.
        """
        if cls._name is not None and not re.fullmatch(cls._name[0], os.path.basename(file_path)):
            raise RuntimeError(f"{cls.__name__}: the file should be named '{cls._name[1]}', but got: {file_path}")
        vectors = cls()
        vectors._read(file_path, max_vectors or 0)
        return vectors

    def _read(self, path: str, most: int) -> None:
        values: list[np.ndarray] = []
        dimension, count = None, 0
        try:
            with open_regular(path) as stream:
                for line in stream:
                    words = line.decode("utf-8", "surrogateescape").rstrip("\r\n").split(" ")
                    if dimension is None and len(words) == 2:
                        continue
                    vector = np.array([word for word in words[1:] if word], np.float32)
                    dimension = len(words) - 1 if dimension is None else dimension
                    if len(vector) != dimension or dimension < 2:
                        raise ValueError(
                            f"all vectors must have the same number of dimensions, more than 1, but got {len(vector)} "
                            f"after {dimension}"
                        )
                    if words[0] not in self._rows:
                        self._rows[words[0]] = len(values)
                        values.append(vector)
                    count += 1
                    if count == most:
                        break
        except (OSError, ValueError, FormatError) as error:
            raise RuntimeError(f"{type(self).__name__}: invalid file {path}: {error}.") from error
        if not values:
            raise RuntimeError(f"{type(self).__name__}: invalid file, file is empty: {path}.")
        self._values = np.stack(values)

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._values.shape[1]

    def _found(self, word: str) -> np.ndarray | None:
        row = self._rows.get(word)
        return None if row is None else self._values[row]

    def lookup(self, word: str, unknown: np.ndarray) -> np.ndarray:
        """Return the word's vector, or ``unknown``."""
        found = self._found(word)
        return unknown if found is None else found


class GloVe(Vectors):
    """Vectors of GloVe, from a file named ``glove.6B.*.txt``."""

    _name = (r"glove\.6B\.[^.]*\.txt", "glove.6B.*.txt")


class FastText(Vectors):
    """Vectors of fastText, from a file with the extension ``.vec``."""

    _name = (r".*\.vec", "*.vec")


class CharNGram(Vectors):
    """Vectors of groups of 2 to 4 characters, as ``2gram-ab``; a word's is the mean of its groups'."""

    def lookup(self, word: str, unknown: np.ndarray) -> np.ndarray:
        # groups are of bytes, as in MindSpore
        parts = [
            "#BEGIN#",
            *(bytes([byte]).decode("utf-8", "surrogateescape") for byte in word.encode("utf-8", "surrogateescape")),
            "#END#",
        ]
        groups = (
            f"{size}gram-{''.join(parts[at : at + size])}" for size in (2, 3, 4) for at in range(len(parts) - size + 1)
        )
        found = [
            vector
            for group in groups
            if (vector := self._found(group)) is not None and not np.array_equal(vector, unknown)
        ]
        return np.sum(found, 0, np.float32) / np.float32(len(found)) if found else unknown


_LOWER = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}


@arguments
class ToVectors(TensorOperation):
    """Words as vectors, float32 (words, dimension), or (dimension,) for one.

    Args:
        vectors: `Vectors`, `GloVe`, `FastText` or `CharNGram`. unk_init: what an unknown word gets, default zeros.
        lower_case_backup: look for words in lower case.
    """

    vectors: Annotated[Vectors, kind_of(Vectors)]
    unk_init: Annotated[Any, kind_of(list, tuple)] = None
    lower_case_backup: Annotated[bool, flag] = False

    def _prepare(self) -> None:
        self.unk_init = list(self.unk_init or ())

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if len(self.unk_init) not in (0, self.vectors.dimension):
            raise RuntimeError(
                f"ToVectors: unk_init must be as long as vectors, but got unk_init: {len(self.unk_init)} and vectors: "
                f"{self.vectors.dimension}"
            )
        unknown = np.array(self.unk_init or [0] * self.vectors.dimension, np.float32)
        words = [as_text(word) for word in array.ravel()]
        if self.lower_case_backup:
            words = [word.translate(_LOWER) for word in words]
        found = np.array([self.vectors.lookup(word, unknown) for word in words], np.float32).reshape(
            -1, self.vectors.dimension
        )
        return found[0] if len(found) == 1 else found
