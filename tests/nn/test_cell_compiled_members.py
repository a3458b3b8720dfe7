"""Members of Cell that hold only where upstream compiles: hooks of Parameters and the type of mixed precision; golden
values in comments are real MindSpore 2.10's, and the oracle gives them again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mindspore_compat._c_expression import MixedPrecisionType

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from tests.support.oracle import run_oracle


def tenfold(parameter: Any) -> Any:
    return parameter * 10


class Product(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w, self.u = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(3.0), name="u")

    def construct(self, x: Tensor) -> Tensor:
        return x * self.w * self.u


class Outer(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Product()

    def construct(self, x: Tensor) -> Tensor:
        return self.inner(x)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def compiles(request: pytest.FixtureRequest) -> Any:
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param == ms.GRAPH_MODE
    ms.set_context(mode=before)


def test_hook_of_one_parameter(compiles: bool) -> None:
    net = Outer()
    net.register_parameter_forward_hook([{"params": [net.inner.w], "hook": tenfold}])
    assert float(net(Tensor(1.0))) == (60 if compiles else 6)
    gradients = ms.grad(net, None, net.trainable_params())(Tensor(1.0))
    assert [float(item) for item in gradients] == ([30, 20] if compiles else [3, 2])
    assert float(net.inner.w) == 2


def test_hook_of_all_parameters_is_the_last_one(compiles: bool) -> None:
    net = Outer()
    for _ in range(2):
        net.register_parameter_forward_hook(tenfold)
        assert float(net(Tensor(1.0))) == (600 if compiles else 6)


def test_hook_in_jit() -> None:
    net = Product()
    net.register_parameter_forward_hook(tenfold)
    assert float(ms.jit(lambda x: net(x))(Tensor(1.0))) == 600
    assert float(net(Tensor(1.0))) == 6


def test_a_compiled_function_is_a_hook(compiles: bool) -> None:
    net = nn.ReLU()
    net.register_forward_hook(ms.jit(lambda cell, inputs, output: output * 3))
    net.register_backward_hook(ms.jit(lambda cell, given, gradients: (given[0] * 2,)))
    assert net(Tensor([1.0, 2.0])).asnumpy().tolist() == [3, 6]
    assert ms.grad(lambda x: net(x).sum())(Tensor([1.0, 2.0])).asnumpy().tolist() == [6, 6]


def test_hook_in_training_steps_that_are_replayed(compiles: bool) -> None:
    net = Product()
    net.register_parameter_forward_hook([{"params": [net.w], "hook": tenfold}])
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.01))
    w, u, factor = 2.0, 3.0, 10 if compiles else 1
    for _ in range(5):
        assert np.allclose(float(step(Tensor(1.0))), factor * w * u)
        w, u = w - 0.01 * factor * u, u - 0.01 * factor * w


def test_mixed_precision_type(compiles: bool) -> None:
    net, x = nn.Dense(2, 2), Tensor(np.ones((1, 2), np.float32))
    assert net.get_mixed_precision_type() is MixedPrecisionType.NOTSET
    net.set_mixed_precision_type(MixedPrecisionType.FP16)
    assert net.get_mixed_precision_type() is MixedPrecisionType.FP16
    assert net(x).dtype == (ms.float16 if compiles else ms.float32)
    net.to_float(ms.float32)
    assert net.get_mixed_precision_type() is MixedPrecisionType.FP32
    assert net(x).dtype == ms.float32


def test_mixed_precision_type_is_not_the_childrens(compiles: bool) -> None:
    net = nn.SequentialCell(nn.Dense(2, 2).to_float(ms.float32), nn.ReLU())
    net.set_mixed_precision_type(MixedPrecisionType.FP16)
    assert net(Tensor(np.ones((1, 2), np.float32))).dtype == ms.float32


@pytest.mark.oracle
def test_the_oracle_does_so(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        """
import sys, json
import mindspore as ms
from mindspore import Tensor, Parameter, nn
from mindspore._c_expression import MixedPrecisionType
def tenfold(parameter):
    return parameter * 10
class Product(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w, self.u = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(3.0), name="u")
    def construct(self, x):
        return x * self.w * self.u
found = []
for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    net = Product()
    net.register_parameter_forward_hook([{"params": [net.w], "hook": tenfold}])
    gradients = ms.grad(net, None, net.trainable_params())(Tensor(1.0))
    dense = nn.Dense(2, 2)
    dense.set_mixed_precision_type(MixedPrecisionType.FP16)
    found.append([float(net(Tensor(1.0))), *map(float, gradients), str(dense(Tensor([[1.0, 1.0]])).dtype)])
json.dump(found, open(sys.argv[1], "w"))
"""
    )
    run_oracle(
        "import sys, runpy; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')",
        str(program),
        str(tmp_path / "found"),
    )
    assert (tmp_path / "found").read_text() == '[[6.0, 3.0, 2.0, "Float32"], [60.0, 30.0, 20.0, "Float16"]]'
