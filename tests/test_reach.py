"""Places that reach into frames, code objects, builtins, the collector or torch's private names: a list that only
shrinks. Each row of ``allowed_reach.csv`` has its reason.
"""

from __future__ import annotations

import ast
import csv
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "mindspore_compat"
ALLOWED = Path(__file__).with_name("allowed_reach.csv")
#: what a place reaches for, by the name of an attribute
_ATTRIBUTES = {"__code__", "_getframe", "f_locals", "f_back", "get_objects", "currentframe"}


def _torch_name(node: ast.Attribute) -> str:
    """``torch._C.name``, with the room in between."""
    names = []
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute):
        names.insert(0, inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name) or inner.id != "torch" or names[0] != "_C" or len(names) < 2:
        return ""
    depth = 3 if len(names) > 2 and names[1] in ("_functorch", "_autograd") else 2
    return ".".join(["torch", *names[:depth]])


def _reached(tree: ast.AST) -> list[str]:
    """The names that a module reaches for, one for each place."""
    inside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr in _ATTRIBUTES:
                found.append(node.attr)
            elif id(node) not in inside and _torch_name(node):
                found.append(_torch_name(node))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
            found += [
                item.value for item in node.args[1:2] if isinstance(item, ast.Constant) and item.value in _ATTRIBUTES
            ]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("exec", "eval", "setattr"):
            is_builtins = bool(node.args) and getattr(node.args[0], "id", "") == "builtins"
            if node.func.id != "setattr" or is_builtins:  # type: ignore[attr-defined]
                found.append("builtins" if is_builtins else node.func.id)  # type: ignore[attr-defined]
        elif isinstance(node, ast.Import) and any(item.name == "dis" for item in node.names):
            found.append("dis")
    return found


def counted() -> Counter[tuple[str, str]]:
    """{(name, file): places}; torch's private names are counted over all files."""
    found: Counter[tuple[str, str]] = Counter()
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in _reached(ast.parse(path.read_text())):
            file = "" if name.startswith("torch.") else path.relative_to(PACKAGE).as_posix()
            found[name, file] += 1
    return found


def _rows() -> list[dict[str, str]]:
    with ALLOWED.open(newline="") as file:
        return list(csv.DictReader(file))


def test_each_place_is_allowed() -> None:
    allowed = {(row["name"], row["file"]): int(row["places"]) for row in _rows()}
    found = counted()
    more = {key: count for key, count in found.items() if count > allowed.get(key, 0)}
    assert not more, "use what the language and torch offer in public, or add a row with the reason"
    less = {key: count for key, count in allowed.items() if found[key] < count}
    assert not less, "lower these rows of allowed_reach.csv: the list only shrinks"


@pytest.mark.parametrize("row", _rows(), ids=lambda row: f"{row['name']} {row['file']}")
def test_each_row_has_its_reason(row: dict[str, str]) -> None:
    assert len(row["reason"].split()) >= 3
