"""Boxes and regions of images. MindSpore: ``mindspore.ops.function.image_func`` and the box operators."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_ints, as_plain, to_dtype

__all__ = """
    bounding_box_decode bounding_box_encode check_valid crop_and_resize iou roi_align nms_with_mask ps_roi_pooling
    deformable_conv2d
""".split()


def _images(index: torch.Tensor, count: int) -> torch.Tensor:
    """Return ``index`` as int64, with numbers that are none of ``count`` images moved beyond the last, so that indexing
    refuses them: a negative one does not count from the end.
    """
    return torch.where((index >= 0) & (index <= count - 1), torch.floor(index + 0.5), count).long()


def _parts(boxes: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return (center x, center y, width, height) of (..., 4) corner boxes whose corners are pixels inside."""
    x1, y1, x2, y2 = torch.unbind(boxes.float(), -1)
    return (x1 + x2) * 0.5, (y1 + y2) * 0.5, x2 - x1 + 1, y2 - y1 + 1


def bounding_box_encode(
    anchor_box: Any, groundtruth_box: Any, means: Any = (0.0, 0.0, 0.0, 0.0), stds: Any = (1.0, 1.0, 1.0, 1.0)
) -> Any:
    """Return offsets (dx, dy, dw, dh) from anchors (n, 4) to boxes (n, 4), normalized."""
    px, py, pw, ph = _parts(anchor_box)
    gx, gy, gw, gh = _parts(groundtruth_box)
    deltas = torch.stack(((gx - px) / pw, (gy - py) / ph, torch.log(gw / pw), torch.log(gh / ph)), -1)
    means, stds = (constant(item, deltas.device, deltas.dtype) for item in (means, stds))
    return wrap(to_dtype((deltas - means) / stds, anchor_box.dtype))


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


def check_valid(bboxes: Any, img_metas: Any) -> Any:
    """Return whether each box lies inside the image; ``img_metas`` is (height, width, ratio)."""
    height, width, ratio = torch.unbind(as_plain(img_metas).float())
    x1, y1, x2, y2 = torch.unbind(bboxes.float(), -1)
    return wrap((x1 >= 0) & (y1 >= 0) & (x2 <= width * ratio - 1) & (y2 <= height * ratio - 1))


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


def _bilinear(image: torch.Tensor, batch: torch.Tensor, y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return values (points, C) of (N, C, H, W) images at fractional places inside; the lower neighbours are floors."""
    height, width = image.shape[-2:]
    y0, x0 = torch.clamp(torch.floor(y).long(), 0, height - 1), torch.clamp(torch.floor(x).long(), 0, width - 1)
    y1, x1 = torch.clamp(y0 + 1, max=height - 1), torch.clamp(x0 + 1, max=width - 1)
    wy, wx = torch.unsqueeze(y - y0, -1).to(image.dtype), torch.unsqueeze(x - x0, -1).to(image.dtype)
    top = image[batch, :, y0, x0] * (1 - wx) + image[batch, :, y0, x1] * wx
    bottom = image[batch, :, y1, x0] * (1 - wx) + image[batch, :, y1, x1] * wx
    return top * (1 - wy) + bottom * wy


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
            start, end = torch.floor(torch.unsqueeze(low * length, 1)), torch.floor(torch.unsqueeze(high * length, 1))
            extent = end - start + 1
            return start + (steps + 0.5) * extent / count - 0.5
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
    for k, (image, x1, y1, x2, y2) in enumerate(rois.float().tolist()):
        left, top = round(x1) * spatial_scale, round(y1) * spatial_scale
        bin_w = max((round(x2) + 1) * spatial_scale - left, 0.1) / pooled_width
        bin_h = max((round(y2) + 1) * spatial_scale - top, 0.1) / pooled_height
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


def deformable_conv2d(
    x: Any,
    weight: Any,
    offsets: Any,
    kernel_size: Any,
    strides: Any,
    padding: Any,
    bias: Any = None,
    dilations: Any = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Any:
    """Return the convolution with taps moved by ``offsets`` (n, 3·groups·k, h, w): all x, all y, then the masks."""
    kh, kw = as_ints(kernel_size)
    stride, dilation = as_ints(strides)[-2:], as_ints(dilations)[-2:]
    top, bottom, left, right = as_ints(padding)
    n, channels, height, width = x.shape
    rows = (height + top + bottom - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    cols = (width + left + right - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    taps, g = kh * kw, deformable_groups
    parts = torch.reshape(offsets, (n, -1, g, taps, rows, cols))
    base_y = torch.reshape(torch.arange(rows, device=x.device) * stride[0] - top, (rows, 1))
    base_x = torch.arange(cols, device=x.device) * stride[1] - left
    tap_y = torch.reshape(torch.arange(taps, device=x.device) // kw * dilation[0], (taps, 1, 1))
    tap_x = torch.reshape(torch.arange(taps, device=x.device) % kw * dilation[1], (taps, 1, 1))
    places_x, places_y = parts[:, 0] + (base_x + tap_x), parts[:, 1] + (base_y + tap_y)
    image = torch.reshape(x, (n * g, channels // g, height, width))
    grid = torch.stack(((2 * places_x + 1) / width - 1, (2 * places_y + 1) / height - 1), -1)
    sampled = torch.nn.functional.grid_sample(
        image, torch.reshape(grid, (n * g, taps * rows, cols, 2)), align_corners=False
    )
    sampled = torch.reshape(sampled, (n, g, channels // g, taps, rows, cols))
    if modulated:
        sampled = sampled * torch.unsqueeze(parts[:, 2], 2)
    columns = torch.reshape(sampled, (n, groups, channels // groups * taps, rows * cols))
    kernel = torch.reshape(weight, (groups, weight.shape[0] // groups, -1))
    result = torch.reshape(kernels.matmul(kernel, columns), (n, -1, rows, cols))
    return wrap(result if bias is None else result + torch.reshape(bias, (-1, 1, 1)))


apply_dtype_fallback(globals(), __all__)
