"""Attention of inference: whole prompts, one new token, and keys and values in blocks. Parts of ``nn_func``; MindSpore
runs them on Ascend only. Masks and shapes as in ``_attention``.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import memory, wrap
from mindspore_compat.ops._adapt import as_ints, get_data
from mindspore_compat.ops.function._attention import (
    ALL_TOKENS,
    as_given,
    attend,
    check_attention,
    heads_first,
    hidden_keys,
)

__all__ = ["prompt_flash_attention", "incre_flash_attention", "reshape_and_cache", "paged_attention"]


def no_quantization(owner: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(
                f"For '{owner}', the '{name}' (quantized attention) is not supported by mindspore_compat. Dequantize "
                "the tensors first."
            )


def beyond(lengths: Any, size: int, device: Any) -> torch.Tensor:
    """Return a mask (B, size) of places behind each sample's length."""
    given = lengths.to(device) if isinstance(lengths, torch.Tensor) else constant(as_ints(lengths), device)
    ends = torch.unsqueeze(given, -1)
    return torch.arange(size, device=device) >= ends


def prompt_flash_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    actual_seq_lengths: Any = None,
    actual_seq_lengths_kv: Any = None,
    pse_shift: Any = None,
    deq_scale1: Any = None,
    quant_scale1: Any = None,
    deq_scale2: Any = None,
    quant_scale2: Any = None,
    quant_offset2: Any = None,
    num_heads: int = 1,
    scale_value: float = 1.0,
    pre_tokens: int = ALL_TOKENS,
    next_tokens: int = 0,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 1,
) -> Any:
    """Return softmax(mask(scale_value · query · keyᵀ + pse_shift)) · value of whole prompts; masks and modes as in
    `flash_attention_score`.

    Args:
        actual_seq_lengths, actual_seq_lengths_kv: lengths (B,); keys behind theirs are not seen, queries behind theirs
            give 0.

    Raises:
        NotImplementedError: for arguments of quantization.
    """
    owner = "prompt_flash_attention"
    no_quantization(
        owner,
        deq_scale1=deq_scale1,
        quant_scale1=quant_scale1,
        deq_scale2=deq_scale2,
        quant_scale2=quant_scale2,
        quant_offset2=quant_offset2,
    )
    heads = check_attention(query, key, value, num_heads, input_layout, owner)
    q, k, v = (heads_first(x, input_layout, n) for x, n in zip((query, key, value), (num_heads, heads, heads)))
    rows, cols = q.shape[2], k.shape[2]
    hidden = hidden_keys(attn_mask, sparse_mode, pre_tokens, next_tokens, None, rows, cols, q.device, owner)
    if actual_seq_lengths_kv is not None:
        late = beyond(actual_seq_lengths_kv, cols, q.device)[:, None, None, :]
        hidden = late if hidden is None else hidden | late
    out = attend(q, k, v, hidden, pse_shift, scale_value)
    if actual_seq_lengths is not None:
        out = torch.masked_fill(out, beyond(actual_seq_lengths, rows, q.device)[:, None, :, None], 0)
    return wrap(as_given(out, input_layout))


def from_blocks(cache: Any, block_table: Any, heads: int) -> torch.Tensor:
    """Return (B, N, S, D) of keys or values in blocks (blocks, block_size, H) or (blocks, block_size, N, D)."""
    found = torch.Tensor.contiguous(cache)[torch.Tensor.long(torch.Tensor.detach(block_table)).clamp(min=0)]
    size = found.shape[2]
    return torch.permute(torch.reshape(found, (found.shape[0], found.shape[1] * size, heads, -1)), (0, 2, 1, 3))


def _unseen(mask: Any, lengths: Any, size: int, device: Any) -> torch.Tensor | None:
    """Return a mask of the hidden keys of one token, (B, 1, 1, S)."""
    hidden = None
    if mask is not None:
        hidden = torch.reshape(torch.Tensor.bool(torch.Tensor.detach(mask)), (-1, 1, 1, mask.shape[-1]))
    if lengths is None:
        return hidden
    late = beyond(lengths, size, device)[:, None, None, :]
    return late if hidden is None else hidden | late


