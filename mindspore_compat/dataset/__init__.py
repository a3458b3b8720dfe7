"""Loading and preparing data. Upstream: ``mindspore.dataset``."""

from mindspore_compat.dataset import core, engine, transforms, vision
from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.config import get_seed, set_seed
from mindspore_compat.dataset.engine import *  # noqa: F403
from mindspore_compat.dataset.engine import __all__ as _engine_names
from mindspore_compat.dataset.engine import samplers

__all__ = [*_engine_names, "core", "engine", "get_seed", "samplers", "set_seed", "transforms", "vision"]
