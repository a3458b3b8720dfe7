"""Children and Parameters whose names torch.nn.Module has for methods of its own: MindSpore has no such methods."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat.dataset import NumpySlicesDataset
from mindspore_compat.nn.cell import TORCH_ONLY
from mindspore_compat.train import Model, SummaryCollector

FREE = sorted(TORCH_ONLY - {"named_modules"})


class Net(nn.Cell):
    def __init__(self, child: str, parameter: str) -> None:
        super().__init__()
        setattr(self, child, nn.Dense(2, 2, weight_init="ones"))
        setattr(self, parameter, Parameter(Tensor([1.0, 2.0]), name=parameter))
        self.names = child, parameter

    def construct(self, x: Tensor) -> Tensor:
        return getattr(self, self.names[0])(x) * getattr(self, self.names[1])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(("child", "parameter"), list(zip(FREE, FREE[1:] + FREE[:1])))
def test_a_child_and_a_parameter_have_a_methods_name(child: str, parameter: str, mode: int) -> None:
    ms.set_context(mode=mode)
    net, x = Net(child, parameter), Tensor(np.ones((1, 2), np.float32))
    names = [f"{child}.weight", f"{child}.bias"]
    assert sorted(item.name for item in net.get_parameters()) == sorted([*names, parameter])
    assert sorted(net.parameters_dict()) == sorted([*names, parameter])
    net.set_train()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    for _ in range(3):
        step(x, x)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert np.allclose(other(x).asnumpy(), net(x).asnumpy()) and getattr(other, child) is not getattr(net, child)
    setattr(net, child, nn.Dense(2, 2, weight_init="zeros", bias_init="zeros"))
    assert not net(x).asnumpy().any()
    setattr(net, parameter, Tensor([7.0, 8.0]))
    assert getattr(net, parameter).asnumpy().tolist() == [7, 8]


def test_a_parameter_named_half_is_cast_as_others() -> None:
    net = Net("float", "half").to_float(ms.float16)
    assert net(Tensor(np.ones((1, 2), np.float32))).dtype == ms.float16


def test_without_such_children_the_methods_are_torchs() -> None:
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2))
    assert len(list(net.modules())) == 3 and net.double()[0].weight.dtype == ms.float64
    assert net.type(ms.float32) is net and net[0].weight.dtype == ms.float32


def test_keys_of_containers_may_be_such_names() -> None:
    cells = nn.CellDict({"train": nn.Dense(2, 2), "forward": nn.Dense(2, 3)})
    assert cells["forward"].out_channels == 3 and len(cells) == 2
    cells.set_train(False)
    assert not cells["train"].training and nn.CellDict().train().training


WALKS = ["named_modules", "named_children", "named_parameters", "named_buffers", "modules", "children", "parameters"]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_cell_may_define_the_walks_of_torch(mode: int, tmp_path: Path) -> None:
    """vega's Module has a `named_modules` without arguments."""
    ms.set_context(mode=mode)

    def trained(names: list[str], name: str) -> list[np.ndarray]:
        ms.set_seed(0)
        block = type("Block", (nn.SequentialCell,), {item: lambda self: list(self.cells()) for item in names})
        dense = [nn.Dense(2, 2, weight_init="ones") for _ in range(3)]
        net = nn.SequentialCell(block(block(dense[0]), nn.BatchNorm1d(2)), nn.CellList([dense[1]])[0])
        net.append(block(dense[2]))
        net.to_float(ms.float16)
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        rows = np.eye(4, 2, dtype=np.float32), np.ones((4, 2), np.float32)
        data = NumpySlicesDataset(rows, ["x", "y"], shuffle=False).batch(2)
        model = Model(net, nn.MSELoss(), optimizer)
        model.train(2, data, callbacks=[SummaryCollector(str(tmp_path / name), 1)], dataset_sink_mode=False)
        ms.jit(net)(Tensor(np.ones((2, 2)), ms.float32))
        return [item.asnumpy() for item in net.get_parameters()]

    for own, plain in zip(trained(WALKS, "own"), trained([], "plain")):
        np.testing.assert_array_equal(own, plain)
