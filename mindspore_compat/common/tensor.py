"""`Tensor`: a ``torch.Tensor`` that behaves as MindSpore's. Upstream: ``mindspore.Tensor``.

The reasons for its shape, with measurements, stand in docs/design/tensor.md. Methods that differ from torch's by name, arguments
or meaning are in ``_tensor_methods.py``; here are construction, operators, indexing, conversion and printing.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat.common import _wrap
from mindspore_compat.common._tensor_methods import TensorMethods
from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import dtype_name, to_torch_dtype

__all__ = ["Tensor", "tensor", "from_numpy", "is_tensor"]

_Base = torch._C.TensorBase
_get_shape = _Base.shape.__get__  # type: ignore[attr-defined]
_get_data = _Base.data.__get__  # type: ignore[attr-defined]
_set_data = _Base.data.__set__  # type: ignore[attr-defined]
_NUMBERS = (int, float, bool, complex)


class _Size(int):
    """MindSpore's ``Tensor.size`` is an int, torch's a method; torch's own Python code calls it. This is both."""

    _shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return torch.Size(self._shape) if dim is None else self._shape[dim]

    def __reduce__(self) -> Any:
        return int, (int(self),)


def _array_from(data: Any) -> np.ndarray:
    """A numpy array from nested lists that may hold Tensors; Python floats become float32 and not numpy's float64."""
    if isinstance(data, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in data):
        data = [item.detach().cpu().numpy() if isinstance(item, torch.Tensor) else item for item in data]
    try:
        array = np.array(data)
    except ValueError as error:
        raise TypeError(f"For 'Tensor', the nested list 'input_data' must be rectangular, but it is not: {error}") from None
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    elif array.dtype == np.object_:
        raise TypeError(f"For Tensor, the 'input_data' is a {type(data).__name__} that contains unsupported elements; "
                        "use numbers, bools or Tensors of one shape.")
    return array


def _plain_from(data: Any, copy: bool) -> torch.Tensor:
    """A plain torch tensor from anything the constructor takes."""
    if isinstance(data, torch.Tensor):
        return _wrap.plain(data)
    if isinstance(data, np.ndarray):
        if data.dtype.kind in "USO":
            raise TypeError(f"For Tensor, the 'input_data' is a numpy array of dtype {data.dtype}, which no Tensor can hold. "
                            "Convert it to numbers first.")
        if data.dtype.byteorder == ">":
            data = data.astype(data.dtype.newbyteorder("="))
        if copy or any(stride < 0 for stride in data.strides) or not data.flags.writeable:
            data = data.copy()
        return torch.from_numpy(data)
    if isinstance(data, (np.generic,)):
        return torch.from_numpy(np.array(data))
    if isinstance(data, (bool, int, float, complex)):
        if isinstance(data, int) and not -2**63 <= data < 2**64:
            raise ValueError(f"For 'Tensor', the int 'input_data' must fit into 64 bits, but got {data}.")
        return torch.tensor(data, dtype=torch.complex128 if isinstance(data, complex) else torch.float32 if isinstance(data, float) else None)
    if isinstance(data, (list, tuple)):
        return torch.from_numpy(_array_from(data))
    if isinstance(data, range):
        return torch.tensor(list(data))
    raise TypeError("For 'Tensor', the type of 'input_data' should be one of '['Tensor', 'ndarray', 'list', 'tuple', 'float', 'int', "
                    f"'bool', 'complex']', but got type '{type(data).__name__}'.")


