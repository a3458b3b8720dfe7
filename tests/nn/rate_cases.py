"""Learning rate functions and schedules with arguments, for real MindSpore and this package alike."""

from __future__ import annotations

from typing import Any

__all__ = ["LISTS", "SCHEDULES", "STEPS"]

STEPS = list(range(0, 26))
LISTS: list[tuple[str, dict[str, Any]]] = [
    ("piecewise_constant_lr", {"milestone": [2, 5, 10], "learning_rates": [0.1, 0.05, 0.01]}),
    ("cosine_decay_lr", {"min_lr": 0.01, "max_lr": 0.1, "total_step": 12, "step_per_epoch": 2, "decay_epoch": 4}),
    ("warmup_lr", {"learning_rate": 0.1, "total_step": 12, "step_per_epoch": 2, "warmup_epoch": 3}),
]
for _name in ("exponential_decay_lr", "natural_exp_decay_lr", "inverse_decay_lr"):
    for _stair in (False, True):
        LISTS.append(
            (
                _name,
                {
                    "learning_rate": 0.1,
                    "decay_rate": 0.9,
                    "total_step": 14,
                    "step_per_epoch": 2,
                    "decay_epoch": 3,
                    "is_stair": _stair,
                },
            )
        )
for _update in (False, True):
    LISTS.append(
        (
            "polynomial_decay_lr",
            {
                "learning_rate": 0.1,
                "end_learning_rate": 0.01,
                "total_step": 14,
                "step_per_epoch": 2,
                "decay_epoch": 3,
                "power": 0.5,
                "update_decay_epoch": _update,
            },
        )
    )
SCHEDULES: list[tuple[str, dict[str, Any]]] = [
    ("CosineDecayLR", {"min_lr": 0.01, "max_lr": 0.1, "decay_steps": 7}),
    ("WarmUpLR", {"learning_rate": 0.1, "warmup_steps": 7}),
]
for _name in ("ExponentialDecayLR", "NaturalExpDecayLR", "InverseDecayLR"):
    for _stair in (False, True):
        SCHEDULES.append((_name, {"learning_rate": 0.1, "decay_rate": 0.9, "decay_steps": 4, "is_stair": _stair}))
for _update in (False, True):
    SCHEDULES.append(
        (
            "PolynomialDecayLR",
            {
                "learning_rate": 0.1,
                "end_learning_rate": 0.01,
                "decay_steps": 7,
                "power": 0.5,
                "update_decay_steps": _update,
            },
        )
    )
