"""Steps of a physics-informed network of many small layers (_pinn_step.py), here and on real MindSpore, in turns.

python benchmarks/pinn.py [--rounds 3] [--steps 100]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from _oracle import oracle_python

SCRIPT = Path(__file__).with_name("_pinn_step.py")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    sides = {"here": [sys.executable, "-m", "mindspore_compat"]}
    real = oracle_python()
    if real:
        sides["MindSpore"] = [real]
    # MindSpore's CPU kernels are slower with the AVX-512 code that oneDNN chooses
    environments = {"here": {"PYTHONPATH": str(SCRIPT.parents[1])}, "MindSpore": {"ONEDNN_MAX_CPU_ISA": "AVX2"}}
    for level in ("O0", "O3"):
        found: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
        for _ in range(args.rounds):
            for side, command in sides.items():
                environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": "", **environments[side]}
                words = [*command, str(SCRIPT), "0", level, str(args.steps)]
                done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
                line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
                milliseconds, loss = map(float, line.split()[1:])
                found[side].append((milliseconds, loss))
        for side, runs in found.items():
            print(
                f"{level} {side}: {statistics.median(run[0] for run in runs):.2f} ms/step, loss {runs[-1][1]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
