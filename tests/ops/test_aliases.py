"""What is written to a result reaches an input where it does under real MindSpore (tests/golden/make_aliases.py), and
nowhere else.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from tests.ops.cases import written_through
from tests.ops.test_against_golden import MINDSPORE

REAL: dict[str, list[str]] = json.loads((Path(__file__).parents[1] / "golden/aliases.json").read_text())
#: Results that are copies here: a write to a grid reaches all its rows there; the others give back what they were given.
COPIES = (
    "ops.meshgrid(",
    "P.Meshgrid(",
    "mnp.meshgrid(v, v4)",
    "mnp.meshgrid(v, v4, indexing",
    "a.float()",
    "a.index_add(",
    "assign_value(",
)
#: Torch does not let these be written to: Parameters as leaves, and elements that share their memory.
REFUSED = ("(par(", "v.reshape((3, 1)).expand(")


@pytest.mark.filterwarnings("ignore")
def test_writes_reach_the_inputs_that_they_reach_in_mindspore() -> None:
    different = {}
    for case, expected in REAL.items():
        if not any(words in case for words in REFUSED) and case != "a.copy_(b)":
            found = written_through(case, MINDSPORE)
            if found != ([] if any(words in case for words in COPIES) else expected):
                different[case] = (found, expected)
    assert not different
    assert sum(map(bool, REAL.values())) > 140


def test_a_row_of_a_grid_is_its_own() -> None:
    x = ops.zeros(3)
    grid = ops.meshgrid(x, ops.zeros(2))[0]
    grid[0] = 5
    assert grid.asnumpy().tolist() == [[5, 5, 5], [0, 0, 0]] and x.asnumpy().tolist() == [0, 0, 0]


def test_gradients_of_sums_can_be_written_to() -> None:
    gradient = ops.grad(lambda x: x.sum())(ops.ones((2, 2)))
    gradient[0] = 5
    gradient.mul_(2.0)
    assert gradient.asnumpy().tolist() == [[10, 10], [2, 2]]
    by_x, by_y = ops.grad(lambda x, y: x.sum() + y.sum(), (0, 1))(ops.ones((2, 2)), ops.ones((2, 2)))
    by_x[0] = 7
    assert by_y.asnumpy().tolist() == [[1, 1], [1, 1]]


def test_what_a_users_program_takes_still_reaches_its_origin() -> None:
    x = Tensor(np.arange(4, dtype=np.float32))
    x[[1, 2]][0] = 9
    assert x.asnumpy().tolist() == [0, 9, 2, 3]
    ms.set_seed(1)
    ops.shuffle(x)[0] = 77
    assert 77 not in x.asnumpy()
