"""The numbers of ``hifloat8``, Ascend's float of 8 bits: a sign, then bits that say how many the exponent has, the
exponent (its sign, and what follows its leading 1), and the mantissa; small ones are powers of two.

| first bits | exponent | mantissa |
|---|---|---|
| 11 | 4 bits, 8 to 15 | 1 bit |
| 10 | 3 bits, 4 to 7 | 2 bits |
| 01 | 2 bits, 2 and 3 | 3 bits |
| 001 | 1 bit, 1 | 3 bits |
| 0001 | 0 | 3 bits |
| 0000 | 2 ** (the other 3 bits - 23), zero if they are | |
"""

from __future__ import annotations

import numpy as np

__all__ = ["codes", "values"]

_INFINITY, _NAN, _LARGEST = 0x6F, 0x80, 32768.0


def _value(code: int) -> float:
    """Of 7 bits, without the sign."""
    if code == _INFINITY:
        return float("inf")
    if code < 8:
        return 2.0 ** (code - 23) if code else 0.0
    bits = {1: 0, 2: 1, 3: 1}.get(code >> 3, (code >> 5) + 1)  # of the exponent
    mantissa_bits = min(3, 5 - bits)
    mantissa = 1 + (code & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    if not bits:
        return mantissa
    exponent = code >> mantissa_bits & ((1 << bits) - 1)
    lead = 1 << (bits - 1)
    return mantissa * 2.0 ** ((exponent | lead) * (-1 if exponent & lead else 1))


_OF_CODES = np.array([_value(code) for code in range(128)], np.float32)
_VALUES = np.concatenate([_OF_CODES, -_OF_CODES])
_VALUES[_NAN] = np.nan
_CODES = np.argsort(_OF_CODES).astype(np.uint8)
_SORTED = _OF_CODES[_CODES]


def values(coded: np.ndarray) -> np.ndarray:
    """The numbers, float32, of bytes."""
    return _VALUES[coded]


def codes(array: np.ndarray) -> np.ndarray:
    """The bytes of float32 numbers: as upstream's, towards zero, infinite beyond 32768, and without a negative zero."""
    size = np.abs(array)
    found = _CODES[np.searchsorted(_SORTED, size, side="right") - 1]
    found = np.where(size > _LARGEST, np.uint8(_INFINITY), found)
    signed = np.where((array < 0) & (found > 0), found | np.uint8(0x80), found)
    return np.where(np.isnan(array), np.uint8(_NAN), signed)
