"""A killed writer loses nothing that was flushed; `python -m tests.train.summary.kill_program --kills 1000` is the long
version.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.processes import run_python


@pytest.mark.multi_process
def test_what_was_flushed_survives_kills_and_no_reader_fails_on_the_tail(tmp_path: Path) -> None:
    done = run_python("-m", "tests.train.summary.kill_program", "--kills", "8", cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    figures = ast.literal_eval(done.stdout.splitlines()[-1])
    assert figures["kills"] == 8 and figures["found"] >= figures["flushed"] > 0
