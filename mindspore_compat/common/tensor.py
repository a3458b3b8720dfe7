"""`Tensor`: a ``torch.Tensor`` that behaves as MindSpore's. MindSpore: ``mindspore.Tensor``.

docs/design/tensor.md explains the design, with measurements. Methods that differ from torch's by name, arguments or
meaning are in ``_tensor/methods.py``, operators in ``_tensor/operators.py``, torch's own in
``_tensor/torch_methods.py``; ``_ops/tensor_methods.py`` installs methods that are functions of ``mindspore.ops``. Here
are construction, conversion, indexing and printing.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._autograd import saved_copies
from mindspore_compat._graph.program import program
from mindspore_compat._numerics.float8 import to_dtype
from mindspore_compat._random import lazy_init
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._runtime.placement import LARGEST_BATCH
from mindspore_compat._tensor import indexing, tracing, wrapping
from mindspore_compat._tensor.aliasing import before_assignment, for_writing, is_of_parameter
from mindspore_compat._tensor.data import device_from, is_followed, operand_from, plain_from, sent
from mindspore_compat._tensor.methods import TensorMethods
from mindspore_compat._tensor.operators import install_operators, promoted
from mindspore_compat._tensor.printing import repr_values, str_values
from mindspore_compat._tensor.size import Size
from mindspore_compat._tensor.tensor_type import TensorType
from mindspore_compat._tensor.torch_methods import install_torch_methods
from mindspore_compat._tensor.wrapping import memory, unaliased, wrap
from mindspore_compat.common.dtype import dtype_name, mindspore_dtype
from mindspore_compat.common.symbol import Symbol, open_sizes

__all__ = ["OpenTensor", "Tensor", "from_numpy", "is_tensor", "tensor"]

_Base = torch._C.TensorBase
_get_shape = _Base.size  # Dynamo knows it on our class, unlike the attribute
_set_data = _Base.data.__set__  # type: ignore[attr-defined]
_NUMBERS = (int, float, bool, complex)
_COMPARABLE = (torch.Tensor, *_NUMBERS, np.number, np.bool_)
keeps_digits = False  #: whether Python floats become float64 without a dtype, as before 1.6
_REDUCTIONS = {
    getattr(np, name) for name in "all amax amin any argmax argmin max mean min prod ptp repeat std sum var".split()
}
_PLAIN_INDICES = (int, slice, torch.Tensor, type(None), type(Ellipsis))


def _to_be_filled(cls: type, *args: Any, **kwargs: Any) -> Any:
    """Return an instance of a program's class whose ``__init__`` has arguments of its own (MindNLP's Parameter)."""
    result = torch.empty(0)
    result.__class__ = cls  # type: ignore[assignment]
    return result


class Tensor(TensorMethods, torch.Tensor, metaclass=TensorType):
    """Tensor with MindSpore's constructor, operators, methods and print format.

    Args:
        input_data: Tensor (shares its storage), numpy array (copied), number, or nested list or tuple of them.
        dtype: the wanted dtype; None infers it: Python floats give float32, ints int64, arrays keep theirs.
        shape: with ``init``, the shape to fill.
        init: an Initializer that fills the tensor when its values are first needed.
        const_arg, internal, device: accepted; ``device`` ("CPU", "GPU", "Ascend", or "GPU:1") selects where it lives.

    Raises:
        TypeError: for other kinds of ``input_data``. ValueError: for ragged lists, or ``init`` without shape and dtype.

    Examples:
        >>> x = Tensor([1, 2], ms.float32)
        >>> print(x * 2, x.shape, x.dtype == ms.float32)
        [2. 4.] (2,) True
    """

    # Ops on Tensors return plain torch tensors without a Python-level dispatch; callers wrap them for user code.
    __torch_function__ = torch._C._disabled_torch_function_impl
    __tensor_flatten__ = tracing.SeenByDynamo()
    _indexed_from: Any = None  # see indexing.remember_origin
    _is_part = _has_array = False  # whether it is an indexing result; whether it shares memory with a program's array

    def __new__(
        cls,
        input_data: Any = None,
        dtype: Any = None,
        shape: Any = None,
        init: Any = None,
        internal: bool = False,
        const_arg: bool = False,
        device: Any = None,
    ) -> Tensor:
        if init is not None:
            return lazy_init.tensor_of(cls, init, shape, dtype, input_data)
        if input_data.__class__ is torch.dtype and dtype is not None:  # as _c_expression.Tensor(dtype, shape)
            input_data, dtype, shape = None, input_data, dtype
        if input_data is None and dtype is not None and not isinstance(shape, int):
            sizes = open_sizes(shape)
            if sizes is not None:
                return OpenTensor.of(sizes, mindspore_dtype(dtype, "Tensor"))
        if input_data is not None and shape is not None:
            raise ValueError(
                f"When initializing a tensor with 'input_data', 'shape' should be set to None. But got shape: {shape}."
            )
        if shape is not None and dtype is not None:
            result = torch.zeros(shape, dtype=mindspore_dtype(dtype, "Tensor"))
        else:
            result = plain_from(input_data, copy=True, keeps_digits=keeps_digits or dtype is not None)
        if dtype is not None:
            result = to_dtype(result, dtype if dtype.__class__ is torch.dtype else mindspore_dtype(dtype, "Tensor"))
        target = current_device() if device is None else device_from(device)
        if target is not CPU and (not isinstance(input_data, torch.Tensor) or device is not None):
            result = sent(result, target)
        if tracing.is_tracing() and cls is Tensor:
            return wrap(result)
        result.__class__ = cls
        return result  # type: ignore[return-value]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls) and cls.__new__ is Tensor.__new__:
            cls.__new__ = _to_be_filled  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take the data that the ``__init__`` of a program's class gives; others have theirs by `__new__`."""
        if type(self).__new__ is _to_be_filled:
            _set_data(self, Tensor(*args, **kwargs))

    # --- what it is ---------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return tuple(_get_shape(self))

    @property
    def size(self) -> Any:  # type: ignore[override]
        size = Size(_Base.numel(self))
        size._shape = tuple(_get_shape(self))
        return size

    def _set_data(self, value: torch.Tensor) -> None:
        program.memory_moved()
        _set_data(self, value)

    @property
    def data(self) -> Tensor:  # type: ignore[override]
        return wrap(memory(self))

    data = data.setter(_set_data)  # type: ignore[attr-defined]

    def set_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Take over another tensor's memory, as torch."""
        program.memory_moved()
        return _Base.set_(self, *args, **kwargs)  # type: ignore[return-value]

    @property
    def strides(self) -> tuple[int, ...]:
        """MindSpore's strides in bytes, of the shape laid out in order, also for views; `stride()` knows the memory."""
        sizes = (*self.shape[1:], _Base.element_size(self))
        return tuple(math.prod(sizes[axis:]) for axis in range(self.ndim))

    # --- numpy and Python ---------------------------------------------------------------------------------------------

    def asnumpy(self) -> np.ndarray:
        """Return the values as a numpy array; on the CPU it shares the storage. bfloat16 and float8, which numpy does
        not have, become float32.

        Examples:
            >>> print(type(Tensor([1, 2]).asnumpy()).__name__)
            ndarray
        """
        source = _Base.detach(self)
        if source._is_zerotensor():
            source = torch.zeros_like(source, memory_format=torch.contiguous_format) + 0
        if source.device.type != "cpu":
            source = source.cpu()
        if source.dtype is torch.bfloat16:
            source = source.to(torch.float32)
        try:
            return _Base.numpy(source.resolve_conj().resolve_neg())
        except TypeError:
            if source.dtype.itemsize > 1:
                raise
            return _Base.numpy(source.to(torch.float32))

    def numpy(self, *, force: bool = False) -> np.ndarray:  # type: ignore[override]
        """Return the same as `asnumpy`."""
        return self.asnumpy()

    #: below an array's, so that ``array == tensor`` is numpy's; above a numpy number's, which is an operand as any
    __array_priority__ = -1.0

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        """Return a numpy array from a numpy function of a Tensor, as in MindSpore."""
        return array[()] if return_scalar else array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:  # type: ignore[override]
        array = self.asnumpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Reduce the values by NumPy, which would call methods with arguments that they do not take; leave the rest."""
        if function not in _REDUCTIONS:
            return function._implementation(*args, **kwargs)
        args = [one.asnumpy() if isinstance(one, Tensor) else one for one in args]
        kwargs = {name: one.asnumpy() if isinstance(one, Tensor) else one for name, one in kwargs.items()}
        return function(*args, **kwargs)

    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """Return a Tensor on the numpy array's memory (a copy on other devices, or for an array with gaps)."""
        result = plain_from(array, copy=not array.flags.c_contiguous)
        result = result if current_device() is CPU else sent(result, current_device(), LARGEST_BATCH)
        result.__class__ = Tensor
        result._has_array = True  # type: ignore[attr-defined]
        return result  # type: ignore[return-value]

    def item(self, index: Any = None) -> Any:  # type: ignore[override]
        """Return the only value as a Python number; with an index (1.x) the value there.

        Raises:
            ValueError: without an index, if there is not exactly one element.
        """
        if index is not None:
            return self.asnumpy().item(index)
        return _Base.item(self)

    def __bool__(self) -> bool:
        return bool(_Base.item(self))

    def __int__(self) -> int:
        return int(_Base.item(self))

    def __float__(self) -> float:
        return float(_Base.item(self))

    def __complex__(self) -> complex:
        return complex(_Base.item(self))

    def __index__(self) -> int:
        if self.dtype.is_floating_point or self.dtype.is_complex:
            raise ValueError("Only integer tensors of a single element can be converted to an index.")
        return operator.index(_Base.item(self))

    def __len__(self) -> int:
        if not _get_shape(self):
            raise TypeError("Not support len of a 0-D tensor.")
        return _get_shape(self)[0]

    def __iter__(self) -> Iterator[Tensor]:  # type: ignore[override]
        if not _get_shape(self):
            raise TypeError("iteration over a 0-d tensor")
        for item in _Base.unbind(self):
            wrap(item)._is_part = True
            yield item

    def __contains__(self, item: Any) -> bool:
        return isinstance(item, (torch.Tensor, *_NUMBERS)) and bool(_Base.any(_Base.eq(self, item)))

    def __hash__(self) -> int:
        return id(self)

    def __round__(self, ndigits: int | None = None) -> Tensor:
        return wrap(_Base.round(self, decimals=ndigits or 0))

    def __copy__(self) -> Tensor:
        return self.copy()

    def __deepcopy__(self, memodict: dict) -> Tensor:
        result = _Base.clone(self if is_followed(self) else _Base.detach(self))
        result.__class__ = type(self)
        if self.requires_grad and self.is_leaf:
            result.requires_grad_(True)
        return result  # type: ignore[return-value]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (_Base.detach(self), type(self), self.is_leaf and self.requires_grad)

    # --- printing -----------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return str_values(self.asnumpy(), self.dtype)

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        body = repr_values(self.asnumpy(), self.dtype)
        gap = "\n" if self.dim() > 1 else " "
        return f"Tensor(shape={list(self.shape)}, dtype={dtype_name(self.dtype)}, value={gap}{body})"

    def __format__(self, spec: str) -> str:
        return str(self) if not spec else format(self.item(), spec)

    # --- indexing -----------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Tensor:  # type: ignore[override]
        if index.__class__ not in _PLAIN_INDICES:
            index = indexing.checked(index)
        try:
            result = _Base.__getitem__(self, index)
            copied = not result._is_view()
        except ValueError:  # torch has no negative steps
            result, copied = indexing.flipped(self, index), True
        result.__class__ = Tensor
        result._is_part = not copied  # type: ignore[attr-defined]
        if copied or self._indexed_from is not None:
            indexing.remember_origin(self, index, result)
        return result  # type: ignore[return-value]

    def __setitem__(self, index: Any, value: Any) -> None:  # type: ignore[override]
        if index.__class__ is not int and index.__class__ is not slice:
            index = before_assignment(self, indexing.checked(index))
        target, is_tensor = self, isinstance(value, torch.Tensor)
        if not is_tensor and (not isinstance(value, _NUMBERS) or self.dtype is torch.float8_e4m3fn):
            value, is_tensor = _Base.clone(operand_from(value, self.device)), True  # an array may lie in this Tensor
        if is_tensor:
            value = unaliased(self, value if value.dtype is self.dtype else to_dtype(value, self.dtype))
        if is_of_parameter(self):
            target, value = _Base.detach(for_writing(self)), _Base.detach(value) if is_tensor else value
        elif self.is_leaf and self.requires_grad:
            raise RuntimeError(
                "An input by which a function is differentiated cannot be modified by assigning to its elements. "
                "Write to a copy: x = x.copy()."
            )
        if saved_copies.running.kept:
            saved_copies.before_writing(target)
        try:
            _Base.__setitem__(target, index, value)
        except ValueError:  # a negative step
            _Base.__setitem__(target, indexing.positive_steps(self, index), value)
        except RuntimeError as error:
            if self.requires_grad or "single memory location" not in str(error):
                raise
            self.set_(_Base.clone(self, memory_format=torch.contiguous_format))  # type: ignore[call-overload]
            _Base.__setitem__(self, index, value)  # the rows of a repetition differ from now on
        if self._indexed_from is not None:
            indexing.write_back(self)

    def __eq__(self, other: Any) -> Any:  # type: ignore[override]
        return wrap(_Base.eq(*promoted(self, other))) if isinstance(other, _COMPARABLE) else False

    def __ne__(self, other: Any) -> Any:  # type: ignore[override]
        return wrap(_Base.ne(*promoted(self, other))) if isinstance(other, _COMPARABLE) else True


