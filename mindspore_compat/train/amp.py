"""Mixed precision of networks, and the training Cell of a network. MindSpore: ``mindspore.train.amp``,
``mindspore.amp``.

O0 does not change the network. O1 computes in Cells of the white list in float16, and returns float32. O2 computes in
float16 except in Cells of the black list. O3 computes all of it in float16. "auto" decides by operator, as
``torch.autocast`` does. Parameters stay float32, and so does the loss. See docs/design/amp.md.

Mixed-precision strategies for all operators while they are pushed. MindSpore: ``mindspore.train.amp``'s
``push_amp_strategy``, ``AmpDecorator``, and the lists of "auto".

A list names Primitives; `_TORCH_NAMES` maps them to torch's operators. A ``TorchFunctionMode`` intercepts operators, in
the same place as `_precision.py` does for "auto".
"""

from __future__ import annotations

import collections
import contextlib
import enum
import logging
import re
from collections.abc import Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from mindspore_compat._api.validate import check_one_of, check_str_in, check_type
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.autocast import COMPUTING, cast_each, float_types, run_by_kernel
from mindspore_compat.boost.boost_cell_wrapper import BoostTrainOneStepCell, BoostTrainOneStepWithLossScaleCell
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn import layer as _layer
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.wrap.cell_wrapper import (
    GradAccumulationCell,
    TrainOneStepCell,
    WithLossCell,
    _TrainGradAccuStepCell,
)
from mindspore_compat.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell, _TrainGradAccuWithLossScaleCell
from mindspore_compat.ops import operations as _operations
from mindspore_compat.ops import operations as _prim
from mindspore_compat.ops.primitive import Primitive
from mindspore_compat.train._precision import (
    Float32WithLossCell,
    _OutputTo16,  # noqa: F401  (Chinese-CLIP imports it)
    _OutputTo32,
    _wrap_black,
    cast_by_operator,
    cast_except,
    cast_only,
)
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


_log = logging.getLogger("mindspore_compat")
_HALF = (torch.float16, torch.bfloat16)
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
        _log.warning("The network computes as 'amp_level' %s already; now as %s, too.", network._amp_level, amp_level)
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
            _log.warning("%s is removed from internal black list.", cell)
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
