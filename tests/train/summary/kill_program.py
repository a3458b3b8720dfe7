"""Kills a process that writes summaries, over and over, and reads what it left.

python -m tests.train.summary.kill_program --kills 1000

The child says through a pipe which step it flushed last. Afterwards every record up to it must read back with its
value, from MindSpore's file and from TensorBoard's; what stands behind it may be missing or cut off, but no reader may
fail. Then the files are cut at a random byte, as a crash of the machine leaves them, and read again: all whole records
must be there.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import struct
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from mindspore_compat import Tensor
from mindspore_compat._format.proto.lineage import UserDefinedInfo
from mindspore_compat._format.records import OVERHEAD, iterate_records
from mindspore_compat.train.summary import SummaryRecord, read_summary, to_tensorboard
from tests.train.summary.support import tensorboard, the_file

_STEP = struct.Struct("<q")


def _write(folder: str, pipe: int, seed: int) -> None:
    """The child: records of all sizes until it is killed."""
    chance = random.Random(seed)
    values = np.random.RandomState(seed).randn(60_000).astype(np.float32)
    record = SummaryRecord(folder)
    os.write(pipe, _STEP.pack(-1))  # from here on the parent may kill
    step = 0
    while True:
        record.add_value("scalar", "x", Tensor(float(step)))
        if chance.random() < 0.3:
            record.add_value("histogram", "h", Tensor(values[: chance.randrange(1, 2000)]))
        if chance.random() < 0.2:
            record.add_value("tensor", "t", Tensor(values[: chance.choice([1, 1000, 60_000])]))
        if chance.random() < 0.1:
            record.add_value("image", "i", Tensor(values[:192].reshape(1, 3, 8, 8)))
        if step == 3:
            info = UserDefinedInfo()
            info.user_info.add().map_int32["seed"] = seed
            record.add_value("custom_lineage_data", "c", info)
        record.record(step)
        if chance.random() < 0.2:
            record.flush()
            os.write(pipe, _STEP.pack(step))
        step += 1


def _run_and_kill(folder: str, seed: int) -> int:
    """The last flushed step, or -1."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            _write(folder, writer, seed)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        assert told.read(_STEP.size), f"the writing process failed by itself (seed {seed})"
        time.sleep(random.Random(seed).uniform(0.0, 0.12))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        said = told.read()
    assert os.WIFSIGNALED(status), f"the writing process failed by itself (seed {seed})"
    return int(_STEP.unpack_from(said, len(said) - _STEP.size)[0]) if said else -1


def _check_flushed(folder: str, last: int, seed: int) -> int:
    """All up to the flushed step are there, in every reader; the number of steps found."""
    data = read_summary(folder)
    found = data.scalars["x"]
    assert list(found.items()) == [(step, float(step)) for step in range(len(found))] and len(found) > last, seed
    if last >= 3:
        assert data.lineage["custom_lineage_data"][0].user_info[0].map_int32["seed"] == seed
    shown = tensorboard(folder).Scalars("x")
    assert [(event.step, event.value) for event in shown] == [
        (step, float(step)) for step in range(len(shown))
    ] and len(shown) > last, seed
    return len(found)


def _check_cut(folder: str, chance: random.Random) -> None:
    """MindSpore's file cut at a random byte: its whole records, and a conversion of them."""
    path = the_file(folder)
    sizes = [len(record) + OVERHEAD for record in iterate_records(path)]
    end = chance.randrange(os.path.getsize(path) + 1)
    os.chmod(path, 0o600)
    os.truncate(path, end)
    whole = sum(1 for total in np.cumsum(sizes) if total <= end)
    assert len(list(iterate_records(path))) == whole
    output = os.path.join(folder, "converted")
    to_tensorboard(path, output)
    if read_summary(path).scalars:
        assert len(tensorboard(output).Scalars("x")) == len(read_summary(path).scalars["x"])


def kill_often(kills: int, seed: int = 0) -> dict[str, int]:
    """Raises AssertionError where something is lost; otherwise figures."""
    torch.set_num_threads(1)
    figures = dict.fromkeys(("kills", "without a file", "flushed", "found", "tails cut off by the kill"), 0)
    for number in range(seed, seed + kills):
        folder = tempfile.mkdtemp(prefix="kill")
        try:
            last = _run_and_kill(folder, number)
            figures["kills"] += 1
            figures["flushed"] += last + 1
            if not list(Path(folder).glob("*_MS")) or not list(Path(folder).glob("*tfevents*")):
                assert last < 0, number
                figures["without a file"] += 1
                continue
            path = the_file(folder)
            if not any(True for _ in iterate_records(path)) or not read_summary(folder).scalars:
                assert last < 0, number
                continue
            figures["tails cut off by the kill"] += sum(
                len(r) + OVERHEAD for r in iterate_records(path)
            ) < os.path.getsize(path)
            figures["found"] += _check_flushed(folder, last, number) if last >= 0 else 0
            _check_cut(folder, random.Random(number))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(kill_often(options.kills, options.seed))
