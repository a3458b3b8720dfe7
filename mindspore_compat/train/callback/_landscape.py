"""Loss landscapes: their data from a run (`LandscapeData`), and `SummaryLandscape`, which computes them afterwards.

MindSpore: ``mindspore.train.callback.SummaryLandscape``.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import torch

from mindspore_compat import context
from mindspore_compat._api.validate import check_bool, check_int, check_number, check_one_of, check_str_in, check_type
from mindspore_compat._format.source import read_json
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._runtime.module_tree import named_parameters
from mindspore_compat.train.serialization import load_checkpoint, save_checkpoint
from mindspore_compat.train.summary._checks import make_directory
from mindspore_compat.train.summary._landscape import (
    Arrays,
    Plane,
    landscape_message,
    landscape_pictures,
    losses_of,
    pca_plane,
    random_plane,
)
from mindspore_compat.train.summary.summary_record import SummaryRecord

__all__ = ["SummaryLandscape", "LandscapeData", "DEFAULT_LANDSCAPE"]

_OWNER = "collect_landscape"
_METADATA = tuple(
    "epoch_group model_params_file_map step_per_epoch unit num_samples landscape_size create_landscape".split()
)
DEFAULT_LANDSCAPE: dict[str, Any] = {
    "landscape_size": 40,
    "unit": "step",
    "num_samples": 2048,
    "create_landscape": {"train": True, "result": True},
    "intervals": [[1, 2, 3, 4, 5, 6, 7, 8, 9], [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]],
}


def check_landscape(options: dict[str, Any], needs_intervals: bool = True) -> None:
    """Raise for keys, types or values that ``collect_landscape`` does not accept."""
    unknown = set(options) - set(DEFAULT_LANDSCAPE)
    if unknown:
        raise ValueError(f"For '{_OWNER}', there are no keys {sorted(unknown)}; there are {list(DEFAULT_LANDSCAPE)}.")
    check_number(options.get("landscape_size", 40), "landscape_size", _OWNER, (int,), 3, 256)
    check_str_in(options.get("unit", "step"), "unit", ("step", "epoch"), _OWNER)
    check_int(options.get("num_samples", 2048), "num_samples", _OWNER)
    create = check_type(options.get("create_landscape", {}), "create_landscape", dict, _OWNER)
    for name, value in create.items():
        check_bool(value, check_one_of(name, "create_landscape", ("train", "result"), _OWNER), _OWNER)
    if needs_intervals or "intervals" in options:
        intervals: Any = check_type(options.get("intervals"), "intervals", list, _OWNER)
        for interval in intervals:
            if len(check_type(interval, "intervals", list, _OWNER)) < 3:
                raise ValueError(f"For '{_OWNER}', no interval may have less than three numbers, but got {interval}.")
            for item in interval:
                check_int(item, "intervals", _OWNER)


class LandscapeData:
    """Writer of a run's data to ``SUMMARY_DIR/ckpt_dir``.

    Args:
        options: ``collect_landscape`` of `SummaryCollector`.

    Raises:
        TypeError, ValueError: for wrong options.
    """

    def __init__(self, summary_dir: str, options: dict[str, Any]) -> None:
        check_landscape(options)
        self._options = {**DEFAULT_LANDSCAPE, **options}
        self._folder = make_directory(os.path.join(summary_dir, "ckpt_dir"), "ckpt_dir")
        self._files: dict[str, str] = {}
        self._wanted = {item for interval in self._options["intervals"] for item in interval}

    def save(self, cb_params: Any, unit: str, later: Callable[..., None]) -> None:
        """Save the Parameters, if this step (or epoch) is one of an interval; ``later(function, *arguments, size=…)``
        runs it in the background.
        """
        number = cb_params.cur_epoch_num if unit == "epoch" else cb_params.cur_step_num
        if unit != self._options["unit"] or number not in self._wanted:
            return
        network = _innermost(cb_params.network)
        path = os.path.join(self._folder, f"{type(network).__name__}_{number}_{unit}.ckpt")
        self._files[str(number)] = path
        if os.path.isfile(path):
            return
        with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
            values = [
                {"name": getattr(parameter, "name", None) or name, "data": parameter.detach().clone()}
                for name, parameter in named_parameters(network)
            ]
        later(save_checkpoint, values, path, size=sum(item["data"].nbytes for item in values))

    def save_metadata(self, step_per_epoch: int) -> None:
        """Write ``train_metadata.json``, unless it exists."""
        path = os.path.join(self._folder, "train_metadata.json")
        if os.path.isfile(path):
            return
        options = self._options
        data = {
            "epoch_group": {str(i): list(interval) for i, interval in enumerate(options["intervals"])},
            "model_params_file_map": self._files,
            "step_per_epoch": step_per_epoch,
            **{key: options[key] for key in ("unit", "num_samples", "landscape_size", "create_landscape")},
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(data, file)
        os.chmod(path, 0o400)


def _innermost(network: Any) -> Any:
    """Return the network inside of loss, training and similar wrappers."""
    while True:
        inner = getattr(network, "_backbone", None)
        inner = inner if inner is not None else getattr(network, "network", None)
        if inner is None or not hasattr(inner, "named_parameters"):
            return network
        network = inner


def _losses_in_worker(
    callback_fn: Callable[[], Any], plane: Plane, points: np.ndarray, num_samples: int, device_id: int
) -> list[float]:
    """Return a worker's share of the losses."""
    torch.set_num_threads(1)
    context.set_context(device_id=device_id)
    return losses_of(callback_fn, plane, points, num_samples)


