"""Metrics and what they are updated with, for real MindSpore and this package alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["METRICS"]

_R = np.random.RandomState(3)
_P1, _P2 = (_R.rand(6, 4).astype(np.float32) for _ in range(2))
_Y1, _Y2 = (_R.randint(0, 4, 6).astype(np.int32) for _ in range(2))
_ONE_HOT = np.eye(4, dtype=np.float32)[_Y1]
_BITS = [(_R.rand(5, 3) > 0.5).astype(np.float32) for _ in range(4)]
_IMAGES, _LABELS = _R.rand(2, 3, 4, 4).astype(np.float32), _R.randint(0, 3, (2, 4, 4)).astype(np.int32)
_REAL = [_R.randn(5, 2).astype(np.float32) for _ in range(4)]
_MAPS = [_R.randint(0, 3, (7, 8)).astype(np.int32) for _ in range(2)]
_CHANNELS = [(_R.rand(3, 2, 4, 4) > 0.4).astype(np.float32) for _ in range(2)]
_SOFT = _P1 / _P1.sum(1, keepdims=True)
_SCORES, _TRUTH = _R.rand(10).astype(np.float32), (_R.rand(10) > 0.5).astype(np.int32)
_CORPUS = (
    [["the", "cat", "is", "on", "the", "mat"], ["a", "b", "c", "d", "e"]],
    [
        [["there", "is", "a", "cat", "on", "the", "mat"], ["a", "cat", "is", "on", "the", "mat"]],
        [["a", "b", "c", "d", "f"]],
    ],
)

# name: (constructor, [arguments of each update], keyword arguments of eval)
METRICS: dict[str, tuple[Callable[[Any], Any], list[tuple[Any, ...]], dict[str, Any]]] = {
    "Accuracy": (lambda m: m.Accuracy(), [(_P1, _Y1), (_P2, _Y2)], {}),
    "Accuracy.one_hot": (lambda m: m.Accuracy("classification"), [(_P1, _ONE_HOT)], {}),
    "Accuracy.images": (lambda m: m.Accuracy(), [(_IMAGES, _LABELS)], {}),
    "Accuracy.multilabel": (lambda m: m.Accuracy("multilabel"), [(_BITS[0], _BITS[1]), (_BITS[2], _BITS[2])], {}),
    "Accuracy.lists": (lambda m: m.Accuracy(), [(_P1.tolist(), _Y1.tolist())], {}),
    "Loss": (
        lambda m: m.Loss(),
        [(np.array(0.5, np.float32),), (np.array([0.25], np.float32),), (np.array([1, 2.0], np.float32),)],
        {},
    ),
    "Top1CategoricalAccuracy": (lambda m: m.Top1CategoricalAccuracy(), [(_P1, _Y1), (_P2, _Y2)], {}),
    "Top5CategoricalAccuracy": (
        lambda m: m.Top5CategoricalAccuracy(),
        [(_R.rand(9, 8).astype(np.float32), _R.randint(0, 8, 9))],
        {},
    ),
    "TopKCategoricalAccuracy": (lambda m: m.TopKCategoricalAccuracy(2), [(_P1, _ONE_HOT), (_P2, _Y2)], {}),
    "Precision": (lambda m: m.Precision(), [(_P1, _Y1), (_P2, _Y2)], {}),
    "Precision.average": (lambda m: m.Precision(), [(_P1, _Y1)], {"average": True}),
    "Precision.multilabel": (lambda m: m.Precision("multilabel"), [(_BITS[0], _BITS[1]), (_BITS[2], _BITS[3])], {}),
    "Precision.multilabel.average": (
        lambda m: m.Precision("multilabel"),
        [(_BITS[0], _BITS[1]), (_BITS[2], _BITS[3])],
        {"average": True},
    ),
    "Recall": (lambda m: m.Recall(), [(_P1, _Y1), (_P2, _Y2)], {}),
    "Recall.average": (lambda m: m.Recall(), [(_P1, _ONE_HOT)], {"average": True}),
    "Recall.multilabel": (lambda m: m.Recall("multilabel"), [(_BITS[0], _BITS[1])], {}),
    "F1": (lambda m: m.F1(), [(_P1, _Y1), (_P2, _Y2)], {}),
    "Fbeta": (lambda m: m.Fbeta(2.0), [(_P1, _Y1)], {"average": True}),
    "MAE": (lambda m: m.MAE(), [tuple(_REAL[:2]), tuple(_REAL[2:])], {}),
    "MSE": (lambda m: m.MSE(), [tuple(_REAL[:2]), tuple(_REAL[2:])], {}),
    "ConfusionMatrix": (lambda m: m.ConfusionMatrix(4), [(_P1, _Y1), (_P2, _Y2)], {}),
    "ConfusionMatrix.indices": (lambda m: m.ConfusionMatrix(4, "target"), [(_Y2, _Y1)], {}),
    "ConfusionMatrix.prediction": (lambda m: m.ConfusionMatrix(4, "prediction"), [(_P1, _Y1)], {}),
    "ConfusionMatrix.all": (lambda m: m.ConfusionMatrix(2, "all", 0.4), [(_SCORES, _TRUTH)], {}),
    "Dice": (lambda m: m.Dice(), [(_BITS[0], _BITS[1]), (_BITS[2], _BITS[3])], {}),
    "CosineSimilarity": (lambda m: m.CosineSimilarity(), [(_REAL[0],)], {}),
    "CosineSimilarity.mean": (lambda m: m.CosineSimilarity("dot", "mean", False), [(_REAL[0],)], {}),
    "Perplexity": (lambda m: m.Perplexity(), [(_SOFT, _Y1), (_SOFT, _Y2)], {}),
    "Perplexity.ignore": (lambda m: m.Perplexity(1), [(_SOFT, _Y1)], {}),
    "BleuScore": (lambda m: m.BleuScore(), [_CORPUS], {}),
    "BleuScore.smooth": (lambda m: m.BleuScore(3, True), [_CORPUS], {}),
    "ROC": (lambda m: m.ROC(), [(_SCORES, _TRUTH)], {}),
    "ROC.pos_label": (lambda m: m.ROC(pos_label=0), [(_SCORES, _TRUTH)], {}),
    # As many samples as classes: upstream mixes up the two axes otherwise.
    "ROC.classes": (lambda m: m.ROC(4), [(_P1[:4], np.array([3, 1, 0, 2], np.int32))], {}),
    "HausdorffDistance": (lambda m: m.HausdorffDistance(), [(*_MAPS, 1)], {}),
    "HausdorffDistance.percentile": (lambda m: m.HausdorffDistance("chessboard", 75.0, True, False), [(*_MAPS, 2)], {}),
    "MeanSurfaceDistance": (lambda m: m.MeanSurfaceDistance(), [(*_MAPS, 1)], {}),
    "MeanSurfaceDistance.symmetric": (lambda m: m.MeanSurfaceDistance(True, "taxicab"), [(*_MAPS, 0)], {}),
    "RootMeanSquareDistance": (lambda m: m.RootMeanSquareDistance(), [(*_MAPS, 1)], {}),
    "RootMeanSquareDistance.symmetric": (lambda m: m.RootMeanSquareDistance(True), [(*_MAPS, 1)], {}),
    "auc": (lambda m: m.auc(np.array([0, 0.2, 0.5, 1.0]), np.array([0, 0.6, 0.7, 1.0])), [], {}),
    "auc.falling": (lambda m: m.auc(np.array([1.0, 0.5, 0.2, 0]), np.array([1, 0.7, 0.6, 0])), [], {}),
    "auc.reorder": (lambda m: m.auc(np.array([0.5, 0, 1.0]), np.array([0.7, 0, 1.0]), True), [], {}),
}
for _name in (
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "miss rate",
    "fall_out",
    "fdr",
    "for",
    "prevalence_threshold",
    "ts",
    "accuracy",
    "balanced_accuracy",
    "f1_score",
    "mcc",
    "fm",
    "informedness",
    "markedness",
):
    METRICS[f"ConfusionMatrixMetric.{_name}"] = (
        lambda m, n=_name: m.ConfusionMatrixMetric(metric_name=n),
        [tuple(_CHANNELS)],
        {},
    )
for _how in ("mean", "sum"):
    METRICS[f"ConfusionMatrixMetric.method.{_how}"] = (
        lambda m, h=_how: m.ConfusionMatrixMetric(False, "tpr", True, h),
        [tuple(_CHANNELS), tuple(_CHANNELS[::-1])],
        {},
    )
