"""Vocabularies, word vectors, SentencePiece's models (by the library ``sentencepiece``), and other helpers of the
operations. MindSpore: ``mindspore.dataset.text.utils``.
"""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cached_property
from operator import index
from typing import Any

import numpy as np

from mindspore_compat._format.source import open_regular, read_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, kind_of
from mindspore_compat.dataset.core.validator_helpers import check_file, check_positive, type_check, type_check_list
from mindspore_compat.dataset.transforms._operation import TensorOperation

__all__ = [
    "CharNGram",
    "FastText",
    "GloVe",
    "JiebaMode",
    "NormalizeForm",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
    "SentencePieceVocab",
    "Vectors",
    "Vocab",
    "as_text",
    "to_bytes",
    "to_str",
]


class JiebaMode(IntEnum):
    """Method of word search: MP by the dictionary, HMM by the model, MIX by the dictionary and then the model."""

    MIX = 0
    MP = 1
    HMM = 2


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


class SentencePieceModel(IntEnum):
    """Algorithm of a SentencePiece model."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerLoadType(IntEnum):
    """Source of a tokenizer's model."""

    FILE = 0
    MODEL = 1


class SPieceTokenizerOutType(IntEnum):
    """Output of `SentencePieceTokenizer`: pieces or their numbers."""

    STRING = 0
    INT = 1


def _library() -> Any:
    try:
        import sentencepiece
    except ImportError as error:
        raise ImportError("SentencePiece's models need its library: pip install sentencepiece.") from error
    return sentencepiece


class SentencePieceVocab:
    """A SentencePiece model. Make one with `from_dataset` or `from_file`."""

    def __init__(self) -> None:
        self._model = b""

    @classmethod
    def from_dataset(
        cls,
        dataset: Any,
        col_names: list[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: dict[str, str],
    ) -> SentencePieceVocab:
        """Train on the texts of a dataset's columns (default all).

        Args:
            character_coverage: part of the characters that the model covers, 0.9995 for many letters and 1.0 for few.
            params: other options of SentencePiece, as texts.
        Raises:
            KeyError: there is no such column. RuntimeError: it has no texts, or SentencePiece refuses.
        """
        names = [col_names] if isinstance(col_names, str) else list(col_names or dataset.get_col_names())

        def texts() -> Iterator[str]:
            for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
                for name in names:
                    yield from map(as_text, row[name].ravel())

        return cls._trained(params, vocab_size, character_coverage, model_type, sentence_iterator=texts())

    @classmethod
    def from_file(
        cls,
        file_path: list[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: dict[str, str],
    ) -> SentencePieceVocab:
        """Train on files of texts. Raises: RuntimeError if SentencePiece raises, such as for a missing file."""
        return cls._trained(params, vocab_size, character_coverage, model_type, input=",".join(file_path))

    @classmethod
    def _trained(
        cls,
        params: dict[str, str] | None,
        vocab_size: int,
        coverage: float,
        model_type: SentencePieceModel,
        **source: Any,
    ) -> SentencePieceVocab:
        own = ("input", "vocab_size", "model_prefix", "character_coverage", "model_type", "minloglevel")
        options = {key: value for key, value in (params or {}).items() if key not in own}
        model = io.BytesIO()
        try:
            _library().SentencePieceTrainer.train(
                **source,
                model_writer=model,
                vocab_size=vocab_size,
                character_coverage=coverage,
                model_type=SentencePieceModel(model_type).name.lower(),
                minloglevel=2,
                **options,
            )
        except (RuntimeError, OSError, ValueError) as error:
            raise RuntimeError(f"SentencePieceVocab: {error}") from error
        vocab = cls()
        vocab._model = model.getvalue()
        return vocab

    @classmethod
    def save_model(cls, vocab: SentencePieceVocab, path: str, filename: str) -> None:
        """Write the model into a folder, for `SentencePieceTokenizer` or SentencePiece itself. Raises: OSError for a
        missing folder.
        """
        write_atomically(os.path.join(path, filename), [vocab._model])


@arguments
class SentencePieceTokenizer(TensorOperation):
    """A text in pieces.

    Args:
        mode: a `SentencePieceVocab`, or the file of a model. out_type: `SPieceTokenizerOutType`.
    """

    mode: Annotated[str | SentencePieceVocab, kind_of(str, SentencePieceVocab)]
    out_type: Annotated[SPieceTokenizerOutType, kind_of(SPieceTokenizerOutType)]

    @cached_property
    def _processor(self) -> Any:
        processor = _library().SentencePieceProcessor()
        try:
            processor.LoadFromSerializedProto(
                self.mode._model if isinstance(self.mode, SentencePieceVocab) else read_regular(self.mode)
            )
        except (RuntimeError, OSError, FormatError) as error:
            raise RuntimeError(f"SentencePieceTokenizer: load vocab model file failed: {error}.") from error
        return processor

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if np.ndim(array):
            raise RuntimeError(f"SentencePieceTokenizer: the input should be scalar, but got rank {np.ndim(array)}.")
        text = as_text(array)
        if self.out_type == SPieceTokenizerOutType.INT:
            return np.array(self._processor.encode(text), np.int32)
        return np.array(self._processor.encode(text, out_type=str), np.str_)
