"""The language of docstrings: noun phrases and imperatives in the field's words (CONTRIBUTING.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "mindspore_compat"
FILES = sorted(PACKAGE.rglob("*.py"))
#: first words of sentences about a reader or a case, where a docstring names a thing or an action
FIRST = frozenset("What Who Which Where Whether How When".split())
BANNED = re.compile(
    r"\b(?:insides|whoever|somebody|its like|its kin|handed on|as well as it can|can not|given back|looks at|upstream(?!\.csv))\b"
)


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), text


def test_docstrings_are_in_the_fields_words() -> None:
    texts = [(f"{path.relative_to(PACKAGE)}:{line}", text) for path in FILES for line, text in docstrings(path)]
    found = [(place, text.splitlines()[0]) for place, text in texts if text.split()[0] in FIRST]
    found += [(place, word) for place, text in texts for word in BANNED.findall(text)]
    assert not found


def test_messages_have_cannot_in_one_word() -> None:
    assert [str(path.relative_to(PACKAGE)) for path in FILES if "can not" in path.read_text()] == []
