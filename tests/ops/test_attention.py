"""Attention against plain NumPy loops over samples, heads and queries, as upstream's docstrings define it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import auto_generate

B, N, N2, S1, S2, D = 2, 4, 2, 5, 7, 8
R = np.random.RandomState(3)


def _f(*shape: int) -> np.ndarray:
    return R.randn(*shape).astype(np.float32)


Q, K, V, PSE = _f(B, N, S1, D), _f(B, N2, S2, D), _f(B, N2, S2, D), _f(B, N, S1, S2)
MASK = R.rand(B, 1, S1, S2) < 0.3


def reference(q: Any, k: Any, v: Any, scale: float, hidden: Any = None, shift: Any = None, drop: Any = None) -> Any:
    """(B, N, S1, D) float64, query by query; one that sees no key gives 0."""
    out = np.zeros(q.shape)
    groups = q.shape[1] // k.shape[1]
    for b, n, i in itertools.product(*map(range, q.shape[:3])):
        seen = [j for j in range(k.shape[2]) if hidden is None or not hidden(b, n, i, j)]
        if not seen:
            continue
        scores = np.array([float(q[b, n, i].astype(np.float64) @ k[b, n // groups, j]) * scale for j in seen])
        scores += 0 if shift is None else shift[b if shift.shape[0] > 1 else 0, n, i, seen]
        weights = np.exp(scores - scores.max())
        weights /= weights.sum()
        weights *= 1 if drop is None else drop[b, n, i, seen]
        out[b, n, i] = weights @ v[b, n // groups, seen]
    return out


def in_layout(x: np.ndarray, layout: str) -> np.ndarray:
    order = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (2, 0, 1, 3)}[layout]
    moved = x.transpose(order)
    return moved.reshape(*moved.shape[:2], -1) if layout in ("BSH", "SBH") else moved


@pytest.mark.parametrize("layout", ["BNSD", "BSND", "BSH", "SBH"])
@pytest.mark.parametrize("given", ["nothing", "mask", "shift", "both"])
def test_layouts_masks_and_shifts(layout: str, given: str) -> None:
    mask = MASK if given in ("mask", "both") else None
    shift = PSE if given in ("shift", "both") else None
    found = ops.flash_attention_score(
        *[Tensor(np.ascontiguousarray(in_layout(x, layout))) for x in (Q, K, V)],
        N,
        real_shift=None if shift is None else Tensor(shift),
        attn_mask=None if mask is None else Tensor(mask),
        scalar_value=0.3,
        input_layout=layout,
    )
    hidden = None if mask is None else lambda b, n, i, j: mask[b, 0, i, j]
    np.testing.assert_allclose(
        found.asnumpy(),
        # scale · (q kᵀ + shift), as aclnnFlashAttentionScore; MindFormers divides its ALiBi by the scale for that
        in_layout(reference(Q, K, V, 0.3, hidden, None if shift is None else shift * 0.3), layout),
        rtol=1e-5,
        atol=1e-6,
    )


_MODES = {
    1: lambda b, n, i, j: bool(MASK[b, 0, i, j]),
    2: lambda b, n, i, j: j > i,
    3: lambda b, n, i, j: j > i + S2 - S1,
    4: lambda b, n, i, j: not -2 <= j - i - (S2 - S1) <= 1,
    5: lambda b, n, i, j: j > i + S2 - S1 and j >= (5, 2)[b],
}


@pytest.mark.parametrize("mode", list(_MODES))
def test_sparse_modes(mode: int) -> None:
    mask = Tensor(MASK) if mode == 1 else Tensor(np.triu(np.ones((2048, 2048), bool), 1)) if mode in (2, 3, 4) else None
    found = ops.flash_attention_score(
        Tensor(Q), Tensor(K), Tensor(V), N, attn_mask=mask, prefix=(5, 2), pre_tokens=2, next_tokens=1,
        input_layout="BNSD", sparse_mode=mode, scalar_value=0.5,
    )  # fmt: skip
    np.testing.assert_allclose(found.asnumpy(), reference(Q, K, V, 0.5, _MODES[mode]), rtol=1e-5, atol=1e-6)


def test_mode_0_takes_the_band_only_beside_a_mask() -> None:
    arguments: dict[str, Any] = {"pre_tokens": 1, "next_tokens": 2, "input_layout": "BNSD"}
    q, k, v = Tensor(Q), Tensor(K), Tensor(V)
    plain = ops.flash_attention_score(q, k, v, N, **arguments)
    np.testing.assert_allclose(plain.asnumpy(), reference(Q, K, V, 1.0), rtol=1e-5, atol=1e-6)
    banded = ops.flash_attention_score(q, k, v, N, attn_mask=Tensor(MASK), **arguments)

    def hidden(b: int, n: int, i: int, j: int) -> bool:
        return bool(MASK[b, 0, i, j]) or not -1 <= j - i <= 2

    np.testing.assert_allclose(banded.asnumpy(), reference(Q, K, V, 1.0, hidden), rtol=1e-5, atol=1e-6)


def test_a_query_without_keys_gives_zeros_and_no_nan_gradient() -> None:
    mask = np.zeros((S1, S2), bool)
    mask[2] = True

    def total(q: Any) -> Any:
        return ops.flash_attention_score(q, Tensor(K), Tensor(V), N, attn_mask=Tensor(mask), input_layout="BNSD").sum()

    found = ops.flash_attention_score(
        Tensor(Q), Tensor(K), Tensor(V), N, attn_mask=Tensor(mask), input_layout="BNSD"
    ).asnumpy()
    assert np.all(found[:, :, 2] == 0) and np.all(found[:, :, 1] != 0)
    assert np.all(np.isfinite(ms.grad(total)(Tensor(Q)).asnumpy()))


def test_drop_mask_is_one_bit_a_weight_the_lowest_first() -> None:
    k, v = _f(B, N2, 8, D), _f(B, N2, 8, D)
    kept = R.rand(B, N, S1, 8) < 0.6
    bits = np.packbits(kept, axis=-1, bitorder="little")
    found = ops.flash_attention_score(
        Tensor(Q), Tensor(k), Tensor(v), N, drop_mask=Tensor(bits), keep_prob=0.6, input_layout="BNSD"
    )
    np.testing.assert_allclose(found.asnumpy(), reference(Q, k, v, 1.0, drop=kept / 0.6), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", [0, 2, 3])
def test_sequences_one_after_the_other(mode: int) -> None:
    q, k, v = _f(9, N, D), _f(12, N2, D), _f(12, N2, D)
    ends = (4, 9), (5, 12)
    found = ops.flash_attention_score(
        Tensor(q), Tensor(k), Tensor(v), N, actual_seq_qlen=Tensor(ends[0]), actual_seq_kvlen=ends[1],
        input_layout="TND", sparse_mode=mode,
    ).asnumpy()  # fmt: skip
    with_an_empty_one = ops.flash_attention_score(
        Tensor(q), Tensor(k), Tensor(v), N, actual_seq_qlen=(4, 4, 9), actual_seq_kvlen=(5, 5, 12), input_layout="TND",
        sparse_mode=mode,
    )  # fmt: skip
    np.testing.assert_array_equal(with_an_empty_one.asnumpy(), found)
    for (a, b), (c, d) in (((0, 4), (0, 5)), ((4, 9), (5, 12))):
        parts = [x[None].transpose(0, 2, 1, 3) for x in (q[a:b], k[c:d], v[c:d])]
        offset = (d - c) - (b - a) if mode == 3 else 0
        hidden = (lambda *at, offset=offset: at[3] > at[2] + offset) if mode else None
        np.testing.assert_allclose(
            found[a:b], reference(*parts, 1.0, hidden)[0].transpose(1, 0, 2), rtol=1e-5, atol=1e-6
        )


def test_the_operator_gives_maxima_and_sums_that_join_parts() -> None:
    whole = auto_generate.FlashAttentionScore(N, input_layout="SBH")
    q, k, v = (np.ascontiguousarray(in_layout(x, "SBH")) for x in (Q, _f(B, N, 8, D), _f(B, N, 8, D)))
    high, total, _, out = whole(Tensor(q), Tensor(k), Tensor(v))
    assert high.shape == total.shape == (B, N, S1, 8)
    first, second = (whole(Tensor(q), Tensor(k[part]), Tensor(v[part])) for part in (slice(0, 3), slice(3, 8)))
    joined = ops.ring_attention_update(first[3], first[0], first[1], second[3], second[0], second[1])
    for mine, other in zip(joined, (out, high, total)):
        np.testing.assert_allclose(mine.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_16_bit_inputs_keep_their_dtype(dtype: Any) -> None:
    given = [Tensor(x, dtype) for x in (Q, K, V)]
    found = ops.flash_attention_score(*given, N, input_layout="BNSD", attn_mask=Tensor(MASK), sparse_mode=1)
    assert found.dtype == dtype
    rounded = [x.astype(ms.float32).asnumpy() for x in given]
    expected = reference(*rounded, 1.0, lambda b, n, i, j: MASK[b, 0, i, j])
    np.testing.assert_allclose(found.astype(ms.float32).asnumpy(), expected, rtol=2e-2, atol=2e-2)


def test_gradients_are_those_of_the_formula() -> None:
    def fused(q: Any, k: Any, v: Any) -> Any:
        return (ops.flash_attention_score(q, k, v, N, input_layout="BNSD", sparse_mode=2) ** 2).sum()

    def formula(q: Any, k: Any, v: Any) -> Any:
        k, v = (ops.repeat_interleave(x, N // N2, 1) for x in (k, v))
        scores = ops.matmul(q, k.swapaxes(2, 3)) + Tensor(np.triu(np.full((S1, S2), -1e30, np.float32), 1))
        return (ops.matmul(ops.softmax(scores, -1), v) ** 2).sum()

    inputs = [Tensor(x) for x in (Q, K, V)]
    for mine, other in zip(ms.grad(fused, (0, 1, 2))(*inputs), ms.grad(formula, (0, 1, 2))(*inputs)):
        np.testing.assert_allclose(mine.asnumpy(), other.asnumpy(), rtol=1e-4, atol=1e-5)


def test_prompts_of_different_lengths() -> None:
    found = ops.prompt_flash_attention(
        *[Tensor(np.ascontiguousarray(in_layout(x, "BSH"))) for x in (Q, K, V)],
        actual_seq_lengths=(5, 3),
        actual_seq_lengths_kv=Tensor([7, 4]),
        pse_shift=Tensor(PSE),
        num_heads=N,
        num_key_value_heads=N2,
        scale_value=0.2,
    ).asnumpy()
    expected = reference(Q, K, V, 0.2, lambda b, n, i, j: j >= (7, 4)[b] or i >= (5, 3)[b], PSE)
    np.testing.assert_allclose(found, in_layout(expected, "BSH"), rtol=1e-5, atol=1e-6)


def test_one_new_token_with_keys_in_a_row_and_in_blocks() -> None:
    q, lengths = Q[:, :, :1], (7, 3)
    expected = in_layout(reference(q, K, V, 0.4, lambda b, n, i, j: j >= lengths[b]), "BSH")
    rows = [Tensor(np.ascontiguousarray(in_layout(x, "BSH"))) for x in (q, K, V)]
    found = ops.incre_flash_attention(
        rows[0], [rows[1]], [rows[2]], actual_seq_lengths=lengths, num_heads=N, num_key_value_heads=N2, scale_value=0.4
    )
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)

    caches = [ms.Parameter(Tensor(np.zeros((6, 4, N2, D), np.float32))) for _ in range(2)]
    table, slots = np.array([[5, 1], [2, 0]], np.int32), []
    for b in range(B):
        slots += [table[b, j // 4] * 4 + j % 4 for j in range(S2)]
    tokens = [x.transpose(0, 2, 1, 3).reshape(-1, N2, D) for x in (K, V)]
    ops.ReshapeAndCache()(Tensor(tokens[0]), Tensor(tokens[1]), *caches, Tensor(slots, ms.int32))
    paged = ops.PagedAttention(N, 0.4, N2)(rows[0][:, 0], *caches, Tensor(table), Tensor(lengths, ms.int32))
    np.testing.assert_allclose(paged.asnumpy(), expected[:, 0], rtol=1e-5, atol=1e-6)
    blocks = [x.reshape(6, 4, N2 * D) for x in caches]
    found = ops.incre_flash_attention(
        rows[0], *blocks, actual_seq_lengths=lengths, block_table=Tensor(table), num_heads=N, num_key_value_heads=N2,
        scale_value=0.4, block_size=4,
    )  # fmt: skip
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_tokens_without_a_slot_are_left_out() -> None:
    cache = ms.Parameter(Tensor(np.zeros((2, 2, 1, 2), np.float32)))
    ops.ReshapeAndCache()(Tensor(np.ones((2, 1, 2), np.float32)), key_cache=cache, slot_mapping=Tensor([-1, 2]))
    assert cache.asnumpy().reshape(4, 2).tolist() == [[0, 0], [0, 0], [1, 1], [0, 0]]


@pytest.mark.parametrize(
    ("changed", "error"), [({"input_layout": "XYZ"}, ValueError), ({"sparse_mode": 9}, RuntimeError)]
)
def test_what_does_not_fit_raises(changed: dict[str, Any], error: type) -> None:
    arguments = {"query": Tensor(Q), "key": Tensor(K), "value": Tensor(V), "head_num": N, "input_layout": "BNSD"}
    with pytest.raises(error):
        ops.flash_attention_score(**{**arguments, **changed})


def test_quantized_attention_is_refused() -> None:
    x = Tensor(Q)
    with pytest.raises(NotImplementedError):
        ops.prompt_flash_attention(x, x, x, quant_scale1=Tensor([1.0]), num_heads=N, input_layout="BNSD")
    with pytest.raises(NotImplementedError):
        ops.incre_flash_attention(x, [x], [x], antiquant_scale=Tensor([1.0]), num_heads=N, input_layout="BNSD")


@pytest.mark.parametrize("layout", ["BSH", "BNSD", "BSND", "BNSD_BSND"])
def test_inference_under_one_name(layout: str) -> None:
    given, _, result = layout.partition("_")
    rows = [Tensor(np.ascontiguousarray(in_layout(x, given))) for x in (Q, K, V)]
    found, logs = ops.fused_infer_attention_score(
        *rows, num_heads=N, num_key_value_heads=N2, scale=0.3, input_layout=layout, atten_mask=Tensor(MASK),
        sparse_mode=1, actual_seq_lengths_kv=(7, 6), pse_shift=Tensor(PSE), softmax_lse_flag=True,
    )  # fmt: skip

    def hidden(b: int, n: int, i: int, j: int) -> bool:
        return bool(MASK[b, 0, i, j]) or j >= (7, 6)[b]

    expected = reference(Q, K, V, 0.3, hidden, PSE)
    np.testing.assert_allclose(found.asnumpy(), in_layout(expected, result or given), rtol=1e-5, atol=1e-6)
    scores = np.einsum("bnid,bnjd->bnij", Q, np.repeat(K, N // N2, 1)) * 0.3 + PSE
    for b, j in np.ndindex(B, S2):
        scores[b, :, :, j] = np.where(MASK[b, :, :, j] | (j >= (7, 6)[b]), -np.inf, scores[b, :, :, j])
    np.testing.assert_allclose(logs.asnumpy()[..., 0], np.log(np.exp(scores).sum(-1)), rtol=1e-4, atol=1e-5)


def test_inference_of_one_token_takes_no_band() -> None:
    q = np.ascontiguousarray(Q[:, :, :1])
    found, logs = ops.fused_infer_attention_score(
        Tensor(q), [Tensor(K)], [Tensor(V)], num_heads=N, input_layout="BNSD", sparse_mode=3, next_tokens=0,
        atten_mask=Tensor(MASK[:, 0, 0]),
    )  # fmt: skip
    expected = reference(q, K, V, 1.0, lambda b, n, i, j: MASK[b, 0, 0, j])
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert logs.asnumpy().tolist() == [0]
    with pytest.raises(NotImplementedError, match="kv_padding_size"):
        ops.fused_infer_attention_score(Tensor(q), Tensor(K), Tensor(V), kv_padding_size=Tensor(1), num_heads=N)
    with pytest.raises(TypeError, match="unexpected"):
        ops.fused_infer_attention_score(Tensor(q), Tensor(K), Tensor(V), nosuch=1)
