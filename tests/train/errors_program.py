"""Bad arguments for every public parameter of the training loop; real MindSpore's exception types
(tests/golden/make_train_errors.py).
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
    "Model:network_function": lambda p: p.ms.Model(lambda x: x),
    "Model:metrics_list": lambda p: p.model(metrics=["acc"]),
    "Model:metrics_unknown": lambda p: p.model(metrics={"accurate"}),
    "Model:metrics_str": lambda p: p.model(metrics="acc"),
    "Model:metrics_dict": lambda p: p.model(metrics={"a": 3}),
    "Model:metrics_set": lambda p: p.model(metrics={3}),
    "Model:metrics_without_loss": lambda p: p.ms.Model(p.net, metrics={"acc"}),
    "Model:eval_indexes": lambda p: p.model(metrics={"acc"}, eval_network=p.net, eval_indexes=[0, 1]),
    "Model:eval_indexes_tuple": lambda p: p.model(metrics={"acc"}, eval_network=p.net, eval_indexes=(0, 1, 2)),
    "Model:amp_level": lambda p: p.model(amp_level="O9"),
    "Model:amp_level_type": lambda p: p.model(amp_level=2),
    "Model:amp_level_without_optimizer": lambda p: p.ms.Model(p.net, p.loss, amp_level="O2"),
    "Model:amp_auto_without_optimizer": lambda p: p.ms.Model(p.net, p.loss, amp_level="auto"),
    "Model:boost_level": lambda p: p.model(boost_level="O9"),
    "Model:kwargs": lambda p: p.model(keep_bn=True),
    "Model:manager_without_optimizer": lambda p: p.ms.Model(
        p.net, p.loss, loss_scale_manager=p.ms.FixedLossScaleManager(2, False)
    ),
    "train:epoch_0": lambda p: p.model().train(0, p.data()),
    "train:epoch_float": lambda p: p.model().train(1.0, p.data()),
    "train:epoch_str": lambda p: p.model().train("1", p.data()),
    "train:dataset_none": lambda p: p.model().train(1, None),
    "train:three_columns": lambda p: p.model().train(1, p.data(columns=3)),
    "train:one_column": lambda p: p.model().train(1, p.data(columns=1)),
    "train:callbacks_str": lambda p: p.model().train(1, p.data(), callbacks="x"),
    "train:callbacks_functions": lambda p: p.model().train(1, p.data(), callbacks=[print]),
    "train:callbacks_tuple": lambda p: p.model().train(1, p.data(), callbacks=(p.ms.LossMonitor(),)),
    "train:sink_size_0": lambda p: p.model().train(1, p.data(), sink_size=0),
    "train:sink_size": lambda p: p.model().train(1, p.data(), sink_size=-2),
    "train:initial_epoch": lambda p: p.model().train(1, p.data(), initial_epoch=1),
    "train:initial_negative": lambda p: p.model().train(1, p.data(), initial_epoch=-1),
    "train:initial_float": lambda p: p.model().train(2, p.data(), initial_epoch=0.5),
    "fit:valid_frequency": lambda p: p.metric_model().fit(1, p.data(), p.data(), valid_frequency="1"),
    "fit:valid_frequency_tuple": lambda p: p.metric_model().fit(1, p.data(), p.data(), valid_frequency=(1,)),
    "fit:no_metrics": lambda p: p.model().fit(1, p.data(), p.data()),
    "fit:epoch": lambda p: p.metric_model().fit(-1, p.data(), p.data()),
    "fit:sink_size": lambda p: p.metric_model().fit(1, p.data(), p.data(), sink_size=0),
    "fit:initial_epoch": lambda p: p.metric_model().fit(1, p.data(), p.data(), initial_epoch=2),
    "eval:no_metrics": lambda p: p.model().eval(p.data()),
    "eval:callbacks": lambda p: p.metric_model().eval(p.data(), callbacks=3),
    "eval:dataset": lambda p: p.metric_model().eval(3),
    "predict:numpy": lambda p: p.model().predict(p.np.ones((1, 4), p.np.float32)),
    "predict:set": lambda p: p.model().predict({1}),
    "predict:shape": lambda p: p.model().predict(p.ms.Tensor(p.np.ones((1, 5), p.np.float32))),
    "layout:train": lambda p: p.model().infer_train_layout(p.data()),
    "layout:predict": lambda p: p.model().infer_predict_layout(p.ms.Tensor([1.0])),
    "LossMonitor:negative": lambda p: p.ms.LossMonitor(-1),
    "LossMonitor:float": lambda p: p.ms.LossMonitor(1.5),
    "LossMonitor:str": lambda p: p.ms.LossMonitor("1"),
    "LossMonitor:bool": lambda p: p.ms.LossMonitor(True),
    "CheckpointConfig:steps": lambda p: p.ms.CheckpointConfig(-1),
    "CheckpointConfig:none": lambda p: p.ms.CheckpointConfig(None, None, None, None),
    "ModelCheckpoint:prefix": lambda p: p.ms.ModelCheckpoint("a/b"),
    "LambdaCallback:name": lambda p: p.ms.LambdaCallback(on_step=print),
    "EarlyStopping:min_delta": lambda p: p.ms.EarlyStopping(min_delta="1"),
    "EarlyStopping:patience": lambda p: p.ms.EarlyStopping(patience=-1),
    "EarlyStopping:patience_float": lambda p: p.ms.EarlyStopping(patience=1.0),
    "EarlyStopping:mode": lambda p: p.ms.EarlyStopping(mode="up"),
    "ReduceLROnPlateau:factor": lambda p: p.ms.ReduceLROnPlateau(factor=1.0),
    "ReduceLROnPlateau:factor_0": lambda p: p.ms.ReduceLROnPlateau(factor=0.0),
    "ReduceLROnPlateau:factor_str": lambda p: p.ms.ReduceLROnPlateau(factor="1"),
    "ReduceLROnPlateau:factor_int": lambda p: p.ms.ReduceLROnPlateau(factor=2),
    "ReduceLROnPlateau:patience": lambda p: p.ms.ReduceLROnPlateau(patience=-1),
    "ReduceLROnPlateau:mode": lambda p: p.ms.ReduceLROnPlateau(mode="x"),
    "ReduceLROnPlateau:min_delta": lambda p: p.ms.ReduceLROnPlateau(min_delta=None),
    "ReduceLROnPlateau:cooldown": lambda p: p.ms.ReduceLROnPlateau(cooldown=-1),
    "ReduceLROnPlateau:dynamic_rate": lambda p: p.ms.Model(
        p.net, p.loss, p.nn.Momentum(p.net.trainable_params(), [0.1] * 9, 0.9)
    ).train(1, p.data(), callbacks=p.ms.ReduceLROnPlateau("loss")),
    "LearningRateScheduler:dynamic_rate": lambda p: p.ms.Model(
        p.net, p.loss, p.nn.Momentum(p.net.trainable_params(), [0.1] * 9, 0.9)
    ).train(1, p.data(), callbacks=p.ms.LearningRateScheduler(lambda r, s: r)),
    "OnRequestExit:kill": lambda p: p.ms.OnRequestExit(sig=9),
    "OnRequestExit:directory": lambda p: p.ms.OnRequestExit(directory=3),
    "BackupAndRestore:dir": lambda p: p.ms.BackupAndRestore(3),
    "BackupAndRestore:freq": lambda p: p.ms.BackupAndRestore("b", 0),
    "BackupAndRestore:freq_str": lambda p: p.ms.BackupAndRestore("b", "step"),
    "Flops:data_size": lambda p: p.ms.FlopsUtilizationCollector(0),
    "Flops:data_size_float": lambda p: p.ms.FlopsUtilizationCollector(1.5),
    "Fixed:scale": lambda p: p.ms.FixedLossScaleManager(0.5),
    "Fixed:scale_str": lambda p: p.ms.FixedLossScaleManager("2"),
    "Fixed:drop": lambda p: p.ms.FixedLossScaleManager(2, 1),
    "Dynamic:scale": lambda p: p.ms.DynamicLossScaleManager(0.5),
    "Dynamic:scale_str": lambda p: p.ms.DynamicLossScaleManager("2"),
    "Dynamic:factor": lambda p: p.ms.DynamicLossScaleManager(2, 0),
    "Dynamic:factor_float": lambda p: p.ms.DynamicLossScaleManager(2, 2.0),
    "build:level": lambda p: p.ms.amp.build_train_network(p.net, p.opt, p.loss, level="O4"),
    "build:level_type": lambda p: p.ms.amp.build_train_network(p.net, p.opt, p.loss, level=2),
    "build:boost": lambda p: p.ms.amp.build_train_network(p.net, p.opt, p.loss, boost_level="x"),
    "build:kwargs": lambda p: p.ms.amp.build_train_network(p.net, p.opt, p.loss, cast=1),
    "auto:network": lambda p: p.ms.amp.auto_mixed_precision(3),
    "auto:function": lambda p: p.ms.amp.auto_mixed_precision(lambda x: x, "O1"),
    "auto:level": lambda p: p.ms.amp.auto_mixed_precision(p.net, "O5"),
    "auto:dtype": lambda p: p.ms.amp.auto_mixed_precision(p.net, "O2", p.ms.float32),
    "auto:dtype_str": lambda p: p.ms.amp.auto_mixed_precision(p.net, "O1", "half"),
    "custom:network": lambda p: p.ms.amp.custom_mixed_precision(3, white_list=[]),
    "custom:none": lambda p: p.ms.amp.custom_mixed_precision(p.net),
    "custom:both": lambda p: p.ms.amp.custom_mixed_precision(p.net, white_list=[], black_list=[]),
    "custom:white_type": lambda p: p.ms.amp.custom_mixed_precision(p.net, white_list=(p.nn.Dense,)),
    "custom:white_item": lambda p: p.ms.amp.custom_mixed_precision(p.net, white_list=[p.net]),
    "custom:white_class": lambda p: p.ms.amp.custom_mixed_precision(p.net, white_list=[int]),
    "custom:black_item": lambda p: p.ms.amp.custom_mixed_precision(p.net, black_list=["x"]),
    "custom:black_primitive": lambda p: p.ms.amp.custom_mixed_precision(p.net, black_list=[p.ms.ops.MatMul]),
    "custom:dtype": lambda p: p.ms.amp.custom_mixed_precision(p.net, black_list=[p.nn.Dense], dtype=p.ms.float32),
    "Static:small": lambda p: p.ms.amp.StaticLossScaler(0.5),
    "Static:str": lambda p: p.ms.amp.StaticLossScaler("2"),
    "DynamicScaler:small": lambda p: p.ms.amp.DynamicLossScaler(0.5, 2, 2),
    "DynamicScaler:factor": lambda p: p.ms.amp.DynamicLossScaler(2, 0, 2),
    "DynamicScaler:window": lambda p: p.ms.amp.DynamicLossScaler(2, 2, 1.5),
    "DynamicScaler:str": lambda p: p.ms.amp.DynamicLossScaler("2", 2, 1),
    "LossScaler:abstract": lambda p: p.ms.amp.LossScaler(),
    "TrainOneStep:sens": lambda p: p.nn.TrainOneStepCell(p.net, p.opt, 0),
    "LossScaleCell:shape": lambda p: p.scaled(p.ms.Tensor([1.0, 2.0])),
    "GradAccumulation:size": lambda p: p.nn.wrap.cell_wrapper.GradAccumulationCell(p.net, 0),
    "GradAccumulation:size_float": lambda p: p.nn.wrap.cell_wrapper.GradAccumulationCell(p.net, 1.5),
    "Pipeline:size": lambda p: p.nn.wrap.cell_wrapper.PipelineCell(p.net, -1),
    "Pipeline:stage": lambda p: p.nn.wrap.cell_wrapper.PipelineCell(p.net, 2, {"nothing": 0}),
    "MicroBatch:num": lambda p: p.nn.wrap.cell_wrapper.MicroBatchInterleaved(p.net, 0),
    "MicroBatch:float": lambda p: p.nn.wrap.cell_wrapper.MicroBatchInterleaved(p.net, 2.0),
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
