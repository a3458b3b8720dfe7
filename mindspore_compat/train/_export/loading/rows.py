"""MINDIR's operators as functions: tables of those that a file may name, so that it reaches nothing else of the
package; their classes, and rows for those with another form in the file.

A bias becomes part of its product or convolution: one call of torch, as in layers. Files separate the two, but torch's
fused kernels round differently, and a network and its file must agree exactly.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch

from mindspore_compat import ops
from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._ops.conv import conv_nd
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.ops import operations as P
from mindspore_compat.train._export.mindir.rows import TYPE_IDS

#: operators that compute from their inputs, and write to tensors of the graph only; by subject
_NAMES: dict[str, str] = {
    "shapes, parts, scattering": "BatchToSpace BatchToSpaceND BatchToSpaceNDV2 BroadcastTo Cast ChannelShuffle Concat "
    "ConfusionMatrix CopyWithSlice DType DepthToSpace Diag "
    "DiagPart DynamicShape EmbeddingLookup Expand ExpandDims ExtractImagePatches Eye Fill FillDiagonal FillV2 Fills "
    "Flatten Gather GatherD "
    "GatherNd GatherV2 Identity IdentityN IndexFill IndexPut InplaceUpdateV2 InvertPermutation ListDiff LowerBound "
    "MaskedFill MaskedScatter "
    "MaskedSelect MatrixBandPart MatrixDiagPartV3 MatrixDiagV3 MatrixSetDiagV3 Meshgrid NonZero NthElement OneHot Ones "
    "OnesLike Pack Padding "
    "ParallelConcat Range Rank Reshape ReverseSequence ReverseV2 Roll ScalarCast ScalarToArray ScalarToTensor "
    "ScatterAdd ScatterAddWithAxis "
    "ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNd ScatterNdAdd ScatterNdDiv ScatterNdMax ScatterNdMin "
    "ScatterNdMul ScatterNdSub "
    "ScatterNdUpdate ScatterNonAliasingAdd ScatterSub ScatterUpdate SearchSorted SegmentMax SegmentMean SegmentMin "
    "SegmentProd SegmentSum "
    "Select Shape Size Slice Sort SpaceToBatch SpaceToBatchND SpaceToDepth SparseGatherV2 Split SplitV Squeeze Stack "
    "StridedSlice "
    "TensorScatterAdd TensorScatterDiv TensorScatterElements TensorScatterMax TensorScatterMin TensorScatterMul "
    "TensorScatterSub "
    "TensorScatterUpdate TensorShape TensorToTuple Tile TopK Transpose TransposeView Tril TrilIndices Triu TriuIndices "
    "TupleToArray TypeAs "
    "Unique UniqueConsecutive UniqueWithPad Unpack UnravelIndex UnsortedSegmentMax UnsortedSegmentMin "
    "UnsortedSegmentProd UnsortedSegmentSum "
    "Unstack UpperBound Zeros ZerosLike",
    "without a public name": "ClipByNorm DynamicBroadcastGradientArgs DynamicBroadcastTo Eigh PSROIPooling "
    "TensorCopySlices Uniform",
    "sparse tensors": "SparseAdd SparseConcat",
    "sparse parts, strings of tokens": "Coalesce CompareAndBitpack DataFormatDimMap DataFormatVecPermute "
    "EditDistance GroupTopk "
    "SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseSegmentMean SparseSegmentMeanWithNumSegments "
    "SparseSegmentSum SparseSegmentSumWithNumSegments SparseSoftmax SparseSparseMaximum SparseSparseMinimum "
    "SparseToDenseV2 "
    "MapUniform NoRepeatNGram RaggedRange SparseSlice SparseTensorDenseAdd SparseTensorDenseMatmul "
    "SparseToDense SubAndFilter",
    "attention": "ApplyRotaryPosEmb PagedAttention ReshapeAndCache",
    "conditions": "Assert CheckNumerics",
    "windows": "AdaptiveMaxPool3D Dilation2D ExtractGlimpse ExtractVolumePatches FractionalAvgPool FractionalMaxPool "
    "FractionalMaxPool3DWithFixedKsize FractionalMaxPoolWithFixedKsize",
    "colours, boxes by score": "AdjustHue AdjustSaturation CombinedNonMaxSuppression NonMaxSuppressionV3 "
    "NonMaxSuppressionWithOverlaps SampleDistortedBoundingBoxV2 ScaleAndTranslate",
    "matrices, special functions": "Betainc MatrixSolveLs TridiagonalMatMul",
    "simulated quantization": "BatchNormFold BatchNormFold2 CorrectionMul FakeLearnedScaleQuantPerChannel "
    "FakeLearnedScaleQuantPerLayer FakeQuantParam FakeQuantPerChannel FakeQuantPerLayer MinMaxUpdatePerChannel "
    "MinMaxUpdatePerLayer",
    "more random numbers": "NonDeterministicInts ParameterizedTruncatedNormal",
    "more changes of Parameters": "ApplyAdagradDA ApplyAdamWithAmsgrad ApplyAdamWithAmsgradV2 FusedSparseFtrl "
    "FusedSparseProximalAdagrad SparseApplyAdadelta SparseApplyAdagradV2 SparseApplyFtrlV2 "
    "SparseApplyProximalAdagrad SparseApplyRMSProp",
    "pictures and boxes": "AffineGrid BoundingBoxDecode BoundingBoxEncode CheckValid CropAndResize HSVToRGB IOU "
    "NMSWithMask PsROIPooling RGBToHSV ROIAlign ResizeArea "
    "ResizeBicubic ResizeBilinear ResizeBilinearV2 ResizeLinear1D ResizeNearestNeighbor ResizeNearestNeighborV2 "
    "ResizeV2",
    "reductions, matrices": "Addcdiv Addcmul ApproximateEqual ArgMaxWithValue ArgMinWithValue Argmax Argmin "
    "BartlettWindow BatchMatMul BlackmanWindow Bucketize Cdist "
    "Cholesky CholeskyInverse CholeskySolve ConjugateTranspose CountNonZero Cross CumProd CumSum Cummax Cummin "
    "CumulativeLogsumexp Eig Einsum "
    "EqualCount EuclideanNorm FFTWithSize FloatStatus HammingWindow Histogram HistogramFixedWidth IndexAdd InplaceAdd "
    "InplaceIndexAdd "
    "InplaceSub InplaceUpdate IsClose Lerp LerpScalar LinSpace LogSoftmaxExt LogSpace Logit LpNorm Lstsq LuUnpack "
    "MatMul MatrixInverse "
    "MatrixLogarithm MatrixPower MatrixSolve MatrixTriangularSolve Median Mvlgamma NPUAllocFloatStatus "
    "NPUClearFloatStatus NPUClearFloatStatusV2 NPUGetFloatStatus NPUGetFloatStatusV2 "
    "NanToNum NuclearNorm Ormqr Pdist Qr Quantile ReduceAll ReduceAny ReduceMax ReduceMean ReduceMin ReduceProd "
    "ReduceStd ReduceSum Renorm "
    "Round STFT SelectView SquareSumAll Sum Svd TransposeExtView",
    "layers and losses": "AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveMaxPool2D AvgPool AvgPool3D BCEWithLogitsLoss "
    "BatchNorm BiasAdd BinaryCrossEntropy "
    "CTCGreedyDecoder CTCLoss CTCLossV2 CeLU Col2Im ComputeAccidentalHits Conv2D Conv2DBackpropInput Conv2DTranspose "
    "Conv3D Conv3DTranspose "
    "DeformableOffsets Dense DepthwiseConv2dNative Dropout Dropout2D Dropout3D DropoutDoMask DropoutGenMask Elu "
    "FastGeLU FastGelu GLU GeLU Gelu "
    "GridSampler2D GridSampler3D HShrink HSigmoid HSwish Im2Col InTopK InstanceNorm KLDivLoss L2Loss L2Normalize LRN "
    "LayerNorm LogSoftmax "
    "AvgPoolV1 MaxPoolV1 ReLUV3 FusedBatchNorm FusedBatchNormEx ScatterElements AddV2 "
    "MaxPool MaxPool3D MaxPool3DWithArgmax MaxPoolWithArgmax MaxPoolWithArgmaxV2 MaxUnpool2D MaxUnpool3D MirrorPad "
    "Mish MultiMarginLoss "
    "MultilabelMarginLoss NLLLoss PReLU Pad PadV3 ReLU ReLU6 RmsNorm SeLU Sigmoid SigmoidCrossEntropyWithLogits "
    "SmoothL1Loss SoftMarginLoss "
    "SoftShrink Softmax SoftmaxCrossEntropyWithLogits Softplus Softsign SparseSoftmaxCrossEntropyWithLogits Tanh "
    "TripletMarginLoss "
    "UpsampleNearest3D UpsampleTrilinear3D",
    "values handed on": "IsConstant MixedPrecisionCast StopGradient identity",
    "element by element and other arithmetic": "ACos Abs AccumulateNV2 Acosh Add AddN Angle Asin Asinh Atan Atan2 "
    "Atanh BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 "
    "BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Bincount BitwiseAnd BitwiseOr BitwiseXor Ceil Complex ComplexAbs "
    "Conj Cos Cosh Digamma Div "
    "DivNoNan Eps Equal Erf Erfc Erfinv Exp Expm1 Floor FloorDiv FloorMod Fmax Fmin Gcd Geqrf Ger Greater GreaterEqual "
    "Heaviside Hypot Igamma "
    "Igammac Imag Inv Invert IsFinite IsInf IsNan Lcm LeftShift Less LessEqual Lgamma Log Log1p LogMatrixDeterminant "
    "LogicalAnd LogicalNot "
    "LogicalOr LogicalXor LuSolve MatrixDeterminant MatrixExp Maximum Minimum Mod Mul MulNoNan Neg NextAfter NotEqual "
    "Orgqr Polar Polygamma "
    "PopulationCount Pow Real RealDiv Reciprocal RightShift Rint Rsqrt Sign Sin Sinc Sinh Sqrt Square "
    "SquaredDifference Sub Tan TensorAdd Trace "
    "Trunc TruncateDiv TruncateMod Xdivy Xlogy Zeta",
    "random numbers": "Bernoulli Cauchy Gamma LogNormalReverse LogUniformCandidateSampler Multinomial "
    "MultinomialWithReplacement Poisson RandomCategorical "
    "RandomChoiceWithMask RandomGamma RandomPoisson RandomShuffle Randperm RandpermV2 StandardLaplace StandardNormal "
    "TruncatedNormal "
    "UniformCandidateSampler UniformInt UniformReal",
    "recurrent layers": "BasicLSTMCell DynamicGRUV2 DynamicRNN LSTM",
    "changes of Parameters: the graph's own": "Adam AdamNoUpdateParam AdamWeightDecay ApplyAdaMax ApplyAdadelta "
    "ApplyAdagrad ApplyAdagradV2 ApplyAddSign ApplyCenteredRMSProp ApplyFtrl "
    "ApplyGradientDescent ApplyKerasMomentum ApplyMomentum ApplyPowerSign ApplyProximalAdagrad "
    "ApplyProximalGradientDescent ApplyRMSProp Assign "
    "AssignAdd AssignSub FusedCastAdamWeightDecay FusedSparseAdam FusedSparseLazyAdam FusedWeightScaleApplyMomentum "
    "FusedAdaFactor FusedAdaFactorWithGlobalNorm LARSUpdate SGD "
    "SparseApplyAdagrad SparseApplyFtrl",
}

#: {operator: the reason to reject it}
REFUSED: dict[str, str] = {
    name: reason
    for reason, names in {
        "it runs a function, a program or a library": "Custom PyFunc HookBackward InsertGradientOf WhileLoop ForiLoop "
        "Scan Morph Reusing",
        "it prints, or writes files or summaries": "DumpGradient Print TensorDump ScalarSummary ImageSummary "
        "TensorSummary HistogramSummary",
        "it exchanges data with other processes": "AllGather AllGatherV AllReduce AlltoAll AlltoAllV AlltoAllVC "
        "Barrier BatchISendIRecv Broadcast CollectiveGather CollectiveScatter NeighborExchange NeighborExchangeV2 "
        "Receive Reduce ReduceScatter ReduceScatterV Send _MirrorOperator _VirtualDataset Push Pull Reshard",
        "it keeps what a program of reinforcement learning has seen": "BufferAppend BufferGetItem BufferSample",
        "it is no computation": "Primitive PrimitiveWithCheck PrimitiveWithInfer ReduceOp MoveTo ControlDepend",
        "it is about types of the source": "IsInstance IsSubClass SameTypeShape",
    }.items()
    for name in names.split()
}

#: {operator: its class}
CLASSES: dict[str, Any] = {name: vars(P)[name] for names in _NAMES.values() for name in names.split()}


Step = tuple[str, Callable[..., Any], list[str]]


class Biased:
    """Operator with ``biased``, the same with a bias behind its inputs."""

    def __init__(self, operator: Callable[..., Any], biased: Callable[..., Any]) -> None:
        self._operator, self.biased = operator, biased

    def __call__(self, *inputs: Any) -> Any:
        return self._operator(*inputs)


class Bias:
    """BiasAdd of a known format."""

    def __init__(self, format: Any) -> None:
        self.format, self._operator = format, ops.operations.BiasAdd(format)

    def __call__(self, x: Any, bias: Any, *_: Any) -> Any:
        return self._operator(x, bias)


def through(value: Any, *_: Any) -> Any:
    """Return the first input, for nodes that pass it on."""
    return value


def biased_product(product: Callable[..., Any], left: bool, right: bool) -> Biased:
    """Return a product of matrices that may enter transposed."""

    def biased(x: Any, y: Any, *rest: Any) -> Any:
        pair = [torch.t(item) if flag else item for item, flag in ((x, left), (y, right))]
        return wrap(kernels.addmm(rest[-1], *pair))

    return Biased(product, biased)


def with_biases(steps: list[Step], outputs: list[str]) -> None:
    """Join each BiasAdd with the operator before it, if its result has no other use and nothing comes in between."""
    uses: dict[str, int] = {}
    for name in [*outputs, *(name for _, _, inputs in steps for name in inputs)]:
        uses[name] = uses.get(name, 0) + 1
    places = {name: place for place, (name, _, _) in enumerate(steps)}
    joined: set[int] = set()
    for place, (name, function, inputs) in enumerate(steps):
        source = places.get(inputs[0], place) if isinstance(function, Bias) and function.format != "NHWC" else place
        made = steps[source][1]
        if (
            source < place
            and isinstance(made, Biased)
            and uses[inputs[0]] == 1
            and all(function is through for _, function, _ in steps[source + 1 : place])
        ):
            steps[place] = name, made.biased, [*steps[source][2], inputs[1]]
            joined.add(source)
    steps[:] = [step for place, step in enumerate(steps) if place not in joined]


_Run = Callable[..., Any]
_TYPES = {number: dtype for dtype, number in TYPE_IDS.items()}
_FORMATS = {0: "NCHW", 1: "NHWC", 14: "NCDHW"}
_PAD_MODES, _REDUCTIONS, _REDUCES = ("pad", "same", "valid"), ("sum", "mean", "none"), ("none", "add", "mul")


def _dtype(number: Any) -> Any:
    return _TYPES[number] if isinstance(number, int) else number


def _of(name: str, *arguments: Any, **more: Any) -> Any:
    """Return an instance of the Primitive of that name."""
    return CLASSES[name](*arguments, **more)


def _tail(value: Any, count: int) -> Any:
    """Return the spatial part of (1, 1, height, width)."""
    return tuple(value)[-count:] if isinstance(value, tuple) else value


# --- operators with other attributes than their class -----------------------------------------------------------------


def _convolution(name: str, spatial: int) -> Callable[[dict[str, Any]], _Run]:
    def row(a: dict[str, Any]) -> _Run:
        mode = a["pad_mode"].lower()
        kernel, pad = _tail(a["kernel_size"], spatial), a.get("pad", 0) if mode == "pad" else 0
        steps: dict[str, Any] = {key: _tail(a.get(key, 1), spatial) for key in ("stride", "dilation")}
        channels, group = a["out_channel"], a.get("group", a.get("groups", 1))
        if name == "Conv2DTranspose":
            transposed = _of(
                "Conv2DTranspose", channels, kernel, mode, pad, mode=a.get("mode", 1), group=group, **steps
            )
            return lambda x, weight, size: transposed(x, weight, tuple(size))
        format = a.get("format", "NCHW")
        plain = _of(name, channels, kernel, a.get("mode", 1), mode, pad, group=group, data_format=format, **steps)
        if format == "NHWC":
            return plain
        sizes = steps["stride"], mode, pad, steps["dilation"], group, name
        return Biased(plain, lambda x, weight, bias: conv_nd(spatial, x, weight, bias, *sizes))

    return row


def _pool(name: str, spatial: int) -> Callable[[dict[str, Any]], _Run]:
    def row(a: dict[str, Any]) -> _Run:
        extra: dict[str, Any] = {
            key: a[key] for key in ("ceil_mode", "count_include_pad", "divisor_override") if key in a
        }
        if "ceil_mode" in extra:
            extra["ceil_mode"] = bool(extra["ceil_mode"])
        if a["pad_mode"].lower() == "pad":
            extra |= {"pad_list" if name == "MaxPool3D" else "pad": a.get("pad_list", a.get("pad", 0))}
        return _of(
            name,
            _tail(a["kernel_size"], spatial),
            _tail(a["strides"], spatial),
            a["pad_mode"],
            **extra,
            **{"data_format": a["format"]} if "format" in a else {},
        )

    return row


def _average(x: Any, kernel: Any, strides: Any, mode: int, format: int) -> Any:
    return _of("AvgPool", kernel, strides, _PAD_MODES[mode], _FORMATS[format])(x)


def _batch_norm(a: dict[str, Any]) -> _Run:
    """Return the row of BatchNorm: 2.10 writes the settings as inputs, 2.0 as attributes."""
    kept = a.get("is_training", False), a.get("epsilon", 1e-5), a.get("momentum", 0.1), a.get("format", 0)

    def run(x: Any, gamma: Any, beta: Any, mean: Any, variance: Any, *settings: Any) -> Any:
        training, eps, momentum, format = settings or kept
        norm = _of("BatchNorm", training, eps, momentum, _FORMATS.get(format, format))
        return norm(x, gamma, beta, mean.detach(), variance.detach())

    return run


def _group_norm(x: Any, groups: int, gamma: Any, beta: Any, eps: float) -> Any:
    if not x.is_contiguous(memory_format=torch.channels_last):  # the memory formats of torch's layer
        x = x.contiguous()
    return wrap(torch.native_group_norm(x, gamma, beta, x.shape[0], x.shape[1], x[0, 0].numel(), groups, eps))


def _grid_sampler(name: str) -> _Run:
    def run(x: Any, grid: Any, mode: Any, padding: Any, corners: bool) -> Any:
        return _of(name, ("bilinear", "nearest", "bicubic")[mode], ("zeros", "border", "reflection")[padding], corners)(
            x, grid
        )

    return run


def _copy_slices(x: Any, value: Any, begin: Any, end: Any, strides: Any) -> Any:
    result = torch.clone(x)
    part = result[tuple(slice(*item) for item in zip(begin, end, strides))]
    part.copy_(torch.reshape(value, part.shape))
    return wrap(result)


def _sum(x: Any, axis: Any = None, keep: bool = False, dtype: Any = None) -> Any:
    return wrap(
        torch.sum(x, dim=axis, keepdim=keep, dtype=_dtype(dtype))
        if axis is not None
        else torch.sum(x, dtype=_dtype(dtype))
    )


def _mean(x: Any, axis: Any = None, keep: bool = False, dtype: Any = None) -> Any:
    return wrap(torch.mean(x, dim=axis, keepdim=keep, dtype=_dtype(dtype)))


def _numeric(function: _Run) -> _Run:
    return lambda *items: wrap(function(*items))


def _size(value: Any) -> Any:
    return tuple(value) if isinstance(value, (tuple, list)) else value


def _clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    return wrap(subgradients.clamp(x, low, high))


def _scatter_value(x: Any, axis: int, index: Any, value: Any, reduce: int = 0) -> Any:
    return wrap(
        (torch.scatter_add if reduce else torch.scatter)(x, axis, index, torch.full_like(index, value, dtype=x.dtype))
    )


def _pool_with_places(a: dict[str, Any]) -> _Run:
    kind = {3: torch.int32, 4: torch.int64}[a["argmax_type"]]
    return _of(
        "MaxPoolWithArgmaxV2",
        *[_tail(a[key], 2) for key in ("kernel_size", "strides", "pads", "dilation")],
        a["ceil_mode"],
        kind,
    )


#: {operator: a function from its attributes to the computation}
_BY_ATTRIBUTES: dict[str, Callable[[dict[str, Any]], _Run]] = {
    "FakeQuantParam": lambda attributes: lambda x: x,  # they hold scale and zero point for converters
    **{name: _convolution(name, spatial) for name, spatial in (("Conv2D", 2), ("Conv2DTranspose", 2), ("Conv3D", 3))},
    **{name: _pool(name, spatial) for name, spatial in (("MaxPool", 2), ("MaxPool3D", 3), ("AvgPool3D", 3))},
    "MaxPoolWithArgmaxV2": _pool_with_places,
    "BatchNorm": _batch_norm,
}

#: {operator: the computation, on all inputs in the file}
_BY_INPUTS: dict[str, _Run] = {
    "AvgPool": _average,
    "GroupNorm": _group_norm,
    "TensorCopySlices": _copy_slices,
    "GridSampler2D": _grid_sampler("GridSampler2D"),
    "GridSampler3D": _grid_sampler("GridSampler3D"),
    "Cast": lambda x, number: (
        x.astype(_dtype(number)) if isinstance(x, torch.Tensor) else wrap(torch.tensor(x, dtype=_dtype(number)))
    ),
    "Argmax": lambda x, axis=-1, number=34: _of("Argmax", axis, _dtype(number))(x),
    "Argmin": lambda x, axis=-1, number=34: _of("Argmin", axis, _dtype(number))(x),
    "TensorScatterElements": lambda x, index, update, axis, reduce: _of(
        "TensorScatterElements", axis, _REDUCES[reduce]
    )(x, index, update),
    "NLLLoss": lambda logits, labels, weight, reduction, ignored: _of("NLLLoss", _REDUCTIONS[reduction], ignored)(
        logits, labels, weight
    ),
    "ReduceStd": lambda x, axis, unbiased, keep: wrap(
        torch.std_mean(x, axis or None, correction=int(unbiased), keepdim=keep)
    ),
    "Max": _numeric(torch.amax),
    "Min": _numeric(torch.amin),
    "SumExt": _sum,
    "MeanExt": _mean,
    "MatMulExt": _numeric(torch.matmul),
    "BatchMatMulExt": _numeric(torch.bmm),
    "Muls": _numeric(torch.mul),
    "Divs": _numeric(torch.div),
    **dict.fromkeys(("AddExt", "AddScalar"), lambda x, y, alpha=1: wrap(torch.add(x, y, alpha=alpha))),
    **dict.fromkeys(("SubExt", "SubScalar"), lambda x, y, alpha=1: wrap(torch.sub(x, y, alpha=alpha))),
    **dict.fromkeys(
        ("DivMod", "DivMods"),
        lambda x, y, mode=0: wrap(torch.div(x, y, rounding_mode=(None, "trunc", "floor")[mode or 0])),
    ),
    **dict.fromkeys(("PowTensorScalar", "PowScalarTensor"), _numeric(torch.pow)),
    **dict.fromkeys(
        ("RemainderTensorScalar", "RemainderTensorTensor", "RemainderScalarTensor"), _numeric(torch.remainder)
    ),
    "FloorDivScalar": _numeric(torch.floor_divide),
    "EqScalar": _numeric(torch.eq),
    "LessScalar": _numeric(torch.lt),
    "GreaterEqualScalar": _numeric(torch.ge),
    **dict.fromkeys(("ClampScalar", "ClampTensor"), _clamp),
    "SliceExt": lambda x, axis, start, end, step: x[(slice(None),) * (axis % x.ndim) + (slice(start, end, step),)],
    "GeluExt": lambda x, approximate=0: ops.gelu(x, ("none", "tanh")[approximate]),
    "LogSoftmaxExt": lambda x, axis=None, dtype=None: wrap(
        torch.log_softmax(x, -1 if axis is None else axis, dtype=_dtype(dtype))
    ),
    "TransposeView": lambda x, order: wrap(torch.permute(x, order)),
    "ExpandDimsView": lambda x, axis: wrap(torch.unsqueeze(x, axis)),
    "NarrowView": lambda x, axis, start, length: wrap(torch.narrow(x, axis, start, length)),
    "TensorMove": lambda x: wrap(torch.clone(x)),
    "SiLU": ops.silu,
    "MaskedFillScalar": lambda x, mask, value: wrap(torch.masked_fill(x, mask, value)),
    "ProdExt": lambda x, axis=None, keep=False, dtype=None: wrap(
        torch.prod(x, dtype=_dtype(dtype)) if axis is None else torch.prod(x, axis, keep, dtype=_dtype(dtype))
    ),
    "Scatter": lambda x, axis, index, update, reduce=0: wrap(
        (torch.scatter_add if reduce else torch.scatter)(x, axis, index, update)
    ),
    "ScalarToTensor": lambda x, number=43: wrap(torch.tensor(x, dtype=_dtype(number))),
    "AdamWeightDecay": lambda *items: _of("AdamWeightDecay")(*items[:9]),
    "SplitWithSize": lambda x, sizes, axis: tuple(map(wrap, torch.split(x, list(sizes), axis))),
    "ScatterValue": _scatter_value,
    "Zeros": lambda size, number=43: ops.zeros(_size(size), _dtype(number)),
    "Ones": lambda size, number=43: ops.ones(_size(size), _dtype(number)),
    **dict.fromkeys(("ZerosLikeExt",), lambda x, number=None: wrap(torch.zeros_like(x, dtype=_dtype(number)))),
    "OnesLikeExt": lambda x, number=None: wrap(torch.ones_like(x, dtype=_dtype(number))),
    "BroadcastToView": lambda x, size: wrap(torch.broadcast_to(x, size)),
    "GatherNdExt": lambda x, index: ops.gather_nd(x, index),
    "Eye": lambda n, m, number: ops.eye(n, m, _dtype(number)),
}


def _in_place(function: _Run) -> Callable[[bool], _Run]:
    """Write the result into the first input, if that may change: a Parameter, or an operator's result in the graph."""

    def of(may_change: bool) -> _Run:
        def run(x: Any, *items: Any) -> Any:
            result = function(x, *items[:-1] if items and items[-1] is None else items)
            if not may_change:
                return wrap(result)
            if isinstance(x, Parameter):
                return ops.assign(x, wrap(result))
            with torch.no_grad() if x.is_leaf else nullcontext():
                torch.Tensor.copy_(x, result)
            return x

        return run

    return of


