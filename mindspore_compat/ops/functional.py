"""Operators as functions; conventionally imported as ``F``. MindSpore: ``mindspore.ops.functional``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.former import _NAMES as _FORMER
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

_INNER = """
    SliceGetItem broadcast_gradient_args reduced_shape is_sequence_value_unknown is_sequence_shape_unknown
    is_dynamic_sequence_element_unknown switch_layer
""".split()
__getattr__ = module_getattr(
    __name__,
    {
        **dict.fromkeys(_INNER, "ops.composite._augmented"),
        **dict.fromkeys("AdaptiveMaxPool2D Median Roll TensorToTuple UniqueConsecutive".split(), "ops.operations"),
        **_FORMER,
        "DtypeToEnum": "ops",
        "P": "ops.operations:",
        "auto_generate": "ops.auto_generate:",
    },
)
