"""``mindspore.utils.dlpack``: Tensors that share memory with arrays of other frameworks."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import dlpack as _dlpack

from mindspore_compat._tensor.wrapping import plain, wrap

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Any) -> Any:
    """Return a capsule of the Tensor's memory, for another framework's ``from_dlpack``, once.

    Raises:
        TypeError: if it is no Tensor.
    """
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"For 'to_dlpack', the 'tensor' must be a Tensor, but got {type(tensor)}.")
    return _dlpack.to_dlpack(plain(tensor))


def from_dlpack(dlpack: Any) -> Any:
    """Return a Tensor on the memory of a capsule, or of an array with ``__dlpack__`` (numpy, torch, cupy, jax, …).

    Raises:
        RuntimeError: if it is neither, or the capsule was used before.

    Examples:
        >>> array = np.ones(2)
        >>> shared = ms.utils.from_dlpack(array)
        >>> array[0] = 5
        >>> print(shared)
        [5. 1.]
    """
    is_capsule = type(dlpack).__name__ == "PyCapsule"
    if not is_capsule and not hasattr(dlpack, "__dlpack__"):
        raise RuntimeError(
            f"from_dlpack received an invalid capsule: a {type(dlpack).__name__}. Give what to_dlpack returns, or an "
            "array with '__dlpack__'."
        )
    return wrap(_dlpack.from_dlpack(plain(dlpack) if isinstance(dlpack, torch.Tensor) else dlpack))
