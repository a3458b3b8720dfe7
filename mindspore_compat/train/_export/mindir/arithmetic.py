"""Arithmetic, comparisons and reductions as MINDIR operators. Rows of ``_mindir_rows.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._graph.export.decompose import as_axes
from mindspore_compat._graph.export.ir import Node, Value
from mindspore_compat.train._export._lower import Ref, Row, compare_dtype

_UNARY = {
    "relu": "ReLU",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "silu": "SiLU",
    "mish": "Mish",
    "hardswish": "HSwish",
    "hardsigmoid": "HSigmoid",
    "abs": "Abs",
    "neg": "Neg",
    "exp": "Exp",
    "log": "Log",
    "log1p": "Log1p",
    "expm1": "Expm1",
    "sqrt": "Sqrt",
    "rsqrt": "Rsqrt",
    "reciprocal": "Reciprocal",
    "square": "Square",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "asin": "Asin",
    "acos": "ACos",
    "atan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "asinh": "Asinh",
    "acosh": "Acosh",
    "atanh": "Atanh",
    "erf": "Erf",
    "erfc": "Erfc",
    "floor": "Floor",
    "ceil": "Ceil",
    "trunc": "Trunc",
    "sign": "Sign",
    "isnan": "IsNan",
    "isinf": "IsInf",
    "isfinite": "IsFinite",
}
_BINARY = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "pow": "Pow",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "remainder": "FloorMod",
    "floor_divide": "FloorDiv",
    "atan2": "Atan2",
    "bitwise_and": "BitwiseAnd",
    "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor",
}
_COMPARE = {"eq": "Equal", "ne": "NotEqual", "lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual"}
_LOGICAL = {"logical_and": "LogicalAnd", "logical_or": "LogicalOr", "logical_xor": "LogicalXor"}
_REDUCE = {
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "prod": "ReduceProd",
    "amax": "ReduceMax",
    "amin": "ReduceMin",
    "any": "ReduceAny",
    "all": "ReduceAll",
}


def _unary(name: str) -> Row:
    return lambda e, a, n: e(
        name, e.operand(a.self, n.outputs[0].dtype if n.op not in ("isnan", "isinf", "isfinite") else a.self.dtype)
    )


def _abs(e: Any, a: Any, n: Node) -> Ref:
    return e("ComplexAbs", a.self) if a.self.dtype.is_complex else e("Abs", a.self)


def _computed_in(n: Node, right: Any) -> torch.dtype:
    """Return the dtype in which torch multiplies or divides: with 16-bit floats, a number on the right, or a 0-d tensor
    of a wider dtype, counts as float32, and only the result is rounded.
    """
    dtype = n.outputs[0].dtype
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) and _is_wider(right, dtype) else dtype


def _is_wider(item: Any, dtype: torch.dtype) -> bool:
    """Return whether a dtype cannot hold a number, or a tensor of another one, exactly."""
    if isinstance(item, Value):
        return item.dtype.is_floating_point and item.dtype is not dtype
    return isinstance(item, float) and torch.tensor(item, dtype=dtype).item() != item


def _binary(name: str) -> Row:
    """Return the row with both operands in the dtype of the result; MindSpore's loader promotes nothing."""

    def row(e: Any, a: Any, n: Node) -> Ref:
        right = getattr(a, "exponent" if name == "Pow" else "other", None)
        factor = getattr(a, "alpha", 1)
        dtype = _computed_in(n, right) if name == "Mul" else n.outputs[0].dtype
        op = (
            {
                "BitwiseAnd": "LogicalAnd",
                "BitwiseOr": "LogicalOr",
                "BitwiseXor": "LogicalXor",
                "Mul": "LogicalAnd",
                "Add": "LogicalOr",
            }.get(name, name)
            if dtype is torch.bool
            else name
        )
        result = e(op, e.operand(a.self, dtype), _scaled(e, right, factor, dtype))
        return result if dtype is n.outputs[0].dtype else e.cast(result, n.outputs[0].dtype)

    return row


