"""Processes agree on values: of Parameters that several of them hold, of gradients, steps, and the wish to end."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat.train._utils import get_parameter_redundancy
from tests.support.oracle import run_oracle
from tests.support.ranks import run_ranks

LAYOUTS = {
    "rows": [[2, 4], [0, -1], [4, 4], 0, True, ""],
    "columns": [[2, 4], [-1, 1], [4, 4], 0, True, ""],
    "whole": [[2, 4], [-1, -1], [4, 4], 0, True, ""],
    "both": [[2, 2, 2], [2, 0], [4, 4], 0, True, ""],
}


def adaptive(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The paper's sum of two."""
    return (1 - a @ b / (2 * a @ a)) * a + (1 - a @ b / (2 * b @ b)) * b


ADAPTIVE = [
    np.array([5.0, 1.0]) - adaptive(np.array([1.0, 2.0]), np.array([2.0, 2.0])),
    np.array([7.0, 1.0]) - adaptive(np.array([3.0, 1.0]), np.array([2.0, 1.0])),
]


@pytest.mark.multi_process
def test_two_processes() -> None:
    outputs = run_ranks(Path(__file__).with_name("shared_values_program.py"), 2)
    for rank, found in enumerate(json.loads(output.splitlines()[-1]) for output in outputs):
        own = 5.0 + rank
        # of the two that all hold, each process gives one: in the order of their names
        assert found["broadcast"] == {"table": 6.0, "first.own": 5.0, "last.own": own}
        assert found["alone"] == dict.fromkeys(found["alone"], own)
        assert found["pipeline"] == {"table": 5.0, "first.own": own, "last.own": own}
        assert np.allclose(found["reduced"], found["reduced alone"]) and found["reduced"] == found["not scaled"]
        assert np.allclose(found["adasum"], ADAPTIVE)
        assert (found["one asks"], found["all ask"], found["gradient"]) == (False, True, 3)
        for text, said in zip(("cur_rank", "initial_rank: 1", "param: no"), found["refused"], strict=True):
            assert text in said


def test_groups_of_layouts() -> None:
    assert get_parameter_redundancy(LAYOUTS, 8) == {
        "both": ((8, 10), (12, 14), (9, 11), (13, 15)),
        "columns": ((8, 9, 10, 11), (12, 13, 14, 15)),
        "rows": ((8, 12), (9, 13), (10, 14), (11, 15)),
        "whole": ((8, 9, 10, 11, 12, 13, 14, 15),),
    }
    with pytest.raises(ValueError, match="dev_matrix"):
        get_parameter_redundancy({"rows": [[2, 4]]})


@pytest.mark.oracle
def test_groups_of_layouts_are_upstreams() -> None:
    ours = get_parameter_redundancy(LAYOUTS, 8)
    found = run_oracle(f"from mindspore.train._utils import get_parameter_redundancy as g\ngive(g({LAYOUTS!r}, 8))")
    assert found == {name: [list(group) for group in groups] for name, groups in ours.items()}


def test_one_process_has_nothing_to_agree_on() -> None:
    net = nn.Dense(2, 2)
    ms.parameter_broadcast(net, {"weight": LAYOUTS["whole"]})
    ms.sync_pipeline_shared_parameters(net)
