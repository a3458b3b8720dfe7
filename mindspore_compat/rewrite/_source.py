"""The classes of a `SymbolTree` as source code."""

from __future__ import annotations

import ast
import builtins
import sys
import textwrap
import types
from typing import Any

from mindspore_compat import nn
from mindspore_compat._api.errors import PACKAGE, UPSTREAM

_COPY = """\
for key, value in obj.__dict__.items():
    self.__dict__[key] = type(value)(value) if key in ('_parameters', '_buffers', '_modules') else value"""


def source_of(tree: Any) -> str:
    """Return the source of the class of the tree's network, after those of its base classes and sub-networks."""
    module = _Module()
    module.network(tree)
    lines = ["import sys", f"from {UPSTREAM} import nn"]
    for name, names in module.imports.items():
        lines.append(f"from {name} import {', '.join(sorted(names))}")
    return "\n".join([*lines, *module.notes]) + "\n" + "".join(f"\n\n{text}" for text in module.classes.values())


class _OldSuper(ast.NodeTransformer):
    """``super()`` of the method's original class: the new class derives from that one."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [ast.parse(text, mode="eval").body for text in (self._owner, "self")]
        return node


class _Module:
    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}
        self.notes: list[str] = []
        self.classes: dict[str, str] = {}

    def _import(self, module: str, name: str) -> str:
        self.imports.setdefault(module.replace(PACKAGE, UPSTREAM, 1), set()).add(name)
        return name

    def _class(self, name: str, body: str) -> str:
        """Add ``class name body``, under another name if there is a different one of that name."""
        count, found = 0, name
        while self.classes.setdefault(found, f"class {found}{body}") != f"class {found}{body}":
            count += 1
            found = f"{name}_{count}"
        return found

    def _known(self, cls: type) -> str:
        if getattr(nn, cls.__name__, None) is cls:
            return f"nn.{cls.__name__}"
        if "<locals>" in cls.__qualname__:
            self.notes.append(f"# {cls.__name__} is made in a function, where nothing can be imported from.")
            return cls.__name__
        self._import(cls.__module__, cls.__qualname__.partition(".")[0])
        return cls.__qualname__

    def _fathers(self, cls: type) -> list[str]:
        """Return the base classes of the new class, its origin first."""
        outside = sys.stdlib_module_names | {"builtins"}
        bases = [base for base in cls.__bases__ if base.__module__.partition(".")[0] not in outside]
        return [self._known(cls), *(self._father(base) for base in bases)]

    def _father(self, cls: type) -> str:
        if cls.__module__.partition(".")[0] in (PACKAGE, "torch"):
            return self._known(cls)
        return self._class(f"{cls.__name__}Opt", f"({', '.join(self._fathers(cls))}):\n    pass\n")

    def network(self, tree: Any) -> str:
        """Add the class of a tree's network; return its name."""
        cls = type(tree._network)
        fathers = self._fathers(cls)
        lines = _COPY.split("\n")
        lines += [
            f"self.__class__.{name} = obj.__class__.{name}"
            for name, value in vars(cls).items()
            if not name.startswith("__") and not (isinstance(value, types.FunctionType) and value.__name__ == name)
        ]
        for node in tree._nodes:
            if node._sub_tree is not None:
                lines.append(f"self.{node._attribute} = {self.network(node._sub_tree)}(self.{node._attribute})")
            elif node._attribute is not None and not hasattr(tree._network, node._attribute):
                lines.append(f"# self.{node._attribute} = {type(node._instance).__name__}(...), which was inserted")
        method = _OldSuper(self._known(tree._owner)).visit(tree._method())
        self._globals(method, tree)
        made = f"def __init__(self, obj):\n{textwrap.indent(chr(10).join(lines), '    ')}\n\n{ast.unparse(method)}"
        return self._class(f"{cls.__name__}Opt", f"({', '.join(fathers)}):\n\n{textwrap.indent(made, '    ')}\n")

    def _globals(self, method: ast.FunctionDef, tree: Any) -> None:
        """Import the globals that the code uses from its module."""
        names = tree._function.__globals__
        used = {item.id for item in ast.walk(method) if isinstance(item, ast.Name)}
        for name in sorted(used & names.keys() - vars(builtins).keys()):
            if name not in ("nn", "sys") or names[name] not in (nn, sys):
                self._import(tree._function.__module__, name)
        for name in sorted(used & tree._closure.keys()):
            self.notes.append(f"# {name} is a variable of the function around {type(tree._network).__name__}.")
        for name in sorted(used & tree._objects.keys()):
            value = tree._objects[name]
            module, own = (str(getattr(value, key, "")) for key in ("__module__", "__name__"))
            if getattr(sys.modules.get(module), own, None) is value:
                self._import(module, f"{own} as {name}")
            else:
                self.notes.append(f"# {name} = {type(value).__name__}(...), which code cannot say.")
