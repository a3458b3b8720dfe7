"""What libraries' subclasses use of MindSpore's base classes without defining it themselves.

``python -m tools.census CHECKOUT... [--out census.json]`` reads the Python files of the checkouts (nothing is run),
follows each class to the MindSpore classes it derives from, through the library's own classes, and writes for each of
these: member → how it is used ("read", "called", "set", "overridden") → in how many classes of which checkouts. Names
that a class or a library class above it defines or sets are its own and are left out, except for those that it sets or
overrides: whether these are the base's too, tests/libraries/base_classes.py finds out by asking a real instance.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Class", "census", "read_classes"]

#: member → use → names of the checkouts, one entry for each class
Uses = dict[str, dict[str, list[str]]]


@dataclass
class Class:
    """A class of a library: its bases as dotted names, what it defines, what it does with ``self`` and ``super()``."""

    name: str
    bases: list[str]
    defined: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)
    uses: dict[str, set[str]] = field(default_factory=lambda: collections.defaultdict(set))


def read_classes(root: Path) -> dict[str, Class]:
    """All classes of a checkout by their dotted names (module and class)."""
    found: dict[str, Class] = {}
    for path in sorted(root.rglob("*.py")):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
        except SyntaxError:
            continue
        parts = path.relative_to(root).with_suffix("").parts
        package = parts[:-1]
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        names = dict(_imported(tree, package))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases = [_dotted(base, names, module) for base in node.bases]
                found[f"{module}.{node.name}"] = _read(node, [base for base in bases if base])
    return found


def _imported(tree: ast.Module, package: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """(local name, dotted name) of each import of a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                yield (item.asname or item.name.split(".")[0]), (item.name if item.asname else item.name.split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            above = list(package[: len(package) - node.level + 1]) if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            for item in node.names:
                yield (item.asname or item.name), f"{origin}.{item.name}"


def _dotted(node: ast.expr, names: dict[str, str], module: str) -> str:
    if isinstance(node, ast.Attribute):
        value = _dotted(node.value, names, module)
        return f"{value}.{node.attr}" if value else ""
    if isinstance(node, ast.Name):
        return names.get(node.id, f"{module}.{node.id}")
    return ""


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _read(node: ast.ClassDef, bases: list[str]) -> Class:
    made = Class(node.name, bases)
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            made.defined.add(item.name)
            if item.args.args and not any(getattr(mark, "id", "") == "staticmethod" for mark in item.decorator_list):
                _read_method(item, item.args.args[0].arg, made)
        elif isinstance(item, (ast.Assign, ast.AnnAssign)):
            targets = item.targets if isinstance(item, ast.Assign) else [item.target]
            made.defined.update(target.id for target in targets if isinstance(target, ast.Name))
    return made


def _read_method(method: ast.AST, own: str, made: Class) -> None:
    called = {id(item.func) for item in ast.walk(method) if isinstance(item, ast.Call)}
    for item in ast.walk(method):
        if not isinstance(item, ast.Attribute) or (item.attr.startswith("__") and item.attr.endswith("__")):
            continue
        above = _is_super(item.value)
        if not above and not (isinstance(item.value, ast.Name) and item.value.id == own):
            continue
        if isinstance(item.ctx, ast.Store):
            made.assigned.add(item.attr)
            made.uses[item.attr].add("set")
        else:
            use = "called" if id(item) in called else "read"
            made.uses[item.attr].add(use + " above" if above else use)


def _above(name: str, classes: dict[str, Class], by_name: dict[str, list[str]]) -> Iterator[Class | str]:
    """The library's classes above a class, then its MindSpore classes as dotted names."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop(0)
        if current in seen:
            continue
        seen.add(current)
        found = classes.get(current)
        if found is None and not current.startswith(("mindspore.", "torch.")):
            same = by_name.get(current.rsplit(".", 1)[-1], [])  # re-exported by a package's __init__
            found = classes[same[0]] if len(same) == 1 else None
        if found is not None:
            yield found
            waiting.extend(found.bases)
        elif current.startswith("mindspore."):
            yield current


def census(roots: list[Path]) -> dict[str, Uses]:
    """MindSpore class → member → use → the checkouts' names, one for each class that does so."""
    result: dict[str, Uses] = collections.defaultdict(lambda: collections.defaultdict(dict))
    for root in roots:
        classes = read_classes(root)
        by_name: dict[str, list[str]] = collections.defaultdict(list)
        for name, item in classes.items():
            by_name[item.name].append(name)
        for name, item in classes.items():
            above = list(_above(name, classes, by_name))
            bases = [base for base in above if isinstance(base, str)]
            family = [other for other in above if isinstance(other, Class)]
            for member, uses in _used(item, family):
                for base in bases:
                    for use in uses:
                        result[base.rsplit(".", 1)[-1]][member].setdefault(use, []).append(root.name)
    return result


def _used(item: Class, family: list[Class]) -> Iterator[tuple[str, set[str]]]:
    own = set().union(*(other.defined | other.assigned for other in family))
    for member, uses in item.uses.items():
        left = {
            use.removesuffix(" above") for use in uses if use.endswith(" above") or use == "set" or member not in own
        }
        if left:
            yield member, left
    for member in item.defined:
        if not (member.startswith("__") and member.endswith("__")):
            yield member, {"overridden"}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, help="where the JSON goes; printed without it")
    given = parser.parse_args(arguments)
    found = {
        base: {
            member: {use: dict(collections.Counter(names)) for use, names in uses.items()}
            for member, uses in members.items()
        }
        for base, members in sorted(census(given.checkouts).items())
    }
    text = json.dumps(found, indent=1, sort_keys=True)
    if given.out:
        given.out.write_text(text + "\n")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
