"""Model over Cells and over torch modules: hooks, counters, evaluation, prediction, and what bad input answers."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import (
    Callback,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    Model,
    ModelCheckpoint,
    Tensor,
    TimeMonitor,
    nn,
)
from mindspore_compat import dataset as ds
from tests.train.hooks_program import NAMES, fields, recorded


def _data(count: int = 12, width: int = 4, columns: int = 2, batch: int = 4):
    rng = np.random.RandomState(0)
    arrays = [
        rng.randn(count, width).astype(np.float32),
        rng.randint(0, 3, count).astype(np.int32),
        np.zeros(count, np.float32),
    ][:columns]
    return ds.NumpySlicesDataset(tuple(arrays), ["x", "y", "z"][:columns], shuffle=False).batch(batch)


def _model(**kwargs) -> Model:
    net = nn.Dense(4, 3)
    return Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.Momentum(net.trainable_params(), 0.1, 0.9),
        **kwargs,
    )


class TorchParts:
    """A torch network with everything torch, as Model takes it."""

    def __init__(self) -> None:
        self.net = torch.nn.Sequential(
            torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 3)
        )
        self.loss, self.optimizer = (
            torch.nn.CrossEntropyLoss(),
            torch.optim.SGD(self.net.parameters(), 0.1, momentum=0.9),
        )
        rng = np.random.RandomState(0)
        x, y = torch.from_numpy(rng.randn(12, 4).astype(np.float32)), torch.from_numpy(rng.randint(0, 3, 12))
        self.loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=4)
        self.batches = list(self.loader)


GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "hooks.json").read_text())


_SINK = pytest.mark.cpu_only("recorded on a CPU, where upstream leaves sink mode")


@pytest.mark.parametrize("name", [pytest.param(name, marks=_SINK if name == "sink" else ()) for name in NAMES])
def test_hooks_fire_as_upstream(name: str) -> None:
    assert recorded(ms, name) == GOLDEN[name]


def test_callbacks_see_the_fields_of_mindspore() -> None:
    assert fields(ms) == GOLDEN["fields"]


def test_loss_monitor_and_time_monitor_print_upstreams_lines(capsys) -> None:
    _model().train(2, _data(), callbacks=[LossMonitor(2), TimeMonitor()])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(", loss is ")[0] for line in lines if line.startswith("epoch")] == [
        "epoch: 1 step: 2",
        "epoch: 2 step: 1",
        "epoch: 2 step: 3",
    ]
    assert (
        sum(
            line.startswith("Train epoch time: ") and line.endswith(" ms") and ", per step time: " in line
            for line in lines
        )
        == 2
    )


def test_a_nan_loss_ends_the_training() -> None:
    model = _model()
    model._network.weight.set_data(Tensor(np.full((3, 4), np.nan, np.float32)))
    with pytest.raises(ValueError):
        model.train(1, _data(), callbacks=LossMonitor())


def test_fit_evaluates_and_history_records(capsys) -> None:
    history, model = History(), _model(metrics={"acc", "loss"})
    model.fit(4, _data(), _data(), valid_frequency=2, callbacks=[history, LossMonitor(0)])
    assert (
        history.epoch == {"epoch": [1, 2, 3, 4]}
        and len(history.history["net_output"]) == 4
        and len(history.history["acc"]) == 2
    )
    assert capsys.readouterr().out.count("Eval result: epoch ") == 2
    with pytest.raises(ValueError):
        _model().fit(1, _data(), _data())


def test_metrics_of_eval_are_python_numbers() -> None:
    found = _model(metrics={"acc", "loss"}).eval(_data())
    assert set(found) == {"acc", "loss"} and all(type(value) is float for value in found.values())


def test_learning_rate_scheduler_sets_what_its_function_says() -> None:
    model, seen = _model(), []

    def halve(rate, step):
        seen.append((round(rate, 6), step))
        return rate / 2

    model.train(1, _data(), callbacks=LearningRateScheduler(halve))
    assert seen == [(0.1, 1), (0.05, 2), (0.025, 3)]
    assert model._optimizer.learning_rate.asnumpy() == pytest.approx(0.0125)


def test_lambda_callback_takes_old_and_new_names() -> None:
    seen: list[str] = []
    _model().train(
        1,
        _data(),
        callbacks=[LambdaCallback(step_end=lambda c: seen.append("step"), on_train_end=lambda c: seen.append("end"))],
    )
    assert seen == ["step", "step", "step", "end"]
    with pytest.raises(TypeError):
        LambdaCallback(on_step=print)


def test_request_stop_ends_the_run_and_still_calls_the_end_hooks() -> None:
    seen = []

    class Stop(Callback):
        def step_end(self, run_context) -> None:
            seen.append(run_context.original_args().cur_step_num)
            if seen[-1] == 2:
                run_context.request_stop()

        def epoch_end(self, run_context) -> None:
            seen.append("epoch")

        def end(self, run_context) -> None:
            seen.append("end")

    _model().train(5, _data(), callbacks=Stop())
    assert seen == [1, 2, "epoch", "end"]


@pytest.mark.parametrize(("sink_size", "steps"), [(-1, [3, 3]), (2, [2, 2]), (5, [5, 5])])
def test_sink_size_limits_the_steps_of_an_epoch_and_the_data_go_on(sink_size: int, steps: list[int]) -> None:
    first: list[float] = []
    counts: list[int] = []

    class Watch(Callback):
        def step_end(self, run_context) -> None:
            first.append(round(float(run_context.original_args().train_dataset_element[0][0, 0]), 4))

        def epoch_end(self, run_context) -> None:
            counts.append(len(first) - sum(counts))

    _model().train(2, _data(), callbacks=Watch(), dataset_sink_mode=True, sink_size=sink_size)
    assert counts == steps
    assert first == [first[k % 3] for k in range(len(first))], "an epoch goes on where the last one ended"


def test_initial_epoch_continues_counting() -> None:
    seen = []
    _model().train(
        4,
        _data(),
        callbacks=LambdaCallback(on_train_epoch_begin=lambda c: seen.append(c.original_args().cur_epoch_num)),
        initial_epoch=2,
    )
    assert seen == [3, 4]


def test_predict_takes_tensors_lists_and_tuples() -> None:
    class Pair(nn.Cell):
        def construct(self, x, pair):
            return x + pair[0] * pair[1], self.training

    model = Model(Pair().set_train())
    total, training = model.predict(Tensor([1.0]), (Tensor([2.0]), Tensor([3.0])))
    assert total.asnumpy() == 7 and isinstance(total, Tensor) and not training and not total.requires_grad
    with pytest.raises(TypeError):
        Model(nn.Dense(1, 1)).predict(np.ones((1, 1), np.float32))


# --- torch networks ---------------------------------------------------------------------------------------------------


@pytest.mark.cpu_only("its reference is a loop of torch's own on the CPU")
def test_a_torch_net_trains_like_a_hand_written_loop(tmp_path) -> None:
    parts, losses = TorchParts(), []
    start = {name: value.clone() for name, value in parts.net.state_dict().items()}
    model = Model(parts.net, parts.loss, parts.optimizer, metrics={"acc", "loss"})
    saver = ModelCheckpoint("torch", str(tmp_path))
    watch = LambdaCallback(on_train_step_end=lambda c: losses.append(float(c.original_args().net_outputs)))
    model.train(
        2,
        parts.loader,
        callbacks=[
            watch,
            LossMonitor(),
            TimeMonitor(),
            History(),
            saver,
            LearningRateScheduler(lambda lr, _: lr * 0.5),
        ],
    )
    found = model.eval(parts.loader)

    again = TorchParts()
    again.net.load_state_dict(start)
    again.net.train()
    expected = []
    for _ in range(2):
        for x, y in again.batches:
            again.optimizer.zero_grad()
            loss = again.loss(again.net(x), y)
            loss.backward()
            again.optimizer.step()
            expected.append(loss.item())
            again.optimizer.param_groups[0]["lr"] *= 0.5
    assert losses == pytest.approx(expected, rel=1e-6)
    for a, b in zip(parts.net.state_dict().values(), again.net.state_dict().values()):
        torch.testing.assert_close(a, b)
    again.net.eval()
    right = sum((again.net(x).argmax(1) == y).sum().item() for x, y in again.batches)
    assert found["acc"] == right / 12 and parts.net.training is False
    assert saver.latest_ckpt_file_name.endswith("torch-2_3.ckpt")


def test_a_torch_net_sees_plain_tensors_and_callbacks_see_ours() -> None:
    seen = set()

    class Net(torch.nn.Linear):
        def forward(self, x):
            seen.add(type(x))
            return super().forward(x)

    net = Net(4, 3)
    outputs = []
    model = Model(net, torch.nn.CrossEntropyLoss(), torch.optim.Adam(net.parameters()))
    labels = _data().map(lambda y: y.astype(np.int64), "y")
    model.train(
        1, labels, callbacks=LambdaCallback(on_train_step_end=lambda c: outputs.append(c.original_args().net_outputs))
    )
    predicted = model.predict(Tensor(np.ones((2, 4), np.float32)))
    assert seen == {torch.Tensor} and all(isinstance(item, Tensor) for item in [*outputs, predicted])


def test_a_torch_checkpoint_resumes_with_its_optimizer(tmp_path) -> None:
    parts = TorchParts()
    model = Model(parts.net, parts.loss, parts.optimizer)
    model.train(1, parts.loader, callbacks=ModelCheckpoint("t", str(tmp_path)))
    path = str(tmp_path / "t-1_3.ckpt")
    model.train(1, parts.loader)
    again = TorchParts()
    resumed = Model(again.net, again.loss, again.optimizer)
    missing, unused = ms.load_param_into_net(resumed.train_network, ms.load_checkpoint(path))
    assert missing == [] and unused == []
    resumed.train(1, again.loader)
    for a, b in zip(parts.net.state_dict().values(), again.net.state_dict().values()):
        if a.dtype.is_floating_point:
            torch.testing.assert_close(a, b)


def test_a_torch_module_inside_a_cell_trains_with_a_mindspore_optimizer() -> None:
    class Mixed(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.body = torch.nn.Linear(4, 8)
            self.head = nn.Dense(8, 3)

        def construct(self, x):
            return self.head(self.body(x))

    net = Mixed()
    assert [p.name for p in net.trainable_params()] == ["body.weight", "body.bias", "head.weight", "head.bias"]
    before = net.body.weight.detach().clone()
    model = Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.Momentum(net.trainable_params(), 0.1, 0.9),
    )
    model.train(1, _data())
    assert not torch.equal(before, net.body.weight)


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda: _model().train(1, _data(width=5)), (RuntimeError, ValueError)),
        (lambda: _model().train(1, iter([1])), TypeError),
        (lambda: nn.Momentum(torch.nn.Linear(1, 1).parameters(), 0.1, 0.9), TypeError),
    ],
)
def test_bad_input(act, error) -> None:
    with pytest.raises(error):
        act()


def test_old_hooks_are_refused_in_fit_only(caplog) -> None:
    class Old(Callback):
        def epoch_end(self, run_context) -> None:
            pass

    with caplog.at_level(logging.INFO, logger="mindspore_compat"):
        _model().train(1, _data(), callbacks=Old())
    with pytest.raises(ValueError):
        _model(metrics={"acc"}).fit(1, _data(), _data(), callbacks=Old())


def test_a_subclass_makes_its_own_training_step() -> None:
    """As projects of the model zoo do, by upstream's name."""
    made = []

    class Own(Model):
        def _build_train_network(self):
            assert not self._loss_scale_manager_set and self._keep_bn_fp32 is None
            made.append(super()._build_train_network())
            return made[-1]

    net = nn.Dense(2, 1)
    model = Own(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    assert model.train_network is made[0] and isinstance(made[0], nn.TrainOneStepCell)
    assert isinstance(model._build_train_network(), nn.TrainOneStepCell)


class _Losses(ms.Callback):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[int, int, float]] = []

    def on_train_step_end(self, run_context: Any) -> None:
        told = run_context.original_args()
        self.seen.append((told.cur_epoch_num, told.cur_step_num, float(told.net_outputs.asnumpy().sum())))


