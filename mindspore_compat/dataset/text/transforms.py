"""Tokenizers and other operations on texts. Upstream: ``mindspore.dataset.text.transforms``.
Tokenizers take one text and give an array of tokens; ``with_offsets`` adds the byte where each starts and ends in UTF-8
(uint32).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, dtype_like, flag, kind_of, text
from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.core.validator_helpers import check_pos_int32, type_check
from mindspore_compat.dataset.text.utils import NormalizeForm, Vocab, as_text
from mindspore_compat.dataset.transforms._operation import TensorOperation, call_user_function

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "Lookup",
    "Ngram",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SlidingWindow",
    "ToNumber",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
]

_UNUSED = re.compile(r"(\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]|\[unused\d+\])")
_MOST_WORDS = 1 << 16
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_ASCII_SYMBOLS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
#: for texts of ASCII alone, as most are: what `_cleaned` and `_basic_spans` do
_CONTROLS = dict.fromkeys((*range(32), 127), " ")
_ASCII_WORDS = re.compile(f"[A-Za-z0-9]+|[{re.escape(''.join(sorted(_ASCII_SYMBOLS)))}]")
_ASCII_PARTS = re.compile(f"{_ASCII_WORDS.pattern}| +")


def _check_vocab(vocab: Any, name: str) -> Vocab:
    if not isinstance(vocab, Vocab):
        raise TypeError(f"Argument vocab with value {vocab!r} is not of type [text.Vocab], but got {type(vocab)}.")
    return vocab


def _compiled(pattern: Any, name: str) -> re.Pattern[str]:
    type_check(pattern, str, name)
    try:
        return re.compile(pattern)
    except re.error as error:
        raise RuntimeError(
            f"Invalid {name} {pattern!r}: {error}. The syntax is Python's: \\w, \\s or a range instead of \\p{{...}}."
        ) from error


class _OnText(TensorOperation):
    """One text to another, element by element."""

    def _compute(self, array: np.ndarray) -> np.ndarray:
        texts = [self._convert(as_text(item)) for item in np.asarray(array).ravel()]
        return np.array(texts).reshape(np.shape(array)) if texts else np.asarray(array)

    def _convert(self, text: str) -> str:
        raise NotImplementedError


class _Tokenizer(TensorOperation):
    """A subclass gives the (start, end) of each token, in characters of the text that `_prepared` returns."""

    with_offsets: bool

    def _prepared(self, text: str) -> str:
        return text

    def _spans(self, text: str) -> Iterable[tuple[int, int]]:
        raise NotImplementedError

    def _tokens(self, text: str) -> list[str]:
        """The tokens alone; one empty one where there is none."""
        text = self._prepared(text)
        return [text[start:end] for start, end in self._spans(text)] or [""]

    def _plain(self) -> Callable[[str], list[str]] | None:
        return None if self.with_offsets else self._tokens

    def _compute(self, array: np.ndarray) -> Any:
        if np.ndim(array):
            raise RuntimeError(
                f"{type(self).__name__}: the input shape should be scalar, but got rank {np.ndim(array)}."
            )
        if not self.with_offsets:
            return np.array(self._tokens(as_text(array)))
        text = self._prepared(as_text(array))
        spans = list(self._spans(text)) or [(0, 0)]
        tokens = np.array([text[start:end] for start, end in spans])
        starts, ends = zip(*((len(text[:start].encode()), len(text[:end].encode())) for start, end in spans))
        return tokens, np.array(starts, np.uint32), np.array(ends, np.uint32)


@arguments
class UnicodeCharTokenizer(_Tokenizer):
    """Every character."""

    with_offsets: Annotated[bool, flag] = False

    def _spans(self, text: str) -> Iterable[tuple[int, int]]:
        return ((at, at + 1) for at in range(len(text)))


@arguments
class WhitespaceTokenizer(_Tokenizer):
    """What stands between white space."""

    with_offsets: Annotated[bool, flag] = False

    def _tokens(self, text: str) -> list[str]:
        return text.split() or [""]

    def _spans(self, text: str) -> Iterable[tuple[int, int]]:
        return (match.span() for match in re.finditer(r"\S+", text))


@arguments
class RegexTokenizer(_Tokenizer):
    """What stands between matches of `delim_pattern`, and those matches that `keep_delim_pattern` matches too."""

    delim_pattern: Annotated[Any, _compiled]
    keep_delim_pattern: Annotated[Any, _compiled] = ""
    with_offsets: Annotated[bool, flag] = False

    def _spans(self, text: str) -> Iterable[tuple[int, int]]:
        last = 0
        for match in self.delim_pattern.finditer(text):
            start, end = match.span()
            if start == end:
                continue
            if start > last:
                yield last, start
            if self.keep_delim_pattern.pattern and self.keep_delim_pattern.fullmatch(match.group()):
                yield start, end
            last = end
        if last < len(text):
            yield last, len(text)


@arguments
class BasicTokenizer(_Tokenizer):
    """Words, single punctuation marks and single Chinese characters, as BERT's basic tokenizer.

    Args:
        lower_case: fold the case and take accents off.
        keep_whitespace: white space makes tokens.
        normalization_form: used without `lower_case`.
        preserve_unused_token: keep [CLS], [SEP], [UNK], [PAD], [MASK] and [unusedN] whole.
    """

    lower_case: Annotated[bool, flag] = False
    keep_whitespace: Annotated[bool, flag] = False
    normalization_form: Annotated[NormalizeForm, kind_of(NormalizeForm)] = NormalizeForm.NONE
    preserve_unused_token: Annotated[bool, flag] = True
    with_offsets: Annotated[bool, flag] = False

    def _tokens(self, text: str) -> list[str]:
        if not text.isascii() or "[" in text:
            return super()._tokens(text)
        text = (text.lower() if self.lower_case else text).translate(_CONTROLS)
        return (_ASCII_PARTS.findall(text) if self.keep_whitespace else _ASCII_WORDS.findall(text)) or [""]

    def _prepared(self, text: str) -> str:
        parts = _UNUSED.split(text) if self.preserve_unused_token else [text]
        return "".join(part if number % 2 else self._cleaned(part) for number, part in enumerate(parts))

    def _cleaned(self, text: str) -> str:
        if self.lower_case:
            text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text.casefold()))
            text = "".join(letter for letter in text if unicodedata.category(letter) != "Mn")
        else:
            text = _normalized(text, self.normalization_form)
        return "".join(" " if unicodedata.category(letter) in ("Cc", "Cf") else letter for letter in text)

    def _spans(self, text: str) -> Iterable[tuple[int, int]]:
        whole = {match.start(): match.end() for match in _UNUSED.finditer(text)} if self.preserve_unused_token else {}
        return _basic_spans(text, whole, self.keep_whitespace)


def _basic_spans(text: str, whole: dict[int, int], keep_whitespace: bool) -> Iterator[tuple[int, int]]:
    word = at = 0
    while at < len(text):
        end = whole.get(at, at + 1)
        is_space = text[at].isspace()
        if end > at + 1 or is_space or _stands_alone(text[at]):
            if word < at:
                yield word, at
            while is_space and end < len(text) and text[end].isspace():
                end += 1
            if not is_space or keep_whitespace:
                yield at, end
            word = end
        at = end
    if word < len(text):
        yield word, len(text)


def _stands_alone(letter: str) -> bool:
    return (
        letter in _ASCII_SYMBOLS
        or unicodedata.category(letter)[0] == "P"
        or any(low <= ord(letter) <= high for low, high in _CJK)
    )


class _Pieces:
    """Greedy longest-first pieces of words, as WordPiece."""

    def __init__(self, vocab: Vocab, suffix_indicator: str, max_bytes_per_token: int, unknown_token: str) -> None:
        self._ids, self._suffix = vocab.vocab(), suffix_indicator
        self._longest, self._unknown = max_bytes_per_token, unknown_token
        self._known: dict[str, list[str]] = {}

    def names(self, word: str) -> list[str]:
        """The pieces alone; those of words that came before are remembered."""
        found = self._known.get(word)
        if found is None:
            found = [piece for piece, _, _ in self.of(word, 0)]
            if len(self._known) < _MOST_WORDS:
                self._known[word] = found
        return found

    def of(self, word: str, offset: int) -> list[tuple[str, int, int]]:
        """(piece, first byte, last byte + 1)."""
        length = len(word.encode())
        unknown = [(self._unknown or word, offset, offset + length)]
        if length > self._longest:
            return unknown
        found, start = [], 0
        while start < len(word):
            end = len(word)
            while end > start and (self._suffix if start else "") + word[start:end] not in self._ids:
                end -= 1
            if end == start:
                return unknown
            before = offset + len(word[:start].encode())
            found.append(
                ((self._suffix if start else "") + word[start:end], before, before + len(word[start:end].encode()))
            )
            start = end
        return found or [("", offset, offset)]


@arguments
class WordpieceTokenizer(TensorOperation):
    """Pieces of words that stand in `vocab`; a word that cannot be made of them is `unknown_token` (itself if that is
    "").
    """

    vocab: Annotated[Vocab, _check_vocab]
    suffix_indicator: Annotated[str, text] = "##"
    max_bytes_per_token: Annotated[int, check_pos_int32] = 100
    unknown_token: Annotated[str, text] = "[UNK]"
    with_offsets: Annotated[bool, flag] = False

    def _prepare(self) -> None:
        self._pieces = _Pieces(self.vocab, self.suffix_indicator, self.max_bytes_per_token, self.unknown_token)

    def _compute(self, array: np.ndarray) -> Any:
        found = [piece for word in np.asarray(array).ravel() for piece in self._pieces.of(as_text(word), 0)]
        return _with_offsets(found, self.with_offsets)


@arguments
class BertTokenizer(TensorOperation):
    """`BasicTokenizer`, then `WordpieceTokenizer`."""

    vocab: Annotated[Vocab, _check_vocab]
    suffix_indicator: Annotated[str, text] = "##"
    max_bytes_per_token: Annotated[int, check_pos_int32] = 100
    unknown_token: Annotated[str, text] = "[UNK]"
    lower_case: bool = False
    keep_whitespace: bool = False
    normalization_form: NormalizeForm = NormalizeForm.NONE
    preserve_unused_token: bool = True
    with_offsets: Annotated[bool, flag] = False

    def _prepare(self) -> None:
        self._pieces = _Pieces(self.vocab, self.suffix_indicator, self.max_bytes_per_token, self.unknown_token)
        options = (self.lower_case, self.keep_whitespace, self.normalization_form, self.preserve_unused_token)
        self._basic = BasicTokenizer(*options, True)

    def _tokens(self, text: str) -> list[str]:
        names = self._pieces.names
        return [piece for word in self._basic._tokens(text) for piece in names(word)] or [""]

    def _plain(self) -> Callable[[str], list[str]] | None:
        return None if self.with_offsets else self._tokens

    def _compute(self, array: np.ndarray) -> Any:
        if not self.with_offsets and not np.ndim(array):
            return np.array(self._tokens(as_text(array)))
        words, starts, _ = self._basic._compute(array)
        return _with_offsets(
            [piece for word, start in zip(words, starts) for piece in self._pieces.of(str(word), int(start))],
            self.with_offsets,
        )


def _with_offsets(found: list[tuple[str, int, int]], with_offsets: bool) -> Any:
    tokens, starts, ends = zip(*(found or [("", 0, 0)]))
    return (
        (np.array(tokens), np.array(starts, np.uint32), np.array(ends, np.uint32)) if with_offsets else np.array(tokens)
    )


def _check_callable(value: Any, name: str) -> Any:
    if not callable(value):
        raise TypeError(f"Argument {name} with value {value!r} is not callable.")
    return value


@arguments
class PythonTokenizer(TensorOperation):
    """A user's function from a text to a list of tokens."""

    tokenizer: Annotated[Callable[[str], Any], _check_callable]

    def _inner(self) -> list[Callable]:
        return [self.tokenizer]

    def _compute(self, array: np.ndarray) -> np.ndarray:
        tokens = call_user_function(self.tokenizer, (as_text(array),), "map operation: [PythonTokenizer] failed.")
        return np.array(tokens if len(tokens) else [""], dtype=np.str_)


