"""Inference beside torch's eager, the same network and weights, in turns of one process with one thread.

    python benchmarks/inference.py [--rounds 60]

Rows: an evaluation call of 12 small transformer blocks (4 tokens, width 64), and a greedy generation of 64 tokens by a
small LLaMA with a cache of fixed size (nets_llama.py). Given are milliseconds of the process's own time, the median
over rounds, and the median of each round's ratio to torch. The last line is the cost of calls that cannot be replayed.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import mindspore_compat

mindspore_compat.install()
import nets_llama  # noqa: E402
import nets_mindspore  # noqa: E402
import nets_torch  # noqa: E402

from mindspore_compat import Tensor, context, nn  # noqa: E402


def turns(runs: dict[str, Callable[[], Any]], rounds: int, count: int) -> dict[str, list[float]]:
    """Milliseconds of each run in each round, the contestants in another order in each."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name in random.sample(list(runs), len(runs)):
            start = time.process_time()
            for _ in range(count):
                runs[name]()
            times[name].append(1000 * (time.process_time() - start) / count)
    return times


def blocks() -> tuple[Any, Any]:
    ours = nn.SequentialCell(*[nets_mindspore.EncoderLayer(64, 4) for _ in range(12)])
    theirs = torch.nn.Sequential(*[nets_torch.EncoderLayer(64, 4) for _ in range(12)]).eval()
    for a, b in zip(ours.get_parameters(), theirs.parameters(), strict=True):
        a.set_data(Tensor(b.detach().numpy()))
    return ours.set_train(False), theirs


def llamas() -> tuple[Any, Any]:
    ours, theirs = nets_llama.Llama(), nets_llama.TorchLlama().eval()
    weights = {
        name.replace("embedding.weight", "embedding.embedding_table"): item for name, item in theirs.named_parameters()
    }
    for name, parameter in ours.parameters_and_names():
        if name in weights:
            parameter.set_data(Tensor(weights.pop(name).detach().numpy()))
    assert not weights
    return ours.set_train(False), theirs


def in_mode(mode: int, run: Callable[[], Any]) -> Callable[[], Any]:
    def called() -> Any:
        context.set_context(mode=mode)
        return run()

    return called


def report(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int, count: int) -> None:
    """Compare the results, then the times."""

    def eager() -> Any:
        with torch.no_grad():
            return theirs()

    runs = {
        "torch": eager,
        "ours": in_mode(context.PYNATIVE_MODE, ours),
        "ours graph": in_mode(context.GRAPH_MODE, ours),
    }
    for run in runs.values():
        for _ in range(5):
            np.testing.assert_allclose(np.asarray(run()), np.asarray(eager()), 1e-4, 1e-5)
    times = turns(runs, rounds, count)
    print(f"{name:<12}" + "".join(f"{statistics.median(found):>12.3f}" for found in times.values()), end="")
    for which in ("ours", "ours graph"):
        print(f"{statistics.median(a / b for a, b in zip(times[which], times['torch'], strict=True)):>18.2f}", end="")
    print(flush=True)


def growing(rounds: int) -> float:
    """The ratio of the times in GRAPH_MODE with and without replays, where each call has a shape of its own."""
    context.set_context(mode=context.GRAPH_MODE)
    data = np.random.default_rng(0).standard_normal((1, 20 * rounds, 64)).astype(np.float32)
    nets = {}
    for word in ("on", "off"):
        os.environ["MINDSPORE_COMPAT_REPLAY"] = word  # read at a network's first call
        nets[word], _ = blocks()
        nets[word](Tensor(data[:, :1].copy()))
    ratios = []
    for start in range(0, 20 * rounds, 20):
        took = {}
        for word in random.sample(list(nets), 2):
            before = time.process_time()
            for length in range(start + 1, start + 21):
                nets[word](Tensor(data[:, :length].copy()))
            took[word] = time.process_time() - before
        ratios.append(took["on"] / took["off"])
    return statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(f"{'':<12}{'torch':>12}{'ours':>12}{'ours graph':>12}{'ours/torch':>18}{'ours graph/torch':>18}")

    ours, theirs = blocks()
    data = np.random.default_rng(0).standard_normal((1, 4, 64)).astype(np.float32)
    x, y = Tensor(data), torch.from_numpy(data)
    report("12 blocks", lambda: ours(x).asnumpy(), lambda: theirs(y).numpy(), rounds, 20)

    llama, torch_llama = llamas()
    prompt = np.arange(5, 21).astype(np.int32)
    report(
        "64 tokens",
        lambda: nets_llama.generate(llama, prompt, 64, Tensor),
        lambda: nets_llama.generate(torch_llama, prompt, 64, torch.from_numpy),
        max(3, rounds // 6),
        1,
    )
    print(f"an input that grows at each call, GRAPH_MODE / the same without replays: {growing(min(rounds, 8)):.2f}")


if __name__ == "__main__":
    main()
