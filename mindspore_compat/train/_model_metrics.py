"""The metrics of a Model."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat.train.metrics import Loss, get_metric_fn

__all__ = ["ModelMetrics"]


class ModelMetrics:
    """The metrics of a Model over its evaluation network's outputs."""

    def __init__(self, functions: dict[str, Any], indexes: list[int] | None) -> None:
        self.functions, self.indexes = functions, indexes
        self._loss: Any = None

    def clear(self) -> None:
        for metric in self.functions.values():
            metric.clear()
        self._loss = None

    def update(self, outputs: Any, with_loss: bool) -> None:
        if isinstance(outputs, torch.Tensor):
            outputs = (outputs,)
        if not isinstance(outputs, tuple):
            raise ValueError(
                f"The argument 'outputs' should be tuple, but got {type(outputs)}. The eval_network must return a "
                "Tensor or a tuple."
            )
        if self.indexes is not None and len(outputs) < 3:
            raise ValueError(
                f"The length of 'outputs' must be >= 3, but got {len(outputs)}. The eval_network must return loss, "
                "outputs and label."
            )
        for metric in self.functions.values():
            if self.indexes is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[self.indexes[0]])
            else:
                metric.update(outputs[self.indexes[1]], outputs[self.indexes[2]])
        if with_loss:
            self._loss = get_metric_fn("loss")  # upstream too makes "eval_loss" that of the last batch
            self._loss.update(outputs[self.indexes[0] if self.indexes is not None else 0])

    def mean_loss(self) -> Any:
        return None if self._loss is None else _as_python(self._loss.eval())

    def eval(self) -> dict[str, Any]:
        return {name: _as_python(metric.eval()) for name, metric in self.functions.items()}


def _as_python(value: Any) -> Any:
    """numpy's scalars as Python numbers, so that they print as upstream's do whatever the numpy version."""
    return value.item() if isinstance(value, np.generic) else value
