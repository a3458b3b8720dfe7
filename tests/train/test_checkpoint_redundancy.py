"""Each of two processes saves its share and gets the rest back from the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.ranks import run_ranks

PROGRAM = Path(__file__).with_name("redundancy_program.py")


@pytest.mark.multi_process
@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_shares_are_complete_and_come_together_again(format: str, tmp_path: Path) -> None:
    found = [json.loads(output.splitlines()[-1]) for output in run_ranks(PROGRAM, 2, str(tmp_path), format)]
    assert all(item["left"] == [] and item["same"] for item in found)
    a, b = (set(item["own"]) for item in found)
    assert a and b and not a & b and {"0.weight", "0.bias", "1.weight", "1.bias"} <= a | b
