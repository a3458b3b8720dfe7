"""The families of dtypes. Upstream: ``mindspore._c_expression.typing``."""

from mindspore_compat.common._dtype_families import (
    BFloat,
    Bool,
    Complex,
    Dict,
    Float,
    Int,
    List,
    Number,
    String,
    TensorType,
    Tuple,
    TypeNone,
    UInt,
    is_subclass,
)
from mindspore_compat.common.dtype import Type, type_size_in_bytes

__all__ = [
    "BFloat",
    "Bool",
    "Complex",
    "Dict",
    "Float",
    "Int",
    "List",
    "Number",
    "String",
    "TensorType",
    "Tuple",
    "Type",
    "TypeNone",
    "UInt",
    "is_subclass",
    "type_size_in_bytes",
]
