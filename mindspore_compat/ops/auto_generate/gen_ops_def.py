"""Operators as functions. MindSpore: ``mindspore.ops.auto_generate.gen_ops_def``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.extended import FUNCTIONS
from mindspore_compat.ops import function, operations
from mindspore_compat.ops._mint_names import kept_in
from mindspore_compat.ops.function import *  # noqa: F403

globals().update(FUNCTIONS)
bmm_ext, Reciprocal = function.bmm, operations.Reciprocal
#: MindSpore shows these here, though ``mindspore.ops`` does not
from mindspore_compat._ops.attention_inference import paged_attention, reshape_and_cache  # noqa: E402, F401
from mindspore_compat._ops.experts import (  # noqa: E402, F401
    group_topk,
    moe_compute_expert_tokens,
    moe_finalize_routing,
    moe_gating_topk_softmax,
    moe_init_routing,
)

__getattr__ = module_getattr(__name__, kept_in("gen_ops_def"))
