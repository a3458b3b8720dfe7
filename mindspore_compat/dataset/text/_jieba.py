"""Chinese words: the most probable path through a dictionary, and a hidden Markov model for unknown words. MindSpore
uses cppjieba for both; this is its arithmetic on the same files, so the library jieba is not needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from mindspore_compat._format.source import read_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat.dataset.core.validator_helpers import UINT32_MAX, check_value
from mindspore_compat.dataset.text._tokenizers import Tokenizer

_NEVER = -3.14e100
_SEPARATORS = " \t\n，。"
_LONGEST = 512
#: States of a character: begins, ends, is inside of, or is a word.
_BEGIN, _END, _MIDDLE, _SINGLE = range(4)


class JiebaMode(IntEnum):
    """Method of word search: MP by the dictionary, HMM by the model, MIX by the dictionary and then the model."""

    MIX = 0
    MP = 1
    HMM = 2


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