class SummaryLandscape:
    """Computation of loss landscapes from checkpoints of `SummaryCollector` (``collect_landscape``).

    Args:
        summary_dir: the collector's folder.
    """

    def __init__(self, summary_dir: str) -> None:
        self._summary_dir = make_directory(summary_dir, "summary_dir")
        self._ckpt_dir = make_directory(os.path.join(self._summary_dir, "ckpt_dir"), "ckpt_dir")

    def clean_ckpt(self) -> None:
        """Remove the checkpoints and their metadata."""
        shutil.rmtree(self._ckpt_dir, ignore_errors=True)

    def gen_landscapes_with_multi_process(
        self,
        callback_fn: Callable[[], Any],
        collect_landscape: dict | None = None,
        device_ids: list[int] | None = None,
        output: str | None = None,
    ) -> None:
        """Compute and record the landscapes: of each interval along PCA directions, and of the end along random ones.

        Pictures of each, landscape_FIRST_LAST_contour.png and landscape_FIRST_LAST_surface.png, go beside the summary
        file.

        Args:
            callback_fn: takes nothing, returns (Model without optimizer, network, dataset, metrics with "Loss"); with
                several devices it must be a function that worker processes can import.
            collect_landscape: replaces landscape_size, unit, num_samples, create_landscape, intervals of the run.
            device_ids: a worker process for each, if there are several; None is [0].
            output: folder of the summary file, default the collector's.

        Raises:
            TypeError, ValueError: for wrong arguments, or files of the run that are damaged, with their names.
                FileNotFoundError: if the run saved nothing for landscapes.
        """
        devices = device_ids or [0]
        if collect_landscape is not None:
            check_type(collect_landscape, "collect_landscape", dict, "SummaryLandscape")
            check_landscape(collect_landscape, needs_intervals=False)
        data = self._metadata(collect_landscape)
        folder = output if output is not None else self._summary_dir
        with SummaryRecord(folder) as record:
            for interval, message in self._landscapes(callback_fn, data, devices):
                record.add_value("landscape", f"landscape_{interval}", message)
                record.record(0)
                record.flush()
                _save_pictures(folder, interval, message)

    def _metadata(self, changes: dict | None) -> dict[str, Any]:
        """Return the run's metadata with the user's changes, which are also written back."""
        path = os.path.join(self._ckpt_dir, "train_metadata.json")
        if not os.path.exists(path):
            raise FileNotFoundError(
                f"There is no {path}: train with a SummaryCollector whose 'collect_landscape' is set."
            )
        data = _read_metadata(path)
        if changes is not None:
            data.update({key: value for key, value in changes.items() if key in data})
            if "intervals" in changes:
                data["epoch_group"] = {str(i): list(interval) for i, interval in enumerate(changes["intervals"])}
            os.unlink(path)  # it is read-only
            with open(path, "w", encoding="utf-8") as file:
                json.dump(data, file)
            os.chmod(path, 0o400)
        return data

    def _landscapes(
        self, callback_fn: Callable[[], Any], data: dict[str, Any], devices: list[int]
    ) -> Iterator[tuple[list[int], Any]]:
        groups, create, size = list(data["epoch_group"].values()), data["create_landscape"], data["landscape_size"]
        for numbers in groups if create.get("train") else []:
            plane = pca_plane([self._parameters(data, number) for number in numbers], size)
            yield [numbers[0], numbers[-1]], self._landscape(callback_fn, data, devices, plane, numbers)
        if create.get("result"):
            last = groups[-1][-1]
            yield (
                [last],
                self._landscape(callback_fn, data, devices, random_plane(self._parameters(data, last), size), [last]),
            )

    def _parameters(self, data: dict[str, Any], number: int) -> Arrays:
        path = data["model_params_file_map"].get(str(number))
        if path is None:
            raise ValueError(
                f"There is no checkpoint of {data['unit']} {number}, but of {list(data['model_params_file_map'])}."
            )
        return {name: value.asnumpy() for name, value in load_checkpoint(path).items()}

    @staticmethod
    def _landscape(
        callback_fn: Callable[[], Any], data: dict[str, Any], devices: list[int], plane: Plane, numbers: list[int]
    ) -> Any:
        """Return the losses of path and grid, shared among the devices."""
        grid = np.stack(np.meshgrid(plane.xs, plane.ys), axis=-1).reshape(-1, 2)
        points = np.concatenate([plane.path, grid])
        if len(devices) == 1:
            losses = losses_of(callback_fn, plane, points, data["num_samples"])
        else:
            method = (
                "fork" if current_device() is CPU and "fork" in multiprocessing.get_all_start_methods() else "spawn"
            )
            with ProcessPoolExecutor(len(devices), mp_context=multiprocessing.get_context(method)) as pool:
                shares = [
                    pool.submit(_losses_in_worker, callback_fn, plane, share, data["num_samples"], device)
                    for device, share in zip(devices, np.array_split(points, len(devices)))
                ]
                losses = [loss for share in shares for loss in share.result()]
        known = len(plane.path)
        return landscape_message(plane, numbers, losses[:known], losses[known:], data["unit"], data["step_per_epoch"])


