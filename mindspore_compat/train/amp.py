"""Mixed precision: `build_train_network` and `auto_mixed_precision`. Upstream: ``mindspore.train.amp``, ``mindspore.amp``.

O0 leaves the network alone; O1 runs it under ``torch.autocast`` (float16); O2 computes in float16 except BatchNorm and the loss, with a
dynamic loss scale; O3 computes all of it in float16. Parameters stay float32; casts are made where they are used.
"""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.validate import check_bool, check_type
from mindspore_compat._runtime.device import current_device
from mindspore_compat.common._wrap import wrap
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.normalization import _BatchNorm
from mindspore_compat.nn.wrap.cell_wrapper import TrainOneStepCell, WithLossCell, _to_float32
from mindspore_compat.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell
from mindspore_compat.train.loss_scale_manager import DynamicLossScaleManager, LossScaleManager

__all__ = ["build_train_network", "auto_mixed_precision"]

_HALF = (torch.float16, torch.bfloat16)


def _level_config(level: str) -> dict[str, Any]:
    if level == "auto":
        level = "O2" if current_device().type == "cuda" else "O0"
    half = level in ("O2", "O3")
    return {"keep_batchnorm_fp32": level == "O2", "cast_model_type": torch.float16 if half else torch.float32,
            "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None, "autocast": level == "O1"}


def _checked_level(level: Any, where: str) -> str:
    if not isinstance(level, str):
        raise TypeError(f"The argument `level` must be a string in ['O0', 'O1', 'O2', 'O3', 'auto'], but got type {type(level)}.")
    if level not in ("O0", "O1", "O2", "O3", "auto"):
        raise ValueError(f"For '{where}', the `level` must be in ['O0', 'O1', 'O2', 'O3', 'auto'], but got {level!r}.")
    return level


class _OutputTo32(Cell):
    """Returns the network's float16 outputs as float32, so that the loss is computed in float32."""

    def __init__(self, backbone: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs: Any, **kwargs: Any) -> Any:
        return _to_float32(self._backbone(*inputs, **kwargs))


class _Autocast(Cell):
    """Runs the network under ``torch.autocast``."""

    def __init__(self, backbone: Any, dtype: torch.dtype) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self.autocast_dtype = dtype

    def construct(self, *inputs: Any, **kwargs: Any) -> Any:
        with torch.autocast(current_device().type, dtype=self.autocast_dtype):
            return _to_float32(wrap(self._backbone(*inputs, **kwargs)))


def _keep_batchnorm_fp32(network: Any) -> None:
    for _, cell in network.cells_and_names():
        if isinstance(cell, _BatchNorm):
            cell.to_float(torch.float32)


def auto_mixed_precision(network: Any, amp_level: str = "O0", dtype: torch.dtype = torch.float16) -> Any:
    """The network made to compute in ``dtype`` as the level says (O0 to O3); O2 and O3 change it in place, O1 wraps it.

    Raises:
        TypeError: if ``network`` is no Cell. ValueError: for an unknown level or dtype.
    """
    if not isinstance(network, Cell):
        raise TypeError(f"The network type should be Cell, but got {type(network).__name__}.")
    if dtype not in _HALF:
        raise ValueError(f"The dtype should be one of (mstype.float16, mstype.bfloat16), but got {dtype}.")
    level = _checked_level(amp_level, "auto_mixed_precision")
    config = _level_config(level)
    if config["autocast"]:
        return _Autocast(network, dtype)
    if config["cast_model_type"] is torch.float16:
        network.to_float(dtype)
        if config["keep_batchnorm_fp32"]:
            _keep_batchnorm_fp32(network)
        return _OutputTo32(network)
    return network


def build_train_network(network: Any, optimizer: Any, loss_fn: Any = None, level: str = "O0", boost_level: str = "O0", **kwargs: Any) -> Any:
    """The training Cell of a network: loss, casts of the level, loss scale, optimizer.

    Args:
        cast_model_type (float16 or float32), keep_batchnorm_fp32, loss_scale_manager: override what the level implies.

    Raises:
        TypeError, ValueError: for wrong arguments.
    """
    check_type(network, "network", Cell, "build_train_network")
    level = _checked_level(level, "build_train_network")
    if boost_level not in ("O0", "O1", "O2"):
        raise ValueError(f"The argument `boost_level` must be in ['O0', 'O1', 'O2'], but got {boost_level!r}.")
    config = {**_level_config(level), **_checked_options(kwargs)}
    if config["cast_model_type"] is torch.float16:
        network.to_float(torch.float16)
        if config["keep_batchnorm_fp32"]:
            _keep_batchnorm_fp32(network)
        if loss_fn is not None:
            network = _OutputTo32(network)
    elif config["autocast"]:
        network = _Autocast(network, torch.float16)
    if loss_fn is not None:
        network = WithLossCell(network, loss_fn)
    manager = config["loss_scale_manager"]
    scale = None
    if manager is not None:
        scale = manager.get_loss_scale()
        update_cell = manager.get_update_cell()
        if update_cell is not None:
            return TrainOneStepWithLossScaleCell(network, optimizer, update_cell).set_train()
    return TrainOneStepCell(network, optimizer, scale).set_train()


def _checked_options(options: dict[str, Any]) -> dict[str, Any]:
    for name in options:
        if name not in ("cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager"):
            raise ValueError("The argument 'kwargs' key should be in ['cast_model_type', 'keep_batchnorm_fp32', 'loss_scale_manager'], "
                             f"but got '{name}'.")
    if "cast_model_type" in options and options["cast_model_type"] not in (torch.float16, torch.float32):
        raise ValueError(f"The value of 'cast_model_type' should be in [mstype.float16, mstype.float32], but got {options['cast_model_type']}.")
    if "keep_batchnorm_fp32" in options:
        check_bool(options["keep_batchnorm_fp32"], "keep_batchnorm_fp32", "build_train_network")
    manager = options.get("loss_scale_manager")
    if manager is not None:
        check_type(manager, "loss_scale_manager", LossScaleManager, "build_train_network")
    return options
