"""Layers, losses and pooling in class form. MindSpore: ``mindspore.ops.operations.nn_ops``; optimizers are in
``_update_ops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._api.validate import check_float_range
from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.seed import joined_stream
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, to_dtype
from mindspore_compat.ops._declare import Bool, Ints, primitive
from mindspore_compat.ops.operations import (
    _adaptive_update_ops,
    _conv_ops,
    _nn_table,
    _pooling_ops,
    _recurrent_ops,
    _sparse_update_ops,
    _update_ops,
    _window_ops,
)
from mindspore_compat.ops.operations._adaptive_update_ops import *  # noqa: F403
from mindspore_compat.ops.operations._conv_ops import *  # noqa: F403
from mindspore_compat.ops.operations._fused_table import (  # type: ignore[attr-defined]  # noqa: F401
    FlashAttentionScore,
    IncreFlashAttention,
    PromptFlashAttention,
)
from mindspore_compat.ops.operations._nn_table import *  # noqa: F403
from mindspore_compat.ops.operations._pooling_ops import *  # noqa: F403
from mindspore_compat.ops.operations._recurrent_ops import *  # noqa: F403
from mindspore_compat.ops.operations._sparse_update_ops import *  # noqa: F403
from mindspore_compat.ops.operations._update_ops import *  # noqa: F403
from mindspore_compat.ops.operations._window_ops import *  # noqa: F403

_Run = Callable[..., Any]


__all__ = [
    *_nn_table.__all__,
    *_recurrent_ops.__all__,
    *_update_ops.__all__,
    *_adaptive_update_ops.__all__,
    *_conv_ops.__all__,
    *_pooling_ops.__all__,
    *_sparse_update_ops.__all__,
    *_window_ops.__all__,
    *"""
    Softmax InstanceNorm Dropout Dropout2D Dropout3D DropoutGenMask DropoutDoMask Pad PadV3 SmoothL1Loss
    MultiMarginLoss MultilabelMarginLoss TripletMarginLoss ComputeAccidentalHits Im2Col UpsampleNearest3D
    UpsampleTrilinear3D DeformableOffsets
    """.split(),
]


# --- activations ------------------------------------------------------------------------------------------------------


@primitive
def Softmax(axis: Ints[int | tuple] = -1) -> _Run:
    """exp(x) normalized to sum 1 along one axis or several."""
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, int):
        return lambda input: F.softmax(input, axis)
    return lambda input: F.softmax_axes(input, axis)


# --- normalization and dropout ----------------------------------------------------------------------------------------


@primitive
def InstanceNorm(epsilon: float = 1e-05, momentum: float = 0.1) -> _Run:
    """(y, mean, variance) of each sample's channels; the moving ones are updated."""

    def run(x: Any, gamma: Any, beta: Any, mean: Any, variance: Any) -> Any:
        axes = tuple(range(2, x.dim()))
        with torch.no_grad():
            batch_variance, batch_mean = torch.var_mean(x, axes, correction=0)
            for moving, now in ((mean, batch_mean), (variance, batch_variance)):
                F.assign(moving, moving * (1 - momentum) + torch.mean(now, 0) * momentum)
        return wrap(
            (
                torch.instance_norm(x, gamma, beta, None, None, True, momentum, epsilon, False),
                batch_mean,
                batch_variance,
            )
        )

    return run


@primitive
def Dropout(keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0, p: float | None = None) -> _Run:
    """(x with elements set to 0 and the rest scaled up, mask). No MindSpore takes ``p``, the share set to 0, but
    projects write it.
    """
    if p is not None:
        keep_prob = 1 - check_float_range(p, "p", "Dropout", 0, 1, (True, False))
    if not isinstance(keep_prob, (int, float)) or not 0 < keep_prob <= 1:
        raise ValueError(f"For 'Dropout', the 'keep_prob' must be in (0, 1], but got {keep_prob!r}.")
    stream = F.dropout_stream(keep_prob, Seed0, Seed1)
    return lambda x: F.dropout_with_mask(x, keep_prob, stream)