def _read_metadata(path: str) -> dict[str, Any]:
    """Return ``train_metadata.json``; raise ValueError with its path if its form is not that of `LandscapeData`."""
    data: dict[str, Any] = read_json(path)
    if set(data) != set(_METADATA):
        raise ValueError(f"The file {path} must have {list(_METADATA)}, but has {list(data)}.")
    groups, files = data["epoch_group"], data["model_params_file_map"]
    try:
        if not all(isinstance(item, dict) for item in (groups, files)) or not all(
            isinstance(name, str) for name in files.values()
        ):
            raise ValueError("'epoch_group' and 'model_params_file_map' must be objects, of lists and of file names")
        check_int(data["step_per_epoch"], "step_per_epoch", "SummaryLandscape")
        options = {key: data[key] for key in ("landscape_size", "unit", "num_samples", "create_landscape")}
        check_landscape({**options, "intervals": list(groups.values())})
    except (TypeError, ValueError) as error:
        raise ValueError(f"The file {path} is damaged: {error}") from None
    return data


def _save_pictures(folder: str, interval: list[int], message: Any) -> None:
    for name, picture in landscape_pictures(f"landscape_{interval}", message.SerializeToString()).items():
        with open(os.path.join(folder, f"landscape_{'_'.join(map(str, interval))}_{name}.png"), "wb") as file:
            file.write(picture.png)
