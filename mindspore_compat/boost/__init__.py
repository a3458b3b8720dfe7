"""What scripts use of MindSpore's boost library. Upstream: ``mindspore.boost``."""

from mindspore_compat.boost.grad_accumulation import GradientAccumulation, gradient_accumulation_op, gradient_clear_op

__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]
