"""Upstream: ``mindspore.profiler.profiling``."""

from __future__ import annotations

import logging
from typing import Any

__all__ = ["Profiler"]

_said = False


class Profiler:
    """Takes any option and does nothing; the first one says so and names ``torch.profiler``."""

    def __init__(self, **kwargs: Any) -> None:
        global _said
        if not _said:
            logging.getLogger("mindspore_compat").warning(
                "mindspore.Profiler has no effect here; use torch.profiler.profile around the run."
            )
            _said = True

    def analyse(self, *args: Any, **kwargs: Any) -> None:
        """Nothing to analyse."""

    def start(self) -> None:
        """Nothing starts."""

    def stop(self) -> None:
        """Nothing stops."""

    def step(self) -> None:
        """Nothing is counted."""

    def __enter__(self) -> Profiler:
        return self

    def __exit__(self, *exc: Any) -> None:
        return None
