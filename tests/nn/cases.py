"""The table of layers and losses that real MindSpore and this package compute alike: what to build and what to feed it.

``tests/golden/make_nn.py`` runs it under MindSpore and writes ``tests/golden/nn.npz``; `test_against_golden` runs it
here.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Case", "CASES", "data", "ints", "weights_for", "output_weights"]


def data(seed: int, *shape: int, low: float | None = None, high: float | None = None) -> np.ndarray:
    """Normal float32 values, or uniform ones between ``low`` and ``high``."""
    random = np.random.RandomState(seed)
    values = random.standard_normal(shape) if low is None else random.uniform(low, high, shape)
    return values.astype(np.float32)


def ints(seed: int, high: int, *shape: int, dtype: Any = np.int32, low: int = 0) -> np.ndarray:
    return np.random.RandomState(seed).randint(low, high, shape).astype(dtype)


def weights_for(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The values that a Parameter of this name gets before the case runs."""
    values = data(zlib.crc32(name.encode()) % 2**31, *shape) * np.float32(0.3)
    if name.endswith("variance"):
        return np.abs(values) + np.float32(0.5)
    return values + np.float32(1.0) if name.endswith("gamma") else values


def output_weights(shape: tuple[int, ...]) -> np.ndarray:
    """What outputs are multiplied with before they are summed for the gradients."""
    return np.cos(np.arange(int(np.prod(shape)), dtype=np.float64)).astype(np.float32).reshape(shape)


@dataclass
class Case:
    """``make(nn, T)`` builds the Cell; ``T`` turns an array into a Tensor. Arrays in ``inputs`` become Tensors, all
    else stays.
    """

    name: str
    make: Callable[..., Any]
    inputs: list[Any]
    train: bool = False
    grad: bool = True
    tolerance: float = 2e-5
    only: tuple[int, ...] = field(default=())  # positions whose gradients are compared; () is all float arrays


X4, X3, X5, X2 = data(1, 2, 4, 6, 5), data(2, 2, 4, 9), data(3, 2, 4, 5, 6, 4), data(4, 3, 6)
CASES: list[Case] = []


def add(name: str, make: Callable[..., Any], *inputs: Any, **options: Any) -> None:
    CASES.append(Case(name, make, list(inputs), **options))


# --- activations ------------------------------------------------------------------------------------------------------
_SHARP = np.concatenate([data(5, 2, 9) * 2, np.array([[-4, -2.9, -1.1, -0.6, 0.6, 1.1, 2.9, 4, 7.0]] * 2, np.float32)])
for _name in (
    "Sigmoid",
    "Tanh",
    "Tanhshrink",
    "SiLU",
    "Mish",
    "HSwish",
    "HSigmoid",
    "LogSigmoid",
    "Softsign",
    "SeLU",
    "FastGelu",
    "GELU",
    "ReLU",
    "ReLU6",
    "LeakyReLU",
    "Hardtanh",
    "SoftShrink",
    "HShrink",
    "ELU",
    "CELU",
    "Softmax",
    "LogSoftmax",
    "Softmin",
    "Identity",
):
    # MindSpore's CPU tanh is off by up to 1e-4.
    add(
        f"act.{_name}",
        lambda nn, T, _name=_name: getattr(nn, _name)(),
        _SHARP,
        tolerance=4e-4 if _name in ("Tanh", "Tanhshrink", "Mish") else 2e-5,
    )
add("act.GELU.exact", lambda nn, T: nn.GELU(False), _SHARP)
add("act.LeakyReLU.alpha", lambda nn, T: nn.LeakyReLU(0.01), _SHARP)
add("act.CELU.alpha", lambda nn, T: nn.CELU(2.0), _SHARP)
add("act.Hardtanh.range", lambda nn, T: nn.Hardtanh(-2.0, 0.5), _SHARP)
add("act.Threshold", lambda nn, T: nn.Threshold(0.1, 20.0), _SHARP)
add("act.SoftShrink.lambd", lambda nn, T: nn.SoftShrink(1.5), _SHARP)
add("act.HShrink.lambd", lambda nn, T: nn.HShrink(1.5), _SHARP)
add("act.Softmax.axis", lambda nn, T: nn.Softmax(1), X4)
add("act.LogSoftmax.axis", lambda nn, T: nn.LogSoftmax(1), X4)
add("act.Softmax2d", lambda nn, T: nn.Softmax2d(), X4)
add("act.GLU", lambda nn, T: nn.GLU(), data(6, 3, 8))
add("act.GLU.axis", lambda nn, T: nn.GLU(1), X4)
add("act.PReLU", lambda nn, T: nn.PReLU(), X4)
add("act.PReLU.channel", lambda nn, T: nn.PReLU(4, 0.1), X4)
add("act.LRN", lambda nn, T: nn.LRN(1, 1.0, 0.5, 0.5), X4)
add("act.LRN.default", lambda nn, T: nn.LRN(), X4)

# --- convolutions -----------------------------------------------------------------------------------------------------
for _stride in (1, 2, 3):
    for _kernel in (1, 2, 3, 5):
        add(f"Conv2d.same.k{_kernel}s{_stride}", lambda nn, T, k=_kernel, s=_stride: nn.Conv2d(4, 3, k, s), X4)
