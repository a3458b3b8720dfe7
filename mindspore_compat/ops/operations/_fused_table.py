"""Rows of operators that MindSpore generates for Ascend: attention, rotary positions, experts, sums with norms.

``ops.operations`` has those of MindSpore's, ``ops.auto_generate`` all.
"""

from __future__ import annotations

from typing import Any, Literal

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import Int, Typed, declared, row

_ALL = F.ALL_TOKENS


def _prompt(query: Any, key: Any, value: Any, *rest: Any, **attributes: Any) -> Any:
    return F.prompt_flash_attention(query, key, value, *rest, **attributes)


def _grouped_matmul(
    x: Any,
    weight: Any,
    bias: Any = None,
    scale: Any = None,
    offset: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    group_list: Any = None,
    *,
    split_item: int,
    group_type: int,
    transpose_a: bool,
    transpose_b: bool,
) -> Any:
    """Return x[i] · weight[i] + bias[i] of lists; with ``split_item`` 3 the rows of one x by groups that end at
    ``group_list``, each with its matrix of one weight (E, K, N). The result is a tuple of Tensors.
    """
    if (split_item, group_type) not in ((0, -1), (3, 0)):
        raise ValueError(
            "For 'GroupedMatmul', ('split_item', 'group_type') must be (0, -1) or (3, 0), but got "
            f"({split_item}, {group_type})."
        )
    if any(item is not None for item in (scale, offset, antiquant_scale, antiquant_offset)):
        raise NotImplementedError(
            "For 'GroupedMatmul', quantized weights are not supported by mindspore_compat. Dequantize them first."
        )
    lefts, rights = list(x), list(weight)
    if split_item == 3:
        ends = torch.Tensor.tolist(group_list)
        left = torch.transpose(lefts[0], -1, -2) if transpose_a else lefts[0]
        lefts = list(torch.split(left, [end - start for start, end in zip((0, *ends), ends)]))
        rights = list(torch.unbind(rights[0]))
        biases = list(torch.unbind(bias[0])) if bias is not None else [None] * len(lefts)
    else:
        lefts = [torch.transpose(item, -1, -2) if transpose_a else item for item in lefts]
        biases = list(bias) if bias is not None else [None] * len(lefts)
    rights = [torch.transpose(item, -1, -2) if transpose_b else item for item in rights]
    found = [kernels.matmul(left, right) for left, right in zip(lefts, rights)]
    found = [item if shift is None else item + shift for item, shift in zip(found, biases)]
    return wrap((torch.cat(found),) if split_item == 3 else tuple(found))


_TABLE: dict[str, Any] = {
    "ApplyRotaryPosEmb": row(F.apply_rotary_pos_emb, cos_format=(Int, 0)),
    "GroupTopk": F.group_topk,
    "ReshapeAndCache": F.reshape_and_cache,
    "PagedAttention": row(
        F.paged_attention,
        head_num=(Int, ...),
        scale_value=(float, ...),
        kv_head_num=(Int, ...),
        kv_cache_quant_mode=(Literal["DEFAULT", "PERTOKEN"], "DEFAULT"),
        mask_mode=(Literal["MASK_DEFAULT", "TRAPEZOIDAL"], "MASK_DEFAULT"),
        mla_v_dim=(Int, 0),
    ),
    "FlashAttentionScore": row(
        F.flash_attention_outputs,
        head_num=(Int, ...),
        keep_prob=(float, 1.0),
        scale_value=(float, 1.0),
        pre_tokens=(Int, _ALL),
        next_tokens=(Int, _ALL),
        inner_precise=(Int, 0),
        input_layout=(Literal["BSH", "BNSD", "SBH", "BSND", "TND"], "BSH"),
        sparse_mode=(Int, 0),
    ),
    "PromptFlashAttention": row(
        _prompt,
        "`ops.prompt_flash_attention`.",
        num_heads=(Int, 1),
        scale_value=(float, 1.0),
        pre_tokens=(Int, _ALL),
        next_tokens=(Int, 0),
        input_layout=(str, "BSH"),
        num_key_value_heads=(Int, 0),
        sparse_mode=(Int, 0),
        inner_precise=(Int, 1),
    ),
    "IncreFlashAttention": row(
        F.incre_flash_attention,
        num_heads=(Int, 1),
        input_layout=(str, "BSH"),
        scale_value=(float, 1.0),
        num_key_value_heads=(Int, 0),
        block_size=(Int, 0),
        inner_precise=(Int, 1),
    ),
    "RotaryPositionEmbedding": F.rotary_position_embedding,
    "AddRmsNorm": F.add_rms_norm,
    "AddLayerNormV2": lambda x1, x2, gamma, beta, epsilon=1e-05, additionalOut=False: F.add_layer_norm(
        x1, x2, gamma, beta, epsilon, additionalOut
    ),
    "MoeTokenPermute": F.moe_token_permute,
    "MoeTokenUnpermute": F.moe_token_unpermute,
    "MoeInitRouting": F.moe_init_routing,
    "MoeInitRoutingV2": F.moe_init_routing_v2,
    "MoeComputeExpertTokens": F.moe_compute_expert_tokens,
    "MoeFinalizeRouting": F.moe_finalize_routing,
    "MoeGatingTopKSoftmax": F.moe_gating_topk_softmax,
    "GroupedMatmul": row(
        _grouped_matmul,
        split_item=(Int, 0),
        group_type=(Int, -1),
        transpose_a=(Typed[bool], False),
        transpose_b=(Typed[bool], False),
    ),
}
globals().update(declared(_TABLE, __name__))
__all__ = [*_TABLE]
