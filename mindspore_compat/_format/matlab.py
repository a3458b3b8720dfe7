"""Variables in files of MATLAB 5 to 7.2. SciPy reads them too, but a damaged file can crash it.

Written to MathWorks' "MAT-File Format": 128 bytes of header, then elements (type, size, bytes), of which matrices hold
elements again.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mindspore_compat._format.wire import FormatError

_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_TEXTS = {1: "utf-8", 2: "utf-8", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_MATRIX, _COMPRESSED = 14, 15
_CELL, _STRUCT, _CHAR, _SPARSE, _NUMERIC = 1, 2, 4, 5, range(6, 16)
_COMPLEX = 0x800
_DEPTH = 16
#: a sparse matrix with more places than this is not made dense
_MOST_PLACES = 1 << 25


class Sparse(NamedTuple):
    """Sparse matrix by columns: those of `rows` and `values` between two of `starts` are a column's."""

    shape: tuple[int, ...]
    rows: np.ndarray
    starts: np.ndarray
    values: np.ndarray


def dense(matrix: Sparse) -> np.ndarray:
    """Return a sparse matrix with all its zeros. Raises: FormatError."""
    (height, width), count = matrix.shape[:2], len(matrix.values)
    starts, rows = matrix.starts.astype(np.int64), matrix.rows[:count].astype(np.int64)
    if height * width > _MOST_PLACES or len(starts) != width + 1 or len(rows) != count:
        raise FormatError(
            f"a sparse matrix of {height} x {width} places has {len(starts)} column starts and {count} values"
        )
    if (
        starts[0] != 0
        or starts[-1] > count
        or (np.diff(starts) < 0).any()
        or (count and not 0 <= rows.min() <= rows.max() < height)
    ):
        raise FormatError("indices of a sparse matrix point outside of it")
    result = np.zeros((height, width), matrix.values.dtype)
    result[rows[: starts[-1]], np.repeat(np.arange(width), np.diff(starts))] = matrix.values[: starts[-1]]
    return result


