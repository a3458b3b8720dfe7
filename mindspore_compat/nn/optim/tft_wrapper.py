"""Upstream: ``mindspore.nn.optim.tft_wrapper``."""

from __future__ import annotations

import os
from typing import Any

from mindspore_compat._api.placeholders import describe_partial
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["OptTFTWrapper"]

_SWITCHES = ("TTP:1", "UCE:1", "ARF:1")


@describe_partial("only its checks: MindIO is Ascend's, upstream refuses it elsewhere too")
class OptTFTWrapper(Optimizer):
    """An optimizer that tells Ascend's MindIO when it updates. There is none on a CPU or GPU, here and upstream.

    Raises:
        TypeError: if ``opt`` is no Optimizer. ValueError: always; without a switch in MS_ENABLE_TFT because of that.
    """

    def __init__(self, opt: Optimizer, **kwargs: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise TypeError(f"For 'OptTFTWrapper', the argument 'opt' must be Optimizer type, but got {type(opt)}.")
        if not any(switch in os.getenv("MS_ENABLE_TFT", "") for switch in _SWITCHES):
            raise ValueError("MindIO TFT regitster need custom switch on[MS_ENABLE_TFT='{TTP:1,UCE:1,ARF:1}']!")
        raise ValueError(
            "MindIO adataper only support on Ascend device! Train with the optimizer itself, and ModelCheckpoint with "
            "CheckpointConfig(exception_save=True)."
        )
