"""Base of losses. MindSpore: ``mindspore.nn.loss.loss``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.nn.cell import Cell

_CODES = {"none": 0, "mean": 1, "sum": 2}

_PARTS = ("get_loss", "get_axis", "reduce_mean", "reduce_sum", "mul")  # of LossBase, as its own attributes

_IGNORED, _NOWHERE = -100, -(2**62)  # class indices that torch leaves out; one that no label has


class LossBase(Cell):
    """Base of losses: `get_loss` weighs and reduces by ``reduction`` ("mean", "sum" or "none").

    Raises:
        ValueError: for another reduction.

    Examples:
        >>> class AbsoluteLoss(nn.LossBase):
        ...     def construct(self, logits, labels):
        ...         return self.get_loss(ops.abs(logits - labels))
        >>> print(AbsoluteLoss(reduction="mean")(Tensor([1.0, 2.0]), Tensor([2.0, 4.0])))
        1.5
    """

    _reductions: tuple[str, ...] = ("mean", "sum", "none")

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in self._reductions:
            raise ValueError(
                f"For '{type(self).__name__}', the 'reduction' must be in {list(self._reductions)}, but got "
                f"{reduction!r}."
            )
        self.reduction = reduction
        self.average, self.reduce = reduction != "sum", reduction != "none"

    @property
    def _asked(self) -> str:
        """The reduction by `reduce` and `average`, which may be set later."""
        return "none" if not self.reduce else "mean" if self.average else "sum"

    @property
    def _stock(self) -> bool:
        """True if the program has left weighing and reduction of losses unchanged."""
        kind, own = type(self), self.__dict__
        if kind.get_loss is not LossBase.get_loss or kind.get_axis is not LossBase.get_axis:
            return False
        for name in _PARTS:  # torch.compile follows no set of keys
            if name in own:
                return False
        return True

    def get_axis(self, x: Any) -> tuple[int, ...]:
        """Return all axes of ``x``."""
        return tuple(range(x.dim()))

    def get_loss(self, x: Any, weights: Any = 1.0) -> Any:
        """Return ``x`` · ``weights``, computed and reduced in float32, in the dtype of ``x``."""
        dtype = x.dtype
        if dtype is not torch.float32:
            x = x.to(torch.float32)
        if isinstance(weights, torch.Tensor):
            weights = weights.to(torch.float32)
        if (mul := self.__dict__.get("mul")) is not None:  # made by `inner_operator`, or the program's own
            x = mul(weights, x)
        elif isinstance(weights, torch.Tensor) or weights != 1.0:
            x = torch.mul(x, weights)
        return wrap(self._reduced(x).to(dtype))

    def _reduced(self, x: Any) -> Any:
        """Reduce ``x`` along `get_axis` by `reduce_mean` or `reduce_sum`, which programs override and replace."""
        if (asked := self._asked) == "none":
            return x
        if self._stock:
            return reduced(x, asked)
        return (self.reduce_mean if asked == "mean" else self.reduce_sum)(x, self.get_axis(x))

    def construct(self, logits: Any, labels: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must override 'construct(self, logits, labels)'.")


_Loss = Loss = LossBase  # names of MindSpore 1.x; nn.Loss is the metric


def reduced(x: Any, reduction: str) -> Any:
    """Return mean, sum or all elements of ``x``."""
    return torch.mean(x) if reduction == "mean" else torch.sum(x) if reduction == "sum" else x
