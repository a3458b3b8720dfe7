"""Values of a MINDIR file: texts, tensors, attributes, contents in separate files; and its operators on numbers, tuples
and texts, with which files of dynamic shapes compute sizes and report errors in inputs.

Numbers stay below 2**63 and texts below a million characters, in any file.
"""

from __future__ import annotations

import io
import math
import operator
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from mindspore_compat._format.proto import mindir as proto
from mindspore_compat._format.source import open_regular, read_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.train._export.mindir import DATA_TYPES
from mindspore_compat.train._export.mindir.rows import TYPE_IDS

T = proto.AttributeType


_DTYPES = {number: dtype for dtype, number in DATA_TYPES.items()}


TOKENS = (T.UMONAD, T.IOMONAD)  # of side effects; the order of the file replaces them here


_INTS = {T.INT8, T.INT16, T.INT32, T.INT64, T.UINT8, T.UINT16, T.UINT32, T.UINT64}


_MAX_DIMS = 64  # of torch


_SPARE_BYTES = 64 << 20  # more than the contents of a file for separate contents may be read so far


NAMES_NODE = "_mindir_names_node"  # the attribute of an error with the node in its message


FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class MindirError(FormatError, RuntimeError):
    """Error for a damaged file or no MINDIR: RuntimeError as in MindSpore, and ValueError as from all readers here."""


@contextmanager
def naming(path: str, what: str) -> Iterator[None]:
    """Convert all errors from the file's content here to a `MindirError` with the place."""
    try:
        yield
    except MindirError:
        raise
    except NotImplementedError as error:
        raise NotImplementedError(f"{error} It stands at {what} in the file {path!r}.") from None
    except (*FAILURES, OSError) as error:
        raise MindirError(
            f"For 'load', the file {path!r} is damaged at {what}: {type(error).__name__}: {error}"
        ) from error


def read_text(value: Any) -> str:
    """Return a name; protobuf yields bytes if it is no UTF-8."""
    if not isinstance(value, str):
        raise ValueError(f"the name {value!r:.100} is no UTF-8")
    return value


class Separate:
    """Contents in separate files, beside the MINDIR file or in folders below."""

    def __init__(self, path: str, decrypted: Callable[[str, bytes], Any] | None = None) -> None:
        self._folder, self._taken = os.path.dirname(os.path.realpath(path)), dict[str, int]()
        self._decrypted, self._plain = decrypted, dict[str, Any]()

    def _place(self, location: str) -> str:
        parts = location.replace("\\", "/").split("/")
        if not location or "\0" in location or os.path.isabs(location) or ".." in parts:
            raise ValueError(
                f"the location {location!r:.200} of separate contents must be a relative path below the file's folder"
            )
        found = os.path.realpath(os.path.join(self._folder, location))
        if os.path.commonpath([self._folder, found]) != self._folder:
            raise ValueError(f"the location {location!r} of separate contents leads out of the file's folder")
        return found

    def _open(self, path: str) -> Any:
        if self._decrypted is None:
            return open_regular(path)
        if path not in self._plain:
            self._plain[path] = bytes(self._decrypted(path, read_regular(path)))
        return io.BytesIO(self._plain[path])

    def read(self, place: Any, wanted: int) -> bytes:
        """Return the next n bytes, if there are as many."""
        path = self._place(read_text(place.location))
        with self._open(path) as file:
            size = file.seek(0, os.SEEK_END)
            if place.length != wanted or place.offset < 0 or place.offset + place.length > size:
                raise ValueError(
                    f"the separate contents must have {wanted} bytes, but {place.location!r} of {size} bytes is said "
                    f"to have {place.length} at byte {place.offset}"
                )
            self._taken[path] = self._taken.get(path, 0) + wanted
            if self._taken[path] > size + _SPARE_BYTES:
                raise ValueError(f"more is taken from {place.location!r} than it holds: some of it several times")
            file.seek(place.offset)
            return file.read(wanted)