add("Conv2d.same.dilated", lambda nn, T: nn.Conv2d(4, 3, 3, 1, dilation=2), X4)
add("Conv2d.same.strided.dilated", lambda nn, T: nn.Conv2d(4, 3, 3, 2, dilation=2), X4)
add("Conv2d.same.oblong", lambda nn, T: nn.Conv2d(4, 3, (3, 2), (2, 1), has_bias=True), X4)
add("Conv2d.valid", lambda nn, T: nn.Conv2d(4, 3, 3, pad_mode="valid", has_bias=True), X4)
add("Conv2d.pad", lambda nn, T: nn.Conv2d(4, 3, 3, 2, pad_mode="pad", padding=1), X4)
add("Conv2d.pad.four", lambda nn, T: nn.Conv2d(4, 3, 3, 2, pad_mode="pad", padding=(0, 1, 2, 3)), X4)
add("Conv2d.group", lambda nn, T: nn.Conv2d(4, 6, 3, group=2, has_bias=True), X4)
add("Conv2d.depthwise", lambda nn, T: nn.Conv2d(4, 4, 3, group=4), X4)
add("Conv1d.same", lambda nn, T: nn.Conv1d(4, 3, 3, 2, has_bias=True), X3)
add("Conv1d.valid", lambda nn, T: nn.Conv1d(4, 3, 4, pad_mode="valid", dilation=2), X3)
add("Conv1d.pad", lambda nn, T: nn.Conv1d(4, 6, 3, pad_mode="pad", padding=2, group=2), X3)
add("Conv3d.same", lambda nn, T: nn.Conv3d(4, 2, (2, 3, 2), 2, has_bias=True), X5)
add("Conv3d.valid", lambda nn, T: nn.Conv3d(4, 2, 2, pad_mode="valid"), X5)
add("Conv3d.pad", lambda nn, T: nn.Conv3d(4, 2, 3, pad_mode="pad", padding=(1, 0, 1, 1, 0, 1)), X5)
add("Conv3d.group", lambda nn, T: nn.Conv3d(4, 4, 3, group=2, has_bias=True), X5)
for _stride in (1, 2, 3):
    for _kernel in (1, 2, 3, 4):
        for _mode in ("same", "valid"):
            add(
                f"Conv2dTranspose.{_mode}.k{_kernel}s{_stride}",
                lambda nn, T, k=_kernel, s=_stride, m=_mode: nn.Conv2dTranspose(4, 2, k, s, pad_mode=m),
                data(7, 1, 4, 3, 4),
            )
_SMALL4 = data(8, 2, 4, 3, 5)
add(
    "Conv2dTranspose.pad",
    lambda nn, T: nn.Conv2dTranspose(4, 3, 4, 2, pad_mode="pad", padding=1, has_bias=True),
    _SMALL4,
)
add(
    "Conv2dTranspose.pad.four",
    lambda nn, T: nn.Conv2dTranspose(4, 3, 4, 2, pad_mode="pad", padding=(0, 2, 1, 0)),
    _SMALL4,
)
add("Conv2dTranspose.output_padding", lambda nn, T: nn.Conv2dTranspose(4, 3, 3, 2, "pad", 1, 1, has_bias=True), _SMALL4)
add("Conv2dTranspose.output_padding.two", lambda nn, T: nn.Conv2dTranspose(4, 3, 3, 3, "pad", 1, (1, 2)), _SMALL4)
add("Conv2dTranspose.group", lambda nn, T: nn.Conv2dTranspose(4, 6, 3, 2, group=2), _SMALL4)
add("Conv2dTranspose.dilated", lambda nn, T: nn.Conv2dTranspose(4, 2, 3, 2, dilation=2), _SMALL4)
add("Conv1dTranspose.same", lambda nn, T: nn.Conv1dTranspose(4, 3, 3, 2, has_bias=True), X3)
add("Conv1dTranspose.valid", lambda nn, T: nn.Conv1dTranspose(4, 3, 4, 2, pad_mode="valid"), X3)
add("Conv1dTranspose.pad", lambda nn, T: nn.Conv1dTranspose(4, 3, 3, 1, pad_mode="pad", padding=1), X3)
_SMALL5 = data(9, 1, 4, 2, 3, 2)
add("Conv3dTranspose.same", lambda nn, T: nn.Conv3dTranspose(4, 2, 3, 2), _SMALL5)
add("Conv3dTranspose.valid", lambda nn, T: nn.Conv3dTranspose(4, 2, 2, 1, pad_mode="valid", has_bias=True), _SMALL5)
add("Conv3dTranspose.pad", lambda nn, T: nn.Conv3dTranspose(4, 2, 3, 2, "pad", 1, output_padding=1), _SMALL5)

# --- pooling ----------------------------------------------------------------------------------------------------------
for _pool in ("MaxPool2d", "AvgPool2d"):
    for _mode in ("valid", "same"):
        for _kernel, _stride in ((2, 2), (3, 2), (3, 1), ((3, 2), (2, 3))):
            add(
                f"{_pool}.{_mode}.{_kernel}.{_stride}",
                lambda nn, T, p=_pool, m=_mode, k=_kernel, s=_stride: getattr(nn, p)(k, s, m),
                X4,
            )
    add(f"{_pool}.pad", lambda nn, T, p=_pool: getattr(nn, p)(3, 2, "pad", 1), X4)
    add(f"{_pool}.pad.ceil", lambda nn, T, p=_pool: getattr(nn, p)(3, 2, "pad", 1, ceil_mode=True), X4)
    add(f"{_pool}.unbatched", lambda nn, T, p=_pool: getattr(nn, p)(3, 2), X4[0])
