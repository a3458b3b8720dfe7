"""Functions that programs register as a Primitive's implementation for debugging. Upstream:
``mindspore.ops.vm_impl_registry``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat.ops.primitive import Primitive

__all__ = ["VmImplRegistry", "get_vm_impl_fn", "vm_impl_registry"]


class VmImplRegistry(dict):
    """Name of an operator -> function."""

    def register(self, prim: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: keep the function for a Primitive class, or a name."""

        def keep(function: Callable[..., Any]) -> Callable[..., Any]:
            self[prim if isinstance(prim, str) else prim.__name__] = function
            return function

        return keep

    def get(self, prim: Any, default: Any = None) -> Any:
        """The function for a Primitive or a name; ``default`` if there is none."""
        return super().get(prim.name if isinstance(prim, Primitive) else prim, default)


vm_impl_registry = VmImplRegistry()


def get_vm_impl_fn(prim: Any) -> Any:
    """The function that was registered for a Primitive, its class or name, called with the Primitive; None without."""
    found = vm_impl_registry.get(prim)
    return found(prim) if found is not None else None
