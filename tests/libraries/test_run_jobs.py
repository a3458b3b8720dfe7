"""The harness of the libraries' jobs: time limits, and what is said of two sides."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from tests.libraries import run_jobs


def test_a_command_is_stopped_with_all_that_it_started() -> None:
    sleeper = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    begun = time.time()
    assert run_jobs.ended([sys.executable, "-c", sleeper], 1.0) == "stopped after 1 s"
    assert time.time() - begun < 30
    assert run_jobs.ended([sys.executable, "-c", "raise SystemExit(3)"], 30.0) == 3


def side(code: int | str, *numbers: float) -> dict:
    return {"code": code, "missing": [], "numbers": list(numbers)}


@pytest.mark.parametrize(
    ("ours", "real", "said"),
    [
        (side(0, 1.0, 2.0), side(0, 1.0, 2.0002), "alike: 2 numbers within 1.0e-04"),
        (side(0, 1.0, 2.0), side(0, 1.0, 2.2), "APART: 2 numbers within 9.1e-02"),
        (
            side(0, 1.0, 2.0),
            side("stopped after 9 s", 1.0),
            "alike: 1 numbers within 0.0e+00, then real fails (stopped",
        ),
        (side(0, 1.0), side(0, 1.0, 2.0), "1 numbers, real has 2"),
        (side(1), side(0, 1.0), "ours fails (1, missing [])"),
        (side(1), side(1), "both fail (1, 1)"),
        (side(0, 1.0), side(1), "real fails (1, missing []); ours runs"),
    ],
)
def test_verdicts(ours: dict, real: dict, said: str) -> None:
    assert run_jobs.verdict({"losses": "."}, ours, real).startswith(said)


def test_how_far_a_job_parts_is_relative_and_of_its_first_numbers() -> None:
    assert run_jobs.parted({"first": 2}, [10.0, 0.5, 9.0], [8.0, 0.25, 1.0]) == 0.25


def test_what_real_mindspore_gave_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_jobs, "HERE", tmp_path)
    given = {"code": 0, "missing": [], "numbers": [0.25, 1.5e-7, 300.0], "seconds": 2.5}
    run_jobs.keep(Path("jobs_x.json"), "a", {"verdict": "alike", "real": run_jobs.packed(given)})
    run_jobs.keep(Path("jobs_x.json"), "b", {"verdict": "both run"})
    run_jobs.keep(Path("jobs_x.json"), "a", {"verdict": "APART"})
    assert run_jobs.kept(Path("jobs_x.json"), "a") == given
    assert run_jobs.kept(Path("jobs_x.json"), "b") is None
