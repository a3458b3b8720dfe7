"""Learning rates computed from the step. MindSpore: ``mindspore.nn.learning_rate_schedule``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell

__all__ = [
    "LearningRateSchedule",
    "ExponentialDecayLR",
    "NaturalExpDecayLR",
    "InverseDecayLR",
    "CosineDecayLR",
    "PolynomialDecayLR",
    "WarmUpLR",
]


def _of_either(of_number: Callable[..., Any], of_tensor: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a number, or of a tensor on a device."""
    return lambda x, *rest: (of_tensor if isinstance(x, torch.Tensor) else of_number)(x, *rest)


_floor, _ceil = _of_either(math.floor, torch.floor), _of_either(math.ceil, torch.ceil)
_exp, _cos = _of_either(math.exp, torch.exp), _of_either(math.cos, torch.cos)
_at_most = _of_either(min, lambda x, limit: torch.clamp(x, max=limit))
_at_least = _of_either(max, lambda x, limit: torch.clamp(x, min=limit))


class LearningRateSchedule(Cell):
    """Base: ``construct(self, global_step)`` returns the learning rate of a step (int32 Tensor, shape (1,) or ())."""

    def construct(self, global_step: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must override 'construct(self, global_step)'.")


class _Builtin(LearningRateSchedule):
    """Schedule in plain float arithmetic; single precision as in MindSpore, rounded once at the end.

    Steps on a device are float64 tensors in ``rate``, so that nothing waits for them.
    """

    def rate(self, step: Any) -> Any:
        raise NotImplementedError

    def construct(self, global_step: Any) -> Any:
        if isinstance(global_step, torch.Tensor) and global_step.device.type != "cpu":
            return wrap(self.rate(plain(global_step).to(torch.float64)).to(torch.float32))
        if isinstance(global_step, torch.Tensor) and global_step.numel() != 1:
            rates = [self.rate(float(item)) for item in global_step.flatten().tolist()]
            return Tensor(rates, torch.float32).reshape(global_step.shape)
        rate = self.rate(float(global_step.item() if isinstance(global_step, torch.Tensor) else global_step))
        value = Tensor(rate, torch.float32)
        return value.reshape(global_step.shape) if isinstance(global_step, torch.Tensor) else value


class _Decay(_Builtin):
    """Arguments of the exponential schedules."""

    def __init__(self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False) -> None:
        super().__init__()
        self.learning_rate = learning_rate
        self.decay_rate = decay_rate
        self.decay_steps = decay_steps
        self.is_stair = is_stair

    def _progress(self, step: Any) -> Any:
        progress = step / self.decay_steps
        return _floor(progress) if self.is_stair else progress


class ExponentialDecayLR(_Decay):
    """learning_rate · decay_rate ^ (step / decay_steps)."""

    def rate(self, step: Any) -> Any:
        return self.learning_rate * self.decay_rate ** self._progress(step)


class NaturalExpDecayLR(_Decay):
    """learning_rate · exp(-decay_rate · step), in stairs of ``decay_steps`` if wanted."""

    def rate(self, step: Any) -> Any:
        if self.is_stair:
            step = _floor(step / self.decay_steps) * self.decay_steps
        return self.learning_rate * _exp(-self.decay_rate * step)


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate · step / decay_steps)."""

    def rate(self, step: Any) -> Any:
        return self.learning_rate / (1 + self.decay_rate * self._progress(step))


class CosineDecayLR(_Builtin):
    """From ``max_lr`` to ``min_lr`` along half a cosine of ``decay_steps``."""

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        self.min_lr = min_lr
        self.max_lr = max_lr
        self.decay_steps = decay_steps
        self.delta = 0.5 * (max_lr - min_lr)  # MindSpore's: what is set later of `max_lr` does not count

    def rate(self, step: Any) -> Any:
        share = _at_most(step, self.decay_steps) / self.decay_steps
        return self.min_lr + self.delta * (1 + _cos(math.pi * share))


class PolynomialDecayLR(_Builtin):
    """From ``learning_rate`` to ``end_learning_rate`` along a power of the remaining share of ``decay_steps``."""

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        self.start_learning_rate = learning_rate
        self.end_learning_rate = end_learning_rate
        self.diff_learning_rate = learning_rate - end_learning_rate
        self.decay_steps = decay_steps
        self.power = power
        self.update_decay_steps = update_decay_steps

    def rate(self, step: Any) -> Any:
        steps = float(self.decay_steps)
        if self.update_decay_steps:
            steps = steps * _at_least(_ceil(step / steps), 1)
        else:
            step = _at_most(step, steps)
        return self.diff_learning_rate * (1 - step / steps) ** self.power + self.end_learning_rate


class WarmUpLR(_Builtin):
    """Linear from 0 to ``learning_rate`` over ``warmup_steps``."""

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps

    def rate(self, step: Any) -> Any:
        return self.learning_rate * _at_most(step, self.warmup_steps) / self.warmup_steps
