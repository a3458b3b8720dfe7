"""Tensor methods that are functions of ``mindspore.ops``, with the tensor as first argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["OpMethods", "bind_methods"]

#: Names that torch lacks, or gives another meaning, dtype or argument names.
_SAME_NAME = [
    "abs",
    "absolute",
    "add",
    "addcdiv",
    "addcmul",
    "amax",
    "amin",
    "aminmax",
    "approximate_equal",
    "arctan2",
    "atan2",
    "bincount",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "clamp",
    "col2im",
    "count_nonzero",
    "cross",
    "cummax",
    "cummin",
    "det",
    "diag",
    "div",
    "divide",
    "dot",
    "eq",
    "equal",
    "fills",
    "floor_divide",
    "floor_mod",
    "fmax",
    "fmin",
    "fmod",
    "gather_elements",
    "gather_nd",
    "ge",
    "ger",
    "greater",
    "greater_equal",
    "gt",
    "heaviside",
    "histc",
    "hypot",
    "igamma",
    "igammac",
    "index_add",
    "index_fill",
    "index_put",
    "inplace_update",
    "inv",
    "invert",
    "isclose",
    "lcm",
    "le",
    "lerp",
    "less",
    "less_equal",
    "log_matrix_determinant",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logical_and",
    "logical_or",
    "logical_xor",
    "logit",
    "logsumexp",
    "lt",
    "matmul",
    "matrix_determinant",
    "maximum",
    "median",
    "minimum",
    "moveaxis",
    "movedim",
    "move_to",
    "mul",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "ne",
    "nextafter",
    "nonzero",
    "not_equal",
    "permute",
    "pow",
    "quantile",
    "random_categorical",
    "remainder",
    "renorm",
    "reverse",
    "reverse_sequence",
    "rot90",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_sub",
    "select_scatter",
    "slice_scatter",
    "soft_shrink",
    "std_mean",
    "sub",
    "subtract",
    "svd",
    "t",
    "tensor_split",
    "top_k",
    "true_divide",
    "unique",
    "unique_consecutive",
    "unique_with_pad",
    "unsorted_segment_max",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "var_mean",
    "xdivy",
    "xlogy",
    "lstsq",
    "lu_solve",
    "masked_fill",
    "masked_select",
    "masked_scatter",
    "bmm",
    "diagflat",
    "gcd",
    "fold",
    "dist",
    "sgn",
    "real",
    "imag",
    "conj",
    "bessel_i0",
    "digamma",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "slogdet",
    "geqrf",
    "eigvals",
    "copysign",
    "float_power",
    "index_select",
    "outer",
    "inner",
]

#: Tensor method -> function.
_OTHER_NAME = {
    "scatter_div": "tensor_scatter_div",
    "scatter_max": "tensor_scatter_max",
    "scatter_min": "tensor_scatter_min",
    "scatter_mul": "tensor_scatter_mul",
    "scatter_sub": "tensor_scatter_sub",
}


def _delegating(name: str) -> Callable[..., Any]:
    """Stands in until ``ops.function`` is imported, which replaces it by the function itself."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        from mindspore_compat.ops import function

        return getattr(function, _OTHER_NAME.get(name, name))(self, *args, **kwargs)

    method.__name__ = name
    return method


