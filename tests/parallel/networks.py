"""Networks, data and steps that programs of tests train in one process and in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.communication import get_group_size, get_rank

BATCH = 8


def _weight(*shape: int, seed: int = 0, scale: float = 0.3) -> Tensor:
    return Tensor((np.random.RandomState(seed).randn(*shape) * scale).astype(np.float32))


def dense(inputs: int, outputs: int, seed: int, has_bias: bool = True) -> nn.Dense:
    return nn.Dense(inputs, outputs, _weight(outputs, inputs, seed=seed), "zeros", has_bias)


class Mlp(nn.Cell):
    """Two products with strategies of their own; ``cut`` is the strategies of both."""

    def __init__(self, cut: Any = None) -> None:
        super().__init__()
        self.first = Parameter(_weight(8, 16, seed=1), name="first")
        self.second = Parameter(_weight(16, 4, seed=2), name="second")
        self.bias = Parameter(Tensor(np.zeros(16, np.float32)), name="bias")
        self.product, self.again, self.relu, self.add = ops.MatMul(), ops.MatMul(), ops.ReLU(), ops.Add()
        self.loss = nn.MSELoss()
        if cut:
            self.product.shard(cut[0])
            self.again.shard(cut[1])

    def outputs(self, x: Tensor) -> Tensor:
        return self.again(self.relu(self.add(self.product(x, self.first), self.bias)), self.second)

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        return self.loss(self.outputs(x), y)


class Block(nn.Cell):
    """A transformer block of two heads, cut over data (dp) and heads (mp)."""

    def __init__(self, dp: int, mp: int, rate: float) -> None:
        super().__init__()
        self.norm, self.norm2 = nn.LayerNorm((8,)), nn.LayerNorm((8,))
        self.query, self.key, self.value = dense(8, 8, 3), dense(8, 8, 4, has_bias=False), dense(8, 8, 5)
        self.out, self.wide, self.narrow = dense(8, 8, 6), dense(8, 16, 7), dense(16, 8, 8)
        self.scores, self.mix = ops.BatchMatMul(transpose_b=True), ops.BatchMatMul()
        self.softmax, self.transpose, self.add = ops.Softmax(), ops.Transpose(), ops.Add()
        self.gelu, self.dropout = nn.GELU(), nn.Dropout(p=rate) if rate else None
        if dp * mp > 1:
            self._shard(dp, mp)

    def _shard(self, dp: int, mp: int) -> None:
        for layer in (self.query, self.key, self.value, self.wide):
            layer.matmul.shard(((dp, 1), (mp, 1)))
            layer.bias_add.shard(((dp, mp), (mp,)))
        for layer in (self.out, self.narrow):
            layer.matmul.shard(((dp, mp), (1, mp)))
            layer.bias_add.shard(((dp, 1), (1,)))
        for operator in (self.scores, self.mix):
            operator.shard(((dp, mp, 1, 1), (dp, mp, 1, 1)))
        self.softmax.shard(((dp, mp, 1, 1),))
        self.add.shard(((dp, 1, 1), (dp, 1, 1)))
        self.norm.layer_norm.shard(((dp, 1, 1), (1,), (1,)))

    def _heads(self, x: Tensor) -> Tensor:
        return self.transpose(x.reshape(x.shape[0], x.shape[1], 2, 4), (0, 2, 1, 3))

    def construct(self, x: Tensor) -> Tensor:
        h = self.norm(x)
        query, key, value = self._heads(self.query(h)), self._heads(self.key(h)), self._heads(self.value(h))
        weights = self.softmax(self.scores(query, key) / 2.0)
        if self.dropout is not None:
            weights = self.dropout(weights)
        x = self.add(x, self.out(self.transpose(self.mix(weights, value), (0, 2, 1, 3)).reshape(x.shape)))
        return self.add(x, self.narrow(self.gelu(self.wide(self.norm2(x)))))


class LanguageModel(nn.Cell):
    """Embedding, block and cross entropy; the table is also the last layer's weight. ``by_rows``: how it is cut."""

    def __init__(self, dp: int = 1, mp: int = 1, rate: float = 0.0, by_rows: bool = True) -> None:
        super().__init__()
        self.block = Block(dp, mp, rate)
        self.table = Parameter(_weight(12, 8, seed=9), name="table")
        self.gather, self.head = ops.Gather(), ops.MatMul(transpose_b=True)
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        if dp * mp > 1:
            self.gather.shard(((dp * mp, 1), (1, 1)) if by_rows else ((1, mp), (dp, 1)))
            self.head.shard(((dp, 1), (mp, 1)))

    def construct(self, ids: Tensor, label: Tensor) -> Tensor:
        logits = self.head(self.block(self.gather(self.table, ids, 0)).reshape(-1, 8), self.table)
        return self.loss(logits, label.reshape(-1))