class Tensor(TensorMethods, torch.Tensor):
    """A tensor with MindSpore's constructor, operators, methods and print format.

    Args:
        input_data: Tensor (shares its storage), numpy array (copied), number, or nested list or tuple of them.
        dtype: the wanted dtype; None infers it: Python floats give float32, ints int64, arrays keep theirs.
        shape: with ``init``, the shape to fill.
        init: an Initializer that fills the tensor at once.
        const_arg, internal, device: accepted; ``device`` ("CPU", "GPU", "Ascend", or "GPU:1") selects where it lives.

    Raises:
        TypeError: for other kinds of ``input_data``. ValueError: for ragged lists, or ``init`` without shape and dtype.
    """

    # Ops on Tensors return plain torch tensors without a Python-level dispatch; whoever hands them to user code wraps them.
    __torch_function__ = torch._C._disabled_torch_function_impl

    def __new__(cls, input_data: Any = None, dtype: Any = None, shape: Any = None, init: Any = None, internal: bool = False,
                const_arg: bool = False, device: Any = None) -> Tensor:
        if init is not None:
            return _from_initializer(cls, init, shape, dtype, input_data)
        if input_data is None and shape is not None and dtype is not None:
            result = torch.zeros(shape, dtype=to_torch_dtype(dtype))
        else:
            result = _plain_from(input_data, copy=True)
        if dtype is not None:
            result = result.to(to_torch_dtype(dtype))
        target = current_device() if device is None else _device_from(device)
        if target is not CPU and (not isinstance(input_data, torch.Tensor) or device is not None):
            result = result.to(target)
        result.__class__ = cls
        return result  # type: ignore[return-value]

    # --- what it is -------------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return tuple(_get_shape(self))

    @property
    def size(self) -> Any:  # type: ignore[override]
        size = _Size(_Base.numel(self))
        size._shape = tuple(_get_shape(self))
        return size

    @property
    def data(self) -> Tensor:  # type: ignore[override]
        return wrap(_get_data(self))

    @data.setter
    def data(self, value: torch.Tensor) -> None:
        _set_data(self, value)

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in bytes, as numpy counts them."""
        item = _Base.element_size(self)
        return tuple(stride * item for stride in _Base.stride(self))

    # --- numpy and Python -------------------------------------------------------------------------------------------------

    def asnumpy(self) -> np.ndarray:
        """The values as a numpy array; on the CPU it shares the storage. bfloat16, which numpy lacks, comes as float32."""
        source = _Base.detach(self)
        if source._is_zerotensor():
            source = torch.zeros_like(source, memory_format=torch.contiguous_format) + 0
        if source.device.type != "cpu":
            source = source.cpu()
        if source.dtype is torch.bfloat16:
            source = source.to(torch.float32)
        return _Base.numpy(source.resolve_conj().resolve_neg())

    def numpy(self, *, force: bool = False) -> np.ndarray:  # type: ignore[override]
        """The same as `asnumpy`."""
        return self.asnumpy()

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        """A numpy function of a Tensor gives a numpy array, as upstream."""
        return array[()] if return_scalar else array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:  # type: ignore[override]
        array = self.asnumpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """A Tensor on the numpy array's own memory (a copy if the device is not the CPU)."""
        if not isinstance(array, np.ndarray):
            raise TypeError(f"The input of 'Tensor.from_numpy' must be a numpy array, but got {type(array).__name__}.")
        result = _plain_from(array, copy=False)
        device = current_device()
        if device is not CPU:
            result = result.to(device)
        result.__class__ = Tensor
        return result  # type: ignore[return-value]

    def item(self, index: Any = None) -> Any:  # type: ignore[override]
        """The only value as a Python number; with an index (1.x) the value there.

        Raises:
            ValueError: without an index, if there is not exactly one element.
        """
        if index is not None:
            return self.asnumpy().item(index)
        _require_one(self)
        return _Base.item(self)

    def __bool__(self) -> bool:
        _require_one(self)
        return bool(_Base.item(self))

    def __int__(self) -> int:
        _require_one(self)
        return int(_Base.item(self))

    def __float__(self) -> float:
        _require_one(self)
        return float(_Base.item(self))

    def __complex__(self) -> complex:
        _require_one(self)
        return complex(_Base.item(self))

    def __index__(self) -> int:
        _require_one(self)
        return operator.index(_Base.item(self))

    def __len__(self) -> int:
        if not _get_shape(self):
            raise TypeError("Not support len of a 0-D tensor")
        return _get_shape(self)[0]

    def __iter__(self) -> Iterator[Tensor]:  # type: ignore[override]
        if not _get_shape(self):
            raise TypeError("iteration over a 0-d tensor")
        for item in _Base.unbind(self):
            yield wrap(item)

    def __contains__(self, item: Any) -> bool:
        return bool(_Base.any(_Base.eq(self, item)))

    def __hash__(self) -> int:
        return id(self)

    def __round__(self, ndigits: int | None = None) -> Tensor:
        return wrap(_Base.round(self, decimals=ndigits or 0))

    def __copy__(self) -> Tensor:
        return self.copy()

    def __deepcopy__(self, memo: dict) -> Tensor:
        result = _Base.clone(_Base.detach(self))
        result.__class__ = type(self)
        if self.requires_grad and self.is_leaf:
            result.requires_grad_(True)
        memo[id(self)] = result
        return result  # type: ignore[return-value]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (_Base.detach(self), type(self), self.is_leaf and self.requires_grad)

    # --- printing ---------------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return str(self.asnumpy())

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        body = _repr_values(self.asnumpy())
        gap = "\n" if self.dim() > 1 else " "
        return f"Tensor(shape={list(self.shape)}, dtype={dtype_name(self.dtype)}, value={gap}{body})"

    def __format__(self, spec: str) -> str:
        return str(self) if not spec else format(self.item(), spec)

    # --- indexing ---------------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Tensor:  # type: ignore[override]
        if index.__class__ is tuple:
            index = _numpy_index(index)
        try:
            result = _Base.__getitem__(self, index)
        except ValueError:  # torch has no negative steps
            result = _flip_getitem(self, index)
        except TypeError as error:
            raise IndexError(f"Tensor index must be int, slice, '...', None, bool, list, tuple or Tensor, but got {index!r} "
                             f"of type {type(index).__name__}: {error}") from None
        result.__class__ = Tensor
        return result  # type: ignore[return-value]

    def __setitem__(self, index: Any, value: Any) -> None:  # type: ignore[override]
        if not isinstance(value, (torch.Tensor, *_NUMBERS)):
            value = _plain_from(value, copy=False).to(self.device)
        if isinstance(value, torch.Tensor) and value.dtype is not self.dtype:
            value = _Base.to(value, self.dtype)
        # A Parameter is a leaf: MindSpore assigns to it outside of differentiation.
        target = _Base.detach(self) if self.is_leaf and self.requires_grad else self
        if index.__class__ is tuple:
            index = _numpy_index(index)
        try:
            _Base.__setitem__(target, index, value)
        except ValueError:
            _Base.__setitem__(target, _positive_steps(self, index), value)

    # --- comparison with what is no tensor --------------------------------------------------------------------------------

    def __eq__(self, other: Any) -> Any:  # type: ignore[override]
        if isinstance(other, (torch.Tensor, *_NUMBERS, np.number, np.bool_)):
            return wrap(_Base.eq(*_promoted(self, other)))
        return False

    def __ne__(self, other: Any) -> Any:  # type: ignore[override]
        if isinstance(other, (torch.Tensor, *_NUMBERS, np.number, np.bool_)):
            return wrap(_Base.ne(*_promoted(self, other)))
        return True


