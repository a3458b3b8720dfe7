"""Networks and functions that real MindSpore exports to MINDIR (make_mindir.py): {name: (what makes a Cell, arrays)},
and expressions in ``a``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_R = np.random.RandomState(0)
IMAGE, MATRIX, SEQUENCE = [_R.randn(*shape).astype(np.float32) for shape in ((2, 4, 6, 6), (3, 4), (2, 5, 8))]
POSITIVE, VOLUME = (np.abs(MATRIX) + 0.1).astype(np.float32), _R.randn(2, 4, 3, 3, 3).astype(np.float32)
IDS, LABELS = np.array([[1, 2], [0, 3]], np.int32), np.array([0, 1, 3], np.int32)
TOKENS = np.arange(10, dtype=np.int32).reshape(2, 5)

ACTIVATIONS = (
    "ReLU ReLU6 Sigmoid Tanh GELU ELU LeakyReLU SiLU Mish HSwish HSigmoid LogSigmoid Softsign SeLU CELU HShrink "
    "SoftShrink Softmin LogSoftmax Softmax Hardtanh Tanhshrink FastGelu"
).split()

#: layers: an expression in ``nn``, arrays
LAYERS: dict[str, tuple[str, list[Any]]] = {
    **{f"act_{name}": (f"nn.{name}()", [MATRIX]) for name in ACTIVATIONS},
    "prelu": ("nn.PReLU(4)", [IMAGE]),
    "bn1d": ("nn.BatchNorm1d(4)", [MATRIX]),
    "bn2d": ("nn.BatchNorm2d(4)", [IMAGE]),
    "bn3d": ("nn.BatchNorm3d(4)", [VOLUME]),
    "gn": ("nn.GroupNorm(2, 4)", [IMAGE]),
    "ln": ("nn.LayerNorm((8,))", [SEQUENCE]),
    "maxpool1d": ("nn.MaxPool1d(2, 2)", [SEQUENCE]),
    "avgpool1d": ("nn.AvgPool1d(2, 2)", [SEQUENCE]),
    "avgpool_same": ("nn.AvgPool2d(3, 2, pad_mode='same')", [IMAGE]),
    "maxpool_same": ("nn.MaxPool2d(3, 2, pad_mode='same')", [IMAGE]),
    "maxpool_pad": ("nn.MaxPool2d(3, 2, pad_mode='pad', padding=1)", [IMAGE]),
    "adaptive_avg1d": ("nn.AdaptiveAvgPool1d(2)", [SEQUENCE]),
    "adaptive_max": ("nn.AdaptiveMaxPool2d(3)", [IMAGE]),
    "adaptive_avg": ("nn.AdaptiveAvgPool2d(1)", [IMAGE]),
    "conv1d": ("nn.Conv1d(5, 6, 3, has_bias=True)", [SEQUENCE]),
    "conv3d": ("nn.Conv3d(4, 3, 3, has_bias=True)", [VOLUME]),
    "conv_same": ("nn.Conv2d(4, 8, 3, stride=2, pad_mode='same', has_bias=True)", [IMAGE]),
    "conv_group": ("nn.Conv2d(4, 8, 3, group=2, dilation=2, pad_mode='pad', padding=2)", [IMAGE]),
    "conv_depth": ("nn.Conv2d(4, 4, 3, group=4)", [IMAGE]),
    "conv_valid": ("nn.Conv2d(4, 8, 3, pad_mode='valid')", [IMAGE]),
    "conv_t": ("nn.Conv2dTranspose(4, 6, 3, stride=2)", [IMAGE]),
    "conv_t_pad": ("nn.Conv2dTranspose(4, 6, 4, 2, pad_mode='pad', padding=1, has_bias=True)", [IMAGE]),
    "conv_t1d": ("nn.Conv1dTranspose(5, 6, 3)", [SEQUENCE]),
    "dense": ("nn.Dense(8, 3, activation='relu')", [SEQUENCE]),
    "dropout": ("nn.Dropout(p=0.3)", [MATRIX]),
    "flatten": ("nn.Flatten()", [IMAGE]),
    "embedding": ("nn.Embedding(5, 3)", [IDS]),
    "embedding_padding": ("nn.Embedding(5, 3, padding_idx=0)", [IDS]),
    "lstm": ("nn.LSTM(8, 3, batch_first=True)", [SEQUENCE]),
    "lstm_two_ways": ("nn.LSTM(8, 2, 2, bidirectional=True, batch_first=True)", [SEQUENCE]),
    "rnn": ("nn.RNN(8, 3)", [SEQUENCE]),
    "gru": ("nn.GRU(8, 3, batch_first=True)", [SEQUENCE[:, :3]]),
    "attention": ("nn.MultiheadAttention(8, 2, batch_first=True)", [SEQUENCE] * 3),
    "encoder_layer": (
        "nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True, activation='gelu')",
        [SEQUENCE],
    ),
    "encoder": ("nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 8, batch_first=True), 2)", [SEQUENCE]),
    "decoder_layer": ("nn.TransformerDecoderLayer(8, 2, 8, batch_first=True)", [SEQUENCE] * 2),
    "pixel_shuffle": ("nn.PixelShuffle(2)", [IMAGE]),
    "pad": ("nn.Pad(((0, 0), (0, 0), (1, 1), (2, 0)))", [IMAGE]),
    "pad_reflect": ("nn.ReflectionPad2d(1)", [IMAGE]),
    "pad_zero": ("nn.ZeroPad2d(1)", [IMAGE]),
    "pad_constant": ("nn.ConstantPad2d(1, 2.0)", [IMAGE]),
    "upsample": ("nn.Upsample(scale_factor=2.0, mode='nearest', recompute_scale_factor=True)", [IMAGE]),
    "upsample_bilinear": ("nn.Upsample(size=(9, 9), mode='bilinear')", [IMAGE]),
    "mlp": (
        "nn.SequentialCell(nn.Dense(8, 8), nn.LayerNorm((8,)), nn.ReLU(), nn.Dropout(p=0.1), nn.Dense(8, 3))",
        [SEQUENCE],
    ),
    "loss_l1": ("nn.L1Loss()", [MATRIX, POSITIVE]),
    "loss_mse": ("nn.MSELoss()", [MATRIX, POSITIVE]),
    "loss_smooth": ("nn.SmoothL1Loss()", [MATRIX, POSITIVE]),
    "loss_ce": ("nn.CrossEntropyLoss()", [MATRIX, LABELS]),
    "loss_bce": ("nn.BCELoss(reduction='mean')", [np.clip(POSITIVE, 0.1, 0.9), (MATRIX > 0).astype(np.float32)]),
    "loss_softmax": ("nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')", [MATRIX, LABELS]),
    "loss_logits": ("nn.BCEWithLogitsLoss()", [MATRIX, (MATRIX > 0).astype(np.float32)]),
    "lenet": ("LeNet()", [_R.randn(2, 1, 16, 16).astype(np.float32)]),
    "residual": ("Residual()", [IMAGE]),
    "language": ("Language()", [TOKENS]),
    "branch_then": ("Branch()", [np.abs(SEQUENCE)]),
    "branch_else": ("Branch()", [-np.abs(SEQUENCE)]),
    "inplace": ("Inplace()", [MATRIX]),
    "counter": ("Counter()", [MATRIX]),
    "maxpool3d": ("nn.MaxPool3d(2, 1)", [VOLUME]),
    "loss_nll": ("nn.NLLLoss()", [MATRIX, LABELS]),
    "loop": ("Loop()", [MATRIX, np.array(3, np.int32)]),
    "nested": ("Nested()", [MATRIX, IDS]),
}

NETS = """
class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 4, 3, pad_mode="valid"), nn.Conv2d(4, 6, 3, pad_mode="valid")
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1, self.fc2 = nn.Dense(24, 12), nn.Dense(12, 5)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc2(self.relu(self.fc1(x)))


