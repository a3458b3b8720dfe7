"""Layers whose attributes are set after they were made, each to another value of its kind: which count?
tests/golden/make_json.py attributes notes what real MindSpore computes; the module has to work without anything of this
repository.

A line is ``layer|arguments|inputs``.
"""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import numpy as np

from tests.support.noted import noted

LAYERS = [
    line.strip()
    for line in """
    Dense|in_channels=4,out_channels=3|X(2,4)
    Dense|in_channels=4,out_channels=3,activation='relu'|X(2,4)
    Conv1d|in_channels=4,out_channels=4,kernel_size=3,has_bias=True|X(2,4,9)
    Conv2d|in_channels=4,out_channels=4,kernel_size=3,has_bias=True|X(1,4,9,9)
    Conv2d|in_channels=4,out_channels=4,kernel_size=3,pad_mode='pad',padding=1|X(1,4,9,9)
    Conv3d|in_channels=2,out_channels=2,kernel_size=3|X(1,2,5,5,5)
    Conv1dTranspose|in_channels=4,out_channels=4,kernel_size=3|X(2,4,9)
    Conv2dTranspose|in_channels=4,out_channels=4,kernel_size=3|X(1,4,6,6)
    Conv3dTranspose|in_channels=2,out_channels=2,kernel_size=3|X(1,2,4,4,4)
    MaxPool1d|kernel_size=3,stride=2|X(2,4,9)
    MaxPool2d|kernel_size=3,stride=2|X(2,4,9,9)
    MaxPool2d|kernel_size=3,stride=2,pad_mode='pad',padding=1|X(2,4,9,9)
    MaxPool3d|kernel_size=3,stride=2|X(1,2,9,9,9)
    AvgPool1d|kernel_size=3,stride=2|X(2,4,9)
    AvgPool2d|kernel_size=3,stride=2|X(2,4,9,9)
    AvgPool2d|kernel_size=3,stride=2,pad_mode='pad',padding=1|X(2,4,9,9)
    AvgPool3d|kernel_size=3,stride=2|X(1,2,9,9,9)
    LPPool1d|norm_type=2,kernel_size=3|P(2,4,9)
    LPPool2d|norm_type=2,kernel_size=3|P(2,4,9,9)
    AdaptiveAvgPool1d|output_size=3|X(2,4,9)
    AdaptiveAvgPool2d|output_size=3|X(2,4,9,9)
    AdaptiveAvgPool3d|output_size=3|X(1,2,6,6,6)
    AdaptiveMaxPool1d|output_size=3|X(2,4,9)
    AdaptiveMaxPool2d|output_size=3|X(2,4,9,9)
    AdaptiveMaxPool3d|output_size=3|X(1,2,6,6,6)
    MaxUnpool1d|kernel_size=2|X(1,2,4),Tensor(np.array([[[0,2,4,6],[1,3,5,7]]]))
    MaxUnpool2d|kernel_size=2|X(1,1,2,2),Tensor(np.array([[[[0,2],[8,10]]]]))
    BatchNorm1d|num_features=4|X(3,4)
    BatchNorm2d|num_features=4|X(3,4,5,5)
    BatchNorm3d|num_features=4|X(3,4,2,2,2)
    GroupNorm|num_groups=2,num_channels=4|X(3,4,5,5)
    LayerNorm|normalized_shape=(4,)|X(3,4)
    InstanceNorm1d|num_features=4|X(3,4,5)
    InstanceNorm2d|num_features=4|X(3,4,5,5)
    Embedding|vocab_size=5,embedding_size=3|I(2,3)
    Embedding|vocab_size=5,embedding_size=3,use_one_hot=True|I(2,3)
    EmbeddingLookup|vocab_size=5,embedding_size=3|I(2,3)
    OneHot|depth=4|I(2,3)
    Softmax||X(2,3,4)
    LogSoftmax||X(2,3)
    Softmin||X(2,3)
    Softmax2d||X(2,3,4,4)
    ELU||X(2,3)
    CELU||X(2,3)
    LeakyReLU||X(2,3)
    GELU||X(2,3)
    HShrink||X(2,3)
    SoftShrink||X(2,3)
    Threshold|threshold=0.1,value=2.0|X(2,3)
    Hardtanh||X(2,3)
    GLU||X(2,4)
    PReLU|channel=3|X(2,3)
    RReLU|lower=0.2,upper=0.2|X(2,3)
    Flatten||X(2,3,4)
    Unflatten|axis=1,unflattened_size=(2,2)|X(2,4)
    Pad|paddings=((1,1),(2,2))|X(3,4)
    ConstantPad1d|padding=1,value=0.5|X(2,3,4)
    ConstantPad2d|padding=1,value=0.5|X(2,3,4,4)
    ReflectionPad1d|padding=1|X(2,3,4)
    ReflectionPad2d|padding=1|X(2,3,4,4)
    ReplicationPad2d|padding=1|X(2,3,4,4)
    ZeroPad2d|padding=1|X(2,3,4,4)
    PixelShuffle|upscale_factor=2|X(1,16,4,4)
    PixelUnshuffle|downscale_factor=2|X(1,4,4,4)
    Upsample|size=(6,6)|X(1,2,3,3)
    Upsample|scale_factor=(2.0,2.0),recompute_scale_factor=True|X(1,2,3,3)
    Unfold|ksizes=[1,2,2,1],strides=[1,2,2,1],rates=[1,1,1,1]|X(1,2,4,4)
    Tril||X(3,3)
    Triu||X(3,3)
    L1Loss||X(2,3),P(2,3)
    MSELoss||X(2,3),P(2,3)
    SmoothL1Loss||X(2,3),P(2,3)
    HuberLoss||X(2,3),P(2,3)
    SoftMarginLoss||X(2,3),P(2,3)
    BCELoss||P(2,3),P(2,3)
    BCEWithLogitsLoss||X(2,3),P(2,3)
    CrossEntropyLoss||X(2,3),I(2)
    NLLLoss||X(2,3),I(2)
    SoftmaxCrossEntropyWithLogits|sparse=True|X(2,3),I(2)
    SoftmaxCrossEntropyWithLogits|sparse=True,reduction='mean'|X(2,3),I(2)
    SoftmaxCrossEntropyWithLogits|reduction='sum'|X(2,3),P(2,3)
    KLDivLoss||X(2,3),P(2,3)
    PoissonNLLLoss||P(2,3),P(2,3)
    GaussianNLLLoss||X(2,3),P(2,3),P(2,3)
    HingeEmbeddingLoss||X(2,3),Tensor(np.array([[1,-1,1],[-1,1,1]],np.float32))
    CosineEmbeddingLoss||X(2,3),P(2,3),Tensor(np.array([1,-1],np.int32))
    MarginRankingLoss||X(2),P(2),Tensor(np.array([1,-1],np.float32))
    MultiMarginLoss||X(2,3),Tensor(np.array([1,0],np.int64))
    MultiLabelSoftMarginLoss||X(2,3),P(2,3)
    TripletMarginLoss||X(2,3),P(2,3),X(2,3)*0.5
    TripletMarginWithDistanceLoss||X(2,3),P(2,3),X(2,3)*0.5
    DiceLoss||P(2,3),P(2,3)
    MultiClassDiceLoss||P(2,3),P(2,3)
    FocalLoss||X(2,3),I(2,1)
    RMSELoss||X(2,3),P(2,3)
    MAELoss||X(2,3),P(2,3)
    Norm|axis=0|X(2,3)
    Moments|axis=0|X(2,3)
    MatMul||X(2,3),X(3,2)
    Range|start=1,limit=7,delta=2|
    ClipByNorm||X(2,3),Tensor(1.0)
    L1Regularizer|scale=0.5|X(2,3)
    SSIM|max_val=1.0,filter_size=3|P(1,1,8,8),P(1,1,8,8)*0.9
    PSNR||P(1,1,8,8),P(1,1,8,8)*0.9
    ImageGradients||P(1,1,4,4)
    CentralCrop|central_fraction=0.5|P(1,8,8)
    ReduceLogSumExp|axis=0|X(2,3)
    BiDense|in1_channels=2,in2_channels=3,out_channels=2|X(2,2),X(2,3)
    RNN|input_size=3,hidden_size=4|X(5,2,3)
    LSTM|input_size=3,hidden_size=4|X(5,2,3)
    GRU|input_size=3,hidden_size=4|X(5,2,3)
    RNNCell|input_size=3,hidden_size=4|X(2,3),X(2,4)
    LSTMCell|input_size=3,hidden_size=4|X(2,3),(X(2,4),P(2,4))
    GRUCell|input_size=3,hidden_size=4|X(2,3),X(2,4)
    ChannelShuffle|groups=2|X(1,4,3,3)
    Roll|shift=1,axis=0|X(2,3)
    Dropout|p=0.0|X(2,3)
    Dropout1d|p=0.0|X(2,3,4)
    Dropout2d|p=0.0|X(2,3,4,4)
    LRN||P(1,4,3,3)
    Identity||X(2)
    MultiheadAttention|embed_dim=4,num_heads=2|X(3,2,4),X(3,2,4),X(3,2,4)
    TransformerEncoderLayer|d_model=4,nhead=2,dim_feedforward=6,dropout=0.0|X(3,2,4)
    TransformerDecoderLayer|d_model=4,nhead=2,dim_feedforward=6,dropout=0.0|X(3,2,4),X(3,2,4)
    SyncBatchNorm|num_features=4|X(3,4,2,2)
    LogSigmoid||X(2,3)
    HSwish||X(2)
    Mish||X(2)
    Tanhshrink||X(2)
    FastGelu||X(2)
    ReLU6||X(2)
""".strip().split("\n")
]
#: what a word is set to
_WORDS = {
    **{"mean": "sum", "sum": "none", "none": "mean", "valid": "same", "same": "valid", "pad": "same", "NCHW": "NHWC"},
    **{"NCDHW": "NDHWC", "nearest": "bilinear", "zeros": "ones", "normal": "ones", "CONSTANT": "REFLECT"},
    **{"tanh": "relu", "relu": "gelu"},
}
_NOT_SET = ("self", "args", "kwargs", "dtype", "name")


