"""Load many damaged checkpoint files, in child processes with little memory; the counts of what came of it.

    python -m tools.fuzz_checkpoints [--files 100000] [--seed 1] [--mib 256]

Exit code 1 if a child crashed, hung, ran out of memory, or raised anything but a ValueError with the file's name.
"""

from __future__ import annotations

import argparse
import collections
import json
import logging
import os
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.format import fuzzing

BATCH = 2000


def child(files: int, seed: int, mib: int, answer: int) -> None:
    """Handle a batch with so much memory beside what the process has; the outcome goes into a pipe."""
    used = int(re.findall(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[0]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (used + (mib << 20),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logging.getLogger("mindspore_compat").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        try:
            result: object = dict(fuzzing.run(files, seed, Path(folder)))
        except BaseException as error:
            result = f"{type(error).__name__}: {error}"
    os.write(answer, json.dumps(result).encode())


def batch(files: int, seed: int, mib: int) -> dict[str, int] | str:
    """The counts of a batch, or what went wrong."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(files, seed, mib, write)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return json.loads(text) if text and code == 0 else f"the child with seed {seed} ended with {code}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mib", type=int, default=256)
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    failures, start = [], time.monotonic()
    for number, first in enumerate(range(0, options.files, BATCH)):
        result = batch(min(BATCH, options.files - first), options.seed + number, options.mib)
        if isinstance(result, str):
            failures.append(result)
            print(f"FAILED: {result}", flush=True)
        else:
            counts.update(result)
    print(json.dumps({"files": sum(counts.values()), "failures": len(failures), "seconds": round(time.monotonic() - start), **counts}, indent=1))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
