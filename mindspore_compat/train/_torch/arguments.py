"""Checks of arguments of `TorchTrainStep`."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.train.amp import LEVELS

OWNER = "TorchTrainStep"


def check_torch_parts(optimizer: Any) -> None:
    """Raise TypeError unless the optimizer can update a torch network."""
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
            "For 'Model', LBFGS needs a closure, which a step has not: call optimizer.step(closure) in a loop."
        )


def check_network(amp_level: Any, amp_dtype: Any) -> None:
    """Raise ValueError for a level or dtype that `TorchTrainStep` does not support."""
    if amp_level not in LEVELS:
        raise ValueError(f"For '{OWNER}', the 'amp_level' must be in {list(LEVELS)}, but got {amp_level!r}.")
    if amp_dtype not in (None, torch.float16, torch.bfloat16):
        raise ValueError(f"For '{OWNER}', the 'amp_dtype' must be float16, bfloat16 or None, but got {amp_dtype}.")


def check_clip_norm(clip_norm: float | None) -> None:
    """Raise ValueError for a norm that is not above 0."""
    if clip_norm is not None and not clip_norm > 0:
        raise ValueError(f"For '{OWNER}', 'clip_norm' must be a positive number, but got {clip_norm!r}.")
