"""Each of two processes saves its share and gets the rest back from the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.ranks import free_port

PROGRAM = Path(__file__).with_name("redundancy_program.py")


@pytest.mark.multi_process
@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_shares_are_complete_and_come_together_again(format: str, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROGRAM.parents[2]),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": "2",
        "OMP_NUM_THREADS": "1",
    }
    ranks = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM), str(tmp_path), format],
            env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    found = [json.loads(rank.communicate(timeout=120)[0].splitlines()[-1]) for rank in ranks]
    assert all(rank.returncode == 0 for rank in ranks)
    assert all(item["left"] == [] and item["same"] for item in found)
    a, b = (set(item["own"]) for item in found)
    assert a and b and not a & b and {"0.weight", "0.bias", "1.weight", "1.bias"} <= a | b
