"""Exported quantized networks: ONNX in integers, by our own message classes and where they are installed by onnx and
onnxruntime; MINDIR.
"""

from __future__ import annotations

import collections
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as mindspore
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._format.proto import mindir as mindir_proto
from mindspore_compat._format.proto import onnx as onnx_proto
from mindspore_compat.compression.quant import QuantizationAwareTraining
from mindspore_compat.train.quant import convert_quant_network, export
from tests.compression.nets import PIXELS, PlainLayers, Residual, trained
from tests.compression.test_conversion import CONVERTERS, learned
from tests.support.oracle import run_oracle

VARIANTS: dict[str, Any] = {
    "per channel, symmetric": lambda net: convert_quant_network(
        net, per_channel=(True, False), symmetric=(True, False)
    ),
    "per channel": lambda net: convert_quant_network(net, per_channel=(True, False)),
    "narrow": lambda net: convert_quant_network(net, symmetric=(True, True), narrow_range=(True, True)),
    "7 bits": lambda net: QuantizationAwareTraining(quant_dtype=("INT7", "INT7")).quantize(net),
    **CONVERTERS,
}


def exact(runtime: Any) -> Any:
    """Options with which ONNX Runtime's sums of products of 8 bits do not overflow on CPUs without VNNI."""
    options = runtime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    return options


def made(convert: Any, activation: str = "relu") -> nn.Cell:
    mindspore.set_seed(5)
    return trained(convert(Residual(activation)))


def written(net: nn.Cell, folder: Path, file_format: str = "ONNX", **options: Any) -> Any:
    export(
        net,
        Tensor(PIXELS),
        file_name=str(folder / "net"),
        file_format=file_format,
        **{"mean": 0, "std_dev": 255, **options},
    )
    model = onnx_proto.ModelProto() if file_format == "ONNX" else mindir_proto.ModelProto()
    model.ParseFromString((folder / f"net.{file_format.lower()}").read_bytes())
    return model


def initializers(model: Any) -> dict[str, np.ndarray]:
    kinds = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64}
    return {
        item.name: np.frombuffer(item.raw_data, kinds[item.data_type]).reshape(item.dims)
        for item in model.graph.initializer
    }


def test_the_file_holds_whole_numbers(tmp_path: Path) -> None:
    """Weights as int8 with their scales and zero points, biases as int32 in steps of the product's scale, results
    between pairs.
    """
    net = made(VARIANTS["per channel, symmetric"])
    model = written(net, tmp_path)
    assert [(item.domain, item.version) for item in model.opset_import] == [("", 13)] and model.ir_version == 8
    found, nodes = initializers(model), list(model.graph.node)
    sources = {name: node for node in nodes for name in node.output}
    assert not [name for name in found if name.endswith(("weight", "bias", "gamma", "minq"))]
    layers = [node for node in nodes if node.op_type in ("Conv", "Gemm")]
    assert [node.op_type for node in layers] == ["Conv", "Conv", "Conv", "Gemm", "Gemm"]
    for node, layer in zip(
        layers, (net.conv1.conv, net.conv2.conv, net.conv3.conv, net.head[0].dense, net.head[1].dense)
    ):
        x, weight = sources[node.input[0]], sources[node.input[1]]
        assert (x.op_type, weight.op_type) == ("DequantizeLinear", "DequantizeLinear")
        whole, scale, zero = (found[name] for name in weight.input)
        assert (whole.dtype, zero.dtype, scale.shape) == (np.int8, np.int8, (layer.out_channels,)) and not zero.any()
        index, grid, bias = layer.integers()
        assert np.array_equal(whole, index.detach().numpy() - 128) and np.allclose(scale, grid.scale.detach().numpy())
        if bias is not None:
            bias_node = sources[node.input[2]]
            whole_bias, bias_scale, _ = (found[name] for name in bias_node.input)
            assert whole_bias.dtype == np.int32 and np.allclose(bias_scale, scale * found[x.input[1]], rtol=1e-6)
            assert (
                np.abs(whole_bias * bias_scale.astype(np.float64) - bias.detach().numpy()).max()
                <= 0.501 * bias_scale.max()
            )
    first = sources[layers[0].input[0]]
    assert (
        found[first.input[1]] == np.float32(1 / 255)
        and found[first.input[2]] == 0
        and found[first.input[2]].dtype == np.uint8
    )
    last = sources[model.graph.output[0].name]
    assert (
        last.op_type == "DequantizeLinear"
        and found[last.input[1]] == net.head[1].activation.fake_quant_act.grid().scale.numpy()
    )


