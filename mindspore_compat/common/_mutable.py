"""Inputs that change between compiled calls: `mutable`. Upstream: ``mindspore.common.mutable``.

With ``dynamic_len`` it makes tuples and lists whose length compiled code does not know: upstream compiles once for all
lengths, and so refuses there elements of different types, and what needs a length. Python runs that code here and knows
each length, so only what upstream refuses at a method of the sequence is refused, and ``zip``, ``enumerate`` and
``map``; ``*x`` works. Outside of compiled code they are a tuple or list.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, SupportsIndex

import torch

from mindspore_compat.common._compiled_meaning import IS_CONSTANT, is_compiled
from mindspore_compat.common._in_graph import outermost_graph_inputs

__all__ = """
    SEQUENCES check_elements is_dynamic is_mutable isconstant mutable outer_constants tensors_in
""".split()


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """Mark an input as changing between compiled calls: returned as it is. In compiled code tuples, lists and dicts so
    marked have gradients, by `grad` and `GradOperation`.

    Args:
        dynamic_len: give a copy, whose length compiled code does not know: elements are of one type there, and what
            needs the length is refused.

    Raises:
        RuntimeError: in compiled code, without ``dynamic_len`` for what was made with it.
        TypeError: unless it is made of numbers, Tensors, tuples, lists and dicts; with ``dynamic_len``, unless it is a
            tuple or list, and in compiled code for elements of other dtypes, or dicts.
        ValueError: with ``dynamic_len``, in compiled code for elements of different Python types.
    """
    if not is_mutable(input_data):
        themselves = "" if is_compiled() else " with no self-reference"
        raise TypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or their "
            f"nested structures{themselves}, but got {type(input_data).__name__}: {input_data}."
        )
    if not isinstance(dynamic_len, bool):
        raise TypeError(f"For 'mutable', the second input should be bool, but got: {type(dynamic_len).__name__}")
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(
            "For 'mutable', when the variable_len is True, the first input should be list or tuple, but got: "
            f"{type(input_data).__name__}"
        )
    if not dynamic_len and is_dynamic(input_data) and is_compiled():
        raise RuntimeError("For 'mutable', can not convert a dynamic length sequence to constant length.")
    _mark(input_data)
    return _of_dynamic_length(input_data) if dynamic_len else input_data


def _mark(value: Any) -> None:
    # the Tensors are marked, not what holds them: a subclass of tuple would not be a tuple everywhere
    if isinstance(value, torch.Tensor):
        value._is_marked_mutable = True  # type: ignore[attr-defined]
    elif isinstance(value, (tuple, list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            _mark(item)


def is_mutable(value: Any, around: tuple[int, ...] = ()) -> bool:
    """Whether `mutable` takes it. ``around``: the ids of what it is a part of, which it may not be itself."""
    if isinstance(value, (tuple, list, dict)):
        around = (*around, id(value))
        items = value.values() if isinstance(value, dict) else value
        return all(id(item) not in around and is_mutable(item, around) for item in items)
    return isinstance(value, (int, float, torch.Tensor))


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The Tensors of nested tuples, lists and dicts, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [tensor for item in items for tensor in tensors_in(item)]


def outer_constants(outside: tuple[Any, ...] | None) -> set[int]:
    """The ids of Tensors that came into compiled code in a container, but not by `mutable`: constants there."""
    held = [tensor for item in outside or () if not isinstance(item, torch.Tensor) for tensor in tensors_in(item)]
    return {id(tensor) for tensor in held if not getattr(tensor, "_is_marked_mutable", False)}


def isconstant(x: Any) -> bool:
    """Whether compiled code knows it: no Tensor but those that came from outside in containers, and neither what holds
    one nor a sequence of unknown length. Whether a number was computed is not tracked.
    """
    if not is_compiled():
        return not isinstance(x, torch.Tensor)
    if isinstance(x, torch.Tensor):
        return id(x) in outer_constants(outermost_graph_inputs())
    if isinstance(x, (tuple, list, dict)):
        return not is_dynamic(x) and all(map(isconstant, x.values() if isinstance(x, dict) else x))
    return True


def _isconstant(function: Callable[[Any], Any], value: Any, read: tuple[Any, ...], measured: tuple[Any, ...]) -> Any:
    """``isconstant(value)``: an expression is where all are that it reads, and of what ``len`` measures the lengths."""
    if function is isconstant and is_compiled():
        return all(map(isconstant, (value, *read))) and not any(map(is_dynamic, measured))
    return function(value)


setattr(builtins, IS_CONSTANT, _isconstant)  # where functions that are compiled again find it


_SET = "For list_setitem, when the queue is dynamic length, the element within dynamic length sequence"
_APPEND = "For ListAppend, the mutable list existing item"


def _check_sum(one: Any, other: Any) -> None:
    """Raise TypeError in compiled code where the items of two sequences are not alike."""
    if is_compiled() and isinstance(other, (tuple, list)):
        words = "For primitive SequenceAdd, the element of first input is not same with the element of second input. "
        for items in (one, other, (*one[:1], *other[:1])):
            if not is_dynamic(items):  # in which they are alike
                check_elements(items, words, lengths=True)


class _Dynamic:
    """What both have: parts, sums and multiples are of unknown length too."""

    is_of_unknown_length = True  # which compiled code asks for

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)  # type: ignore[misc]
        return type(self)(found) if isinstance(index, slice) else found  # type: ignore[call-arg]

    def __add__(self, other: Any) -> Any:
        _check_sum(self, other)
        return type(self)(super().__add__(other))  # type: ignore[misc,call-arg]

    def __radd__(self, other: Any) -> Any:
        if not isinstance(self, type(other)):
            return NotImplemented
        _check_sum(other, self)
        return type(self)((*other, *self))  # type: ignore[misc,call-arg]

    def __mul__(self, times: Any) -> Any:
        return type(self)(super().__mul__(times))  # type: ignore[misc,call-arg]

    __rmul__ = __mul__


class DynamicTuple(_Dynamic, tuple[Any, ...]):
    """A tuple of a length that compiled code does not know."""

    __slots__ = ()


class DynamicList(_Dynamic, list[Any]):
    """A list of a length that compiled code does not know."""

    __slots__ = ()

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            if isinstance(value, (tuple, list)) and is_compiled():
                check_elements([*self, *value])
        elif is_compiled():
            self._check(value, _SET, "target element abstract")
            if not -len(self) <= index < len(self):
                raise ValueError(f"idx is out of range: -{len(self)} <= idx < {len(self)}, but got {index}.")
        super().__setitem__(index, value)

    def append(self, value: Any) -> None:
        """As a list's.

        Raises:
            TypeError: in compiled code, for a sequence, and an element that is not like those that are there.
        """
        if is_compiled():
            if isinstance(value, (tuple, list)):
                raise TypeError(
                    "The prim 'ListAppend', the input_data must be list and target must be scalar or tensor, but got "
                    f"{list(self)!r:.100} and {value!r:.100}."
                )
            self._check(value, _APPEND, "new added item abstract")
        super().append(value)

    def pop(self, index: SupportsIndex = -1) -> Any:
        """As a list's.

        Raises:
            RuntimeError: in compiled code.
        """
        self._needs_length()
        return super().pop(index)

    def reverse(self) -> None:
        """As a list's.

        Raises:
            RuntimeError: in compiled code.
        """
        self._needs_length()
        super().reverse()

    def extend(self, values: Any) -> None:
        """As a list's.

        Raises:
            RuntimeError: in compiled code.
        """
        if is_compiled():
            raise RuntimeError("ListExtend does not support dynamic length list. Append what is to be added.")
        super().extend(values)

    def _needs_length(self) -> None:
        if is_compiled():
            raise RuntimeError(f"Can not get size for dynamic length sequence {list(self)!r:.200}.")

    def _check(self, value: Any, known: str, given: str) -> None:
        if self and _kind(self[0]) != _kind(value):
            raise TypeError(f"{known} abstract '{_kind(self[0])}' is not same with the {given} '{_kind(value)}'.")


#: types of plain sequences, without named tuples and the like
SEQUENCES = (tuple, list, DynamicTuple, DynamicList)


def is_dynamic(value: Any) -> bool:
    """Whether its length is unknown in compiled code."""
    return isinstance(value, _Dynamic)


def _of_dynamic_length(value: Any) -> Any:
    """A tuple or list as one of unknown length.

    Raises:
        TypeError, ValueError: in compiled code, for elements of different types.
    """
    if is_compiled():
        check_elements(value)
    return DynamicList(value) if isinstance(value, list) else DynamicTuple(value)


def check_elements(items: Any, words: str = "", lengths: bool = False) -> None:
    """Elements of a sequence of unknown length, in compiled code. ``lengths``: and their shapes.

    Raises:
        ValueError: if some are of other Python types than the first.
        TypeError: if they are dicts, or their elements have other types or dtypes.
    """
    for place, item in enumerate(items):
        if isinstance(item, dict):
            raise TypeError("DynamicSequence does not support dictionary type as element type now.")
        outer, first = _outer(item), _outer(items[0])
        if not words and outer != first:
            raise ValueError(
                "In graph mode, the element type of dynamic length array must be the same.The element type do not "
                "match, can not convert to dynamic length sequence. "
                f"The 0th element type is: {first}. The {place}th element type is: {outer}."
            )
        kind = _kind(item, lengths), _kind(items[0], lengths)
        if kind[0] != kind[1]:
            raise TypeError(f"{words or _ALIKE}The 0th element is: {kind[1]}. The {place}th element is: {kind[0]}.")


_ALIKE = (
    "In graph mode, the element shape of dynamic length array must be the same.The element do not match, can not "
    "convert to dynamic length sequence. "
)


def _outer(item: Any) -> str:
    if isinstance(item, torch.Tensor):
        return "Tensor"
    return "tuple" if isinstance(item, tuple) else "list" if isinstance(item, list) else type(item).__name__


def _kind(item: Any, lengths: bool = True) -> str:
    """Its type, with a Tensor's shape and dtype and what a sequence holds."""
    if isinstance(item, torch.Tensor):
        return f"Tensor(shape: {tuple(item.shape)}, {item.dtype})" if lengths else f"Tensor({item.dtype})"
    if isinstance(item, (tuple, list)):
        kinds = [_kind(each, lengths) for each in item]
        return f"{_outer(item)}({', '.join(kinds if lengths else dict.fromkeys(kinds))})"
    return type(item).__name__
