"""The networks of networks.py as float64 references, and a step of ours beside one of theirs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support import thor_reference as ref
from tests.thor.networks import BATCH, DAMPINGS, RATES, make_weights

__all__ = ["make_reference"]


def _part(weights: dict[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    return {key.partition(".")[2]: value for key, value in weights.items() if key.startswith(name + ".")}


def _layers(case: str) -> list[ref.Layer]:
    weights = make_weights(case)
    if case == "dense":
        return [ref.Dense("fc1", **_part(weights, "fc1")), ref.Relu(), ref.Dense("fc2", **_part(weights, "fc2"))]
    if case == "conv":
        return [
            ref.Conv("conv1", (1, 1), "valid", **_part(weights, "conv1")),
            ref.BatchNorm("bn", **_part(weights, "bn")),
            ref.Relu(),
            ref.Conv("conv2", (2, 2), "same", **_part(weights, "conv2")),
            ref.Relu(),
            ref.Flatten(),
            ref.Dense("fc", **_part(weights, "fc")),
        ]
    return [
        ref.Embedding("table", **_part(weights, "table")),
        ref.LayerNorm("norm", **_part(weights, "norm")),
        ref.MeanOverAxis1(),
        ref.Dense("fc", **_part(weights, "fc")),
    ]


def make_reference(
    case: str, rates: np.ndarray | None = None, filter: str = "", dampings: np.ndarray = DAMPINGS, **options: Any
) -> ref.Reference:
    """The network under a reference THOR with the settings of networks.OPTIONS."""
    rates = RATES[case] if rates is None else rates
    # the optimizer keeps its momentum as a float32
    return ref.Reference(
        _layers(case),
        rates,
        dampings,
        float(np.float32(0.9)),
        batch_size=BATCH,
        decay_filter=lambda name: not filter or filter not in name,
        **options,
    )
