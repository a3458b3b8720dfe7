"""Networks that the export tests write to files: one for each kind of thing that a graph may hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat import Tensor, nn, ops
from mindspore_compat.common import dtype as mstype
from tests.support.upstream import LeNet5

__all__ = ["CASES", "LeNet5", "Block", "Encoder", "Inplace", "Function"]


def _randn(*shape: int) -> np.ndarray:
    return np.random.RandomState(7).randn(*shape).astype(np.float32)


class Block(nn.Cell):
    """A residual block with batch norm, 'same' and padded convolutions, and a mean at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, 2)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 8, 3, pad_mode="pad", padding=1, group=8)
        self.bn2 = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(3, 2, pad_mode="same")
        self.down_sample = nn.SequentialCell([nn.Conv2d(8, 8, 1, has_bias=True), nn.AvgPool2d(2, 2)])
        self.fc = nn.Dense(8, 4)

    def construct(self, x: Any) -> Any:
        x = ops.relu(self.bn1(self.conv1(x)))
        x = ops.relu(self.pool(self.bn2(self.conv2(x))) + self.down_sample(x))
        return self.fc(x.mean((2, 3)))


class Encoder(nn.Cell):
    """Embedding, attention, layer norm."""

    def __init__(self, vocabulary: int = 20, dim: int = 16, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.embedding = nn.Embedding(vocabulary, dim)
        self.query, self.key, self.value = nn.Dense(dim, dim), nn.Dense(dim, dim), nn.Dense(dim, dim)
        self.norm, self.fc, self.gelu = nn.LayerNorm((dim,)), nn.Dense(dim, dim), nn.GELU()

    def construct(self, tokens: Any, mask: Any) -> Any:
        x = self.embedding(tokens)
        batch, length, dim = x.shape
        parts = [
            layer(x).reshape(batch, length, self.heads, -1).transpose(0, 2, 1, 3)
            for layer in (self.query, self.key, self.value)
        ]
        scores = ops.BatchMatMul(transpose_b=True)(parts[0], parts[1]) / (dim // self.heads) ** 0.5
        scores = scores + (1 - mask.astype(mstype.float32))[:, None, None] * -1e4
        mixed = ops.matmul(ops.softmax(scores, -1), parts[2]).transpose(0, 2, 1, 3).reshape(batch, length, dim)
        x = self.norm(x + mixed)
        return x + self.gelu(self.fc(x)), ops.argmax(x, -1)


class Slopes(nn.Cell):
    """Derivatives in `construct`, as networks for differential equations have them."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.slope = nn.Dense(3, 3), ops.GradOperation()

    def construct(self, x: Any) -> Any:
        functions = (
            ops.tanh,
            ops.sigmoid,
            ops.relu,
            ops.gelu,
            ops.elu,
            ops.softplus,
            nn.SiLU(),
            nn.LeakyReLU(),
            nn.HSwish(),
            lambda y: ops.softmax(y, -1) * y,
            lambda y: ops.log_softmax(y, -1) * y,
            lambda y: ops.sin(y) * ops.exp(y),
            lambda y: ops.amax(y, -1),
        )
        return tuple(self.slope(lambda y, f=f: f(self.fc(y)).sum())(x) for f in functions)


class Inplace(nn.Cell):
    """Assignments into views, which files only know as new tensors."""

    def construct(self, x: Any) -> Any:
        y = x * 2
        y[y > 4] = 0
        row = y[0]
        y[:, 0] = 3
        y[1, 1:3] = x[0, :2]
        y[:, ::2] = y[:, ::2] + 1
        return y, row


class Function(nn.Cell):
    """A function of Tensors as a Cell."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def construct(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def _arithmetic(x: Any) -> Any:
    return (
        x + 1,
        1 - x,
        2 / (x * x + 1),
        x // 0.7,
        x % 0.7,
        abs(x) ** 1.5,
        -x,
        x > 0.1,
        ops.logical_and(x > 0, x < 1),
        ops.clip_by_value(x, -0.5, 0.5),
    )


def _math(x: Any) -> Any:
    names = (
        "exp",
        "log",
        "sqrt",
        "rsqrt",
        "square",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "erf",
        "erfc",
        "floor",
        "ceil",
        "round",
        "sign",
        "reciprocal",
        "expm1",
        "log1p",
        "trunc",
        "isnan",
        "isfinite",
        "asinh",
        "atanh",
        "log2",
    )
    return tuple(getattr(ops, name)(x) for name in names)


def _matrices(x: Any) -> Any:
    return (
        ops.matmul(x, x.T),
        ops.matmul(x.T, x),
        ops.bmm(x[None], x.T[None]),
        ops.matmul(x, x[0]),
        ops.tril(x),
        ops.triu(x, 1),
        ops.einsum("ij,kj->ik", x, x),
        ops.L2Normalize(1)(x),
        ops.cdist(x, x[:2]),
        x @ ops.eye(4, 4, mstype.float32),
    )


def _mixed_types(x: Any, i: Any) -> Any:
    return (
        x * i,
        i / 2,
        i // 2,
        i + 1.5,
        i.astype(mstype.float32),
        (x > 0).astype(mstype.int32),
        i * 2 > 1,
        x.astype(mstype.float64),
    )


def _reductions(x: Any) -> Any:
    return (
        x.sum(),
        x.mean((2, 3)),
        x.mean(1, True),
        x.max(),
        ops.max(x, 1)[0],
        ops.min(x, 1, True)[1],
        ops.std(x),
        ops.argmax(x, 1),
        ops.cumsum(x, 1),
        (x > 0).any(),
        (x > 0).all(1),
        ops.logsumexp(x, 1),
        ops.norm(x),
        ops.ReduceProd()(x, 2),
    )


def _shapes(x: Any) -> Any:
    return (
        x.reshape(2, -1),
        x.transpose(0, 2, 3, 1),
        x.swapaxes(1, 2),
        ops.expand_dims(x, 0),
        x[:1].squeeze(),
        ops.tile(x, (2, 1, 1, 1)),
        ops.broadcast_to(x[:1], (3, 4, 8, 8)),
        ops.flip(x, (1,)),
        ops.roll(x, 2, 1),
        *ops.split(x, 2, 1),
        *ops.unstack(x, 1)[:2],
        ops.stack((x, x), 1),
        ops.concat((x, x), 2),
    )


def _indices(x: Any, i: Any) -> Any:
    return (
        x[0],
        x[:, ::2, 1:-1],
        x[..., -1],
        x[:, None],
        x[:, Tensor([0, 2])],
        x[1, Tensor([0, 1]), Tensor([2, 3])],
        ops.gather(x, i, 1),
        ops.gather_elements(x, 1, ops.ones((2, 4, 8, 8), mstype.int64)),
        ops.GatherNd()(x, Tensor([[0, 1], [1, 2]])),
        ops.one_hot(i, 4, Tensor(1.0), Tensor(0.0)),
        ops.select(x > 0, x, x * 2),
        ops.masked_fill(x, x > 0, 1.0),
        *ops.topk(x, 2, dim=1),
    )


def _activations(x: Any) -> Any:
    names = (
        "HSwish",
        "HSigmoid",
        "ELU",
        "LeakyReLU",
        "ReLU6",
        "Mish",
        "SiLU",
        "GELU",
        "SeLU",
        "LogSigmoid",
        "PReLU",
        "Tanh",
        "Sigmoid",
        "LogSoftmax",
    )
    return tuple(getattr(nn, name)()(x) for name in names) + (ops.gelu(x, "none"), ops.softmax(x, 1))


def _images(x: Any) -> Any:
    return (
        ops.interpolate(x, size=(16, 16), mode="nearest"),
        ops.interpolate(x, size=(12, 10), mode="bilinear", align_corners=True),
        ops.interpolate(x, size=(12, 10), mode="bilinear"),
        ops.pad(x, (1, 2, 0, 1), value=-3.0),
        ops.pad(x, (1, 1, 1, 1), mode="reflect"),
        nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)(x),
        nn.AvgPool2d(3, 2, pad_mode="same")(x),
        nn.AdaptiveAvgPool2d(3)(x),
        nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, ceil_mode=True, count_include_pad=False)(x),
    )