add("MaxPool2d.indices", lambda nn, T: nn.MaxPool2d(3, 2, "pad", 1, return_indices=True), X4)
add("MaxPool2d.dilated", lambda nn, T: nn.MaxPool2d(2, 1, "pad", 0, dilation=2), X4)
add("AvgPool2d.pad.not_counted", lambda nn, T: nn.AvgPool2d(3, 2, "pad", 1, count_include_pad=False), X4)
add("AvgPool2d.divisor", lambda nn, T: nn.AvgPool2d(3, 2, "pad", 1, divisor_override=4), X4)
add("MaxPool1d", lambda nn, T: nn.MaxPool1d(3, 2), X3)
add("MaxPool1d.same", lambda nn, T: nn.MaxPool1d(3, 2, "same"), X3)
add("MaxPool1d.pad", lambda nn, T: nn.MaxPool1d(3, 2, "pad", 1, return_indices=True), X3)
add("MaxPool3d", lambda nn, T: nn.MaxPool3d(2, 2), X5)
add("MaxPool3d.same", lambda nn, T: nn.MaxPool3d(3, 2, "same"), X5)
add("MaxPool3d.pad", lambda nn, T: nn.MaxPool3d(3, 2, "pad", 1), X5)
add("AvgPool1d", lambda nn, T: nn.AvgPool1d(3, 2), X3)
add("AvgPool1d.whole", lambda nn, T: nn.AvgPool1d(9, 1), X3)
add("AvgPool1d.same", lambda nn, T: nn.AvgPool1d(3, 2, "same"), X3)
add("AvgPool1d.pad", lambda nn, T: nn.AvgPool1d(3, 2, "pad", 1, count_include_pad=False), X3)
add("AvgPool3d", lambda nn, T: nn.AvgPool3d(2, 2), X5)
add("AvgPool3d.same", lambda nn, T: nn.AvgPool3d(3, 2, "same"), X5)
add("AvgPool3d.pad", lambda nn, T: nn.AvgPool3d(3, 2, "pad", 1), X5)
add("AdaptiveAvgPool1d", lambda nn, T: nn.AdaptiveAvgPool1d(3), X3)
add("AdaptiveAvgPool2d", lambda nn, T: nn.AdaptiveAvgPool2d((3, 5)), X4)
add("AdaptiveAvgPool2d.one", lambda nn, T: nn.AdaptiveAvgPool2d(1), X4)
add("AdaptiveAvgPool2d.none", lambda nn, T: nn.AdaptiveAvgPool2d((None, 3)), X4)
add("AdaptiveAvgPool3d", lambda nn, T: nn.AdaptiveAvgPool3d((2, 3, 2)), X5)
add("AdaptiveMaxPool1d", lambda nn, T: nn.AdaptiveMaxPool1d(3), X3)
add("AdaptiveMaxPool2d", lambda nn, T: nn.AdaptiveMaxPool2d((3, 5)), X4)
add("AdaptiveMaxPool2d.indices", lambda nn, T: nn.AdaptiveMaxPool2d(2, True), X4)
add("AdaptiveMaxPool3d", lambda nn, T: nn.AdaptiveMaxPool3d((2, 3, 2)), X5)
add("LPPool1d", lambda nn, T: nn.LPPool1d(2, 3, 2), np.abs(X3))
add("LPPool2d", lambda nn, T: nn.LPPool2d(2, 3, 2), np.abs(X4))
add("MaxUnpool2d", lambda nn, T: nn.MaxUnpool2d(2, 2), data(11, 1, 1, 2, 2), np.array([[[[0, 3], [8, 11]]]], np.int64))
add(
    "FractionalMaxPool2d",
    lambda nn, T: nn.FractionalMaxPool2d(2, (3, 3), _random_samples=T(data(12, 2, 4, 2, low=0, high=1))),
    X4,
)

# --- normalization ----------------------------------------------------------------------------------------------------
for _train in (True, False):
    _mode = "train" if _train else "eval"
    add(f"BatchNorm2d.{_mode}", lambda nn, T: nn.BatchNorm2d(4), X4, train=_train, tolerance=5e-5)
    add(f"BatchNorm2d.momentum.{_mode}", lambda nn, T: nn.BatchNorm2d(4, 1e-3, 0.3), X4, train=_train, tolerance=5e-5)
    add(f"BatchNorm2d.frozen.{_mode}", lambda nn, T: nn.BatchNorm2d(4, affine=False), X4, train=_train, tolerance=5e-5)
    add(
        f"BatchNorm2d.use_batch.{_mode}",
        lambda nn, T: nn.BatchNorm2d(4, use_batch_statistics=True),
        X4,
        train=_train,
        tolerance=5e-5,
    )
    add(
        f"BatchNorm2d.use_moving.{_mode}",
        lambda nn, T: nn.BatchNorm2d(4, use_batch_statistics=False),
        X4,
        train=_train,
        tolerance=5e-5,
    )
    add(f"BatchNorm1d.2d.{_mode}", lambda nn, T: nn.BatchNorm1d(6), data(13, 5, 6), train=_train, tolerance=5e-5)
    add(f"BatchNorm1d.3d.{_mode}", lambda nn, T: nn.BatchNorm1d(4), X3, train=_train, tolerance=5e-5)
    add(f"BatchNorm3d.{_mode}", lambda nn, T: nn.BatchNorm3d(4), X5, train=_train, tolerance=5e-5)
    add(f"SyncBatchNorm.{_mode}", lambda nn, T: nn.SyncBatchNorm(4, process_groups=0), X4, train=_train, tolerance=5e-5)
    add(f"InstanceNorm2d.{_mode}", lambda nn, T: nn.InstanceNorm2d(4), X4, train=_train, tolerance=5e-5)
