"""Gradients of parts, padding, images, convolutions and pooling as operators: each row is the derivative of a forward
operator. Parts of ``mindspore.ops.operations._grad_ops``.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Literal

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, check_tensors, checks_places, to_dtype
from mindspore_compat.ops._declare import Bool, Int, declared, row
from mindspore_compat.ops.operations._conv_ops import Conv2D, Conv3D
from mindspore_compat.ops.operations._gradient_ops import (
    adjoint,
    as_torch,
    check_kind,
    check_shapes,
    derivative,
    derivatives,
    pushed,
)
from mindspore_compat.ops.operations._pooling_ops import AvgPool, AvgPool3D, MaxPool, MaxPool3D
from mindspore_compat.ops.operations._rare_ops import PSROIPooling
from mindspore_compat.ops.operations.array_ops import StridedSlice
from mindspore_compat.ops.operations.image_ops import resized
from mindspore_compat.ops.operations.nn_ops import DeformableOffsets

_Run = Callable[..., Any]
_Forward = Callable[[Any, Any], Any]
_NAMED = inspect.Parameter.POSITIONAL_OR_KEYWORD
_PADDING = Literal["zeros", "border", "reflection"]


def _named(inputs: str, attributes: dict[str, Any], run: Callable[[Any], Any]) -> _Run:
    """``run(given)`` with inputs and attributes as attributes of ``given``, under the signature that they make."""
    names = inputs.split()

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) + len(kwargs.keys() & set(names)) != len(names):
            raise TypeError(f"{len(names)} inputs are needed ({', '.join(names)}), but got {len(args)}.")
        return run(SimpleNamespace(**dict(zip(names, args)), **kwargs))

    parameters = [inspect.Parameter(name, _NAMED) for name in names]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in attributes]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _of(inputs: str, doc: str, forward: _Forward, shape: Any = None, **attributes: Any) -> Any:
    """A row: the derivative of ``forward(x, given)`` by x.

    Args:
        inputs: names in order. ``@x``: it is differentiated by that value; ``~x``: ``forward`` is linear, so only the
            shape counts, that of a Tensor or one that is given; ``*dy``: the derivative is along it.
        shape: gives x's shape where no input has it.
    """
    words = inputs.split()
    along = next(word[1:] for word in words if word[0] == "*")
    by = next((word for word in words if word[0] in "@~"), "~")

    def run(given: Any) -> Any:
        dy = getattr(given, along)
        check_tensors("Gradient", **{along: dy})
        if by[0] == "@":
            return derivative(lambda x: forward(wrap(x), given), getattr(given, by[1:]), dy)
        x = shape(given) if shape is not None else getattr(given, by[1:])
        is_shape = shape is not None or not isinstance(x, torch.Tensor) or not x.dtype.is_floating_point
        return adjoint(lambda x: forward(x, given), as_ints(x) if is_shape else tuple(x.shape), dy)

    return row(_named(inputs.translate({ord(mark): None for mark in "@~*"}), attributes, run), doc, **attributes)


# --- padding, images --------------------------------------------------------------------------------------------------


def _strided(x: Any, g: Any) -> Any:
    forward = StridedSlice(g.begin_mask, g.end_mask, g.ellipsis_mask, g.new_axis_mask, g.shrink_axis_mask)
    return forward(x, *[as_ints(item) for item in (g.begin, g.end, g.strides)])


def _unpadded(sides: Any, lengths: Any, from_end: bool) -> tuple[int, ...]:
    """The shape before padding of (before, after) for each axis; the last axis first ``from_end``."""
    shape = [*lengths]
    for place, pair in enumerate(sides):
        shape[-place - 1 if from_end else place] -= sum(pair)
    return tuple(shape)


def _pairs(paddings: Any) -> Any:
    return paddings.tolist() if isinstance(paddings, torch.Tensor) else paddings


def _flat_sides(g: Any) -> tuple[int, ...]:
    return as_ints(F.sides_of(g.paddings, g.paddings_contiguous))


def _affine(g: Any) -> tuple[int, ...]:
    size = as_ints(g.x_size)
    return size[0], len(size) - 2, len(size) - 1


def _sampled(axes: int) -> _Run:
    def run(g: Any) -> Any:
        check_tensors("GridSamplerGrad", grad=g.grad, input_x=g.input_x, grid=g.grid)
        for item in (g.grad, g.input_x, g.grid):
            if item.dim() != axes:
                raise ValueError(f"For 'GridSampler{axes - 2}DGrad', inputs must have {axes} axes, got {item.dim()}.")
        return derivatives(
            lambda x, grid: F.grid_sample(wrap(x), wrap(grid), g.interpolation_mode, g.padding_mode, g.align_corners),
            (g.input_x, g.grid),
            g.grad,
        )

    return run


def _sampler(axes: int, modes: Any) -> Any:
    attributes = {
        "interpolation_mode": (modes, "bilinear"), "padding_mode": (_PADDING, "zeros"), "align_corners": (Bool, False),
        "output_mask": (Any, (1, 1)),
    }  # fmt: skip
    doc = f"(by the images, by the grid) of `GridSampler{axes - 2}D`; both are always given, as on upstream's CPU."
    return row(_named("grad input_x grid", attributes, _sampled(axes)), doc, **attributes)


def _deformable(g: Any) -> Any:
    is_last, kernel, edges = g.data_format == "NHWC", as_ints(g.kernel_size), as_ints(g.pads)
    steps, spread = (as_ints(item)[1:3] if is_last else as_ints(item)[2:] for item in (g.strides, g.dilations))
    forward = DeformableOffsets(
        (1, 1, *steps), g.pads, g.kernel_size, (1, 1, *spread), "NCHW", g.deformable_groups, g.modulated
    )

    def taps(x: Any, moves: Any) -> Any:
        x, moves = (torch.permute(item, (0, 3, 1, 2)) if is_last else item for item in (x, moves))
        sizes = [
            (x.shape[axis + 2] + sum(edges[2 * axis : 2 * axis + 2]) - spread[axis] * (kernel[axis] - 1) - 1)
            // steps[axis]
            + 1
            for axis in (0, 1)
        ]
        rows, columns = moves.shape[2:]
        moves = torch.nn.functional.pad(moves, (0, sizes[1] - columns, 0, sizes[0] - rows))
        found = as_torch(forward(wrap(x), wrap(moves)))[:, :, : rows * kernel[0], : columns * kernel[1]]
        return torch.permute(found, (0, 2, 3, 1)) if is_last else found

    wide = torch.promote_types(g.input.dtype, torch.float32)  # places and weights of 16 bits would be rounded
    found = derivatives(taps, (to_dtype(g.input, wide), to_dtype(g.offsets, wide)), to_dtype(g.out_backprop, wide))
    return wrap(tuple(to_dtype(item, g.input.dtype) for item in found))


_DEFORMABLE: dict[str, Any] = {
    "strides": (Any, ...), "pads": (Any, ...), "kernel_size": (Any, ...), "dilations": (Any, (1, 1, 1, 1)),
    "data_format": (Literal["NCHW", "NHWC"], "NCHW"), "deformable_groups": (Int, 1), "modulated": (Bool, True),
}  # fmt: skip


def _check_image(owner: str, grads: Any, size: Any = (0, 0), kinds: str = "f", axes: int = 4) -> None:
    check_kind(owner, "grads", grads, kinds)
    if grads.dim() != axes or len(as_ints(size)) != 2:
        raise ValueError(f"For '{owner}', 'grads' must have {axes} axes and 'size' two lengths, but got {grads.dim()}.")


def _nearest(x: Any, g: Any) -> Any:
    """``half_pixel_centers`` is not read, as on upstream's CPU."""
    return F.resize_nearest(x, tuple(g.grads.shape[2:]), g.align_corners, False)


