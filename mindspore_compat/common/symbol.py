"""`Symbol`: constraints on a size that is open until a network runs. MindSpore: ``mindspore.Symbol``."""

from __future__ import annotations

from typing import Any

__all__ = ["Symbol", "open_sizes"]


class Symbol:
    """A size that is a multiple of ``divisor`` plus ``remainder``, from ``min`` to ``max`` (0: no limit).

    Args:
        unique: whether all sizes with this object are the same number.

    Raises:
        ValueError: for values out of range.
    """

    def __init__(
        self, max: int = 0, min: int = 1, divisor: int = 1, remainder: int = 0, unique: bool = False, **kwargs: Any
    ) -> None:
        if min <= 0 or not 0 <= remainder < divisor:
            raise ValueError(
                f"For 'Symbol', 'min' must be positive and 'remainder' in [0, divisor), but got {min}, {remainder} and "
                f"{divisor}."
            )
        self.max, self.min, self.divisor, self.remainder, self.unique = max, min, divisor, remainder, unique

    def to_dict(self) -> dict[str, Any]:
        """Return the constraints that differ from those of a free size."""
        known = {
            "max": (self.max, 0),
            "min": (self.min, 1),
            "divisor": (self.divisor, 1),
            "remainder": (self.remainder, 0),
            "unique": (id(self) if self.unique else None, None),
        }
        return {name: value for name, (value, usual) in known.items() if value != usual}

    def near(self, size: int) -> int:
        """Return the smallest allowed size from ``size`` on, or the largest."""
        least = max(size, self.min)
        least += (self.remainder - least) % self.divisor
        if self.max and least > self.max:
            least = self.max - (self.max - self.remainder) % self.divisor
        return least

    def allows(self, size: int) -> bool:
        """Return whether the size may be this."""
        return size >= self.min and not (self.max and size > self.max) and size % self.divisor == self.remainder


def open_sizes(shape: Any) -> tuple[Any, ...] | None:
    """Return a shape with open sizes (-1, -2 or a Symbol, and -1 for None); None if it has none.

    Raises:
        TypeError: if a size is something else.
    """
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (-2,) if shape is None else (shape,)
    if all(isinstance(size, int) and size >= 0 for size in sizes):
        return None
    for size in sizes:
        if not (size is None or isinstance(size, Symbol) or (isinstance(size, int) and size >= -2)):
            raise TypeError(f"For 'Tensor', a size in 'shape' must be an int, None or a Symbol, but got {size!r}.")
    return tuple(-1 if size is None else size for size in sizes)
