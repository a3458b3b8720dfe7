"""Operators as functions. MindSpore: ``mindspore.ops.function``."""

from mindspore_compat.ops.function import array_func, math_func, nn_func  # noqa: F401
from mindspore_compat.ops.function._activation import *  # noqa: F403
from mindspore_compat.ops.function._argument_names import name_arguments as _name_arguments
from mindspore_compat.ops.function._arithmetic import *  # noqa: F403
from mindspore_compat.ops.function._attention import *  # noqa: F403
from mindspore_compat.ops.function._attention_fused import *  # noqa: F403
from mindspore_compat.ops.function._attention_inference import *  # noqa: F403
from mindspore_compat.ops.function._bands import *  # noqa: F403
from mindspore_compat.ops.function._conv import *  # noqa: F403
from mindspore_compat.ops.function._creation import *  # noqa: F403
from mindspore_compat.ops.function._ctc import *  # noqa: F403
from mindspore_compat.ops.function._dropout import *  # noqa: F403
from mindspore_compat.ops.function._elementwise import *  # noqa: F403
from mindspore_compat.ops.function._experts import *  # noqa: F403
from mindspore_compat.ops.function._extended import *  # noqa: F403
from mindspore_compat.ops.function._indexing import *  # noqa: F403
from mindspore_compat.ops.function._joining import *  # noqa: F403
from mindspore_compat.ops.function._lookups import *  # noqa: F403
from mindspore_compat.ops.function._loss import *  # noqa: F403
from mindspore_compat.ops.function._normalization import *  # noqa: F403
from mindspore_compat.ops.function._norms import *  # noqa: F403
from mindspore_compat.ops.function._ordering import *  # noqa: F403
from mindspore_compat.ops.function._padding import *  # noqa: F403
from mindspore_compat.ops.function._pooling import *  # noqa: F403
from mindspore_compat.ops.function._product_sums import *  # noqa: F403
from mindspore_compat.ops.function._reduction import *  # noqa: F403
from mindspore_compat.ops.function._resizing import *  # noqa: F403
from mindspore_compat.ops.function._rotated import *  # noqa: F403
from mindspore_compat.ops.function._sampling import *  # noqa: F403
from mindspore_compat.ops.function._scattering import *  # noqa: F403
from mindspore_compat.ops.function._shaping import *  # noqa: F403
from mindspore_compat.ops.function._tensor_parallel import *  # noqa: F403
from mindspore_compat.ops.function.clip_func import *  # noqa: F403
from mindspore_compat.ops.function.debug_func import *  # noqa: F403
from mindspore_compat.ops.function.fft_func import *  # noqa: F403
from mindspore_compat.ops.function.grad import *  # noqa: F403
from mindspore_compat.ops.function.image_func import *  # noqa: F403
from mindspore_compat.ops.function.linalg_func import *  # noqa: F403
from mindspore_compat.ops.function.other_func import *  # noqa: F403
from mindspore_compat.ops.function.random_func import *  # noqa: F403
from mindspore_compat.ops.function.sparse_func import *  # noqa: F403

_name_arguments(globals())

#: Functions without a counterpart of that name in MindSpore: the class forms and Tensor methods use them,
# ``mindspore.ops`` does not show them.
INTERNAL = (
    "channel_mask",
    "draws_by_engine",
    "dropout_stream",
    "dropout_with_mask",
    "dropped",
    "softmax_axes",
    "batch_norm_outputs",
    "layer_norm_outputs",
    "conv_nd",
    "conv_transpose_nd",
    "same_padding",
    "pool_nd",
    "resize_linear",
    "resize_nearest",
    "resize_cubic",
    "sizes_of",
    "sides_of",
    "bitwise_not",
    "complex",
    "div_no_nan",
    "mod",
    "mul_no_nan",
    "real_div",
    "rint",
    "squared_difference",
    "masked_scatter",
    "scatter_sub",
    "index_put",
    "fill_diagonal",
    "embedding_lookup",
    "nll_loss_outputs",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
    "sigmoid_cross_entropy",
    "ctc_loss_outputs",
    "l2_loss",
    "reduce_prod",
    "reduce_all",
    "reduce_any",
    "argmax_with_value",
    "argmin_with_value",
    "cumulative",
    "euclidean_norm",
    "lp_norm",
    "l2_normalize",
    "nuclear_norm",
    "space_to_depth",
    "depth_to_space",
    "unravel_index",
    "roi_align",
    "nms_with_mask",
    "ps_roi_pooling",
    "mat_mul",
    "batch_mat_mul",
    "matrix_triangular_solve",
    "addmm_",
    "float_status",
    "uniform_int",
    "fixed_generator",
    "generator_of",
    "truncated_normal",
    "ALL_TOKENS",
    "flash_attention_outputs",
    "reshape_and_cache",
    "paged_attention",
    "apply_rotary_pos_emb",
    "moe_init_routing",
    "moe_compute_expert_tokens",
    "moe_finalize_routing",
    "moe_gating_topk_softmax",
    "group_topk",
)
