"""MindSpore: ``mindspore.ops.function.grad``."""

from mindspore_compat.ops.function.grad.grad_func import *  # noqa: F403
from mindspore_compat.ops.function.grad.grad_func import __all__  # noqa: F401
