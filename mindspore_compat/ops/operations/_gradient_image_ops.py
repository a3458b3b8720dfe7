"""Gradients of resizing, sampling and regions as operators. Parts of ``mindspore.ops.operations._grad_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, check_tensors, to_dtype
from mindspore_compat.ops._declare import Bool, Int, primitive
from mindspore_compat.ops.operations._gradient_ops import adjoint, as_torch, check_kind, derivatives
from mindspore_compat.ops.operations._rare_ops import PSROIPooling
from mindspore_compat.ops.operations.image_ops import resized
from mindspore_compat.ops.operations.nn_ops import DeformableOffsets

__all__ = """
    AffineGridGrad DeformableOffsetsGrad GridSampler2DGrad GridSampler3DGrad PSROIPoolingGrad ROIAlignGrad
    ResizeBicubicGrad ResizeBilinearGrad ResizeLinear1DGrad ResizeNearestNeighborGrad ResizeNearestNeighborV2Grad
    ResizeV2Grad
""".split()

_Run = Callable[..., Any]
_Padding = Literal["zeros", "border", "reflection"]


def check_rank(owner: str, rank: int, **given: Any) -> None:
    """ValueError unless the tensors have ``rank`` axes."""
    check_tensors(owner, **given)
    for name, x in given.items():
        if x.dim() != rank:
            raise ValueError(
                f"For '{owner}', '{name}' must be a {rank}-dimensional tensor, but got {x.dim()}-dimensional tensor."
            )


# --- sampling at places -----------------------------------------------------------------------------------------------


def _sampled(owner: str, rank: int, mode: str, padding: str, align_corners: bool) -> _Run:
    def run(grad: Any, input_x: Any, grid: Any) -> Any:
        check_rank(owner, rank, grad=grad, input_x=input_x, grid=grid)
        return derivatives(
            lambda x, grid: F.grid_sample(wrap(x), wrap(grid), mode, padding, align_corners), (input_x, grid), grad
        )

    return run


@primitive
def GridSampler2DGrad(
    interpolation_mode: Literal["bilinear", "nearest", "bicubic"] = "bilinear",
    padding_mode: _Padding = "zeros",
    align_corners: Bool = False,
    output_mask: Any = (1, 1),
) -> _Run:
    """(by the images, by the grid) of `GridSampler2D`; both are always given, as on upstream's CPU."""
    return _sampled("GridSampler2DGrad", 4, interpolation_mode, padding_mode, align_corners)


@primitive
def GridSampler3DGrad(
    interpolation_mode: Literal["bilinear", "nearest"] = "bilinear",
    padding_mode: _Padding = "zeros",
    align_corners: Bool = False,
    output_mask: Any = (1, 1),
) -> _Run:
    """(by the volumes, by the grid) of `GridSampler3D`; both are always given, as on upstream's CPU."""
    return _sampled("GridSampler3DGrad", 5, interpolation_mode, padding_mode, align_corners)


@primitive
def AffineGridGrad(align_corners: Bool = False) -> _Run:
    """The gradient of `AffineGrid` by the transforms (n, 2, 3) or (n, 3, 4), for pictures of ``x_size``."""

    def run(y_grad: Any, x_size: Any) -> Any:
        size = as_ints(x_size)
        axes = len(size) - 2
        return adjoint(lambda theta: F.affine_grid(theta, size, align_corners), (size[0], axes, axes + 1), y_grad)

    return run


@primitive
def DeformableOffsetsGrad(
    strides: Any,
    pads: Any,
    kernel_size: Any,
    dilations: Any = (1, 1, 1, 1),
    data_format: Literal["NCHW", "NHWC"] = "NCHW",
    deformable_groups: Int = 1,
    modulated: Bool = True,
) -> _Run:
    """(by x, by the offsets) of `DeformableOffsets`; offsets of fewer places than x has stand for its first ones."""
    is_last = data_format == "NHWC"
    kernel, edges = as_ints(kernel_size), as_ints(pads)
    steps, spread = (as_ints(given)[1:3] if is_last else as_ints(given)[2:] for given in (strides, dilations))
    forward = DeformableOffsets(
        (1, 1, *steps), pads, kernel_size, (1, 1, *spread), "NCHW", deformable_groups, modulated
    )

    def taps(x: Any, moves: Any) -> Any:
        x, moves = (torch.permute(item, (0, 3, 1, 2)) if is_last else item for item in (x, moves))
        sizes = [
            (x.shape[axis + 2] + edges[2 * axis] + edges[2 * axis + 1] - spread[axis] * (kernel[axis] - 1) - 1)
            // steps[axis]
            + 1
            for axis in (0, 1)
        ]
        rows, columns = moves.shape[2:]
        moves = torch.nn.functional.pad(moves, (0, sizes[1] - columns, 0, sizes[0] - rows))
        found = as_torch(forward(wrap(x), wrap(moves)))[:, :, : rows * kernel[0], : columns * kernel[1]]
        return torch.permute(found, (0, 2, 3, 1)) if is_last else found

    def run(out_backprop: Any, input: Any, offsets: Any) -> Any:
        wide = torch.promote_types(input.dtype, torch.float32)  # places and weights of 16 bits would be rounded
        found = derivatives(taps, (to_dtype(input, wide), to_dtype(offsets, wide)), to_dtype(out_backprop, wide))
        return wrap(tuple(to_dtype(item, input.dtype) for item in found))

    return run


# --- resizing ---------------------------------------------------------------------------------------------------------


def _check_flags(owner: str, align_corners: bool, half_pixel_centers: bool) -> None:
    if align_corners and half_pixel_centers:
        raise ValueError(
            f"For {owner}, the half_pixel_centers must be false when align_corners is true, but half_pixel_centers got "
            "True."
        )


