"""Operators' descriptions give what real MindSpore gives (golden/make_json.py op_info), and describe, not run."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

import mindspore_compat as mindspore
from mindspore_compat import Tensor, ops

from .op_info_program import call_an_operator, run

register = importlib.import_module("mindspore_compat.ops.op_info_register")
GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "op_info.json").read_text(encoding="utf-8"))
CASES = [name for name in GOLDEN if name.startswith(("describe", "register"))]


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    return run(register)


@pytest.mark.parametrize("name", CASES)
def test_descriptions_and_registrations(ours: dict[str, Any], name: str) -> None:
    expected, found = GOLDEN[name], ours[name]
    if isinstance(expected, list) and "wrapped_function" in expected:
        expected = [*expected[:2], "kernel"]  # here the function keeps its name
    assert found == expected


def test_every_case_is_in_the_golden_file(ours: dict[str, Any]) -> None:
    assert list(ours) == CASES


def test_an_operator_that_is_only_described_can_not_be_called() -> None:
    assert (
        set(call_an_operator(mindspore, ops, register))
        == {"RuntimeError"}
        == set(GOLDEN["call in mode 1"])
        == set(GOLDEN["call in mode 0"])
    )


def test_what_is_kept_and_what_an_operator_with_its_own_call_gives() -> None:
    info = register.TBERegOp("Square").get_op_info()

    @register.op_info_register(info)
    def kernel() -> None:
        """doc"""

    class Square(ops.PrimitiveWithInfer):
        def __call__(self, x: Tensor) -> Tensor:
            return x * x

    assert kernel.op_info is info and kernel.__doc__ == "doc" and ops.TBERegOp is register.TBERegOp
    assert Square("Square")(Tensor([3.0])).asnumpy().tolist() == [9]
