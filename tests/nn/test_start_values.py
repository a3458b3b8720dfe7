"""Start values have MindSpore's distributions: largest value and deviation of large layers (figures from
tests/golden/make_nn.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mindspore_compat import nn
from tests.nn.test_against_golden import STARTS

LAYERS: dict[str, Callable[[], Any]] = {
    "Dense": lambda: nn.Dense(400, 300),
    "Conv1d": lambda: nn.Conv1d(30, 40, 5, has_bias=True),
    "Conv2d": lambda: nn.Conv2d(30, 200, 3, has_bias=True),
    "Conv2d.group": lambda: nn.Conv2d(64, 256, 3, group=2, has_bias=True),
    "Conv3d": lambda: nn.Conv3d(16, 64, 3, has_bias=True),
    "Conv2dTranspose": lambda: nn.Conv2dTranspose(64, 200, 3, has_bias=True),
    "Conv3dTranspose": lambda: nn.Conv3dTranspose(16, 64, 3, has_bias=True),
    "Embedding": lambda: nn.Embedding(300, 100),
    "Linear": lambda: nn.Linear(400, 300),
    "BiDense": lambda: nn.BiDense(40, 50, 60),
    "LSTM": lambda: nn.LSTM(60, 100),
    "GRUCell": lambda: nn.GRUCell(60, 100),
    "MultiheadAttention": lambda: nn.MultiheadAttention(128, 4),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(128, 4, 300),
    "Transformer": lambda: nn.Transformer(64, 4, 1, 1, 300),
    "DenseBnAct": lambda: nn.DenseBnAct(400, 300),
    "Conv2dBnAct": lambda: nn.Conv2dBnAct(30, 200, 3),
    "EmbeddingLookup": lambda: nn.EmbeddingLookup(300, 99),
}


@pytest.mark.parametrize("name", LAYERS)
def test_start_values_are_distributed_as_in_mindspore(name: str) -> None:
    parameters = {item.name: item.asnumpy() for item in LAYERS[name]().get_parameters()}
    assert list(parameters) == list(STARTS[name])
    for path, values in parameters.items():
        largest, deviation = STARTS[name][path]
        count = values.size
        if deviation == 0:
            assert np.all(np.abs(values) == largest), path
            continue
        # Deviations of samples scatter by deviation/sqrt(2n); both sides are samples.
        assert abs(values.std() - deviation) < 6 * deviation / np.sqrt(count), path
        if largest < 2 * deviation:  # uniform: the bound shows
            assert abs(np.abs(values).max() - largest) < 12 * largest / count + 1e-6, path
