"""Tokenizers: one text to an array of tokens; ``with_offsets`` adds the start and end of each, in bytes (uint32).

Chinese words are the most probable path through a dictionary, and a hidden Markov model for unknown words. MindSpore
uses cppjieba for both; this is its arithmetic on the same files, so the library jieba is not needed.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from mindspore_compat._format.source import read_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of, text, with_default
from mindspore_compat.dataset.core.validator_helpers import UINT32_MAX, check_value
from mindspore_compat.dataset.text._editing import case_folded, compiled, normalized
from mindspore_compat.dataset.text._scripts import script_of
from mindspore_compat.dataset.text.utils import JiebaMode, NormalizeForm, Vocab, as_text
from mindspore_compat.dataset.transforms._operation import TensorOperation

__all__ = [
    "BasicTokenizer",
    "BertTokenizer",
    "JiebaTokenizer",
    "RegexTokenizer",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
]

_NEVER = -3.14e100
_SEPARATORS = " \t\n，。"
_LONGEST = 512
#: States of a character: begins, ends, is inside of, or is a word.
_BEGIN, _END, _MIDDLE, _SINGLE = range(4)


class _Dictionary:
    """Words with the logarithm of their frequency."""

    def __init__(self, path: str) -> None:
        rows = [parts for line in _lines(path) if len(parts := line.split(" ")) == 3]
        try:
            counts = {word: float(count) for word, count, _ in rows}
            self._total = sum(counts.values())
            self.weights = {word: math.log(count / self._total) for word, count in counts.items()}
        except ValueError as error:
            raise RuntimeError(f"JiebaTokenizer: {path} should have word, count and tag a line: {error}.") from error
        if not self.weights:
            raise RuntimeError(f"JiebaTokenizer: {path} should have word, frequency and tag a line, but has none.")
        ordered = sorted(self.weights.values())
        self.least, self._median = ordered[0], ordered[len(ordered) // 2]
        self.single_of_user: set[str] = set()
        self._starts = {word[:length] for word in self.weights for length in range(2, len(word))}

    def add(self, word: str, count: int) -> None:
        self.weights[word] = math.log(count / self._total) if count else self._median
        self._starts.update(word[:length] for length in range(2, len(word)))
        if len(word) == 1:
            self.single_of_user.add(word)

    def cut(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of the words on the most probable path."""
        best = [0.0] * (len(text) + 1)
        ends = [0] * len(text)
        for start in range(len(text) - 1, -1, -1):
            best[start] = -math.inf
            for end in self._ends(text, start):
                weight = best[end] + self.weights.get(text[start:end], self.least)
                if weight > best[start]:
                    best[start], ends[start] = weight, end
        start = 0
        while start < len(text):
            yield start, ends[start]
            start = ends[start]

    def _ends(self, text: str, start: int) -> Iterator[int]:
        yield start + 1
        for end in range(start + 2, min(len(text), start + _LONGEST) + 1):
            part = text[start:end]
            if part in self.weights:
                yield end
            if part not in self._starts:
                return


