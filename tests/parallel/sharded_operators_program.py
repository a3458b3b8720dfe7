"""Operators on Tensors that lie in many ways over the processes, against the same on one device: values and gradients.
Prints for each operator how many ways were tried and the largest difference.
"""

from __future__ import annotations

import itertools
import random
import sys
from typing import Any

import numpy as np
import torch
from torch.distributed.tensor import Replicate, Shard

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.communication import get_group_size, init, release
from mindspore_compat.parallel._sharding._region import region

init()
SIZE, WAYS = get_group_size(), int(sys.argv[1])
NUMBERS = np.random.RandomState(0)
IDS = Tensor(np.array([[1, 3, 0, 2], [2, 2, 7, 5]] * 2, np.int32))
LABELS = Tensor(np.array([1, 3, 0, 2], np.int32))
MASK = Tensor(np.arange(32).reshape(4, 8) % 3 == 0)

#: name: (function, shapes of its inputs)
CASES: dict[str, Any] = {
    "matmul": (ops.matmul, [(4, 8), (8, 4)]),
    "matmul_batched": (ops.matmul, [(4, 4, 8), (4, 8, 4)]),
    "matmul_mixed": (ops.matmul, [(4, 4, 8), (8, 4)]),
    "einsum": (lambda a, b: ops.einsum("bij,bkj->bik", a, b), [(4, 4, 8), (4, 4, 8)]),
    "add_broadcast": (ops.add, [(4, 8), (8,)]),
    "mul_inner": (lambda a, b: a * b[:, None], [(4, 8), (4,)]),
    "divide": (lambda a, b: a / (ops.abs(b) + 1), [(4, 8), (4, 8)]),
    "pow_exp_log": (lambda a: ops.log(ops.exp(a) + 1) ** 2, [(4, 8)]),
    "activations": (lambda a: ops.gelu(a) + ops.tanh(a) + ops.sigmoid(a) + ops.relu(a) + ops.silu(a), [(4, 8)]),
    "where": (lambda a, b: ops.where(a > b, a, b * 2), [(4, 8), (4, 8)]),
    "maximum_clip": (lambda a, b: ops.clamp(ops.maximum(a, b), -0.5, 0.5), [(4, 8), (4, 8)]),
    "masked_fill": (lambda a: ops.masked_fill(a, MASK, 0.5), [(4, 8)]),
    "softmax": (lambda a: ops.softmax(a, -1), [(4, 8)]),
    "softmax_first": (lambda a: ops.softmax(a, 0), [(4, 8)]),
    "log_softmax": (lambda a: ops.log_softmax(a, -1), [(4, 8)]),
    "logsumexp": (lambda a: ops.logsumexp(a, 1), [(4, 8)]),
    "layer_norm": (lambda x, g, b: ops.LayerNorm()(x, g, b)[0], [(4, 8), (8,), (8,)]),
    "layer_norm_3d": (lambda x, g, b: ops.LayerNorm(-1, -1)(x, g, b)[0], [(4, 4, 8), (8,), (8,)]),
    "cross_entropy": (lambda a: ops.cross_entropy(a, LABELS), [(4, 8)]),
    "nll_weighted": (lambda a: ops.nll_loss(ops.log_softmax(a, -1), LABELS, ops.ones(8), reduction="sum"), [(4, 8)]),
    "nll_ignored": (lambda a: ops.cross_entropy(a, LABELS, ignore_index=3), [(4, 8)]),
    "nll_each": (lambda a: ops.cross_entropy(a, LABELS, reduction="none"), [(4, 8)]),
    "softmax_ce": (lambda a, b: nn.SoftmaxCrossEntropyWithLogits()(a, ops.softmax(b, -1)), [(4, 8), (4, 8)]),
    "mse": (lambda a, b: nn.MSELoss()(a, b), [(4, 8), (4, 8)]),
    "bce": (lambda a, b: nn.BCELoss()(ops.sigmoid(a), ops.stop_gradient(ops.sigmoid(b))), [(4, 8), (4, 8)]),
    "embedding": (lambda t: nn.Embedding(8, 4, embedding_table=t)(IDS) * t.sum(), [(8, 4)]),
    "gather": (lambda t: ops.gather(t, IDS, 0), [(8, 4)]),
    "gather_1": (lambda t: ops.gather(t, LABELS, 1), [(8, 4)]),
    "gather_elements": (lambda a: ops.gather_elements(a, 1, IDS), [(4, 8)]),
    "one_hot": (lambda a: a @ ops.one_hot(LABELS, 8, Tensor(1.0), Tensor(0.0)).T, [(4, 8)]),
    "sums": (lambda a: a.sum(0) + a.mean(0) + a.max(0), [(4, 8)]),
    "sum_all": (lambda a: a.sum() * a.mean() + a.max(), [(4, 8)]),
    "keepdims": (lambda a: a - a.mean(-1, keep_dims=True), [(4, 8)]),
    "variance": (lambda a: a.var(1) + a.std(1), [(4, 8)]),
    "norm": (lambda a: ops.norm(a), [(4, 8)]),
    "prod": (lambda a: ops.prod(a, 1), [(4, 8)]),
    "cumsum": (lambda a: ops.cumsum(a, 1), [(4, 8)]),
    "topk_sort": (lambda a: ops.topk(a, 3)[0].sum() + ops.sort(a)[0][:, 1], [(4, 8)]),
    "reshape": (lambda a: a.reshape(4, 2, 4).transpose(0, 2, 1).reshape(8, 4), [(4, 8)]),
    "reshape_merge": (lambda a: a.reshape(-1, 8) * 2, [(4, 4, 8)]),
    "reshape_split": (lambda a: a.reshape(2, 2, 8, 2), [(4, 16)]),
    "flatten": (lambda a: ops.flatten(a) * 2, [(4, 4, 8)]),
    "transpose": (lambda a: ops.transpose(a, (2, 0, 1)), [(4, 4, 8)]),
    "expand_squeeze": (lambda a: ops.squeeze(ops.expand_dims(a, 1) * 2, 1), [(4, 8)]),
    "concat": (lambda a, b: ops.cat([a, b], 0), [(4, 8), (4, 8)]),
    "stack": (lambda a, b: ops.stack([a, b], 1), [(4, 8), (4, 8)]),
    "split": (lambda a: ops.split(a, 4, 1)[1] * 2, [(4, 8)]),
    "chunk_swish": (lambda a: ops.chunk(a, 2, -1)[0] * ops.sigmoid(ops.chunk(a, 2, -1)[1]), [(4, 8)]),
    "tile_broadcast": (lambda a: ops.tile(a, (2, 1)) + ops.broadcast_to(a[0], (8, 8)), [(4, 8)]),
    "slices": (lambda a: a[1:3, ::2] * a[:2, 1::2], [(4, 8)]),
    "index_none": (lambda a: a[None, :, 1], [(4, 8)]),
    "index_list": (lambda a: a[LABELS] * a[:, LABELS].sum(), [(4, 8)]),
    "pad_roll": (lambda a: ops.roll(ops.pad(a, (1, 1)), 1, 1), [(4, 8)]),
    "flip_tril": (lambda a: ops.tril(ops.flip(a, (1,))), [(8, 8)]),
    "attention": (
        lambda q, k, v: ops.softmax(q @ k.swapaxes(-1, -2), -1) @ v,
        [(4, 4, 4, 8), (4, 4, 4, 8), (4, 4, 4, 8)],
    ),
    "conv": (lambda x, w: ops.conv2d(x, w, pad_mode="same"), [(4, 4, 6, 6), (8, 4, 3, 3)]),
    "conv_groups": (lambda x, w: ops.conv2d(x, w, groups=2), [(4, 4, 6, 6), (4, 2, 3, 3)]),
    "pools": (lambda x: ops.max_pool2d(x, 2) + ops.avg_pool2d(x, 2, 2), [(4, 4, 8, 8)]),
    "batch_norm": (
        lambda x, g, b: ops.batch_norm(x, ops.zeros(4), ops.ones(4), g, b, training=True),
        [(4, 4, 6, 6), (4,), (4,)],
    ),
    "group_norm": (lambda x: nn.GroupNorm(2, 4)(x), [(4, 4, 6, 6)]),
    "dropout": (lambda x: ops.dropout(x, 0.4, True, seed=None), [(4, 8)]),
    "bias_dense": (lambda x, w, b: ops.dense(x, w, b), [(4, 4, 8), (8, 8), (8,)]),
    "half": (lambda a, b: ops.matmul(a.astype(ms.float16), b.astype(ms.float16)).astype(ms.float32), [(4, 8), (8, 4)]),
}