@arguments
class Lookup(TensorOperation):
    """Numbers of words in `vocab`; `unknown_token` stands for those that are not there, else they are an error."""

    vocab: Annotated[Vocab, _check_vocab]
    unknown_token: Annotated[str | None, text] = None
    data_type: Annotated[Any, dtype_like] = np.int32

    def _prepare(self) -> None:
        self._ids = self.vocab.vocab()
        if self.unknown_token is not None and self.unknown_token not in self._ids:
            raise RuntimeError(f"Lookup: unknown_token: [{self.unknown_token}], does not exist in vocab.")
        self._unknown = None if self.unknown_token is None else self._ids[self.unknown_token]

    def _numbers(self, words: list[str]) -> np.ndarray:
        find, unknown = self._ids.get, self._unknown
        numbers = [find(word, unknown) for word in words]
        if unknown is None and None in numbers:
            raise RuntimeError(
                f'Lookup: word: "{words[numbers.index(None)]}" doesn\'t exist in vocab and no unknown token is '
                "specified."
            )
        return np.array(numbers, self.data_type)

    def _plain(self) -> Callable[[list[str]], np.ndarray]:
        return self._numbers

    def _compute(self, array: np.ndarray) -> np.ndarray:
        return self._numbers([as_text(item) for item in np.asarray(array).ravel()]).reshape(np.shape(array))