def _others(value: Any) -> list:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, 2 if value != 2 else 1]
    if isinstance(value, float):
        return [value * 0.5 + 0.3]
    if isinstance(value, str):
        return [_WORDS[value]] if value in _WORDS else []
    if isinstance(value, tuple) and value and all(isinstance(item, int) for item in value):
        return [[item + 1 for item in value], 2]
    return [2, 0.5] if value is None else []


class Under:
    """The cases under one MindSpore."""

    def __init__(self, ms: ModuleType | Any) -> None:
        self.ms = ms
        self.scope = {"nn": ms.nn, "Tensor": ms.Tensor, "np": np, "X": self._waves, "P": self._positive, "I": self._ids}

    def _waves(self, *shape: int) -> Any:
        return self.ms.Tensor(self._of(np.sin, shape, 1.3, 0.4) * np.float32(1.5))

    def _positive(self, *shape: int) -> Any:
        return self.ms.Tensor(np.abs(self._of(np.sin, shape, 1.3, 0.4)) * np.float32(0.8) + np.float32(0.1))

    def _ids(self, *shape: int) -> Any:
        return self.ms.Tensor((np.arange(int(np.prod(shape))).reshape(shape) % 3).astype(np.int32))

    @staticmethod
    def _of(wave: Any, shape: tuple[int, ...], step: float, start: float) -> np.ndarray:
        return wave(np.arange(int(np.prod(shape))) * step + start).reshape(shape).astype(np.float32)

    def layer(self, line: str) -> Any:
        """The layer of a line, with weights that do not depend on chance."""
        name, given, _ = line.split("|")
        made = eval(f"nn.{name}({given})", self.scope)
        for key, parameter in sorted(made.parameters_dict().items()):
            weights = self._of(np.cos, parameter.shape, 0.7, len(key) % 3) * np.float32(0.4)
            lift = 0.6 if "var" in key or "gamma" in key else 0
            parameter.set_data(self.ms.Tensor(weights + np.float32(lift)))
        return made

    def settings(self, line: str) -> list[tuple[str, Any]]:
        """(attribute, another value) of the layer's arguments that it keeps."""
        made = self.layer(line)
        names = inspect.signature(type(made).__init__).parameters
        kept = [name for name in names if name not in _NOT_SET and hasattr(made, name)]
        return [(name, value) for name in kept for value in _others(getattr(made, name))]

    def computed(self, line: str, attribute: str = "", value: Any = None) -> list | None:
        """Shapes and first numbers of what the layer gives, after one attribute was set; None where it raises."""
        made = self.layer(line)
        if attribute:
            try:
                setattr(made, attribute, tuple(value) if isinstance(value, list) else value)
            except Exception:
                return None
        try:
            return noted(eval(f"layer({line.split('|')[2]})", {**self.scope, "layer": made}), throughout=True)
        except Exception:
            return None
