"""Operations on texts that few use: by scripts, and for Wikipedia's dumps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag
from mindspore_compat.dataset.text._editing import OnText
from mindspore_compat.dataset.text._scripts import script_of
from mindspore_compat.dataset.text._tokenizers import Tokenizer

__all__ = ["FilterWikipediaXML", "UnicodeScriptTokenizer"]


def _none_is_false(value: Any, name: str) -> bool:
    return value is not None and flag(value, name)


@arguments
class UnicodeScriptTokenizer(Tokenizer):
    """Runs of characters of one script (white space apart).

    Args:
        keep_whitespace: white space makes tokens as well.
    """

    keep_whitespace: Annotated[bool, _none_is_false] = False
    with_offsets: Annotated[bool, _none_is_false] = False

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        kinds = [(script_of(letter), letter.isspace() and letter not in "\x1c\x1d\x1e\x1f") for letter in text]
        start = 0
        for place in range(1, len(text) + 1):
            if place == len(text) or kinds[place] != kinds[start]:
                if self.keep_whitespace or not kinds[start][1]:
                    yield start, place
                start = place


_DIGITS = "zero one two three four five six seven eight nine".split()


class FilterWikipediaXML(OnText):
    """Plain lower-case words of a line of Wikipedia's XML: without marks, digits spelled out; "" for a redirection.

    Order is upstream's: entities go first, then what stands from the first ``<`` of a line to its last ``>``.
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