@arguments
class Ngram(TensorOperation):
    """Runs of `n` tokens (or of each number in a list), joined; `left_pad` and `right_pad` are (token, how many)."""

    n: int | list[int]
    left_pad: tuple[str, int] = ("", 0)
    right_pad: tuple[str, int] = ("", 0)
    separator: Annotated[str, text] = " "

    def _prepare(self) -> None:
        self.ngrams = [self.n] if isinstance(self.n, int) else list(self.n)
        if not self.ngrams or not all(isinstance(number, int) and number > 0 for number in self.ngrams):
            raise ValueError(f"n needs to be a non-empty list of positive integers, but got {self.n}.")
        for name, (token, count) in (("left_pad", self.left_pad), ("right_pad", self.right_pad)):
            type_check(token, str, name)
            type_check(count, int, name)
            if count < 0:
                raise ValueError(f"{name} needs to be positive numbers, but got {count}.")

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if np.ndim(array) != 1:
            raise RuntimeError(f"Ngram: the input shape should be of rank 1, but got {np.ndim(array)}.")
        words = [as_text(item) for item in array]
        found: list[str] = []
        for number in self.ngrams:
            left, right = (min(pad[1], number - 1) for pad in (self.left_pad, self.right_pad))
            padded = [self.left_pad[0]] * left + words + [self.right_pad[0]] * right
            runs = [self.separator.join(padded[at : at + number]) for at in range(len(padded) - number + 1)]
            found += runs or [""]
        return np.array(found)


