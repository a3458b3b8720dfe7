"""Attention of several heads with its projections, and parts of it that libraries borrow. Parts of
``mindspore.ops.function.nn_func``, used by `nn.MultiheadAttention`.

Shapes: L and S lengths of queries and keys, B batch, E size of an embedding, N heads, D = E / N.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.ops.function._dropout import dropout

__all__ = ["attention_of_heads", "linear", "multi_head_attention_forward"]

_OWNER = "multi_head_attention_forward"


def linear(x: Any, w: Any, b: Any) -> Any:
    """Return x · wᵀ + b; ``b`` may be None."""
    return wrap(kernels.dense(x, w, b))


def _inner_dropout(x: Any, p: float, training: bool) -> Any:
    return dropout(x, p, training) if p else x


def _inner_pad(x: Any, padding: Any, value: Any = None) -> Any:
    return wrap(torch._C._nn.pad(x, tuple(padding), "constant", value))


def _check_qkv_shape(query_ndim: int, key_ndim: int, value_ndim: int) -> bool:
    """Return whether there is an axis of the batch: 3 axes in all three inputs, not 2."""
    if query_ndim not in (2, 3) or key_ndim != query_ndim or value_ndim != query_ndim:
        raise ValueError(
            "For attention of several heads, 'query', 'key' and 'value' must all have 2 or all have 3 axes, "
            f"but got {query_ndim}, {key_ndim} and {value_ndim}."
        )
    return query_ndim == 3


def _check_kpm_shape(query_ndim: int, kmp_ndim: int) -> None:
    if query_ndim in (2, 3) and kmp_ndim != query_ndim - 1:
        raise ValueError(
            f"For a 'query' of {query_ndim} axes, the 'key_padding_mask' must be None or have {query_ndim - 1}, "
            f"but got {kmp_ndim}."
        )


def _check_attn_mask_shape(
    query_ndim: int, query_shape: Any, key_shape: Any, attn_mask_ndim: int, attn_mask_shape: Any, num_heads: int
) -> None:
    if query_ndim not in (2, 3):
        return
    if attn_mask_ndim not in (2, 3):
        raise ValueError(f"The 'attn_mask' must be None or have 2 or 3 axes, but got {attn_mask_ndim}.")
    expected = (num_heads, query_shape[0], key_shape[0])
    if query_ndim == 2 and attn_mask_ndim == 3 and tuple(attn_mask_shape) != expected:
        raise ValueError(f"The shape of 'attn_mask' must be {expected}, but got {tuple(attn_mask_shape)}.")


def _in_projection(
    q: Any, k: Any, v: Any, w_q: Any, w_k: Any, w_v: Any, b_q: Any = None, b_k: Any = None, b_v: Any = None
) -> tuple[Any, Any, Any]:
    """Return each input multiplied by its own matrix (E, size of the input)."""
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_projection_packed(q: Any, k: Any, v: Any, w: Any, b: Any, k_is_v: bool, q_is_k: bool) -> tuple[Any, ...]:
    """Return the inputs by the three matrices in ``w``, with one product for equal inputs."""
    if k_is_v and q_is_k:
        return wrap(tuple(torch.chunk(kernels.dense(q, w, b), 3, -1)))
    if k_is_v:
        sizes = (q.shape[-1], 2 * q.shape[-1])
        w_q, w_kv = torch.split(w, sizes)
        b_q, b_kv = (None, None) if b is None else torch.split(b, sizes)
        return wrap((kernels.dense(q, w_q, b_q), *torch.chunk(kernels.dense(k, w_kv, b_kv), 2, -1)))
    biases = (None,) * 3 if b is None else torch.chunk(b, 3)
    return wrap(tuple(kernels.dense(x, *each) for x, *each in zip((q, k, v), torch.chunk(w, 3), biases)))


def _additive(mask: Any, dtype: torch.dtype, name: str, owner: str) -> Any:
    """Return a mask to add to the scores: True in a bool mask means "do not look here"."""
    if mask.dtype is torch.uint8:
        mask = mask.to(torch.bool)
    if mask.dtype is torch.bool:
        return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, float("-inf"))
    if not mask.dtype.is_floating_point:
        raise ValueError(f"For '{owner}', the '{name}' must be bool or floating, but got {dtype_name(mask.dtype)}.")
    return mask.to(dtype)


def _mask(attn_mask: Any, padding_mask: Any, sizes: tuple[int, int, int, int], q: Any, extra: int, owner: str) -> Any:
    """Return the summand of the scores (B, N, L, S + extra), or None; every query may see the ``extra`` last places."""
    batch, heads, _, source = sizes
    mask = None
    if attn_mask is not None:
        mask = _additive(attn_mask, q.dtype, "attn_mask", owner)
        mask = mask if attn_mask.dim() == 2 else torch.reshape(mask, (batch, heads, *mask.shape[1:]))
    if padding_mask is not None:
        if tuple(padding_mask.shape) != (batch, source):
            raise ValueError(
                f"For '{owner}', the shape of 'key_padding_mask' must be {(batch, source)}, "
                f"but got {tuple(padding_mask.shape)}."
            )
        padding = torch.reshape(_additive(padding_mask, q.dtype, "key_padding_mask", owner), (batch, 1, 1, -1))
        mask = padding if mask is None else torch.add(mask, padding)
    return mask if mask is None or not extra else torch._C._nn.pad(mask, (0, extra))


def _attend(q: Any, k: Any, v: Any, mask: Any, rate: float, need_weights: bool) -> tuple[Any, Any]:
    if not need_weights:
        return kernels.scaled_dot_product_attention(q, k, v, mask, rate), None
    scores = kernels.matmul(torch.mul(q, 1 / math.sqrt(q.shape[-1])), torch.transpose(k, -2, -1))
    weights = torch.softmax(scores if mask is None else torch.add(scores, mask), -1)
    if rate:
        weights = dropout(weights, rate)
    return kernels.matmul(weights, v), weights


def attention_of_heads(
    projected: Any,
    heads: int,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    rate: float,
    key_padding_mask: Any,
    attn_mask: Any,
    need_weights: bool = True,
    swap: bool = False,
    static: tuple[Any, Any] = (None, None),
    is_causal: bool = False,
    owner: str = _OWNER,
) -> tuple[Any, Any]:
    """Return ((L, B, E), weights (B, N, L, S) or None) of projected inputs (L, B, E), (S, B, E); with ``swap`` the
    batch comes first in all of them. ``static``: keys and values (B · N, S, D) that take the place of the projected
    ones.
    """
    q, k, v = projected
    length = k.shape[1 if swap else 0] if static[0] is None else static[0].shape[1]
    extra = int(bias_k is not None) + int(add_zero_attn)  # places that every query may see
    if bias_k is not None:
        shape = (k.shape[0], 1, -1) if swap else (1, k.shape[1], -1)
        k, v = (
            torch.cat([item, more.expand(shape).to(item.dtype)], 1 if swap else 0)
            for item, more in ((k, bias_k), (v, bias_v))
        )
    q, k, v = (_by_heads(item, heads, swap) for item in (q, k, v))
    k, v = (
        item if given is None else torch.reshape(given, (q.shape[0], heads, *given.shape[1:]))
        for item, given in zip((k, v), static)
    )
    if add_zero_attn:
        k, v = (torch._C._nn.pad(item, (0, 0, 0, 1)) for item in (k, v))
    mask = _mask(attn_mask, key_padding_mask, (q.shape[0], heads, q.shape[2], length), q, extra, owner)
    if is_causal:  # MindSpore adds the triangle to the scores, in the place of the masks
        mask = torch.tril(torch.ones((q.shape[2], k.shape[2]), dtype=q.dtype, device=q.device))
    output, weights = _attend(q, k, v, mask, rate, need_weights)
    output = torch.permute(output, (0, 2, 1, 3) if swap else (2, 0, 1, 3))
    return torch.flatten(output, 2), weights


def _by_heads(x: Any, heads: int, swap: bool) -> Any:
    """Return (B, N, L, D)."""
    split = torch.reshape(x, (*x.shape[:2], heads, x.shape[2] // heads))
    return torch.transpose(split, 1, 2) if swap else torch.permute(split, (1, 2, 0, 3))


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
    """Return (output, weights) of attention in ``num_heads`` heads, with the projections before and after it.

    Args:
        query, key, value: (L, B, E), (S, B, E), (S, B, E), or without B.
        in_proj_weight: (3 · E, E); with ``use_separate_proj_weight`` the three others.
        static_k, static_v: (B · N, S, D), in the place of the projected ones.
        is_causal: as in MindSpore, 1 is added to the scores of the places up to a query's own; masks are left out.
        dtype: without effect.

    Raises:
        ValueError: for masks that do not fit, or ``bias_k`` beside ``static_k`` or ``static_v``.
    """
    batched = _check_qkv_shape(query.dim(), key.dim(), value.dim())
    if key_padding_mask is not None:
        _check_kpm_shape(query.dim(), key_padding_mask.dim())
    if attn_mask is not None:
        _check_attn_mask_shape(query.dim(), query.shape, key.shape, attn_mask.dim(), attn_mask.shape, num_heads)
    if not batched:
        query, key, value = (torch.unsqueeze(item, 1) for item in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else torch.unsqueeze(key_padding_mask, 0)
    if bias_k is not None and (static_k is not None or static_v is not None):
        raise ValueError(f"For '{_OWNER}', 'bias_k' and 'bias_v' cannot be added to 'static_k' and 'static_v'.")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight)
    if use_separate_proj_weight:
        biases = (None,) * 3 if in_proj_bias is None else torch.chunk(in_proj_bias, 3)
        projected: Any = _in_projection(query, key, value, *separate, *biases)
    else:
        projected = _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias, k_is_v, q_is_k)
    output, weights = attention_of_heads(
        projected, num_heads, bias_k, bias_v, add_zero_attn, dropout_p if training else 0.0, key_padding_mask,
        attn_mask, static=(static_k, static_v), is_causal=is_causal,
    )  # fmt: skip
    output = kernels.dense(output, out_proj_weight, out_proj_bias)
    weights = torch.mean(weights, 1) if average_attn_weights else weights
    return wrap((output, weights) if batched else (torch.squeeze(output, 1), torch.squeeze(weights, 0)))
