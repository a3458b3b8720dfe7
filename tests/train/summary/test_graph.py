"""The graph of a training in GRAPH_MODE holds the operators of the forward, as real MindSpore's does; recording it
changes nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import context, nn, ops
from mindspore_compat._format.proto.anf_ir import DataType, ModelProto
from mindspore_compat.train.callback import CheckpointConfig, LambdaCallback, ModelCheckpoint, SummaryCollector
from mindspore_compat.train.summary import SummaryRecord
from mindspore_compat.train.summary import _graph as graphs
from mindspore_compat.train.summary._graph import graph_of
from mindspore_compat.train.summary._reader import read_summary
from tests.support.oracle import run_oracle
from tests.train.summary import graph_program as program
from tests.train.summary.support import tensorboard

_NETWORK = "Default/network-WithLossCell/_backbone-"
#: What ours has more (+) or less (-) often than real MindSpore, by network: (scope behind the network's, operator).
_DIFFERENCES = {
    "lenet": {},
    # the compiler waits for what has side effects: that is a tuple of what was loaded before
    "conv_bn": {("ConvBn/body-SequentialCell/0-Conv2d", "MakeTuple"): -1},
    "transformer": {
        # real MindSpore's Embedding looks up in one dimension, and its compiler takes the shape apart from the three
        # Dense behind it
        ("Transformer/embedding-Embedding", "Reshape"): -2,
        **{(f"Transformer/{name}-Dense", "Reshape"): 1 for name in "qkv"},
        # ops.matmul of four axes is one operator there, and a product over one batch axis here
        ("Transformer", "MatMulExt"): -2,
        ("Transformer", "BatchMatMul"): 2,
        ("Transformer", "Reshape"): 6,
    },
}


@pytest.fixture(autouse=True)
def _mode() -> Any:
    before = context.get_context("mode")
    context.set_context(mode=context.GRAPH_MODE)
    yield
    context.set_context(mode=before)


def _graph(folder: Any) -> Any:
    (graph,) = read_summary(folder).graphs
    return graph


def _operators_of(graph: Any) -> Counter[tuple[str, str]]:
    """The forward's (scope, operator); reading a Parameter (Load, in the network's scope) and waiting for it are no
    operators of the network.
    """
    return Counter(
        (node.scope, node.op_type)
        for node in graph.node
        if node.scope.startswith("Default/network") and node.op_type not in ("Load", "UpdateState")
    )


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real")
    run_oracle(f"import runpy; runpy.run_path({program.__file__!r}, run_name='__main__')", str(folder))
    return folder


@pytest.mark.oracle
@pytest.mark.parametrize("name", program.NAMES)
def test_the_forwards_operators_stand_where_real_mindspores_stand(name: str, real: Path, tmp_path: Path) -> None:
    program.run(ms, name, str(tmp_path))
    ours, theirs = _operators_of(_graph(tmp_path)), _operators_of(_graph(real / name))
    ours.subtract(theirs)
    assert {key: count for key, count in ours.items() if count} == {
        (f"{_NETWORK}{scope}", op): count for (scope, op), count in _DIFFERENCES[name].items()
    }


@pytest.mark.oracle
def test_types_inputs_and_attributes_are_real_mindspores(real: Path, tmp_path: Path) -> None:
    program.run(ms, "lenet", str(tmp_path))

    def described(graph: Any) -> dict[str, Any]:
        loads = {node.name: node.input[0].name for node in graph.node if node.op_type == "Load"}
        nodes = {node.name: node.full_name for node in graph.node}
        constants = {row.key: row.value.SerializeToString() for row in graph.const_vals}
        found = {}
        for node in graph.node:
            if node.scope.startswith("Default/network") and node.op_type != "Load":
                inputs = [
                    loads.get(item.name) or nodes.get(item.name) or constants.get(item.name, item.name)
                    for item in node.input
                ]
                attributes = {
                    row.name: row.value.SerializeToString()
                    for row in node.attribute
                    if row.name in ("kernel_size", "strides", "stride", "pad_list")
                }
                found[node.full_name] = node.output_type.SerializeToString(), inputs, attributes
        return found

    ours = described(_graph(tmp_path))
    assert len(ours) == 16
    assert ours == described(_graph(real / "lenet"))


def test_a_training_has_its_operators_connected_with_shapes(tmp_path: Path) -> None:
    program.train(
        ms, "conv_bn", [SummaryCollector(str(tmp_path)), ModelCheckpoint("n", str(tmp_path), CheckpointConfig(2))]
    )
    graph = _graph(tmp_path)
    body, top = f"{_NETWORK}ConvBn/body-SequentialCell", f"{_NETWORK}ConvBn"
    assert [
        (node.full_name, [item.name for item in node.input if not item.name.startswith("cst")]) for node in graph.node
    ] == [
        (f"{body}/0-Conv2d/Conv2D-op0", ["inputs0", "body.0.weight"]),
        (f"{body}/0-Conv2d/BiasAdd-op0", ["1", "body.0.bias"]),
        (
            f"{body}/1-BatchNorm2d/BatchNorm-op0",
            ["2", "body.1.gamma", "body.1.beta", "body.1.moving_mean", "body.1.moving_variance"],
        ),
        (f"{body}/1-BatchNorm2d/TupleGetItem-op0", ["3"]),
        (f"{body}/2-ReLU/ReLU-op0", ["4"]),
        (f"{body}/3-AvgPool2d/AvgPool-op0", ["5"]),
        (f"{top}/Muls-op0", ["6"]),
        (f"{top}/Add-op0", ["6", "7"]),
        (f"{top}/ReduceMean-op0", ["8"]),
        (f"{top}/drop-Dropout/Dropout-op0", ["9"]),
        (f"{top}/drop-Dropout/TupleGetItem-op0", ["10"]),
        (f"{top}/head-Dense/MatMul-op0", ["11", "head.weight"]),
        (f"{top}/head-Dense/BiasAdd-op0", ["12", "head.bias"]),
        (
            "Default/network-WithLossCell/_loss_fn-SoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits-op0",
            ["13", "inputs1"],
        ),
    ]
    convolution, normalized = graph.node[0], graph.node[2]
    assert [dim.size for dim in convolution.output_type.tensor_type.shape.dim] == [4, 8, 8, 8]
    assert [
        item.int_val for row in convolution.attribute if row.name == "kernel_size" for item in row.value.values
    ] == [3, 3]
    assert normalized.output_type.data_type == DataType.DT_TUPLE
    assert [row.name for row in graph.parameters][:2] == ["inputs0", "inputs1"] and graph.outputs[0].name == "14"
    known = (
        {row.name for row in graph.parameters}
        | {row.key for row in graph.const_vals}
        | {node.name for node in graph.node}
    )
    assert {item.name for node in graph.node for item in node.input} <= known
    assert not {"<", ">", '"'} & set("".join(node.full_name for node in graph.node))
    assert ModelProto.FromString((tmp_path / "n-graph.meta").read_bytes()).graph == graph


def test_tensorboard_has_every_operator_with_its_edges(tmp_path: Path) -> None:
    program.run(ms, "transformer", str(tmp_path))
    shown = {node.name: node for node in tensorboard(tmp_path).Graph().node}
    graph = _graph(tmp_path)
    assert len(shown) == len(graph.node) + len(graph.parameters) + len(graph.const_vals)
    for node in graph.node:
        assert len(shown[node.full_name].input) == len(node.input) and set(shown[node.full_name].input) <= set(shown)


class _Busy(nn.Cell):
    """Everything that a second run could disturb: statistics, random numbers, counts, prints, hooks, an assignment, an
    operator of summaries.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.norm, self.drop, self.out = nn.Dense(4, 8), nn.BatchNorm1d(8), nn.Dropout(p=0.5), nn.Dense(8, 3)
        self.calls, self.seen = 0, []
        self.total = ms.Parameter(ms.Tensor(np.zeros((), np.float32)), name="total", requires_grad=False)
        self.scalar = ops.ScalarSummary()

    def construct(self, x: Any) -> Any:
        self.calls += 1
        self.seen.append(x.shape)
        self.total += 1.0
        print("construct")
        y = self.out(self.drop(self.norm(self.fc(x))))
        self.scalar("mean", y.mean())
        return y


