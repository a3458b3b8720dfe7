"""The metric `Precision`. MindSpore: ``mindspore.train.Precision``."""

from mindspore_compat.train.metrics._rates import Rate

__all__ = ["Precision"]


class Precision(Rate):
    """True positives / predicted positives, for each class; ``eval(average=True)`` gives the mean."""
