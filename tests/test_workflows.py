"""The workflows of GitHub run targets of the Makefile, on the versions that the package declares."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FILES = {path.stem: path for path in (ROOT / ".github/workflows").glob("*.yml")}
WORKFLOWS: dict[str, dict[Any, Any]] = {name: yaml.safe_load(path.read_text()) for name, path in FILES.items()}
JOBS = {f"{name}: {job}": body for name, flow in WORKFLOWS.items() for job, body in flow["jobs"].items()}
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = {name for names in re.findall(r"^([a-z][\w -]*):(?!=)", MAKEFILE, re.MULTILINE) for name in names.split()}


def triggers(name: str) -> dict[str, Any]:
    return WORKFLOWS[name][True]  # YAML reads `on` as a truth value


def targets_of(job: str) -> list[str]:
    """The targets that a job makes, in order; those of build/gpu/NAME.txt are NAME."""
    return [
        re.sub(r"make (?:build/gpu/(\S+)\.txt|(\S+))", r"\1\2", step["run"])
        for step in JOBS[job]["steps"]
        if "run" in step
    ]


def settings() -> configparser.ConfigParser:
    found = configparser.ConfigParser()
    found.read(ROOT / "setup.cfg")
    return found


def release(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_there_are_three() -> None:
    assert sorted(FILES) == ["ci", "gpu", "release"]


@pytest.mark.parametrize("job", JOBS)
def test_each_step_is_a_target(job: str) -> None:
    for step in JOBS[job]["steps"]:
        assert ("run" in step) != ("uses" in step)
        if "run" in step:
            assert re.fullmatch(r"make (build/gpu/[\w-]+\.txt|[\w-]+)", step["run"]), "nothing lives in YAML alone"
    assert set(targets_of(job)) <= TARGETS


@pytest.mark.parametrize("job", JOBS)
def test_actions_are_pinned(job: str) -> None:
    for step in JOBS[job]["steps"]:
        if "uses" in step:
            name, version = step["uses"].split("@")
            assert re.fullmatch(r"v\d+" if name.startswith("actions/") else r"[0-9a-f]{40}", version), name
            assert name != "actions/checkout" or step["with"]["persist-credentials"] is False


def test_jobs_end_and_may_only_read() -> None:
    assert all(0 < job["timeout-minutes"] <= 240 for job in JOBS.values())
    assert all(flow["permissions"] == {"contents": "read"} and flow["concurrency"] for flow in WORKFLOWS.values())
    asked = {name: job["permissions"] for name, job in JOBS.items() if "permissions" in job}
    assert asked == {"release: publish": {"id-token": "write"}}


def test_the_matrix_is_what_setup_cfg_declares() -> None:
    declared = settings()
    pythons = re.findall(r":: (3\.\d+)$", declared["metadata"]["classifiers"], re.MULTILINE)
    oldest = re.search(r"^torch>=(\S+)$", declared["options"]["install_requires"], re.MULTILINE)
    newest = re.search(r"^TORCH \?= torch==(\S+)$", MAKEFILE, re.MULTILINE)
    assert oldest is not None and newest is not None
    matrix = JOBS["ci: test"]["strategy"]["matrix"]
    assert matrix["python"] == sorted(pythons, key=release)
    assert declared["options"]["python_requires"] == f">={matrix['python'][0]}"
    assert matrix["torch"] == [f"{oldest[1]}.0", newest[1]]
    for left_out in matrix["exclude"]:
        assert left_out["python"] in matrix["python"] and left_out["torch"] in matrix["torch"]
    # each Python runs with some torch, each torch with some Python
    assert {pair["python"] for pair in matrix["exclude"] if pair["torch"] == newest[1]} == set()
    used = {JOBS["gpu: gpu"]["env"]["TORCH"].split()[0], JOBS["release: build"]["env"]["TORCH"].split()[0]}
    assert used == {f"torch=={newest[1]}"}


def test_ci_does_what_the_script_does() -> None:
    assert targets_of("ci: test") == ["ci"]
    assert "bash .ci/run" in MAKEFILE
    made = re.findall(r"\bmake ([\w-]+)", re.sub(r"#.*", "", (ROOT / ".ci/run").read_text()))
    assert made == ["test", "test-gpu", "lint", "types", "build", "check-wheel"]
    assert set(made) <= TARGETS


def test_the_gpu_runner_runs_no_code_of_pull_requests() -> None:
    assert set(triggers("gpu")) == {"push", "schedule", "workflow_dispatch"}
    assert triggers("gpu")["push"] == {"branches": ["main"]}
    assert JOBS["gpu: gpu"]["runs-on"] == ["self-hosted", "gpu"]
    labels = yaml.safe_load((ROOT / ".github/actionlint.yaml").read_text())["self-hosted-runner"]["labels"]
    assert labels == ["gpu"]


def test_the_gpu_runner_runs_all_that_needs_a_gpu() -> None:
    assert targets_of("gpu: gpu") == ["extension", "check-gpu", "test-device", "test-gpu", "bench-gpu", "bench-memory"]
    *_, kept = JOBS["gpu: gpu"]["steps"]
    assert kept["uses"].startswith("actions/upload-artifact@") and kept["with"]["path"] == "build/gpu"


def test_a_release_is_tried_before_it_is_published() -> None:
    assert triggers("release") == {"push": {"tags": ["v*"]}}
    assert targets_of("release: build") == ["check-version", "build", "check-wheel"]
    assert "upload-artifact" in JOBS["release: build"]["steps"][-1]["uses"]
    assert JOBS["release: publish"]["needs"] == "build"
    assert targets_of("release: publish") == []


@pytest.mark.parametrize(("tag", "is_good"), [("v{}", True), ("{}", False), ("v{}.1", False), ("", False)])
def test_a_tag_is_the_version(tag: str, is_good: bool) -> None:
    environment = {**os.environ, "TAG": tag.format(settings()["metadata"]["version"])}
    done = subprocess.run(["make", "-s", "check-version"], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode == 0) == is_good
    assert is_good or "the version in setup.cfg" in done.stdout


def test_a_failing_target_fails_what_keeps_its_output(tmp_path: Path) -> None:
    file = tmp_path / "Makefile"
    file.write_text(MAKEFILE + "\nfine broken:\n\t@echo $@ printed this\n\t@test $@ = fine\n")
    for name, is_good in (("fine", True), ("broken", False)):
        done = subprocess.run(["make", "-s", f"build/gpu/{name}.txt"], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode == 0) == is_good
        assert f"{name} printed this" in done.stdout
        assert f"{name} printed this" in (tmp_path / f"build/gpu/{name}.txt").read_text()
