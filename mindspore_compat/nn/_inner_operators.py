"""The operators that upstream's layers and losses keep as attributes: scripts shard and tag them
(``dense.matmul.shard(...)``), and Cells derived from a layer call them. Layers here compute without; each is made when
it is asked for (`Cell.__getattr__`).

A row is a layer's name and ``attribute=Operator`` pairs, an operator without arguments or with those of `_ARGUMENTS`.
The names are 2.10's, and of 1.x what projects use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat import log as logger
from mindspore_compat.ops import operations

__all__ = ["NAMES", "inner_operator", "replaced"]

_TABLE = """
LossBase reduce_mean=ReduceMean reduce_sum=ReduceSum mul=Mul cast=Cast
Conv2d conv2d=Conv2D bias_add=BiasAdd
Conv1d conv2d=Conv2D bias_add=BiasAdd expand_dims=ExpandDims squeeze=Squeeze shape=Shape
Conv3d conv3d=Conv3D bias_add=BiasAdd shape=Shape
Conv2dTranspose conv2d_transpose=Conv2DTranspose bias_add=BiasAdd shape=Shape
Conv1dTranspose conv2d_transpose=Conv2DBackpropInput bias_add=BiasAdd expand_dims=ExpandDims squeeze=Squeeze shape=Shape
Conv3dTranspose conv3d_transpose=Conv3DTranspose bias_add=BiasAdd shape=Shape
Dense matmul=MatMul bias_add=BiasAdd reshape=Reshape shape_op=Shape
BiDense matmul=MatMul bias_add=BiasAdd
Embedding expand=ExpandDims reshape_flat=Reshape gather=Gather one_hot=OneHot array_mul=MatMul reshape=Reshape
Embedding get_shp=Shape concat=Concat
EmbeddingLookup gatherv2=SparseGatherV2 embeddinglookup=EmbeddingLookup
EmbeddingLookup gather_revert=Gather reshape_first=Reshape reshape=Reshape unique=Unique shape=Shape
Dropout dropout=Dropout dropout_gen_mask=DropoutGenMask dropout_do_mask=DropoutDoMask
Dropout2d dropout2d=Dropout2D
Dropout3d dropout3d=Dropout3D
MaxPool2d max_pool=MaxPool
AvgPool2d avg_pool=AvgPool
MaxPool1d max_pool=MaxPool reduce_mean=ReduceMean expand=ExpandDims squeeze=Squeeze
AvgPool1d avg_pool=AvgPool reduce_mean=ReduceMean slice=Slice expand=ExpandDims squeeze=Squeeze
MaxPool3d max_pool=MaxPool3D
AvgPool3d avg_pool=AvgPool3D
_BatchNorm shape=Shape reduce_mean=ReduceMean square=Square sqrt=Sqrt cast=Cast dtype=DType reshape=Reshape
_BatchNorm bn_train=BatchNorm bn_infer=BatchNorm
_BatchNorm sub_mean=Sub sub_var=Sub mul_mean=Mul mul_var=Mul assign_sub_mean=AssignSub assign_sub_var=AssignSub
BatchNorm3d shape=Shape reshape=Reshape
LayerNorm layer_norm=LayerNorm
GroupNorm shape=Shape reshape=Reshape reduce_mean=ReduceMean reduce_sum=ReduceSum square=Square sqrt=Sqrt
_InstanceNorm shape=Shape instance_bn=InstanceNorm
ReLU relu=ReLU
ReLU6 relu6=ReLU6
GELU gelu=GeLU
FastGelu fast_gelu=FastGeLU
Tanh tanh=Tanh
Sigmoid sigmoid=Sigmoid
Softmax softmax=Softmax
LogSoftmax log_softmax=LogSoftmax
ELU elu=Elu
PReLU prelu=PReLU
HSwish hswish=HSwish
HSigmoid hsigmoid=HSigmoid
LogSigmoid mul=Mul exp=Exp add=Add rec=Reciprocal log=Log
Mish mish=Mish
SeLU selu=SeLU
CELU celu=CeLU
Softsign softsign=Softsign
SoftShrink softshrink=SoftShrink
HShrink hshrink=HShrink
GLU spilt=Split sigmoid=Sigmoid
RReLU sign=Sign
Softmax2d softmax=Softmax shape=Shape
OneHot onehot=OneHot
Pad pad=Pad
Norm reduce_sum=ReduceSum sqrt=Sqrt squeeze=Squeeze
L1Regularizer abs=Abs reduce_sum=ReduceSum
Tril dtype=DType mul=Mul cast=Cast
Triu dtype=DType mul=Mul cast=Cast
_RNNBase reverse=ReverseV2 reverse_sequence=ReverseSequence
ReduceLogSumExp exp=Exp sum=ReduceSum log=Log max=ReduceMax
Moments cast=Cast reduce_mean=ReduceMean square_diff=SquaredDifference squeeze=Squeeze
MatMul shape_op=Shape expand_op=ExpandDims squeeze_left_op=Squeeze squeeze_right_op=Squeeze reduce_sum_op=ReduceSum
SSIM reduce_mean=ReduceMean concat=Concat
TimeDistributed transpose=Transpose reshape=Reshape
Roll shape_op=Shape
ChannelShuffle shape=Shape reshape=Reshape transpose=Transpose
SmoothL1Loss smooth_l1_loss=SmoothL1Loss
SoftmaxCrossEntropyWithLogits softmax_cross_entropy=SoftmaxCrossEntropyWithLogits one_hot=OneHot
SoftmaxCrossEntropyWithLogits sparse_softmax_cross_entropy=SparseSoftmaxCrossEntropyWithLogits
CosineEmbeddingLoss maximum=Maximum
DiceLoss reshape=Reshape
MultiClassDiceLoss reshape=Reshape
FocalLoss expand_dims=ExpandDims gather_d=GatherD squeeze=Squeeze tile=Tile dtype=DType
MAELoss abs=Abs
Optimizer assignadd=AssignAdd
Momentum opt=ApplyMomentum
Adam opt=Adam sparse_opt=FusedSparseAdam
RMSELoss dtype=DType
Distribution cast_base=Cast dtype_base=DType sq_base=Square sqrt_base=Sqrt shape_base=Shape log_base=Log exp_base=Exp
Distribution abs=Abs cast=Cast const=ScalarToTensor dtypeop=DType erf=Erf exp=Exp expm1=Expm1 floor=Floor
Distribution greater=Greater igamma=Igamma less=Less lessequal=LessEqual lgamma=Lgamma log=Log log1p=Log1p
Distribution logicaland=LogicalAnd neg=Neg pow=Pow select=Select shape=Shape sq=Square sqrt=Sqrt
Distribution squeeze=Squeeze zeroslike=ZerosLike
Bijector cast_base=Cast dtype_base=DType shape_base=Shape
Bijector abs=Abs cast=Cast dtypeop=DType exp=Exp expm1=Expm1 log=Log log1p=Log1p pow=Pow shape=Shape
"""

_OPERATORS: dict[str, dict[str, str]] = {}
for _line in _TABLE.split("\n"):
    if _line:
        _layer, *_pairs = _line.split()
        _OPERATORS.setdefault(_layer, {}).update(pair.split("=") for pair in _pairs)  # type: ignore[misc]
#: attributes of some layer
NAMES = frozenset(name for row in _OPERATORS.values() for name in row)


def _convolution(layer: Any, **more: Any) -> dict[str, Any]:
    return {
        "out_channel": layer.out_channels,
        "kernel_size": layer.kernel_size,
        "pad_mode": layer.pad_mode,
        "pad": layer.padding,
        "stride": layer.stride,
        "dilation": layer.dilation,
        "group": layer.group,
        **more,
    }


def _pooling(layer: Any, **more: Any) -> dict[str, Any]:
    return {"kernel_size": layer.kernel_size, "strides": layer.stride, "pad_mode": layer.pad_mode, **more}


_ARGUMENTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "Conv2d.conv2d": lambda layer: _convolution(layer, data_format=layer.data_format),
    "Conv2d.bias_add": lambda layer: {"data_format": layer.data_format},
    "Conv1d.conv2d": _convolution,
    "Conv1d.squeeze": lambda layer: {"axis": 2},
    "Conv1dTranspose.squeeze": lambda layer: {"axis": 2},
    "Conv3d.conv3d": _convolution,
    "Conv3d.bias_add": lambda layer: {"data_format": "NCDHW"},
    "Conv3dTranspose.bias_add": lambda layer: {"data_format": "NCDHW"},
    "Conv2dTranspose.conv2d_transpose": lambda layer: {**_convolution(layer), "out_channel": layer.in_channels},
    "Conv1dTranspose.conv2d_transpose": lambda layer: {**_convolution(layer), "out_channel": layer.in_channels},
    "Conv3dTranspose.conv3d_transpose": lambda layer: {
        **{key: value for key, value in _convolution(layer).items() if key != "out_channel"},
        "in_channel": layer.in_channels,
        "out_channel": layer.out_channels,
    },
    "Dense.matmul": lambda layer: {"transpose_b": True},
    "Dropout.dropout": lambda layer: {"keep_prob": 1.0 - layer._rate},
    "Dropout2d.dropout2d": lambda layer: {"keep_prob": layer.keep_prob},
    "Dropout3d.dropout3d": lambda layer: {"keep_prob": layer.keep_prob},
    "MaxPool2d.max_pool": lambda layer: _pooling(layer, data_format=layer.format),
    "AvgPool2d.avg_pool": lambda layer: _pooling(layer, data_format=layer.format),
    "MaxPool1d.max_pool": lambda layer: _pooling(layer, kernel_size=(1, layer.kernel_size), strides=(1, layer.stride)),
    "AvgPool1d.avg_pool": lambda layer: _pooling(layer, kernel_size=(1, layer.kernel_size), strides=(1, layer.stride)),
    "MaxPool1d.squeeze": lambda layer: {"axis": 2},
    "AvgPool1d.squeeze": lambda layer: {"axis": 2},
    "MaxPool1d.reduce_mean": lambda layer: {"keep_dims": True},
    "AvgPool1d.reduce_mean": lambda layer: {"keep_dims": True},
    "MaxPool3d.max_pool": _pooling,
    "AvgPool3d.avg_pool": _pooling,
    "_BatchNorm.bn_train": lambda layer: {
        "is_training": True,
        "epsilon": layer._eps,
        "momentum": layer._momentum,
        "data_format": layer.format,
    },
    "_BatchNorm.bn_infer": lambda layer: {"is_training": False, "epsilon": layer._eps, "data_format": layer.format},
    "_BatchNorm.reduce_mean": lambda layer: {"keep_dims": True},
    "LayerNorm.layer_norm": lambda layer: {
        "begin_norm_axis": layer._axis,
        "begin_params_axis": layer.begin_params_axis,
        "epsilon": layer._epsilon,
    },
    "_InstanceNorm.instance_bn": lambda layer: {"epsilon": layer.eps, "momentum": layer.momentum},
    "Softmax.softmax": lambda layer: {"axis": layer.axis},
    "LogSoftmax.log_softmax": lambda layer: {"axis": layer.axis},
    "Softmax2d.softmax": lambda layer: {"axis": -3},
    "CELU.celu": lambda layer: {"alpha": layer.alpha},
    "SoftShrink.softshrink": lambda layer: {"lambd": layer.lambd},
    "HShrink.hshrink": lambda layer: {"lambd": layer.lambd},
    "GLU.spilt": lambda layer: {"axis": layer.dim, "output_num": 2},
    "OneHot.onehot": lambda layer: {"axis": layer.axis},
    "Pad.pad": lambda layer: {"paddings": layer.paddings},
    "Norm.reduce_sum": lambda layer: {"keep_dims": True},
    "_RNNBase.reverse": lambda layer: {"axis": [0]},
    "_RNNBase.reverse_sequence": lambda layer: {"seq_dim": 0, "batch_dim": 1},
    "ReduceLogSumExp.sum": lambda layer: {"keep_dims": layer.keep_dims},
    "ReduceLogSumExp.max": lambda layer: {"keep_dims": True},
    "Moments.reduce_mean": lambda layer: {"keep_dims": True},
    "Momentum.opt": lambda optimizer: {"use_nesterov": optimizer.use_nesterov},
    "Adam.opt": lambda optimizer: {"use_locking": optimizer.use_locking, "use_nesterov": optimizer.use_nesterov},
    "Adam.sparse_opt": lambda optimizer: {
        "use_locking": optimizer.use_locking,
        "use_nesterov": optimizer.use_nesterov,
    },
    "Distribution.squeeze": lambda distribution: {"axis": 0},
    "SmoothL1Loss.smooth_l1_loss": lambda layer: {"beta": layer.beta, "reduction": layer.reduction},
}


def inner_operator(cell: Any, name: str) -> Any:
    """The operator that upstream's layer keeps as attribute ``name``, which is the Cell's own from then on; None where
    it keeps none.
    """
    if name not in NAMES:
        return None
    if (base := _layer_of(cell, name)) is None:
        return None
    arguments = _ARGUMENTS.get(f"{base.__name__}.{name}")
    made = getattr(operations, _OPERATORS[base.__name__][name])(**(arguments(cell) if arguments else {}))
    cell.__dict__[name] = made
    return made


def _layer_of(cell: Any, name: str) -> type | None:
    """The class of ours whose row has the name."""
    for base in type(cell).__mro__:
        if str(base.__module__).startswith("mindspore_compat.nn.") and name in _OPERATORS.get(base.__name__, {}):
            return base
    return None


def replaced(cell: Any, name: str) -> None:
    """Says that a layer of ours goes on without the operator that is put in the place of its own."""
    computes = str(type(cell).construct.__module__)
    if ".probability." in computes:  # `construct` only passes on to the methods, which may be the program's
        return
    if computes.startswith("mindspore_compat.nn.") and _layer_of(cell, name) is not None:
        logger.warning(
            f"'{type(cell).__name__}' computes without its attribute '{name}', so that replacing it changes nothing. "
            "Derive from the layer and write 'construct' to compute otherwise."
        )
