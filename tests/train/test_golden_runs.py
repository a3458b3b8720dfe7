"""Whole runs of real MindSpore, repeated and resumed here."""

from __future__ import annotations

import numpy as np
import pytest

from mindspore_compat import (
    Callback,
    CheckpointConfig,
    Model,
    ModelCheckpoint,
    load_checkpoint,
    load_param_into_net,
    nn,
)
from tests.support.upstream import GOLDEN, LeNet5, Small, batches, read_json, xent

RTOL = 1e-5


class Losses(Callback):
    def __init__(self) -> None:
        self.values: list[float] = []

    def step_end(self, run_context) -> None:
        self.values.append(float(run_context.original_args().net_outputs))


def _lenet_optimizer(name: str, net: nn.Cell) -> nn.Optimizer:
    if name == "momentum":
        return nn.Momentum(net.trainable_params(), 0.02, 0.9, weight_decay=1e-4)
    return nn.Adam(net.trainable_params(), 0.002)


@pytest.mark.parametrize("name", ["momentum", "adam"])
def test_lenet_trains_as_upstream_and_writes_its_checkpoints(name: str, tmp_path) -> None:
    record = read_json(f"train/{name}/trajectory.json")
    net, losses = LeNet5(), Losses()
    load_checkpoint(str(GOLDEN / "train/init.ckpt"), net)
    model = Model(net, xent(), _lenet_optimizer(name, net))
    config = CheckpointConfig(6, append_info=["epoch_num", "step_num", {"lr": record["learning_rate"]}])
    saver = ModelCheckpoint("lenet", str(tmp_path), config)
    model.train(2, batches("train/data.npz", 8), callbacks=[losses, saver])
    np.testing.assert_allclose(losses.values, record["losses"], rtol=RTOL)
    assert sorted(item.name for item in tmp_path.iterdir()) == [
        name for name in sorted(record["files_written"]) if name.endswith(".ckpt")
    ]
    ours, real = (
        load_checkpoint(str(tmp_path / "lenet-1_6.ckpt")),
        load_checkpoint(str(GOLDEN / f"train/{name}/lenet-1_6.ckpt")),
    )
    assert list(ours) == list(real)
    for key, value in real.items():
        assert ours[key].dtype is value.dtype and ours[key].shape == value.shape
        np.testing.assert_allclose(ours[key].asnumpy(), value.asnumpy(), rtol=1e-4, atol=1e-6, err_msg=key)


@pytest.mark.parametrize("name", ["momentum", "adam"])
def test_lenet_resumes_from_a_real_checkpoint(name: str) -> None:
    record = read_json(f"train/{name}/trajectory.json")
    net = LeNet5()
    train_network = Model(net, xent(), _lenet_optimizer(name, net)).train_network
    missing, unused = load_param_into_net(
        train_network, load_checkpoint(str(GOLDEN / f"train/{name}/lenet-1_6.ckpt")), strict_load=True
    )
    assert missing == [] and unused == ["epoch_num", "step_num", "lr"]
    data = batches("train/data.npz", 8)
    losses = [float(train_network(*data[step])) for step in [6, 7, *range(8)]]
    np.testing.assert_allclose(losses, record["losses"][6:], rtol=RTOL)


OPTIMIZERS = {
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9),
    "SGD_momentum": lambda p: nn.SGD(p, 0.1, momentum=0.9, weight_decay=0.01),
    "Adam": lambda p: nn.Adam(p, 0.01),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_resume_from_a_real_checkpoint(name: str) -> None:
    net = Small()
    train_network = Model(net, xent(), OPTIMIZERS[name](net.trainable_params())).train_network
    assert load_param_into_net(
        train_network, load_checkpoint(str(GOLDEN / f"optim/{name}.step3.ckpt")), strict_load=True
    ) == ([], [])
    losses = [float(train_network(x, y)) for x, y in batches("optim/data.npz", 4)]
    np.testing.assert_allclose(losses, read_json("optim/runs.json")["runs"][name]["losses"][3:], rtol=RTOL)
    real = load_checkpoint(str(GOLDEN / f"optim/{name}.step6.ckpt"))
    for parameter in train_network.get_parameters():
        np.testing.assert_allclose(
            parameter.asnumpy(), real[parameter.name].asnumpy(), rtol=1e-4, atol=1e-6, err_msg=parameter.name
        )


def test_checkpoint_names_over_runs_in_one_folder(tmp_path) -> None:
    """The eleven runs of naming.json, as far as the plain format goes."""
    record = read_json("train/naming.json")
    data = batches("optim/data.npz", 4)

    def run(prefix: str, epochs: int, config: CheckpointConfig, stop_at: int = 0) -> list[str]:
        class Stop(Callback):
            def step_end(self, run_context) -> None:
                if run_context.original_args().cur_step_num == stop_at:
                    raise KeyError("stop")

        before = set(tmp_path.iterdir())
        net = Small()
        model = Model(net, xent(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
        saver = ModelCheckpoint(prefix, str(tmp_path), config)
        try:
            model.train(epochs, data, callbacks=[saver, Stop()])
        except KeyError:
            pass
        return sorted(item.name for item in set(tmp_path.iterdir()) - before)

    def expected(number: int) -> list[str]:
        return next(value for key, value in record.items() if key.startswith(f"{number}:"))

    every_two = dict(save_checkpoint_steps=2)
    for number, prefix in ((1, "c"), (2, "c"), (3, "c"), (4, "c_1"), (5, "ca")):
        assert run(prefix, 1, CheckpointConfig(**every_two)) == expected(number), number
    for number in (6, 7):
        assert run("e", 1, CheckpointConfig(3, exception_save=True), stop_at=2) == expected(number), number
    assert run("e", 1, CheckpointConfig(3)) == expected(8)
    assert run("k", 2, CheckpointConfig(1, keep_checkpoint_max=2)) == expected(10)
    assert run("z", 1, CheckpointConfig(0, 0, 5)) == expected(11)
