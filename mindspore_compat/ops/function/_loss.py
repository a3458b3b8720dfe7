"""Losses. Part of ``mindspore.ops.function.nn_func``."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as tf

from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._tensor.indexing import check_indices
from mindspore_compat._tensor.tracing import is_tracing, not_traced
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import (
    check_same_shape,
    pair,
    reduced,
    to_dtype,
)
from mindspore_compat.ops.function._cross_entropy import BinaryCrossEntropy, rows_cross_entropy

__all__ = """
    cross_entropy nll_loss nll_loss_outputs binary_cross_entropy binary_cross_entropy_with_logits
    softmax_cross_entropy sparse_softmax_cross_entropy sigmoid_cross_entropy mse_loss l1_loss smooth_l1_loss
    huber_loss kl_div cosine_embedding_loss cosine_similarity gaussian_nll_loss hinge_embedding_loss
    margin_ranking_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss soft_margin_loss
    triplet_margin_loss l2_loss intopk mse_loss_ext
""".split()


_int64 = torch.int64
_NOWHERE = -(2**62)  # a class to leave out that no label has


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Return log_softmax, then the negative log likelihood of classes (ints) or probabilities (broadcast to the input);
    of mixed dtypes the higher.
    """
    if weight is not None and weight.dtype is not input.dtype:
        input, weight = pair(input, weight)
    if not target.dtype.is_floating_point:
        target = to_dtype(target, input.dtype if target.shape == input.shape else _int64)
    elif target.shape != input.shape:
        target = target.expand(input.shape)
    return wrap(
        tf.cross_entropy(
            input, target, weight, ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing
        )
    )


