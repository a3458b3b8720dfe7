"""Tables of the operators that a MINDIR file may name, so that a file reaches nothing else of the package."""

from __future__ import annotations

from typing import Any

from mindspore_compat.ops import operations as P

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
    "NPUClearFloatStatus NPUGetFloatStatus "
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
