"""Callbacks where real MindSpore has no counterpart, or where only a live process shows what they do."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Callback, LossMonitor, Model, Tensor, nn
from mindspore_compat import dataset as ds
from mindspore_compat._format.proto import mindir
from mindspore_compat.train.callback import (
    BackupAndRestore,
    EarlyStopping,
    FlopsUtilizationCollector,
    OnRequestExit,
    ProgressBar,
    ReduceLROnPlateau,
    _CallbackManager,
    _InternalCallbackParam,
    _set_cur_net,
)
from mindspore_compat.train.data_sink import data_sink


def _data(count: int = 12, batch: int = 4):
    rng = np.random.RandomState(0)
    return ds.NumpySlicesDataset(
        (rng.randn(count, 4).astype(np.float32), rng.randint(0, 3, count).astype(np.int32)), ["x", "y"], shuffle=False
    ).batch(batch)


def _model(rate: float = 0.1, **kwargs) -> Model:
    net = nn.Dense(4, 3)
    return Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.Momentum(net.trainable_params(), rate, 0.9),
        **kwargs,
    )


class AtStep(Callback):
    """Does something after one step."""

    def __init__(self, step: int, act) -> None:
        self.step, self.act, self.steps = step, act, 0

    def on_train_step_end(self, run_context) -> None:
        self.steps = run_context.original_args().cur_step_num
        if self.steps == self.step:
            self.act(run_context)

    def on_eval_step_end(self, run_context) -> None:
        self.on_train_step_end(run_context)


def test_progress_shows_lines_where_there_is_no_terminal(capsys) -> None:
    _model().train(2, _data(), callbacks=ProgressBar(0))
    lines = capsys.readouterr().out.splitlines()
    assert (
        len(lines) == 6
        and lines[0].startswith("epoch 1/2 step 1/3, loss ")
        and lines[5].startswith("epoch 2/2 step 3/3, loss ")
    )
    assert all(", lr 0.1, " in line and line.endswith(" samples/s") for line in lines)


def test_progress_shows_the_end_of_epochs_whatever_the_interval(capsys) -> None:
    _model(metrics={"acc"}).fit(2, _data(), _data(8), callbacks=ProgressBar(1000))
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == [
        "epoch 1/2 step 3/3",
        "eval step 2/2",
        "epoch 2/2 step 3/3",
        "eval step 2/2",
    ]


def test_progress_counts_epochs_of_a_resumed_run(capsys) -> None:
    _model().train(4, _data(), callbacks=ProgressBar(1000), initial_epoch=2)
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == [
        "epoch 3/4 step 3/3",
        "epoch 4/4 step 3/3",
    ]


def test_progress_is_a_bar_on_a_terminal_with_tqdm(monkeypatch) -> None:
    made = []

    class Bar:
        def __init__(self, **options) -> None:
            self.options, self.steps, self.text, self.closed = options, 0, "", False
            made.append(self)

        def set_postfix_str(self, text, refresh) -> None:
            self.text = text

        def update(self, steps) -> None:
            self.steps += steps

        def close(self) -> None:
            self.closed = True

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=Bar))
    _model().train(2, _data(), callbacks=ProgressBar(file=Terminal()))
    assert [(bar.options["total"], bar.options["desc"], bar.steps, bar.closed) for bar in made] == [
        (3, "epoch 1/2", 3, True),
        (3, "epoch 2/2", 3, True),
    ]
    assert "loss " in made[0].text and "samples/s" in made[0].text


def test_progress_works_for_torch_networks(capsys) -> None:
    net = torch.nn.Linear(4, 3)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.randn(8, 4), torch.zeros(8, dtype=torch.int64)), batch_size=4
    )
    Model(net, torch.nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), 0.25)).train(
        1, loader, callbacks=ProgressBar(1000)
    )
    assert ", lr 0.25, " in capsys.readouterr().out


def test_a_signal_ends_the_training_after_the_step_and_the_next_run_goes_on(tmp_path, caplog) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    try:
        model, watch = _model(), AtStep(2, lambda _: os.kill(os.getpid(), signal.SIGUSR1))
        model.train(
            5, _data(), callbacks=[watch, OnRequestExit(save_mindir=False, directory=str(tmp_path), sig=signal.SIGUSR1)]
        )
        assert watch.steps == 2 and os.listdir(tmp_path / "rank_0") == ["Net_train.ckpt"]
        again = _model()
        seen = AtStep(1, lambda _: None)
        seen.on_train_begin = lambda c: np.testing.assert_array_equal(
            again._network.weight.asnumpy(), model._network.weight.asnumpy()
        )
        again.train(
            1, _data(), callbacks=[OnRequestExit(save_mindir=False, directory=str(tmp_path), sig=signal.SIGUSR1), seen]
        )
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_signal_in_an_evaluation_also_saves_the_network_for_inference(tmp_path) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    try:
        callback = OnRequestExit(save_ckpt=False, directory=str(tmp_path), sig=signal.SIGUSR1)
        model = _model(metrics={"acc"})
        ends = SimpleNamespace(steps=0)

        class Asks(Callback):
            def on_eval_step_end(self, run_context) -> None:
                ends.steps += 1
                os.kill(os.getpid(), signal.SIGUSR1)

        model.eval(_data(), callbacks=[Asks(), callback])
    finally:
        signal.signal(signal.SIGUSR1, before)
    (name,) = os.listdir(tmp_path / "rank_0")
    assert name == "Net_eval.mindir" and ends.steps == 1
    graph = mindir.ModelProto.FromString((tmp_path / "rank_0" / name).read_bytes())
    assert "MatMul" in {node.op_type for node in graph.graph.node}


def test_a_file_ends_the_training(tmp_path) -> None:
    before, config = signal.getsignal(signal.SIGUSR1), tmp_path / "exit.json"
    config.write_text("not json")
    try:
        watch = AtStep(3, lambda _: config.write_text(json.dumps({"GracefulExit": 1})))
        _model().train(
            5,
            _data(),
            callbacks=[
                watch,
                OnRequestExit(save_ckpt=False, save_mindir=False, config_file=str(config), sig=signal.SIGUSR1),
            ],
        )
        assert watch.steps == 4, "the step that begins after the file has changed is the last"
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("by_file", [True, False])
def test_a_graceful_exit_leaves_its_flag_and_that_by_file_says_how_far(tmp_path, monkeypatch, by_file) -> None:
    """As real MindSpore: the checkpoint of a file's request holds how far it came, that of a signal does not."""
    monkeypatch.setenv("MS_ENABLE_GRACEFUL_EXIT", "1")
    before, config = signal.getsignal(signal.SIGUSR1), tmp_path / "exit.json"

    def ask(_: object) -> None:
        config.write_text('{"GracefulExit": 1}') if by_file else os.kill(os.getpid(), signal.SIGUSR1)

    try:
        on_exit = OnRequestExit(save_mindir=False, directory=str(tmp_path), config_file=str(config), sig=signal.SIGUSR1)
        _model().train(5, _data(), callbacks=[AtStep(3, ask), on_exit])
    finally:
        signal.signal(signal.SIGUSR1, before)
    saved = ms.load_checkpoint(str(tmp_path / "rank_0" / "Net_train.ckpt"))
    assert bool(saved["graceful_exit"].asnumpy())
    if by_file:
        steps = _data().get_dataset_size()
        assert [int(saved[name].asnumpy()) for name in ("epoch_num", "step_num", "batch_num")] == [
            -(-4 // steps),
            4,
            steps,
        ]
    else:
        assert "epoch_num" not in saved


def test_a_signal_ends_an_evaluation(tmp_path) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    try:
        watch = AtStep(1, lambda _: os.kill(os.getpid(), signal.SIGUSR1))
        _model(metrics={"acc"}).eval(
            _data(), callbacks=[watch, OnRequestExit(save_mindir=False, directory=str(tmp_path), sig=signal.SIGUSR1)]
        )
        assert watch.steps == 1 and os.listdir(tmp_path / "rank_0") == ["Net_eval.ckpt"]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_backup_is_there_while_training_and_restored_after_a_crash(tmp_path) -> None:
    def crash(_) -> None:
        raise KeyError("crash")

    model = _model()
    with pytest.raises(KeyError):
        model.train(5, _data(), callbacks=[BackupAndRestore(str(tmp_path)), AtStep(6, crash)])
    assert os.listdir(tmp_path) == ["backup.ckpt"]
    kept = ms.load_checkpoint(str(tmp_path / "backup.ckpt"))["weight"].asnumpy()
    again, found = _model(), []
    watch = AtStep(1, lambda _: None)
    watch.on_train_begin = lambda c: found.append(again._network.weight.asnumpy().copy())
    again.train(1, _data(), callbacks=[BackupAndRestore(str(tmp_path)), watch])
    np.testing.assert_array_equal(found[0], kept)
    assert os.listdir(tmp_path) == []
    _model().train(
        1, _data(), callbacks=BackupAndRestore(str(tmp_path), save_freq=5)
    )  # no backup was made, nothing to delete


def test_early_stopping_restores_the_best_weights_and_the_optimizer() -> None:
    class Worse(Callback):
        def on_train_epoch_begin(self, run_context) -> None:
            if run_context.original_args().cur_epoch_num == 2:
                model._network.weight.set_data(
                    Tensor(np.full((3, 4), 50.0, np.float32) * np.arange(3)[:, None].astype(np.float32))
                )

    model, kept = _model(rate=1e-4, metrics={"loss"}), []
    watch = AtStep(3, lambda _: kept.append({p.name: p.asnumpy().copy() for p in model.train_network.get_parameters()}))
    model.fit(5, _data(), _data(), callbacks=[Worse(), watch, EarlyStopping(patience=1, restore_best_weights=True)])
    for parameter in model.train_network.get_parameters():
        np.testing.assert_array_equal(parameter.asnumpy(), kept[0][parameter.name], err_msg=parameter.name)


def test_plateaus_reduce_the_rate_of_torch_optimizers() -> None:
    net = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    loader = [(torch.randn(4, 4), torch.zeros(4, dtype=torch.int64))]
    Model(net, torch.nn.CrossEntropyLoss(), optimizer).train(
        3, loader, callbacks=ReduceLROnPlateau("loss", 0.5, 1, min_delta=100, min_lr=0.03)
    )
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.03)