@arguments
class SlidingWindow(TensorOperation):
    """All runs of `width` along an axis."""

    width: Annotated[int, check_pos_int32]
    axis: Annotated[int, kind_of(int)] = 0

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if np.ndim(array) != 1 or self.axis not in (0, -1):
            raise RuntimeError(
                f"SlidingWindow: only 1D input and axis 0 are supported, but got rank {np.ndim(array)}, axis "
                f"{self.axis}."
            )
        if len(array) < self.width:
            return array[:0].reshape(0, self.width)
        return np.lib.stride_tricks.sliding_window_view(array, self.width).copy()


def _check_number_type(data_type: Any, name: str) -> np.dtype:
    found = numpy_dtype(data_type)
    if found.kind not in "iuf":
        raise TypeError(f"data_type: {data_type} is not numeric data type.")
    return found


@arguments
class ToNumber(TensorOperation):
    """Texts as numbers. Raises: RuntimeError for what is no number or out of range."""

    data_type: Annotated[Any, _check_number_type]

    def _compute(self, array: np.ndarray) -> np.ndarray:
        read: Callable[[str], Any] = float if self.data_type.kind == "f" else int
        try:
            numbers = [read(as_text(item)) for item in np.asarray(array).ravel()]
            if self.data_type.kind != "f":
                limits = np.iinfo(self.data_type)
                if any(not limits.min <= number <= limits.max for number in numbers):
                    raise ValueError(f"out of the range of {self.data_type}")
        except ValueError as error:
            raise RuntimeError(f"ToNumber: string input is invalid: {error}.") from error
        return np.array(numbers, self.data_type).reshape(np.shape(array))


