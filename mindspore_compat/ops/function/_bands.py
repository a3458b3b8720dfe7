"""Matrices and their diagonals, one or a band of them. Parts of ``array_func``.

A band k = (lowest, highest) is packed as (..., diagonals, longest), the highest diagonal first; shorter ones lie at the
left or right as ``align`` says of those above and below the main diagonal: "RIGHT_LEFT", "LEFT_RIGHT", ...
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._runtime.placement import sent
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_ints, as_plain, pair

__all__ = ["matrix_diag", "matrix_diag_part", "matrix_set_diag"]

_ALIGNS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _band(k: Any, align: str, owner: str, shape: Any = None) -> tuple[int, int]:
    """Return (lowest, highest), both of them diagonals of matrices of this shape."""
    if align not in _ALIGNS:
        raise ValueError(f"For '{owner}', the 'align' must be one of {list(_ALIGNS)}, but got {align!r}.")
    given = as_ints(k)
    if len(given) not in (1, 2) or given[0] > given[-1]:
        raise ValueError(f"For '{owner}', the 'k' must be a number or (lowest, highest), but got {given}.")
    if shape is not None and not -shape[-2] < given[0] <= given[-1] < shape[-1]:
        raise ValueError(
            f"For '{owner}', the 'k' must be between {1 - shape[-2]} and {shape[-1] - 1}, the diagonals of matrices of "
            f"shape {tuple(shape[-2:])}, but got {given}."
        )
    return given[0], given[-1]


def _places(rows: int, columns: int, low: int, high: int, align: str) -> tuple[Any, Any, Any]:
    """Return (row, column, whether there is one) of each packed value, (diagonals, longest), on the host."""
    above, below = (side == "LEFT" for side in align.split("_"))
    numbers = torch.arange(high, low - 1, -1).unsqueeze(1)
    sizes = torch.minimum(rows + torch.clamp(numbers, max=0), columns - torch.clamp(numbers, min=0))
    longest = int(torch.max(sizes))
    at_left = ((numbers >= 0) & above) | ((numbers <= 0) & below)
    rank = torch.arange(longest).unsqueeze(0) - torch.where(at_left, 0, longest - sizes)
    exists = (rank >= 0) & (rank < sizes)
    row = torch.clamp(rank - torch.clamp(numbers, max=0), 0, rows - 1)
    column = torch.clamp(rank + torch.clamp(numbers, min=0), 0, columns - 1)
    return row, column, exists


def matrix_diag_part(x: Any, k: Any, padding_value: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Return the diagonals k of matrices (..., rows, columns): (..., length), or packed as a band."""
    low, high = _band(k, align, "matrix_diag_part", x.shape)
    places = _places(x.shape[-2], x.shape[-1], low, high, align)
    row, column, exists = (sent(item, x.device) for item in places)
    found = torch.where(exists, x[..., row, column], as_plain(padding_value, x.dtype, x))
    return wrap(found[..., 0, :] if low == high else found)


def matrix_set_diag(x: Any, diagonal: Any, k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Return matrices with the diagonals k replaced by those of `matrix_diag_part`."""
    low, high = _band(k, align, "matrix_set_diag", x.shape)
    if x.dtype is not diagonal.dtype:
        x, diagonal = pair(x, diagonal)
    row, column, exists = _places(x.shape[-2], x.shape[-1], low, high, align)
    values = diagonal.unsqueeze(-2) if low == high and diagonal.dim() == x.dim() - 1 else diagonal
    if tuple(values.shape) != (*x.shape[:-2], *row.shape):
        raise ValueError(
            f"For 'matrix_set_diag', the shape of 'diagonal' must be {(*x.shape[:-2], *row.shape)}, but got "
            f"{tuple(diagonal.shape)}."
        )
    to = sent((row * x.shape[-1] + column)[exists], x.device)
    kept = sent(torch.nonzero(torch.flatten(exists)).squeeze(1), x.device)
    whole = torch.flatten(torch.clone(x), -2)
    new = torch.index_select(torch.flatten(values, -2), -1, kept)
    return wrap(torch.reshape(torch.scatter(whole, -1, to.expand(new.shape), new), tuple(x.shape)))


def matrix_diag(
    x: Any, k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Return matrices with ``x`` on the diagonals k, as `matrix_diag_part` packs them, and ``padding_value`` elsewhere;
    -1 rows or columns are as few as it takes.
    """
    low, high = _band(k, align, "matrix_diag")
    longest = x.shape[-1]
    rows, columns = (int(item) for item in (num_rows, num_cols))
    least_rows, least_columns = longest - min(high, 0), longest + max(low, 0)
    if rows < 0 and columns < 0:
        rows = columns = max(least_rows, least_columns)
    rows, columns = least_rows if rows < 0 else rows, least_columns if columns < 0 else columns
    leading = x.shape[:-1] if low == high else x.shape[:-2]
    value = as_plain(padding_value, x.dtype, x)
    whole = torch.Tensor.expand(torch.reshape(value, (1,) * (len(leading) + 2)), (*leading, rows, columns))
    return matrix_set_diag(whole, x, k, align)


apply_dtype_fallback(globals(), __all__)
