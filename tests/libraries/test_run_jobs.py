"""The harness of the libraries' jobs: time limits, and what is said of two sides."""

from __future__ import annotations

import argparse
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


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("Traceback:\nModuleNotFoundError: No module named 'pycocotools'\n", ["pycocotools"]),
        ("E ModuleNotFoundError: No module named 'mindspore'\n", ["mindspore"]),
        ("ModuleNotFoundError: No module named 'mindspore.parallel._transformer'\n", []),
        ("ImportError: cannot import name 'ms_function' from 'mindspore'\n", []),
    ],
)
def test_modules_that_an_environment_lacks(text: str, modules: list[str]) -> None:
    assert run_jobs.lacking(text) == modules


def test_a_failed_run_says_which_module_was_not_there(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    for name, code in {
        "fails": "import pycocotools_x",
        "handles": "try:\n import x_y\nexcept ImportError as e: print(e)",
    }.items():
        (tmp_path / "lib" / f"{name}.py").write_text(code)
    given = argparse.Namespace(libraries=tmp_path, work=tmp_path / "work", real=sys.executable, timeout=60.0)
    jobs = [{"name": name, "library": "lib", "command": f"{name}.py"} for name in ("fails", "handles")]
    fails, handles = (run_jobs.run(job, "real", given) for job in jobs)
    assert (fails["code"], fails["lacks"]) == (1, ["pycocotools_x"])
    assert handles["code"] == 0 and "lacks" not in handles


ALIKE = "alike: 5 numbers within 1.0e-05"


@pytest.mark.parametrize(
    ("stored", "said", "kept"),
    [
        (None, "both fail (1, 1)", True),
        (ALIKE, "alike: 5 numbers within 9.0e-04", True),
        (ALIKE, "alike: 4 numbers within 1.0e-05", False),
        (ALIKE, f"{ALIKE}, then real fails (stopped after 9 s, missing [])", False),
        (ALIKE, "APART: 5 numbers within 1.0e-02", False),
        (ALIKE, "4 numbers, real has 5", False),
        (ALIKE, "ours fails (1, missing [])", False),
        ("both run", "both fail (1, 1)", False),
        ("real fails (1, missing []); ours runs", "both run", True),
        ("real fails (1, missing []); ours runs", "both fail (1, 1)", False),
        ("both fail (1, 1)", "real fails (1, missing []); ours runs", True),
    ],
)
def test_a_worse_result_is_not_kept_unless_it_is_asked_for(
    stored: str | None, said: str, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_jobs, "HERE", tmp_path)
    jobs = Path("jobs_x.json")
    if stored:
        run_jobs.keep(jobs, "a", {"verdict": stored})
    sides = {name: {**side(0, 1.0), "seconds": 1.0} for name in ("ours", "real")}
    given = argparse.Namespace(jobs=jobs, worse=False, stored_real=False)
    assert run_jobs.store("a", said, sides, given) is kept
    assert run_jobs.known_of(jobs, "a").get("verdict") == (said if kept else stored)
    assert run_jobs.store("a", said, sides, argparse.Namespace(jobs=jobs, worse=True, stored_real=False))
    assert run_jobs.known_of(jobs, "a")["verdict"] == said


@pytest.mark.parametrize("fault", [{"lacks": ["lmdb"]}, {"code": -9}])
def test_a_fault_of_an_environment_is_never_kept(fault: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_jobs, "HERE", tmp_path)
    given = argparse.Namespace(jobs=Path("jobs_x.json"), worse=True, stored_real=False)
    good = {**side(0, 1.0), "seconds": 1.0}
    for sides in ({"ours": good, "real": {**good, **fault}}, {"ours": {**good, **fault}, "real": good}):
        assert not run_jobs.store("a", "both fail (1, 1)", sides, given)
    assert run_jobs.known_of(given.jobs, "a") == {}


def test_a_job_that_reads_what_the_other_side_has_not_made_is_not_run(tmp_path: Path) -> None:
    given = argparse.Namespace(work=tmp_path)
    job = {"command": "train.py --ckpt {other_out}/net.ckpt --save {out}/new"}
    made = tmp_path / "out" / "real" / "net.ckpt"
    assert run_jobs.absent(job, "ours", given) == [str(made)]
    made.parent.mkdir(parents=True)
    made.touch()
    assert run_jobs.absent(job, "ours", given) == []
    assert run_jobs.absent(job, "real", given) == [str(tmp_path / "out" / "ours" / "net.ckpt")]
