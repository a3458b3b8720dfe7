"""Milliseconds of a training step, side by side in one run: ours, a hand-written torch loop, real MindSpore (graph and PyNative).

    python benchmarks/train_step.py [--seconds 3] [--rounds 3] [--nets mlp lenet resnet20 encoder] [--oracle PYTHON] [--device cuda]

Each number is the smallest median over the rounds, which alternate between the contestants, so that a busy moment of the machine hits
all alike. Real MindSpore runs with ONEDNN_MAX_CPU_ISA=AVX2: without it its 3x3 convolutions are some 70 times slower on AVX-512 machines.
"""
from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NETS = ["mlp", "lenet", "resnet20", "encoder"]


def oracle_python() -> str | None:
    """The interpreter of a venv with real MindSpore, if there is one."""
    for path in (os.environ.get("MINDSPORE_ORACLE_PYTHON"), str(HERE.parent / ".venv-oracle/bin/python"), "/opt/oracle/venv/bin/python"):
        if path and os.path.exists(path):
            return path
    return None


def measure(command: list[str], real: bool = False) -> float:
    """The median of one child run, NaN if it failed."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *([] if real else [str(HERE.parent)])]), "GLOG_v": "3"}
    if real:
        env.update(ONEDNN_MAX_CPU_ISA="AVX2", DNNL_MAX_CPU_ISA="AVX2")
    done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=HERE)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        print(f"failed: {' '.join(command)}\n{done.stderr[-800:]}", file=sys.stderr)
        return float("nan")
    return json.loads(lines[-1])["ms"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", default="3")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nets", nargs="+", default=NETS, choices=NETS)
    parser.add_argument("--oracle", default=oracle_python())
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    args = parser.parse_args()

    target = "GPU" if args.device == "cuda" else "CPU"
    ours = [sys.executable, "-m", "mindspore_compat", str(HERE / "_step_mindspore.py")]
    contestants = {"torch": lambda net: measure([sys.executable, str(HERE / "_step_torch.py"), net, args.seconds, args.device]),
                   "ours": lambda net: measure([*ours, net, "pynative", args.seconds, target])}
    if args.oracle and args.device == "cpu":
        real = [args.oracle, "-W", "ignore", str(HERE / "_step_mindspore.py")]
        contestants["MindSpore graph"] = lambda net: measure([*real, net, "graph", args.seconds], True)
        contestants["MindSpore PyNative"] = lambda net: measure([*real, net, "pynative", args.seconds], True)
    import torch
    device = torch.cuda.get_device_name() if args.device == "cuda" else platform.processor() or platform.machine()
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {device}; ms per step\n")
    print(f"{'net':<10}" + "".join(f"{name:>20}" for name in contestants) + f"{'ours / torch':>14}{'MindSpore / ours':>18}")
    for net in args.nets:
        best: dict[str, float] = {}
        for _ in range(args.rounds):
            for name, run in contestants.items():
                best[name] = min(best.get(name, float("inf")), run(net))
        real_best = min((value for name, value in best.items() if name.startswith("MindSpore")), default=float("nan"))
        print(f"{net:<10}" + "".join(f"{best[name]:>20.3f}" for name in contestants)
              + f"{best['ours'] / best['torch']:>14.2f}{real_best / best['ours']:>18.2f}", flush=True)


if __name__ == "__main__":
    main()
