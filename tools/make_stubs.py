"""Write the stubs (``.pyi``) from which language servers and type checkers know the names that tables make.

``make stubs`` writes them into the checkout, ``make build`` into the wheel; git does not keep them.

A stub hides its module's body, so there are three kinds only: of modules that hold nothing but a table (`TABLES`), of
packages that only gather names (`PACKAGES`), and one without a module, for the methods that ``ops`` installs on Tensor.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import inspect
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mindspore_compat
from mindspore_compat._ops.declare import METHODS as METHODS_OF_TENSOR
from mindspore_compat.ops.primitive import Primitive

ROOT = Path(mindspore_compat.__file__).parent
TABLES = (*("mint._functions", "mint.linalg", "mint.nn.functional", "mint.nn._layers"),)
PACKAGES = (
    "ops.function.array_func",
    "ops.function.math_func",
    "ops.function.nn_func",
    "ops.function",
    "ops.operations",
    "ops.functional",
    "ops",
    "nn",
    "numpy",
    "mint",
    "mint.nn",
)
METHODS = "_tensor.installed_methods"

_HEAD = '"""{doc} Written by ``python -m tools.make_stubs``."""\n\n'
_IMPORTS = "from typing import Any, Literal\n\n"


def _package(name: str) -> Any:
    return importlib.import_module(f"mindspore_compat.{name}")


# --- what a name is ---------------------------------------------------------------------------------------------------


@functools.cache
def _static_names(module: Any) -> set[str]:
    """What a reader of the module's source finds in it without running it."""
    found: set[str] = set()
    for node in ast.parse(Path(module.__file__).read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def _public_names(module: Any) -> list[str]:
    """Of a package also those that it imports when they are asked for."""
    names = {name for name in vars(module) if not name.startswith("_") and name != "Any"} | set(
        vars(module).get("__all__", ())
    )
    return sorted(names | set(_lazy(module)) | set(_lazy(module, "unsupported")))


def _lazy(module: Any, which: str = "lazy") -> dict[str, str]:
    """Name -> where it lives, or why it is not supported, of what ``module_getattr`` was given."""
    function = getattr(module, "__getattr__", None)
    return inspect.getclosurevars(function).nonlocals.get(which, {}) if function else {}


@functools.cache
def _imported_from(module: Any) -> dict[str, str]:
    """Name -> module, of the names that the package's source imports one by one or with ``*``."""
    found: dict[str, str] = {}
    for node in ast.parse(Path(module.__file__).read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("mindspore_compat"):
            source = importlib.import_module(node.module)
            for alias in node.names:
                if alias.name == "*":
                    public = getattr(source, "__all__", None) or [n for n in vars(source) if not n.startswith("_")]
                    found.update(dict.fromkeys(public, node.module))
                else:
                    found[alias.asname or alias.name] = node.module
    return found


# --- how it is written ------------------------------------------------------------------------------------------------


def _annotation(kind: Any) -> str:
    origin = typing.get_origin(kind)
    if kind in (bool, int, float, str, tuple, list, dict):
        return kind.__name__
    if kind is type(None):
        return "None"
    if origin is typing.Annotated:
        return _annotation(typing.get_args(kind)[0])
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(_quoted, typing.get_args(kind)))}]"
    if origin in (typing.Union, types.UnionType):
        parts = [_annotation(item) for item in typing.get_args(kind)]
        return "Any" if "Any" in parts else " | ".join(parts)
    return "Any"


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) and value.isprintable() and '"' not in value else repr(value)


def _default(value: Any) -> str:
    return _quoted(value) if isinstance(value, (bool, int, float, str, type(None))) and value == value else "..."


def _signature(value: Any, first: str = "", result: str = "Any") -> str:
    """``(...) -> ...`` of a callable; ``first`` takes the place of its first argument, or stands before all."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return f"({first + ', ' if first else ''}*args: Any, **kwargs: Any) -> {result}"
    source = vars(sys.modules[getattr(value, "func", value).__module__])
    parts = [first] if first else []
    seen_star = False
    bound = getattr(value, "keywords", ())
    for parameter in (item for name, item in signature.parameters.items() if name not in bound):
        kind = parameter.annotation
        written = f"{parameter.name}: {_annotation(eval(kind, source) if isinstance(kind, str) else kind)}"
        if parameter.kind is parameter.VAR_POSITIONAL:
            written, seen_star = f"*{written}", True
        elif parameter.kind is parameter.VAR_KEYWORD:
            written = f"**{written}"
        elif parameter.kind is parameter.KEYWORD_ONLY and not seen_star:
            parts.append("*")
            seen_star = True
        if parameter.default is not parameter.empty:
            written += f" = {_default(parameter.default)}"
        parts.append(written)
    return f"({', '.join(parts)}) -> {result}"


def _docstring(value: Any) -> str:
    lines = inspect.cleandoc(getattr(value, "__doc__", None) or "").split("\n\n")[0].split("\n")
    text = " ".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}{" " if text.endswith(chr(34)) else ""}"""'


def _function(name: str, value: Any) -> str:
    return f"def {name}{_signature(value)}:\n    {_docstring(value)}\n"


def _operator(name: str, value: Any) -> str:
    """A class in the place of a row, or of a function under ``@primitive``."""
    signature = inspect.signature(value)
    given = all(parameter.default is not parameter.empty for parameter in signature.parameters.values())
    call = _signature(value()._run, "self") if given else "(self, *args: Any, **kwargs: Any) -> Any"
    init = _signature(value, "self", "None")
    return (
        f"class {name}(Primitive):\n    {_docstring(value)}\n    def __init__{init}: ...\n    def __call__{call}: ...\n"
    )


