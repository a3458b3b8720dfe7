"""Families of dtypes, for type checks by libraries: ``isinstance(mindspore.float16, mstype.Float)``,
``mstype.number_type``, ``mstype.TensorType(mindspore.float32)``. MindSpore: ``mindspore._c_expression.typing``,
re-exported by ``mindspore.common.dtype``.
"""

from __future__ import annotations

import itertools
import types
from typing import Any

import numpy as np
import torch

int_type = (torch.int8, torch.int16, torch.int32, torch.int64)
uint_type = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)
_eighths = (torch.float8_e4m3fn, torch.float8_e5m2)
_floats = (torch.float16, torch.float32, torch.float64)
float_type = (*_floats, torch.bfloat16, *_eighths)
complex_type = (torch.complex64, torch.complex128)
number_type = (*int_type, *uint_type, *_floats, torch.bfloat16, *complex_type, *_eighths)
signed_type = (*int_type, *_floats, torch.bfloat16, *complex_type, *_eighths)
all_types = (torch.bool, *number_type)

_NAMES: dict[torch.dtype, str] = {
    torch.bool: "Bool",
    torch.int8: "Int8",
    torch.int16: "Int16",
    torch.int32: "Int32",
    torch.int64: "Int64",
    torch.uint8: "UInt8",
    torch.uint16: "UInt16",
    torch.uint32: "UInt32",
    torch.uint64: "UInt64",
    torch.float16: "Float16",
    torch.float32: "Float32",
    torch.float64: "Float64",
    torch.bfloat16: "BFloat16",
    torch.complex64: "Complex64",
    torch.complex128: "Complex128",
    torch.float8_e4m3fn: "Float8E4M3FN",
    torch.float8_e5m2: "Float8E5M2",
}


def dtype_name(dtype: Any) -> str:
    """Return MindSpore's printed name of a dtype, e.g. ``Float32``."""
    return _NAMES.get(dtype, str(dtype))


class _Types(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (torch.dtype, Marker, TensorType))


class Type(metaclass=_Types):
    """Base of all types: torch's dtypes, those of Tensors and those of Python's objects are instances."""


class _Family(type):
    """Class with torch dtypes as its instances."""

    members: tuple[torch.dtype, ...]

    def __instancecheck__(cls, instance: Any) -> bool:
        if isinstance(instance, torch.dtype):
            return instance in cls.members
        return type.__instancecheck__(cls, instance)


class Marker(metaclass=_Family):
    """Type of no tensor, such as Number or String. Given a width in bits, the dtype of that width."""

    members: tuple[torch.dtype, ...] = ()
    #: text of ``str`` and, after ``mindspore.``, of ``repr``; by default the class's name and that in small letters
    shown = spelled = ""

    def __new__(cls, bits: int | None = None) -> Any:
        if bits is None:
            return super().__new__(cls)
        for dtype in cls.members:
            if dtype.itemsize * 8 == bits:
                return dtype
        raise ValueError(f"There is no {cls.__name__} of {bits} bits among {cls.members}.")

    def __instancecheck__(self, instance: Any) -> bool:
        """Serve as a class in ``isinstance(x, mstype.tuple_)``, as in compiled code of MindSpore 1.x."""
        return is_subclass(type_of(instance), self)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __str__(self) -> str:
        return self.shown or type(self).__name__

    def __repr__(self) -> str:
        return f"mindspore.{self.spelled or (self.shown or type(self).__name__).lower()}"


def _family(name: str, members: tuple[torch.dtype, ...] = (), shown: str = "", spelled: str = "") -> Any:
    doc = f"What {', '.join(map(str, members))} are instances of." if members else f"The type {name}."
    names = {"shown": shown, "spelled": spelled, "__doc__": doc, "__module__": __name__}
    return _Family(name, (Marker,), {"members": members, **names})


Bool = _family("Bool", (torch.bool,))
Int = _family("Int", int_type)
UInt = _family("UInt", uint_type)
Float = _family("Float", _floats)
BFloat = _family("BFloat", (torch.bfloat16,))
Complex = _family("Complex", complex_type)
Number = _family("Number", all_types)
String = _family("String", spelled="string_")


class _Sequence(Marker):
    """Type of a sequence, of any or of items of these types."""

    _items: tuple[Any, ...]

    def __new__(cls, items: Any = ()) -> Any:
        if not isinstance(items, (tuple, list)) or not all(
            isinstance(item, (torch.dtype, Marker, TensorType)) for item in items
        ):
            raise TypeError(f"{cls.__name__} takes a tuple or list of types, but got {items!r}.")
        made = super().__new__(cls)
        made._items = tuple(items)
        return made

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._items == getattr(other, "_items", None)

    def __hash__(self) -> int:
        return hash((type(self), self._items))

    def __str__(self) -> str:
        return self._shown if self._items else type(self).__name__

    @property
    def _shown(self) -> str:
        groups = [(name, len(list(equal))) for name, equal in itertools.groupby(map(dtype_name, self._items))]
        items = [name if count == 1 else f"{name}*{count}" for name, count in groups]
        return f"{type(self).__name__}[{','.join(items)}]"


