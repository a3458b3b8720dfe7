"""Mixed precision of a network: casts around Cells, a copy of a network that casts in chosen Cells, casts by operator.

Parameters do not change, and are cast on use. Nothing here is public; `train/amp.py` is.
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.nn._cell_dtype import cast_floats
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.wrap.cell_wrapper import WithLossCell, _to_float32
from mindspore_compat.ops.primitive import Primitive


class _OutputTo16(Cell):
    """Cell with its output in the network's low precision."""

    def __init__(self, backbone: Any, dtype: torch.dtype = torch.float16) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self.dtype = dtype

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return cast_floats(self._backbone(*args, **kwargs), self.dtype)


class _OutputTo32(Cell):
    """Cell with the network's outputs as float32."""

    def __init__(self, backbone: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return _to_float32(self._backbone(*args, **kwargs))


class Float32WithLossCell(WithLossCell):
    """Loss in float32, whatever the network's dtype."""

    def construct(self, data: Any, label: Any) -> Any:
        return self._loss_fn(_to_float32(self._backbone(data)), _to_float32(label))


Float32WithLossCell.__name__ = "WithLossCell"  # its name in MindSpore's prints


# --- O2, O3, black lists: everything but some Cells, in place ---------------------------------------------------------


def cast_except(network: Any, dtype: torch.dtype, black_list: list[type]) -> None:
    """Make the network compute in ``dtype``; Cells of the list compute in float32, and return ``dtype``."""
    network.to_float(dtype)
    _wrap_black(network, dtype, tuple(black_list))


def _wrap_black(cell: Any, dtype: torch.dtype, black_list: tuple[type, ...]) -> None:
    for name, child in list(cell._modules.items()):
        if issubclass(type(child), black_list):
            cell._exchange_child(name, _OutputTo16(child.to_float(torch.float32), dtype))
        elif isinstance(child, Cell) and not isinstance(child, _OutputTo16):
            _wrap_black(child, dtype, black_list)


# --- O1, white lists: some Cells and Primitives, in a copy that shares the Parameters ---------------------------------


def cast_only(network: Any, dtype: torch.dtype, white_list: list[type]) -> Any:
    """Return a copy (same Parameters) in which listed Cells and Primitives compute in ``dtype`` and return float32.

    Cells with a call of `to_float` stay unchanged.
    """
    copies: dict[int, Any] = {}
    copied = _copy_tree(network, copies, dtype, white_list, False)
    for cell in list(copies.values()):
        _redirect(cell, copies)
    return copied


def _copy_tree(cell: Any, copies: dict[int, Any], dtype: torch.dtype, white_list: list[type], inside: bool) -> Any:
    if not isinstance(cell, Cell) or cell._cast_dtype is not None:
        return cell
    if id(cell) in copies:
        return copies[id(cell)]
    copied = copies[id(cell)] = cell.__class__.__new__(cell.__class__)
    state = copied.__dict__
    state.update(cell.__dict__)  # Parameters and buffers are shared dicts
    listed = type(cell) in white_list
    state["_modules"] = type(cell._modules)(
        (name, _copy_tree(child, copies, dtype, white_list, inside or listed)) for name, child in cell._modules.items()
    )
    if inside or listed:
        for name, flag in (("fp16", torch.float16), ("bf16", torch.bfloat16)):
            if flag is dtype:
                copied.add_flags(**{name: True})
    if listed and not inside:
        state["construct"] = functools.partial(_construct_to32, copied)
    if not (inside or listed):
        for name, value in cell.__dict__.items():
            if isinstance(value, Primitive) and type(value) in white_list:
                state[name] = _CastPrimitive(value, dtype)
    return copied


def _construct_to32(cell: Any, *args: Any, **kwargs: Any) -> Any:
    return _to_float32(type(cell).construct(cell, *args, **kwargs))


def _redirect(cell: Any, copies: dict[int, Any]) -> None:
    """Redirect attributes that refer to a network's Cell otherwise than as child: lists of Cells, methods of Cells."""
    for name, value in list(cell.__dict__.items()):
        if type(value) in (list, tuple) and any(id(item) in copies for item in value):
            cell.__dict__[name] = type(value)([copies.get(id(item), item) for item in value])
        elif isinstance(value, types.MethodType) and id(value.__self__) in copies:
            cell.__dict__[name] = types.MethodType(value.__func__, copies[id(value.__self__)])


class _CastPrimitive:
    """A Primitive that computes in low precision and returns float32."""

    def __init__(self, primitive: Any, dtype: torch.dtype) -> None:
        self._primitive, self._dtype = primitive, dtype

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_primitive", "_dtype"):
            raise AttributeError(name)
        return getattr(self._primitive, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _to_float32(self._primitive(*[cast_floats(arg, self._dtype) for arg in args], **kwargs))


# --- auto: by operator ------------------------------------------------------------------------------------------------

#: MindSpore's black list, by torch's names
_IN_FLOAT32 = frozenset(
    """pow acos asin cosh erfinv exp exp2 expm1 log log10 log1p log2 logaddexp logaddexp2 reciprocal rsqrt sinh tan
    softplus log_sigmoid logsigmoid layer_norm native_layer_norm batch_norm group_norm norm std var logsumexp
    cosine_similarity kl_div smooth_l1_loss cross_entropy cross_entropy_loss nll_loss nll_loss_nd
    multilabel_margin_loss multilabel_soft_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss
    binary_cross_entropy_with_logits l1_loss mse_loss lp_pool1d lp_pool2d trapezoid pdist cdist renorm prod cumprod
    sum sum_to_size cumsum softmax softmin log_softmax""".split()
)
#: MindSpore's white list, by torch's names: torch.autocast casts for these alone
_IN_HALF = frozenset(
    """matmul __matmul__ __rmatmul__ mm bmm mv addmm addmv addbmm baddbmm linear inner tensordot einsum prelu
    conv1d conv2d conv3d conv_transpose2d conv_transpose3d scaled_dot_product_attention""".split()
)
_KEPT = _IN_FLOAT32 - {"norm"}  # `ops.norm` rounds in the end
_RECURRENT = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu"})  # in float32, rounded to the input's dtype
_PROMOTED = frozenset(
    "cross linalg_cross bilinear conv_transpose1d rnn_tanh_cell rnn_relu_cell lstm_cell gru_cell".split()
)


class _Float32Operators(TorchFunctionMode):
    """Mode that casts inputs of the black list's operators to float32, and leaves torch.autocast on for the white
    list's only.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, device = kwargs or {}, current_device().type
        name = getattr(func, "__name__", "")
        if name == "__get__" or not torch.is_autocast_enabled(device):  # a Cell with `to_float`
            return func(*args, **kwargs)
        if func in kernels.CAST_BY_AUTOCAST:
            return kernels.cast_by_autocast(device, func, args, kwargs)
        if name in _IN_HALF:
            return func(*args, **kwargs)
        if name in _IN_FLOAT32:
            args = tuple([_to32(arg) for arg in args])
            kwargs = {key: _to32(arg) for key, arg in kwargs.items()}
            if kwargs.get("dtype") in _HALF:
                kwargs["dtype"] = torch.float32
        wide = name in _RECURRENT or (name in _PROMOTED and _differ(args[:3]))
        torch.set_autocast_enabled(device, False)
        try:
            if not wide:
                return func(*args, **kwargs)
            result = func(*[cast_floats(arg, torch.float32) for arg in args], **kwargs)
            return cast_floats(result, args[0].dtype) if name in _RECURRENT else result
        finally:
            torch.set_autocast_enabled(device, True)


_HALF = (torch.float16, torch.bfloat16)


def _differ(values: Any) -> bool:
    return len({value.dtype for value in values if isinstance(value, torch.Tensor)}) > 1


def _to32(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point() and value.dtype is not torch.float32:
        return torch._C.TensorBase.to(value, torch.float32)
    return value


@contextlib.contextmanager
def _operator_casts(dtype: torch.dtype) -> Iterator[None]:
    with torch.autocast(current_device().type, dtype=dtype), _Float32Operators(), kernels.giving_float32(_KEPT):
        yield


def cast_by_operator(target: Any, dtype: torch.dtype, casts: Any = None) -> Any:
    """Return a function that runs with casts by operator, or the same Cell with such a ``construct``; `to_float` of
    inner Cells has priority. ``casts``: a context for casts by other lists than MindSpore's.
    """
    if not isinstance(target, Cell):
        return _with_casts(target, dtype, casts)
    for _, cell in target.cells_and_names():
        if isinstance(cell, Cell) and cell._cast_dtype is not None:
            cell.__dict__["construct"] = _without_casts(cell.construct)
    target.__dict__["construct"] = _with_casts(target.construct, dtype, casts)
    return target


def _with_casts(function: Callable[..., Any], dtype: torch.dtype, casts: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with _operator_casts(dtype) if casts is None else casts:
            return wrap(function(*args, **kwargs))

    return run


def _without_casts(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with torch.autocast(current_device().type, enabled=False):
            return function(*args, **kwargs)

    return run
