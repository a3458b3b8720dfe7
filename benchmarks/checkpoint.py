"""Checkpoints: load, save and asynchronous save, against safetensors, torch, a raw write, and real MindSpore where one
is installed.

    python benchmarks/checkpoint.py [--mib 64 1024] [--folder DIR] [--rounds 7] [--only PART ...] [--json FILE]

In each round everything that is compared runs once, in an order drawn for it; times are shown as least / median in
milliseconds, ratios are those of the least and of the medians. Before each save its file of the round before is removed
and everything is written to the disk (sync), since freeing an old file of 1 GiB, or writing back what another one left,
can take longer than the save itself. Memory is the peak of a process of its own, beside what it needs before the call.
All files are in the page cache. The interpreter of a real MindSpore is named by ``--oracle`` (default: the one that
tests use); its rounds follow, in a process of its own. ``--only load save stall`` runs a part.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat._runtime.writer import background_writer

Times = dict[str, list[float]]


def state_of(mib: int) -> dict[str, torch.Tensor]:
    """A state like a transformer's: matrices with a few small vectors in between."""
    total, result, number = mib << 20, {}, 0
    size = max(1 << 18, total // 64)
    while total > 0:
        count = min(size, total) // 4
        result[f"layer{number}.weight"] = torch.rand(count)
        result[f"layer{number}.bias"] = torch.rand(257)
        total -= count * 4
        number += 1
    return result


def in_turns(
    rounds: int, functions: dict[str, Callable[[], object]], prepare: Callable[[], object] = lambda: None
) -> Times:
    """Seconds of each function, each once a round in random order; the first round, which allocates and imports, does
    not count.
    """
    times: Times = {}
    for number in range(rounds + 1):
        for name, function in random.sample(list(functions.items()), len(functions)):
            prepare()
            start = time.perf_counter()
            result = function()
            seconds = time.perf_counter() - start
            del result
            if number:
                times.setdefault(name, []).append(seconds)
    return times


def shown(times: Times) -> dict[str, str]:
    return {name: f"{min(values) * 1e3:.1f} / {statistics.median(values) * 1e3:.1f}" for name, values in times.items()}


def ratio(a: list[float] | None, b: list[float] | None) -> list[float] | None:
    """Of the least, and of the medians."""
    return [round(min(a) / min(b), 2), round(statistics.median(a) / statistics.median(b), 2)] if a and b else None


# --- load -------------------------------------------------------------------------------------------------------------


def touch(values: dict[str, torch.Tensor]) -> None:
    """Read every byte, in one thread: the others of torch cost more than they give where other programs run."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    for value in values.values():
        value.detach().sum()
    torch.set_num_threads(threads)


def loaders(folder: Path) -> dict[str, Callable[[], dict[str, torch.Tensor]]]:
    import safetensors.torch

    return {
        "mindspore_compat": lambda: ms.load_checkpoint(str(folder / "a.ckpt")),
        "safetensors": lambda: safetensors.torch.load_file(folder / "a.safetensors"),
        "torch mmap": lambda: torch.load(folder / "a.pth", mmap=True, weights_only=True),
    }


def net_loaders(folder: Path, state: dict[str, torch.Tensor]) -> dict[str, Callable[[], object]]:
    """From the file into a network."""
    import safetensors.torch

    cell, module = ms.nn.Cell(), torch.nn.Module()
    for name, value in state.items():
        cell.insert_param_to_cell(
            name, ms.Parameter(ms.Tensor(torch.zeros_like(value)), name=name), check_name_contain_dot=False
        )
        module.register_parameter(name.replace(".", "_"), torch.nn.Parameter(torch.zeros_like(value)))

    def into_module() -> None:
        values = safetensors.torch.load_file(folder / "a.safetensors")
        module.load_state_dict({name.replace(".", "_"): value for name, value in values.items()})

    return {
        "mindspore_compat": lambda: ms.load_param_into_net(cell, ms.load_checkpoint(str(folder / "a.ckpt"))),
        "safetensors": into_module,
    }


# --- memory -----------------------------------------------------------------------------------------------------------


def high_water_kib() -> int:
    """Peak memory of this process (``ru_maxrss`` would count the parent's before exec)."""
    return int(re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[0])


def extra_peak_kib(what: str, folder: Path) -> int:
    """What a call needs at its peak beside what the process had; run in a process of its own."""
    if what == "save":
        values = dict(ms.load_checkpoint(str(folder / "a.ckpt")))
        values = {name: ms.Tensor(value.detach().clone()) for name, value in values.items()}
        call: Callable[[], object] = lambda: ms.save_checkpoint(values, str(folder / "peak.ckpt"))  # noqa: E731
    else:
        load = loaders(folder)[what]
        call = lambda: touch(load())  # noqa: E731
    Path("/proc/self/clear_refs").write_text("5")
    before = high_water_kib()
    call()
    return high_water_kib() - before


def extra_peak_mib(what: str, folder: Path) -> float:
    done = subprocess.run(
        [sys.executable, __file__, "--peak", what, "--folder", str(folder)], capture_output=True, text=True, check=True
    )
    return round(int(done.stdout.split()[-1]) / 1024, 1)


ORACLE = """
import re, sys, time, json
import numpy as np, mindspore as ms
folder, rounds = sys.argv[1], int(sys.argv[2])
def times(f):
    found = []
    for _ in range(rounds):
        t = time.perf_counter(); r = f(); found.append(time.perf_counter() - t); del r
    return found
high = lambda: int(re.findall(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[0])
base = high()
load = times(lambda: ms.load_checkpoint(folder + "/a.ckpt"))
peak = high() - base
values = ms.load_checkpoint(folder + "/a.ckpt")
save = times(lambda: ms.save_checkpoint(values, folder + "/real.ckpt"))
print("RESULT", json.dumps({"load": load, "save": save, "peak": peak}))
"""


def oracle_times(python: str, folder: Path, rounds: int) -> dict | None:
    if not Path(python).exists():
        return None
    done = subprocess.run(
        [python, "-c", ORACLE, str(folder), str(rounds)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GLOG_v": "3"},
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return json.loads(lines[-1][7:]) if lines else None


# --- save -------------------------------------------------------------------------------------------------------------


def raw_write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def saves(state: dict[str, torch.Tensor], tensors: dict[str, ms.Tensor], folder: Path, rounds: int) -> Times:
    import safetensors.torch

    whole = (folder / "a.ckpt").read_bytes()
    names = ("raw", "b.ckpt", "b.safetensors")

    def prepare() -> None:
        for name in names:
            (folder / name).unlink(missing_ok=True)
        os.sync()
        time.sleep(0.1)

    return in_turns(
        max(rounds, 9),
        {
            "raw write + fsync": lambda: raw_write(folder / names[0], whole),
            "mindspore_compat": lambda: ms.save_checkpoint(tensors, str(folder / names[1])),
            "safetensors": lambda: safetensors.torch.save_file(state, folder / names[2]),
        },
        prepare,
    )


def raw_replace(path: Path, data: bytes) -> None:
    """What any atomic write does: beside, flushed, renamed, the folder flushed."""
    temporary = path.with_suffix(".tmp")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        os.replace(temporary, path)
    handle = os.open(path.parent, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def replacements(tensors: dict[str, ms.Tensor], folder: Path, rounds: int) -> Times:
    """Saves over the file of the round before."""
    whole = (folder / "a.ckpt").read_bytes()
    return in_turns(
        max(rounds, 9),
        {
            "raw atomic write": lambda: raw_replace(folder / "over.raw", whole),
            "mindspore_compat": lambda: ms.save_checkpoint(tensors, str(folder / "over.ckpt")),
        },
        os.sync,
    )


class Stalls:
    """How long each way of saving in the background holds up its caller; each is waited for before the next starts."""

    def __init__(self, state: dict[str, torch.Tensor], folder: Path) -> None:
        self._state, self._folder, self._number = state, folder, 0
        self._tensors = {name: ms.Tensor(value) for name, value in state.items()}
        self._flat = torch.cat(list(state.values()))
        self._copy = torch.zeros_like(self._flat)

    def one(self, times: Times, name: str, save: Callable[[], Any], wait: Callable[[Any], object]) -> None:
        start = time.perf_counter()
        handle = save()
        times.setdefault(name, []).append(time.perf_counter() - start)
        wait(handle)

    def memcpy(self) -> None:
        ctypes.memmove(self._copy.data_ptr(), self._flat.data_ptr(), self._flat.nbytes)

    def ours(self) -> None:
        self._number += 1
        ms.save_checkpoint(self._tensors, str(self._folder / f"async{self._number % 2}.ckpt"), async_save=True)

    def thread(self) -> threading.Thread:
        """Clone, then torch.save beside the training."""
        copies = {name: value.clone() for name, value in self._state.items()}
        result = threading.Thread(target=torch.save, args=(copies, self._folder / "thread.pth"))
        result.start()
        return result

    def dcp(self) -> object:
        """torch.distributed.checkpoint.async_save with its process executor."""
        import torch.distributed.checkpoint as dcp
        from torch.distributed.checkpoint.state_dict_saver import AsyncCheckpointerType

        return dcp.async_save(
            dict(self._state),
            checkpoint_id=str(self._folder / "dcp"),
            async_checkpointer_type=AsyncCheckpointerType.PROCESS,
        )

    def measure(self, rounds: int) -> Times:
        import torch.distributed as dist

        times: Times = {}
        os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29571")
        dist.init_process_group("gloo", rank=0, world_size=1)
        try:
            turns: list[tuple[str, Callable[[], Any], Callable[[Any], object]]] = [
                ("one memcpy", self.memcpy, lambda _: None),
                ("mindspore_compat", self.ours, lambda _: background_writer().flush()),
                ("thread + torch.save", self.thread, lambda handle: handle.join()),
                ("torch.distributed.checkpoint process", self.dcp, lambda handle: handle.result()),
            ]
            for _ in range(rounds + 1):
                for turn in random.sample(turns, len(turns)):
                    self.one(times, *turn)
        finally:
            background_writer().close()
            dist.destroy_process_group()
        return {name: values[1:] for name, values in times.items()}  # the first allocates


# --- all --------------------------------------------------------------------------------------------------------------


def measure(mib: int, folder: Path, rounds: int, oracle: str, only: list[str]) -> dict[str, object]:
    import safetensors.torch

    state = state_of(mib)
    tensors = {name: ms.Tensor(value) for name, value in state.items()}
    ms.save_checkpoint(tensors, str(folder / "a.ckpt"))
    safetensors.torch.save_file(state, folder / "a.safetensors")
    torch.save(state, folder / "a.pth")
    load, touched, into_net, save, over, stall, peak = ({} for _ in range(7))  # type: ignore[var-annotated]
    if "load" in only:
        load = in_turns(rounds, loaders(folder))  # type: ignore[arg-type]
        touched = in_turns(
            rounds, {name: lambda function=function: touch(function()) for name, function in loaders(folder).items()}
        )
        into_net = in_turns(rounds, net_loaders(folder, state))
        peak = {name: extra_peak_mib(name, folder) for name in (*loaders(folder), "save")}
    if "save" in only:
        save = saves(state, tensors, folder, rounds)
        over = replacements(tensors, folder, rounds)
    if "stall" in only:
        stall = Stalls(state, folder).measure(rounds)
    real = (oracle_times(oracle, folder, max(2, rounds // 2)) or {}) if {"load", "save"} <= set(only) else {}
    if real:
        load["real MindSpore"], save["real MindSpore"], peak["real MindSpore"] = (
            real["load"],
            real["save"],
            round(real["peak"] / 1024, 1),
        )
    ours = "mindspore_compat"
    return {
        "mib": mib,
        "load_ms": shown(load),
        "load_and_touch_ms": shown(touched),
        "into_net_ms": shown(into_net),
        "save_ms": shown(save),
        "replace_ms": shown(over),
        "stall_ms": shown(stall),
        "extra_peak_mib": peak,
        "ratios of least and median": {
            "load / safetensors": ratio(load.get(ours), load.get("safetensors")),
            "load and touch / safetensors": ratio(touched.get(ours), touched.get("safetensors")),
            "into a net / safetensors": ratio(into_net.get(ours), into_net.get("safetensors")),
            "real load / ours": ratio(load.get("real MindSpore"), load.get(ours)),
            "real load / ours and touch": ratio(load.get("real MindSpore"), touched.get(ours)),
            "save / raw": ratio(save.get(ours), save.get("raw write + fsync")),
            "save over a file / raw atomic write": ratio(over.get(ours), over.get("raw atomic write")),
            "real save / ours": ratio(save.get("real MindSpore"), save.get(ours)),
            **{f"stall / {name}": ratio(stall[ours], values) for name, values in stall.items() if name != ours},
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, nargs="+", default=[64, 1024])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="+", choices=("load", "save", "stall"), default=["load", "save", "stall"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--oracle", default="/opt/oracle/venv/bin/python")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        print(extra_peak_kib(options.peak, options.folder))
        return
    machine = {
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load": os.getloadavg()[0],
    }
    print(json.dumps(machine))
    results = []
    for mib in options.mib:
        folder = Path(tempfile.mkdtemp(dir=options.folder))
        try:
            results.append(measure(mib, folder, options.rounds, options.oracle, options.only))
        finally:
            shutil.rmtree(folder)
        print(json.dumps(results[-1], indent=1), flush=True)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
