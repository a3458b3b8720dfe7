"""MindSpore: ``mindspore.nn.utils``."""

from mindspore_compat.nn.cell import no_init_parameters

__all__ = ["no_init_parameters"]
