"""Tensors with values on first use: an Initializer draws them, in the order of use as in MindSpore, or they move from
the host to the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from mindspore_compat._runtime import placement
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._tensor import wrapping
from mindspore_compat._tensor.tracing import is_tracing
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.seed import get_seed

_Base = torch._C.TensorBase
_set_data = _Base.data.__set__  # type: ignore[attr-defined]
#: what says nothing of the values
_OF_SHAPES = {
    *(_Base.size, _Base.dim, _Base.numel, _Base.element_size, _Base.is_floating_point, _Base.is_complex),
    *(getattr(_Base, name).__get__ for name in ("shape", "dtype", "ndim", "nbytes", "itemsize", "requires_grad")),
}
_classes: dict[type, type] = {}
_drawn_slices = 0


class Waiting:
    """Mixin of a Tensor without values yet. Any function of torch gets them first; shape and dtype are known."""

    has_no_values = True

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in _OF_SHAPES:
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        _bring((args, kwargs))
        return func(*args, **(kwargs or {}))

    def bring(self) -> None:
        """Get the values, and be a Tensor like others."""
        raise NotImplementedError


class Pending(Waiting):
    """A Tensor that an Initializer is still to fill."""

    _init: Any

    def bring(self) -> None:
        _fill(self, None)

    @property
    def has_init(self) -> bool:
        return True

    @property
    def init(self) -> Any:
        """The Initializer that will fill the Tensor. Setting None is ignored, since there are no values without one."""
        return self._init

    @init.setter
    def init(self, value: Any) -> None:
        if value is not None:
            self._init = value

    def init_data(self, slice_index: Any = None, shape: Any = None, opt_shard_group: Any = None) -> Any:
        """Fill the Tensor, and return it.

        Args:
            slice_index: int; the numbers are those of this slice of a weight, of the global seed plus it.
            shape: that of a slice, instead of the Tensor's.
            opt_shard_group: accepted as in MindSpore.
        """
        with _seeded_for(self._init, slice_index):
            _fill(self, shape)
        return self

    def __deepcopy__(self, memodict: dict) -> Any:
        return _made(self._init, self.shape, self.dtype)  # type: ignore[attr-defined]


by_name: list[Any] = []  # `initializer`, which stands above


def tensor_of(cls: type, init: Any, shape: Any, dtype: Any, input_data: Any) -> Any:
    """Return a Tensor that the Initializer fills when values are needed; one of another class is filled at once."""
    if input_data is not None:
        raise ValueError("For 'Tensor', 'input_data' and 'init' cannot be given together; leave one out.")
    if shape is None or dtype is None:
        raise ValueError("For 'Tensor', 'shape' and 'dtype' must be given together with 'init'.")
    if isinstance(init, (str, int, float)):
        return by_name[0](init, shape, dtype)
    if not callable(init):
        raise TypeError(
            f"For 'Tensor', 'init' must be an Initializer object, but got {init!r}. Use "
            "mindspore.common.initializer.initializer."
        )
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if current_device().type == "meta":  # where nothing has values
        result = torch.empty(sizes, dtype=to_torch_dtype(dtype), device="meta")
        result.__class__ = cls
        return result
    result = _made(init, sizes, to_torch_dtype(dtype))
    if is_tracing() or cls is not wrapping.TENSOR:
        _fill(result, None)
        result.__class__ = cls
    return result


def _made(init: Any, shape: tuple[int, ...], dtype: torch.dtype) -> Any:
    result = torch.full((), torch.nan, device="cpu").to(dtype).expand(shape)  # takes no memory
    if wrapping.TENSOR not in _classes:
        _classes[wrapping.TENSOR] = type(
            "Tensor", (Pending, wrapping.TENSOR), {"__module__": wrapping.TENSOR.__module__}
        )
    result.__class__ = _classes[wrapping.TENSOR]
    result._init = init  # type: ignore[attr-defined]
    return result


def _fill(tensor: Any, shape: Any) -> None:
    """Fill the Tensor with a new array from the Initializer."""
    dtype = tensor.dtype
    array = np.zeros(
        tensor.shape if shape is None else tuple(shape),
        np.float32 if dtype is torch.bfloat16 else torch.empty(0, dtype=dtype).numpy().dtype,
    )
    tensor._init(array)
    data = torch.from_numpy(array).to(dtype)
    device = current_device()
    tensor.__class__ = wrapping.TENSOR
    del tensor._init
    _set_data(tensor, data if device is CPU else placement.sent(data, device))


def _bring(value: Any) -> None:
    if isinstance(value, Waiting):
        value.bring()
    elif isinstance(value, (tuple, list)):
        for item in value:
            _bring(item)
    elif isinstance(value, dict):
        _bring(tuple(value.values()))


class OnHost(Waiting):
    """A Tensor of the host that belongs on the current device; a checkpoint's may never be used."""

    _class: type

    def bring(self: Any) -> None:
        self.__class__ = self._class
        device = current_device()
        if device is not CPU:
            _set_data(self, placement.sent(wrapping.memory(self), device))


def move_when_used(tensor: Any) -> None:
    """Let a Tensor of the host move to the device of then when it is used for the first time."""
    cls: Any = type(tensor)
    if cls not in _classes:
        body = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "_class": cls}
        _classes[cls] = type(cls)(cls.__name__, (OnHost, cls), body)
    tensor.__class__ = _classes[cls]


def is_unmoved(tensor: Any) -> bool:
    """Return whether a Tensor waits on the host for its first use on the device."""
    return isinstance(tensor, OnHost) and current_device() is not CPU


def unmoved(tensor: Any) -> torch.Tensor:
    """Its `memory` where that is, also on the host."""
    if not isinstance(tensor, OnHost):
        return wrapping.memory(tensor)
    with torch._C.DisableTorchFunctionSubclass():
        return wrapping.memory(tensor)


@contextmanager
def _seeded_for(init: Any, slice_index: int | None) -> Iterator[None]:
    """Seed numpy's generator anew for a slice, as MindSpore does. Afterwards, seed it with the first word of its
    earlier state: after `set_seed`, the seed itself until the first draw.
    """
    global _drawn_slices
    if slice_index is None:
        yield
        return
    state: Any = np.random.get_state(legacy=True)
    first_word, kept = int(state[1][0]), init.seed[0]
    seed = get_seed()
    if seed is None:
        seed = _drawn_slices
        _drawn_slices += 2 * (torch.distributed.get_world_size() if torch.distributed.is_initialized() else 1)
    np.random.seed(slice_index + seed)
    init.seed = slice_index + seed
    try:
        yield
    finally:
        np.random.seed(first_word)
        init.seed = kept
