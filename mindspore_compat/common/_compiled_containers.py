"""Lists, tuples and dicts in functions that upstream compiles: what means something else there or is refused.

| in the source | Python | compiled |
|---|---|---|
| ``x.index(y)``, ``x.count(y)`` | 1 is 1.0 and True | numbers of one type; a constant Tensor is no number |
| ``d.keys()``, ``d.values()`` and ``range(n)``, but as what a loop walks through | views, a range | tuples |
| ``d.items()``, likewise | a view | a list |
| ``d.has_key(k)`` | an error | ``k in d`` |
| ``x.pop(i)``, ``x.insert(i, y)``, ``d.fromkeys(y)`` of a Tensor, ``{y: z}`` of an input | Python's | an error |
| ``max(x)``, ``min(x)`` of lists and tuples of Tensors in each other; with names of arguments | Python's | an error |

``_compiled_meaning.py`` puts calls of these functions into the code.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._compiled_words import RefusedError
from mindspore_compat.common._in_graph import by_compiled_line, outermost_graph_inputs

__all__ = ["METHODS", "VIEWS", "called", "check_extremes", "check_keys", "is_same", "refuse_variables"]

#: of containers, without names of arguments
METHODS = frozenset(("index", "count", "pop", "insert", "fromkeys", "has_key"))
#: views of a dict, and the sequences that they are in compiled code
VIEWS: dict[type, Any] = {type({}.keys()): tuple, type({}.values()): tuple, type({}.items()): list}
_SEQUENCES = (list, tuple)


def called(method: Any, args: tuple[Any, ...]) -> Any:
    """``method(*args)`` in compiled code; a method of `METHODS`."""
    held, name = getattr(method, "__self__", None), method.__name__
    if name == "fromkeys" and (held is dict or type(held) is dict):
        return _from_keys(method, args)
    if type(held) not in _SEQUENCES or len(args) != (2 if name == "insert" else 1):
        return method(*args)
    if name in ("index", "count"):
        return _places(held, name, args[0])
    if isinstance(args[0], torch.Tensor):
        raise TypeError(
            f"Integer argument expected, but got Tensor type value: list.{name} takes no Tensor for a place."
        )
    return method(*args)


def _from_keys(method: Any, args: tuple[Any, ...]) -> Any:
    keys = args[0] if args else ()
    if isinstance(keys, torch.Tensor) or not hasattr(keys, "__iter__"):
        raise RefusedError(f"{type(keys).__name__.capitalize()} object is not iterable: dict.fromkeys has no keys.")
    return method(*args)


def check_keys(held: dict[Any, Any]) -> None:
    """Raise RuntimeError for keys that hold inputs."""
    tensors = [item for key in held for item in _tensors(key)]
    if tensors:
        inputs = {id(item) for item in outermost_graph_inputs() or ()}
        if any(id(item) in inputs for item in tensors):
            raise RefusedError(
                "make_dict evaluator key only supports string, number, type, none, constant tensor and tuple, but got "
                "an input."
            )


def refuse_variables(name: str, args: tuple[Any, ...]) -> None:
    """For a Cell of a class of this name that compiled code makes.

    Raises:
        TypeError: if it is made of inputs or Parameters.
    """
    tensors = [(place, item) for place, given in enumerate(args) for item in _tensors(given)]
    if not tensors or not by_compiled_line(3):
        return
    inputs = outermost_graph_inputs()
    known = {id(item) for item in inputs or ()}
    for place, item in tensors:
        if inputs is not None and (id(item) in known or isinstance(item, torch.nn.Parameter)):
            raise TypeError(
                f"When creating an instance of '{name}', all arguments are required to be constants, but input {place} "
                f"is a variable, which is an input or a Parameter: {item!r:.200}."
            )


def check_extremes(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """``max`` and ``min``. Raises: TypeError; RuntimeError for names of arguments."""
    if kwargs:
        raise RefusedError(f"Got an unexpected keyword argument '{next(iter(kwargs))}' of {name}.")
    items = args[0] if len(args) == 1 and type(args[0]) in _SEQUENCES else ()
    if any(type(item) in _SEQUENCES and _tensors(item) for item in items):
        raise TypeError(f"{name}() cannot support tensor in list or tuple nested now.")


def _tensors(value: Any) -> list[torch.Tensor]:
    if type(value) in _SEQUENCES:
        return [tensor for item in value for tensor in _tensors(item)]
    return [value] if isinstance(value, torch.Tensor) else []


def _places(items: Any, name: str, item: Any) -> Any:
    """``items.index(item)`` or ``items.count(item)``."""
    tensors = _tensors(list(items)) + _tensors(item)
    inputs = {id(each) for each in outermost_graph_inputs() or ()} if tensors else set()
    fixed = all(getattr(each, "_is_constant", False) and id(each) not in inputs for each in tensors)
    found = [place for place, other in enumerate(items) if _is_equal(item, other, fixed)]
    if name == "count":
        return len(found)
    if not found:
        raise ValueError(f"{item} is not in {items}")
    return found[0]


def _is_equal(one: Any, other: Any, fixed: bool) -> bool:
    """Python's equality of numbers of one type, in sequences too (of numbers that vary upstream does not ask the type;
    which they are is not tracked here). ``fixed``: all Tensors are constants, which are compared as such.
    """
    if type(one) in _SEQUENCES and type(other) is type(one):
        return len(one) == len(other) and all(_is_equal(*pair, fixed) for pair in zip(one, other, strict=True))
    if fixed and (isinstance(one, torch.Tensor) or isinstance(other, torch.Tensor)):
        return isinstance(one, torch.Tensor) and is_same(one, other)
    if type(one) is not type(other) and {type(one), type(other)} <= {bool, int, float}:
        return False
    is_one = one is other and not isinstance(one, torch.Tensor)
    return bool(is_one or one == other)


def is_same(item: torch.Tensor, other: Any) -> bool:
    """Whether it has the dtype, shape and values of a Tensor."""
    if item is other:
        return True
    if not isinstance(other, torch.Tensor) or other.dtype is not item.dtype or other.shape != item.shape:
        return False
    with torch._C.DisableTorchFunctionSubclass():
        return bool((item == other).all())
