"""Functions of ``mindspore.mint`` from rows: MindSpore's signature, and the name of torch's function.

A row is ``name(signature)``, optionally with ``= other`` for a function under another name. Functions are looked up in
``adapted``, among this package's kernels for 16-bit floats on a CPU, then in torch's namespaces. ``@`` before a row
adds ``device=`` of the current device: the function makes a tensor from nothing. Arguments behind ``|`` are passed to
torch's function by name.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Collection, Iterator
from typing import Any

import torch

from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._numerics.kernels import KERNELS
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import wrap


def parsed(rows: str) -> Iterator[tuple[bool, str, str, str]]:
    """Yield (whether it makes a tensor from nothing, name, signature without parentheses, torch's name) of each row."""
    for line in textwrap.dedent(rows).strip().splitlines():
        left, _, other = line.rpartition(" = ") if ") = " in line else (line, "", "")
        name, _, rest = left.strip().partition("(")
        yield (
            name.startswith("@"),
            name.lstrip("@ "),
            rest.rstrip().removesuffix(")"),
            other.strip() or name.lstrip("@ "),
        )


def signature_of(arguments: str) -> inspect.Signature:
    """Return the signature in the text between parentheses."""
    names: dict[str, Any] = {}
    exec(f"def function({arguments}): pass", {"int64": torch.int64}, names)  # rows are our own
    return inspect.signature(names["function"])


def passed(signature: inspect.Signature, by_name: Collection[str] = ()) -> str:
    """Return the arguments of a call that passes all of them."""
    kinds: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*{0}",
        inspect.Parameter.VAR_KEYWORD: "**{0}",
        inspect.Parameter.KEYWORD_ONLY: "{0}={0}",
    }
    return ", ".join(
        ("{0}={0}" if name in by_name else kinds.get(item.kind, "{0}")).format(name)
        for name, item in signature.parameters.items()
    )


def _found(name: str, adapted: Any, namespaces: tuple[Any, ...]) -> Callable[..., Any]:
    if hasattr(adapted, name):
        return getattr(adapted, name)
    if name in KERNELS:
        return KERNELS[name]
    return next(getattr(space, name) for space in namespaces if hasattr(space, name))


def functions(rows: str, module: str, adapted: Any, *namespaces: Any, fast: str = "") -> dict[str, Callable[..., Any]]:
    """Return each row's function, which returns Tensors; those in ``fast`` have no `with_dtype_fallback`."""
    made = {}
    for creates, name, arguments, other in parsed(rows):
        target = _found(other, adapted, namespaces)
        first, _, named = arguments.partition("| ")
        arguments = first + named
        call = passed(signature_of(arguments), signature_of(named).parameters)
        call += ", device=_device()" if creates else ""
        scope: dict[str, Any] = {"_target": target, "_wrap": wrap, "_device": current_device, "int64": torch.int64}
        exec(f"def {name}({arguments}): return _wrap(_target({call}))", scope)
        function = scope[name]
        function.__module__, function.__qualname__ = module, name
        function.__doc__ = f"As ``torch``'s ``{getattr(target, '__name__', other)}``, with MindSpore's Tensors."
        made[name] = function if name in fast.split() else with_dtype_fallback(function)
    return made
