"""MindSpore's dtype names. A MindSpore dtype *is* the torch dtype of the same meaning.

MindSpore: ``mindspore.common.dtype``. Types that only describe Python objects (``string``, ``list_``, ...) are `Type`
markers.
"""

from __future__ import annotations

import builtins
import enum
import importlib
from typing import Any

import numpy as np
import torch

from mindspore_compat._numerics.dtype_families import (
    _NAMES,
    Bool,
    Float,
    Int,
    List,
    Marker,
    Number,
    String,
    TensorType,
    Tuple,
    Type,
    TypeNone,
    UInt,
    all_types,
    complex_type,
    dtype_name,
    float_type,
    int_type,
    is_subclass,
    number_type,
    signed_type,
    uint_type,
)

__all__ = [
    "Type",
    "bool_",
    "int8",
    "byte",
    "int16",
    "short",
    "int32",
    "intc",
    "int64",
    "intp",
    "long",
    "uint8",
    "ubyte",
    "uint16",
    "ushort",
    "uint32",
    "uintc",
    "uint64",
    "uintp",
    "float16",
    "half",
    "float32",
    "single",
    "float64",
    "double",
    "bfloat16",
    "complex64",
    "cfloat",
    "complex128",
    "cdouble",
    "number",
    "int_",
    "uint",
    "float_",
    "string",
    "list_",
    "tuple_",
    "type_none",
    "tensor_type",
    "dtype_to_nptype",
    "nptype_to_dtype",
    "dtype_to_pytype",
    "pytype_to_dtype",
    "get_py_obj_dtype",
    "dtype_name",
    "to_torch_dtype",
    "float8_e4m3fn",
    "float8_e5m2",
    "QuantDtype",
    "qint4x2",
    "hifloat8",
    "Bool",
    "Float",
    "Int",
    "List",
    "String",
    "TensorType",
    "Tuple",
    "all_types",
    "complex_type",
    "float_type",
    "int_type",
    "number_type",
    "signed_type",
    "type_size_in_bytes",
    "uint_type",
]

bool_ = torch.bool
int8 = byte = torch.int8
int16 = short = torch.int16
int32 = intc = torch.int32
int64 = intp = long = torch.int64
uint8 = ubyte = torch.uint8
uint16 = ushort = torch.uint16
uint32 = uintc = torch.uint32
uint64 = uintp = torch.uint64
float16 = half = torch.float16
float32 = single = torch.float32
float64 = double = torch.float64
bfloat16 = torch.bfloat16
complex64 = cfloat = torch.complex64
complex128 = cdouble = torch.complex128
float8_e4m3fn = torch.float8_e4m3fn
float8_e5m2 = torch.float8_e5m2


number = Number()
int_ = Int()
uint = UInt()
float_ = Float()
string = String()
list_ = List()
tuple_ = Tuple()
type_none = TypeNone()
tensor_type = tensor = TensorType()
_issubclass_ = issubclass_ = is_subclass


class _Int4x2(Marker):
    """Ascend's numbers of 4 bits; no Tensor has this type here."""

    shown = "Int4"


class _HiFloat8(Marker):
    """Ascend's floats of 8 bits; no Tensor has this type here."""

    shown = "HiFloat8"


qint4x2, hifloat8 = _Int4x2(), _HiFloat8()


@enum.unique
class QuantDtype(enum.Enum):
    """Bit widths for quantization, as in MindSpore's ``QuantDtype``.

    Examples:
        >>> print(ms.QuantDtype.INT8, ms.QuantDtype.INT8.value(), ms.QuantDtype.UINT16.value())
        INT8 7 115
    """

    INT1, INT2, INT3, INT4, INT5, INT6, INT7, INT8 = range(8)
    INT9, INT10, INT11, INT12, INT13, INT14, INT15, INT16 = range(8, 16)
    UINT1, UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = range(100, 108)
    UINT9, UINT10, UINT11, UINT12, UINT13, UINT14, UINT15, UINT16 = range(108, 116)

    def __str__(self) -> str:
        return self.name

    def value(self) -> builtins.int:  # type: ignore[override]
        """The number of the dtype in files."""
        return self._value_


_TO_NUMPY: dict[torch.dtype, Any] = {
    torch.bool: np.bool_,
    torch.int8: np.int8,
    torch.int16: np.int16,
    torch.int32: np.int32,
    torch.int64: np.int64,
    torch.uint8: np.uint8,
    torch.uint16: np.uint16,
    torch.uint32: np.uint32,
    torch.uint64: np.uint64,
    torch.float16: np.float16,
    torch.float32: np.float32,
    torch.float64: np.float64,
    torch.complex64: np.complex64,
    torch.complex128: np.complex128,
}
_FROM_NUMPY: dict[Any, torch.dtype] = {np.dtype(n): t for t, n in _TO_NUMPY.items()}
_FROM_PYTHON: dict[type, torch.dtype] = {
    builtins.bool: torch.bool,
    builtins.int: torch.int64,
    builtins.float: torch.float32,
    builtins.complex: torch.complex128,
}
_BY_NAME: dict[str, torch.dtype] = {name.lower(): dtype for dtype, name in _NAMES.items()}
_BY_NAME.update(
    {
        "bool_": torch.bool,
        "int": torch.int32,
        "long": torch.int64,
        "half": torch.float16,
        "float": torch.float32,
        "double": torch.float64,
    }
)


