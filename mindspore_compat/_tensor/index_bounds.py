"""Bounds of indices where MindSpore does not count from the end: -1 is its padding of index lists, but torch's last
row.

No value is read, so nothing waits for a CUDA device. An index below zero becomes one beyond every axis. torch's kernels
refuse that: by an exception on a CPU, by a device assertion on CUDA. Recorded steps and torch.compile repeat the
operator, so they refuse as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from mindspore_compat._tensor.tracing import is_tracing

_LARGEST = (1 << 63) - 1
_Base = torch._C.TensorBase
_and = torch.bitwise_and
_num_modes: Callable[[], int] = torch._C._len_torch_dispatch_stack


def _writes_file() -> bool:
    """Return whether operators are exported to a file, which holds no checks."""
    return (
        not is_tracing()
        and bool(_num_modes())
        and any(getattr(mode, "writes_file", False) for mode in _get_current_dispatch_mode_stack())
    )


def refuse_negative(indices: torch.Tensor) -> torch.Tensor:
    """Return int64 ``indices`` such that torch's kernels refuse those below zero: -1 becomes 2 ** 63 - 1."""
    return indices if _writes_file() else _and(indices, _LARGEST)


def check_coordinates(places: Sequence[torch.Tensor], lengths: Sequence[int]) -> torch.Tensor:
    """Return zeros of the shape of each of ``places``; torch refuses a coordinate that its axis does not have.

    A flat position does not show a coordinate that is too large for its axis: it lies in the next row.
    """
    zeros = torch.zeros_like(places[0])
    if _writes_file():
        return zeros
    zero = zeros.new_zeros(())
    for place, length in zip(places, lengths):  # no `index`, which a recorded step cannot repeat
        found = torch.gather(_Base.expand(zero, (length,)), 0, _Base.reshape(place, (-1,)))
        zeros = zeros + _Base.reshape(found, place.shape)
    return zeros


def count_from_end(call: Callable[[torch.Tensor], Any], index: torch.Tensor, length: int) -> Any:
    """Return ``call(index)`` with -1 as the last element, for torch functions that refuse it.

    On a CPU this costs nothing unless torch refuses; on other devices an index below zero would end the process.
    """
    if index.device.type != "cpu":
        return call(torch.where(index < 0, index + length, index))
    try:
        return call(index)
    except (IndexError, RuntimeError):
        if not index.numel() or int(index.min()) >= 0:
            raise
        return call(torch.where((index < 0) & (index >= -length), index + length, index))


def with_given_indices(message: str) -> str:
    """Return torch's message with the caller's indices in place of those that `refuse_negative` changed."""
    words = message.split(" ")
    return " ".join(
        [str(int(word) - _LARGEST - 1) if word.isdigit() and int(word) > _LARGEST // 2 else word for word in words]
    )
