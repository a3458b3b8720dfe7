"""Where `Metric` was in 1.x."""

from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["Metric", "rearrange_inputs"]
