"""The metrics of confusion matrices. MindSpore: ``mindspore.train.ConfusionMatrix`` and ``ConfusionMatrixMetric``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore_compat._api.validate import check_one_of, check_str_in
from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["ConfusionMatrix", "ConfusionMatrixMetric"]

_NORMALIZE = ("target", "prediction", "all", "no_norm")
_DECREASE = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")


class ConfusionMatrix(Metric):
    """Counts of (true class, predicted class).

    Predictions are class indices, scores (N, C, ...), or floats that ``threshold`` turns into 0 and 1. ``normalize``
    divides by the sums of rows ("target"), columns ("prediction") or everything ("all").
    """

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.normalize = check_one_of(normalize, "normalize", _NORMALIZE, "ConfusionMatrix")
        self.threshold = threshold
        self.clear()

    def clear(self) -> None:
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._operands(inputs)
        if predicted.ndim not in (true.ndim, true.ndim + 1):
            raise self._shape_error(predicted, true)
        if predicted.ndim == true.ndim + 1:
            predicted = np.argmax(predicted, axis=1)
        elif predicted.dtype.kind == "f":
            predicted = (predicted >= self.threshold).astype(int)
        pairs = (true.reshape(-1) * self.num_classes + predicted.reshape(-1)).astype(int)
        counts = np.bincount(pairs, minlength=self.num_classes**2)
        self.confusion_matrix += counts.reshape(self.num_classes, self.num_classes)
        self._is_update = True

    def eval(self) -> np.ndarray:
        self._require_update(self._is_update)
        matrix = self.confusion_matrix.astype(float)
        if self.normalize == "no_norm":
            return matrix
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(matrix / matrix.sum(axis=axis, keepdims=True), nan=0.0)


class ConfusionMatrixMetric(Metric):
    """A rate derived from true/false positives/negatives of one-hot arrays (N, C, ...).

    Args:
        skip_channel: whether the first channel (the background) counts; False leaves it out, as MindSpore does.
        metric_name: such as "sensitivity", "precision", "accuracy", "f1_score", "matthews_correlation_coefficient".
        calculation_method: True averages the rate over samples, False computes it from the total counts.
        decrease: with calculation_method, how values of samples and channels are reduced.
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        super().__init__()
        self.skip_channel = skip_channel
        self.calculation_method = calculation_method
        self.metric_name = metric_name
        self.decrease = check_str_in(decrease, "decrease", _DECREASE, "ConfusionMatrixMetric")
        self.clear()

    def clear(self) -> None:
        self._total_num = 0.0
        self._class_num = 0
        self._counts = np.zeros(4)

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._operands(inputs)
        counts = _counts(predicted, true, self.skip_channel)
        per_sample = self.calculation_method and not (
            predicted.ndim == 2 or (predicted.ndim == 3 and predicted.shape[-1] == 1)
        )
        if self.calculation_method and not per_sample:
            raise self._value_error(f"calculation_method=True needs the shape (N, C, ...), but got {predicted.shape}")
        if self.calculation_method:
            score, number = _reduce(_rate(self.metric_name, counts), self.decrease)
            if np.size(score) != 1:
                raise self._value_error(f"'decrease' must leave one value: {self.decrease!r} leaves {np.shape(score)}")
            self._total_num += float(score) * int(number)
            self._class_num += int(number)
        else:
            self._counts += counts.sum(axis=(0, 1))

    def eval(self) -> Any:
        if self.calculation_method:
            self._require_update(self._class_num)
            return self._total_num / self._class_num
        return _rate(self.metric_name, self._counts[None])


def _counts(predicted: np.ndarray, true: np.ndarray, keep_first: bool) -> np.ndarray:
    """Return (N, C, 4): true positives, false positives, true negatives, false negatives."""
    if not np.all(true.astype(np.uint8) == true):
        raise ValueError("For 'ConfusionMatrixMetric.update', the true value must be of 0 and 1.")
    if predicted.ndim < 2:
        raise ValueError(f"For 'ConfusionMatrixMetric.update', predictions need two axes, but got {predicted.shape}.")
    if not keep_first:
        predicted, true = (item[:, 1:] if item.shape[1] > 1 else item for item in (predicted, true))
    if predicted.shape != true.shape:
        raise ValueError(
            f"For 'ConfusionMatrixMetric.update', the shapes {predicted.shape}, {true.shape} must be equal."
        )
    predicted, true = (item.astype(float).reshape(*item.shape[:2], -1) for item in (predicted, true))
    hits, rejects = (predicted + true == 2).sum(axis=2), (predicted + true == 0).sum(axis=2)
    positives = true.sum(axis=2)
    return np.stack([hits, true.shape[-1] - positives - rejects, rejects, positives - hits], axis=-1).astype(float)


