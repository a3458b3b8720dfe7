"""Random inputs, edge cases among them, for every metric: what real MindSpore and this package are asked alike.

A seed in `SEEDS` picks sizes, class balance (one class alone, classes that never occur), perfect and hopeless
predictions, batches of one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["RANDOM_METRICS", "SEEDS", "run"]

SEEDS = range(60)
Updates = list[tuple[Any, ...]]


def _labels(r: np.random.RandomState, count: int, classes: int) -> np.ndarray:
    kind = r.randint(4)
    present = (
        [r.randint(classes)]
        if kind == 0
        else r.choice(classes, r.randint(1, classes + 1), replace=False)
        if kind == 1
        else np.arange(classes)
    )
    return r.choice(present, count).astype(np.int32)


def _scores(r: np.random.RandomState, labels: np.ndarray, classes: int) -> np.ndarray:
    scores = r.rand(len(labels), classes).astype(np.float32)
    kind = r.randint(5)
    if kind < 2:  # always right, always wrong
        scores[np.arange(len(labels)), labels if kind == 0 else (labels + 1) % classes] += 2
    return scores


def _classes(r: np.random.RandomState) -> Updates:
    classes = r.randint(2, 7)
    updates: Updates = []
    for _ in range(r.randint(1, 4)):
        labels = _labels(r, r.randint(1, 9), classes)
        scores = _scores(r, labels, classes)
        updates.append((scores, np.eye(classes, dtype=np.float32)[labels] if r.rand() < 0.3 else labels))
    return updates


def _multilabel(r: np.random.RandomState) -> Updates:
    width, share = r.randint(1, 5), r.choice([0.0, 0.5, 1.0], p=[0.15, 0.7, 0.15])
    # float64: in float32 the real one divides 0 by 0 where a sample has no positives
    return [
        tuple((r.rand(rows, width) < share).astype(np.float64) for _ in range(2))
        for rows in r.randint(1, 7, r.randint(1, 4))
    ]


def _four_classes(r: np.random.RandomState) -> Updates:
    return [
        (_scores(r, labels, 4), labels) for labels in (_labels(r, r.randint(1, 9), 4) for _ in range(r.randint(1, 4)))
    ]


def _real(r: np.random.RandomState) -> Updates:
    shape = tuple(r.randint(1, 5, r.randint(1, 4)))
    scale = r.choice([0.0, 1.0, 1e4])
    return [tuple((scale * r.randn(*shape)).astype(np.float32) for _ in range(2)) for _ in range(r.randint(1, 4))]


def _losses(r: np.random.RandomState) -> Updates:
    shapes: list[tuple[int, ...]] = [(), (1,), (4,)]
    return [(np.asarray(10 * r.randn(*shapes[r.randint(3)]), np.float32),) for _ in range(r.randint(1, 4))]


def _wide_classes(r: np.random.RandomState) -> Updates:
    classes = r.randint(6, 12)
    return [
        (_scores(r, labels, classes), labels)
        for labels in (_labels(r, r.randint(1, 9), classes) for _ in range(r.randint(1, 4)))
    ]


def _matrix(r: np.random.RandomState) -> Updates:
    return [(r.randn(r.randint(1, 6), r.randint(1, 6)).astype(np.float32),)]


def _softmax(r: np.random.RandomState) -> Updates:
    return [((scores / scores.sum(1, keepdims=True)).astype(np.float32), labels) for scores, labels in _four_classes(r)]


def _corpus(r: np.random.RandomState) -> Updates:
    words = list("abcdefgh")[: r.randint(1, 9)]

    def sentence() -> list[str]:
        return [str(word) for word in r.choice(words, r.randint(1, 9))]

    updates: Updates = []
    for _ in range(r.randint(1, 3)):
        count = r.randint(1, 4)
        candidates = [sentence() for _ in range(count)]
        references = [[sentence() for _ in range(r.randint(1, 3))] for _ in range(count)]
        if r.rand() < 0.2:
            references[0][0] = list(candidates[0])
        updates.append((candidates, references))
    return updates


def _binary(r: np.random.RandomState) -> Updates:
    count = r.randint(2, 12)
    scores = r.rand(count).astype(np.float32)
    return [
        (
            np.round(scores, 1) if r.rand() < 0.4 else scores,
            (r.rand(count) < r.choice([0.2, 0.5, 0.8])).astype(np.int32),
        )
    ]


def _maps(r: np.random.RandomState) -> Updates:
    shape = r.randint(3, 9, 2)
    maps = [
        (r.rand(*shape) < r.choice([0.0, 0.3, 0.7, 1.0], p=[0.05, 0.45, 0.45, 0.05])).astype(np.int32) for _ in range(2)
    ]
    return [(*(maps if r.rand() > 0.1 else (maps[0], maps[0])), 1)]


def _channels(r: np.random.RandomState) -> Updates:
    shape = (r.randint(1, 4), r.randint(2, 4), *r.randint(1, 5, 2))
    return [
        tuple((r.rand(*shape) < r.choice([0.0, 0.4, 1.0], p=[0.1, 0.8, 0.1])).astype(np.float32) for _ in range(2))
        for _ in range(r.randint(1, 3))
    ]


def _curve(r: np.random.RandomState) -> Updates:
    x = np.sort(r.rand(r.randint(2, 9)))
    return [(x if r.rand() < 0.5 else x[::-1].copy(), r.rand(len(x)))]


class _Occluded:
    """OcclusionSensitivity of a fixed linear network on random images."""

    def __init__(self, module: Any) -> None:
        mindspore = sys.modules[module.__name__.split(".")[0]]

        class Linear(mindspore.nn.Cell):
            def construct(self, x: Any) -> Any:
                weight = mindspore.Tensor(np.linspace(-1, 1, 40, dtype=np.float32).reshape(20, 2) ** 2)
                return mindspore.ops.matmul(mindspore.ops.reshape(x, (-1, 20)), weight)

        self.metric, self.network = module.OcclusionSensitivity(margin=1, n_batch=7), Linear()

    def update(self, *inputs: Any) -> None:
        self.metric.update(self.network, *inputs)

    def eval(self) -> Any:
        return self.metric.eval()


def _images(r: np.random.RandomState) -> Updates:
    return [
        (r.rand(1, 1, 4, 5).astype(np.float32), np.array(r.randint(2), np.int32))
    ]  # a label with an axis fails in the real one


# name: (constructor, inputs of a seed, keyword arguments of eval)
RANDOM_METRICS: dict[str, tuple[Callable[[Any], Any], Callable[[np.random.RandomState], Updates], dict[str, Any]]] = {
    "Accuracy": (lambda m: m.Accuracy(), _classes, {}),
    "Accuracy.multilabel": (lambda m: m.Accuracy("multilabel"), _multilabel, {}),
    "Loss": (lambda m: m.Loss(), _losses, {}),
    "Top1CategoricalAccuracy": (lambda m: m.Top1CategoricalAccuracy(), _classes, {}),
    "Top5CategoricalAccuracy": (lambda m: m.Top5CategoricalAccuracy(), _wide_classes, {}),
    "TopKCategoricalAccuracy": (lambda m: m.TopKCategoricalAccuracy(2), _classes, {}),
    "Precision": (lambda m: m.Precision(), _classes, {}),
    "Precision.average": (lambda m: m.Precision(), _classes, {"average": True}),
    "Precision.multilabel": (lambda m: m.Precision("multilabel"), _multilabel, {"average": True}),
    "Recall": (lambda m: m.Recall(), _classes, {}),
    "Recall.average": (lambda m: m.Recall(), _classes, {"average": True}),
    "Recall.multilabel": (lambda m: m.Recall("multilabel"), _multilabel, {"average": True}),
    "F1": (lambda m: m.F1(), _classes, {}),
    "Fbeta.average": (lambda m: m.Fbeta(2.0), _classes, {"average": True}),
    "MAE": (lambda m: m.MAE(), _real, {}),
    "MSE": (lambda m: m.MSE(), _real, {}),
    "ConfusionMatrix": (lambda m: m.ConfusionMatrix(4), _four_classes, {}),
    "ConfusionMatrix.target": (lambda m: m.ConfusionMatrix(4, "target"), _four_classes, {}),
    "ConfusionMatrix.prediction": (lambda m: m.ConfusionMatrix(4, "prediction"), _four_classes, {}),
    "ConfusionMatrix.all": (lambda m: m.ConfusionMatrix(2, "all", 0.4), _binary, {}),
    "Dice": (lambda m: m.Dice(), _multilabel, {}),
    "CosineSimilarity": (lambda m: m.CosineSimilarity(), _matrix, {}),
    "CosineSimilarity.sum": (lambda m: m.CosineSimilarity("dot", "sum", False), _matrix, {}),
    "Perplexity": (lambda m: m.Perplexity(), _softmax, {}),
    "Perplexity.ignore": (lambda m: m.Perplexity(1), _softmax, {}),
    "BleuScore": (lambda m: m.BleuScore(), _corpus, {}),
    "BleuScore.smooth": (lambda m: m.BleuScore(2, True), _corpus, {}),
    "ROC": (lambda m: m.ROC(pos_label=1), _binary, {}),
    "HausdorffDistance": (lambda m: m.HausdorffDistance(), _maps, {}),
    "HausdorffDistance.taxicab": (lambda m: m.HausdorffDistance("taxicab", 80.0, True), _maps, {}),
    "MeanSurfaceDistance": (lambda m: m.MeanSurfaceDistance(), _maps, {}),
    "MeanSurfaceDistance.symmetric": (lambda m: m.MeanSurfaceDistance(True, "chessboard"), _maps, {}),
    "RootMeanSquareDistance": (lambda m: m.RootMeanSquareDistance(), _maps, {}),
    "RootMeanSquareDistance.symmetric": (lambda m: m.RootMeanSquareDistance(True), _maps, {}),
    "ConfusionMatrixMetric.sensitivity": (lambda m: m.ConfusionMatrixMetric(), _channels, {}),
    "ConfusionMatrixMetric.f1": (lambda m: m.ConfusionMatrixMetric(True, "f1_score", True, "mean"), _channels, {}),
    "ConfusionMatrixMetric.mcc": (lambda m: m.ConfusionMatrixMetric(False, "mcc", False, "sum"), _channels, {}),
    "auc": (lambda m: m.auc, _curve, {}),
    "OcclusionSensitivity": (_Occluded, _images, {}),
}


def run(module: Any, name: str, seed: int) -> Any:
    """The value of metric ``name`` after the updates of ``seed``, or the name of the exception."""
    make, inputs, arguments = RANDOM_METRICS[name]
    updates = inputs(np.random.RandomState(1000 * list(RANDOM_METRICS).index(name) + seed))
    metric = make(module)
    try:
        if name == "auc":
            return metric(*updates[0])
        for update in updates:
            metric.update(*update)
        return metric.eval(**arguments)
    except Exception as error:
        return type(error).__name__
