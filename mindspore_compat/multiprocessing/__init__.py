"""``mindspore.multiprocessing``: Python's, with queues and pools that pass Tensors in shared memory."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from multiprocessing.reduction import ForkingPickler
from typing import Any

from torch.multiprocessing import reductions  # registers torch's tensors

from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.tensor import Tensor

__all__ = list(multiprocessing.__all__)  # type: ignore[attr-defined]


def _rebuilt(function: Callable[..., Any], arguments: tuple[Any, ...], requires_grad: bool) -> Any:
    return wrap(function(*arguments)).requires_grad_(requires_grad)


def _reduced(tensor: Any) -> tuple[Any, ...]:
    """Pickle a Tensor by moving its memory to shared memory."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "A Tensor that is computed from what is differentiated cannot be passed to another process. Give "
            "ops.stop_gradient(tensor)."
        )
    function, arguments = reductions.reduce_tensor(plain(tensor))
    return _rebuilt, (function, arguments, tensor.requires_grad)


ForkingPickler.register(Tensor, _reduced)
