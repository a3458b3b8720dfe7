"""These tests compare a CUDA device with the CPU: they run on a real one (``pytest -m gpu``) and, for their own sake, on
the fake one (``pytest --device cuda``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mindspore_compat._runtime.device import current_device, select_device


@pytest.fixture
def at() -> Iterator[Callable[[str], Any]]:
    """``at("CPU")``, ``at("GPU")``: choose the device of what is made next. Unlike `set_context` this leaves alone what
    lives.
    """
    before = current_device()
    yield lambda target: select_device(target, 0)
    select_device("CPU" if before.type == "cpu" else "GPU", before.index or 0)