add("InstanceNorm1d", lambda nn, T: nn.InstanceNorm1d(4), X3, train=True)
add("InstanceNorm3d", lambda nn, T: nn.InstanceNorm3d(4), X5, train=True)
add("LayerNorm", lambda nn, T: nn.LayerNorm((6,)), X2, tolerance=5e-5)
add("LayerNorm.many", lambda nn, T: nn.LayerNorm((6, 5), 2, 2), X4, tolerance=5e-5)
add("LayerNorm.axes", lambda nn, T: nn.LayerNorm((5,), begin_norm_axis=1, begin_params_axis=-1), X4, tolerance=5e-5)
add("LayerNorm.eps", lambda nn, T: nn.LayerNorm([6], epsilon=0.1), X2, tolerance=5e-5)
add("GroupNorm", lambda nn, T: nn.GroupNorm(2, 4), X4, tolerance=5e-5)
add("GroupNorm.frozen", lambda nn, T: nn.GroupNorm(4, 4, 0.1, affine=False), X4, tolerance=5e-5)

# --- basic ------------------------------------------------------------------------------------------------------------
add("Dense", lambda nn, T: nn.Dense(6, 4), X2)
add("Dense.no_bias", lambda nn, T: nn.Dense(6, 4, has_bias=False), X2)
add("Dense.3d", lambda nn, T: nn.Dense(9, 4), X3)
add("Dense.activation", lambda nn, T: nn.Dense(6, 4, activation="relu"), X2)
add("Dense.activation.cell", lambda nn, T: nn.Dense(6, 4, activation=nn.PReLU()), X2)
add("Linear", lambda nn, T: nn.Linear(6, 4), X2)
add("BiDense", lambda nn, T: nn.BiDense(6, 3, 4), X2, data(14, 3, 3))
add("BiDense.3d", lambda nn, T: nn.BiDense(9, 2, 3, has_bias=False), X3, data(15, 2, 4, 2))
add("Flatten", lambda nn, T: nn.Flatten(), X4)
add("Flatten.dims", lambda nn, T: nn.Flatten(0, 1), X4)
add("Dropout.eval", lambda nn, T: nn.Dropout(0.3), X4)
add("Dropout.p.eval", lambda nn, T: nn.Dropout(p=0.3), X4)
add("Dropout.keep_all", lambda nn, T: nn.Dropout(keep_prob=1.0), X4, train=True)
add("ClipByNorm", lambda nn, T: nn.ClipByNorm(), X4, np.array(2.0, np.float32), only=(0,))
add("ClipByNorm.small", lambda nn, T: nn.ClipByNorm(), X2 * 0.1, np.array([5.0], np.float32), only=(0,))
add("ClipByNorm.axis", lambda nn, T: nn.ClipByNorm((1,)), X2, np.array(1.0, np.float32), only=(0,))
add("Norm", lambda nn, T: nn.Norm(axis=1), X2)
add("Norm.keep", lambda nn, T: nn.Norm(axis=(0, 1), keep_dims=True), X2)
add("OneHot", lambda nn, T: nn.OneHot(depth=5), ints(16, 6, 3, 2))
add("OneHot.axis", lambda nn, T: nn.OneHot(1, 5, 2.0, -1.0), ints(16, 5, 3, 2))
add("Pad", lambda nn, T: nn.Pad(((0, 1), (2, 0))), X2)
add("Pad.reflect", lambda nn, T: nn.Pad(((0, 0), (0, 0), (1, 2), (3, 1)), "REFLECT"), X4)
add("Pad.symmetric", lambda nn, T: nn.Pad(((1, 1), (2, 3)), "SYMMETRIC"), X2)
add("Unfold", lambda nn, T: nn.Unfold([1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 1, 1]), X4)
add("Unfold.same", lambda nn, T: nn.Unfold([1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "same"), X4)
add("Tril", lambda nn, T: nn.Tril(), X2)
add("Tril.k", lambda nn, T: nn.Tril(), X4, 1)
add("Triu", lambda nn, T: nn.Triu(), X2, -1)
add("MatrixDiag", lambda nn, T: nn.MatrixDiag(), X2)
add("MatrixDiagPart", lambda nn, T: nn.MatrixDiagPart(), X4)
add("MatrixSetDiag", lambda nn, T: nn.MatrixSetDiag(), X4, data(17, 2, 4, 5))
add("Roll", lambda nn, T: nn.Roll((1, -2), (0, 1)), X2)
add("Unflatten", lambda nn, T: nn.Unflatten(1, (2, 3)), X2)
add("L1Regularizer", lambda nn, T: nn.L1Regularizer(0.5), X2)
add("ChannelShuffle", lambda nn, T: nn.ChannelShuffle(2), X4)
add("Upsample.nearest", lambda nn, T: nn.Upsample(size=(5, 11), mode="nearest"), X4)
add("Upsample.bilinear", lambda nn, T: nn.Upsample(size=(5, 11), mode="bilinear"), X4)
add("Upsample.bilinear.align", lambda nn, T: nn.Upsample(size=(5, 11), mode="bilinear", align_corners=True), X4)
add(
    "Upsample.bicubic", lambda nn, T: nn.Upsample(size=(9, 11), mode="bicubic"), X4, tolerance=1e-3
)  # weights of a table
add("Upsample.area", lambda nn, T: nn.Upsample(scale_factor=0.5, mode="area"), X4)
add("Upsample.linear", lambda nn, T: nn.Upsample(size=13, mode="linear"), X3)
add(
    "Upsample.recompute",
    lambda nn, T: nn.Upsample(scale_factor=(1.5, 2.0), mode="bilinear", recompute_scale_factor=True),
    X4,
)
add("Upsample.nearest-exact", lambda nn, T: nn.Upsample(size=(5, 11), mode="nearest-exact"), X4)
add("TimeDistributed", lambda nn, T: nn.TimeDistributed(nn.Dense(9, 3), 1), X3)
add("TimeDistributed.merged", lambda nn, T: nn.TimeDistributed(nn.Dense(9, 3), 1, 0), X3)
for _pad in ("ReflectionPad2d", "ReplicationPad2d", "ZeroPad2d"):
    add(_pad, lambda nn, T, p=_pad: getattr(nn, p)((1, 2, 3, 0)), X4)
    add(f"{_pad}.3d", lambda nn, T, p=_pad: getattr(nn, p)(2), X4[0])
add("ConstantPad1d", lambda nn, T: nn.ConstantPad1d((1, 2), 0.5), X3)
add("ConstantPad2d", lambda nn, T: nn.ConstantPad2d((1, 2, -1, 1), 0.5), X4)
add("ConstantPad3d", lambda nn, T: nn.ConstantPad3d(1, 0.5), X5)
add("ReflectionPad1d", lambda nn, T: nn.ReflectionPad1d((2, 1)), X3)
add("ReplicationPad1d", lambda nn, T: nn.ReplicationPad1d((2, 1)), X3)
add("ReflectionPad3d", lambda nn, T: nn.ReflectionPad3d(1), X5)
add("ReplicationPad3d", lambda nn, T: nn.ReplicationPad3d(1), X5)
add(
    "Conv2dBnAct", lambda nn, T: nn.Conv2dBnAct(4, 3, 3, has_bn=True, activation="relu"), X4, train=True, tolerance=1e-4
)
add("Conv2dBnAct.leaky", lambda nn, T: nn.Conv2dBnAct(4, 3, 3, has_bias=True, activation="leakyrelu", alpha=0.3), X4)
add(
    "DenseBnAct",
    lambda nn, T: nn.DenseBnAct(6, 4, has_bn=True, activation="sigmoid"),
    data(18, 5, 6),
    train=True,
    tolerance=1e-4,
)

# --- embedding --------------------------------------------------------------------------------------------------------
_IDS = ints(19, 7, 3, 4)
add("Embedding", lambda nn, T: nn.Embedding(7, 5), _IDS)
add("Embedding.one_hot", lambda nn, T: nn.Embedding(7, 5, True), _IDS)
add("Embedding.padding", lambda nn, T: nn.Embedding(7, 5, padding_idx=3), _IDS)
add("EmbeddingLookup", lambda nn, T: nn.EmbeddingLookup(7, 5), _IDS)
add("EmbeddingLookup.max_norm", lambda nn, T: nn.EmbeddingLookup(7, 5, max_norm=0.4), _IDS)
add("EmbeddingLookup.device", lambda nn, T: nn.EmbeddingLookup(7, 5, target="DEVICE", sparse=False), _IDS)
for _operator in ("SUM", "MEAN", "MAX"):
    add(
        f"MultiFieldEmbeddingLookup.{_operator}",
        lambda nn, T, o=_operator: nn.MultiFieldEmbeddingLookup(7, 2, 3, operator=o, target="DEVICE"),
        ints(20, 7, 2, 5),
        np.array([[1, 1, 1, 0, 0.5], [1, 2, 1, 1, 1]], np.float32),
        np.array([[0, 0, 1, 2, 0], [0, 1, 1, 1, 1]], np.int32),
    )

# --- mathematics and images -------------------------------------------------------------------------------------------
add("ReduceLogSumExp", lambda nn, T: nn.ReduceLogSumExp(1, True), X4)
add("Range", lambda nn, T: nn.Range(1, 8, 2), grad=False)
add("Range.float", lambda nn, T: nn.Range(0.5, 2.0, 0.25), grad=False)
_POSITIVE = data(21, 3, 4, low=0.2, high=12.0)
add("LGamma", lambda nn, T: nn.LGamma(), _POSITIVE, grad=False, tolerance=1e-4)
add("DiGamma", lambda nn, T: nn.DiGamma(), _POSITIVE, grad=False, tolerance=1e-4)
add("IGamma", lambda nn, T: nn.IGamma(), _POSITIVE, data(22, 3, 4, low=0.2, high=8.0), grad=False, tolerance=1e-4)
add("LBeta", lambda nn, T: nn.LBeta(), _POSITIVE, data(22, 3, 4, low=0.2, high=8.0), grad=False, tolerance=1e-4)
add("CosineSimilarity", lambda nn, T: nn.layer.CosineSimilarity(), X2, data(23, 3, 6))
add("MatMul", lambda nn, T: nn.MatMul(), X2, data(24, 6, 5))
add("MatMul.transposed", lambda nn, T: nn.MatMul(True, True), data(25, 2, 4, 3), data(26, 5, 4))
add("MatMul.vector", lambda nn, T: nn.MatMul(), data(27, 2, 4, 3), data(28, 3))
add("Moments", lambda nn, T: nn.Moments(axis=1), X2)
add("Moments.keep", lambda nn, T: nn.Moments(axis=(0, 1), keep_dims=True), X4)
add("ImageGradients", lambda nn, T: nn.ImageGradients(), X4)
_IMAGES = data(29, 2, 2, 14, 13, low=0, high=1), data(30, 2, 2, 14, 13, low=0, high=1)
add("SSIM", lambda nn, T: nn.SSIM(), *_IMAGES, tolerance=1e-4)
add("SSIM.small", lambda nn, T: nn.SSIM(2.0, 5, 1.0), *_IMAGES, tolerance=1e-4)
add("MSSSIM", lambda nn, T: nn.MSSSIM(power_factors=(0.033, 0.033, 0.033), filter_size=3), *_IMAGES, tolerance=1e-4)
add("PSNR", lambda nn, T: nn.PSNR(), *_IMAGES)
add("PSNR.max", lambda nn, T: nn.PSNR(255), _IMAGES[0] * 255, _IMAGES[1] * 255)
add("CentralCrop", lambda nn, T: nn.CentralCrop(0.5), X4)
add("CentralCrop.3d", lambda nn, T: nn.CentralCrop(0.7), X4[0])
add("PixelShuffle", lambda nn, T: nn.PixelShuffle(2), X4)
add("PixelUnshuffle", lambda nn, T: nn.PixelUnshuffle(2), data(31, 1, 2, 4, 6))

# --- recurrent --------------------------------------------------------------------------------------------------------
_SEQ = data(32, 5, 3, 4)
for _kind in ("RNN", "GRU", "LSTM"):
    add(f"{_kind}", lambda nn, T, k=_kind: getattr(nn, k)(4, 3), _SEQ, tolerance=5e-5)
    add(
        f"{_kind}.deep",
        lambda nn, T, k=_kind: getattr(nn, k)(4, 3, 2, bidirectional=True, batch_first=True),
        _SEQ,
        tolerance=5e-5,
    )
    add(f"{_kind}.no_bias", lambda nn, T, k=_kind: getattr(nn, k)(4, 3, has_bias=False), _SEQ, tolerance=5e-5)
    _h = data(33, 1, 3, 3)
    add(
        f"{_kind}.lengths",
        lambda nn, T, k=_kind: getattr(nn, k)(4, 3),
        _SEQ,
        (_h, data(34, 1, 3, 3)) if _kind == "LSTM" else _h,
        np.array([5, 2, 3], np.int32),
        tolerance=5e-5,
    )
    _h = data(35, 2, 3, 3)
    add(
        f"{_kind}.lengths.two_ways",
        lambda nn, T, k=_kind: getattr(nn, k)(4, 3, bidirectional=True),
        _SEQ,
        (_h, _h) if _kind == "LSTM" else _h,
        np.array([4, 1, 5], np.int32),
        tolerance=5e-5,
    )
    _state = data(36, 3, 3)
    add(
        f"{_kind}Cell",
        lambda nn, T, k=_kind: getattr(nn, f"{k}Cell")(4, 3),
        _SEQ[0],
        (_state, data(37, 3, 3)) if _kind == "LSTM" else _state,
    )
add("RNN.relu", lambda nn, T: nn.RNN(4, 3, nonlinearity="relu"), _SEQ)
add("RNNCell.relu", lambda nn, T: nn.RNNCell(4, 3, False, "relu"), _SEQ[0], data(36, 3, 3))

# --- attention --------------------------------------------------------------------------------------------------------
_Q, _K = data(38, 4, 2, 8), data(39, 5, 2, 8)
_CAUSAL = np.triu(np.ones((4, 4), bool), 1)
add("MultiheadAttention", lambda nn, T: nn.MultiheadAttention(8, 2), _Q, _Q, _Q, tolerance=5e-5)
add("MultiheadAttention.cross", lambda nn, T: nn.MultiheadAttention(8, 2), _Q, _K, _K, tolerance=5e-5)
add(
    "MultiheadAttention.masks",
    lambda nn, T: nn.MultiheadAttention(8, 2),
    _Q,
    _Q,
    _Q,
    np.array([[False, False, False, True]] * 2),
    True,
    _CAUSAL,
    tolerance=5e-5,
)
add(
    "MultiheadAttention.no_weights",
    lambda nn, T: nn.MultiheadAttention(8, 2, batch_first=True),
    _Q,
    _Q,
    _Q,
    None,
    False,
    tolerance=5e-5,
)
add(
    "MultiheadAttention.dims",
    lambda nn, T: nn.MultiheadAttention(8, 4, kdim=6, vdim=5, has_bias=False),
    _Q,
    data(40, 5, 2, 6),
    data(41, 5, 2, 5),
    tolerance=5e-5,
)
add(
    "MultiheadAttention.extra",
    lambda nn, T: nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True),
    _Q,
    _K,
    _K,
    None,
    True,
    None,
    False,
    tolerance=5e-5,
)
add(
    "MultiheadAttention.unbatched",
    lambda nn, T: nn.MultiheadAttention(8, 2),
    _Q[:, 0],
    _K[:, 0],
    _K[:, 0],
    tolerance=5e-5,
)
add("TransformerEncoderLayer", lambda nn, T: nn.TransformerEncoderLayer(8, 2, 12, 0.0), _Q, _CAUSAL, tolerance=1e-4)
add(
    "TransformerEncoderLayer.first",
    lambda nn, T: nn.TransformerEncoderLayer(8, 2, 12, 0.0, "gelu", batch_first=True, norm_first=True),
    _Q,
    tolerance=1e-4,
)
add("TransformerDecoderLayer", lambda nn, T: nn.TransformerDecoderLayer(8, 2, 12, 0.0), _Q, _K, _CAUSAL, tolerance=1e-4)
add(
    "TransformerEncoder",
    lambda nn, T: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, 0.0), 2),
    _Q,
    tolerance=1e-4,
)
add("Transformer", lambda nn, T: nn.Transformer(8, 2, 1, 1, 12, 0.0), _K, _Q, tolerance=1e-4)

