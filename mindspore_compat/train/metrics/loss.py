"""The metric `Loss`. MindSpore: ``mindspore.train.Loss``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["Loss"]


class Loss(Metric):
    """Mean of the losses of the batches; each loss has no axis or one, which is averaged."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum_loss = 0.0
        self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        loss = self._operands(inputs, "loss", 1)[0]
        if loss.ndim > 1:
            raise self._value_error(f"the loss must have one axis at most, but has the shape {loss.shape}")
        self._sum_loss += float(loss.reshape(-1).mean(-1))
        self._total_num += 1

    def eval(self) -> Any:
        self._require_update(self._total_num)
        return self._sum_loss / self._total_num
