"""MindSpore's argument names of functions that have other names here, and arguments of 1.x, which are accepted but not
shown.

Libraries detect the MindSpore release by ``inspect.signature`` (mindcv's ``compatibility.py`` takes ``output_num`` of
``split`` for 1.x, where it means something else).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from mindspore_compat._api.former_names import accept_aliases, or_older_meaning
from mindspore_compat.ops.function._former import FORMER

__all__ = ["name_arguments", "named"]

_Function = Callable[..., Any]

#: function -> MindSpore's names for its first arguments
_NAMES = {
    **dict.fromkeys(
        """arcsin bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1
        bessel_k1e bessel_y0 bessel_y1 copysign deg2rad frac invert rad2deg shape_""".split(),
        "x",
    ),
    **dict.fromkeys("floor_div floor_mod floormod truncate_mod tensor_mod".split(), "x y"),
    "diff_ext": "input n dim",
    "heaviside": "input values",
    "isnan_ext": "tensor",
    "numel": "input",
    "row_stack": "tensors",
    "shape_mul": "input_data",
    "tensor_slice": "input",
    "true_divide": "dividend divisor",
}

#: function -> its arguments that are names of 1.x, or additions
_OLD = {
    "argmax": "axis keepdims",
    "bias_add": "data_format",
    "clip_by_value": "min max",
    "dot": "x1 x2",
    "grid_sample": "interpolation_mode",
    "interpolate": "roi sizes scales coordinate_transformation_mode",
    "linspace": "num",
    "multinomial": "num_sample",
    "pad": "paddings",
    **dict.fromkeys([f"scatter_{kind}" for kind in "add div max min mul update".split()], "use_locking"),
    "split": "output_num input_x",
    "stack": "dim",
    "transpose": "input_perm",
    "zeros": "device",
}

#: function -> names of its arguments in releases before 2.0, and in 2.0's alphas, "OLD=NEW"; a function that
#: MindSpore has renamed twice has both
_FORMER: dict[str, str] = {}
for _renamed, _functions in {
    "x=input": """abs absolute acos acosh adaptive_max_pool3d addbmm addmm addmv all aminmax angle any arccos arccosh
        arctan arctan2 argmax argmin asin asinh atan atanh baddbmm bernoulli broadcast_to ceil clip combinations cos
        cosh cummax cummin divide dropout dropout1d dropout2d dropout3d erf erfc exp exp2 expm1 flip fliplr flipud floor
        gather_elements hardshrink hardswish heaviside hypot i0 interpolate is_floating_point isfinite isnan isreal log
        log10 log1p log2 log_matrix_determinant logical_not logit masked_select matrix_determinant matrix_exp median
        nan_to_num nanmedian neg negative nonzero numel pdist pixel_shuffle pixel_unshuffle positive prelu prod relu
        roll rot90 round silu sin sinc sinh soft_shrink softmax softshrink square subtract tan unbind unique""",
    "x=input y=other": """add atan2 bitwise_and bitwise_or bitwise_xor equal ge gt kron le less logical_and logical_or
        maximum minimum mul ne remainder sub where xlogy""",
    "x1=input x2=other": "gcd isclose lcm logaddexp logaddexp2 matmul",
    "x1=input x2=vec2": "ger outer",
    "input_x=input": """trunc adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
        adaptive_max_pool2d diag flatten fractional_max_pool2d fractional_max_pool3d gelu grid_sample hardsigmoid
        mse_loss ones_like sigmoid squeeze tanh transpose unsqueeze""",
    "input_x=input x=input": "zeros_like",
    "inputs=input": "cross_entropy multi_margin_loss multinomial narrow",
    "inputs=input group=groups": "conv2d conv3d",
    "inputs=tensors": "dstack",
    "inputs=input_x": "masked_fill",
    "input_x=tensors": "concat stack",
    "x=input keep_dims=keepdims": "amax amin max min",
    "logits=input labels=target": "smooth_l1_loss",
}.items():
    _FORMER.update(dict.fromkeys(_functions.split(), _renamed))
_FORMER |= {
    "addcdiv": "input_data=input x1=tensor1 x2=tensor2",
    "addcmul": "input_data=input x1=tensor1 x2=tensor2",
    "affine_grid": "output_size=size",
    "arange": "stop=end rtype=dtype",
    "binary_cross_entropy_with_logits": "logits=input label=target",
    "cdist": "x=x1 y=x2",
    "div": "x=input y=other",
    "dot": "a=input b=other",
    "eye": "t=dtype",
    "index_fill": "dim=axis",
    "lerp": "start=input",
    "linspace": "stop=end",
    "logsumexp": "x=input axis=dim keep_dims=keepdim keepdims=keepdim",
    "norm": "input_x=A",
    "ones": "type=dtype",
    "orgqr": "x=input tau=input2",
    "permute": "x=input dims=axis",
    "pow": "x=input y=exponent",
    "range": "limit=end delta=step",
    "renorm": "input_x=input dim=axis",
    "repeat_interleave": "x=input dim=axis",
    "reshape": "input_x=input input_shape=shape",
    "scalar_to_tensor": "x=input_x",
    "select": "cond=condition x=input y=other",
    "std": "input_x=input unbiased=ddof keep_dims=keepdims",
    "svd": "a=input",
    "tile": "input_x=input multiples=dims reps=dims",
    "unique_consecutive": "x=input return_idx=return_inverse axis=dim",
}


def name_arguments(members: dict[str, Any]) -> None:
    """Set MindSpore's names, and those of earlier releases, on the functions of a module (``globals()``)."""
    for name, names in _NAMES.items():
        members[name] = named(name, members[name], names.split())
    for name, old in _OLD.items():
        function, hidden = members[name], old.split()
        signature = inspect.signature(function)
        shown = [item for key, item in signature.parameters.items() if key not in hidden]
        function.__signature__ = signature.replace(parameters=shown)
    former: dict[_Function, dict[str, str]] = {}  # of functions: some have several names
    for name, renamed in _FORMER.items():
        former.setdefault(members[name], {}).update(dict(item.split("=") for item in renamed.split()))
    called = {function: accept_aliases(function, names) for function, names in former.items()}
    for name, older in FORMER.items():
        called[members[name]] = or_older_meaning(*older)(called.get(members[name], members[name]))
    members.update(
        {name: called[item] for name, item in members.items() if inspect.isfunction(item) and item in called}
    )


def named(name: str, function: _Function, names: list[str]) -> _Function:
    """Return ``function`` with other names for its first arguments; its own are taken, too."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    called: Any = accept_aliases(function, {new: parameter.name for new, parameter in zip(names, parameters)})
    renamed = [parameter.replace(name=new) for new, parameter in zip(names, parameters)]
    called.__name__ = called.__qualname__ = name
    called.__signature__ = signature.replace(parameters=renamed + parameters[len(names) :])
    return called  # type: ignore[no-any-return]
