"""Rows of the operators of ``nn_ops`` without code of their own: layers, losses and pooling.

A function is an operator without attributes.
"""

from __future__ import annotations

from typing import Any, Literal

from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import Typed, declared, row

_MODE, _PADDING = Literal["bilinear", "nearest"], Literal["zeros", "border", "reflection"]


def _relu(input: Any) -> Any:
    """Return max(0, x)."""
    return F.relu(input)


_TABLE: dict[str, Any] = {
    "Dense": F.dense,
    "FastGeLU": F.fast_gelu,
    "FastGelu": F.fast_gelu,
    "GeLU": lambda input: F.gelu(input, "tanh"),
    "Gelu": lambda input: F.gelu(input, "tanh"),
    "HSigmoid": F.hardsigmoid,
    "HSwish": F.hardswish,
    "L2Loss": F.l2_loss,
    "Mish": F.mish,
    "PReLU": F.prelu,
    "ReLU": _relu,
    "ReLU6": F.relu6,
    "ReLUV3": _relu,
    "SeLU": F.selu,
    "Sigmoid": F.sigmoid,
    "SigmoidCrossEntropyWithLogits": F.sigmoid_cross_entropy,
    "SoftmaxCrossEntropyWithLogits": F.softmax_cross_entropy,
    "Softplus": F.softplus,
    "Softsign": F.softsign,
    "Tanh": F.tanh,
    # with attributes
    "LogSoftmax": row(F.log_softmax, axis=(Typed[int], -1)),
    "Elu": row(F.elu, alpha=(float, 1.0)),
    "CeLU": row(F.celu, "max(0, x) + min(0, alpha (exp(x / alpha) - 1)).", alpha=(float, 1.0)),
    "GLU": row(F.glu, axis=(int, -1)),
    "HShrink": row(F.hardshrink, lambd=(float, 0.5)),
    "SoftShrink": row(F.softshrink, "x moved towards 0 by ``lambd``.", lambd=(float, 0.5)),
    "BiasAdd": row(F.bias_add, "A bias added to the channels.", data_format=(Literal["NCHW", "NHWC", "NCDHW"], "NCHW")),
    "BatchNorm": row(
        F.batch_norm_outputs,
        "(y, mean, variance, reserved, reserved) of (x, scale, bias, moving mean, moving variance).",
        is_training=(Typed[bool], False),
        epsilon=(float, 1e-05),
        momentum=(float, 0.1),
        data_format=(Literal["NCHW", "NHWC"], "NCHW"),
    ),
    "LayerNorm": row(
        F.layer_norm_outputs,
        "(y, mean, variance).",
        begin_norm_axis=(Typed[int], 1),
        begin_params_axis=(int, 1),
        epsilon=(float, 1e-07),
    ),
    "RmsNorm": row(F.rms_norm, "(x / rms · gamma, 1 / rms).", epsilon=(float, 1e-06)),
    "LRN": row(
        F.lrn,
        "Local response normalization across channels.",
        depth_radius=(int, 5),
        bias=(float, 1.0),
        alpha=(float, 1.0),
        beta=(float, 0.5),
        norm_region=(str, "ACROSS_CHANNELS"),
    ),
    "L2Normalize": row(F.l2_normalize, "x / sqrt(max(sum(x²), epsilon)).", axis=(Any, 0), epsilon=(float, 0.0001)),
    "AdaptiveAvgPool2D": row(
        F.adaptive_avg_pool2d, "Means over windows so that ``output_size`` remain.", output_size=(Any, ...)
    ),
    "AdaptiveAvgPool3D": row(
        F.adaptive_avg_pool3d, "Means over windows so that ``output_size`` remain.", output_size=(Any, ...)
    ),
    "MirrorPad": row(F.mirror_pad, "Padded by mirrored values.", mode=(Literal["REFLECT", "SYMMETRIC"], "REFLECT")),
    "GridSampler2D": row(
        F.grid_sample,
        "Values at the places of a grid.",
        interpolation_mode=(_MODE, "bilinear", "mode"),
        padding_mode=(_PADDING, "zeros"),
        align_corners=(bool, False),
    ),
    "GridSampler3D": row(
        F.grid_sample,
        "Values at the places of a grid.",
        interpolation_mode=(_MODE, "bilinear", "mode"),
        padding_mode=(_PADDING, "zeros"),
        align_corners=(bool, False),
    ),
    "Col2Im": row(
        F.col2im,
        "Columns (N, C, k, L) added up.",
        kernel_size=(Any, ...),
        dilation=(Any, 1),
        padding=(Any, 0, "padding_value"),
        stride=(Any, 1),
    ),
    "NLLLoss": row(
        F.nll_loss_outputs,
        "(negative log likelihood, sum of weights).",
        reduction=(Literal["mean", "sum", "none"], "mean"),
        ignore_index=(int, -100),
    ),
    "KLDivLoss": row(
        F.kl_div, "labels (log labels - logits).", reduction=(Literal["none", "mean", "batchmean", "sum"], "mean")
    ),
    "BinaryCrossEntropy": row(
        F.binary_cross_entropy,
        "-(y log p + (1 - y) log(1 - p)), weighted.",
        reduction=(Literal["mean", "sum", "none"], "mean"),
    ),
    "BCEWithLogitsLoss": row(
        F.binary_cross_entropy_with_logits,
        "Binary cross entropy of sigmoid(input).",
        reduction=(Literal["mean", "sum", "none"], "mean"),
    ),
    "SoftMarginLoss": row(F.soft_margin_loss, reduction=(str, "mean")),
    "SparseSoftmaxCrossEntropyWithLogits": row(
        F.sparse_softmax_cross_entropy,
        "The mean loss of rows against classes, or its gradient.",
        is_grad=(Typed[bool], False),
    ),
    "CTCLoss": row(
        F.ctc_loss_outputs,
        "(loss of each sequence, its gradient) for (time, batch, classes) logits; the last class is the blank.",
        preprocess_collapse_repeated=(bool, False, "collapse_repeated"),
        ctc_merge_repeated=(bool, True, "merge_repeated"),
        ignore_longer_outputs_than_inputs=(bool, False, "ignore_longer"),
    ),
    "CTCLossV2": row(
        F.ctc_loss,
        "(loss of each sequence, log probabilities).",
        blank=(int, 0),
        reduction=(str, "none"),
        zero_infinity=(bool, False),
    ),
    "CTCGreedyDecoder": row(F.ctc_greedy_decoder, "The best path, decoded.", merge_repeated=(bool, True)),
    "InTopK": row(F.intopk, k=(int, ...)),
}
globals().update(declared(_TABLE, "mindspore_compat.ops.operations.nn_ops"))
__all__ = [*_TABLE]
