"""The mathematics of loss landscapes: two directions in parameter space, a grid along them, and the losses there. Their
pictures, drawn by matplotlib: a contour map and a surface in perspective, both with the trajectory of the training.

Colours follow ``log1p`` of the height above the lowest point, in units of the median height: both the valley and the
walls show.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from mindspore_compat._api.errors import warn_once
from mindspore_compat._format.events import DATA_TYPES, Picture
from mindspore_compat._format.proto import summary as summary_messages
from mindspore_compat._format.proto.summary import LossLandscape
from mindspore_compat._runtime.module_tree import named_parameters
from mindspore_compat.train._figures import new_figure, picture_of
from mindspore_compat.train.metrics import get_metrics

_MARGIN = 0.2
_RANDOM_REACH = 5
Arrays = dict[str, np.ndarray]


class Plane(NamedTuple):
    """Points ``final + x · first + y · second``; ``path`` has the (x, y) of the checkpoints, empty for random
    directions.
    """

    final: Arrays
    first: Arrays
    second: Arrays
    xs: np.ndarray
    ys: np.ndarray
    path: np.ndarray


def _moves(name: str) -> bool:
    return ("weight" in name or "bias" in name) and "moment" not in name


def _split(vector: np.ndarray, like: Arrays) -> Arrays:
    found, place = {}, 0
    for name, array in like.items():
        found[name] = vector[place : place + array.size].reshape(array.shape).astype(np.float32)
        place += array.size
    return found


def _scaled(direction: Arrays, final: Arrays) -> Arrays:
    """Scale each Parameter's part to the norm of the Parameter; parts of fixed Parameters become zero."""
    result = {}
    for name, array in final.items():
        part = direction.get(name)
        length = float(np.linalg.norm(part)) if part is not None and _moves(name) else 0.0
        result[name] = (
            part * (np.linalg.norm(array) / length)
            if part is not None and length
            else np.zeros_like(array, dtype=np.float32)
        )
    return result


def _flat(arrays: Arrays) -> np.ndarray:
    return np.concatenate([array.reshape(-1) for name, array in arrays.items() if _moves(name)])


def _principal(matrix: np.ndarray) -> np.ndarray:
    """Return the two first principal components of the columns, signs fixed by their largest entries."""
    u, s, _ = np.linalg.svd(matrix - matrix.mean(axis=0), full_matrices=False)
    u, s = u[:, :2], s[:2]
    return u * np.sign(u[np.abs(u).argmax(axis=0), range(u.shape[1])]) * s


def pca_plane(checkpoints: list[Arrays], size: int) -> Plane:
    """Return the plane through the last checkpoint along the main directions of the trajectory."""
    final = checkpoints[-1]
    moving = {name: array for name, array in final.items() if _moves(name)}
    end = _flat(final)
    components = _principal(np.stack([_flat(item) - end for item in checkpoints[:-1]]).astype(np.float64).T)
    first, second = (_scaled(_split(components[:, column], moving), final) for column in (0, -1))
    basis = np.stack([_flat(first), _flat(second)]).T
    path = np.array([np.linalg.lstsq(basis, _flat(item) - end, rcond=None)[0] for item in checkpoints], np.float64)
    axes = []
    for column in path.T:
        low, high = column.min(), column.max()
        axes.append(np.linspace(low - _MARGIN * (high - low), high + _MARGIN * (high - low), size))
    return Plane(final, first, second, axes[0], axes[1], path)


def random_plane(final: Arrays, size: int) -> Plane:
    """Return the plane through a checkpoint along two random directions."""
    total = sum(array.size for array in final.values())
    first, second = (_scaled(_split(np.random.normal(size=total), final), final) for _ in range(2))
    axis = np.linspace(-_MARGIN * _RANDOM_REACH, _MARGIN * _RANDOM_REACH, size)
    return Plane(final, first, second, axis, axis, np.zeros((0, 2)))


