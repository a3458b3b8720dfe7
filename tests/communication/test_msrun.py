"""``mindspore-compat msrun``: untouched scripts in several processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mindspore_compat.cli import msrun
from tests.support import processes
from tests.support.ranks import free_port

SCRIPT = """
import sys
import mindspore as ms
from mindspore import ops, Tensor
from mindspore.communication import init, get_rank, get_group_size
init()
print("rank", get_rank(), "of", get_group_size(), sys.argv[1:], ops.AllReduce()(Tensor([1.0])))
if "fail" in sys.argv and get_rank() == 1:
    raise ValueError("boom")
if "fail" in sys.argv:
    ops.AllReduce()(Tensor([1.0]))
"""


def run_msrun(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(SCRIPT)
    own = ["--worker_num=2", "--local_worker_num=2", f"--master_port={free_port()}", "--log_dir=logs", "--join=True"]
    return processes.run_command("msrun", *own, "train.py", *arguments, cwd=folder)


@pytest.mark.multi_process
def test_a_script_runs_in_two_processes(tmp_path: Path) -> None:
    done = run_msrun(tmp_path, "--epochs", "3")
    assert done.returncode == 0, done.stderr
    assert "rank 0 of 2 ['--epochs', '3'] [2.]" in done.stdout  # of rank 0; the other's is in its log
    assert "rank 1 of 2" not in done.stdout
    assert "rank 1 of 2 ['--epochs', '3'] [2.]" in (tmp_path / "logs" / "worker_1.log").read_text()


@pytest.mark.multi_process
def test_a_worker_that_fails_ends_all(tmp_path: Path) -> None:
    done = run_msrun(tmp_path, "fail")
    assert done.returncode == 1
    assert "a worker ended with exit code 1" in done.stderr
    assert "rank 1 has failed: ValueError: boom" in done.stdout


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.multi_process
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
def test_a_signal_that_ends_msrun_ends_its_workers(tmp_path: Path) -> None:
    (tmp_path / "wait.py").write_text("import os, time\nopen(f'{os.getpid()}.pid', 'w').close()\ntime.sleep(100)\n")
    own = ["--worker_num=2", "--local_worker_num=2", f"--master_port={free_port()}", "--log_dir=logs", "--join=True"]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "mindspore_compat", "msrun", *own, "wait.py"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL) as launcher:
        end = time.monotonic() + 60
        while len(workers := [int(path.stem) for path in tmp_path.glob("*.pid")]) < 2:
            assert time.monotonic() < end
            time.sleep(0.1)
        launcher.terminate()
        assert launcher.wait(20) == 128 + signal.SIGTERM
    assert not any(_is_running(worker) for worker in workers)


@pytest.mark.multi_process
def test_pytest_runs_in_two_processes(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "from mindspore.communication import init, get_rank\n\ndef test_rank():\n    init()\n    print(f'rank {get_rank()}')\n"
    )
    own = ["--worker_num=2", "--local_worker_num=2", f"--master_port={free_port()}", "--join=True"]
    done = run_command(tmp_path, *own, "pytest", "-s", "-p", "no:cacheprovider", "test_it.py::test_rank")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rank 0" in done.stdout and "1 passed" in done.stdout
    assert "rank 1" in (tmp_path / "worker_1.log").read_text()


@pytest.mark.multi_process
@pytest.mark.parametrize(
    "how", ["import mindspore_compat; mindspore_compat.install()", "sys.path.insert(0, alias._SHIM_DIR)"]
)
def test_under_the_alias_msrun_is_this_packages(tmp_path: Path, how: str) -> None:
    """The alias also answers who asks whether a distribution "mindspore" is installed."""
    (tmp_path / "train.py").write_text(SCRIPT)
    own = ["--worker_num=1", "--local_worker_num=1", f"--master_port={free_port()}", "--join=True"]
    done = run_command(tmp_path, *own, "train.py", before=f"from mindspore_compat._api import alias; {how}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rank 0 of 1 [] [1.]" in done.stdout


def run_command(folder: Path, *arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """What the script ``msrun`` does."""
    script = f"import sys; {before}\nfrom mindspore_compat.cli.msrun import command; sys.exit(command())"
    path = f"{folder}:{Path(__file__).parents[2]}"
    return processes.run_python("-c", script, *arguments, cwd=folder, environment={"PYTHONPATH": path})


def test_beside_real_mindspore_msrun_is_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "mindspore" / "parallel" / "cluster"
    folder.mkdir(parents=True)
    (tmp_path / "mindspore" / "__init__.py").touch()
    (folder / "run.py").write_text("import sys\ndef main():\n    print('real', sys.argv[1:])\n    return 3\n")
    done = run_command(tmp_path, "--worker_num=2", "train.py")
    assert (done.returncode, done.stdout.strip()) == (3, "real ['--worker_num=2', 'train.py']"), done.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--worker_num=0"], "must be greater than 0"),
        (["--worker_num=2"], "local_worker_num 8 must not be greater than worker_num 2"),
        (["--worker_num=8", "--local_worker_num=4"], "give --node_rank"),
        (["--worker_num=8", "--local_worker_num=4", "--node_rank=2"], "would give ranks from worker_num 8 on"),
        (["--master_port=70000"], "master_port must be in"),
        (["--join=yes"], "must be True or False, but got 'yes'"),
    ],
)
def test_wrong_numbers_are_refused(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        msrun.main([*arguments, "train.py"])
    assert text in capsys.readouterr().err
