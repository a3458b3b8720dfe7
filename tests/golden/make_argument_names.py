"""Writes argument_names.json: the names of arguments of real MindSpore's functions, and of its layers' ``construct``, as
``inspect.signature`` tells them. Run with the oracle's Python.
"""

from __future__ import annotations

import importlib
import inspect
import json
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


def main() -> None:
    found = {}
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
