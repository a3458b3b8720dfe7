"""Dtypes and constants of ``mindspore.numpy``."""

import math

from mindspore_compat.common.dtype import (
    bool_,
    float16,
    float32,
    float64,
    float_,
    int8,
    int16,
    int32,
    int64,
    int_,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
)

__all__ = """
    pi inf nan PINF NINF numeric_types bool_ float16 float32 float64 float_ int8 int16 int32 int64 int_ uint uint8
    uint16 uint32 uint64
""".split()

pi, inf, nan, PINF, NINF = math.pi, math.inf, math.nan, math.inf, -math.inf
numeric_types = [
    int_,
    int8,
    int16,
    int32,
    int64,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    float_,
    float16,
    float32,
    float64,
    bool_,
]
