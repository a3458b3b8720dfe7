"""What `Model.fit` prints with several callbacks and frequencies; runs under real MindSpore and ours."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
from typing import Any

import numpy as np


def prints(ms: Any) -> list[str]:
    """One text for each combination, times taken out and numbers cut."""
    nn, train, dataset = (
        ms.nn,
        importlib.import_module(f"{ms.__name__}.train"),
        importlib.import_module(f"{ms.__name__}.dataset"),
    )
    rng = np.random.RandomState(0)
    columns = rng.randn(8, 3).astype(np.float32), rng.randint(0, 2, 8).astype(np.int32)

    def data() -> Any:
        return dataset.NumpySlicesDataset(columns, shuffle=False).batch(4)

    def printed(callbacks: Any, frequency: Any) -> str:
        weight = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
        network = nn.Dense(3, 2, weight_init=ms.Tensor(weight), bias_init="zeros")
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        model = ms.Model(network, loss, nn.SGD(network.trainable_params(), 0.1), metrics={"acc"})
        with contextlib.redirect_stdout(io.StringIO()) as out:
            model.fit(5, data(), data(), valid_frequency=frequency, callbacks=callbacks, dataset_sink_mode=False)
        return re.sub(r"(\.\d{3})\d+", r"\1", re.sub(r"[\d.]+ ms", "TIME", out.getvalue()))

    class Heir(train.LossMonitor):
        pass

    makers = (
        lambda: None,
        list,
        train.LossMonitor,
        lambda: [train.LossMonitor(2)],
        lambda: [train.LossMonitor(100)],
        lambda: [Heir()],
        lambda: [train.TimeMonitor(), train.LossMonitor()],
        lambda: [train.History()],
        lambda: [train.LossMonitor(), train.EarlyStopping("eval_loss", patience=1, verbose=True)],
    )
    return [printed(make(), frequency) for make in makers for frequency in (1, 2, 7, [1, 4])]
