"""Attention in one call, over torch's scaled_dot_product_attention. Parts of ``nn_func``; MindSpore runs them on Ascend
only, and its docstrings define the results.

Shapes: B batch, S1 and S2 lengths of query and key, N1 and N2 their heads (N1 a multiple of N2), D size of a head.
Masks are True, or not 0, where a key is *not* seen. A query that sees no key gives 0.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_ints

__all__ = ["ALL_TOKENS", "flash_attention_score", "flash_attention_outputs", "speed_fusion_attention"]

ALL_TOKENS = 2147483647
_LAYOUTS = ("BSH", "BNSD", "SBH", "BSND", "TND")


def heads_first(x: torch.Tensor, layout: str, heads: int) -> torch.Tensor:
    """Return (B, N, S, D) from a layout; H = N · D."""
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return torch.permute(x, (0, 2, 1, 3))
    size, last = (1, 0) if layout == "SBH" else (0, 1)
    split = torch.reshape(x, (x.shape[0], x.shape[1], heads, x.shape[2] // heads))
    return torch.permute(split, (size, 2, last, 3))


def as_given(x: torch.Tensor, layout: str) -> torch.Tensor:
    """Return a result (B, N, S, D) in a layout."""
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return torch.permute(x, (0, 2, 1, 3))
    order = (2, 0, 1, 3) if layout == "SBH" else (0, 2, 1, 3)
    return torch.flatten(torch.permute(x, order), 2)


def _outside_band(rows: int, cols: int, before: int, after: int, offset: int, device: Any) -> torch.Tensor:
    """Return a mask of places where column - row is outside of [offset - before, offset + after]."""
    distance = torch.arange(cols, device=device) - torch.unsqueeze(torch.arange(rows, device=device), -1) - offset
    return (distance < -before) | (distance > after)


def hidden_keys(
    mask: Any, mode: int, before: int, after: int, prefix: Any, rows: int, cols: int, device: Any, owner: str
) -> torch.Tensor | None:
    """Return a mask of hidden keys: a bool tensor that broadcasts to (B, N1, S1, S2), or None if all are seen.

    In modes 2 to 4 ``mask`` is MindSpore's compressed triangle, whose values follow from the mode.
    """
    if mode not in range(6):
        raise RuntimeError(f"For '{owner}', the 'sparse_mode' must be in [0, 5], but got {mode}.")
    given = None if mask is None else torch.Tensor.bool(torch.Tensor.detach(mask))
    if given is not None and given.dim() == 3:
        given = torch.unsqueeze(given, 1)
    if mode == 1 and given is None:
        raise RuntimeError(f"For '{owner}', the 'attn_mask' must be a Tensor when 'sparse_mode' is 1, but got None.")
    if mode in (0, 1):
        if given is None or mode == 1 or (before >= cols + rows and after >= cols + rows):
            return given
        return given | _outside_band(rows, cols, before, after, 0, device)
    if mode == 4:
        return _outside_band(rows, cols, before, after, cols - rows, device)
    causal = _outside_band(rows, cols, ALL_TOKENS, 0, 0 if mode == 2 else cols - rows, device)
    if mode != 5:
        return causal
    lengths = torch.reshape(constant(as_ints(prefix), device), (-1, 1, 1, 1))
    seen = causal & (torch.arange(cols, device=device) >= lengths)
    return seen if given is None else seen | given


def attend(
    query: Any, key: Any, value: Any, hidden: Any, shift: Any, scale: float, drop: Any = None, keep_prob: float = 1.0
) -> torch.Tensor:
    """Return (B, N1, S1, D) of heads first; ``shift`` is added to the scaled scores, ``drop`` are the weights kept."""
    if key.shape[1] != query.shape[1]:
        groups = query.shape[1] // key.shape[1]
        key, value = (torch.repeat_interleave(item, groups, 1) for item in (key, value))
    if drop is None and shift is None and hidden is None:
        return kernels.scaled_dot_product_attention(query, key, value, scale=scale)
    weights = torch.exp(log_weights(query, key, hidden, shift, scale)[0])
    if drop is not None:
        weights = weights * drop / keep_prob
    return torch.Tensor.to(kernels.matmul(weights, torch.Tensor.float(value)), query.dtype)


def log_weights(query: Any, key: Any, hidden: Any, shift: Any, scale: float) -> tuple[Any, Any, Any]:
    """Return (log of the weights in float32, maximum of each row's scores, sum of exp(score - maximum))."""
    scores = kernels.matmul(torch.Tensor.float(query), torch.transpose(torch.Tensor.float(key), 2, 3)) * scale
    if shift is not None:
        scores = scores + shift
    if hidden is not None:
        scores = torch.masked_fill(scores, hidden, float("-inf"))
    high = torch.amax(scores, -1, keepdim=True)
    high = torch.where(torch.isinf(high), torch.zeros_like(high), high)
    total = torch.sum(torch.exp(scores - high), -1, keepdim=True)
    safe = torch.where(total == 0, torch.ones_like(total), total)
    return scores - high - torch.log(safe), high, total


def _kept(drop_mask: Any, shape: tuple[int, ...]) -> torch.Tensor | None:
    """Return the bits of bytes, the lowest first, in ``shape``."""
    if drop_mask is None:
        return None
    places = torch.arange(8, device=drop_mask.device)
    bits = torch.bitwise_and(torch.bitwise_right_shift(torch.unsqueeze(drop_mask, -1).long(), places), 1)
    return torch.reshape(torch.flatten(bits), shape)


def check_attention(query: Any, key: Any, value: Any, head_num: int, layout: str, owner: str) -> int:
    """Return the heads of the keys."""
    if layout not in _LAYOUTS:
        raise ValueError(f"For '{owner}', the 'input_layout' must be in {list(_LAYOUTS)}, but got {layout!r}.")
    axis = {"BNSD": 1, "BSND": 2, "TND": 1}.get(layout)
    return key.shape[axis] if axis is not None else key.shape[2] // (query.shape[2] // head_num)


def flash_attention_score(
    query: Any,
    key: Any,
    value: Any,
    head_num: int,
    real_shift: Any = None,
    drop_mask: Any = None,
    padding_mask: Any = None,
    attn_mask: Any = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    keep_prob: float = 1.0,
    scalar_value: float = 1.0,
    pre_tokens: int = ALL_TOKENS,
    next_tokens: int = ALL_TOKENS,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> Any:
    """Return dropout(softmax(mask(scalar_value · query · keyᵀ + real_shift))) · value, in the shape and dtype of
    ``query``.

    Args:
        query, key, value: (B, S, H), (B, N, S, D), (S, B, H), (B, S, N, D), or (T, N, D): all sequences one after the
            other, which end at ``actual_seq_qlen`` and ``actual_seq_kvlen``. Any float dtype.
        drop_mask: uint8, one bit a weight, 1 keeps it.
        attn_mask: True or 1 where a key is not seen.
        prefix: in mode 5, the number of first keys that all queries of a sample see.
        sparse_mode: 0 ``attn_mask`` and, if it is given, the band of ``pre_tokens`` and ``next_tokens``; 1
            ``attn_mask``; 2 causal from the upper left; 3 causal from the lower right; 4 the band from the lower right;
            5 causal from the lower right and ``prefix``.
        padding_mask, inner_precise: without effect, as in MindSpore.

    Raises:
        ValueError: for another layout. RuntimeError: for another mode.
    """
    return wrap(
        flash_attention_outputs(
            query, key, value, real_shift, drop_mask, padding_mask, attn_mask, prefix, actual_seq_qlen,
            actual_seq_kvlen, head_num=head_num, keep_prob=keep_prob, scale_value=scalar_value, pre_tokens=pre_tokens,
            next_tokens=next_tokens, inner_precise=inner_precise, input_layout=input_layout, sparse_mode=sparse_mode,
            statistics=False,
        )[3]
    )  # fmt: skip


def flash_attention_outputs(
    query: Any,
    key: Any,
    value: Any,
    real_shift: Any = None,
    drop_mask: Any = None,
    padding_mask: Any = None,
    attn_mask: Any = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    *,
    head_num: int,
    keep_prob: float = 1.0,
    scale_value: float = 1.0,
    pre_tokens: int = ALL_TOKENS,
    next_tokens: int = ALL_TOKENS,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
    statistics: bool = True,
) -> Any:
    """Return (maximum of each query's scores, sum of exp(score - maximum), an empty Tensor, `flash_attention_score`);
    the first two float32 (B, N1, S1, 8), for TND (T, N1, 8), without gradient.
    """
    owner = "flash_attention_score"
    heads = check_attention(query, key, value, head_num, input_layout, owner)
    given = (query, key, value)
    if input_layout == "TND":
        ends = as_ints(actual_seq_qlen), as_ints(actual_seq_kvlen), as_ints(actual_seq_kvlen)
        parts = list(zip(*map(_sequences, given, ends)))
    else:
        parts = [tuple(heads_first(x, input_layout, n) for x, n in zip(given, (head_num, heads, heads)))]
    kept = _kept_of_parts(drop_mask, parts)
    found = []
    for number, (q, k, v) in enumerate(parts):
        rows, cols = q.shape[2], k.shape[2]
        shift = _shift_of(real_shift, number if input_layout == "TND" else None, rows, cols)
        hidden = hidden_keys(attn_mask, sparse_mode, pre_tokens, next_tokens, prefix, rows, cols, q.device, owner)
        stats = _statistics(q, k, hidden, shift, scale_value) if statistics else (None, None)
        found.append((attend(q, k, v, hidden, shift, scale_value, kept[number], keep_prob), *stats))
    empty = torch.empty(0, dtype=query.dtype, device=query.device)
    if input_layout != "TND":
        out, high, total = found[0]
        return wrap((high, total, empty, as_given(out, input_layout)))
    out = torch.cat([torch.permute(item[0][0], (1, 0, 2)) for item in found])
    high, total = (
        torch.cat([torch.permute(item[i][0], (1, 0, 2)) for item in found]) if statistics else None for i in (1, 2)
    )
    return wrap((high, total, empty, out))


def _sequences(x: torch.Tensor, ends: Any) -> list[torch.Tensor]:
    """Return (1, N, S, D) of each sequence in (T, N, D)."""
    lengths = [end - start for start, end in zip((0, *ends), ends)]
    return [torch.unsqueeze(torch.permute(item, (1, 0, 2)), 0) for item in torch.split(x, lengths)]


def _kept_of_parts(drop_mask: Any, parts: list) -> list:
    if drop_mask is None:
        return [None] * len(parts)
    shapes = [(q.shape[0], q.shape[1], q.shape[2], k.shape[2]) for q, k, _ in parts]
    if len(parts) == 1:
        return [_kept(drop_mask, shapes[0])]
    sizes = [torch.Size(shape).numel() for shape in shapes]
    bits = _kept(drop_mask, (-1,))
    assert bits is not None
    return [torch.reshape(item, shape) for item, shape in zip(torch.split(bits[: sum(sizes)], sizes), shapes)]


def _shift_of(shift: Any, sample: int | None, rows: int, cols: int) -> Any:
    """Return the part of ``real_shift`` for one sequence of TND, or all of it."""
    if shift is None or sample is None:
        return shift
    one = torch.narrow(shift, 0, sample if shift.shape[0] > 1 else 0, 1)
    return torch.narrow(torch.narrow(one, 2, 0, rows), 3, 0, cols)


@torch.no_grad()
def _statistics(query: Any, key: Any, hidden: Any, shift: Any, scale: float) -> tuple[Any, Any]:
    key = torch.repeat_interleave(key, query.shape[1] // key.shape[1], 1)
    _, high, total = log_weights(query, key, hidden, shift, scale)
    shape = (*high.shape[:-1], 8)
    return torch.Tensor.expand(high, shape).contiguous(), torch.Tensor.expand(total, shape).contiguous()


def speed_fusion_attention(
    query: Any,
    key: Any,
    value: Any,
    head_num: int,
    input_layout: str,
    *,
    pse: Any = None,
    padding_mask: Any = None,
    atten_mask: Any = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tokens: int = ALL_TOKENS,
    next_tokens: int = ALL_TOKENS,
    inner_precise: int = 0,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    pse_type: int = 1,
    q_start_idx: Any = None,
    kv_start_idx: Any = None,
) -> Any:
    """Return attention with its own dropout: (result in the shape of ``query``, maximum of each query's scores, sum of
    exp(score - maximum), an empty Tensor, and three numbers: seed, offset and length of MindSpore's dropout mask).

    Args:
        as `flash_attention_score`'s; ``keep_prob`` is the probability that a weight is kept.
        pse: added to the scores before they are scaled (``pse_type`` 1) or after it (0).

    Raises:
        NotImplementedError: for a ``pse_type`` of 2 or 3, whose positions MindSpore makes itself. The errors of
        `flash_attention_score`.
    """
    if pse_type not in (0, 1) or q_start_idx is not None or kv_start_idx is not None:
        raise NotImplementedError(
            "For 'speed_fusion_attention', positions that the kernel makes itself ('pse_type' 2 and 3, 'q_start_idx', "
            "'kv_start_idx') are not supported by mindspore_compat. Pass them as 'pse'."
        )
    drop_mask = None
    if keep_prob < 1:
        drop_mask = _drawn_bits(query, key, head_num, input_layout, keep_prob, actual_seq_qlen, actual_seq_kvlen)
    high, total, empty, out = flash_attention_outputs(
        query, key, value, pse if pse is None or pse_type == 0 else pse * scale, drop_mask, padding_mask, atten_mask,
        prefix, actual_seq_qlen, actual_seq_kvlen, head_num=head_num, keep_prob=keep_prob, scale_value=scale,
        pre_tokens=pre_tokens, next_tokens=next_tokens, inner_precise=inner_precise, input_layout=input_layout,
        sparse_mode=sparse_mode,
    )  # fmt: skip
    return out, high, total, empty, 0, 0, 0 if drop_mask is None else drop_mask.numel() * 8


def _drawn_bits(
    query: Any, key: Any, heads: int, layout: str, keep_prob: float, query_ends: Any, key_ends: Any
) -> torch.Tensor:
    """Return bytes whose bits mark the kept weights, in the form of `flash_attention_score`."""
    if layout == "TND":
        ends = [as_ints(item) for item in (query_ends, key_ends)]
        lengths = [[end - start for start, end in zip((0, *each), each)] for each in ends]
        count = heads * sum(rows * columns for rows, columns in zip(*lengths))
    else:
        batch, length = {"BSH": (0, 1), "BNSD": (0, 2), "SBH": (1, 0), "BSND": (0, 1)}[layout]
        count = query.shape[batch] * heads * query.shape[length] * key.shape[length]
    kept = torch.rand((-(-count // 8), 8), device=query.device) < keep_prob
    return torch.sum(kept << torch.arange(8, device=query.device), 1).to(torch.uint8)
