"""`Metric` under 1.x's module name."""

from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["Metric", "rearrange_inputs"]
