"""Optimizers of ``experimental.optim`` and ``mint.optim`` on a device: no step waits for it, and the numbers are a CPU's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor
from mindspore_compat.experimental import optim
from mindspore_compat.mint import optim as mint_optim
from tests.gpu.waits import waits_within
from tests.support import fakecuda

pytestmark = pytest.mark.skipif(not fakecuda.installed(), reason="the fake device is not installed (--device cuda)")

OPTIMIZERS = [(optim, name, {"lr": 0.1}) for name in optim.__all__ if name not in ("Optimizer", "lr_scheduler")] + [
    *((mint_optim, name, {"lr": 0.1}) for name in mint_optim.__all__),
    (optim, "SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.1, "maximize": True}),
    (optim, "SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True}),
    (optim, "RMSprop", {"lr": 0.1, "momentum": 0.9, "centered": True}),
    (optim, "AdamW", {"lr": 0.1, "amsgrad": True}),
    (optim, "AdamW", {"lr": 0.1, "betas": (0.0, 0.0), "maximize": True}),
    (mint_optim, "SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.1}),
    (mint_optim, "SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "maximize": True}),
    (mint_optim, "Adam", {"lr": 0.1, "amsgrad": True}),
]


def _stepped(target: str, module: Any, name: str, options: dict[str, Any], watched: bool) -> tuple[Any, list[str]]:
    ms.set_context(device_target=target)
    random = np.random.RandomState(0)
    parameters = [Parameter(Tensor(random.randn(3, 2).astype("float32")), name=f"p{number}") for number in range(2)]
    optimizer = getattr(module, name)([dict(params=parameters[:1]), dict(params=parameters[1:], lr=0.05)], **options)
    scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    gradients = [tuple(Tensor(random.randn(3, 2).astype("float32")) for _ in parameters) for _ in range(6)]
    waits: list[str] = []
    for number, taken in enumerate(gradients):
        with fakecuda.recorded() as traffic:
            optimizer(taken)
            scheduler.step()
        if watched and number:
            waits += waits_within(traffic)
    return [item.asnumpy() for item in parameters], waits


@pytest.mark.parametrize(("module", "name", "options"), OPTIMIZERS)
def test_steps_do_not_wait(module: Any, name: str, options: dict[str, Any]) -> None:
    try:
        on_device, waits = _stepped("GPU", module, name, options, True)
        assert waits == []
        expected, _ = _stepped("CPU", module, name, options, False)
    finally:
        ms.set_context(device_target="GPU")
    for one, other in zip(on_device, expected):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_an_overflow_is_decided_on_the_device() -> None:
    from mindspore_compat.nn.optim._device import unless

    parameter = Parameter(Tensor(np.ones(2, "float32")), name="p")
    optimizer = optim.AdamW([parameter], lr=0.1)
    gradient = (Tensor(np.ones(2, "float32")),)
    unless(torch.tensor(False, device="cuda"), optimizer, gradient)
    before = [item.asnumpy().copy() for item in optimizer.get_parameters()]
    flag = torch.tensor(True, device="cuda")
    with fakecuda.recorded() as traffic:
        unless(flag, optimizer, gradient)
    assert waits_within(traffic) == []
    for one, other in zip(optimizer.get_parameters(), before):
        np.testing.assert_array_equal(one.asnumpy(), other)
