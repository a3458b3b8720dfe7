"""Derivatives of functions. MindSpore: ``mindspore.ops.function.grad.grad_func``."""

from mindspore_compat._autograd.custom_vjp import custom_vjp as custom_vjp
from mindspore_compat._ops.grad_func import *  # noqa: F403
from mindspore_compat._ops.grad_func import __all__  # noqa: F401