def _reduce(values: np.ndarray, how: str) -> tuple[np.ndarray, np.ndarray]:
    """Return (N, C) values reduced, without NaNs, and the number of counted ones."""
    valid = (~np.isnan(values)).astype(float)
    values = np.nan_to_num(values, nan=0.0)

    def mean(values: np.ndarray, valid: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
        number = valid.sum(axis=axis)
        return values.sum(axis=axis) / np.maximum(number, 1), number

    if how == "mean":
        values, number = mean(values, valid, 1)
        return mean(values, (number > 0).astype(float), 0)
    if how == "sum":
        return values.sum(axis=(0, 1)), valid.sum(axis=(0, 1))
    if how == "none":
        return values, valid
    axis = 0 if how.endswith("batch") else 1
    return mean(values, valid, axis) if how.startswith("mean") else (values.sum(axis=axis), valid.sum(axis=axis))


def _mcc(tp: Any, fp: Any, tn: Any, fn: Any) -> tuple[Any, Any]:
    return tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def _prevalence_threshold(tp: Any, fp: Any, tn: Any, fn: Any) -> tuple[Any, Any]:
    tpr, tnr = tp / (tp + fn), tn / (fp + tn)
    return np.sqrt(tpr * (1.0 - tnr)) + tnr - 1.0, tpr + tnr - 1.0


# Numerator and denominator of each rate.
_RATES: dict[str, Callable[[Any, Any, Any, Any], tuple[Any, Any]]] = {
    "tpr": lambda tp, fp, tn, fn: (tp, tp + fn),
    "tnr": lambda tp, fp, tn, fn: (tn, fp + tn),
    "ppv": lambda tp, fp, tn, fn: (tp, tp + fp),
    "npv": lambda tp, fp, tn, fn: (tn, tn + fn),
    "fnr": lambda tp, fp, tn, fn: (fn, tp + fn),
    "fpr": lambda tp, fp, tn, fn: (fp, fp + tn),
    "fdr": lambda tp, fp, tn, fn: (fp, fp + tp),
    "for": lambda tp, fp, tn, fn: (fn, fn + tn),
    "pt": _prevalence_threshold,
    "ts": lambda tp, fp, tn, fn: (tp, tp + fn + fp),
    "acc": lambda tp, fp, tn, fn: (tp + tn, tp + fn + fp + tn),
    "ba": lambda tp, fp, tn, fn: (tp / (tp + fn) + tn / (fp + tn), 2.0),
    "f1": lambda tp, fp, tn, fn: (tp * 2.0, tp * 2.0 + fn + fp),
    "mcc": _mcc,
    "fm": lambda tp, fp, tn, fn: (np.sqrt(tp / (tp + fp) * (tp / (tp + fn))), 1.0),
    "bm": lambda tp, fp, tn, fn: (tp / (tp + fn) + tn / (fp + tn) - 1.0, 1.0),
    "mk": lambda tp, fp, tn, fn: (tp / (tp + fp) + tn / (tn + fn) - 1.0, 1.0),
}
_LONG_NAMES = {
    "tpr": "sensitivity recall hit_rate true_positive_rate",
    "tnr": "specificity selectivity true_negative_rate",
    "ppv": "precision positive_predictive_value",
    "npv": "negative_predictive_value",
    "fnr": "miss_rate false_negative_rate",
    "fpr": "fall_out false_positive_rate",
    "fdr": "false_discovery_rate",
    "for": "false_omission_rate",
    "pt": "prevalence_threshold",
    "ts": "threat_score critical_success_index csi",
    "acc": "accuracy",
    "ba": "balanced_accuracy",
    "f1": "f1_score",
    "mcc": "matthews_correlation_coefficient",
    "fm": "fowlkes_mallows_index",
    "bm": "informedness bookmaker_informedness",
    "mk": "markedness deltap",
}
_SHORT = {name: short for short, text in _LONG_NAMES.items() for name in [short, *text.split()]}


def _rate(name: str, counts: np.ndarray) -> np.ndarray:
    """Return the rate of counts (..., 4); NaN where its denominator is zero."""
    short = _SHORT.get(name.replace(" ", "_").lower())
    if short is None:
        raise NotImplementedError(f"For 'ConfusionMatrixMetric', there is no {name!r}; there are {sorted(_SHORT)}.")
    with np.errstate(divide="ignore", invalid="ignore"):
        numerator, denominator = _RATES[short](*np.moveaxis(counts, -1, 0))
        return np.where(np.asarray(denominator) != 0, numerator / denominator, np.nan)