#: torch's computation for these exponents instead of powers
_POWERS: dict[float, Callable[[Any, Ref], Ref]] = {
    2.0: lambda e, x: e("Square", x),
    3.0: lambda e, x: e("Mul", e("Mul", x, x), x),
    0.5: lambda e, x: e("Sqrt", x),
    -0.5: lambda e, x: e("Rsqrt", x),
    -1.0: lambda e, x: e("Reciprocal", x),
    -2.0: lambda e, x: e("Reciprocal", e("Square", x)),
}


def _pow(e: Any, a: Any, n: Node) -> Ref:
    dtype, exponent = n.outputs[0].dtype, a.exponent
    if dtype.is_floating_point and isinstance(exponent, (int, float)) and exponent in _POWERS:
        return _POWERS[exponent](e, e.operand(a.self, dtype))
    return _binary("Pow")(e, a, n)


def _scaled(e: Any, item: Any, factor: Any, dtype: torch.dtype) -> Ref:
    return e.operand(item, dtype) if factor == 1 else e("Mul", e.operand(item, dtype), e.scalar(factor, dtype))


def _compare(name: str) -> Row:
    return lambda e, a, n: e(name, *[e.operand(item, compare_dtype(a.self, a.other)) for item in (a.self, a.other)])


def as_bool(e: Any, value: Value) -> Ref:
    return e.ref(value) if value.dtype is torch.bool else e("NotEqual", value, e.scalar(0, value.dtype))


def _div(e: Any, a: Any, n: Node) -> Ref:
    mode = getattr(a, "rounding_mode", None)
    dtype = n.outputs[0].dtype if mode else _computed_in(n, a.other)
    both = e.operand(a.self, dtype), e.operand(a.other, dtype)
    if mode == "floor":
        return e("FloorDiv", *both)
    if mode == "trunc" and not dtype.is_floating_point:
        return e.cast(e("Trunc", e("Div", e.cast(both[0], torch.float64), e.cast(both[1], torch.float64))), dtype)
    if mode == "trunc":
        return e("Trunc", e("Div", *both))
    return e("Div", *both) if dtype is n.outputs[0].dtype else e.cast(e("Div", *both), n.outputs[0].dtype)


def _logical(name: str) -> Row:
    return lambda e, a, n: e(name, as_bool(e, a.self), as_bool(e, a.other))


def _reduce(name: str) -> Row:
    rest = (False,) if name == "ReduceSum" else ()  # skip_mode

    def row(e: Any, a: Any, n: Node) -> Ref:
        dtype = n.outputs[0].dtype
        x = (
            as_bool(e, a.self)
            if dtype is torch.bool and name in ("ReduceAny", "ReduceAll")
            else e.operand(a.self, dtype)
        )
        if not a.self.ndim:
            return x
        axes = tuple(as_axes(getattr(a, "dim", None), a.self.ndim))
        if name == "ReduceProd" and not hasattr(a, "dim"):
            axes = ()  # of everything at once, not axis by axis
        return e(name, x, axes, getattr(a, "keepdim", False), *rest)

    return row


#: {aten's operator: its row}
ARITHMETIC: dict[str, Row] = {
    **{op: _unary(name) for op, name in _UNARY.items()},
    **{op: _binary(name) for op, name in _BINARY.items()},
    "abs": _abs,
    "pow": _pow,
    **{op: _compare(name) for op, name in _COMPARE.items()},
    **{op: _logical(name) for op, name in _LOGICAL.items()},
    **{op: _reduce(name) for op, name in _REDUCE.items()},
    "logical_not": lambda e, a, n: e("LogicalNot", as_bool(e, a.self)),
    "bitwise_not": lambda e, a, n: (
        e("LogicalNot", a.self) if a.self.dtype is torch.bool else e("Sub", e.scalar(-1, a.self.dtype), a.self)
    ),
    "round": lambda e, a, n: e("Round", a.self, 0),
    "rsub": lambda e, a, n: e(
        "Sub", e.operand(a.other, n.outputs[0].dtype), _scaled(e, a.self, a.alpha, n.outputs[0].dtype)
    ),
    "div": _div,
}
