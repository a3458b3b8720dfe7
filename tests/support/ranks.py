"""Several processes of one distributed run on this machine, under a time limit that ends hangs."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

__all__ = ["free_port", "run_ranks"]

_ROOT = Path(__file__).parents[2]


def free_port() -> int:
    """A TCP port that nobody listens on, below those that systems give to connections: gloo would take it meanwhile."""
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def run_ranks(
    program: Path | str,
    size: int,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    timeout: float = 400,
) -> list[str]:
    """What each rank of ``python program arguments`` printed on stdout, started with torchrun's variables.

    Raises:
        AssertionError: if a rank fails, with the ends of all stderrs; if they do not end in `timeout` seconds.
        Either way no rank survives.
    """
    common = {
        **os.environ,
        "PYTHONPATH": str(_ROOT),
        "OMP_NUM_THREADS": "1",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": str(size),
        "LOCAL_WORLD_SIZE": str(size),
        **(environment or {}),
    }
    files = [(tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")) for _ in range(size)]
    ranks = [
        subprocess.Popen(
            [sys.executable, str(program), *arguments],
            env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=files[rank][0],
            stderr=files[rank][1],
        )
        for rank in range(size)
    ]
    try:
        deadline, grace = time.monotonic() + timeout, False
        while any(rank.poll() is None for rank in ranks):
            if any(rank.poll() for rank in ranks) and not grace:  # the others may wait for it for ever
                grace, deadline = True, min(deadline, time.monotonic() + 10)
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)
        codes = [rank.poll() for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
    outputs, errors = [[_text(file) for file in column] for column in zip(*files)]
    ends = "\n".join(f"-- rank {rank}, exit {codes[rank]}:\n{errors[rank][-3000:]}" for rank in range(size))
    assert all(code == 0 for code in codes), f"ranks ended with {codes} (None: over {timeout} s)\n{ends}"
    return list(outputs)


def _text(file: IO[str]) -> str:
    with file:
        file.seek(0)
        return file.read()