def _train_busy(callbacks: list[Any]) -> tuple[Any, list[int]]:
    ms.set_seed(3)
    random.seed(3)
    net, heard = _Busy(), []
    net.fc.register_forward_hook(lambda cell, inputs, output: heard.append(1))
    numbers = np.random.RandomState(0)
    data = ms.dataset.NumpySlicesDataset(
        (numbers.randn(24, 4).astype(np.float32), numbers.randint(0, 3, 24).astype(np.int32)), shuffle=False
    ).batch(4)
    ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.1)).train(
        2, data, callbacks=callbacks, dataset_sink_mode=False
    )
    return net, heard


def test_a_training_with_its_graph_recorded_is_bit_for_bit_the_one_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, plain_heard = _train_busy([])
    printed = capsys.readouterr()
    after = torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate()
    callbacks = [
        SummaryCollector(str(tmp_path), 1, collect_specified_data={"collect_landscape": None}),
        ModelCheckpoint("n", str(tmp_path), CheckpointConfig(6)),
    ]
    net, heard = _train_busy(callbacks)
    assert {"MatMul", "BatchNorm", "Dropout"} <= {
        node.op_type for node in _graph(tmp_path).node
    }  # it was not the layers' graph
    again = capsys.readouterr()
    assert again.out == printed.out and printed.out.count("construct") == 12 and len(heard) == len(plain_heard) == 12
    assert net.calls == plain.calls == 12 and len(net.seen) == 12 and float(net.total) == 12 and net.training
    for ours, theirs in zip(net.get_parameters(), plain.get_parameters(), strict=True):
        assert ours.asnumpy().tobytes() == theirs.asnumpy().tobytes(), ours.name
    assert (
        torch.equal(torch.get_rng_state(), after[0])
        and np.random.get_state()[1].tolist() == after[1]
        and random.getstate() == after[2]
    )
    assert set(read_summary(tmp_path).scalars["mean"]) == set(range(1, 13))


