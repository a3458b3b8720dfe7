"""Metrics. MindSpore: ``mindspore.train.metrics``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat.train.metrics.accuracy import Accuracy
from mindspore_compat.train.metrics.auc import auc
from mindspore_compat.train.metrics.bleu_score import BleuScore
from mindspore_compat.train.metrics.confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from mindspore_compat.train.metrics.cosine_similarity import CosineSimilarity
from mindspore_compat.train.metrics.dice import Dice
from mindspore_compat.train.metrics.error import MAE, MSE
from mindspore_compat.train.metrics.fbeta import F1, Fbeta
from mindspore_compat.train.metrics.hausdorff_distance import HausdorffDistance
from mindspore_compat.train.metrics.loss import Loss
from mindspore_compat.train.metrics.mean_surface_distance import MeanSurfaceDistance
from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs
from mindspore_compat.train.metrics.occlusion_sensitivity import OcclusionSensitivity
from mindspore_compat.train.metrics.perplexity import Perplexity
from mindspore_compat.train.metrics.precision import Precision
from mindspore_compat.train.metrics.recall import Recall
from mindspore_compat.train.metrics.roc import ROC
from mindspore_compat.train.metrics.root_mean_square_surface_distance import RootMeanSquareDistance
from mindspore_compat.train.metrics.topk import (
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)

__all__ = [
    "names",
    "get_metric_fn",
    "get_metrics",
    "Accuracy",
    "MAE",
    "MSE",
    "Metric",
    "rearrange_inputs",
    "Precision",
    "HausdorffDistance",
    "Recall",
    "Fbeta",
    "BleuScore",
    "CosineSimilarity",
    "OcclusionSensitivity",
    "F1",
    "Dice",
    "ROC",
    "auc",
    "TopKCategoricalAccuracy",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "Loss",
    "MeanSurfaceDistance",
    "RootMeanSquareDistance",
    "Perplexity",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
]

_BY_NAME: dict[str, Callable[..., Any]] = {
    "accuracy": Accuracy,
    "acc": Accuracy,
    "precision": Precision,
    "recall": Recall,
    "F1": F1,
    "dice": Dice,
    "roc": ROC,
    "auc": auc,
    "bleu_score": BleuScore,
    "cosine_similarity": CosineSimilarity,
    "occlusion_sensitivity": OcclusionSensitivity,
    "topk": TopKCategoricalAccuracy,
    "hausdorff_distance": HausdorffDistance,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "mae": MAE,
    "mse": MSE,
    "loss": Loss,
    "mean_surface_distance": MeanSurfaceDistance,
    "root_mean_square_distance": RootMeanSquareDistance,
    "perplexity": Perplexity,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
}
__factory__ = _BY_NAME


def names() -> list[str]:
    """Return the names that `get_metric_fn` knows, sorted."""
    return sorted(_BY_NAME)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """Return a metric by its name, made with the other arguments.

    Raises:
        KeyError: for an unknown name.
    """
    if name not in _BY_NAME:
        raise KeyError(f"For 'get_metric_fn', there is no metric {name!r}; there are {names()}.")
    return _BY_NAME[name](*args, **kwargs)


def get_metrics(metrics: Any) -> Any:
    """Return {name: Metric} from such a dict, or from a set of names; None for None.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in metrics}
    if metrics is not None and not isinstance(metrics, dict):
        raise TypeError(f"For 'get_metrics', the 'metrics' must be a dict, a set or None, but got {metrics!r}.")
    for name, metric in (metrics or {}).items():
        if not isinstance(metric, Metric):
            raise TypeError(f"For 'get_metrics', {name!r} must be a Metric, but got {type(metric)}.")
    return metrics
