"""Collectives on 2 and 4 gloo processes: values, types and gradients by formulas in NumPy, in both modes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.ranks import run_ranks

PROGRAM = Path(__file__).with_name("collectives_program.py")


@pytest.mark.multi_process
@pytest.mark.parametrize(("mode", "size", "least"), [("graph", 2, 398), ("pynative", 4, 588)])
def test_every_collective_gives_what_the_formula_says(mode: str, size: int, least: int) -> None:
    for count in run_ranks(PROGRAM, size, mode):
        assert int(count) >= least
