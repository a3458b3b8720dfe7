"""``python -m tests.api.make_release_names GIT`` reads the public names of earlier releases of MindSpore, and the
names of their parameters, from a checkout (``ast`` only: names, no code), and writes release_names.csv.

A row is a module (or a class, for methods), the first and the last of `RELEASES` that has the names, and the names, each
with its parameters in all releases; an object's parameters stand where it is found first.
"""

from __future__ import annotations

import ast
import csv
import io
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("release_names.csv")
SPANS = Path(__file__).parents[2] / "mindspore_compat/_api/release_spans.csv"
RELEASES = "1.0 1.1 1.3 1.5 1.7 1.9 2.0 2.2 2.3".split()
#: modules that programs import from, relative to the package
MODULES = """
    . nn ops ops.operations ops.functional ops.composite common common.api common.dtype common.initializer
    common.parameter common.seed common.tensor common.sparse_tensor context communication communication.management
    dataset dataset.transforms dataset.vision dataset.text dataset.audio dataset.config dataset.engine dataset.callback
    dataset.transforms.c_transforms dataset.transforms.py_transforms dataset.transforms.transforms
    dataset.vision.c_transforms dataset.vision.py_transforms dataset.vision.transforms dataset.vision.utils
    dataset.text.transforms dataset.text.utils dataset.audio.transforms dataset.audio.utils numpy train train.callback
    train.model train.serialization train.loss_scale_manager train.amp train.summary train.metrics train.dataset_helper
    mindrecord nn.cell nn.layer nn.loss nn.optim nn.wrap nn.metrics nn.transformer nn.dynamic_lr
    nn.learning_rate_schedule nn.sparse nn.grad nn.probability nn.probability.bijector nn.probability.distribution
    nn.probability.bnn_layers nn.probability.dpn nn.probability.infer nn.probability.toolbox nn.probability.transforms
    parallel parallel.nn scipy scipy.linalg scipy.optimize scipy.fft scipy.sparse.linalg boost amp profiler rewrite mint
    mint.nn mint.optim mint.linalg mint.nn.functional experimental.optim hal compression.quant log
""".split()
#: classes of which the methods are listed
CLASSES = """
    common.tensor.Tensor common.parameter.Parameter common.parameter.ParameterTuple nn.cell.Cell
    nn.optim.optimizer.Optimizer train.model.Model
""".split()
_GENERATED = "mindspore.ops.auto_generate"


class Definition(NamedTuple):
    """A function or class, or the value of an assignment, and the module that has it."""

    module: str
    node: ast.AST
    parameters: list[str] | None = None


