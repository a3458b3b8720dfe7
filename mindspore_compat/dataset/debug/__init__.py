"""Debugging of pipelines (`dataset.config.set_debug_mode`). MindSpore: ``mindspore.dataset.debug``."""

from mindspore_compat.dataset.debug.debug_hook import DebugHook
from mindspore_compat.dataset.debug.pre_defined_hook import PrintDataHook, PrintMetaDataHook

__all__ = ["DebugHook", "PrintMetaDataHook", "PrintDataHook"]
