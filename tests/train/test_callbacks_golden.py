"""What runs of Model with callbacks leave behind: hooks, printed lines, files, values and exceptions are real
MindSpore's.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import mindspore_compat as ms
import mindspore_compat.dataset
from tests.train.callbacks_program import PROGRAMS, recorded

_FOUND = json.loads((Path(__file__).parents[1] / "golden" / "callbacks.json").read_text())
GOLDEN, LOGS = _FOUND["programs"], _FOUND["logs"]

#: what differs from MindSpore on purpose
DIFFERENT = {
    "eval:ck": ("error", "log", "values"),
    "eval:ck2": ("error", "log", "values"),  # upstream's ModelCheckpoint fails in Model.eval
    "metric:top_5_accuracy": ("error", "values"),  # of three classes; upstream fails
}


def _difference(ours, theirs, where=""):
    """Where two records first differ; numbers may by 1e-4."""
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        same = math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-6) or (math.isnan(ours) and math.isnan(theirs))
        return None if same else f"{where}: {ours} != {theirs}"
    if type(ours) is not type(theirs):
        return f"{where}: {ours!r} != {theirs!r}"
    if isinstance(theirs, (list, dict)):
        if len(ours) != len(theirs) or (isinstance(theirs, dict) and set(ours) != set(theirs)):
            return f"{where}: {ours!r} != {theirs!r}"
        pairs = (
            [(key, ours[key], theirs[key]) for key in theirs]
            if isinstance(theirs, dict)
            else zip(range(len(ours)), ours, theirs)
        )
        return next((found for key, a, b in pairs if (found := _difference(a, b, f"{where}.{key}"))), None)
    return None if ours == theirs else f"{where}: {ours!r} != {theirs!r}"


_SINK = pytest.mark.cpu_only("recorded on a CPU, where upstream leaves sink mode")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=_SINK if name.startswith("sink") else ()) for name in PROGRAMS]
)
def test_a_run_leaves_behind_what_upstream_does(name: str) -> None:
    ours = json.loads(json.dumps(recorded(ms, name)))
    theirs = {**GOLDEN[name], "log": LOGS[GOLDEN[name]["log"]]}
    ours["error"], theirs["error"] = (record["error"] and record["error"][:1] for record in (ours, theirs))
    for part in ("error", "log", "out", "numbers", "files", "values"):
        if part not in DIFFERENT.get(name, ()):
            assert _difference(ours[part], theirs[part], part) is None
