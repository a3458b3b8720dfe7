"""Checks of arguments of `Model`."""

from __future__ import annotations

import logging
from typing import Any

import torch

from mindspore_compat._api.validate import check_one_of, check_type
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.nn._compiled_cell import CompiledCell
from mindspore_compat.parallel._utils import _get_parallel_mode
from mindspore_compat.train._torch.step import TorchTrainStep
from mindspore_compat.train.amp import check_level_names
from mindspore_compat.train.callback._callback import Callback

__all__ = [
    "check_callbacks",
    "check_epochs",
    "check_kwargs",
    "check_levels",
    "check_parallel",
    "is_due",
    "parts_of",
    "predict_input",
]

_log = logging.getLogger("mindspore_compat")
_OWN_CALLBACKS = "mindspore_compat.train.callback."
_OPTIONS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level")
_OLD_HOOKS = {"begin", "end", "epoch_begin", "epoch_end", "step_begin", "step_end"}


def parts_of(
    step: TorchTrainStep, loss_fn: Any, optimizer: Any, amp_level: Any, kwargs: dict[str, Any]
) -> tuple[Any, Any, Any, str]:
    """Return (network, loss_fn, optimizer, amp_level) of a training step passed as the network; its manager goes into
    ``kwargs``.

    Raises:
        ValueError: if there are such beside it.
    """
    manager = kwargs.get("loss_scale_manager")
    if any(part is not None for part in (loss_fn, optimizer, manager)) or amp_level != "O0":
        raise ValueError(
            "For 'Model', loss, optimizer, level and loss scale belong to the TorchTrainStep that is the network."
        )
    if step.loss_scale_manager is not None:
        kwargs["loss_scale_manager"] = step.loss_scale_manager
    return step.network, step.loss_fn, step.optimizer, step.amp_level


def check_kwargs(kwargs: dict[str, Any]) -> None:
    """Raise ValueError for unknown options of Model."""
    for name in kwargs:
        check_one_of(name, "kwargs", _OPTIONS, "Model")


def check_levels(network: Any, optimizer: Any, amp_level: Any, boost_level: Any) -> None:
    """Raise TypeError or ValueError for invalid levels of precision and boost, or an unfit network or optimizer."""
    check_level_names(amp_level, boost_level, "Model")
    if amp_level != "O0" and isinstance(network, CompiledCell):
        raise ValueError("For 'Model', cast before compiling: torch.compile(amp.auto_mixed_precision(cell, level)).")
    if optimizer is None and amp_level != "O0":
        raise ValueError("For 'Model', 'amp_level' must be 'O0' without an optimizer.")


def check_epochs(where: str, epoch: int, initial_epoch: int, sink_size: int) -> None:
    """Raise ValueError if no epoch is left, and for invalid sizes."""
    if not 0 <= initial_epoch < epoch:
        raise ValueError(f"For '{where}', 'initial_epoch' {initial_epoch} must be in [0, {epoch}).")
    if sink_size < -1 or sink_size == 0:
        raise ValueError(f"For '{where}', 'sink_size' must be -1 or positive, but got {sink_size}.")


def check_callbacks(callbacks: Any, mode: str) -> None:
    """Warn of user callbacks with hooks of 1.x. Raise ValueError in fit, where those would run for both datasets."""
    for callback in callbacks if isinstance(callbacks, list) else [callbacks]:
        if not isinstance(callback, Callback) or type(callback).__module__.startswith(_OWN_CALLBACKS):
            continue
        old = _OLD_HOOKS & set(type(callback).__dict__)
        if old:
            text = f"The callback {type(callback).__name__} has {old}: name them 'on_train_...' or 'on_eval_...'."
            if mode == "fit":
                raise ValueError(text)
            _log.info(text)


def check_parallel(text: str) -> None:
    """Raise RuntimeError, which begins with the text, unless in a mode that infers layouts."""
    mode = _get_parallel_mode()
    if mode not in ("semi_auto_parallel", "auto_parallel"):
        raise RuntimeError(f"{text}, but got {mode}. Call set_auto_parallel_context(parallel_mode=...) before.")


def predict_input(item: Any, is_torch: bool) -> Any:
    """Return an input of `Model.predict`, on the current device; arrays in lists, tuples and dicts too."""
    if isinstance(item, (tuple, list)):
        return type(item)(predict_input(value, is_torch) for value in item)
    if isinstance(item, dict):
        return {key: predict_input(value, is_torch) for key, value in item.items()}
    if item is None or isinstance(item, (int, float, str)):
        return item
    check_type(item, "predict_data", (torch.Tensor, int, float, str, tuple, list, dict), "Model.predict")
    if current_device() is not CPU:
        item = item.to(current_device())
    if is_torch:
        return torch._C.TensorBase.detach(item)
    return wrap(item)


def is_due(epoch: int, frequency: Any) -> bool:
    """Return whether `fit` evaluates after this epoch: by ``valid_frequency``, a number or a list of epochs."""
    return epoch in frequency if isinstance(frequency, list) else epoch % frequency == 0