def read_tensor(message: Any, separate: Separate) -> Any:
    if message.data_type not in _DTYPES:
        raise NotImplementedError(
            f"For 'load', the tensor {message.name!r} has the type {message.data_type}, which is not available in "
            "torch. Cast it before the export."
        )
    dtype, shape = _DTYPES[message.data_type], tuple(message.dims)
    if (
        len(shape) > _MAX_DIMS
        or any(dim < 0 for dim in shape)
        or math.prod(max(dim, 1) for dim in shape) * dtype.itemsize >= 1 << 63
    ):
        raise ValueError(f"the tensor {message.name!r} has the shape {list(shape[:_MAX_DIMS])}, which no tensor has")
    wanted = math.prod(shape) * dtype.itemsize
    data = separate.read(message.external_data, wanted) if message.HasField("external_data") else message.raw_data
    if len(data) != wanted:
        raise ValueError(f"the data of {message.name!r} must have {wanted} bytes, but the file has {len(data)}")
    content = torch.frombuffer(bytearray(data), dtype=dtype) if wanted else torch.empty(0, dtype=dtype)
    return torch.reshape(content, shape).to(current_device())


def read_value(attribute: Any, separate: Separate) -> Any:
    """Return the Python value of an attribute: None also for the tokens of side effects."""
    kind = attribute.type
    if kind in (T.TENSORS, T.TENSOR):
        messages = list(attribute.tensors) or [attribute.t]
        found = [
            Tensor(read_tensor(item, separate))
            if item.raw_data or item.dims or item.HasField("external_data")
            else _DTYPES[item.data_type]
            for item in messages
        ]  # without shape and content it is a dtype
        return found[0] if len(found) == 1 else tuple(found)
    if kind in (T.TUPLE, T.LIST):
        return tuple(read_value(item, separate) for item in attribute.values)
    if kind == T.DICT:
        return {
            read_text(item.name): read_value(item.values[0] if item.values else item, separate)
            for item in attribute.values
        }
    if kind in (T.NONE, *TOKENS):
        return None
    one, several, make = (
        (attribute.s, attribute.strings, bytes.decode)
        if kind == T.STRING
        else (attribute.d, attribute.doubles, float)
        if kind == T.DOUBLE
        else (attribute.f, attribute.floats, float)
        if kind == T.FLOAT
        else (attribute.i, attribute.ints, int)
    )
    if kind == T.BOOL:
        make = bool
    elif kind not in _INTS | {T.STRING, T.DOUBLE, T.FLOAT}:
        raise NotImplementedError(
            f"For 'load', the value {attribute.name!r} is of the kind {kind}, which cannot be read."
        )
    return make(several[0] if len(several) == 1 else one) if len(several) < 2 else tuple(make(item) for item in several)


_Run = Callable[..., Any]
_TYPES = {number: dtype for dtype, number in TYPE_IDS.items()}
_LONGEST_TEXT = 1_000_000
_ERRORS: dict[str, type[Exception]] = {
    item.__name__: item
    for item in (
        ValueError,
        TypeError,
        RuntimeError,
        IndexError,
        KeyError,
        AttributeError,
        NotImplementedError,
        AssertionError,
        ZeroDivisionError,
    )
}


def _number(value: Any) -> Any:
    """Return a number that fits int64 or float64."""
    if isinstance(value, torch.Tensor):
        value = plain(value).item()
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"it takes numbers, but got a {type(value).__name__}")
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise OverflowError("a number is beyond 64 bits")
    return value


def _arithmetic(function: _Run) -> _Run:
    return lambda *items: _number(function(*map(_number, items)))


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1 and exponent > 63:
        raise OverflowError("a number is beyond 64 bits")
    return base**exponent


