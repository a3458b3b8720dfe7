"""Losses."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as tf

from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import as_plain, check_same_shape, pair, reduced, to_dtype
from mindspore_compat._ops.declare import Typed, classes, functions, op, primitive, primitive_class
from mindspore_compat._runtime.placement import constant, sent
from mindspore_compat._tensor.index_bounds import check_coordinates
from mindspore_compat._tensor.indexing import check_indices
from mindspore_compat._tensor.tracing import is_tracing, not_traced
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


_LEAST = 1e-12  # of a probability


def _with_signature(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Cache the signature: torch computes it at each call with a ``setup_context``, which takes 60 us."""
    forward.__signature__ = inspect.signature(forward)  # type: ignore[attr-defined]
    return forward


class BinaryCrossEntropyFunction(torch.autograd.Function):
    """-(y log p + (1 - y) log(1 - p)) with MindSpore's guards. 1e-12 is added in the logarithms. p (1 - p) is at least
    1e-12 in the derivative by p; the derivative by y has no guard.
    """

    only_operators = True  # its backward reads no values in Python
    generate_vmap_rule = True

    @staticmethod
    @_with_signature
    def forward(p: Any, y: Any) -> Any:  # type: ignore[override]
        return -(y * torch.log(p + _LEAST) + (1 - y) * torch.log(1 - p + _LEAST))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # type: ignore[override]
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        p, y = ctx.saved_tensors
        by_p, by_y = ctx.needs_input_grad
        return (
            grad * (p - y) / torch.clamp(p * (1 - p), min=_LEAST) if by_p else None,
            grad * (torch.log1p(-p) - torch.log(p)) if by_y else None,
        )


class _SoftmaxCrossEntropy(torch.autograd.Function):
    """-Σ y log softmax(x) with MindSpore's derivatives: softmax(x) - y by x, also where y does not sum to 1 (rows
    without a class, with two); 0 by y.
    """

    only_operators = True
    generate_vmap_rule = True

    @staticmethod
    @_with_signature
    def forward(x: Any, y: Any) -> Any:  # type: ignore[override]
        return -torch.sum(y * torch.log_softmax(x, -1), -1)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # type: ignore[override]
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        x, y = ctx.saved_tensors
        return (torch.softmax(x, -1) - y) * grad.unsqueeze(-1), None


def rows_cross_entropy(logits: Any, labels: Any) -> Any:
    """Return the loss of each row against its labels, as `_SoftmaxCrossEntropy`; 16-bit numbers are rounded once, as in
    MindSpore.
    """
    labels = labels.detach()
    is_recorded = logits.requires_grad and torch.is_grad_enabled()
    of = _SoftmaxCrossEntropy.apply if is_recorded else _SoftmaxCrossEntropy.forward
    if logits.dtype in (torch.float16, torch.bfloat16):
        return of(logits.float(), labels.float()).to(logits.dtype)
    return of(logits, labels)


_int64 = torch.int64
_NOWHERE = -(2**62)  # a class to leave out that no label has


@op(formerly="inputs=input")
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
    if target.dtype is _int64 and weight is not None and weight.requires_grad:
        logs = torch.log_softmax(input, 1 if input.dim() > 1 else 0)
        return nll_loss(logs, target, weight, ignore_index, reduction, label_smoothing)
    ignored = ignore_index if target.dtype is _int64 else -100  # a class: probabilities have none
    return wrap(tf.cross_entropy(input, target, weight, None, ignored, None, reduction, label_smoothing))


@op
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
    if not label_smoothing and (weight is None or not weight.requires_grad):  # torch passes no gradient to the weight
        return wrap(tf.nll_loss(inputs, target, weight, ignore_index=ignore_index, reduction=reduction))
    axis, is_kept = (1 if inputs.dim() > 1 else 0), target != ignore_index
    classes = torch.where(is_kept, target, 0)
    picked = -torch.squeeze(torch.gather(inputs, axis, torch.unsqueeze(classes, axis)), axis)
    if weight is not None:
        picked, inputs = picked * weight[classes], inputs * weight.reshape(-1, *[1] * (inputs.dim() - 2))
    if label_smoothing:
        picked = (1 - label_smoothing) * picked - label_smoothing / inputs.shape[axis] * torch.sum(inputs, axis)
    loss = torch.where(is_kept, picked, 0)
    if reduction != "mean":
        return reduced(loss, reduction, "nll_loss")
    return wrap(torch.sum(loss) / torch.sum(is_kept if weight is None else torch.where(is_kept, weight[classes], 0)))


