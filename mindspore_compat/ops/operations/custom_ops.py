"""`Custom`: user functions and shared libraries as operators. MindSpore: ``mindspore.ops.operations.custom_ops``."""

from mindspore_compat._ops import custom

globals().update(custom.PRIMITIVES)
