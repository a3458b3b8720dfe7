"""Operators in class form. Upstream: ``mindspore.ops.auto_generate.gen_ops_prim``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops.auto_generate._extended_table import CLASSES
from mindspore_compat.ops.auto_generate._in_place_table import IN_PLACE
from mindspore_compat.ops.operations import *  # noqa: F403
from mindspore_compat.ops.operations import _grad_ops
from mindspore_compat.ops.operations._fused_table import *  # noqa: F403
from mindspore_compat.ops.operations._grad_ops import *  # noqa: F403
from mindspore_compat.ops.operations._sequence_ops import SequenceConcat  # noqa: F401
from mindspore_compat.ops.primitive import Primitive, prim_arg_register  # noqa: F401

globals().update(CLASSES | IN_PLACE)
tracev2_grad_op = _grad_ops.TraceV2Grad()

_REASON = "Only Ascend has it, and upstream documents no values. Write it with operators of mindspore.ops."
#: names that libraries import, for layers that run on Ascend only
UNSUPPORTED = dict.fromkeys(
    """
    FusedAddTopKDiv MoeDistributeCombine MoeDistributeDispatch PagedAttentionMask QuantBatchMatmul QuantV2
    WeightQuantBatchMatmul weight_quant_batch_matmul MatmulFfn MoeInitRoutingQuantV2 DynamicQuantExt
    KVCacheScatterUpdate
    """.split(),
    _REASON,
)
__getattr__ = module_getattr(__name__, {}, UNSUPPORTED)
