"""Errors of code that upstream compiles, in the exception types and key words of its compiler.

Python runs that code here, and refuses what the compiler refuses in words of its own. Nothing of this costs anything
until an error leaves a Cell's call or a function under `jit`. The errors are of Python's type as well.
"""

from __future__ import annotations

import ast
import re
import types
from typing import Any

import torch

from mindspore_compat.common._compiled_source import UNKNOWN, FailedCall, is_builtin, node_at, value_of
from mindspore_compat.common._in_graph import in_graph

__all__ = ["in_compiled_words", "method_words"]

#: who is not the program
_OTHERS = frozenset(("mindspore_compat", "torch"))
#: where what the program calls of Python is called
_CALL_PYTHON = frozenset(f"mindspore_compat.common._compiled_{name}" for name in ("meaning", "containers", "refusals"))
_CALLS_CELLS = "mindspore_compat.nn.cell"


class ZeroDivisorError(ValueError, ZeroDivisionError):
    """A division by zero: upstream's compiler raises ValueError, Python ZeroDivisionError."""


class RefusedError(RuntimeError, TypeError, ValueError):
    """What upstream's compiler refuses with RuntimeError, Python with TypeError or ValueError."""


class ReceiverError(TypeError, AttributeError):
    """A method of Tensor, called of something else."""


class MissingKeyError(ValueError, KeyError):
    """A key that a dict does not have."""

    __str__ = ValueError.__str__


class EmptySequenceError(ValueError, IndexError):
    """An item of a sequence that has none."""


def _no_words(call: FailedCall) -> str:
    return ""


class _Methods:
    """Who knows the signatures of Tensor's methods: ops."""

    words = staticmethod(_no_words)


method_words = _Methods()


def in_compiled_words(error: Exception) -> Exception:
    """``error``, or what upstream's compiler raises instead; called where the error leaves what upstream compiles."""
    if type(error) not in _KINDS or not in_graph():
        return error
    last, after, end = None, None, None
    step = error.__traceback__
    while step is not None:
        end = step
        if step.tb_frame.f_globals.get("__name__", "mindspore_compat").partition(".")[0] not in _OTHERS:
            last, after = step, step.tb_next
        step = step.tb_next
    if last is None:
        return error
    if str(error) == "iteration over a 0-d tensor":
        return TypeError("Cannot iterate over a scalar tensor.")
    if str(error).startswith("The tensor should have only one element"):
        return _of_truth(error, last)
    if after is None or end is None or end.tb_frame.f_globals.get("__name__") in _CALL_PYTHON:
        found = _of_python(error, last)
    else:
        found = _of_operators(error, after.tb_frame)
    return found or _of_methods(error, last) or _of_calls(error, last, end) or error


def _of_python(error: Exception, step: types.TracebackType) -> Exception | None:
    """What Python itself has refused in the program's own line."""
    message = str(error)
    if isinstance(error, ZeroDivisionError):
        if not _OF_DIVISIONS.search(message):  # the program's own
            return None
        if message in ("integer modulo by zero", "float modulo", "float modulo by zero"):
            return ZeroDivisorError(f"Cannot perform modulo operation on zero. Python says: {message}.")
        return ZeroDivisorError(f"The divisor could not be zero. Python says: {message}.")
    if message.startswith("slice indices must be integers"):
        return TypeError(f"Slice indices must be integers or bool. Python says: {message}.")
    if message == "negative shift count":
        return ValueError("For shift operator, shift count must be a non-negative integer.")
    shift = _OF_SHIFTS.match(message)
    if shift:
        name = "BitLeftShift" if shift[1] == "<<" else "BitRightShift"
        return TypeError(f"Unsupported input type. For {name}, only integer types are supported, but got {shift[2]}.")
    if isinstance(error, (IndexError, KeyError)):
        return _of_items(error, step)
    if message.startswith("unhashable type") and isinstance(node_at(step, ast.Dict), ast.Dict):
        return RefusedError(
            "make_dict evaluator key only supports string, number, type, none, constant tensor and tuple, but got "
            f"{message.partition(':')[2].strip()}."
        )
    node = node_at(step, ast.Call)
    if not isinstance(node, ast.Call):
        return None
    call = FailedCall(node, step.tb_frame)
    if isinstance(node.func, ast.Attribute):
        return _of_lists(call, message)
    if not isinstance(node.func, ast.Name) or not is_builtin(node.func.id, step):
        return None
    return _OF_BUILTINS.get(call.name, _none)(call, message)


def _of_truth(error: Exception, step: types.TracebackType) -> Exception:
    """A Tensor of many elements where one truth is wanted: by a function of Python's, or by what branches."""
    call = node_at(step, ast.Call)
    if isinstance(call, ast.Call):
        function: Any = call.func
        if getattr(function, "id", "") in ("bool", "max", "min") or getattr(function, "attr", "") == "switch":
            return ValueError(f"The truth value of an array with more than one element is ambiguous. {error}")
        return error
    return ValueError(f"Only tensor which shape is () or (1,) can be converted to bool, but: {error}")


