"""Every shipped checkpoint map on the published networks. Needs checkouts of MindCV and of the model zoo in
MINDSPORE_COMPAT_MINDCV and MINDSPORE_COMPAT_MODELS, and torchvision, timm and transformers; language models need the
folder of `language_maps` in MINDSPORE_COMPAT_LANGUAGE_MODELS.
"""

from __future__ import annotations

import importlib.util
import os

import pytest

from mindspore_compat.train.checkpoint_maps import available

from . import language_maps, language_networks
from .checkpoint_maps import fault, run
from .map_networks import CASES

MINDCV, MODELS = os.environ.get("MINDSPORE_COMPAT_MINDCV"), os.environ.get("MINDSPORE_COMPAT_MODELS")

LANGUAGE_MODELS = os.environ.get("MINDSPORE_COMPAT_LANGUAGE_MODELS")


def test_every_map_has_a_case() -> None:
    cases = [*CASES.values(), *language_networks.CASES.values()]
    assert {case.map for case in cases} == set(available())


@pytest.mark.projects
@pytest.mark.slow
@pytest.mark.skipif(not LANGUAGE_MODELS, reason="MINDSPORE_COMPAT_LANGUAGE_MODELS names no folder")
@pytest.mark.parametrize("name", language_networks.CASES)
def test_the_language_models_compute_the_same(name: str) -> None:
    assert LANGUAGE_MODELS
    pytest.importorskip("transformers")
    assert language_maps.fault(language_maps.run(name, LANGUAGE_MODELS)) == ""


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