#: {operator: whether its first input may change → the computation}
IN_PLACE: dict[str, Callable[[bool], _Run]] = {
    name: _in_place(function)
    for name, function in {
        **dict.fromkeys(("InplaceAddExt", "InplaceAddsExt"), lambda x, y, alpha=1: torch.add(x, y, alpha=alpha)),
        **dict.fromkeys(("InplaceSubExt", "InplaceSubScalar"), lambda x, y, alpha=1: torch.sub(x, y, alpha=alpha)),
        **dict.fromkeys(("InplaceMul", "InplaceMuls"), torch.mul),
        **dict.fromkeys(("InplaceDiv", "InplaceDivs"), torch.div),
        "InplaceScatterSrc": torch.scatter,
        "InplaceScatterValue": torch.scatter,
        **dict.fromkeys(("InplaceMaskedFillTensor", "InplaceMaskedFillScalar"), torch.masked_fill),
    }.items()
}


#: arguments that files hold as numbers
_ENUMS: dict[str, Any] = {
    "reduction": _REDUCTIONS,
    "indexing": ("ij", "xy"),
    "data_format": _FORMATS,
    **dict.fromkeys(("argmax_type", "dtype", "output_type"), _TYPES),
}


# --- operators by their class -----------------------------------------------------------------------------------------


