"""Options of functions: what real MindSpore takes is taken; of what it refuses, values out of range are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from tests.ops.option_calls import refusal

ANSWERS: dict[str, str] = json.loads((Path(__file__).parents[1] / "golden" / "option_calls.json").read_text())
#: what real MindSpore takes or refuses by accident of its own, and why it is not followed
OTHERWISE: dict[str, str] = {
    "ops.cov(a, correction=1.5)": "real MindSpore takes it for 1",
    "ops.cosine_similarity(a, b, 0, eps=None)": "the words of its inner clamp",
    "ops.nll_loss(logp, lab, weight=v * v, reduction='sum', ignore_index=1.5)": "no class is 1.5; torch's kernel refuses",
    "ops.nll_loss(logp, lab, weight=v * v, reduction='sum', ignore_index=None)": "the same",
    "ops.multi_margin_loss(a, lab.astype(ms.int64), margin=1.5)": "its class takes floats",
}


@pytest.mark.parametrize("call", [call for call in ANSWERS if not ANSWERS[call] and call not in OTHERWISE])
def test_an_option_that_is_taken(call: str) -> None:
    error = refusal(call, ms)
    assert error is None, repr(error)


@pytest.mark.parametrize("reduction", ["nope", None])
@pytest.mark.parametrize(
    "loss", [ops.cross_entropy, ops.mse_loss, ops.l1_loss, ops.huber_loss, ops.kl_div, ops.soft_margin_loss]
)
def test_another_reduction_is_refused(loss: Any, reduction: Any) -> None:
    x = Tensor([[0.5, 0.5]])
    with pytest.raises((ValueError, TypeError)):
        loss(x, x, reduction=reduction)


def test_there_are_many() -> None:
    assert len(ANSWERS) > 500
    assert sum(bool(error) for error in ANSWERS.values()) > 400