def _nearest_shape(g: Any) -> tuple[int, ...]:
    if isinstance(g.size, torch.Tensor):
        raise TypeError("For 'ResizeNearestNeighborGrad', the 'size' must be a tuple of ints, but got a Tensor.")
    _check_image("ResizeNearestNeighborGrad", g.grads, g.size, "fi")
    return *g.grads.shape[:2], *g.size


def _nearest_v2_shape(g: Any) -> tuple[int, ...]:
    if g.align_corners and g.half_pixel_centers:
        raise ValueError("For ResizeNearestNeighborV2Grad, half_pixel_centers must be False where align_corners is.")
    _check_image("ResizeNearestNeighborV2Grad", g.grads, g.size)
    return *g.grads.shape[:2], *as_ints(g.size)


def _resized(resize: _Run) -> _Forward:
    return lambda x, g: resize(x, tuple(g.grads.shape[2:]), g.align_corners, g.half_pixel_centers)


def _resized_1d(x: Any, g: Any) -> Any:
    aligned = g.coordinate_transformation_mode == "align_corners"
    return F.resize_linear(x, tuple(g.grads.shape[2:]), aligned, not aligned)


def _resized_v2(x: Any, g: Any) -> Any:
    aligned = g.coordinate_transformation_mode == "align_corners"
    return resized("ResizeV2Grad", x, tuple(g.grads.shape), aligned, g.mode)