@pytest.mark.parametrize("name", program.NAMES)
def test_recording_leaves_the_weights_of_ordinary_networks(name: str, tmp_path: Path) -> None:
    plain = program.train(ms, name, [])
    recorded = program.train(
        ms, name, [SummaryCollector(str(tmp_path)), ModelCheckpoint("n", str(tmp_path), CheckpointConfig(2))]
    )
    assert "MatMul" in {node.op_type for node in _graph(tmp_path).node}
    assert [ours.asnumpy().tobytes() for ours in recorded.get_parameters()] == [
        theirs.asnumpy().tobytes() for theirs in plain.get_parameters()
    ]


@pytest.mark.parametrize(
    ("loss", "operators"),
    [
        (nn.MSELoss(), ["Sub", "Square", "ReduceMean"]),
        (nn.L1Loss(), ["Sub", "Abs", "ReduceMean"]),
        (nn.HuberLoss(), ["Sub", "HuberLoss"]),
    ],
)
def test_losses_are_operators_and_what_has_no_row_has_torchs_name(loss: Any, operators: list[str]) -> None:
    net = nn.Dense(4, 3)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.SGD(net.trainable_params(), 0.1))
    graph = graph_of(step, inputs=(ms.Tensor(np.ones((2, 4), np.float32)), ms.Tensor(np.ones((2, 3), np.float32))))
    assert [node.op_type for node in graph.node] == ["MatMul", "BiasAdd", *operators]
    assert {node.scope for node in graph.node[2:]} == {f"Default/network-WithLossCell/_loss_fn-{type(loss).__name__}"}


class _Branch(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc, self.calls = nn.Dense(4, 3), 0

    def construct(self, x: Any) -> Any:
        self.calls += 1
        y = self.fc(x)
        return y * 2 if y.sum() > 0 else y


def _step(net: Any) -> Any:
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    step.set_train()
    return step, (ms.Tensor(np.ones((2, 4), np.float32)), ms.Tensor(np.ones((2, 3), np.float32)))


def test_what_an_export_refuses_has_the_graph_of_its_layers() -> None:
    net = _Branch()
    step, inputs = _step(net)
    assert [node.op_type for node in graph_of(step, inputs=inputs).node] == ["Dense", "MSELoss"]
    assert net.calls == 0


def test_a_graph_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    step, inputs = _step(nn.Dense(4, 3))
    assert graph_of(step, inputs=inputs).node[0].op_type == "MatMul"
    monkeypatch.setattr(graphs, "_MOST_SECONDS", -1.0)
    assert graph_of(step, inputs=inputs).node[0].op_type == "Dense"


def test_pynative_mode_has_the_layers() -> None:
    context.set_context(mode=context.PYNATIVE_MODE)
    step, inputs = _step(nn.Dense(4, 3))
    assert graph_of(step, inputs=inputs).node[0].op_type == "Dense"


def test_a_recorder_with_a_network_takes_down_its_first_inputs(tmp_path: Path) -> None:
    step, inputs = _step(nn.Dense(4, 3))
    with SummaryRecord(str(tmp_path), network=step) as record:
        step(*inputs)
        assert not step.network._forward_pre_hooks
        record.record(1)
    assert [(node.full_name.rpartition("network-WithLossCell/")[2]) for node in _graph(tmp_path).node][:2] == [
        "_backbone-Dense/MatMul-op0",
        "_backbone-Dense/BiasAdd-op0",
    ]


def test_a_step_of_the_users_own_is_recorded_with_what_it_gives_its_network(tmp_path: Path) -> None:
    class Step(nn.TrainOneStepCell):
        def construct(self, x: Any, y: Any) -> Any:
            return super().construct(ops.concat((x, x)), ops.concat((y, y)))

    net = nn.Dense(4, 3)
    data = ms.dataset.NumpySlicesDataset(
        (np.ones((4, 4), np.float32), np.ones((4, 3), np.float32)), shuffle=False
    ).batch(2)
    callbacks = [
        SummaryCollector(str(tmp_path)),
        LambdaCallback(),
        ModelCheckpoint("n", str(tmp_path), CheckpointConfig(2)),
    ]
    ms.Model(Step(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))).train(
        1, data, callbacks=callbacks, dataset_sink_mode=False
    )
    assert [dim.size for dim in _graph(tmp_path).parameters[0].type.tensor_type.shape.dim] == [4, 4]
    meta = ModelProto.FromString((tmp_path / "n-graph.meta").read_bytes()).graph
    assert meta.node[0].op_type == "Dense"  # what the user's step gives on is not known there
