"""`Symbol`: what is known of a size that is open until a network runs; Tensors of such shapes. Upstream:
``mindspore.Symbol``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat.common.tensor import Tensor

__all__ = ["OpenTensor", "Symbol", "open_tensor"]


class Symbol:
    """A size that is a multiple of ``divisor`` plus ``remainder``, from ``min`` to ``max`` (0: no limit).

    Args:
        unique: whether all sizes with this object are the same number.

    Raises:
        TypeError: for other types. ValueError: for values out of range.
    """

    def __init__(
        self, max: int = 0, min: int = 1, divisor: int = 1, remainder: int = 0, unique: bool = False, **kwargs: Any
    ) -> None:
        for name, value in (("max", max), ("min", min), ("divisor", divisor), ("remainder", remainder)):
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"For 'Symbol', the argument '{name}' must be int, but got {type(value)}.")
        if not isinstance(unique, bool):
            raise TypeError(f"For 'Symbol', the argument 'unique' must be bool, but got {type(unique)}.")
        for name, value in (("min", min), ("divisor", divisor)):
            if value <= 0:
                raise ValueError(f"For 'Symbol', the '{name}' value should be positive, but got {value}.")
        if not 0 <= remainder < divisor:
            raise ValueError(
                f"For 'Symbol', the 'remainder' value should be in the range '[0, {divisor})', but got {remainder}."
            )
        self.max, self.min, self.divisor, self.remainder, self.unique = max, min, divisor, remainder, unique

    def to_dict(self) -> dict[str, Any]:
        """What differs from an open size about which nothing is known."""
        known = {
            "max": (self.max, 0),
            "min": (self.min, 1),
            "divisor": (self.divisor, 1),
            "remainder": (self.remainder, 0),
            "unique": (id(self) if self.unique else None, None),
        }
        return {name: value for name, (value, usual) in known.items() if value != usual}

    def near(self, size: int) -> int:
        """The smallest size it allows from ``size`` on, or the largest."""
        least = max(size, self.min)
        least += (self.remainder - least) % self.divisor
        if self.max and least > self.max:
            least = self.max - (self.max - self.remainder) % self.divisor
        return least

    def allows(self, size: int) -> bool:
        """Whether the size may be this."""
        return size >= self.min and not (self.max and size > self.max) and size % self.divisor == self.remainder


class OpenTensor(Tensor):
    """A Tensor without contents, for `Cell.set_inputs` and `export`: of its shape some sizes (-1) or the number of axes
    (-2) are open.
    """

    _sizes: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return tuple(size if isinstance(size, int) else -1 for size in self._sizes)

    @property
    def symbolic_shape(self) -> list[Any]:
        """As the shape, with what is known of the open sizes."""
        return [size.to_dict() if isinstance(size, Symbol) else size for size in self._sizes]

    def asnumpy(self) -> np.ndarray:
        raise ValueError(
            f"A Tensor of the open shape {list(self.shape)} has no contents. It only describes an input of "
            "'set_inputs' and 'export'."
        )

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value=)"


def open_tensor(shape: Any, dtype: Any) -> OpenTensor | None:
    """The Tensor of a shape with open sizes (None, -1, -2 or a Symbol); None if there is none among them."""
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (-2,) if shape is None else (shape,)
    if all(isinstance(size, int) and size >= 0 for size in sizes):
        return None
    for size in sizes:
        if not (size is None or isinstance(size, Symbol) or (isinstance(size, int) and size >= -2)):
            raise TypeError(f"For 'Tensor', a size in 'shape' must be an int, None or a Symbol, but got {size!r}.")
    result = torch.empty(0, dtype=dtype, device="meta")
    result.__class__ = OpenTensor
    result._sizes = tuple(-1 if size is None else size for size in sizes)  # type: ignore[attr-defined]
    return result  # type: ignore[return-value]