_CORNERS = {"align_corners": (Bool, False), "half_pixel_centers": (Bool, False)}
_MODES = Literal["align_corners", "half_pixel"]


# --- convolutions, pooling --------------------------------------------------------------------------------------------


def _conv2d(weight: Any, g: Any) -> Any:
    sides = 0 if g.pad_mode.lower() != "pad" else g.pad if any(as_ints(g.pad)) else g.pad_list
    steps, holes = (as_ints(item)[-2:] * (1 if len(as_ints(item)) > 1 else 2) for item in (g.stride, g.dilation))
    forward = Conv2D(g.out_channel, g.kernel_size, g.mode, g.pad_mode, sides, steps, holes, g.group, g.data_format)
    return forward(wrap(as_torch(g.input)), wrap(weight))


def _conv3d(weight: Any, g: Any) -> Any:
    steps, holes = (as_ints(item)[-3:] if not isinstance(item, int) else item for item in (g.stride, g.dilation))
    forward = Conv3D(g.out_channel, g.kernel_size, g.mode, g.pad_mode, g.pad, steps, holes, g.group, g.data_format)
    return forward(wrap(as_torch(g.x)), wrap(weight))


def _average3d(x: Any, g: Any) -> Any:
    return AvgPool3D(
        g.kernel_size, g.strides, g.pad_mode, g.pads, g.ceil_mode, g.count_include_pad, g.divisor_override
    )(x)


def _maxima(make: Any, axes: int) -> _Forward:
    def forward(x: Any, g: Any) -> Any:
        if axes == 2 and getattr(g, "data_format", "NCHW") == "NHWC":
            raise ValueError("NHWC format only support in GPU target.")
        tail = [as_ints(item)[-axes:] if not isinstance(item, int) else item for item in (g.kernel_size, g.strides)]
        return make(*tail, g.pad_mode, *([getattr(g, "pad_list", 0)] if axes == 3 else []))(x)

    return forward


def _of_maxima(forward: _Forward, **attributes: Any) -> Any:
    """What of a gradient of x lies where the maxima of x are: the gradient's gradient by its gradient."""

    def run(g: Any) -> Any:
        check_shapes("MaxPoolGradGrad", x_origin=g.x_origin, grad=g.grad)
        return pushed(lambda x: forward(wrap(x), g), g.x_origin, g.grad)

    doc = "The elements of ``grad`` where the maxima of x are."
    return row(_named("x_origin out_origin grad", attributes, run), doc, **attributes)


