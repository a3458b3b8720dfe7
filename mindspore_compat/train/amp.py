"""Mixed precision of networks, and the training Cell of a network. MindSpore: ``mindspore.train.amp``,
``mindspore.amp``.

O0 does not change the network. O1 computes in Cells of the white list in float16, and returns float32. O2 computes in
float16 except in Cells of the black list. O3 computes all of it in float16. "auto" decides by operator, as
``torch.autocast`` does. Parameters stay float32, and so does the loss. See docs/design/amp.md.
"""

from __future__ import annotations

import collections
import logging
from typing import Any

import torch

from mindspore_compat._api.validate import check_one_of, check_str_in, check_type
from mindspore_compat.boost.boost_cell_wrapper import BoostTrainOneStepCell, BoostTrainOneStepWithLossScaleCell
from mindspore_compat.nn import layer as _layer
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.wrap.cell_wrapper import (
    GradAccumulationCell,
    TrainOneStepCell,
    WithLossCell,
    _TrainGradAccuStepCell,
)
from mindspore_compat.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell, _TrainGradAccuWithLossScaleCell
from mindspore_compat.ops import operations as _prim
from mindspore_compat.ops.primitive import Primitive
from mindspore_compat.train._amp_strategy import (
    AMP_AUTO_BLACK_LIST,
    AMP_AUTO_WHITE_LIST,
    AmpDecorator,
    AmpLevel,
    AmpStrategy,
    amp_cast,
    create_amp_strategy,
    pop_amp_strategy,
    push_amp_strategy,
)
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
