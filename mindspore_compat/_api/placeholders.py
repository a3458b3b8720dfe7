"""Module ``__getattr__`` factory: lazy upward names, placeholders for unsupported ones, errors for absent ones."""

from __future__ import annotations

import difflib
import importlib
import opcode
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .errors import COVERAGE_PAGE, UnsupportedError, absent_message, upstream_name

__all__ = ["PARTIAL_MARK", "STUB_MARK", "describe_partial", "module_getattr", "placeholder"]

STUB_MARK = "__mindspore_compat_stub__"
PARTIAL_MARK = "__mindspore_compat_partial__"
_IMPORT_FROM = opcode.opmap["IMPORT_FROM"]

T = TypeVar("T")


#: called when a name has brought a module that was not loaded before: `alias` enters it under its other name
AFTER_LOADING: list[Callable[[], None]] = []


def describe_partial(note: str) -> Callable[[T], T]:
    """Decorate an object that works only in part; the coverage table shows `note` and the state ``partial``."""

    def mark(target: T) -> T:
        setattr(target, PARTIAL_MARK, note)
        return target

    return mark


def placeholder(name: str, reason: str) -> type:
    """Return a class that can be imported, subclassed and named, and raises UnsupportedError when it is called.

    `name` is the public name (ours or MindSpore's), `reason` one sentence saying why and what to use instead.
    """
    public = upstream_name(name)
    message = f"'{public}' is not supported by mindspore_compat: {reason} See {COVERAGE_PAGE}."

    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:
        raise UnsupportedError(message)

    module, _, short = name.rpartition(".")
    return type(short, (), {"__new__": __new__, "__doc__": message, "__module__": module, STUB_MARK: reason})


def module_getattr(
    module_name: str,
    lazy: Mapping[str, str] | None = None,
    unsupported: Mapping[str, str] | None = None,
    fallback: str = "",
) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of module `module_name`: ``__getattr__ = module_getattr(__name__, {...}, {...})``.

    Args:
        lazy: public name -> where it lives, relative to the package: ``"train.metrics:Accuracy"``; for the same name,
            or a module called so, ``"train.metrics"``; for a module of another name ``"train.metrics:"``. Imported on
            first use, then kept in the module.
        unsupported: public name -> one sentence why and what instead; the name becomes a placeholder.
        fallback: a module of the package, ``"ops.auto_generate.gen_ops_prim"``, whose public names are found here too:
            MindSpore's files of one room import each other's, and code takes a name from any of them.
    """
    lazy = lazy or {}
    unsupported = unsupported or {}

    def __getattr__(name: str) -> Any:
        if name in lazy:
            value = _load(lazy[name], name)
        elif name in unsupported:
            value = placeholder(f"{module_name}.{name}", unsupported[name])
        elif fallback and not name.startswith("_") and name in vars(_load(f"{fallback}:", name)):
            value = _load(f"{fallback}:{name}", name)
        elif name == "__all__":  # of a module that lists none: ``import *`` asks, and brings the lazy names, too
            return sorted(item for item in {*vars(sys.modules[module_name]), *lazy} if not item.startswith("_"))
        elif f"{module_name}.{name}" in sys.modules:  # of `moved.py`, which Python does not set as an attribute
            value = sys.modules[f"{module_name}.{name}"]
        else:
            raise _absent(module_name, name, sys._getframe(1), lazy)
        setattr(sys.modules[module_name], name, value)
        return value

    return __getattr__


def _load(target: str, name: str) -> Any:
    package = __name__.partition(".")[0]
    module_path, has_attribute, attribute = target.partition(":")
    full = f"{package}.{module_path}" if module_path else package
    is_new = full not in sys.modules
    module = importlib.import_module(full)
    if is_new:
        for told in AFTER_LOADING:
            told()
    if has_attribute:
        return getattr(module, attribute) if attribute else module
    # "train.metrics" is either the module called `name` itself or the module that holds `name`.
    return module if module_path.rpartition(".")[2] == name else getattr(module, name)


def _absent(module_name: str, name: str, caller: Any, lazy: Mapping[str, str]) -> Exception:
    """Return ImportError for `from m import name`, since Python replaces an AttributeError there by its own message."""
    full, module = f"{module_name}.{name}", sys.modules.get(module_name)
    message = absent_message(
        full, "" if name.startswith("_") else _spelled_alike(name, {*vars(module or object), *lazy})
    )
    if not _is_import_from(caller) or name.startswith("__"):
        told = f"module '{upstream_name(module_name)}' has no attribute '{name}': {message}"
        return AttributeError(told, name=name, obj=module)
    if full in sys.modules:  # a submodule still being imported: Python finds it there itself
        return AttributeError(name)
    return ImportError(f"cannot import name '{name}': {message}", name=upstream_name(module_name))


def _spelled_alike(name: str, known: set[str]) -> str:
    """Return the public name that differs from `name` in capitals or a few letters only, or ""."""
    public = sorted(candidate for candidate in known if not candidate.startswith("_"))
    same = [candidate for candidate in public if candidate.lower() == name.lower()]
    return next(iter(same or difflib.get_close_matches(name, public, 1, 0.85)), "")


def _is_import_from(frame: Any) -> bool:
    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] == _IMPORT_FROM
