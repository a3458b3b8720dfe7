"""Tensors of 4 bits, ``qint4x2``: weights that Ascend multiplies by. As upstream's on a CPU they hold one int8 an
element, are made of numbers and arrays, printed, copied, saved and loaded; nothing computes with them.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common import _wrap
from mindspore_compat.common.dtype import dtype_name, qint4x2

__all__ = ["Int4", "as_int4", "bind", "refuse_cast", "tensor_of"]

_Base = torch._C.TensorBase
#: functions of torch that say what a Tensor is, or give its bytes as plain tensors of int8
_ALLOWED = frozenset(
    """
    size dim ndimension numel nelement stride storage_offset element_size is_contiguous is_pinned is_shared is_conj
    is_neg _is_view _is_zerotensor resolve_conj resolve_neg is_floating_point is_complex is_signed detach numpy data_ptr
    storage untyped_storage _typed_storage set_ share_memory_ requires_grad_ register_hook get_device _make_subclass
    _has_compatible_shallow_copy_type
    """.split()
)
#: those that copy or move it; what they give has 4 bits, too
_COPYING = frozenset("clone contiguous cpu cuda to pin_memory".split())
_ATTRIBUTES = frozenset(
    """
    data device shape ndim requires_grad grad grad_fn is_leaf layout is_cpu is_cuda is_meta is_sparse is_nested
    is_quantized nbytes itemsize _version _backward_hooks names output_nr retains_grad name _base dtype
    """.split()
)
_kinds: dict[type, type] = {}


def bind(cls: type, of_4_bits: type) -> None:
    """Say which class a Tensor of 4 bits has in place of ``cls``."""
    _kinds[cls] = of_4_bits


class Int4:
    """What a Tensor is besides if its elements have 4 bits."""

    dtype = qint4x2

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = func.__name__, kwargs or {}
        is_attribute = name in ("__get__", "__set__", "__delete__")
        known = func.__self__.__name__ in _ATTRIBUTES if is_attribute else name in _ALLOWED | _COPYING
        if not known or (name == "to" and any(isinstance(item, torch.dtype) for item in (*args, *kwargs.values()))):
            raise _refusal(func.__self__.__name__ if is_attribute else name)
        with torch._C.DisableTorchFunctionSubclass():
            found = func(*args, **kwargs)
        return as_int4(found) if name in _COPYING else found

    def __getitem__(self, index: Any) -> Any:
        raise _refusal("Tensor[index]")

    def __setitem__(self, index: Any, value: Any) -> None:
        raise _refusal("Tensor[index] = value")

    def set_dtype(self, dtype: Any) -> Any:
        """Make it a Tensor of int8, or leave it."""
        if dtype is torch.int8:
            self.__class__ = next(cls for cls, of_4_bits in _kinds.items() if of_4_bits is type(self))
        elif dtype != qint4x2:
            raise _refusal("set_dtype")
        return dtype

    @property
    def data(self) -> Any:
        """Another Tensor on the same memory."""
        return as_int4(_wrap.memory(self))  # type: ignore[arg-type]

    @data.setter
    def data(self, value: torch.Tensor) -> None:
        refuse_cast(value)
        _wrap.TENSOR.data.fset(self, value)

    def set_data(self, data: Any, slice_shape: bool = False) -> Any:
        """As a Parameter's, from Tensors of int8 and of 4 bits."""
        refuse_cast(data)
        return super().set_data(data, slice_shape)  # type: ignore[misc]

    def clone(self, *args: Any, **kwargs: Any) -> Any:
        """As a Tensor's or Parameter's."""
        return as_int4(super().clone(*args, **kwargs))  # type: ignore[misc]

    def __deepcopy__(self, memodict: dict[Any, Any]) -> Any:
        return as_int4(super().__deepcopy__(memodict))  # type: ignore[misc]

    def __reduce_ex__(self, protocol: Any) -> Any:
        function, args = super().__reduce_ex__(protocol)  # type: ignore[misc,str-unpack]
        return _rebuild, (function, args)


def _refusal(name: str) -> TypeError:
    return TypeError(
        f"Unsupported data type! '{name}' can not compute with Tensors of 4 bits (Int4): make a Tensor of int8 of what "
        "asnumpy() gives."
    )


def as_int4(tensor: Any) -> Any:
    """A Tensor or Parameter of int8, which becomes one of 4 bits itself."""
    if not isinstance(tensor, Int4):
        tensor = _wrap.wrap(tensor)
        tensor.__class__ = _kinds[type(tensor)]
    return tensor


def _rebuild(function: Any, args: Any) -> Any:
    return as_int4(function(*args))


def refuse_cast(data: Any) -> None:
    """For what is to become one of 4 bits.

    Raises:
        TypeError: for Tensors but those of int8 and of 4 bits, which nothing casts.
    """
    if isinstance(data, torch.Tensor) and data.dtype not in (qint4x2, torch.int8):
        raise TypeError(f"Unsupported data type! No Tensor of {dtype_name(data.dtype)} can be cast to Int4.")


def tensor_of(cls: type, data: Any, dtype: Any, shape: Any, init: Any) -> Any:
    """A Tensor of 4 bits from what the constructor takes: numbers are cut off to int8. One of 4 bits shares its memory.

    Raises:
        TypeError: for a Tensor of another dtype, or another dtype of a Tensor of 4 bits.
    """
    if isinstance(data, Int4):
        if dtype not in (None, qint4x2):
            raise _refusal("Cast")
        return data.data
    if isinstance(data, torch.Tensor):
        raise TypeError(f"Unsupported data type! No Tensor of {dtype_name(data.dtype)} can be cast to Int4.")
    made = _wrap.TENSOR(data, torch.int8, shape, init)
    return as_int4(made.init_data() if made.has_init else made)
