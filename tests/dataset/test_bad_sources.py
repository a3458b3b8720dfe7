"""11,000 calls of data sets, samplers and methods of a Dataset with one bad argument: refused where real MindSpore
refused them; shared arguments with its exception type, but where a reason stands here.
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

#: the arguments of which every value is refused alike, whatever the data set
ALIKE = ("num_samples", "num_shards", "shard_id", "decode", "dataset_dir", "num_parallel_workers", "sampler", "decrypt")
#: parts of cases that differ: why
OTHERWISE = {
    "num_parallel_workers=3": "lowered to the CPUs with one notice (docs/differences.md)",
    "RandomDataset": "without a schema it is not supported, which is said first",
    "=True": "a bool is no number",
    "NumpySlicesDataset": "its arguments are looked at in another order",
    "PaddedDataset": "upstream asks for its length first",
    "IterSampler:sampler": "upstream's constructor takes what it stumbles over later",
    "Dataset.": "methods are in the second test",
}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str] | str]:
    out = tmp_path_factory.mktemp("sources") / "answers.json"
    command = [sys.executable, "-m", "mindspore_compat", str(PROGRAM), str(out)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"})
    return json.loads(out.read_text())


@pytest.mark.parametrize("argument", ALIKE)
def test_arguments_of_all_data_sets_are_refused_alike(argument: str, ours: dict[str, list[str] | str]) -> None:
    wrong = {
        case: (found, ours.get(case))
        for case, found in GOLDEN.items()
        if f":{argument}=" in case and not any(part in case for part in OTHERWISE)
        if found[0] != ours.get(case, "none")[0]
    }
    assert not wrong


def test_most_are_refused(ours: dict[str, list[str] | str]) -> None:
    taken = [case for case, found in GOLDEN.items() if found != "ok" and ours.get(case) == "ok"]
    assert len(GOLDEN) > 11000 and GOLDEN.keys() == ours.keys()
    assert len([case for case in taken if "num_parallel_workers=3" not in case]) <= 30, "refused by upstream, not here"
