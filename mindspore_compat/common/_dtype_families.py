"""Families of dtypes, by which libraries ask what a dtype is: ``isinstance(mindspore.float16, mstype.Float)``,
``mstype.number_type``, ``mstype.TensorType(mindspore.float32)``. Upstream: ``mindspore._c_expression.typing``,
re-exported by ``mindspore.common.dtype``.
"""

from __future__ import annotations

from typing import Any

import torch

__all__ = """
    BFloat Bool Complex Dict Float Int List Number String TensorType Tuple TypeNone UInt all_types complex_type
    float_type int_type is_subclass number_type signed_type uint_type
""".split()

int_type = (torch.int8, torch.int16, torch.int32, torch.int64)
uint_type = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)
_eighths = (torch.float8_e4m3fn, torch.float8_e5m2)
_floats = (torch.float16, torch.float32, torch.float64)
float_type = (*_floats, torch.bfloat16, *_eighths)
complex_type = (torch.complex64, torch.complex128)
number_type = (*int_type, *uint_type, *_floats, torch.bfloat16, *complex_type, *_eighths)
signed_type = (*int_type, *_floats, torch.bfloat16, *complex_type, *_eighths)
all_types = (torch.bool, *number_type)


class _Family(type):
    """A class that torch dtypes are instances of."""

    members: tuple[torch.dtype, ...]

    def __instancecheck__(cls, instance: Any) -> bool:
        if isinstance(instance, torch.dtype):
            return instance in cls.members
        return type.__instancecheck__(cls, instance)


class Marker(metaclass=_Family):
    """A type that no tensor has, such as Number or String. Given a width in bits, the dtype of that width."""

    members: tuple[torch.dtype, ...] = ()
    #: what ``str`` and, after ``mindspore.``, ``repr`` give; the class's name and that in small letters unless named
    shown = spelled = ""

    def __new__(cls, bits: int | None = None) -> Any:
        if bits is None:
            return super().__new__(cls)
        for dtype in cls.members:
            if dtype.itemsize * 8 == bits:
                return dtype
        raise ValueError(f"There is no {cls.__name__} of {bits} bits among {cls.members}.")

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
    """The type of a sequence, of any or of items of these types."""

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
        name = type(self).__name__
        return f"{name}[{','.join(map(str, self._items))}]" if self._items else name


class List(_Sequence):
    """The type of a list, of any or of items of these types."""

    spelled = "list_"


class Tuple(_Sequence):
    """The type of a tuple, of any or of items of these types."""

    spelled = "tuple_"


Dict = _family("Dict", shown="Dictionary", spelled="Dictionary")
TypeNone = _family("TypeNone", shown="None", spelled="type_none")


class TensorType:
    """The type of a Tensor whose elements are of ``element``; without one, of any Tensor."""

    def __init__(self, element: torch.dtype | None = None) -> None:
        self._element = element

    def element_type(self) -> torch.dtype | None:
        """The dtype of the elements."""
        return self._element

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and self._element == other._element

    def __hash__(self) -> int:
        return hash((TensorType, self._element))

    def __str__(self) -> str:
        return "Tensor" if self._element is None else f"Tensor[{self._element}]"

    def __repr__(self) -> str:
        return f"mindspore.{str(self).replace('Tensor', 'tensor', 1)}"


def is_subclass(type_: Any, template: Any) -> bool:
    """Whether a type is the template or of its family: float32 of Float and of Number, any Tensor type of Tensor."""
    if isinstance(template, TensorType):
        return isinstance(type_, TensorType) and template.element_type() in (None, type_.element_type())
    if isinstance(template, Marker) and not isinstance(template, torch.dtype):
        return isinstance(type_, type(template))
    return bool(type_ == template) and isinstance(type_, (torch.dtype, Marker))