class List(_Sequence):
    """Type of a list, of any or of items of these types."""

    spelled = "list_"


class Tuple(_Sequence):
    """Type of a tuple, of any or of items of these types."""

    spelled = "tuple_"


class Dict(Marker):
    """Type of a dict, of any or of one with these keys and types."""

    _items: dict[Any, Any] | None

    def __new__(cls, items: dict[Any, Any] | None = None) -> Any:
        made = super().__new__(cls)
        made._items = items
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dict) and self._items == other._items

    def __hash__(self) -> int:
        return hash((Dict, tuple(self._items or ())))

    def __str__(self) -> str:
        if self._items is None:
            return "Dictionary"
        keys = "".join(f"{key}," for key in self._items)
        return f"Dictionary[[{keys}],[{','.join(map(dtype_name, self._items.values()))}]]"

    def __repr__(self) -> str:
        return f"mindspore.{self}"


TypeNone = _family("TypeNone", shown="None", spelled="type_none")
TypeType = _family("TypeType", spelled="type_type")
Slice = _family("Slice", spelled="Slice")
TypeEllipsis = _family("TypeEllipsis", shown="Ellipsis", spelled="Ellipsis")
Function = _family("Function", shown="Func", spelled="function")
External = _family("External", spelled="External")


class TensorType:
    """Type of a Tensor whose elements are of ``element``; without one, of any Tensor.

    An object of it also serves as a class, as ``mstype.tensor_type`` did in MindSpore 1.x.
    """

    def __init__(self, element: torch.dtype | None = None) -> None:
        self._element = element

    def element_type(self) -> torch.dtype | None:
        """Return the dtype of the elements."""
        return self._element

    def __call__(self, element: torch.dtype | None = None) -> TensorType:
        return TensorType(element)

    def __instancecheck__(self, instance: Any) -> bool:
        return is_subclass(instance, self) or is_subclass(type_of(instance), self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and self._element == other._element

    def __hash__(self) -> int:
        return hash((TensorType, self._element))

    def __str__(self) -> str:
        return "Tensor" if self._element is None else f"Tensor[{dtype_name(self._element)}]"

    def __repr__(self) -> str:
        return f"mindspore.tensor{str(self)[len('Tensor') :].lower()}"


def is_subclass(type_: Any, template: Any) -> bool:
    """Return whether a type is the template or of its family: float32 of Float and of Number, any Tensor type of
    Tensor.
    """
    if isinstance(template, TensorType):
        return isinstance(type_, TensorType) and template.element_type() in (None, type_.element_type())
    if isinstance(template, Marker) and not isinstance(template, torch.dtype):
        return isinstance(type_, type(template))
    return bool(type_ == template) and isinstance(type_, (torch.dtype, Marker))


class RefType(TensorType):
    """Type of a Parameter."""

    def __str__(self) -> str:
        return f"Ref[{super().__str__()}]"

    def __repr__(self) -> str:
        return repr(TensorType(self._element))


_OF_PYTHON: dict[type, Any] = {
    bool: torch.bool,
    int: torch.int64,
    float: torch.float32,
    str: String(),
    bytes: String(),
    type(None): TypeNone(),
    slice: Slice(),
    type(...): TypeEllipsis(),
    np.bool_: torch.bool,
}


def type_of(value: Any) -> Any:
    """Return the type of a value: a `TensorType` of a Tensor, a `Tuple`, `List` or `Dict` of the types of its items, a
    dtype of a number. MindSpore: ``mindspore.ops.typeof``.
    """
    if isinstance(value, torch.Tensor):
        return (RefType if isinstance(value, torch.nn.Parameter) else TensorType)(value.dtype)
    if isinstance(value, (tuple, list)):
        return (Tuple if isinstance(value, tuple) else List)([type_of(item) for item in value])
    if isinstance(value, dict):
        return Dict({key: type_of(item) for key, item in value.items()})
    if isinstance(value, (type, Type)):
        return TypeType()
    found = _OF_PYTHON.get(type(value))
    if found is None and isinstance(value, np.number):
        return _OF_PYTHON[int] if isinstance(value, np.integer) else _OF_PYTHON[float]
    return found or (Function() if isinstance(value, (torch.nn.Module, types.FunctionType)) else External())
