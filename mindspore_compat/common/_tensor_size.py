"""`Size`, what ``Tensor.size`` is, and what needs exactly one element."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["Size", "number_of", "require_one"]

_Base = torch._C.TensorBase


class Size(int):
    """MindSpore's ``Tensor.size`` is an int, torch's a method; torch's own Python code calls it. This is both."""

    _shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return torch.Size(self._shape) if dim is None else self._shape[dim]

    def __reduce__(self) -> Any:
        return int, (int(self),)


def require_one(value: torch.Tensor) -> None:
    """ValueError unless the tensor has one element."""
    if _Base.numel(value) != 1:
        raise ValueError(
            f"The tensor should have only one element, but got {_Base.numel(value)}, more than one element is "
            "ambiguous. Use Tensor.all(), Tensor.any() or an index."
        )


def number_of(value: torch.Tensor) -> Any:
    """The only element as a Python number, else a ValueError."""
    if _Base.numel(value) != 1:
        raise ValueError("Only one element tensors can be converted to Python scalars")
    return _Base.item(value)