_IMAGE, _INDEX = _randn(2, 4, 8, 8), np.array([0, 1, 1], np.int32)
_LABELS = np.random.RandomState(8).randint(0, 8, 64).astype(np.int32)

#: {name: (Cell, arrays that go in)}; Cells are made when a test asks.
_MASK = Tensor([True, False, True])
_PLACES = Tensor(np.arange(9).reshape(3, 3) % 2 == 0)


def _masks(x: Any) -> Any:
    """Masks that are constants: the sizes of the results are known."""
    x = x * 2
    changed = x + 1
    changed[_MASK] = x[:2] * 3
    chosen = x[_MASK], x[:, _MASK.logical_not()], x[[True, True, False], 1], x[:, None][_MASK, :, _MASK]
    return *chosen, x[_PLACES], ops.masked_select(x[:1], _PLACES), changed


def _whole(x: Any, label: Any) -> Any:
    """Operators that MINDIR has as torch has them."""
    rows = x.reshape(-1, 8)
    return (
        ops.selu(x),
        ops.Softplus()(x),
        ops.softshrink(x, 0.3),
        ops.lerp(x, x + 1, 0.3),
        ops.cross(rows[:, :3], rows[:, 1:4], 1),
        ops.norm(x, dim=-1),
        ops.std(x, 1),
        ops.prod(rows[:2]),
        x**2 + x**3 + x**-1.0,
        ops.adaptive_avg_pool2d(x, (3, 2)),
        ops.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        ops.avg_pool2d(x, 2, 1, 1, divisor_override=3),
        nn.MaxPool1d(3, 2, pad_mode="same")(x[0]),
        ops.avg_pool2d(x[0], 3, 2, 1),
        nn.MaxPool2d(2, 2)(x[0]),
        ops.round(x, decimals=2),
        ops.nll_loss(ops.log_softmax(rows, 1), label),
        ops.multi_margin_loss(rows, label.astype(mstype.int64)),
        nn.MultilabelMarginLoss()(rows[:2], ops.stack([label[:8], label[8:16]]) - 1),
    )


