"""What the parallel modes refuse, and the forms of strategies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Layout, Tensor, nn, ops


@pytest.fixture(autouse=True)
def _reset() -> Iterator[None]:
    ms.reset_auto_parallel_context()
    yield
    ms.reset_auto_parallel_context()


X = np.ones((2, 3), np.float32)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"parallel_mode": "semi_auto_parallel", "device_num": 8}, "'device_num' 8 .* number of processes, which is 1"),
        ({"parallel_mode": "semi_auto_parallel", "pipeline_stages": 2}, "'pipeline_stages' 2 must be the number"),
        ({"pipeline_stages": 2}, "'pipeline_stages' 2 must be the number of processes"),
        ({"grad_accumulation_step": 2}, "nn.GradAccumulationCell"),
    ],
)
def test_modes_that_one_process_cannot_do(settings: dict[str, Any], text: str) -> None:
    net = nn.Dense(3, 2)
    ms.set_auto_parallel_context(**settings)
    with pytest.raises(RuntimeError, match=text):
        net(Tensor(X))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
    with pytest.raises(RuntimeError, match=text):
        step(Tensor(X), Tensor(X[:, :2]))
    ms.reset_auto_parallel_context()
    assert net(Tensor(X)).shape == (2, 2)


def test_a_parallel_optimizer_needs_a_mode() -> None:
    net = nn.Dense(3, 2)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
    ms.set_auto_parallel_context(enable_parallel_optimizer=True)
    with pytest.raises(RuntimeError, match="not supported in stand_alone"):
        step(Tensor(X), Tensor(X[:, :2]))
    ms.set_auto_parallel_context(parallel_mode="data_parallel")
    step(Tensor(X), Tensor(X[:, :2]))


def test_strategies_in_one_process() -> None:
    net = ops.MatMul().shard(((2, 1), (1, 1)))
    assert net(Tensor(X), Tensor(X.T)).shape == (2, 2)  # without effect, as upstream
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    with pytest.raises(RuntimeError, match="needs 2 devices, but there is one process"):
        net(Tensor(X), Tensor(X.T))
    assert ops.MatMul().shard(((1, 1), (1, 1)))(Tensor(X), Tensor(X.T)).shape == (2, 2)
    assert ms.shard(nn.Dense(3, 2), ((1, 1),))(Tensor(X)).shape == (2, 2)


@pytest.mark.parametrize(("arguments", "kind"), [(((1, 1),), TypeError), ((None, ((1, 1),)), ValueError)])
def test_wrong_strategies(arguments: tuple, kind: type) -> None:
    with pytest.raises(kind):
        ops.MatMul().shard(*arguments)


def test_operators_with_strategies_stay_what_they_are() -> None:
    operator = ops.MatMul(transpose_b=True).shard(((1, 1), (1, 1)))
    assert isinstance(operator, ops.MatMul)
    assert type(operator).__name__ == "MatMul"
    assert operator.shard() is operator
    for made in (copy.deepcopy(operator), pickle.loads(pickle.dumps(operator))):
        assert made.in_strategy == ((1, 1), (1, 1))
        assert made(Tensor(X), Tensor(X)).shape == (2, 2)


def test_layout() -> None:
    layout = Layout((2, 2, 2), ("dp", "sp", "mp"))
    assert layout("dp", "mp").to_dict() == {
        "device_matrix": (2, 2, 2),
        "tensor_map": (2, 0),
        "interleaved_parallel": False,
        "alias_name": ("dp", "sp", "mp"),
        "rank_list": list(range(8)),
    }
    assert layout(("dp", "sp"), "None").to_dict()["tensor_map"] == ((2, 1), -1)
    with pytest.raises(ValueError):
        layout("x")
    with pytest.raises(ValueError):
        layout("dp", "dp")
    with pytest.raises(ValueError):
        layout.to_dict()


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [(((2,), ("a", "b")), ValueError), (((2.0,), ("a",)), TypeError), (((2, 2), ("a", "a")), ValueError)],
)
def test_wrong_layouts(arguments: tuple, kind: type) -> None:
    with pytest.raises(kind):
        Layout(*arguments)


def test_stages_of_parameters() -> None:
    net = nn.SequentialCell([nn.Dense(3, 3), nn.Dense(3, 3)])
    net[1].pipeline_stage = 1
    names = [item.name for item in net.infer_param_pipeline_stage()]
    assert names == ["0.weight", "0.bias"]
    net[1].weight.add_pipeline_stage(0)
    assert [item.name for item in net.infer_param_pipeline_stage()] == ["0.weight", "0.bias", "1.weight"]
