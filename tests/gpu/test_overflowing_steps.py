"""Steps of every optimizer of which some overflow: those write nothing, none waits for the device, and the states are a
CPU's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat.nn.optim._device import unless
from tests.gpu.test_experimental_optim import OPTIMIZERS
from tests.gpu.waits import waits_within
from tests.nn.optim_cases import SETTINGS
from tests.support import fakecuda

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not fakecuda.installed(), reason="the fake device is not installed (--device cuda)"),
]
STEPS, OVERFLOWS = 10, (1, 5, 6)
SHAPES = {"a.weight": (3, 2), "a.bias": (2,), "conv.weight": (4, 3, 2)}
CASES: dict[str, Callable[[list[Any]], Any]] = {
    **{name: lambda params, make=make: make(nn, params) for name, make in SETTINGS.items()},
    **{
        f"{module.__name__.split('.')[-2]}.{name}{sorted(options)}": lambda params, kind=getattr(module, name), given=options: (
            kind(params, **given)
        )
        for module, name, options in OPTIMIZERS
    },
    "Momentum without momentum": lambda params: nn.Momentum(params, 0.1, 0.0),
    "Momentum nesterov": lambda params: nn.Momentum(params, 0.1, 0.9, use_nesterov=True),
    "RMSProp without momentum": lambda params: nn.RMSProp(params, 0.01),
    "Lamb": lambda params: nn.Lamb(params, 0.01),
    "Lamb with decay": lambda params: nn.Lamb(params, 0.01, weight_decay=0.1),
    "LARS": lambda params: nn.LARS(nn.Momentum(params, 0.1, 0.9, weight_decay=0.01)),
    "LARS of Lamb": lambda params: nn.LARS(nn.Lamb(params, 0.1), use_clip=True),
}


def _stepped(make: Callable[[list[Any]], Any], target: str) -> tuple[dict[str, np.ndarray], list[str]]:
    """(all that the optimizer keeps after the steps, waits for the device)."""
    ms.set_context(device_target=target)
    at = "cuda" if target == "GPU" else "cpu"
    random = np.random.RandomState(0)
    params = [Parameter(Tensor(random.randn(*shape).astype("float32")), name=name) for name, shape in SHAPES.items()]
    optimizer = make(params)

    def kept() -> dict[str, np.ndarray]:
        inner = getattr(optimizer, "opt", None)
        owners = [optimizer, *([inner] if isinstance(inner, nn.Optimizer) else [])]
        tensors = [*params, *(item for owner in owners for item in owner.get_parameters())]
        for owner in owners:
            lists = [value for value in vars(owner).values() if isinstance(value, (list, tuple))]
            tensors += [item for value in lists for item in value if isinstance(item, Parameter)]
        return {f"{item.name} {tuple(item.shape)}": item.asnumpy().copy() for item in tensors}

    waits: list[str] = []
    for step in range(1, STEPS + 1):
        overflows = step in OVERFLOWS
        values = [random.randn(*shape).astype("float32") for shape in SHAPES.values()]
        for value in values if overflows else ():
            value.flat[0] = np.inf
            value.flat[-1] = np.nan
        gradients = tuple(Tensor(value) for value in values)
        before = kept() if overflows else {}
        flag = torch.tensor(overflows, device=at)
        with fakecuda.recorded() as traffic:
            unless(flag, optimizer, gradients)
        if step > 1:  # the first puts the counts onto the device
            waits += waits_within(traffic)
        for name, value in before.items():
            np.testing.assert_array_equal(kept()[name], value, err_msg=f"{name} in step {step}")
    return kept(), waits


@pytest.mark.parametrize("name", CASES)
def test_an_overflow_leaves_all_as_it_was(name: str) -> None:
    try:
        found, waits = _stepped(CASES[name], "GPU")
        expected, _ = _stepped(CASES[name], "CPU")
    finally:
        ms.set_context(device_target="GPU")
    assert waits == []
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-6, err_msg=key)
