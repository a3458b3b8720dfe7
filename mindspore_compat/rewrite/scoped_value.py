"""Values in source code. MindSpore: ``mindspore.rewrite.ScopedValue``."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from mindspore_compat._api.validate import check_type

__all__ = ["ScopedValue", "ValueType"]


class ValueType(Enum):
    """Kind of a `ScopedValue`."""

    ConstantValue = 0
    TupleValue = 20
    ListValue = 21
    DictValue = 22
    NamingValue = 40
    CustomObjValue = 41
    UnsupportedValue = 50


class ScopedValue:
    """A value in source code: a constant, a container of such, a variable (``scope.value``) or any object."""

    def __init__(self, arg_type: ValueType, scope: str = "", value: Any = None) -> None:
        self.type = check_type(arg_type, "arg_type", ValueType, "ScopedValue")
        self.scope = check_type(scope, "scope", str, "ScopedValue")
        self.value = value

    @classmethod
    def create_variable_value(cls, value: Any) -> ScopedValue:
        """Return the value of a Python object; tuples, lists and dicts item by item."""
        make = cls.create_variable_value
        if value is None or isinstance(value, (int, float, str, bool)):
            return cls(ValueType.ConstantValue, "", value)
        if isinstance(value, tuple):
            return cls(ValueType.TupleValue, "", tuple(make(item) for item in value))
        if isinstance(value, list):
            return cls(ValueType.ListValue, "", [make(item) for item in value])
        if isinstance(value, dict):
            return cls(ValueType.DictValue, "", {make(key): make(item) for key, item in value.items()})
        return cls(ValueType.CustomObjValue, "", value)

    @classmethod
    def create_naming_value(cls, name: str, scope: str = "") -> ScopedValue:
        """Return a variable ``name``, or ``scope.name``."""
        return cls(
            ValueType.NamingValue,
            check_type(scope, "scope", str, "ScopedValue"),
            check_type(name, "name", str, "ScopedValue"),
        )

    @staticmethod
    def create_name_values(names: Sequence[str], scopes: Sequence[str] | None = None) -> list[ScopedValue]:
        """Return a variable for each name.

        Raises:
            ValueError: if their numbers differ.
        """
        places = [""] * len(names) if scopes is None else scopes
        return [ScopedValue.create_naming_value(*pair) for pair in zip(names, places, strict=True)]

    def __str__(self) -> str:
        if self.type is ValueType.ConstantValue:
            return str(self.value)
        if self.type is ValueType.NamingValue:
            return f"{self.scope}.{self.value}" if self.scope else str(self.value)
        if self.type is ValueType.CustomObjValue:
            return f"CustomObj: {self.value}"
        return f"Illegal ValueType: {self.type}"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, ScopedValue)
            and self.type == other.type
            and self.scope == other.scope
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((self.type, self.scope, self.value))
