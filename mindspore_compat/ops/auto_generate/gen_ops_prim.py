"""Operators in class form. MindSpore: ``mindspore.ops.auto_generate.gen_ops_prim``."""

from typing import Any

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat._api.placeholders import STUB_MARK, module_getattr
from mindspore_compat._ops import attention, attention_inference, derivatives, experts, normalization
from mindspore_compat._ops.extended import CLASSES
from mindspore_compat.ops.operations import *  # noqa: F403
from mindspore_compat.ops.primitive import Primitive, prim_arg_register  # noqa: F401

globals().update(
    CLASSES
    | attention.PRIMITIVES
    | attention_inference.PRIMITIVES
    | derivatives.PRIMITIVES
    | experts.PRIMITIVES
    | normalization.PRIMITIVES
)

_REASON = "Only Ascend has it, and MindSpore documents no values. Write it with operators of mindspore.ops."
#: names that libraries import, for layers that run on Ascend only
UNSUPPORTED = dict.fromkeys(["weight_quant_batch_matmul"], _REASON)


def _of_ascend(name: str) -> type:
    """Return an operator that networks can hold, as MindSpore's on a CPU; its call raises."""
    message = f"'mindspore.ops.auto_generate.{name}' is not supported by mindspore_compat: {_REASON}"

    def __init__(self: Primitive, *args: Any, **kwargs: Any) -> None:
        Primitive.__init__(self, name)

    def __call__(self: Primitive, /, *args: Any, **kwargs: Any) -> Any:
        raise UnsupportedError(message)

    made = {"__init__": __init__, "__call__": __call__, "__doc__": message, "__module__": __name__, STUB_MARK: _REASON}
    return type(name, (Primitive,), made)


_OF_ASCEND = """
    FusedAddTopKDiv MoeDistributeCombine MoeDistributeDispatch PagedAttentionMask QuantBatchMatmul QuantV2
    WeightQuantBatchMatmul MatmulFfn MoeInitRoutingQuantV2 DynamicQuantExt KVCacheScatterUpdate
"""
globals().update({name: _of_ascend(name) for name in _OF_ASCEND.split()})
__getattr__ = module_getattr(__name__, {}, UNSUPPORTED)
