"""Descriptions of a Primitive's arguments, as in ``__mindspore_signature__``. MindSpore: ``mindspore.ops.signature``.

They can be created and read; an operator's behaviour follows from its function.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

__all__ = ["Signature", "make_sig", "sig_dtype", "sig_kind", "sig_rw"]


class sig_rw(enum.IntEnum):
    """Access to the argument: read, write or reference."""

    RW_READ = 0
    RW_WRITE = 1
    RW_REF = 2
    RW_EMPTY_DEFAULT_VALUE = 3


class sig_kind(enum.IntEnum):
    """Kind of the argument, as Python's kinds of parameters."""

    KIND_POSITIONAL_KEYWORD = 0
    KIND_VAR_POSITIONAL = 1
    KIND_KEYWORD_ONLY = 2
    KIND_VAR_KEYWARD = 3
    KIND_EMPTY_DEFAULT_VALUE = 4


class sig_dtype(enum.IntEnum):
    """Group of arguments with one dtype."""

    T, T1, T2, T3, T4, T5, T6, T7, T8, T9 = range(10)
    T_EMPTY_DEFAULT_VALUE = 10


class Signature(NamedTuple):
    """One argument: name, access, kind, default, and dtype group."""

    name: str
    rw: Any
    kind: Any
    default: Any
    dtype: Any


def make_sig(
    name: str = "var",
    rw: Any = sig_rw.RW_READ,
    kind: Any = sig_kind.KIND_POSITIONAL_KEYWORD,
    default: Any = sig_kind.KIND_EMPTY_DEFAULT_VALUE,
    dtype: Any = sig_dtype.T_EMPTY_DEFAULT_VALUE,
) -> Signature:
    """Return the `Signature` of one argument."""
    return Signature(name, rw, kind, default, dtype)
