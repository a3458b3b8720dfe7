"""Cross entropy over a masked sequence. MindSpore: ``mindspore.parallel._transformer.loss``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.transformer.op_parallel_config import default_dpmp_config

__all__ = ["CrossEntropyLoss"]


class _Softmax(Cell):
    """(softmax in float32, one-hot label); the gradient of the first output goes to the logits as it is, see
    `_NLLLoss`.
    """

    def __init__(self, parallel_config: Any = default_dpmp_config) -> None:
        super().__init__()

    def construct(self, logits: Any, label: Any) -> Any:
        classes = torch.arange(
            logits.shape[-1], dtype=label.dtype, device=label.device
        )  # a label out of range is all zeros
        return torch.softmax(logits.to(torch.float32), -1), (torch.unsqueeze(label, -1) == classes).to(torch.float32)

    def bprop(self, logits: Any, label: Any, out: Any, dout: Any) -> Any:
        return dout[0].to(logits.dtype), torch.zeros_like(label)


class _NLLLoss(Cell):
    """-log of the label's probability, row by row; its gradient is that by the logits, softmax minus one-hot."""

    def __init__(self, parallel_config: Any = default_dpmp_config) -> None:
        super().__init__()

    def construct(self, softmax_result: Any, one_hot_label: Any) -> Any:
        return -torch.sum(torch.log(softmax_result + 1e-24) * one_hot_label, -1)

    def bprop(self, softmax_result: Any, one_hot_label: Any, out: Any, dout: Any) -> Any:
        return (softmax_result - one_hot_label) * torch.unsqueeze(dout, -1), torch.zeros_like(one_hot_label)


class CrossEntropyLoss(Cell):
    """The mean of the losses where ``input_mask`` is 1: logits (N, C), label (N,) int32 and mask (N,) float32 give
    shape (1,).
    """

    def __init__(self, parallel_config: Any = default_dpmp_config) -> None:
        super().__init__()
        self._softmax, self._nllloss = _Softmax(parallel_config), _NLLLoss(parallel_config)

    def construct(self, logits: Any, label: Any, input_mask: Any) -> Any:
        losses = self._nllloss(*self._softmax(logits, label))
        weights = torch.reshape(input_mask, (-1,))
        return torch.reshape(torch.sum(losses * weights) / (torch.sum(weights) + 1e-5), (1,))
