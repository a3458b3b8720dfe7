"""ModelCheckpoint keeps, names and fills the files that real MindSpore does (tests/golden/checkpoint_policies.json, by
policies_program.py).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.train.policies_program import Runs

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/checkpoint_policies.json").read_text())


@pytest.fixture(scope="module")
def found() -> dict:
    return json.loads(json.dumps(Runs("mindspore_compat").everything()))


@pytest.mark.parametrize("name", GOLDEN)
def test_files_and_contents_are_those_of_real_mindspore(name: str, found: dict) -> None:
    assert found[name] == GOLDEN[name]
