"""The callback `TrainFaultTolerance`. MindSpore: ``mindspore.train.TrainFaultTolerance``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.placeholders import describe_partial
from mindspore_compat.train.callback._callback import Callback

__all__ = ["TrainFaultTolerance"]


@describe_partial("only its checks: MindIO is Ascend's, MindSpore refuses it elsewhere too")
class TrainFaultTolerance(Callback):
    """Placeholder of Ascend's MindIO, which keeps the state of failed processes. CPU and GPU have none.

    Raises:
        ValueError: always; without ``ckpt_save_path`` and ``ckpt_save_fn`` because of that.
    """

    def __init__(self, ckpt_save_path: str | None = None, **kwargs: Any) -> None:
        super().__init__()
        raise ValueError(
            "MindIO is there on Ascend only. Use ModelCheckpoint with CheckpointConfig(exception_save=True), "
            "OnRequestExit or BackupAndRestore, and start with torchrun, which restarts failed processes."
        )

    @classmethod
    def get_optimizer_wrapper(cls, origin_opt_cls: Any) -> Any:
        """Return the class unchanged: without MindIO no optimizer is watched."""
        return origin_opt_cls
