"""Check of labels that `SampledSoftmaxLoss`, a loss of a published project, takes from ``mindspore.nn.loss.loss``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._checkparam import check_type_name
from mindspore_compat.common.dtype import int32, int64


def _check_label_dtype(labels_dtype: Any, cls_name: str) -> None:
    """Raise a TypeError unless labels are int32 or int64."""
    check_type_name("labels", labels_dtype, [int32, int64], cls_name)
