"""How processes meet: launchers' variables, devices, the dynamic cluster, ranks that die."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

from mindspore_compat import communication, context
from mindspore_compat._runtime import device, placement
from mindspore_compat._runtime.launch import launch_of
from tests.support.ranks import run_ranks

HERE = Path(__file__).parent
LAUNCHERS = re.compile("RANK|WORLD_SIZE|MASTER_|^MS_|DEVICE_ID|^OMPI_|^PMI|^MV2_|^SLURM_|^MPI_")


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment without a launcher; `context` and the device are restored."""
    import os

    for name in list(os.environ):
        if LAUNCHERS.search(name):
            monkeypatch.delenv(name)
    monkeypatch.setattr(context, "_values", dict(context._values))
    monkeypatch.setattr(device, "_current", None)
    for name in ("BACKEND", "WORLD_COMM_GROUP", "INITED"):
        monkeypatch.setattr(communication.GlobalComm, name, getattr(communication.GlobalComm, name))
    return monkeypatch


@pytest.mark.multi_process
def test_processes_meet_under_every_launcher(tmp_path: Path) -> None:
    assert run_ranks(HERE / "start_program.py", 2, str(tmp_path)) == ["7 CPU\n", "7 CPU\n"]


@pytest.mark.multi_process
def test_scripts_end_closes_the_group() -> None:
    """Else threads of gloo that hold a tensor abort the process, once in some dozen runs."""
    assert run_ranks(HERE / "exit_program.py", 2) == ["open: True\nopen: False\n"] * 2


@pytest.mark.multi_process
@pytest.mark.parametrize("kind", ["numbered", "plain"])
def test_dynamic_cluster_with_its_scheduler(kind: str) -> None:
    first, second, scheduler = run_ranks(HERE / "cluster_program.py", 3, kind)
    assert first == second == "[0.0, 10.0]\n"
    assert scheduler == ""


@pytest.mark.multi_process
@pytest.mark.parametrize(
    ("kind", "reason"), [("killed", "its process ended without a word"), ("raises", "ValueError: boom")]
)
def test_a_dead_rank_ends_the_others_and_is_named(kind: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as caught:
        run_ranks(
            HERE / "failing_program.py",
            3,
            kind,
            str(tmp_path / "note"),
            environment={"MINDSPORE_COMPAT_DEAD_RANK_S": "6"},
        )
    text = str(caught.value)
    assert f"ranks ended with [1, {-9 if kind == 'killed' else 1}, 1]" in text
    assert f"RuntimeError: For 'DistributedGradReducer', rank 1 has failed: {reason}" in text
    assert f"rank 2 ends, since rank 1 has failed: {reason}" in text
    assert float((tmp_path / "note.noticed").read_text()) < 5


def _variables(text: str) -> dict[str, str]:
    return dict(item.split("=") for item in text.split())  # type: ignore[misc]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ("", ("", 0, 1, None, None)),
        ("RANK=0", ("", 0, 1, None, None)),
        ("RANK=0 WORLD_SIZE=1", ("torchrun", 0, 1, None, None)),
        ("RANK_ID=3", ("", 0, 1, None, None)),
        ("RANK_ID=0 RANK_SIZE=1 RANK_TABLE_FILE=/old.json", ("RANK_SIZE", 0, 1, "127.0.0.1", 8118)),
        ("RANK_ID=3 RANK_SIZE=8", ("RANK_SIZE", 3, 8, "127.0.0.1", 8118)),
        ("RANK_ID=3 RANK_SIZE=8 MASTER_ADDR=a MASTER_PORT=7", ("RANK_SIZE", 3, 8, "a", 7)),
        ("PMI_RANK=1 PMI_SIZE=2 MPI_LOCALNRANKS=2", ("PMI", 1, 2, "127.0.0.1", 8118)),
        (
            "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 RANK_SIZE=2 PMIX_NAMESPACE=job",
            ("OpenMPI", 1, 2, "127.0.0.1", 24584),
        ),
        ("SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_JOB_NODELIST=gpu[03-07,9],x MASTER_PORT=9", ("Slurm", 5, 8, "gpu03", 9)),
        ("SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_JOB_NODELIST=one,two MASTER_PORT=9", ("Slurm", 5, 8, "one", 9)),
        ("SLURM_NTASKS=8", ("", 0, 1, None, None)),
        ("MS_ROLE=MS_WORKER MS_WORKER_NUM=4 MS_NODE_ID=2 MS_SCHED_HOST=h MS_SCHED_PORT=8", ("msrun", 2, 4, "h", 8)),
    ],
)
def test_variables_of_launchers(variables: str, expected: tuple[Any, ...]) -> None:
    found = launch_of(_variables(variables))
    assert (found.launcher, found.rank, found.size, found.host, found.port) == expected
    assert not found.missing


