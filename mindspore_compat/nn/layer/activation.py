"""Activations. Upstream: ``mindspore.nn.layer.activation``."""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.cell import Cell

__all__ = ["ReLU", "Sigmoid", "Tanh", "GELU", "Softmax", "get_activation"]


class ReLU(Cell):
    """max(x, 0)."""

    def construct(self, x: Any) -> Any:
        return torch.relu(x)


class Sigmoid(Cell):
    """1 / (1 + exp(-x))."""

    def construct(self, x: Any) -> Any:
        return torch.sigmoid(x)


class Tanh(Cell):
    """tanh(x)."""

    def construct(self, x: Any) -> Any:
        return torch.tanh(x)


class GELU(Cell):
    """x · Φ(x); ``approximate`` (the default, as upstream) uses the tanh formula."""

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = approximate

    def construct(self, x: Any) -> Any:
        return torch._C._nn.gelu(x, approximate="tanh" if self.approximate else "none")


class Softmax(Cell):
    """softmax along ``axis``."""

    def __init__(self, axis: Any = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        return torch.softmax(x, self.axis)


_BY_NAME: dict[str, type[Cell]] = {"relu": ReLU, "sigmoid": Sigmoid, "tanh": Tanh, "gelu": GELU, "softmax": Softmax}


def get_activation(name: str | None, prim_name: str | None = None) -> Any:
    """The activation Cell of a name; None for None.

    Raises:
        KeyError: for an unknown name.
    """
    if name is None:
        return None
    if name not in _BY_NAME:
        raise KeyError(f"For '{prim_name or 'get_activation'}', the 'name' must be in {sorted(_BY_NAME)}, but got {name!r}.")
    return _BY_NAME[name]()
