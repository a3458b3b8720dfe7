"""Operators by name: ``mindspore.ops.tensor_operator_registry``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.ops import function


class Registry:
    """Registry of operators from programs, and of the functions of ``mindspore.ops``."""

    def register(self, name: str, operator: Any) -> Any:
        """Store an operator under a name."""
        setattr(self, name, operator)
        return operator

    def get(self, name: str) -> Any:
        """Return the operator of a name."""
        return getattr(self, name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(function, name):
            raise AttributeError(f"'tensor_operator_registry' has no operator {name!r}. Register one.")
        return getattr(function, name)


tensor_operator_registry = Registry()
