"""``mindspore.device_context.cpu.op_tuning``."""

from __future__ import annotations

import torch

from mindspore_compat._api.validate import check_positive_int

__all__ = ["threads_num"]

_is_set = False


def threads_num(num: int) -> None:
    """Set the number of threads of an operator on the CPU, by torch's ``set_num_threads``.

    Raises:
        TypeError: if it is no int. ValueError: unless it is positive. RuntimeError: at a second call.
    """
    global _is_set
    if _is_set:
        raise RuntimeError("The 'threads_num' cannot be set repeatedly.")
    check_positive_int(num, "num", "threads_num")
    torch.set_num_threads(num)
    _is_set = True
