"""Operators as functions; conventionally imported as ``F``. Upstream: ``mindspore.ops.functional``."""

from typing import Any

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


def is_sequence_value_unknown(sequence: Any) -> bool:
    """Whether the compiler knows a sequence's items not yet: never, since nothing is compiled ahead."""
    return False


def is_sequence_shape_unknown(sequence: Any) -> bool:
    """Whether the compiler knows the shapes of a sequence's items not yet: never."""
    return False


for _name in (*function.INTERNAL, "INTERNAL"):
    globals().pop(_name, None)
