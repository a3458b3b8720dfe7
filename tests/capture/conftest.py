"""What all tests of captures share."""

from __future__ import annotations

import pytest

from mindspore_compat._capture.step import replay as _replay
from tests.nn.conftest import back_to_pynative  # noqa: F401


@pytest.fixture
def free_recordings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is replayed then does not depend on how long steps take."""
    monkeypatch.setattr(_replay, "_SHARE", 1e6)
