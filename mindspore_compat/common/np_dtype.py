"""numpy dtypes that numpy itself does not have: ``np_dtype.bfloat16``. MindSpore: ``mindspore.common.np_dtype``.

It is that of the package ml_dtypes, imported on first use.
"""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if name != "bfloat16":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import ml_dtypes

    return ml_dtypes.bfloat16
