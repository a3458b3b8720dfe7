"""Operators, Tensor methods and numpy functions against what real MindSpore gave (tests/golden/make_ops.py)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from mindspore_compat import nn, ops
from mindspore_compat import numpy as mnp
from mindspore_compat._ops.grad_operation import grad
from mindspore_compat.common import dtype
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor
from mindspore_compat.common.tensor import Tensor
from tests.ops.cases import cases, evaluate
from tests.ops.golden import difference, load
from tests.support.versions import COMPILES

GOLDEN = load()
MINDSPORE: Any = SimpleNamespace(
    Tensor=Tensor,
    Parameter=Parameter,
    COOTensor=COOTensor,
    CSRTensor=CSRTensor,
    ops=ops,
    nn=nn,
    numpy=mnp,
    grad=grad,
    **{name: getattr(dtype, name) for name in dtype.__all__},
)
#: What upstream's CPU cannot do (no kernel, no such dtype): there is nothing to compare with, but it has to run here.
NOT_UPSTREAM = [case for case in cases() if "error" in GOLDEN.get(case, {}) and not case.startswith("!")]
COMPARED = [case for case in cases() if case in GOLDEN and case not in set(NOT_UPSTREAM)]
#: Operators of Tensor itself (common/tensor.py) that do not follow upstream yet.
WAITING: set[str] = set()


def _parameters() -> list[Any]:
    return [
        pytest.param(case, marks=pytest.mark.xfail(reason="Tensor's operators", strict=False))
        if case in WAITING
        else case
        for case in COMPARED
    ]


def test_every_case_has_a_golden_result() -> None:
    assert not [case for case in cases() if case not in GOLDEN]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", _parameters())
def test_same_result_gradient_or_exception_as_mindspore(case: str) -> None:
    if case.startswith("g ") and "nextafter" in case.lower() and not COMPILES:
        pytest.skip("torch 2.6 has no derivative of it")
    found = evaluate(case, MINDSPORE)
    if case.startswith("! "):
        assert "error" in found  # torch's, of its own type
    else:
        assert not difference(case, found, GOLDEN[case])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", NOT_UPSTREAM)
def test_runs_or_refuses_clearly_where_upstream_has_no_kernel(case: str) -> None:
    found = evaluate(case, MINDSPORE)
    assert found.get("error") in (
        None,
        GOLDEN[case]["error"],
        "TypeError",
        "NotImplementedError",
        "RuntimeError",
        "IndexError",
    )
