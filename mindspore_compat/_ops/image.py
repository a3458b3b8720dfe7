"""Images: resizing, colours, boxes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.former_names import or_older_meaning
from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.autocast import cast_here
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import as_ints, as_plain, to_dtype
from mindspore_compat._ops.conv import sizes_of
from mindspore_compat._ops.declare import Bool, Int, Typed, classes, functions, op, primitive, primitive_class
from mindspore_compat._ops.random import generator_of
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.seed import joined_stream

_Run = Callable[..., Any]


tf: Any = torch.nn.functional  # its overloads do not know a bool that is only known at run time


def _sources(length: int, size: int, align_corners: bool, half_pixel: bool, device: Any) -> torch.Tensor:
    """Return the place in the input of each output element of an axis."""
    places = torch.arange(size, dtype=torch.float32, device=device)
    if align_corners and size > 1:
        return places * ((length - 1) / (size - 1))
    scale = length / size
    return torch.clamp((places + 0.5) * scale - 0.5, min=0) if half_pixel else places * scale


@with_dtype_fallback
def resize_linear(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Return the linear interpolation of the last axes to ``size``; without both flags, output i lies at i · length /
    size.
    """
    x, size = cast_here(x), as_ints(size)
    if align_corners or half_pixel_centers:
        mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[len(size)]
        return wrap(kernels.interpolate(x, size, mode=mode, align_corners=align_corners))
    for axis, target in enumerate(size, x.dim() - len(size)):
        length = x.shape[axis]
        if target == length:
            continue
        places = _sources(length, target, False, False, x.device)
        low = torch.clamp(places.to(torch.int64), max=length - 1)
        high = torch.clamp(low + 1, max=length - 1)
        weight = torch.reshape((places - low).to(x.dtype), (-1, *(1,) * (x.dim() - axis - 1)))
        below, above = torch.index_select(x, axis, low), torch.index_select(x, axis, high)
        x = below + (above - below) * weight
    return wrap(x)


ResizeBilinearV2 = primitive_class(
    "ResizeBilinearV2",
    resize_linear,
    "(N, C, H, W) resized by linear interpolation.",
    align_corners=(bool, False),
    half_pixel_centers=(bool, False),
    inputs="image size",
    settable=True,
)


