"""Starts workers: programs under real MindSpore or ours, in one mode, in one process for as long as it lives."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.support.oracle import oracle_python
from tests.support.processes import run_python

__all__ = ["MODES", "run"]

MODES = ("pynative", "graph")
WORKER = Path(__file__).with_name("worker.py")
_REAL = {"ONEDNN_MAX_CPU_ISA": "AVX2", "DNNL_MAX_CPU_ISA": "AVX2", "GLOG_v": "4"}


def run(
    programs: Sequence[str], mode: str, *, real: bool = False, patience: float = 60, alone: bool = False
) -> dict[str, dict[str, Any]]:
    """{program: what its worker said}; one that ends its process, or takes longer than ``patience`` seconds, is an error of
    that program.

    ``alone`` gives each its own process: real MindSpore takes a forward that an earlier program left, where a new Cell
    got its address.
    """
    if alone:
        return {
            name: found
            for program in programs
            for name, found in run([program], mode, real=real, patience=patience).items()
        }
    found: dict[str, dict[str, Any]] = {}
    left = list(programs)
    while left:
        result: dict[str, Any] = {"error": None}
        for result in _lines(list(left), mode, real, patience):
            found[result["program"]] = result
            left.remove(result["program"])
        if left and not result["error"]:  # after an error the worker ends by itself
            found[left[0]] = {
                "program": left[0],
                "values": [],
                "error": "Crash: the process ended or did not answer",
                "seconds": 0.0,
            }
            left.pop(0)
    return found


def _lines(programs: Sequence[str], mode: str, real: bool, patience: float) -> Iterator[dict[str, Any]]:
    if not real:
        command = ("-W", "ignore", "-m", "mindspore_compat", str(WORKER), mode, *programs)
        done = run_python(*command, cwd=Path(tempfile.gettempdir()), timeout=int(patience) * len(programs))
        if not done.stdout.startswith("READY"):
            raise RuntimeError(f"the worker did not start: {done.stderr}")
        yield from (json.loads(line[8:]) for line in done.stdout.splitlines() if line.startswith("PROGRAM "))
        return
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    python = oracle_python()
    if python is None:
        raise RuntimeError("no real MindSpore found: run `make oracle`, or set MINDSPORE_ORACLE_PYTHON.")
    command = (python, "-W", "ignore", str(WORKER))
    worker = subprocess.Popen(
        [*command, mode, *programs],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environment, **_REAL, "OMP_NUM_THREADS": "1"},
        cwd=tempfile.gettempdir(),
    )  # real leaves files there
    assert worker.stdout is not None
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(worker.stdout, selectors.EVENT_READ)
            rest, is_ready = b"", False
            while selector.select(patience):
                block = os.read(worker.stdout.fileno(), 1 << 20)
                if not block:
                    break
                *lines, rest = (rest + block).split(b"\n")
                is_ready = is_ready or b"READY" in lines
                yield from (json.loads(line[8:]) for line in lines if line.startswith(b"PROGRAM "))
        if not is_ready:
            raise RuntimeError(f"the worker did not start: {command}")
    finally:
        worker.kill()
        worker.wait()
        worker.stdout.close()
