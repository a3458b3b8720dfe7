"""Operators as functions; conventionally imported as ``F``. Upstream: ``mindspore.ops.functional``."""

from mindspore_compat.ops import function
from mindspore_compat.ops.composite.base import (  # noqa: F401
    HyperMap,
    Map,
    MultitypeFuncGraph,
    add_flags,
    core,
    env_get,
    tail,
    zip_operation,
)
from mindspore_compat.ops.function import *  # noqa: F403
from mindspore_compat.ops.primitive import Primitive  # noqa: F401

for _name in (*function.INTERNAL, "INTERNAL"):
    globals().pop(_name, None)