class OpenTensor(Tensor):
    """Tensor without contents, for `Cell.set_inputs` and `export`: some sizes (-1) or the axes (-2) are open."""

    _sizes: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return tuple(size if isinstance(size, int) else -1 for size in self._sizes)

    @property
    def symbolic_shape(self) -> list[Any]:
        """The shape, with the constraints on open sizes."""
        return [size.to_dict() if isinstance(size, Symbol) else size for size in self._sizes]

    def asnumpy(self) -> np.ndarray:
        raise ValueError(
            f"A Tensor of the open shape {list(self.shape)} has no contents. It only describes an input of "
            "'set_inputs' and 'export'."
        )

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value=)"

    def __deepcopy__(self, memodict: dict) -> OpenTensor:
        return OpenTensor.of(self._sizes, self.dtype)

    __copy__ = functools.partialmethod(__deepcopy__, None)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return OpenTensor.of, (self._sizes, self.dtype)

    @classmethod
    def of(cls, sizes: tuple[Any, ...], dtype: torch.dtype) -> OpenTensor:
        """Return the Tensor of a shape from `open_sizes`."""
        result = torch.empty(0, dtype=dtype, device="meta")
        result.__class__ = cls
        result._sizes = sizes  # type: ignore[attr-defined]
        return result  # type: ignore[return-value]