def _accepted(instance: Any) -> int:
    """Return the number of named arguments of a call."""
    return sum(
        item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)
        for item in inspect.signature(instance).parameters.values()
    )


def _converted(name: str, value: Any) -> Any:
    if name in _ENUMS and isinstance(value, int):
        return _ENUMS[name][value]
    return (
        to_torch_dtype(value) if name in ("argmax_type", "dtype", "output_type") and isinstance(value, str) else value
    )


def _of_class(cls: Any, attributes: dict[str, Any], inputs: list[Any]) -> _Run:
    """Return an instance with the file's attributes; items behind the inputs of the call are further arguments of the
    constructor.
    """
    names = [name for name in inspect.signature(cls).parameters if name not in ("args", "kwargs")]
    given = {name: attributes[name] for name in names if name in attributes}
    given = {name: _converted(name, value) for name, value in given.items()}
    rest = [name for name in names if name not in given]
    try:
        count = _accepted(cls(**given))
    except TypeError:  # the rest is required
        count = len(inputs) - len(rest)
    if len(inputs) <= count or not rest:
        return cls(**given)
    more = inputs[count:]
    if not any(item is Ellipsis for item in more):
        instance = cls(**given, **{name: _converted(name, value) for name, value in zip(rest, more)})
        return lambda *values: instance(*values[:count])
    return lambda *values: cls(**given, **dict(zip(rest, values[count:])))(*values[:count])