# --- losses -----------------------------------------------------------------------------------------------------------
_LOGITS, _TRUE = data(42, 5, 4), ints(43, 4, 5)
_SOFT = np.abs(data(44, 5, 4))
_SOFT /= _SOFT.sum(1, keepdims=True)
_A, _B, _P = data(45, 3, 4), data(46, 3, 4), data(47, 3, 4, low=0.05, high=0.95)
_BITS = (data(48, 3, 4) > 0).astype(np.float32)
for _how in ("mean", "sum", "none"):
    for _name in ("L1Loss", "MSELoss", "MAELoss", "HuberLoss", "SoftMarginLoss"):
        add(
            f"loss.{_name}.{_how}",
            lambda nn, T, n=_name, h=_how: getattr(nn, n)(reduction=h),
            _A,
            _B if "Margin" not in _name else _BITS * 2 - 1,
            only=(0,),
        )
    add(f"loss.SmoothL1Loss.{_how}", lambda nn, T, h=_how: nn.SmoothL1Loss(0.5, h), _A, _B, only=(0,))
    add(f"loss.BCELoss.{_how}", lambda nn, T, h=_how: nn.BCELoss(reduction=h), _P, _BITS, only=(0,))
    add(f"loss.BCEWithLogitsLoss.{_how}", lambda nn, T, h=_how: nn.BCEWithLogitsLoss(h), _A * 3, _BITS, only=(0,))
    add(
        f"loss.SoftmaxCrossEntropyWithLogits.sparse.{_how}",
        lambda nn, T, h=_how: nn.SoftmaxCrossEntropyWithLogits(True, h),
        _LOGITS,
        _TRUE,
    )
    add(
        f"loss.SoftmaxCrossEntropyWithLogits.dense.{_how}",
        lambda nn, T, h=_how: nn.SoftmaxCrossEntropyWithLogits(reduction=h),
        _LOGITS,
        _SOFT,
        only=(0,),
    )
    add(f"loss.CrossEntropyLoss.{_how}", lambda nn, T, h=_how: nn.CrossEntropyLoss(reduction=h), _LOGITS, _TRUE)
    add(
        f"loss.CrossEntropyLoss.smooth.{_how}",
        lambda nn, T, h=_how: nn.CrossEntropyLoss(T(data(49, 4, low=0.5, high=2)), 2, h, 0.1),
        _LOGITS,
        _TRUE,
        tolerance=1e-4,
    )
    add(
        f"loss.CrossEntropyLoss.soft.{_how}",
        lambda nn, T, h=_how: nn.CrossEntropyLoss(reduction=h, label_smoothing=0.2),
        _LOGITS,
        _SOFT,
        only=(0,),
    )
    add(
        f"loss.CrossEntropyLoss.images.{_how}",
        lambda nn, T, h=_how: nn.CrossEntropyLoss(reduction=h),
        X4,
        ints(50, 4, 2, 6, 5),
    )
    add(
        f"loss.NLLLoss.{_how}",
        lambda nn, T, h=_how: nn.NLLLoss(T(data(51, 4, low=0.5, high=2)), reduction=h),
        _LOGITS,
        _TRUE,
    )
    add(f"loss.KLDivLoss.{_how}", lambda nn, T, h=_how: nn.KLDivLoss(h), np.log(_SOFT), _SOFT[::-1].copy(), only=(0,))
    add(
        f"loss.CosineEmbeddingLoss.{_how}",
        lambda nn, T, h=_how: nn.CosineEmbeddingLoss(0.1, h),
        _A,
        _B,
        np.array([1, -1, 1], np.int32),
    )
    add(
        f"loss.MarginRankingLoss.{_how}",
        lambda nn, T, h=_how: nn.MarginRankingLoss(0.3, h),
        _A,
        _B,
        _BITS * 2 - 1,
        only=(0, 1),
    )
    add(
        f"loss.TripletMarginLoss.{_how}",
        lambda nn, T, h=_how: nn.TripletMarginLoss(reduction=h, margin=0.7),
        _A,
        _B,
        data(52, 3, 4),
    )
    add(
        f"loss.MultiMarginLoss.{_how}",
        lambda nn, T, h=_how: nn.MultiMarginLoss(reduction=h),
        _LOGITS,
        _TRUE.astype(np.int64),
    )
    add(
        f"loss.MultilabelMarginLoss.{_how}",
        lambda nn, T, h=_how: nn.MultilabelMarginLoss(h),
        _LOGITS[:2],
        np.array([[1, 3, -1, 0], [2, -1, 1, 0]], np.int32),
    )
    add(
        f"loss.MultiLabelSoftMarginLoss.{_how}",
        lambda nn, T, h=_how: nn.MultiLabelSoftMarginLoss(reduction=h),
        _A,
        _BITS,
        only=(0,),
    )
    add(
        f"loss.HingeEmbeddingLoss.{_how}",
        lambda nn, T, h=_how: nn.HingeEmbeddingLoss(0.8, h),
        _A,
        _BITS * 2 - 1,
        only=(0,),
    )
    add(
        f"loss.GaussianNLLLoss.{_how}",
        lambda nn, T, h=_how: nn.GaussianNLLLoss(full=True, reduction=h),
        _A,
        _B,
        np.abs(data(53, 3, 4)) + 0.1,
        only=(0,),
    )
    add(
        f"loss.PoissonNLLLoss.{_how}",
        lambda nn, T, h=_how: nn.PoissonNLLLoss(full=True, reduction=h),
        _A,
        np.abs(_B) * 3,
        only=(0,),
        tolerance=1e-4,
    )
    add(
        f"loss.CTCLoss.{_how}",
        lambda nn, T, h=_how: nn.CTCLoss(0, h),
        np.log(data(54, 6, 2, 5, low=0.1, high=1)),
        ints(55, 5, 2, 3, low=1),
        np.array([6, 5], np.int32),
        np.array([3, 2], np.int32),
    )