@pytest.mark.parametrize("init_step", [5, 7, 10, 14])
@pytest.mark.parametrize("sink", [False, True])
def test_a_dataset_with_an_init_step_goes_on_there(init_step: int, sink: bool) -> None:
    class Square(nn.Cell):
        def construct(self, x: Any) -> Any:
            return ms.ops.square(x)

    rows = np.arange(5, dtype=np.float32)
    dataset = ds.NumpySlicesDataset(rows, sampler=ds.SequentialSampler()).map(lambda x: x + 1).batch(1)
    whole, rest = _Losses(), _Losses()
    model = ms.Model(Square())
    model.train(3, dataset, callbacks=whole, dataset_sink_mode=sink)
    dataset.set_init_step(init_step)
    model.train(3, dataset, callbacks=rest, dataset_sink_mode=sink, initial_epoch=init_step // 5)
    begin = init_step // 5 * 5 if sink and ms.get_context("device_target") == "GPU" else init_step
    expected = [(epoch, loss) for epoch, _, loss in whole.seen[begin:]]
    assert [(epoch, loss) for epoch, _, loss in rest.seen] == expected and len(expected) == 15 - begin


def test_a_dataset_of_the_users_own_need_not_know_init_steps() -> None:
    class Own:
        def create_tuple_iterator(self, num_epochs: int = -1, do_copy: bool = True) -> Any:
            return iter([(ms.Tensor([2.0]),)] * 3)

        def get_dataset_size(self) -> int:
            return 3

    class Square(nn.Cell):
        def construct(self, x: Any) -> Any:
            return ms.ops.square(x)

    losses = _Losses()
    ms.Model(Square()).train(1, Own(), callbacks=losses, dataset_sink_mode=True)
    assert [loss for _, _, loss in losses.seen] == [4, 4, 4]


def test_a_class_may_build_its_networks_later() -> None:
    """As TinyMS, whose ``compile`` takes loss and optimizer."""

    class Later(Model):
        def __init__(self, network: Any) -> None:
            super().__init__(network)

        def compile(self, loss_fn: Any, optimizer: Any, metrics: Any) -> None:
            self._loss_fn, self._optimizer = loss_fn, optimizer
            self._process_amp_args({})
            self._train_network = self._build_train_network()
            self._build_eval_network(metrics, eval_network=None, eval_indexes=None)
            self._build_predict_network()

    network = nn.Dense(2, 1)
    model = Later(network)
    model.compile(nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1), {"mae"})
    before = network.weight.asnumpy().copy()
    data = ds.NumpySlicesDataset((np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)), shuffle=False).batch(2)
    model.train(1, data)
    assert (network.weight.asnumpy() != before).any()
    assert set(model.eval(data)) == {"mae"}
    assert model.predict(Tensor([[1.0, 2.0]])).shape == (1, 1)
