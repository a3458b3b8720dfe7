"""Arguments that do not fit raise what real MindSpore raises (tests/golden/refusals.json), or torch's own exception."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mindspore_compat as ms
from tests.ops.refusal_cases import raised

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "refusals.json").read_text())
_BROADCASTS = "matrices of other batches and vectors are taken"
_SHAPE_FIRST = "the shapes are found wrong before the dtype"
#: parts of the calls that differ
DIFFERS = {
    "ops.bmm(": _BROADCASTS,
    ").bmm(": _BROADCASTS,
    "ops.dot(T(2,3), T(3,))": _BROADCASTS,
    "T(2,3).dot(T(3,))": _BROADCASTS,
    "ops.dot(T(), ": _BROADCASTS,
    "T().dot(": _BROADCASTS,
    "ops.cosine_similarity(T(2,3), T(3,))": _BROADCASTS,
    "ops.batch_dot(T(), ": "upstream needs two axes",
    "ops.bitwise_and(": _SHAPE_FIRST,
    ").bitwise_and(": _SHAPE_FIRST,
    ".lcm(": _SHAPE_FIRST,
    "ops.multilabel_margin_loss(": _SHAPE_FIRST,
    "ops.cross_entropy(T(2,3),T(2))": "upstream multiplies probabilities of another shape; torch wants their shape or ints",
    "ops.dropout(T(2,3),1.5)": "ValueError, as for all other bad probabilities",
    "ops.renorm(T(2,3),2,5,1.0)": "ValueError, as for all other axes",
    "T(2,3)@T(4,5)": "ValueError, as for all other products",
    "T(2,3).item(9)": "1.x took the position",
    "ops.batch_to_space_nd(T(2,3),Z(2)": "upstream fails to read the list",
    "ops.meshgrid(Z(2),I32(2))": "TypeError, as for all other dtypes",
    "ops.one_hot(": "indices may be floats",
    "ops.OneHot()(": "indices may be floats",
    "nn.OneHot(": "indices may be floats",
    "ops.sequence_mask(": "lengths may be floats",
    "ops.ctc_loss(ops.ones((3,2,4)),Z(2,3),Z(2),Z(2))": "lengths may be floats",
    "nn.LSTM(3,4)(T(2,5,6))": "torch's kernel decides",
}


@pytest.mark.parametrize("case", [case for case in EXPECTED if not any(part in case for part in DIFFERS)])
def test_what_does_not_fit_raises(case: str) -> None:
    error = raised(ms, case)
    assert isinstance(error, (ValueError, TypeError, RuntimeError, IndexError, AttributeError)), repr(error)
