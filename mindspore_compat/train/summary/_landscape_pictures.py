"""Pictures of a loss landscape, drawn by matplotlib: a contour map and a surface in perspective, both with the
trajectory of the training.

Colours follow ``log1p`` of the height above the lowest point, in units of the median height: both the valley and the
walls show.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mindspore_compat._api.errors import warn_once
from mindspore_compat._format.events import Picture
from mindspore_compat._format.proto import summary as summary_messages
from mindspore_compat.train._figures import new_figure, picture_of

_WIDTH, _HEIGHT, _DPI = 660, 560, 100  # pixels
_MAP, _SCALE = (70, 40, 480, 480), (566, 40, 16, 480)  # left, bottom, width, height of the contour map, of its colours
_LEVELS = 20
_FINEST = 48  # most points of a side of the drawn surface
_COLOURS, _INK = "viridis", (220 / 255, 30 / 255, 30 / 255)


class _Landscape(NamedTuple):
    """``heights[row of ys, column of xs]``, all finite; ``path`` are the (x, y, height) of the checkpoints or the end
    point.
    """

    xs: np.ndarray
    ys: np.ndarray
    heights: np.ndarray
    path: np.ndarray


def _array(tensor: Any) -> np.ndarray:
    return np.array(tensor.float_data or tensor.double_data, np.float64).reshape(-1)


def _read(body: bytes) -> _Landscape | None:
    """Return the landscape, None if it is not a grid of at least 2 × 2, or nowhere finite."""
    message = summary_messages.LossLandscape.FromString(body)
    xs, ys, heights = (_array(getattr(message.landscape, axis)) for axis in "xyz")
    if len(xs) < 2 or len(ys) < 2 or heights.size != len(xs) * len(ys) or not np.isfinite(heights).any():
        return None
    finite = heights[np.isfinite(heights)]
    heights = np.nan_to_num(heights, nan=finite.max(), posinf=finite.max(), neginf=finite.min()).reshape(
        len(ys), len(xs)
    )
    points = message.loss_path.points if message.loss_path.intervals else message.convergence_point
    columns = [_array(getattr(points, axis)) for axis in "xyz"]
    path = np.stack(columns, axis=1) if len({len(column) for column in columns}) == 1 else np.zeros((0, 3))
    return _Landscape(xs, ys, heights, np.nan_to_num(path, posinf=finite.max()))


def _scaled(heights: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Return heights as 0…1; ``of`` are those of the grid."""
    unit = float(np.median(of - of.min())) or 1.0
    top = float(np.log1p((of.max() - of.min()) / unit)) or 1.0
    return np.asarray(np.log1p(np.clip(heights - of.min(), 0, None) / unit) / top).clip(0, 1)


def _unscaled(part: float, of: np.ndarray) -> float:
    unit = float(np.median(of - of.min())) or 1.0
    return float(of.min() + unit * np.expm1(part * np.log1p((of.max() - of.min()) / unit)))


def _resampled(heights: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Return heights, linear between the points of the grid."""
    across = np.stack(
        [np.interp(np.linspace(0, heights.shape[1] - 1, columns), np.arange(heights.shape[1]), row) for row in heights]
    )
    return np.stack(
        [
            np.interp(np.linspace(0, heights.shape[0] - 1, rows), np.arange(heights.shape[0]), column)
            for column in across.T
        ],
        axis=1,
    )


def _new_figure() -> Any:
    return new_figure("A picture of a loss landscape", figsize=(_WIDTH / _DPI, _HEIGHT / _DPI), dpi=_DPI)


def _place(left: int, bottom: int, width: int, height: int) -> tuple[float, ...]:
    return left / _WIDTH, bottom / _HEIGHT, width / _WIDTH, height / _HEIGHT


def _draw_path(axes: Any, *columns: np.ndarray) -> None:
    style = {"color": _INK, "zorder": 10}
    axes.plot(*columns, marker="o", markersize=4, markerfacecolor="white", linewidth=2, **style)
    axes.plot(*(column[-1:] for column in columns), marker="o", markersize=8, **style)


def _contour(landscape: _Landscape, title: str) -> Any:
    """Return filled contours, a scale of colours, the trajectory."""
    xs, ys, heights, path = landscape
    figure = _new_figure()
    axes = figure.add_axes(_place(*_MAP), title=title)
    levels = np.linspace(0, 1, _LEVELS + 1)
    parts = _scaled(heights, heights)
    filled = axes.contourf(xs, ys, parts, levels, cmap=_COLOURS)
    axes.contour(xs, ys, parts, levels, colors="black", linewidths=0.5, alpha=0.4)
    ticks = np.linspace(0, 1, 5)
    scale = figure.colorbar(filled, cax=figure.add_axes(_place(*_SCALE)), ticks=ticks)
    scale.ax.set_yticklabels([f"{_unscaled(part, heights):.5g}" for part in ticks])
    _draw_path(axes, path[:, 0], path[:, 1])
    axes.set(xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]))
    return figure


def _surface(landscape: _Landscape, title: str) -> Any:
    """Return the surface, lit from the left."""
    xs, ys, heights, path = landscape
    rows, columns = (min(max(2 * len(axis), 24), _FINEST) for axis in (ys, xs))
    parts = _scaled(_resampled(heights, rows, columns), heights)
    grid = np.meshgrid(np.linspace(xs[0], xs[-1], columns), np.linspace(ys[0], ys[-1], rows))
    figure = _new_figure()
    axes = figure.add_axes((0, 0, 1, 1), projection="3d", computed_zorder=False)
    figure.text(_MAP[0] / _WIDTH, 0.96, f"{title}, losses {heights.min():.5g} to {heights.max():.5g}")
    axes.plot_surface(*grid, parts, cmap=_COLOURS, rcount=rows, ccount=columns, vmin=0, vmax=1)
    _draw_path(axes, path[:, 0], path[:, 1], _scaled(path[:, 2], heights) + 0.01)
    axes.set(zlim=(0, 1))
    axes.view_init(elev=35, azim=-60)
    axes.set_axis_off()
    return figure


def landscape_pictures(tag: str, body: bytes) -> dict[str, Picture]:
    """Return {"contour": …, "surface": …} of a LossLandscape; empty if it holds no grid.

    Without matplotlib they are skipped with a warning: the losses, which take long to compute, are in MindSpore's file
    anyway.
    """
    landscape = _read(body)
    if landscape is None:
        return {}
    try:
        figures = {"contour": _contour(landscape, tag), "surface": _surface(landscape, tag)}
    except ImportError as error:
        warn_once("landscape_pictures", f"The pictures of {tag!r} are left out: {error}")
        return {}
    return {name: Picture(_HEIGHT, _WIDTH, 4, picture_of(figure)) for name, figure in figures.items()}
