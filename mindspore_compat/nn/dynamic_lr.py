"""Learning rates as lists, one for each step. Upstream: ``mindspore.nn.dynamic_lr``. They change from epoch
to epoch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mindspore_compat._api.validate import (
    check_bool,
    check_float,
    check_non_negative_float,
    check_positive_float,
    check_positive_int,
    check_type,
)

__all__ = [
    "piecewise_constant_lr",
    "exponential_decay_lr",
    "natural_exp_decay_lr",
    "inverse_decay_lr",
    "cosine_decay_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]


def piecewise_constant_lr(milestone: Any, learning_rates: Any) -> list[float]:
    """``learning_rates[i]`` up to step ``milestone[i]``.

    Raises:
        TypeError: for other types than lists or tuples of ints and floats. ValueError: for different lengths or falling
            milestones.
    """
    owner = "piecewise_constant_lr"
    check_type(milestone, "milestone", (tuple, list), owner)
    check_type(learning_rates, "learning_rates", (tuple, list), owner)
    if len(milestone) != len(learning_rates):
        raise ValueError(
            f"For '{owner}', the size of 'milestone' must be same with the size of 'learning_rates', "
            f"but got 'milestone' size: {len(milestone)}, 'learning_rates' size: {len(learning_rates)}."
        )
    rates: list[float] = []
    for number, (end, rate) in enumerate(zip(milestone, learning_rates)):
        check_positive_int(end, f"milestone[{number}]", owner)
        check_float(rate, f"learning_rates[{number}]", owner)
        if end < len(rates):
            raise ValueError(
                f"For '{owner}', the value of milestone[{number}] must be greater than milestone[{number - 1}], "
                f"but got milestone[{number}]: {end}, milestone[{number - 1}]: {len(rates)}."
            )
        rates += [rate] * (end - len(rates))
    return rates


def _by_epoch(rate: Callable[[int], float], total_step: int, step_per_epoch: int) -> list[float]:
    return [rate(step // step_per_epoch) for step in range(total_step)]


def _check_steps(owner: str, **given: Any) -> None:
    for name, value in given.items():
        check_positive_int(value, name, owner)


def _decay(
    owner: str,
    factor: Callable[[float, int, float], float],
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool,
) -> list[float]:
    """``factor(rate, epoch, epochs in units of decay_epoch)``, the latter cut to whole ones with ``is_stair``."""
    _check_steps(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    check_positive_float(learning_rate, "learning_rate", owner)
    check_positive_float(decay_rate, "decay_rate", owner)
    check_bool(is_stair, "is_stair", owner)

    def rate(epoch: int) -> float:
        return factor(learning_rate, epoch, epoch // decay_epoch if is_stair else epoch / decay_epoch)

    return _by_epoch(rate, total_step, step_per_epoch)


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate · decay_rate ^ (epoch / decay_epoch), the exponent a whole number with ``is_stair``."""
    return _decay(
        "exponential_decay_lr",
        lambda rate, _, share: rate * decay_rate**share,
        learning_rate,
        decay_rate,
        total_step,
        step_per_epoch,
        decay_epoch,
        is_stair,
    )


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate · exp(-decay_rate · epoch), in steps of decay_epoch with ``is_stair``."""

    def factor(rate: float, epoch: int, share: float) -> float:
        return rate * math.e ** (-decay_rate * (share * decay_epoch if is_stair else epoch))

    return _decay(
        "natural_exp_decay_lr", factor, learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair
    )


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate / (1 + decay_rate · epoch / decay_epoch), the quotient a whole number with ``is_stair``."""
    return _decay(
        "inverse_decay_lr",
        lambda rate, _, share: rate / (1 + decay_rate * share),
        learning_rate,
        decay_rate,
        total_step,
        step_per_epoch,
        decay_epoch,
        is_stair,
    )


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """From ``max_lr`` to ``min_lr`` along half a cosine of ``decay_epoch`` epochs."""
    owner = "cosine_decay_lr"
    check_non_negative_float(min_lr, "min_lr", owner)
    check_positive_float(max_lr, "max_lr", owner)
    _check_steps(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    if min_lr >= max_lr:
        raise ValueError(
            f"For '{owner}', the 'max_lr' must be greater than the 'min_lr', but got 'max_lr' value: "
            f"{max_lr}, 'min_lr' value: {min_lr}."
        )
    half = 0.5 * (max_lr - min_lr)
    return _by_epoch(
        lambda epoch: min_lr + half * (1 + math.cos(math.pi * min(epoch, decay_epoch) / decay_epoch)),
        total_step,
        step_per_epoch,
    )


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """From ``learning_rate`` to ``end_learning_rate`` along a power of the remaining share of ``decay_epoch`` epochs.

    With ``update_decay_epoch`` the span is extended by decay_epoch whenever it is over.
    """
    owner = "polynomial_decay_lr"
    check_positive_float(learning_rate, "learning_rate", owner)
    check_non_negative_float(end_learning_rate, "end_learning_rate", owner)
    check_positive_float(power, "power", owner)
    _check_steps(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    check_bool(update_decay_epoch, "update_decay_epoch", owner)

    def rate(epoch: int) -> float:
        span = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        return (learning_rate - end_learning_rate) * (1 - min(epoch, span) / span) ** power + end_learning_rate

    return _by_epoch(rate, total_step, step_per_epoch)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """Linear from 0 to ``learning_rate`` over ``warmup_epoch`` epochs."""
    check_non_negative_float(learning_rate, "learning_rate", "warmup_lr")
    _check_steps("warmup_lr", warmup_epoch=warmup_epoch, total_step=total_step, step_per_epoch=step_per_epoch)
    return _by_epoch(lambda epoch: learning_rate * min(epoch, warmup_epoch) / warmup_epoch, total_step, step_per_epoch)