@with_dtype_fallback
def resize_nearest(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Return the nearest input element for each output element of the last axes."""
    size = as_ints(size)
    if not align_corners:
        return wrap(kernels.interpolate(x, size, mode="nearest-exact" if half_pixel_centers else "nearest"))
    for axis, target in enumerate(size, x.dim() - len(size)):
        places = torch.floor(_sources(x.shape[axis], target, True, False, x.device) + 0.5).to(torch.int64)
        x = torch.index_select(x, axis, torch.clamp(places, max=x.shape[axis] - 1))
    return wrap(x)


ResizeNearestNeighborV2 = primitive_class(
    "ResizeNearestNeighborV2",
    resize_nearest,
    "(N, C, H, W) resized by nearest neighbours.",
    align_corners=(bool, False),
    half_pixel_centers=(bool, False),
    inputs="image size",
    settable=True,
)


def _cubic(distance: torch.Tensor, a: float) -> torch.Tensor:
    """Return Keys' cubic kernel."""
    d = torch.abs(distance)
    near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((d - 5) * d + 8) * d * a - 4 * a
    return torch.where(d < 1, near, torch.where(d < 2, far, torch.zeros_like(d)))


@with_dtype_fallback
@kernels.as_given
def resize_cubic(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Return the cubic interpolation of the last two axes, with MindSpore's two kernels.

    Half-pixel centers use a = -0.5 and leave out what lies outside; the other placements a = -0.75 and repeat the
    border.
    """
    a = -0.5 if half_pixel_centers else -0.75
    for axis, target in enumerate(as_ints(size), x.dim() - 2):
        length = x.shape[axis]
        steps = torch.arange(target, dtype=torch.float64, device=x.device)
        if align_corners:
            places = steps * ((length - 1) / max(target - 1, 1))
        else:
            places = (steps + 0.5) * (length / target) - 0.5 if half_pixel_centers else steps * (length / target)
        taps = torch.unsqueeze(torch.floor(places), 1) + torch.arange(-1, 3, device=x.device)
        weights = _cubic(torch.unsqueeze(places, 1) - taps, a)
        if half_pixel_centers:
            weights = weights * ((taps >= 0) & (taps < length))
            weights = weights / torch.sum(weights, 1, True)
        matrix = torch.zeros((target, length), dtype=torch.float64, device=x.device)
        matrix = torch.scatter_add(matrix, 1, torch.clamp(taps, 0, length - 1).to(torch.int64), weights)
        x = torch.movedim(kernels.tensordot(x, to_dtype(matrix, x.dtype), ([axis], [1])), -1, axis)
    return wrap(x)


ResizeBicubic = primitive_class(
    "ResizeBicubic",
    resize_cubic,
    "(N, C, H, W) resized by cubic interpolation.",
    align_corners=(bool, False),
    half_pixel_centers=(bool, False),
    inputs="image size",
    settable=True,
)


_MODES = ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area")


def interpolate_before_2_0(
    x: Any,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    coordinate_transformation_mode: str = "align_corners",
    mode: str = "linear",
) -> Any:
    """Run `interpolate` of MindSpore 1.9."""
    return _interpolate_1x(x, sizes, scales, coordinate_transformation_mode, mode)


@op(hidden="roi sizes scales coordinate_transformation_mode", formerly="x=input")
@or_older_meaning(interpolate_before_2_0, 4, str)
@or_older_meaning(interpolate_before_2_0, 3, (tuple, list))
def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    *,
    roi: None = None,
    sizes: Any = None,
    scales: Any = None,
    coordinate_transformation_mode: str | None = None,
) -> Any:
    """Return the last axes resized to ``size`` or by ``scale_factor``.

    ``roi`` (never used), ``sizes``, ``scales`` and ``coordinate_transformation_mode`` ("align_corners", "half_pixel",
    "asymmetric") are the form of 1.x.
    """
    if sizes is not None or scales is not None or coordinate_transformation_mode is not None:
        return _interpolate_1x(
            input, sizes if size is None else size, scales, coordinate_transformation_mode or "align_corners", mode
        )
    if size is not None:
        count = input.dim() - 2
        size = sizes_of(size, count)
    elif mode != "area" and recompute_scale_factor is not False:
        factors = (scale_factor,) * (input.dim() - 2) if isinstance(scale_factor, (int, float)) else tuple(scale_factor)
        size = tuple(int(length * factor) for length, factor in zip(tuple(input.shape)[2:], factors))
        scale_factor = recompute_scale_factor = None
    if mode == "bicubic" and size is not None:
        return resize_cubic(input, size, bool(align_corners), not align_corners)
    return wrap(kernels.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor))


def _interpolate_1x(x: Any, sizes: Any, scales: Any, transformation: str, mode: str) -> Any:
    size = (
        as_ints(sizes)[-(x.dim() - 2) :]
        if sizes is not None
        else tuple(int(length * factor) for length, factor in zip(tuple(x.shape), scales))[2:]
    )
    check_one_of(
        transformation, "coordinate_transformation_mode", ("align_corners", "half_pixel", "asymmetric"), "interpolate"
    )
    check_one_of(mode, "mode", ("linear", "bilinear"), "interpolate")
    return resize_linear(x, size, transformation == "align_corners", transformation == "half_pixel")


@op
def upsample(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """Return the same as `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


@op(hidden="interpolation_mode", formerly="input_x=input")
def grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
    *,
    interpolation_mode: str | None = None,
) -> Any:
    """Return ``input`` at the places of ``grid`` in [-1, 1]; ``interpolation_mode`` is the name of 1.x."""
    if padding_mode in ("border", "reflection"):  # torch's kernels read anywhere for nan, which shall mean -1
        grid = torch.where(torch.isnan(grid), -1, grid)
    return wrap(tf.grid_sample(input, grid, interpolation_mode or mode, padding_mode, bool(align_corners)))


@op(formerly="output_size=size")
def affine_grid(theta: Any, size: Any, align_corners: bool = False) -> Any:
    """Return the grid of affine transforms for `grid_sample`."""
    return wrap(kernels.affine_grid(theta, list(as_ints(size)), align_corners))


AffineGrid = primitive_class(
    "AffineGrid", affine_grid, "The grid of affine transforms.", align_corners=(bool, False), inputs="theta output_size"
)


def _images(index: torch.Tensor, count: int) -> torch.Tensor:
    """Return ``index`` as int64, with numbers that are none of ``count`` images moved beyond the last, so that indexing
    refuses them: a negative one does not count from the end.
    """
    return torch.where((index >= 0) & (index <= count - 1), torch.floor(index + 0.5), count).long()


def _parts(boxes: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return (center x, center y, width, height) of (..., 4) corner boxes whose corners are pixels inside."""
    x1, y1, x2, y2 = torch.unbind(boxes.float(), -1)
    return (x1 + x2) * 0.5, (y1 + y2) * 0.5, x2 - x1 + 1, y2 - y1 + 1


@op
def bounding_box_encode(
    anchor_box: Any, groundtruth_box: Any, means: Any = (0.0, 0.0, 0.0, 0.0), stds: Any = (1.0, 1.0, 1.0, 1.0)
) -> Any:
    """Return offsets (dx, dy, dw, dh) from anchors (n, 4) to boxes (n, 4), normalized."""
    px, py, pw, ph = _parts(anchor_box)
    gx, gy, gw, gh = _parts(groundtruth_box)
    deltas = torch.stack(((gx - px) / pw, (gy - py) / ph, torch.log(gw / pw), torch.log(gh / ph)), -1)
    means, stds = (constant(item, deltas.device, deltas.dtype) for item in (means, stds))
    return wrap(to_dtype((deltas - means) / stds, anchor_box.dtype))


BoundingBoxEncode = primitive_class(
    "BoundingBoxEncode",
    bounding_box_encode,
    "Offsets from anchors to boxes.",
    means=(Any, (0.0, 0.0, 0.0, 0.0)),
    stds=(Any, (1.0, 1.0, 1.0, 1.0)),
)


@op
def bounding_box_decode(
    anchor_box: Any,
    deltas: Any,
    max_shape: Any,
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Any:
    """Return boxes (n, 4) from anchors and offsets, cut to the image (height, width)."""
    means, stds = (constant(item, deltas.device, torch.float32) for item in (means, stds))
    dx, dy, dw, dh = torch.unbind(deltas.float() * stds + means, -1)
    limit = abs(math.log(wh_ratio_clip))
    px, py, pw, ph = _parts(anchor_box)
    gw, gh = (
        pw * torch.exp(subgradients.clamp(dw, -limit, limit)),
        ph * torch.exp(subgradients.clamp(dh, -limit, limit)),
    )
    gx, gy = px + pw * dx, py + ph * dy
    height, width = as_ints(max_shape)[:2]
    boxes = torch.stack(
        (
            subgradients.clamp(gx - gw * 0.5 + 0.5, 0, width),
            subgradients.clamp(gy - gh * 0.5 + 0.5, 0, height),
            subgradients.clamp(gx + gw * 0.5 - 0.5, 0, width),
            subgradients.clamp(gy + gh * 0.5 - 0.5, 0, height),
        ),
        -1,
    )
    return wrap(to_dtype(boxes, anchor_box.dtype))


BoundingBoxDecode = primitive_class(
    "BoundingBoxDecode",
    bounding_box_decode,
    "Boxes from anchors and offsets.",
    max_shape=(Any, ...),
    means=(Any, (0.0, 0.0, 0.0, 0.0)),
    stds=(Any, (1.0, 1.0, 1.0, 1.0)),
    wh_ratio_clip=(float, 0.016),
)


@op
def check_valid(bboxes: Any, img_metas: Any) -> Any:
    """Return whether each box lies inside the image; ``img_metas`` is (height, width, ratio)."""
    height, width, ratio = torch.unbind(as_plain(img_metas).float())
    x1, y1, x2, y2 = torch.unbind(bboxes.float(), -1)
    return wrap((x1 >= 0) & (y1 >= 0) & (x2 <= width * ratio - 1) & (y2 <= height * ratio - 1))


CheckValid = primitive_class("CheckValid", check_valid)


@op
def iou(anchor_boxes: Any, gt_boxes: Any, mode: str = "iou") -> Any:
    """Return (m, n) overlaps of m boxes with n anchors, by the union ("iou") or by the box ("iof"). As in MindSpore, no
    gradient flows through it, and float16 boxes are computed in float16: areas beyond 65504 are inf, and the overlaps
    of boxes without an area are nan.

    Raises:
        KeyError: for another mode, as in MindSpore.
    """
    if mode not in ("iou", "iof"):
        raise KeyError(f"For 'IOU', the 'mode' must be 'iou' or 'iof', but got {mode!r}.")
    if anchor_boxes.dim() != 2 or gt_boxes.dim() != 2:
        raise ValueError(f"For 'IOU', boxes must be (n, 4), but got {anchor_boxes.shape} and {gt_boxes.shape}.")
    a, g = torch.unsqueeze(as_plain(anchor_boxes).detach(), 0), torch.unsqueeze(as_plain(gt_boxes).detach(), 1)
    low, high = torch.maximum(a[..., :2], g[..., :2]), torch.minimum(a[..., 2:], g[..., 2:])
    overlap = _area(subgradients.clamp(high - low + 1, min=0))
    area_a, area_g = (_area(item[..., 2:] - item[..., :2] + 1) for item in (a, g))
    whole = area_a + area_g - overlap if mode == "iou" else torch.Tensor.expand(area_g, overlap.shape)
    return wrap(to_dtype(overlap / (whole + 1e-10), anchor_boxes.dtype))


def _area(size: torch.Tensor) -> torch.Tensor:
    return size[..., 0] * size[..., 1]


@with_dtype_fallback
def nms_with_mask(bboxes: Any, iou_threshold: float = 0.5) -> Any:
    """Return (boxes (n, 5) by falling score, int32 indices, mask of those that overlap no better one too much)."""
    order = torch.argsort(bboxes[:, 4], descending=True, stable=True)
    boxes = bboxes[order]
    corners = boxes[:, :4].float()
    low = torch.maximum(torch.unsqueeze(corners[:, :2], 1), torch.unsqueeze(corners[:, :2], 0))
    high = torch.minimum(torch.unsqueeze(corners[:, 2:], 1), torch.unsqueeze(corners[:, 2:], 0))
    overlap = kernels.prod(subgradients.clamp(high - low, min=0), -1)
    area = kernels.prod(corners[:, 2:] - corners[:, :2], -1)
    close = (overlap / (torch.unsqueeze(area, 1) + torch.unsqueeze(area, 0) - overlap) > iou_threshold).cpu().numpy()
    keep = torch.ones(boxes.shape[0], dtype=torch.bool).numpy()
    for i in range(len(keep)):
        if keep[i]:
            keep[i + 1 :] &= ~close[i, i + 1 :]
    index = torch.arange(boxes.shape[0], dtype=torch.int32, device=bboxes.device)
    return wrap(boxes), wrap(index), wrap(torch.from_numpy(keep).to(bboxes.device))


NMSWithMask = primitive_class(
    "NMSWithMask", nms_with_mask, "(boxes by falling score, index, mask of those kept).", iou_threshold=(float, 0.5)
)


def _bilinear(image: torch.Tensor, batch: torch.Tensor, y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return values (points, C) of (N, C, H, W) images at fractional places inside; the lower neighbours are floors."""
    height, width = image.shape[-2:]
    y0, x0 = torch.clamp(torch.floor(y).long(), 0, height - 1), torch.clamp(torch.floor(x).long(), 0, width - 1)
    y1, x1 = torch.clamp(y0 + 1, max=height - 1), torch.clamp(x0 + 1, max=width - 1)
    wy, wx = torch.unsqueeze(y - y0, -1).to(image.dtype), torch.unsqueeze(x - x0, -1).to(image.dtype)
    top = image[batch, :, y0, x0] * (1 - wx) + image[batch, :, y0, x1] * wx
    bottom = image[batch, :, y1, x0] * (1 - wx) + image[batch, :, y1, x1] * wx
    return top * (1 - wy) + bottom * wy


@with_dtype_fallback
def roi_align(
    features: Any,
    rois: Any,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sample_num: int = 2,
    roi_end_mode: int = 1,
) -> Any:
    """Return (k, C, pooled_height, pooled_width) means of bilinear samples in the cells of regions (k, 5): (image, x1,
    y1, x2, y2), which have no gradient. The image is the nearest integer.

    Args:
        sample_num: samples along each side of a cell; where it is not positive, as many as whole pixels are in the
            side. As in MindSpore, a cell smaller than a pixel is then nan.
        roi_end_mode: 0 for regions up to (x2, y2), of at least a pixel; 1 for regions that end one pixel later, where
            x2 < x1 - 1 is sampled backwards.

    Raises:
        RuntimeError: for an image that there is not.
    """
    features = wrap(features)
    height, width = features.shape[-2:]
    image, x1, y1, x2, y2 = torch.unbind(rois.detach().float(), 1)
    batch = _images(image, features.shape[0])
    x1, y1 = x1 * spatial_scale, y1 * spatial_scale
    x2, y2 = (x2 + roi_end_mode) * spatial_scale, (y2 + roi_end_mode) * spatial_scale
    sides = y2 - y1, x2 - x1
    if not roi_end_mode:
        sides = tuple(subgradients.clamp(side, min=1.0) for side in sides)
    bin_h, bin_w = sides[0] / pooled_height, sides[1] / pooled_width
    outputs = []
    for k in range(rois.shape[0]):
        whole_h, whole_w = (sample_num if sample_num > 0 else math.floor(float(side[k])) for side in (bin_h, bin_w))
        count_h, count_w = max(whole_h, 0), max(whole_w, 0)
        ys = y1[k] + bin_h[k] * (torch.arange(pooled_height * count_h, device=rois.device) + 0.5) / max(count_h, 1)
        xs = x1[k] + bin_w[k] * (torch.arange(pooled_width * count_w, device=rois.device) + 0.5) / max(count_w, 1)
        grid_y, grid_x = torch.meshgrid(ys, xs, indexing="ij")
        inside = (grid_y >= -1) & (grid_y <= height) & (grid_x >= -1) & (grid_x <= width)
        places_y, places_x = torch.clamp(grid_y, 0, height - 1), torch.clamp(grid_x, 0, width - 1)
        where = torch.Tensor.expand(batch[k], places_y.shape)
        samples = _bilinear(features, where, places_y, places_x) * torch.unsqueeze(inside, -1)
        samples = torch.reshape(samples, (pooled_height, count_h, pooled_width, count_w, features.shape[1]))
        total, count = torch.sum(samples, (1, 3)), whole_h * whole_w
        outputs.append(torch.permute(total / count if count else total + math.nan, (2, 0, 1)))
    if not outputs:
        return wrap(
            torch.zeros(
                (0, features.shape[1], pooled_height, pooled_width), dtype=features.dtype, device=features.device
            )
        )
    return wrap(torch.stack(outputs))


ROIAlign = primitive_class(
    "ROIAlign",
    roi_align,
    "Means of bilinear samples in the cells of regions.",
    pooled_height=(int, ...),
    pooled_width=(int, ...),
    spatial_scale=(float, ...),
    sample_num=(int, 2),
    roi_end_mode=(int, 1),
)


@op
def crop_and_resize(
    image: Any, boxes: Any, box_indices: Any, crop_size: Any, method: str = "bilinear", extrapolation_value: float = 0.0
) -> Any:
    """Return regions of (N, H, W, C) images, resized to ``crop_size``; boxes are (y1, x1, y2, x2) in [0, 1].

    Raises:
        ValueError: for a method other than "bilinear", "nearest" and "bilinear_v2", and an index that no image has.
    """
    check_one_of(method, "method", ("bilinear", "nearest", "bilinear_v2"), "crop_and_resize")
    if box_indices.shape != boxes.shape[:1]:
        raise ValueError(f"For 'crop_and_resize', {len(boxes)} boxes need as many indices, but got {len(box_indices)}.")
    height, width = image.shape[1:3]
    rows, cols = as_ints(crop_size)
    y1, x1, y2, x2 = torch.unbind(boxes.float(), -1)

    def places(low: torch.Tensor, high: torch.Tensor, length: int, count: int) -> torch.Tensor:
        steps = torch.arange(count, dtype=torch.float32, device=image.device)
        if method == "bilinear_v2":
            start, end = torch.trunc(torch.unsqueeze(low * length, 1)), torch.trunc(torch.unsqueeze(high * length, 1))
            extent = torch.clamp(end - start + 1, min=1)
            inner = torch.clamp((steps + 0.5) * extent / count - 0.5, min=0)
            return start + torch.minimum(inner, extent - 1)  # nothing beside the box is read
        if count == 1:
            return torch.unsqueeze(0.5 * (low + high) * (length - 1), 1)
        return torch.unsqueeze(low * (length - 1), 1) + steps * torch.unsqueeze(
            (high - low) * (length - 1) / (count - 1), 1
        )

    ys, xs = places(y1, y2, height, rows), places(x1, x2, width, cols)
    grid_y, grid_x = torch.broadcast_tensors(torch.unsqueeze(ys, 2), torch.unsqueeze(xs, 1))
    inside = (grid_y >= 0) & (grid_y <= height - 1) & (grid_x >= 0) & (grid_x <= width - 1)
    if method == "bilinear_v2":
        inside = torch.ones_like(inside)
    batch = torch.Tensor.expand(torch.reshape(_images(box_indices, image.shape[0]), (-1, 1, 1)), grid_y.shape)
    grid_y, grid_x = torch.clamp(grid_y, 0, height - 1), torch.clamp(grid_x, 0, width - 1)
    if method == "nearest":
        found = image[batch, torch.floor(grid_y + 0.5).long(), torch.floor(grid_x + 0.5).long()].float()
    else:
        found = _bilinear(torch.permute(image.float(), (0, 3, 1, 2)), batch, grid_y, grid_x)
    return wrap(
        torch.where(torch.unsqueeze(inside, -1), found, torch.full((), extrapolation_value, device=image.device))
    )


CropAndResize = primitive_class(
    "CropAndResize",
    crop_and_resize,
    "Regions of (N, H, W, C) images, resized.",
    method=(Literal["bilinear", "nearest", "bilinear_v2"], "bilinear"),
    extrapolation_value=(float, 0.0),
    inputs="x boxes box_index crop_size",
)


@with_dtype_fallback
def ps_roi_pooling(
    features: Any,
    rois: Any,
    pooled_height: int,
    pooled_width: int,
    num_rois: int,
    spatial_scale: float,
    out_dim: int,
    group_size: int,
) -> Any:
    """Return (features pooled by position-sensitive regions, index of the channel each came from)."""
    height, width = features.shape[-2:]
    rois = torch.reshape(rois, (-1, 5))
    result = torch.zeros(
        (rois.shape[0], out_dim, pooled_height, pooled_width), dtype=features.dtype, device=features.device
    )
    channels = torch.zeros_like(result, dtype=torch.int32)
    cells = []
    moved = rois.float() + constant([0, 0, 0, 1, 1], rois.device)  # halves are rounded away from 0
    for k, (image, x1, y1, x2, y2) in enumerate((torch.sign(moved) * torch.floor(torch.abs(moved) + 0.5)).tolist()):
        left, top = x1 * spatial_scale, y1 * spatial_scale
        bin_w = max(x2 * spatial_scale - left, 0.1) / pooled_width
        bin_h = max(y2 * spatial_scale - top, 0.1) / pooled_height
        for row in range(pooled_height):
            h0, h1 = (
                min(max(f, 0), height) for f in (math.floor(row * bin_h + top), math.ceil((row + 1) * bin_h + top))
            )
            for col in range(pooled_width):
                w0, w1 = (
                    min(max(f, 0), width) for f in (math.floor(col * bin_w + left), math.ceil((col + 1) * bin_w + left))
                )
                group = min(row * group_size // pooled_height, group_size - 1) * group_size + min(
                    col * group_size // pooled_width, group_size - 1
                )
                planes = torch.arange(out_dim, device=features.device) * group_size * group_size + group
                channels[k, :, row, col] = planes.to(torch.int32)
                if h1 > h0 and w1 > w0:
                    cells.append((k, row, col, torch.mean(features[int(image)][planes][:, h0:h1, w0:w1], (1, 2))))
    for k, row, col, value in cells:
        result[k, :, row, col] = value
    return wrap(result), wrap(channels)


PsROIPooling = primitive_class(
    "PsROIPooling",
    ps_roi_pooling,
    "(position-sensitive pooled regions, channel of each).",
    pooled_height=(int, ...),
    pooled_width=(int, ...),
    num_rois=(int, ...),
    spatial_scale=(float, ...),
    out_dim=(int, ...),
    group_size=(int, ...),
)


def _check_image(owner: str, image: Any) -> None:
    """Raise TypeError for integers, whose result would be cut off."""
    if not image.is_floating_point():
        raise TypeError(f"For '{owner}', the 'image' must be of floats, but got {dtype_name(image.dtype)}.")


def _hue_and_range(image: Any) -> tuple[Any, Any, Any]:
    """Return (hue in [0, 6), greatest, least) of colours along the last axis."""
    high, place = torch.max(image, -1)
    low = torch.amin(image, -1)
    span = torch.where(high > low, high - low, torch.ones_like(high))
    r, g, b = torch.unbind(image, -1)
    hues = torch.stack(((g - b) / span, 2 + (b - r) / span, 4 + (r - g) / span), -1)
    hue = torch.squeeze(torch.gather(hues, -1, torch.unsqueeze(place, -1)), -1)
    return torch.remainder(hue, 6), high, low


def _of_hue(hue: Any, high: Any, low: Any) -> Any:
    offsets = constant([0.0, 4.0, 2.0], hue.device, hue.dtype)
    distance = torch.abs(torch.remainder(torch.unsqueeze(hue, -1) + offsets, 6) - 3)
    share = torch.clamp(distance - 1, 0, 1)
    low, high = torch.unsqueeze(low, -1), torch.unsqueeze(high, -1)
    return low + (high - low) * share


def _adjust_hue(image: Any, delta: Any) -> Any:
    """Return (..., 3) RGB with ``delta`` added to the hue, whose full circle is 1; float16, float32 or float64."""
    _check_image("AdjustHue", image)
    exact = image.float() if image.dtype == torch.float16 else image
    hue, high, low = _hue_and_range(exact)
    return wrap(_of_hue(torch.remainder(hue + 6 * delta.to(hue.dtype), 6), high, low).to(image.dtype))


AdjustHue = primitive_class("AdjustHue", _adjust_hue, inputs="images delta")


def _adjust_saturation(image: Any, scale: Any) -> Any:
    """Return (..., 3) RGB with the saturation multiplied by ``scale``, up to 1; float16, float32 or float64."""
    _check_image("AdjustSaturation", image)
    exact = image.float() if image.dtype == torch.float16 else image
    hue, high, low = _hue_and_range(exact)
    safe = torch.where(high > 0, high, torch.ones_like(high))
    saturation = torch.where(high > 0, (high - low) / safe, torch.zeros_like(high))
    saturation = torch.clamp(saturation * scale.to(hue.dtype), 0, 1)
    return wrap(_of_hue(hue, high, high - saturation * high).to(image.dtype))


AdjustSaturation = primitive_class("AdjustSaturation", _adjust_saturation, inputs="images scale")


@primitive
def ExtractGlimpse(
    centered: Bool = True,
    normalized: Bool = True,
    uniform_noise: Bool = True,
    noise: Literal["uniform", "gaussian", "zero"] = "uniform",
) -> _Run:
    """Windows of ``size`` around ``offsets`` (N, 2) of (N, H, W, C) images; places outside are noise, or zeros."""

    def run(x: Any, size: Any, offsets: Any) -> Any:
        samples, height, width, channels = x.shape
        rows, columns = as_ints(size)
        out = x.new_zeros((samples, rows, columns, channels))
        if noise == "uniform" and uniform_noise:
            out.uniform_(0, 255)
        elif noise != "zero":
            out.normal_(127.5, 127.5 / 3) if noise == "gaussian" else out.uniform_(0, 255)
        for sample, (y, z) in enumerate(offsets.tolist()):
            if normalized:
                y, z = y * height, z * width
            if centered:
                y, z = (y + height) / 2, (z + width) / 2
            first = [int(y - rows / 2), int(z - columns / 2)]
            top, left = max(first[0], 0), max(first[1], 0)
            bottom, right = min(first[0] + rows, height), min(first[1] + columns, width)
            if bottom > top and right > left:
                place = slice(top - first[0], bottom - first[0]), slice(left - first[1], right - first[1])
                out[sample][place] = x[sample, top:bottom, left:right]
        return wrap(out)

    return run


def _lanczos(radius: int) -> tuple[float, Callable[[torch.Tensor], torch.Tensor]]:
    def weigh(x: torch.Tensor) -> torch.Tensor:
        return torch.where(torch.abs(x) <= radius, torch.sinc(x) * torch.sinc(x / radius), torch.zeros_like(x))

    return float(radius), weigh


def _cubic_kernel(b: float, c: float) -> tuple[float, Callable[[torch.Tensor], torch.Tensor]]:
    def weigh(x: torch.Tensor) -> torch.Tensor:
        x = torch.abs(x)
        near = (12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b
        far = (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c
        return torch.where(x < 1, near, torch.where(x < 2, far, torch.zeros_like(x))) / 6

    return 2.0, weigh


def _box(x: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.abs(x) < 0.5, 1.0, torch.where(torch.abs(x) == 0.5, 0.5, 0.0))


_KERNELS: dict[str, tuple[float, Callable[[torch.Tensor], torch.Tensor]]] = {
    "lanczos1": _lanczos(1),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": (
        1.5,
        lambda x: torch.where(torch.abs(x) < 1.5, torch.exp(-2 * kernels.square(x)), torch.zeros_like(x)),
    ),
    "box": (1.0, _box),
    "triangle": (1.0, lambda x: torch.clamp(1 - torch.abs(x), min=0)),
    "keyscubic": _cubic_kernel(0.0, 0.5),
    "mitchellcubic": _cubic_kernel(1 / 3, 1 / 3),
}


def _spread(kernel: str, antialias: bool, size: int, count: int, scale: float, shift: float, device: Any) -> Any:
    """Return the weights (count, size) of the input's pixels along one axis."""
    radius, weigh = _KERNELS[kernel]
    stretch = max(1 / scale, 1.0) if antialias else 1.0
    center = (torch.arange(count, device=device, dtype=torch.float64) + 0.5) / scale - shift / scale
    center = torch.unsqueeze(center, -1)
    places = torch.arange(size, device=device, dtype=torch.float64)
    first, last = (
        torch.clamp(bound, 0, size - 1)
        for bound in (torch.ceil(center - radius * stretch - 0.5), torch.floor(center + radius * stretch - 0.5))
    )
    weights = weigh((places + 0.5 - center) / stretch) * ((places >= first) & (places <= last))
    total = torch.sum(weights, -1, keepdim=True)
    weights = torch.where(torch.abs(total) >= 1000 * torch.finfo(torch.float32).tiny, weights / total, 0.0)
    return torch.where((center < 0) | (center > size), 0.0, weights).float()


@primitive
def ScaleAndTranslate(
    kernel_type: Literal[
        "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"
    ] = "lanczos3",
    antialias: Typed[bool] = True,
) -> _Run:
    """float32 images (N, ``size``, C): (N, H, W, C) ones scaled, then moved, by a filter."""

    @kernels.as_given
    def run(images: Any, size: Any, scale: Any, translation: Any) -> Any:
        counts, scales, shifts = as_ints(size), scale.tolist(), translation.tolist()
        if not all(math.isfinite(item) and item > 0 for item in scales):
            raise ValueError(f"For 'ScaleAndTranslate', the 'scale' must be positive, but got {scales}.")
        rows, columns = (
            _spread(kernel_type, antialias, images.shape[axis], counts[axis - 1], scales[axis - 1], shifts[axis - 1],
                    images.device)
            for axis in (1, 2)
        )  # fmt: skip
        return wrap(kernels.einsum("yh,nhwc,xw->nyxc", rows, images.float(), columns))

    return run


_MODE, _PADDING = Literal["bilinear", "nearest"], Literal["zeros", "border", "reflection"]
GridSampler2D, GridSampler3D = (
    primitive_class(
        name,
        grid_sample,
        "Values at the places of a grid.",
        interpolation_mode=(_MODE, "bilinear", "mode"),
        padding_mode=(_PADDING, "zeros"),
        align_corners=(bool, False),
        inputs="input_x grid",
        settable=True,
    )
    for name in ("GridSampler2D", "GridSampler3D")
)


def _bins(begin: torch.Tensor, end: torch.Tensor, count: int, length: int, bound: int) -> torch.Tensor:
    """Return for ``length`` places, below ``bound``, those in each of ``count`` equal parts from begin to end: (rois,
    count, length).
    """
    part = torch.unsqueeze(torch.clamp(end - begin, min=0.1) / count, 1)
    number = torch.arange(count, device=begin.device, dtype=begin.dtype)
    first = torch.clamp(torch.floor(number * part) + torch.unsqueeze(begin, 1), 0, bound)
    last = torch.clamp(torch.ceil((number + 1) * part) + torch.unsqueeze(begin, 1), 0, bound)
    place = torch.arange(length, device=begin.device, dtype=begin.dtype)
    return (place >= torch.unsqueeze(first, 2)) & (place < torch.unsqueeze(last, 2))


def _means_by_position(maps: torch.Tensor, edges: list[torch.Tensor], short: int) -> torch.Tensor:
    """Return means (rois, d, g, g) of maps (rois, d, g, g, H, W) over g × g parts between the edges; the last ``short``
    rows and columns belong to none.
    """
    g, height, width = maps.shape[3:]
    columns = to_dtype(_bins(edges[0], edges[2], g, width, width - short), maps.dtype)
    rows = to_dtype(_bins(edges[1], edges[3], g, height, height - short), maps.dtype)
    total = kernels.einsum("rdijhw,rih,rjw->rdij", maps, rows, columns)
    count = torch.unsqueeze(torch.sum(rows, 2), 2) * torch.unsqueeze(torch.sum(columns, 2), 1)
    return total / torch.clamp(torch.unsqueeze(count, 1), min=1)


@primitive
def PSROIPooling(spatial_scale: float, group_size: int, output_dim: int) -> _Run:
    """Means of (N, output_dim · g², H, W) over g × g parts of each region: part (i, j) of output channel d takes
    channel (d · g + i) · g + j. Gives (N · rois, output_dim, g, g).

    ``rois`` (N, 5, rois) hold image, x1, y1, x2, y2; times ``spatial_scale`` they are rounded, halves away from 0. With
    more than one region an image MindSpore's CPU kernel reads them as if they were (N, rois, 5); here they are not.
    """

    def run(x: Any, rois: Any) -> Any:
        g = group_size
        if rois.shape[1] != 5:
            raise RuntimeError(f"For 'PSROIPooling', 'rois' must be (N, 5, rois), but got {tuple(rois.shape)}.")
        image, *sides = torch.unbind(torch.reshape(torch.transpose(rois, 1, 2), (-1, 5)).detach(), 1)
        edges = [torch.sign(side) * torch.floor(torch.abs(side * spatial_scale) + 0.5) for side in sides]
        maps = torch.reshape(x[torch.Tensor.long(image)], (len(image), output_dim, g, g, *x.shape[2:]))
        means = _means_by_position(maps, edges, 1).detach()  # MindSpore's kernel leaves the last row and column out,
        if not maps.requires_grad:
            return wrap(means)
        whole = _means_by_position(maps, edges, 0)  # and that of its gradient does not
        return wrap(means + (whole - whole.detach()))

    return run


def _overlaps(boxes: torch.Tensor) -> torch.Tensor:
    """Return intersection over union of all pairs of boxes between any two opposite corners (n, 4)."""
    low, high = torch.minimum(boxes[:, :2], boxes[:, 2:]), torch.maximum(boxes[:, :2], boxes[:, 2:])
    area = kernels.prod(high - low, 1)
    sides = torch.minimum(high[:, None], high) - torch.maximum(low[:, None], low)
    common = kernels.prod(torch.clamp(sides, min=0), -1)
    total = area[:, None] + area - common
    return torch.where(total > 0, common / torch.where(total > 0, total, 1.0), 0.0)


def _selected(overlaps: torch.Tensor, scores: torch.Tensor, count: int, overlap: float, least: float) -> list[int]:
    """Return the greatest scores above ``least``, without those that overlap a greater one too much."""
    order = torch.argsort(scores, descending=True, stable=True).tolist()
    table, values = overlaps.tolist(), scores.tolist()
    kept: list[int] = []
    for number in order:
        if len(kept) >= count or not values[number] > least:
            break
        if all(table[number][other] <= overlap for other in kept):
            kept.append(number)
    return kept


def _numbers(found: list[int], device: Any) -> Any:
    return wrap(torch.tensor(found, dtype=torch.int32, device=device))


def _non_max_suppression_v3(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any, score_threshold: Any
) -> Any:
    """Return int32 numbers of boxes (n, 4) by falling score, above ``score_threshold``, that overlap no selected one
    more than ``iou_threshold``.
    """
    overlaps = _overlaps(boxes.detach().float())
    count, overlap, least = (float(item) for item in (max_output_size, iou_threshold, score_threshold))
    return _numbers(_selected(overlaps, scores.detach().float(), int(count), overlap, least), boxes.device)


NonMaxSuppressionV3 = primitive_class("NonMaxSuppressionV3", _non_max_suppression_v3)


def _non_max_suppression_with_overlaps(
    overlaps: Any, scores: Any, max_output_size: Any, overlap_threshold: Any, score_threshold: Any
) -> Any:
    """Run `NonMaxSuppressionV3` with the overlaps (n, n) given."""
    count, overlap, least = (float(item) for item in (max_output_size, overlap_threshold, score_threshold))
    return _numbers(_selected(overlaps.detach(), scores.detach(), int(count), overlap, least), overlaps.device)


NonMaxSuppressionWithOverlaps = primitive_class("NonMaxSuppressionWithOverlaps", _non_max_suppression_with_overlaps)


@primitive
def CombinedNonMaxSuppression(pad_per_class: Bool = False, clip_boxes: Bool = True) -> _Run:
    """(boxes (B, n, 4), scores (B, n), classes (B, n), how many count (B,)), selected class by class.

    Inputs: boxes (B, boxes, q, 4), q being 1 or the number of classes, scores (B, boxes, classes),
    max_output_size_per_class, max_total_size, iou_threshold, score_threshold.
    """

    def run(
        boxes: Any,
        scores: Any,
        max_output_size_per_class: Any,
        max_total_size: Any,
        iou_threshold: Any,
        score_threshold: Any,
    ) -> Any:
        each, total, overlap, least = (
            float(item) for item in (max_output_size_per_class, max_total_size, iou_threshold, score_threshold)
        )
        classes = scores.shape[2]
        count = min(int(total), int(each) * classes) if pad_per_class else int(total)
        out = scores.new_zeros((boxes.shape[0], count, 6))
        used = []
        for sample in range(boxes.shape[0]):
            found = []
            for kind in range(classes):
                own = boxes[sample, :, kind if boxes.shape[2] > 1 else 0].detach()
                kept = _selected(_overlaps(own), scores[sample, :, kind].detach(), int(each), overlap, least)
                found += [(float(scores[sample, number, kind]), kind, own[number]) for number in kept]
            found.sort(key=lambda item: -item[0])
            used.append(min(len(found), count))
            for place, (score, kind, box) in enumerate(found[:count]):
                out[sample, place, :4] = torch.clamp(box, 0, 1) if clip_boxes else box
                out[sample, place, 4], out[sample, place, 5] = score, kind
        return wrap((out[..., :4].clone(), out[..., 4].clone(), out[..., 5].clone(), _numbers(used, boxes.device)))

    return run


@primitive
def SampleDistortedBoundingBoxV2(
    seed: Int = 0,
    seed2: Int = 0,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    max_attempts: Int = 100,
    use_image_if_no_bounding_boxes: Bool = False,
) -> _Run:
    """(begin, size, box (1, 1, 4) in [0, 1]) of a random crop: its shape in ``aspect_ratio_range``, its share of the
    image in ``area_range``, at least ``min_object_covered`` of one of the boxes in it; the whole image after
    ``max_attempts``. Random numbers are not MindSpore's.
    """
    owner, stream = "SampleDistortedBoundingBoxV2", joined_stream(seed, seed2)
    for name, pair in (("aspect_ratio_range", aspect_ratio_range), ("area_range", area_range)):
        if len(pair) != 2 or not 0 < pair[0] <= pair[1] or (name == "area_range" and pair[1] > 1):
            raise ValueError(f"For '{owner}', the '{name}' must be a positive range, but got {pair}.")

    def run(image_size: Any, bounding_boxes: Any, min_object_covered: Any) -> Any:
        height, width, _ = as_ints(image_size)
        given = torch.reshape(bounding_boxes, (-1, 4)).tolist()
        if not given and not use_image_if_no_bounding_boxes:
            raise ValueError(f"For '{owner}', 'bounding_boxes' must not be empty. Pass use_image_if_no_bounding_boxes.")
        generator = generator_of(stream)
        crop = _crop(
            height, width, given or [[0.0, 0.0, 1.0, 1.0]], float(min_object_covered), aspect_ratio_range, area_range,
            max_attempts, generator,
        )  # fmt: skip
        top, left, rows, columns = crop
        kind, device = image_size.dtype, image_size.device
        begin = torch.tensor([top, left, 0], dtype=kind, device=device)
        size = torch.tensor([rows, columns, -1], dtype=kind, device=device)
        box = [top / height, left / width, (top + rows) / height, (left + columns) / width]
        return wrap((begin, size, torch.reshape(torch.tensor(box, device=device), (1, 1, 4))))

    return run


def _crop(
    height: int, width: int, boxes: list, covered: float, aspects: Any, areas: Any, attempts: int, generator: Any
) -> tuple[int, int, int, int]:
    """Return (top, left, rows, columns)."""

    def drawn(low: float, high: float) -> float:
        return low + (high - low) * float(torch.rand((), generator=generator))

    for _ in range(attempts):
        aspect, area = drawn(*aspects), drawn(*areas) * height * width
        rows = round(math.sqrt(area / aspect))
        columns = round(rows * aspect)
        if not (0 < rows <= height and 0 < columns <= width):
            continue
        if not areas[0] * height * width <= rows * columns <= areas[1] * height * width:
            continue
        top, left = int(drawn(0, height - rows + 1)), int(drawn(0, width - columns + 1))
        top, left = min(top, height - rows), min(left, width - columns)
        for y1, x1, y2, x2 in boxes:
            y1, x1, y2, x2 = y1 * height, x1 * width, y2 * height, x2 * width
            whole = (y2 - y1) * (x2 - x1)
            sides = min(y2, top + rows) - max(y1, top), min(x2, left + columns) - max(x1, left)
            if whole > 0 and max(sides[0], 0) * max(sides[1], 0) / whole >= covered:
                return top, left, rows, columns
    return 0, 0, height, width


@primitive
def ResizeBilinear(size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> _Run:
    """(N, C, H, W) resized by linear interpolation (an operator of 1.x, which takes the whole part of a size)."""
    size = tuple(map(int, size))
    return lambda x: resize_linear(x, size, align_corners, half_pixel_centers)


@primitive(inputs="input_x", settable=True)
def ResizeNearestNeighbor(size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> _Run:
    """(N, C, H, W) resized by nearest neighbours, to the whole part of a size."""
    size = tuple(map(int, size))
    return lambda input_x: resize_nearest(input_x, size, align_corners, half_pixel_centers)


@primitive(settable=True)
def ResizeLinear1D(coordinate_transformation_mode: Literal["align_corners", "half_pixel"] = "align_corners") -> _Run:
    """(N, C, W) resized by linear interpolation."""
    aligned = coordinate_transformation_mode == "align_corners"
    return lambda x, size: resize_linear(x, as_ints(size), aligned, not aligned)


@primitive
def ResizeV2(
    coordinate_transformation_mode: Literal["align_corners", "half_pixel"] = "half_pixel",
    mode: Literal["nearest", "linear", "cubic"] = "nearest",
) -> _Run:
    """(N, C, 1, W) resized by nearest or linear, (N, C, H, W) by cubic interpolation to ``sizes``, which name all four
    axes; ``roi`` and ``scales`` are not read.
    """
    aligned = coordinate_transformation_mode == "align_corners"

    def run(x: Any, roi: Any, scales: Any, sizes: Any) -> Any:
        size = as_ints(sizes)[2:]
        if mode == "nearest":
            return resize_nearest(x, size)
        return wrap(
            kernels.interpolate(x, size, mode={"linear": "bilinear", "cubic": "bicubic"}[mode], align_corners=aligned)
        )

    return run


@primitive
def ResizeArea(align_corners: bool = False) -> _Run:
    """(N, H, W, C) resized by the means of areas, for whole factors."""

    def run(images: Any, size: Any) -> Any:
        rows, cols = as_ints(size)
        if align_corners or images.shape[1] % rows or images.shape[2] % cols:
            raise NotImplementedError(
                "For 'ResizeArea', only shrinking by whole factors without align_corners is available on PyTorch. "
                "Use ops.interpolate(mode='area')."
            )
        pooled = kernels.adaptive_avg_pool2d(torch.permute(images.float(), (0, 3, 1, 2)), (rows, cols))
        return wrap(torch.permute(pooled, (0, 2, 3, 1)))

    return run


@primitive
def IOU(mode: str = "iou") -> _Run:
    """Overlaps of boxes."""
    if mode not in ("iou", "iof"):
        raise KeyError(f"For 'IOU', the 'mode' must be 'iou' or 'iof', but got {mode!r}.")
    return lambda anchor_boxes, gt_boxes: iou(anchor_boxes, gt_boxes, mode)


def _rgb_to_hsv(images: Any) -> Any:
    high, place = torch.max(images, -1)
    span = high - torch.amin(images, -1)
    safe = torch.where(span > 0, span, torch.ones_like(span))
    r, g, b = torch.unbind(images, -1)
    hue = torch.stack(((g - b) / safe, 2 + (b - r) / safe, 4 + (r - g) / safe), -1)
    hue = torch.remainder(torch.squeeze(torch.gather(hue, -1, torch.unsqueeze(place, -1)), -1) / 6, 1) * (span > 0)
    saturation = torch.where(
        high > 0, span / torch.where(high > 0, high, torch.ones_like(high)), torch.zeros_like(high)
    )
    return wrap(torch.stack((hue, saturation, high), -1))


RGBToHSV = primitive_class("RGBToHSV", _rgb_to_hsv)


def _hsv_to_rgb(x: Any) -> Any:
    hue, saturation, value = torch.unbind(x, -1)
    offsets = constant([5.0, 3.0, 1.0], x.device, x.dtype)
    k = torch.remainder(offsets + torch.unsqueeze(hue, -1) * 6, 6)
    ramp = torch.clamp(torch.minimum(k, 4 - k), 0, 1)
    return wrap(torch.unsqueeze(value, -1) * (1 - torch.unsqueeze(saturation, -1) * ramp))


HSVToRGB = primitive_class("HSVToRGB", _hsv_to_rgb)


def _upsampled(owner: str, mode: str, align_corners: bool | None = None) -> _Run:
    """Return (N, C, D, H, W) resized to ``output_size``, or by float factors ``scales``."""

    def run(x: Any, output_size: Any = None, scales: Any = None) -> Any:
        size = None if output_size is None else as_ints(output_size)
        return wrap(kernels.interpolate(x, size, None if scales is None else tuple(scales), mode, align_corners))

    return run


def _accept_sizes(operator: Any) -> Any:
    """Accept ``output_size`` and ``scales`` in the constructor, where MindSpore 1.9 had them."""
    today = operator.__init__

    def older(self: Any, output_size: Any = None, scales: Any = None, *args: Any, **kwargs: Any) -> None:
        today(self, *args, **kwargs)
        run = self._run
        self.__dict__["_run"] = lambda x: run(x, output_size, scales)

    operator.__init__ = or_older_meaning(older, 1, (tuple, list, type(None)), "output_size scales")(today)
    return operator


@_accept_sizes
@primitive
def UpsampleNearest3D() -> _Run:
    """(N, C, D, H, W) resized by nearest neighbours."""
    return _upsampled("UpsampleNearest3D", "nearest")


@_accept_sizes
@primitive(settable=True)
def UpsampleTrilinear3D(align_corners: Bool = False) -> _Run:
    """(N, C, D, H, W) resized by linear interpolation."""
    return _upsampled("UpsampleTrilinear3D", "trilinear", align_corners)


__all__ = functions(globals())
PRIMITIVES = classes(globals())
