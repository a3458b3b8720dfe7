"""Connectionist temporal classification. Parts of ``nn_func``."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as tf

from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._runtime.placement import constant, sent
from mindspore_compat._tensor.index_bounds import check_coordinates
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_plain, reduced, to_dtype

__all__ = ["ctc_loss", "ctc_loss_outputs", "ctc_greedy_decoder"]

_int64 = torch.int64


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


apply_dtype_fallback(globals(), __all__)
