"""Names of MindSpore 1.x. MindSpore: ``mindspore.dataset.transforms.py_transforms``."""

from __future__ import annotations

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments
from mindspore_compat.dataset.core.validator_helpers import check_pos_int32
from mindspore_compat.dataset.transforms import transforms as _now
from mindspore_compat.dataset.transforms._operation import Implementation
from mindspore_compat.dataset.transforms.transforms import PyTensorOperation, RandomOrder, TensorOperation

__all__ = ["Compose", "OneHotOp", "PyTensorOperation", "RandomApply", "RandomChoice", "RandomOrder"]


@arguments
class OneHotOp(TensorOperation):
    """A label as a one-hot float64 row; smoothing shares `smoothing_rate` among all classes."""

    num_classes: Annotated[int, check_pos_int32]
    smoothing_rate: float = 0.0

    def _compute(self, labels: np.ndarray) -> np.ndarray:
        rows = np.eye(self.num_classes)[labels]
        return (1 - self.smoothing_rate) * rows + self.smoothing_rate / self.num_classes


class _InPython:
    """Base of 1.x operations in Python: a direct call does not convert its input or its result."""

    def _common_implementation(self) -> Implementation:
        return Implementation.PY


class Compose(_InPython, _now.Compose):
    """`transforms` one after another; a direct call returns a tuple, also of one."""


class RandomApply(_InPython, _now.RandomApply):
    """All of `transforms`, or with a probability of ``1 - prob`` none."""


class RandomChoice(_InPython, _now.RandomChoice):
    """One of `transforms`, drawn for each row."""
