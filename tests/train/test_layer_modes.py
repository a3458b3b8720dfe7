"""Layers train and evaluate when those of real MindSpore do (tests/golden/layer_modes.json, by
layer_modes_program.py).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindspore_compat import context
from tests.train.layer_modes_program import Runs

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/layer_modes.json").read_text())


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    mode = context.get_context("mode")
    try:
        return json.loads(json.dumps(Runs("mindspore_compat").everything()))
    finally:
        context.set_context(mode=mode)


@pytest.mark.parametrize("name", GOLDEN)
def test_modes_and_numbers_are_those_of_real_mindspore(name: str, found: dict[str, Any]) -> None:
    assert _close(found[name], GOLDEN[name]), (found[name], GOLDEN[name])


def _close(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_close, one, other))
    return abs(one - other) <= 2e-4 if type(one) is float and type(other) is float else one == other
