"""How a run takes its batches from a dataset. Upstream: ``mindspore.train.dataset_helper``."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from mindspore_compat._api.validate import check_bool, check_int
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.tensor import Tensor

__all__ = ["DatasetHelper", "connect_network_with_dataset"]


def is_mindspore_dataset(dataset: Any) -> bool:
    """Whether it is one of ours (or works like one), and not a DataLoader or another iterable."""
    return hasattr(dataset, "create_tuple_iterator") and hasattr(dataset, "get_dataset_size")


def dataset_size(dataset: Any) -> int:
    """Batches in an epoch.

    Raises:
        TypeError: if the dataset does not tell.
    """
    if is_mindspore_dataset(dataset):
        return dataset.get_dataset_size()
    try:
        return len(dataset)
    except TypeError:
        raise TypeError("The dataset must be a mindspore.dataset Dataset, or an iterable of batches that has a length (such as a "
                        f"torch DataLoader over a map-style dataset), but got {type(dataset).__name__}.") from None


def _as_tuple(batch: Any) -> tuple[Any, ...]:
    if isinstance(batch, dict):
        return tuple(batch.values())
    return tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)


def _on_device(value: Any, plain: bool) -> Any:
    """A batch's column as what the network takes: a Tensor, or a plain torch tensor for torch networks, on the current device."""
    if not isinstance(value, torch.Tensor):
        value = torch.as_tensor(value) if plain else Tensor(value)
    device = current_device()
    if device is not CPU and value.device != device:
        value = (value.pin_memory() if value.device.type == "cpu" and device.type == "cuda" else value).to(device, non_blocking=True)
    if plain:
        return value if type(value) is torch.Tensor else torch._C.TensorBase.detach(value)
    return wrap(value)


def epochs(dataset: Any, number: int, plain: bool = False) -> Iterator[Iterable[tuple[Any, ...]]]:
    """For each epoch, an iterable of batches (tuples on the current device)."""
    if is_mindspore_dataset(dataset):
        iterator = dataset.create_tuple_iterator(num_epochs=number, do_copy=False)
        for _ in range(number):
            yield (tuple([_on_device(value, plain) for value in batch]) for batch in iterator)
    else:
        for _ in range(number):
            yield (tuple([_on_device(value, plain) for value in _as_tuple(batch)]) for batch in dataset)


def endless(dataset: Any, plain: bool = False) -> Iterator[tuple[Any, ...]]:
    """Batch after batch, the dataset from the start again whenever it ends: what sinking with ``sink_size`` reads."""
    while True:
        for batches in epochs(dataset, 1, plain):
            yield from batches


def prefetched(batches: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """The batches, each copied to the GPU on a stream of its own while the one before is computed with."""
    device = current_device()
    stream, iterator = torch.cuda.Stream(device), iter(batches)

    def load() -> tuple[Any, ...] | None:
        with torch.cuda.stream(stream):
            return next(iterator, None)

    ready = load()
    while ready is not None:
        compute = torch.cuda.current_stream(device)
        compute.wait_stream(stream)
        for value in ready:
            value.record_stream(compute)  # its memory stays until the computation is through
        current, ready = ready, load()
        yield current


class DatasetHelper:
    """Iterates over a dataset's batches in a loop of one's own; each pass is an epoch, or ``sink_size`` batches when sinking.

    Args:
        dataset: a mindspore.dataset Dataset.
        dataset_sink_mode: on one device without a data queue it only decides whether ``sink_size`` counts.
        sink_size: batches of a pass; -1 is the whole dataset.
        epoch_num: passes to expect.
    """

    def __init__(self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1) -> None:
        check_bool(dataset_sink_mode, "dataset_sink_mode", "DatasetHelper")
        check_int(sink_size, "sink_size", "DatasetHelper")
        if sink_size < -1 or sink_size == 0:
            raise ValueError(f"The 'sink_size' must be -1 or positive, but got sink_size {sink_size}.")
        self.dataset, self.dataset_sink_mode = dataset, dataset_sink_mode
        self._size = dataset_size(dataset)
        self._sink_size = self._size if sink_size == -1 else sink_size
        self._endless = endless(dataset) if dataset_sink_mode and sink_size not in (-1, self._size) else None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        if self._endless is not None:
            return (next(self._endless) for _ in range(self._sink_size))
        return iter(next(epochs(self.dataset, 1)))

    def sink_size(self) -> int:
        """Batches of a pass."""
        return self._sink_size if self.dataset_sink_mode else 1

    def stop_send(self) -> None:
        """Nothing is sent to a queue."""

    def release(self) -> None:
        """Nothing is held."""

    def continue_send(self) -> None:
        """Nothing is sent to a queue."""

    def get_data_info(self) -> Any:
        """(types, shapes) of the columns."""
        return self.types_shapes()

    def types_shapes(self) -> tuple[Any, Any]:
        """(types, shapes) of the columns."""
        return self.dataset.output_types(), self.dataset.output_shapes()


def connect_network_with_dataset(network: Any, dataset_helper: DatasetHelper) -> Any:
    """The network itself: without a device queue it takes its inputs from the helper.

    Raises:
        RuntimeError: if the helper does not sink.
    """
    if not dataset_helper.dataset_sink_mode:
        raise RuntimeError("The API 'connect_network_with_dataset' should be called in dataset sink mode. "
                           "Build the helper as DatasetHelper(dataset, dataset_sink_mode=True).")
    return network
