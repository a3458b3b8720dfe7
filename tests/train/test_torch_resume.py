"""Resuming a TorchTrainStep in odd places: ends of runs and epochs, generators of the data, losses with weights, nested
schedulers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.optim import lr_scheduler as schedulers
from torch.utils.data import DataLoader, TensorDataset

import mindspore_compat as ms
from mindspore_compat import Model
from mindspore_compat.train import LambdaCallback, TorchTrainStep

Made = tuple[TorchTrainStep, Any]


def made(
    scheduler: Any = None,
    interval: str = "step",
    loss_fn: Any = None,
    generator: bool = False,
    optimizer: Any = None,
    **options: Any,
) -> Made:
    torch.manual_seed(0)
    x, y = torch.randn(28, 4), torch.randint(0, 3, (28,))
    data = DataLoader(
        TensorDataset(x, y), 8, shuffle=True, generator=torch.Generator().manual_seed(1) if generator else None
    )
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 3))
    loss_fn = loss_fn or torch.nn.CrossEntropyLoss()
    optimizer = (optimizer or torch.optim.AdamW)([*net.parameters(), *loss_fn.parameters()], 1e-2)
    return TorchTrainStep(
        net, loss_fn, optimizer, scheduler=scheduler and scheduler(optimizer), interval=interval, **options
    ), data


def mindspore_data() -> Any:
    ms.set_seed(3)
    step, loader = made()
    x, y = loader.dataset.tensors
    return step, ms.dataset.NumpySlicesDataset((x.numpy(), y.numpy()), ["x", "y"], shuffle=True).batch(8)


def everything(step: TorchTrainStep) -> dict[str, torch.Tensor]:
    return {
        **{name: tensor.clone() for name, tensor in step.checkpoint_targets()},
        "rate": torch.tensor(step.optimizer.param_groups[0]["lr"]),
    }


def resumed(make: Callable[[], Made], file: Path, epochs: int) -> dict[str, torch.Tensor]:
    step, data = make()
    torch.rand(7)
    assert ms.load_param_into_net(step, ms.load_checkpoint(str(file))) == ([], [])
    Model(step).train(epochs, data, initial_epoch=step.resume())
    return everything(step)


def check(
    make: Callable[[], Made], folder: Path, stop: int, config: Any = None, callbacks: tuple[Any, ...] = ()
) -> None:
    """Every checkpoint of a run that ends after ``stop`` epochs leads to what a run of 4 comes to."""
    step, data = make()
    Model(step).train(4, data)
    expected = everything(step)
    step, data = make()
    saver = ms.ModelCheckpoint("r", str(folder), config or ms.CheckpointConfig(1, keep_checkpoint_max=100))
    Model(step).train(stop, data, callbacks=[*callbacks, saver])
    files = sorted(folder.glob("*.ckpt"))
    assert files
    for file in files:
        found = resumed(make, file, 4)
        assert found.keys() == expected.keys()
        assert all(torch.equal(found[name], expected[name]) for name in expected), file.name


def exponential(optimizer: Any) -> Any:
    return schedulers.ExponentialLR(optimizer, 0.5)


class Weighted(torch.nn.Module):
    """A loss that learns."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, outputs: Any, labels: Any) -> Any:
        return torch.nn.functional.cross_entropy(outputs * self.weight, labels)


def test_a_run_that_ended_goes_on_with_the_next_epoch(tmp_path: Path) -> None:
    """The last checkpoint is written behind the last epoch's end: its scheduler has moved on already."""
    check(lambda: made(exponential, "epoch", accumulate=3), tmp_path, 2, ms.CheckpointConfig(3))


def test_a_run_stopped_within_an_epoch_goes_on_there(tmp_path: Path) -> None:
    stop = LambdaCallback(on_train_step_end=lambda c: c.request_stop() if c.original_args().cur_step_num == 6 else None)
    check(lambda: made(exponential, "epoch", accumulate=4), tmp_path, 4, ms.CheckpointConfig(100), (stop,))
    assert [file.name for file in tmp_path.glob("*.ckpt")] == ["r-2_2.ckpt"]


