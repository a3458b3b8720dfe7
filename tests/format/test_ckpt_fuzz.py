"""Damaged and hostile files: a ValueError that names the file and the place, or the right values; never a crash, a hang or a flood of memory.

``python -m tools.fuzz_checkpoints`` for a long run.
"""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from tests.format import fuzzing


def test_damaged_files_are_refused_or_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("ERROR", "mindspore_compat")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    counts = fuzzing.run(600, 1, tmp_path)
    assert sum(count for what, count in counts.items() if what.startswith("refused")) > 200, counts
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # KiB
