"""Decorator of a Cell's ``__init__``, imported by mindocr, mindformers and the zoo's
`research/mm/opt/src/model_mindspore/parallel_transformer.py`.

MindSpore: ``mindspore._extends``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def cell_attr_register(fn: Any = None, attrs: list[str] | str | None = None) -> Any:
    """Decorate ``__init__``: ``cell_init_args`` of the Cell is then the class and its arguments, or ``attrs``."""

    def decorate(wrapped: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(wrapped)
        def register(self: Any, *args: Any, **kwargs: Any) -> None:
            wrapped(self, *args, **kwargs)
            given: Any = inspect.signature(wrapped).bind(self, *args, **kwargs).arguments
            values: Any = dict(list(given.items())[1:]).values()
            if attrs is not None:
                names = [attrs] if isinstance(attrs, str) else attrs
                values = [getattr(self, name) for name in names if hasattr(self, name)]
            self.cell_init_args = f"{type(self).__name__}{values}"

        return register

    return decorate(fn) if callable(fn) else decorate
