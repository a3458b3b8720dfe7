"""Training Cells as scripts of the model zoo write them, against real MindSpore."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mindspore_compat import Tensor, nn
from tests.train import custom_cells_program as program

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "custom_cells.json").read_text())


@pytest.mark.parametrize("name", program.RUNS)
def test_a_training_cell_makes_upstreams_steps(name: str) -> None:
    losses, weights = program.record(name)
    np.testing.assert_allclose(np.array(losses), np.array(GOLDEN[name][0]), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(weights, GOLDEN[name][1], rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("npu_status", "bert_clip"),
        ("bert_loss_scale", "bert_clip"),
        ("common_loss_scale", "global_norm_1"),
        ("fixed_tensor", "global_norm_1"),
    ],
)
def test_a_scaled_training_cell_makes_the_unscaled_ones_steps(name: str, plain: str) -> None:
    runs = {
        **program.RUNS,
        "global_norm_1": lambda net: program.GlobalNormTrainOneStep(
            program._with_loss(net), program._momentum(net), 1.0
        ),
    }
    expected = program._run(runs[plain])
    losses, weights = program.record(name)
    np.testing.assert_allclose([step[0] for step in losses], expected[0], rtol=1e-4)
    np.testing.assert_allclose(weights, expected[1], rtol=1e-4)
    assert not any(step[1] for step in losses)
    if name == "fixed_tensor":
        assert [step[2] for step in losses] == [512.0] * 4


@pytest.mark.parametrize("name", ["bert_loss_scale", "common_loss_scale"])
def test_an_overflow_in_a_custom_cell_drops_the_step_and_lowers_the_scale(name: str) -> None:
    net = program.Net()
    step = program.SCALED[name](net)
    before = [parameter.asnumpy().copy() for parameter in net.trainable_params()]
    x, y = program._batches()[0]
    bad = x.asnumpy().copy()
    bad[0, 0] = np.nan
    _, overflow, _ = step(Tensor(bad), y)
    scale = step.loss_scale if name == "bert_loss_scale" else step.scale_sense
    assert bool(overflow) and float(scale) == 128.0
    for old, parameter in zip(before, net.trainable_params()):
        np.testing.assert_array_equal(old, parameter.asnumpy())
    step(x, y)
    assert abs(before[0] - net.trainable_params()[0].asnumpy()).max() > 0


def test_the_base_has_what_subclasses_use() -> None:
    net = program.Net()
    step = nn.TrainOneStepWithLossScaleCell(program._with_loss(net), program._momentum(net), Tensor(2.0))
    assert bool(step.less_equal(step.base, Tensor(1.0))) and float(step.reduce_sum(Tensor([1.0, 2.0]), (0,))) == 3.0
    assert float(step.allreduce(Tensor([2.0]))) == 2.0 and step.is_distributed is False
    step.set_sense_scale(Tensor(8.0))
    assert float(step.scale_sense) == 8.0


@pytest.mark.parametrize("asked", ["1", "0"])
def test_steps_of_libraries_ask_for_a_graceful_exit(monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    monkeypatch.setenv("MS_ENABLE_GRACEFUL_EXIT", asked)

    class Step(nn.TrainOneStepCell):
        def construct(self, *inputs):
            gradients = self.grad(self.network, self.weights)(*inputs, Tensor(1.0))
            if self.use_graceful_exit:
                gradients = self.graceful_exit.exit_by_request(gradients, self.init_param, self.exit_param)
            self.optimizer(gradients)
            return self.network(*inputs)

    net = nn.Dense(1, 1, "ones", "zeros")
    step = Step(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    assert step(Tensor([[1.0]]), Tensor([[3.0]])).asnumpy() == pytest.approx(1.44)
    names = [parameter.name for parameter in step.get_parameters()]
    assert names[2:4] == (["graceful_exit", "graceful_init"] if asked == "1" else ["global_step", "learning_rate"])