def _require_one(value: torch.Tensor) -> None:
    if _Base.numel(value) != 1:
        raise ValueError(f"The tensor should have only one element, but got {_Base.numel(value)}, more than one element is ambiguous. "
                         "Use Tensor.all(), Tensor.any() or an index.")


def _repr_values(array: np.ndarray) -> str:
    """Values as MindSpore's repr shows them: floats in scientific notation with as many digits as the dtype carries."""
    if array.ndim == 0:
        return str(array)
    if array.dtype.kind != "f":
        return np.array2string(array, separator=", ", threshold=1000).replace("[ ", "[ ") if array.dtype.kind != "b" \
            else np.array2string(array, separator=", ", threshold=1000)
    digits = {2: 4, 4: 8, 8: 8}[array.dtype.itemsize]
    return np.array2string(array, separator=", ", threshold=1000, formatter={"float_kind": lambda x: f"{x: .{digits}e}"})


def _rebuild(data: torch.Tensor, cls: type, requires_grad: bool) -> Tensor:
    data.__class__ = cls
    if requires_grad:
        data.requires_grad_(True)
    return data  # type: ignore[return-value]


def _device_from(device: Any) -> torch.device:
    if isinstance(device, torch.device):
        return device
    name, _, number = str(device).partition(":")
    if name.upper() == "CPU":
        return CPU
    if name.upper() in ("GPU", "CUDA", "ASCEND") and torch.cuda.is_available():
        return torch.device("cuda", int(number or 0))
    raise ValueError(f"For 'Tensor', 'device' must be 'CPU' or, where PyTorch sees a GPU, 'GPU' or 'GPU:N', but got {device!r}.")