@with_dtype_fallback
def nll_loss_outputs(logits: Any, labels: Any, weight: Any, reduction: str = "mean", ignore_index: int = -100) -> Any:
    """Return (loss, sum of the weights of the labels)."""
    labels, weight = to_dtype(labels, _int64), to_dtype(weight.detach(), logits.dtype)
    kept = torch.where(labels == ignore_index, torch.zeros_like(labels), labels)
    total = torch.sum(weight[kept] * (labels != ignore_index))
    return wrap(tf.nll_loss(logits, labels, weight, ignore_index=ignore_index, reduction=reduction)), wrap(total)


NLLLoss = primitive_class(
    "NLLLoss",
    nll_loss_outputs,
    "(negative log likelihood, sum of weights).",
    reduction=(Literal["mean", "sum", "none"], "mean"),
    ignore_index=(int, -100),
    settable=True,
)


@op
def binary_cross_entropy(logits: Any, labels: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """Return -(y log p + (1 - y) log(1 - p)), weighted (no gradient for the weight); 1e-12 is added in the logarithms,
    as MindSpore does.
    """
    check_same_shape("BinaryCrossEntropy", logits=logits, labels=labels)
    loss = BinaryCrossEntropyFunction.apply(logits, labels)
    return reduced(loss if weight is None else loss * weight.detach(), reduction, "binary_cross_entropy")


BinaryCrossEntropy = primitive_class(
    "BinaryCrossEntropy",
    binary_cross_entropy,
    "-(y log p + (1 - y) log(1 - p)), weighted.",
    reduction=(Literal["mean", "sum", "none"], "mean"),
    inputs="input target weight",
    settable=True,
)


@op(formerly="logits=input label=target")
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean"
) -> Any:
    """Run `binary_cross_entropy` of sigmoid(input); the weights get no gradient."""
    input, target = pair(input, target)
    factor: Any = 1 if pos_weight is None else 1 + (pos_weight.detach() - 1) * target
    loss = (1 - target) * input + factor * tf.softplus(-input)
    return reduced(loss if weight is None else loss * weight.detach(), reduction, "binary_cross_entropy_with_logits")


BCEWithLogitsLoss = primitive_class(
    "BCEWithLogitsLoss",
    binary_cross_entropy_with_logits,
    "Binary cross entropy of sigmoid(input).",
    reduction=(Literal["mean", "sum", "none"], "mean"),
    inputs="input target weight posWeight",
    settable=True,
)


@with_dtype_fallback
def softmax_cross_entropy(logits: Any, labels: Any) -> Any:
    """Return (loss of each row against a distribution, softmax - labels)."""
    check_same_shape("SoftmaxCrossEntropyWithLogits", logits=logits, labels=labels)
    loss = rows_cross_entropy(logits, labels)
    with torch.no_grad():
        in_32 = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
        gradient = (torch.softmax(in_32, -1) - labels).to(logits.dtype)
    return wrap(loss), wrap(gradient)


SoftmaxCrossEntropyWithLogits = primitive_class("SoftmaxCrossEntropyWithLogits", softmax_cross_entropy)


@with_dtype_fallback
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


SparseSoftmaxCrossEntropyWithLogits = primitive_class(
    "SparseSoftmaxCrossEntropyWithLogits",
    sparse_softmax_cross_entropy,
    "The mean loss of rows against classes, or its gradient.",
    is_grad=(Typed[bool], False),
    inputs="features labels",
)


@with_dtype_fallback
def sigmoid_cross_entropy(logits: Any, label: Any) -> Any:
    """Return the cross entropy of sigmoid(logits), element by element; labels get no gradient."""
    check_same_shape("SigmoidCrossEntropyWithLogits", logits=logits, label=label)
    return wrap(tf.binary_cross_entropy_with_logits(logits, to_dtype(label.detach(), logits.dtype), reduction="none"))