def _channel_dropout(keep_prob: float, axes: int) -> _Run:
    if not 0 <= keep_prob <= 1:
        raise ValueError(
            f"For 'Dropout{axes}D', the 'keep_prob' must be in range of [0.0, 1.0], but got {keep_prob} "
            "with type 'float'."
        )

    def run(x: Any) -> Any:
        keep = F.channel_mask(f"Dropout{axes}D", x, keep_prob)
        if keep is None:
            keep = torch.rand((*x.shape[:2], *(1,) * axes), device=x.device) < keep_prob
        mask = torch.Tensor.expand(keep, tuple(x.shape))
        scaled = x * to_dtype(mask, x.dtype) / keep_prob if keep_prob else torch.zeros_like(x)
        return wrap(to_dtype(scaled, x.dtype)), wrap(torch.clone(mask))

    return run


@primitive
def Dropout2D(keep_prob: float = 0.5) -> _Run:
    """(x with whole channels set to 0, bool mask)."""
    return _channel_dropout(keep_prob, 2)


@primitive
def Dropout3D(keep_prob: float = 0.5) -> _Run:
    """(x with whole channels set to 0, bool mask)."""
    return _channel_dropout(keep_prob, 3)


@primitive
def DropoutGenMask(Seed0: int = 0, Seed1: int = 0) -> _Run:
    """The mask of a shape for `DropoutDoMask`: one byte each, not MindSpore's one bit each."""
    stream = joined_stream(Seed0, Seed1)

    def run(shape: Any, keep_prob: Any) -> Any:
        device = current_device()
        drawn = torch.rand(as_ints(shape), generator=F.generator_of(stream, device), device=device)
        return wrap(to_dtype(drawn < float(keep_prob), torch.uint8))

    return run


@primitive
def DropoutDoMask() -> _Run:
    """x · mask / keep_prob, with a mask of `DropoutGenMask`."""
    return lambda x, mask, keep_prob: wrap(
        x * to_dtype(torch.reshape(mask, tuple(x.shape)), x.dtype).to(x.device) / float(keep_prob)
    )


# --- padding and sampling ---------------------------------------------------------------------------------------------


@primitive
def Pad(paddings: Any) -> _Run:
    """Zeros around: ((before, after), ...), the first axis first."""

    def run(input_x: Any) -> Any:
        if input_x.dim() != len(paddings):
            raise ValueError(
                f"For 'Pad', the length of 'paddings' must be equal to the rank of 'input_x', but got {len(paddings)} "
                f"vs {input_x.dim()}."
            )
        flat = [int(side) for sides in reversed(paddings) for side in sides]
        return wrap(torch.nn.functional.pad(input_x, flat))

    return run


@primitive
def PadV3(mode: str = "constant", paddings_contiguous: bool = True) -> _Run:
    """Padded by (before, after) pairs, the last axis first, as `ops.pad`. Without ``paddings_contiguous`` all sides
    before stand first, then all sides after.
    """
    return lambda x, paddings, constant_value=None: F.pad(
        x, F.sides_of(paddings, paddings_contiguous), {"edge": "replicate"}.get(mode, mode), constant_value
    )


