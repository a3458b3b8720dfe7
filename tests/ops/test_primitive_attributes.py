"""Attributes of operators that are set later count as in real MindSpore (`settable` of a row)."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from tests.ops.primitive_attributes import LINES, Under
from tests.support.versions import COMPILES

ROWS = json.loads((Path(__file__).parents[1] / "golden" / "primitive_attributes.json").read_text())
#: attributes that are numbers of a list of words in upstream's operators: the words are taken here
_NUMBERED = {"reduction", "data_format", "interpolation_mode", "padding_mode", "indexing", "output_type"}
#: (operator, attribute): why it is otherwise here
OTHERWISE = {
    ("Conv2D", "pad"): "refused: needs pad_mode",
    ("Conv3D", "pad"): "refused: needs pad_mode",
    ("Conv3D", "stride"): "counts; upstream's kernel reads another name",
    ("Conv3D", "dilation"): "counts; upstream's kernel reads another name",
    ("AvgPool3D", "divisor_override"): "1 is 0 and 1 at once upstream",
    ("StridedSlice", "new_axis_mask"): "the constructor's meaning",
}


def _alike(ours: Any, theirs: Any) -> bool:
    if any(isinstance(item, list) for item in theirs[0]):  # several results
        return len(ours) == len(theirs) and all(map(_alike, ours, theirs))
    if ours[0] != theirs[0]:
        return False
    mine, numbers = (np.array(item[1], np.float64) for item in (ours, theirs))
    return np.allclose(mine, numbers, 2e-3, 1e-4, equal_nan=True)


def _compared(row: list) -> bool:
    line, _, attribute, value, _ = row
    is_number = attribute in _NUMBERED and not isinstance(value, str)
    return not is_number and (line.split("(")[0], attribute) not in OTHERWISE


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", list(filter(_compared, ROWS)), ids=lambda row: f"{row[0]}-{row[1]} {row[2]}={row[3]}")
def test_an_operator_computes_as_real_mindspores(row: list) -> None:
    line, how, attribute, value, expected = row
    found = Under(ms).computed(line, how, attribute, value)
    assert found is not None, "refused"
    assert _alike(found, expected), f"{found} instead of {expected}"


def test_there_are_many_and_some_count() -> None:
    before = {line: found for line, how, _, _, found in ROWS if not how}
    assert before.keys() <= set(LINES)
    for how in ("set", "added"):
        counts = [not _alike(found, before[line]) for line, way, _, _, found in ROWS if way == how]
        assert 25 < sum(counts) < len(counts) - 5


def test_copies_and_pickles_keep_what_was_set() -> None:
    softmax, x = ops.Softmax(0), Tensor([[0.0, 1.0], [2.0, 5.0]])
    softmax.axis = 1
    expected = ops.Softmax(1)(x).asnumpy()
    for other in (softmax, copy.deepcopy(softmax), copy.copy(softmax), pickle.loads(pickle.dumps(softmax))):
        assert np.array_equal(other(x).asnumpy(), expected)
    assert not np.array_equal(ops.Softmax(0)(x).asnumpy(), expected)


def test_a_subclass_of_an_operator_follows() -> None:
    class Mine(ops.ReduceSum):
        def __init__(self) -> None:
            super().__init__(False)
            self.note = "mine"

    mine = Mine()
    mine.keep_dims = True
    assert mine(Tensor([[1.0, 2.0]]), 1).shape == (1, 1)


@pytest.mark.skipif(not COMPILES, reason="this torch replays nothing")
def test_a_replayed_step_keeps_the_old_one_as_upstreams_graph() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    reduce = ops.ReduceSum(False)

    class Net(ms.nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = ms.Parameter(Tensor([[1.0, 2.0]]), name="weight")
            self.reduce = reduce

        def construct(self, x: Any) -> Any:
            return self.reduce(self.weight * x, 1)

    net = Net()
    step = ms.nn.TrainOneStepCell(net, ms.nn.SGD(net.trainable_params(), 0.0))
    x = Tensor([[1.0, 1.0]])
    shapes = [step(x).shape for _ in range(5)]
    reduce.keep_dims = True
    shapes += [step(x).shape for _ in range(3)]
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert shapes == [(1,)] * 8