add("loss.BCELoss.weight", lambda nn, T: nn.BCELoss(T(np.abs(_A))), _P, _BITS, only=(0,))
add(
    "loss.BCELoss.extreme",
    lambda nn, T: nn.BCELoss(reduction="none"),
    np.array([[0, 1, 0, 1e-7]], np.float32),
    np.array([[0, 1, 1, 1]], np.float32),
    grad=False,
)
add(
    "loss.BCEWithLogitsLoss.weights",
    lambda nn, T: nn.BCEWithLogitsLoss(weight=T(np.abs(_A)), pos_weight=T(np.abs(_B[0]))),
    _A,
    _BITS,
    only=(0,),
)
add("loss.RMSELoss", lambda nn, T: nn.RMSELoss(), _A, _B, only=(0,))
add("loss.KLDivLoss.batchmean", lambda nn, T: nn.KLDivLoss("batchmean"), np.log(_SOFT), _SOFT[::-1].copy(), only=(0,))
add("loss.MultiMarginLoss.p2", lambda nn, T: nn.MultiMarginLoss(2, 0.7), _LOGITS, _TRUE.astype(np.int64))
add("loss.TripletMarginLoss.swap", lambda nn, T: nn.TripletMarginLoss(1, True), _A, _B, data(52, 3, 4))
add(
    "loss.TripletMarginWithDistanceLoss",
    lambda nn, T: nn.TripletMarginWithDistanceLoss(swap=True),
    _A,
    _B,
    data(52, 3, 4),
)
add("loss.PoissonNLLLoss.plain", lambda nn, T: nn.PoissonNLLLoss(False), np.abs(_A), np.abs(_B), only=(0,))
add("loss.DiceLoss", lambda nn, T: nn.DiceLoss(), _A, _BITS, only=(0,))
add("loss.MultiClassDiceLoss", lambda nn, T: nn.MultiClassDiceLoss(T(data(56, 4, 1)), 1), _A, _BITS, only=(0,))
add("loss.FocalLoss", lambda nn, T: nn.FocalLoss(T(data(57, 4, low=0.5, high=2)), 2.0), _LOGITS, _TRUE[:, None])
add("loss.FocalLoss.images", lambda nn, T: nn.FocalLoss(gamma=1.5, reduction="none"), X4, ints(58, 4, 2, 1, 6, 5))
add("loss.FocalLoss.soft", lambda nn, T: nn.FocalLoss(reduction="sum"), _LOGITS, _SOFT, only=(0,))
add(
    "loss.SampledSoftmaxLoss",
    lambda nn, T: nn.SampledSoftmaxLoss(
        3,
        7,
        1,
        (T(np.array([4, 0, 3], np.int32)), T(np.full((5, 1), 0.4, np.float32)), T(np.full((3,), 0.4, np.float32))),
    ),
    data(59, 7, 4),
    data(60, 7),
    ints(61, 7, 5, 1),
    data(62, 5, 4),
)