class OpMethods:
    """Mixin; holds no state."""

    __slots__ = ()

    def argmax_with_value(self: Any, axis: Any = 0, keep_dims: Any = False) -> Any:
        """(maximum over ``axis``, its index); the function of this name returns them the other way round,
        as upstream.
        """
        return self.max(axis=axis, keepdims=keep_dims, return_indices=True)

    def argmin_with_value(self: Any, axis: Any = 0, keep_dims: Any = False) -> Any:
        """(minimum over ``axis``, its index)."""
        return self.min(axis=axis, keepdims=keep_dims, return_indices=True)

    def clip(
        self: Any, min: Any = None, max: Any = None, dtype: Any = None, *, xmin: Any = None, xmax: Any = None
    ) -> Any:
        """Cut to [min, max] (``xmin``, ``xmax`` and ``dtype`` in 1.x)."""
        from mindspore_compat.ops.function import clamp

        low, high = xmin if min is None else min, xmax if max is None else max
        result = clamp(self, low, high)
        return result if dtype is None else result.astype(dtype)

    def round(self: Any, decimals: Any = 0) -> Any:
        """Rounded half to even, to ``decimals`` places."""
        from mindspore_compat.ops.function import round

        return round(self, decimals=decimals)

    def diff(self: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
        """The n-th difference along ``axis``."""
        from mindspore_compat.ops.function import diff

        return diff(self, n, axis, prepend, append)

    def multiply(self: Any, value: Any) -> Any:
        """Product with a number or Tensor, element by element."""
        return self * value

    def multinomial(self: Any, num_samples: Any, replacement: Any = True, seed: Any = None) -> Any:
        """int32 classes drawn by the weights in the last axis."""
        from mindspore_compat.ops.function import multinomial

        return multinomial(self, num_samples, replacement, seed)

    def softmax(self: Any, axis: Any = -1, dtype: Any = None) -> Any:
        """exp(x) normalized to sum 1 along ``axis``."""
        from mindspore_compat.ops.function import softmax

        return softmax(self, axis, dtype=dtype)

    def swapaxes(self: Any, axis0: Any, axis1: Any) -> Any:
        """Two axes exchanged."""
        from mindspore_compat.ops.function import swapaxes

        return swapaxes(self, axis0, axis1)

    def type_as(self: Any, other: Any) -> Any:
        """The values in the dtype of ``other``."""
        return self.astype(other.dtype)

    def fill_diagonal(self: Any, fill_value: Any, wrap: Any = False) -> Any:
        """A copy with a value on the main diagonal."""
        from mindspore_compat.ops.function import fill_diagonal

        return fill_diagonal(self, fill_value, wrap)

    def qr(self: Any, some: Any = True) -> Any:
        """(Q, R), square Q unless ``some``."""
        from mindspore_compat.ops.function import qr

        return qr(self, "reduced" if some else "complete")

    def triangular_solve(
        self: Any, A: Any, upper: Any = True, transpose: Any = False, unitriangular: Any = False
    ) -> Any:
        """(solution of A x = self, A) for a triangular matrix."""
        import torch

        from mindspore_compat.common._wrap import wrap

        matrix = torch.transpose(A, -1, -2) if transpose else A
        return wrap(
            (torch.linalg.solve_triangular(matrix, self, upper=upper != transpose, unitriangular=unitriangular), A)
        )

    def log_normal(self: Any, mean: Any = 1.0, std: Any = 2.0) -> Any:
        """A tensor like this one from the log-normal distribution."""
        import torch

        from mindspore_compat.common._wrap import wrap

        return wrap(torch.Tensor.log_normal_(torch.empty_like(self), mean, std))

    def cauchy(self: Any, median: Any = 0.0, sigma: Any = 1.0) -> Any:
        """A tensor like this one from the Cauchy distribution."""
        import torch

        from mindspore_compat.common._wrap import wrap

        return wrap(torch.Tensor.cauchy_(torch.empty_like(self), median, sigma))

    def uniform(self: Any, from_: Any = 0.0, to: Any = 1.0, generator: Any = None) -> Any:
        """A tensor like this one from [from_, to)."""
        import torch

        from mindspore_compat.common._wrap import wrap

        return wrap(torch.Tensor.uniform_(torch.empty_like(self), from_, to, generator=generator))


for _name in _SAME_NAME:
    setattr(OpMethods, _name, _delegating(_name))


def bind_methods(functions: Mapping[str, Any]) -> None:
    """Put the functions themselves in the place of the stand-ins; called once by ``ops.function``."""
    from mindspore_compat.common._tensor_methods import TensorMethods

    for name in _SAME_NAME:
        setattr(TensorMethods, name, functions[_OTHER_NAME.get(name, name)])
