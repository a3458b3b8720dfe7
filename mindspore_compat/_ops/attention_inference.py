"""Attention for inference: whole prompts, one new token, keys and values in blocks.

MindSpore runs them on Ascend only; its docstrings define the results. Masks and shapes as in ``attention.py``.
"""

from __future__ import annotations

from typing import Any, Literal

import torch

from mindspore_compat._ops.adapt import as_ints, get_data
from mindspore_compat._ops.attention import (
    _ALL,
    _ALL_TOKENS,
    as_given,
    attend,
    check_attention,
    heads_first,
    hidden_keys,
    log_weights,
)
from mindspore_compat._ops.declare import Int, classes, functions, op, primitive_class
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import memory, wrap

_OWNER = "fused_infer_attention_score"

#: arguments for quantized tensors, shared prefixes and padding on the left
_REFUSED = """
    dequant_scale1 quant_scale1 dequant_scale2 quant_scale2 quant_offset2 antiquant_scale antiquant_offset
    key_antiquant_scale key_antiquant_offset value_antiquant_scale value_antiquant_offset query_padding_size
    kv_padding_size key_shared_prefix value_shared_prefix actual_shared_prefix_len
""".split()


@op(fallback=False)
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
    pre_tokens: int = _ALL_TOKENS,
    next_tokens: int = _ALL_TOKENS,
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
        sparse_mode, pre_tokens, next_tokens = 0, _ALL_TOKENS, _ALL_TOKENS
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


@op(fallback=False)
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
    pre_tokens: int = _ALL_TOKENS,
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


@op(fallback=False)
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


IncreFlashAttention = primitive_class(
    "IncreFlashAttention",
    incre_flash_attention,
    num_heads=(Int, 1),
    input_layout=(str, "BSH"),
    scale_value=(float, 1.0),
    num_key_value_heads=(Int, 0),
    block_size=(Int, 0),
    inner_precise=(Int, 1),
)


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


ReshapeAndCache = primitive_class("ReshapeAndCache", reshape_and_cache)


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


PagedAttention = primitive_class(
    "PagedAttention",
    paged_attention,
    head_num=(Int, ...),
    scale_value=(float, ...),
    kv_head_num=(Int, ...),
    kv_cache_quant_mode=(Literal["DEFAULT", "PERTOKEN"], "DEFAULT"),
    mask_mode=(Literal["MASK_DEFAULT", "TRAPEZOIDAL"], "MASK_DEFAULT"),
    mla_v_dim=(Int, 0),
    inputs="query key_cache value_cache block_tables context_lens antiquant_scale antiquant_offset attn_mask q_seq_lens alibi_mask",  # noqa: E501
    settable=True,
)


def _prompt(query: Any, key: Any, value: Any, *rest: Any, **attributes: Any) -> Any:
    return prompt_flash_attention(query, key, value, *rest, **attributes)


PromptFlashAttention = primitive_class(
    "PromptFlashAttention",
    _prompt,
    "`ops.prompt_flash_attention`.",
    num_heads=(Int, 1),
    scale_value=(float, 1.0),
    pre_tokens=(Int, _ALL),
    next_tokens=(Int, 0),
    input_layout=(str, "BSH"),
    num_key_value_heads=(Int, 0),
    sparse_mode=(Int, 0),
    inner_precise=(Int, 1),
)

for _class in (IncreFlashAttention, PromptFlashAttention):
    _class._is_listed = False

__all__ = functions(globals())
PRIMITIVES = classes(globals())
