"""ONNX files: their structure by our own message classes, and by onnx and onnxruntime where they are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import Tensor, nn
from mindspore_compat._format.proto import onnx as proto
from mindspore_compat._graph.export.ir import leaves
from mindspore_compat.train._export import export
from tests.train.export.nets import CASES, Function, LeNet5


def exported(net: Any, *inputs: Any, folder: Path) -> Any:
    export(net, *inputs, file_name=str(folder / "net"), file_format="ONNX")
    model = proto.ModelProto()
    model.ParseFromString((folder / "net.onnx").read_bytes())
    return model


def test_lenet_looks_as_upstream_writes_it(tmp_path: Path) -> None:
    net = LeNet5()
    model = exported(net, Tensor(np.ones((2, 1, 32, 32), np.float32)), folder=tmp_path)
    assert (model.ir_version, model.producer_name, model.producer_version) == (4, "MindSpore", "1.0")
    assert [(item.domain, item.version) for item in model.opset_import] == [("", 11)]
    assert [node.op_type for node in model.graph.node] == ["Conv", "Relu", "MaxPool"] * 2 + [
        "Reshape",
        "Gemm",
        "Relu",
        "Gemm",
        "Relu",
        "Gemm",
    ]
    assert [item.name for item in model.graph.input] == ["x"]
    weights = {
        item.name: np.frombuffer(item.raw_data, np.float32).reshape(item.dims)
        for item in model.graph.initializer
        if item.data_type == 1
    }
    assert list(weights) == [parameter.name for parameter in net.get_parameters()]
    np.testing.assert_array_equal(weights["fc1.weight"], net.fc1.weight.asnumpy())
    assert [item.dim_value for item in model.graph.output[0].type.tensor_type.shape.dim] == [2, 10]


def test_an_input_that_is_returned_gets_a_name_of_its_own(tmp_path: Path) -> None:
    model = exported(
        Function(lambda x: (x, {"twice": x * 2, "again": x})), Tensor(np.ones((2,), np.float32)), folder=tmp_path
    )
    names = [item.name for item in model.graph.output]
    assert len(set(names)) == 3 and "x" not in names


@pytest.mark.parametrize("name", CASES)
def test_onnxruntime_computes_the_same(name: str, tmp_path: Path) -> None:
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    make, arrays = CASES[name]
    net = make()
    exported(net, *[Tensor(array) for array in arrays], folder=tmp_path)
    onnx.checker.check_model(str(tmp_path / "net.onnx"))
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"), options)
    found = session.run(None, {item.name: array for item, array in zip(session.get_inputs(), arrays)})
    wanted = [item.asnumpy() for item in leaves(net(*[Tensor(array) for array in arrays]))]
    assert len(found) == len(wanted)
    for ours, theirs in zip(wanted, found):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(theirs, ours, rtol=1e-4, atol=1e-5)


def test_batch_norm_in_training_mode_is_exported_for_evaluation(tmp_path: Path) -> None:
    model = exported(nn.BatchNorm2d(2).set_train(), Tensor(np.ones((1, 2, 3, 3), np.float32)), folder=tmp_path)
    assert [node.op_type for node in model.graph.node] == ["BatchNormalization"]


def test_what_opset_11_has_of_floats_alone(tmp_path: Path) -> None:
    """Integers are computed otherwise, or refused: no file that ONNX does not read."""
    onnx = pytest.importorskip("onnx")
    given = Tensor(np.array([-2, 0, 3], np.int32))
    for function in (torch.ceil, torch.round, torch.relu, torch.square, lambda x: x**3):
        exported(Function(function), given, folder=tmp_path)
        onnx.checker.check_model(str(tmp_path / "net.onnx"), full_check=True)
    with pytest.raises(NotImplementedError):
        exported(Function(lambda x: x | 1), given, folder=tmp_path)
