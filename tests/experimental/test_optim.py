"""``mindspore.experimental.optim`` against real MindSpore and torch, and where training programs use it."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat.experimental import optim
from mindspore_compat.mint import optim as mint_optim
from tests.support.oracle import oracle_python

PROGRAM = Path(__file__).with_name("optim_program.py")
ROOT = Path(__file__).parents[2]


def _run(tmp_path: Path, mode: int, real: bool) -> dict[str, Any]:
    file = tmp_path / f"{mode}{real}.json"
    environment = {**os.environ, "GLOG_v": "3"}
    environment.pop("PYTHONPATH", None)
    command = [str(oracle_python())] if real else [sys.executable, "-m", "mindspore_compat"]
    if not real:
        environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        [*command, str(PROGRAM), str(file), str(mode)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(file.read_text())


@functools.cache
def _real() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        return _run(Path(folder), 1, True)


def _compare(ours: Any, real: Any, where: str) -> None:
    if isinstance(real, dict):
        assert ours.keys() == real.keys(), where
        for key in real:
            _compare(ours[key], real[key], f"{where}/{key}")
    elif isinstance(real, list) and real and not isinstance(real[0], (str, dict)):
        assert len(ours) == len(real), where
        for number, (one, other) in enumerate(zip(ours, real)):
            _compare(one, other, f"{where}[{number}]")
    elif isinstance(real, float):
        # float32 over six steps; states that are quotients of small numbers carry a larger error of both
        assert ours == pytest.approx(real, rel=1e-6 if "/state" not in where else 5e-5, abs=1e-6), where
    elif not str(real).endswith("Error"):
        assert ours == real, where


@pytest.mark.oracle
@pytest.mark.parametrize("mode", [0, 1])
def test_optimizers_and_schedulers_step_as_real_ones(tmp_path: Path, mode: int) -> None:
    real = _real()  # both modes of upstream run the same compiled update
    ours = _run(tmp_path, mode, False)
    assert len(real) > 100
    _compare(ours, real, "")


SHAPES = ((3, 4), (5,))
SAME_AS_TORCH = [
    (optim, "Adadelta", dict(lr=0.5, rho=0.8, eps=1e-5, weight_decay=0.1)),
    (optim, "Adagrad", dict(lr=0.1, lr_decay=0.3, weight_decay=0.1, eps=1e-3)),
    (optim, "AdamW", dict(lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1, amsgrad=True)),
    (optim, "Adamax", dict(lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1, maximize=True)),
    (optim, "NAdam", dict(lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)),
    (optim, "RMSprop", dict(lr=0.1, alpha=0.9, eps=1e-3, weight_decay=0.1, momentum=0.5, centered=True)),
    (optim, "Rprop", dict(lr=0.1, etas=(0.4, 1.3), step_sizes=(1e-3, 1.0))),
    (optim, "SGD", dict(lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.1, maximize=True)),
    (mint_optim, "SGD", dict(lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.1, maximize=True)),
    (mint_optim, "SGD", dict(lr=0.1, momentum=0.9, nesterov=True)),
    (mint_optim, "SGD", dict(lr=0.1)),
    (mint_optim, "Adam", dict(lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)),
    (mint_optim, "Adam", dict(lr=0.1, amsgrad=True, maximize=True)),
    (mint_optim, "AdamW", dict(lr=0.1, betas=(0.8, 0.9), weight_decay=0.1)),
    (mint_optim, "AdamW", dict(lr=0.1, amsgrad=True, maximize=True)),
    (mint_optim, "FusedAdamW", dict(lr=0.1, amsgrad=True)),
]


@pytest.mark.parametrize(("module", "name", "options"), SAME_AS_TORCH)
def test_steps_are_those_of_torch(module: Any, name: str, options: dict[str, Any]) -> None:
    random = np.random.RandomState(0)
    values = [random.randn(*shape).astype("float32") for shape in SHAPES]
    mine = [Parameter(Tensor(value), name=f"p{number}") for number, value in enumerate(values)]
    theirs = [torch.nn.Parameter(torch.tensor(value)) for value in values]
    optimizer = getattr(module, name)([dict(params=mine[:1]), dict(params=mine[1:], lr=0.02)], **options)
    reference = getattr(torch.optim, name.removeprefix("Fused"))(
        [dict(params=theirs[:1]), dict(params=theirs[1:], lr=0.02)], **options
    )
    for _ in range(7):
        gradients = [random.randn(*shape).astype("float32") for shape in SHAPES]
        for parameter, gradient in zip(theirs, gradients):
            parameter.grad = torch.tensor(gradient)
        reference.step()
        assert optimizer(tuple(Tensor(gradient) for gradient in gradients)) is True
        for parameter, other in zip(mine, theirs):
            np.testing.assert_allclose(parameter.asnumpy(), other.detach().numpy(), rtol=2e-5, atol=2e-6)


def test_mint_sgd_follows_a_scheduler() -> None:
    parameter = Parameter(Tensor([1.0]), name="p")
    optimizer = mint_optim.SGD([parameter], lr=0.5)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    scheduler.step()
    optimizer((Tensor([1.0]),))
    assert parameter.asnumpy() == pytest.approx(0.75)


def test_a_float_in_the_place_of_the_rate_counts() -> None:
    parameter = Parameter(Tensor([1.0]), name="p")
    optimizer = optim.SGD([parameter], lr=0.5)
    optimizer.param_groups[0]["lr"] = 0.25
    optimizer((Tensor([1.0]),))
    assert parameter.asnumpy() == pytest.approx(0.75)


def _losses(mode: int, make: Any, jitted: bool = False, scale: float = 1.0) -> tuple[list[float], Any, Any]:
    ms.set_context(mode=mode)
    try:
        ms.set_seed(3)
        net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1))
        optimizer = make(net.trainable_params())
        scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)
        compute = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean() * scale, None, optimizer.parameters)

        def step(x: Tensor, y: Tensor) -> Tensor:
            loss, gradients = compute(x, y)
            optimizer(tuple(gradient / scale for gradient in gradients))
            return loss / scale

        run = ms.jit(step) if jitted else step
        random = np.random.RandomState(0)
        losses = []
        for _ in range(8):
            x = random.randn(6, 4).astype("float32")
            losses.append(float(run(Tensor(x), Tensor(x.sum(1, keepdims=True)))))
            scheduler.step()
        return losses, net, optimizer
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RAdam", "ASGD", "NAdam", "Rprop"])
def test_training_is_the_same_in_both_modes_and_under_jit(name: str) -> None:
    def make(parameters: Any) -> Any:
        return getattr(optim, name)(parameters, lr=0.05)

    expected = _losses(ms.PYNATIVE_MODE, make)[0]
    assert expected[-1] < expected[0]
    assert _losses(ms.GRAPH_MODE, make)[0] == pytest.approx(expected, rel=1e-5)
    assert _losses(ms.PYNATIVE_MODE, make, jitted=True)[0] == pytest.approx(expected, rel=1e-5)
    assert _losses(ms.PYNATIVE_MODE, make, scale=1024.0)[0] == pytest.approx(expected, rel=1e-4)


def test_train_one_step_cells_replay_with_changed_rates() -> None:
    def losses(mode: int, scaled: bool) -> list[float]:
        ms.set_context(mode=mode)
        try:
            ms.set_seed(3)
            net = nn.WithLossCell(nn.Dense(4, 1), nn.MSELoss())
            optimizer = optim.AdamW(net.trainable_params(), lr=0.1)
            scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
            if scaled:
                manager = nn.DynamicLossScaleUpdateCell(1024.0, 2, 3)
                train: Any = nn.TrainOneStepWithLossScaleCell(net, optimizer, manager)
            else:
                train = nn.TrainOneStepCell(net, optimizer)
            random = np.random.RandomState(0)
            found = []
            for _ in range(8):
                x = random.randn(6, 4).astype("float32")
                out = train(Tensor(x), Tensor(x.sum(1, keepdims=True)))
                found.append(float(out[0] if scaled else out))
                scheduler.step()
            return found
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)

    expected = losses(ms.PYNATIVE_MODE, False)
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        assert losses(mode, False) == pytest.approx(expected, rel=1e-5)
        assert losses(mode, True) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", ["Adam", "SGD", "RMSprop"])
def test_a_checkpoint_resumes_exactly(tmp_path: Path, name: str) -> None:
    def make(value: float) -> tuple[Parameter, Any]:
        parameter = Parameter(Tensor([value, 2.0]), name="p")
        extra = {"momentum": 0.9} if name != "Adam" else {}
        return parameter, getattr(optim, name)([parameter], lr=0.1, **extra)

    gradients = [Tensor(np.array([step, -1.0], "float32")) for step in range(1, 7)]
    parameter, optimizer = make(1.0)
    for gradient in gradients[:3]:
        optimizer((gradient,))
    file = str(tmp_path / "o.ckpt")
    ms.save_checkpoint(optimizer, file)
    for gradient in gradients[3:]:
        optimizer((gradient,))
    other, resumed = make(5.0)
    assert ms.load_param_into_net(resumed, ms.load_checkpoint(file)) == ([], [])
    for gradient in gradients[3:]:
        resumed((gradient,))
    np.testing.assert_array_equal(other.asnumpy(), parameter.asnumpy())


def test_a_subclass_of_the_user_steps() -> None:
    class Own(optim.Optimizer):
        def __init__(self, params: Any, lr: float) -> None:
            super().__init__(params, dict(lr=lr))

        def construct(self, gradients: Any) -> None:
            for number, group in enumerate(self.param_groups):
                start = self.group_start_id[number]
                for position, parameter in enumerate(group["params"]):
                    ms.ops.assign(parameter, parameter - gradients[start + position] * group["lr"])

    first, second = Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([1.0]), name="b")
    optimizer = Own([first], 0.5)
    optimizer.add_param_group({"params": second, "lr": 0.25})
    optimizer((Tensor([1.0]), Tensor([1.0])))
    assert [first.asnumpy()[0], second.asnumpy()[0]] == [0.5, 0.75]


def test_wrong_gradients_and_groups_are_refused() -> None:
    parameter = Parameter(Tensor([1.0]), name="p")
    optimizer = optim.Adam([parameter])
    with pytest.raises(RuntimeError):
        optimizer((Tensor([1.0]), Tensor([1.0])))
    with pytest.raises(ValueError):
        optimizer.add_param_group({"params": [parameter]})
    with pytest.raises(ValueError):
        mint_optim.FusedAdamW(
            [dict(params=[parameter], amsgrad=True), dict(params=[Parameter(Tensor([1.0]), name="q")])]
        )
    with pytest.raises(KeyError):
        optim.lr_scheduler.StepLR(optimizer, 2, last_epoch=3)


def test_an_optimizer_prints_its_groups_as_upstream() -> None:
    weights = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 1)).trainable_params()
    groups = [{"params": weights[:2], "lr": 0.9}, {"params": weights[2:], "lr": 0.66}]
    lines = str(optim.Adadelta(groups)).splitlines()
    assert lines[0] == "Adadelta (" and lines[-1] == ")"
    assert lines[7:10] == ["", "Parameter Group 1", "    eps: 1e-06"]
    assert [line for line in lines if "lr" in line] == ["    lr: 0.9", "    lr: 0.66"]
