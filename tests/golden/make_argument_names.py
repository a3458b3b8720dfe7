"""Writes argument_names.json: the names of arguments of real MindSpore's functions, and of its layers' ``construct``, as
``inspect.signature`` tells them, and those of the inputs of its operators in class form, which older ones name in their
constructors. Run with the oracle's Python.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import textwrap
from pathlib import Path
from typing import Any

MODULES = "ops numpy mint mint.linalg mint.special mint.nn mint.nn.functional nn".split()


def names(function: Any) -> str | None:
    """``a b``; None where it takes any, or tells none."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD) for item in parameters):
        return None
    return " ".join(item.name for item in parameters)


def named_inputs(operator: type) -> str | None:
    """What a constructor gives ``init_prim_io_names`` as inputs, where it is written out."""
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(operator)))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "init_prim_io_names":
            given = {item.arg: item.value for item in node.keywords}.get("inputs", ast.Constant(None))
            try:
                return " ".join(ast.literal_eval(given))
            except (ValueError, TypeError):
                return None
    return None


def main() -> None:
    found = {}
    operations = importlib.import_module("mindspore.ops.operations")
    primitive = importlib.import_module("mindspore.ops").Primitive
    for member, value in vars(operations).items():
        if inspect.isclass(value) and issubclass(value, primitive) and not member.startswith("_"):
            call = names(value.__call__)
            found[f"{member}()"] = named_inputs(value) if call is None else call.removeprefix("self").strip()
    for name in MODULES:
        module = importlib.import_module(f"mindspore.{name}")
        for member in getattr(module, "__all__", dir(module)):
            value = getattr(module, member, None)  # some of mint.__all__ are not there on a CPU
            if inspect.isfunction(value):
                found[f"{name}.{member}"] = names(value)
            elif inspect.isclass(value) and "construct" in vars(value):
                found[f"{name}.{member}.construct"] = names(value.construct)
    kept = {name: text for name, text in sorted(found.items()) if text is not None}
    Path(__file__).with_name("argument_names.json").write_text(json.dumps(kept, indent=0) + "\n")


if __name__ == "__main__":
    main()
