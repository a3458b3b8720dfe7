"""Attention of several heads as a function of its weights. Part of ``nn_func``."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.ops.function._dropout import dropout

__all__ = ["multi_head_attention_forward"]


def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
    k_is_v: bool = False,
    q_is_k: bool = False,
    dtype: Any = torch.float32,
) -> tuple[Any, Any]:
    """(output, weights) of queries (L, N, E) on keys and values (S, N, E); without N for one sample.

    The output is (L, N, O), where ``out_proj_weight`` is (O, E); the weights (N, L, S), or (N, heads, L, S) unless
    they are averaged. True in a bool mask leaves a place out, a floating mask is added to the scores. The three
    projections are parts of ``in_proj_weight`` (3 E, E), or given one by one with ``use_separate_proj_weight``.

    Args:
        is_causal: replaces the masks by the lower triangle, whose ones upstream *adds* to the scores.
        k_is_v, q_is_k, dtype: accepted as upstream; they change nothing in the result.

    Raises:
        ValueError: if shapes do not fit each other, or a weight that is needed is None.

    Upstream: ``mindspore.ops.function.nn_func.multi_head_attention_forward``.
    """
    batched = query.dim() == 3
    _check_axes(query, key, value)
    if not batched:
        query, key, value = (torch.unsqueeze(item, 1) for item in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else torch.unsqueeze(key_padding_mask, 0)
    if query.shape[2] != embed_dim_to_check or embed_dim_to_check % num_heads:
        _refuse(f"the size {query.shape[2]} must be {embed_dim_to_check} and divisible by 'num_heads' {num_heads}")
    parts = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight
    found = _projected((query, key, value), parts, in_proj_bias, use_separate_proj_weight)
    q, k, v = _heads(found, num_heads, (bias_k, bias_v), (static_k, static_v), add_zero_attn)
    extra = int(bias_k is not None) + int(bool(add_zero_attn))
    mask = None if is_causal else _mask(attn_mask, key_padding_mask, (*q.shape[:3], k.shape[2]), extra, q.dtype)
    if is_causal:
        mask = torch.tril(torch.ones(q.shape[2], k.shape[2], dtype=q.dtype, device=q.device))
    output, weights = _attended(q, k, v, mask, dropout_p if training else 0.0)
    output = kernels.linear(output, out_proj_weight, out_proj_bias)
    if average_attn_weights:
        weights = torch.mean(weights, 1)
    if not batched:
        output, weights = torch.squeeze(output, 1), torch.squeeze(weights, 0)
    return wrap(output), wrap(weights)


def _heads(found: list[Any], heads: int, bias: tuple[Any, Any], static: tuple[Any, Any], zero: bool) -> list[Any]:
    """Queries, keys and values (N, heads, length, E / heads), with the keys and values that no input gives."""
    _, batch, size = found[0].shape
    if (bias[0] is None) != (bias[1] is None) or (bias[0] is not None and static != (None, None)):
        _refuse("'bias_k' and 'bias_v' must be given together, and not with 'static_k' or 'static_v'")
    result: list[Any] = []
    for x, more, instead in zip(found, (None, *bias), (None, *static)):
        if more is not None:
            x = torch.cat([x, more.expand(1, batch, -1).to(x.dtype)])
        x = torch.transpose(torch.reshape(x, (x.shape[0], batch * heads, size // heads)), 0, 1)
        if instead is not None:
            if instead.shape[0] != batch * heads or instead.shape[2] != size // heads:
                wanted = f"({batch * heads}, S, {size // heads})"
                _refuse(f"'static_k' and 'static_v' must be {wanted}, but got {tuple(instead.shape)}")
            x = instead
        if zero and result:
            x = torch._C._nn.pad(x, (0, 0, 0, 1))
        result.append(torch.reshape(x, (batch, heads, *x.shape[1:])))
    return result


def _attended(q: Any, k: Any, v: Any, mask: Any, rate: float) -> tuple[Any, Any]:
    """((L, N, E), (N, heads, L, S))"""
    scale = math.sqrt(math.sqrt(q.shape[-1]))
    scores = kernels.matmul(torch.div(q, scale), torch.div(torch.transpose(k, -2, -1), scale))
    weights = dropout(torch.softmax(scores if mask is None else torch.add(scores, mask), -1), rate)
    return torch.flatten(torch.permute(kernels.matmul(weights, v), (2, 0, 1, 3)), 2), weights


def _refuse(why: str) -> None:
    raise ValueError(f"For 'multi_head_attention_forward', {why}.")


def _check_axes(query: Any, key: Any, value: Any) -> None:
    axes = query.dim(), key.dim(), value.dim()
    if axes not in ((2, 2, 2), (3, 3, 3)):
        _refuse(f"'query', 'key' and 'value' must all have 2 or all have 3 axes, but got {axes}")
    if key.shape[:-1] != value.shape[:-1]:
        _refuse(
            "'key' and 'value' must have the same length and batch, "
            f"but got {tuple(key.shape)} and {tuple(value.shape)}"
        )


def _projected(given: tuple[Any, Any, Any], weights: Any, bias: Any, separate: bool) -> list[Any]:
    if separate:
        if any(weight is None for weight in weights):
            _refuse("'q_proj_weight', 'k_proj_weight' and 'v_proj_weight' must be given")
    elif weights is None:
        _refuse("'in_proj_weight' must be given unless 'use_separate_proj_weight' is True")
    elif given[1].shape != given[2].shape:
        _refuse(f"'key' and 'value' must have one shape, but got {tuple(given[1].shape)} and {tuple(given[2].shape)}")
    else:
        weights = torch.chunk(weights, 3)
    size = given[0].shape[-1]
    for x, weight in zip(given, weights):
        if tuple(weight.shape) != (size, x.shape[-1]):
            _refuse(f"a projection's weight must be {(size, x.shape[-1])}, but got {tuple(weight.shape)}")
    biases = (None,) * 3 if bias is None else torch.chunk(bias, 3)
    return [kernels.linear(x, weight, b) for x, weight, b in zip(given, weights, biases)]


def _mask(attn_mask: Any, padding: Any, shape: tuple[int, int, int, int], extra: int, dtype: Any) -> Any:
    """What is added to scores of ``shape``, or None; the last ``extra`` keys are seen by every query."""
    batch, heads, length, source = shape[0], shape[1], shape[2], shape[3] - extra
    mask = None
    if attn_mask is not None:
        allowed = {2: (length, source), 3: (batch * heads, length, source)}
        if tuple(attn_mask.shape) != allowed.get(attn_mask.dim()):
            _refuse(f"'attn_mask' must be {allowed[2]} or {allowed[3]}, but got {tuple(attn_mask.shape)}")
        mask = _added(attn_mask, dtype, "attn_mask")
        mask = mask if mask.dim() == 2 else torch.reshape(mask, (batch, heads, length, source))
    if padding is not None:
        if tuple(padding.shape) != (batch, source):
            _refuse(f"'key_padding_mask' must be {(batch, source)}, but got {tuple(padding.shape)}")
        rows = torch.reshape(_added(padding, dtype, "key_padding_mask"), (batch, 1, 1, source))
        mask = rows if mask is None else torch.add(mask, rows)
    return mask if mask is None or not extra else torch._C._nn.pad(mask, (0, extra))


def _added(mask: Any, dtype: Any, name: str) -> Any:
    if mask.dtype is torch.uint8 and name == "attn_mask":
        mask = mask.to(torch.bool)
    if mask.dtype is torch.bool:
        return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, float("-inf"))
    if not mask.dtype.is_floating_point:
        _refuse(f"'{name}' must be bool or floating, but got {dtype_name(mask.dtype)}")
    return mask.to(dtype)
