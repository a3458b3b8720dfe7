"""Token routing to experts and back, rotary positions and additions fused with norms. Parts of ``nn_func`` and
``other_func``; MindSpore runs them on Ascend only, and its docstrings define the results.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import get_data, to_dtype

__all__ = """
    add_layer_norm add_rms_norm rotary_position_embedding apply_rotary_pos_emb moe_token_permute moe_token_unpermute
    moe_init_routing moe_init_routing_v2 moe_compute_expert_tokens moe_finalize_routing moe_gating_topk_softmax
    group_topk ring_attention_update multi_scale_deformable_attn_function
""".split()


def add_layer_norm(
    x1: Any, x2: Any, gamma: Any, beta: Any, epsilon: float = 1e-5, additional_output: bool = False
) -> Any:
    """Return (layer norm of x = x1 + x2 over the last axis, mean, 1 / standard deviation, x).

    The fourth is x whether ``additional_output`` asks for it or not. mean and 1 / deviation are float32.
    """
    x = x1 + x2
    exact = torch.Tensor.float(x)
    variance, mean = torch.var_mean(exact, -1, correction=0, keepdim=True)
    deviation = torch.rsqrt(variance + epsilon)
    y = (exact - mean) * deviation * torch.Tensor.float(gamma) + torch.Tensor.float(beta)
    return wrap((torch.Tensor.to(y, x.dtype), mean, deviation, x))


def add_rms_norm(x1: Any, x2: Any, gamma: Any, epsilon: float = 1e-6) -> Any:
    """Return (x / rms · gamma, 1 / rms in float32, x) of x = x1 + x2, over the axes of ``gamma``."""
    x = x1 + x2
    exact = torch.Tensor.float(x)
    axes = tuple(range(-gamma.dim(), 0))
    scale = torch.rsqrt(torch.mean(kernels.square(exact), axes, keepdim=True) + epsilon)
    return wrap((torch.Tensor.to(exact * scale * torch.Tensor.float(gamma), x.dtype), scale, x))


def _turned(x: torch.Tensor, interleaved: bool) -> torch.Tensor:
    """Turn each pair of values by 90 degrees: halves of the last axis, or neighbours."""
    if not interleaved:
        first, second = torch.chunk(x, 2, -1)
        return torch.cat((-second, first), -1)
    pairs = torch.reshape(x, (*x.shape[:-1], x.shape[-1] // 2, 2))
    first, second = torch.unbind(pairs, -1)
    return torch.flatten(torch.stack((-second, first), -1), -2)


def rotary_position_embedding(x: Any, cos: Any, sin: Any, mode: int = 0) -> Any:
    """Return x · cos + turned x · sin; ``mode`` 0 turns the halves of the last axis, 1 neighbours.

    Raises:
        TypeError: for other types. ValueError: for another mode.
    """
    if mode not in (0, 1):
        raise ValueError(f"For 'rotary_position_embedding', the 'mode' must be 0 or 1, but got {mode}.")
    return wrap(x * cos + _turned(x, mode == 1) * sin)


def apply_rotary_pos_emb(query: Any, key: Any, cos: Any, sin: Any, position_ids: Any, cos_format: int = 0) -> Any:
    """Return (query, key) with rotary positions.

    Args:
        query, key: (B, S, N · D) or (B, S, N, D).
        cos, sin: (positions, D) in formats 0 and 1, chosen by ``position_ids``; (B · S, D), a row a token, in 2 and 3.
        position_ids: (B,) if S is 1, else (S,) for all samples.
        cos_format: 0 and 2 turn the halves of a head, 1 and 3 neighbours.
    """
    if cos_format not in (0, 1, 2, 3):
        raise ValueError(f"For 'ApplyRotaryPosEmb', the 'cos_format' must be in [0, 3], but got {cos_format}.")
    samples, length = query.shape[:2]
    if cos_format < 2:
        places = torch.reshape(torch.Tensor.long(torch.Tensor.detach(position_ids)), (-1,))
        cos, sin = (torch.index_select(item, 0, places) for item in (cos, sin))
    rows = (samples, length) if cos.shape[0] == samples * length else (1, length)
    cos, sin = (torch.reshape(item, (*rows, 1, item.shape[-1])) for item in (cos, sin))

    def embedded(x: Any) -> Any:
        heads = torch.reshape(x, (samples, length, -1, cos.shape[-1]))
        turned = heads * cos + _turned(heads, cos_format % 2 == 1) * sin
        return torch.Tensor.to(torch.reshape(turned, tuple(x.shape)), x.dtype)

    return wrap((embedded(query), embedded(key)))


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


def _check_unpadded(owner: str, padded_mode: bool) -> None:
    if padded_mode:
        raise ValueError(f"For '{owner}', the 'padded_mode' must be False, but got True.")


def moe_token_unpermute(
    permuted_tokens: Any,
    sorted_indices: Any,
    probs: Any = None,
    padded_mode: bool = False,
    restore_shape: Any = None,
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


def moe_init_routing(x: Any, row_idx: Any, expert_idx: Any, active_num: int) -> Any:
    """Return (rows of ``x`` by experts, place of each choice, sorted experts); ``row_idx`` numbers the choices."""
    experts, order = torch.sort(torch.flatten(expert_idx), stable=True)
    source = torch.flatten(row_idx)[order].long()
    places = torch.empty_like(source)
    places[source] = torch.arange(source.shape[0], device=source.device)
    active = min(active_num, x.shape[0]) * expert_idx.shape[-1]
    found = torch.index_select(x, 0, source[:active] % x.shape[0])
    return wrap((found, to_dtype(places, torch.int32), to_dtype(experts, torch.int32)))


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
    """Return (rows of ``x`` by their experts, place of each choice or -1, tokens of each expert, tokens before some
    were dropped).

    Args:
        x: (T, H). expert_idx: (T, K).
        active_num: with ``drop_pad_mode`` 0, how many are kept; 0 keeps all.
        expert_capacity: with ``drop_pad_mode`` 1, the places of each expert, and the first output is
            (expert_num, expert_capacity, H), filled with 0.
        expert_tokens_count_or_cumsum_flag: 1 asks for running sums, 2 for counts, 0 for nothing: zeros.
    """
    if drop_pad_mode not in (0, 1) or expert_tokens_count_or_cumsum_flag not in (0, 1, 2):
        raise ValueError(
            "For 'moe_init_routing_v2', 'drop_pad_mode' must be 0 or 1 and 'expert_tokens_count_or_cumsum_flag' 0, 1 "
            f"or 2, but got {drop_pad_mode} and {expert_tokens_count_or_cumsum_flag}."
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
        flag = expert_tokens_count_or_cumsum_flag
        tokens = torch.cumsum(counts, 0) if flag == 1 else counts if flag == 2 else empty
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
    before = counts if expert_tokens_before_capacity_flag else empty
    shaped = torch.reshape(found, (expert_num, expert_capacity, x.shape[1]))
    return wrap((shaped, to_dtype(row_idx, torch.int32), empty, to_dtype(before, torch.int32)))


def moe_compute_expert_tokens(sorted_experts: Any, num_expert: int) -> Any:
    """Return the number of ``sorted_experts`` that are at most 0, 1, ...: int32 (num_expert,)."""
    numbers = torch.arange(num_expert, device=sorted_experts.device, dtype=sorted_experts.dtype)
    return wrap(torch.searchsorted(torch.Tensor.contiguous(sorted_experts), numbers, right=True, out_int32=True))


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


def moe_gating_topk_softmax(x: Any, finished: Any = None, k: int = 1) -> Any:
    """Return (the k greatest of softmax(x), their experts, numbers of the choices: choice by choice)."""
    weights = torch.Tensor.to(torch.softmax(torch.Tensor.float(x), -1), x.dtype)
    order = torch.argsort(weights, dim=-1, descending=True, stable=True)[..., :k]
    found = torch.gather(weights, -1, order)
    if finished is not None:
        order = torch.where(torch.unsqueeze(torch.Tensor.bool(finished), -1), x.shape[-1], order)
    rows = torch.reshape(torch.arange(found.numel(), device=x.device), (k, -1)).T
    return wrap((found, to_dtype(order, torch.int32), torch.Tensor.contiguous(to_dtype(rows, torch.int32))))


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


def ring_attention_update(
    prev_attn_out: Any,
    prev_softmax_max: Any,
    prev_softmax_sum: Any,
    cur_attn_out: Any,
    cur_softmax_max: Any,
    cur_softmax_sum: Any,
    actual_seq_qlen: Any = None,
    layout: str = "SBH",
) -> Any:
    """Return (attention, softmax maximum, softmax sum) of keys in two parts, from those of each part.

    Args:
        prev_attn_out, cur_attn_out: (S, B, H), or (T, N, D) in layout "TND".
        prev_softmax_max, ...: float32 (B, N, S, 8), or (T, N, 8).
    """
    if layout not in ("SBH", "TND"):
        raise ValueError(f"For 'ring_attention_update', the 'layout' must be 'SBH' or 'TND', but got {layout!r}.")
    high = torch.maximum(prev_softmax_max, cur_softmax_max)
    before = prev_softmax_sum * torch.exp(prev_softmax_max - high)
    now = cur_softmax_sum * torch.exp(cur_softmax_max - high)
    total = before + now

    def weighted(out: Any, part: Any) -> Any:
        share = (part / total)[..., :1]
        if layout == "TND":
            return torch.Tensor.float(out) * share
        length, samples, size = out.shape
        heads = torch.reshape(torch.Tensor.float(out), (length, samples, share.shape[1], -1))
        return torch.reshape(heads * torch.permute(share, (2, 0, 1, 3)), (length, samples, size))

    out = weighted(prev_attn_out, before) + weighted(cur_attn_out, now)
    return wrap((torch.Tensor.to(out, prev_attn_out.dtype), high, total))


def multi_scale_deformable_attn_function(value: Any, shape: Any, offset: Any, locations: Any, weight: Any) -> Any:
    """Return weighted bilinear samples of feature maps in several scales, (B, queries, heads · D).

    Args:
        value: (B, keys, heads, D), the maps one after the other.
        shape: height and width of each map, (levels, 2). offset: where each begins, (levels,).
        locations: x and y in [0, 1], (B, queries, heads, levels, points, 2); beyond the map 0 is read.
        weight: (B, queries, heads, levels, points).
    """
    samples, _, heads, size = value.shape
    queries, points = locations.shape[1], locations.shape[4]
    sizes, starts = torch.Tensor.tolist(shape), torch.Tensor.tolist(offset)
    total: Any = 0
    for level, ((height, width), start) in enumerate(zip(sizes, starts)):
        image = torch.narrow(value, 1, start, height * width)
        image = torch.reshape(torch.permute(image, (0, 2, 3, 1)), (samples * heads, size, height, width))
        grid = torch.permute(locations[:, :, :, level] * 2 - 1, (0, 2, 1, 3, 4))
        grid = torch.reshape(grid, (samples * heads, queries, points, 2))
        found = torch.nn.functional.grid_sample(image, grid, "bilinear", "zeros", False)
        factor = torch.reshape(torch.permute(weight[:, :, :, level], (0, 2, 1, 3)), (-1, 1, queries, points))
        total = total + torch.sum(found * factor, -1)
    out = torch.permute(torch.reshape(total, (samples, heads * size, queries)), (0, 2, 1))
    return wrap(out)


apply_dtype_fallback(globals(), __all__)
