"""Operators that upstream keeps in ``mindspore.ops.operations._sequence_ops``; others are found here as in any of its
files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops._declare import primitive

__all__ = ["TensorToScalar"]


@primitive
def TensorToScalar() -> Callable[..., Any]:
    """The number that a Tensor without axes holds.

    Raises:
        TypeError: for what is no Tensor. ValueError: for one with axes.
    """

    def run(input_tensor: Any) -> Any:
        if not isinstance(input_tensor, torch.Tensor):
            raise TypeError(
                f"For Primitive[TensorToScalar], the input argument[input] must be a Tensor, but got {input_tensor}."
            )
        if input_tensor.dim():
            raise ValueError(
                f"For Primitive[TensorToScalar], the input argument[input] must be a 0-D Tensor, but got "
                f"{input_tensor.dim()}-D."
            )
        return input_tensor.item()

    return run


__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
