"""Wrong arguments and inputs raise MindSpore's exception types, with what was expected and what came."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import nn
from mindspore_compat.common.api import _cell_graph_executor
from mindspore_compat.common.tensor import Tensor


def zeros(*shape: int, dtype: Any = np.float32) -> Tensor:
    return Tensor(np.zeros(shape, dtype))


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: nn.Dense(3, 2, activation=3), TypeError),
        (lambda: nn.Dense(3, 2, weight_init=zeros(3, 2)), ValueError),
        (lambda: nn.Conv2d(3, 2, 3, padding=1), ValueError),
        (lambda: nn.Conv2d(3, 2, 0), ValueError),
        (lambda: nn.MaxPool2d(0), ValueError),
        (lambda: nn.AvgPool2d(2, padding=1), ValueError),
        (lambda: nn.Embedding(3, 2, padding_idx=5), ValueError),
        (lambda: nn.LSTM(3, 4, dropout=2.0), ValueError),
        (lambda: nn.MSELoss("foo"), ValueError),
    ],
)
def test_wrong_arguments(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: nn.Dense(3, 2)(zeros(2, 3, dtype=np.int32)), RuntimeError),
        (lambda: nn.Conv2d(3, 2, 3)(zeros(1, 4, 5, 5)), RuntimeError),
        (lambda: nn.MaxPool2d(3, 2)(zeros(1, 3, 2, 2)), RuntimeError),
        (lambda: nn.BatchNorm2d(3)(zeros(1, 4, 5, 5)), RuntimeError),
        (lambda: nn.LayerNorm((4,))(zeros(2, 3)), ValueError),
        (lambda: nn.MSELoss()(zeros(2, 3), zeros(2, 4)), RuntimeError),
        (lambda: nn.SmoothL1Loss()(zeros(2, 3), zeros(2, 4)), ValueError),
        (lambda: nn.BCELoss()(zeros(2, 3), zeros(1)), ValueError),
        (lambda: nn.SoftmaxCrossEntropyWithLogits(True, "mean")(zeros(2, 3), zeros(2, 1, dtype=np.int32)), ValueError),
        (lambda: nn.SoftmaxCrossEntropyWithLogits(True, "mean")(zeros(2, 3), zeros(3, dtype=np.int32)), ValueError),
        (lambda: nn.MatMul()(zeros(2, 3), zeros(2, 3)), RuntimeError),
        (lambda: nn.PSNR()(zeros(1, 1, 5, 5), zeros(1, 1, 5, 4)), ValueError),
        (lambda: nn.Upsample(mode="nearest")(zeros(1, 1, 5)), ValueError),
    ],
)
def test_wrong_inputs(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_what_layers_print_is_what_mindspore_prints() -> None:
    assert str(nn.Dense(3, 2)) == "Dense(input_channels=3, output_channels=2, has_bias=True)"
    assert str(nn.Dense(3, 2, has_bias=False, activation="relu")) == (
        "Dense(\n  input_channels=3, output_channels=2, activation=ReLU()\n  (activation): ReLU()\n)"
    )
    assert str(nn.MaxPool2d(2)) == "MaxPool2d(kernel_size=2, stride=1, pad_mode=VALID)"
    assert [
        str(item) for item in (nn.ReLU(), nn.Softmax(), nn.Flatten(), nn.PReLU(), nn.Dropout(0.3), nn.Dropout(p=0.3))
    ] == ["ReLU()", "Softmax()", "Flatten()", "PReLU()", "Dropout(keep_prob=0.3)", "Dropout(p=0.3)"]
    assert str(nn.BatchNorm2d(3)).startswith(
        "BatchNorm2d(num_features=3, eps=1e-05, momentum=0.9, gamma=Parameter (name=gamma, shape=(3,), "
    )
    assert [str(item) for item in (nn.ReflectionPad2d(1), nn.ZeroPad2d(1), nn.ConstantPad1d(1, 2.0))] == [
        "ReflectionPad2d()",
        "ZeroPad2d()",
        "ConstantPad1d()",
    ]
    assert [str(kind(3, 2, pad_mode=mode)) for kind in (nn.AvgPool1d, nn.MaxPool1d) for mode in ("valid", "pad")] == [
        "AvgPool1d(kernel_size=(1, 3), stride=(1, 2), pad_mode=VALID)",
        "AvgPool1d(kernel_size=3, stride=2, pad_mode=PAD)",
        "MaxPool1d(kernel_size=(1, 3), stride=(1, 2), pad_mode=VALID)",
        "MaxPool1d(kernel_size=(1, 1, 3), stride=(1, 1, 2), pad_mode=PAD)",
    ]
    assert str(nn.Dropout1d(p=0.3)) == "Dropout1d()"
    assert str(nn.RMSELoss()) == "RMSELoss(\n  (MSELoss): MSELoss()\n)"
    assert str(nn.FocalLoss()) == "FocalLoss(\n  (logsoftmax): LogSoftmax()\n)"
    assert str(nn.Embedding(2, 3)).endswith(" dtype=Float32, padding_idx=None)")
    assert str(nn.LayerNorm([3])).startswith("LayerNorm(normalized_shape=[3], begin_norm_axis=-1, ")
    assert str(nn.LayerNorm((3,))).startswith("LayerNorm(normalized_shape=(3,), begin_norm_axis=-1, ")
    assert str(nn.GroupNorm(1, 2)) == "GroupNorm(num_groups=1, num_channels=2)"
    assert torch.is_tensor(nn.Identity(3, a=1)(zeros(1)))


def test_check_that_projects_of_1x_import() -> None:
    from mindspore_compat.nn.layer.basic import check_dense_input_shape

    check_dense_input_shape((2, 3), "Dense")
    with pytest.raises(ValueError, match="For 'Dense', the dimension of 'x' should not be less than 2, but got 1"):
        check_dense_input_shape((2,), "Dense")


def test_compiling_a_training_step_refuses_what_its_network_does() -> None:
    net = nn.SequentialCell(nn.Conv2d(3, 2, 3, pad_mode="valid"), nn.Flatten(), nn.Dense(8, 2))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
    before = net[0].weight.asnumpy().copy()
    _cell_graph_executor.compile(step, zeros(1, 3, 4, 4), zeros(1, 2))
    np.testing.assert_array_equal(net[0].weight.asnumpy(), before)
    with pytest.raises(RuntimeError, match="channels"):
        _cell_graph_executor.compile(step, zeros(1, 1, 4, 4), zeros(1, 2))
