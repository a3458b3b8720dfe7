"""Imports run down only, as docs/architecture.md says; those inside functions are free."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "mindspore_compat"
BOTTOM = {"_api", "log"}
ALLOWED: dict[str, set[str]] = {
    "_api": set(),
    "log": set(),
    "_format": set(),
    "_runtime": {"_format"},
    "context": {"_runtime"},
    "common": {"_runtime", "context", "_format"},
    "ops": {"common", "context", "_runtime", "communication"},
    "communication": {"_runtime", "context", "common"},
    "parallel": {"communication", "context", "_format", "common"},
    "boost": {"nn", "ops", "common"},
    "nn": {"ops", "common", "context", "_runtime", "communication", "parallel"},
    "numpy": {"ops", "common", "context", "_runtime"},
    "dataset": {"_format", "common", "context", "_runtime", "mindrecord"},
    "mindrecord": {"_format", "common", "dataset"},
    "profiler": set(),
    "_checkparam": set(),
    "_c_expression": set(),
    "_extends": set(),
    "version": set(),
    "compression": {"nn", "ops", "common"},
    "train": {
        "compression",
        "parallel",
        "dataset",
        "communication",
        "nn",
        "ops",
        "common",
        "context",
        "_runtime",
        "_format",
    },
}
#: old module paths that re-export what moved up
THIN = {"parallel/nn.py", "parallel/_transformer", "nn/metrics"}


def _top_level_imports(path: Path) -> set[str]:
    found = set()
    tree = ast.parse(path.read_text())
    inside = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if (
            isinstance(node, ast.ImportFrom)
            and node.level == 0
            and node.module
            and node.module.split(".")[0] == "mindspore_compat"
        ):
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("mindspore_compat.")}
    return found


@pytest.mark.parametrize("layer", sorted(ALLOWED))
def test_a_layer_imports_only_those_below(layer: str) -> None:
    files = [ROOT / f"{layer}.py"] if (ROOT / f"{layer}.py").exists() else sorted((ROOT / layer).rglob("*.py"))
    assert files, f"{layer} is gone: take it out of ALLOWED"
    wrong = {}
    for path in files:
        if any(str(path.relative_to(ROOT)).startswith(thin) for thin in THIN):
            continue
        bad = _top_level_imports(path) - ALLOWED[layer] - {layer} - (set() if layer == "_format" else BOTTOM)
        if bad:
            wrong[str(path.relative_to(ROOT))] = sorted(bad)
    assert not wrong, wrong


def test_every_package_has_its_layer() -> None:
    names = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))}
    assert names - set(ALLOWED) == {"__init__", "__main__", "cli", "amp", "_summary_cli", "_ckpt_cli"} & names