def _of_items(error: Exception, step: types.TracebackType) -> Exception | None:
    """An item that is not there."""
    message, call = str(error), node_at(step, ast.Call)
    if message in ("pop index out of range", "pop from empty list"):
        return IndexError(f"The pop index out of range. Python says: {message}.")
    node = node_at(step, ast.Subscript)
    if call is not None or not isinstance(node, ast.Subscript):
        return None
    held, place = value_of(node.value, step.tb_frame), value_of(node.slice, step.tb_frame)
    if place is UNKNOWN:
        return None
    if type(held) is dict and isinstance(error, KeyError) and place not in held:
        return MissingKeyError(f"The key {place} does not exist in the dict:{held!r:.300}")
    if type(held) not in (list, tuple) or not isinstance(place, int):
        return None
    name = "TupleGetItem" if type(held) is tuple else "list_getitem"
    if not held:
        return EmptySequenceError(f"For primitive:'{name}', cannot get item by index from an empty sequence.")
    return IndexError(f"{name} evaluator index should be in range[-{len(held)}, {len(held)}), but got {place}.")


def _of_lists(call: FailedCall, message: str) -> Exception | None:
    """A method of a list or tuple."""
    if call.name in ("pop", "insert") and "cannot be interpreted as an integer" in message:
        kinds = {float: "FP32Imm", str: "StringImm"}
        given = call.args[0] if call.args else UNKNOWN
        kind = kinds.get(type(given), type(given).__name__)
        return None if given is UNKNOWN else TypeError(f"Integer argument expected, but got {kind} type value: {given}")
    if message == "tuple.index(x): x not in tuple" and call.is_known and call.args:
        return ValueError(f"{call.args[0]} is not in {call.receiver if call.receiver is not UNKNOWN else 'the tuple'}")
    return None


def _of_isinstance(call: FailedCall, message: str) -> Exception | None:
    if "arg 2 must be a type" in message:
        return TypeError(f"isinstance() arg 2 must be a type or tuple of types. Python says: {message}.")
    return None


def _of_enumerate(call: FailedCall, message: str) -> Exception | None:
    given = [*call.args, *call.kwargs.values()]
    if "is not iterable" in message and given and given[0] is not UNKNOWN:
        return TypeError(
            f"For 'enumerate', the 'first input' should be tuple or list or tensor, but got {type(given[0])}."
        )
    if "cannot be interpreted as an integer" in message and given[1:] and given[1] is not UNKNOWN:
        return TypeError(f"For 'enumerate', the 'start' should be a const int number, but got {given[1]}.")
    return None


def _of_most(call: FailedCall, message: str) -> Exception | None:
    if "empty" in message:
        return ValueError(f"{call.name}() arg is an empty sequence.")
    return None


def _none(call: FailedCall, message: str) -> Exception | None:
    return None


def _of_range(call: FailedCall, message: str) -> Exception | None:
    if "argument" in message and "expected" in message:
        return RefusedError(f"For 'make_range', the input size should within [1, 3] but got{len(call.args)}.")
    if "must not be zero" in message:
        return RefusedError("For 'range', the argument 'step' could not be 0.")
    if "cannot be interpreted as an integer" not in message:
        return None
    for place, item in enumerate(call.args):
        if item is not UNKNOWN and not hasattr(item, "__index__"):
            kind = "AbstractScalar" if isinstance(item, (float, str, complex)) else type(item).__name__
            return TypeError(
                f"For 'make_range', the {place}th input should be a int scalar but got {kind} {item!r:.100}."
            )
    return TypeError(f"For 'make_range', the inputs should be int scalars, but {message}.")


def _of_map(call: FailedCall, message: str) -> Exception | None:
    if "at least two arguments" in message:
        return TypeError(f"The Map operator must have at least two arguments, but got {len(call.args)}.")
    if "not iterable" in message:
        return RefusedError(f"Map can only be applied to list, tuple and what is iterated over, but {message}.")
    return None


_KINDS = (TypeError, ValueError, ZeroDivisionError, AttributeError, IndexError, KeyError)
_OF_BUILTINS: dict[str, Any] = {
    "range": _of_range,
    "map": _of_map,
    "isinstance": _of_isinstance,
    "enumerate": _of_enumerate,
    "max": _of_most,
    "min": _of_most,
}
_OF_SHIFTS = re.compile(r"unsupported operand type\(s\) for (<<|>>): ('(?:int|float|bool)' and '(?:int|float|bool)')$")
_OF_DIVISIONS = re.compile(r"(division|modulo) by zero$|^float modulo$|^float divmod\(\)$")
_TOO_MANY = re.compile(r"(\w+)\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given")
_TOO_FEW = re.compile(r"(\w+)\(\) missing (\d+) required positional arguments?: ")