class _Reader:
    def __init__(self, order: str, most: int) -> None:
        self.order, self.most = order, most

    def elements(self, data: memoryview) -> Iterator[tuple[int, memoryview]]:
        """Yield (type, bytes) of each element."""
        at = 0
        while at < len(data):
            if at + 8 > len(data):
                raise FormatError("it ends within an element")
            kind, size = (int(word) for word in np.frombuffer(data[at : at + 8], f"{self.order}u4"))
            if kind >> 16:
                kind, size, first, step = kind & 0xFFFF, kind >> 16, at + 4, 8
                if size > 4:
                    raise FormatError(f"a small element has {size} bytes")
            else:
                first, step = at + 8, 8 + size + (0 if kind == _COMPRESSED else -size % 8)
            if first + size > len(data):
                raise FormatError(f"an element of {size} bytes runs past the end")
            yield kind, data[first : first + size]
            at += step

    def numbers(self, element: tuple[int, memoryview]) -> np.ndarray:
        kind, data = element
        if kind not in _NUMBERS:
            raise FormatError(f"an element of type {kind} where numbers should be")
        dtype = np.dtype(self.order + _NUMBERS[kind])
        if len(data) % dtype.itemsize:
            raise FormatError(f"{len(data)} bytes are no {dtype.name} numbers")
        return np.frombuffer(data, dtype).astype(dtype.newbyteorder("="))

    def integers(self, element: tuple[int, memoryview]) -> np.ndarray:
        values = self.numbers(element)
        if values.dtype.kind == "f":
            raise FormatError("there are fractions where whole numbers should be")
        return values

    def inflated(self, data: memoryview) -> tuple[int, memoryview]:
        """Return the element in a compressed one."""
        unpacker = zlib.decompressobj()
        try:
            content = unpacker.decompress(data, self.most + 1)
        except zlib.error as error:
            raise FormatError(f"a compressed element is broken: {error}") from error
        self.most -= len(content)
        if self.most < 0:
            raise FormatError("compressed elements give more than a file of this size should")
        return next(self.elements(memoryview(content)), (0, memoryview(b"")))

    def matrix(self, data: memoryview, depth: int = 0) -> tuple[str, Any]:
        """Return (name, value)."""
        if depth > _DEPTH:
            raise FormatError(f"matrices lie in each other more than {_DEPTH} deep")
        if not len(data):
            return "", np.empty((0, 0))
        parts = self.elements(data)
        try:
            flags, dims, name = self.integers(next(parts)), self.integers(next(parts)), self.text(next(parts))
            if not len(flags) or len(dims) < 2 or (dims < 0).any():
                raise FormatError(f"a matrix has the flags {flags.tolist()[:4]} and the shape {dims.tolist()[:4]}")
            shape = tuple(int(size) for size in dims)
            return name, self._value(int(flags[0]) & 0xFF, bool(int(flags[0]) & _COMPLEX), shape, parts, depth)
        except StopIteration:
            raise FormatError("a matrix lacks parts") from None

    def text(self, element: tuple[int, memoryview]) -> str:
        return bytes(element[1]).decode(_TEXTS.get(element[0], "utf-8"), "replace")

    def _value(
        self, kind: int, is_complex: bool, shape: tuple[int, ...], parts: Iterator[tuple[int, memoryview]], depth: int
    ) -> Any:
        if kind == _CELL:
            return self._objects(shape, [self._inner(part, depth) for part in parts])
        if kind == _STRUCT:
            width, names = int(self.integers(next(parts))[:1].sum()), bytes(next(parts)[1])
            if width <= 0:
                raise FormatError("a struct has no field names")
            fields = [
                names[i : i + width].split(b"\0")[0].decode("utf-8", "replace") for i in range(0, len(names), width)
            ]
            values = [self._inner(part, depth) for part in parts]
            if not fields or len(values) % len(fields):
                raise FormatError(f"a struct of {len(fields)} fields has {len(values)} values")
            return self._objects(
                shape, [dict(zip(fields, values[i:], strict=False)) for i in range(0, len(values), len(fields))]
            )
        if kind == _CHAR:
            return self.text(next(parts))
        if kind == _SPARSE:
            return Sparse(shape, self.integers(next(parts)), self.integers(next(parts)), self.numbers(next(parts)))
        if kind not in _NUMERIC:
            raise FormatError(f"a matrix of class {kind} is not supported")
        numbers = self.numbers(next(parts))
        if is_complex:
            imaginary = self.numbers(next(parts))
            if len(imaginary) != len(numbers):
                raise FormatError(f"a matrix has {len(numbers)} real and {len(imaginary)} imaginary parts")
            pairs = np.stack([numbers, imaginary], -1).astype(np.float64)
            numbers = pairs.view(np.complex128)[:, 0]
        if math.prod(shape) != len(numbers):
            raise FormatError(f"a matrix of shape {shape} has {len(numbers)} values")
        return numbers.reshape(shape, order="F")

    def _inner(self, part: tuple[int, memoryview], depth: int) -> Any:
        if part[0] != _MATRIX:
            raise FormatError(f"an element of type {part[0]} where a matrix should be")
        return self.matrix(part[1], depth + 1)[1]

    @staticmethod
    def _objects(shape: tuple[int, ...], values: list[Any]) -> np.ndarray:
        if math.prod(shape) != len(values):
            raise FormatError(f"{len(values)} values for a shape of {shape}")
        result = np.empty(len(values), object)
        for i, value in enumerate(values):
            result[i] = value
        return result.reshape(shape, order="F")


def read_variables(data: bytes, most: int) -> dict[str, Any]:
    """Return variable name -> value: an array (numbers as stored), text, `Sparse`, or for cells and structs an array of
    objects (dicts).

    Args:
        most: how many bytes compressed elements may become.
    """
    mark = data[126:128]
    if len(data) < 128 or mark not in (b"IM", b"MI"):
        raise FormatError("it is no file of MATLAB 5 to 7.2")
    reader, found = _Reader("<" if mark == b"IM" else ">", most), {}
    for kind, content in reader.elements(memoryview(data)[128:]):
        if kind == _COMPRESSED:
            kind, content = reader.inflated(content)
        if kind == _MATRIX:
            name, value = reader.matrix(content)
            found[name] = value
    return found
