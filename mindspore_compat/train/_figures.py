"""Figures of matplotlib, an optional package: without pyplot, so in any thread and without a window."""

from __future__ import annotations

import io
from typing import Any


def new_figure(owner: str, **options: Any) -> Any:
    """Return a ``matplotlib.figure.Figure`` with these options.

    Raises:
        ImportError: without matplotlib; says that ``owner`` needs it.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(f"{owner} needs matplotlib: pip install matplotlib.") from error
    return Figure(**options)


def picture_of(figure: Any, kind: str = "png", **options: Any) -> bytes:
    """Return the bytes of a file of that kind: png, svg or pdf."""
    target = io.BytesIO()
    figure.savefig(target, format=kind, **options)
    return target.getvalue()
