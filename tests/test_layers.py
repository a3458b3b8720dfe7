"""Imports run down only, as docs/architecture.md says, without circles; those inside functions count as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1] / "mindspore_compat"
BOTTOM = {"_api", "log"}
#: one layer: what Tensors, their derivatives and graph mode are made of, and MindSpore's names for it
CORE = {"_numerics", "_tensor", "_random", "_graph", "_autograd", "common"}
ALLOWED: dict[str, set[str]] = {
    "_api": set(),
    "log": set(),
    "_format": set(),
    "_runtime": {"_format"},
    "default_config": set(),
    "context": {"_runtime"},
    **{room: {"common", "_runtime", "context", "_format"} for room in CORE},
    "_ops": {"common", "context", "_runtime", "communication"},
    "ops": {"_ops", "common", "context", "_runtime", "communication"},
    "communication": {"_runtime", "context", "common"},
    "parallel": {"_runtime", "communication", "context", "_format", "common"},
    "boost": {"nn", "parallel", "_ops", "ops", "communication", "common"},
    "rewrite": {"nn", "_ops", "ops", "common", "_runtime"},
    "nn": {"_checkparam", "_ops", "ops", "common", "context", "_runtime", "communication", "parallel"},
    "numpy": {"_ops", "ops", "common", "context", "_runtime"},
    "experimental": {"nn", "_ops", "ops", "common", "_checkparam"},
    "mint": {"experimental", "_checkparam", "nn", "_ops", "ops", "communication", "context", "common", "_runtime"},
    "dataset": {"_format", "common", "context", "_runtime", "mindrecord"},
    "mindrecord": {"_format", "common"},
    "runtime": {"_runtime"},
    "hal": {"runtime", "_runtime", "common"},
    "device_context": {"_runtime"},
    "scipy": {"_ops", "ops", "common"},
    "utils": {"communication", "common"},
    "multiprocessing": {"common"},
    "profiler": {"common"},
    "_checkparam": {"common"},
    "version": {"_ops", "ops", "common", "_runtime"},
    "_legacy": {
        "_checkparam",
        "train",
        "mindrecord",
        "nn",
        "_ops",
        "ops",
        "dataset",
        "common",
        "context",
        "_runtime",
        "_format",
    },
    "compression": {"nn", "_ops", "ops", "common"},
    "train": {
        "boost",
        "compression",
        "parallel",
        "dataset",
        "communication",
        "nn",
        "_ops",
        "ops",
        "common",
        "context",
        "_runtime",
        "_format",
    },
}
#: old module paths that re-export what moved up; what child processes find under the name mindspore
THIN = {"parallel/nn.py", "parallel/_transformer", "nn/metrics", "_api/_shim"}
TOP = {"__init__", "__main__", "_releases", "cli", "amp"}
#: imports of our own inside functions: (file, what it imports) -> why it waits
LAZY = {
    ("train/_export/__init__.py", "train._export._write"): "export and load bring protobuf and all formats: 0.3 s",
    ("train/callback/_checkpoint.py", "train.summary._graph"): "the room of summaries brings protobuf",
    ("dataset/engine/_dataset.py", "dataset.text.utils"): "only Dataset.build_vocab needs the room of texts",
    ("nn/optim/thor_precondition.py", "nn.optim.thor_inverse"): "it loads the compiled library",
    ("nn/layer/transformer.py", "nn.transformer"): "a call of 1.7 makes the class of that name there",
    ("_legacy/checkpoints.py", "_format.proto.checkpoint"): "an import of the package takes no protobuf",
}


class Import(NamedTuple):
    path: Path  # relative to the package
    target: str  # module, relative to the package
    is_lazy: bool


@lru_cache
def modules() -> dict[str, Path]:
    """Name, relative to the package ("" is the package itself) -> file."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _walk(node: ast.AST, is_lazy: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        inside = is_lazy or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        yield child, inside
        yield from _walk(child, inside)


@lru_cache
def imports() -> tuple[Import, ...]:
    """All imports of our own."""
    found = []
    for name, path in modules().items():
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        for node, is_lazy in _walk(ast.parse(path.read_text()), False):
            targets: list[str] = []
            if isinstance(node, ast.ImportFrom):
                if node.level:
                    base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
                elif (node.module or "").split(".")[0] == "mindspore_compat":
                    base = str(node.module).split(".")[1:]
                else:
                    continue
                start = ".".join(part for part in base if part)
                below = [f"{start}.{alias.name}".lstrip(".") for alias in node.names]
                targets = [item if item in modules() else start for item in below]
            elif isinstance(node, ast.Import):
                own = [alias.name for alias in node.names if alias.name.split(".")[0] == "mindspore_compat"]
                targets = [item.partition(".")[2] for item in own]
            found += [Import(path.relative_to(ROOT), target, is_lazy) for target in dict.fromkeys(targets)]
    return tuple(found)


def _circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan's)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in graph[name]:
            if target not in index:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            circle = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            found.extend([sorted(circle)] if len(circle) > 1 else [])

    for name in graph:
        if name not in index:
            visit(name)
    return found


def test_no_circle_lazy_or_not() -> None:
    names = {path: name for name, path in modules().items()}
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for path, target, _ in imports():
        if target in graph and target != names[ROOT / path]:
            graph[names[ROOT / path]].add(target)
    assert not _circles(graph)


def test_imports_inside_functions_have_a_reason() -> None:
    found = {(path.as_posix(), target) for path, target, is_lazy in imports() if is_lazy}
    assert not sorted(found - set(LAZY)), "import at the top of the file, or say in LAZY why not"
    assert not sorted(set(LAZY) - found), "these are gone: take them out of LAZY"


@pytest.mark.parametrize("layer", sorted(ALLOWED))
def test_a_layer_imports_only_those_below(layer: str) -> None:
    own = [item for item in imports() if item.path.as_posix() == f"{layer}.py" or item.path.parts[0] == layer]
    assert (ROOT / f"{layer}.py").exists() or (ROOT / layer).is_dir(), f"{layer} is gone: take it out of ALLOWED"
    allowed = ALLOWED[layer] | {layer} | (set() if layer == "_format" else BOTTOM)
    allowed |= CORE if "common" in allowed else set()
    wrong = [
        (item.path.as_posix(), item.target)
        for item in own
        if item.target.split(".")[0] not in allowed
        and not item.is_lazy
        and not any(item.path.as_posix().startswith(thin) for thin in THIN)
    ]
    assert not wrong


def test_every_package_has_its_layer() -> None:
    names = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))}
    assert names - set(ALLOWED) == TOP & names