def test_flops_of_a_step_are_upstreams_example(capsys) -> None:
    data = {"x": np.random.rand(64, 10).astype(np.float32), "y": np.random.randint(0, 5, (64,)).astype(np.int32)}
    net = nn.Dense(10, 5)
    model = Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.Momentum(net.trainable_params(), 0.01, 0.9),
    )
    model.train(2, ds.NumpySlicesDataset(data).batch(32), callbacks=FlopsUtilizationCollector(3, computility=10e6))
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[0]
        == "Full model flops is 6400.0, Full hardware flops is 6400.0, Shard model flops is 6400.0, Shard hardware "
        "flops is 6400.0."
    )
    assert len(lines) == 4 and all(
        line.startswith("Train per step time: ") and " mfu:" in line and line.endswith("%") for line in lines[1:]
    )


def test_flops_are_written_for_a_collector(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("MA_LOG_DIR", str(tmp_path))
    _model().train(1, _data(), callbacks=FlopsUtilizationCollector(3, enable_ma_collector=True))
    assert (tmp_path / "flops_rank_0.txt").read_text().startswith('flops{type="model_flops", rank_id="0"} 192.0 ')
    assert (tmp_path / "time_step_rank_0.txt").exists() and capsys.readouterr().out == ""


def test_counting_flops_ends_with_an_exception() -> None:
    def fail(_) -> None:
        raise KeyError("crash")

    class Fails(Callback):
        on_train_step_begin = staticmethod(fail)

    with pytest.raises(KeyError):
        _model().train(1, _data(), callbacks=[FlopsUtilizationCollector(1), Fails()])
    assert torch.utils._python_dispatch._get_current_dispatch_mode() is None


def test_a_manager_of_ones_own_loop_calls_the_old_hooks(capsys) -> None:
    params = _InternalCallbackParam(cur_step_num=1, batch_num=2, net_outputs=Tensor(0.5), cur_epoch_num=1)
    manager, context = _CallbackManager([LossMonitor()]), ms.train.callback.RunContext(params)
    manager.begin(context)
    manager.step_end(context)
    assert capsys.readouterr().out == "epoch: 1 step: 1, loss is 0.5\n"
    assert not hasattr(params, "nothing")
    with pytest.raises(KeyError):
        params.nothing
    _set_cur_net(None)


# --- data without Model -----------------------------------------------------------------------------------------------


def test_data_sink_goes_round_the_dataset() -> None:
    seen = []
    step = data_sink(lambda x, y: seen.append(float(x[0, 0])) or len(seen), _data(), sink_size=2)
    assert [step(), step(), step()] == [2, 4, 6] and seen[:3] == seen[3:]
    assert data_sink(
        lambda x, y: x, _data(), jit_config=ms.JitConfig(), input_signature=(Tensor(np.zeros((4, 4), np.float32)), None)
    )().shape == (4, 4)


@pytest.mark.parametrize(
    ("signature", "error"),
    [
        ((Tensor(np.ones((4, 4), np.float32)),), ValueError),
        ((Tensor(np.ones((4, 4), np.int32)), None), ValueError),
        ((Tensor(np.ones((4, 5), np.float32)), None), ValueError),
    ],
)
def test_data_sink_checks_its_signature(signature, error) -> None:
    with pytest.raises(error):
        data_sink(lambda x, y: x, _data(), input_signature=signature)()


def test_layouts_are_whole_in_the_parallel_modes() -> None:
    model = _model()
    with pytest.raises(RuntimeError):
        model.infer_train_layout(_data())
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    try:
        assert model.infer_predict_layout(Tensor(np.ones((1, 4), np.float32))) == {
            "weight": [[1], [-1, -1], [3, 4], 0, True, ""],
            "bias": [[1], [-1], [3], 0, True, ""],
        }
        assert "moments.weight" in model.infer_train_layout(_data())
    finally:
        ms.reset_auto_parallel_context()


def test_a_hook_that_begin_sets_runs() -> None:
    class Late(Callback):
        steps = 0

        def begin(self, run_context) -> None:
            self.step_end = self._count

        def _count(self, run_context) -> None:
            self.steps += 1

    network, late = nn.Dense(2, 1), Late()
    data = ds.NumpySlicesDataset((np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)), ["x", "y"]).batch(2)
    model = Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    model.train(1, data, callbacks=late, dataset_sink_mode=False)
    assert late.steps == 2