# --- dropout of channels, and distributions ---------------------------------------------------------------------------
add("Dropout2d.eval", lambda nn, T: nn.Dropout2d(0.3), X2[:, :, None, None])
add("Dropout3d.eval", lambda nn, T: nn.Dropout3d(0.3), X2[:, :, None, None, None])
_V, _LOC, _SCALE = data(80, 4), data(81, 4), data(82, 4, low=0.5, high=2.0)
_PROBS = np.array([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]], np.float32)


def _distribution(nn: Any, name: str, *args: Any) -> Any:
    return getattr(importlib.import_module(f"{nn.__name__}.probability.distribution"), name)(*args)


for _function in ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival"):
    add(f"Normal.{_function}", lambda nn, T: _distribution(nn, "Normal"), _function, _V, _LOC, _SCALE)
    add(f"Uniform.{_function}", lambda nn, T: _distribution(nn, "Uniform", -3.0, 3.0), _function, _V)
for _function in ("mean", "mode", "sd", "var", "entropy"):
    add(f"Normal.{_function}", lambda nn, T: _distribution(nn, "Normal"), _function, _LOC, _SCALE)
    add(f"Uniform.{_function}", lambda nn, T: _distribution(nn, "Uniform"), _function, _LOC, _LOC + _SCALE)
    add(f"Categorical.{_function}", lambda nn, T: _distribution(nn, "Categorical"), _function, _PROBS)
