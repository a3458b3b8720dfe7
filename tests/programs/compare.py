"""What differs between two runs of a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["difference"]

DIVERGED = 1e3  # from such a value on a program only shows how rounding grows


def difference(ours: dict[str, Any], real: dict[str, Any], rtol: float = 1e-4, atol: float = 2e-6) -> str | None:
    """The first value in which ``ours`` departs from ``real``, or an error that real does not have; None if there is
    none.

    State of an optimizer is compared where both have the name: real keeps more of it on some devices. Where real failed
    after some steps, those before count.
    """
    named = {label: (shape, numbers) for label, shape, numbers in _numbered(ours["values"])}
    for label, shape, numbers in _numbered(real["values"]):
        if label not in named:
            if " opt:" in label:
                continue
            return f"{label}: missing; {ours['error'] or 'no error'}"
        our_shape, our_numbers = named[label]
        if shape == "is" or our_shape == "is":
            if numbers != our_numbers:
                return f"{label}: {our_numbers} instead of {numbers}"
            continue
        if shape != our_shape:
            return f"{label}: shape {our_shape} instead of {shape}"
        expected, actual = np.array(numbers), np.array(our_numbers)
        size = np.abs(expected).max(initial=0.0)
        if not size < DIVERGED:
            return None
        if not np.allclose(
            actual, expected, rtol=rtol, atol=atol + rtol * (size if np.isfinite(size) else 0.0), equal_nan=True
        ):
            return f"{label}: {our_numbers} instead of {numbers}"
    if real["error"] is None and ours["error"] is not None:
        return f"at the end: {ours['error']}"
    return None


def _numbered(values: list[Any]) -> Iterator[tuple[str, Any, list[Any]]]:
    """With a number behind each label that was there before."""
    seen: Counter[str] = Counter()
    for label, shape, numbers in values:
        seen[label] += 1
        yield label if seen[label] == 1 else f"{label} ({seen[label]})", shape, numbers
