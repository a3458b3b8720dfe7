"""Triangles, diagonals and rearrangements: the part of ``mindspore.nn.layer.basic`` without parameters or modes."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.cell import Cell

__all__ = ["Tril", "Triu", "MatrixDiag", "MatrixDiagPart", "MatrixSetDiag", "Roll", "Unflatten"]


class Tril(Cell):
    """The lower triangle, from diagonal ``k`` down; zeros elsewhere."""

    def construct(self, x: Any, k: int = 0) -> Any:
        return torch.tril(x, k)


class Triu(Cell):
    """The upper triangle, from diagonal ``k`` up; zeros elsewhere."""

    def construct(self, x: Any, k: int = 0) -> Any:
        return torch.triu(x, k)


class MatrixDiag(Cell):
    """Diagonal matrices (*, n, n) of vectors (*, n)."""

    def construct(self, input_x: Any) -> Any:
        return torch.diag_embed(input_x)


class MatrixDiagPart(Cell):
    """Diagonals of matrices (*, m, n)."""

    def construct(self, input_x: Any) -> Any:
        return torch.diagonal(input_x, dim1=-2, dim2=-1)


class MatrixSetDiag(Cell):
    """Matrices (*, m, n) with their diagonals replaced."""

    def construct(self, input_x: Any, diagonal: Any) -> Any:
        return torch.diagonal_scatter(input_x, diagonal, dim1=-2, dim2=-1)


class Roll(Cell):
    """Elements moved by ``shift`` along ``axis``, round the end; ints or tuples of one length."""

    def __init__(self, shift: Any, axis: Any) -> None:
        super().__init__()
        self.shift = list(shift) if isinstance(shift, (tuple, list)) else [shift]
        self.axis = list(axis) if isinstance(axis, (tuple, list)) else [axis]
        if len(self.shift) != len(self.axis):
            raise ValueError(
                "For 'Roll', the shape of 'shift' and the shape of 'axis' must be the same, "
                f"but got the length of 'shift' {len(self.shift)} and the length of 'axis' {len(self.axis)}."
            )

    def construct(self, input_x: Any) -> Any:
        return torch.roll(input_x, self.shift, self.axis)


class Unflatten(Cell):
    """``axis`` replaced by the axes of ``unflattened_size``."""

    def __init__(self, axis: int, unflattened_size: Any) -> None:
        super().__init__()
        self.axis = axis
        self.unflattened_size = tuple(unflattened_size)

    def construct(self, input_x: Any) -> Any:
        shape = tuple(input_x.shape)
        rest = shape[self.axis + 1 :] if self.axis != -1 else ()
        return torch.reshape(input_x, shape[: self.axis] + self.unflattened_size + rest)