def value_and_gradients(fn: Any, values: list[Any], weights: Any) -> list[np.ndarray]:
    """Of the outputs' weighted sum, with the same random numbers every time."""
    torch.manual_seed(7)
    run = ms.value_and_grad(lambda *args: (fn(*args) * weights).sum(), tuple(range(len(values))))
    loss, found = run(*values)
    return [loss.asnumpy(), *[item.asnumpy() for item in found]]


def check(name: str, fn: Any, shapes: list[tuple[int, ...]]) -> None:
    values = [Tensor(NUMBERS.randn(*shape).astype(np.float32)) for shape in shapes]
    ms.reset_auto_parallel_context()
    torch.manual_seed(7)
    weights = Tensor(np.asarray(NUMBERS.randn(*fn(*values).shape), np.float32))
    expected = value_and_gradients(fn, values, weights)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    devices = region().devices
    options = [
        list(
            itertools.product(
                [Replicate(), *[Shard(axis) for axis, size in enumerate(shape) if size % SIZE == 0]],
                repeat=len(devices.sizes),
            )
        )
        for shape in shapes
    ]
    ways = list(itertools.product(*options))
    random.Random(name).shuffle(ways)
    largest = 0.0
    for way in ways[:WAYS]:

        def placed(*args: Any, way: Any = way) -> Any:
            return fn(*[region().place(arg, places) for arg, places in zip(args, way)])

        found = value_and_gradients(placed, values, weights)
        for one, other in zip(found, expected):
            largest = max(largest, float(np.abs(one - other).max() / max(1.0, np.abs(other).max())))
    print(name, len(ways[:WAYS]), f"{largest:.1e}", flush=True)


chosen = sys.argv[2:] or list(CASES)
for case in chosen:
    check(case, *CASES[case])
release()
