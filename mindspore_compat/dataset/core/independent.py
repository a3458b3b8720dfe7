"""``MS_INDEPENDENT_DATASET=True``: each pipeline in a process of its own (`_execution/subprocess_session.py`)."""

from __future__ import annotations

import os


def is_independent() -> bool:
    """Return whether the environment enables it now."""
    return os.environ.get("MS_INDEPENDENT_DATASET", "").strip() in ("True", "true")


def refuse_if_independent(feature: str) -> None:
    """Raise RuntimeError for features that need the iterating process."""
    if is_independent():
        raise RuntimeError(
            f"{feature} is not supported in Dataset Independent mode: the pipeline runs in a process of its own. "
            "Unset MS_INDEPENDENT_DATASET to use it."
        )
