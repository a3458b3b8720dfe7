"""Assign, AssignAdd and AssignSub broadcast nothing: answers of real MindSpore 2.10, in both modes."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops

WRITERS = {
    "Assign": (ops.Assign(), ops.assign),
    "AssignAdd": (ops.AssignAdd(), ops.assign_add),
    "AssignSub": (ops.AssignSub(), ops.assign_sub),
}


def _zeros(shape: tuple[int, ...]) -> Parameter:
    return Parameter(Tensor(np.zeros(shape), ms.float32), name="p")


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    ("shape", "value"),
    [
        ((2,), np.ones(1, np.float32)),
        ((2,), np.float32(1)),
        ((2, 3), np.ones(3, np.float32)),
        ((3,), np.ones((2, 3), np.float32)),
        ((1,), np.ones((1, 1), np.float32)),
        ((2, 3), np.ones((3, 2), np.float32)),
    ],
)
def test_other_shapes_are_refused(name, shape, value) -> None:
    for write in WRITERS[name]:
        variable = _zeros(shape)
        with pytest.raises(ValueError):
            write(variable, Tensor(value))
        assert variable.shape == shape
        assert not variable.asnumpy().any()


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(("shape", "other"), [((), (1,)), ((1,), ())])
def test_one_element_fits_one_without_axes(name, shape, other) -> None:
    for write in WRITERS[name]:
        variable = _zeros(shape)
        write(variable, Tensor(np.full(other, 2.0), ms.float32))
        assert variable.shape == shape
        assert float(variable.asnumpy().sum()) == (-2.0 if name == "AssignSub" else 2.0)


def test_a_number_fits_one_element_only() -> None:
    with pytest.raises(ValueError, match="'value' rank: 0, 'variable' rank: 1"):
        ops.assign(_zeros((2,)), 3.0)
    assert float(ops.assign(_zeros(()), 3.0)) == 3.0


class Keeper(nn.Cell):
    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.kept = _zeros(shape)

    def construct(self, x):
        self.kept = x
        return self.kept + 0


def test_setting_a_parameter_in_a_graph_assigns() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        with pytest.raises(ValueError, match="'Assign','value' must have the same rank"):
            Keeper((2, 3))(Tensor(np.ones(6), ms.float32))
        cell = Keeper((2, 3))
        cell(Tensor(np.ones((2, 3)), ms.float32))
        assert cell.kept.asnumpy().sum() == 6
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    cell = Keeper((2, 3))
    cell(Tensor(np.ones(6), ms.float32))
    assert cell.kept.shape == (6,)  # outside of graphs the Parameter takes the new value whole
