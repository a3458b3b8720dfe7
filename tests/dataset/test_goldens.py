"""The answers that tests/golden keeps are those of the installed MindSpore."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.dataset.audio_cases import same_numbers
from tests.support.oracle import run_oracle

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.oracle
@pytest.mark.parametrize(
    "name", ["audio", "boxes", "sources", "text_files", "dataset_draws", "dataset_lanes", "dataset_orders"]
)
def test_answers_are_those_of_the_installed_mindspore(name: str, tmp_path: Path) -> None:
    script, answers = GOLDEN / f"make_{name}.py", tmp_path / "found.json"
    arguments = [str(answers)]
    if not script.exists():
        script, arguments = GOLDEN / "make_json.py", [name, *arguments]
    run_oracle(f"__file__ = {str(script)!r}\nexec(open(__file__).read())", *arguments)
    found, kept = (json.loads(path.read_text(encoding="utf-8")) for path in (answers, GOLDEN / f"{name}.json"))
    assert found.keys() == kept.keys()
    for case, wanted in kept.items():
        assert found[case] == wanted or (
            name == "audio"
            and all(same_numbers(part[2], told[2], 1e-6) for part, told in zip(found[case], wanted, strict=True))
        ), case
