"""Cells around networks: what they are given, and the names they have. Expectations are real MindSpore 2.10's."""

from __future__ import annotations

import numpy as np
import pytest

from mindspore_compat import Tensor, nn, ops
from mindspore_compat.train import amp


def test_an_update_of_another_shape_is_refused() -> None:
    layer = nn.Dense(2, 3)
    before = layer.bias.asnumpy()
    with pytest.raises(ValueError, match="'value' must have the same shape as 'variable'"):
        nn.ParameterUpdate(layer.bias)(Tensor(np.ones(4, np.float32)))
    np.testing.assert_array_equal(layer.bias.asnumpy(), before)


@pytest.mark.parametrize("sens", [2.0, np.float32(2), np.int64(2), Tensor(2.0), Tensor([2.0])])
def test_sens_of_any_kind_of_number(sens: object) -> None:
    layer = nn.Dense(1, 1, "ones", "zeros")
    step = nn.TrainOneStepCell(nn.WithLossCell(layer, nn.MSELoss()), nn.SGD(layer.trainable_params(), 0.1), sens)
    assert float(step(Tensor([[1.0]]), Tensor([[2.0]]))) == 1
    np.testing.assert_allclose(layer.weight.asnumpy(), [[1.4]], rtol=1e-6)  # 1 + 0.1 · 2 (the gradient) · 2


def test_the_cell_with_the_loss_has_one_name_at_all_levels() -> None:
    for level in ("O0", "O1", "O3", "auto"):
        layer = nn.Dense(1, 1)
        step = amp.build_train_network(layer, nn.SGD(layer.trainable_params(), 0.1), nn.MSELoss(), level)
        assert str(step.network).startswith("WithLossCell("), level


def test_an_optimizer_answers_for_each_parameter() -> None:
    made = {
        "SGD": lambda given: nn.SGD(given, 0.1),
        "Adam": lambda given: nn.Adam([{"params": given[:1], "lr": 0.1}, {"params": given[1:]}]),
        "LARS": lambda given: nn.LARS(nn.Momentum(given, 0.1, 0.9)),
        "ASGD": lambda given: nn.ASGD(given),
        "Rprop": lambda given: nn.Rprop(given),
    }
    for name, make in made.items():
        layer = nn.Dense(3, 2)
        answer = make(layer.trainable_params())((ops.ones((2, 3)), ops.ones(2)))
        assert answer == (True if name in ("ASGD", "Rprop") else (True, True)), name


def test_training_cells_print_what_upstreams_hold() -> None:
    layer = nn.Dense(3, 2)
    step = nn.TrainOneStepCell(nn.WithLossCell(layer, nn.MSELoss()), nn.SGD(layer.trainable_params(), 0.1))
    assert list(step.name_cells()) == ["network", "optimizer", "grad_reducer"]
    assert str(step).endswith("  (optimizer): SGD()\n  (grad_reducer): Identity()\n)")
    assert step.grad_reducer((1, 2)) == (1, 2)
    step.grad_reducer = ops.stop_gradient  # a function, as in scripts of 1.x
    assert "grad_reducer" not in step.name_cells()
    parts = "  (micro_inputs): CellList(\n    (0): _MicroBatch()\n    (1): _MicroBatch()\n  )\n)"
    assert str(nn.PipelineCell(layer, 2)).endswith(parts)
    assert str(nn.MicroBatchInterleaved(layer, 2)).endswith(parts.replace("micro_inputs", "interleave_inputs"))
