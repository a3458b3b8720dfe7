"""Routing of tokens to experts and back. MindSpore runs it on Ascend only; its docstrings define the results."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import get_data, to_dtype
from mindspore_compat._ops.declare import Int, Typed, classes, functions, op, primitive_class
from mindspore_compat._tensor.wrapping import wrap


@op
def moe_token_permute(tokens: Any, indices: Any, num_out_tokens: int | None = None, padded_mode: bool = False) -> Any:
    """Return (tokens sorted by their experts, place of each choice among them as int32).

    Args:
        tokens: (T, H).
        indices: the experts of each token, (T, K) or (T,).
        num_out_tokens: how many are kept; None and 0 mean all.
    """
    _check_unpadded("moe_token_permute", padded_mode)
    if tokens.shape[0] != indices.shape[0]:
        raise RuntimeError(
            "For 'moe_token_permute', 'tokens' and 'indices' must have the same first axis, but got "
            f"{tokens.shape[0]} and {indices.shape[0]}."
        )
    choices = indices.shape[1] if indices.dim() == 2 else 1
    order = torch.argsort(torch.flatten(torch.Tensor.detach(indices)), stable=True)
    places = torch.empty_like(order)
    places[order] = torch.arange(order.shape[0], device=order.device)
    kept = order[:num_out_tokens] if num_out_tokens else order
    found = torch.index_select(tokens, 0, torch.div(kept, choices, rounding_mode="floor"))
    return wrap((found, to_dtype(places, torch.int32)))


MoeTokenPermute = primitive_class("MoeTokenPermute", moe_token_permute)


def _check_unpadded(owner: str, padded_mode: bool) -> None:
    if padded_mode:
        raise ValueError(f"For '{owner}', the 'padded_mode' must be False, but got True.")


@op
def moe_token_unpermute(
    permuted_tokens: Any, sorted_indices: Any, probs: Any = None, padded_mode: bool = False, restore_shape: Any = None
) -> Any:
    """Return the tokens in their old order, those of one token added up with weights ``probs`` (T, K), in their dtype.

    Choices that were dropped by `moe_token_permute` count 0.
    """
    _check_unpadded("moe_token_unpermute", padded_mode)
    places, count = torch.Tensor.long(torch.Tensor.detach(sorted_indices)), permuted_tokens.shape[0]
    found = torch.index_select(permuted_tokens, 0, torch.clamp(places, max=max(count - 1, 0)))
    found = torch.masked_fill(found, torch.unsqueeze(places >= count, -1), 0)
    if probs is not None:
        shaped = torch.reshape(found, (*probs.shape, found.shape[-1]))
        found = torch.sum(shaped * torch.unsqueeze(probs, -1), 1)
    return wrap(torch.Tensor.to(found, permuted_tokens.dtype))


MoeTokenUnpermute = primitive_class("MoeTokenUnpermute", moe_token_unpermute)


@with_dtype_fallback
def moe_init_routing(x: Any, row_idx: Any, expert_idx: Any, active_num: int) -> Any:
    """Return (rows of ``x`` by experts, place of each choice, sorted experts); ``row_idx`` numbers the choices."""
    experts, order = torch.sort(torch.flatten(expert_idx), stable=True)
    source = torch.flatten(row_idx)[order].long()
    places = torch.empty_like(source)
    places[source] = torch.arange(source.shape[0], device=source.device)
    active = min(active_num, x.shape[0]) * expert_idx.shape[-1]
    found = torch.index_select(x, 0, source[:active] % x.shape[0])
    return wrap((found, to_dtype(places, torch.int32), to_dtype(experts, torch.int32)))


MoeInitRouting = primitive_class("MoeInitRouting", moe_init_routing)


def _init_routing(
    x: Any,
    expert_idx: Any,
    active_num: int,
    expert_capacity: int,
    expert_num: int,
    drop_pad_mode: int,
    counted: int,
    counted_before: bool,
) -> Any:
    """Return all outputs of `moe_init_routing_v2`: rows, places, and numbers of tokens, zeros unless asked for."""
    if drop_pad_mode not in (0, 1) or counted not in (0, 1, 2):
        raise ValueError(
            "For 'moe_init_routing_v2', 'drop_pad_mode' must be 0 or 1 and 'expert_tokens_count_or_cumsum_flag' 0, 1 "
            f"or 2, but got {drop_pad_mode} and {counted}."
        )
    choices, flat = expert_idx.shape[1], torch.flatten(torch.Tensor.detach(expert_idx)).long()
    experts, order = torch.sort(flat, stable=True)
    places = torch.empty_like(order)
    places[order] = torch.arange(order.shape[0], device=order.device)
    counts = torch.bincount(flat, minlength=expert_num)[:expert_num] if expert_num else torch.zeros_like(flat[:0])
    empty = torch.zeros(expert_num, dtype=torch.int32, device=flat.device)
    rows = torch.div(order, choices, rounding_mode="floor")
    if drop_pad_mode == 0:
        kept = min(active_num, order.shape[0]) if active_num else order.shape[0]
        tokens = torch.cumsum(counts, 0) if counted == 1 else counts if counted == 2 else empty
        found = torch.index_select(x, 0, rows[:kept])
        return wrap((found, to_dtype(places, torch.int32), to_dtype(tokens, torch.int32), empty))
    starts = torch.cumsum(counts, 0) - counts
    rank = torch.arange(order.shape[0], device=order.device) - starts[experts]  # among the tokens of its expert
    slots = experts * expert_capacity + rank
    fits = rank < expert_capacity
    space = x.new_zeros((expert_num * expert_capacity, x.shape[1]))
    found = torch.index_copy(space, 0, slots[fits], torch.index_select(x, 0, rows[fits]))
    row_idx = torch.full_like(order, -1)
    row_idx[order[fits]] = slots[fits]
    before = counts if counted_before else empty
    shaped = torch.reshape(found, (expert_num, expert_capacity, x.shape[1]))
    return wrap((shaped, to_dtype(row_idx, torch.int32), empty, to_dtype(before, torch.int32)))


MoeInitRoutingV2 = primitive_class(
    "MoeInitRoutingV2",
    _init_routing,
    inputs="x expert_idx active_num expert_capacity expert_num drop_pad_mode expert_tokens_count_or_cumsum_flag "
    "expert_tokens_before_capacity_flag",
)


@op
def moe_init_routing_v2(
    x: Any,
    expert_idx: Any,
    active_num: int,
    expert_capacity: int,
    expert_num: int,
    drop_pad_mode: int,
    expert_tokens_count_or_cumsum_flag: int,
    expert_tokens_before_capacity_flag: bool,
) -> Any:
    """Return (rows of ``x`` by their experts, place of each choice or -1), and the numbers of tokens asked for.

    Args:
        x: (T, H). expert_idx: (T, K).
        active_num: with ``drop_pad_mode`` 0, how many are kept; 0 keeps all.
        expert_capacity: with ``drop_pad_mode`` 1, the places of each expert, and the first output is
            (expert_num, expert_capacity, H), filled with 0.
        expert_tokens_count_or_cumsum_flag: with ``drop_pad_mode`` 0, 1 asks for running sums, 2 for counts.
        expert_tokens_before_capacity_flag: with ``drop_pad_mode`` 1, asks for counts before some were dropped.
    """
    flags = expert_tokens_count_or_cumsum_flag, expert_tokens_before_capacity_flag
    rows, places, *tokens = _init_routing(x, expert_idx, active_num, expert_capacity, expert_num, drop_pad_mode, *flags)
    return (rows, places, tokens[drop_pad_mode]) if flags[drop_pad_mode] else (rows, places)


@with_dtype_fallback
def moe_compute_expert_tokens(sorted_experts: Any, num_expert: int) -> Any:
    """Return the number of ``sorted_experts`` that are at most 0, 1, ...: int32 (num_expert,)."""
    numbers = torch.arange(num_expert, device=sorted_experts.device, dtype=sorted_experts.dtype)
    return wrap(torch.searchsorted(torch.Tensor.contiguous(sorted_experts), numbers, right=True, out_int32=True))


MoeComputeExpertTokens = primitive_class("MoeComputeExpertTokens", moe_compute_expert_tokens)


@with_dtype_fallback
def moe_finalize_routing(
    expanded_x: Any,
    x1: Any,
    x2: Any = None,
    bias: Any = None,
    scales: Any = None,
    expanded_row_idx: Any = None,
    expanded_expert_idx: Any = None,
) -> Any:
    """Return x1 + x2 + the sum over choices of scales · (row of ``expanded_x`` + bias of its expert), (T, H)."""
    tokens, out = x1.shape[0], x1 if x2 is None else x1 + x2
    places = torch.reshape(expanded_row_idx, (-1, tokens)).long()
    rows = torch.transpose(expanded_x[places], 0, 1)  # (T, K, H)
    if bias is not None:
        rows = rows + bias[expanded_expert_idx.long()]
    return wrap(
        out + torch.sum(torch.unsqueeze(scales, -1) * rows, 1) if scales is not None else out + torch.sum(rows, 1)
    )


MoeFinalizeRouting = primitive_class("MoeFinalizeRouting", moe_finalize_routing)


@with_dtype_fallback
def moe_gating_topk_softmax(x: Any, finished: Any = None, k: int = 1) -> Any:
    """Return (the k greatest of softmax(x), their experts, numbers of the choices: choice by choice)."""
    weights = torch.Tensor.to(torch.softmax(torch.Tensor.float(x), -1), x.dtype)
    order = torch.argsort(weights, dim=-1, descending=True, stable=True)[..., :k]
    found = torch.gather(weights, -1, order)
    if finished is not None:
        order = torch.where(torch.unsqueeze(torch.Tensor.bool(finished), -1), x.shape[-1], order)
    rows = torch.reshape(torch.arange(found.numel(), device=x.device), (k, -1)).T
    return wrap((found, to_dtype(order, torch.int32), torch.Tensor.contiguous(to_dtype(rows, torch.int32))))


MoeGatingTopKSoftmax = primitive_class("MoeGatingTopKSoftmax", moe_gating_topk_softmax)


@with_dtype_fallback
def group_topk(token: Any, idx_arr: Any, group_num: int, k: int, k_inner: int = 1) -> Any:
    """Return ``token`` (T, E), in place with 0 in all groups of experts but the k greatest.

    A group of E / group_num neighbours counts the sum of its ``k_inner`` greatest. ``idx_arr`` has no effect.
    """
    with torch.no_grad():
        data = get_data(token)
        groups = torch.reshape(data.float(), (data.shape[0], group_num, -1))
        scores = torch.sum(torch.topk(groups, k_inner, -1).values, -1)
        kept = torch.argsort(scores, dim=-1, descending=True, stable=True)[:, :k]
        mask = torch.zeros_like(scores).scatter_(1, kept, 1)
        data.mul_(torch.repeat_interleave(mask, data.shape[1] // group_num, 1))
    return token


GroupTopk = primitive_class("GroupTopk", group_topk)


def _grouped_matmul(
    x: Any,
    weight: Any,
    bias: Any = None,
    scale: Any = None,
    offset: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    group_list: Any = None,
    *,
    split_item: int,
    group_type: int,
    transpose_a: bool,
    transpose_b: bool,
) -> Any:
    """Return x[i] · weight[i] + bias[i] of lists; with ``split_item`` 3 the rows of one x by groups that end at
    ``group_list``, each with its matrix of one weight (E, K, N). The result is a tuple of Tensors.
    """
    if (split_item, group_type) not in ((0, -1), (3, 0)):
        raise ValueError(
            "For 'GroupedMatmul', ('split_item', 'group_type') must be (0, -1) or (3, 0), but got "
            f"({split_item}, {group_type})."
        )
    if any(item is not None for item in (scale, offset, antiquant_scale, antiquant_offset)):
        raise NotImplementedError(
            "For 'GroupedMatmul', quantized weights are not supported by mindspore_compat. Dequantize them first."
        )
    lefts, rights = list(x), list(weight)
    if split_item == 3:
        ends = torch.Tensor.tolist(group_list)
        left = torch.transpose(lefts[0], -1, -2) if transpose_a else lefts[0]
        lefts = list(torch.split(left, [end - start for start, end in zip((0, *ends), ends)]))
        rights = list(torch.unbind(rights[0]))
        biases = list(torch.unbind(bias[0])) if bias is not None else [None] * len(lefts)
    else:
        lefts = [torch.transpose(item, -1, -2) if transpose_a else item for item in lefts]
        biases = list(bias) if bias is not None else [None] * len(lefts)
    rights = [torch.transpose(item, -1, -2) if transpose_b else item for item in rights]
    found = [kernels.matmul(left, right) for left, right in zip(lefts, rights)]
    found = [item if shift is None else item + shift for item, shift in zip(found, biases)]
    return wrap((torch.cat(found),) if split_item == 3 else tuple(found))


GroupedMatmul = primitive_class(
    "GroupedMatmul",
    _grouped_matmul,
    split_item=(Int, 0),
    group_type=(Int, -1),
    transpose_a=(Typed[bool], False),
    transpose_b=(Typed[bool], False),
)

for _class in (
    GroupedMatmul,
    MoeComputeExpertTokens,
    MoeFinalizeRouting,
    MoeGatingTopKSoftmax,
    MoeInitRouting,
    MoeInitRoutingV2,
    MoeTokenPermute,
    MoeTokenUnpermute,
):
    _class._is_listed = False

__all__ = functions(globals())
PRIMITIVES = classes(globals())
