"""Operator of MindSpore's compiler, imported by mindformers' `mindformers/modules/transformer/moe.py`. MindSpore:
``mindspore.ops.operations._sequence_ops``.
"""

from __future__ import annotations

from mindspore_compat._ops.declare import primitive_class

__all__ = ["TensorToScalar"]

TensorToScalar = primitive_class("TensorToScalar", lambda input_tensor: input_tensor.item())