def test_the_input_s_grid_by_mean_and_deviation(tmp_path: Path) -> None:
    model = written(made(convert_quant_network), tmp_path, mean=127.5, std_dev=63.75)
    first = next(node for node in model.graph.node if node.op_type == "QuantizeLinear")
    assert first.input[0] == "x" and [float(initializers(model)[name]) for name in first.input[1:]] == [
        pytest.approx(1 / 63.75),
        128,
    ]


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("activation", ["relu", "leakyrelu", "sigmoid", "hswish"])
def test_onnxruntime_computes_the_same_within_a_step_in_integers(name: str, activation: str, tmp_path: Path) -> None:
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    net = made(VARIANTS[name], activation)
    written(net, tmp_path)
    onnx.checker.check_model(str(tmp_path / "net.onnx"), full_check=True)
    wanted, step = net(Tensor(PIXELS)).asnumpy(), float(net.head[1].activation.fake_quant_act.grid().scale)
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
        options = exact(runtime)
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.graph_optimization_level = getattr(runtime.GraphOptimizationLevel, level)
        options.optimized_model_filepath = str(tmp_path / f"{level}.onnx")
        session = runtime.InferenceSession(str(tmp_path / "net.onnx"), options, providers=["CPUExecutionProvider"])
        found = session.run(None, {"x": PIXELS})[0]
        assert np.abs(found - wanted).max() < 1.01 * step, level
        assert np.abs(found / step - np.round(found / step)).max() < 1e-3
    counts = collections.Counter(node.op_type for node in onnx.load(str(tmp_path / "ORT_ENABLE_ALL.onnx")).graph.node)
    if name not in (
        "narrow",
        "7 bits",
    ):  # there an activation stands between a layer and a grid whose ends are not the type's
        floats = int(activation == "sigmoid")  # whose input is not rounded, as in 1.x
        assert (counts["QLinearConv"], counts["QGemm"], counts["QLinearAdd"]) == (3 - floats, 2, 1), counts
        assert counts["Conv"] + counts["Gemm"] + counts["FusedConv"] + counts["MatMul"] == floats, counts


