"""Training steps, THOR's inverses, checkpoint stalls and peak memory on a GPU, side by side in one run.

    python benchmarks/gpu.py [--rounds 15] [--steps 50] [--nets mlp lenet resnet20 encoder] [--batch 128] [--fake]

Contestants take turns in each round, in an order drawn for it; a turn is ``--steps`` steps and the wait for the last of
them. Given are medians of milliseconds a step, and the medians of the ratios to bare torch in the same round:

    torch            a hand-written loop; loss.backward(), torch.optim.SGD (fused)
    torch.compile    the same with the network under torch.compile(mode="reduce-overhead")
    ours             TrainOneStepCell in PYNATIVE_MODE
    ours graph       TrainOneStepCell in GRAPH_MODE: one CUDA graph
    ours sink        Model.train with dataset_sink_mode on batches in host memory, GRAPH_MODE; copies are part of it

``--fake`` runs a few steps on the tests' fake device, which shows only that the program works.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
if "--fake" in sys.argv:
    from tests.support import fakecuda

    fakecuda.install()

import nets_torch
import numpy as np
import torch

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Tensor, nn
from mindspore_compat._api import alias

alias.install()
import nets_mindspore  # noqa: E402  (says `import mindspore`)

NETS = ["mlp", "lenet", "resnet20", "encoder"]


def batch_of(net: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    random_state = np.random.RandomState(0)
    shape = {"mlp": (32,), "lenet": (1, 32, 32), "resnet20": (3, 32, 32)}.get(net)
    labels = random_state.randint(0, 10, size)
    if shape is None:
        return random_state.randint(0, 1000, (size, 64)).astype(np.int32), labels.astype(np.int32)
    return random_state.randn(size, *shape).astype(np.float32), labels.astype(np.int32)


def torch_step(name: str, size: int, compiled: bool) -> Callable[[int], None]:
    net: Any = nets_torch.NETS[name]().cuda()
    optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9, fused=True)
    loss_fn = torch.nn.CrossEntropyLoss()
    x, y = (torch.from_numpy(item).cuda() for item in batch_of(name, size))
    y = y.to(torch.int64)
    called = torch.compile(net, mode="reduce-overhead") if compiled else net

    def run(steps: int) -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            loss_fn(called(x), y).backward()
            optimizer.step()

    return run


def our_parts(name: str) -> tuple[Any, Any, Any]:
    net = nets_mindspore.NETS[name]()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9)


def our_step(name: str, size: int, mode: int) -> Callable[[int], None]:
    net, loss, optimizer = our_parts(name)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    x, y = (Tensor(item) for item in batch_of(name, size))

    def run(steps: int) -> None:
        ms.set_context(mode=mode)
        for _ in range(steps):
            step(x, y)

    return run


class Repeated:
    """The same batch ``steps`` times."""

    def __init__(self, item: tuple[np.ndarray, ...], steps: int) -> None:
        self.item, self.steps = item, steps

    def __len__(self) -> int:
        return self.steps

    def __getitem__(self, place: int) -> tuple[np.ndarray, ...]:
        return self.item


def our_sink(name: str, size: int, steps: int) -> Callable[[int], None]:
    net, loss, optimizer = our_parts(name)
    model = ms.Model(net, loss, optimizer)
    item = batch_of(name, size)

    def run(count: int) -> None:
        ms.set_context(mode=ms.GRAPH_MODE)
        data = ds.GeneratorDataset(Repeated(item, count), ["x", "y"], shuffle=False, python_multiprocessing=False)
        model.train(1, data, dataset_sink_mode=True)

    return run


def contestants(name: str, args: argparse.Namespace) -> dict[str, Callable[[int], None]]:
    found = {"torch": torch_step(name, args.batch, False)}
    if not args.fake:
        found["torch.compile"] = torch_step(name, args.batch, True)
    found["ours"] = our_step(name, args.batch, ms.PYNATIVE_MODE)
    found["ours graph"] = our_step(name, args.batch, ms.GRAPH_MODE)
    found["ours sink"] = our_sink(name, args.batch, args.steps)
    return found


def timed(run: Callable[[int], None], steps: int) -> float:
    """Milliseconds of a step."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    run(steps)
    torch.cuda.synchronize()
    return 1000 * (time.perf_counter() - start) / steps


def peak_of(run: Callable[[int], None]) -> float:
    """MiB above what lies there before."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    run(2)
    torch.cuda.synchronize()
    return (torch.cuda.max_memory_allocated() - before) / 2**20


def steps_of(name: str, args: argparse.Namespace) -> None:
    runners = contestants(name, args)
    for run in runners.values():  # recordings, captures, compilations
        run(12)
    times: dict[str, list[float]] = {key: [] for key in runners}
    for _ in range(args.rounds):
        for key in random.sample(list(runners), len(runners)):
            times[key].append(timed(runners[key], args.steps))
    print(f"\n{name}, batch {args.batch}\n{'':16}{'ms a step':>10}{'/ torch':>9}{'peak MiB':>10}")
    for key, values in times.items():
        ratio = statistics.median(a / b for a, b in zip(values, times["torch"]))
        print(f"{key:16}{statistics.median(values):10.3f}{ratio:9.2f}{peak_of(runners[key]):10.1f}")


def stall(mib: int, rounds: int) -> None:
    """How long a training step is held up by an asynchronous save of a state on the GPU."""
    state = {f"w{number}": ms.Parameter(Tensor(np.ones((1 << 18,), np.float32)), f"w{number}") for number in range(mib)}
    listed = [{"name": name, "data": value} for name, value in state.items()]
    size = sum(value.numel() * value.element_size() for value in state.values())
    pinned = torch.empty(size, dtype=torch.uint8, pin_memory=True)
    source = torch.empty(size, dtype=torch.uint8, device="cuda")
    ours, copies = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds + 1):
            torch.cuda.synchronize()
            start = time.perf_counter()
            ms.save_checkpoint(listed, f"{folder}/{number % 2}.ckpt", async_save="process")
            ours.append(1000 * (time.perf_counter() - start))
            start = time.perf_counter()
            pinned.copy_(source, non_blocking=True)
            torch.cuda.synchronize()
            copies.append(1000 * (time.perf_counter() - start))
            while ms.async_ckpt_thread_status():
                time.sleep(0.01)
    print(
        f"\nasynchronous save of {size >> 20} MiB: held up {statistics.median(ours[1:]):.1f} ms "
        f"(first {ours[0]:.1f}); a copy to pinned memory {statistics.median(copies[1:]):.1f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--nets", nargs="+", choices=NETS, default=NETS)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--fake", action="store_true")
    args = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("This benchmark needs a CUDA device; torch sees none.")
    ms.set_context(device_target="GPU")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, CUDA {torch.version.cuda}")
    for name in args.nets:
        steps_of(name, args)
    stall(args.mib, min(args.rounds, 5))


if __name__ == "__main__":
    main()
