"""docs/libraries.md is what the stored results say, and the harness reads what runs leave."""

from __future__ import annotations

import json
from pathlib import Path

from tests.libraries import report, run_suites


def test_the_page_is_that_of_the_results() -> None:
    assert report.PAGE.read_text(encoding="utf-8") == report.page(), "run python -m tests.libraries.report"


def test_a_test_counts_where_real_mindspore_passes_it(tmp_path: Path) -> None:
    lines = [("a", "passed"), ("b", "passed"), ("b", "failed"), ("c", "skipped"), ("d", "passed")]
    file = tmp_path / "ours.jsonl"
    file.write_text("\n".join(json.dumps({"test": test, "outcome": outcome, "text": "E"}) for test, outcome in lines))
    ours = run_suites.read(file)
    real = dict.fromkeys("abe", ("passed", "")) | {"d": ("failed", "")}
    result = run_suites.summary(ours, real)
    assert (result["real_passes"], result["ours_of_these"]) == (3, 1)
    assert result["differing"] == {"b": "E", "e": "not collected"}
