"""Attention for training, over torch's scaled_dot_product_attention; attention of several heads with its projections.

MindSpore runs the fused operators on Ascend only; its docstrings define the results. Shapes: B batch, S1 and S2 lengths
of query and key, N1 and N2 their heads (N1 a multiple of N2), D size of a head; L, S, E and N as in torch's
multi-head attention. Masks are True, or not 0, where a key is *not* seen. A query that sees no key gives 0.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import torch

from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import as_ints
from mindspore_compat._ops.declare import Int, classes, functions, op, primitive_class
from mindspore_compat._ops.random import dropout
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import dtype_name

_ALL_TOKENS = 2147483647
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
    causal = _outside_band(rows, cols, _ALL_TOKENS, 0, 0 if mode == 2 else cols - rows, device)
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
        return _fused(query, key, value, scale=scale)
    weights = torch.exp(log_weights(query, key, hidden, shift, scale)[0])
    if drop is not None:
        weights = weights * drop / keep_prob
    return torch.Tensor.to(kernels.matmul(weights, torch.Tensor.float(value)), query.dtype)


def _fused(*args: Any, **kwargs: Any) -> torch.Tensor:
    """Return torch's attention. Its fused kernels have no second derivatives: inside of another one, use none."""
    if THREAD.running < 2:
        return kernels.scaled_dot_product_attention(*args, **kwargs)
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(SDPBackend.MATH):
        return kernels.scaled_dot_product_attention(*args, **kwargs)


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


@op(fallback=False)
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
    pre_tokens: int = _ALL_TOKENS,
    next_tokens: int = _ALL_TOKENS,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> Any:
    """Return dropout(softmax(mask(scalar_value · (query · keyᵀ + real_shift)))) · value, in the shape and dtype of
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
    pre_tokens: int = _ALL_TOKENS,
    next_tokens: int = _ALL_TOKENS,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
    pse_type: int = 1,
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
    if real_shift is not None and pse_type == 1:  # it is added before the scores are scaled
        real_shift = torch.Tensor.float(real_shift) * scale_value
    found = []
    for number, (q, k, v) in enumerate(parts):
        rows, cols = q.shape[2], k.shape[2]
        if not rows:
            continue  # an empty sequence of TND
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


@op(fallback=False)
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
    pre_tokens: int = _ALL_TOKENS,
    next_tokens: int = _ALL_TOKENS,
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
        query, key, value, pse, drop_mask, padding_mask, atten_mask, prefix, actual_seq_qlen, actual_seq_kvlen,
        head_num=head_num, keep_prob=keep_prob, scale_value=scale, pre_tokens=pre_tokens, next_tokens=next_tokens,
        inner_precise=inner_precise, input_layout=input_layout, sparse_mode=sparse_mode, pse_type=pse_type,
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
        return _fused(q, k, v, mask, rate), None
    scores = kernels.matmul(torch.mul(q, 1 / math.sqrt(q.shape[-1])), torch.transpose(k, -2, -1))
    weights = torch.softmax(scores if mask is None else torch.add(scores, mask), -1)
    if rate:
        weights = dropout(weights, rate)
    return kernels.matmul(weights, v), weights


def _scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any, dropout_p: float, is_causal: bool, is_training: bool, dtype: Any
) -> Any:
    """Return (output, weights) of (..., L, D) without a fused kernel; MindNLP (`modeling_openelm.py`) imports it. As in
    MindSpore, a mask of bools and the triangle of ``is_causal`` are added to the scores as 0 and 1.
    """
    mask = torch.tril(query.new_ones((query.shape[-2], key.shape[-2]))) if is_causal else attn_mask
    mask = mask if mask is None else torch.Tensor.to(mask, query.dtype)
    return wrap(_attend(query, key, value, mask, dropout_p if is_training else 0.0, True))


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


def _turned(x: torch.Tensor, interleaved: bool) -> torch.Tensor:
    """Turn each pair of values by 90 degrees: halves of the last axis, or neighbours."""
    if not interleaved:
        first, second = torch.chunk(x, 2, -1)
        return torch.cat((-second, first), -1)
    pairs = torch.reshape(x, (*x.shape[:-1], x.shape[-1] // 2, 2))
    first, second = torch.unbind(pairs, -1)
    return torch.flatten(torch.stack((-second, first), -1), -2)


@op
def rotary_position_embedding(x: Any, cos: Any, sin: Any, mode: int = 0) -> Any:
    """Return x · cos + turned x · sin; ``mode`` 0 turns the halves of the last axis, 1 neighbours.

    Raises:
        TypeError: for other types. ValueError: for another mode.
    """
    if mode not in (0, 1):
        raise ValueError(f"For 'rotary_position_embedding', the 'mode' must be 0 or 1, but got {mode}.")
    return wrap(x * cos + _turned(x, mode == 1) * sin)


RotaryPositionEmbedding = primitive_class("RotaryPositionEmbedding", rotary_position_embedding)


@with_dtype_fallback
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


ApplyRotaryPosEmb = primitive_class("ApplyRotaryPosEmb", apply_rotary_pos_emb, cos_format=(Int, 0), settable=True)


@op
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


@op
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


_ALL = _ALL_TOKENS
FlashAttentionScore = primitive_class(
    "FlashAttentionScore",
    flash_attention_outputs,
    head_num=(Int, ...),
    keep_prob=(float, 1.0),
    scale_value=(float, 1.0),
    pre_tokens=(Int, _ALL),
    next_tokens=(Int, _ALL),
    inner_precise=(Int, 0),
    input_layout=(Literal["BSH", "BNSD", "SBH", "BSND", "TND"], "BSH"),
    sparse_mode=(Int, 0),
)

for _class in (FlashAttentionScore, RotaryPositionEmbedding):
    _class._is_listed = False

__all__ = functions(globals())
PRIMITIVES = classes(globals())
