"""Which of the covered operators, layers and Tensor methods are compared with real MindSpore, forward and backward.

`python -m tests.ops.differential` prints what is open, `--write` writes docs/differential.md, `--operators` how each
public operator of ``ops`` is tested, whether projects use it or not. Covered is what the
coverage table says is full or partial; compared is what a case of the golden tables (tests/ops/cases_*.txt,
tests/nn/*cases.py, tests/common/expressions.py) computes with. differential_exceptions.csv has the reasons of what is
not.
"""

from __future__ import annotations

import ast
import csv
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mindspore_compat import nn, ops
from mindspore_compat._api.coverage import read_table
from mindspore_compat._api.placeholders import STUB_MARK
from mindspore_compat._api.resolve import ABSENT, resolve
from mindspore_compat.common.tensor import Tensor
from tests.ops.cases import cases, inputs, names_in
from tests.ops.golden import load

__all__ = ["PAGE", "Item", "computations", "covered", "exceptions", "lacking", "operators", "page", "shares"]

EXCEPTIONS = Path(__file__).with_name("differential_exceptions.csv")
PAGE = Path(__file__).parents[2] / "docs" / "differential.md"
_AREAS = ("mindspore.ops.", "mindspore.nn.", "mindspore.numpy.", "mindspore.Tensor.")
_ROOTS = {
    "ops": "mindspore.ops",
    "P": "mindspore.ops.operations",
    "F": "mindspore.ops.functional",
    "C": "mindspore.ops.composite",
    "mnp": "mindspore.numpy",
    "ms": "mindspore",
    "nn": "mindspore.nn",
}
_PROGRAMS = ("amp", "custom_cells")
_IN_GROUPS_ONLY = {"DistributedGradReducer"}  # the programs run it with several devices only
_NOT_TENSORS = {"np", "copy", "pickle"}


@dataclass
class Item:
    """One operator, layer or method with all its spellings, and the cases that compare it."""

    value: Any
    names: list[str]
    projects: int
    forward: list[str] = field(default_factory=list)
    backward: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    has_gradient: bool = False
    gradient_error: str = ""  # what MindSpore says where it fails to differentiate

    @property
    def is_differentiable(self) -> bool:
        """Whether MindSpore gives a gradient."""
        return self.has_gradient and not (self.gradient_error and not self.backward)

    @property
    def name(self) -> str:
        """The shortest spelling."""
        return min(self.names, key=lambda name: (len(name), name)).removeprefix("mindspore.")

    @property
    def area(self) -> str:
        return {"ops": "operators", "nn": "layers", "numpy": "numpy functions", "Tensor": "Tensor members"}[
            self.name.split(".")[0]
        ]


def _is_computation(name: str, value: Any) -> bool:
    """Whether it computes on tensors: functions, operators, Cells; no module, constant, or member of a Cell."""
    if name.startswith("mindspore.nn.probability."):
        return False  # compared with real MindSpore method by method, in tests/nn/test_probability.py
    if name.startswith("mindspore.nn."):
        return inspect.isclass(value) and issubclass(value, nn.Cell)
    return callable(value) or name.startswith("mindspore.Tensor.")


@cache
def covered() -> dict[int, Item]:
    """The items of the coverage table that are full or partial, by identity of the object."""
    found: dict[int, Item] = {}
    for row in read_table():
        value = resolve(row.name) if row.name.startswith(_AREAS) and row.state in ("full", "partial") else ABSENT
        if value is ABSENT or row.kind in ("module", "object") or not _is_computation(row.name, value):
            continue
        item = found.setdefault(id(value), Item(value, [], 0))
        item.names.append(row.name)
        item.projects = max(item.projects, row.projects)
    _mark_operators(found)
    _mark_tensor_expressions(found)
    _mark_layers(found)
    _mark_programs(found)
    return found


def _find(found: dict[int, Item], name: str) -> Item | None:
    return found.get(id(resolve(name)))