def _row(name: str, value: Any) -> str:
    """What stands in a table's module: an operator, a function, or a layer."""
    if _is_operator(value):
        return _operator(name, value)
    if not isinstance(value, type):
        return _function(name, value)
    init, call = _signature(value, "self", "None"), "(self, *inputs: Any) -> Any"
    return f"class {name}(Cell):\n    {_docstring(value)}\n    def __init__{init}: ...\n    def __call__{call}: ...\n"


def _is_operator(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Primitive) and "__signature__" in vars(value)


# --- the files --------------------------------------------------------------------------------------------------------


def _table(name: str) -> str:
    module = _package(name)
    body = [_row(key, getattr(module, key)) for key in module.__all__]
    bases = {"(Primitive)": "ops.primitive import Primitive", "(Cell)": "nn.cell import Cell"}
    used = [line for base, line in bases.items() if any(base in item.split("\n")[0] for item in body)]
    imports = "".join(f"from mindspore_compat.{line}\n" for line in used) + "\n"
    names = f"__all__ = {list(module.__all__)!r}\n\n"
    doc = "Operators that are rows." if name.startswith("ops") else "Functions and layers that are rows."
    return _HEAD.format(doc=doc) + _IMPORTS + imports + names + "\n".join(body)


def _gathered(name: str) -> str:
    """The stub of a package: each name from the module that defines it, or written out where a table makes it."""
    module = _package(name)
    lazy, sources = _lazy(module), _imported_from(module)
    lines: list[str] = []
    bodies: list[str] = []
    for key in _public_names(module):
        if key in lazy:
            path, _, attribute = lazy[key].partition(":")
            lines.append(_import_line(path, attribute or key, key))
            continue
        value = getattr(module, key)
        if isinstance(value, types.ModuleType):
            if not hasattr(value, "__file__"):  # made from a table (_api/moved.py): a checker finds no file
                continue
            parent, _, leaf = value.__name__.rpartition(".")
            lines.append(f"from {parent} import {leaf} as {key}" if parent else f"import {leaf} as {key}")
            continue
        source = _defining(key, value, sources.get(key))
        if source:
            lines.append(f"from {source[0]} import {source[1]} as {key}")
        elif _is_operator(value):
            bodies.append(_operator(key, value))
        elif inspect.isfunction(value):
            bodies.append(_function(key, value))
        else:
            lines.append(f"{key}: Any")
    if any("(Primitive)" in body for body in bodies):
        lines.append("from mindspore_compat.ops.primitive import Primitive as Primitive")
    found = sorted({line for line in lines if "import" in line}) + sorted({x for x in lines if "import" not in x})
    exported = f"__all__ = {sorted(module.__all__)!r}\n" if "__all__" in vars(module) else ""
    return (
        _HEAD.format(doc="The names of the package.")
        + _IMPORTS
        + "\n".join(found)
        + "\n"
        + exported
        + "\n"
        + "\n".join(bodies)
    )


def _import_line(path: str, attribute: str, key: str) -> str:
    try:
        module = importlib.import_module(f"mindspore_compat.{path}")
    except ImportError:
        module = None
    if module is not None and hasattr(module, attribute):
        return f"from mindspore_compat.{path} import {attribute} as {key}"
    parent, _, leaf = f"mindspore_compat.{path}".rpartition(".")
    return f"from {parent} import {leaf} as {key}"


def _defining(key: str, value: Any, source: str | None) -> tuple[str, str] | None:
    """(module, name) where the name can be read in the source or in another stub; None if only running it tells."""
    for _ in range(6):
        if source is None:
            return None
        short = source.removeprefix("mindspore_compat.")
        module = sys.modules[source]
        if short in TABLES or short in PACKAGES:
            return source, key
        if key in _static_names(module):
            return (
                None
                if _is_operator(value)
                and source.startswith(("mindspore_compat.ops.operations", "mindspore_compat._ops"))
                else (source, key)
            )
        source = _imported_from(module).get(key)
    return None


def _installed() -> str:
    body = [
        textwrap.indent(f"def {name}{_method(value)}:\n    {_docstring(value)}\n", "    ")
        for name, value in sorted(METHODS_OF_TENSOR.items())
    ]
    head = _HEAD.format(doc="Methods that ``_ops/tensor_methods.py`` installs on Tensor.")
    return head + _IMPORTS + "class InstalledMethods:\n" + "\n".join(body)


def _method(value: Callable[..., Any]) -> str:
    inner = _signature(value)
    head, separator, rest = inner[1:].partition(", ")
    return f"(self, {rest}" if separator and "(" not in head and ")" not in head else "(self) -> Any"


def stubs() -> Iterator[tuple[Path, str]]:
    """(file, what belongs in it)."""
    for name in TABLES:
        yield ROOT / (name.replace(".", "/") + ".pyi"), _table(name)
    for name in PACKAGES:
        yield Path(_package(name).__file__).with_suffix(".pyi"), _gathered(name)
    yield ROOT / (METHODS.replace(".", "/") + ".pyi"), _installed()


def main() -> None:
    """Write the stubs that are missing or differ from the code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    for path, text in stubs():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.relative_to(ROOT.parent)}")


if __name__ == "__main__":
    main()
