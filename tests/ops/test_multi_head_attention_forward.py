"""``ops.function.nn_func.multi_head_attention_forward``: numbers and refusals of real MindSpore 2.10."""

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

forward = ops.function.nn_func.multi_head_attention_forward


def _wave(*shape: int, step: float) -> Tensor:
    return Tensor(np.sin(step * np.arange(np.prod(shape), dtype=np.float32)).reshape(shape))


def _call(change: dict[str, Any]) -> tuple[Tensor, Tensor]:
    given: dict[str, Any] = {
        "query": _wave(2, 2, 4, step=0.7),
        "key": _wave(3, 2, 4, step=0.9),
        "value": _wave(3, 2, 4, step=1.1),
        "embed_dim_to_check": 4,
        "num_heads": 2,
        "in_proj_weight": _wave(12, 4, step=1.3),
        "in_proj_bias": _wave(12, step=0.3),
        "bias_k": None,
        "bias_v": None,
        "add_zero_attn": False,
        "dropout_p": 0.0,
        "out_proj_weight": _wave(1, 4, step=0.5),
        "out_proj_bias": None,
        "training": False,
    }
    return forward(**(given | change))


_SEPARATE = {
    "key": _wave(3, 2, 5, step=0.9),
    "value": _wave(3, 2, 3, step=1.1),
    "in_proj_weight": None,
    "use_separate_proj_weight": True,
    "q_proj_weight": _wave(4, 4, step=0.2),
    "k_proj_weight": _wave(4, 5, step=0.4),
    "v_proj_weight": _wave(4, 3, step=0.6),
}
_SEEN = Tensor([[False, True, False], [False, False, True]])
_PADDED = Tensor([[False, True, False], [False, False, False]])


@pytest.mark.parametrize(
    ("change", "output", "weights"),
    [
        ({}, [0.54685, 0.57326, 0.94368, -0.59213], [0.38479, 0.33053, 0.28468]),
        (_SEPARATE, [-1.13658, 1.24855, -1.09368, 1.24318], [0.39086, 0.40392, 0.20522]),
        (
            {
                "bias_k": _wave(1, 1, 4, step=0.8),
                "bias_v": _wave(1, 1, 4, step=0.1),
                "add_zero_attn": True,
                "attn_mask": _SEEN,
                "key_padding_mask": _PADDED,
            },
            [-0.445, -0.56871, 0.16557, -0.50308],
            [0.712, 0, 0, 0.21245, 0.07555],
        ),
        (
            {"attn_mask": _wave(2, 3, step=2.0), "average_attn_weights": False},
            [1.66256, 1.37055, 1.72651, 0.84188],
            [0.02921, 0.75181, 0.21898],
        ),
        (
            {"static_k": _wave(4, 2, 2, step=0.3), "static_v": _wave(4, 2, 2, step=0.6)},
            [0.12551, 1.35567, 0.13474, 1.2576],
            [0.44076, 0.55924],
        ),
        ({"is_causal": True}, [0.53809, -0.29466, 1.16061, -0.72663], [0.40544, 0.43766, 0.15689]),
    ],
)
def test_numbers_are_upstreams(change: dict[str, Any], output: list, weights: list) -> None:
    found, attended = _call(change)
    heads = () if change.get("average_attn_weights", True) else (2,)
    assert found.shape == (2, 2, 1) and attended.shape == (2, *heads, 2, len(weights))
    assert found.asnumpy().ravel().tolist() == pytest.approx(output, abs=2e-5)
    assert attended.asnumpy().reshape(-1, len(weights))[1].tolist() == pytest.approx(weights, abs=2e-5)


def test_gradient_is_upstreams() -> None:
    gradient = ms.grad(lambda query: (_call({"query": query})[0] ** 2).sum())(_wave(2, 2, 4, step=0.7))
    expected = [-0.25537, -1.04604, -0.30426, 0.88326, 0.02371, -0.73649, -0.41773, 0.51301]
    assert gradient.asnumpy().ravel()[:8].tolist() == pytest.approx(expected, abs=1e-4)


def test_one_sample_has_no_axis_for_it() -> None:
    sample = {"query": _wave(2, 4, step=0.7), "key": _wave(3, 4, step=0.9), "value": _wave(3, 4, step=1.1)}
    output, weights = _call(sample)
    assert output.shape == (2, 1) and weights.shape == (2, 3)
    assert output.asnumpy().ravel().tolist() == pytest.approx([1.5648859, -1.4588239], abs=2e-5)


@pytest.mark.parametrize("change", [{"key_padding_mask": _SEEN[:1]}])
def test_what_does_not_fit_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        _call(change)
