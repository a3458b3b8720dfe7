"""The 60 layers and operators that model-zoo projects use most, against the plain torch call on the same 1-MB input,
forward (and backward).

    taskset -c 0 python benchmarks/layers.py [--rounds 15] [--only NAME ...]

Each row: the median over the rounds, which alternate between the two, in microseconds, and the median of the ratios of
one round.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.ops import operations as P

Case = tuple[Callable[..., Any], Callable[..., Any], tuple[torch.Tensor, ...]]


def cases() -> dict[str, Case]:
    """{name: (ours, torch's, inputs)}; the order is that of the census."""
    torch.manual_seed(0)
    x, y = torch.randn(512, 512), torch.randn(512, 512)
    image, kernel = torch.randn(16, 16, 32, 32), torch.randn(16, 16, 3, 3)
    text = torch.randint(0, 1000, (32, 64))
    mask, index = torch.rand(512, 512) > 0.5, torch.randint(0, 512, (512,))
    labels = torch.randint(0, 512, (512,))
    image3 = torch.randn(64, 64, 64)
    dense, linear = nn.Dense(512, 512), torch.nn.Linear(512, 512)
    conv, conv_torch = nn.Conv2d(16, 16, 3, pad_mode="same"), torch.nn.Conv2d(16, 16, 3, padding=1, bias=False)
    norm, norm_torch = nn.BatchNorm2d(16), torch.nn.BatchNorm2d(16)
    norm.set_train()
    layer_norm, layer_norm_torch = nn.LayerNorm((512,)), torch.nn.LayerNorm(512)
    embedding, embedding_torch = nn.Embedding(1000, 128), torch.nn.Embedding(1000, 128)
    lstm, lstm_torch = nn.LSTM(64, 64, batch_first=True), torch.nn.LSTM(64, 64, batch_first=True)
    entropy = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    drop = nn.Dropout(p=0.5)
    drop.set_train()
    transposed, transposed_torch = (
        nn.Conv2dTranspose(16, 16, 2, 2, pad_mode="valid"),
        torch.nn.ConvTranspose2d(16, 16, 2, 2, bias=False),
    )
    concat, stack, split = P.Concat(1), P.Stack(0), P.Split(1, 4)
    return {
        "nn.Dense": (dense, linear, (x,)),
        "nn.Conv2d": (conv, conv_torch, (image,)),
        "nn.BatchNorm2d": (norm, norm_torch, (image,)),
        "nn.ReLU": (nn.ReLU(), F.relu, (x,)),
        "P.ReduceSum": (P.ReduceSum(), lambda a: a.sum(1), (x,)),
        "P.ReduceMean": (P.ReduceMean(), lambda a: a.mean(1), (x,)),
        "P.Reshape": (P.Reshape(), lambda a: a.reshape(256, 1024), (x,)),
        "P.Cast": (P.Cast(), lambda a: a.to(torch.float16), (x,)),
        "P.Concat": (lambda a, b: concat((a, b)), lambda a, b: torch.cat((a, b), 1), (x, y)),
        "P.Transpose": (lambda a: P.Transpose()(a, (1, 0)), lambda a: a.permute(1, 0), (x,)),
        "P.MatMul": (P.MatMul(), torch.matmul, (x, y)),
        "P.BatchMatMul": (P.BatchMatMul(), torch.bmm, (image3, image3)),
        "P.Add": (P.Add(), torch.add, (x, y)),
        "P.Sub": (P.Sub(), torch.sub, (x, y)),
        "P.Mul": (P.Mul(), torch.mul, (x, y)),
        "P.RealDiv": (P.RealDiv(), torch.div, (x, y)),
        "P.Pow": (lambda a: P.Pow()(a, 2.0), lambda a: a.pow(2.0), (x,)),
        "P.Sqrt": (lambda a: P.Sqrt()(a), lambda a: a.sqrt(), (x.abs() + 1,)),
        "P.Square": (P.Square(), torch.square, (x,)),
        "P.Exp": (P.Exp(), torch.exp, (x,)),
        "P.Log": (P.Log(), torch.log, (x.abs() + 1,)),
        "P.Abs": (P.Abs(), torch.abs, (x,)),
        "P.Neg": (P.Neg(), torch.neg, (x,)),
        "P.Maximum": (P.Maximum(), torch.maximum, (x, y)),
        "P.Minimum": (P.Minimum(), torch.minimum, (x, y)),
        "P.Sigmoid": (P.Sigmoid(), torch.sigmoid, (x,)),
        "P.Tanh": (P.Tanh(), torch.tanh, (x,)),
        "P.Softmax": (P.Softmax(), lambda a: torch.softmax(a, -1), (x,)),
        "P.LogSoftmax": (P.LogSoftmax(), lambda a: torch.log_softmax(a, -1), (x,)),
        "nn.GELU": (nn.GELU(), lambda a: F.gelu(a, approximate="tanh"), (x,)),
        "nn.LeakyReLU": (nn.LeakyReLU(), lambda a: F.leaky_relu(a, 0.2), (x,)),
        "nn.SequentialCell": (
            nn.SequentialCell(nn.ReLU(), nn.Tanh()),
            torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()),
            (x,),
        ),
        "nn.MaxPool2d": (nn.MaxPool2d(2, 2), lambda a: F.max_pool2d(a, 2, 2), (image,)),
        "nn.AvgPool2d": (nn.AvgPool2d(2, 2), lambda a: F.avg_pool2d(a, 2, 2), (image,)),
        "nn.Flatten": (nn.Flatten(), lambda a: a.flatten(1), (image,)),
        "nn.Dropout": (drop, lambda a: F.dropout(a, 0.5), (x,)),
        "nn.LayerNorm": (layer_norm, layer_norm_torch, (x,)),
        "nn.Embedding": (embedding, embedding_torch, (text,)),
        "nn.LSTM": (lstm, lstm_torch, (torch.randn(32, 64, 64),)),
        "nn.Conv2dTranspose": (transposed, transposed_torch, (image,)),
        "nn.SoftmaxCrossEntropyWithLogits": (entropy, F.cross_entropy, (x, labels)),
        "nn.MSELoss": (nn.MSELoss(), F.mse_loss, (x, y)),
        "nn.L1Loss": (nn.L1Loss(), F.l1_loss, (x, y)),
        "P.ExpandDims": (lambda a: P.ExpandDims()(a, 0), lambda a: a.unsqueeze(0), (x,)),
        "P.Squeeze": (P.Squeeze(), lambda a: a.squeeze(), (x[None],)),
        "P.Gather": (lambda a, i: P.Gather()(a, i, 0), lambda a, i: torch.index_select(a, 0, i), (x, index)),
        "P.OneHot": (
            lambda i: P.OneHot()(i, 512, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32)),
            lambda i: F.one_hot(i, 512).float(),
            (labels,),
        ),
        "P.Tile": (lambda a: P.Tile()(a, (2, 1)), lambda a: a.tile(2, 1), (x,)),
        "P.Stack": (lambda a, b: stack((a, b)), lambda a, b: torch.stack((a, b)), (x, y)),
        "P.Split": (split, lambda a: torch.chunk(a, 4, 1), (x,)),
        "P.Select": (P.Select(), torch.where, (mask, x, y)),
        "P.Equal": (P.Equal(), torch.eq, (x, y)),
        "P.Greater": (P.Greater(), torch.gt, (x, y)),
        "P.LogicalAnd": (P.LogicalAnd(), torch.logical_and, (mask, mask)),
        "P.ArgMaxWithValue": (P.ArgMaxWithValue(1), lambda a: torch.max(a, 1), (x,)),
        "P.TopK": (lambda a: P.TopK()(a, 5), lambda a: torch.topk(a, 5), (x,)),
        "P.ZerosLike": (P.ZerosLike(), torch.zeros_like, (x,)),
        "P.StridedSlice": (
            lambda a: P.StridedSlice()(a, (0, 0), (256, 512), (1, 2)),
            lambda a: a[0:256:1, 0:512:2],
            (x,),
        ),
        "ops.clip_by_value": (lambda a: ops.clip_by_value(a, -1.0, 1.0), lambda a: a.clamp(-1.0, 1.0), (x,)),
        "Tensor indexing": (lambda a: a[:, ::2, None], lambda a: a[:, ::2, None], (x,)),
        "Conv2d functional": (
            P.Conv2D(16, 3, pad_mode="same"),
            lambda a, k: F.conv2d(a, k, padding=1),
            (image, kernel),
        ),
    }


