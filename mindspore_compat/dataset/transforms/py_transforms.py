"""Names of MindSpore 1.x. Upstream: ``mindspore.dataset.transforms.py_transforms``."""

from __future__ import annotations

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments
from mindspore_compat.dataset.core.validator_helpers import check_pos_int32
from mindspore_compat.dataset.transforms.transforms import (
    Compose,
    PyTensorOperation,
    RandomApply,
    RandomChoice,
    RandomOrder,
    TensorOperation,
)

__all__ = ["Compose", "OneHotOp", "PyTensorOperation", "RandomApply", "RandomChoice", "RandomOrder"]


@arguments
class OneHotOp(TensorOperation):
    """A label as a one-hot float64 row; smoothing shares `smoothing_rate` among the other classes."""

    num_classes: Annotated[int, check_pos_int32]
    smoothing_rate: float = 0.0

    def _compute(self, labels: np.ndarray) -> np.ndarray:
        if labels.size and labels.max() >= self.num_classes:
            raise ValueError(f"label {labels.max()} must be less than num_classes {self.num_classes}.")
        rows = np.eye(self.num_classes)[labels]
        if self.smoothing_rate > 0:
            others = self.smoothing_rate / max(self.num_classes - 1, 1)
            rows = rows * (1 - self.smoothing_rate - others) + others
        return rows
