"""SummaryCollector against real MindSpore's records of the same run (tests/golden/upstream/summary/collector_fixed)."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

import mindspore_compat as ms
import mindspore_compat.dataset
from mindspore_compat import nn
from mindspore_compat.train.callback._summary_collector import SummaryCollector
from mindspore_compat.train.summary import read_summary
from tests.train.summary.collector_program import data, make_net, run
from tests.train.summary.support import GOLDEN, events, tensorboard


@pytest.fixture(scope="module", params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("collector")
    ms.set_context(mode=request.param)
    run(ms, SummaryCollector, str(folder))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    return folder


def _values(found):
    return [event for event in found if event.WhichOneof("what") == "summary"]


def test_records_are_real_mindspores_in_tags_steps_and_order(folder):
    ours, theirs = _values(events(folder)), _values(events(GOLDEN / "collector_fixed"))
    assert [(e.step, [(v.tag, v.WhichOneof("value")) for v in e.summary.value]) for e in ours] == [
        (e.step, [(v.tag, v.WhichOneof("value")) for v in e.summary.value]) for e in theirs
    ]


def test_records_are_real_mindspores_in_values(folder):
    for ours, theirs in zip(_values(events(folder)), _values(events(GOLDEN / "collector_fixed"))):
        for a, b in zip(ours.summary.value, theirs.summary.value):
            kind = a.WhichOneof("value")
            if kind == "scalar_value":
                assert a.scalar_value == pytest.approx(b.scalar_value, abs=2e-6)
            elif kind == "tensor":
                assert (list(a.tensor.dims), a.tensor.data_type) == (list(b.tensor.dims), b.tensor.data_type)
                assert list(a.tensor.float_data) == pytest.approx(list(b.tensor.float_data), abs=2e-6)
            elif kind == "histogram":
                assert [bucket.count for bucket in a.histogram.buckets] == [
                    bucket.count for bucket in b.histogram.buckets
                ]
                assert (a.histogram.min, a.histogram.max) == pytest.approx((b.histogram.min, b.histogram.max), abs=2e-6)
            else:
                assert (a.image.height, a.image.width) == (b.image.height, b.image.width)


def test_pictures_equal_real_mindspores(folder):
    ours, theirs = read_summary(folder).images, read_summary(GOLDEN / "collector_fixed").images
    for tag, points in theirs.items():
        assert all(np.array_equal(ours[tag][step], picture) for step, picture in points.items()), tag


def test_lineage_is_real_mindspores(folder):
    ours, theirs = read_summary(folder).lineage, read_summary(GOLDEN / "collector_fixed").lineage
    assert ours["custom_lineage_data"] == theirs["custom_lineage_data"]
    (a,), (b,) = ours["train_lineage"], theirs["train_lineage"]
    assert a.algorithm.loss == pytest.approx(b.algorithm.loss, abs=2e-6)
    a.algorithm.loss = b.algorithm.loss
    assert a == b
    (a,), (b,) = ours["eval_lineage"], theirs["eval_lineage"]
    assert json.loads(a.metric) == pytest.approx(json.loads(b.metric), abs=2e-6) and a.valid_dataset == b.valid_dataset
    (a,), (b,) = ours["dataset_graph"], theirs["dataset_graph"]
    for message in (a, b, *a.children, *b.children):
        message.parameter.mapInt.pop("num_parallel_workers", None)  # the machine's
    assert a == b


_LAYERS = [
    ("Conv2d", ["inputs0", "conv.weight"]),
    ("ReLU", ["1"]),
    ("Flatten", ["2"]),
    ("Dense", ["3", "fc.weight", "fc.bias"]),
    ("SoftmaxCrossEntropyWithLogits", ["4", "inputs1"]),
]
_OPERATORS = [
    ("Conv2D", ["inputs0", "conv.weight"]),
    ("ReLU", ["1"]),
    ("Flatten", ["2"]),
    ("MatMul", ["3", "fc.weight", "cst1", "cst2"]),
    ("BiasAdd", ["4", "fc.bias", "cst3"]),
    ("SparseSoftmaxCrossEntropyWithLogits", ["5", "inputs1"]),
]


def test_the_graph_is_the_networks_operators_or_layers_with_shapes(folder, request):
    (graph,) = read_summary(folder).graphs
    expected = _OPERATORS if request.node.callspec.id == "graph" else _LAYERS
    assert [(node.op_type, [source.name for source in node.input]) for node in graph.node] == expected
    assert graph.node[0].full_name == f"Default/network-WithLossCell/_backbone-Small/conv-Conv2d/{expected[0][0]}-op0"
    assert [dim.size for dim in graph.node[3].output_type.tensor_type.shape.dim] == [4, 3]
    assert not {"<", ">", '"'} & set(str([node.full_name for node in graph.node]))


def test_tensorboard_shows_the_run(folder):
    board = tensorboard(folder)
    losses = [(e.step, pytest.approx(e.value)) for e in board.Scalars("loss/auto")]
    assert losses[:2] == [(step, read_summary(folder).scalars["loss/auto"][step]) for step in (1, 2)]
    tags = board.Tags()
    assert tags["graph"] and "conv.weight/auto" in tags["histograms"] and "input_data/auto" in tags["images"]
    assert "_hparams_/session_start_info" in board.PluginTagToContent("hparams")


def test_a_torch_module_with_a_torch_optimizer_and_fit(tmp_path):
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 3))
    model = ms.Model(net, torch.nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), 0.125), metrics={"loss"})
    x, y = torch.randn(8, 1, 6, 6), torch.randint(0, 3, (8,))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=4)
    model.fit(2, loader, loader, callbacks=[SummaryCollector(str(tmp_path), collect_freq=1)])
    found = read_summary(tmp_path)
    assert list(found.scalars["loss/auto"]) == [1, 2, 3, 4]
    assert set(found.histograms) == {"1.weight/auto", "1.bias/auto"} and "input_data/auto" in found.images
    (lineage,) = found.lineage["train_lineage"]
    assert lineage.hyper_parameters.optimizer == "SGD" and lineage.hyper_parameters.learning_rate == 0.125
    assert lineage.train_dataset.train_dataset_size == 8 and lineage.hyper_parameters.batch_size == 4
    assert {node.op_type for node in found.graphs[0].node} == {"Flatten", "Linear", "CrossEntropyLoss"}


def test_operators_in_the_evaluation_inside_of_fit_stay_out(tmp_path):
    net = make_net(ms)
    seen = []
    net.scalar = lambda name, value, record=net.scalar: (seen.append(net.training), record(name, value))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, nn.Momentum(net.trainable_params(), 0.0, 0.9), metrics={"loss"})
    # with a rate of 0 a step's value is the same every epoch, and differs between batches
    model.fit(
        2,
        data(ms),
        data(ms),
        callbacks=[SummaryCollector(str(tmp_path), collect_freq=1, collect_specified_data={"collect_landscape": None})],
    )
    points = read_summary(tmp_path).scalars["mean_logit"]
    assert seen.count(True) == 6 and list(points) == [1, 2, 3, 4, 5, 6]
    assert list(points.values())[:3] == pytest.approx(list(points.values())[3:])
    assert not events(tmp_path)[-1].summary.value or events(tmp_path)[-1].step == 6


def test_only_what_is_named_without_the_default_action(tmp_path):
    net = make_net(ms)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, nn.Momentum(net.trainable_params(), 0.05, 0.9))
    collector = SummaryCollector(
        str(tmp_path), collect_freq=1, collect_specified_data={"collect_metric": True}, keep_default_action=False
    )
    model.train(1, data(ms), callbacks=collector)
    found = read_summary(tmp_path)
    assert set(found.scalars) == {"loss/auto", "mean_logit"} and not found.graphs and not found.lineage
    assert set(found.histograms) == {"logits"} and not (tmp_path / "ckpt_dir").exists()


def test_tensors_come_at_about_twenty_steps_at_most(tmp_path):
    collector = SummaryCollector(str(tmp_path))
    with collector:

        def steps(freq, total, tensor_freq=None):
            collector._collect_freq, collector._collect_tensor_freq, collector._sinking = freq, tensor_freq, False
            return list(
                collector._steps_of_tensors(ms.train.callback.InternalCallbackParam(epoch_num=1, batch_num=total))
            )

        assert len(steps(10, 600)) == 20 and steps(10, 600)[:3] == [0, 31, 62]
        assert steps(10, 20) == [0, 10, 20]
        assert steps(1, 30) == list(range(21))
        assert steps(10, 100, 50) == [0, 50, 100]


def test_parameters_for_the_landscape_are_saved(tmp_path):
    net = make_net(ms)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, nn.Momentum(net.trainable_params(), 0.05, 0.9))
    model.train(1, data(ms), callbacks=SummaryCollector(str(tmp_path)))
    meta = json.loads((tmp_path / "ckpt_dir/train_metadata.json").read_text())
    assert set(meta) == {
        "epoch_group",
        "model_params_file_map",
        "step_per_epoch",
        "unit",
        "num_samples",
        "landscape_size",
        "create_landscape",
    }
    assert meta["step_per_epoch"] == 3 and list(meta["model_params_file_map"]) == ["1", "2", "3"]
    assert set(ms.load_checkpoint(meta["model_params_file_map"]["3"])) == {"conv.weight", "fc.weight", "fc.bias"}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"collect_freq": 0}, ValueError),
        ({"collect_specified_data": {"x": 1}}, ValueError),
        ({"collect_specified_data": {"collect_landscape": {"intervals": [[1, 2]]}}}, ValueError),
        ({"custom_lineage_data": {"a": [1]}}, TypeError),
    ],
)
def test_wrong_arguments_are_refused(tmp_path, arguments, error):
    with pytest.raises(error):
        SummaryCollector(str(tmp_path), **arguments)


def test_two_collectors_are_refused(tmp_path):
    net = make_net(ms)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    first = SummaryCollector(str(tmp_path))
    try:
        with pytest.raises((ValueError, RuntimeError)):
            model.train(1, data(ms), callbacks=[first, SummaryCollector(str(tmp_path))])
    finally:
        first.__exit__()  # the manager leaves the first one entered when entering the second fails
