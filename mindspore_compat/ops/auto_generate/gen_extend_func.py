"""Functions with torch's arguments, as ``add_ext``. MindSpore: ``mindspore.ops.auto_generate.gen_extend_func``."""

from mindspore_compat.ops.auto_generate._extended_table import FUNCTIONS

globals().update(FUNCTIONS)
__all__ = [*FUNCTIONS]
