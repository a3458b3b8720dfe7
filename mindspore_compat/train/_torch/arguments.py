"""Checks of what `TorchTrainStep` is given."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.train.amp import LEVELS
from mindspore_compat.train.loss_scale_manager import LossScaleManager

__all__ = ["OWNER", "check_extras", "check_network", "check_torch_parts"]

OWNER = "TorchTrainStep"


def check_torch_parts(optimizer: Any) -> None:
    """TypeError unless the optimizer can drive a torch network."""
    if optimizer is not None and not isinstance(optimizer, torch.optim.Optimizer):
        hint = (
            "it holds MindSpore Parameters" if isinstance(optimizer, Optimizer) else f"it is {type(optimizer).__name__}"
        )
        raise TypeError(
            f"For 'Model', a torch.nn.Module network needs an optimizer of torch.optim, but {hint}. "
            "Build torch.optim.SGD(network.parameters(), ...) or write the network as nn.Cell."
        )
    if isinstance(optimizer, torch.optim.LBFGS):
        raise TypeError(
            "For 'Model', LBFGS needs a closure that computes the loss again, which a step has not. Use another of "
            "torch.optim, or call optimizer.step(closure) in a loop of your own."
        )


def check_network(network: Any, amp_level: Any, amp_dtype: Any) -> None:
    """TypeError, ValueError for another network, level or dtype than `TorchTrainStep` takes."""
    if not isinstance(network, torch.nn.Module):
        raise TypeError(f"For '{OWNER}', the 'network' must be a torch.nn.Module, but got {type(network).__name__}.")
    if amp_level not in LEVELS:
        raise ValueError(f"For '{OWNER}', the 'amp_level' must be in {list(LEVELS)}, but got {amp_level!r}.")
    if amp_dtype not in (None, torch.float16, torch.bfloat16):
        raise ValueError(
            f"For '{OWNER}', 'amp_dtype' must be torch.float16, torch.bfloat16 or None, but got {amp_dtype}."
        )


def check_extras(manager: Any, ema: Any, clip_norm: Any) -> None:
    """TypeError, ValueError for another manager, average or norm than `TorchTrainStep` takes."""
    if manager is not None and not isinstance(manager, LossScaleManager):
        raise TypeError(
            f"For '{OWNER}', 'loss_scale_manager' must be a LossScaleManager, but got {type(manager).__name__}."
        )
    if ema is not None and not isinstance(ema, torch.optim.swa_utils.AveragedModel):
        raise TypeError(
            f"For '{OWNER}', 'ema' must be a torch.optim.swa_utils.AveragedModel, but got {type(ema).__name__}."
        )
    if clip_norm is not None and (
        isinstance(clip_norm, bool) or not (isinstance(clip_norm, (int, float)) and clip_norm > 0)
    ):
        raise ValueError(f"For '{OWNER}', 'clip_norm' must be a positive number, but got {clip_norm!r}.")
