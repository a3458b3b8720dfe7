"""The mathematics of loss landscapes: two directions in parameter space, a grid along them, and the losses there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from mindspore_compat._format.events import DATA_TYPES
from mindspore_compat._format.proto.summary import LossLandscape
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
    parameters = {getattr(parameter, "name", None) or name: parameter for name, parameter in network.named_parameters()}
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
