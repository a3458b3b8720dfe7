"""What all tests of layers share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mindspore_compat import context
from mindspore_compat._capture.step import replay as _replay


@pytest.fixture(autouse=True)
def back_to_pynative() -> Iterator[None]:
    """Some tests set GRAPH_MODE."""
    yield
    context.set_context(mode=context.PYNATIVE_MODE)


@pytest.fixture
def free_recordings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is replayed then does not depend on how long steps take."""
    monkeypatch.setattr(_replay, "_SHARE", 1e6)