SigmoidCrossEntropyWithLogits = primitive_class(
    "SigmoidCrossEntropyWithLogits", sigmoid_cross_entropy, inputs="predict target"
)


def _as_floats(*inputs: Any) -> list[Any]:
    """Return integers as float32."""
    return [x if x.is_floating_point() or x.is_complex() else to_dtype(x, torch.float32) for x in inputs]


@op(formerly="input_x=input")
def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Return (input - target)²; of integers in float32."""
    input, target = _as_floats(*pair(input, target))
    return reduced(kernels.square(torch.sub(input, target)), reduction, "mse_loss")


mse_loss_ext = mse_loss


@op
def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Return |input - target|; of integers, cut to them."""
    distance = torch.abs(torch.sub(input, target))
    if distance.dtype.is_floating_point:
        return reduced(distance, reduction, "l1_loss")
    return wrap(to_dtype(reduced(to_dtype(distance, torch.float64), reduction, "l1_loss"), distance.dtype))


@op(formerly="logits=input labels=target")
def smooth_l1_loss(input: Any, target: Any, beta: float = 1.0, reduction: str = "none") -> Any:
    """Return d² / (2 beta) for |d| < beta, else |d| - beta / 2."""
    check_same_shape("SmoothL1Loss", prediction=input, target=target)
    return wrap(tf.smooth_l1_loss(input, target, reduction=reduction, beta=beta))


@op
def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Return d² / 2 for |d| <= delta, else delta (|d| - delta / 2); of integers in float32."""
    input, target = _as_floats(*pair(input, target))
    return wrap(tf.huber_loss(input, target, reduction=reduction, delta=delta))


@op
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


KLDivLoss = primitive_class(
    "KLDivLoss",
    kl_div,
    "labels (log labels - logits).",
    reduction=(Literal["none", "mean", "batchmean", "sum"], "mean"),
)


@with_dtype_fallback
def l2_loss(input_x: Any) -> Any:
    """Return half the sum of squares."""
    return wrap(torch.sum(kernels.square(input_x)) / 2)


L2Loss = primitive_class("L2Loss", l2_loss)


# --- similarity and margins -------------------------------------------------------------------------------------------
@op
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-08) -> Any:
    """Return the cosine of the angle between vectors along ``dim``."""
    return wrap(kernels.cosine_similarity(x1, x2, dim, eps))


@op
def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """Return 1 - cos for target 1, max(0, cos - margin) for -1."""
    return wrap(tf.cosine_embedding_loss(input1, input2, target, margin, reduction=reduction))


@op
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


@op
def hinge_embedding_loss(inputs: Any, targets: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Return x for target 1, max(0, margin - x) for -1."""
    beyond = torch.maximum(margin - inputs, torch.zeros_like(inputs))
    loss = torch.where(targets == 1, inputs, torch.where(targets == -1, beyond, 0))
    return reduced(loss, reduction, "hinge_embedding_loss")


@op
def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """Return max(0, -target (input1 - input2) + margin), with broadcasting."""
    input1, input2, target = torch.broadcast_tensors(input1, input2, target)
    return reduced(subgradients.clamp(margin - target * (input1 - input2), min=0), reduction, "margin_ranking_loss")


@op(formerly="inputs=input")
def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1, weight: Any = None, reduction: str = "mean"
) -> Any:
    """Return the hinge loss of classes."""
    weight = None if weight is None else weight.detach()  # without a gradient, as in MindSpore
    return wrap(tf.multi_margin_loss(input, to_dtype(target, _int64), p, margin, weight, reduction=reduction))


@op
def multilabel_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Return the hinge loss of sets of classes."""
    check_indices(target)
    target = to_dtype(target, _int64)
    if is_tracing():  # torch 2.13's decomposition of it for compilers gives other values
        return wrap(not_traced(tf.multilabel_margin_loss, input, target, reduction=reduction))
    return wrap(tf.multilabel_margin_loss(input, target, reduction=reduction))


@op
def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """Mean over classes of the binary cross entropy with logits."""
    return wrap(tf.multilabel_soft_margin_loss(input, target, weight, reduction=reduction))


@op
def soft_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Return log(1 + exp(-target · input)); both of one shape."""
    check_same_shape("SoftMarginLoss", input=input, target=target)
    return reduced(tf.softplus(-target * input), reduction, "soft_margin_loss")


