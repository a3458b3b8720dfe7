"""Layers and losses give real MindSpore's outputs, gradients, parameters and moving statistics
(tests/golden/nn.npz).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import nn
from mindspore_compat.common.tensor import Tensor
from tests.nn.cases import CASES, Case, output_weights, weights_for

_FILE = np.load(Path(__file__).parents[1] / "golden" / "nn.npz")
_VALUES = _FILE["values"]
_INDEX = json.loads(_FILE["index"].tobytes())
GOLDEN, STARTS = _INDEX["cases"], _INDEX["starts"]

# What MindSpore's CPU refuses to run, so that there is nothing to compare with; the formulas are tested in
# test_formulas.py.
REFUSED = {name for name, record in GOLDEN.items() if "error" in record}
# Where MindSpore's CPU differs from its own formula, or torch's kernel is taken on purpose.
DIFFERENT = {
    "ClipByNorm.axis": "its CPU kernel adds up the squares of all rows so far",
    "EmbeddingLookup.max_norm": "the same",
}
OTHER_GRADIENT = {
    "act.SeLU": "its gradient for x < 0 is scale·(1 + y) instead of y + scale·alpha",
    "EmbeddingLookup": "it gives the rows of a sparse gradient",
    "EmbeddingLookup.device": "it gives the rows of a sparse gradient",
}


def stored(place: list[Any]) -> np.ndarray:
    shape, start = place
    return _VALUES[start : start + int(np.prod(shape))].reshape(shape)


def to_tensor(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(to_tensor(item) for item in value)
    return Tensor(value) if isinstance(value, np.ndarray) else value


def leaves(result: Any) -> list[Any]:
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in leaves(item)]
    return [] if result is None else [result]


def close(actual: Any, expected: np.ndarray, tolerance: float, what: str) -> None:
    actual = actual.detach().numpy() if isinstance(actual, torch.Tensor) else actual
    assert tuple(actual.shape) == expected.shape, f"{what}: shape {tuple(actual.shape)}, MindSpore {expected.shape}"
    scale = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0)))
    np.testing.assert_allclose(
        actual.astype(np.float32), expected, rtol=tolerance, atol=tolerance * scale, err_msg=what
    )


def built(case: Case) -> Any:
    net = case.make(nn, Tensor)
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(weights_for(parameter.name, parameter.shape)))
    return net.set_train(case.train)


def cases() -> list[Any]:
    return [
        pytest.param(case, id=case.name) for case in CASES if case.name not in REFUSED and case.name not in DIFFERENT
    ]


def test_the_table_and_the_golden_file_hold_the_same_cases() -> None:
    assert {case.name for case in CASES} == set(GOLDEN)


@pytest.mark.parametrize("case", cases())
def test_parameters_are_those_of_mindspore(case: Case) -> None:
    net = case.make(nn, Tensor)
    assert [[p.name, list(p.shape), p.requires_grad] for p in net.get_parameters()] == GOLDEN[case.name]["parameters"]


@pytest.mark.parametrize("case", cases())
def test_outputs_and_moving_statistics_are_those_of_mindspore(case: Case) -> None:
    net, record = built(case), GOLDEN[case.name]
    outputs = leaves(net(*[to_tensor(item) for item in case.inputs]))
    assert all(isinstance(item, Tensor) for item in outputs)
    assert [str(item.dtype).removeprefix("torch.") for item in outputs] == [
        dtype.lower() for dtype, *_ in record["outputs"]
    ]
    for number, (actual, (_, *place)) in enumerate(zip(outputs, record["outputs"])):
        close(actual, stored(place), case.tolerance, f"output {number}")
    for name, parameter in net.parameters_dict().items():
        if name in record["after"]:
            close(parameter, stored(record["after"][name]), case.tolerance, f"{name} after the call")


@pytest.mark.parametrize(
    "case",
    [
        item
        for item in cases()
        if item.id not in OTHER_GRADIENT and (GOLDEN[item.id].get("input_grads") or GOLDEN[item.id].get("weight_grads"))
    ],
)
def test_gradients_are_those_of_mindspore(case: Case) -> None:
    net, record = built(case), GOLDEN[case.name]
    inputs = [to_tensor(item) for item in case.inputs]
    for position in record["input_grads"]:
        inputs[int(position)].requires_grad_(True)
    net.set_grad()  # in evaluation mode torch records a Cell with MindSpore's Tensors only so
    total: Any = 0.0
    for item in leaves(net(*inputs)):
        if item.dtype.is_floating_point:
            total = total + torch.sum(torch.mul(item, torch.from_numpy(output_weights(item.shape)).to(item.device)))
    if isinstance(total, torch.Tensor) and total.requires_grad:
        total.backward()
    for position, place in record["input_grads"].items():
        grad = inputs[int(position)].grad
        close(
            np.zeros(place[0], np.float32) if grad is None else grad,
            stored(place),
            case.tolerance * 2,
            f"gradient of input {position}",
        )
    for name, place in record["weight_grads"].items():
        grad = net.parameters_dict()[name].grad
        close(
            np.zeros(place[0], np.float32) if grad is None else grad,
            stored(place),
            case.tolerance * 2,
            f"gradient of {name}",
        )
