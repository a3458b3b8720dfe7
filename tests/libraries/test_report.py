"""docs/libraries.md is what the stored results say, and the harness reads what runs leave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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


def test_real_mindspore_is_asked_for_what_does_not_pass_here() -> None:
    ours = {"f.py::a": ("passed", ""), "f.py::b": ("failed", "E"), "g.py": ("failed", "F"), "h.py::c": ("skipped", "")}
    stored = {"ours": {"passed": 3, "failed": 1}, "real": {"passed": 9}, "real_passes": 9}
    real = {"f.py::b": ("passed", ""), "g.py::d": ("passed", ""), "h.py": ("failed", "G")}
    result = run_suites.rechecked(ours, real, stored)
    assert (result["real"], result["real_passes"], result["ours_of_these"]) == ({"passed": 9}, 9, 7)
    assert result["differing"] == {"f.py::b": "E", "g.py::d": "not collected"}
    with pytest.raises(ValueError, match=r"real MindSpore did not run 1 tests, such as f\.py::b"):
        run_suites.rechecked(ours, {test: real[test] for test in ("g.py::d", "h.py")}, stored)
    with pytest.raises(ValueError, match="4 tests here, 5 stored"):
        run_suites.rechecked(ours, real, {**stored, "ours": {"passed": 5}})


def test_a_test_that_fails_and_did_not_before_is_named() -> None:
    before = run_suites.summary(
        {"a": ("passed", ""), "b": ("failed", "x"), "c": ("skipped", "")}, {"a": ("passed", "")}
    )
    assert before["ours_fails"] == ["b"]
    assert run_suites.beside_stored({"a": ("passed", ""), "b": ("failed", "y"), "c": ("passed", "")}, before) == []
    now = {"a": ("failed", "ValueError"), "b": ("passed", "")}
    assert run_suites.beside_stored(now, before) == ["fails now: a: ValueError", "1 tests are not there any more"]
    assert run_suites.beside_stored(now, {"ours": {"passed": 2}}) == ["no names of tests are stored to compare with"]
