"""A network and its MINDIR file, loaded again, compute the very same numbers: over all layers, and over the operators of
the tables that real MindSpore answered. What cannot be the same stands here, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._graph.export.ir import leaves, map_values
from tests.nn.cases import CASES, weights_for
from tests.ops import cases as expressions

_STATISTICS = "batch norm over a batch is written as arithmetic, which moves the statistics of the file, too"
_ATTENTION = "torch computes attention in one kernel; MINDIR has none of it for CPUs"
_KERNEL = "torch computes it in one kernel with other exponentials or sums; MINDIR has no operator of it for CPUs"
_FUSED = "torch computes it in one kernel, whose sums on some CPUs (AMD's) round otherwise than the file's"
_WEIGHTS = "torch's kernel without weights; the file has weights of one"
_STEPS = "written as arithmetic: MINDIR has no operator of it for CPUs, or not in this form"
#: what differs, by the beginning of its name, and why; by rounding alone: 1e-6 of the largest number
OTHERWISE = {
    "BatchNorm2d.use_batch": _STATISTICS,
    "InstanceNorm": _STATISTICS,
    "LayerNorm.axes": _WEIGHTS,
    "MultiheadAttention.no_weights": _ATTENTION,
    "Transformer": _ATTENTION,
    "GRU": _FUSED,
    "Upsample.bicubic": _STEPS,
    "act.LogSigmoid": _KERNEL,
    "act.GELU.exact": _KERNEL,
    "loss.BCEWithLogitsLoss": _KERNEL,
    "loss.MultilabelMarginLoss": _KERNEL,
}
#: the same of operators, by the name that is called
OPERATORS_OTHERWISE = {
    **dict.fromkeys(("log2", "log10", "logaddexp", "logaddexp2", "gelu", "softplus"), _KERNEL),
    **dict.fromkeys(("var", "Renorm", "renorm", "AffineGrid", "ResizeBicubic"), _STEPS),
    "group_norm": _WEIGHTS,
    **dict.fromkeys(("addmm", "cdist", "Cdist", "interpolate"), _FUSED),
}


def arrays(result: Any) -> list[np.ndarray]:
    return [np.array(item.asnumpy()) for item in leaves(result) if isinstance(item, torch.Tensor)]


class Called(nn.Cell):
    """A function, or a layer with some of its arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def construct(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def through_a_file(net: Any, inputs: list[Any], folder: Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(what the network gives, what its file gives) for each result."""
    wanted = arrays(net(*[Tensor(item) for item in inputs]))
    ms.export(net, *[Tensor(item) for item in inputs], file_name=str(folder / "net"), file_format="MINDIR")
    found = arrays(nn.GraphCell(ms.load(str(folder / "net.mindir")))(*[Tensor(item) for item in inputs]))
    assert [(item.shape, item.dtype) for item in found] == [(item.shape, item.dtype) for item in wanted]
    return zip(wanted, found)


def apart(pairs: Iterator[tuple[np.ndarray, np.ndarray]]) -> float:
    """The largest difference, of the largest number; 0.0 for equal bits and for zeros of another sign."""
    result = 0.0
    for one, other in pairs:
        if not np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"):
            distance = np.abs(one.astype(np.complex128) - other.astype(np.complex128))
            result = max(result, float(np.nanmax(distance) / max(1.0, np.nanmax(np.abs(one)))), 1e-30)
    return result


def results_are_tensors(results: Any) -> bool:
    found = list(leaves(results))
    return bool(found) and all(isinstance(item, torch.Tensor) for item in found)


def otherwise(name: str) -> bool:
    return any(name.startswith(beginning) for beginning in OTHERWISE)


@pytest.mark.parametrize("kind", sorted({case.name.partition(".")[0] for case in CASES}))
def test_layers(kind: str, tmp_path: Path) -> None:
    for case in [case for case in CASES if case.name.partition(".")[0] == kind]:
        layer = case.make(nn, Tensor).set_train(False)
        for parameter in layer.get_parameters():
            parameter.set_data(Tensor(weights_for(parameter.name, parameter.shape)))
        given = [item for item in leaves(tuple(case.inputs)) if isinstance(item, np.ndarray)]

        def run(*inputs: Any, layer: Any = layer, case: Any = case) -> Any:
            left = iter(inputs)
            return layer(*map_values(lambda item: next(left) if isinstance(item, np.ndarray) else item, case.inputs))

        net = Called(run)
        net.layer = layer
        try:
            pairs = through_a_file(net.set_train(False), given, tmp_path)
        except NotImplementedError:
            continue
        distance = apart(pairs)
        assert distance < 1e-6 if otherwise(case.name) else distance == 0, case.name


_TABLES = sorted(Path(expressions.__file__).parent.glob("cases_[1-9]*.txt"))
_LEFT_OUT = re.compile("gradient|bounds|sparse|numpy|primitives|rare")  # the same operators once more, or few of them
_CALLED = re.compile(r"(\w+)\(")


@pytest.mark.parametrize("table", [path.stem for path in _TABLES if not _LEFT_OUT.search(path.stem)])
def test_operators(table: str, tmp_path: Path) -> None:
    arrays_by_name, scope = expressions.inputs(), expressions.scope_of(ms)
    lines = (Path(expressions.__file__).parent / f"{table}.txt").read_text(encoding="utf-8").splitlines()
    for line in dict.fromkeys(line.removeprefix("g ") for line in lines if line and line[0] not in "#!"):
        names = expressions.names_in(line, arrays_by_name)
        code = compile(line, line, "eval")

        def run(*inputs: Any, code: Any = code, names: list[str] = names) -> Any:
            return eval(code, {**scope, **dict(zip(names, inputs))})

        given = [arrays_by_name[name] for name in names]
        try:
            results = run(*map(Tensor, given))
        except Exception:  # what compiled code or real MindSpore refuses
            continue
        if not names or not results_are_tensors(results):
            continue
        try:
            distance = apart(through_a_file(Called(run), given, tmp_path))
        except NotImplementedError:  # no file holds it
            continue
        allowed = {item for item in _CALLED.findall(line) if item in OPERATORS_OTHERWISE}
        assert distance < 1e-6 if allowed else distance == 0, line


def _normal(*shape: int) -> np.ndarray:
    return np.random.RandomState(len(shape) + shape[-1]).standard_normal(shape).astype(np.float32)


#: sizes at which kernels split their sums and choose among themselves
_WIDE = {
    "convolution": (lambda: nn.Conv2d(64, 64, 3, has_bias=True), [_normal(2, 64, 20, 20)]),
    "of steps": (lambda: nn.Conv2d(64, 64, 3, 2), [_normal(2, 64, 21, 20)]),
    "of few channels": (lambda: nn.Conv2d(3, 64, 7, 2, pad_mode="pad", padding=3), [_normal(1, 3, 50, 50)]),
    "of one row": (lambda: nn.Conv2d(64, 64, (1, 3), has_bias=True), [_normal(2, 64, 1, 40)]),
    "of each channel": (lambda: nn.Conv2d(64, 64, 3, group=64, has_bias=True), [_normal(2, 64, 20, 20)]),
    "of channels last": (lambda: nn.Conv2d(64, 64, 3, has_bias=True, data_format="NHWC"), [_normal(2, 20, 20, 64)]),
    "padded before": (
        lambda: nn.SequentialCell(nn.ConstantPad2d(1, 0.0), nn.Conv2d(64, 64, 3, pad_mode="valid", has_bias=True)),
        [_normal(2, 64, 20, 20)],
    ),
    "after a pool": (
        lambda: nn.SequentialCell(nn.Conv2d(32, 32, 3), nn.MaxPool2d(2, 2), nn.BatchNorm2d(32), nn.Flatten()),
        [_normal(2, 32, 20, 20)],
    ),
    "along a line": (lambda: nn.Conv1d(64, 64, 3, has_bias=True), [_normal(2, 64, 50)]),
    "in three axes": (lambda: nn.Conv3d(16, 16, 3, has_bias=True), [_normal(1, 16, 9, 9, 9)]),
    "transposed": (lambda: nn.Conv2dTranspose(64, 32, 3, 2, has_bias=True), [_normal(1, 64, 20, 20)]),
    "operator": (lambda: Called(ops.Conv2D(64, 3, pad_mode="same")), [_normal(2, 64, 20, 20), _normal(64, 64, 3, 3)]),
    "operators": (
        lambda: Called(lambda x, weight, bias: ops.BiasAdd()(ops.Conv2D(64, 3)(x, weight), bias)),
        [_normal(2, 64, 20, 20), _normal(64, 64, 3, 3), _normal(64)],
    ),
    "dense": (lambda: nn.Dense(512, 300), [_normal(64, 512)]),
    "dense over three axes": (lambda: nn.Dense(512, 300), [_normal(4, 16, 512)]),
    "dense without bias": (lambda: nn.Dense(512, 300, has_bias=False), [_normal(4, 16, 512)]),
    "product and sum": (
        lambda: Called(lambda x, weight, bias: ops.BiasAdd()(ops.MatMul()(x, weight), bias)),
        [_normal(40, 512), _normal(512, 64), _normal(64)],
    ),
    "products": (lambda: Called(ops.BatchMatMul(transpose_b=True)), [_normal(8, 64, 100), _normal(8, 64, 100)]),
    "recurrent": (lambda: nn.LSTM(64, 128, 2, bidirectional=True), [_normal(20, 4, 64)]),
    "normalized": (lambda: nn.LayerNorm((512,)), [_normal(4, 16, 512)]),
    "powers and quotients": (lambda: Called(lambda x: (x * 0.1 + x / 3 - 0.7) ** 2 / (x.abs() + 1e-5)), [_normal(999)]),
    "numbers in 16 bits": (lambda: Called(lambda x: x * 0.1 + x / 3 - 0.7), [_normal(999).astype(np.float16)]),
}


@pytest.mark.parametrize("name", list(_WIDE))
def test_larger_sizes(name: str, tmp_path: Path) -> None:
    make, given = _WIDE[name]
    net = make().set_train(False)
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(weights_for(parameter.name, parameter.shape)))
    assert apart(through_a_file(net, given, tmp_path)) == 0


def test_a_reason_is_needed() -> None:
    """Nothing stands in the list that is no case."""
    assert all(any(case.name.startswith(name) for case in CASES) for name in OTHERWISE)
