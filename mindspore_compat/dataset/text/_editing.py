"""Operations on texts and tokens: lookup, case, normal forms, n-grams, truncation."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import (
    Annotated,
    arguments,
    flag,
    integer,
    kind_of,
    own_dtype,
    several,
    text,
)
from mindspore_compat.dataset.core.validator_helpers import check_pos_int32, type_check
from mindspore_compat.dataset.text.utils import NormalizeForm, Vocab, as_text
from mindspore_compat.dataset.transforms._operation import TensorOperation, call_user_function

__all__ = [
    "FilterWikipediaXML",
    "AddToken",
    "CaseFold",
    "Lookup",
    "Ngram",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "SlidingWindow",
    "ToNumber",
    "Truncate",
    "TruncateSequencePair",
]


def compiled(pattern: Any, name: str) -> re.Pattern[str]:
    type_check(pattern, str, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # [[:alpha:]] and && mean something else in Python
            return re.compile(pattern)
    except (re.error, FutureWarning) as error:
        raise RuntimeError(
            f"Invalid {name} {pattern!r}: {error}. The syntax is Python's: \\w, \\s or a range instead of \\p{{...}}."
        ) from error


class OnText(TensorOperation):
    """Base of operations from one text to another, element by element."""

    def _compute(self, array: np.ndarray) -> np.ndarray:
        words = f"{type(self).__name__}: input is not string datatype."
        texts = [self._convert(as_text(item, words)) for item in np.asarray(array).ravel()]
        return np.array(texts).reshape(np.shape(array)) if texts else np.asarray(array)

    def _convert(self, text: str) -> str:
        raise NotImplementedError


@arguments
class PythonTokenizer(TensorOperation):
    """Tokenizer with a user's function from a text to a list of tokens."""

    tokenizer: Annotated[Callable[[str], Any], kind_of(Callable)]

    def _inner(self) -> list[Callable]:
        return [self.tokenizer]

    def _compute(self, array: np.ndarray) -> np.ndarray:
        tokens = call_user_function(self.tokenizer, (as_text(array),), "map operation: [PythonTokenizer] failed.")
        return np.array(tokens, dtype=np.str_)


@arguments
class Lookup(TensorOperation):
    """Numbers of words in `vocab`; `unknown_token` replaces missing words, without it they raise."""

    vocab: Annotated[Vocab, kind_of(Vocab)]
    unknown_token: Annotated[str | None, text] = None
    data_type: Annotated[Any, own_dtype] = np.int32

    def _prepare(self) -> None:
        self._ids = self.vocab.vocab()
        if self.unknown_token is not None and self.unknown_token not in self._ids:
            raise RuntimeError(f"Lookup: unknown_token: [{self.unknown_token}], does not exist in vocab.")
        self._unknown = None if self.unknown_token is None else self._ids[self.unknown_token]

    def _numbers(self, words: list[str]) -> np.ndarray:
        find, unknown = self._ids.get, self._unknown
        numbers = [find(word, unknown) for word in words]
        if unknown is None and None in numbers:
            raise RuntimeError(f"Lookup: {words[numbers.index(None)]!r} is not in vocab, and no unknown_token given.")
        return np.array(numbers, self.data_type)

    def _plain(self) -> Callable[[list[str]], np.ndarray]:
        return self._numbers

    def _compute(self, array: np.ndarray) -> np.ndarray:
        words = "Lookup: input is not string datatype."
        return self._numbers([as_text(item, words) for item in np.asarray(array).ravel()]).reshape(np.shape(array))


@arguments
class Ngram(TensorOperation):
    """Runs of `n` tokens (or of each number in a list), joined; `left_pad` and `right_pad` are (token, count)."""

    _wanted = "Ngram: input is not a 1D data with string datatype."

    n: int | list[int]
    left_pad: tuple[str, int] = ("", 0)
    right_pad: tuple[str, int] = ("", 0)
    separator: Annotated[str, text] = " "

    def _prepare(self) -> None:
        self.ngrams = several(check_pos_int32, (), lambda n: (n,))(self.n, "n")
        if not self.ngrams:
            raise ValueError("n is an empty list.")
        for name, pad in (("left_pad", self.left_pad), ("right_pad", self.right_pad)):
            if not (isinstance(pad, tuple) and [*map(type, pad)] in ([str, int], [str, bool]) and pad[1] >= 0):
                raise ValueError(f"{name} must be a tuple (token, how many), but got {pad}.")

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if np.ndim(array) != 1:
            raise RuntimeError(f"{self._wanted} Got rank {np.ndim(array)}.")
        words = [as_text(item, self._wanted) for item in array]
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
            raise RuntimeError(f"SlidingWindow: only axis 0 of 1D input, but got {self.axis} of {np.ndim(array)}D.")
        if len(array) < self.width:
            return array[:0]
        return np.lib.stride_tricks.sliding_window_view(array, self.width).copy()


def _check_number_type(data_type: Any, name: str) -> np.dtype:
    found = own_dtype(data_type, name)
    if found.kind not in "iuf":
        raise TypeError(f"data_type: {data_type} is not numeric data type.")
    return found


@arguments
class ToNumber(TensorOperation):
    """Texts as numbers, parsed as in C: the int of "1.5" is 1.

    Raises: RuntimeError for what begins with no number, or one out of range.
    """

    data_type: Annotated[Any, _check_number_type]

    def _compute(self, array: np.ndarray) -> np.ndarray:
        words = "ToNumber: input should be string datatype."
        read = _read_float if self.data_type.kind == "f" else _read_int
        numbers = [read(as_text(item, words), self.data_type) for item in np.asarray(array).ravel()]
        return np.array(numbers, self.data_type).reshape(np.shape(array))