for _function in ("kl_loss", "cross_entropy"):
    add(
        f"Normal.{_function}",
        lambda nn, T: _distribution(nn, "Normal"),
        _function,
        "Normal",
        _LOC,
        _SCALE,
        _V,
        _SCALE + 0.5,
    )
    add(
        f"Uniform.{_function}",
        lambda nn, T: _distribution(nn, "Uniform"),
        _function,
        "Uniform",
        _LOC - 1,
        _LOC + 4,
        _LOC,
        _LOC + _SCALE,
    )
    add(
        f"Categorical.{_function}",
        lambda nn, T: _distribution(nn, "Categorical"),
        _function,
        "Categorical",
        _PROBS[::-1].copy(),
        _PROBS,
    )
for _function in ("log_prob", "prob", "cdf"):
    add(f"Categorical.{_function}", lambda nn, T: _distribution(nn, "Categorical"), _function, ints(83, 3, 2), _PROBS)
    add(
        f"Categorical.{_function}.outside",
        lambda nn, T: _distribution(nn, "Categorical"),
        _function,
        np.array([[0, 1], [-1, 3]], np.int32),
        _PROBS,
    )

# --- cells around networks --------------------------------------------------------------------------------------------
_X, _Y = data(90, 4, 6), data(91, 4, 4)
add("WithEvalCell", lambda nn, T: nn.WithEvalCell(nn.Dense(6, 4), nn.MSELoss()), _X, _Y)
add(
    "MicroBatchInterleaved",
    lambda nn, T: nn.MicroBatchInterleaved(nn.WithLossCell(nn.Dense(6, 4), nn.MSELoss()), 2),
    _X,
    _Y,
)
add("ParameterUpdate", lambda nn, T: nn.ParameterUpdate(nn.Dense(6, 4).weight), _Y[:, :1].repeat(6, 1), grad=False)
add(
    "FixedLossScaleUpdateCell",
    lambda nn, T: nn.FixedLossScaleUpdateCell(8),
    np.array(8.0, np.float32),
    np.array(True),
    grad=False,
)
