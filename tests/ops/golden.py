"""What real MindSpore gave for the cases (tests/golden/make_ops.py)."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["load", "difference"]


def load(path: Path = Path(__file__).parents[1] / "golden" / "ops.npz") -> dict[str, dict[str, Any]]:
    """{case: {"out": arrays, "grad": arrays} or {"error": name}}."""
    file = np.load(path)
    data = file["data"].tobytes()
    found: dict[str, dict[str, Any]] = {}
    for case, entry in json.loads(zlib.decompress(file["index"].tobytes())):
        if "error" not in entry:
            entry = {
                part: [
                    np.frombuffer(data, dtype, int(np.prod(shape)), offset).reshape(shape)
                    for dtype, shape, offset in arrays
                ]
                for part, arrays in entry.items()
            }
        found[case] = entry
    return found


_LOOSE = {"<f2": 3e-3, "<f4": 2e-5, "<f8": 2e-5, "<c8": 2e-5, "<c16": 2e-5}


def _same(ours: np.ndarray, theirs: np.ndarray, tolerance: float | None) -> str:
    if ours.dtype != theirs.dtype:
        return f"dtype {ours.dtype} instead of {theirs.dtype}"
    if ours.shape != theirs.shape:
        return f"shape {ours.shape} instead of {theirs.shape}"
    if theirs.dtype.str not in _LOOSE:
        return "" if np.array_equal(ours, theirs) else f"{ours.tolist()} instead of {theirs.tolist()}"
    tolerance = tolerance or _LOOSE[theirs.dtype.str]
    if np.allclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True):
        return ""
    return f"{np.array2string(ours, precision=5)} instead of {np.array2string(theirs, precision=5)}"


#: upstream's kernel reads cubic weights from a table of 1024 steps
_COARSE = {"bicubic": 2e-3}


def difference(case: str, ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """How two results of one case differ; empty if they agree."""
    if "error" in theirs or "error" in ours:
        if "error" in theirs and theirs["error"] in ours.get("kinds", [ours.get("error")]):
            return ""
        shown = [f"{found.get('error', 'a result')} ({found.get('message', '')})" for found in (ours, theirs)]
        return " instead of ".join(shown)
    for part, arrays in theirs.items():
        if len(ours[part]) != len(arrays):
            return f"{part}: {len(ours[part])} arrays instead of {len(arrays)}"
        for number, (mine, other) in enumerate(zip(ours[part], arrays)):
            problem = _same(mine, other, next((value for name, value in _COARSE.items() if name in case.lower()), None))
            if problem:
                return f"{part} {number}: {problem}"
    return ""
