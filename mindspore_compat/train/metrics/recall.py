"""The metric `Recall`. MindSpore: ``mindspore.train.Recall``."""

from mindspore_compat.train.metrics._rates import Rate

__all__ = ["Recall"]


class Recall(Rate):
    """True positives / actual positives, for each class; ``eval(average=True)`` gives the mean."""

    _of_predicted = False
