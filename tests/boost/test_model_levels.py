"""``Model(boost_level=…)``: what `AutoBoost` makes of network and optimizer, against real MindSpore's losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mindspore_compat import Callback, Model, Parameter, ParameterTuple, Tensor, boost, nn
from mindspore_compat import dataset as ds

FROZEN = {
    "boost": {"mode": "manual", "less_bn": False},
    "grad_freeze": {"param_groups": 2, "freeze_type": 0, "freeze_p": 0.5, "total_steps": 20},
}
BOOSTED = ["BoostTrainOneStepCell", "LessBN", 0.06353, 0.23005, 0.10736, 0.18178, 0.15302, 0.07745, 0.32813]


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.bn, self.relu, self.fc2 = nn.Dense(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 3)

    def construct(self, x: Any) -> Any:
        return self.fc2(self.relu(self.bn(self.fc1(x))))


class Losses(Callback):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[float] = []

    def step_end(self, run_context: Any) -> None:
        self.found.append(float(run_context.original_args().net_outputs))


@pytest.fixture(autouse=True)
def unconfigured(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """There is one `AutoBoost` in a process."""
    monkeypatch.setattr(boost.AutoBoost, "_instance", None)
    yield


def model_and_data(level: str, configuration: Any = "") -> tuple[Model, Any]:
    random = np.random.RandomState(0)
    net = Net()
    for item in net.get_parameters():
        item.set_data(Tensor(random.rand(*item.shape).astype(np.float32)))
    columns = random.rand(12, 6).astype(np.float32), random.rand(12, 3).astype(np.float32)
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    np.random.seed(0)  # which groups are frozen is drawn
    model = Model(net, nn.MSELoss(), optimizer, metrics={"mse"}, boost_level=level, boost_config_dict=configuration)
    return model, ds.NumpySlicesDataset(columns, shuffle=False).batch(2)


# the types, the losses of an epoch and the mean squared error are real MindSpore 2.10's (CPU, both modes)
@pytest.mark.parametrize(
    ("level", "configuration", "expected"),
    [
        ("O1", "", BOOSTED),
        ("O2", "", BOOSTED),
        ("O1", FROZEN, ["BoostTrainOneStepCell", "Net", 5.17116, 3.06622, 1.94786, 0.60675, 0.57191, 0.08677, 0.4462]),
        ("O0", FROZEN, ["TrainOneStepCell", "Net", 5.17116, 3.06622, 0.68023, 0.20127, 0.138, 0.26413, 0.83456]),
    ],
)
def test_a_level_of_boost_trains_as_upstream(level: str, configuration: Any, expected: list[Any]) -> None:
    model, data = model_and_data(level, configuration)
    losses = Losses()
    model.train(1, data, callbacks=losses, dataset_sink_mode=False)
    kinds = [type(model.train_network).__name__, type(model._network).__name__]
    error = model.eval(data, dataset_sink_mode=False)["mse"]
    assert kinds == expected[:2]
    np.testing.assert_allclose([*losses.found, error], expected[2:], rtol=1e-3)


def test_the_first_model_of_a_process_chooses() -> None:
    model_and_data("O0")
    later, _ = model_and_data("O1")  # as upstream: its AutoBoost is the first's, its training Cell boost's
    assert isinstance(later._network, Net)
    assert type(later.train_network) is boost.BoostTrainOneStepCell


def test_accumulation_goes_on_where_a_checkpoint_ended() -> None:
    boost.AutoBoost(
        "O0",
        {"boost": {"mode": "manual", "grad_accumulation": True}, "grad_accumulation": {"grad_accumulation_step": 3}},
    )
    weight = Parameter(Tensor([1.0]), name="weight")

    class Line(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = weight

        def construct(self, x: Any) -> Any:
            return (self.weight * x).sum()

    step = boost.BoostTrainOneStepCell(Line(), nn.SGD(ParameterTuple([weight]), 0.3))
    names = [item.name for item in step.get_parameters()][:5]
    # real MindSpore's names and order
    assert names == ["weight", "accumulation_step", "grad_accumulation.weight", "step", "sync_tensor"]
    step.accumulation_step.set_data(Tensor(2, dtype=step.accumulation_step.dtype))
    step.grad_accumulation[0].set_data(Tensor([4.0]))
    step(Tensor([6.0]))
    np.testing.assert_allclose(weight.asnumpy(), [1 - 0.3 * (4 + 6 / 3)], rtol=1e-6)
    step(Tensor([6.0]))
    assert int(step.accumulation_step) == 1
