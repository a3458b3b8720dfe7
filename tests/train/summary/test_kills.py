"""A killed writer loses nothing that was flushed; `python -m tests.train.summary.kill_program --kills 1000` is the long
version.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.multi_process
def test_what_was_flushed_survives_kills_and_no_reader_fails_on_the_tail() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.train.summary.kill_program", "--kills", "12"],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    figures = ast.literal_eval(done.stdout.splitlines()[-1])
    assert figures["kills"] == 12 and figures["found"] >= figures["flushed"] > 0