def type_size_in_bytes(dtype: torch.dtype) -> int:
    """Return how many bytes one element takes."""
    return to_torch_dtype(dtype).itemsize


def dtype_to_nptype(type_: torch.dtype) -> Any:
    """Return the numpy scalar type of a MindSpore dtype; bfloat16 becomes float32, since numpy has none."""
    if type_ is torch.bfloat16:
        return np.float32
    try:
        return _TO_NUMPY[type_]
    except (KeyError, TypeError):
        raise TypeError(
            "For 'dtype_to_nptype', the argument must be a MindSpore dtype with a numpy counterpart, but got "
            f"{type_!r}."
        ) from None


def nptype_to_dtype(type_: Any) -> torch.dtype:
    """Return the MindSpore dtype of a numpy dtype or scalar type."""
    try:
        return _FROM_NUMPY[np.dtype(type_)]
    except (KeyError, TypeError):
        raise TypeError(f"numpy type {type_!r} has no MindSpore dtype.") from None


_MARKERS: dict[type, Any] = {builtins.list: list_, builtins.tuple: tuple_, builtins.str: string, type(None): type_none}


def dtype_to_pytype(type_: torch.dtype) -> type:
    """Return the Python type (bool, int, float, complex) that a value of this dtype becomes."""
    if isinstance(type_, Marker):
        return next(kind for kind, marker in _MARKERS.items() if marker == type_)
    if type_ is torch.bool:
        return builtins.bool
    if type_.is_complex:
        return builtins.complex
    return builtins.float if type_.is_floating_point else builtins.int


def pytype_to_dtype(obj: Any) -> Any:
    """Return the dtype of a Python or numpy type; a dtype stays unchanged.

    Raises:
        NotImplementedError: if there is none, as in MindSpore.
    """
    if isinstance(obj, torch.dtype):
        return obj
    if obj in _MARKERS:
        return _MARKERS[obj]
    if obj in _FROM_PYTHON:
        return torch.float64 if obj is builtins.float else _FROM_PYTHON[obj]
    try:
        return nptype_to_dtype(obj)
    except TypeError:
        raise NotImplementedError(f"The python type {obj!r} can't be converted to a MindSpore dtype.") from None


def get_py_obj_dtype(obj: Any) -> Any:
    """Return the type of a Tensor, or the dtype of a scalar or of a type."""
    if isinstance(obj, torch.Tensor):
        return TensorType(obj.dtype)
    return pytype_to_dtype(obj if isinstance(obj, type) else type(obj))


def to_torch_dtype(dtype: Any, what: str = "dtype") -> torch.dtype:
    """Return the torch dtype of what MindSpore takes as one: a dtype, its name (also as printed), ``np.float32``, int.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(dtype, torch.dtype):
        return dtype
    if isinstance(dtype, str):
        if (found := _BY_NAME.get(dtype.lower(), PRINTED.get(dtype))) is not None:
            return found
    elif isinstance(dtype, type) and dtype in _FROM_PYTHON:
        return {builtins.int: torch.int64, builtins.complex: torch.complex64}.get(dtype, _FROM_PYTHON[dtype])
    elif isinstance(dtype, Marker):
        found = {"Int": torch.int32, "UInt": torch.uint32, "Float": torch.float32}.get(repr(dtype))
        if found is not None:
            return found
    else:
        try:
            return nptype_to_dtype(dtype)
        except TypeError:
            pass
    raise TypeError(
        f"The '{what}' must be a MindSpore dtype (such as mindspore.float32), but got {dtype!r} of type "
        f"{type(dtype).__name__}."
    )


def mindspore_dtype(dtype: Any, owner: str) -> torch.dtype:
    """Return the torch dtype of a MindSpore dtype; numpy's and Python's types, which `to_torch_dtype` accepts, are
    none.

    Raises:
        TypeError: if it is none.
    """
    if isinstance(dtype, (torch.dtype, Marker)):
        return to_torch_dtype(dtype)
    names = ", ".join(f"mindspore.{name.lower()}" for name in _NAMES.values())
    raise TypeError(f"For '{owner}', the 'dtype' should be one of [{names}], but got {dtype}.")


#: ``mindspore.bool``, ``mindspore.int`` and ``mindspore.float`` exist in MindSpore as dtypes; only `__getattr__` serves
# them,
#: since module names that shadow builtins would break this file.
_SHADOWING = {"bool": torch.bool, "int": torch.int32, "float": torch.float32}
#: as dtypes print: MindNLP writes ``str(x.dtype)`` into a file and reads it by ``getattr(mindspore, name)``
PRINTED = {str(item): item for item in list(globals().values()) if isinstance(item, torch.dtype)}


def __getattr__(name: str) -> Any:
    if name == "typing":  # MindSpore's module of families; translated scripts set attributes of them
        return importlib.import_module("mindspore_compat._c_expression.typing")
    try:
        return _SHADOWING[name] if name in _SHADOWING else PRINTED[name]
    except KeyError:
        raise AttributeError(f"module 'mindspore.common.dtype' has no attribute '{name}'") from None
