"""11,000 calls of data sets, samplers and methods of a Dataset with one odd argument: what real MindSpore took is taken,
but where a reason stands here. What it refused may be taken, or fail in Python's words.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.make_bad_sources import ANSWERS, PROGRAM

pytest.importorskip("cv2")
ROOT = Path(__file__).resolve().parents[2]
GOLDEN = json.loads(gzip.decompress(ANSWERS.read_bytes()))

#: parts of cases that differ: why
OTHERWISE = {
    "RandomDataset": "without a schema it is not supported",
    "num_samples=True": "a bool is no number",
    "indices=True": "a bool is no number",
    "IterSampler:num_samples": "upstream's constructor takes what it stumbles over later",
    "extra_metadata": "upstream's constructor takes what it stumbles over later",
    "TedliumDataset:extensions": "upstream's constructor takes what it stumbles over later",
    "field_delim=empty str": "upstream's constructor takes what it stumbles over later",
    "operations=None": "upstream's constructor takes what it stumbles over later",
}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str] | str]:
    out = tmp_path_factory.mktemp("sources") / "answers.json"
    command = [sys.executable, "-m", "mindspore_compat", str(PROGRAM), str(out)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"})
    return json.loads(out.read_text())


def test_what_upstream_takes_is_taken(ours: dict[str, list[str] | str]) -> None:
    assert len(GOLDEN) > 11000 and GOLDEN.keys() == ours.keys()
    wrong = {
        case: ours[case]
        for case, found in GOLDEN.items()
        if found == "ok" != ours[case] and not any(part in case for part in OTHERWISE)
    }
    assert not wrong
