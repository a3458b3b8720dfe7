"""Callbacks of the pipeline. MindSpore: ``mindspore.dataset.callback``."""

from mindspore_compat.dataset.callback.ds_callback import DSCallback, WaitedDSCallback, check_callbacks

__all__ = ["DSCallback", "WaitedDSCallback", "check_callbacks"]
