"""MindSpore names in Python files: each use with file and line, found by parsing, never by running."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import warnings
from collections.abc import Iterator
from pathlib import Path

from .coverage import Row, read_table
from .errors import UPSTREAM
from .public import public_names
from .releases import notes, parse, written_for
from .resolve import ABSENT, FULL, MISSING, State, derive, resolve


@dataclasses.dataclass(frozen=True, order=True)
class Use:
    """One mention of MindSpore name `name` in `path`."""

    path: str
    line: int
    name: str


def python_files(path: Path) -> list[Path]:
    """Return the file itself, or every ``.py`` below the folder that is not in a hidden one."""
    if path.is_file():
        return [path]
    found = (file for file in path.rglob("*.py") if not any(p.startswith(".") for p in file.relative_to(path).parts))
    return sorted(file for file in found if file.is_file())  # no FIFO, which waits for ever


def imported_files(script: Path) -> list[Path]:
    """Return the script and the files beside it that it imports, directly or in turn; the first 100."""
    found, queue = {script: None}, [script]
    while queue and len(found) < 100:
        try:
            tree = ast.parse(queue.pop().read_bytes())
        except (OSError, SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        for node in ast.walk(tree):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            modules += [item.name for item in node.names] if isinstance(node, ast.Import) else []
            for name in {name.partition(".")[0] for name in modules} - {""}:
                file, folder = script.parent / f"{name}.py", script.parent / name
                new = [item for item in ([file] if file.is_file() else python_files(folder)) if item not in found]
                found.update(dict.fromkeys(new))
                queue += new
    return list(found)[:100]


def written_before_2_0(uses: list[Use]) -> tuple[str, list[Use]] | None:
    """Return the last release before 2.0 that has all names, and the uses whose meaning has changed since; None for
    newer programs, and for those without such uses.
    """
    span = written_for({use.name for use in uses})
    if span is None or parse(span[1]) >= (2, 0):
        return None
    changed = [use for use in uses if use.name in notes()]
    return (span[1], changed) if changed else None


def find_uses(path: Path) -> list[Use]:
    """Return every MindSpore name that the file at `path` mentions."""
    reader = _Reader()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in other people's strings
            tree = ast.parse(path.read_bytes(), str(path))
        reader.visit(tree)
    except (MemoryError, RecursionError):  # the parser calls its own stack memory
        raise SyntaxError("nested too deeply", (str(path), 1, 1, "")) from None
    return sorted({Use(str(path), line, name) for line, name in reader.uses})


_INSTANCE = "()"


class _Reader(ast.NodeVisitor):
    """Visitor that follows import aliases through scopes. A scope maps a name to the MindSpore name it stands for, to
    the name of its class and `_INSTANCE`, or to None.
    """

    def __init__(self) -> None:
        self.uses: list[tuple[int, str]] = []
        self._scopes: list[dict[str, str | None]] = [{}]
        self._class_scopes: list[dict[str, str | None]] = []
        self._owners: list[tuple[dict[str, str | None], str | None]] = []  # a class's scope, what it derives from
        self._attributes: list[dict[str, str | None]] = []  # of self, in the classes around
        self._star_modules: list[str] = []

    def visit_Import(self, node: ast.Import) -> None:
        for item in node.names:
            if not _is_upstream(item.name):
                self._scopes[-1][item.asname or item.name.partition(".")[0]] = None
                continue
            self._use(node, item.name)
            self._scopes[-1][item.asname or UPSTREAM] = item.name if item.asname else UPSTREAM

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        for item in node.names:
            if node.level or not _is_upstream(module):
                self._scopes[-1][item.asname or item.name] = None
            elif item.name == "*":
                self._use(node, module)
                self._star_modules.append(module)
            else:
                self._use(node, f"{module}.{item.name}")
                self._scopes[-1][item.asname or item.name] = f"{module}.{item.name}"

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._scopes[-1][node.id] = None
            return
        name = self._lookup(node.id)
        if name is not None and not name.endswith(_INSTANCE):
            self._use(node, name)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        base = self._lookup(inner.id) if isinstance(inner, ast.Name) else None
        if base is None:
            self.generic_visit(node)
        elif base.endswith(_INSTANCE):
            held = self._attributes[-1].get(parts[-1]) if self._attributes and inner.id == "self" else None  # type: ignore[attr-defined]
            owner, member = (held, parts[-2]) if held and len(parts) > 1 else (base, parts[-1])
            name = _member(owner.removesuffix(_INSTANCE), member)
            if name is not None and isinstance(node.ctx, ast.Load):
                self._use(node, name)
        else:
            self._use(node, ".".join([base, *reversed(parts)]))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        outside = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        if not isinstance(node, ast.Lambda):
            self._scopes[-1][node.name] = None
            outside += [*node.decorator_list, *filter(None, [node.returns])]
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        arguments += [argument for argument in (node.args.vararg, node.args.kwarg) if argument]
        for expression in [*outside, *(argument.annotation for argument in arguments if argument.annotation)]:
            self.visit(expression)
        known = {argument.arg: self._class_of(argument.annotation) for argument in arguments}
        if self._owners and self._scopes[-1] is self._owners[-1][0] and arguments:
            known[arguments[0].arg] = self._owners[-1][1]
        self._scopes.append(known)
        body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
        for child in body:
            self.visit(child)
        self._scopes.pop()

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scopes[-1][node.name] = None
        for child in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(child)
        bases = [found for found in map(self._class_of, node.bases) if found is not None]
        self._scopes.append({})
        self._class_scopes.append(self._scopes[-1])
        self._owners.append((self._scopes[-1], bases[0] if bases else None))
        self._attributes.append({})
        for statement in node.body:
            self.visit(statement)
        self._attributes.pop()
        self._owners.pop()
        self._class_scopes.pop()
        self._scopes.pop()

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        self._scopes.append({})
        for generator in node.generators:
            self.visit(generator)
        for child in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.visit(child)
        self._scopes.pop()

    visit_SetComp = visit_ListComp
    visit_GeneratorExp = visit_ListComp
    visit_DictComp = visit_ListComp

    def visit_Assign(self, node: ast.Assign) -> None:
        """Visit the value before the targets: ``nn = nn.Cell`` reads the old meaning. ``P = ops.operations`` is an
        alias.
        """
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)
        made = self._class_of(node.value.func) if isinstance(node.value, ast.Call) else None
        name = made or self._dotted(node.value)
        target = node.targets[0]
        if name is not None and len(node.targets) == 1 and isinstance(target, ast.Name):
            self._scopes[-1][target.id] = name
        of_self = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
        if of_self and self._attributes:
            self._attributes[-1][target.attr] = made  # type: ignore[attr-defined]

    def _class_of(self, node: ast.expr | None) -> str | None:
        """Return the class name and `_INSTANCE` of a call of a MindSpore class, or of an annotation with it."""
        name = self._dotted(node) if node is not None else None
        if name is None or name.endswith(_INSTANCE) or not isinstance(resolve(name), type):
            return None
        return name + _INSTANCE

    def _dotted(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Attribute):
            base = self._dotted(node.value)
            return None if base is None or base.endswith(_INSTANCE) else f"{base}.{node.attr}"
        return self._lookup(node.id) if isinstance(node, ast.Name) else None

    def _lookup(self, identifier: str) -> str | None:
        for scope in reversed(self._scopes):
            hidden = any(scope is class_scope for class_scope in self._class_scopes) and scope is not self._scopes[-1]
            if identifier in scope and not hidden:  # a method does not see the names of its class body
                return scope[identifier]
        if hasattr(builtins, identifier):
            return None
        candidates = (f"{module}.{identifier}" for module in self._star_modules)
        return next((name for name in candidates if name in _table() or resolve(name) is not ABSENT), None)

    def _use(self, node: ast.AST, name: str) -> None:
        self.uses.append((getattr(node, "lineno", 0), name))


def _member(owner: str, member: str) -> str | None:
    """Return the public name of a member of Tensor, Parameter or Cell, None if MindSpore's class does not have it."""
    cls = resolve(owner)
    for base in ("mindspore.Parameter", "mindspore.Tensor", "mindspore.nn.Cell"):
        if isinstance(cls, type) and issubclass(cls, resolve(base)):
            return f"{base}.{member}" if member in public_names()[base] else None
    return None


def _is_upstream(module: str) -> bool:
    return module == UPSTREAM or module.startswith(UPSTREAM + ".")


_rows: dict[str, Row] = {}


def _table() -> dict[str, Row]:
    if not _rows:
        _rows.update((row.name, row) for row in read_table())
    return _rows


def state_of(name: str) -> tuple[str, State]:
    """Return the deciding name, and its state; below a missing module or an object that name is shorter than `name`."""
    for prefix in _prefixes(name):
        row = _table().get(prefix)
        if row is not None and (prefix == name or row.state == MISSING or row.kind in ("object", "member", "gone")):
            return prefix, State(row.state, row.note)
    state = derive(name, "")
    if state.state != MISSING:
        return name, state
    # `mindspore.float32.itemsize`: an attribute of an object that is there is none of MindSpore's names
    parent = name.rpartition(".")[0]
    owner = resolve(parent)
    is_instance = owner is not ABSENT and not isinstance(owner, type) and type(owner).__name__ != "module"
    return (parent, State(FULL)) if is_instance else (name, state)


def _prefixes(name: str) -> Iterator[str]:
    """Return prefixes, shortest first: a missing module explains every missing name below it."""
    parts = name.split(".")
    return (".".join(parts[: count + 1]) for count in range(len(parts)))
