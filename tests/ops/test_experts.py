"""Experts, rotary positions and fused norms against NumPy and the examples of upstream's docstrings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import auto_generate

R = np.random.RandomState(5)


def _f(*shape: int) -> np.ndarray:
    return R.randn(*shape).astype(np.float32)


def _close(found: Any, expected: Any, tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=tolerance, atol=tolerance)


def test_add_layer_norm() -> None:
    x1, x2, gamma, beta = _f(2, 3, 8), _f(2, 3, 8), _f(8), _f(8)
    y, mean, deviation, x = ops.add_layer_norm(*map(Tensor, (x1, x2, gamma, beta)), 1e-5)
    total = (x1 + x2).astype(np.float64)
    expected_mean, variance = total.mean(-1, keepdims=True), total.var(-1, keepdims=True)
    _close(y, (total - expected_mean) / np.sqrt(variance + 1e-5) * gamma + beta)
    _close(mean, expected_mean)
    _close(deviation, 1 / np.sqrt(variance + 1e-5))
    _close(x, total)


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16])
def test_add_rms_norm(dtype: Any) -> None:
    x1, x2, gamma = (Tensor(item, dtype) for item in (_f(2, 3, 8), _f(2, 3, 8), _f(8)))
    y, scale, x = ops.add_rms_norm(x1, x2, gamma)
    total = (x1 + x2).astype(ms.float32).asnumpy()
    expected = 1 / np.sqrt((total**2).mean(-1, keepdims=True) + 1e-6)
    assert (y.dtype, scale.dtype, x.dtype) == (dtype, ms.float32, dtype)
    _close(
        y.astype(ms.float32),
        total * expected * gamma.astype(ms.float32).asnumpy(),
        1e-5 if dtype == ms.float32 else 5e-3,
    )
    _close(scale, expected)


def test_norms_have_the_gradients_of_their_formulas() -> None:
    x1, x2, gamma, beta = map(Tensor, (_f(4, 8), _f(4, 8), _f(8), _f(8)))
    fused = ms.grad(lambda *a: (ops.add_layer_norm(*a)[0] ** 2).sum(), (0, 2, 3))(x1, x2, gamma, beta)
    plain = ms.grad(lambda a, b, g, s: (ops.layer_norm(a + b, (8,), g, s, 1e-5) ** 2).sum(), (0, 2, 3))(
        x1, x2, gamma, beta
    )
    for mine, other in zip(fused, plain):
        _close(mine, other.asnumpy(), 1e-4)


def test_statistics_pass_no_gradient() -> None:
    """As in MindSpore's tests on Ascend; `add_layer_norm`'s fourth output passes one if it was asked for."""
    x, other, gamma = map(Tensor, (_f(2, 4), _f(2, 4), _f(4)))
    for norm in (
        lambda x: ops.rms_norm(x, gamma),
        lambda x: ops.add_rms_norm(x, other, gamma)[:2],
        lambda x: ops.add_layer_norm(x, other, gamma, gamma, 1e-5),
        lambda x: auto_generate.GroupNorm()(x, 2, gamma, gamma, 1e-5),
    ):
        _close(ms.grad(norm)(x), ms.grad(lambda x, norm=norm: norm(x)[0])(x).asnumpy())
    asked = ms.grad(lambda x: ops.add_layer_norm(x, other, ops.ones(4), gamma, 1e-5, True))(x)
    _close(asked, np.ones((2, 4)))


@pytest.mark.parametrize("mode", [0, 1])
def test_rotary_position_embedding(mode: int) -> None:
    x, angles = _f(2, 5, 3, 8), R.rand(1, 5, 1, 4) * 6
    repeated = np.concatenate((angles, angles), -1) if mode == 0 else np.repeat(angles, 2, -1)
    found = ops.rotary_position_embedding(
        Tensor(x), Tensor(np.cos(repeated), ms.float32), Tensor(np.sin(repeated), ms.float32), mode
    )
    pairs = (x[..., :4], x[..., 4:]) if mode == 0 else (x[..., ::2], x[..., 1::2])
    turned = (pairs[0] + 1j * pairs[1]) * np.exp(1j * angles)
    expected = (
        np.concatenate((turned.real, turned.imag), -1)
        if mode == 0
        else np.stack((turned.real, turned.imag), -1).reshape(x.shape)
    )
    _close(found, expected)
    with pytest.raises(ValueError, match="mode"):
        ops.rotary_position_embedding(Tensor(x), Tensor(x), Tensor(x), 2)


@pytest.mark.parametrize("cos_format", [0, 1, 2, 3])
@pytest.mark.parametrize("length", [1, 6])
def test_apply_rotary_pos_emb(cos_format: int, length: int) -> None:
    samples, heads, size = 3, 2, 8
    angles = np.outer(np.arange(10), 1 / 10 ** (np.arange(4) / 4))
    table = np.concatenate((angles, angles), -1) if cos_format % 2 == 0 else np.repeat(angles, 2, -1)
    query, key = _f(samples, length, heads * size), _f(samples, length, size)
    places = np.array([7, 2, 9]) if length == 1 else np.arange(length)
    cos, sin = np.cos(table).astype(np.float32), np.sin(table).astype(np.float32)
    if cos_format > 1:
        rows = places if length == 1 else np.tile(places, samples)
        cos, sin = cos[rows], sin[rows]
    found = ops.ApplyRotaryPosEmb(cos_format)(*map(Tensor, (query, key, cos, sin)), Tensor(places, ms.int32))
    for x, mine in zip((query, key), found):
        apart = x.reshape(samples, length, -1, size)
        pairs = (apart[..., :4], apart[..., 4:]) if cos_format % 2 == 0 else (apart[..., ::2], apart[..., 1::2])
        turn = np.exp(1j * angles[places])
        turned = (pairs[0] + 1j * pairs[1]) * (turn[:, None, None] if length == 1 else turn[None, :, None])
        joined = (
            np.concatenate((turned.real, turned.imag), -1)
            if cos_format % 2 == 0
            else np.stack((turned.real, turned.imag), -1)
        )
        _close(mine, joined.reshape(x.shape))


def test_tokens_go_to_their_experts_and_back() -> None:
    tokens, experts = _f(6, 4), R.randint(0, 5, (6, 2)).astype(np.int32)
    permuted, places = ops.moe_token_permute(Tensor(tokens), Tensor(experts))
    order = np.argsort(experts.reshape(-1), kind="stable")
    _close(permuted, tokens[order // 2])
    assert places.dtype == ms.int32 and np.array_equal(places.asnumpy()[order], np.arange(12))
    probs = R.rand(6, 2).astype(np.float32)
    back = ops.moe_token_unpermute(permuted, places, Tensor(probs))
    _close(back, tokens * probs.sum(1, keepdims=True))
    kept, places = ops.moe_token_permute(Tensor(tokens), Tensor(experts), 7)
    weights = np.where(places.asnumpy().reshape(6, 2) < 7, probs, 0).sum(1, keepdims=True)
    assert kept.shape == (7, 4)
    _close(ops.moe_token_unpermute(kept, places, Tensor(probs)), tokens * weights)

    def total(x: Any, p: Any) -> Any:
        return (ops.moe_token_unpermute(*ops.moe_token_permute(x, Tensor(experts)), p) ** 2).sum()

    found = ms.grad(total, (0, 1))(Tensor(tokens), Tensor(probs))
    share = probs.sum(1, keepdims=True)
    _close(found[0], 2 * tokens * share**2, 1e-4)
    _close(found[1], np.repeat((2 * tokens**2 * share).sum(1, keepdims=True), 2, 1), 1e-4)


def test_permute_as_upstreams_example() -> None:
    tokens = Tensor([[1, 1, 1], [7, 7, 7], [2, 2, 2], [1, 1, 1], [2, 2, 2], [3, 3, 3]], ms.bfloat16)
    found, places = ops.moe_token_permute(tokens, Tensor([5, 0, 3, 1, 2, 4], ms.int32))
    assert found.astype(ms.float32).asnumpy()[:, 0].tolist() == [7, 1, 2, 2, 3, 1]
    assert places.asnumpy().tolist() == [5, 0, 3, 1, 2, 4]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x, i: ops.moe_token_permute(x, i[:2]), RuntimeError),
        (lambda x, i: ops.moe_init_routing_v2(x, i, 0, 0, 3, 2, 0, False), ValueError),
    ],
)
def test_what_does_not_fit_raises(call: Any, error: type) -> None:
    with pytest.raises(error):
        call(Tensor(_f(4, 4)), Tensor(np.zeros((4, 2), np.int32)))


def test_init_routing_v2_as_upstreams_example() -> None:
    x = Tensor(np.array([[0.1, 0.2, 0.3], [0.2, 0.7, 0.8], [0.3, 0.3, 0.5]]), ms.float32)
    experts = Tensor(np.array([[0, 1, 1], [2, 1, 1], [0, 0, 0]]), ms.int32)
    rows, places, before = ops.moe_init_routing_v2(x, experts, 3, 2, 3, 1, 0, True)
    first, second, third = x.asnumpy()
    _close(rows, [[first, third], [first, first], [second, np.zeros(3)]])
    assert places.asnumpy().tolist() == [0, 2, 3, 4, -1, -1, 1, -1, -1]
    assert before.asnumpy().tolist() == [4, 4, 1]
    assert len(ops.moe_init_routing_v2(x, experts, 3, 2, 3, 1, 0, False)) == 2
    assert len(auto_generate.MoeInitRoutingV2()(x, experts, 3, 2, 3, 1, 0, False)) == 4
    for flag, expected in ((1, [[4, 8, 9]]), (2, [[4, 4, 1]]), (0, [])):
        rows, places, *tokens = ops.moe_init_routing_v2(x, experts, 5, 0, 3, 0, flag, False)
        assert [item.asnumpy().tolist() for item in tokens] == expected
        _close(rows, [first, third, third, third, first])
        assert places.asnumpy().tolist() == [0, 4, 5, 8, 6, 7, 1, 2, 3]


def test_routing_of_generated_operators() -> None:
    tokens, experts, choices = _f(5, 4), R.randint(0, 6, (5, 2)).astype(np.int32), 2
    rows = np.arange(10).reshape(2, 5).T.astype(np.int32)
    found, places, sorted_experts = auto_generate.MoeInitRouting()(Tensor(tokens), Tensor(rows), Tensor(experts), 5)
    order = np.argsort(experts.reshape(-1), kind="stable")
    source = rows.reshape(-1)[order]
    _close(found, tokens[source % 5])
    assert np.array_equal(places.asnumpy()[source], np.arange(10))
    assert np.array_equal(sorted_experts.asnumpy(), np.sort(experts.reshape(-1)))
    counts = auto_generate.MoeComputeExpertTokens()(sorted_experts, 6)
    assert counts.asnumpy().tolist() == np.searchsorted(np.sort(experts.reshape(-1)), np.arange(6), "right").tolist()
    scales, bias, skip = R.rand(5, choices).astype(np.float32), _f(6, 4), _f(5, 4)
    out = auto_generate.MoeFinalizeRouting()(
        found, Tensor(skip), None, Tensor(bias), Tensor(scales), places, Tensor(experts)
    )
    expected = skip + sum(
        scales[:, k : k + 1] * (found.asnumpy()[places.asnumpy()[k * 5 : k * 5 + 5]] + bias[experts[:, k]])
        for k in range(choices)
    )
    _close(out, expected)


def test_gating_and_groups() -> None:
    x = _f(4, 6)
    finished = np.array([False, True, False, False])
    weights, experts, rows = auto_generate.MoeGatingTopKSoftmax()(Tensor(x), Tensor(finished), 2)
    soft = np.exp(x - x.max(-1, keepdims=True))
    soft /= soft.sum(-1, keepdims=True)
    order = np.argsort(-soft, -1, kind="stable")[:, :2]
    _close(weights, np.take_along_axis(soft, order, -1))
    assert np.array_equal(experts.asnumpy(), np.where(finished[:, None], 6, order))
    assert np.array_equal(rows.asnumpy(), np.arange(8).reshape(2, 4).T)
    token = ms.Parameter(Tensor(x))
    ops.GroupTopk()(token, Tensor(np.arange(1024), ms.int32), 3, 1, 2)
    best = np.argmax(x.reshape(4, 3, 2).sum(-1), -1)
    _close(token, np.where(np.arange(6) // 2 == best[:, None], x, 0))


def test_grouped_matmul() -> None:
    x, weight = _f(7, 3), _f(2, 3, 4)
    (found,) = auto_generate.GroupedMatmul(3, 0)([Tensor(x)], [Tensor(weight)], group_list=Tensor([2, 7], ms.int64))
    _close(found, np.concatenate((x[:2] @ weight[0], x[2:] @ weight[1])))
    many = auto_generate.GroupedMatmul()([Tensor(x), Tensor(x)], [Tensor(weight[0]), Tensor(weight[1])])
    for mine, matrix in zip(many, weight):
        _close(mine, x @ matrix)
    with pytest.raises(NotImplementedError, match="quantized"):
        auto_generate.GroupedMatmul()([Tensor(x)], [Tensor(weight[0])], antiquant_scale=[Tensor(x)])
    with pytest.raises(ValueError, match="split_item"):
        auto_generate.GroupedMatmul(1, 0)([Tensor(x)], [Tensor(weight[0])])


def test_multi_scale_deformable_attention() -> None:
    sizes = np.array([[4, 5], [2, 3]])
    value, places, weight = (
        _f(2, 26, 2, 8),
        R.rand(2, 3, 2, 2, 4, 2).astype(np.float32),
        R.rand(2, 3, 2, 2, 4).astype(np.float32),
    )
    found = ops.multi_scale_deformable_attn_function(*map(Tensor, (value, sizes, np.array([0, 20]), places, weight)))
    expected = np.zeros((2, 3, 2, 8))
    for b, q, n, level, p in np.ndindex(2, 3, 2, 2, 4):
        height, width = sizes[level]
        image = value[b, (0, 20)[level] :][: height * width, n].reshape(height, width, 8)
        x, y = places[b, q, n, level, p] * (width, height) - 0.5
        for dy, dx in np.ndindex(2, 2):
            i, j = int(np.floor(y)) + dy, int(np.floor(x)) + dx
            if 0 <= i < height and 0 <= j < width:
                share = (1 - abs(y - i)) * (1 - abs(x - j))
                expected[b, q, n] += weight[b, q, n, level, p] * share * image[i, j]
    _close(found, expected.reshape(2, 3, 16), 1e-4)