def _from_initializer(cls: type, init: Any, shape: Any, dtype: Any, input_data: Any) -> Tensor:
    if input_data is not None:
        raise ValueError("For 'Tensor', 'input_data' and 'init' can not be given together; leave one out.")
    if shape is None or dtype is None:
        raise ValueError("For 'Tensor', 'shape' and 'dtype' must be given together with 'init'.")
    if isinstance(init, str) or not callable(init):
        raise TypeError(f"For 'Tensor', 'init' must be an Initializer object, but got {init!r}. Use mindspore.common.initializer.initializer.")
    dims = (shape,) if isinstance(shape, int) else tuple(shape)
    target = to_torch_dtype(dtype)
    array = np.zeros(dims, np.float32 if target is torch.bfloat16 else _Base.numpy(torch.empty(0, dtype=target)).dtype)
    init(array)
    result = torch.from_numpy(array).to(target).to(current_device())
    result.__class__ = cls
    return result  # type: ignore[return-value]


def _promoted(left: Any, right: Any) -> tuple[Any, Any]:
    """Both operands, with 0-d tensors counted as full members of type promotion (torch gives way to the other operand)."""
    if isinstance(right, torch.Tensor) and right.dtype is not left.dtype and (right.dim() == 0 or left.dim() == 0):
        common = torch.promote_types(left.dtype, right.dtype)
        return _Base.to(left, common), _Base.to(right, common)
    return left, right


def _operand(value: Any, like: torch.Tensor) -> Any:
    """``value`` as something a torch operator takes, NotImplemented if MindSpore would refuse it."""
    if isinstance(value, (np.number, np.bool_)):
        return value.item()
    if isinstance(value, (list, tuple, np.ndarray)):
        return _plain_from(value, copy=False).to(like.device)
    return NotImplemented


def _binary(op: Callable[[Any, Any], torch.Tensor], promotes_0d: bool = True) -> Callable[[Tensor, Any], Any]:
    def method(self: Tensor, other: Any) -> Any:
        if isinstance(other, torch.Tensor):
            if promotes_0d and other.dtype is not self.dtype and (_Base.dim(other) == 0 or _Base.dim(self) == 0):
                self, other = _promoted(self, other)
        elif not isinstance(other, _NUMBERS):
            other = _operand(other, self)
            if other is NotImplemented:
                return NotImplemented
            return method(self, other)
        try:
            result = op(self, other)
        except RuntimeError as error:
            raise _shape_error(error, self, other) from None
        result.__class__ = Tensor
        return result
    return method


def _shape_error(error: RuntimeError, left: Any, right: Any) -> Exception:
    """Shapes that do not broadcast are a ValueError upstream; anything else stays what it is."""
    if "must match the size" in str(error) or "size mismatch" in str(error) or "cannot be multiplied" in str(error):
        shapes = [tuple(item.shape) if isinstance(item, torch.Tensor) else "()" for item in (left, right)]
        return ValueError(f"The shapes of the operands {shapes[0]} and {shapes[1]} do not fit together: {error}")
    return error


def _subtract(left: Any, right: Any) -> torch.Tensor:
    """left - right, also of bools, which torch refuses: two of them differ or not, one becomes the other's kind of number."""
    try:
        return torch.sub(left, right) if isinstance(left, torch.Tensor) else torch.rsub(right, left)
    except RuntimeError as error:
        if "bool tensor" not in str(error):
            raise
    common = torch.result_type(left, right)
    operands = [torch.as_tensor(item).to(common) for item in (left, right)]
    return torch.logical_xor(*operands) if common is torch.bool else torch.sub(*operands)


