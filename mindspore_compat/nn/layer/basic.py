"""Dense, Flatten, Dropout and other basic layers. MindSpore: ``mindspore.nn.layer.basic``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.validate import check_str_in
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.random import dropout_stream, dropped
from mindspore_compat._runtime.placement import constant
from mindspore_compat.common.initializer import HeUniform, Uniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.seed import _get_graph_seed
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._resize import interpolate
from mindspore_compat.nn.layer._shapes import same_padding, squeezed
from mindspore_compat.nn.layer.activation import activation_from
from mindspore_compat.ops import function as F

__all__ = [
    "Dropout",
    "Flatten",
    "Dense",
    "Linear",
    "ClipByNorm",
    "Norm",
    "OneHot",
    "Pad",
    "Unfold",
    "Tril",
    "Triu",
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixSetDiag",
    "L1Regularizer",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Upsample",
    "Roll",
    "Identity",
    "Unflatten",
    "DropoutExt",
    "Dropout2dExt",
]


class Dropout(Cell):
    """Dropout with probability ``p``; the rest is scaled by 1 / (1 - p), in training only.

    ``keep_prob`` is 1.x's argument: p = 1 - keep_prob; it counts only if ``p`` is None. As in MindSpore, a later ``p =
    0`` or ``keep_prob = 1`` turns the layer off, and no other later value counts.

    Examples:
        >>> net = nn.Dropout(p=0.5)
        >>> print(net.set_train(False)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: Any = torch.float32) -> None:
        super().__init__()
        self._rate, kept = (1.0 - keep_prob, keep_prob) if p is None else (float(p), 1.0 - p)
        if not 0 <= self._rate < 1:
            raise ValueError(f"For 'Dropout', the rate of zeroed elements must be in [0, 1), but got {self._rate}.")
        self.p, self.keep_prob = p, keep_prob
        self._stream = dropout_stream(kept, *_get_graph_seed(0, "dropout"))

    def construct(self, x: Any) -> Any:
        if not self.training or not self._rate or self.p == 0 or self.keep_prob == 1:
            return x
        return dropped(x, self._rate, self._stream)

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class DropoutExt(Cell):
    """`Dropout` with the arguments of ``mint.nn.Dropout``."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input: Any) -> Any:
        return (
            (torch.dropout_ if self.inplace else torch.dropout)(input, self.p, True)
            if self.training and self.p
            else input
        )


class _ChannelDropout(Cell):
    """Dropout of whole channels with probability ``p``; the rest is scaled by 1 / (1 - p), in training only."""

    _ndims: tuple[int, ...] = ()
    _function: Callable[..., Any]

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = self._rate = p
        self.keep_prob = 1.0 - p

    def construct(self, x: Any) -> Any:
        if not self.training or not self._rate or self.p == 0 or self.keep_prob == 1:
            return x
        if x.dim() not in self._ndims:
            raise ValueError(
                f"For '{type(self).__name__}', the input must have {' or '.join(map(str, self._ndims))} axes, but got "
                f"{x.dim()}."
            )
        return type(self)._function(x, self._rate)

    def extend_repr(self) -> str:
        return f"p={self.p}"


class Dropout1d(_ChannelDropout):
    """Channels of (N, C, L) or (C, L)."""

    _ndims, _function = (2, 3), F.dropout1d

    def extend_repr(self) -> str:
        return ""


class Dropout2d(_ChannelDropout):
    """Channels of (N, C, H, W)."""

    _ndims, _function = (4,), F.dropout2d


class Dropout3d(_ChannelDropout):
    """Channels of (N, C, D, H, W)."""

    _ndims, _function = (5,), F.dropout3d


class Dropout2dExt(Cell):
    """`Dropout2d` with the arguments of ``mint.nn.Dropout2d``."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input: Any) -> Any:
        return (
            (torch.feature_dropout_ if self.inplace else torch.feature_dropout)(input, self.p, True)
            if self.training and self.p
            else input
        )


