"""``mindspore.mint.nn``: torch's layers as Cells."""

from mindspore_compat.mint.nn import _convolution, _layers, _normalization, _upsampling, functional
from mindspore_compat.mint.nn._convolution import *  # noqa: F403
from mindspore_compat.mint.nn._layers import *  # noqa: F403
from mindspore_compat.mint.nn._normalization import *  # noqa: F403
from mindspore_compat.mint.nn._upsampling import *  # noqa: F403
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.activation import LogSoftmaxExt as LogSoftmax
from mindspore_compat.nn.layer.activation import PReLUExt as PReLU
from mindspore_compat.nn.layer.basic import Dropout2dExt as Dropout2d
from mindspore_compat.nn.layer.basic import DropoutExt as Dropout
from mindspore_compat.nn.layer.basic import Identity, Linear
from mindspore_compat.nn.layer.embedding import EmbeddingExt as Embedding
from mindspore_compat.nn.layer.normalization import LayerNormExt as LayerNorm
from mindspore_compat.nn.layer.pooling import AvgPool1dExt as AvgPool1d
from mindspore_compat.nn.layer.pooling import AvgPool2dExt as AvgPool2d
from mindspore_compat.nn.layer.pooling import AvgPool3dExt as AvgPool3d
from mindspore_compat.nn.layer.pooling import MaxPool2dExt as MaxPool2d
from mindspore_compat.nn.loss.loss import L1Loss
from mindspore_compat.nn.loss.margin import SoftMarginLoss

__all__ = [
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "Cell",
    "Dropout",
    "Dropout2d",
    "Embedding",
    "Identity",
    "L1Loss",
    "LayerNorm",
    "Linear",
    "LogSoftmax",
    "MaxPool2d",
    "PReLU",
    "SoftMarginLoss",
    "functional",
    *_convolution.__all__,
    *_layers.__all__,
    *_normalization.__all__,
    *_upsampling.__all__,
]
