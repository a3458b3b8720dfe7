"""Functions behind operators whose arguments MindSpore converts first, under its names ``*_impl``. MindSpore:
``mindspore.ops.auto_generate.pyboost_inner_prim``.
"""

from __future__ import annotations

from typing import Any

from mindspore_compat._ops.attention import apply_rotary_pos_emb
from mindspore_compat.ops import function as F
from mindspore_compat.ops import operations as P

_TABLE: dict[str, Any] = {
    "rms_norm_impl": F.rms_norm,
    "broadcast_to_impl": F.broadcast_to,
    "roll_impl": F.roll,
    "concat_impl": F.cat,
    "squeeze_impl": F.squeeze,
    "softmax_impl": F.softmax,
    "log_softmax_impl": F.log_softmax,
    "triu_impl": F.triu,
    "glu_impl": F.glu,
    "hshrink_impl": F.hardshrink,
    "softshrink_impl": F.softshrink,
    "reverse_v2_impl": F.reverse,
    "split_impl": lambda input_x, axis=0, output_num=1: P.Split(axis, output_num)(input_x),
    "matmul_impl": lambda input, mat2, transpose_a=False, transpose_b=False: P.MatMul(transpose_a, transpose_b)(
        input, mat2
    ),
    "batch_mat_mul_impl": lambda x, y, transpose_a=False, transpose_b=False: P.BatchMatMul(transpose_a, transpose_b)(
        x, y
    ),
    "reduce_max_impl": lambda x, axis=(), keep_dims=False: P.ReduceMax(keep_dims)(x, axis),
    "reduce_min_impl": lambda x, axis=(), keep_dims=False: P.ReduceMin(keep_dims)(x, axis),
    "reduce_all_impl": lambda input, axis=None, keep_dims=False: P.ReduceAll(keep_dims)(input, axis),
    "reduce_any_impl": lambda x, axis=(), keep_dims=False: P.ReduceAny(keep_dims)(x, axis),
    "argmax_with_value_impl": lambda input, axis=0, keep_dims=False: P.ArgMaxWithValue(axis, keep_dims)(input),
    "argmin_with_value_impl": lambda input, axis=0, keep_dims=False: P.ArgMinWithValue(axis, keep_dims)(input),
    "prompt_flash_attention_impl": F.prompt_flash_attention,
    "incre_flash_attention_impl": F.incre_flash_attention,
    "apply_rotary_pos_emb_impl": apply_rotary_pos_emb,
}
globals().update(_TABLE)
__all__ = [*_TABLE]
