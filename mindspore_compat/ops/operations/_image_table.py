"""Rows of the operators of ``image_ops`` without code of their own."""

from __future__ import annotations

from typing import Any, Literal

from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import declared, row

_TABLE: dict[str, Any] = {
    "ResizeBilinearV2": row(
        F.resize_linear,
        "(N, C, H, W) resized by linear interpolation.",
        align_corners=(bool, False),
        half_pixel_centers=(bool, False),
    ),
    "ResizeNearestNeighborV2": row(
        F.resize_nearest,
        "(N, C, H, W) resized by nearest neighbours.",
        align_corners=(bool, False),
        half_pixel_centers=(bool, False),
    ),
    "ResizeBicubic": row(
        F.resize_cubic,
        "(N, C, H, W) resized by cubic interpolation.",
        align_corners=(bool, False),
        half_pixel_centers=(bool, False),
    ),
    "CropAndResize": row(
        F.crop_and_resize,
        "Regions of (N, H, W, C) images, resized.",
        method=(Literal["bilinear", "nearest", "bilinear_v2"], "bilinear"),
        extrapolation_value=(float, 0.0),
    ),
    "ROIAlign": row(
        F.roi_align,
        "Means of bilinear samples in the cells of regions.",
        pooled_height=(int, ...),
        pooled_width=(int, ...),
        spatial_scale=(float, ...),
        sample_num=(int, 2),
        roi_end_mode=(int, 1),
    ),
    "BoundingBoxEncode": row(
        F.bounding_box_encode,
        "Offsets from anchors to boxes.",
        means=(Any, (0.0, 0.0, 0.0, 0.0)),
        stds=(Any, (1.0, 1.0, 1.0, 1.0)),
    ),
    "BoundingBoxDecode": row(
        F.bounding_box_decode,
        "Boxes from anchors and offsets.",
        max_shape=(Any, ...),
        means=(Any, (0.0, 0.0, 0.0, 0.0)),
        stds=(Any, (1.0, 1.0, 1.0, 1.0)),
        wh_ratio_clip=(float, 0.016),
    ),
    "NMSWithMask": row(
        F.nms_with_mask, "(boxes by falling score, index, mask of those kept).", iou_threshold=(float, 0.5)
    ),
    "PsROIPooling": row(
        F.ps_roi_pooling,
        "(position-sensitive pooled regions, channel of each).",
        pooled_height=(int, ...),
        pooled_width=(int, ...),
        num_rois=(int, ...),
        spatial_scale=(float, ...),
        out_dim=(int, ...),
        group_size=(int, ...),
    ),
    "AffineGrid": row(F.affine_grid, "The grid of affine transforms.", align_corners=(bool, False)),
}
globals().update(declared(_TABLE, "mindspore_compat.ops.operations.image_ops"))
__all__ = [*_TABLE]