class ConvNet(nn.Cell):
    """Convolutions, batch normalization and pooling, for data parallel runs."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, weight_init=_weight(4, 3, 3, 3), has_bias=True, bias_init="zeros")
        self.conv2 = nn.Conv2d(4, 4, 3, weight_init=_weight(4, 4, 3, 3))
        self.norm, self.pool, self.flat, self.relu = nn.BatchNorm2d(4), nn.MaxPool2d(2, 2), nn.Flatten(), nn.ReLU()
        self.dense = dense(64, 5, 3)
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        return self.loss(self.dense(self.flat(self.pool(self.relu(self.norm(self.conv2(self.conv(x))))))), y)


def batches(kind: str, steps: int = 3) -> Iterator[list[np.ndarray]]:
    """Whole batches for a network of that kind."""
    random = np.random.RandomState(1)
    for _ in range(steps):
        if kind == "words":
            yield [random.randint(0, 12, (BATCH, 4)).astype(np.int32) for _ in range(2)]
        elif kind == "pictures":
            yield [random.randn(BATCH, 3, 8, 8).astype(np.float32), random.randint(0, 5, (BATCH,)).astype(np.int32)]
        else:
            yield [random.randn(BATCH, 8).astype(np.float32), random.randn(BATCH, 4).astype(np.float32)]


class Clipped(nn.TrainOneStepCell):
    """A step with the gradients' global norm clipped."""

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        found = self.grad_no_sens(self.network, self.weights)(*inputs)
        self.optimizer(ops.clip_by_global_norm(found, 0.1))
        return loss


def scaled(network: Any, optimizer: Any) -> Any:
    return nn.TrainOneStepWithLossScaleCell(network, optimizer, nn.DynamicLossScaleUpdateCell(1024.0, 2, 1000))


def functional(network: Any, optimizer: Any) -> Callable[..., Any]:
    """A step by `value_and_grad`, without a Cell around it."""
    gradient = ms.value_and_grad(lambda *inputs: network(*inputs), None, optimizer.parameters)

    def step(*inputs: Any) -> Any:
        loss, found = gradient(*inputs)
        optimizer(found)
        return loss

    return step


def momentum(parameters: Any) -> nn.Optimizer:
    return nn.Momentum(parameters, 0.1, 0.9)


def adam(parameters: Any) -> nn.Optimizer:
    return nn.Adam(parameters, 0.01)


def lamb(parameters: Any) -> nn.Optimizer:
    return nn.Lamb(parameters, 0.01)


def decayed(parameters: Any) -> nn.Optimizer:
    return nn.AdamWeightDecay(parameters, 0.01, weight_decay=0.1)


def trained(
    network: Any,
    kind: str = "numbers",
    optimizer: Callable[[Any], Any] = momentum,
    step: Callable[[Any, Any], Any] = nn.TrainOneStepCell,
    parts: bool = False,
) -> tuple[list[float], Any, Any]:
    """(the losses, the network, the optimizer); with ``parts`` each process brings its part of the batch."""
    network.set_train()
    made = optimizer(network.trainable_params())
    run, losses = step(network, made), []
    if isinstance(run, nn.Cell):
        run.set_train()
    torch.manual_seed(11)  # set_seed would have one process draw upstream's numbers
    size, rank = get_group_size(), get_rank()
    for batch in batches(kind):
        if parts:
            length = BATCH // size
            batch = [item[rank * length : (rank + 1) * length] for item in batch]
        result = run(*[Tensor(item) for item in batch])
        losses.append(float((result[0] if isinstance(result, tuple) else result).asnumpy()))
    return losses, network, made


def whole(parameter: Any) -> np.ndarray:
    """All of a Parameter."""
    return parameter.whole().numpy() if parameter.sliced else parameter.asnumpy()


def difference(found: tuple[list[float], Any, Any], expected: tuple[list[float], Any, Any]) -> float:
    """The largest one of losses and Parameters."""
    pairs = zip(found[1].get_parameters(), expected[1].get_parameters(), strict=True)
    largest = max(float(np.abs(whole(one) - other.asnumpy()).max()) for one, other in pairs)
    return max(largest, float(np.abs(np.array(found[0]) - expected[0]).max()))
