"""Two gloo processes: each inverts its own factors, and both go on with the mean (or sum) of the inverses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.ranks import run_ranks

PROGRAM = Path(__file__).with_name("two_processes_program.py")


def run_two(*arguments: str) -> list[Any]:
    """What each rank printed."""
    return [json.loads(output) for output in run_ranks(PROGRAM, 2, *arguments)]


@pytest.mark.multi_process
@pytest.mark.parametrize(("kind", "how"), [("cell", "sum"), ("torch", "mean")])
def test_inverses_of_both_processes_are_reduced(kind: str, how: str) -> None:
    one, two = run_two(kind, how)
    for mine, theirs in zip(one["weights"], two["weights"]):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-6)
    for index, shared in enumerate(one["shared"]):
        local = np.array(one["local"][index]), np.array(two["local"][index])
        assert np.abs(local[0] - local[1]).max() > 1e-3
        expected = (local[0] + local[1]) / (2 if how == "mean" else 1)
        np.testing.assert_allclose(shared, expected, rtol=0, atol=2e-5)
        np.testing.assert_array_equal(shared, two["shared"][index])