class Residual(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4)
        self.conv2, self.bn2 = nn.Conv2d(4, 8, 3, 2), nn.BatchNorm2d(8)
        self.down = nn.SequentialCell([nn.Conv2d(4, 8, 1, 2), nn.BatchNorm2d(8)])
        self.relu, self.pool, self.fc = nn.ReLU(), nn.MaxPool2d(3, 2, pad_mode="same"), nn.Dense(8, 3)

    def construct(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)) + self.down(x))
        return self.fc(self.pool(x).mean((2, 3)))


class Language(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding, self.norm = nn.Embedding(12, 8), nn.LayerNorm((8,))
        self.layer = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
        self.head = nn.Dense(8, 12)

    def construct(self, ids):
        x = self.norm(self.layer(self.embedding(ids)))
        return self.head(x), x.mean(1)


class Branch(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(8, 2), nn.Dense(8, 2)

    def construct(self, x):
        if x.sum() > 0:
            y = self.a(x)
        else:
            y = self.b(x) * 2
        return y


class Loop(nn.Cell):
    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        while i < n:
            x = x * 2 + 1
            i = i + 1
        return x


class Inplace(nn.Cell):
    def construct(self, x):
        y = x * 2
        y[1, 1:3] = x[0, :2]
        y[:, 0] = 3
        y[y > 4] = 0
        return y


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count, self.add = ms.Parameter(Tensor(1.0), name="count", requires_grad=False), ops.AssignAdd()

    def construct(self, x):
        before = x * self.count
        self.add(self.count, Tensor(2.0))
        return before, x * self.count


class Nested(nn.Cell):
    def construct(self, x, ids):
        return x, (x + 1, (ids, x * 2)), ids + 1
"""

#: {name: an expression in ``a``, a matrix (3, 4), or in the arrays of `ARRAYS`}
FUNCTIONS: dict[str, str] = {}
ARRAYS = {
    "conv2d": [IMAGE, _R.randn(3, 4, 2, 2).astype(np.float32)],
    "grid": [IMAGE, _R.randn(2, 3, 3, 2).astype(np.float32)],
    **{name: [IMAGE] for name in ("interpolate", "nearest", "avg_pool", "max_pool")},
    "ints": [np.array([1, 2, 3], np.int32)],
}
_ = """
a + 1 | 2 + a | a - 1 | 1 - a | a * 3 | a / 2 | 2 / a | a.abs() ** 2.5 | 2.0 ** a | a % 2 | a // 2 | -a | a @ a.T | a > 0 | a >= 0.5 | a < 0 | a <= 0
a == 0 | a != 0 | (a > 0) & (a < 1) | ops.logical_or(a > 0, a < -1) | ~(a > 0) | a.sum() | a.sum(1) | a.sum(axis=1, keepdims=True) | a.mean() | a.mean(1, True)
a.max() | a.max(1) | a.min(axis=0) | a.argmax(1) | a.argmin(1) | a.var() | a.std(1) | a.prod() | (a > 0).any() | (a > 0).all() | a.cumsum(1) | a.norm()
a.reshape(-1) | a.view(2, 6) | a.T | a.transpose(1, 0) | a.swapaxes(0, 1) | a.reshape(1, 3, 4).squeeze(0) | a.expand_dims(0) | a.flatten()
a.broadcast_to((2, 3, 4)) | a.tile((2, 1)) | a.split(2, 1) | a.chunk(2, 1) | a.astype(ms.int32) | a.half() | a.abs() | a.clip(-0.5, 0.5)
a.clamp(min=0.1) | a.abs().sqrt() | a.exp() | a.abs().log() | a.pow(2) | a.tanh() | a.masked_fill(a > 0, 1.0) | ops.where(a > 0, a, a * 2) | a.topk(2)
a.sort() | a.argsort() | ops.gather(a, Tensor([0, 2]), 1) | a[0] | a[:, 1:3] | a[::2] | a[:, None] | a[..., 0] | a[Tensor([0, 1])] | changed(a)
ops.concat((a, a), 1) | ops.cat((a, a)) | ops.stack((a, a), 1) | ops.unstack(a, 1) | ops.unbind(a, 0) | ops.softmax(a, -1) | ops.log_softmax(a, -1)
ops.gelu(a) | ops.gelu(a, approximate='tanh') | ops.leaky_relu(a, 0.1) | ops.elu(a) | ops.mish(a) | ops.erf(a) | ops.erfinv(a * 0.1)
ops.rsqrt(a.abs()) | ops.reciprocal(a) | ops.floor(a) | ops.ceil(a) | ops.round(a) | ops.sign(a) | ops.sin(a) | ops.cos(a) | ops.atan2(a, a + 1)
ops.maximum(a, a * 2) | ops.minimum(a, 0.0) | ops.square(a) | ops.log1p(a.abs()) | ops.log2(a.abs()) | ops.exp2(a) | ops.bmm(a[None], a.T[None])
ops.matmul(a, a.T) | ops.outer(a[0], a[1]) | ops.tril(a) | ops.triu(a, 1) | a @ ops.eye(4, 4, ms.float32) | ops.zeros_like(a) + a
ops.ones((3, 4), ms.float32) * a | ops.full((3, 4), 2.0, dtype=ms.float32) + a | ops.arange(4) + a | ops.linspace(0, 1, 4) + a
ops.one_hot(a.argmax(1), 5, Tensor(1.0), Tensor(0.0)) | ops.meshgrid(a[0], a[:, 0]) | ops.flip(a, (0,)) | ops.cumprod(a, 1) | ops.logsumexp(a, 1)
ops.isnan(a) | ops.L2Normalize(1)(a) | ops.scatter(a, 1, Tensor(np.zeros((3, 1), np.int64)), a[:, :1]) | ops.gather_nd(a, Tensor([[0, 1]]))
ops.gather_elements(a, 1, Tensor(np.zeros((3, 1), np.int64))) | ops.tensor_scatter_add(a, Tensor([[0], [1]]), a[:2])
ops.index_select(a, 1, Tensor([0, 1])) | ops.select(a > 0, a, -a) | ops.addn([a, a, a]) | ops.cdist(a, a) | ops.batch_dot(a, a)
ops.unsorted_segment_sum(a, Tensor([0, 1, 0]), 2) | ops.pad(a, (1, 1), mode='constant', value=0.0) | ops.dropout(a, 0.3, training=False)
ops.norm(a, dim=1) | ops.std(a, 1) | ops.var(a, 1) | ops.median(a, 1) | ops.cross(a[:, :3], a[:, 1:]) | (a > 0).astype(ms.float32)
ops.where(a > 0, 1.0, 0.0) | ops.lerp(a, a * 2, 0.5) | ops.addmm(ops.zeros((3, 3), ms.float32), a, a.T)
"""
for _line in _.strip().splitlines():
    FUNCTIONS.update({f"f{len(FUNCTIONS) + number:03}": text.strip() for number, text in enumerate(_line.split(" | "))})
FUNCTIONS |= {
    "conv2d": "ops.conv2d(a, b)",
    "grid": "ops.grid_sample(a, b)",
    "ints": "(a + 1, a // 2, a % 2, a * 2, a / 2)",
    "interpolate": "ops.interpolate(a, size=(8, 8), mode='bilinear', align_corners=True)",
    "nearest": "ops.interpolate(a, scale_factor=2.0, mode='nearest', recompute_scale_factor=True)",
    "avg_pool": "ops.avg_pool2d(a, 2, 2)",
    "max_pool": "ops.max_pool2d(a, 2, 2)",
}
#: names of 2.x that 2.0 lacks
FUNCTIONS_2_10 = {
    "softplus": "ops.softplus(a)",
    "silu": "ops.silu(a)",
    "sigmoid": "a.sigmoid()",
    "mint_sum": "mint.sum(a, 1)",
    "mint_mean": "mint.mean(a, 1)",
    "mint_matmul": "mint.matmul(a, a.T)",
    "mint_add": "mint.add(a, a, alpha=2)",
    "mint_softmax": "mint.nn.functional.softmax(a, -1)",
    "mint_cat": "mint.cat((a, a))",
    "mint_max": "mint.max(a)",
    "mint_min": "mint.min(a)",
    "mint_add_scalar": "mint.add(a, 2.0, alpha=3)",
    "mint_sub": "mint.sub(a, a * 3, alpha=2)",
    "mint_sub_scalar": "mint.sub(a, 2.0, alpha=3)",
    "mint_pow": "mint.pow(a.abs(), 2.5)",
    "mint_rpow": "mint.pow(2.0, a)",
    "mint_remainder": "mint.remainder(a, a.abs() + 1)",
    "mint_clamp": "mint.clamp(a, a * 0, a * 0 + 0.5)",
    "mint_bmm": "mint.bmm(a[None], a.T[None])",
    "mint_narrow": "mint.narrow(a, 1, 1, 2)",
    "mint_sum_all": "mint.sum(a)",
    "mint_logsoftmax": "mint.nn.functional.log_softmax(a, -1)",
    "mint_permute": "mint.permute(a, (1, 0))",
    "mint_trunc": "mint.div(a, 0.3, rounding_mode='trunc')",
    "mint_ge": "mint.ge(a, 1)",
    "mint_eq": "mint.eq(a, 1)",
    "mint_div": "mint.div(a, 2, rounding_mode='floor')",
}