_POOL = {"kernel_size": (Any, 1), "strides": (Any, 1), "pad_mode": (str, "VALID")}
_POOL3D = {"kernel_size": (Any, (1,) * 5), "strides": (Any, (1,) * 5), "pad_mode": (str, "VALID")}


def _put(owner: str, inputs: str, start: int, **attributes: Any) -> Any:
    """A row: zeros like ``@x``, ``*dy`` added at the places of ``argmax``, which count from axis ``start`` on."""
    names = {word[0]: word[1:] for word in inputs.split()}

    @checks_places(owner, "argmax")
    def put(g: Any) -> Any:
        x, dy, argmax = getattr(g, names["@"]), getattr(g, names["*"]), g.argmax
        if getattr(g, "data_format", "") == "NDHWC":
            x, dy, argmax = (torch.movedim(item, -1, -4) for item in (x, dy, argmax))
        check_tensors(owner, x=x, grad=dy, argmax=argmax)
        check_shapes(owner, grad=dy, argmax=argmax)
        places = torch.reshape(as_torch(argmax), (*argmax.shape[:start], -1)).to(torch.int64)
        flat = torch.zeros_like(torch.reshape(as_torch(x), (*x.shape[:start], -1)), dtype=dy.dtype)
        flat = torch.scatter_add(flat, -1, places, torch.reshape(as_torch(dy), places.shape))
        found = torch.reshape(flat, x.shape)
        return wrap(torch.movedim(found, -4, -1) if getattr(g, "data_format", "") == "NDHWC" else found)

    doc = "The gradient by x, from the places that the forward operator gave."
    return row(_named(inputs.replace("@", "").replace("*", ""), attributes, put), doc, **attributes)


def _taken(owner: str, start: int, **attributes: Any) -> Any:
    """A row: the elements of the gradient at the places of ``argmax``, which count from axis ``start`` on."""

    @checks_places(owner, "argmax")
    def take(g: Any) -> Any:
        check_tensors(owner, x=g.x, grads=g.grads, argmax=g.argmax)
        places = torch.reshape(as_torch(g.argmax), (*g.argmax.shape[:start], -1)).to(torch.int64)
        flat = torch.reshape(as_torch(g.grads), (*g.grads.shape[:start], -1))
        return wrap(torch.reshape(torch.gather(flat, -1, places), g.argmax.shape))

    return row(_named("x grads argmax", attributes, take), "The elements of the gradient at the places.", **attributes)


def _windows(x: Any, rows: Any, cols: Any, overlapping: bool, reduce: _Run) -> torch.Tensor:
    """(N, rows, cols, C) of (N, H, W, C): each window, flattened along axis 1, reduced; overlapping ones share
    borders.
    """
    more, rows, cols = 1 if overlapping else 0, as_ints(rows), as_ints(cols)
    found = [
        [
            reduce(torch.flatten(x[:, top : bottom + more, left : right + more], 1, 2))
            for left, right in itertools.pairwise(cols)
        ]
        for top, bottom in itertools.pairwise(rows)
    ]
    return torch.stack([torch.stack(row, 1) for row in found], 1)


def _fractional(reduce: _Run) -> _Forward:
    return lambda x, g: _windows(x, g.row_pooling_sequence, g.col_pooling_sequence, g.overlapping, reduce)


def _fractional_max(g: Any) -> Any:
    x, dy = (
        item if item.dtype.is_floating_point else to_dtype(item, torch.float64)
        for item in (g.orig_input, g.out_backprop)
    )
    forward = _fractional(lambda part: torch.max(part, 1)[0])
    return wrap(to_dtype(derivative(lambda x: forward(x, g), x, dy), g.out_backprop.dtype))


