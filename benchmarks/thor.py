"""THOR's costs: damped inverses against torch.linalg's routes, and a training step of ResNet-20 against SGD with
momentum.

    python benchmarks/thor.py [--rounds 15] [--threads 1]

On a CPU: 64 blocks of 128, and one whole factor of 2304. With a GPU also 1 to 3,500 blocks by the compiled kernel,
against cholesky_ex + cholesky_inverse. Contestants take turns in each round; the table has the least and the median
time, and the median over the rounds of the ratio to the best route of torch.linalg in the same round.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._runtime import extension
from mindspore_compat.nn.optim.thor_inverse import damped_inverse_

Contest = dict[str, Callable[[], object]]


def in_turns(contestants: Contest, rounds: int, synchronize: Callable[[], object]) -> dict[str, list[float]]:
    """Milliseconds of each contestant in each round."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds + 2):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            synchronize()
            if number > 1:
                times[name].append(1000 * (time.perf_counter() - start))
    return times


def report(title: str, times: dict[str, list[float]], ours: str) -> None:
    others = [values for name, values in times.items() if name != ours]
    best = [min(values) for values in zip(*others)]
    print(f"\n{title}\n{'':34}{'least ms':>10}{'median ms':>11}")
    for name, values in times.items():
        print(f"{name:34}{min(values):10.3f}{statistics.median(values):11.3f}")
    print(
        f"{ours} / best other: least {min(times[ours]) / min(map(min, others)):.2f}, "
        f"median of rounds {statistics.median(a / b for a, b in zip(times[ours], best)):.2f}"
    )


def spd(count: int, size: int, device: str = "cpu") -> torch.Tensor:
    values = torch.randn(count, size, 2 * size, device=device)
    return values @ values.mT / (2 * size)


def inversion(count: int, size: int, rounds: int, device: str = "cpu", everything: bool = True) -> None:
    """From separate factors to separate inverses, as the optimizer holds them."""
    factors = list(spd(count, size, device).unbind())
    inverses = [torch.eye(size, device=device)[None].clone() for _ in factors]
    ones, eye = [1.0] * count, torch.eye(size, device=device)

    def route(invert: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[], object]:
        return lambda: torch._foreach_copy_(inverses, list(invert(torch.stack(factors) + 0.1 * eye).split(1)))

    contestants: Contest = {
        "damped_inverse_": lambda: damped_inverse_(inverses, factors, ones, [0.1] * count, ones),
        "cholesky_ex + cholesky_inverse": route(
            lambda stack: torch.cholesky_inverse(torch.linalg.cholesky_ex(stack)[0])
        ),
    }
    if everything:
        contestants["inv_ex"] = route(lambda stack: torch.linalg.inv_ex(stack)[0])
        contestants["cholesky_ex + cholesky_solve"] = route(
            lambda stack: torch.cholesky_solve(eye.expand_as(stack), torch.linalg.cholesky_ex(stack)[0])
        )
    synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None
    report(f"{count} x {size}, float32, {device}", in_turns(contestants, rounds, synchronize), "damped_inverse_")


def step_overhead(rounds: int, frequency: int) -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    ms.install()
    from nets_mindspore import NETS, batch

    x, y = (Tensor(item) for item in batch("resnet20"))
    steps: dict[str, nn.Cell] = {}
    for name in ("momentum", "thor"):
        ms.set_seed(1)
        net = NETS["resnet20"]()
        rates, length = np.full(10000, 0.01, np.float32), len(x)
        optimizer = (
            nn.Momentum(net.trainable_params(), 0.01, 0.9)
            if name == "momentum"
            else nn.thor(
                net,
                Tensor(rates),
                Tensor(np.full(10000, 0.03, np.float32)),
                0.9,
                batch_size=length,
                frequency=frequency,
            )
        )
        steps[name] = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(True, "mean")), optimizer
        ).set_train()
    thor = steps["thor"]
    contestants: Contest = {
        "thor, second order": lambda: thor.add_flags_recursive(thor=True)(x, y),
        "thor, first order": lambda: thor.add_flags_recursive(thor=False)(x, y),
        "momentum": lambda: steps["momentum"](x, y),
    }
    times = in_turns(contestants, rounds, lambda: None)
    print(f"\nResNet-20, batch {len(x)}: a step\n{'':34}{'least ms':>10}{'median ms':>11}{'to momentum':>13}")
    ratios = {}
    for name, values in times.items():
        ratios[name] = statistics.median(a / b for a, b in zip(values, times["momentum"]))
        print(f"{name:34}{min(values):10.3f}{statistics.median(values):11.3f}{ratios[name]:13.2f}")
    mean = (ratios["thor, second order"] + (frequency - 1) * ratios["thor, first order"]) / frequency
    print(f"at frequency {frequency}: {mean:.3f} times a momentum step")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--frequency", type=int, default=100)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    print(
        f"torch {torch.__version__}, {options.threads} threads, {options.rounds} rounds; CUDA kernels: "
        f"{extension.describe()}"
    )
    inversion(64, 128, options.rounds)
    inversion(1, 2304, max(3, options.rounds // 3))
    step_overhead(options.rounds, options.frequency)
    if torch.cuda.is_available():
        print(f"\n{torch.cuda.get_device_name()}")
        for count in (1, 16, 132, 512, 3500):
            inversion(count, 128, 4 * options.rounds, "cuda", everything=False)
    else:
        print("\nThe kernel on a GPU: not measured, there is none here.")


if __name__ == "__main__":
    main()
