"""Every published project that the store says to end here still does. Needs a checkout of the model zoo in
MINDSPORE_COMPAT_MODELS.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from .recipes import PROJECTS
from .run import run_project

MODELS = os.environ.get("MINDSPORE_COMPAT_MODELS")
STORED = {path.stem: json.loads(path.read_text()) for path in Path(__file__).with_name("results").glob("*.json")}

pytestmark = [
    pytest.mark.projects,
    pytest.mark.slow,
    pytest.mark.skipif(not MODELS, reason="MINDSPORE_COMPAT_MODELS names no checkout of the model zoo"),
]


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_runs_to_its_end(name: str) -> None:
    assert MODELS
    expected = {stage for stage, came in STORED.get(name, {}).get("ours", {}).items() if came["end"] == "ended"}
    came = run_project(PROJECTS[name], Path(MODELS).resolve())
    failed = {
        stage: f"{one['end']}: {one['error']}\n{one['tail']}"
        for stage, one in came.items()
        if stage in expected and one["end"] != "ended"
    }
    assert not failed, "\n".join(failed.values())
