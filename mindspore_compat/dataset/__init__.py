"""Loading and preparing data. Upstream: ``mindspore.dataset``."""

from importlib import import_module
from typing import Any

from mindspore_compat.dataset import core, engine, transforms
from mindspore_compat.dataset.core.config import get_seed, set_seed
from mindspore_compat.dataset.engine import *  # noqa: F403
from mindspore_compat.dataset.engine import __all__ as _engine_names
from mindspore_compat.dataset.engine import samplers
from mindspore_compat.dataset.utils.line_reader import LineReader

__all__ = [
    *_engine_names, "LineReader", "core", "engine", "get_seed", "samplers", "set_seed", "transforms",
    "text", "vision",  # noqa: F405
]  # fmt: skip

_LAZY = ("vision", "text", "context", "ds")


def __getattr__(name: str) -> Any:
    """The image operations load when they are first used."""
    if name in _LAZY:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