class Tril(Cell):
    """The lower triangle, from diagonal ``k`` down; zeros elsewhere."""

    def construct(self, x: Any, k: int = 0) -> Any:
        return torch.tril(x, k)


class Triu(Cell):
    """The upper triangle, from diagonal ``k`` up; zeros elsewhere."""

    def construct(self, x: Any, k: int = 0) -> Any:
        return torch.triu(x, k)


class MatrixDiag(Cell):
    """Diagonal matrices (*, n, n) of vectors (*, n)."""

    def construct(self, input_x: Any) -> Any:
        return torch.diag_embed(input_x)


class MatrixDiagPart(Cell):
    """Diagonals of matrices (*, m, n)."""

    def construct(self, input_x: Any) -> Any:
        return torch.diagonal(input_x, dim1=-2, dim2=-1)


class MatrixSetDiag(Cell):
    """Matrices (*, m, n) with their diagonals replaced."""

    def construct(self, input_x: Any, diagonal: Any) -> Any:
        return torch.diagonal_scatter(input_x, diagonal, dim1=-2, dim2=-1)


class Roll(Cell):
    """Shift of elements by ``shift`` along ``axis``, round the end; ints or tuples of one length."""

    def __init__(self, shift: Any, axis: Any) -> None:
        super().__init__()
        self.shift = list(shift) if isinstance(shift, (tuple, list)) else [shift]
        self.axis = list(axis) if isinstance(axis, (tuple, list)) else [axis]

    def construct(self, input_x: Any) -> Any:
        return torch.roll(input_x, self.shift, self.axis)


class Unflatten(Cell):
    """``axis`` replaced by the axes of ``unflattened_size``."""

    def __init__(self, axis: int, unflattened_size: Any) -> None:
        super().__init__()
        self.axis = axis
        self.unflattened_size = tuple(unflattened_size)

    def construct(self, input_x: Any) -> Any:
        shape = tuple(input_x.shape)
        rest = shape[self.axis + 1 :] if self.axis != -1 else ()
        return torch.reshape(input_x, shape[: self.axis] + self.unflattened_size + rest)


_linear = kernels.linear


def _set_dense(
    cell: Cell, out_size: int, in_size: int, has_bias: bool, weight_init: Any, bias_init: Any, dtype: Any
) -> None:
    """Set ``weight`` (out, in) and ``bias`` (out,) or None on ``cell``."""
    weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
    cell.weight = Parameter(initializer(weight_init, (out_size, in_size), dtype), name="weight")
    cell.bias = None
    if has_bias:
        bias_init = Uniform(1 / math.sqrt(in_size)) if bias_init is None else bias_init
        cell.bias = Parameter(initializer(bias_init, (out_size,), dtype), name="bias")


def check_dense_input_shape(x: Any, prim_name: str | None = None) -> None:
    """Raise ValueError for the shape of an input with fewer than two axes, as MindSpore 1.x."""
    if len(x) < 2:
        who = f"For '{prim_name}', the" if prim_name else "The"
        raise ValueError(f"{who} dimension of 'x' should not be less than 2, but got {len(x)}.")


class Dense(Cell):
    """y = activation(x · weightᵀ + bias); ``weight`` (out_channels, in_channels), ``bias`` (out_channels,).

    Input (*, in_channels), output (*, out_channels).

    Examples:
        >>> net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
        >>> print(net(Tensor([[1.0, 2.0, 3.0]])))
        [[6. 6.]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        _set_dense(self, out_channels, in_channels, has_bias, weight_init, bias_init, dtype)
        self.activation = activation_from(activation, "Dense")
        self.activation_flag = self.activation is not None

    def construct(self, x: Any) -> Any:
        weight, bias = self.weight, self.bias if self.has_bias else None
        is_single = getattr(x, "dtype", None) is torch.float32 and not kernels.THREAD.in_float32
        y = (kernels.float32_dense if is_single else kernels.dense)(x, weight, bias)
        return self.activation(y) if self.activation_flag else y

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += f", has_bias={self.has_bias}"
        return f"{text}, activation={self.activation}" if self.activation_flag else text


class Linear(Cell):
    """y = x · weightᵀ + bias, `Dense` with the argument names of ``mint.nn.Linear``."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.has_bias = bias
        _set_dense(self, out_features, in_features, bias, weight_init, bias_init, dtype or torch.float32)

    def construct(self, x: Any) -> Any:
        return _linear(x, self.weight, self.bias)

    def extend_repr(self) -> str:
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text


