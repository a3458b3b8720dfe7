"""Arguments that do not fit raise what real MindSpore raises (tests/golden/mint_refusals.json)."""

from __future__ import annotations

import builtins
import json
from pathlib import Path

import pytest

import mindspore_compat as ms
from tests.mint.refusal_cases import raised

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "mint_refusals.json").read_text())


@pytest.mark.parametrize("case", EXPECTED)
def test_what_does_not_fit_raises_what_mindspore_raises(case: str) -> None:
    error = raised(ms, case)
    assert isinstance(error, getattr(builtins, EXPECTED[case])), repr(error)