#: ours wants the axis as an argument
_AXIS = {"P.ReduceSum": 1, "P.ReduceMean": 1, "P.Reshape": (256, 1024), "P.Cast": torch.float16}


def forward(call: Callable[..., Any], inputs: tuple[Any, ...]) -> Callable[[], Any]:
    return lambda: call(*inputs)


def both_ways(call: Callable[..., Any], inputs: tuple[Any, ...]) -> Callable[[], Any] | None:
    """Forward and gradients of the floating inputs; None where there are none."""
    leaves = tuple(item.detach().requires_grad_() if item.is_floating_point() else item for item in inputs)
    wanted = [item for item in leaves if item.requires_grad]
    first = call(*leaves) if wanted else None
    first = first[0] if isinstance(first, (tuple, list)) else first
    if first is None or not first.requires_grad:
        return None
    ones = torch.ones_like(first.detach())

    def run() -> Any:
        result = call(*leaves)
        return torch.autograd.grad(result[0] if isinstance(result, (tuple, list)) else result, wanted, ones)

    return run


def compare(ours: Callable[[], Any], plain: Callable[[], Any], rounds: int) -> tuple[float, float, float]:
    """Microseconds of ours and of torch's, and the ratio."""
    number = 1
    while True:
        start = time.perf_counter()
        for _ in range(number):
            plain()
        if time.perf_counter() - start > 0.004:
            break
        number *= 2
    times: dict[Any, list[float]] = {ours: [], plain: []}
    for turn in range(rounds):
        for call in (ours, plain) if turn % 2 else (plain, ours):
            call()
            start = time.perf_counter()
            for _ in range(number):
                call()
            times[call].append(1e6 * (time.perf_counter() - start) / number)
    ratios = [a / b for a, b in zip(times[ours], times[plain], strict=True)]
    return statistics.median(times[ours]), statistics.median(times[plain]), statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="+")
    args = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{'name':<34}{'ours':>9}{'torch':>9}{'ratio':>7}{'ours, backward':>17}{'torch':>9}{'ratio':>7}")
    for name, (ours, plain, inputs) in cases().items():
        if args.only and name not in args.only:
            continue
        if name in _AXIS:
            ours = (lambda call, extra: lambda a: call(a, extra))(ours, _AXIS[name])
        tensors = tuple(Tensor(item) for item in inputs)
        one, other, ratio = compare(forward(ours, tensors), forward(plain, inputs), args.rounds)
        line = f"{name:<34}{one:>9.1f}{other:>9.1f}{ratio:>7.2f}"
        back, back_plain = both_ways(ours, tensors), both_ways(plain, inputs)
        if back is not None and back_plain is not None:
            one, other, ratio = compare(back, back_plain, args.rounds)
            line += f"{one:>17.1f}{other:>9.1f}{ratio:>7.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
