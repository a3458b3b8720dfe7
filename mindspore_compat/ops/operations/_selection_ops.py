"""Boxes selected by scores, or drawn at random, in class form. Parts of ``image_ops`` and ``other_ops``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.seed import joined_stream
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints
from mindspore_compat.ops._declare import Bool, Int, plain, primitive

__all__ = """
    CombinedNonMaxSuppression NonMaxSuppressionV3 NonMaxSuppressionWithOverlaps SampleDistortedBoundingBoxV2
""".split()

_Run = Callable[..., Any]


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


def _non_max_suppression_with_overlaps(
    overlaps: Any, scores: Any, max_output_size: Any, overlap_threshold: Any, score_threshold: Any
) -> Any:
    """Run `NonMaxSuppressionV3` with the overlaps (n, n) given."""
    count, overlap, least = (float(item) for item in (max_output_size, overlap_threshold, score_threshold))
    return _numbers(_selected(overlaps.detach(), scores.detach(), int(count), overlap, least), overlaps.device)


NonMaxSuppressionV3 = plain("NonMaxSuppressionV3", _non_max_suppression_v3)
NonMaxSuppressionWithOverlaps = plain("NonMaxSuppressionWithOverlaps", _non_max_suppression_with_overlaps)


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
        generator = F.generator_of(stream)
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
