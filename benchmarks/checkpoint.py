"""Checkpoints: load, save and asynchronous save, against safetensors, torch, a raw write, and real MindSpore where one is installed.

    python benchmarks/checkpoint.py [--mib 64 1024] [--folder DIR] [--rounds 5] [--json FILE]

Times are the smallest of the rounds, memory the peak of a process of its own beside what the same process needs without the load.
All files are in the page cache. ``--oracle PYTHON`` names the interpreter of a real MindSpore (default: the one that tests use).
"""
from __future__ import annotations

import argparse
import json
import os
import platform
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

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat._runtime.writer import background_writer

ROOT = Path(__file__).parents[1]


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


def high_water_kib() -> int:
    """Peak memory of this process (``ru_maxrss`` would count the parent's before exec)."""
    return int(re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[0])


def best(function: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
        del result
    return min(times)


def touch(values: dict[str, torch.Tensor]) -> None:
    """Read every byte."""
    for value in values.values():
        value.detach().sum()


# --- load ---------------------------------------------------------------------------------------------------------------

def load_with(name: str, folder: Path) -> Callable[[], dict[str, torch.Tensor]]:
    import safetensors.torch
    return {
        "mindspore_compat": lambda: ms.load_checkpoint(str(folder / "a.ckpt")),
        "safetensors": lambda: safetensors.torch.load_file(folder / "a.safetensors"),
        "torch mmap": lambda: torch.load(folder / "a.pth", mmap=True, weights_only=True),
        "nothing": dict,
    }[name]


def peak_kib(name: str, folder: Path) -> int:
    """Peak memory of a fresh process that loads and touches everything."""
    done = subprocess.run([sys.executable, __file__, "--peak", name, "--folder", str(folder)], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


ORACLE = """
import sys, time, json, resource
import numpy as np, mindspore as ms
folder, rounds = sys.argv[1], int(sys.argv[2])
def best(f):
    times = []
    for _ in range(rounds):
        t = time.perf_counter(); r = f(); times.append(time.perf_counter() - t); del r
    return min(times)
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
load = best(lambda: ms.load_checkpoint(folder + "/a.ckpt"))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base
values = ms.load_checkpoint(folder + "/a.ckpt")
save = best(lambda: ms.save_checkpoint(values, folder + "/real.ckpt"))
print("RESULT", json.dumps({"load": load, "save": save, "peak": peak}))
"""


def oracle_times(python: str, folder: Path, rounds: int) -> dict[str, float] | None:
    if not Path(python).exists():
        return None
    done = subprocess.run([python, "-c", ORACLE, str(folder), str(rounds)], capture_output=True, text=True, check=False,
                          env={**os.environ, "GLOG_v": "3"})
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return json.loads(lines[-1][7:]) if lines else None


# --- save ---------------------------------------------------------------------------------------------------------------

def raw_write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def raw_seconds(folder: Path, rounds: int) -> float:
    """A write and fsync of the bytes of the checkpoint."""
    whole = (folder / "a.ckpt").read_bytes()
    return best(lambda: raw_write(folder / "raw", whole), rounds)


def stalls(save: Callable[[int], None], wait: Callable[[], None], rounds: int) -> list[float]:
    """How long each save holds up its caller; the first, which allocates, is left out."""
    times = []
    for number in range(rounds + 1):
        start = time.perf_counter()
        save(number)
        times.append(time.perf_counter() - start)
        wait()
    return times[1:]


def thread_save(state: dict[str, torch.Tensor], path: Path) -> Callable[[int], None]:
    """What a plain thread costs: clone, then torch.save beside the training."""
    def save(_: int) -> None:
        copies = {name: value.clone() for name, value in state.items()}
        running.append(threading.Thread(target=torch.save, args=(copies, path)))
        running[-1].start()
    running: list[threading.Thread] = []
    save.running = running  # type: ignore[attr-defined]
    return save


def dcp_process_stalls(state: dict[str, torch.Tensor], folder: Path, rounds: int) -> list[float] | None:
    """torch.distributed.checkpoint.async_save with its process executor, in one gloo process."""
    import torch.distributed as dist
    import torch.distributed.checkpoint as dcp
    try:
        from torch.distributed.checkpoint.state_dict_saver import AsyncCheckpointerType
    except ImportError:
        return None
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29571")
    dist.init_process_group("gloo", rank=0, world_size=1)
    futures: list = []
    try:
        return stalls(lambda n: futures.append(dcp.async_save(dict(state), checkpoint_id=str(folder / f"dcp{n % 2}"),
                                                              async_checkpointer_type=AsyncCheckpointerType.PROCESS)),
                      lambda: futures[-1].result(), rounds)
    except Exception as error:  # its own start of a process may fail in a sandbox
        print(f"torch.distributed.checkpoint: {type(error).__name__}: {error}", file=sys.stderr)
        return None
    finally:
        dist.destroy_process_group()


# --- all ----------------------------------------------------------------------------------------------------------------

def measure(mib: int, folder: Path, rounds: int, oracle: str) -> dict[str, object]:
    import safetensors.torch
    state = state_of(mib)
    tensors = {name: ms.Tensor(value) for name, value in state.items()}
    ms.save_checkpoint(tensors, str(folder / "a.ckpt"))
    safetensors.torch.save_file(state, folder / "a.safetensors")
    torch.save(state, folder / "a.pth")
    result: dict[str, object] = {"mib": mib}
    names = ("mindspore_compat", "safetensors", "torch mmap")
    load = {name: best(load_with(name, folder), rounds) for name in names}
    touched = {name: best(lambda name=name: touch(load_with(name, folder)()), rounds) for name in names}
    empty = peak_kib("nothing", folder)
    peak = {name: (peak_kib(name, folder) - empty) / 1024 for name in names}
    result |= {"load_s": load, "load_and_touch_s": touched, "peak_mib": peak}

    raw = raw_seconds(folder, rounds)
    before = high_water_kib()
    save = {"raw write + fsync": raw, "mindspore_compat": best(lambda: ms.save_checkpoint(tensors, str(folder / "b.ckpt")), rounds),
            "torch.save": best(lambda: torch.save(state, folder / "b.pth"), rounds),
            "safetensors": best(lambda: safetensors.torch.save_file(state, folder / "b.safetensors"), rounds)}
    result |= {"save_s": save, "save_extra_peak_mib": (high_water_kib() - before) / 1024}

    flat, copy = torch.cat(list(state.values())), torch.empty(sum(value.numel() for value in state.values()))
    copy.copy_(flat)
    result["memcpy_s"] = memcpy = best(lambda: copy.copy_(flat), max(rounds, 5))
    writer = background_writer()
    ours = stalls(lambda n: ms.save_checkpoint(tensors, str(folder / f"async{n % 2}.ckpt"), async_save=True), writer.flush, rounds)
    writer.close()
    thread = thread_save(state, folder / "thread.pth")
    theirs = stalls(thread, lambda: thread.running[-1].join(), rounds)  # type: ignore[attr-defined]
    dcp = dcp_process_stalls(state, folder, rounds)
    result["stall_s"] = {
        "mindspore_compat": statistics.median(ours), "mindspore_compat, least": min(ours), "thread + torch.save": statistics.median(theirs),
        "torch.distributed.checkpoint process": statistics.median(dcp) if dcp else None,
    }
    real = oracle_times(oracle, folder, max(1, rounds // 2))
    result["real_mindspore"] = real
    result["ratios"] = {
        "load / safetensors": load["mindspore_compat"] / load["safetensors"],
        "load and touch / safetensors": touched["mindspore_compat"] / touched["safetensors"],
        "save / raw": save["mindspore_compat"] / raw,
        "stall / memcpy": statistics.median(ours) / memcpy, "least stall / memcpy": min(ours) / memcpy,
        "real load / ours": real["load"] / load["mindspore_compat"] if real else None,
        "real save / ours": real["save"] / save["mindspore_compat"] if real else None,
    }
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, nargs="+", default=[64, 1024])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--oracle", default="/opt/oracle/venv/bin/python")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        values = load_with(options.peak, options.folder)()
        touch(values)
        print(high_water_kib())
        return
    machine = {"torch": torch.__version__, "numpy": np.__version__, "python": platform.python_version(), "cpus": os.cpu_count(),
               "threads": torch.get_num_threads(), "load": os.getloadavg()[0]}
    print(json.dumps(machine))
    results = []
    for mib in options.mib:
        folder = Path(tempfile.mkdtemp(dir=options.folder))
        try:
            results.append(measure(mib, folder, options.rounds, options.oracle))
        finally:
            shutil.rmtree(folder)
        print(json.dumps(results[-1], indent=1), flush=True)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