def _of_operators(error: Exception, frame: types.FrameType) -> Exception | None:
    """A wrong number of inputs that an operator was called with."""
    values, message = frame.f_locals, str(error)
    operator: Any = values.get("self")
    if not isinstance(error, TypeError) or frame.f_code.co_name != "__call__" or not hasattr(operator, "init_attrs"):
        return None
    many, few = _TOO_MANY.search(message), _TOO_FEW.search(message)
    if many:
        return TypeError(
            f"For Operator[{operator.name}], the number of inputs should be less than or equal to {many[2]}, but got "
            f"{many[3]}."
        )
    if few:
        given = len(values.get("args", ())) + len(values.get("kwargs", ()))
        return RefusedError(
            f"For 'S_Prim_{operator.name}', the size of input should be {given + int(few[2])}, but got {given}. "
            f"{message}."
        )
    return None


def _of_methods(error: Exception, step: types.TracebackType) -> Exception | None:
    """What a Tensor's method was called with that it does not take."""
    node = node_at(step, ast.Call)
    if not isinstance(node, ast.Call):
        return None
    message, call = str(error), FailedCall(node, step.tb_frame)
    if call.name == "typeof" and isinstance(error, TypeError) and _TOO_MANY.search(message):
        return RefusedError(
            f"The Typeof operator must requires 1 argument, but the size of arguments is {len(call.args)}."
        )
    if not isinstance(node.func, ast.Attribute) or call.receiver is UNKNOWN:
        return None
    if isinstance(call.receiver, type) and issubclass(call.receiver, torch.Tensor) and call.args:
        call.receiver = call.args.pop(0)
        if call.receiver is not UNKNOWN and not isinstance(call.receiver, torch.Tensor):
            return ReceiverError(
                f"Failed calling {call.name}: 'self' must be a Tensor, but got {type(call.receiver).__name__}."
            )
    if not isinstance(call.receiver, torch.Tensor) or not isinstance(error, TypeError):
        return None
    words = method_words.words(call) if call.is_known else ""
    many = _TOO_MANY.search(message)
    if not words and many and many[1] == call.name:
        taken, given = int(many[2]) - 1, int(many[3]) - 1  # without self
        words = f"{call.name}() takes {taken} positional arguments but {given} {'was' if given == 1 else 'were'} given."
    if words and "missing" in message:
        words += f"\n{message}"
    return TypeError(words) if words else None


_UNEXPECTED = re.compile(r"got an unexpected keyword argument ('\w+')")
_MULTIPLE = re.compile(r"got multiple values for argument '(\w+)'")
_MISSING = re.compile(r"(\w+)\(\) missing (\d+) required (?:positional|keyword-only) arguments?: '(\w+)'")
#: how many arguments functions take that upstream's compiler has words of its own for
_COUNTS = {"mutable": "1 or 2"}


def _of_calls(error: Exception, step: types.TracebackType, end: Any) -> Exception | None:
    """A call of a function or Cell with arguments that it does not take, so that nothing of it has run."""
    is_cell = end.tb_frame.f_globals.get("__name__") == _CALLS_CELLS and end.tb_frame.f_code.co_name == "__call__"
    if not isinstance(error, TypeError) or not (is_cell or end is step):
        return None
    message = str(error)
    unexpected, multiple = _UNEXPECTED.search(message), _MULTIPLE.search(message)
    if unexpected:
        return RefusedError(f"Got an unexpected keyword argument {unexpected[1]}. Python says: {message}.")
    if multiple:
        return TypeError(f"Multiply values for specific argument: {multiple[1]}. Python says: {message}.")
    many, missing = _TOO_MANY.search(message), _MISSING.search(message)
    name = (many or missing or [""])[0].partition("(")[0]
    call: Any = node_at(step, ast.Call)
    if call is None:
        return None
    given = len(call.args) + len(call.keywords)
    if name in _COUNTS:
        return RefusedError(f"For '{name}', the number of inputs should be {_COUNTS[name]}, but got {given}.")
    if many:
        is_method = int(many[3]) == len(call.args) + 1
        taken, given = (int(number) - is_method for number in many.groups()[1:])  # without self
        if "takes from" not in message:
            return TypeError(
                f"The parameters number of the function is {taken}, but the number of provided arguments is {given}. "
                f"Python says: {message}."
            )
        return RefusedError(
            f"Function:{name} takes {taken} positional arguments, but {given} were given. Python says: {message}."
        )
    return missing and RefusedError(f"Miss argument input for parameter:{missing[3]}. Python says: {message}.")
