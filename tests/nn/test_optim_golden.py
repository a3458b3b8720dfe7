"""Optimizers follow real MindSpore's losses and reach its states, names and order included (tests/golden/optim.npz)."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mindspore_compat import nn
from mindspore_compat.common.tensor import Tensor
from tests.nn.optim_cases import SETTINGS, STEPS, make_data, make_net

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "optim.npz")
INDEX: dict[str, Any] = json.loads(GOLDEN["index"].tobytes())
RTOL = 1e-5

_FILES = (
    "ada_grad adadelta adafactor adam adamax asgd ftrl lamb lars lazyadam momentum proximal_ada_grad rmsprop rprop sgd"
).split()
_MODULES = [importlib.import_module(f"mindspore_compat.nn.optim.{name}") for name in _FILES]
NN = SimpleNamespace(
    **{name: getattr(nn, name) for name in dir(nn)},
    **{name: getattr(module, name) for module in _MODULES for name in module.__all__ if not hasattr(nn, name)},
)


def train_cell(setting: str) -> Any:
    net = make_net(nn)
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(GOLDEN[f"init|{parameter.name}"]))
    loss = nn.SoftmaxCrossEntropyWithLogits(True, "mean")
    return nn.TrainOneStepCell(nn.WithLossCell(net, loss), SETTINGS[setting](NN, net.trainable_params())).set_train()


@pytest.mark.parametrize("setting", [name for name in SETTINGS if not isinstance(INDEX[name], str)])
def test_losses_and_states_are_those_of_mindspore(setting: str) -> None:
    step = train_cell(setting)
    x, y = make_data()
    losses = [
        float(step(Tensor(x[n % 3 * 4 : n % 3 * 4 + 4]), Tensor(y[n % 3 * 4 : n % 3 * 4 + 4]))) for n in range(STEPS)
    ]
    np.testing.assert_allclose(losses, GOLDEN[f"{setting}|losses"], rtol=RTOL)
    state = list(step.get_parameters())
    assert [[p.name, list(p.shape)] for p in state] == [item[:2] for item in INDEX[setting]]
    assert [str(p.dtype).removeprefix("torch.") for p in state] == [item[2].lower() for item in INDEX[setting]]
    start = 0
    for parameter in state:
        size = int(np.prod(parameter.shape))
        expected = GOLDEN[f"{setting}|state"][start : start + size].reshape(parameter.shape)
        scale = float(np.abs(expected).max(initial=0))
        np.testing.assert_allclose(
            parameter.asnumpy(), expected, rtol=20 * RTOL, atol=20 * RTOL * scale, err_msg=parameter.name
        )
        start += size
