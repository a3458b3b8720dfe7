"""Tensor, Parameter and Cell answer what real MindSpore answered (tests/golden/make_tensor.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mindspore_compat as ms
from tests.common.expressions import EXPRESSIONS, PROGRAMS, evaluate

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "tensor.json").read_text())

#: where we differ on purpose: expression -> our answer; each stands in docs/differences.md
DIFFERENT: dict[str, Any] = {
    # two negative steps, and a negative step behind an int in an assignment: upstream mixes the axes up, we do as numpy
    "x[::-1,::-2]": {
        "tensor": "float32",
        "shape": [2, 2, 4],
        "parameter": None,
        "values": [20, 21, 22, 23, 12, 13, 14, 15, 8, 9, 10, 11, 0, 1, 2, 3],
    },
    "setitem with a negative step": {
        "tensor": "float32",
        "shape": [2, 3, 4],
        "parameter": None,
        "values": [8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3, *range(12, 24)],
    },
}


def _same(ours: Any, real: Any) -> bool:
    if isinstance(real, float) and isinstance(ours, (int, float)):
        return ours == pytest.approx(real, rel=1e-6, nan_ok=True)
    if isinstance(real, list) and isinstance(ours, list):
        return len(ours) == len(real) and all(_same(a, b) for a, b in zip(ours, real))
    if isinstance(real, dict) and isinstance(ours, dict):
        return ours.keys() == real.keys() and all(_same(ours[key], real[key]) for key in real)
    return ours == real


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_expression(source: str) -> None:
    ours = evaluate(ms, source, False)
    expected = DIFFERENT.get(source, GOLDEN["expressions"][source])
    if isinstance(expected, dict) and "error" in expected:
        assert "error" in ours  # torch's, of its own type
        return
    assert _same(ours, expected), f"{source}: {ours} instead of {expected}"


def test_gradient_of_functions() -> None:
    a = ms.Tensor([2.0, 3.0])
    value, gradient = ms.value_and_grad(lambda p: (p * p, p + 1), has_aux=True)(a)
    assert [item.asnumpy().tolist() for item in value] == [[4, 9], [3, 4]] and gradient.asnumpy().tolist() == [4, 6]
    assert ms.grad(lambda p: (p * p, p + 1))(a).asnumpy().tolist() == [5, 7]
    assert ms.grad(ms.grad(lambda p: p * p * p))(ms.Tensor(2.0)).asnumpy() == 12
    assert ms.grad(lambda p: ms.ops.stop_gradient(p * p) * p)(a).asnumpy().tolist() == [4, 9]


_SHARES = pytest.mark.cpu_only("an array shares memory with a Tensor on the CPU only")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=_SHARES if name.endswith("shares") else ()) for name in PROGRAMS]
)
def test_program(name: str) -> None:
    ours = evaluate(ms, PROGRAMS[name], True)
    expected = DIFFERENT.get(name, GOLDEN["programs"][name])
    assert _same(ours, expected), f"{ours}\ninstead of\n{expected}"
