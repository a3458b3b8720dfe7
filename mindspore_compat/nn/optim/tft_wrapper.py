"""MindSpore: ``mindspore.nn.optim.tft_wrapper``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.placeholders import describe_partial
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["OptTFTWrapper"]


@describe_partial("only its checks: MindIO is Ascend's, MindSpore refuses it elsewhere too")
class OptTFTWrapper(Optimizer):
    """Optimizer that notifies Ascend's MindIO of updates. There is none on a CPU or GPU, here and in MindSpore.

    Raises:
        ValueError: always.
    """

    def __init__(self, opt: Optimizer, **kwargs: Any) -> None:
        raise ValueError(
            "MindIO adataper only support on Ascend device! Train with the optimizer itself, and ModelCheckpoint with "
            "CheckpointConfig(exception_save=True)."
        )
