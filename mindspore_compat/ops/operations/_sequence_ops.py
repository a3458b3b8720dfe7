"""Operator of MindSpore's compiler, imported by mindformers' `mindformers/modules/transformer/moe.py`. MindSpore:
``mindspore.ops.operations._sequence_ops``.
"""

from __future__ import annotations

from mindspore_compat.ops._declare import plain

__all__ = ["TensorToScalar"]

TensorToScalar = plain("TensorToScalar", lambda input_tensor: input_tensor.item())