def _bias(attributes: dict[str, Any], inputs: list[Any]) -> _Run:
    format = inputs[2] if len(inputs) > 2 else attributes.get("data_format", attributes.get("format", "NCHW"))
    return Bias(_FORMATS.get(format, format))


def _product(attributes: dict[str, Any], inputs: list[Any]) -> _Run:
    flags = inputs[2:4] or [attributes.get(name, False) for name in ("transpose_a", "transpose_b")]
    return biased_product(_of_class(CLASSES["MatMul"], attributes, inputs), *map(bool, flags))


#: {operator: a function from its attributes and constant inputs to the computation}
_BY_CONSTANTS: dict[str, Callable[[dict[str, Any], list[Any]], _Run]] = {"BiasAdd": _bias, "MatMul": _product}


def operator(kind: str, attributes: dict[str, Any], inputs: list[Any]) -> _Run | None:
    """Return the computation of an operator, None if there is none. ``inputs`` are the constants among its inputs,
    ``...`` for others.
    """
    if kind in _BY_ATTRIBUTES:
        return _BY_ATTRIBUTES[kind](attributes)
    if kind in _BY_CONSTANTS:
        return _BY_CONSTANTS[kind](attributes, inputs)
    cls = CLASSES.get(kind)
    if kind in _BY_INPUTS and (cls is None or not set(inspect.signature(cls).parameters) & set(attributes)):
        return _BY_INPUTS[kind]
    return None if cls is None else _of_class(cls, attributes, inputs)