def test_a_layer_without_rounded_input_stays_in_floats(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """As 1.0 converts a mean: with float products, but weights of int8, and right."""

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.mean = (
                nn.Conv2dBnAct(1, 4, 3, activation="relu", weight_init="he_uniform"),
                ops.ReduceMean(),
            )
            self.head = nn.DenseBnAct(4, 5, weight_init="he_uniform")

        def construct(self, x: Any) -> Any:
            return self.head(self.mean(self.conv(x), (2, 3)))

    net = trained(convert_quant_network(Net()))
    model = written(net, tmp_path)
    assert "these layers compute in floats with weights of int8" in caplog.text and "head.dense" in caplog.text
    gemm = next(node for node in model.graph.node if node.op_type == "Gemm")
    sources = {name: node.op_type for node in model.graph.node for name in node.output}
    assert (sources[gemm.input[0]], sources[gemm.input[1]], gemm.input[2]) == (
        "ReduceMean",
        "DequantizeLinear",
        "head.dense.bias",
    )
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"), exact(runtime), providers=["CPUExecutionProvider"])
    step = float(net.head.activation.fake_quant_act.grid().scale)
    assert np.abs(session.run(None, {"x": PIXELS})[0] - net(Tensor(PIXELS)).asnumpy()).max() < 1.01 * step


def test_what_is_all_zero_and_what_is_unconverted_beside(tmp_path: Path) -> None:
    """A channel of zeros keeps its bias; float layers beside a quantized one stay."""
    net = convert_quant_network(Residual())
    net.conv1.conv.gamma.set_data(Tensor(np.array([0, 1, 1, 1], np.float32)))
    net.conv1.conv.beta.set_data(Tensor(np.array([0.7, 0, 0, 0], np.float32)))
    trained(net, rate=0.0)
    mixed = trained(convert_quant_network(PlainLayers()))
    runtime = pytest.importorskip("onnxruntime")
    for number, each in enumerate((net, mixed)):
        folder = tmp_path / str(number)
        written(each, folder)
        session = runtime.InferenceSession(str(folder / "net.onnx"), exact(runtime), providers=["CPUExecutionProvider"])
        wanted = each(Tensor(PIXELS)).asnumpy()
        step = float(net.head[1].activation.fake_quant_act.grid().scale) if each is net else 0.01
        assert np.abs(session.run(None, {"x": PIXELS})[0] - wanted).max() < 1.01 * step


class Shared(nn.Cell):
    """One rounded activation at several places; its values padded for one layer and as they are for the next; ReLU as
    an operator between.
    """

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2dQuant(1, 4, 3, pad_mode="pad", padding=(1, 0, 1, 0), weight_init="he_uniform")
        self.padded = nn.Conv2dBnFoldQuant(4, 4, 2, pad_mode="same", weight_init="he_uniform")
        self.plain = nn.Conv2dQuant(4, 4, 1, weight_init="he_uniform")
        self.act, self.add, self.relu = nn.ActQuant(nn.ReLU6()), nn.TensorAddQuant(), ops.ReLU()
        self.flatten, self.dense = nn.Flatten(), nn.DenseQuant(196, 5, has_bias=False, weight_init="he_uniform")
        self.last = nn.FakeQuantWithMinMaxObserver(ema=True)

    def construct(self, x: Any) -> Any:
        x = self.act(self.first(x))
        x = self.relu(self.add(self.act(self.plain(x)), self.act(self.padded(x))))
        return self.last(self.dense(self.flatten(x)))


def test_a_network_built_by_hand(tmp_path: Path) -> None:
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    net = trained(Shared())
    written(net, tmp_path)
    onnx.checker.check_model(str(tmp_path / "net.onnx"), full_check=True)
    options = exact(runtime)
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    options.log_severity_level = 3
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"), options, providers=["CPUExecutionProvider"])
    assert np.abs(session.run(None, {"x": PIXELS})[0] - net(Tensor(PIXELS)).asnumpy()).max() < 1.01 * float(
        net.last.grid().scale
    )
    counts = collections.Counter(node.op_type for node in onnx.load(str(tmp_path / "optimized.onnx")).graph.node)
    assert (counts["QLinearConv"], counts["QGemm"], counts["QLinearAdd"]) == (3, 1, 1), counts


# --- MINDIR -----------------------------------------------------------------------------------------------------------


def attributes(node: Any) -> dict[str, Any]:
    found = {}
    for item in node.attribute:
        if item.tensors:
            kind = {1: np.float32, 9: np.bool_, 7: np.int64}[item.tensors[0].data_type]
            found[item.name] = np.frombuffer(item.tensors[0].raw_data, kind).tolist()
        elif item.s:
            found[item.name] = item.s.decode()
    return found


def test_mindir_holds_floats_on_the_grid_and_the_ranges(tmp_path: Path) -> None:
    net = made(VARIANTS["per channel, symmetric"])
    model = written(net, tmp_path, "MINDIR", mean=3, std_dev=2.5)
    nodes = {node.op_type: node for node in reversed(model.graph.node)}
    assert {name for name in nodes if "Quant" in name} == {"FakeQuantParam"}
    conv, layer = attributes(nodes["Conv2D"]), net.conv1.conv
    after = net.conv1.activation.fake_quant_act
    assert (
        conv["filter_maxq"] == layer.fake_quant_weight.maxq.asnumpy().tolist()
        and conv["filter_minq"] == layer.fake_quant_weight.minq.asnumpy().tolist()
    )
    assert conv["output_maxq"] == after.maxq.asnumpy().tolist() and conv["output_minq"] == after.minq.asnumpy().tolist()
    assert (conv["mean"], conv["std_dev"], conv["symmetric"], conv["activation_name"]) == ([3.0], [2.5], [True], "ReLU")
    assert (
        conv["weight_num_bits"],
        conv["act_num_bits"],
        conv["weight_narrow_range"],
        conv["output_narrow_range"],
    ) == ([8], [8], [False], [False])
    product = attributes(nodes["MatMul"])
    assert product["input_maxq"] == net.add.fake_quant_act.maxq.asnumpy().tolist() and "mean" not in product
    assert attributes(nodes["Add"])["output_maxq"] == net.add.fake_quant_act.maxq.asnumpy().tolist()
    weights = {
        item.name.rpartition(":")[2]: np.frombuffer(item.raw_data, np.float32).reshape(item.dims)
        for item in model.graph.parameter
    }
    index, grid, bias = layer.integers()
    scale = grid.scale.detach().numpy().reshape(-1, 1, 1, 1)
    np.testing.assert_allclose(
        weights["conv1.conv.weight"], (index.detach().numpy() - 128) * scale, rtol=1e-6, atol=1e-7
    )
    np.testing.assert_allclose(weights["conv1.conv.bias"], bias.detach().numpy(), rtol=1e-6)
    loaded = nn.GraphCell(mindspore.load(str(tmp_path / "net.mindir")))
    last = net.head[1].activation.fake_quant_act
    found = np.clip(
        loaded(Tensor(PIXELS)).asnumpy(), last.minq.asnumpy(), last.maxq.asnumpy()
    )  # results are neither rounded nor bound in the file
    np.testing.assert_allclose(found, net(Tensor(PIXELS)).asnumpy(), atol=0.1)


def test_the_range_of_a_learned_scale_in_mindir(tmp_path: Path) -> None:
    net = made(learned)
    model = written(net, tmp_path, "MINDIR")
    conv = attributes(next(node for node in model.graph.node if node.op_type == "Conv2D"))
    top = net.conv1.activation.fake_quant_act.maxq.asnumpy().tolist()
    assert (
        conv["output_maxq"] == top
        and conv["output_minq"] == [0.0]
        and conv["filter_minq"] == [-value for value in conv["filter_maxq"]]
    )


def quant_params(model: Any) -> dict[str, dict[str, Any]]:
    """The attributes of each FakeQuantParam, by the input of the node."""
    primitives = {item.name: item for item in model.primitives}
    found = {}
    for node in model.graph.node:
        holder = primitives[node.op_type.removeprefix("REF::")] if node.op_type.startswith("REF::") else node
        if (holder.op_type if holder is not node else node.op_type) == "FakeQuantParam":
            found[node.input[0].rpartition(":")[2]] = {
                item.name: [value.floats[0] if value.floats else value.ints[0] for value in item.values]
                or item.s.decode()
                or item.i
                for item in holder.attribute
                if item.name != "kwargs"
            }
    return found


def test_mindir_holds_type_scale_and_zero_point(tmp_path: Path) -> None:
    net = made(VARIANTS["per channel, symmetric"])
    found = quant_params(written(net, tmp_path, "MINDIR", mean=3, std_dev=2.5))
    weight, grid = found["conv1.conv.weight"], net.conv1.conv.fake_quant_weight.grid()
    assert (weight["quant_algo_name"], weight["is_per_channel"], weight["quant_dtype"], weight["narrow_range"]) == (
        "linear_quant_algo",
        1,
        7,
        0,
    )
    np.testing.assert_allclose(weight["linear_quant_scale"], grid.scale.numpy(), rtol=1e-6)
    assert weight["linear_quant_zero_point"] == [0, 0, 0, 0]
    assert found["x"]["linear_quant_scale"] == [pytest.approx(1 / 2.5)] and found["x"]["linear_quant_zero_point"] == [
        3 - 128
    ]
    results = [item for item in found.values() if not item["is_per_channel"]]
    after = net.conv1.activation.fake_quant_act.grid()
    assert any(
        item["linear_quant_scale"] == [pytest.approx(float(after.scale))]
        and item["linear_quant_zero_point"] == [int(after.zero) - 128]
        for item in results
    )
    narrow = quant_params(
        written(made(lambda n: convert_quant_network(n, num_bits=4, narrow_range=True)), tmp_path / "narrow", "MINDIR")
    )["conv1.conv.weight"]
    assert (narrow["quant_dtype"], narrow["narrow_range"], narrow["is_per_channel"]) == (3, 1, 0) and -7 <= narrow[
        "linear_quant_zero_point"
    ][0] <= 7
    own = learned(Residual())
    assert {item["quant_dtype"] for item in quant_params(written(own, tmp_path / "learned", "MINDIR")).values()} == {
        7,
        107,
    }


@pytest.mark.oracle
def test_real_mindspore_writes_type_scale_and_zero_point_alike(tmp_path: Path) -> None:
    net = made(VARIANTS["per channel, symmetric"])
    ours = quant_params(written(net, tmp_path, "MINDIR", mean=3, std_dev=2.5))
    picked = {"weight": ours["conv1.conv.weight"], "x": ours["x"]}
    (tmp_path / "net_of_two.py").write_text("""
import json, sys, numpy as np, mindspore as ms
from mindspore.ops.operations._quant_ops import FakeQuantParam
class Net(ms.nn.Cell):
    def __init__(self, given):
        super().__init__()
        make = lambda item: FakeQuantParam.linear_quant_param(ms.QuantDtype.INT8, item["linear_quant_scale"], item["linear_quant_zero_point"],
                                                              bool(item["is_per_channel"]), narrow_range=bool(item["narrow_range"]))
        self.first, self.second = make(given["x"]), make(given["weight"])
    def construct(self, x, weight):
        return self.first(x), self.second(weight)
""")
    run_oracle(
        """
import json, sys, numpy as np, mindspore as ms
sys.path.insert(0, sys.argv[1])
from net_of_two import Net
ms.set_context(mode=ms.GRAPH_MODE)
ms.export(Net(json.loads(sys.argv[2])), *[ms.Tensor(np.ones((4, 4), np.float32))] * 2, file_name=sys.argv[1] + "/real", file_format="MINDIR")
give(0)
""",
        str(tmp_path),
        json.dumps(picked),
    )
    model = mindir_proto.ModelProto()
    model.ParseFromString((tmp_path / "real.mindir").read_bytes())
    real = quant_params(model)
    for name, attributes_ in picked.items():
        assert real[name].keys() == attributes_.keys()
        for key, value in attributes_.items():
            assert real[name][key] == (pytest.approx(value, rel=1e-6) if key == "linear_quant_scale" else value), (
                name,
                key,
            )


def bypassed(model: Any) -> None:
    """Without FakeQuantParam, which no CPU runs; for ``custom_func``."""
    inputs = {node.output[0]: node.input[0] for node in model.graph.node if node.op_type == "FakeQuantParam"}

    def source(name: str) -> str:
        while name in inputs:
            name = inputs[name]
        return name

    nodes = [node for node in model.graph.node if node.op_type != "FakeQuantParam"]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    for node in model.graph.node:
        node.input[:] = [source(name) for name in node.input]
    for item in model.graph.output:
        item.name = source(item.name)


@pytest.mark.oracle
def test_real_mindspore_loads_the_mindir_and_computes_the_same(tmp_path: Path) -> None:
    """It loads the file; without FakeQuantParam, of which it has no kernel for a CPU, it computes what we compute."""
    net = made(VARIANTS["per channel, symmetric"])
    written(net, tmp_path, "MINDIR")
    mindspore.export(
        net,
        Tensor(PIXELS),
        file_name=str(tmp_path / "floats"),
        file_format="MINDIR",
        quant_mode="QUANT",
        mean=0,
        std_dev=255,
        custom_func=bypassed,
    )
    np.save(tmp_path / "x.npy", PIXELS)
    run_oracle(
        """
import sys, numpy as np, mindspore as ms
ms.load(sys.argv[1] + "/net.mindir")
net = ms.nn.GraphCell(ms.load(sys.argv[1] + "/floats.mindir"))
np.save(sys.argv[1] + "/y.npy", net(ms.Tensor(np.load(sys.argv[1] + "/x.npy"))).asnumpy())
give(0)
""",
        str(tmp_path),
    )
    for name in ("net", "floats"):
        ours = nn.GraphCell(mindspore.load(str(tmp_path / f"{name}.mindir")))(Tensor(PIXELS)).asnumpy()
        np.testing.assert_allclose(np.load(tmp_path / "y.npy"), ours, rtol=1e-5, atol=1e-6)


# --- accuracy ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_file_of_lenet_is_at_most_a_point_below_the_float_network() -> None:
    """As benchmarks/quant.py has it for docs/quant.md."""
    for name in ("sklearn", "onnx", "onnxruntime"):
        pytest.importorskip(name)
    spec = importlib.util.spec_from_file_location(
        "benchmark_quant", Path(__file__).parents[3] / "benchmarks" / "quant.py"
    )
    assert spec is not None and spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    row = benchmark.measure("lenet", "convert_quant_network")
    assert row["float"] > 95 and row["converted"] < row["float"] - 10 and row["int8 file"] >= row["float"] - 1
    assert row["operators"]["QLinearConv"] == 2 and row["operators"]["QGemm"] == 3


# --- options and errors -----------------------------------------------------------------------------------------------


def test_export_leaves_the_network_as_it_is(tmp_path: Path) -> None:
    net = made(convert_quant_network).set_train()
    before = {parameter.name: parameter.asnumpy().copy() for parameter in net.get_parameters()}
    written(net, tmp_path)
    assert (
        net.training
        and net.conv1.conv.training
        and [type(cell).__name__ for cell in (net.conv1.conv, net.add)] == ["Conv2dBnFoldQuant", "QuantAfter"]
    )
    assert all(np.array_equal(parameter.asnumpy(), before[parameter.name]) for parameter in net.get_parameters())


@pytest.mark.parametrize("mode", ["QUANT", "AUTO", "MANUAL"])
def test_the_export_of_1_1_writes_the_same(mode: str, tmp_path: Path) -> None:
    net = made(convert_quant_network)
    for file_format in ("ONNX", "MINDIR"):
        written(net, tmp_path / "old", file_format)
        mindspore.export(
            net,
            Tensor(PIXELS),
            file_name=str(tmp_path / "new"),
            file_format=file_format,
            quant_mode=mode,
            mean=0,
            std_dev=255,
        )
        suffix = file_format.lower()
        assert (tmp_path / f"new.{suffix}").read_bytes() == (tmp_path / "old" / f"net.{suffix}").read_bytes()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"file_format": "AIR"}, ValueError),
        ({"std_dev": 0}, ValueError),
        ({"network": nn.DenseQuant(64, 2)}, ValueError),
    ],
)
def test_wrong_arguments(change: dict[str, Any], error: type[Exception], tmp_path: Path) -> None:
    arguments = {"file_format": "ONNX", **change}
    network = arguments.pop("network", None) or convert_quant_network(Residual())
    with pytest.raises(error):
        export(network, Tensor(PIXELS), file_name=str(tmp_path / "net"), **arguments)
    assert not list(tmp_path.iterdir())
