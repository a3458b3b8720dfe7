"""Every shipped checkpoint map on the published networks. Needs checkouts of MindCV and of the model zoo in
MINDSPORE_COMPAT_MINDCV and MINDSPORE_COMPAT_MODELS, and torchvision, timm and transformers.
"""

from __future__ import annotations

import importlib.util
import os

import pytest

from mindspore_compat.train.checkpoint_maps import available

from .checkpoint_maps import fault, run
from .map_networks import CASES

MINDCV, MODELS = os.environ.get("MINDSPORE_COMPAT_MINDCV"), os.environ.get("MINDSPORE_COMPAT_MODELS")


def test_every_map_has_a_case() -> None:
    assert {case.map for case in CASES.values()} == set(available())


@pytest.mark.projects
@pytest.mark.slow
@pytest.mark.skipif(
    not MINDCV or not MODELS, reason="MINDSPORE_COMPAT_MINDCV and MINDSPORE_COMPAT_MODELS name no checkouts"
)
@pytest.mark.parametrize("name", CASES)
def test_the_networks_compute_the_same(name: str) -> None:
    assert MINDCV and MODELS
    missing = [
        package for package in ("torchvision", "timm", "transformers") if importlib.util.find_spec(package) is None
    ]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    assert fault(run(name, MINDCV, MODELS)) == ""
