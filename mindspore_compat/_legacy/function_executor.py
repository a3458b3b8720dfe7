"""Caller of a function under ``jit``, a base class in toolkits' `migrator/api_dump/ms_dump/initialize.py`.

MindSpore: ``mindspore.common.api`` of releases before 2.6.
"""

import functools
from collections.abc import Callable
from typing import Any

from mindspore_compat.common.api import jit


class _MindsporeFunctionExecutor:
    """Function that runs as under ``jit``, with ``obj``, if any, as its first argument. jit() does not use it."""

    def __init__(
        self, fn: Callable[..., Any], ms_create_time: Any = None, input_signature: Any = None, obj: Any = None
    ) -> None:
        self._run = jit(fn) if obj is None else functools.partial(jit(fn), obj)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)