def _reflected(op: Callable[[Any, Any], Any], numpy_op: Callable[[Any, Any], Any], promotes_0d: bool = True) -> Callable[[Tensor, Any], Any]:
    def method(self: Tensor, other: Any) -> Any:
        if isinstance(other, np.ndarray):  # numpy on the left decides, as upstream
            return numpy_op(other, self.asnumpy())
        if not isinstance(other, (torch.Tensor, *_NUMBERS)):
            other = _operand(other, self)
            if other is NotImplemented:
                return NotImplemented
        if promotes_0d and isinstance(other, torch.Tensor):
            other, self = _promoted(other, self)
        result = op(other, self)
        result.__class__ = Tensor
        return result
    return method


def _install_operators() -> None:
    """Arithmetic, comparison and bit operators; one row each."""
    b = _Base
    # upstream's products and quotients let a 0-d tensor give way, as torch does; its other operators do not
    as_torch = ("mul", "truediv", "rmul", "rtruediv")
    for name, op in {"add": b.add, "sub": _subtract, "mul": b.mul, "truediv": b.true_divide, "floordiv": b.floor_divide,
                     "mod": b.remainder, "pow": b.pow, "matmul": b.matmul, "lt": b.lt, "le": b.le, "gt": b.gt, "ge": b.ge,
                     "and": b.__and__, "or": b.__or__, "xor": b.__xor__, "lshift": b.__lshift__, "rshift": b.__rshift__}.items():
        method = _binary(op, name not in as_torch)
        method.__name__ = f"__{name}__"
        setattr(Tensor, f"__{name}__", method)
        if name not in ("lt", "le", "gt", "ge"):  # x += y is x = x + y, never in place
            setattr(Tensor, f"__i{name}__", method)
    as_tensor = torch.as_tensor

    def lift(op: Callable[[Any, Any], torch.Tensor]) -> Callable[[Any, Any], torch.Tensor]:
        def lifted(left: Any, right: torch.Tensor) -> torch.Tensor:
            return op(left if isinstance(left, torch.Tensor) else as_tensor(left, device=right.device), right)
        return lifted

    rows: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
        "radd": (lambda left, right: b.add(right, left), np.add), "rmul": (lambda left, right: b.mul(right, left), np.multiply),
        "rsub": (_subtract, np.subtract), "rtruediv": (lambda left, right: torch.div(left, right)
                 if isinstance(left, torch.Tensor) else b.mul(b.reciprocal(right), left), np.true_divide),
        "rfloordiv": (lift(torch.floor_divide), np.floor_divide), "rmod": (torch.remainder, np.mod), "rpow": (torch.pow, np.power),
        "rmatmul": (lift(torch.matmul), np.matmul), "rand": (lambda left, right: b.__and__(right, left), np.bitwise_and),
        "ror": (lambda left, right: b.__or__(right, left), np.bitwise_or), "rxor": (lambda left, right: b.__xor__(right, left), np.bitwise_xor),
    }
    for name, (op, numpy_op) in rows.items():
        setattr(Tensor, f"__{name}__", _reflected(op, numpy_op, name not in as_torch))
    for name, unary in {"neg": b.neg, "pos": b.positive, "abs": b.abs, "invert": b.logical_not}.items():
        setattr(Tensor, f"__{name}__", lambda self, _op=unary: wrap(_op(self)))


_UNTOUCHED = frozenset("""
    apply_ as_subclass backward data_ptr dense_dim detach_ dim dim_order element_size get_device has_names is_coalesced is_complex is_conj
    is_contiguous is_distributed is_floating_point is_inference is_neg is_nonzero is_pinned is_same_size is_set_to is_shared is_signed map_
    map2_ ndimension
    nelement numel numpy q_scale q_zero_point qscheme record_stream register_hook register_post_accumulate_grad_hook reinforce
    requires_grad_ retain_grad share_memory_ sparse_dim storage storage_offset storage_type stride tolist type typed_storage untyped_storage
    refine_names rename rename_ align_to align_as unflatten names module_load size to_sparse
""".split())


