"""The classes of Tensors and Parameters that nothing computes with (``_held.py``), by their dtypes."""

from __future__ import annotations

from mindspore_compat.common._held import HeldTensor, bind
from mindspore_compat.common.dtype import hifloat8, qint4x2
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor

__all__ = ["HiFloat8Parameter", "HiFloat8Tensor", "Int4Parameter", "Int4Tensor"]


class Int4Tensor(HeldTensor, Tensor):  # type: ignore[misc]
    """A Tensor of 4 bits an element."""

    dtype = qint4x2


class HiFloat8Tensor(HeldTensor, Tensor):  # type: ignore[misc]
    """A Tensor of Ascend's floats of 8 bits."""

    dtype = hifloat8


class Int4Parameter(HeldTensor, Parameter):  # type: ignore[misc]
    """A Parameter of 4 bits an element."""

    dtype = qint4x2


class HiFloat8Parameter(HeldTensor, Parameter):  # type: ignore[misc]
    """A Parameter of Ascend's floats of 8 bits."""

    dtype = hifloat8


bind(Tensor, Int4Tensor, HiFloat8Tensor)
bind(Parameter, Int4Parameter, HiFloat8Parameter)
