"""`LRScheduler`, the base of ``lr_scheduler``, and what its classes share."""

from __future__ import annotations

from typing import Any

from mindspore_compat.common._wrap import memory
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.experimental.optim.optimizer import Optimizer
from mindspore_compat.nn.optim._groups import host_parameter, host_tensor

__all__ = ["LRScheduler", "copied", "per_group", "put"]


def put(parameter: Parameter, value: Any) -> None:
    memory(parameter).fill_(float(value))


def copied(parameter: Any) -> Tensor:
    return host_tensor(float(parameter))


def per_group(value: Any, optimizer: Optimizer, message: str) -> list[Any]:
    """``value`` for each group; a list or tuple has one for each."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(message.format(count, len(value)))
    return list(value)


class LRScheduler:
    """Base: a subclass defines ``get_lr()``, which gives each group's rate for ``last_epoch``, from ``_last_lr`` (the
    Parameters that hold the rates) or ``base_lrs`` (the first ones).

    Args:
        optimizer: one of ``mindspore.experimental.optim`` or ``mindspore.mint.optim``.
        last_epoch: -1 starts anew; another number goes on, with "initial_lr" in every group.

    Raises:
        KeyError: without "initial_lr" when going on.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", copied(group["lr"]))
        self.base_lrs: list[Any] = [group["initial_lr"] for group in optimizer.param_groups]
        self.optimizer = optimizer
        self._last_lr: list[Parameter] = list(optimizer.lrs)
        self.groups_num = len(optimizer.param_groups)
        self.last_epoch = host_parameter(float(last_epoch), "last_epoch_" + type(self).__name__)
        self.step()

    def get_lr(self) -> list[Any]:
        """Each group's rate for ``last_epoch``."""
        raise NotImplementedError(f"{type(self).__name__} must define 'get_lr()', which gives each group's rate.")

    def get_last_lr(self) -> list[Tensor]:
        """The rates in force."""
        return [copied(rate) for rate in self._last_lr]

    @property
    def _epoch(self) -> float:
        return float(self.last_epoch)

    def step(self, epoch: Any = None) -> bool:
        """Go on to the next epoch, or to ``epoch``."""
        closed_form = getattr(self, "_get_closed_form_lr", None)
        put(self.last_epoch, self._epoch + 1 if epoch is None else epoch)
        values = self.get_lr() if epoch is None or closed_form is None else closed_form()
        for rate, value in zip(self._last_lr, values):
            put(rate, value)
        return True