def _joined(*parts: Any) -> str:
    for part in parts:
        if not isinstance(part, (str, bool, int, float, torch.Tensor)) and not _is_plain(part):
            raise TypeError(f"it takes texts and numbers, but got a {type(part).__name__}")
    text = "".join(str(part)[:_LONGEST_TEXT] for part in parts)
    if len(text) > _LONGEST_TEXT:
        raise OverflowError("a text is too long")
    return text


def _is_plain(part: Any) -> bool:
    return part is None or (isinstance(part, tuple) and all(isinstance(item, (str, bool, int, float)) for item in part))


def _raise(kind: Any, *parts: Any) -> None:
    """Raise the error of the network's own ``raise``; RuntimeError for unknown kinds."""
    texts = [part for part in parts if part is not None and part != "None"]
    raise _ERRORS.get(kind if isinstance(kind, str) else "", RuntimeError)(_joined(*texts))


def _tuple(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise TypeError(f"it takes a tuple, but got a {type(value).__name__}")
    return value


def _compared(function: _Run) -> _Run:
    return lambda left, right: bool(function(tuple(map(_number, _tuple(left))), tuple(map(_number, _tuple(right)))))


def _slice(items: Any, start: Any, stop: Any, step: Any = 1) -> Any:
    return _tuple(items)[slice(*(None if item is None else int(_number(item)) for item in (start, stop, step)))]


def _to_tensor(items: Any, dtype: Any = None) -> Any:
    values = [_number(item) for item in _tuple(items)] if isinstance(items, tuple) else _number(items)
    return wrap(torch.tensor(values, dtype=_TYPES.get(dtype, dtype)))


def _to_tuple(value: Any) -> Any:
    def nested(item: Any) -> Any:
        return tuple(map(nested, item)) if isinstance(item, list) else item

    return nested(plain(value).tolist())


_ARITHMETIC: dict[str, _Run] = {
    "ScalarAdd": operator.add,
    "ScalarSub": operator.sub,
    "ScalarMul": operator.mul,
    "ScalarDiv": operator.truediv,
    "ScalarFloorDiv": operator.floordiv,
    "ScalarMod": operator.mod,
    "ScalarPow": _power,
    "ScalarUsub": operator.neg,
    "ScalarUadd": operator.pos,
    "ScalarGt": operator.gt,
    "ScalarGe": operator.ge,
    "ScalarLt": operator.lt,
    "ScalarLe": operator.le,
    "ScalarEq": operator.eq,
    "ScalarMax": max,
    "ScalarMin": min,
    "ScalarBool": bool,
    "BoolNot": operator.not_,
    "BoolAnd": operator.and_,
    "BoolOr": operator.or_,
    "BoolEq": operator.eq,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
}
_COMPARED: dict[str, _Run] = {
    "tuple_equal": operator.eq,
    "list_equal": operator.eq,
    "tuple_lt": operator.lt,
    "tuple_le": operator.le,
    "tuple_greater_than": operator.gt,
    "tuple_greater_equal": operator.ge,
    "list_lt": operator.lt,
    "list_le": operator.le,
    "list_greater_than": operator.gt,
    "list_greater_equal": operator.ge,
}

#: {operator: the computation}
SCALARS: dict[str, _Run] = {
    **{name: _arithmetic(function) for name, function in _ARITHMETIC.items()},
    **{name: _compared(function) for name, function in _COMPARED.items()},
    "TensorToScalar": _number,
    "JoinedStr": _joined,
    "raise": _raise,
    "RealTupleGetItem": lambda items, index: _tuple(items)[int(index)],
    "InSequence": lambda item, items: _number(item) in tuple(map(_number, _tuple(items))),
    "SequenceAdd": lambda left, right: _tuple(left) + _tuple(right),
    "SequenceSlice": _slice,
    "sequence_len": lambda items: len(_tuple(items)),
    **dict.fromkeys(("TupleToTensor", "ListToTensor"), _to_tensor),
    **dict.fromkeys(("TensorToTuple", "TensorToList"), _to_tuple),
}