class Flatten(Cell):
    """All axes from ``start_dim`` to ``end_dim`` in one.

    Examples:
        >>> print(nn.Flatten()(ops.ones((2, 3, 4))).shape)
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def construct(self, x: Any) -> Any:
        flat = torch.flatten(x, self.start_dim, self.end_dim)
        return torch.clone(flat) if (self.start_dim, self.end_dim) == (1, -1) and x.dim() > 1 else flat


class Identity(Cell):
    """Identity of its input; accepts any arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input


class Upsample(Cell):
    """Resizing of (N, C, *places) to ``size`` or by ``scale_factor``; modes nearest, linear, bilinear, bicubic,
    trilinear, area, nearest-exact.
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x: Any) -> Any:
        return interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)


class L1Regularizer(Cell):
    """scale · sum of |weights|."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def construct(self, weights: Any) -> Any:
        return torch.mul(torch.sum(torch.abs(weights)), self.scale)


class ClipByNorm(Cell):
    """x · clip_norm / max(‖x‖, clip_norm), the L2 norm over ``axis`` (None: everything); the result is float32."""

    def __init__(self, axis: Any = None) -> None:
        super().__init__()
        items = () if axis is None else (axis,) if isinstance(axis, int) else axis
        self.axis = tuple(items)

    def construct(self, x: Any, clip_norm: Any) -> Any:
        if not isinstance(clip_norm, torch.Tensor):
            clip_norm = constant(clip_norm, x.device, torch.float32)
        x, limit = x.to(torch.float32), clip_norm.to(torch.float32)
        squares = torch.sum(kernels.square(x), dim=self.axis or tuple(range(x.dim())), keepdim=True)
        # sqrt has no gradient at 0, where the norm is below every limit anyway.
        is_positive = squares > 0
        norm = torch.where(is_positive, torch.sqrt(torch.where(is_positive, squares, 1.0)), squares)
        return torch.div(torch.mul(x, limit), torch.maximum(norm, limit))