def _chain(node: ast.expr) -> list[str]:
    """``a.b.c`` as its names; [] if it does not begin with a name."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        before = _chain(node.value)
        return [*before, node.attr] if before else []
    return []


def _items_in(found: dict[int, Item], expression: str) -> Iterator[Item]:
    """What an expression computes with."""
    for node in ast.walk(ast.parse(expression)):
        if not isinstance(node, ast.Attribute):
            continue
        chain = _chain(node)
        root = chain[0] if chain else ""
        if root in _NOT_TENSORS:
            continue
        name = ".".join([_ROOTS[root], *chain[1:]]) if root in _ROOTS else f"mindspore.Tensor.{node.attr}"
        item = _find(found, name)
        if item is not None:
            yield item


def _mark_operators(found: dict[int, Item]) -> None:
    golden, arrays = load(), inputs()
    for case in cases():
        expression = case[2:] if case[:2] in ("g ", "! ") else case
        result = golden.get(case, {})
        floats_in = any(arrays[name].dtype == np.float32 for name in names_in(expression, arrays))
        for item in _items_in(found, expression):
            if "out" not in result:
                item.refused.append(f"{case} → {result.get('error')}: {result.get('message', '')}")
                item.gradient_error = (
                    result.get("message", "").splitlines()[0] if case.startswith("g ") else item.gradient_error
                )
                continue
            item.forward.append(case)
            item.has_gradient |= floats_in and any(array.dtype == np.float32 for array in result["out"])
            if result.get("grad"):
                item.backward.append(case)


def _mark_programs(found: dict[int, Item]) -> None:
    """The Cells in training programs whose losses and weights are real MindSpore's (their golden files are JSON)."""
    tests = Path(__file__).parents[1]
    for path in (
        *sorted((tests / "integration" / "programs").glob("*.py")),
        *(tests / "train" / f"{name}_program.py" for name in _PROGRAMS),
    ):
        names = {
            tuple(_chain(node))
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute)
        }
        for chain in sorted(names):
            item = (
                _find(found, ".".join(["mindspore", *chain]))
                if chain and chain[0] == "nn" and chain[-1] not in _IN_GROUPS_ONLY
                else None
            )
            if item is not None:
                item.forward.append(path.name)
                item.backward.append(path.name)


def _mark_tensor_expressions(found: dict[int, Item]) -> None:
    from tests.common.expressions import EXPRESSIONS, PROGRAMS

    for source in (*EXPRESSIONS, *PROGRAMS.values()):
        for item in _items_in(found, source.replace(";", "\n")):
            item.forward.append(source)


