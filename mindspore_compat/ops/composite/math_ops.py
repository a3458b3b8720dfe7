"""Upstream: ``mindspore.ops.composite.math_ops``, ``clip_ops``, ``random_ops``, ``array_ops``."""
from mindspore_compat.ops.function.array_func import repeat_elements, sequence_mask
from mindspore_compat.ops.function.clip_func import clip_by_global_norm, clip_by_value
from mindspore_compat.ops.function.math_func import batch_dot, count_nonzero, dot, matmul, mm, tensor_dot
from mindspore_compat.ops.function.random_func import gamma, laplace, multinomial, normal, poisson, uniform

__all__ = ["batch_dot", "clip_by_global_norm", "clip_by_value", "count_nonzero", "dot", "gamma", "laplace", "matmul", "mm", "multinomial",
           "normal", "poisson", "repeat_elements", "sequence_mask", "tensor_dot", "uniform"]
