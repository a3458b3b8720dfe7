"""Device memory of a training step: what it takes at most, in multiples of the parameters' bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.experimental import optim
from mindspore_compat.mint import optim as mint_optim
from mindspore_compat.nn.optim import _device

pytestmark = pytest.mark.gpu
LAYERS, WIDTH = 32, 128
OPTIMIZERS: dict[str, Any] = {
    "Adam": lambda params: nn.Adam(params, 1e-3),
    "Adam with decay": lambda params: nn.Adam(params, 1e-3, weight_decay=0.01),
    "AdamWeightDecay": lambda params: nn.AdamWeightDecay(params, 1e-3, weight_decay=0.01),
    "Momentum": lambda params: nn.Momentum(params, 1e-3, 0.9),
    "Momentum with decay": lambda params: nn.Momentum(params, 1e-3, 0.9, weight_decay=1e-4),
    "Momentum with a schedule": lambda params: nn.Momentum(params, nn.CosineDecayLR(1e-4, 1e-3, 10), 0.9),
    "RMSProp": lambda params: nn.RMSProp(params, 1e-3),
    "Lamb": lambda params: nn.Lamb(params, 1e-3),
    "Momentum scaled": lambda params: nn.Momentum(params, 1e-3, 0.9, weight_decay=1e-4, loss_scale=1024.0),
    "Adam scaled": lambda params: nn.Adam(params, 1e-3, weight_decay=1e-4, loss_scale=1024.0),
    "RMSProp centered": lambda params: nn.RMSProp(params, 1e-3, centered=True),
    "SGD": lambda params: nn.SGD(params, 1e-3, momentum=0.9),
    "Adam with Nesterov": lambda params: nn.Adam(params, 1e-3, use_nesterov=True),
    "Adam with amsgrad": lambda params: nn.Adam(params, 1e-3, use_amsgrad=True),
    "AdaMax": lambda params: nn.AdaMax(params, 1e-3),
    "Adagrad": lambda params: nn.Adagrad(params, learning_rate=1e-3),
    "Adadelta": lambda params: nn.Adadelta(params, 1e-3),
    "FTRL": lambda params: nn.FTRL(params, learning_rate=1e-3),
    "ProximalAdagrad": lambda params: nn.ProximalAdagrad(params, learning_rate=1e-3),
    "Rprop": lambda params: nn.Rprop(params, 1e-3),
    "ASGD": lambda params: nn.ASGD(params, 1e-3),
    "AdaFactor": lambda params: nn.AdaFactor(params),
    "LARS": lambda params: nn.LARS(nn.Momentum(params, 1e-3, 0.9)),
    **{
        f"experimental {name}": lambda params, kind=getattr(optim, name): kind(params, lr=1e-3)
        for name in optim.__all__
        if name not in ("Optimizer", "lr_scheduler")
    },
    "mint SGD": lambda params: mint_optim.SGD(params, lr=1e-3, momentum=0.9),
    "mint AdamW with amsgrad": lambda params: mint_optim.AdamW(params, lr=1e-3, amsgrad=True),
}


def peak_of(name: str, scaled: bool) -> tuple[float, float]:
    """(the peak of a step, what parameters, gradients and states take), beside the parameters' bytes."""
    ms.set_seed(1)
    net = nn.SequentialCell(*[nn.Dense(WIDTH, WIDTH) for _ in range(LAYERS)])
    optimizer = OPTIMIZERS[name](net.trainable_params())
    loss = nn.WithLossCell(net, nn.MSELoss())
    step: Any = nn.TrainOneStepCell(loss, optimizer)
    if scaled:
        step = nn.TrainOneStepWithLossScaleCell(loss, optimizer, nn.DynamicLossScaleUpdateCell(1024, 2, 1000))
    step.set_train()
    x = Tensor(np.ones((1, WIDTH), np.float32))
    for _ in range(4):
        step(x, x)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    step(x, x)
    size = sum(item.numel() * item.element_size() for item in net.trainable_params())
    held = {
        id(item): item.numel() * item.element_size() for item in [*net.get_parameters(), *optimizer.get_parameters()]
    }
    others = before - sum(held.values())  # of other tests
    return (torch.cuda.max_memory_allocated() - others) / size, sum(held.values()) / size + 1


@pytest.mark.parametrize("scaled", [False, True], ids=["plain", "loss scale"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_takes_parameters_gradients_and_states(name: str, scaled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_device, "_SMALLEST_PORTION", 1 << 16)  # as of a network of gigabytes
    peak, least = peak_of(name, scaled)
    assert peak <= 1.1 * least
