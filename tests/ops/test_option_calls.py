"""Options of functions: what real MindSpore refuses is refused, with its type of exception; what it takes is taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mindspore_compat as ms
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


@pytest.mark.parametrize("call", [call for call in ANSWERS if call not in OTHERWISE])
def test_an_option(call: str) -> None:
    error = refusal(call, ms)
    kinds = [""] if error is None else [cls.__name__ for cls in type(error).__mro__]
    assert ANSWERS[call] in kinds, repr(error)


def test_there_are_many() -> None:
    assert len(ANSWERS) > 500
    assert sum(bool(error) for error in ANSWERS.values()) > 400