CASES: dict[str, tuple[Any, tuple[np.ndarray, ...]]] = {
    "lenet": (LeNet5, (_randn(2, 1, 32, 32),)),
    "block": (Block, (_randn(2, 3, 16, 16),)),
    "encoder": (
        Encoder,
        (np.arange(10, dtype=np.int32).reshape(2, 5), np.array([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0]], np.int32)),
    ),
    "inplace": (Inplace, (_randn(3, 4),)),
    "arithmetic": (lambda: Function(_arithmetic), (_randn(3, 4),)),
    "math": (lambda: Function(_math), (np.linspace(0.05, 0.95, 12, dtype=np.float32).reshape(3, 4),)),
    "matrices": (lambda: Function(_matrices), (_randn(3, 4),)),
    "mixed_types": (lambda: Function(_mixed_types), (_randn(3), _INDEX)),
    "reductions": (lambda: Function(_reductions), (_IMAGE,)),
    "shapes": (lambda: Function(_shapes), (_IMAGE,)),
    "indices": (lambda: Function(_indices), (_IMAGE, _INDEX)),
    "masks": (lambda: Function(_masks), (_randn(3, 3),)),
    "activations": (lambda: Function(_activations), (_IMAGE,)),
    "whole": (lambda: Function(_whole), (_IMAGE, _LABELS)),
    "slopes": (Slopes, (_randn(4, 3),)),
    "images": (lambda: Function(_images), (_IMAGE,)),
    "transposed": (lambda: nn.Conv2dTranspose(4, 6, 4, 2, pad_mode="pad", padding=1, has_bias=True), (_IMAGE,)),
    "conv1d": (lambda: nn.Conv1d(4, 6, 3, has_bias=True), (_randn(2, 4, 9),)),
    "conv3d": (lambda: nn.Conv3d(2, 3, 3, has_bias=True), (_randn(1, 2, 4, 5, 6),)),
    "transposed3d": (
        lambda: nn.SequentialCell(
            nn.Conv3dTranspose(2, 4, 3, 2, "pad", 1, output_padding=1, has_bias=True),
            nn.Conv3dTranspose(4, 3, (1, 3, 3)),
        ),
        (_randn(1, 2, 3, 4, 5),),
    ),
    "group_norm": (lambda: nn.GroupNorm(2, 4), (_IMAGE,)),
    "lstm": (lambda: nn.LSTM(3, 5, 2, bidirectional=True), (_randn(4, 2, 3),)),
    "gru": (lambda: nn.GRU(3, 5, batch_first=True), (_randn(2, 4, 3),)),
}