class _Recorder:
    """Stands for ``nn`` and notes what a case takes from it."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.taken.add(name)
        return getattr(nn, name)


def _mark_layers(found: dict[int, Item]) -> None:
    from tests.nn import test_against_golden as layers

    for case in layers.CASES:
        recorder = _Recorder()
        made = type(case.make(recorder, Tensor))
        record = layers.GOLDEN.get(case.name, {})
        for item in filter(
            None,
            {
                id(item): item
                for item in (found.get(id(made)), *(_find(found, f"mindspore.nn.{name}") for name in recorder.taken))
            }.values(),
        ):
            if "outputs" not in record or case.name in layers.DIFFERENT:
                item.refused.append(f"{case.name} → {record.get('error', layers.DIFFERENT.get(case.name))}")
                continue
            item.forward.append(case.name)
            item.has_gradient |= bool(record.get("input_grads") or record.get("weight_grads"))
            if case.name not in layers.OTHER_GRADIENT and (record.get("input_grads") or record.get("weight_grads")):
                item.backward.append(case.name)
    _mark_trained(found)


def _mark_trained(found: dict[int, Item]) -> None:
    """Optimizers and schedules: steps and rates of real MindSpore (optim.npz, nn_rates.json); they have no gradient of
    their own.
    """
    from tests.nn.optim_cases import SETTINGS, make_net
    from tests.nn.rate_cases import SCHEDULES

    taken = {name: name for name, _ in SCHEDULES}
    for setting, make in SETTINGS.items():
        recorder = _Recorder()
        make(recorder, make_net(nn).trainable_params())
        taken.update(dict.fromkeys(recorder.taken, setting))
    for name, case in taken.items():
        item = _find(found, f"mindspore.nn.{name}")
        if item is not None:
            item.forward.append(case)


@cache
def exceptions() -> dict[str, tuple[str, str]]:
    """name -> (what is not compared, the reason): "all"; "forward" of what has no gradient; "backward"; "none" is not
    counted.
    """
    with EXCEPTIONS.open(newline="", encoding="utf-8") as file:
        return {row["name"]: (row["lacks"], row["reason"]) for row in csv.DictReader(file)}


def lacking(item: Item) -> str:
    """What of an item is not compared: "all", "forward" where there is no gradient, "backward" or ""."""
    if not item.forward:
        return "forward" if exceptions().get(item.name, ("", ""))[0] == "forward" else "all"
    return "backward" if item.is_differentiable and not item.backward else ""


def computations() -> list[Item]:
    """The items that compute something, in the order of the page."""
    kept = [item for item in covered().values() if exceptions().get(item.name, ("", ""))[0] != "none"]
    return sorted(kept, key=lambda item: (item.area, -item.projects, item.name))


def shares() -> tuple[float, float]:
    """(share compared forward, share compared backward of those that have a gradient)."""
    items = computations()
    differentiable = [item for item in items if item.is_differentiable or lacking(item) == "all"]
    return (
        sum(bool(item.forward) for item in items) / len(items),
        sum(bool(item.backward) for item in differentiable) / len(differentiable),
    )


def page() -> str:
    """The text of docs/differential.md."""
    forward, backward = shares()
    items = computations()
    lines = [
        "# Differential tests",
        "",
        "GENERATED by `python -m tests.ops.differential --write`; do not edit.",
        "",
        "Use this page to see which computations were compared with MindSpore 2.10 on a CPU, and why others were not.",
        "Counted are the operators, layers, Tensor members and numpy functions that docs/coverage.md calls full or",
        "partial. Optimizers and schedules are compared by their steps. Spellings of one object count once.",
        "",
        f"{len(items)} computations: {forward:.1%} compared forward, {backward:.1%} of those with a gradient backward.",
        "",
        "| | computations | forward | with a gradient | backward |",
        "|---|---|---|---|---|",
    ]
    for area in sorted({item.area for item in items}):
        members = [item for item in items if item.area == area]
        with_gradient = [item for item in members if item.is_differentiable or lacking(item) == "all"]
        lines.append(
            f"| {area} | {len(members)} | {sum(bool(item.forward) for item in members)} | {len(with_gradient)} "
            f"| {sum(bool(item.backward) for item in with_gradient)} |"
        )
    lines += ["", "## Exceptions", "", "| name | projects | not compared | reason |", "|---|---|---|---|"]
    lines += [
        f"| `{item.name}` | {item.projects} | {lacking(item)} | {exceptions()[item.name][1]} |"
        for item in items
        if lacking(item)
    ]
    lines += [
        "",
        "## No gradient in MindSpore",
        "",
        "Differentiating them fails in MindSpore on its CPU, so there is none to compare with.",
        "",
    ]
    lines += [
        f"- `{item.name}`: {item.gradient_error}"
        for item in items
        if item.forward and item.has_gradient and not item.is_differentiable
    ]
    lines += [
        "",
        "## Not counted: nothing to compute, or nothing to compare with",
        "",
        "| reason | names |",
        "|---|---|",
    ]
    reasons: dict[str, list[str]] = {}
    for name, (lacks, reason) in sorted(exceptions().items()):
        if lacks == "none":
            reasons.setdefault(reason, []).append(f"`{name}`")
    lines += [f"| {reason} | {', '.join(names)} |" for reason, names in sorted(reasons.items())]
    return "\n".join(lines) + "\n"


@cache
def is_placeholder(value: Any) -> bool:
    """Whether it only says why it is not there; it stands in the module once it was asked for."""
    return STUB_MARK in (getattr(value, "__dict__", None) or {})


def operators() -> dict[str, str]:
    """Each callable that ``ops`` and ``ops.operations`` show, by its shortest name: "compared" with real MindSpore's
    results in a case; "run" in a case that real MindSpore's CPU refuses; "tested" if another test names it; "" if none
    does.
    """
    names: dict[int, list[str]] = {}
    for space in (ops, ops.operations):
        for name in dir(space):
            value = getattr(space, name)
            if (
                not name.startswith("_")
                and callable(value)
                and not inspect.ismodule(value)
                and not is_placeholder(value)
            ):
                if str(getattr(value, "__module__", "mindspore_compat.ops")).startswith(
                    ("mindspore_compat.ops", "mindspore_compat._ops")
                ):
                    names.setdefault(id(value), []).append(name)
    golden, compared, run = load(), set(), set()
    for case in cases():
        found = set(re.findall(r"\b(?:ops|P|F|C)\.(?:_?[a-z]\w*_(?:ops|generate)\.)?([A-Za-z_]\w*)", case))
        run |= found
        compared |= found if "out" in golden.get(case, {}) or case.startswith("! ") else set()
    tests = Path(__file__).parents[1]
    sources = [path for path in tests.rglob("*.py") if path.name != "test_differential.py"]  # which lists names
    words = {word for path in sources for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    kinds = (("compared", compared), ("run", run), ("tested", words))
    return {
        min(own, key=lambda name: (len(name), name)): next((kind for kind, known in kinds if known & {*own}), "")
        for own in names.values()
    }


def print_operators() -> None:
    """How many operators are tested how, and those that no test names."""
    kinds = operators()
    for kind in ("compared", "run", "tested", ""):
        print(f"{sum(value == kind for value in kinds.values()):5} {kind or 'not named by any test'}")
    print(*sorted(name for name, kind in kinds.items() if not kind))


def main() -> None:
    if "--operators" in sys.argv:
        return print_operators()
    if "--write" in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
    listed = exceptions()
    missing = [item for item in computations() if lacking(item) and item.name not in listed]
    print(
        *[
            f"{item.area:16} {lacking(item):9} {item.projects:4} {item.name:45} "
            f"{[text[:150] for text in item.refused[:2]]}"
            for item in missing
        ],
        sep="\n",
    )
    print(
        len(computations()),
        "computations; forward {:.1%}, backward {:.1%}".format(*shares()),
        "; without case and reason:",
        len(missing),
    )


if __name__ == "__main__":
    main()