SoftMarginLoss = primitive_class("SoftMarginLoss", soft_margin_loss, reduction=(str, "mean"), settable=True)


@op
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


@op
def intopk(x1: Any, x2: Any, k: int) -> Any:
    """Return whether the class of each row is among its k best; False for a class that there is not."""
    check_indices(x2)
    x2 = to_dtype(x2, _int64)
    target = torch.gather(x1, 1, torch.unsqueeze(torch.clamp(x2, 0, x1.shape[1] - 1), 1))
    is_class = (x2 >= 0) & (x2 < x1.shape[1])
    return wrap(is_class & (torch.sum(x1 > target, 1) < k))


InTopK = primitive_class("InTopK", intopk, k=(int, ...), inputs="x1 x2 k")


_int64 = torch.int64


@op
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """Return (connectionist temporal classification loss, log alpha: of each sequence's paths, by step and state)."""
    input_lengths, target_lengths = (to_dtype(as_plain(item), _int64).cpu() for item in (input_lengths, target_lengths))
    losses, alpha = torch._ctc_loss(
        log_probs,
        check_labels(targets, target_lengths, log_probs.shape[-1]),
        input_lengths,
        target_lengths,
        blank,
        zero_infinity,
    )
    if zero_infinity:
        losses = torch.masked_fill(losses, torch.isinf(losses.detach()), 0)
    if reduction == "mean":
        losses = losses / torch.clamp(target_lengths, min=1).to(losses)
    states = 2 * (targets.shape[-1] if targets.dim() > 1 else int(target_lengths.max())) + 1
    return reduced(losses, reduction, "ctc_loss"), wrap(
        _reached(tf.pad(alpha.detach(), (0, states - alpha.shape[2])), input_lengths, target_lengths)
    )


CTCLossV2 = primitive_class(
    "CTCLossV2",
    ctc_loss,
    "(loss of each sequence, log probabilities).",
    blank=(int, 0),
    reduction=(str, "none"),
    zero_infinity=(bool, False),
)


def check_labels(targets: Any, target_lengths: torch.Tensor, classes: int) -> torch.Tensor:
    """Return the labels as int64, those behind the lengths as 0. Torch's kernel would read out of bounds for a label
    that is no class.
    """
    targets = to_dtype(targets, _int64)
    if targets.dim() > 1:
        is_label = torch.arange(targets.shape[-1]) < torch.reshape(target_lengths, (-1, 1))
        targets = torch.where(sent(is_label, targets.device), targets, 0)
    return targets + check_coordinates((targets,), (classes,))


def _reached(alpha: Any, input_lengths: Any, target_lengths: Any) -> torch.Tensor:
    """Log probabilities (batch, step, blank or label or blank …) of the paths to a state; torch leaves what lies behind
    the lengths unset.
    """
    is_step = torch.arange(alpha.shape[1])[None, :, None] < input_lengths.reshape(-1, 1, 1)
    is_state = torch.arange(alpha.shape[2]) < 2 * target_lengths.reshape(-1, 1, 1) + 1
    return torch.where(sent(is_step & is_state, alpha.device), alpha, -torch.inf)


