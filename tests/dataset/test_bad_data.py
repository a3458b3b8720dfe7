"""Every data operation given arrays of every rank, type and number of channels, by itself and in a pipeline: 9,500
answers of real MindSpore. What it takes is compared, with the results' types and shapes, and most of what it refuses.
"""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tests.golden.make_bad_data import ANSWERS, PROGRAM, read
from tests.support.processes import run_command

pytest.importorskip("cv2")
GOLDEN: dict[str, Any] = json.loads(gzip.decompress(ANSWERS.read_bytes()))


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("data") / "answers.jsonl"
    done = run_command(str(PROGRAM), str(out), cwd=out.parent)
    assert done.returncode == 0, done.stderr[-2000:]
    return read(out.read_text().splitlines())


def test_what_upstream_takes_and_refuses(ours: dict[str, Any]) -> None:
    assert len(GOLDEN) > 9000
    refused = [c for c, found in GOLDEN.items() if isinstance(found, str) and not isinstance(ours.get(c, found), str)]
    taken = [c for c, found in GOLDEN.items() if not isinstance(found, str) and isinstance(ours.get(c, found), str)]
    assert len(refused) < 190, "here, and taken upstream: mostly empty images, rare types, mismatched kinds of text"
    assert len(taken) < 350, "upstream, and taken here: mostly more channels or types than upstream's kernels know"


@pytest.mark.parametrize("kind", ["rank 1", "rank 4", "scalar", "text"])
def test_pipelines_raise_runtime_errors_that_name_the_operation(kind: str, ours: dict[str, Any]) -> None:
    for case, found in GOLDEN.items():
        if case.endswith(f" {kind} piped") and isinstance(found, list) and isinstance(ours.get(case), list):
            assert ours[case][0] == found[0] == "RuntimeError", case


def test_results_have_upstreams_types_and_shapes(ours: dict[str, Any]) -> None:
    wrong = [c for c, found in GOLDEN.items() if isinstance(found, str) and isinstance(ours.get(c), str)]
    assert len([c for c in wrong if ours[c] != GOLDEN[c]]) < 25