def _by_size(owner: str, align_corners: bool, half_pixel_centers: bool, kinds: str) -> _Run:
    """The gradient (N, C, H, W) of nearest neighbours, of pictures of ``size``."""

    def run(grads: Any, size: Any) -> Any:
        check_rank(owner, 4, grads=grads)
        check_kind(owner, "grads", grads, kinds)
        height_width = as_ints(size)
        if len(height_width) != 2:
            raise ValueError(f"For '{owner}', the dimension of size should equal to 2 but got {len(height_width)}.")
        target = tuple(grads.shape[2:])
        return adjoint(
            lambda x: F.resize_nearest(x, target, align_corners, half_pixel_centers),
            (*grads.shape[:2], *height_width),
            grads,
        )

    return run


@primitive
def ResizeNearestNeighborGrad(align_corners: Bool = False, half_pixel_centers: Bool = False) -> _Run:
    """The gradient of `ResizeNearestNeighbor` by pictures whose height and width are ``size``, a tuple;
    ``half_pixel_centers`` is not read, as on upstream's CPU.
    """
    owner = "ResizeNearestNeighborGrad"
    run = _by_size(owner, align_corners, False, "fi")

    def checked(grads: Any, size: Any) -> Any:
        if isinstance(size, torch.Tensor):
            raise TypeError(f"For '{owner}', the 'size' must be a tuple or list of ints, but got a Tensor.")
        return run(grads, size)

    return checked


@primitive
def ResizeNearestNeighborV2Grad(align_corners: Bool = False, half_pixel_centers: Bool = False) -> _Run:
    """The gradient of `ResizeNearestNeighborV2` by pictures whose height and width are ``size``."""
    owner = "ResizeNearestNeighborV2Grad"
    run = _by_size(owner, align_corners, half_pixel_centers, "f")

    def checked(grads: Any, size: Any) -> Any:
        _check_flags(owner, align_corners, half_pixel_centers)
        return run(grads, size)

    return checked


def _by_image(owner: str, rank: int, resize: _Run, align_corners: bool, half_pixel_centers: bool) -> _Run:
    """The gradient of a resizing, of pictures with the shape and dtype of the second input."""

    def run(grads: Any, image: Any) -> Any:
        check_rank(owner, rank, grads=grads, image=image)
        check_kind(owner, "grads", grads, "f")
        target = tuple(grads.shape[2:])
        return adjoint(lambda x: resize(x, target, align_corners, half_pixel_centers), tuple(image.shape), grads)

    return run


@primitive
def ResizeBilinearGrad(align_corners: Bool = False, half_pixel_centers: Bool = False) -> _Run:
    """The gradient of `ResizeBilinearV2` by ``image`` (N, C, H, W), of which only the shape counts."""
    return _by_image("ResizeBilinearGrad", 4, F.resize_linear, align_corners, half_pixel_centers)


@primitive
def ResizeBicubicGrad(align_corners: Bool = False, half_pixel_centers: Bool = False) -> _Run:
    """The gradient of `ResizeBicubic` by ``image`` (N, C, H, W), of which only the shape counts."""
    return _by_image("ResizeBicubicGrad", 4, F.resize_cubic, align_corners, half_pixel_centers)


@primitive
def ResizeLinear1DGrad(
    coordinate_transformation_mode: Literal["align_corners", "half_pixel"] = "align_corners",
) -> _Run:
    """The gradient of `ResizeLinear1D` by ``x`` (N, C, W), of which only the shape counts."""
    aligned = coordinate_transformation_mode == "align_corners"
    run = _by_image("ResizeLinear1DGrad", 3, F.resize_linear, aligned, not aligned)
    return lambda grads, x: run(grads, x)


@primitive
def ResizeV2Grad(
    coordinate_transformation_mode: Literal["align_corners", "half_pixel"] = "half_pixel",
    mode: Literal["nearest", "linear", "cubic"] = "nearest",
) -> _Run:
    """The gradient of `ResizeV2` by pictures of the shape ``original_size``."""
    aligned = coordinate_transformation_mode == "align_corners"

    def run(grads: Any, roi: Any, scales: Any, original_size: Any) -> Any:
        check_rank("ResizeV2Grad", 4, grads=grads)
        size, target = as_ints(original_size), tuple(grads.shape)
        return adjoint(lambda x: resized("ResizeV2Grad", x, target, aligned, mode), size, grads)

    return run


# --- regions ----------------------------------------------------------------------------------------------------------


@primitive
def ROIAlignGrad(pooled_height: Int, pooled_width: Int, spatial_scale: float, sample_num: Int = 2) -> _Run:
    """The gradient of `ROIAlign` by pictures of the shape ``xdiff_shape``."""

    def run(dy: Any, rois: Any, xdiff_shape: Any) -> Any:
        return adjoint(
            lambda x: F.roi_align(x, rois, pooled_height, pooled_width, spatial_scale, sample_num),
            as_ints(xdiff_shape),
            dy,
        )

    return run


@primitive
def PSROIPoolingGrad(input_size: Any, spatial_scale: float, group_size: Int, output_dim: Int) -> _Run:
    """The gradient of `PSROIPooling` by pictures whose height and width are ``input_size``; ``x`` is its result's."""
    forward, size = PSROIPooling(spatial_scale, group_size, output_dim), as_ints(input_size)

    def run(x: Any, rois: Any) -> Any:
        return adjoint(
            lambda maps: forward(maps, rois), (rois.shape[0], group_size * group_size * output_dim, *size), x
        )

    return run
