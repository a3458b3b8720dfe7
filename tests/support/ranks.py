"""Several processes of one distributed run on this machine, under a time limit that ends hangs."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.support.processes import run_python

__all__ = ["free_port", "run_ranks"]


def free_port() -> int:
    """A TCP port that nobody listens on, below those that systems give to connections: gloo would take it meanwhile."""
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


#: runs the ranks as forks and prints their exit statuses when all have ended
_LAUNCHER = """
import json, os, runpy, signal, sys
program, size, timeout, arguments = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
ranks = {}
for rank in range(size):
    child = os.fork()
    if not child:
        os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank))
        for number in (1, 2):
            os.dup2(os.open(f"{rank}.{number}", os.O_CREAT | os.O_WRONLY), number)
        os.chdir(os.environ.pop("OLD_FOLDER"))
        sys.argv, sys.path[0] = [program, *arguments], os.path.dirname(program)
        runpy.run_path(program, run_name="__main__")
        sys.exit()
    ranks[child] = rank
statuses = {}
signal.signal(signal.SIGALRM, lambda *_: [os.kill(child, signal.SIGKILL) for child in ranks])
signal.alarm(timeout)
while ranks:
    child, status = os.wait()
    statuses[ranks.pop(child)] = os.waitstatus_to_exitcode(status)
    if status and sum(map(bool, statuses.values())) == 1:  # the others may wait for it for ever
        signal.alarm(10)
print(json.dumps([statuses[rank] for rank in range(size)]))
"""


def run_ranks(
    program: Path | str,
    size: int,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    timeout: int = 370,
) -> list[str]:
    """What each rank of ``python program arguments`` printed on stdout, started with torchrun's variables, by forks.

    Raises:
        AssertionError: if a rank fails, with the ends of all stderrs; if they do not end in `timeout` seconds.
        Either way no rank survives.
    """
    with tempfile.TemporaryDirectory() as folder:
        launched = run_python(
            *("-c", _LAUNCHER, str(program), str(size), str(timeout), *arguments),
            cwd=Path(folder),
            environment={
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(free_port()),
                "WORLD_SIZE": str(size),
                "LOCAL_WORLD_SIZE": str(size),
                "OLD_FOLDER": os.getcwd(),
                **(environment or {}),
            },
        )
        codes = json.loads(launched.stdout)
        outputs, errors = [[Path(folder, f"{rank}.{number}").read_text() for rank in range(size)] for number in (1, 2)]
    ends = "\n".join(f"-- rank {rank}, exit {codes[rank]}:\n{errors[rank][-3000:]}" for rank in range(size))
    assert not any(codes), f"ranks ended with {codes} (-9: killed, or over {timeout} s)\n{ends}"
    return outputs