def incre_flash_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    actual_seq_lengths: Any = None,
    pse_shift: Any = None,
    dequant_scale1: Any = None,
    quant_scale1: Any = None,
    dequant_scale2: Any = None,
    quant_scale2: Any = None,
    quant_offset2: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    block_table: Any = None,
    num_heads: int = 1,
    input_layout: str = "BSH",
    scale_value: float = 1.0,
    num_key_value_heads: int = 0,
    block_size: int = 0,
    inner_precise: int = 1,
    kv_padding_size: Any = None,
) -> Any:
    """Return softmax(mask(scale_value · query · keyᵀ + pse_shift)) · value of one new token for each sample.

    Args:
        query: (B, 1, H) or (B, N, 1, D).
        key, value: Tensors, or one in a list; with ``block_table`` (B, blocks of a sample) blocks (blocks,
            block_size, H) by their numbers.
        attn_mask: (B, S), (B, 1, S) or (B, 1, 1, S).
        actual_seq_lengths: keys of each sample.

    Raises:
        NotImplementedError: for quantization and ``kv_padding_size``.
    """
    owner = "incre_flash_attention"
    no_quantization(
        owner, dequant_scale1=dequant_scale1, quant_scale1=quant_scale1, dequant_scale2=dequant_scale2,
        quant_scale2=quant_scale2, quant_offset2=quant_offset2, antiquant_scale=antiquant_scale,
        antiquant_offset=antiquant_offset, kv_padding_size=kv_padding_size,
    )  # fmt: skip
    key, value = (item[0] if isinstance(item, (tuple, list)) and len(item) == 1 else item for item in (key, value))
    heads = num_key_value_heads or num_heads
    q = heads_first(query, input_layout, num_heads)
    if block_table is not None:
        k, v = (from_blocks(item, block_table, heads) for item in (key, value))
        if actual_seq_lengths is None:
            raise RuntimeError(f"For '{owner}', 'actual_seq_lengths' must be given beside 'block_table'.")
    else:
        check_attention(query, key, value, num_heads, input_layout, owner)
        k, v = (heads_first(item, input_layout, heads) for item in (key, value))
    hidden = _unseen(attn_mask, actual_seq_lengths, k.shape[2], q.device)
    return wrap(as_given(attend(q, k, v, hidden, pse_shift, scale_value), input_layout))


def reshape_and_cache(
    key: Any, value: Any = None, key_cache: Any = None, value_cache: Any = None, slot_mapping: Any = None
) -> Any:
    """Put the keys and values of tokens (T, N, D) into caches (blocks, block_size, N, D), in place.

    Args:
        slot_mapping: (T,), block · block_size + place in the block; a token with a negative one is left out.

    Returns:
        ``key``.
    """
    slots = torch.Tensor.long(torch.Tensor.detach(slot_mapping)).reshape(-1)
    with torch.no_grad():
        for tokens, cache in ((key, key_cache), (value, value_cache)):
            if tokens is None or cache is None:
                continue
            data = get_data(cache)
            rows = data.view(data.shape[0] * data.shape[1], -1)
            new = torch.reshape(memory(tokens), (slots.shape[0], -1)).to(rows.dtype)
            kept = slots >= 0
            rows[slots[kept]] = new[kept]
    return key


def paged_attention(
    query: Any,
    key_cache: Any,
    value_cache: Any = None,
    block_tables: Any = None,
    context_lens: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    attn_mask: Any = None,
    q_seq_lens: Any = None,
    alibi_mask: Any = None,
    *,
    head_num: int,
    scale_value: float,
    kv_head_num: int,
    kv_cache_quant_mode: str = "DEFAULT",
    mask_mode: str = "MASK_DEFAULT",
    mla_v_dim: int = 0,
) -> Any:
    """Return the attention of one new token a sample over keys and values in blocks (see `reshape_and_cache`).

    Args:
        query: (B, N · D) or any shape with B · N · D elements, the samples first.
        key_cache, value_cache: (blocks, block_size, N2, D).
        block_tables: (B, blocks of a sample).
        context_lens: (B,), keys of each sample.

    Returns:
        Tensor, shape and dtype of ``query``.

    Raises:
        NotImplementedError: for quantized caches, masks and several tokens a sample: MindSpore documents no values.
    """
    owner = "PagedAttention"
    for name, given in (("attn_mask", attn_mask), ("q_seq_lens", q_seq_lens), ("alibi_mask", alibi_mask)):
        if given is not None:
            raise NotImplementedError(
                f"For '{owner}', the '{name}' is not supported by mindspore_compat. Use ops.prompt_flash_attention."
            )
    if mask_mode != "MASK_DEFAULT" or mla_v_dim:
        raise NotImplementedError(
            f"For '{owner}', 'mask_mode' {mask_mode!r} and 'mla_v_dim' {mla_v_dim} are not supported by "
            "mindspore_compat. Use ops.prompt_flash_attention."
        )
    no_quantization(owner, antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset)
    k, v = (from_blocks(item, block_tables, kv_head_num) for item in (key_cache, value_cache))
    q = torch.reshape(query, (k.shape[0], head_num, 1, k.shape[3]))
    hidden = beyond(context_lens, k.shape[2], q.device)[:, None, None, :]
    return wrap(torch.reshape(attend(q, k, v, hidden, None, scale_value), tuple(query.shape)))
