"""14,000 calls of data operations with one odd argument: what real MindSpore took is taken, but where a reason stands
here. What it refused may be taken, or fail in Python's words.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.make_bad_arguments import ANSWERS, PROGRAM

pytest.importorskip("cv2")
ROOT = Path(__file__).resolve().parents[2]
GOLDEN = json.loads(gzip.decompress(ANSWERS.read_bytes()))

#: parts of cases that differ: why
OTHERWISE = {
    "=nan": "upstream's comparisons let it pass, and all results are NaN",
    "=None": "upstream's constructor lets None pass and stumbles later, or takes its default",
    "=True": "a bool is no size and no angle here",
    "=2**31": "numbers end before",
    "=1e9": "numbers end before",
    "TruncateSequencePair:max_length": "upstream's constructor lets all pass and stumbles later",
    "Lookup:unknown_token": "refused when it is made, not when it is used",
    "Vad:measure_duration": "upstream checks only what is true",
    "MFCC:n_mfcc=0": "refused when it is made, not when it is used",
    "MFCC:sample_rate=0": "refused when it is made, not when it is used",
    "BandBiquad:sample_rate=-1": "the filter's coefficients are infinite",
    "MelSpectrogram:f_min": "an int is a frequency, too",
    "Ngram:n": "a tuple serves as a list does",
    "RandomPerspective:": "0 serves as 0.0 does",
}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str] | str]:
    out = tmp_path_factory.mktemp("arguments") / "answers.json"
    command = [sys.executable, "-m", "mindspore_compat", str(PROGRAM), str(out)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"})
    return json.loads(out.read_text())


def _is_taken(answer: list[str] | str | None) -> bool:
    return answer == "ok"


@pytest.mark.parametrize("package", ["vision", "transforms", "text", "audio"])
def test_what_upstream_takes_is_taken(package: str, ours: dict[str, list[str] | str]) -> None:
    wrong = {
        case: ours.get(case)
        for case, found in GOLDEN.items()
        if case.startswith(package + ".") and _is_taken(found)
        if not _is_taken(ours.get(case)) and not any(part in case for part in OTHERWISE)
    }
    assert not wrong


def test_cases_are_many_and_reasons_few(ours: dict[str, list[str] | str]) -> None:
    assert len(GOLDEN) > 14000 and GOLDEN.keys() == ours.keys()
    for part in OTHERWISE:
        assert any(part in case and _is_taken(found) and not _is_taken(ours[case]) for case, found in GOLDEN.items()), (
            f"{part} has no reason"
        )
