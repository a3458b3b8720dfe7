"""Tensor methods that mean something else where upstream compiles, and where that is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat import context, nn, ops
from mindspore_compat._ops.grad_operation import value_and_grad
from mindspore_compat.common.api import jit
from mindspore_compat.common.tensor import Tensor
from tests.support.oracle import oracle_python, run_oracle
from tests.support.versions import COMPILES

X = np.array([[1, 5, 2], [4, 3, 6]], np.float32)
#: as real MindSpore 2.10 answers (test_mindspore_agrees)
PYNATIVE, COMPILED = ["tuple", "tuple", "tuple", []], ["Tensor", "Tensor", "tuple", [2]]


def _forms(x: Any) -> Any:
    return x.max(1), x.min(-1, True), x.max(dim=1), x.argmax()


def _described(found: Any) -> list[Any]:
    return [*(type(item).__name__ for item in found[:3]), list(found[3].shape)]


class _Forms(nn.Cell):
    def construct(self, x: Any) -> Any:
        return _forms(x)


class _Outer(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.inner = _Forms()

    def construct(self, x: Any) -> Any:
        return self.inner(x)


def _loss(x: Any) -> Any:
    best = x.max(1)
    return best[0].sum() * 3 if isinstance(best, tuple) else best.sum()


@pytest.fixture
def mode() -> Any:
    before = context.get_context("mode")
    yield lambda value: context.set_context(mode=value)
    context.set_context(mode=before)


@pytest.mark.parametrize("graph_mode", [False, True])
def test_cells_are_compiled_in_graph_mode_only(mode: Any, graph_mode: bool) -> None:
    mode(context.GRAPH_MODE if graph_mode else context.PYNATIVE_MODE)
    expected = COMPILED if graph_mode else PYNATIVE
    assert _described(_Forms()(Tensor(X))) == expected
    assert _described(_Outer()(Tensor(X))) == expected


@pytest.mark.parametrize("graph_mode", [False, True])
def test_a_scripts_own_lines_are_never_compiled_and_jit_always(mode: Any, graph_mode: bool) -> None:
    mode(context.GRAPH_MODE if graph_mode else context.PYNATIVE_MODE)
    assert _described(_forms(Tensor(X))) == PYNATIVE
    assert _described(_Forms().construct(Tensor(X))) == PYNATIVE
    assert _described(ops.HyperMap()(_forms, (Tensor(X),))[0]) == PYNATIVE
    assert _described(jit(_forms)(Tensor(X))) == COMPILED
    assert _described(jit(_Outer())(Tensor(X))) == COMPILED
    assert _described(_forms(Tensor(X))) == PYNATIVE


@pytest.mark.skipif(not COMPILES, reason="torch.compile and replays need a newer torch")
def test_what_is_differentiated_is_compiled_in_graph_mode(mode: Any) -> None:
    assert float(value_and_grad(_loss)(Tensor(X))[0]) == 33
    mode(context.GRAPH_MODE)
    value, gradient = value_and_grad(_loss)(Tensor(X))
    assert float(value) == 11
    assert gradient.asnumpy().tolist() == [[0, 1, 0], [0, 0, 1]]


_PROGRAM = """
import numpy as np, mindspore as ms
from mindspore import Tensor, nn
class Forms(nn.Cell):
    def construct(self, x):
        return x.max(1), x.min(-1, True), x.max(dim=1), x.argmax()
def described(found):
    return [*(type(item).__name__ for item in found[:3]), list(found[3].shape)]
x = Tensor(np.array([[1, 5, 2], [4, 3, 6]], np.float32))
told = []
for mode in (1, 0):
    ms.set_context(mode=mode)
    told += [described(Forms()(x)), described((x.max(1), x.min(-1, True), x.max(dim=1), x.argmax())), described(Forms().construct(x))]
"""


@pytest.mark.skipif(oracle_python() is None, reason="needs a real MindSpore")
def test_mindspore_agrees(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_PROGRAM)  # it compiles from files only
    assert run_oracle("import program; give(program.told)", cwd=tmp_path) == [
        PYNATIVE,
        PYNATIVE,
        PYNATIVE,
        COMPILED,
        PYNATIVE,
        PYNATIVE,
    ]
