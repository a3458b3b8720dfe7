"""Two gloo processes: each inverts its own factors, and both go on with the mean (or sum) of the inverses."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAM = Path(__file__).with_name("two_processes_program.py")


def run_two(*arguments: str) -> list[Any]:
    """What each rank printed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROGRAM.parents[2]),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": "2",
        "OMP_NUM_THREADS": "1",
    }
    ranks = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM), *arguments],
            env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    outputs = [rank.communicate(timeout=180)[0] for rank in ranks]
    assert all(rank.returncode == 0 for rank in ranks)
    return [json.loads(output) for output in outputs]


@pytest.mark.multi_process
@pytest.mark.parametrize(("kind", "how"), [("cell", "mean"), ("cell", "sum"), ("torch", "mean")])
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
