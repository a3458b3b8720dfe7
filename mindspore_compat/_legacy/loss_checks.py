"""Checks of arguments that `SampledSoftmaxLoss`, a loss of a published project, and MindSporeTrainer's
`modeling/transformer/layers.py` take from ``mindspore.nn.loss.loss``.
"""

from __future__ import annotations

from typing import Any

from mindspore_compat._checkparam import check_type_name
from mindspore_compat.common.dtype import int32, int64
from mindspore_compat.common.tensor import Tensor


def _check_label_dtype(labels_dtype: Any, cls_name: str) -> None:
    """Raise a TypeError unless labels are int32 or int64."""
    check_type_name("labels", labels_dtype, [int32, int64], cls_name)


def _check_is_tensor(param_name: str, input_data: Any, cls_name: str) -> None:
    """Raise a TypeError unless the argument is a Tensor or None."""
    if not isinstance(input_data, (Tensor, type(None))):
        raise TypeError(f"For '{cls_name}', the '{param_name}' must be a Tensor, but got {type(input_data).__name__}.")
