"""`multi_head_attention_forward` and its parts that libraries borrow, beside numbers of real MindSpore 2.10; attention
and the optimizer's step that upstream has on Ascend only, beside what they are made of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat.ops import auto_generate
from mindspore_compat.ops.function import nn_func


def _sines(*shape: int, shift: int = 0) -> Tensor:
    return Tensor(np.sin(np.arange(np.prod(shape)) * 1.3 + shift).reshape(shape).astype(np.float32))


Q, K, V = _sines(3, 2, 4), _sines(5, 2, 4, shift=1), _sines(5, 2, 4, shift=2)
MASK = Tensor(np.triu(np.ones((3, 5), bool), 2))
PADDING = Tensor(np.array([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]], bool))
PLAIN: dict[str, Any] = {
    "query": Q, "key": K, "value": V, "embed_dim_to_check": 4, "num_heads": 2, "in_proj_weight": _sines(12, 4, shift=3),
    "in_proj_bias": _sines(12, shift=4), "bias_k": None, "bias_v": None, "add_zero_attn": False, "dropout_p": 0.0,
    "out_proj_weight": _sines(4, 4, shift=5), "out_proj_bias": _sines(4, shift=6),
}  # fmt: skip
SEPARATE = {f"{name}_proj_weight": _sines(4, 4, shift=shift) for shift, name in enumerate("qkv", 1)}
EXTRA = {"bias_k": _sines(1, 1, 4, shift=7), "bias_v": _sines(1, 1, 4, shift=8), "add_zero_attn": True}
STATIC = {"static_k": _sines(4, 5, 2, shift=9), "static_v": _sines(4, 5, 2, shift=10)}


@pytest.mark.parametrize(
    ("changes", "shape", "found"),  # three numbers of the output, three of the weights, as real MindSpore gives them
    [
        ({}, (2, 3, 5), [-4.35425, 3.52175, 0.39201, 0.57493, 0.00011, 0.0284]),
        ({"attn_mask": MASK, "key_padding_mask": PADDING}, (2, 3, 5), [-5.44796, 4.627, 0.337, 0.99978, 0.0, 0.0]),
        (
            EXTRA | {"attn_mask": MASK, "average_attn_weights": False},
            (2, 2, 3, 7),
            [-5.29256, 4.47215, 0.5004, 0.99282, 0.0, 0.02202],
        ),
        (STATIC, (2, 3, 5), [0.89736, -1.58093, -0.91651, 0.04465, 0.36535, 0.2454]),
        (
            SEPARATE | {"in_proj_weight": None, "use_separate_proj_weight": True},
            (2, 3, 5),
            [-2.00193, 1.54958, 4.57208, 0.39934, 0.06754, 0.03659],
        ),
        ({"is_causal": True}, (2, 3, 5), [-4.86833, 4.04072, 0.35858, 0.78478, 6e-05, 0.01091]),
        (
            {"key": Q, "value": Q, "k_is_v": True, "q_is_k": True},
            (2, 3, 3),
            [-5.66645, 4.87036, 1.89208, 0.01794, 0.01978, 0.3367],
        ),
        ({"value": K, "k_is_v": True}, (2, 3, 5), [-6.59222, 6.03042, 4.90152, 0.57493, 0.00011, 0.0284]),
        (
            {"query": _sines(3, 4), "key": _sines(5, 4, shift=1), "value": _sines(5, 4, shift=2)},
            (3, 5),
            [-3.76513, 2.90801, 4.99078, 0.82233, 0.1671, 0.00559],
        ),
    ],
    ids=["plain", "masks", "extra", "static", "separate", "causal", "one", "two", "no-batch"],
)
def test_attention_with_its_projections(changes: dict[str, Any], shape: tuple[int, ...], found: list[float]) -> None:
    output, weights = nn_func.multi_head_attention_forward(**PLAIN | changes)
    assert tuple(weights.shape) == shape
    numbers = [*output.asnumpy().ravel()[[0, 3, -1]], *weights.asnumpy().ravel()[[0, 4, -1]]]
    assert np.allclose(numbers, found, atol=3e-5)


@pytest.mark.parametrize(
    "changes", [{"query": Q[0]}, {"query": Q[:, 0], "key": K[:, 0], "value": V[:, 0], "attn_mask": _sines(1, 3, 5)}]
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|cannot be added"):
        nn_func.multi_head_attention_forward(**PLAIN | changes)


def test_parts_that_libraries_borrow() -> None:
    assert [tuple(item.shape) for item in nn_func._in_projection_packed(Q, K, K, PLAIN["in_proj_weight"], None, True, False)] == [
        (3, 2, 4), (5, 2, 4), (5, 2, 4)
    ]  # fmt: skip
    padded = nn_func._inner_pad(MASK, (0, 1))
    assert padded.dtype == ms.bool_ and padded.asnumpy()[:, -1].tolist() == [False] * 3
    assert nn_func._inner_dropout(Q, 0.5, False) is Q
    assert nn_func._check_qkv_shape(3, 3, 3) and not nn_func._check_qkv_shape(2, 2, 2)
    picture = _sines(1, 1, 3, 5)
    factors = nn_func._interploate_ext_make_tuple(picture, 2.5)
    assert factors == (2.5, 2.5)
    assert nn_func._interpolate_ext_scale_factor_convert_size(picture, factors) == (7, 12)


@pytest.mark.parametrize("layout", ["BSH", "BNSD", "SBH", "BSND"])
def test_attention_under_its_newer_name(layout: str) -> None:
    shape = (2, 2, 6, 4) if layout in ("BNSD", "BSND") else (2, 6, 8)
    heads = shape[{"BNSD": 1, "BSND": 2}.get(layout, 0)]
    q, k, v = (_sines(*shape, shift=shift) for shift in range(3))
    found = ops.speed_fusion_attention(q, k, v, heads, layout, scale=0.5)
    expected = ops.flash_attention_score(q, k, v, heads, scalar_value=0.5, input_layout=layout)
    assert len(found) == 7 and np.allclose(found[0].asnumpy(), expected.asnumpy(), atol=1e-6)
    dropped = ops.speed_fusion_attention(q, k, v, heads, layout, scale=0.5, keep_prob=0.5)
    assert dropped[6] > 0 and not np.allclose(dropped[0].asnumpy(), expected.asnumpy())


def test_positions_come_before_or_after_the_scale() -> None:
    q, k, v = (_sines(1, 1, 3, 4, shift=shift) for shift in range(3))
    shift = _sines(1, 1, 3, 3)

    def attend(scores: Tensor) -> np.ndarray:
        return (ops.softmax(scores) @ v).asnumpy()

    scores = q @ k.swapaxes(-1, -2)
    for kind, expected in ((0, attend(scores * 0.5 + shift)), (1, attend((scores + shift) * 0.5))):
        found = ops.speed_fusion_attention(q, k, v, 1, "BNSD", pse=shift, pse_type=kind, scale=0.5)[0]
        assert np.allclose(found.asnumpy(), expected, atol=1e-6)
    with pytest.raises(NotImplementedError, match="pse_type"):
        ops.speed_fusion_attention(q, k, v, 1, "BNSD", pse_type=2)


def test_dropout_keeps_the_share_that_it_is_told_and_the_mean() -> None:
    ms.set_seed(1)
    q = ops.zeros((1, 2, 64, 4))
    found = ops.speed_fusion_attention(q, q, ops.ones((1, 2, 64, 4)), 2, "BNSD", keep_prob=0.8)[0].asnumpy()
    assert abs(found.mean() - 1) < 0.02 and found.std() > 0.01


@pytest.mark.parametrize(("amsgrad", "maximize"), [(False, False), (True, False), (False, True)])
def test_step_of_adamw(amsgrad: bool, maximize: bool) -> None:
    start = _sines(5).asnumpy()
    ours, theirs = (ms.Parameter(Tensor(start.copy()), name=name) for name in ("a", "b"))
    optimizer = mint.optim.AdamW([theirs], 0.1, (0.8, 0.9), 1e-6, 0.2, amsgrad, maximize=maximize)
    m, v, high = (ms.Parameter(ops.zeros(5), name=name) for name in ("m", "v", "high"))
    step = auto_generate.AdamW()
    for taken in range(4):
        gradient = _sines(5, shift=taken) * (4 - taken)
        optimizer((gradient,))
        step(ours, m, v, high, gradient, Tensor(taken, ms.float32), 0.1, 0.8, 0.9, 0.2, 1e-6, amsgrad, maximize)
    assert np.allclose(ours.asnumpy(), theirs.asnumpy(), atol=1e-6)
