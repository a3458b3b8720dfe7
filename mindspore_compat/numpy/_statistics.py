"""numpy's statistics: convolution, covariance, histograms, interpolation."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.numpy.utils import as_tensor, cast, float32_of, float_of, on_device

__all__ = """
    convolve correlate cov corrcoef bincount histogram histogramdd histogram2d digitize searchsorted interp
""".split()


def _float_pair(x1: Any, x2: Any) -> tuple[torch.Tensor, torch.Tensor]:
    left, right = as_tensor(x1), as_tensor(x2)
    common = torch.promote_types(left.dtype, right.dtype)
    return torch.Tensor.to(left, common), torch.Tensor.to(right, common)


@kernels.as_given
def _sliding(a: Any, v: Any, mode: str, turn: bool) -> Any:
    left, right = (torch.atleast_1d(item) for item in _float_pair(a, v))
    if left.dim() != 1 or right.dim() != 1 or not left.numel() or not right.numel():
        raise ValueError(
            f"For 'convolve' and 'correlate', both inputs must have one axis and elements, but their shapes are "
            f"{tuple(left.shape)} and {tuple(right.shape)}."
        )
    right = torch.flip(right, (0,)) if turn else torch.conj(right)
    swaps = right.numel() > left.numel()
    if swaps:
        left, right = torch.flip(right, (0,)), torch.flip(left, (0,))
    k, shift = right.numel(), swaps and not turn
    pads = {"valid": (0, 0), "same": ((k - shift) // 2, (k - 1 + shift) // 2), "full": (k - 1, k - 1)}
    windows = torch.Tensor.unfold(torch.nn.functional.pad(left, pads[mode]), 0, k, 1)
    return wrap(kernels.matmul(windows, right))


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """Return the convolution of 1-d inputs."""
    return _sliding(a, v, mode, True)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """Return the correlation of 1-d inputs; of integers in float32 (of 64 bits float64)."""
    found = _sliding(a, v, mode, False)
    if found.dtype.is_floating_point or found.dtype.is_complex:
        return found
    return wrap(torch.Tensor.to(found, torch.float64 if found.dtype is torch.int64 else torch.float32))


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: Any = None,
) -> Any:
    """Return the covariance matrix."""
    source = _observations(m, y, rowvar)
    correction = (0 if bias else 1) if ddof is None else ddof
    weights = [None if item is None else as_tensor(item) for item in (fweights, aweights)]
    weights[1] = None if weights[1] is None else float_of(weights[1])
    return cast(kernels.cov(source, correction=correction, fweights=weights[0], aweights=weights[1]), dtype)


def _observations(m: Any, y: Any, rowvar: bool) -> torch.Tensor:
    rows = [torch.atleast_2d(float32_of(as_tensor(item))) for item in (m, y) if item is not None]
    rows = [item if rowvar or item.shape[0] == 1 else torch.t(item) for item in rows]
    return torch.cat(rows) if len(rows) > 1 else rows[0]


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """Return the matrix of correlation coefficients."""
    return cast(kernels.corrcoef(_observations(x, y, rowvar)), dtype)


def bincount(x: Any, weights: Any = None, minlength: int = 0, length: int | None = None) -> Any:
    """Return the count of each non-negative int."""
    counts = torch.bincount(
        as_tensor(x), None if weights is None else as_tensor(weights), builtins.max(minlength, length or 0)
    )
    return wrap((counts if length is None else counts[:length]).to(torch.float32))


def histogram(a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """Return (counts as float32, edges: float32, or ``bins`` themselves)."""
    source = as_tensor(a).detach().cpu().numpy()
    given = as_tensor(bins) if isinstance(bins, (torch.Tensor, list, tuple)) else None
    bins = bins if given is None else given.cpu().numpy()
    weights = None if weights is None else as_tensor(weights).detach().cpu().numpy()
    counts, edges = np.histogram(source, bins, range, weights=weights, density=density)
    edges = on_device(edges.astype(np.float32)) if given is None else given
    return wrap(on_device(counts.astype(np.float32))), wrap(edges)


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """Return (counts as float32, list of edges) of points in rows."""
    points = as_tensor(sample).detach().cpu().numpy()
    counts, edges = np.histogramdd(
        points, bins, range, density, None if weights is None else as_tensor(weights).detach().cpu().numpy()
    )
    return wrap(on_device(counts.astype(np.float32))), [wrap(on_device(item.astype(np.float32))) for item in edges]


def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """Return (counts as float32, edges of x, edges of y)."""
    counts, edges = histogramdd(torch.stack((as_tensor(x), as_tensor(y)), 1), bins, range, weights, density)
    return counts, edges[0], edges[1]


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Return the number of the bin of each element, for rising or falling edges."""
    source, edges = float_of(as_tensor(x)), float_of(as_tensor(bins))
    if edges.numel() > 1 and bool(edges[0] > edges[-1]):
        found = torch.searchsorted(torch.flip(edges, (0,)), source, right=not right)
        return wrap((edges.numel() - found).to(torch.int32))
    return wrap(torch.searchsorted(edges, source, right=not right).to(torch.int32))


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Return the places to insert values at."""
    return wrap(as_tensor(a)).searchsorted(as_tensor(v), side, sorter)


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """Interpolate linearly between points."""
    places, points, values = (float32_of(as_tensor(item)) for item in (x, xp, fp))
    above = torch.clamp(torch.searchsorted(points, places), 1, points.numel() - 1)
    x0, x1, y0, y1 = points[above - 1], points[above], values[above - 1], values[above]
    result = y0 + (y1 - y0) * (places - x0) / (x1 - x0)
    result = torch.where(places < points[0], values[0] if left is None else float(left), result)
    return wrap(torch.where(places > points[-1], values[-1] if right is None else float(right), result))
