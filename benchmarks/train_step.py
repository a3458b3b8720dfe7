"""Milliseconds of a training step, side by side in one run: a hand-written torch loop, ours and real MindSpore
(PyNative and graph).

    python benchmarks/train_step.py [--rounds 30] [--turn 0.25] [--nets mlp lenet resnet20 encoder] [--oracle PYTHON]
    [--device cuda]

The contestants take turns of ``--turn`` seconds while the others are stopped (SIGSTOP); in each round they come in
another order. Given are the median over all rounds, and the median of the ratios of one round, "MS" being the better of
real MindSpore's two modes. "Model.train" is ours with LossMonitor, TimeMonitor and a ModelCheckpoint that saves in the
background every 100 steps. Real MindSpore runs with ONEDNN_MAX_CPU_ISA=AVX2: without it its 3x3 convolutions are some
70 times slower on AVX-512 machines.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import signal
import statistics
import subprocess
import sys
from pathlib import Path

from _oracle import oracle_python

HERE = Path(__file__).resolve().parent
NETS = ["mlp", "lenet", "resnet20", "encoder"]
STEP = str(HERE / "_step_mindspore.py")


class Contestant:
    """A child process that runs steps when it is its turn, and is stopped in between."""

    def __init__(self, command: list[str], real: bool = False) -> None:
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE), *([] if real else [str(HERE.parent)])]),
            "GLOG_v": "3",
        }
        if real:
            env.update(ONEDNN_MAX_CPU_ISA="AVX2", DNNL_MAX_CPU_ISA="AVX2")
        self.child = subprocess.Popen(
            command,
            env=env,
            cwd=HERE,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.read()
        self.stop()

    def read(self) -> list[float]:
        for line in self.child.stdout:
            if line.startswith(("[", '"ready"')):  # the callbacks print as well
                return json.loads(line)
        raise RuntimeError(f"{' '.join(self.child.args)} ended early; run it by hand and type a number to see why.")

    def stop(self) -> None:
        self.child.send_signal(signal.SIGSTOP)

    def run(self, steps: int) -> float:
        """The median of ``steps`` steps in milliseconds."""
        self.child.send_signal(signal.SIGCONT)
        self.child.stdin.write(f"{steps}\n")
        self.child.stdin.flush()
        times = self.read()
        self.stop()
        return statistics.median(times)

    def kill(self) -> None:
        self.child.kill()
        self.child.wait()


def contestants(net: str, oracle: str | None, device: str) -> dict[str, Contestant]:
    target = "GPU" if device == "cuda" else "CPU"
    ours = [sys.executable, "-m", "mindspore_compat", STEP, net]
    found = {
        "torch": Contestant([sys.executable, str(HERE / "_step_torch.py"), net, device]),
        "ours": Contestant([*ours, "pynative", target]),
        "ours graph": Contestant([*ours, "graph", target]),
        "Model.train": Contestant([*ours, "model", target]),
    }
    if oracle and device == "cpu":
        real = [oracle, "-W", "ignore", STEP, net]
        found["MS graph"] = Contestant([*real, "graph"], True)
        found["MS PyNative"] = Contestant([*real, "pynative"], True)
    return found


def measure(net: str, args: argparse.Namespace) -> dict[str, list[float]]:
    """Milliseconds of each contestant in each round."""
    runners = contestants(net, args.oracle, args.device)
    try:
        steps = {name: max(1, round(1000 * args.turn / runner.run(3))) for name, runner in runners.items()}
        times: dict[str, list[float]] = {name: [] for name in runners}
        for _ in range(args.rounds):
            for name in random.sample(list(runners), len(runners)):
                times[name].append(runners[name].run(steps[name]))
        return times
    finally:
        for runner in runners.values():
            runner.kill()


def ratio(times: dict[str, list[float]], above: str, below: str) -> float:
    if above not in times:
        return float("nan")
    return statistics.median(a / b for a, b in zip(times[above], times[below], strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--turn", type=float, default=0.25)
    parser.add_argument("--nets", nargs="+", default=NETS, choices=NETS)
    parser.add_argument("--oracle", default=oracle_python())
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    args = parser.parse_args()

    import torch

    device = torch.cuda.get_device_name() if args.device == "cuda" else platform.processor() or platform.machine()
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {device}; ms per step\n")
    names = ["torch", "ours", "ours graph", "Model.train", "MS graph", "MS PyNative"]
    print(
        f"{'net':<10}"
        + "".join(f"{name:>13}" for name in names)
        + f"{'ours/torch':>12}{'Model/torch':>13}{'MS/ours':>9}{'MS/graph':>10}"
    )
    for net in args.nets:
        times = measure(net, args)
        middle = {name: statistics.median(times.get(name, [float("nan")])) for name in names}
        better = min(("MS graph", "MS PyNative"), key=middle.__getitem__)
        ratios = f"{ratio(times, 'ours', 'torch'):>12.2f}{ratio(times, 'Model.train', 'torch'):>13.2f}"
        ratios += f"{ratio(times, better, 'ours'):>9.2f}"
        ratios += f"{ratio(times, better, 'ours graph'):>10.2f}"
        print(f"{net:<10}" + "".join(f"{middle[name]:>13.3f}" for name in names) + ratios, flush=True)


if __name__ == "__main__":
    main()
