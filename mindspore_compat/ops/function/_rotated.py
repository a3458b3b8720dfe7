"""Overlap of rotated rectangles. Part of ``math_func``; MindSpore runs it on Ascend only, and its documentation defines
it.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import plain, wrap

__all__ = ["rotated_iou"]

#: share of the largest coordinate that rounding may move a corner on an edge outside
_ROUNDING = 1e-9


def rotated_iou(
    boxes: Any,
    query_boxes: Any,
    trans: bool = False,
    mode: int = 0,
    is_cross: bool = True,
    v_threshold: float = 0.0,
    e_threshold: float = 0.0,
) -> Any:
    """Return the share that rotated rectangles have in common.

    Args:
        boxes, query_boxes: (B, N, 5) and (B, K, 5): the centre, width, height and angle in degrees of each; with
            ``trans`` the corners x1, y1, x2, y2 before it is turned about its centre, and the angle.
        mode: 1: of the area of ``boxes``; else of the area of both together.
        is_cross: every box with every query box: (B, N, K); else the n-th with the n-th: (B, N).
        v_threshold, e_threshold: so far outside of a rectangle a corner still counts as in it, and so far beyond its
            ends an edge is still crossed, in units of the coordinates.

    Raises:
        ValueError: for shapes that do not fit.

    Examples:
        >>> a = Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]])
        >>> b = Tensor([[[1.0, 0.0, 2.0, 2.0, 90.0]]])
        >>> print(ops.rotated_iou(a, b).shape)
        (1, 1, 1)
    """
    for name, item in (("boxes", boxes), ("query_boxes", query_boxes)):
        if item.dim() != 3 or item.shape[-1] != 5:
            raise ValueError(f"For 'rotated_iou', '{name}' must have the shape (B, N, 5), but got {tuple(item.shape)}.")
    if boxes.shape[0] != query_boxes.shape[0] or (not is_cross and boxes.shape != query_boxes.shape):
        raise ValueError(
            f"For 'rotated_iou', the shapes {tuple(boxes.shape)} and {tuple(query_boxes.shape)} do not fit."
        )
    (first, first_area), (second, second_area) = (
        _corners(plain(item).detach().to(torch.float64), trans) for item in (boxes, query_boxes)
    )
    if is_cross:
        first, first_area = first.unsqueeze(2), first_area.unsqueeze(2)
        second, second_area = second.unsqueeze(1), second_area.unsqueeze(1)
    first, second = torch.broadcast_tensors(first, second)
    common = _common_area(first, second, v_threshold, e_threshold)
    whole = first_area.expand_as(common) if mode == 1 else first_area + second_area - common
    share = torch.where(whole > 0, common / whole, torch.zeros_like(common))
    return wrap(share.to(boxes.dtype))


def _corners(boxes: torch.Tensor, trans: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ((..., 4, 2) counter-clockwise, areas)."""
    a, b, c, d, angle = boxes.unbind(-1)
    x, y, width, height = ((a + c) / 2, (b + d) / 2, c - a, d - b) if trans else (a, b, c, d)
    width, height, turn = width.abs(), height.abs(), angle * (math.pi / 180)
    signs = torch.tensor([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=boxes.dtype, device=boxes.device) / 2
    across, up = width[..., None] * signs[:, 0], height[..., None] * signs[:, 1]
    cos, sin = torch.cos(turn)[..., None], torch.sin(turn)[..., None]
    corners = torch.stack((x[..., None] + across * cos - up * sin, y[..., None] + across * sin + up * cos), -1)
    return corners, width * height


def _cross(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _is_inside(points: torch.Tensor, corners: torch.Tensor, slack: torch.Tensor) -> torch.Tensor:
    """Return whether (..., P, 2) points lie in rectangles (..., 4, 2), at most ``slack`` outside."""
    edges = torch.roll(corners, -1, -2) - corners
    lengths = torch.hypot(*edges.unbind(-1)).clamp(min=1e-300)
    distances = _cross(edges.unsqueeze(-3), points.unsqueeze(-2) - corners.unsqueeze(-3)) / lengths.unsqueeze(-2)
    return (distances >= -slack[..., None, None]).all(-1)


def _common_area(a: torch.Tensor, b: torch.Tensor, v_slack: float, e_slack: float) -> torch.Tensor:
    """Return the area of the polygon between corners of each that lie in the other and crossings of the edges."""
    rounding = torch.maximum(a.abs().amax((-1, -2)), b.abs().amax((-1, -2))) * _ROUNDING
    along, other = torch.roll(a, -1, -2) - a, torch.roll(b, -1, -2) - b
    between = b.unsqueeze(-3) - a.unsqueeze(-2)  # (..., edge of a, edge of b, 2)
    turn = _cross(along.unsqueeze(-2), other.unsqueeze(-3))
    lengths = [torch.hypot(*item.unbind(-1)) for item in (along, other)]
    is_parallel = turn.abs() <= 1e-12 * lengths[0].unsqueeze(-1) * lengths[1].unsqueeze(-2)
    safe = torch.where(is_parallel, torch.ones_like(turn), turn)
    on_a, on_b = _cross(between, other.unsqueeze(-3)) / safe, _cross(between, along.unsqueeze(-2)) / safe
    slack = (rounding + e_slack)[..., None, None]
    beyond = [slack / item.clamp(min=1e-300) for item in (lengths[0].unsqueeze(-1), lengths[1].unsqueeze(-2))]
    meets = ~is_parallel
    for place, more in zip((on_a, on_b), beyond):
        meets = meets & (place >= -more) & (place <= 1 + more)
    crossings = (a.unsqueeze(-2) + on_a.unsqueeze(-1) * along.unsqueeze(-2)).flatten(-3, -2)
    points = torch.cat((a, b, crossings), -2)
    counts = torch.cat(
        (_is_inside(a, b, rounding + v_slack), _is_inside(b, a, rounding + v_slack), meets.flatten(-2)), -1
    )
    return _hull_area(points, counts)


def _hull_area(points: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Return the area of the convex polygon of those of the points that count."""
    number = counts.sum(-1, keepdim=True)
    centre = (points * counts.unsqueeze(-1)).sum(-2) / number.clamp(min=1)
    moved = torch.where(counts.unsqueeze(-1), points - centre.unsqueeze(-2), torch.zeros_like(points))
    angles = torch.where(counts, torch.atan2(moved[..., 1], moved[..., 0]), torch.full_like(moved[..., 0], 9.0))
    order = torch.argsort(angles, -1)
    ring = torch.gather(moved, -2, order.unsqueeze(-1).expand_as(moved))
    counted = torch.gather(counts, -1, order).unsqueeze(-1)
    ring = torch.where(counted, ring, ring[..., :1, :])  # ignored points repeat the first corner
    return _cross(ring, torch.roll(ring, -1, -2)).sum(-1).clamp(min=0) / 2