class Release:
    """The modules of a release; what a name of theirs is, is followed through imports."""

    def __init__(self, git: str, release: str) -> None:
        self.sources = dict(_sources(git, release))
        self.generated = _generated(git, release)
        self.trees: dict[str, list[ast.stmt]] = {}
        self.names: dict[str, dict[str, Any]] = {}
        for _ in range(3):  # modules that import each other see the names of the round before
            self.before, self.names = self.names, {}
            for module in sorted(self.sources):
                self.of(module)

    def of(self, module: str) -> dict[str, Any]:
        """{name: Definition, or the name of a module}; ``__all__`` is a list, ``.own`` the names defined there."""
        if module in self.names:
            return self.names[module] if ".done" in self.names[module] else self.before.get(module, self.names[module])
        found = self.names[module] = {".own": set(), **self.generated.get(module, {})}
        found[".own"].update(self.generated.get(module, {}))
        if module in self.sources:
            if module not in self.trees:
                self.trees[module] = list(_statements(ast.parse(self.sources[module][1]).body))
            for node in self.trees[module]:
                self._read(module, node, found)
        found[".done"] = True
        return found

    def _read(self, module: str, node: ast.stmt, found: dict[str, Any]) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = Definition(module, node)
            found[".own"].add(node.name)
        elif isinstance(node, ast.Import):
            found.update({item.asname or item.name.partition(".")[0]: item.name for item in node.names})
        elif isinstance(node, ast.ImportFrom):
            source = self._absolute(module, node)
            there = self.of(source) if source.startswith("mindspore") else {}
            for item in node.names:
                if item.name == "*":
                    names = there.get("__all__") or [name for name in there if name[0] not in "_."]
                    found.update({name: there[name] for name in names if name in there})
                elif item.name in there or f"{source}.{item.name}" in self.sources:
                    found[item.asname or item.name] = there.get(item.name, f"{source}.{item.name}")
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == "__all__":
                    found["__all__"] = self._listed(module, node.value, found)
                elif isinstance(target, ast.Name):
                    found[target.id] = self._value(module, node.value, found)
                    found[".own"].add(target.id)
        elif isinstance(node, ast.AugAssign) and getattr(node.target, "id", "") == "__all__":
            found["__all__"] = found.get("__all__", []) + self._listed(module, node.value, found)
        elif isinstance(node, ast.Expr) and ast.unparse(node).startswith(("__all__.extend(", "__all__.append(")):
            value = node.value.args[0]  # type: ignore[attr-defined]
            found["__all__"] = found.get("__all__", []) + self._listed(module, value, found)

    def _absolute(self, module: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        parts = parts[: len(parts) - node.level + self.sources[module][0]]
        return ".".join(parts + ([node.module] if node.module else []))

    def _value(self, module: str, value: ast.expr, found: dict[str, Any]) -> Any:
        known = self._named(module, value, found) if isinstance(value, (ast.Name, ast.Attribute)) else None
        return known or Definition(module, value)

    def _named(self, module: str, value: ast.AST, found: dict[str, Any]) -> Any:
        if isinstance(value, ast.Name):
            return found.get(value.id)
        if isinstance(value, ast.Attribute):
            owner = self._named(module, value.value, found)
            return self.of(owner).get(value.attr) if isinstance(owner, str) else None
        return None

    def _listed(self, module: str, value: ast.AST, found: dict[str, Any]) -> list[str]:
        if isinstance(value, (ast.List, ast.Tuple)):
            return [item for element in value.elts for item in self._listed(module, element, found)]
        if isinstance(value, ast.Constant):
            return [value.value]
        if isinstance(value, ast.BinOp):
            return self._listed(module, value.left, found) + self._listed(module, value.right, found)
        if isinstance(value, ast.Name) and isinstance(found.get(value.id), Definition):
            return self._listed(module, found[value.id].node, found)
        if isinstance(value, ast.Attribute):
            owner = self._named(module, value.value, found)
            return (
                self.of(owner if isinstance(owner, str) else f"{module}.{ast.unparse(value.value)}").get("__all__")
                or []
            )
        if isinstance(value, ast.ListComp):
            return [name for name in found if name[0] not in "_."]
        return []

    def public(self, module: str) -> Iterator[tuple[str, Definition]]:
        """The functions, classes and operators of a module that programs see."""
        found = self.of(module)
        for name in found.get("__all__") or sorted(found[".own"]):
            item = found.get(name)
            if not isinstance(item, Definition) or name.startswith("_"):
                continue
            if isinstance(item.node, (ast.FunctionDef, ast.ClassDef, ast.Call)) or module in (
                "mindspore",
                "mindspore.common.dtype",
            ):
                yield name, item

    def bases(self, item: Definition) -> Iterator[Definition]:
        yield item
        for base in getattr(item.node, "bases", ()):
            found = self._named(item.module, base, self.of(item.module))
            if isinstance(found, Definition) and isinstance(found.node, ast.ClassDef):
                yield from self.bases(found)

    def methods(self, item: Definition) -> dict[str, ast.FunctionDef]:
        """The methods of a class and of those it derives from."""
        found: dict[str, ast.FunctionDef] = {}
        for base in self.bases(item):
            for node in base.node.body:  # type: ignore[attr-defined]
                if isinstance(node, ast.FunctionDef):
                    found.setdefault(node.name, node)
        return found

    def parameters(self, item: Definition) -> list[str]:
        """The names of a function's or a constructor's parameters that can be given by name."""
        if item.parameters is not None:
            return item.parameters
        if isinstance(item.node, ast.ClassDef):
            constructor = self.methods(item).get("__init__")
            return _parameters(constructor)[1:] if constructor else []
        return _parameters(item.node) if isinstance(item.node, ast.FunctionDef) else []


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, (ast.If, ast.Try)):
            inner = [*node.body, *(line for one in getattr(node, "handlers", ()) for line in one.body), *node.orelse]
            yield from _statements(inner)
        else:
            yield node


