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
from mindspore_compat._random.lazy_init import is_unmoved
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


def _kept(optimizer: Any, params: list[Any]) -> dict[str, np.ndarray]:
    """The values of Parameters, states and counts."""
    inner = getattr(optimizer, "opt", None)
    owners = [optimizer, *([inner] if isinstance(inner, nn.Optimizer) else [])]
    tensors = [*params, *(item for owner in owners for item in owner.get_parameters())]
    for owner in owners:
        lists = [value for value in vars(owner).values() if isinstance(value, (list, tuple))]
        tensors += [item for value in lists for item in value if isinstance(item, Parameter)]
    return {f"{item.name} {tuple(item.shape)}": item.asnumpy().copy() for item in tensors}


def _stepped(make: Callable[[list[Any]], Any], target: str) -> tuple[dict[str, np.ndarray], list[str]]:
    """(all that the optimizer keeps after the steps, waits for the device)."""
    ms.set_context(device_target=target)
    at = "cuda" if target == "GPU" else "cpu"
    random = np.random.RandomState(0)
    params = [Parameter(Tensor(random.randn(*shape).astype("float32")), name=name) for name, shape in SHAPES.items()]
    optimizer = make(params)

    def kept() -> dict[str, np.ndarray]:
        return _kept(optimizer, params)

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


class Summed(nn.Cell):
    """Parameters of SHAPES; the gradient of each element is ``x``."""

    def __init__(self) -> None:
        super().__init__()
        random = np.random.RandomState(0)
        self.items = ms.ParameterTuple(
            [Parameter(Tensor(random.randn(*shape).astype("float32")), name=name) for name, shape in SHAPES.items()]
        )

    def construct(self, x: Any) -> Any:
        return sum(((item + item * item) * x).sum() for item in self.items)


Kept = dict[str, np.ndarray]


def _trained(make: Callable[[list[Any]], Any], mode: int, changes_rate: bool) -> tuple[Kept, list[Kept]]:
    """(all that the optimizer keeps after the steps, before and after each overflow)."""
    ms.set_context(mode=mode)
    network = Summed()
    params = network.trainable_params()
    optimizer = make(params)
    scale = nn.DynamicLossScaleUpdateCell(4.0, 2, 1000)
    step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale)
    step.set_train()
    around = []
    for number in range(14):  # recorded, captured, replayed
        if number in (0, 7, 10):
            around.append(_kept(optimizer, params))
        _, overflow, _ = step(Tensor(np.float32(np.inf if number in (0, 7, 10) else 0.1 * number)))
        assert bool(overflow) is (number in (0, 7, 10))
        if number in (0, 7, 10):
            around.append(_kept(optimizer, params))
        if changes_rate and number >= 4:  # Python reads it at each replay from then on
            (optimizer.opt if isinstance(optimizer, nn.LARS) else optimizer).learning_rate.set_data(
                Tensor(0.1 / number, ms.float32)
            )
    return _kept(optimizer, params), around


RATE_CHANGES = {
    "Adam": lambda params: nn.Adam(params, 0.1),
    "LARS of Momentum": lambda params: nn.LARS(nn.Momentum(params, 0.1, 0.9)),
}


@pytest.mark.parametrize(
    ("make", "changes_rate"),
    [*((make, False) for make in CASES.values()), *((make, True) for make in RATE_CHANGES.values())],
    ids=[*CASES, *(f"{name} with other rates" for name in RATE_CHANGES)],
)
def test_an_overflow_in_a_replayed_step_leaves_all_as_it_was(
    make: Callable[[list[Any]], Any], changes_rate: bool
) -> None:
    try:
        found, around = _trained(make, ms.GRAPH_MODE, changes_rate)
        expected, _ = _trained(make, ms.PYNATIVE_MODE, changes_rate)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    for before, after in zip(around[::2], around[1::2]):
        for key, value in before.items():
            np.testing.assert_array_equal(after[key], value, err_msg=key)
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-6, err_msg=key)


def _with_stat(target: str, mode: int, kind: Any, nesterov: bool) -> tuple[Kept, bool]:
    """(all that SGD keeps at the end, whether ``stat`` stayed on the host); a checkpoint of a first step is loaded in
    the middle.
    """
    ms.set_context(device_target=target, mode=mode)
    network = Summed()
    params = network.trainable_params()
    optimizer = kind(params, 0.01, momentum=0.9, nesterov=nesterov, weight_decay=0.01)
    scale = nn.DynamicLossScaleUpdateCell(4.0, 2, 1000)
    step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale).set_train()
    names = [item.name for item in params]
    values = {f"accum.{name}": np.full(SHAPES[name], 5, np.float32) for name in names}
    values |= {f"stat.{name}": np.ones(SHAPES[name], np.float32) for name in names}
    values |= {name: np.full(SHAPES[name], 0.1, np.float32) for name in names}
    for number in range(24):
        if number == 12:
            unknown, _ = ms.load_param_into_net(
                optimizer, {name: Parameter(Tensor(value), name=name) for name, value in values.items()}
            )
            assert not [name for name in unknown if name in values]
        step(Tensor(np.float32(np.inf if number in (0, 7, 14) else 0.01 * number)))
    stays = is_unmoved(optimizer.stat[0]) and is_unmoved(optimizer.stat[1])
    return _kept(optimizer, params), stays


@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("kind", [nn.SGD, ms.experimental.optim.SGD])
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_sgd_keeps_stat_on_the_host_and_minds_a_loaded_one(kind: Any, mode: int, nesterov: bool) -> None:
    try:
        found, stays = _with_stat("GPU", mode, kind, nesterov)
        expected, _ = _with_stat("CPU", mode, kind, nesterov)
    finally:
        ms.set_context(device_target="GPU", mode=ms.PYNATIVE_MODE)
    assert stays
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-6, err_msg=key)
