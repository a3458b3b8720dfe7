"""Resolution of a MindSpore name to an object here, and of an object to its state: present, in part, placeholder,
absent.
"""

from __future__ import annotations

import ast
import dis
import importlib
import inspect
import types
from typing import Any, NamedTuple

from .errors import PACKAGE, UPSTREAM
from .placeholders import PARTIAL_MARK, STUB_MARK

FULL, PARTIAL, PLACEHOLDER, MISSING = "full", "partial", "placeholder", "missing"
ABSENT = object()
INSTANCE_ATTRIBUTE = object()  # set on instances in a method, so there is no object to show at class level


class State(NamedTuple):
    """Entry of the table: one of the four states and the reason when it is not ``full``."""

    state: str
    note: str = ""


def resolve(name: str) -> Any:
    """Return the object for ``mindspore.a.b``, or `ABSENT`. Import modules as needed."""
    head, *rest = name.split(".")
    if head != UPSTREAM:
        return ABSENT
    value: Any = importlib.import_module(PACKAGE)
    for position, part in enumerate(rest):
        found = _step(value, part)
        if found is ABSENT and isinstance(value, types.FunctionType):
            found = _step_into_module(".".join([PACKAGE, *rest[:position]]), part)
        value = found
        if value is ABSENT:
            break
    return value


def _step_into_module(module: str, part: str) -> Any:
    """Return ``part`` of a module that a function of the same name hides from attribute access, as MindSpore's
    ``ops.op_info_register``.
    """
    try:
        return _step(importlib.import_module(module), part)
    except ImportError:
        return ABSENT


def _step(value: Any, part: str) -> Any:
    try:
        return getattr(value, part)
    except (AttributeError, ImportError):
        pass
    if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == PACKAGE:
        try:
            return importlib.import_module(f"{value.__name__}.{part}")
        except ImportError:
            return ABSENT
    if isinstance(value, type) and is_set_on_instances(value, part):
        return INSTANCE_ATTRIBUTE
    if isinstance(value, type) and value.__module__.startswith(f"{PACKAGE}.dataset."):
        # The census says "Dataset" of every dataset, and only sources have samplers.
        sources: list[type] = type.__subclasses__(value)
        steps = (_step(source, part) for source in sources)
        return next((found for found in steps if found is not ABSENT), ABSENT)
    return ABSENT


def is_set_on_instances(cls: type, attribute: str) -> bool:
    for base in cls.__mro__:
        if attribute in vars(base).get("__annotations__", {}):
            return True
        for function in vars(base).values():
            if isinstance(function, types.FunctionType) and _stores_attribute(function, attribute):
                return True
    return False


def _stores_attribute(function: types.FunctionType, attribute: str) -> bool:
    return attribute in function.__code__.co_names and any(
        step.opname == "STORE_ATTR" and step.argval == attribute for step in dis.get_instructions(function)
    )


def derive(name: str, signature: str) -> State:
    """Return the state of MindSpore name `name` in the code; `signature` is MindSpore's, ``""`` if unknown."""
    value = resolve(name)
    if value is ABSENT:
        return State(MISSING)
    marks = getattr(value, "__dict__", {})
    if STUB_MARK in marks:
        return State(PLACEHOLDER, str(marks[STUB_MARK]) if isinstance(marks[STUB_MARK], str) else "")
    if PARTIAL_MARK in marks:
        return State(PARTIAL, marks[PARTIAL_MARK])
    owner = resolve(name.rpartition(".")[0])
    is_member = isinstance(owner, type)
    differences = argument_differences(value, signature, is_member=is_member)
    if is_member and differences != "" and _comes_from_torch(owner, name.rpartition(".")[2]):
        return State(PARTIAL, "torch's own: arguments and result as torch has them")
    return State(PARTIAL, f"arguments: {differences}") if differences else State(FULL)


def _comes_from_torch(cls: type, attribute: str) -> bool:
    for base in cls.__mro__:
        if attribute in vars(base):
            return base.__module__.partition(".")[0] == "torch"
    return False


def argument_differences(value: Any, signature: str, *, is_member: bool = False) -> str | None:
    """Return the difference of the arguments from MindSpore's `signature`: ``""`` if they agree, None if they cannot be
    compared.
    """
    upstream = _parse_signature(signature)
    if upstream is None or not callable(value):
        return None
    try:
        ours = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return None
    if is_member and ours and ours[0].name in ("self", "cls"):
        ours = ours[1:]
    kinds = {parameter.kind for parameter in ours}
    takes_any_name = inspect.Parameter.VAR_KEYWORD in kinds
    if takes_any_name and inspect.Parameter.VAR_POSITIONAL in kinds:
        return None
    by_name = {parameter.name: parameter for parameter in ours}
    found = []
    lacking = [name for name in upstream.defaults if name not in by_name]
    if lacking and not takes_any_name:
        found.append("lacks " + ", ".join(lacking))
    found += [
        f"default of {name} is {by_name[name].default!r}, MindSpore's {text}"
        for name, text in upstream.defaults.items()
        if name in by_name and text is not None and _differs(by_name[name].default, text)
    ]
    positional = [p.name for p in ours if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    expected = [name for name in upstream.positional if name in by_name]
    if not lacking and positional[: len(expected)] != expected:
        found.append("order is " + ", ".join(positional) + f"; MindSpore's {', '.join(expected)}")
    return "; ".join(found)


class _Signature(NamedTuple):
    positional: list[str]
    defaults: dict[str, str | None]  # None: required, or a default that is no literal


def _parse_signature(signature: str) -> _Signature | None:
    if not signature:
        return None
    definition = ast.parse(f"def f{signature}: pass").body[0]
    assert isinstance(definition, ast.FunctionDef)
    arguments = definition.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    defaults: dict[str, str | None] = dict.fromkeys(positional)
    first_default = len(positional) - len(arguments.defaults)
    pairs = [*zip(positional[first_default:], arguments.defaults, strict=True)]
    pairs += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    defaults.update(dict.fromkeys(argument.arg for argument in arguments.kwonlyargs))
    for name, value in pairs:
        text = ast.unparse(value)
        defaults[name] = None if text == "..." else text
    return _Signature(positional, defaults)


def _differs(ours: Any, upstream: str) -> bool:
    if ours is inspect.Parameter.empty:
        return True
    literal = ast.literal_eval(upstream)
    if literal is not None and not isinstance(ours, (bool, int, float, str, tuple, list, dict, type(None))):
        return False  # an enum or dtype here where MindSpore has its text, or the like
    return bool(ours != literal)
