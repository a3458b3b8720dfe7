"""What all tests of captures share."""

from __future__ import annotations

import pytest

from mindspore_compat._graph.replay import computations
from mindspore_compat._graph.replay import replay as _replay
from tests.nn.conftest import back_to_pynative  # noqa: F401


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if _replay._saved_tensors_hooks is None:
        for item in items:
            if "/capture/test_replay" in item.nodeid or "seam" in item.nodeid:
                item.add_marker(pytest.mark.skip(reason="this torch is too old for replays"))


@pytest.fixture
def free_recordings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is replayed then does not depend on how long steps take."""
    monkeypatch.setattr(computations, "_SHARE", 1e6)
