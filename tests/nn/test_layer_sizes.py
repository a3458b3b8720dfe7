"""Sizes of layers that no layer can have. A layer without channels would train nothing, silently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import mindspore_compat as ms
from mindspore_compat.common.initializer import initializer
from tests.support.oracle import run_oracle

#: a layer, with a 3 for each size to be wrong in turn
LAYERS = """
    Dense(3, 3) | DenseBnAct(3, 3) | BiDense(3, 3, 3) | PReLU(3) | LayerNorm((3,)) | GroupNorm(1, 3) | SyncBatchNorm(3)
    BatchNorm1d(3) | BatchNorm2d(3) | BatchNorm3d(3) | InstanceNorm1d(3) | InstanceNorm2d(3) | InstanceNorm3d(3)
    Conv1d(3, 3, 3) | Conv2d(3, 3, 3, group=3) | Conv3d(3, 3, 3) | Conv2dBnAct(3, 3, 3) | Conv2dThor(3, 3, 3)
    Conv1dTranspose(3, 3, 3) | Conv2dTranspose(3, 3, 3) | Conv3dTranspose(3, 3, 3) | DenseThor(3, 3) | EmbeddingThor(3, 3)
    Embedding(3, 3) | EmbeddingLookup(3, 3) | MultiFieldEmbeddingLookup(3, 3, 3) | RNNCell(3, 3) | LSTMCell(3, 3)
    GRUCell(3, 3) | RNN(3, 3, 3) | LSTM(3, 3, 3) | GRU(3, 3, 3) | MaxPool1d(3) | MaxPool2d(3, 3) | AvgPool2d(3, 3)
    AdaptiveAvgPool1d(3) | AdaptiveMaxPool1d(3) | ChannelShuffle(3) | CentralCrop(3.0) | SampledSoftmaxLoss(3, 7)
    TransformerEncoderLayer(4, 2, dim_feedforward=3) | MultiheadAttention(3, 1)
"""


def calls() -> Iterator[str]:
    for layer in (item.strip() for line in LAYERS.strip().splitlines() for item in line.split("|")):
        for place in [place for place in range(layer.index("("), len(layer)) if layer[place] == "3"]:
            yield from (layer[:place] + wrong + layer[place + 1 :] for wrong in ("0", "-1"))


def refused(nn: Any, every: list[str]) -> list[str]:
    found = []
    for call in every:
        try:
            eval("nn." + call, {"nn": nn})
        except ValueError:
            found.append(call)
    return found


def test_layers_refuse_sizes_below_one() -> None:
    assert refused(ms.nn, list(calls())) == list(calls())


@pytest.mark.oracle
def test_mindspore_refuses_them_too() -> None:
    import inspect

    code = f"import mindspore\n{inspect.getsource(refused).replace(': Any', '')}\ngive(refused(mindspore.nn, {list(calls())}))"
    assert run_oracle(code) == list(calls())


def test_a_new_tensor_of_an_initializer_has_elements() -> None:
    assert initializer("ones", ()).shape == () and initializer(ms.ops.ones((0, 3)), (0, 3)).shape == (0, 3)
    for shape in (0, (0, 3), (2, -1)):
        with pytest.raises(ValueError):
            initializer("ones", shape)