def _parameters(function: ast.FunctionDef) -> list[str]:
    return [item.arg for item in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def _archive(git: str, release: str, *patterns: str) -> Iterator[tuple[str, str]]:
    packed = subprocess.run(
        ["git", "--git-dir", git, "archive", f"v{release}.0", *patterns], capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        for member in files:
            if member.isfile():
                yield member.name, files.extractfile(member).read().decode("utf-8")  # type: ignore[union-attr]


def _sources(git: str, release: str) -> Iterator[tuple[str, tuple[bool, str]]]:
    """(module, (whether it is a package, its text))."""
    root = "mindspore/python/mindspore" if release in RELEASES[4:] else "mindspore"
    excluded = (f":(exclude){root}/{name}" for name in ("ccsrc", "lite", "core"))
    for path, text in _archive(git, release, f":(glob){root}/**/*.py", *excluded):
        parts = ["mindspore", *Path(path).relative_to(root).with_suffix("").parts]
        is_package = parts[-1] == "__init__"
        yield ".".join(parts[:-1] if is_package else parts), (is_package, text)


def _generated(git: str, release: str) -> dict[str, dict[str, Definition]]:
    """The operators and functions that 2.3's build writes from its tables."""
    if release != "2.3":
        return {}
    import yaml

    operators, functions = {}, {}
    for path, text in _archive(git, release, ":(glob)mindspore/core/ops/ops_def/*.yaml"):
        for name, row in (yaml.safe_load(text) or {}).items() if path.endswith(".yaml") else ():
            if not isinstance(row, dict) or "args" not in row:
                continue
            arguments, of_class, of_function = row["args"] or {}, row.get("class") or {}, row.get("function") or {}
            if not of_class.get("disable"):
                shown = of_class.get("name") or "".join(part.capitalize() for part in name.split("_"))
                given = [key for key, value in arguments.items() if value.get("prim_init")]
                operators[shown] = Definition(f"{_GENERATED}.{shown}", ast.Call(), given)
            if not of_function.get("disable"):
                shown = of_function.get("name") or name
                functions[shown] = Definition(f"{_GENERATED}.{shown}", ast.Call(), list(arguments))
    return {f"{_GENERATED}.gen_ops_prim": operators, f"{_GENERATED}.gen_ops_def": functions}


def main(git: str) -> None:
    found: dict[tuple[str, str], tuple[list[str], dict[str, None]]] = {}
    written: dict[Any, set[str]] = {}

    def add(release: str, place: str, name: str, parameters: list[str], key: Any) -> None:
        releases, known = found.setdefault((place, name), ([], {}))
        releases.append(release)
        first = written.setdefault((release, key), {place})
        if place in first:
            known.update(dict.fromkeys(parameters))

    for release in RELEASES:
        read = Release(git, release)
        for module in MODULES:
            full = f"mindspore.{module}".rstrip(".")
            if full in read.sources:
                for name, item in read.public(full):
                    add(release, full, name, read.parameters(item), (item.module, getattr(item.node, "name", name)))
        for place in CLASSES:
            module, _, name = f"mindspore.{place}".rpartition(".")
            for method, node in read.methods(read.of(module)[name]).items():
                is_property = any(
                    "property" in ast.unparse(item) or "setter" in ast.unparse(item) for item in node.decorator_list
                )
                if not method.startswith("_"):
                    is_static = any(ast.unparse(item) == "staticmethod" for item in node.decorator_list)
                    parameters = [] if is_property else _parameters(node)[0 if is_static else 1 :]
                    add(release, f"{module}.{name}", method, parameters, (place, method))
    rows: dict[tuple[str, str, str], list[str]] = {}
    for (place, name), (releases, parameters) in sorted(found.items()):
        shown = f"{name}({','.join(parameters)})" if parameters else name
        rows.setdefault((place, releases[0], releases[-1]), []).append(shown)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["module", "first", "last", "names"])
        writer.writerows((*key, " ".join(names)) for key, names in rows.items())
    SPANS.write_text(spans(), encoding="utf-8")


def spans() -> str:
    """The part of the table by which ``mindspore-compat check`` tells a program's release: names alone, of those that
    some releases do not have.
    """
    lines = ["module,first,last,names"]
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if (row["first"], row["last"]) != (RELEASES[0], RELEASES[-1]):
                names = " ".join(name.partition("(")[0] for name in row["names"].split())
                lines.append(f"{row['module']},{row['first']},{row['last']},{names}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
