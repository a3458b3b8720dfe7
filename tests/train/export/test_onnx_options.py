"""ONNX beyond what upstream writes: control flow, open sizes, opsets, 16-bit floats; checked by onnx and onnxruntime
where they are installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Symbol, Tensor, nn, ops
from tests.train.export.nets import CASES, Function
from tests.train.export.test_hard import REFUSED, arguments, cases, flat, tensors

X = Tensor(np.ones((2, 3), np.float32))

#: ONNX holds no changes of Parameters; and what no operator of opset 11 is
_NOT_IN_ONNX = {
    **dict.fromkeys(
        [name for name in cases() if "assign" in name],
        "changes the Parameter 'w', which ONNX cannot hold; a MINDIR can",
    ),
    "dyn_if": "If .*differs",
}


def runtime(path: Path) -> Any:
    onnx, onnxruntime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    onnx.checker.check_model(str(path), full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options)


def run(session: Any, inputs: list[Any]) -> list[Any]:
    found: list[Any] = session.run(
        None, {item.name: array.asnumpy() for item, array in zip(session.get_inputs(), inputs)}
    )
    return found


def exported(net: Any, *inputs: Any, folder: Path, **options: Any) -> Any:
    ms.export(net, *inputs, file_name=str(folder / "net"), file_format="ONNX", **options)
    return runtime(folder / "net.onnx")


@pytest.mark.parametrize("name", [name for name, case in cases().items() if not case[3] and name not in REFUSED])
def test_onnxruntime_computes_what_the_network_does(name: str, tmp_path: Path) -> None:
    make, runs, shapes, _ = cases()[name]
    ms.set_seed(1)
    net = make()
    inputs = (
        arguments(runs[0])
        if shapes is None
        else [Tensor(shape=shape, dtype=Tensor(item).dtype) for shape, item in zip(shapes, runs[0])]
    )
    if name in _NOT_IN_ONNX:
        with pytest.raises(NotImplementedError, match=_NOT_IN_ONNX[name]):
            ms.export(net, *inputs, file_name=str(tmp_path / "net"), file_format="ONNX")
        return
    session = exported(net, *inputs, folder=tmp_path)
    for one in runs:
        found, wanted = run(session, tensors(one)), flat(net(*arguments(one)))
        assert [(item.shape, item.dtype) for item in found] == [(item.shape, item.dtype) for item in wanted]
        for ours, theirs in zip(wanted, found):
            np.testing.assert_allclose(theirs, ours, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("opset", [12, 13, 17, 18])
@pytest.mark.parametrize("name", ["lenet", "encoder", "reductions", "shapes", "lstm", "gru", "images"])
def test_other_opsets(name: str, opset: int, tmp_path: Path) -> None:
    make, arrays = CASES[name]
    net, inputs = make(), [Tensor(item) for item in arrays]
    session = exported(net, *inputs, folder=tmp_path, opset_version=opset)
    for theirs, ours in zip(run(session, inputs), [item.asnumpy() for item in _leaves(net(*inputs))]):
        np.testing.assert_allclose(theirs, ours, rtol=1e-4, atol=1e-5)


def _leaves(item: Any) -> list[Any]:
    return [leaf for part in item for leaf in _leaves(part)] if isinstance(item, (tuple, list)) else [item]


def test_sizes_get_the_names_that_are_given(tmp_path: Path) -> None:
    class Product(nn.Cell):
        def construct(self, a: Any, b: Any) -> Any:
            return ops.matmul(a, b.T), a.reshape(a.shape[0] * a.shape[1])

    session = exported(
        Product(), X, X, folder=tmp_path, dynamic_axes={"a": {0: "rows", 1: "width"}, "b": {0: "columns", 1: "width"}}
    )
    assert [item.shape for item in session.get_inputs()] == [["rows", "width"], ["columns", "width"]]
    assert session.get_outputs()[0].shape == ["rows", "columns"]
    a, b = (Tensor(np.random.RandomState(0).randn(*shape).astype(np.float32)) for shape in ((5, 4), (3, 4)))
    for theirs, ours in zip(run(session, [a, b]), Product()(a, b)):
        np.testing.assert_allclose(theirs, ours.asnumpy(), rtol=1e-5)


@pytest.mark.parametrize("name", ["lenet", "block", "encoder", "activations", "lstm", "gru", "images"])
def test_sixteen_bit_floats_behind_float32(name: str, tmp_path: Path) -> None:
    make, arrays = CASES[name]
    net, inputs = make(), [Tensor(item) for item in arrays]
    session = exported(net, *inputs, folder=tmp_path, float16=True)
    assert not any(item.type == "tensor(float16)" for item in (*session.get_inputs(), *session.get_outputs()))
    whole = (tmp_path / "net.onnx").stat().st_size
    ms.export(net, *inputs, file_name=str(tmp_path / "full"), file_format="ONNX")
    assert whole < (tmp_path / "full.onnx").stat().st_size or name in ("activations", "images"), (
        "weights have half the size"
    )
    for theirs, ours in zip(run(session, inputs), [item.asnumpy() for item in _leaves(net(*inputs))]):
        if ours.dtype == np.float32:
            np.testing.assert_allclose(theirs, ours, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"opset_version": 10}, ValueError),
        ({"dynamic_axes": {"x": 0}}, TypeError),
        ({"dynamic_axes": {"input": {5: "n"}}}, ValueError),
    ],
)
def test_wrong_options(options: dict[str, Any], error: type[Exception], tmp_path: Path) -> None:
    class Net(nn.Cell):
        def construct(self, x: Any) -> Any:
            return ops.cumsum(x, 1)

    net = Net() if options.pop("net", None) else nn.ReLU()
    with pytest.raises(error):
        ms.export(net, X, file_name=str(tmp_path / "net"), file_format="ONNX", **options)
    assert not list(tmp_path.iterdir())


def test_a_size_that_is_a_multiple(tmp_path: Path) -> None:
    net = Function(lambda x: ops.concat((x.reshape(x.shape[0] // 4, 4, 3).sum(1), x[:1])))
    session = exported(net, Tensor(shape=[Symbol(divisor=4), 3], dtype=ms.float32), folder=tmp_path)
    x = Tensor(np.random.RandomState(0).randn(20, 3).astype(np.float32))
    np.testing.assert_allclose(run(session, [x])[0], net(x).asnumpy(), rtol=1e-4, atol=1e-6)
