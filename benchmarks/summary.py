"""Summaries: scalars against torch's SummaryWriter, histograms against real MindSpore, LeNet with SummaryCollector
against without.

    python benchmarks/summary.py [--rounds 9] [--starts 5] [--blocks 40] [--only scalars histograms train] [--threads 1
    2] [--oracle PYTHON]

Ours writes both files, MindSpore's and TensorBoard's. Contestants are processes that take turns, the others stopped
(SIGSTOP), so that a slow moment of the machine hits all alike; a turn's time is until the files are closed. Rates are
medians of the turns, ratios medians of the rounds' ratios. The training is Model.train of LeNet on batches of 32
pictures. One process is up to 10 % faster than the next one with the same work, so blocks of 40 steps (four samples) of
one and the same run are compared: in each round one with the collector and two without it, in any order; the second of
these shows the noise. A block ends when all that was recorded in it is written. What start and end cost is shared out
over an epoch of 1875 steps, 60,000 pictures. Processes are started anew several times (--starts).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
from pathlib import Path

from _oracle import oracle_python

HERE = Path(__file__).resolve().parent
CHILD = str(HERE / "_summary_child.py")
SCALARS, HISTOGRAMS = 3000, 120
START, TURN, EPOCH = 25, 40, 1875  # steps


class Contestant:
    """A child that works when it is its turn."""

    def __init__(self, python: str, *arguments: str) -> None:
        path = [str(HERE)] if python != sys.executable else [str(HERE), str(HERE.parent)]
        self.child = subprocess.Popen(
            [python, "-W", "ignore", CHILD, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "GLOG_v": "3"},
            start_new_session=True,
            stderr=None if os.environ.get("VERBOSE") else subprocess.DEVNULL,
        )
        self.answer()
        self.signal(signal.SIGSTOP)

    def signal(self, number: int) -> None:
        """To it and the processes that it started."""
        os.killpg(self.child.pid, number)

    def answer(self) -> float:
        assert self.child.stdout is not None
        for line in self.child.stdout:
            try:
                found = json.loads(line)
            except ValueError:
                continue
            return found if isinstance(found, float) else 0.0
        raise RuntimeError(f"{' '.join(map(str, self.child.args))} ended early; VERBOSE=1 shows why.")

    def turn(self, number: int) -> float:
        """Seconds for ``number`` of whatever it does."""
        assert self.child.stdin is not None
        self.signal(signal.SIGCONT)
        self.child.stdin.write(f"{number}\n")
        self.child.stdin.flush()
        taken = self.answer()
        self.signal(signal.SIGSTOP)
        return taken

    def end(self) -> None:
        self.signal(signal.SIGKILL)
        self.child.wait()


def race(contestants: dict[str, list[str]], number: int, rounds: int) -> dict[str, list[float]]:
    """Values a second of each, round by round."""
    found = {name: Contestant(*command) for name, command in contestants.items()}
    try:
        rates: dict[str, list[float]] = {name: [] for name in found}
        for _ in range(rounds):
            for name in random.sample(list(found), len(found)):
                rates[name].append(number / found[name].turn(number))
        return rates
    finally:
        for contestant in found.values():
            contestant.end()


def show(title: str, rates: dict[str, list[float]]) -> None:
    print(f"{title}: " + ", ".join(f"{name} {statistics.median(values):,.0f}/s" for name, values in rates.items()))
    for name in rates:
        if name != "ours":
            ratios = sorted(a / b for a, b in zip(rates["ours"], rates[name], strict=True))
            print(f"  ours / {name}: {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})", flush=True)


def training(starts: int, rounds: int, threads: int) -> None:
    """Seconds with a collector by seconds without."""
    costs, steps, noise, cpu, wholes = [], [], [], [], []
    for _ in range(starts):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", CHILD, "ours", "train", str(threads), str(rounds)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)])},
            check=True,
        )
        blocks, once = json.loads(done.stdout.splitlines()[-1])
        having = [block for block in blocks if block[0] == "with"]
        first, second = ([block for block in blocks if block[0] == "without"][i::2] for i in (0, 1))
        plain = statistics.median(seconds for _, seconds, _ in first + second)
        steps.append([2 * a[1] / (b[1] + c[1]) for a, b, c in zip(having, first, second, strict=True)])
        noise.append([c[1] / b[1] for b, c in zip(first, second, strict=True)])
        cpu += [(a[2] - (b[2] + c[2]) / 2) / TURN for a, b, c in zip(having, first, second, strict=True)]
        costs.append(once - START * plain / TURN)
        wholes.append(statistics.median(steps[-1]) + costs[-1] / (EPOCH * plain / TURN))
    print(
        f"LeNet, SummaryCollector at its defaults, {threads} thread(s), with / without:\n  steps {_spread(steps)}, "
        f"{1e6 * statistics.median(cpu):.0f} us more CPU a step; start and end {1000 * statistics.median(costs):.0f} "
        f"ms once\n  an epoch {statistics.median(wholes):.3f} ({min(wholes):.3f} to {max(wholes):.3f})\n  without / "
        f"without {_spread(noise)}; a step {1000 * plain / TURN:.2f} ms",
        flush=True,
    )


def _spread(ratios: list[list[float]]) -> str:
    """The median of all, and the least and greatest of the medians of each start."""
    medians = [statistics.median(each) for each in ratios]
    middle = statistics.median(ratio for each in ratios for ratio in each)
    return f"{middle:.3f} ({min(medians):.3f} to {max(medians):.3f} in {len(ratios)} starts)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--blocks", type=int, default=40, help="rounds in each of them")
    parser.add_argument("--starts", type=int, default=5, help="processes of the training")
    parser.add_argument("--only", nargs="+", default=["scalars", "histograms", "train"])
    parser.add_argument(
        "--threads", nargs="+", type=int, default=[1, os.cpu_count() or 1], help="of torch in the training"
    )
    parser.add_argument("--oracle", default=oracle_python())
    args = parser.parse_args()
    python = sys.executable
    if "scalars" in args.only:
        for each in (1, 10):
            runners = {
                name: [python, who, "scalars", str(each)]
                for name, who in (("ours", "ours"), ("SummaryWriter", "torch"))
            }
            show(f"scalars, {each} a step", race(runners, SCALARS, args.rounds))
    if "histograms" in args.only:
        for values in ("10000", "100000"):
            runners = {
                "ours": [python, "ours", "histograms", values],
                "SummaryWriter": [python, "torch", "histograms", values],
            }
            if args.oracle:
                runners["MindSpore"] = [args.oracle, "mindspore", "histograms", values]
            show(f"histograms of {values} values", race(runners, HISTOGRAMS, args.rounds))
    if "train" in args.only:
        for threads in args.threads:
            training(args.starts, args.blocks, threads)


if __name__ == "__main__":
    main()
