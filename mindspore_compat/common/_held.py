"""Tensors of dtypes that only Ascend computes with: ``qint4x2``, of 4 bits, and ``hifloat8``. As upstream's on a CPU
they are made of numbers and arrays, printed, copied, saved and loaded; nothing computes with them. Of 4 bits each
element is held as an int8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat.common import _hifloat8, _wrap
from mindspore_compat.common._tensor_data import plain_from
from mindspore_compat.common.dtype import HELD, dtype_name, hifloat8, qint4x2

__all__ = ["HeldTensor", "as_held", "bind", "refuse_cast", "tensor_of"]

#: functions of torch that say what a Tensor is, or give its bytes as plain tensors
_ALLOWED = frozenset(
    """
    size dim ndimension numel nelement stride storage_offset element_size is_contiguous is_pinned is_shared is_conj
    is_neg _is_view _is_zerotensor resolve_conj resolve_neg is_floating_point is_complex is_signed detach numpy data_ptr
    storage untyped_storage _typed_storage set_ share_memory_ requires_grad_ register_hook get_device _make_subclass
    _has_compatible_shallow_copy_type
    """.split()
)
#: those that copy or move it; what they give is of its dtype
_COPYING = frozenset("clone contiguous cpu cuda to pin_memory".split())
_ATTRIBUTES = frozenset(
    """
    data device shape ndim requires_grad grad grad_fn is_leaf layout is_cpu is_cuda is_meta is_sparse is_nested
    is_quantized nbytes itemsize _version _backward_hooks names output_nr retains_grad name _base dtype
    """.split()
)
_STORED = {qint4x2: torch.int8, hifloat8: torch.uint8}
_TAKEN: dict[Any, tuple[Any, ...]] = {qint4x2: (qint4x2, torch.int8), hifloat8: (hifloat8,)}
_kinds: dict[tuple[type, Any], type] = {}


def bind(cls: type, *held: Any) -> None:
    """Say which classes Tensors of these dtypes have in place of ``cls``."""
    _kinds.update({(cls, each.dtype): each for each in held})


class HeldTensor:
    """What a Tensor is besides, if nothing computes with its dtype."""

    dtype: Any

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = func.__name__, kwargs or {}
        is_attribute = name in ("__get__", "__set__", "__delete__")
        known = func.__self__.__name__ in _ATTRIBUTES if is_attribute else name in _ALLOWED | _COPYING
        held = next(kind for kind in types if issubclass(kind, HeldTensor)).dtype
        if not known or (name == "to" and any(isinstance(item, torch.dtype) for item in (*args, *kwargs.values()))):
            raise _refusal(func.__self__.__name__ if is_attribute else name, held)
        with torch._C.DisableTorchFunctionSubclass():
            found = func(*args, **kwargs)
        return as_held(found, held) if name in _COPYING else found

    def __getitem__(self, index: Any) -> Any:
        raise _refusal("Tensor[index]", self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise _refusal("Tensor[index] = value", self.dtype)

    def asnumpy(self) -> np.ndarray:
        """Values of 4 bits as int8, of hifloat8 as float32."""
        array = super().asnumpy()  # type: ignore[misc]
        return _hifloat8.values(array) if self.dtype == hifloat8 else array

    def set_dtype(self, dtype: Any) -> Any:
        """Of 4 bits: make it a Tensor of int8, or leave it."""
        if self.dtype == qint4x2 and dtype is torch.int8:
            self.__class__ = next(kind for (kind, _), held in _kinds.items() if held is type(self))
        elif dtype != self.dtype:
            raise _refusal("set_dtype", self.dtype)
        return dtype

    @property
    def data(self) -> Any:
        """Another Tensor on the same memory."""
        return as_held(_wrap.memory(self), self.dtype)  # type: ignore[arg-type]

    @data.setter
    def data(self, value: torch.Tensor) -> None:
        refuse_cast(value, self.dtype)
        _wrap.TENSOR.data.fset(self, value)

    def set_data(self, data: Any, slice_shape: bool = False) -> Any:
        """As a Parameter's, from Tensors of its dtype, and of int8 for 4 bits."""
        refuse_cast(data, self.dtype)
        return super().set_data(data, slice_shape)  # type: ignore[misc]

    def clone(self, *args: Any, **kwargs: Any) -> Any:
        """As a Tensor's or Parameter's."""
        return as_held(super().clone(*args, **kwargs), self.dtype)  # type: ignore[misc]

    def __deepcopy__(self, memodict: dict[Any, Any]) -> Any:
        return as_held(super().__deepcopy__(memodict), self.dtype)  # type: ignore[misc]

    def __reduce_ex__(self, protocol: Any) -> Any:
        function, args = super().__reduce_ex__(protocol)  # type: ignore[misc,str-unpack]
        return _rebuild, (function, args, self.dtype)


def _refusal(name: str, dtype: Any) -> TypeError:
    return TypeError(
        f"Unsupported data type! '{name}' can not compute with Tensors of {dtype}: make a Tensor of what asnumpy() "
        "gives."
    )


def as_held(tensor: Any, dtype: Any) -> Any:
    """A Tensor or Parameter of the bytes, which becomes one of ``dtype`` itself."""
    if not isinstance(tensor, HeldTensor):
        tensor = _wrap.wrap(tensor)
        tensor.__class__ = _kinds[type(tensor), dtype]
    return tensor


def _rebuild(function: Any, args: Any, dtype: Any) -> Any:
    return as_held(function(*args), dtype)


def refuse_cast(data: Any, dtype: Any) -> None:
    """For what is to become one of ``dtype``.

    Raises:
        TypeError: for a Tensor of another dtype, but of int8 for 4 bits: nothing casts it.
    """
    if isinstance(data, torch.Tensor) and data.dtype not in _TAKEN[dtype]:
        raise TypeError(f"Unsupported data type! No Tensor of {dtype_name(data.dtype)} can be cast to {dtype}.")


def tensor_of(cls: type, data: Any, dtype: Any, shape: Any, init: Any) -> Any:
    """A Tensor of such a dtype from what the constructor takes, as upstream: numbers are cut off. One of the dtype
    shares its memory.

    Raises:
        TypeError: for a Tensor of another dtype.
    """
    if isinstance(data, HeldTensor):
        if dtype not in (None, data.dtype):
            raise _refusal("Cast", data.dtype)
        return data.data
    if isinstance(data, torch.Tensor):
        raise TypeError(f"Unsupported data type! No Tensor of {dtype_name(data.dtype)} can be cast to {dtype}.")
    if dtype == hifloat8 and data is not None:
        array = plain_from(data, copy=False, keeps_digits=True).to(torch.float32).numpy()
        return as_held(_wrap.TENSOR(_hifloat8.codes(array)), dtype)
    made = _wrap.TENSOR(data, _STORED[dtype], shape, init)
    return as_held(made.init_data() if made.has_init else made, dtype)


assert set(_STORED) == set(HELD)