def losses_of(callback_fn: Callable[[], Any], plane: Plane, points: np.ndarray, num_samples: int) -> list[float]:
    """Return the loss at each (x, y), over the user's dataset."""
    model, network, dataset, metrics = callback_fn()
    dataset = dataset.take(max(num_samples // dataset.get_batch_size(), 1))
    batches = list(dataset.create_tuple_iterator(num_epochs=1))
    train_network = model.train_network
    if getattr(train_network, "optimizer", None) is not None and hasattr(train_network, "network"):
        train_network = train_network.network  # the loss only: no training here
    train_network.set_train(True)
    parameters = {getattr(parameter, "name", None) or name: parameter for name, parameter in named_parameters(network)}
    metric = get_metrics(metrics)["Loss"]
    found = []
    with torch.no_grad():
        for x, y in points:
            for name, array in plane.final.items():
                if name in parameters:
                    value = (array + x * plane.first[name] + y * plane.second[name]).astype(array.dtype)
                    parameters[name].data.copy_(torch.from_numpy(np.ascontiguousarray(value)))
            metric.clear()
            for batch in batches:
                outputs = train_network(*batch)
                metric.update(outputs[0] if isinstance(outputs, tuple) else outputs)
            found.append(float(metric.eval()))
    return found


def _fill(target: Any, array: np.ndarray) -> None:
    target.data_type = DATA_TYPES[str(array.dtype)]
    target.dims.extend(array.shape)
    target.float_data.extend(array.reshape(-1).tolist())


def _fill_point(target: Any, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
    for name, array in (("x", x), ("y", y), ("z", z)):
        _fill(getattr(target, name), array)


def landscape_message(
    plane: Plane, numbers: list[int], path_losses: list[float], grid_losses: list[float], unit: str, step_per_epoch: int
) -> Any:
    """Return the LossLandscape of the computed losses; ``numbers`` are the steps or epochs of the path."""
    message = LossLandscape()
    grid = np.array(grid_losses, np.float64).reshape(len(plane.ys), len(plane.xs))
    _fill_point(message.landscape, plane.xs, plane.ys, grid)
    if len(plane.path):
        message.loss_path.intervals.extend(numbers)
        _fill_point(message.loss_path.points, plane.path[:, 0], plane.path[:, 1], np.array(path_losses, np.float64))
        _fill_point(message.convergence_point, np.array([0]), np.array([0]), np.array(path_losses[-1:], np.float64))
    else:
        middle = len(plane.xs) // 2
        _fill_point(
            message.convergence_point,
            plane.xs[middle : middle + 1],
            plane.ys[middle : middle + 1],
            grid[middle, middle : middle + 1],
        )
    message.metadata.decomposition = "PCA" if len(plane.path) else "Random"
    message.metadata.unit, message.metadata.step_per_epoch = unit, step_per_epoch
    return message


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


def _relative(heights: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Return heights as 0…1; ``of`` are those of the grid."""
    unit = float(np.median(of - of.min())) or 1.0
    top = float(np.log1p((of.max() - of.min()) / unit)) or 1.0
    return np.asarray(np.log1p(np.clip(heights - of.min(), 0, None) / unit) / top).clip(0, 1)


def _absolute(part: float, of: np.ndarray) -> float:
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
    parts = _relative(heights, heights)
    filled = axes.contourf(xs, ys, parts, levels, cmap=_COLOURS)
    axes.contour(xs, ys, parts, levels, colors="black", linewidths=0.5, alpha=0.4)
    ticks = np.linspace(0, 1, 5)
    scale = figure.colorbar(filled, cax=figure.add_axes(_place(*_SCALE)), ticks=ticks)
    scale.ax.set_yticklabels([f"{_absolute(part, heights):.5g}" for part in ticks])
    _draw_path(axes, path[:, 0], path[:, 1])
    axes.set(xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]))
    return figure


def _surface(landscape: _Landscape, title: str) -> Any:
    """Return the surface, lit from the left."""
    xs, ys, heights, path = landscape
    rows, columns = (min(max(2 * len(axis), 24), _FINEST) for axis in (ys, xs))
    parts = _relative(_resampled(heights, rows, columns), heights)
    grid = np.meshgrid(np.linspace(xs[0], xs[-1], columns), np.linspace(ys[0], ys[-1], rows))
    figure = _new_figure()
    axes = figure.add_axes((0, 0, 1, 1), projection="3d", computed_zorder=False)
    figure.text(_MAP[0] / _WIDTH, 0.96, f"{title}, losses {heights.min():.5g} to {heights.max():.5g}")
    axes.plot_surface(*grid, parts, cmap=_COLOURS, rcount=rows, ccount=columns, vmin=0, vmax=1)
    _draw_path(axes, path[:, 0], path[:, 1], _relative(path[:, 2], heights) + 0.01)
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
