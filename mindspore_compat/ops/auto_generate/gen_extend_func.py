"""Functions with torch's arguments, as ``add_ext``. MindSpore: ``mindspore.ops.auto_generate.gen_extend_func``."""

from mindspore_compat._ops.extended import FUNCTIONS

globals().update(FUNCTIONS)
__all__ = [*FUNCTIONS]
