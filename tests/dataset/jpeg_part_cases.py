"""Parts of JPEG files: "file seed scale interpolation"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["CASES", "part"]

#: the smallest parts have one column of colours
CASES = [
    f"{name} {seed} {scale} {inter}"
    for name in ("420", "progressive", "422", "444")
    for scale, inter, seeds in (("0.05", "NEAREST", 6), ("0.6", "LINEAR", 4), ("0.0002", "NEAREST", 12))
    for seed in range(seeds)
]


def part(ds: Any, files: Mapping[str, np.ndarray], case: str) -> np.ndarray:
    """What RandomCropDecodeResize gives of that case."""
    name, seed, scale, inter = case.split()
    ds.config.set_seed(int(seed))
    size = (4, 5) if scale == "0.0002" else (12, 15)
    ratio = (0.2, 4.0) if scale == "0.0002" else (0.6, 1.6)
    draw = ds.vision.RandomCropDecodeResize(size, (float(scale), float(scale) * 6), ratio, ds.vision.Inter[inter])
    return np.asarray(draw(files[name]))
