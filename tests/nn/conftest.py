"""What all tests of layers share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mindspore_compat import context


@pytest.fixture(autouse=True)
def back_to_pynative() -> Iterator[None]:
    """Some tests set GRAPH_MODE."""
    yield
    context.set_context(mode=context.PYNATIVE_MODE)