_INT = re.compile(r"[ \t-\r]*([+-]?\d+)", re.ASCII)
_FLOAT = re.compile(
    r"[ \t-\r]*([+-]?(?:0x[\da-f]+(?:\.[\da-f]*)?(?:p[+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan))",
    re.ASCII | re.IGNORECASE,
)


def _read_int(text: str, dtype: np.dtype) -> int:
    found, limits = _INT.match(text), np.iinfo(dtype)
    number = int(found[1]) if found else 0
    if not found or not limits.min <= number <= limits.max or ("-" in text and dtype.kind == "u"):
        raise RuntimeError(f"ToNumber: string input is invalid: {text!r} is no {dtype}.")
    return number


def _read_float(text: str, dtype: np.dtype) -> float:
    found, limits = _FLOAT.match(text), np.finfo(dtype)
    least = float(np.finfo(np.float64 if dtype == np.float64 else np.float32).tiny)  # float16 is read as float32
    number = (float.fromhex if "x" in found[1].lower() else float)(found[1]) if found else 0.0
    if not found or abs(number) > float(limits.max) or 0 < abs(number) < least:
        raise RuntimeError(f"ToNumber: string input is invalid: {text!r} is no {dtype}.")
    return number


@arguments
class Truncate(TensorOperation):
    """The first `max_seq_len` tokens (of each row)."""

    max_seq_len: Annotated[int, check_pos_int32]

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if array.ndim not in (1, 2):
            raise RuntimeError("Truncate: the input tensor should be of dimension 1 or 2.")
        return array[..., : self.max_seq_len]


@arguments
class TruncateSequencePair(TensorOperation):
    """Two sequences cut, the longer first, until they have `max_length` together."""

    is_multi_column = True

    max_length: Annotated[int, integer(0)]

    def _compute(self, *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if any(np.ndim(array) != 1 for array in arrays):
            raise RuntimeError(f"TruncateSequencePair: the ranks should be 1, but got {[*map(np.shape, arrays)]}.")
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
        if np.asarray(array).dtype.kind not in "US":
            raise RuntimeError("AddToken: input tensor type should be string.")
        token = np.full((*np.shape(array)[:-1], 1), self.token)
        return np.concatenate([token, array] if self.begin else [array, token], -1)


# Unicode's Default_Ignorable_Code_Point
_IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def case_folded(text: str) -> str:
    """Return Unicode's NFKC_Casefold: without case, and without invisible characters."""
    for _ in range(2):  # ™ becomes TM, then tm
        text = unicodedata.normalize("NFKC", _IGNORED.sub("", text).casefold())
    return text


class CaseFold(OnText):
    """Text without the difference of upper and lower case."""

    def _convert(self, text: str) -> str:
        return case_folded(text)


@arguments
class NormalizeUTF8(OnText):
    """Text in a Unicode normal form."""

    normalize_form: Annotated[NormalizeForm, kind_of(NormalizeForm)] = NormalizeForm.NFKC

    def _convert(self, text: str) -> str:
        return normalized(text, self.normalize_form)


_MARKS = re.compile(
    r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<letter>.?))|\$(?:\{(?P<name>\w+)\}|(?P<number>[0-9]+)|(?P<none>))", re.DOTALL
)


@arguments
class RegexReplace(OnText):
    """Matches of a pattern replaced, all or the first."""

    pattern: Annotated[Any, compiled]
    replace: Annotated[str, text]
    replace_all: Annotated[bool, flag] = True

    def _convert(self, text: str) -> str:
        return self.pattern.sub(self._filled, text, count=0 if self.replace_all else 1)

    def _filled(self, match: re.Match[str]) -> str:
        """Return the replacement: ``$1`` and ``${name}`` are groups, and a backslash escapes the next letter."""
        return _MARKS.sub(lambda mark: self._meant(mark, match), self.replace)

    def _meant(self, mark: re.Match[str], match: re.Match[str]) -> str:
        kind, told = mark.lastgroup, mark[mark.lastgroup or 0]
        if kind == "code":
            return chr(int(told, 16))
        if kind == "letter":
            return told
        if kind == "name" and told in match.re.groupindex:
            return match[told] or ""
        if kind == "number":
            for length in range(len(told), 0, -1):  # at most as many digits as groups
                if int(told[:length]) <= match.re.groups:
                    return (match[int(told[:length])] or "") + told[length:]
        raise RuntimeError(f"RegexReplace: the pattern has no group {mark[0]!r}. Write \\$ for the sign itself.")


def normalized(text: str, form: NormalizeForm) -> str:
    return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)  # type: ignore[arg-type]


_DIGITS = "zero one two three four five six seven eight nine".split()


class FilterWikipediaXML(OnText):
    """Plain lower-case words of a line of Wikipedia's XML: without marks, digits spelled out; "" for a redirection.

    The order is MindSpore's: entities are removed first, then all from the first ``<`` of a line to its last ``>``.
    """

    def _convert(self, text: str) -> str:
        if "#redirect" in text or "#REDIRECT" in text:
            return ""
        text = re.sub(r"&[^;]*;", " ", text).strip()
        text = re.sub(r"[0-9]", lambda match: f" {_DIGITS[int(match[0])]} ", text)
        text = re.sub(r"<[^>]*>", "", re.sub(r"<.*>", "", text))
        text = re.sub(
            r"[^a-z\n]+", " ", "".join(letter.lower() if "A" <= letter <= "Z" else letter for letter in text)
        ).strip()
        return re.sub(r"\s+", " ", text.replace("\n ", "")).strip()
