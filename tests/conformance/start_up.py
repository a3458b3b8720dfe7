"""Whole processes of short published scripts, here and on real MindSpore: seconds from start to end.

    python -m tests.conformance.start_up --mirror GIT_DIRECTORY --real ORACLE_PYTHON [--rounds 5]

The scripts are examples of MindSpore 2.6's docstrings, read from the tag of a git mirror of mindspore-ai/mindspore_test
into a temporary folder, each with a `set_context` for its mode. Both sides run in turns; the table has medians.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.conformance.examples import HEAD, statements
from tests.conformance.release_examples import docstrings

NAMES = """
    ops/function/grad/grad_func.py: grad | ops/function/grad/grad_func.py: value_and_grad | common/tensor.py: Tensor
    ops/function/grad/grad_func.py: vjp | ops/function/grad/grad_func.py: jvp | nn/layer/basic.py: Dense
    common/api.py: jit | common/seed.py: set_seed | nn/wrap/cell_wrapper.py: ForwardValueAndGrad | nn/layer/pooling.py: MaxPool2d
    nn/loss/loss.py: CTCLoss | nn/layer/container.py: CellDict | nn/layer/rnns.py: LSTM | nn/layer/transformer.py: Transformer
    nn/cell.py: register_forward_hook | ops/operations/nn_ops.py: ApplyMomentum | train/metrics/roc.py: ROC
    nn/probability/distribution/normal.py: Normal | dataset/engine/datasets_user_defined.py: GeneratorDataset
    dataset/transforms/transforms.py: Compose
"""


def seconds(command: list[str], place: str, path: str) -> tuple[float, float, str]:
    """Run a process; return its seconds by the clock and of processors, and where it stopped."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": f"{place}/pyc"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    now, after = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    stop = f" (stops: {done.stderr.strip().splitlines()[-1][:60]})" if done.returncode else ""
    return now - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, stop


def main() -> None:
    """Run the scripts and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--real", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    wanted = [name.strip() for line in NAMES.strip().splitlines() for name in line.split("|")]
    pages = dict(docstrings(args.mirror, "v2.6.0", "mindspore/python/mindspore"))
    repository = str(Path(__file__).resolve().parents[2])
    sides = (([sys.executable, "-m", "mindspore_compat"], repository), ([args.real], ""))
    print("| script | mode | here, s | MindSpore, s | here, CPU s | MindSpore, CPU s |\n|---|---|---|---|---|---|")
    sums = [0.0] * 4
    with tempfile.TemporaryDirectory() as place:
        for number, name in enumerate(wanted):
            mode = "GRAPH_MODE" if number % 2 else "PYNATIVE_MODE"
            show = "import builtins\nbuiltins._show = print\n"
            script = Path(place) / f"script{number}.py"
            script.write_text(f"{HEAD}{show}ms.set_context(mode=ms.{mode})\n{statements(pages[name])}")
            rounds = args.rounds + (number == 0)
            runs = [[seconds([*side, str(script)], place, path) for side, path in sides] for _ in range(rounds)]
            runs = runs[-args.rounds :]  # the first of all compiles the modules
            stops = [run[2] for run in runs[-1]]
            medians = [statistics.median(run[side][kind] for run in runs) for kind in (0, 1) for side in (0, 1)]
            sums = [total + median for total, median in zip(sums, medians)]
            cells = [
                f"{medians[0]:.2f}{stops[0]}",
                f"{medians[1]:.2f}{stops[1]}",
                *(f"{value:.2f}" for value in medians[2:]),
            ]
            print(f"| {name.partition(': ')[2]} | {mode[:-5].lower()} |", " | ".join(cells), "|", flush=True)
    print("| sum | |", " | ".join(f"{value:.1f}" for value in sums), "|")


if __name__ == "__main__":
    main()
