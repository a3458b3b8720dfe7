"""MindSpore's names of the inputs of operators in class form, where the functions have other or no names: a Primitive
may be called by them (``ops.BatchNorm()(input_x=x, scale=…)``).
"""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["positional"]

_NAMES = """
    AccumulateNV2: inputs
    AdamWeightDecay: var m v lr beta1 beta2 epsilon decay gradient
    AdaptiveAvgPool2D: x
    AdaptiveAvgPool3D: x
    AdaptiveMaxPool2D: input
    AddN: inputs
    AdjustHue: images delta
    AdjustSaturation: images scale
    AffineGrid: theta output_size
    ApplyFtrl: var accum linear grad lr l1 l2 lr_power
    ApplyMomentum: variable accumulation learning_rate gradient momentum
    ApplyProximalAdagrad: var accum lr l1 l2 grad
    ApplyRMSProp: var mean_square moment learning_rate grad rho momentum epsilon
    AvgPool3D: input
    BCEWithLogitsLoss: input target weight posWeight
    BatchMatMul: x y
    BatchNorm: input_x scale bias mean variance
    BiasAdd: input_x bias
    BinaryCrossEntropy: input target weight
    BroadcastTo: input
    Bucketize: input
    CTCLoss: inputs labels_indices labels_values sequence_length
    Cast: input_x dtype
    ChannelShuffle: x
    CholeskySolve: x1 x2
    Col2Im: x output_size
    Complex: real imag
    ComplexAbs: x
    Conv2D: x w
    Conv2DBackpropInput: out_backprop filter input_sizes
    Conv3D: x w
    Conv3DTranspose: x filter
    CopyWithSlice: x y
    CropAndResize: x boxes box_index crop_size
    Cummax: input
    Cummin: input
    DeformableOffsets: x offsets
    DepthToSpace: x
    DepthwiseConv2dNative: x w
    Dilation2D: x filter
    DivNoNan: x1 x2
    DynamicShape: tensor
    Einsum: inputs
    EmbeddingLookup: params indices offset
    Expand: x shape
    ExtractImagePatches: input_x
    FFTWithSize: x
    FakeLearnedScaleQuantPerChannel: input_x alpha quant_max
    FakeLearnedScaleQuantPerLayer: input_x alpha quant_max
    FakeQuantPerChannel: x min max
    FakeQuantPerLayer: x min max
    Fill: dtype dims x
    FillDiagonal: input_x
    FloorDiv: input other
    Fmax: x1 x2
    Fmin: x1 x2
    FractionalAvgPool: x
    FractionalMaxPool: x
    FractionalMaxPool3DWithFixedKsize: x random_samples
    FractionalMaxPoolWithFixedKsize: input_x random_samples
    FusedSparseAdam: var m v beta1_power beta2_power lr beta1 beta2 epsilon grad indices
    FusedSparseFtrl: var accum linear grad indices
    FusedSparseLazyAdam: var m v beta1_power beta2_power lr beta1 beta2 epsilon grad indices
    FusedSparseProximalAdagrad: var accum lr l1 l2 grad indices
    FusedWeightScaleApplyMomentum: weight_decay loss_scale variable accumulation learning_rate gradient momentum
    GatherV2: params indices axis
    Gelu: x
    Ger: x1 x2
    GridSampler2D: input_x grid
    GridSampler3D: input_x grid
    HammingWindow: length
    Heaviside: x values
    HistogramFixedWidth: x range
    Hypot: x1 x2
    Igamma: a x
    Igammac: a x
    Im2Col: x
    InTopK: x1 x2 k
    IndexAdd: input_x indices input_y
    IndexFill: x dim index value
    InplaceAdd: x v
    InplaceIndexAdd: var indices updates
    InplaceSub: x v
    InplaceUpdate: x v
    IsNan: x
    LayerNorm: input_x gamma beta
    Lcm: x1 x2
    LeftShift: x1 x2
    Lgamma: x
    LinSpace: start stop num
    Load: ref u
    LogicalAnd: x y
    LogicalOr: x y
    LpNorm: input
    MaxPool3DWithArgmax: x
    MaxPoolWithArgmaxV2: x
    MaxUnpool2D: x argmax
    MaxUnpool3D: x argmax
    MirrorPad: x paddings
    MixedPrecisionCast: dst_dtype input_x
    MultinomialWithReplacement: x seed offset
    Mvlgamma: x
    NeighborExchange: tensor
    NeighborExchangeV2: tensor
    OnesLike: x
    Orgqr: x tau
    Ormqr: x tau other
    Pad: x
    PagedAttention: query key_cache value_cache block_tables context_lens antiquant_scale antiquant_offset attn_mask q_seq_lens alibi_mask
    Pdist: x
    Polygamma: a x
    PopulationCount: input
    Pull: key weight
    Push: optim_inputs optim_input_shapes
    RaggedRange: starts limits deltas
    RandomCategorical: logits num_samples seed
    RandomShuffle: input_x
    Rank: x
    ReLUV3: x
    ReduceAll: input axis
    Renorm: x
    Reshard: tensor
    ResizeBicubic: image size
    ResizeBilinearV2: image size
    ResizeNearestNeighbor: input_x
    ResizeNearestNeighborV2: image size
    ReverseSequence: x seq_lengths
    ReverseV2: input
    RightShift: input_x input_y
    Rint: x
    Roll: input
    SGD: parameters gradient learning_rate accum momentum stat
    STFT: x window
    ScalarToTensor: x dtype
    ScatterAdd: x indices updates
    ScatterNdAdd: x indices updates
    ScatterNdUpdate: input_x indices value
    ScatterUpdate: x indices updates
    SearchSorted: sorted_sequence values sorter
    SelectView: input_tensor input_indices axis
    Shape: x
    SigmoidCrossEntropyWithLogits: predict target
    Slice: input begin size
    Softplus: x
    Sort: x
    SpaceToDepth: x
    SparseApplyFtrl: var accum linear grad indices
    SparseApplyProximalAdagrad: var accum lr l1 l2 grad indices
    SparseGatherV2: params indices axis
    SparseSoftmaxCrossEntropyWithLogits: features labels
    SparseToDense: indices values dense_shape
    SplitV: input_x
    SquaredDifference: x y
    Stack: x
    TensorScatterElements: data indices updates
    TensorToTuple: input_tensor
    TopK: input k
    TransposeExtView: input dim0 dim1
    TransposeView: input input_perm
    Tril: x
    Unique: x
    Unstack: x
    ZerosLike: x
"""  # noqa: E501


@functools.cache
def _names() -> dict[str, list[str]]:
    return {name: given.split() for name, _, given in (line.strip().partition(":") for line in _NAMES.split("\n"))}


def positional(operator: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the call with inputs under MindSpore's names moved to their positions."""
    rest = dict(kwargs)
    for name in _names().get(operator, [])[len(args) :]:
        if name not in rest:
            break
        args = (*args, rest.pop(name))
    return args, rest