_FRACTIONAL = {"overlapping": (Bool, False)}
_N5 = (1, 1, 1, 1, 1)
_TABLE: dict[str, Any] = {
    "SliceGrad": _of(
        "*dy ~x begin size", "The gradient of `Slice` by x.", lambda x, g: F.slice(x, as_ints(g.begin), as_ints(g.size))
    ),
    "StridedSliceGrad": _of(
        "*dy ~shapex begin end strides", "The gradient of `StridedSlice`, of the shape ``shapex``.", _strided,
        begin_mask=(Int, 0), end_mask=(Int, 0), ellipsis_mask=(Int, 0), new_axis_mask=(Int, 0),
        shrink_axis_mask=(Int, 0),
    ),
    "MirrorPadGrad": _of(
        "*dy paddings", "The gradient of `MirrorPad` by x.",
        lambda x, g: F.mirror_pad(x, _pairs(g.paddings), g.mode),
        lambda g: _unpadded(_pairs(g.paddings), g.dy.shape, False), mode=(Literal["REFLECT", "SYMMETRIC"], "REFLECT"),
    ),
    "PadV3Grad": _of(
        "*x paddings", "The gradient of `PadV3` by x.",
        lambda x, g: F.pad(x, _flat_sides(g), {"edge": "replicate"}.get(g.mode, g.mode)),
        lambda g: _unpadded(zip(_flat_sides(g)[::2], _flat_sides(g)[1::2]), g.x.shape, True),
        mode=(Literal["reflect", "edge", "circular"], "reflect"), paddings_contiguous=(Bool, True),
    ),
    "MvlgammaGrad": _of(
        "*y_grad @x", "The gradient of `Mvlgamma` by x.", lambda x, g: F.mvlgamma(x, g.p), p=(Int, ...)
    ),
    "PdistGrad": _of(
        "*y_grad @x y", "The gradient of `Pdist` by the points; ``y`` is not read.", lambda x, g: F.pdist(x, g.p),
        p=(float, 2.0),
    ),
    "MultiMarginLossGrad": _of(
        "*y_grad @x target weight", "The gradient of `MultiMarginLoss` by x.",
        lambda x, g: F.multi_margin_loss(x, g.target, g.p, g.margin, g.weight, g.reduction),
        p=(Int, 1), margin=(float, 1.0), reduction=(Literal["none", "mean", "sum"], "mean"),
    ),
    "LRNGrad": _of(
        "*grads @x y", "The gradient of `LRN` by x (N, C, H, W); ``y`` is not read.",
        lambda x, g: F.lrn(x, g.depth_radius, g.bias, g.alpha, g.beta),
        depth_radius=(Int, 5), bias=(float, 1.0), alpha=(float, 1.0), beta=(float, 0.5),
    ),
    "GluGrad": _of(
        "*grads @x", "The gradient of `GLU` by x.", lambda x, g: torch.nn.functional.glu(x, g.axis), axis=(Int, ...)
    ),
    "GridSampler2DGrad": _sampler(4, Literal["bilinear", "nearest", "bicubic"]),
    "GridSampler3DGrad": _sampler(5, Literal["bilinear", "nearest"]),
    "AffineGridGrad": _of(
        "*y_grad x_size", "The gradient of `AffineGrid` by the transforms.",
        lambda x, g: F.affine_grid(x, as_ints(g.x_size), g.align_corners), _affine, align_corners=(Bool, False),
    ),
    "DeformableOffsetsGrad": row(
        _named("out_backprop input offsets", _DEFORMABLE, _deformable),
        "(by x, by the offsets) of `DeformableOffsets`; offsets of fewer places than x has stand for its first ones.",
        **_DEFORMABLE,
    ),
    "ResizeNearestNeighborGrad": _of(
        "*grads size", "The gradient of `ResizeNearestNeighbor` by pictures of ``size``.", _nearest, _nearest_shape,
        **_CORNERS,
    ),
    "ResizeNearestNeighborV2Grad": _of(
        "*grads size", "The gradient of `ResizeNearestNeighborV2` by pictures of ``size``.",
        _resized(F.resize_nearest), _nearest_v2_shape, **_CORNERS,
    ),
    "ResizeBilinearGrad": _of(
        "*grads ~image", "The gradient of `ResizeBilinearV2` by the image.", _resized(F.resize_linear), **_CORNERS
    ),
    "ResizeBicubicGrad": _of(
        "*grads ~image", "The gradient of `ResizeBicubic` by the image.", _resized(F.resize_cubic), **_CORNERS
    ),
    "ResizeLinear1DGrad": _of(
        "*grads ~x", "The gradient of `ResizeLinear1D` by x (N, C, W).", _resized_1d,
        coordinate_transformation_mode=(_MODES, "align_corners"),
    ),
    "ResizeV2Grad": _of(
        "*grads roi scales ~original_size", "The gradient of `ResizeV2` by pictures of ``original_size``.", _resized_v2,
        coordinate_transformation_mode=(_MODES, "half_pixel"), mode=(Literal["nearest", "linear", "cubic"], "nearest"),
    ),
    "ROIAlignGrad": _of(
        "*dy rois ~xdiff_shape", "The gradient of `ROIAlign` by pictures of the shape ``xdiff_shape``.",
        lambda x, g: F.roi_align(x, g.rois, g.pooled_height, g.pooled_width, g.spatial_scale, g.sample_num),
        pooled_height=(Int, ...), pooled_width=(Int, ...), spatial_scale=(float, ...), sample_num=(Int, 2),
    ),
    "PSROIPoolingGrad": _of(
        "*x rois", "The gradient of `PSROIPooling` by pictures of ``input_size``.",
        lambda maps, g: PSROIPooling(g.spatial_scale, g.group_size, g.output_dim)(maps, g.rois),
        lambda g: (g.rois.shape[0], g.group_size * g.group_size * g.output_dim, *as_ints(g.input_size)),
        input_size=(Any, ...), spatial_scale=(float, ...), group_size=(Int, ...), output_dim=(Int, ...),
    ),
    "Conv2DBackpropFilter": _of(
        "*out_backprop input ~filter_sizes", "The gradient of `Conv2D` by its weight.", _conv2d,
        out_channel=(int, ...), kernel_size=(Any, ...), pad_mode=(str, "valid"), pad=(Any, 0),
        pad_list=(Any, (0, 0, 0, 0)), mode=(int, 1), stride=(Any, (1, 1)), dilation=(Any, (1, 1, 1, 1)), group=(int, 1),
        data_format=(str, "NCHW"),
    ),
    "Conv3DBackpropFilter": _of(
        "x *out_backprop ~filter_size", "The gradient of `Conv3D` by its weight.", _conv3d, out_channel=(int, ...),
        kernel_size=(Any, ...), mode=(int, 1), pad_mode=(str, "valid"), pad=(Any, 0), stride=(Any, _N5),
        dilation=(Any, _N5), group=(int, 1), data_format=(str, "NCDHW"),
    ),
    "AvgPoolGrad": _of(
        "~x out *dout", "The gradient of `AvgPool` by x, of which only the shape counts.",
        lambda x, g: AvgPool(g.kernel_size, g.strides, g.pad_mode, g.data_format)(x),
        **_POOL, data_format=(str, "NCHW"),
    ),
    "AvgPool3DGrad": _of(
        "~origin_input_shape *grads", "The gradient of `AvgPool3D` by x.", _average3d, kernel_size=(Any, 1),
        strides=(Any, 1), pads=(Any, 0), ceil_mode=(Bool, False), count_include_pad=(Bool, True),
        divisor_override=(int, 0), data_format=(str, "NCDHW"), pad_mode=(str, "pad"),
    ),
    "AdaptiveAvgPool2DGrad": _of(
        "*input_grad ~orig_input_shape", "The gradient of `AdaptiveAvgPool2D` by x.",
        lambda x, g: kernels.adaptive_avg_pool2d(x, tuple(g.input_grad.shape[-2:])),
    ),
    "AdaptiveAvgPool3DGrad": _of(
        "*y_grad ~orig_input_shape", "The gradient of `AdaptiveAvgPool3D` by x.",
        lambda x, g: kernels.adaptive_avg_pool3d(x, tuple(g.y_grad.shape[-3:])),
    ),
    "MaxPoolGrad": _of(
        "@x_origin out_origin *grad", "The gradient of `MaxPool` by x.", _maxima(MaxPool, 2),
        **_POOL, data_format=(str, "NCHW"),
    ),
    "MaxPool3DGrad": _of(
        "@x_origin out_origin *grad", "The gradient of `MaxPool3D` by x.", _maxima(MaxPool3D, 3),
        **_POOL3D, pad_list=(Any, 0), data_format=(str, "NCDHW"),
    ),
    "MaxPoolGradGrad": _of_maxima(_maxima(MaxPool, 2), **_POOL),
    "MaxPool3DGradGrad": _of_maxima(_maxima(MaxPool3D, 3), **_POOL3D, data_format=(str, "NCDHW")),
    "MaxPoolGradWithArgmax": _put(
        "MaxPoolGradWithArgmax", "@x_origin *grad argmax", 1, **_POOL, data_format=(str, "NCHW")
    ),
    "MaxPoolGradWithArgmaxV2": _put(
        "MaxPoolGradWithArgmaxV2", "@x *grad argmax", 2, kernel_size=(Any, ...), strides=(Any, None), pads=(Any, 0),
        dilation=(Any, (1, 1)), ceil_mode=(Bool, False), argmax_type=(Any, torch.int64),
    ),
    "MaxPool3DGradWithArgmax": _put(
        "MaxPool3DGradWithArgmax", "@x *grads argmax", 2, ksize=(Any, ...), strides=(Any, ...), pads=(Any, ...),
        dilation=(Any, (1, 1, 1)), ceil_mode=(Bool, False), data_format=(str, "NCDHW"),
    ),
    "AdaptiveMaxPool2DGrad": _put("AdaptiveMaxPool2DGrad", "*y_grad @x argmax", -2),
    "AdaptiveMaxPool3DGrad": _put("AdaptiveMaxPool3DGrad", "*input_grad @x argmax", -3),
    "FractionalMaxPool3DGradWithFixedKsize": _put(
        "FractionalMaxPool3DGradWithFixedKsize", "@origin_input *out_backprop argmax", -3,
        data_format=(Literal["NCDHW", "NDHWC"], "NCDHW"),
    ),
    "MaxPoolGradGradWithArgmax": _taken("MaxPoolGradGradWithArgmax", 1, **_POOL),
    "MaxUnpool2DGrad": _taken(
        "MaxUnpool2DGrad", -2, ksize=(Any, ...), strides=(Any, 0), pads=(Any, 0), output_shape=(Any, ()),
        data_format=(Literal["NCHW"], "NCHW"),
    ),
    "FractionalMaxPoolGrad": row(
        _named(
            "orig_input orig_output out_backprop row_pooling_sequence col_pooling_sequence", _FRACTIONAL,
            _fractional_max,
        ),
        "The gradient of `FractionalMaxPool` by x (N, H, W, C), with the borders of the windows that it gave.",
        **_FRACTIONAL,
    ),
    "FractionalAvgPoolGrad": _of(
        "~orig_input_tensor_shape *out_backprop row_pooling_sequence col_pooling_sequence",
        "The gradient of `FractionalAvgPool` by x (N, H, W, C), with the borders of the windows that it gave.",
        _fractional(lambda part: torch.mean(part, 1)), **_FRACTIONAL,
    ),
}  # fmt: skip

_CLASSES = declared(_TABLE, __name__)
globals().update(_CLASSES)
__all__ = [*_CLASSES]