@with_dtype_fallback
def ctc_loss_outputs(
    x: Any,
    labels_indices: Any,
    labels_values: Any,
    sequence_length: Any,
    ignore_longer: bool = False,
    collapse_repeated: bool = False,
    merge_repeated: bool = True,
) -> Any:
    """Return (loss of each sequence, its gradient by ``x``) for (time, batch, classes) logits; the last class is the
    blank.

    Labels come as coordinates (batch, place) and values; below 0, or from the blank on, is padding. A sequence that has
    no path to its labels has the loss infinity and no gradient.

    Args:
        ignore_longer: take sequences that are shorter than their labels.
        collapse_repeated: take labels that follow their equals away first.
        merge_repeated: a path may stay at a label, and needs a blank between two equal ones; False: each step is a
            label of its own.
    """
    if x.dtype is torch.float16:  # dead ends are below its range
        found = ctc_loss_outputs(
            x.float(), labels_indices, labels_values, sequence_length, ignore_longer, collapse_repeated, merge_repeated
        )
        return tuple([wrap(to_dtype(item, x.dtype)) for item in found])
    steps, batch, classes = x.shape
    spans = as_plain(sequence_length, _int64).tolist()
    rows = _ctc_labels(
        as_plain(labels_indices).tolist(), as_plain(labels_values).tolist(), batch, classes - 1, collapse_repeated
    )
    for labels, span in zip(rows, spans):
        if not 0 < span <= steps:
            raise RuntimeError(
                f"For 'CTCLoss', the 'sequence_length' must be in the range of [1, {steps}], but got {span}."
            )
        if span < len(labels) and not ignore_longer:
            raise RuntimeError(
                "For 'CTCLoss', input time(sequence length) must be greater than output size(label length), but got "
                f"sequence length: {span} and label length: {len(labels)}. Set ignore_longer_outputs_than_inputs."
            )
    loss_of = _ctc_merging if merge_repeated else _ctc_not_merging
    with torch.enable_grad():
        point = x.detach().requires_grad_(True)
        (gradient,) = torch.autograd.grad(loss_of(torch.log_softmax(point, -1), rows, spans).sum(), point)
    return wrap(loss_of(torch.log_softmax(x, -1), rows, spans)), wrap(gradient)


CTCLoss = primitive_class(
    "CTCLoss",
    ctc_loss_outputs,
    "(loss of each sequence, its gradient) for (time, batch, classes) logits; the last class is the blank.",
    preprocess_collapse_repeated=(bool, False, "collapse_repeated"),
    ctc_merge_repeated=(bool, True, "merge_repeated"),
    ignore_longer_outputs_than_inputs=(bool, False, "ignore_longer"),
    inputs="inputs labels_indices labels_values sequence_length",
)


def _ctc_labels(
    indices: list[list[int]], values: list[int], batch: int, blank: int, collapse_repeated: bool
) -> list[list[int]]:
    """Return the labels of each sequence without padding."""
    rows: list[list[int]] = [[] for _ in range(batch)]
    padded = [False] * batch
    for (row, _), label in zip(indices, values):
        if not 0 <= label < blank:
            padded[row] = True
        elif padded[row]:
            raise RuntimeError(
                f"For 'CTCLoss', the value of labels_values must be in the range of [0, {blank}) up to the padding of "
                f"its sequence, but got {label} after it."
            )
        elif not (collapse_repeated and rows[row] and rows[row][-1] == label):
            rows[row].append(label)
    return rows


def _ctc_merging(log_probs: Any, rows: list[list[int]], spans: list[int]) -> torch.Tensor:
    """Return CTC's loss of each sequence; torch's gives NaN as the gradient of an infinite one."""
    targets = constant([label for labels in rows for label in labels], log_probs.device, _int64)
    shared = log_probs.shape[2] - 1, "none"
    lengths = torch.tensor(spans), torch.tensor([len(labels) for labels in rows])
    with torch.no_grad():
        infinite = torch.isinf(tf.ctc_loss(log_probs, targets, *lengths, *shared))
    return torch.masked_fill(
        tf.ctc_loss(log_probs, targets, *lengths, *shared, zero_infinity=True), infinite, torch.inf
    )