def _install_torch_methods() -> None:
    """Every method of torch's that MindSpore does not define otherwise stays, and returns Tensors."""
    own = set(vars(Tensor)) | set(vars(TensorMethods))
    for name in dir(torch.Tensor):
        method = getattr(torch.Tensor, name)
        if name.startswith("_") or name in own or name in _UNTOUCHED or not callable(method) or isinstance(method, type):
            continue
        setattr(Tensor, name, _returning_tensor(name, method))


def _install_torch_properties() -> None:
    """torch's tensor-valued attributes, as Tensors."""
    for name in ("T", "mT", "H", "mH", "real", "imag", "grad"):
        descriptor = getattr(_Base, name, None) or getattr(torch.Tensor, name)
        setattr(Tensor, name, _tensor_property(descriptor))


def _tensor_property(descriptor: Any) -> property:
    def get(self: Tensor) -> Any:
        return wrap(descriptor.__get__(self))
    return property(get, getattr(descriptor, "__set__", None))


def _returning_tensor(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    def wrapped(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return wrap(method(self, *args, **kwargs))
    wrapped.__name__ = name
    wrapped.__doc__ = getattr(method, "__doc__", None)
    return wrapped


def _numpy_index(index: tuple[Any, ...]) -> tuple[Any, ...]:
    """``index`` with ints beside index arrays made arrays too: numpy, and upstream, broadcast them together, torch selects first."""
    has_array = has_int = False
    for item in index:
        cls = item.__class__
        if cls is int:
            has_int = True
        elif cls is list or (item is not None and cls is not slice and item is not Ellipsis and isinstance(item, torch.Tensor) and _Base.dim(item)):
            has_array = True
    if has_array and has_int:
        return tuple(torch.tensor([item]) if item.__class__ is int else item for item in index)
    return index


def _positive_steps(self: torch.Tensor, index: Any) -> Any:
    """``index`` with slices of negative step replaced by index tensors."""
    items = index if isinstance(index, tuple) else (index,)
    consumed = sum(1 for item in items if item is not None and item is not Ellipsis)
    result, axis = [], 0
    for item in items:
        if item is Ellipsis:
            axis += _Base.dim(self) - consumed
        if isinstance(item, slice) and item.step is not None and item.step < 0:
            item = torch.arange(*item.indices(_get_shape(self)[axis]), device=self.device)
        result.append(item)
        if item is not None and item is not Ellipsis:
            axis += 1
    return tuple(result)


def _flip_getitem(self: torch.Tensor, index: Any) -> torch.Tensor:
    """Basic indexing with negative steps: each such axis first, by itself, so that no index tensors meet each other."""
    items = list(index) if isinstance(index, tuple) else [index]
    consumed = sum(1 for item in items if item is not None and item is not Ellipsis)
    result, axis = self, 0
    for position, item in enumerate(items):
        if item is Ellipsis:
            axis += _Base.dim(self) - consumed
        elif item is not None:
            if isinstance(item, slice) and item.step is not None and item.step < 0:
                picks = torch.arange(*item.indices(_get_shape(self)[axis]), device=self.device)
                result = torch.index_select(result, axis, picks)
                items[position] = slice(None)
            axis += 1
    return _Base.__getitem__(result, tuple(items))


_wrap.bind(Tensor)
_install_operators()
_install_torch_methods()
_install_torch_properties()


def tensor(input_data: Any = None, dtype: Any = None, shape: Any = None, init: Any = None, const_arg: bool = False, device: Any = None) -> Tensor:
    """The same as `Tensor`. Upstream: ``mindspore.tensor``."""
    return Tensor(input_data, dtype, shape, init, const_arg=const_arg, device=device)


def from_numpy(array: np.ndarray) -> Tensor:
    """The same as `Tensor.from_numpy`."""
    return Tensor.from_numpy(array)


def is_tensor(obj: Any) -> bool:
    """Whether ``obj`` is a Tensor."""
    return isinstance(obj, Tensor)