class Norm(Cell):
    """L2 norm over ``axis`` (default: everything)."""

    def __init__(self, axis: Any = (), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims
        self._squeezed = axis

    def construct(self, x: Any) -> Any:
        axis = tuple(range(x.dim())) if self.axis == () else self.axis
        found = torch.sqrt(torch.sum(kernels.square(x), dim=axis, keepdim=True))
        return found if self.keep_dims else squeezed(found, self._squeezed)

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class OneHot(Cell):
    """``on_value`` at the index, ``off_value`` elsewhere, along a new ``axis`` of ``depth``; indices out of range give
    off_value only.
    """

    def __init__(
        self, axis: int = -1, depth: int = 1, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = torch.float32
    ) -> None:
        super().__init__()
        self.axis, self.depth = axis, depth
        self.on_value, self.off_value, self.dtype = on_value, off_value, dtype

    def construct(self, indices: Any) -> Any:
        places = torch.arange(self.depth, device=indices.device)
        hot = torch.eq(torch.unsqueeze(indices, -1), places)
        values = torch.where(
            hot,
            constant(self.on_value, indices.device, self.dtype),
            constant(self.off_value, indices.device, self.dtype),
        )
        return torch.movedim(values, -1, self.axis)


def _mirrored(size: int, before: int, after: int, skip: int, device: torch.device) -> torch.Tensor:
    """Return indices that pad an axis by reflection; ``skip`` 1 omits the edge (REFLECT), 0 repeats it (SYMMETRIC)."""
    if max(before, after) > size - skip:
        raise ValueError(
            f"For 'Pad', the paddings of an axis of {size} must be at most {size - skip}, but got {(before, after)}."
        )
    places = torch.arange(size, device=device)
    ends = torch.flip(places[skip : before + skip], (0,)), torch.flip(places[size - after - skip : size - skip], (0,))
    return torch.cat([ends[0], places, ends[1]])


class Pad(Cell):
    """Padding with zeros (mode "CONSTANT") or by reflection without ("REFLECT") or with the edge ("SYMMETRIC").

    ``paddings`` is a tuple of (before, after) for each axis.

    Examples:
        >>> print(nn.Pad(((0, 0), (1, 1)))(Tensor([[1.0, 2.0]])))
        [[0. 1. 2. 0.]]
    """

    def __init__(self, paddings: Any, mode: str = "CONSTANT") -> None:
        super().__init__()
        self.mode = check_str_in(mode, "mode", ("CONSTANT", "REFLECT", "SYMMETRIC"), "Pad")
        self.paddings = paddings
        self._flat = [int(side) for pair in reversed(paddings) for side in pair]

    def construct(self, x: Any) -> Any:
        if x.dim() != len(self.paddings):
            raise ValueError(
                f"For 'Pad', the 'paddings' must have a pair for each of the input's {x.dim()} axes, but got "
                f"{self.paddings}."
            )
        if min(self._flat, default=0) < 0:
            raise ValueError(f"For 'Pad', all elements of 'paddings' must be >= 0, but got {self.paddings}.")
        if self.mode == "CONSTANT":
            return torch._C._nn.pad(x, self._flat)
        for axis, (before, after) in enumerate(self.paddings):
            if before or after:
                x = torch.index_select(
                    x, axis, _mirrored(x.shape[axis], before, after, int(self.mode == "REFLECT"), x.device)
                )
        return x


class Unfold(Cell):
    """Patches of (N, C, H, W) as channels, kernel place by kernel place: (N, kh·kw·C, out_h, out_w).

    ``ksizes``, ``strides``, ``rates`` are [1, rows, columns, 1]; ``padding`` is "valid" or "same".
    """

    def __init__(self, ksizes: Any, strides: Any, rates: Any, padding: str = "valid") -> None:
        super().__init__()
        for name, value in (("ksize", ksizes), ("stride", strides), ("rate", rates)):
            if (
                len(value) != 4
                or value[0] != 1
                or value[3] != 1
                or not all(isinstance(item, int) and item > 0 for item in value)
            ):
                raise ValueError(
                    f"For 'Unfold', the '{name}s' must be [1, {name}_row, {name}_col, 1] with positive ints, but got "
                    f"{value}."
                )
        self._kernel, self._stride, self._rate = tuple(ksizes[1:3]), tuple(strides[1:3]), tuple(rates[1:3])
        self.padding = check_str_in(
            padding.lower() if isinstance(padding, str) else padding, "padding", ("valid", "same"), "Unfold"
        )

    def construct(self, input_x: Any) -> Any:
        if self.padding == "same":
            pairs = [same_padding(*item) for item in zip(input_x.shape[-2:], self._kernel, self._stride, self._rate)]
            input_x = torch._C._nn.pad(input_x, (*pairs[1], *pairs[0]))
        batch, channels = input_x.shape[:2]
        places = [
            (size - rate * (width - 1) - 1) // step + 1
            for size, width, step, rate in zip(input_x.shape[-2:], self._kernel, self._stride, self._rate)
        ]
        columns = torch._C._nn.im2col(input_x, self._kernel, self._rate, (0, 0), self._stride)
        patches = torch.reshape(columns, (batch, channels, self._kernel[0] * self._kernel[1], *places))
        return torch.reshape(torch.transpose(patches, 1, 2), (batch, -1, *places))
