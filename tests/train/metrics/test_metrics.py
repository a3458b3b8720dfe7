"""Metrics give real MindSpore's values (tests/golden/metrics.json) from numpy arrays, Tensors and lists, and its
errors.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat import nn
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.train import metrics
from tests.train.metrics.cases import METRICS
from tests.train.metrics.random_cases import RANDOM_METRICS, SEEDS, run

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "metrics.json").read_text())
RANDOM = json.loads(gzip.decompress((Path(__file__).parents[2] / "golden" / "metrics_random.json.gz").read_bytes()))


def check(actual: Any, expected: Any) -> None:
    if isinstance(actual, (tuple, list)):
        for one, other in zip(actual, expected, strict=True):
            check(one, other)
    else:
        np.testing.assert_allclose(
            np.asarray(actual, np.float64), np.asarray(expected, np.float64), rtol=1e-6, atol=1e-6
        )


def value_of(name: str, convert: Any = lambda item: item) -> Any:
    make, updates, arguments = METRICS[name]
    metric = make(metrics)
    for inputs in updates:
        metric.update(*[convert(item) for item in inputs])
    return metric.eval(**arguments) if updates else metric


@pytest.mark.parametrize("name", [name for name in METRICS if not isinstance(GOLDEN[name], dict)])
def test_values_are_those_of_mindspore(name: str) -> None:
    check(value_of(name), GOLDEN[name])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", RANDOM_METRICS)
def test_random_inputs_give_the_values_and_exceptions_of_mindspore(name: str) -> None:
    for seed, expected in zip(SEEDS, RANDOM[name], strict=True):
        actual = run(metrics, name, seed)
        if isinstance(expected, str) or isinstance(actual, str):
            assert actual == expected, f"seed {seed}"
        else:
            check(actual, expected)


@pytest.mark.parametrize(
    "name", ["Accuracy", "Loss", "Top1CategoricalAccuracy", "F1", "MSE", "ConfusionMatrix", "Perplexity"]
)
def test_tensors_are_taken_too(name: str) -> None:
    check(value_of(name, lambda item: Tensor(item) if isinstance(item, np.ndarray) else item), GOLDEN[name])


def test_every_name_gives_a_metric_and_others_a_key_error() -> None:
    assert metrics.names() == sorted(metrics.__factory__)
    assert isinstance(metrics.get_metric_fn("accuracy"), metrics.Accuracy)
    assert metrics.get_metric_fn("topk", k=3).k == 3
    with pytest.raises(KeyError):
        metrics.get_metric_fn("nonsense")


def test_get_metrics_takes_dicts_sets_and_none() -> None:
    accuracy = metrics.Accuracy()
    assert metrics.get_metrics(None) is None
    assert metrics.get_metrics({"mine": accuracy}) == {"mine": accuracy}
    assert {name: type(item) for name, item in metrics.get_metrics({"acc", "loss"}).items()} == {
        "acc": metrics.Accuracy,
        "loss": metrics.Loss,
    }
    with pytest.raises(TypeError):
        metrics.get_metrics(["acc"])
    with pytest.raises(TypeError):
        metrics.get_metrics({"acc": "accuracy"})


def test_indexes_choose_among_the_outputs() -> None:
    metric = metrics.MAE().set_indexes([2, 0])
    metric.update(np.array([1.0]), np.array([100.0]), np.array([3.0]))
    assert metric.eval() == 2.0
    with pytest.raises(ValueError):
        metric.set_indexes((0, 1))  # type: ignore[arg-type]


def test_own_metrics_are_called_cleared_and_evaluated() -> None:
    class Count(metrics.Metric):
        def clear(self) -> None:
            self.seen = 0

        @metrics.rearrange_inputs
        def update(self, *inputs: Any) -> None:
            self.seen += self._convert_data(inputs[0]).size

        def eval(self) -> int:
            return self.seen

    assert Count()(Tensor(np.zeros((2, 3), np.float32))) == 6
    with pytest.raises(TypeError):
        metrics.Metric()  # type: ignore[abstract]


def test_clear_forgets() -> None:
    metric = metrics.Accuracy()
    metric.update(np.eye(2), np.array([0, 0]))
    metric.clear()
    with pytest.raises(RuntimeError):
        metric.eval()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: metrics.Accuracy().update(np.eye(2)), ValueError),
        (lambda: metrics.Accuracy().update(np.ones((3, 2)), np.zeros(4, int)), ValueError),
        (lambda: metrics.TopKCategoricalAccuracy(0), ValueError),
        (lambda: metrics.Precision().update(np.eye(2), np.array([0, 5])), ValueError),
        (lambda: metrics.ROC().eval(), RuntimeError),
        (lambda: metrics.ROC(3).update(np.ones(3), np.ones(3)), ValueError),
        (lambda: metrics.auc(np.array([0, 2, 1.0]), np.ones(3)), ValueError),
        (lambda: metrics.Dice().update(np.eye(2), np.eye(3)), ValueError),
    ],
)
def test_wrong_input_is_refused(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_occlusion_shows_where_the_model_looks() -> None:
    class Corner(nn.Cell):
        def construct(self, x: Any) -> Any:
            return nn.Flatten()(x)[:, :2]

    metric = metrics.OcclusionSensitivity(margin=1, n_batch=4)
    metric.update(Corner(), np.ones((1, 1, 3, 4), np.float32), np.array([1]))
    sensitivity = metric.eval()
    assert sensitivity.shape == (3, 4)
    assert sensitivity[0, 1] == 1.0 and sensitivity[2, 3] == 0.0


def test_sums_over_many_batches_are_double() -> None:
    loss, error = metrics.Loss(), metrics.MAE()
    for value in (2.0**24, 1.0, 1.0, 2.0):
        loss.update(np.array(value, np.float32))
        error.update(np.array([value], np.float32), np.zeros(1, np.float32))
    for metric in (loss, error):
        assert metric.eval() == (2.0**24 + 4) / 4 and type(metric.eval()) is float
