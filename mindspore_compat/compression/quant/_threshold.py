"""Clipping bounds of a weight before its scale is learned."""

from __future__ import annotations

from typing import Any

import numpy as np

_SMALLEST = 1e-5


def compute_KL_threshold(data: Any, bitwidth: Any) -> float:
    """Return the bound of |data| whose cumulative histogram changes least when resampled to ``2 ** (bits - 1)`` levels,
    by Jeffreys' divergence.

    Args:
        data: an array.
        bitwidth: a number of bits, or a QuantDtype.
    """
    bits = bitwidth if isinstance(bitwidth, int) else int("".join(filter(str.isdigit, str(bitwidth))))
    values, levels = np.abs(np.asarray(data, np.float64)).ravel(), 2 ** (bits - 1)
    top = float(values.max(initial=0.0))
    if top < _SMALLEST:
        return _SMALLEST
    count = int(np.ceil(np.sqrt(values.size)))
    histogram, edges = np.histogram(values, bins=count if count <= 1024 else 10, range=(0, top))
    if levels + 1 > len(histogram):  # fewer bins than levels: nothing to gain by clipping
        return top
    cumulated = np.cumsum(histogram) / values.size
    best, found = np.inf, top
    for kept in range(levels + 1, len(histogram) + 1):
        clipped = np.ones_like(cumulated)
        clipped[: kept - 1] = cumulated[: kept - 1]
        fine, coarse = np.linspace(0, 1, kept), np.linspace(0, 1, levels)
        clipped[:kept] = np.interp(fine, coarse, np.interp(coarse, fine, clipped[:kept]))
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = (cumulated - clipped) * np.log2(cumulated / clipped)
        divergence = float(np.sum(np.where((cumulated > 0) & (clipped > 0), terms, 0)))
        if divergence < best:
            best, found = divergence, (kept + 0.5) * float(edges[1])
    return max(found, _SMALLEST)


def weight_bounds(layer: Any, norm: Any, dtype: Any, per_channel: bool) -> tuple[list[float], list[float]]:
    """Return the initial bounds of a layer's weight, with the factor of the batch norm folded into it, if any: one
    bound, or one a channel.
    """
    weight = layer.weight.asnumpy()
    if norm is not None:
        weight = weight * (norm.gamma.asnumpy() / np.sqrt(norm.moving_variance.asnumpy() + norm.eps)).reshape(
            -1, 1, 1, 1
        )
    high = [compute_KL_threshold(part, dtype) for part in (weight if per_channel else [weight])]
    return [-value for value in high], high
