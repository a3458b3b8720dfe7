"""Cells where torch expects modules: its loops, optimizers, GradScaler, state dicts, Lightning; and torch optimizers in
MindSpore's training Cells.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

cross_entropy = torch.nn.functional.cross_entropy
LOSS = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def weights() -> list[np.ndarray]:
    rng = np.random.RandomState(0)
    return [
        rng.randn(8, 4).astype(np.float32),
        rng.randn(8).astype(np.float32),
        rng.randn(3, 8).astype(np.float32),
        rng.randn(3).astype(np.float32),
    ]


def cell() -> Any:
    net = nn.SequentialCell([nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 3)]).set_train()
    for parameter, value in zip(net.get_parameters(), weights(), strict=True):
        parameter.set_data(Tensor(value))
    return net


def module() -> torch.nn.Module:
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    with torch.no_grad():
        for parameter, value in zip(net.parameters(), weights(), strict=True):
            parameter.copy_(torch.from_numpy(value))
    return net


def batches() -> list[tuple[torch.Tensor, torch.Tensor]]:
    rng = np.random.RandomState(1)
    return [
        (torch.from_numpy(rng.randn(6, 4).astype(np.float32)), torch.from_numpy(rng.randint(0, 3, 6))) for _ in range(5)
    ]


def loop(net: Any, scaled: bool = False, optimizer: Any = None) -> list[float]:
    """A loop in torch."""
    optimizer = optimizer or torch.optim.AdamW(net.parameters(), 0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40, growth_interval=2, enabled=scaled)
    losses = []
    for x, y in batches():
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=scaled):
            outputs = net(x)
        loss = cross_entropy(outputs.float(), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses


@pytest.mark.cpu_only("a loop of torch's own, whose tensors are on the CPU")
@pytest.mark.parametrize("scaled", [False, True])
def test_a_loop_of_torch_trains_a_cell_as_a_module(scaled: bool) -> None:
    assert loop(cell(), scaled) == pytest.approx(loop(module(), scaled), rel=1e-6)


@pytest.mark.cpu_only("a loop of torch's own, whose tensors are on the CPU")
@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam", "Adadelta", "Rprop", "Adamax", "RAdam", "ASGD"]
)
def test_optimizers_of_torch_on_a_cell(name: str) -> None:
    one, other = cell(), module()
    make = getattr(torch.optim, name)
    assert loop(one, optimizer=make(one.parameters(), lr=0.01)) == pytest.approx(
        loop(other, optimizer=make(other.parameters(), lr=0.01)), rel=1e-6
    )


@pytest.mark.cpu_only("a loop of torch's own, whose tensors are on the CPU")
def test_state_dicts_of_a_cell(tmp_path: Path) -> None:
    net = cell()
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    loop(net, optimizer=optimizer)
    torch.save(
        {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "parameter": net[0].weight}, tmp_path / "all.pt"
    )
    found = torch.load(tmp_path / "all.pt")  # weights_only is torch's default
    again = cell()
    again.load_state_dict(found["net"])
    fresh = torch.optim.Adam(again.parameters(), 0.01)
    fresh.load_state_dict(found["optimizer"])
    assert isinstance(found["parameter"], ms.Parameter) and found["parameter"].name == net[0].weight.name
    assert loop(net, optimizer=optimizer) == loop(again, optimizer=fresh)


@pytest.mark.cpu_only("a loop of torch's own, whose tensors are on the CPU")
def test_model_trains_a_cell_with_an_optimizer_of_torch_at_a_level() -> None:
    data = [(Tensor(x), Tensor(y.to(torch.int32))) for x, y in batches()]
    net = cell()
    model = ms.Model(
        net,
        LOSS,
        torch.optim.SGD(net.parameters(), 0.1),
        amp_level="O2",
        loss_scale_manager=ms.FixedLossScaleManager(1024.0),
    )
    seen: list[Any] = []
    model.train(
        1, data, callbacks=ms.LambdaCallback(on_train_step_end=lambda c: seen.append(c.original_args().net_outputs))
    )
    other = cell()
    step = ms.amp.build_train_network(
        other, nn.SGD(other.trainable_params(), 0.1), LOSS, "O2", loss_scale_manager=ms.FixedLossScaleManager(1024.0)
    )
    expected = [step(*batch) for batch in data]
    assert [[float(part) for part in outputs] for outputs in seen] == [
        [float(part) for part in outputs] for outputs in expected
    ]


class Clipping(nn.TrainOneStepCell):
    """As scripts write their own steps."""

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        gradients = self.grad_no_sens(self.network, self.weights)(*inputs)
        self.optimizer(ops.clip_by_global_norm(self.grad_reducer(gradients), 1.0))
        return loss


@pytest.mark.cpu_only("a loop of torch's own, whose tensors are on the CPU")
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("body", [cell, module])
@pytest.mark.parametrize("step_class", [Clipping, nn.TrainOneStepCell])
def test_training_cells_take_torch_modules_and_optimizers(mode: int, body: Any, step_class: Any) -> None:
    ms.set_context(mode=mode)
    try:
        net = body()
        step = step_class(nn.WithLossCell(net, LOSS), torch.optim.AdamW(net.parameters(), 0.01))
        found = [float(step(Tensor(x), Tensor(y.to(torch.int32)))) for x, y in batches()]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    plain, expected = module(), []
    optimizer = torch.optim.AdamW(plain.parameters(), 0.01)
    for x, y in batches():
        optimizer.zero_grad()
        loss = cross_entropy(plain(x), y)
        loss.backward()
        if step_class is Clipping:
            torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
        optimizer.step()
        expected.append(loss.item())
    assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.cpu_only("a loop of torch's own, whose tensors are on the CPU")
def test_a_scaled_training_cell_takes_an_optimizer_of_torch() -> None:
    net, other = module(), module()
    step = nn.TrainOneStepWithLossScaleCell(
        nn.WithLossCell(net, LOSS), torch.optim.SGD(net.parameters(), 0.1), nn.DynamicLossScaleUpdateCell(64, 2, 2)
    )
    found = [float(step(Tensor(x), Tensor(y.to(torch.int32)))[0]) for x, y in batches()]
    plain = nn.TrainOneStepCell(nn.WithLossCell(other, LOSS), torch.optim.SGD(other.parameters(), 0.1))
    assert found == pytest.approx([float(plain(Tensor(x), Tensor(y.to(torch.int32)))) for x, y in batches()], rel=1e-6)


def _loader() -> DataLoader:
    x, y = (torch.cat(parts) for parts in zip(*batches()))
    return DataLoader(TensorDataset(x, y), batch_size=6)


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_fabric_of_lightning(precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # importing Fabric sets it
    fabric_package = pytest.importorskip("lightning_fabric")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fabric = fabric_package.Fabric(accelerator="cpu", devices=1, precision=precision)
        fabric.launch()
        net = cell()
        wrapped, optimizer = fabric.setup(net, torch.optim.AdamW(net.parameters(), 0.01))
        losses = []
        for x, y in fabric.setup_dataloaders(_loader()):
            optimizer.zero_grad()
            loss = cross_entropy(wrapped(x).float(), y)
            fabric.backward(loss)
            fabric.clip_gradients(wrapped, optimizer, max_norm=1.0)
            optimizer.step()
            losses.append(loss.item())
        fabric.save(tmp_path / "f.ckpt", {"net": wrapped, "optimizer": optimizer})
        fabric.load(tmp_path / "f.ckpt", {"net": wrapped, "optimizer": optimizer})
    again, expected = module(), []
    plain = torch.optim.AdamW(again.parameters(), 0.01)
    for x, y in batches():
        plain.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=precision != "32-true"):
            outputs = again(x)
        loss = cross_entropy(outputs.float(), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(again.parameters(), 1.0)
        plain.step()
        expected.append(loss.item())
    assert losses == pytest.approx(expected, rel=1e-5)


class Around(nn.Cell):
    """Methods whose meaning differs between MindSpore and torch, after a torch module."""

    def __init__(self, body: torch.nn.Module) -> None:
        super().__init__()
        self.body = body

    def construct(self, x: Any) -> Any:
        y = self.body(x)
        return y.std(), y.expand_dims(0), y.transpose(0, 2, 1)


class Joined(torch.nn.Module):
    def forward(self, first: list[torch.Tensor], other: torch.Tensor) -> torch.Tensor:
        return torch.cat([*first, other])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_torch_module_in_a_cell_gives_tensors_for_tensors(mode: int) -> None:
    body = torch.nn.Sequential(torch.nn.Conv1d(2, 3, 1), torch.nn.GELU())
    net, values = Around(body), np.random.RandomState(0).randn(2, 2, 5).astype("float32")
    ms.set_context(mode=mode)
    try:
        std, first, turned = net(Tensor(values))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    expected = body(torch.from_numpy(values).to(body[0].weight.device)).detach().cpu()
    assert type(expected) is torch.Tensor
    assert type(Around(Joined()).body([Tensor(values)], other=Tensor(values))) is Tensor
    assert std.asnumpy() == pytest.approx(float(expected.std(correction=0)))
    assert (tuple(first.shape), tuple(turned.shape)) == ((1, 2, 3, 5), (2, 5, 3))
