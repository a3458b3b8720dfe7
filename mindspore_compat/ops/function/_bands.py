"""Matrices and their diagonals, one or a band of them. Parts of ``array_func``.

A band k = (lowest, highest) is packed as (..., diagonals, longest), the highest diagonal first; shorter ones lie at the
left or right as ``align`` says of those above and below the main diagonal: "RIGHT_LEFT", "LEFT_RIGHT", ...
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_ints, as_plain

__all__ = ["matrix_diag", "matrix_diag_part", "matrix_set_diag"]

_ALIGNS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _band(k: Any, align: str, owner: str) -> tuple[int, int]:
    """(lowest, highest)."""
    if align not in _ALIGNS:
        raise ValueError(f"For '{owner}', the 'align' must be one of {list(_ALIGNS)}, but got {align!r}.")
    given = as_ints(k)
    if len(given) not in (1, 2) or given[0] > given[-1]:
        raise ValueError(f"For '{owner}', the 'k' must be a number or (lowest, highest), but got {given}.")
    return given[0], given[-1]


def _places(rows: int, columns: int, low: int, high: int, align: str, device: Any) -> tuple[Any, Any, Any]:
    """(row, column, whether there is one) of each packed value, (diagonals, longest)."""
    above, below = (side == "LEFT" for side in align.split("_"))
    sizes = [min(rows + min(d, 0), columns - max(d, 0)) for d in range(high, low - 1, -1)]
    longest = max(sizes)
    numbers = torch.arange(high, low - 1, -1, device=device).unsqueeze(1)
    left = [(d >= 0 and above) or (d <= 0 and below) for d in range(high, low - 1, -1)]
    shifts = [0 if is_left else longest - size for is_left, size in zip(left, sizes)]
    shift = torch.tensor(shifts, device=device).unsqueeze(1)
    rank = torch.arange(longest, device=device).unsqueeze(0) - shift
    exists = (rank >= 0) & (rank < torch.tensor(sizes, device=device).unsqueeze(1))
    row = torch.clamp(rank - torch.clamp(numbers, max=0), 0, rows - 1)
    column = torch.clamp(rank + torch.clamp(numbers, min=0), 0, columns - 1)
    return row, column, exists


def matrix_diag_part(x: Any, k: Any, padding_value: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """The diagonals k of matrices (..., rows, columns): (..., length), or packed as a band."""
    low, high = _band(k, align, "matrix_diag_part")
    row, column, exists = _places(x.shape[-2], x.shape[-1], low, high, align, x.device)
    found = torch.where(exists, x[..., row, column], as_plain(padding_value, x.dtype, x))
    return wrap(found[..., 0, :] if low == high else found)


def matrix_set_diag(x: Any, diagonal: Any, k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Matrices with the diagonals k replaced by those of `matrix_diag_part`."""
    low, high = _band(k, align, "matrix_set_diag")
    row, column, exists = _places(x.shape[-2], x.shape[-1], low, high, align, x.device)
    values = diagonal.unsqueeze(-2) if low == high and diagonal.dim() == x.dim() - 1 else diagonal
    if tuple(values.shape) != (*x.shape[:-2], *row.shape):
        raise ValueError(
            f"For 'matrix_set_diag', the shape of 'diagonal' must be {(*x.shape[:-2], *row.shape)}, but got "
            f"{tuple(diagonal.shape)}."
        )
    flat = (row * x.shape[-1] + column)[exists]
    whole = torch.flatten(torch.clone(x), -2)
    spread = flat.expand(*whole.shape[:-1], flat.shape[0])
    return wrap(torch.reshape(torch.scatter(whole, -1, spread, values[..., exists]), tuple(x.shape)))


def matrix_diag(
    x: Any, k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Matrices with ``x`` on the diagonals k, as `matrix_diag_part` packs them, and ``padding_value`` elsewhere; -1
    rows or columns are as few as it takes.
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
