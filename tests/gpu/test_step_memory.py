"""Device memory of a training step: what it takes at most, in multiples of the parameters' bytes."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._numerics import portions
from mindspore_compat._random.lazy_init import is_unmoved
from mindspore_compat.experimental import optim
from mindspore_compat.mint import optim as mint_optim

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
    "SGD without momentum": lambda params: nn.SGD(params, 1e-3),
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
    "experimental AdamW with amsgrad": lambda params: optim.AdamW(params, lr=1e-3, amsgrad=True),
    "experimental SGD with momentum": lambda params: optim.SGD(params, lr=1e-3, momentum=0.9),
    "mint SGD": lambda params: mint_optim.SGD(params, lr=1e-3, momentum=0.9),
    "mint Adam": lambda params: mint_optim.Adam(params, lr=1e-3, weight_decay=0.01, maximize=True),
    "mint AdamW": lambda params: mint_optim.AdamW(params, lr=1e-3),
    "mint AdamW with amsgrad": lambda params: mint_optim.AdamW(params, lr=1e-3, amsgrad=True),
}


def step_of(name: str, scaled: bool) -> tuple[Any, Any, Any]:
    """(the optimizer, the training Cell, its input)."""
    ms.set_seed(1)
    net = nn.SequentialCell(*[nn.Dense(WIDTH, WIDTH) for _ in range(LAYERS)])
    optimizer = OPTIMIZERS[name](net.trainable_params())
    loss = nn.WithLossCell(net, nn.MSELoss())
    step: Any = nn.TrainOneStepCell(loss, optimizer)
    if scaled:
        step = nn.TrainOneStepWithLossScaleCell(loss, optimizer, nn.DynamicLossScaleUpdateCell(1024, 2, 1000))
    step.set_train()
    return optimizer, step, Tensor(np.ones((1, WIDTH), np.float32))


def peak_of(name: str, scaled: bool, warm_up: int = 4) -> tuple[float, float]:
    """(the peak of a step, what parameters, gradients and states take), beside the parameters' bytes."""
    gc.collect()
    others = torch.cuda.memory_allocated()  # of other tests
    optimizer, step, x = step_of(name, scaled)
    for _ in range(warm_up):
        step(x, x)
    torch.cuda.reset_peak_memory_stats()
    step(x, x)
    size = sum(item.numel() * item.element_size() for item in optimizer.parameters)
    groups = getattr(optimizer, "param_groups", [])
    maxima = [item for group in groups for item in group.get("max_exp_avg_sq", ())]
    everything = [
        *optimizer.parameters,
        *(item for item in optimizer.get_parameters() if not is_unmoved(item)),
        *maxima,
    ]
    held = {id(item): item.numel() * item.element_size() for item in everything}
    return (torch.cuda.max_memory_allocated() - others) / size, sum(held.values()) / size + 1


@pytest.mark.parametrize("scaled", [False, True], ids=["plain", "loss scale"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_takes_parameters_gradients_and_states(name: str, scaled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "_SMALLEST", 1 << 16)  # as of a network of gigabytes
    peak, least = peak_of(name, scaled)
    assert peak <= 1.1 * least


@pytest.mark.parametrize("scaled", [False, True], ids=["plain", "loss scale"])
@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name.startswith(("experimental", "mint"))])
def test_a_graph_lends_its_gradients_to_the_optimizer(name: str, scaled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "_SMALLEST", 1 << 16)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        peak, least = peak_of(name, scaled, warm_up=9)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert peak <= 1.1 * least


#: the states that a step with these settings uses; MindSpore's optimizers have more
USED = {
    "SGD": 1,
    "SGD without momentum": 0,
    "experimental SGD": 0,
    "experimental SGD with momentum": 1,
    "experimental Adam": 2,
    "experimental AdamW": 2,
    "experimental AdamW with amsgrad": 3,
    "experimental RMSprop": 1,
}


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", USED)
def test_states_that_no_step_uses_take_no_memory(name: str, mode: int, tmp_path: Path) -> None:
    others = _held()
    optimizer, step, x = step_of(name, True)
    size = sum(item.numel() * item.element_size() for item in optimizer.parameters)
    ms.set_context(mode=mode)
    try:
        for _ in range(9):
            step(x, x)
        if mode == ms.PYNATIVE_MODE:
            assert (_held() - others) / size <= 1.01 + USED[name]
        ms.save_checkpoint(optimizer, str(tmp_path / "states.ckpt"))
        ms.load_param_into_net(optimizer, ms.load_checkpoint(str(tmp_path / "states.ckpt")))
        step(x, x)
        states = [item for item in optimizer.get_parameters() if item.ndim == 2]
        in_use = {id(item) for item in states if not is_unmoved(item)} - set(map(id, optimizer.parameters))
        assert len(in_use) == USED[name] * LAYERS
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def _held() -> int:
    gc.collect()
    return torch.cuda.memory_allocated()


