"""Mixed precision of networks, and the training Cell of a network. MindSpore: ``mindspore.train.amp``,
``mindspore.amp``.

O0 does not change the network. O1 computes in Cells of the white list in float16, and returns float32. O2 computes in
float16 except in Cells of the black list. O3 computes all of it in float16. "auto" decides by operator, as
``torch.autocast`` does. Parameters stay float32, and so does the loss. See docs/design/amp.md.

Mixed-precision strategies for all operators while they are pushed. MindSpore: ``mindspore.train.amp``'s
``push_amp_strategy``, ``AmpDecorator``, and the lists of "auto".

A list names Primitives; `_TORCH_NAMES` maps them to torch's operators. A ``TorchFunctionMode`` intercepts operators, in
the same place as the casts of "auto".
"""

from __future__ import annotations

import collections
import contextlib
import enum
import functools
import re
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from mindspore_compat._api.validate import check_one_of, check_str_in, check_type
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.autocast import COMPUTING, cast_each, float_types, run_by_kernel
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.boost.boost_cell_wrapper import BoostTrainOneStepCell, BoostTrainOneStepWithLossScaleCell
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.log import logger
from mindspore_compat.nn import layer as _layer
from mindspore_compat.nn._cell_dtype import cast_floats
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.wrap.cell_wrapper import (
    GradAccumulationCell,
    TrainOneStepCell,
    WithLossCell,
    _to_float32,
    _TrainGradAccuStepCell,
)
from mindspore_compat.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell, _TrainGradAccuWithLossScaleCell
from mindspore_compat.ops import operations as _operations
from mindspore_compat.ops import operations as _prim
from mindspore_compat.ops.primitive import Primitive
from mindspore_compat.train.loss_scale_manager import DynamicLossScaleManager
from mindspore_compat.train.loss_scale_manager import LossScaleManager as LossScaleManager

__all__ = [
    "AMP_AUTO_BLACK_LIST",
    "AMP_AUTO_WHITE_LIST",
    "AMP_PRIM_ARG_TABLE",
    "AmpDecorator",
    "AmpLevel",
    "AmpStrategy",
    "amp_cast",
    "auto_mixed_precision",
    "build_train_network",
    "create_amp_strategy",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
    "pop_amp_strategy",
    "push_amp_strategy",
]


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


Rows = Sequence[tuple[str, Sequence[int]]]


class AmpLevel(enum.IntEnum):
    """Level of a strategy, by the operators with cast inputs: AmpO0 none; AmpO1 the white list's; AmpO2 all but the
    black list's, which get float32; AmpO3 all; AmpAuto the white list's, with float32 for the black list's and the
    widest input type for others.
    """

    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


def _listed(names: str) -> list[Any]:
    return [getattr(_operations, name) for name in names.split() if hasattr(_operations, name)]


#: Primitives that "auto" computes in low precision
AMP_AUTO_WHITE_LIST: list[Any] = _listed(
    "Conv2D Conv3D Conv2DExt Conv3DExt ConvTranspose2D Conv2DTranspose Conv3DTranspose Convolution MatMul MatMulExt "
    "BatchMatMul BatchMatMulExt PReLU Einsum Dense Addmm Addbmm Addmv Baddbmm Mv"
)
#: Primitives that "auto" computes in float32
AMP_AUTO_BLACK_LIST: list[Any] = _listed(
    "Pow ACos Asin Cosh Erfinv Exp Expm1 Log Log10 Log1p Log2 Reciprocal Rsqrt Sinh Tan Softplus SoftplusExt LayerNorm "
    "LayerNormExt BatchNorm BatchNormExt GroupNorm Norm KLDivLoss SmoothL1Loss MultilabelMarginLoss SoftMarginLoss "
    "TripletMarginLoss MultiMarginLoss BCEWithLogitsLoss Pdist Cdist Renorm ReduceProd Softmax LogSoftmax "
    "LogSoftmaxExt CumProd CumSum CumsumExt ProdExt SumExt L1LossExt MSELossExt NLLLoss NLLLoss2d"
)
_TORCH_NAMES = {
    "Conv2D": "conv1d conv2d",
    "Conv3D": "conv3d",
    "ConvTranspose2D": "conv_transpose2d",
    "Conv2DTranspose": "conv_transpose1d conv_transpose2d",
    "Conv3DTranspose": "conv_transpose3d",
    "Convolution": "conv1d conv2d conv3d convolution",
    "MatMul": "matmul mm linear addmm __matmul__ __rmatmul__",
    "BatchMatMul": "bmm matmul __matmul__ __rmatmul__",
    "Dense": "linear",
    "PReLU": "prelu",
    "ACos": "acos",
    "Pow": "pow __pow__ __rpow__",
    "KLDivLoss": "kl_div",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "ReduceProd": "prod",
    "ReduceSum": "sum",
    "ReduceMean": "mean",
    "CumProd": "cumprod",
    "CumSum": "cumsum",
    "Add": "add __add__ __radd__",
    "Sub": "sub __sub__ __rsub__",
    "Mul": "mul __mul__ __rmul__",
    "Div": "div true_divide __truediv__ __rtruediv__",
    "ReLU": "relu",
    "GeLU": "gelu",
    "SiLU": "silu",
    "L1Loss": "l1_loss",
    "MSELoss": "mse_loss",
    "NLLLoss2d": "nll_loss",
    "Norm": "norm vector_norm",
}


