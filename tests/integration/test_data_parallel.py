"""Two gloo processes train as one does on the whole batch: MindSpore's way and under torch's DDP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(__file__).with_name("two_processes_program.py")


def _run(kind: str, size: int) -> list[list[float]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROGRAM.parents[2]),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(size),
        "OMP_NUM_THREADS": "1",
    }
    ranks = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM), kind],
            env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]
    outputs = [rank.communicate(timeout=120)[0] for rank in ranks]
    assert all(rank.returncode == 0 for rank in ranks)
    return json.loads(outputs[-1])


@pytest.mark.multi_process
@pytest.mark.parametrize("kind", ["grad_reducer", "ddp"])
def test_two_processes_equal_one(kind: str) -> None:
    for alone, shared in zip(_run(kind, 1), _run(kind, 2)):
        np.testing.assert_allclose(shared, alone, rtol=1e-5, atol=1e-6)
