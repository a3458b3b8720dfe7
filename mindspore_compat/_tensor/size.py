"""`Size`, what ``Tensor.size`` is."""

from __future__ import annotations

from typing import Any

import torch


class Size(int):
    """Value that is both an int, as MindSpore's ``Tensor.size``, and a method, as torch's own Python code calls it."""

    _shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return torch.Size(self._shape) if dim is None else self._shape[dim]

    def __reduce__(self) -> Any:
        return int, (int(self),)
