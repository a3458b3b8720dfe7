"""Operators by the names that upstream's Tensor methods look up. Upstream:
``mindspore.common._register_for_tensor``.
"""

from __future__ import annotations

from typing import Any

from mindspore_compat.ops import function
from mindspore_compat.ops import operations as P

__all__ = ["tensor_operator_registry"]

#: those that are named otherwise than a function
_OPERATORS: dict[str, str] = {
    "__add__": "add",
    "__sub__": "sub",
    "__mul__": "mul",
    "__truediv__": "true_divide",
    "__floordiv__": "floor_divide",
    "__mod__": "floor_mod",
    "__pow__": "pow",
    "__matmul__": "matmul",
    "__neg__": "neg",
    "__logical_not__": "logical_not",
    "__lt__": "less",
    "__le__": "less_equal",
    "__gt__": "greater",
    "__ge__": "greater_equal",
    "__ne__": "not_equal",
    "bool": "bool_",
}
_CLASSES = {"reduce_sum": "ReduceSum", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin"}


class Registry:
    """Operators as attributes: those that programs set, and the functions of ``mindspore.ops``."""

    def register(self, name: str, operator: Any) -> Any:
        """Keep an operator under a name."""
        setattr(self, name, operator)
        return operator

    def get(self, name: str) -> Any:
        """The operator of a name.

        Raises:
            TypeError: unless it is a str. AttributeError: for an unknown name.
        """
        if not isinstance(name, str):
            raise TypeError(f"For 'tensor_operator_registry', the key must be a str, but got {type(name).__name__}.")
        return getattr(self, name)

    def __getattr__(self, name: str) -> Any:
        if name in _CLASSES:
            return getattr(P, _CLASSES[name])()
        found = getattr(function, _OPERATORS.get(name, name), None)
        if found is None or name in function.INTERNAL:
            raise AttributeError(f"'tensor_operator_registry' has no operator {name!r}. Register one.")
        return found


tensor_operator_registry = Registry()
