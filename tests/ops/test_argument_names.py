"""Functions, and layers' ``construct``, have real MindSpore's names of arguments, for calls by name and for programs that
ask ``inspect.signature``.
"""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat import Tensor, ops
from mindspore_compat.ops import operations
from tests.golden.make_argument_names import names

NAMES: dict[str, str] = json.loads((Path(__file__).parents[1] / "golden" / "argument_names.json").read_text())
#: names that differ, and why
OTHERWISE = {
    **dict.fromkeys(
        [f"nn.{name}.construct" for name in ("Adagrad", "FTRL", "ProximalAdagrad")], "the base class's: gradients"
    ),
    "nn.AdaptiveMaxPool1d.construct": "as that of AdaptiveAvgPool1d",
    "nn.LSTMCell.construct": "c and w, of the layer of before 1.6",
    "mint.special.round": "decimals, which real MindSpore takes by its kernel",
}


def _found(name: str) -> Any:
    parts = name.removesuffix(".construct").split(".")
    module = importlib.import_module(".".join(["mindspore_compat", *parts[:-1]]))
    value = getattr(module, parts[-1], None)
    return getattr(value, "construct", None) if name.endswith(".construct") else value


def test_names_of_arguments() -> None:
    functions = {name: _found(name) for name in NAMES}
    shown = {name: names(function) for name, function in functions.items() if function is not None}
    shown = {name: given for name, given in shown.items() if given is not None}
    assert not {name: given for name, given in shown.items() if name not in OTHERWISE and given != NAMES[name]}
    assert len(shown) > 1300


def test_calls_by_upstreams_names() -> None:
    x, y = Tensor([[4.0, 6.0]]), Tensor([[2.0, 4.0]])
    for name, given, wanted in (
        ("deg2rad", {"x": x}, np.deg2rad([[4.0, 6.0]])),
        ("floor_div", {"x": x, "y": y}, [[2, 1]]),
        ("true_divide", {"dividend": x, "divisor": y}, [[2, 1.5]]),
        ("heaviside", {"input": x - 4, "values": y}, [[2, 1]]),
        ("diff_ext", {"input": x, "dim": 1}, [[2]]),
        ("row_stack", {"tensors": (x, y)}, [[4, 6], [2, 4]]),
    ):
        np.testing.assert_allclose(getattr(ops, name)(**given).asnumpy(), wanted, rtol=1e-6)
    assert ops.tensor_slice(input=x, begin=(0, 1), size=(1, 1)).asnumpy().tolist() == [[6]]
    assert ops.shape_(x=x) == (1, 2)
    assert ops.isnan_ext(tensor=x).asnumpy().tolist() == [[False, False]]
    assert ops.tensor_mod(x=x, y=y).asnumpy().tolist() == [[0, 2]]


def test_names_of_1_x_are_taken_and_not_shown() -> None:
    x = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3))
    assert [item.shape for item in ops.split(x, axis=0, output_num=2)] == [(2, 3), (2, 3)]
    assert "output_num" not in inspect.signature(ops.split).parameters  # mindcv asks
    assert ops.argmax(x, axis=1, keepdims=True).shape == (4, 1)
    assert ops.transpose(x, input_perm=(1, 0)).shape == (3, 4)


#: of operators in class form, but two whose names upstream gives with a comma in them
INPUTS = {
    name.removesuffix("()"): given.split()
    for name, given in NAMES.items()
    if name.endswith("()") and "," not in given and hasattr(operations, name.removesuffix("()"))
}


def _declared(name: str) -> list[str]:
    operator = getattr(operations, name)
    return [*operator._inputs] if operator._inputs or not INPUTS[name] else [*inspect.signature(operator()).parameters]


def test_inputs_of_operators_are_taken_by_upstreams_names() -> None:
    assert not {name for name, given in INPUTS.items() if _declared(name)[: len(given)] != given}


def test_operators_called_by_upstreams_names_compute_the_same() -> None:
    x, y = Tensor([[4.0, 6.0]]), Tensor([[2.0, 4.0]])
    for operator, given in (
        (ops.LogicalAnd(), {"x": x > 4, "y": y > 2}),
        (ops.SquaredDifference(), {"y": y, "x": x}),
        (ops.AddN(), {"inputs": (x, y)}),
        (ops.BiasAdd(), {"bias": Tensor([1.0, 2.0]), "input_x": x}),
        (ops.BatchNorm(), dict(zip(("input_x", "scale", "bias", "mean", "variance"), (x, x[0], x[0], x[0], x[0])))),
        (ops.Transpose(), {"input": x, "input_perm": (1, 0)}),
    ):
        in_order = ("x", "y", "inputs", "input_x", "input", "scale", "bias", "mean", "variance", "input_perm")
        by_place = operator(*(given[name] for name in in_order if name in given))
        for one, other in zip(
            *((item if isinstance(item, tuple) else (item,)) for item in (operator(**given), by_place))
        ):
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())
    with pytest.raises(TypeError):
        ops.LogicalAnd()(x=x > 4, z=y > 2)