@primitive
def Im2Col(ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> _Run:
    """Windows as columns (N, C, k, L)."""

    def run(x: Any) -> Any:
        columns = kernels.unfold(x, ksizes, dilations, pads, strides)
        return wrap(torch.reshape(columns, (x.shape[0], x.shape[1], -1, columns.shape[-1])))

    return run


def _upsampled(owner: str, mode: str, align_corners: bool | None = None) -> _Run:
    """Return (N, C, D, H, W) resized to ``output_size``, or by float factors ``scales``."""

    def run(x: Any, output_size: Any = None, scales: Any = None) -> Any:
        size = None if output_size is None else as_ints(output_size)
        return wrap(kernels.interpolate(x, size, None if scales is None else tuple(scales), mode, align_corners))

    return run


@primitive
def UpsampleNearest3D() -> _Run:
    """(N, C, D, H, W) resized by nearest neighbours."""
    return _upsampled("UpsampleNearest3D", "nearest")


@primitive
def UpsampleTrilinear3D(align_corners: Bool = False) -> _Run:
    """(N, C, D, H, W) resized by linear interpolation."""
    return _upsampled("UpsampleTrilinear3D", "trilinear", align_corners)


@primitive
def DeformableOffsets(
    strides: Any,
    pads: Any,
    ksize: Any,
    dilations: Any = (1, 1, 1, 1),
    data_format: str = "NCHW",
    deformable_groups: int = 1,
    modulated: bool = True,
) -> _Run:
    """The moved taps of a deformable convolution, side by side: (n, c, h·kh, w·kw)."""
    kh, kw = as_ints(ksize)

    @kernels.as_given
    def run(x: Any, offsets: Any) -> Any:
        channels = x.shape[1]
        identity = (
            torch.eye(kh * kw, dtype=x.dtype, device=x.device).reshape(kh * kw, 1, kh, kw).repeat(channels, 1, 1, 1)
        )
        taps = F.deformable_conv2d(
            x, identity, offsets, ksize, strides, pads, None, dilations, channels, deformable_groups, modulated
        )
        n, _, rows, cols = taps.shape
        taps = torch.reshape(taps, (n, channels, kh, kw, rows, cols))
        return wrap(torch.reshape(torch.permute(taps, (0, 1, 4, 2, 5, 3)), (n, channels, rows * kh, cols * kw)))

    return run


# --- losses -----------------------------------------------------------------------------------------------------------


@primitive
def SmoothL1Loss(beta: float = 1.0, reduction: str = "none") -> _Run:
    """d² / (2 beta) for |d| < beta, else |d| - beta / 2."""
    return lambda prediction, target: F.smooth_l1_loss(prediction, target, beta, reduction)


@primitive
def MultiMarginLoss(p: int = 1, margin: float = 1.0, reduction: str = "mean") -> _Run:
    """The hinge loss of classes."""
    return lambda x, target, weight=None: F.multi_margin_loss(x, target, p, margin, weight, reduction)


@primitive
def MultilabelMarginLoss(reduction: str = "mean") -> _Run:
    """(hinge loss of sets of classes, which classes are targets)."""

    def run(x: Any, target: Any) -> Any:
        listed = torch.cumprod(to_dtype(target >= 0, torch.int64), -1)
        hits = torch.zeros_like(x, dtype=torch.int32)
        hits = torch.scatter_add(hits, -1, torch.clamp(target.long(), min=0), to_dtype(listed, torch.int32))
        return F.multilabel_margin_loss(x, target, reduction), wrap(torch.clamp(hits, max=1))

    return run


@primitive
def TripletMarginLoss(p: int = 2, swap: bool = False, eps: float = 1e-06, reduction: str = "mean") -> _Run:
    """max(0, distance to positive - distance to negative + margin)."""
    return lambda x, positive, negative, margin: F.triplet_margin_loss(
        x, positive, negative, margin, p, eps, swap, reduction
    )


@primitive
def ComputeAccidentalHits(num_true: int = 1) -> _Run:
    """(row, place, weight) of sampled classes that are true ones."""

    def run(true_classes: Any, sampled_candidates: Any) -> Any:
        hits = torch.nonzero(torch.unsqueeze(true_classes, 2) == sampled_candidates)  # one for each true class
        weights = torch.full((hits.shape[0],), torch.finfo(torch.float32).min, device=hits.device)
        return wrap(to_dtype(hits[:, 0], torch.int32)), wrap(hits[:, 2]), wrap(weights)

    return run


__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
