"""Operators that are attributes of MindSpore's layers and losses. The zoo (`research/mm/opt/src/model_mindspore`,
`research/cv/FCN8s/src/nets/FCN8s.py`, `research/cv/NFNet/src/models/NFNet/std_conv.py`), mindscience
(`MindFlow/mindflow/core/optimizers.py`), reinforcement (`example/sac/src/tanh_normal.py`) and mindformers
(`mindformers/modules/layers.py`) shard and tag them (``dense.matmul.shard(...)``), or call them in Cells derived from a
layer, as vega (`vega/modules/loss/ms_custom_loss.py`), mindspore-hp-vae-gan (`src/tools/spectral_norm.py`) and
mindspore-lab/models (`research/huawei-noah/MultiSFS/pruner.py`).

Layers here do not use them; each is made on first access (`Cell.__getattr__`). A row is a layer's name and
``attribute=Operator`` pairs, an operator without arguments or with those of `_ARGUMENTS`, or a number. A row has a
borrower (`tests/libraries/contracts.json` has those that Cells of libraries use).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat import log as logger
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.ops import operations

_TABLE = """
Cell cast=Cast
LossBase reduce_mean=ReduceMean reduce_sum=ReduceSum mul=Mul
Conv2d conv2d=Conv2D bias_add=BiasAdd
Conv1d conv2d=Conv2D bias_add=BiasAdd expand_dims=ExpandDims squeeze=Squeeze shape=Shape
Conv3d conv3d=Conv3D bias_add=BiasAdd
Conv2dTranspose conv2d_transpose=Conv2DTranspose bias_add=BiasAdd
Dense matmul=MatMul bias_add=BiasAdd reshape=Reshape shape_op=Shape
Embedding expand=ExpandDims gather=Gather one_hot=OneHot on_value=1 off_value=0 array_mul=MatMul concat=Concat
Embedding get_shp=Shape reshape=Reshape reshape_flat=Reshape
VocabEmbedding gather=Gather
TransformerEncoderLayer add=Add mul=Mul assign=Assign
Dropout dropout=Dropout dropout_gen_mask=DropoutGenMask dropout_do_mask=DropoutDoMask
MaxPool2d max_pool=MaxPool
_BatchNorm bn_train=BatchNorm bn_infer=BatchNorm
LayerNorm layer_norm=LayerNorm
GroupNorm shape=Shape reshape=Reshape reduce_mean=ReduceMean reduce_sum=ReduceSum square=Square sqrt=Sqrt
ReLU relu=ReLU
GELU gelu=GeLU
Tanh tanh=Tanh
Softmax softmax=Softmax
LogSoftmax log_softmax=LogSoftmax
LogSigmoid mul=Mul exp=Exp add=Add rec=Reciprocal log=Log
SoftmaxCrossEntropyWithLogits softmax_cross_entropy=SoftmaxCrossEntropyWithLogits one_hot=OneHot on_value=1 off_value=0
SoftmaxCrossEntropyWithLogits sparse_softmax_cross_entropy=SparseSoftmaxCrossEntropyWithLogits
DiceLoss reshape=Reshape
Optimizer assignadd=AssignAdd
Momentum opt=ApplyMomentum
Adam opt=Adam sparse_opt=FusedSparseAdam
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
    "Conv3d.conv3d": _convolution,
    "Conv2dTranspose.conv2d_transpose": lambda layer: {**_convolution(layer), "out_channel": layer.in_channels},
    "Dense.matmul": lambda layer: {"transpose_b": True},
    "Dropout.dropout": lambda layer: {"keep_prob": 1.0 - layer._rate},
    "MaxPool2d.max_pool": lambda layer: _pooling(layer, data_format=layer.format),
    "_BatchNorm.bn_train": lambda layer: {
        "is_training": True,
        "epsilon": layer._eps,
        "momentum": layer._momentum,
        "data_format": layer.format,
    },
    "_BatchNorm.bn_infer": lambda layer: {"is_training": False, "epsilon": layer._eps, "data_format": layer.format},
    "LayerNorm.layer_norm": lambda layer: {
        "begin_norm_axis": layer._axis,
        "begin_params_axis": layer.begin_params_axis,
        "epsilon": layer._epsilon,
    },
    "GroupNorm.reduce_mean": lambda layer: {"keep_dims": True},
    "GroupNorm.reduce_sum": lambda layer: {"keep_dims": True},
    "Softmax.softmax": lambda layer: {"axis": layer.axis},
    "LogSoftmax.log_softmax": lambda layer: {"axis": layer.axis},
    "Momentum.opt": lambda optimizer: {"use_nesterov": optimizer.use_nesterov},
    "Adam.opt": lambda optimizer: {"use_locking": optimizer.use_locking, "use_nesterov": optimizer.use_nesterov},
    "Adam.sparse_opt": lambda optimizer: {"use_locking": optimizer.use_locking, "use_nesterov": optimizer.use_nesterov},
    "Distribution.squeeze": lambda distribution: {"axis": 0},
}


def inner_operator(cell: Any, name: str) -> Any:
    """Return MindSpore's operator under the attribute ``name``, and store it in the Cell; None if there is none."""
    if name not in NAMES:
        return None
    if (base := _layer_of(cell, name)) is None:
        return None
    arguments, entry = _ARGUMENTS.get(f"{base.__name__}.{name}"), _OPERATORS[base.__name__][name]
    if entry.isdigit():
        made: Any = Tensor(float(entry))
    else:
        made = getattr(operations, entry)(**(arguments(cell) if arguments else {}))
    cell.__dict__[name] = made
    return made


def _layer_of(cell: Any, name: str) -> type | None:
    """Return this package's class whose row has the name."""
    for base in type(cell).__mro__:
        if str(base.__module__).startswith("mindspore_compat.nn.") and name in _OPERATORS.get(base.__name__, {}):
            return base
    return None


def replaced(cell: Any, name: str) -> None:
    """Log that a layer of this package ignores an operator set in place of its own."""
    computes = str(type(cell).construct.__module__)
    # `construct` of distributions only passes on to the methods, and a Cell with methods alone has none
    if ".probability." in computes or computes == "mindspore_compat.nn.cell":
        return
    if computes.startswith("mindspore_compat.nn.") and _layer_of(cell, name) is not None:
        logger.warning(
            f"'{type(cell).__name__}' computes without its attribute '{name}', so that replacing it changes nothing. "
            "Derive from the layer and write 'construct' to compute otherwise."
        )
