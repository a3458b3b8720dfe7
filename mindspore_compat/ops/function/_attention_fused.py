"""Attention of prompts and of single tokens under one name. Part of ``nn_func``; MindSpore runs it on Ascend only."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops.function._attention import (
    ALL_TOKENS,
    as_given,
    attend,
    check_attention,
    heads_first,
    hidden_keys,
    log_weights,
)
from mindspore_compat.ops.function._attention_inference import beyond, from_blocks, no_quantization

__all__ = ["fused_infer_attention_score"]

_OWNER = "fused_infer_attention_score"
#: arguments for quantized tensors, shared prefixes and padding on the left
_REFUSED = """
    dequant_scale1 quant_scale1 dequant_scale2 quant_scale2 quant_offset2 antiquant_scale antiquant_offset
    key_antiquant_scale key_antiquant_offset value_antiquant_scale value_antiquant_offset query_padding_size
    kv_padding_size key_shared_prefix value_shared_prefix actual_shared_prefix_len
""".split()


def fused_infer_attention_score(
    query: Any,
    key: Any,
    value: Any,
    *,
    pse_shift: Any = None,
    atten_mask: Any = None,
    actual_seq_lengths: Any = None,
    actual_seq_lengths_kv: Any = None,
    block_table: Any = None,
    num_heads: int = 1,
    scale: float = 1.0,
    pre_tokens: int = ALL_TOKENS,
    next_tokens: int = ALL_TOKENS,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 1,
    block_size: int = 0,
    antiquant_mode: int = 0,
    key_antiquant_mode: int = 0,
    value_antiquant_mode: int = 0,
    softmax_lse_flag: bool = False,
    **others: Any,
) -> tuple[Any, Any]:
    """Return (softmax(mask(scale · query · keyᵀ + pse_shift)) · value, log of the softmax's denominators).

    Args:
        query, key, value: (B, S, H), (B, N, S, D) or (B, S, N, D); keys and values may be one Tensor in a list, or with
            ``block_table`` lie in blocks. ``input_layout`` "BNSD_BSND" gives (B, S, N, D).
        actual_seq_lengths, actual_seq_lengths_kv: lengths (B,); queries behind theirs give 0.
        pre_tokens, next_tokens, sparse_mode: as in `ops.flash_attention_score`; without effect for one query.
        softmax_lse_flag: whether the second output is float32 (B, N, S, 1); else it is a 0.

    Raises:
        NotImplementedError: for quantized tensors, shared prefixes and padding on the left.
    """
    for name in others.keys() - {*_REFUSED}:
        raise TypeError(f"{_OWNER}() got an unexpected keyword argument '{name}'")
    no_quantization(_OWNER, **others)
    given, _, result = input_layout.partition("_")
    key, value = (item[0] if isinstance(item, (tuple, list)) and len(item) == 1 else item for item in (key, value))
    q, k, v = _parts(query, key, value, num_heads, num_key_value_heads, given, block_table, actual_seq_lengths_kv)
    rows, cols = q.shape[2], k.shape[2]
    if rows == 1:
        sparse_mode, pre_tokens, next_tokens = 0, ALL_TOKENS, ALL_TOKENS
        if atten_mask is not None:
            atten_mask = torch.reshape(atten_mask, (-1, 1, 1, atten_mask.shape[-1]))
    hidden = hidden_keys(atten_mask, sparse_mode, pre_tokens, next_tokens, None, rows, cols, q.device, _OWNER)
    if actual_seq_lengths_kv is not None:
        late = beyond(actual_seq_lengths_kv, cols, q.device)[:, None, None, :]
        hidden = late if hidden is None else hidden | late
    out = attend(q, k, v, hidden, pse_shift, scale)
    if actual_seq_lengths is not None and rows > 1:
        out = torch.masked_fill(out, beyond(actual_seq_lengths, rows, q.device)[:, None, :, None], 0)
    return wrap((as_given(out, result or given), _logarithms(q, k, hidden, pse_shift, scale, softmax_lse_flag)))


def _logarithms(query: Any, key: Any, hidden: Any, shift: Any, scale: float, wanted: bool) -> torch.Tensor:
    if not wanted:
        return torch.zeros(1, device=query.device)
    key = torch.repeat_interleave(key, query.shape[1] // key.shape[1], 1)
    _, high, total = log_weights(query, key, hidden, shift, scale)
    return high + torch.log(total)


def _parts(
    query: Any, key: Any, value: Any, num_heads: int, kv_heads: int, layout: str, block_table: Any, lengths: Any
) -> tuple[Any, Any, Any]:
    """Query, key and value with the heads first."""
    if block_table is None:
        heads = check_attention(query, key, value, num_heads, layout, _OWNER)
        q, k, v = (heads_first(x, layout, n) for x, n in zip((query, key, value), (num_heads, heads, heads)))
    else:
        heads = kv_heads or num_heads
        q = heads_first(query, layout, num_heads)
        k, v = (from_blocks(item, block_table, heads) for item in (key, value))
        if lengths is None:
            raise RuntimeError(f"For '{_OWNER}', 'actual_seq_lengths_kv' must be given beside 'block_table'.")
    if kv_heads not in (0, heads):
        raise RuntimeError(f"For '{_OWNER}', 'key' has {heads} heads, but 'num_key_value_heads' is {kv_heads}.")
    return q, k, v
