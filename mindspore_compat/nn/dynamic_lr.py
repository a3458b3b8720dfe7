"""Learning rates for each step as lists. MindSpore: ``mindspore.nn.dynamic_lr``. They change from epoch to epoch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mindspore_compat._api.arguments import arguments_of

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
    """Return ``learning_rates[i]`` up to step ``milestone[i]``.

    Raises:
        ValueError: for different lengths or falling milestones.
    """
    owner = "piecewise_constant_lr"
    if len(milestone) != len(learning_rates):
        raise ValueError(
            f"For '{owner}', the size of 'milestone' must be same with the size of 'learning_rates', "
            f"but got 'milestone' size: {len(milestone)}, 'learning_rates' size: {len(learning_rates)}."
        )
    rates: list[float] = []
    for number, (end, rate) in enumerate(zip(milestone, learning_rates)):
        if end < len(rates):
            raise ValueError(
                f"For '{owner}', the value of milestone[{number}] must be greater than milestone[{number - 1}], "
                f"but got milestone[{number}]: {end}, milestone[{number - 1}]: {len(rates)}."
            )
        rates += [rate] * (end - len(rates))
    return rates


def _by_epoch(rate: Callable[[int], float], total_step: int, step_per_epoch: int) -> list[float]:
    return [rate(step // step_per_epoch) for step in range(total_step)]


def _decay(
    rate: Callable[[float, float, float, float], float],
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Return ``rate(learning_rate, decay_rate, epoch, share)`` for each step, the share being epoch / decay_epoch;
    with ``is_stair`` it is truncated, and the epoch is a multiple of decay_epoch.
    """

    def of_epoch(epoch: int) -> float:
        share = epoch // decay_epoch if is_stair else epoch / decay_epoch
        return rate(learning_rate, decay_rate, share * decay_epoch if is_stair else epoch, share)

    return _by_epoch(of_epoch, total_step, step_per_epoch)


@arguments_of(_decay, without="rate")
def exponential_decay_lr(**given: Any) -> list[float]:
    """Return learning_rate · decay_rate ^ (epoch / decay_epoch), the exponent truncated if ``is_stair``."""
    return _decay(lambda start, decay_rate, _, share: start * decay_rate**share, **given)


@arguments_of(_decay, without="rate")
def natural_exp_decay_lr(**given: Any) -> list[float]:
    """Return learning_rate · exp(-decay_rate · epoch), in steps of decay_epoch if ``is_stair``."""
    return _decay(lambda start, decay_rate, epoch, _: start * math.e ** (-decay_rate * epoch), **given)


@arguments_of(_decay, without="rate")
def inverse_decay_lr(**given: Any) -> list[float]:
    """Return learning_rate / (1 + decay_rate · epoch / decay_epoch), the quotient truncated if ``is_stair``."""
    return _decay(lambda start, decay_rate, _, share: start / (1 + decay_rate * share), **given)


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """Return rates from ``max_lr`` to ``min_lr`` along half a cosine of ``decay_epoch`` epochs."""
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
    """Return rates from ``learning_rate`` to ``end_learning_rate``, by a power of the remaining share of
    ``decay_epoch``.

    With ``update_decay_epoch`` the span is extended by decay_epoch whenever it is over.
    """

    def rate(epoch: int) -> float:
        span = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        return (learning_rate - end_learning_rate) * (1 - min(epoch, span) / span) ** power + end_learning_rate

    return _by_epoch(rate, total_step, step_per_epoch)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """Return rates from 0 to ``learning_rate``, linear over ``warmup_epoch`` epochs."""
    return _by_epoch(lambda epoch: learning_rate * min(epoch, warmup_epoch) / warmup_epoch, total_step, step_per_epoch)
