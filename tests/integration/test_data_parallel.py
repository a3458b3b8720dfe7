"""Two gloo processes train as one does on the whole batch: MindSpore's way and under torch's DDP."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.ranks import run_ranks

PROGRAM = Path(__file__).with_name("two_processes_program.py")


def _run(kind: str, size: int) -> list[list[float]]:
    return json.loads(run_ranks(PROGRAM, size, kind)[-1])


@pytest.mark.multi_process
@pytest.mark.parametrize("kind", ["grad_reducer", "ddp"])
def test_two_processes_equal_one(kind: str) -> None:
    for alone, shared in zip(_run(kind, 1), _run(kind, 2)):
        np.testing.assert_allclose(shared, alone, rtol=1e-5, atol=1e-6)