def nll_loss(
    inputs: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Return the negative log likelihood of the target classes, from log probabilities."""
    if weight is not None and weight.dtype is not inputs.dtype:
        inputs, weight = pair(inputs, weight)
    check_indices(target)
    (inputs,) = _as_floats(inputs)
    target = to_dtype(target, _int64)
    if not label_smoothing:
        return wrap(tf.nll_loss(inputs, target, weight, ignore_index=ignore_index, reduction=reduction))
    axis, is_kept = (1 if inputs.dim() > 1 else 0), target != ignore_index
    classes = torch.where(is_kept, target, 0)
    picked = -torch.squeeze(torch.gather(inputs, axis, torch.unsqueeze(classes, axis)), axis)
    if weight is not None:
        picked, inputs = picked * weight[classes], inputs * weight.reshape(-1, *[1] * (inputs.dim() - 2))
    loss = (1 - label_smoothing) * picked - label_smoothing / inputs.shape[axis] * torch.sum(inputs, axis)
    loss = torch.where(is_kept, loss, 0)
    if reduction != "mean":
        return reduced(loss, reduction, "nll_loss")
    return wrap(torch.sum(loss) / torch.sum(is_kept if weight is None else torch.where(is_kept, weight[classes], 0)))


def nll_loss_outputs(logits: Any, labels: Any, weight: Any, reduction: str = "mean", ignore_index: int = -100) -> Any:
    """Return (loss, sum of the weights of the labels)."""
    labels, weight = to_dtype(labels, _int64), weight.detach()
    kept = torch.where(labels == ignore_index, torch.zeros_like(labels), labels)
    total = torch.sum(weight[kept] * (labels != ignore_index))
    return wrap(tf.nll_loss(logits, labels, weight, ignore_index=ignore_index, reduction=reduction)), wrap(total)


def binary_cross_entropy(logits: Any, labels: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """Return -(y log p + (1 - y) log(1 - p)), weighted (no gradient for the weight); 1e-12 is added in the logarithms,
    as MindSpore does.
    """
    check_same_shape("BinaryCrossEntropy", logits=logits, labels=labels)
    loss = BinaryCrossEntropy.apply(logits, labels)
    return reduced(loss if weight is None else loss * weight.detach(), reduction, "binary_cross_entropy")


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean"
) -> Any:
    """Run `binary_cross_entropy` of sigmoid(input); the weights get no gradient."""
    target = to_dtype(target, input.dtype)
    factor: Any = 1 if pos_weight is None else 1 + (pos_weight.detach() - 1) * target
    loss = (1 - target) * input + factor * tf.softplus(-input)
    return reduced(loss if weight is None else loss * weight.detach(), reduction, "binary_cross_entropy_with_logits")


def softmax_cross_entropy(logits: Any, labels: Any) -> Any:
    """Return (loss of each row against a distribution, softmax - labels)."""
    check_same_shape("SoftmaxCrossEntropyWithLogits", logits=logits, labels=labels)
    loss = rows_cross_entropy(logits, labels)
    with torch.no_grad():
        in_32 = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
        gradient = (torch.softmax(in_32, -1) - labels).to(logits.dtype)
    return wrap(loss), wrap(gradient)


def sparse_softmax_cross_entropy(logits: Any, labels: Any, is_grad: bool = False) -> Any:
    """Return the mean loss of rows, the last axis, against classes, or its gradient by the logits."""
    check_indices(labels)
    if logits.dim() < 2 or labels.shape != logits.shape[:-1]:
        raise ValueError(
            f"The labels must have the shape of the logits without the last axis, but got {tuple(labels.shape)} and "
            f"{tuple(logits.shape)}."
        )
    labels = torch.reshape(to_dtype(labels, _int64), (-1,))
    rows = torch.reshape(logits, (-1, logits.shape[-1]))
    if is_grad:
        with torch.no_grad():
            gradient = (torch.softmax(rows, -1) - tf.one_hot(labels, rows.shape[-1])) / rows.shape[0]
            return wrap(torch.reshape(gradient, logits.shape))
    return wrap(tf.cross_entropy(rows, labels, ignore_index=_NOWHERE))


def sigmoid_cross_entropy(logits: Any, label: Any) -> Any:
    """Return the cross entropy of sigmoid(logits), element by element; labels get no gradient."""
    check_same_shape("SigmoidCrossEntropyWithLogits", logits=logits, label=label)
    return wrap(tf.binary_cross_entropy_with_logits(logits, to_dtype(label.detach(), logits.dtype), reduction="none"))


def _as_floats(*inputs: Any) -> list[Any]:
    """Return integers as float32."""
    return [x if x.is_floating_point() or x.is_complex() else to_dtype(x, torch.float32) for x in inputs]


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Return (input - target)²; of integers in float32."""
    input, target = _as_floats(input, target)
    return reduced(kernels.square(torch.sub(input, target)), reduction, "mse_loss")


mse_loss_ext = mse_loss


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Return |input - target|; of integers, cut to them."""
    distance = torch.abs(torch.sub(input, target))
    if distance.dtype.is_floating_point:
        return reduced(distance, reduction, "l1_loss")
    return wrap(to_dtype(reduced(to_dtype(distance, torch.float64), reduction, "l1_loss"), distance.dtype))


def smooth_l1_loss(input: Any, target: Any, beta: float = 1.0, reduction: str = "none") -> Any:
    """Return d² / (2 beta) for |d| < beta, else |d| - beta / 2."""
    check_same_shape("SmoothL1Loss", prediction=input, target=target)
    return wrap(tf.smooth_l1_loss(input, target, reduction=reduction, beta=beta))


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Return d² / 2 for |d| <= delta, else delta (|d| - delta / 2); of integers in float32."""
    input, target = _as_floats(input, target)
    return wrap(tf.huber_loss(input, target, reduction=reduction, delta=delta))


def kl_div(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    """Return labels (log labels - logits); labels get no gradient."""
    check_same_shape("KLDivLoss", x=logits, target=labels)
    labels = labels.detach()
    counts = labels > 0  # labels up to 0 have no share in the loss, but MindSpore's gradient is -labels everywhere
    value = torch.where(counts, labels * (torch.log(torch.where(counts, labels, 1)) - logits.detach()), 0)
    loss = value - labels * (logits - logits.detach())
    if reduction == "batchmean":
        return wrap(torch.sum(loss) / logits.shape[0])
    return reduced(loss, reduction, "kl_div")


def l2_loss(input_x: Any) -> Any:
    """Return half the sum of squares."""
    return wrap(torch.sum(kernels.square(input_x)) / 2)


# --- similarity and margins -------------------------------------------------------------------------------------------


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-08) -> Any:
    """Return the cosine of the angle between vectors along ``dim``."""
    return wrap(kernels.cosine_similarity(x1, x2, dim, eps))


def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """Return 1 - cos for target 1, max(0, cos - margin) for -1."""
    return wrap(tf.cosine_embedding_loss(input1, input2, target, margin, reduction=reduction))


def gaussian_nll_loss(
    x: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-06, reduction: str = "mean"
) -> Any:
    """Return the negative log likelihood of normal distributions. ``var`` is broadcast, or has one value for each row
    of ``x``; where it is below ``eps`` it counts as ``eps``, a constant.
    """
    if var.shape != x.shape and var.shape == x.shape[:-1]:
        var = torch.unsqueeze(var, -1)
    # torch's own loss refuses what is below 0 and differentiates by what is below `eps`
    var = torch.maximum(var, torch.full_like(var, eps))
    loss = (torch.log(var) + kernels.square(x - target) / var) / 2
    return reduced(loss + math.log(2 * math.pi) / 2 if full else loss, reduction, "gaussian_nll_loss")


def hinge_embedding_loss(inputs: Any, targets: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Return x for target 1, max(0, margin - x) for -1."""
    beyond = torch.maximum(margin - inputs, torch.zeros_like(inputs))
    loss = torch.where(targets == 1, inputs, torch.where(targets == -1, beyond, 0))
    return reduced(loss, reduction, "hinge_embedding_loss")


def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """Return max(0, -target (input1 - input2) + margin), with broadcasting."""
    input1, input2, target = torch.broadcast_tensors(input1, input2, target)
    return reduced(subgradients.clamp(margin - target * (input1 - input2), min=0), reduction, "margin_ranking_loss")


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1, weight: Any = None, reduction: str = "mean"
) -> Any:
    """Return the hinge loss of classes."""
    return wrap(tf.multi_margin_loss(input, to_dtype(target, _int64), p, margin, weight, reduction=reduction))


def multilabel_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Return the hinge loss of sets of classes."""
    check_indices(target)
    target = to_dtype(target, _int64)
    if is_tracing():  # torch 2.13's decomposition of it for compilers gives other values
        return wrap(not_traced(tf.multilabel_margin_loss, input, target, reduction=reduction))
    return wrap(tf.multilabel_margin_loss(input, target, reduction=reduction))


def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """Mean over classes of the binary cross entropy with logits."""
    return wrap(tf.multilabel_soft_margin_loss(input, target, weight, reduction=reduction))


def soft_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Return log(1 + exp(-target · input)); both of one shape."""
    check_same_shape("SoftMarginLoss", input=input, target=target)
    return reduced(tf.softplus(-target * input), reduction, "soft_margin_loss")


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: Any = 1.0,
    p: int = 2,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """Return max(0, distance to positive - distance to negative + margin)."""
    return wrap(tf.triplet_margin_loss(anchor, positive, negative, float(margin), p, eps, swap, reduction=reduction))


def intopk(x1: Any, x2: Any, k: int) -> Any:
    """Return whether the class of each row is among its k best; False for a class that there is not."""
    check_indices(x2)
    x2 = to_dtype(x2, _int64)
    target = torch.gather(x1, 1, torch.unsqueeze(torch.clamp(x2, 0, x1.shape[1] - 1), 1))
    is_class = (x2 >= 0) & (x2 < x1.shape[1])
    return wrap(is_class & (torch.sum(x1 > target, 1) < k))


apply_dtype_fallback(globals(), __all__)