class _Model:
    """A hidden Markov model of four states, from a file: chances to start, chances to pass, and those of characters, as
    logarithms.
    """

    def __init__(self, path: str) -> None:
        lines = [line for line in _lines(path) if line.strip() and not line.startswith("#")]
        try:
            self._start, *self._pass = ([float(word) for word in line.split()] for line in lines[:5])
            self._chances = [
                {part[0]: float(part[2:]) for part in re.findall(r"(?:^|,)(.:[^,]+)", line)} for line in lines[5:9]
            ]
            if [len(row) for row in (self._start, *self._pass)] != [4] * 5 or len(self._chances) != 4:
                raise ValueError("four states expected")
        except (ValueError, IndexError) as error:
            raise RuntimeError(f"JiebaTokenizer: {path} is no model of four states: {error}.") from error

    def cut(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of the words: letters and digits by their kind, all else by the model."""
        for match in re.finditer(r"([^\x00-\x7f]+)|[a-zA-Z][a-zA-Z0-9]*|[0-9][0-9.]*|[\x00-\x7f]", text):
            if match[1]:
                yield from ((match.start() + start, match.start() + end) for start, end in self._by_states(match[1]))
            else:
                yield match.span()

    def _by_states(self, text: str) -> Iterator[tuple[int, int]]:
        weights = [self._start[state] + self._chances[state].get(text[0], _NEVER) for state in range(4)]
        paths: list[list[int]] = []
        for character in text[1:]:
            before, weights, path = weights, [_NEVER] * 4, [_END] * 4
            for state in range(4):
                chance = self._chances[state].get(character, _NEVER)
                for last in range(4):
                    weight = before[last] + self._pass[last][state] + chance
                    if weight > weights[state]:
                        weights[state], path[state] = weight, last
            paths.append(path)
        states = [_END if weights[_END] >= weights[_SINGLE] else _SINGLE]
        for path in reversed(paths):
            states.append(path[states[-1]])
        start = 0
        for place, state in enumerate(reversed(states)):
            if state in (_END, _SINGLE):
                yield start, place + 1
                start = place + 1


def _lines(path: str) -> list[str]:
    try:
        return read_regular(path).decode("utf-8").splitlines()
    except (OSError, FormatError, UnicodeDecodeError) as error:
        raise RuntimeError(f"JiebaTokenizer: failed to read {path}: {error}.") from error


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


#: fast path of `_cleaned` and `_basic_spans` for ASCII texts, the most frequent ones
_CONTROLS = dict.fromkeys((*range(32), 127), " ")


_ASCII_WORDS = re.compile(f"[A-Za-z0-9]+|[{re.escape(''.join(sorted(_ASCII_SYMBOLS)))}]")


_ASCII_PARTS = re.compile(f"{_ASCII_WORDS.pattern}| +")


class Tokenizer(TensorOperation):
    """Base of tokenizers. A subclass gives the (start, end) of each token, in characters of `_prepared`'s text."""

    with_offsets: bool

    def _wanted(self, rank: int) -> str:
        """Return MindSpore's message for an input of that rank that is no single text."""
        return f"{type(self).__name__}Op: the input shape should be scalar and the input datatype should be string."

    def _prepared(self, text: str) -> str:
        return text

    def _spans(self, text: str) -> Iterable[tuple[int, int]]:
        raise NotImplementedError

    def _tokens(self, text: str) -> list[str]:
        """Return the tokens alone; one empty token if there is none."""
        text = self._prepared(text)
        return [text[start:end] for start, end in self._spans(text)] or [""]

    def _plain(self) -> Callable[[str], list[str]] | None:
        return None if self.with_offsets else self._tokens

    def _compute(self, array: np.ndarray) -> Any:
        if np.ndim(array):
            raise RuntimeError(self._wanted(np.ndim(array)))
        given = as_text(array, self._wanted(0))
        if not self.with_offsets:
            return np.array(self._tokens(given))
        text = self._prepared(given)
        spans = list(self._spans(text)) or [(0, 0)]
        tokens = np.array([text[start:end] for start, end in spans])
        starts, ends = zip(*((len(text[:start].encode()), len(text[:end].encode())) for start, end in spans))
        return tokens, np.array(starts, np.uint32), np.array(ends, np.uint32)


@arguments
class UnicodeCharTokenizer(Tokenizer):
    """Every character."""

    with_offsets: Annotated[bool, flag] = False

    def _spans(self, text: str) -> Iterable[tuple[int, int]]:
        return ((at, at + 1) for at in range(len(text)))


@arguments
class WhitespaceTokenizer(Tokenizer):
    """Words between white space."""

    with_offsets: Annotated[bool, flag] = False

    def _tokens(self, text: str) -> list[str]:
        return text.split() or [""]

    def _spans(self, text: str) -> Iterable[tuple[int, int]]:
        return (match.span() for match in re.finditer(r"\S+", text))


@arguments
class RegexTokenizer(Tokenizer):
    """Tokens between matches of `delim_pattern`, and those matches that `keep_delim_pattern` matches too."""

    delim_pattern: Annotated[Any, compiled]
    keep_delim_pattern: Annotated[Any, compiled] = ""
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
class BasicTokenizer(Tokenizer):
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

    def _wanted(self, rank: int) -> str:
        what = f"a scalar, but got a tensor with rank: {rank}" if rank else "of type string."
        return f"BasicTokenizer: the input should be {what}"

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
            text = unicodedata.normalize("NFD", case_folded(text))
            text = "".join(letter for letter in text if unicodedata.category(letter) != "Mn")
        else:
            text = normalized(text, self.normalization_form)
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
        """Return the pieces alone; those of earlier words are cached."""
        found = self._known.get(word)
        if found is None:
            found = [piece for piece, _, _ in self.of(word, 0)]
            if len(self._known) < _MOST_WORDS:
                self._known[word] = found
        return found

    def of(self, word: str, offset: int) -> list[tuple[str, int, int]]:
        """Return (piece, first byte, last byte + 1)."""
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
    """Pieces of words from `vocab`; a word without such pieces becomes `unknown_token` (itself if that is "")."""

    _of_one = "WordpieceTokenizer: The input shape should be 1D scalar the input datatype should be string."

    vocab: Annotated[Vocab, kind_of(Vocab)]
    suffix_indicator: Annotated[str, text] = "##"
    max_bytes_per_token: Annotated[int, integer(0, UINT32_MAX)] = 100
    unknown_token: Annotated[str, text] = "[UNK]"
    with_offsets: Annotated[bool, flag] = False

    def _prepare(self) -> None:
        self._pieces = _Pieces(self.vocab, self.suffix_indicator, self.max_bytes_per_token, self.unknown_token)

    def _compute(self, array: np.ndarray) -> Any:
        words = [as_text(word, self._of_one) for word in np.asarray(array).ravel()]
        words = list(filter(None, words)) or words[:1]  # MindSpore drops empty tokens beside others
        return _with_offsets([piece for word in words for piece in self._pieces.of(word, 0)], self.with_offsets)


@arguments
class BertTokenizer(TensorOperation):
    """`BasicTokenizer`, then `WordpieceTokenizer`."""

    vocab: Annotated[Vocab, kind_of(Vocab)]
    suffix_indicator: Annotated[str, text] = "##"
    max_bytes_per_token: Annotated[int, integer(0, UINT32_MAX)] = 100
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


@arguments
class UnicodeScriptTokenizer(Tokenizer):
    """Runs of characters of one script (white space is separate).

    Args:
        keep_whitespace: white space makes tokens as well.
    """

    keep_whitespace: Annotated[bool, with_default(False, flag)] = False
    with_offsets: Annotated[bool, with_default(False, flag)] = False

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        kinds = [(script_of(letter), letter.isspace() and letter not in "\x1c\x1d\x1e\x1f") for letter in text]
        start = 0
        for place in range(1, len(text) + 1):
            if place == len(text) or kinds[place] != kinds[start]:
                if self.keep_whitespace or not kinds[start][1]:
                    yield start, place
                start = place


class JiebaTokenizer(Tokenizer):
    """Chinese words. Dictionaries and models are cppjieba's: ``jieba.dict.utf8`` and ``hmm_model.utf8``.

    Args:
        hmm_path: the file of the model. mp_path: the file of the dictionary. mode: `JiebaMode`.
    """

    def __init__(
        self, hmm_path: str, mp_path: str, mode: JiebaMode = JiebaMode.MIX, with_offsets: bool = False
    ) -> None:
        self.with_offsets = with_offsets
        self.mode, self.hmm_path, self.mp_path = JiebaMode(mode), hmm_path, mp_path
        self.words: list[tuple[str, int]] = []

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Add a word, of this frequency (default: a middle one)."""
        if freq is not None:
            check_value(freq, (0, UINT32_MAX), "freq")
        self.words.append((word, freq or 0))
        self.__dict__.pop("_dictionary", None)

    def add_dict(self, user_dict: str | dict[str, int]) -> None:
        """Add the words of a dict, or of a file that has a word and perhaps its frequency on each line."""
        if isinstance(user_dict, dict):
            for word, count in user_dict.items():
                self.add_word(word, count)
            return
        for line in _lines(user_dict):
            match = re.match(r"^\s*([^\s*]+?)\s*([0-9]+)?\s*$", line.strip())
            if match:
                self.add_word(match[1], int(match[2] or 0))

    @cached_property
    def _dictionary(self) -> _Dictionary:
        dictionary = _Dictionary(self.mp_path)
        for word, count in self.words:
            dictionary.add(word, count)
        return dictionary

    @cached_property
    def _model(self) -> _Model:
        return _Model(self.hmm_path)

    def _compute(self, array: np.ndarray) -> Any:
        result = super()._compute(array)
        if self.with_offsets and result[0].tolist() == [""]:
            return result[0], np.empty(0, np.uint32), np.empty(0, np.uint32)  # as in MindSpore
        return result

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        for match in re.finditer(f"[{_SEPARATORS}]|[^{_SEPARATORS}]+", text):
            cut = {
                JiebaMode.MP: lambda part: self._dictionary.cut(part),
                JiebaMode.HMM: self._model.cut,
                JiebaMode.MIX: self._mixed,
            }[self.mode]
            yield from ((match.start() + start, match.start() + end) for start, end in cut(match[0]))

    def _mixed(self, text: str) -> Iterator[tuple[int, int]]:
        run: int | None = None
        for start, end in self._dictionary.cut(text):
            if end == start + 1 and text[start] not in self._dictionary.single_of_user:
                run = start if run is None else run
                continue
            if run is not None:
                yield from self._by_model(text, run, start)
            run = None
            yield start, end
        if run is not None:
            yield from self._by_model(text, run, len(text))

    def _by_model(self, text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
        yield from ((first + start, first + end) for start, end in self._model.cut(text[first:last]))
