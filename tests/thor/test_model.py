"""`thor` under `Model` and `ModelThor`: schedules, sinking, loss scale, mixed precision, evaluation, torch modules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Tensor, nn
from mindspore_compat.train.callback import Callback
from mindspore_compat.train.train_thor import ConvertModelUtils
from mindspore_compat.train.train_thor.model_thor import ModelThor
from tests.support.processes import run_script
from tests.thor.networks import BATCH, make_data
from tests.thor.ours import make_net, make_thor, trainable

STEPS = 6


def dataset(case: str = "dense", steps: int = STEPS) -> Any:
    batches = [make_data(case, step) for step in range(steps)]
    x, y = (np.concatenate(items) for items in zip(*batches))
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(BATCH)


def constant(value: float, steps: int = 40) -> np.ndarray:
    return np.full(steps, value, np.float32)


def cross_entropy() -> Any:
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def make_model(case: str = "dense", scale: float = 1.0, frequency: int = 3, **options: Any) -> tuple[Any, Any, Any]:
    net = make_net(case)
    optimizer = make_thor(net, constant(0.01), dampings=constant(0.03), loss_scale=scale, frequency=frequency)
    loss, arguments = cross_entropy(), {"metrics": {"acc"}, **options}
    model = ms.Model(net, loss_fn=loss, optimizer=optimizer, **arguments)
    return (
        net,
        optimizer,
        ConvertModelUtils.convert_to_thor_model(model, net, loss_fn=loss, optimizer=optimizer, **arguments),
    )


class Watcher(Callback):
    """Which steps were of second order, and when callbacks came."""

    def __init__(self, optimizer: Any) -> None:
        super().__init__()
        self.optimizer, self.orders, self.steps = optimizer, [], []

    def on_train_step_begin(self, run_context: Any) -> None:
        self.orders.append(self.optimizer.thor)

    def on_train_step_end(self, run_context: Any) -> None:
        self.steps.append(run_context.original_args().cur_step_num)


@pytest.mark.parametrize("sink", [{}, {"dataset_sink_mode": True}, {"dataset_sink_mode": True, "sink_size": 4}])
def test_one_schedule_with_and_without_sinking(sink: dict) -> None:
    _, optimizer, model = make_model(frequency=4)
    watcher = Watcher(optimizer)
    model.train(2, dataset(), callbacks=[watcher], **sink)
    count = 8 if "sink_size" in sink else 2 * STEPS
    assert watcher.orders == [step % 4 == 0 for step in range(count)]
    assert watcher.steps == list(range(1, count + 1))


def test_a_plain_model_has_the_same_schedule() -> None:
    net = make_net("dense")
    optimizer = make_thor(net, constant(0.01), dampings=constant(0.03), frequency=4)
    watcher = Watcher(optimizer)
    ms.Model(net, loss_fn=cross_entropy(), optimizer=optimizer).train(1, dataset(), callbacks=[watcher])
    converted, _, model = make_model(frequency=4)
    model.train(1, dataset())
    assert watcher.orders == [True, False, False, False, True, False]
    for name, value in trainable(net).items():
        np.testing.assert_array_equal(trainable(converted)[name], value)


def test_converted_model_is_a_model_thor_that_evaluates_and_predicts() -> None:
    net, _, model = make_model()
    assert type(model) is ModelThor
    model.train(3, dataset())
    assert 0 <= model.eval(dataset())["acc"] <= 1
    np.testing.assert_array_equal(
        model.predict(Tensor(make_data("dense", 0)[0])).asnumpy(), net(Tensor(make_data("dense", 0)[0])).asnumpy()
    )


def test_a_model_with_another_optimizer_is_returned_as_it_is() -> None:
    net = make_net("dense")
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    model = ms.Model(net, loss_fn=cross_entropy(), optimizer=optimizer)
    assert ConvertModelUtils.convert_to_thor_model(model, net, cross_entropy(), optimizer) is model
    assert ConvertModelUtils().convert_to_thor_model(model=model, network=net) is model


def test_a_training_cell_brings_its_own_optimizer() -> None:
    net = make_net("dense")
    optimizer = make_thor(net, constant(0.01), dampings=constant(0.03))
    cell = nn.TrainOneStepCell(nn.WithLossCell(net, cross_entropy()), optimizer)
    model = ConvertModelUtils.convert_to_thor_model(
        ms.Model(cell), cell, optimizer=optimizer, metrics={"acc"}, loss_fn=cross_entropy()
    )
    assert type(model) is ModelThor
    before = trainable(net)
    model.train(1, dataset())
    assert all(np.abs(value - before[name]).max() > 0 for name, value in trainable(net).items())
    assert int(optimizer.cov_step) == STEPS


@pytest.mark.parametrize("scale", [8.0, 128.0])
def test_a_fixed_loss_scale_changes_nothing(scale: float) -> None:
    plain, _, model = make_model()
    model.train(2, dataset())
    net, _, scaled = make_model(
        scale=scale, loss_scale_manager=ms.FixedLossScaleManager(scale, drop_overflow_update=False)
    )
    scaled.train(2, dataset())
    for name, value in trainable(plain).items():
        np.testing.assert_allclose(trainable(net)[name], value, rtol=0, atol=2e-6)


@pytest.mark.parametrize(
    "manager", [ms.FixedLossScaleManager(64.0, drop_overflow_update=True), ms.DynamicLossScaleManager(2**10, 2, 3)]
)
def test_a_loss_scale_that_the_step_takes_away_again_changes_nothing(manager: Any) -> None:
    plain, _, model = make_model()
    model.train(2, dataset())
    net, _, scaled = make_model(loss_scale_manager=manager)
    scaled.train(2, dataset())
    for name, value in trainable(plain).items():
        np.testing.assert_allclose(trainable(net)[name], value, rtol=0, atol=2e-6)


@pytest.mark.parametrize("case", ["dense", "conv"])
@pytest.mark.parametrize("level", ["O2", "O3"])
def test_mixed_precision_trains_close_to_float32(case: str, level: str) -> None:
    plain, _, model = make_model(case)
    model.train(1, dataset(case))
    manager = ms.FixedLossScaleManager(128, drop_overflow_update=False)
    net, optimizer, mixed = make_model(
        case, scale=128.0, amp_level=level, loss_scale_manager=manager, keep_batchnorm_fp32=level == "O2"
    )
    mixed.train(1, dataset(case))
    assert optimizer.failed_inversions == 0
    start = {item.name: item.asnumpy() for item in make_net(case).trainable_params()}
    for name, value in trainable(plain).items():
        if name != "conv1.bias":  # BatchNorm takes its gradient away
            moved = np.abs(value - start[name]).max()
            assert np.abs(trainable(net)[name] - value).max() <= 0.25 * moved, name


def test_an_overflow_skips_the_step_and_the_schedule_waits() -> None:
    _, optimizer, model = make_model(amp_level="O2", loss_scale_manager=ms.DynamicLossScaleManager(2**24, 2**6, 1000))
    watcher = Watcher(optimizer)
    model.train(1, dataset(), callbacks=[watcher])
    skipped = STEPS - int(optimizer.cov_step)
    assert skipped > 0
    assert watcher.orders[: skipped + 1] == [True] * (skipped + 1)
    assert optimizer.failed_inversions == 0


def test_a_torch_module_under_model_thor() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    optimizer = make_thor(module, constant(0.01), dampings=constant(0.03), frequency=4)
    model = ms.Model(module, loss_fn=cross_entropy(), optimizer=optimizer)
    model = ConvertModelUtils.convert_to_thor_model(
        model, module, loss_fn=cross_entropy(), optimizer=optimizer, metrics={"acc"}
    )
    assert type(model) is ModelThor
    before = {name: value.clone() for name, value in module.state_dict().items()}
    model.train(2, dataset())
    assert optimizer._step_number() == 2 * STEPS
    assert not any(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert "acc" in model.eval(dataset())


SAMPLE = """
import numpy as np
import mindspore.dataset as ds
from mindspore.common import dtype as mstype


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.bn = nn.BatchNorm2d(6)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(6 * 6 * 6, 150)
        self.fc2 = nn.Dense(150, 10)

    def construct(self, x):
        x = self.flatten(self.pool(self.relu(self.bn(self.conv(x)))))
        return self.fc2(self.relu(self.fc1(x)))


def create_dataset():
    random = np.random.RandomState(1)
    data = (random.randn(32, 1, 16, 16).astype(np.float32), random.randint(0, 10, 32).astype(np.int32))
    return ds.NumpySlicesDataset(data, ["image", "label"]).batch(8)

"""


def test_the_documented_sample_runs_as_printed(tmp_path: Path) -> None:
    printed = (Path(__file__).parent / "documented_sample.txt").read_text(encoding="utf-8")
    imports, _, rest = printed.partition("\n\n")
    done = run_script(
        tmp_path, imports + SAMPLE + rest + "\nprint('order', opt.get_frequency(), type(model).__name__)\n"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("loss is") == 4
    assert "order 4 ModelThor" in done.stdout
    assert "nan" not in done.stdout
