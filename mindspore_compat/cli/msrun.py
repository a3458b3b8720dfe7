"""``mindspore-compat msrun``: several processes of a MindSpore script, with the arguments of MindSpore's own ``msrun``.

Each gets torchrun's variables and msrun's, and writes to ``worker_<rank>.log`` in ``--log_dir``. No scheduler process
is needed: rank 0 serves the meeting.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

__all__ = ["command", "main"]

_PACKAGE = Path(__file__).parents[1]
_MOST_PORT = 65535
_GRACE_S = 12.0  # longer than a rank waits for its own error, see communication/_start.py


def main(arguments: list[str]) -> int:
    """Start the processes; with ``--join=True`` wait for them."""
    options = _parser().parse_args(arguments)
    problem = _problem(options)
    if problem:
        _parser().error(problem)
    folder = Path(options.log_dir or ".")
    folder.mkdir(parents=True, exist_ok=True)
    first = max(options.node_rank, 0) * options.local_worker_num
    workers = [_started(options, folder, first + number, number) for number in range(options.local_worker_num)]
    return _joined(workers, folder / f"worker_{first}.log") if options.join else 0


def command() -> int:
    """Run the script ``msrun``, for unchanged shell scripts. If real MindSpore is installed, run MindSpore's."""
    if _is_upstream(importlib.util.find_spec("mindspore")):
        upstream = "import sys; from mindspore.parallel.cluster.run import main; sys.exit(main())"
        os.execv(sys.executable, [sys.executable, "-c", upstream, *sys.argv[1:]])
    return main(sys.argv[1:])


def _is_upstream(spec: importlib.machinery.ModuleSpec | None) -> bool:
    """Return whether ``import mindspore`` loads the real package, not this one by its alias or its shim."""
    return spec is not None and spec.origin is not None and _PACKAGE not in Path(spec.origin).parents


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mindspore-compat msrun",
        usage="mindspore-compat msrun [options] (SCRIPT | -m MODULE | python SCRIPT | pytest) [args ...]",
        description="Start several processes of a MindSpore script on this machine.",
    )
    parser.add_argument("--worker_num", type=int, default=8, help="processes on all machines together (8)")
    parser.add_argument("--local_worker_num", type=int, default=8, help="processes on this machine (8)")
    parser.add_argument("--master_addr", default="127.0.0.1", help="the address of the machine of rank 0 (127.0.0.1)")
    parser.add_argument("--master_port", type=int, default=8118, help="a free port there (8118)")
    parser.add_argument("--node_rank", type=int, default=-1, help="the number of this machine, if there are several")
    parser.add_argument("--log_dir", default="", help="where the logs go (this folder)")
    parser.add_argument("--join", type=_truth, default=False, help="True: wait for the end and show rank 0's output")
    parser.add_argument("--cluster_time_out", type=int, default=600, help="seconds to wait for all processes (600)")
    for name in ("--bind_core", "--bind_numa", "--rank_table_file", "--worker_log_name", "--tail_worker_log"):
        parser.add_argument(name, default="", help="msrun's, without effect")
    parser.add_argument("task_script", help="the script")
    parser.add_argument("task_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def _truth(text: str) -> bool:
    if text not in ("True", "False"):
        raise argparse.ArgumentTypeError(f"must be True or False, but got {text!r}")
    return text == "True"


def _problem(options: Any) -> str:
    """Return the error in the options, or ""."""
    if options.worker_num <= 0 or options.local_worker_num <= 0:
        return f"worker_num and local_worker_num must be greater than 0, but got {options.worker_num} and " + str(
            options.local_worker_num
        )
    if options.local_worker_num > options.worker_num:
        return f"local_worker_num {options.local_worker_num} must not be greater than worker_num {options.worker_num}"
    if options.local_worker_num < options.worker_num and options.node_rank < 0:
        return "give --node_rank, the number of this machine: its processes are not all of worker_num"
    if (max(options.node_rank, 0) + 1) * options.local_worker_num > options.worker_num:
        return f"node_rank {options.node_rank} would give ranks from worker_num {options.worker_num} on"
    if not 0 < options.master_port <= _MOST_PORT:
        return f"master_port must be in [1, {_MOST_PORT}], but got {options.master_port}"
    return ""


def _command(options: Any) -> list[str]:
    words = [options.task_script, *options.task_script_args]
    if Path(words[0]).name.startswith("python"):  # as msrun's users write it too
        words = words[1:]
    elif words[0] == "pytest":
        words = ["-m", *words]
    return [sys.executable, "-m", "mindspore_compat", "run", *words]


def _started(options: Any, folder: Path, rank: int, local_rank: int) -> subprocess.Popen:
    variables = {
        "RANK": rank,
        "WORLD_SIZE": options.worker_num,
        "LOCAL_RANK": local_rank,
        "LOCAL_WORLD_SIZE": options.local_worker_num,
        "MASTER_ADDR": options.master_addr,
        "MASTER_PORT": options.master_port,
        "RANK_ID": rank,
        "RANK_SIZE": options.worker_num,
        "DEVICE_ID": local_rank,
        "MS_WORKER_NUM": options.worker_num,
        "MS_NODE_ID": rank,
        "MS_TOPO_TIMEOUT": options.cluster_time_out,
    }
    path = folder / f"worker_{rank}.log"
    root = str(Path(__file__).parents[2])  # where this package is, also when it is not installed
    python_path = os.pathsep.join(item for item in (os.environ.get("PYTHONPATH"), root) if item)
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}, "PYTHONPATH": python_path}
    print(f"Start worker process with rank id:{rank}, log file:{path}.", flush=True)
    with open(path, "wb") as log:
        return subprocess.Popen(
            _command(options), env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )


def _joined(workers: list[subprocess.Popen], log: Path) -> int:
    """Wait, and show the output of the first worker. A worker that fails ends the others, as do Ctrl+C and SIGTERM.

    Returns:
        The exit code: 1 if one failed.
    """
    deadline = float("inf")
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # to end the workers, too
    try:
        with open(log, "rb") as shown:
            while True:
                codes = [worker.poll() for worker in workers]
                sys.stdout.buffer.write(shown.read())
                sys.stdout.flush()
                failed = next((place for place, code in enumerate(codes) if code), None)
                if None not in codes or time.monotonic() > deadline:
                    break
                if failed is not None:  # the others may still log the reason
                    deadline = min(deadline, time.monotonic() + _GRACE_S)
                time.sleep(0.1)
    finally:
        for worker in workers:
            if worker.poll() is None:
                os.killpg(worker.pid, signal.SIGKILL)
                worker.wait()
    if failed is None:
        return 0
    print(
        f"mindspore-compat msrun: a worker ended with exit code {codes[failed]}; the logs are in {log.parent}.",
        file=sys.stderr,
    )
    return 1