def test_a_state_that_was_loaded_is_used_once_the_settings_ask_for_it() -> None:
    parameters = [ms.Parameter(Tensor(np.ones(3, np.float32)), name="p")]
    optimizer = optim.AdamW(parameters, lr=0.1)
    gradients = (Tensor(np.ones(3, np.float32)),)
    optimizer(gradients)
    loaded = {"max_exp_avg_sq.p": ms.Parameter(Tensor(np.full(3, 100.0, np.float32)), name="max_exp_avg_sq.p")}
    unknown, unused = ms.load_param_into_net(optimizer, loaded, strict_load=True)
    assert "max_exp_avg_sq.p" not in unknown and unused == []
    optimizer.param_groups[0]["amsgrad"] = True
    before = parameters[0].asnumpy().copy()
    optimizer(gradients)
    assert optimizer.max_exp_avg_sq[0].device.type == "cuda"
    np.testing.assert_array_equal(optimizer.max_exp_avg_sq[0].asnumpy(), 100.0)
    assert np.abs(parameters[0].asnumpy() - before).max() < 0.01  # beside 0.1 without the maximum


class KeepsGradients(optim.SGD):
    """An optimizer of a program, which looks at the gradients later."""

    def construct(self, gradients: Any) -> Any:
        self.__dict__.setdefault("seen", []).append(gradients)
        return super().construct(gradients)


@pytest.mark.parametrize("hooked", [False, True])
def test_gradients_that_a_program_keeps_stay_as_they_were(hooked: bool) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = nn.SequentialCell(nn.Dense(3, 2), nn.Dense(2, 1))
        optimizer = (optim.SGD if hooked else KeepsGradients)(net.trainable_params(), lr=0.1)
        seen: list[Any] = []
        if hooked:
            optimizer.register_forward_pre_hook(lambda cell, inputs: seen.append(inputs[0]))
        step = nn.TrainOneStepCell(net, optimizer)
        step.set_train()
        values = []
        for number in range(10):
            step(Tensor(np.full((1, 3), 1.0 + number, np.float32)))
            seen = seen if hooked else optimizer.seen
            values.append([torch.Tensor.cpu(item).detach().numpy().copy() for item in seen[-1]])
        for kept, copies in zip(seen, values):
            for gradient, value in zip(kept, copies):
                np.testing.assert_array_equal(torch.Tensor.cpu(gradient).detach().numpy(), value)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


class Clipped(nn.TrainOneStepWithLossScaleCell):
    """A step as scripts write it, with two lists of gradients at a time."""

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        gradients = self.grad(self.network, self.weights)(*inputs, ops.fill(loss.dtype, loss.shape, 1.0) * scale)
        gradients = self.hyper_map(lambda gradient: gradient * (1.0 / scale), gradients)
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        if not self.process_loss_scale(self.get_overflow_status(status, gradients)):
            self.optimizer(gradients)
        return loss


