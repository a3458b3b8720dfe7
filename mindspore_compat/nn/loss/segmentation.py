"""Dice, focal and sampled-softmax losses. MindSpore: ``mindspore.nn.loss.loss``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.adapt import check_same_shape
from mindspore_compat.nn.layer.activation import LogSoftmax, get_activation
from mindspore_compat.nn.loss.loss import LossBase

__all__ = ["DiceLoss", "MultiClassDiceLoss", "FocalLoss", "SampledSoftmaxLoss"]


class DiceLoss(LossBase):
    """1 - 2·Σ(x·y) / (Σx² + Σy² + smooth) over everything."""

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = smooth

    def construct(self, logits: Any, label: Any) -> Any:
        check_same_shape("DiceLoss", logits=logits, labels=label)
        if torch.uint8 in (logits.dtype, label.dtype):
            raise TypeError("For 'DiceLoss', the inputs cannot be of uint8, in which squares overflow.")
        overlap = torch.sum(torch.mul(logits, label))
        sizes = torch.sum(kernels.square(logits)) + torch.sum(kernels.square(label))
        return 1 - 2 * overlap / (sizes + self.smooth)


class MultiClassDiceLoss(LossBase):
    """Mean over the channels of (N, C, ...) of `DiceLoss`, without channel ``ignore_indiex`` (sic), after
    ``activation`` of the logits.

    ``weights`` (C, n) weighs the channels.
    """

    def __init__(self, weights: Any = None, ignore_indiex: int | None = None, activation: Any = "softmax") -> None:
        super().__init__()
        self.binarydiceloss = DiceLoss(1e-5)
        self.weights = weights
        self.ignore_indiex = None if ignore_indiex is None else ignore_indiex
        self.activation = get_activation(activation) if isinstance(activation, str) else activation

    def construct(self, logits: Any, label: Any) -> Any:
        check_same_shape("MultiClassDiceLoss", logits=logits, labels=label)
        if self.weights is not None and self.weights.shape[0] != label.shape[1]:
            raise ValueError(
                "For 'MultiClassDiceLoss', weights.shape[0] must be equal to labels.shape[1], "
                f"but got {self.weights.shape[0]} and {label.shape[1]}."
            )
        if self.activation is not None:
            logits = self.activation(logits)
        total: Any = 0.0
        for number in range(label.shape[1]):
            if number != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, number], label[:, number])
                total = total + (loss if self.weights is None else loss * self.weights[number])
        return total / label.shape[1]


class FocalLoss(LossBase):
    """-(1 - p)^gamma · log p, where p = softmax(logits) over axis 1 of (N, C, ...); labels hold classes (N, 1, ...) or
    (N, C, ...) weights.
    """

    def __init__(self, weight: Any = None, gamma: float = 2.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.gamma = gamma
        self.weight = weight
        self.logsoftmax = LogSoftmax(1)  # as in MindSpore's list and print

    def construct(self, logits: Any, labels: Any) -> Any:
        classes = logits.shape[1]
        if classes == 1 or labels.shape[1] not in (1, classes):
            raise ValueError(
                "For 'FocalLoss', 'logits'.shape[1] cannot be one and 'labels'.shape[1] must be one or equal to it, "
                f"but got {classes} and {labels.shape[1]}."
            )
        logits, labels = (torch.reshape(item, (item.shape[0], item.shape[1], -1)) for item in (logits, labels))
        log_p, sparse = torch.log_softmax(logits, 1), labels.shape[1] == 1
        weight = None if self.weight is None else torch.reshape(self.weight, (1, -1, 1)).expand(log_p.shape)
        if sparse:
            picks = labels.to(torch.int64)
            log_p = torch.squeeze(torch.gather(log_p, 1, picks), 1)
            weight = None if weight is None else torch.squeeze(torch.gather(weight, 1, picks), 1)
        p = torch.exp(log_p)
        loss = -kernels.pow(1.0 - p, self.gamma) * (log_p if weight is None else log_p * weight)
        return self.get_loss(torch.mean(loss if sparse else loss * labels, -1))


class SampledSoftmaxLoss(LossBase):
    """Softmax cross entropy over the true and ``num_sampled`` other classes.

    Called with (weights (C, D), biases (C,), labels (N, num_true), logits (N, D)). Without ``sampled_values`` (classes,
    expected counts of the true ones, of the sampled ones) classes are drawn uniformly without repetition.
    """

    def __init__(
        self,
        num_sampled: int,
        num_classes: int,
        num_true: int = 1,
        sampled_values: Any = None,
        remove_accidental_hits: bool = True,
        seed: int = 0,
        reduction: str = "none",
    ) -> None:
        super().__init__(reduction)
        if not 0 < num_sampled <= num_classes:
            raise ValueError(
                f"For 'SampledSoftmaxLoss', 'num_sampled' must be from 1 to {num_classes}, but got {num_sampled}."
            )
        self.num_sampled, self.num_classes, self.num_true = num_sampled, num_classes, num_true
        self.sampled_values, self.remove_accidental_hits, self.seed = sampled_values, remove_accidental_hits, seed
        self.__dict__["_generator"] = torch.Generator().manual_seed(seed) if seed else None

    def _sampled(self, labels: Any) -> tuple[Any, Any, Any]:
        generator = self.__dict__["_generator"]
        if generator is not None and generator.device != labels.device:
            generator = self.__dict__["_generator"] = torch.Generator(labels.device).manual_seed(self.seed)
        chances = torch.rand(self.num_classes, generator=generator, device=labels.device)
        if self.remove_accidental_hits:
            chances.index_fill_(0, torch.flatten(labels).to(torch.int64), 2.0)  # after all others
        classes = torch.argsort(chances)[: self.num_sampled]
        expected = self.num_sampled / self.num_classes
        return (
            classes,
            torch.full(labels.shape, expected, device=labels.device),
            torch.full(classes.shape, expected, device=labels.device),
        )

    def construct(self, weights: Any, biases: Any, labels: Any, logits: Any) -> Any:  # type: ignore[override]
        labels = torch.reshape(labels, (-1, self.num_true)).to(torch.int64)
        classes, true_count, sampled_count = (
            self._sampled(labels) if self.sampled_values is None else self.sampled_values
        )
        classes = classes.to(torch.int64)
        true_rows, sampled_rows = torch.embedding(weights, labels), torch.embedding(weights, classes)
        true = (
            torch.sum(torch.mul(torch.unsqueeze(logits, 1), true_rows), -1)
            + torch.take(biases, labels)
            - torch.log(true_count)
        )
        sampled = (
            kernels.matmul(logits, torch.transpose(sampled_rows, 0, 1))
            + torch.take(biases, classes)
            - torch.log(sampled_count)
        )
        log_p = torch.log(torch.softmax(torch.cat([true, sampled], 1), 1) + 1e-20)
        return -torch.sum(log_p[:, : self.num_true], 1) / self.num_true
