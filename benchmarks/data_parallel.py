"""Milliseconds of a data parallel training step on two gloo processes of this machine: ours beside torch's DDP.

    python benchmarks/data_parallel.py [--rounds 20] [--steps 20] [--nets mlp lenet resnet20 encoder wide]

Both are in the same two processes and take turns of ``--steps`` steps, in each round in another order. Given are the
median of the turns, and the median of the ratios of one round. "wide" is two layers of 2048 units: 33 MB of gradients.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NETS = ["mlp", "lenet", "resnet20", "encoder", "wide"]
MODES = ["pynative", "graph"]


def ours(net: str) -> Any:
    """A step of `TrainOneStepCell` under DATA_PARALLEL."""
    import nets_mindspore as nets

    import mindspore_compat as ms
    from mindspore_compat import nn

    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    network = nn.SequentialCell(nn.Dense(2048, 2048), nn.ReLU(), nn.Dense(2048, 2048)) if net == "wide" else None
    if network is None:
        network = nets.NETS[net]()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True)
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer).set_train()
    x, y = (ms.Tensor(item) for item in batch(net))
    return lambda: step(x, y).asnumpy()


def torchs(net: str) -> Any:
    """A step under DistributedDataParallel."""
    import nets_torch
    import torch

    wide = torch.nn.Sequential(torch.nn.Linear(2048, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 2048))
    network = torch.nn.parallel.DistributedDataParallel(wide if net == "wide" else nets_torch.NETS[net]())
    optimizer = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9)
    loss_fn = torch.nn.CrossEntropyLoss()
    x, y = (torch.from_numpy(item) for item in batch(net))
    y = y.long()

    def step() -> float:
        optimizer.zero_grad()
        loss = loss_fn(network(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def batch(net: str) -> Any:
    """(inputs, labels) in NumPy."""
    import nets_mindspore
    import numpy as np

    if net != "wide":
        return nets_mindspore.batch(net)
    return np.random.RandomState(0).randn(16, 2048).astype(np.float32), np.arange(16, dtype=np.int32)


def rank_main(net: str, mode: str, rounds: int, steps: int) -> None:
    """One of the two processes."""
    import mindspore_compat as ms
    from mindspore_compat._api import alias

    alias.install()
    import torch.distributed as dist

    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    ms.communication.init()
    contestants = {"torch": torchs(net), "ours": ours(net)}
    for step in contestants.values():
        for _ in range(10):
            step()
    order, rng = list(contestants), random.Random(0)  # the same on both
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        rng.shuffle(order)
        for name in order:
            dist.barrier()
            start = time.perf_counter()
            for _ in range(steps):
                contestants[name]()
            times[name].append(1000 * (time.perf_counter() - start) / steps)
    if ms.communication.get_rank() == 0:
        print(json.dumps(times))
    ms.communication.release()


def measured(net: str, mode: str, rounds: int, steps: int) -> dict[str, list[float]]:
    """Milliseconds of each turn."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    common = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)]),
        "OMP_NUM_THREADS": "1",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": "2",
    }
    command = [sys.executable, __file__, "--rank-of", net, mode, "--rounds", str(rounds), "--steps", str(steps)]
    ranks = [
        subprocess.Popen(
            command, env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)}, stdout=subprocess.PIPE, text=True
        )
        for rank in range(2)
    ]
    try:
        return json.loads(ranks[0].communicate(timeout=280)[0])
    finally:
        for rank in ranks:
            rank.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--nets", nargs="+", default=NETS, choices=NETS)
    parser.add_argument("--rank-of", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank_of:
        rank_main(*options.rank_of, options.rounds, options.steps)
        return
    print(f"{'net':<10}{'mode':<10}{'DDP ms':>10}{'ours ms':>10}{'ours/DDP':>10}")
    for net in options.nets:
        for mode in MODES:
            times = measured(net, mode, options.rounds, options.steps)
            ratio = statistics.median(mine / theirs for mine, theirs in zip(times["ours"], times["torch"]))
            middle = {name: statistics.median(values) for name, values in times.items()}
            print(f"{net:<10}{mode:<10}{middle['torch']:>10.2f}{middle['ours']:>10.2f}{ratio:>10.2f}", flush=True)


if __name__ == "__main__":
    main()
