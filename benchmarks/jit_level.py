"""Milliseconds of a training step in GRAPH_MODE at jit_level O0 (replayed operator by operator) and O1 (inductor), in
turns in one process.

OMP_NUM_THREADS=1 python benchmarks/jit_level.py [--rounds 15] [--turn 0.2] [--nets mlp lenet resnet20 encoder]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import mindspore_compat as ms  # noqa: E402
from mindspore_compat import nn  # noqa: E402
from mindspore_compat._api import alias  # noqa: E402

alias.install()
from nets_mindspore import NETS, batch  # noqa: E402


def step_at(name: str, level: str) -> Callable[[], Any]:
    ms.set_seed(1)
    net = NETS[name]()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")),
        nn.Momentum(net.trainable_params(), 0.01, 0.9),
    )
    step.set_train()
    x, y = (ms.Tensor(item) for item in batch(name))

    def run() -> Any:
        ms.set_context(mode=ms.GRAPH_MODE, jit_level=level)
        return step(x, y)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--turn", type=float, default=0.2)
    parser.add_argument("--nets", nargs="+", default=["mlp", "lenet", "resnet20", "encoder"])
    options = parser.parse_args()
    for name in options.nets:
        steps, first = {level: step_at(name, level) for level in ("O0", "O1")}, {}
        for level, step in steps.items():
            start = time.perf_counter()
            for _ in range(5):
                step()
            first[level] = time.perf_counter() - start
        times: dict[str, list[float]] = {"O0": [], "O1": []}
        for _ in range(options.rounds):
            for level, step in steps.items():
                start, count = time.perf_counter(), 0
                while time.perf_counter() - start < options.turn:
                    step()
                    count += 1
                times[level].append((time.perf_counter() - start) / count * 1000)
        ratio = statistics.median(b / a for a, b in zip(times["O0"], times["O1"]))
        print(
            f"{name:9} O0 {statistics.median(times['O0']):8.3f} ms, O1 {statistics.median(times['O1']):8.3f} ms, O1/O0 "
            f"{ratio:.2f}, first five steps {first['O0']:.1f} s and {first['O1']:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