@pytest.mark.parametrize(("mode", "most"), [(ms.PYNATIVE_MODE, 4.1), (ms.GRAPH_MODE, 3.3)])
def test_a_step_of_a_script_keeps_no_gradients_for_a_derivative_of_its_scale(
    mode: int, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PYNATIVE_MODE holds two lists of gradients beside the parameters and a state, a replay one."""
    monkeypatch.setattr(portions, "_SMALLEST", 1 << 16)
    gc.collect()
    others = torch.cuda.memory_allocated()
    net = nn.SequentialCell(*[nn.Dense(WIDTH, WIDTH) for _ in range(LAYERS)])
    optimizer = nn.Momentum(net.trainable_params(), 1e-3, 0.9)
    step = Clipped(nn.WithLossCell(net, nn.MSELoss()), optimizer, nn.DynamicLossScaleUpdateCell(1024, 2, 1000))
    step.set_train()
    x = Tensor(np.ones((1, WIDTH), np.float32))
    ms.set_context(mode=mode)
    try:
        for _ in range(9):
            step(x, x)
        torch.cuda.reset_peak_memory_stats()
        step(x, x)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    size = sum(item.numel() * item.element_size() for item in net.trainable_params())
    assert (torch.cuda.max_memory_allocated() - others) / size <= most


def test_clipping_by_the_global_norm_takes_few_operators() -> None:
    random = np.random.RandomState(0)
    values = [random.randn(7, 3).astype(np.float32) for _ in range(20)]
    gradients = tuple(map(Tensor, values))
    with Operators() as operators:
        clipped = ops.clip_by_global_norm(gradients, 2.0)
    assert operators.count <= 8
    norm = np.sqrt(sum((value.astype(np.float64) ** 2).sum() for value in values))
    for found, value in zip(clipped, values):
        np.testing.assert_allclose(found.asnumpy(), value * 2.0 / norm, rtol=1e-6)
    assert isinstance(clipped, tuple)
    np.testing.assert_array_equal(
        ops.clip_by_global_norm(gradients, 1e6)[3].asnumpy(), values[3] * 1e6 / np.float32(1e6)
    )
    assert np.isnan(ops.clip_by_global_norm((Tensor([1.0, np.nan]),), 1.0)[0].asnumpy()).all()


@pytest.fixture
def trained() -> tuple[Any, Any, int]:
    """(a network on the device, a function that makes a step, the parameters' bytes)."""
    ms.set_seed(1)
    net = nn.SequentialCell(*[nn.Dense(WIDTH, WIDTH) for _ in range(LAYERS)])
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 1e-3, 0.9))
    step.set_train()
    x = Tensor(np.ones((1, WIDTH), np.float32))
    for _ in range(3):
        step(x, x)
    return net, lambda: step(x, x), sum(item.numel() * item.element_size() for item in net.trainable_params())


def held_and_peak_of(run: Any) -> tuple[int, int]:
    """(bytes that ``run`` leaves on the device, the most that it takes meanwhile)."""
    gc.collect()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    gc.collect()
    return torch.cuda.memory_allocated() - before, torch.cuda.max_memory_allocated() - before


def test_no_gradient_is_kept_between_steps(trained: Any) -> None:
    _, step, size = trained
    held, peak = held_and_peak_of(step)
    assert peak >= 0.9 * size  # the gradients
    assert held <= 0.01 * size


def test_evaluation_between_steps_takes_activations_alone(trained: Any) -> None:
    net, step, size = trained
    model = ms.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 1e-3, 0.9), metrics={"loss"})
    rows = [(np.ones((1, WIDTH), np.float32),) * 2] * 4
    data = ms.dataset.GeneratorDataset(rows, ["x", "y"], shuffle=False)
    model.eval(data)
    held, peak = held_and_peak_of(lambda: model.eval(data))
    assert held <= 0.01 * size
    assert peak <= 0.1 * size
    step()
    assert held_and_peak_of(step)[0] <= 0.01 * size


@pytest.mark.parametrize("async_save", [False, True, "process"])
def test_a_checkpoint_is_saved_without_a_copy_on_the_device(trained: Any, tmp_path: Path, async_save: Any) -> None:
    net, _, size = trained

    def save() -> None:
        ms.save_checkpoint(net, str(tmp_path / "net.ckpt"), async_save=async_save)
        while ms.async_ckpt_thread_status():
            time.sleep(0.01)

    save()
    held, peak = held_and_peak_of(save)
    assert held <= 0.01 * size
    assert peak <= 2 * size / LAYERS


class Operators(TorchDispatchMode):
    """Counts torch's operators below autograd, but for `detach`."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func is not torch.ops.aten.detach.default
        return func(*args, **(kwargs or {}))


#: operators that a loss scale may add to a step of Momentum and Adam: unscaling in portions, the overflow, the scale
MOST = {"Momentum": 38, "Adam": 40, "AdamWeightDecay": 38, "RMSProp": 38, "Lamb": 38, "experimental AdamW": 38}


@pytest.mark.parametrize("name", MOST)
def test_a_loss_scale_adds_few_operators(name: str) -> None:
    counts = []
    for scaled in (False, True):
        step, x = step_of(name, scaled)[1:]
        for _ in range(4):
            step(x, x)
        with Operators() as operators:
            step(x, x)
        counts.append(operators.count)

    assert counts[1] - counts[0] <= MOST[name]