def _torch_names(primitive: str) -> set[str]:
    base = primitive.removesuffix("Ext")
    known = _TORCH_NAMES.get(primitive) or _TORCH_NAMES.get(base)
    return set(known.split()) if known else {re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", base).lower(), base.lower()}


_FLOATS = (torch.float16, torch.bfloat16, torch.float32)


class AmpStrategy:
    """A level, the low precision and the lists, by Primitives' names, with the arguments concerned (empty: all)."""

    def __init__(self, level: AmpLevel, dtype: torch.dtype, white_list: Rows, black_list: Rows) -> None:
        self._level, self._dtype = level, dtype
        self._white, self._black = list(white_list), list(black_list)

    def get_amp_level(self) -> AmpLevel:
        return self._level

    def get_amp_dtype(self) -> torch.dtype:
        return self._dtype

    def get_white_list(self) -> list[Any]:
        return self._white

    def get_black_list(self) -> list[Any]:
        return self._black


class _Casts(TorchFunctionMode):
    """Casts of operator inputs by a strategy."""

    def __init__(self, strategy: AmpStrategy) -> None:
        super().__init__()
        self._entered = contextlib.ExitStack()
        self._level, self._dtype = strategy.get_amp_level(), strategy.get_amp_dtype()
        self._white, self._black = (
            {name: tuple(positions) for primitive, positions in rows for name in _torch_names(primitive)}
            for rows in (strategy.get_white_list(), strategy.get_black_list())
        )

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        target = self._target(getattr(func, "__name__", ""), args, kwargs) if self is _pushed[-1] else None
        if target is None:
            return run_by_kernel(func, args, kwargs)
        dtype, positions = target
        if not positions and kwargs.get("dtype") in float_types(args):  # special value: as the input
            kwargs = {**kwargs, "dtype": dtype}

        def cast(tensor: torch.Tensor) -> torch.Tensor:
            own = torch._C.TensorBase.dtype.__get__(tensor)
            return torch._C.TensorBase.to(tensor, dtype) if own in _FLOATS and own is not dtype else tensor

        args = tuple(
            cast_each(value, cast) if not positions or position in positions else value
            for position, value in enumerate(args)
        )
        if not positions:
            kwargs = {key: cast_each(value, cast) for key, value in kwargs.items()}
        return run_by_kernel(func, args, kwargs)

    def __enter__(self) -> Any:
        self._entered.enter_context(kernels.as_torch())  # to see operators before their 16-bit inputs change
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._entered.close()

    def _target(self, name: str, args: Any, kwargs: Any) -> tuple[torch.dtype, tuple[int, ...]] | None:
        """Return the dtype for an operator's inputs, and the inputs to cast (none: all); None to cast nothing."""
        level = self._level
        if level == AmpLevel.AmpO0 or name not in COMPUTING:
            return None
        found = float_types((*args, *kwargs.values()))
        if not found or torch.float64 in found:
            return None
        if level in (AmpLevel.AmpO1, AmpLevel.AmpAuto) and name in self._white:
            return self._dtype, self._white[name]
        if level in (AmpLevel.AmpO2, AmpLevel.AmpAuto) and name in self._black:
            return torch.float32, self._black[name]
        if level in (AmpLevel.AmpO2, AmpLevel.AmpO3):
            return self._dtype, ()
        return (torch.float32, ()) if level == AmpLevel.AmpAuto and len(found) > 1 else None


def create_amp_strategy(amp_level: Any, amp_dtype: Any, white_list: Rows, black_list: Rows) -> AmpStrategy:
    """Return a strategy for `push_amp_strategy`; see `AmpLevel`."""
    return AmpStrategy(amp_level, to_torch_dtype(amp_dtype), white_list, black_list)


_pushed: list[_Casts] = []


def push_amp_strategy(amp_level: Any, amp_dtype: Any, white_list: Rows, black_list: Rows) -> None:
    """Cast operator inputs by the strategy until `pop_amp_strategy`. The last of several counts."""
    casts = _Casts(create_amp_strategy(amp_level, amp_dtype, white_list, black_list))
    casts.__enter__()
    _pushed.append(casts)


def pop_amp_strategy() -> None:
    """End the strategy that was pushed last, if any."""
    if _pushed:
        _pushed.pop().__exit__(None, None, None)


class AmpDecorator:
    """Context of a strategy: ``with AmpDecorator(level, dtype, white_list, black_list):``."""

    def __init__(self, amp_level: Any, amp_dtype: Any, white_list: Rows, black_list: Rows) -> None:
        self.amp_level, self.amp_dtype = amp_level, amp_dtype
        self.white_list, self.black_list = white_list, black_list

    def __enter__(self) -> None:
        push_amp_strategy(self.amp_level, self.amp_dtype, self.white_list, self.black_list)

    def __exit__(self, *error: object) -> None:
        pop_amp_strategy()


def amp_cast(value: Any, dtype: Any) -> Any:
    """Return a floating-point Tensor in ``dtype``; other values unchanged."""
    if isinstance(value, Tensor) and torch.Tensor.is_floating_point(value):
        return value.astype(dtype)
    return value


LEVELS = ("O0", "O1", "O2", "O3", "auto")
_OPTIONS = ("cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager")

AMP_WHITE_LIST: list[type] = [
    getattr(_layer, name)
    for name in tuple(
        ("Conv1d Conv2d Conv3d Conv1dTranspose Conv2dTranspose Conv3dTranspose Dense LSTMCell RNNCell GRUCell").split()
    )
] + [
    getattr(_prim, name)
    for name in tuple(
        ("Conv2D Conv3D Conv2DTranspose Conv3DTranspose Conv2DBackpropInput MatMul BatchMatMul PReLU ReLU Ger").split()
    )
]
AMP_BLACK_LIST: list[type] = [_layer.BatchNorm1d, _layer.BatchNorm2d, _layer.BatchNorm3d, _layer.LayerNorm]

#: Primitive -> positions of the arguments that "auto" casts; all where it is not named
AMP_PRIM_ARG_TABLE: dict[Any, list[int]] = collections.defaultdict(list)
_AUTO_LISTS = AMP_AUTO_WHITE_LIST.copy(), AMP_AUTO_BLACK_LIST.copy()
#: MindSpore may rewrite a network's source for O2 and O3 instead; here there is one way
MS_AMP_BY_REWRITE = False

#: Cells that are nothing but a Primitive of the white list; MindSpore finds the Primitive inside
_CELLS_OF_PRIMITIVES: dict[Any, type] = {getattr(_prim, name): getattr(_layer, name) for name in ("ReLU", "PReLU")}


def get_white_list() -> list[type]:
    """Return a copy of the Cells and Primitives that O1 computes in low precision."""
    return AMP_WHITE_LIST.copy()


def get_black_list() -> list[type]:
    """Return a copy of the Cells that O2 computes in float32."""
    return AMP_BLACK_LIST.copy()


def _check_half(dtype: Any) -> None:
    if dtype not in _HALF:
        raise ValueError(f"The 'dtype' must be float16 or bfloat16, but got {dtype}.")


def auto_mixed_precision(network: Any, amp_level: str = "O0", dtype: torch.dtype = torch.float16) -> Any:
    """Return the network computing in ``dtype`` by the level, with float32 outputs.

    O1 returns a copy with the same Parameters; O2, O3 and "auto" change the network. Functions are accepted for "auto".

    Raises:
        TypeError: if ``network`` is no Cell. ValueError: for an unknown level or dtype.
    """
    _check_half(dtype)
    check_one_of(amp_level, "amp_level", LEVELS, "auto_mixed_precision")
    if not isinstance(network, Cell) and amp_level != "auto":
        raise TypeError(f"For the level '{amp_level}', the network must be a Cell, but is {type(network).__name__}.")
    if amp_level == "O0":
        return network
    if getattr(network, "_amp_level", None) in LEVELS:
        logger.warning("The network computes as 'amp_level' %s already; now as %s, too.", network._amp_level, amp_level)
    if amp_level == "O1":
        network = _cast_white(network, dtype, AMP_WHITE_LIST)
    elif amp_level == "auto":
        network = cast_by_operator(network, dtype, _own_strategy(dtype))
    else:
        cast_except(network, dtype, AMP_BLACK_LIST if amp_level == "O2" else [])
        network = _OutputTo32(network)
    network._amp_level = amp_level
    return network


def _own_strategy(dtype: torch.dtype) -> AmpDecorator | None:
    """Return the strategy for "auto" if its lists were changed, else None: torch.autocast applies."""
    lists = AMP_AUTO_WHITE_LIST, AMP_AUTO_BLACK_LIST
    if lists == _AUTO_LISTS and not AMP_PRIM_ARG_TABLE:
        return None
    rows = [[(item.__name__, AMP_PRIM_ARG_TABLE.get(item, [])) for item in items] for items in lists]
    return AmpDecorator(AmpLevel.AmpAuto, dtype, *rows)


def _cast_white(network: Any, dtype: torch.dtype, white_list: list[type]) -> Any:
    return cast_only(
        network,
        dtype,
        white_list + [cell for primitive, cell in _CELLS_OF_PRIMITIVES.items() if primitive in white_list],
    )


def custom_mixed_precision(
    network: Any,
    *,
    white_list: list[type] | None = None,
    black_list: list[type] | None = None,
    dtype: torch.dtype = torch.float16,
) -> Any:
    """Return the network computing in ``dtype`` only in Cells and Primitives of ``white_list``, or in all but Cells of
    ``black_list``.

    Raises:
        TypeError: for a wrong network or list. ValueError: unless just one list is given, or for an unknown dtype.
    """
    if not isinstance(network, Cell):
        raise TypeError(f"The network must be a Cell, but is {type(network).__name__}.")
    if (white_list is None) == (black_list is None):
        raise ValueError("For 'custom_mixed_precision', give either white_list or black_list.")
    _check_half(dtype)
    if white_list is not None:
        _check_list(white_list, "white_list", (Cell, Primitive))
        return _cast_white(network, dtype, white_list)
    assert black_list is not None
    _check_list(black_list, "black_list", (Cell,))
    for cell in AMP_BLACK_LIST:
        if cell not in black_list:
            logger.warning("%s is removed from internal black list.", cell)
    cast_except(network, dtype, black_list)
    return _OutputTo32(network)


def _check_list(classes: Any, name: str, allowed: tuple[type, ...]) -> None:
    for item in check_type(classes, name, list, "custom_mixed_precision"):
        if not isinstance(item, type) or not issubclass(item, allowed):
            kinds = " or ".join(base.__name__ for base in allowed)
            raise TypeError(f"For 'custom_mixed_precision', '{name}' must hold subclasses of {kinds}, but got {item}.")


# --- the training Cell ------------------------------------------------------------------------------------------------


def _level_config(level: str) -> dict[str, Any]:
    return {
        "keep_batchnorm_fp32": level == "O2",
        "cast_model_type": torch.float16 if level in ("O2", "O3") else torch.float32,
        "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None,
    }


#: these and the next, which libraries use for their own training Cells
_config_level = {level: _level_config(level) for level in LEVELS}


def _auto_black_list(network: Any, black_list: list[type], dtype: torch.dtype) -> Any:
    """Return the network computing in ``dtype`` but for Cells of the list; their results are cast to ``dtype``."""
    cast_except(network, dtype, black_list)
    return network


def _auto_mixed_precision_rewrite(
    network: Any, dtype: torch.dtype, *, white_list: list[type] | None = None, black_list: list[type] | None = None
) -> Any:
    """Return a copy (same Parameters) that computes the white list in ``dtype`` and returns float32, or the network,
    changed to compute all but the black list in ``dtype``.
    """
    if (white_list is None) == (black_list is None):
        raise ValueError("One of white_list and black_list must be provided.")
    if white_list is not None:
        return _cast_white(network, dtype, white_list)
    return _OutputTo32(_auto_black_list(network, black_list or [], dtype))


def _do_keep_batchnorm_fp32(network: Any) -> None:
    _wrap_black(network, torch.float16, tuple(AMP_BLACK_LIST))


def _add_loss_network(network: Any, loss_fn: Any, cast_model_type: Any) -> Any:
    half = cast_model_type in _HALF or getattr(network, "_amp_level", None) in ("O2", "O3", "auto")
    return (Float32WithLossCell if half else WithLossCell)(network, loss_fn)


def check_level_names(level: Any, boost_level: Any, owner: str) -> None:
    """Raise TypeError or ValueError for invalid levels of precision and boost."""
    check_str_in(level, "amp_level", LEVELS, owner)
    check_one_of(boost_level, "boost_level", ("O0", "O1", "O2"), owner)


def build_train_network(
    network: Any, optimizer: Any, loss_fn: Any = None, level: str = "O0", boost_level: str = "O0", **kwargs: Any
) -> Any:
    """Return the training Cell of a network: loss, casts of the level, loss scale, optimizer.

    Args:
        loss_fn: a Cell of (outputs, label); None if the network returns the loss.
        level: "O0", "O1", "O2", "O3" or "auto".
        boost_level: with "O1" and "O2" the Cell is that of `mindspore.boost`, for a `FreezeOpt` or as `AutoBoost` says.
        cast_model_type (float16 or float32), keep_batchnorm_fp32, loss_scale_manager: override what the level implies.

    Raises:
        TypeError, ValueError: for wrong arguments.
    """
    check_level_names(level, boost_level, "build_train_network")
    for name in kwargs:
        check_one_of(
            name, "kwargs", ("cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager"), "build_train_network"
        )
    config = {**_level_config(level), **kwargs}
    check_one_of(config["cast_model_type"], "cast_model_type", (torch.float16, torch.float32), "build_train_network")
    network = _with_precision(network, config, level)
    if loss_fn is not None:
        network = _add_loss_network(network, loss_fn, config["cast_model_type"])
    accumulates = any(isinstance(cell, GradAccumulationCell) for _, cell in network.cells_and_names())
    manager = config["loss_scale_manager"]
    update_cell = manager.get_update_cell() if manager is not None else None
    scaled, plain = _STEPS["accumulating" if accumulates else "O0" if boost_level == "O0" else "boosted"]
    if update_cell is not None:
        return scaled(network, optimizer, update_cell).set_train()
    if accumulates:
        return plain(network, optimizer).set_train()
    return plain(network, optimizer, manager.get_loss_scale() if manager is not None else None).set_train()


#: training Cells with and without a loss scale that follows overflows
_STEPS: dict[str, tuple[Any, Any]] = {
    "O0": (TrainOneStepWithLossScaleCell, TrainOneStepCell),
    "boosted": (BoostTrainOneStepWithLossScaleCell, BoostTrainOneStepCell),
    "accumulating": (_TrainGradAccuWithLossScaleCell, _TrainGradAccuStepCell),
}


def _with_precision(network: Any, config: dict[str, Any], level: str) -> Any:
    if config["cast_model_type"] is torch.float16:
        cast_except(network, torch.float16, AMP_BLACK_LIST if config["keep_batchnorm_fp32"] else [])
        return network
    if level == "O2" and not config["keep_batchnorm_fp32"]:
        return network.to_float(torch.float16)
    if level in ("O2", "O3"):
        return network
    return auto_mixed_precision(network, level)
