"""Every argument that a layer keeps as an attribute, set later: it counts, or not, as in real MindSpore."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from tests.nn.attribute_cases import LAYERS, Under

ROWS = json.loads((Path(__file__).parents[1] / "golden" / "attributes.json").read_text())
#: (layer, attribute): why some values raise here, where real MindSpore computes
REFUSED = {
    ("Conv2d", "data_format"): "channels last are computed, not taken for channels first",
    ("BatchNorm1d", "use_batch_statistics"): "neither None nor a bool",
    ("BatchNorm2d", "use_batch_statistics"): "neither None nor a bool",
    ("SyncBatchNorm", "use_batch_statistics"): "neither None nor a bool",
    ("MultiLabelSoftMarginLoss", "weight"): "a number is no Tensor",
    ("ChannelShuffle", "groups"): "4 channels are not 3 groups: upstream shuffles what it gets",
    ("MultiheadAttention", "num_heads"): "the size of a head stays",
    ("MultiheadAttention", "kdim"): "the inputs have another size",
    ("MultiheadAttention", "vdim"): "the inputs have another size",
}


def _alike(ours: Any, theirs: Any) -> bool:
    if any(isinstance(item, list) for item in theirs[0]):  # several results
        return len(ours) == len(theirs) and all(map(_alike, ours, theirs))
    shape, numbers = (np.array(item, np.float64) for item in theirs)
    if not np.array_equal(ours[0], shape):
        return False
    return np.allclose(np.array(ours[1], np.float64), numbers, 2e-3, 1e-4, equal_nan=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}={row[2]}")
def test_a_layer_computes_as_real_mindspores(row: list) -> None:
    line, attribute, value, expected = row
    found = Under(ms).computed(line, attribute, value)
    if found is None:
        assert (line.split("|")[0], attribute) in REFUSED, "refused"
        return
    assert _alike(found, expected), f"{found} instead of {expected}"


def test_there_are_many_and_some_count() -> None:
    before = {line: found for line, name, _, found in ROWS if not name}
    assert len(before) > 100
    assert before.keys() <= set(LAYERS)
    counts = [not _alike(found, before[line]) for line, name, _, found in ROWS if name]
    assert 80 < sum(counts) < len(counts) - 80