def _check_not_negative(value: Any, name: str) -> int:
    type_check(value, int, name)
    if value < 0:
        raise ValueError(f"{name} must be not less than 0, but got {value}.")
    return value


@arguments
class Truncate(TensorOperation):
    """The first `max_seq_len` tokens (of each row)."""

    max_seq_len: Annotated[int, _check_not_negative]

    def _compute(self, array: np.ndarray) -> np.ndarray:
        return array[..., : self.max_seq_len]


@arguments
class TruncateSequencePair(TensorOperation):
    """Two sequences cut, the longer first, until they have `max_length` together."""

    is_multi_column = True

    max_length: Annotated[int, _check_not_negative]

    def _compute(self, *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if len(arrays) != 2 or any(np.ndim(array) != 1 for array in arrays):
            raise RuntimeError(
                "TruncateSequencePair: the input number and ranks should be 2 and 1, but got shapes "
                f"{[np.shape(a) for a in arrays]}."
            )
        one, other = map(len, arrays)
        while one + other > self.max_length:
            if one > other:
                one -= 1
            else:
                other -= 1
        return arrays[0][:one], arrays[1][:other]


@arguments
class AddToken(TensorOperation):
    """A token in front of a sequence or behind it (of each row)."""

    token: Annotated[str, text]
    begin: Annotated[bool, flag] = True

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if np.ndim(array) not in (1, 2):
            raise RuntimeError(f"AddToken: the input shape should be 1D or 2D, but got rank {np.ndim(array)}.")
        token = np.full((*np.shape(array)[:-1], 1), self.token)
        return np.concatenate([token, array] if self.begin else [array, token], -1)


class CaseFold(_OnText):
    """Without the difference of upper and lower case."""

    def _convert(self, text: str) -> str:
        return unicodedata.normalize("NFKC", text.casefold())


@arguments
class NormalizeUTF8(_OnText):
    """In a Unicode normal form."""

    normalize_form: Annotated[NormalizeForm, kind_of(NormalizeForm)] = NormalizeForm.NFKC

    def _convert(self, text: str) -> str:
        return _normalized(text, self.normalize_form)


@arguments
class RegexReplace(_OnText):
    """Matches of a pattern replaced, all or the first."""

    pattern: Annotated[Any, _compiled]
    replace: Annotated[str, text]
    replace_all: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        self.replace = re.sub(r"\$(\d+)", r"\\\1", self.replace)

    def _convert(self, text: str) -> str:
        return self.pattern.sub(self.replace, text, count=0 if self.replace_all else 1)


def _normalized(text: str, form: NormalizeForm) -> str:
    return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)  # type: ignore[arg-type]