def _ctc_not_merging(log_probs: Any, rows: list[list[int]], spans: list[int]) -> torch.Tensor:
    """Return the same where a path may not stay at a label: the sum over paths, step by step, of the log probability to
    be at each state.

    States are blank, label, blank, label, …, blank.
    """
    impossible, blank = -1e30, log_probs.shape[2] - 1  # finite, since -inf has no gradient
    longest = max(map(len, rows))
    states = torch.full((len(rows), 2 * longest + 1), blank)
    for states_of_row, labels in zip(states, rows):
        states_of_row[1 : 2 * len(labels) : 2] = torch.tensor(labels, dtype=_int64)
    states = sent(states, log_probs.device)
    is_blank = states == blank
    ends = 2 * constant([[len(labels)] for labels in rows], log_probs.device)
    spans_N1 = constant(spans, log_probs.device)[:, None]
    at = torch.where(
        torch.arange(states.shape[1], device=log_probs.device) < 2, torch.gather(log_probs[0], 1, states), impossible
    )
    for step in range(1, max(spans)):
        stays = torch.where(is_blank, at, impossible)
        comes = tf.pad(at, (1, 0), value=impossible)[:, :-1]
        skips = torch.where(is_blank, impossible, tf.pad(at, (2, 0), value=impossible)[:, : at.shape[1]])
        after = kernels.logsumexp(torch.stack([stays, comes, skips]), 0) + torch.gather(log_probs[step], 1, states)
        at = torch.where(spans_N1 > step, torch.clamp(after, min=impossible), at)
    last = torch.gather(at, 1, torch.cat([ends, torch.clamp(ends - 1, min=0)], 1))
    last = torch.where(torch.cat([ends >= 0, ends > 0], 1), last, impossible)
    loss = -kernels.logsumexp(last, 1)
    return torch.masked_fill(loss, loss.detach() > -impossible / 2, torch.inf)


@op
def ctc_greedy_decoder(inputs: Any, sequence_length: Any, merge_repeated: bool = True) -> Any:
    """Return (coordinates, values, dense shape, score) of the best path of (time, batch, classes) log probabilities;
    last class is blank.
    """
    for row, steps in enumerate(as_plain(sequence_length).tolist()):
        if steps > inputs.shape[0]:
            raise RuntimeError(
                f"For 'CTCGreedyDecoder', sequence_length[{row}] {steps} should be less than {inputs.shape[0]}."
            )
    best, labels = torch.max(inputs, -1)
    blank, coordinates, values, longest = inputs.shape[2] - 1, [], [], 0
    score = []
    for row, steps in enumerate(as_plain(sequence_length).tolist()):
        path = labels[:steps, row].tolist()
        kept = [
            label
            for i, label in enumerate(path)
            if label != blank and not (merge_repeated and i and path[i - 1] == label)
        ]
        coordinates += [[row, place] for place in range(len(kept))]
        values += kept
        longest = max(longest, len(kept))
        score.append(-torch.sum(best[:steps, row]))
    return (
        wrap(constant(coordinates, inputs.device, _int64).reshape(-1, 2)),
        wrap(constant(values, inputs.device, _int64)),
        wrap(constant([inputs.shape[1], longest], inputs.device, _int64)),
        wrap(torch.unsqueeze(torch.stack(score), 1)),
    )


CTCGreedyDecoder = primitive_class(
    "CTCGreedyDecoder", ctc_greedy_decoder, "The best path, decoded.", merge_repeated=(bool, True)
)


@primitive(settable=True)
def SmoothL1Loss(beta: float = 1.0, reduction: str = "none") -> _Run:
    """d² / (2 beta) for |d| < beta, else |d| - beta / 2."""
    return lambda prediction, target: smooth_l1_loss(prediction, target, beta, reduction)


@primitive
def MultiMarginLoss(p: int = 1, margin: float = 1.0, reduction: str = "mean") -> _Run:
    """The hinge loss of classes."""
    return lambda x, target, weight=None: multi_margin_loss(x, target, p, margin, weight, reduction)


@primitive
def MultilabelMarginLoss(reduction: str = "mean") -> _Run:
    """(hinge loss of sets of classes, which classes are targets)."""

    def run(x: Any, target: Any) -> Any:
        listed = torch.cumprod(to_dtype(target >= 0, torch.int64), -1)
        hits = torch.zeros_like(x, dtype=torch.int32)
        hits = torch.scatter_add(hits, -1, torch.clamp(target.long(), min=0), to_dtype(listed, torch.int32))
        return multilabel_margin_loss(x, target, reduction), wrap(torch.clamp(hits, max=1))

    return run


@primitive
def TripletMarginLoss(p: int = 2, swap: bool = False, eps: float = 1e-06, reduction: str = "mean") -> _Run:
    """max(0, distance to positive - distance to negative + margin)."""
    return lambda x, positive, negative, margin: triplet_margin_loss(
        x, positive, negative, margin, p, eps, swap, reduction
    )


__all__ = functions(globals())
PRIMITIVES = classes(globals())