@pytest.mark.parametrize(
    "variables",
    [
        "WORLD_SIZE=4",
        "RANK=2",
        "RANK=2 WORLD_SIZE=4",
        "RANK_SIZE=8",
        "MS_WORKER_NUM=8",
        "MS_ROLE=MS_WORKER MS_WORKER_NUM=8",
        "OMPI_COMM_WORLD_SIZE=2",
        "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_SIZE=2",
    ],
)
def test_incomplete_variables_never_mean_one_process(variables: str, environ: pytest.MonkeyPatch) -> None:
    for name, value in _variables(variables).items():
        environ.setenv(name, value)
    with pytest.raises(RuntimeError, match="For 'init', .*, but .* not"):
        communication.init()
    assert not communication.GlobalComm.INITED


@pytest.mark.parametrize(
    "variables",
    ["RANK_ID=0 RANK_SIZE=eight", "RANK_ID=9 RANK_SIZE=8", "MS_ROLE=MS_PSERVER", "RANK_ID=1 RANK_TABLE_FILE=/old.json"],
)
def test_values_that_cannot_be_are_refused(variables: str) -> None:
    with pytest.raises(ValueError):
        launch_of(_variables(variables))


@pytest.fixture
def four_devices(environ: pytest.MonkeyPatch) -> list[torch.device]:
    """torch claims to have four CUDA devices; the list gets what was made the current one."""
    chosen: list[torch.device] = []
    environ.setattr(torch.cuda, "is_available", lambda: True)
    environ.setattr(torch.cuda, "device_count", lambda: 4)
    environ.setattr(torch.cuda, "set_device", chosen.append)
    environ.setattr(placement, "move_all", lambda source, target: None)  # nothing could go there
    return chosen


@pytest.mark.parametrize(
    ("variables", "given", "expected"),
    [
        ({}, {}, 0),
        ({}, {"device_id": 1}, 1),
        ({"LOCAL_RANK": "2", "RANK": "2", "WORLD_SIZE": "4"}, {}, 2),
        ({"LOCAL_RANK": "2", "RANK": "2", "WORLD_SIZE": "4"}, {"device_id": 0}, 0),
        ({"RANK_ID": "5", "RANK_SIZE": "8", "DEVICE_ID": "3"}, {}, 3),
        ({"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8", "OMPI_COMM_WORLD_LOCAL_RANK": "1"}, {}, 1),
        ({"DEVICE_ID": "2"}, {}, 2),
    ],
)
@pytest.mark.parametrize("target", ["GPU", "Ascend"])
def test_each_rank_takes_its_own_device(
    target: str,
    variables: dict[str, str],
    given: dict[str, int],
    expected: int,
    four_devices: list[torch.device],
    environ: pytest.MonkeyPatch,
) -> None:
    context._values.clear()
    for name, value in variables.items():
        environ.setenv(name, value)
    context.set_context(device_target=target, **given)
    assert four_devices[-1] == device.current_device() == torch.device("cuda", expected)
    assert context.get_context("device_id") == expected


@pytest.mark.parametrize(("backend", "target"), [("nccl", "GPU"), ("hccl", "Ascend")])
def test_init_before_set_context_takes_the_gpu(
    backend: str, target: str, four_devices: list[torch.device], environ: pytest.MonkeyPatch
) -> None:
    context._values.clear()
    communication.init(backend)
    assert device.current_device() == torch.device("cuda", 0)
    assert (context.get_context("device_target"), communication.GlobalComm.BACKEND) == (target, backend)
    communication.release()


def test_init_with_another_devices_backend(environ: pytest.MonkeyPatch) -> None:
    context.set_context(device_target="CPU")
    with pytest.raises(RuntimeError):
        communication.init("nccl")
    with pytest.raises(RuntimeError):
        communication.init("x")
