"""Writes dataset.npz: results of the operations in dataset_cases.py under MindSpore. Run with the oracle's Python:

GLOG_v=4 .venv-oracle/bin/python tests/golden/make_dataset.py
"""

from __future__ import annotations

import os
import sys
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tests.dataset.exact_solution import exact_lstsq
from tests.golden.dataset_cases import CASES, inputs


def encoded(image: np.ndarray) -> dict[str, np.ndarray]:
    """`image` as files; kept with the results, for encoders differ."""
    files = {}
    for kind in ("JPEG", "PNG"):
        stream = BytesIO()
        Image.fromarray(image).save(stream, kind)
        files[kind.lower()] = np.frombuffer(stream.getvalue(), np.uint8)
    return files


def run(expression: str, names: dict[str, Any]) -> list[np.ndarray]:
    """The results as arrays, or the name of the exception."""
    try:
        with exact_lstsq():
            result = eval(expression, names)
    except Exception as error:
        return [np.array("!" + type(error).__name__)]
    results = result if isinstance(result, (tuple, list)) and not all(isinstance(r, int) for r in result) else [result]
    return [np.asarray(r) for r in results]


def main() -> None:
    import mindspore as ms
    import mindspore.dataset.transforms as T
    import mindspore.dataset.vision as V

    modules = {"ms": ms, "np": np, "T": T, "V": V, "Inter": V.Inter, "Border": V.Border}
    files = encoded(inputs()["img"])
    arrays = dict(files)
    for number, expression in enumerate(CASES):
        for part, array in enumerate(run(expression, {**modules, **inputs(), **files})):
            arrays[f"{number}.{part}"] = array
    np.savez_compressed(os.path.join(os.path.dirname(__file__), "dataset.npz"), cases=np.array(CASES), **arrays)


if __name__ == "__main__":
    main()
