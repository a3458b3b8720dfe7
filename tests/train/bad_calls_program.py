"""Every argument of the training API given what it does not take: what real MindSpore and ours raise, and the first
sentence of it.

    python bad_calls_program.py          prints JSON {case: [exception type, first sentence]}, one line, behind
    "BAD-CALLS "

Run by real MindSpore as it is, and by ours with ``python -m mindspore_compat``.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
import warnings

import mindspore as ms
import numpy as np
from mindspore import Tensor, amp, nn, train

warnings.simplefilter("ignore")


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 3)

    def construct(self, x):
        return self.fc(x)


class Thing:
    """Of no type that anything takes."""

    def __repr__(self):
        return "a thing"


#: name: value, of every kind
BAD = {
    "None": None,
    "True": True,
    "0": 0,
    "-1": -1,
    "3": 3,
    "1.5": 1.5,
    "-0.5": -0.5,
    "nan": float("nan"),
    "str": "wrong",
    "empty": "",
    "bytes": b"wrong",
    "list": [1],
    "strs": ["wrong"],
    "tuple": (1,),
    "dict": {"a": 1},
    "dict of int": {1: 1},
    "set": {1},
    "thing": Thing(),
    "function": lambda: None,
    "class": Thing,
}


def data(columns=2):
    rows = [np.ones((4, 4), np.float32), np.zeros(4, np.int32), np.zeros(4, np.int32)][:columns]
    return ms.dataset.NumpySlicesDataset(tuple(rows), ["x", "y", "z"][:columns], shuffle=False).batch(2)


def model(**options):
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return ms.Model(
        **{"network": net, "loss_fn": loss, "optimizer": nn.Momentum(net.trainable_params(), 0.1, 0.9), **options}
    )


def good(name):
    """{argument: a good value} of a call, and the call."""
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    with_metric = {"metrics": {"acc"}}
    table = {
        "Model": (
            model,
            dict(
                network=net,
                loss_fn=loss,
                optimizer=optimizer,
                metrics={"acc"},
                eval_network=None,
                eval_indexes=None,
                amp_level="O0",
                boost_level="O0",
                loss_scale_manager=None,
                keep_batchnorm_fp32=True,
            ),
        ),
        "Model.train": (
            lambda **a: model().train(**a),
            dict(epoch=1, train_dataset=data(), callbacks=None, dataset_sink_mode=False, sink_size=-1, initial_epoch=0),
        ),
        "Model.fit": (
            lambda **a: model(**with_metric).fit(**a),
            dict(
                epoch=1,
                train_dataset=data(),
                valid_dataset=data(),
                valid_frequency=1,
                callbacks=None,
                dataset_sink_mode=False,
                valid_dataset_sink_mode=False,
                sink_size=-1,
                initial_epoch=0,
            ),
        ),
        "Model.eval": (
            lambda **a: model(**with_metric).eval(**a),
            dict(valid_dataset=data(), callbacks=None, dataset_sink_mode=False),
        ),
        "Model.predict": (lambda **a: model().predict(*a.values()), dict(data=Tensor(np.ones((1, 4), np.float32)))),
        "Model.build": (
            lambda **a: model().build(**a),
            dict(train_dataset=data(), valid_dataset=None, sink_size=-1, epoch=1),
        ),
        "FixedLossScaleManager": (ms.FixedLossScaleManager, dict(loss_scale=2.0, drop_overflow_update=True)),
        "DynamicLossScaleManager": (
            ms.DynamicLossScaleManager,
            dict(init_loss_scale=4.0, scale_factor=2, scale_window=3),
        ),
        "CheckpointConfig": (
            ms.CheckpointConfig,
            dict(
                save_checkpoint_steps=1,
                save_checkpoint_seconds=0,
                keep_checkpoint_max=5,
                keep_checkpoint_per_n_minutes=0,
                integrated_save=True,
                async_save=False,
                saved_network=None,
                append_info=None,
                enc_key=None,
                enc_mode="AES-GCM",
                exception_save=False,
                crc_check=False,
                remove_redundancy=False,
                format="ckpt",
            ),
        ),
        "ModelCheckpoint": (ms.ModelCheckpoint, dict(prefix="m", directory="folder", config=None)),
        "LossMonitor": (ms.LossMonitor, dict(per_print_times=1)),
        "TimeMonitor": (ms.TimeMonitor, dict(data_size=None, data_time=False)),
        "EarlyStopping": (
            train.EarlyStopping,
            dict(
                monitor="eval_loss",
                min_delta=0,
                patience=0,
                verbose=False,
                mode="auto",
                baseline=None,
                restore_best_weights=False,
            ),
        ),
        "ReduceLROnPlateau": (
            train.ReduceLROnPlateau,
            dict(
                monitor="eval_loss",
                factor=0.1,
                patience=10,
                verbose=False,
                mode="auto",
                min_delta=1e-4,
                cooldown=0,
                min_lr=0,
            ),
        ),
        "SummaryCollector": (
            train.SummaryCollector,
            dict(
                summary_dir="summary",
                collect_freq=10,
                num_process=8,
                collect_specified_data=None,
                keep_default_action=True,
                custom_lineage_data=None,
                collect_tensor_freq=None,
                max_file_size=None,
                export_options=None,
            ),
        ),
        "collect_specified_data": (
            lambda **a: train.SummaryCollector("summary", collect_specified_data=a),
            dict(
                collect_metric=True,
                collect_graph=True,
                collect_train_lineage=True,
                collect_eval_lineage=True,
                collect_input_data=True,
                collect_dataset_graph=True,
                histogram_regular=None,
                collect_landscape=None,
            ),
        ),
        "SummaryRecord": (
            train.SummaryRecord,
            dict(
                log_dir="summary",
                file_prefix="events",
                file_suffix="_MS",
                num_process=32,
                network=None,
                max_file_size=None,
                raise_exception=False,
                export_options=None,
            ),
        ),
        "SummaryRecord.record": (
            lambda **a: train.SummaryRecord("summary").record(**a),
            dict(step=1, train_network=None, plugin_filter=None),
        ),
        "SummaryRecord.set_mode": (lambda **a: train.SummaryRecord("summary").set_mode(**a), dict(mode="train")),
        "SummaryRecord.add_value": (
            lambda **a: train.SummaryRecord("summary").add_value(**a),
            dict(plugin="scalar", name="x", value=Tensor(1.0)),
        ),
        "RunContext": (train.RunContext, dict(original_args={})),
        "LambdaCallback": (train.LambdaCallback, dict(on_train_begin=None, on_eval_end=None)),
        "BackupAndRestore": (
            train.BackupAndRestore,
            dict(backup_dir="backup", save_freq="epoch", delete_checkpoint=True),
        ),
        "OnRequestExit": (
            train.OnRequestExit,
            dict(save_ckpt=True, save_mindir=False, file_name="Net", directory="folder", config_file=None),
        ),
        "save_checkpoint": (
            ms.save_checkpoint,
            dict(
                save_obj=net,
                ckpt_file_name="a.ckpt",
                integrated_save=True,
                async_save=False,
                append_dict=None,
                enc_key=None,
                enc_mode="AES-GCM",
                choice_func=None,
                format="ckpt",
            ),
        ),
        "load_checkpoint": (
            ms.load_checkpoint,
            dict(
                ckpt_file_name="good.ckpt",
                net=None,
                strict_load=False,
                filter_prefix=None,
                dec_key=None,
                dec_mode="AES-GCM",
                specify_prefix=None,
                choice_func=None,
            ),
        ),
        "load_param_into_net": (
            ms.load_param_into_net,
            dict(net=net, parameter_dict={}, strict_load=False, remove_redundancy=False),
        ),
        "load_checkpoint_async": (
            lambda **a: ms.load_checkpoint_async(**a).result(),
            dict(
                ckpt_file_name="good.ckpt",
                net=None,
                strict_load=False,
                filter_prefix=None,
                dec_key=None,
                dec_mode="AES-GCM",
                specify_prefix=None,
            ),
        ),
        "export": (
            lambda **a: ms.export(a.pop("net"), a.pop("inputs"), **a),
            dict(
                net=net,
                inputs=Tensor(np.ones((1, 4), np.float32)),
                file_name="e",
                file_format="MINDIR",
                enc_key=None,
                enc_mode="AES-GCM",
            ),
        ),
        "load": (ms.load, dict(file_name="good.mindir", dec_key=None)),
        "build_train_network": (
            amp.build_train_network,
            dict(
                network=net,
                optimizer=optimizer,
                loss_fn=loss,
                level="O0",
                boost_level="O0",
                cast_model_type=ms.float32,
                keep_batchnorm_fp32=True,
                loss_scale_manager=None,
            ),
        ),
        "auto_mixed_precision": (amp.auto_mixed_precision, dict(network=net, amp_level="O2", dtype=ms.float16)),
        "custom_mixed_precision": (
            amp.custom_mixed_precision,
            dict(network=net, white_list=None, black_list=[nn.Dense], dtype=ms.float16),
        ),
        "StaticLossScaler": (amp.StaticLossScaler, dict(scale_value=2.0)),
        "DynamicLossScaler": (amp.DynamicLossScaler, dict(scale_value=4.0, scale_factor=2, scale_window=3)),
        "TrainOneStepCell": (nn.TrainOneStepCell, dict(network=net, optimizer=optimizer, sens=None, return_grad=False)),
        "TrainOneStepWithLossScaleCell": (
            nn.TrainOneStepWithLossScaleCell,
            dict(network=net, optimizer=optimizer, scale_sense=Tensor(2.0)),
        ),
        "WithLossCell": (nn.WithLossCell, dict(backbone=net, loss_fn=loss)),
        "WithEvalCell": (nn.WithEvalCell, dict(network=net, loss_fn=loss, add_cast_fp32=False)),
        "ForwardValueAndGrad": (
            nn.ForwardValueAndGrad,
            dict(network=net, weights=None, get_all=False, get_by_list=False, sens_param=False),
        ),
        "DynamicLossScaleUpdateCell": (
            nn.DynamicLossScaleUpdateCell,
            dict(loss_scale_value=4.0, scale_factor=2, scale_window=3),
        ),
        "DatasetHelper": (ms.DatasetHelper, dict(dataset=data(), dataset_sink_mode=False, sink_size=-1, epoch_num=1)),
        "data_sink": (ms.data_sink, dict(fn=lambda x, y: x, dataset=data(), sink_size=1)),
        "Accuracy": (train.Accuracy, dict(eval_type="classification")),
        "Precision": (train.Precision, dict(eval_type="classification")),
        "Fbeta": (train.Fbeta, dict(beta=1.0)),
        "TopKCategoricalAccuracy": (train.TopKCategoricalAccuracy, dict(k=2)),
        "ConfusionMatrix": (train.ConfusionMatrix, dict(num_classes=2, normalize="no_norm", threshold=0.5)),
        "Dice": (train.Dice, dict(smooth=1e-5)),
        "Perplexity": (train.Perplexity, dict(ignore_label=None)),
        "ROC": (train.ROC, dict(class_num=None, pos_label=None)),
        "BleuScore": (train.BleuScore, dict(n_gram=4, smooth=False)),
        "get_metric_fn": (lambda **a: train.get_metric_fn(a["name"]), dict(name="acc")),
    }
    return table if name is None else table[name]


def first_sentence(error):
    text = str(error).strip().split("\n")[0].replace("mindspore_compat", "mindspore")
    text = re.sub(r"/tmp/\w+", "/tmp", re.sub(r"0x[0-9a-f]+", "0x", text))
    return re.split(r"[.;](?:\s|\"?$)", text)[0].rstrip(" ")


def results():
    found = {}
    for name in good(None):
        for argument in good(name)[1]:
            for kind, value in BAD.items():
                call, arguments = good(name)
                arguments[argument] = value
                case = f"{name}:{argument}={kind}"
                try:
                    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                        call(**arguments)
                except Exception as error:
                    found[case] = [type(error).__name__, first_sentence(error)]
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        ms.save_checkpoint(Net(), "good.ckpt")
        ms.export(Net(), Tensor(np.ones((1, 4), np.float32)), file_name="good", file_format="MINDIR")
        print("BAD-CALLS " + json.dumps(results()), flush=True)
        os.chdir("/")
