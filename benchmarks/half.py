"""16-bit floats on a CPU: operators and whole steps over their time in float32.

    python benchmarks/half.py [--only operators steps] [--rounds 5] [--threads 1]

Operators: forward with backward, as torch has them and through float32, which mindspore_compat/_numerics/kernels.py
chooses between. Steps: networks under `to_float`, O2 and O3 against float32, in alternating rounds. With
ONEDNN_MAX_CPU_ISA=AVX512_CORE (or AVX2) in the environment it shows a CPU without 16-bit hardware.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as tf

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat._numerics import kernels
from mindspore_compat.amp import build_train_network

ms.install()  # for networks that import mindspore
from nets_mindspore import NETS, batch  # noqa: E402

HALVES = {"float16": torch.float16, "bfloat16": torch.bfloat16}


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(*shape) * 0.1


def recurrent(gates: int) -> list[torch.Tensor]:
    return [
        normal(8, 20, 64),
        normal(1, 8, 64),
        normal(gates * 64, 64),
        normal(gates * 64, 64),
        normal(gates * 64),
        normal(gates * 64),
    ]


def _lstm(x: Any, h: Any, *weights: Any) -> Any:
    return torch.lstm(x, (h, h), list(weights), True, 1, 0.0, True, False, True)[0]


def _gru(x: Any, h: Any, *weights: Any) -> Any:
    return torch.gru(x, h, list(weights), True, 1, 0.0, True, False, True)[0]


#: name: (operator, operands)
OPERATORS: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "mm 1024": (torch.mm, [normal(1024, 1024), normal(1024, 1024)]),
    "linear": (tf.linear, [normal(64, 512), normal(512, 512), normal(512)]),
    "bmm": (torch.bmm, [normal(16, 64, 64), normal(16, 64, 64)]),
    "mv": (torch.mv, [normal(512, 512), normal(512)]),
    "dot": (torch.dot, [normal(4096), normal(4096)]),
    "conv1d": (tf.conv1d, [normal(8, 32, 100), normal(32, 32, 3)]),
    "conv2d 3x3": (tf.conv2d, [normal(8, 16, 32, 32), normal(16, 16, 3, 3)]),
    "conv2d 1x1": (tf.conv2d, [normal(8, 64, 16, 16), normal(64, 64, 1, 1)]),
    "conv2d depthwise": (lambda x, w: tf.conv2d(x, w, groups=32), [normal(8, 32, 32, 32), normal(32, 1, 3, 3)]),
    "conv3d": (tf.conv3d, [normal(2, 8, 8, 16, 16), normal(8, 8, 3, 3, 3)]),
    "conv_transpose2d": (tf.conv_transpose2d, [normal(4, 16, 16, 16), normal(16, 16, 3, 3)]),
    "lstm": (_lstm, recurrent(4)),
    "gru": (_gru, recurrent(3)),
    "attention": (tf.scaled_dot_product_attention, [normal(4, 4, 64, 32)] * 3),
    "batch_norm": (
        lambda x, w, b: torch.batch_norm(x, w, b, None, None, True, 0.1, 1e-5, False),
        [normal(8, 16, 32, 32), normal(16), normal(16)],
    ),
    "layer_norm": (lambda x, w, b: tf.layer_norm(x, (256,), w, b), [normal(64, 16, 256), normal(256), normal(256)]),
    "group_norm": (lambda x, w, b: tf.group_norm(x, 4, w, b), [normal(8, 16, 32, 32), normal(16), normal(16)]),
    "softmax": (lambda x: torch.softmax(x, -1), [normal(64, 16, 64)]),
    "log_softmax": (lambda x: torch.log_softmax(x, -1), [normal(64, 1000)]),
    "logsumexp": (lambda x: torch.logsumexp(x, -1), [normal(64, 1000)]),
    "max_pool2d": (lambda x: tf.max_pool2d(x, 2), [normal(8, 16, 32, 32)]),
    "avg_pool2d": (lambda x: tf.avg_pool2d(x, 2), [normal(8, 16, 32, 32)]),
    "adaptive_avg_pool2d": (lambda x: tf.adaptive_avg_pool2d(x, (4, 4)), [normal(8, 16, 32, 32)]),
    "adaptive_avg_pool3d": (lambda x: tf.adaptive_avg_pool3d(x, 2), [normal(4, 8, 8, 16, 16)]),
    "avg_pool3d": (lambda x: tf.avg_pool3d(x, 2), [normal(4, 8, 8, 16, 16)]),
    "fold": (lambda x: tf.fold(x, (16, 16), 3, padding=1), [normal(4, 144, 256)]),
    "unfold": (lambda x: tf.unfold(x, 3), [normal(4, 16, 16, 16)]),
    "interpolate": (lambda x: tf.interpolate(x, scale_factor=2, mode="bilinear"), [normal(8, 16, 16, 16)]),
    "square": (torch.square, [normal(64, 16, 256)]),
    "tanh": (torch.tanh, [normal(64, 16, 256)]),
    "vector_norm": (lambda x: torch.linalg.vector_norm(x, dim=-1), [normal(64, 16, 256)]),
    "gelu": (tf.gelu, [normal(64, 16, 256)]),
    "relu": (torch.relu, [normal(64, 16, 256)]),
    "sigmoid": (torch.sigmoid, [normal(64, 16, 256)]),
    "exp": (torch.exp, [normal(64, 16, 256)]),
    "add": (torch.add, [normal(64, 16, 256)] * 2),
    "mul": (torch.mul, [normal(64, 16, 256)] * 2),
    "sum": (lambda x: x.sum(-1), [normal(64, 16, 256)]),
    "mean": (lambda x: x.mean((2, 3)), [normal(8, 16, 32, 32)]),
    "embedding": (lambda w: tf.embedding(torch.arange(512), w), [normal(1000, 64)]),
}


def least(run: Callable[[], Any], seconds: float = 0.15) -> float:
    """Milliseconds of the quickest of several calls."""
    run()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - start))
        if sum(times) > 3000:
            break
    return min(times)


def operators() -> None:
    print(
        f"{'forward and backward':<22}{'float32 ms':>11}"
        + "".join(f"{f'{name} torch':>17}{'cast':>6}" for name in HALVES)
    )
    for name, (operator, operands) in OPERATORS.items():

        def milliseconds(dtype: torch.dtype, casts: bool, operator: Any = operator, operands: Any = operands) -> float:
            given = [operand.to(dtype).requires_grad_(True) for operand in operands]

            def run() -> Any:
                result = operator(*[item.float() for item in given]).to(dtype) if casts else operator(*given)
                torch.autograd.grad(result, given, torch.ones_like(result))

            try:
                return least(run)
            except RuntimeError:  # no such kernel
                return float("nan")

        base = milliseconds(torch.float32, False)
        ratios = [milliseconds(dtype, casts) / base for dtype in HALVES.values() for casts in (False, True)]
        print(
            f"{name:<22}{base:>11.3f}{ratios[0]:>17.2f}{ratios[1]:>6.2f}{ratios[2]:>17.2f}{ratios[3]:>6.2f}", flush=True
        )


class WideMLP(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(784, 1024, activation="relu"), nn.Dense(1024, 1024, activation="relu"), nn.Dense(1024, 10)
        )

    def construct(self, x: Any) -> Any:
        return self.layers(x)


class Loss(nn.Cell):
    """The loss in float32."""

    def __init__(self, net: Any, loss: Any) -> None:
        super().__init__()
        self.net, self.loss = net, loss

    def construct(self, x: Any, y: Any) -> Any:
        return self.loss(self.net(x).astype(ms.float32), y)


def step_of(name: str, how: str) -> Callable[[], Any]:
    ms.set_seed(1)
    generator = np.random.default_rng(0)
    if name == "wide mlp":
        net: Any = WideMLP()
        x, y = generator.standard_normal((128, 784)).astype(np.float32), generator.integers(0, 10, 128).astype(np.int32)
    else:
        net = NETS[name]()
        x, y = batch(name)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    if how in ("O2", "O3"):
        step = build_train_network(net, optimizer, loss, level=how)
    else:
        step = nn.TrainOneStepCell(Loss(net if how == "float32" else net.to_float(getattr(ms, how)), loss), optimizer)
    step.set_train()
    inputs = ms.Tensor(x), ms.Tensor(y)
    return lambda: step(*inputs)


def steps(rounds: int) -> None:
    ways = ["float16", "bfloat16", "O2", "O3"]
    print(f"{'step':<10}{'float32 ms':>11}" + "".join(f"{way:>10}" for way in ways))
    for name in ("mlp", "wide mlp", "lenet", "resnet20", "encoder"):
        base, runs = step_of(name, "float32"), {way: step_of(name, way) for way in ways}
        times: dict[str, list[float]] = {way: [] for way in ("float32", *ways)}
        for _ in range(rounds):
            now = {"float32": base, **runs}
            for way in random.sample(list(now), len(now)):
                times[way].append(least(now[way], 0.3))
        ratios = [statistics.median(a / b for a, b in zip(times[way], times["float32"])) for way in ways]
        print(
            f"{name:<10}{statistics.median(times['float32']):>11.2f}" + "".join(f"{ratio:>10.2f}" for ratio in ratios),
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=["operators", "steps"], default=["operators", "steps"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    print(
        f"torch {torch.__version__}, {args.threads} threads; float16 goes through float32 in {len(kernels.KERNELS)} "
        "operators; ratios to float32"
    )
    if "operators" in args.only:
        operators()
    if "steps" in args.only:
        steps(args.rounds)


if __name__ == "__main__":
    main()