def _rebuild(data: torch.Tensor, cls: type, requires_grad: bool) -> Tensor:
    data.__class__ = cls
    if requires_grad:
        data.requires_grad_(True)
    return data  # type: ignore[return-value]


torch.serialization.add_safe_globals([_rebuild, Tensor])  # ``torch.load`` reads state dicts of Cells by default


wrapping.bind(Tensor)
tracing.bind(Tensor)
install_operators(Tensor)
install_torch_methods(Tensor)


def tensor(
    input_data: Any = None,
    dtype: Any = None,
    shape: Any = None,
    init: Any = None,
    const_arg: bool = False,
    device: Any = None,
) -> Tensor:
    """Return the same as `Tensor`. MindSpore: ``mindspore.tensor``."""
    return Tensor(input_data, dtype, shape, init, const_arg=const_arg, device=device)


def from_numpy(array: np.ndarray) -> Tensor:
    """Return the same as `Tensor.from_numpy`."""
    return Tensor.from_numpy(array)


def is_tensor(obj: Any) -> bool:
    """Return whether ``obj`` is a Tensor."""
    return isinstance(obj, Tensor)


# MindSpore 1.x has them here
__getattr__ = module_getattr(
    __name__,
    {
        **dict.fromkeys(("COOTensor", "CSRTensor", "RowTensor", "SparseTensor"), "common.sparse_tensor"),
        "mstype": "common.dtype:",
    },
)
