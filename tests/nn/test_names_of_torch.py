"""Names that no MindSpore has and real projects write all the same: `nn.Sequential`, `nn.init`, `P.Sum`,
`dataset.create_dict_iterator`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as mindspore
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.ops import operations as P


def names(cell: nn.Cell) -> list[str]:
    return [parameter.name for parameter in cell.get_parameters()]


@pytest.mark.parametrize(
    "build",
    [
        lambda *cells: nn.Sequential(*cells),
        lambda *cells: nn.Sequential(list(cells)),
        lambda *cells: nn.Sequential(OrderedDict((str(i), cell) for i, cell in enumerate(cells))),
    ],
)
def test_sequential_takes_the_call_forms_of_torch(build: Any) -> None:
    cells = nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 4)
    net, x = build(*cells), Tensor(np.ones((1, 2), np.float32))
    assert (
        names(net) == ["0.weight", "0.bias", "2.weight", "2.bias"]
        and isinstance(net, nn.SequentialCell)
        and len(net) == 3
    )
    assert np.array_equal(net(x).asnumpy(), cells[2](cells[1](cells[0](x))).asnumpy())


def test_children_that_are_added_by_name_have_it_in_their_parameters() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.features = nn.Sequential(OrderedDict(first=nn.Dense(2, 3), second=nn.ReLU()))
            self.features.add_module("third", nn.Dense(3, 4))
            empty = nn.Sequential()
            empty.add_module("only", nn.Dense(4, 2))
            self.head = empty

        def construct(self, x: Tensor) -> Tensor:
            return self.head(self.features(x))

    net = Net()
    assert names(net) == [
        "features.first.weight",
        "features.first.bias",
        "features.third.weight",
        "features.third.bias",
        "head.only.weight",
        "head.only.bias",
    ]
    assert net(Tensor(np.ones((1, 2), np.float32))).shape == (1, 2)
    with pytest.raises(TypeError, match="must be a Cell"):
        nn.Sequential().add_module("x", 3)


def layer() -> Parameter:
    return nn.Conv2d(16, 32, 3).weight


@pytest.mark.parametrize(
    ("name", "kwargs", "mean", "std", "largest"),
    [
        ("constant_", {"val": 0.25}, 0.25, 0, 0.25),
        ("zeros_", {}, 0, 0, 0),
        ("ones_", {}, 1, 0, 1),
        ("normal_", {"mean": 1.0, "std": 0.1}, 1, 0.1, 2),
        ("uniform_", {"a": -1.0, "b": 1.0}, 0, 3**-0.5, 1),
        ("trunc_normal_", {"std": 0.02, "a": -0.04, "b": 0.04}, 0, 0.0176, 0.04),
        ("xavier_uniform_", {}, 0, (2 / (9 * 48)) ** 0.5, (6 / (9 * 48)) ** 0.5),
        ("xavier_normal_", {}, 0, (2 / (9 * 48)) ** 0.5, 1),
        ("kaiming_normal_", {"mode": "fan_out", "nonlinearity": "relu"}, 0, (2 / 288) ** 0.5, 1),
        ("kaiming_normal_", {"a": 1}, 0, (1 / 144) ** 0.5, 1),
        ("kaiming_uniform_", {"a": 5**0.5}, 0, 1 / 12 / 3**0.5, 1 / 12),
    ],
)
def test_init_fills_parameters_in_place(
    name: str, kwargs: dict[str, Any], mean: float, std: float, largest: float
) -> None:
    weight = layer()
    place = weight.data_ptr()
    assert getattr(nn.init, name)(weight, **kwargs) is weight
    value = weight.asnumpy()
    assert abs(value.mean() - mean) < 0.05 * max(std, 1e-9) + 1e-6 and value.std() == pytest.approx(
        std, rel=0.05, abs=1e-6
    )
    assert np.abs(value).max() <= largest + 1e-6
    assert weight.data_ptr() == place and weight.requires_grad and weight.name == "weight" and type(weight) is Parameter


def test_init_follows_the_seed() -> None:
    mindspore.set_seed(3)
    first = nn.init.normal_(layer()).asnumpy()
    mindspore.set_seed(3)
    assert np.array_equal(first, nn.init.normal_(layer()).asnumpy()) and nn.init.normal_ is torch.nn.init.normal_


def test_a_network_trains_after_init() -> None:
    net = nn.Sequential(nn.Dense(2, 3), nn.Dense(3, 1))
    for cell in net:
        nn.init.constant_(cell.weight, 0.5)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    x, y = Tensor(np.ones((4, 2), np.float32)), Tensor(np.zeros((4, 1), np.float32))
    losses = [float(step(x, y)) for _ in range(3)]
    assert losses[2] < losses[1] < losses[0]


def test_sum_is_reduce_sum() -> None:
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert P.Sum is P.ReduceSum is ops.Sum
    assert P.Sum()(x, 1).asnumpy().tolist() == [3, 12] and P.Sum(True)(x).shape == (1, 1)


def test_dropout_by_the_share_that_goes() -> None:
    x = Tensor(np.ones((100, 100), np.float32))
    result, mask = P.Dropout(p=0.2)(x)
    assert mask.shape == x.shape and set(np.unique(result.asnumpy()).tolist()) == {0.0, 1.25}
    assert (result.asnumpy() == 0).mean() == pytest.approx(0.2, abs=0.03)
    with pytest.raises(ValueError, match="'p' must be"):
        P.Dropout(p=1.0)


def test_create_dict_iterator_as_a_function() -> None:
    data = mindspore.dataset.NumpySlicesDataset({"x": [1, 2, 3]}, shuffle=False)
    rows = list(mindspore.dataset.create_dict_iterator(data, num_epochs=1, output_numpy=True))
    assert [row["x"].item() for row in rows] == [1, 2, 3]


@pytest.mark.parametrize(
    ("module", "slip", "right"),
    [
        (nn, "Relu", "ReLU"),
        (nn, "BCEloss", "BCELoss"),
        (nn, "sigmoid", "Sigmoid"),
        (mindspore.dataset, "MnistDatset", "MnistDataset"),
        (nn, "accuracy", "Accuracy"),
    ],
)
def test_a_slip_of_the_pen_is_told(module: Any, slip: str, right: str) -> None:
    with pytest.raises(AttributeError, match=f"Did you mean '{right}'"):
        getattr(module, slip)
    with pytest.raises(AttributeError, match=r"not available in mindspore_compat\. See"):
        module.nothing_like_it
