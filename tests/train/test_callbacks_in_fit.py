"""Which callbacks run in the evaluation inside of `Model.fit`, and what it prints; both as real MindSpore."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat import Model, nn, train
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.dataset import NumpySlicesDataset
from mindspore_compat.train.callback import Callback
from tests.support.oracle import oracle_python, run_oracle

OURS = [
    "LossMonitor",
    "TimeMonitor",
    "ModelCheckpoint",
    "SummaryCollector",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "EarlyStopping",
    "ReduceLROnPlateau",
    "OnRequestExit",
    "BackupAndRestore",
    "FlopsUtilizationCollector",
]


class _Spy(Callback):
    """Counts what of the evaluation it sees."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_eval_begin(self, run_context: Any) -> None:
        self.seen.append("begin")

    def on_eval_step_end(self, run_context: Any) -> None:
        self.seen.append("step")

    def on_eval_end(self, run_context: Any) -> None:
        self.seen.append("end")


def _data() -> Any:
    rng = np.random.RandomState(0)
    return NumpySlicesDataset(
        (rng.randn(8, 3).astype(np.float32), rng.randint(0, 2, 8).astype(np.int32)), shuffle=False
    ).batch(4)


def _model() -> Model:
    weight = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    network = nn.Dense(3, 2, weight_init=Tensor(weight), bias_init="zeros")
    return Model(
        network,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.SGD(network.trainable_params(), 0.1),
        metrics={"acc"},
    )


def _fit(callback: Any) -> None:
    _model().fit(1, _data(), _data(), callbacks=[callback], dataset_sink_mode=False)


@pytest.mark.parametrize("name", [*OURS, "Mine"])
def test_a_users_own_class_sees_the_evaluation_whatever_its_name(name: str) -> None:
    spy = type(name, (_Spy,), {})()
    _fit(spy)
    assert spy.seen == ["begin", "step", "step", "end"]


def _heir(base: type, name: str) -> Any:
    heir = type(
        name, (base,), {hook: _Spy.__dict__[hook] for hook in ("on_eval_begin", "on_eval_step_end", "on_eval_end")}
    )()
    heir.seen = []
    return heir


@pytest.mark.parametrize("base", [train.LossMonitor, train.History, train.EarlyStopping, train.TimeMonitor])
def test_an_heir_of_ours_sees_it_under_a_name_of_its_own(base: type, capsys: pytest.CaptureFixture[str]) -> None:
    heir = _heir(base, "Mine")
    _fit(heir)
    assert heir.seen == ["begin", "step", "step", "end"]


def test_an_heir_of_the_same_name_takes_the_place_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    heir = _heir(train.LossMonitor, "LossMonitor")
    _fit(heir)
    assert heir.seen == []


_PROGRAM = Path(__file__).with_name("fit_prints_program.py")


@pytest.mark.skipif(oracle_python() is None, reason="needs a real MindSpore")
def test_fit_prints_what_mindspore_prints() -> None:
    code = f"import runpy; give(runpy.run_path({str(_PROGRAM)!r})['prints'](__import__('mindspore')))"
    theirs = run_oracle(code)
    import mindspore_compat
    from tests.train.fit_prints_program import prints

    assert [re.sub(r"\n+", "\n", text) for text in prints(mindspore_compat)] == [
        re.sub(r"\n+", "\n", text) for text in theirs
    ]


def test_evaluation_results_are_printed_after_the_epochs_that_evaluate(capsys: pytest.CaptureFixture[str]) -> None:
    _model().fit(4, _data(), _data(), valid_frequency=2, callbacks=[train.LossMonitor(100)], dataset_sink_mode=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(", metrics: {'acc': ")[0] for line in lines] == [
        "Eval result: epoch 2",
        "Eval result: epoch 4",
    ]
    _model().fit(2, _data(), _data(), dataset_sink_mode=False)
    assert capsys.readouterr().out == ""
