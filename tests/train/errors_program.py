"""Bad arguments for every public parameter of the training loop; real MindSpore's exception types
(tests/golden/make_json.py train_errors).
"""

from __future__ import annotations

import os
import tempfile


def _env(ms):
    import sys

    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from callbacks_program import Env

    return Env(ms)


def _opt(ms, net):
    return ms.nn.Momentum(net.trainable_params(), 0.1, 0.9)


class Parts:
    """Good parts, to be combined with one bad one."""

    def __init__(self, ms) -> None:
        import numpy as np

        self.ms, self.np, self.nn, self.env = ms, np, ms.nn, _env(ms)
        self.net, self.loss = self.env.net(), self.env.loss()
        self.opt = _opt(ms, self.net)

    def data(self, **kwargs):
        return self.env.data(**kwargs)

    def model(self, **kwargs):
        return self.ms.Model(self.net, self.loss, self.opt, **kwargs)

    def metric_model(self, **kwargs):
        return self.model(metrics={"acc"}, **kwargs)

    def scaled(self, sense):
        return self.nn.TrainOneStepWithLossScaleCell(self.nn.WithLossCell(self.net, self.loss), self.opt, sense)


ERRORS = {
    "Model:network": lambda p: p.ms.Model(3),
    "Model:metrics_list": lambda p: p.model(metrics=["acc"]),
    "Model:metrics_dict": lambda p: p.model(metrics={"a": 3}),
    "Model:metrics_without_loss": lambda p: p.ms.Model(p.net, metrics={"acc"}),
    "Model:eval_indexes": lambda p: p.model(metrics={"acc"}, eval_network=p.net, eval_indexes=[0, 1]),
    "Model:amp_level": lambda p: p.model(amp_level="O9"),
    "Model:amp_level_without_optimizer": lambda p: p.ms.Model(p.net, p.loss, amp_level="O2"),
    "Model:amp_auto_without_optimizer": lambda p: p.ms.Model(p.net, p.loss, amp_level="auto"),
    "Model:boost_level": lambda p: p.model(boost_level="O9"),
    "Model:kwargs": lambda p: p.model(keep_bn=True),
    "Model:manager_without_optimizer": lambda p: p.ms.Model(
        p.net, p.loss, loss_scale_manager=p.ms.FixedLossScaleManager(2, False)
    ),
    "train:epoch_0": lambda p: p.model().train(0, p.data()),
    "train:dataset_none": lambda p: p.model().train(1, None),
    "train:three_columns": lambda p: p.model().train(1, p.data(columns=3)),
    "train:callbacks_str": lambda p: p.model().train(1, p.data(), callbacks="x"),
    "train:sink_size_0": lambda p: p.model().train(1, p.data(), sink_size=0),
    "train:initial_epoch": lambda p: p.model().train(1, p.data(), initial_epoch=1),
    "fit:valid_frequency": lambda p: p.metric_model().fit(1, p.data(), p.data(), valid_frequency="1"),
    "fit:no_metrics": lambda p: p.model().fit(1, p.data(), p.data()),
    "fit:sink_size": lambda p: p.metric_model().fit(1, p.data(), p.data(), sink_size=0),
    "eval:no_metrics": lambda p: p.model().eval(p.data()),
    "eval:dataset": lambda p: p.metric_model().eval(3),
    "predict:numpy": lambda p: p.model().predict(p.np.ones((1, 4), p.np.float32)),
    "predict:shape": lambda p: p.model().predict(p.ms.Tensor(p.np.ones((1, 5), p.np.float32))),
    "layout:train": lambda p: p.model().infer_train_layout(p.data()),
    "layout:predict": lambda p: p.model().infer_predict_layout(p.ms.Tensor([1.0])),
    "LossMonitor:negative": lambda p: p.ms.LossMonitor(-1),
    "CheckpointConfig:steps": lambda p: p.ms.CheckpointConfig(-1),
    "ModelCheckpoint:prefix": lambda p: p.ms.ModelCheckpoint("a/b"),
    "LambdaCallback:name": lambda p: p.ms.LambdaCallback(on_step=print),
    "EarlyStopping:patience": lambda p: p.ms.EarlyStopping(patience=-1),
    "EarlyStopping:mode": lambda p: p.ms.EarlyStopping(mode="up"),
    "ReduceLROnPlateau:factor": lambda p: p.ms.ReduceLROnPlateau(factor=1.0),
    "ReduceLROnPlateau:factor_int": lambda p: p.ms.ReduceLROnPlateau(factor=2),
    "ReduceLROnPlateau:mode": lambda p: p.ms.ReduceLROnPlateau(mode="x"),
    "ReduceLROnPlateau:dynamic_rate": lambda p: p.ms.Model(
        p.net, p.loss, p.nn.Momentum(p.net.trainable_params(), [0.1] * 9, 0.9)
    ).train(1, p.data(), callbacks=p.ms.ReduceLROnPlateau("loss")),
    "LearningRateScheduler:dynamic_rate": lambda p: p.ms.Model(
        p.net, p.loss, p.nn.Momentum(p.net.trainable_params(), [0.1] * 9, 0.9)
    ).train(1, p.data(), callbacks=p.ms.LearningRateScheduler(lambda r, s: r)),
    "OnRequestExit:kill": lambda p: p.ms.OnRequestExit(sig=9),
    "BackupAndRestore:dir": lambda p: p.ms.BackupAndRestore(3),
    "BackupAndRestore:freq": lambda p: p.ms.BackupAndRestore("b", 0),
    "Flops:data_size": lambda p: p.ms.FlopsUtilizationCollector(0),
    "Fixed:scale": lambda p: p.ms.FixedLossScaleManager(0.5),
    "Dynamic:scale": lambda p: p.ms.DynamicLossScaleManager(0.5),
    "Dynamic:factor": lambda p: p.ms.DynamicLossScaleManager(2, 0),
    "build:level": lambda p: p.ms.amp.build_train_network(p.net, p.opt, p.loss, level="O4"),
    "auto:network": lambda p: p.ms.amp.auto_mixed_precision(3),
    "auto:level": lambda p: p.ms.amp.auto_mixed_precision(p.net, "O5"),
    "auto:dtype": lambda p: p.ms.amp.auto_mixed_precision(p.net, "O2", p.ms.float32),
    "custom:network": lambda p: p.ms.amp.custom_mixed_precision(3, white_list=[]),
    "custom:none": lambda p: p.ms.amp.custom_mixed_precision(p.net),
    "custom:both": lambda p: p.ms.amp.custom_mixed_precision(p.net, white_list=[], black_list=[]),
    "custom:dtype": lambda p: p.ms.amp.custom_mixed_precision(p.net, black_list=[p.nn.Dense], dtype=p.ms.float32),
    "Static:small": lambda p: p.ms.amp.StaticLossScaler(0.5),
    "DynamicScaler:small": lambda p: p.ms.amp.DynamicLossScaler(0.5, 2, 2),
    "LossScaler:abstract": lambda p: p.ms.amp.LossScaler(),
    "TrainOneStep:sens": lambda p: p.nn.TrainOneStepCell(p.net, p.opt, 0),
    "LossScaleCell:shape": lambda p: p.scaled(p.ms.Tensor([1.0, 2.0])),
    "GradAccumulation:size": lambda p: p.nn.wrap.cell_wrapper.GradAccumulationCell(p.net, 0),
    "Pipeline:size": lambda p: p.nn.wrap.cell_wrapper.PipelineCell(p.net, -1),
    "Pipeline:stage": lambda p: p.nn.wrap.cell_wrapper.PipelineCell(p.net, 2, {"nothing": 0}),
    "MicroBatch:num": lambda p: p.nn.wrap.cell_wrapper.MicroBatchInterleaved(p.net, 0),
    "MicroBatch:uneven": lambda p: p.nn.wrap.cell_wrapper.MicroBatchInterleaved(p.net, 2)(
        p.ms.Tensor(p.np.ones((3, 4), p.np.float32))
    ),
    "DatasetHelper:size": lambda p: p.ms.DatasetHelper(p.data(), False, 0),
    "data_sink:size": lambda p: p.ms.data_sink(lambda x, y: x, p.data(), sink_size=0),
}


def raised(ms, name):
    """[exception type, first line] of the named call; None if it raises nothing."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            ERRORS[name](Parts(ms))
        except Exception as error:
            return [type(error).__name__, (str(error).strip().splitlines() or [""])[0][:160]]
        finally:
            os.chdir(before)
    return None
