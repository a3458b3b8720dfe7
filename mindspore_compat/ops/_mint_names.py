"""MindSpore's files and names of the functions of `mindspore.mint`: libraries import them from there. A row is a file,
the module of this package that has the functions, and the names; the function's own name is without ``_ext`` or
``_view``, or stands behind ``=``.
"""

from __future__ import annotations

_TABLE = """
array_func mint: arange_ext chunk_view full_ext full_like_ext gather_ext max_ext meshgrid_ext min_ext ones_like_ext
    scatter_add_ext sort_ext split_ext split_view tril_ext unbind_ext unsqueeze_view zeros_like_ext
array_func mint.nn.functional: one_hot_ext
math_func mint: acos_ext acosh_ext addbmm_ext addmm_ext addmv_ext amax_ext amin_ext arccos_ext arccosh_ext arcsin_ext
    arcsinh_ext arctan_ext arctan2_ext argmax_ext asin_ext asinh_ext atan_ext atan2_ext bincount_ext bitwise_and_ext
    bitwise_or_ext bitwise_xor_ext bmm_ext frac_ext histc_ext inverse_ext linspace_ext median_ext norm_ext pow_ext
    std_ext std_mean_ext var_ext var_mean_ext
math_func mint.linalg: linalg_norm=norm matrix_norm_ext vector_norm_ext
nn_func mint: conv2d_ext gather_ext
nn_func mint.nn.functional: avg_pool2d_ext avg_pool3d_ext batch_norm_ext cross_entropy_ext dropout_ext dropout2d_ext
    flatten_ext glu_ext interpolate_ext kl_div_ext log_softmax_ext logsigmoid_ext max_pool2d_ext nll_loss_ext pad_ext
    relu_=relu_ softmax_ext
random_func mint: multinomial_ext normal_ext rand_ext rand_like_ext randint_ext randint_like_ext randn_ext
    randn_like_ext randperm_ext
gen_ops_def mint: acos_ext acosh_ext argmax_ext argmin_ext argsort_ext asin_ext asinh_ext atan_ext atan2_ext
    batch_norm_elemt batch_norm_gather_stats_with_counts batch_norm_stats bincount_ext broadcast_to_view clone conv_tbc
    cummin_ext diag_ext frac_ext histc_ext index_select_ext inplace_addr=addr_ isneginf_ext log10_ext log2_ext
    logaddexp_ext logsumexp_ext mm_ext narrow_view npu_gelu outer_ext select_ext_view=select stack_ext trace_ext
    transpose_ext_view=transpose triangular_solve vdot
gen_ops_def mint.linalg: linalg_qr=qr
gen_ops_def mint.nn.functional: avg_pool1d_ext flatten_ext fold_ext inplace_hardtanh=hardtanh_
    inplace_threshold=threshold_ leaky_relu_ext max_unpool2d_ext unfold_ext
"""


def kept_in(file: str) -> dict[str, str]:
    """Return name -> "module:name", relative to the package, of MindSpore's ``file``: for `module_getattr`."""
    found = {}
    for row in _TABLE.replace("\n    ", " ").strip().splitlines():
        place, _, names = row.partition(": ")
        of_file, module = place.split()
        if of_file == file:
            for item in names.split():
                name, _, other = item.partition("=")
                found[name] = f"{module}:{other or name.removesuffix('_ext').removesuffix('_view')}"
    return found