def test_a_checkpoint_between_epochs_has_the_next_order_of_a_mindspore_dataset(tmp_path: Path) -> None:
    check(mindspore_data, tmp_path, 2, ms.CheckpointConfig(3))


def test_a_loader_s_own_generator_goes_on(tmp_path: Path) -> None:
    check(lambda: made(generator=True), tmp_path, 3)


def test_a_loss_function_s_weights_are_kept(tmp_path: Path) -> None:
    check(lambda: made(loss_fn=Weighted()), tmp_path, 2)
    assert {"loss_fn.weight", "exp_avg.loss_fn.weight"} <= set(ms.load_checkpoint(str(tmp_path / "r-2_1.ckpt")))


def test_milestones_in_a_chain_are_counted_again(tmp_path: Path) -> None:
    def chain(optimizer: Any) -> Any:
        return schedulers.SequentialLR(
            optimizer, [schedulers.LinearLR(optimizer, 0.1, 1.0, 5), schedulers.MultiStepLR(optimizer, [2, 2, 4])], [6]
        )

    check(lambda: made(chain), tmp_path, 3)


def test_weights_that_checkpoints_do_not_hold_are_told(caplog: pytest.LogCaptureFixture) -> None:
    net = torch.nn.Linear(4, 3)
    TorchTrainStep(net, torch.nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), 0.1))
    assert not caplog.records
    TorchTrainStep(
        net, torch.nn.CrossEntropyLoss(), torch.optim.SGD([*net.parameters(), torch.ones(3, requires_grad=True)], 0.1)
    )
    assert "neither the network's nor the loss function's: checkpoints do not hold them" in caplog.text


def test_another_optimizer_s_state_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    step, data = made()
    Model(step).train(1, data)
    ms.save_checkpoint(step, str(tmp_path / "net.ckpt"))
    values = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    other, _ = made(optimizer=torch.optim.SGD)
    before = everything(other)
    with pytest.raises(ValueError):
        ms.load_param_into_net(other, values)
    after = everything(other)
    assert before.keys() == after.keys() and all(torch.equal(before[name], after[name]) for name in before)
    ms.load_param_into_net(other.network, values)
    assert torch.equal(other.network[0].weight, step.network[0].weight) and not other.optimizer.state


@pytest.mark.parametrize("optimizer", [torch.optim.RMSprop, torch.optim.Adam, torch.optim.Adadelta, torch.optim.SGD])
def test_a_layer_left_out_does_not_get_an_optimizer_s_state(optimizer: Any, tmp_path: Path) -> None:
    step, data = made(
        optimizer=lambda parameters, rate: optimizer(
            parameters, rate, **({"momentum": 0.9} if optimizer is torch.optim.SGD else {})
        )
    )
    Model(step).train(1, data)
    ms.save_checkpoint(step, str(tmp_path / "net.ckpt"))
    values = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    del values["2.weight"], values["2.bias"]
    net = made()[0].network
    kept = net[2].weight.clone()
    assert ms.load_param_into_net(net, values)[0] == ["2.weight", "2.bias"]
    assert torch.equal(net[2].weight, kept) and torch.equal(net[0].weight, step.network[0].weight)


def test_without_resume_gradients_that_waited_are_left(tmp_path: Path) -> None:
    step, data = made(accumulate=3)
    Model(step).train(1, data, callbacks=ms.ModelCheckpoint("r", str(tmp_path), ms.CheckpointConfig(1)))
    values = ms.load_checkpoint(str(tmp_path / "r-1_2.ckpt"))
    assert "accumulated.0.weight" in values
    found = []
    for names in (set(values), {name for name in values if not name.startswith("accumulated.")}):
        again, data = made(accumulate=3)
        ms.load_param_into_net(again, {name: values[name] for name in names})
        torch.manual_seed(4)
        Model(again).train(1, data)
        found.append(everything(again))
    assert all(torch.equal(found[0][name], found[1][name]) for name in found[0])
