"""``mindspore.parallel.function``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._strategy import Layout
from mindspore_compat.communication.management import get_group_size

__all__ = ["reshard"]


def reshard(tensor: Any, layout: Any) -> Any:
    """The Tensor, mathematically as it was: how it lies over the processes is what DTensor's operators need.

    Raises:
        TypeError: if ``tensor`` is no Tensor or ``layout`` no Layout, in several processes.
    """
    if get_group_size() == 1:
        return tensor
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"Reshard takes in Tensor type as the first input param, but got: {type(tensor)}.")
    if not isinstance(layout, Layout):
        raise TypeError(f"Reshard only support type mindspore.parallel.Layout, but got: {type(layout)}.")
    return tensor
