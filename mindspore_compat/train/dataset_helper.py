"""Batches of a run from a dataset. MindSpore: ``mindspore.train.dataset_helper``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_leaves

from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._runtime.placement import LARGEST_BATCH, sent
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.tensor import Tensor

__all__ = ["DatasetHelper", "connect_network_with_dataset"]


def is_mindspore_dataset(dataset: Any) -> bool:
    """Return whether it is a dataset of this package (or works like one), not a DataLoader or another iterable."""
    return hasattr(dataset, "create_tuple_iterator") and hasattr(dataset, "get_dataset_size")


def dataset_size(dataset: Any) -> int:
    """Return the batches in an epoch.

    Raises:
        TypeError: if the dataset does not say.
    """
    if is_mindspore_dataset(dataset):
        return dataset.get_dataset_size()
    try:
        return len(dataset)
    except TypeError:
        raise TypeError(
            f"The dataset must be a Dataset or an iterable that has a length, but got {type(dataset)}."
        ) from None


def _as_tuple(batch: Any, plain: bool) -> tuple[Any, ...]:
    if isinstance(batch, Mapping):
        return (batch,) if plain else tuple(batch.values())
    return tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)


def _on_device(value: Any, plain: bool) -> Any:
    """Return a batch's column for the network: a Tensor, or a plain torch tensor for torch networks, on the current
    device.
    """
    if not isinstance(value, torch.Tensor):
        if plain and _is_nested(value):
            return _nested_on_device(value)
        value = torch.as_tensor(value) if plain else Tensor(value)
    device = current_device()
    if device is not CPU and value.device != device:
        value = sent(value, device, LARGEST_BATCH) if value.device == CPU else value.to(device, non_blocking=True)
    if plain:
        return value if type(value) is torch.Tensor else torch._C.TensorBase.detach(value)
    return wrap(value)


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, (tuple, list)) and any(not isinstance(item, (int, float)) for item in value)
    )


def _nested_on_device(value: Any) -> Any:
    """Return a nested batch of a DataLoader: its tensors and arrays on the device, all else (texts) unchanged."""
    if isinstance(value, Mapping):
        return {key: _nested_on_device(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        items = [_nested_on_device(item) for item in value]
        is_namedtuple = hasattr(value, "_fields")  # which takes them one by one
        return type(value)(*items) if is_namedtuple else type(value)(items)
    return _on_device(value, True) if isinstance(value, (torch.Tensor, np.ndarray, np.generic)) else value


def init_step(dataset: Any) -> int:
    """Return the step that a dataset begins at; 0 for datasets without one, such as a user's own."""
    told = getattr(dataset, "get_init_step", None)
    return told() if callable(told) else 0


def epochs(dataset: Any, number: int, plain: bool = False, behind: int = 0) -> Iterator[Iterable[tuple[Any, ...]]]:
    """Yield an iterable of batches (tuples on the current device) for each of ``number`` epochs.

    Args:
        behind: epochs that a run leaves out; a dataset with `set_init_step` begins behind them by itself.
    """
    if is_mindspore_dataset(dataset):
        whole = number + behind if init_step(dataset) else number
        iterator = dataset.create_tuple_iterator(num_epochs=whole, do_copy=False)
        for _ in range(number):
            yield _one_pass(iterator, plain)
    else:
        for _ in range(number):
            yield _one_pass(dataset, plain)


def _one_pass(batches: Iterable[Any], plain: bool) -> Iterator[tuple[Any, ...]]:
    for batch in batches:  # only here a DataLoader draws its order: when the epoch has begun
        yield tuple([_on_device(value, plain) for value in _as_tuple(batch, plain)])


def resumed_epochs(
    dataset: Any, first: int, last: int, plain: bool, behind: int, then: Callable[[], None]
) -> Iterator[Iterable[tuple[Any, ...]]]:
    """Yield as `epochs`, for a run with ``behind`` finished batches of the epoch ``first`` (counted from 0); ``then``
    is called after these.
    """
    size = dataset_size(dataset)
    if behind >= size:
        yield _without(dataset, (), 0, then)
        first += 1
    if first == last:
        return
    found = epochs(dataset, last - first, plain)
    if is_mindspore_dataset(dataset) and hasattr(dataset, "set_init_step"):  # its order depends on the epoch
        kept = init_step(dataset)
        dataset.set_init_step(first * size)
        try:
            iterator = dataset.create_tuple_iterator(num_epochs=last, do_copy=False)
        finally:
            dataset.set_init_step(kept)
        found = (_one_pass(iterator, plain) for _ in range(first, last))
    for number, batches in enumerate(found):
        yield _without(dataset, batches, behind, then) if not number and behind < size else batches


def _without(
    dataset: Any, batches: Iterable[tuple[Any, ...]], behind: int, then: Callable[[], None]
) -> Iterator[tuple[Any, ...]]:
    iterator = iter(batches)
    for _ in islice(iterator, behind):
        pass
    ahead = 1 if _reads_ahead(dataset) else 0  # the run had read one more: see `prefetched`
    first = list(islice(iterator, ahead))
    then()
    yield from first
    yield from iterator


def endless(dataset: Any, plain: bool = False) -> Iterator[tuple[Any, ...]]:
    """Yield batch after batch, over all epochs, for sinking with ``sink_size``."""
    source = _passes(dataset, -1)
    while True:
        yield from _one_pass(source, plain)


def _passes(dataset: Any, number: int) -> Iterable[Any]:
    """Return an iterable for ``number`` iterations (-1: always): each is an epoch, which a shuffle orders anew."""
    return dataset.create_tuple_iterator(num_epochs=number, do_copy=False) if is_mindspore_dataset(dataset) else dataset


def prefetched(dataset: Any, batches: Iterable[tuple[Any, ...]]) -> Iterable[tuple[Any, ...]]:
    """Return the dataset's batches; on a GPU each is read, and copied on a separate stream, during the computation of
    the one before.
    """
    return _one_ahead(batches) if _reads_ahead(dataset) else batches


def _reads_ahead(dataset: Any) -> bool:
    """Return whether to read ahead: on a GPU, unless `sync_wait` or a `WaitedDSCallback` ties rows to steps."""
    return current_device().type == "cuda" and not (is_mindspore_dataset(dataset) and _waits(dataset))


def _waits(node: Any) -> bool:
    if any(hasattr(item, "sync_step_begin") for item in getattr(node, "callbacks", ())):
        return True
    is_sync = getattr(node, "is_sync", None)
    return bool(is_sync and is_sync()) or any(map(_waits, getattr(node, "children", ())))


def _one_ahead(batches: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    device = current_device()
    stream, iterator = torch.cuda.Stream(device), iter(batches)

    def load() -> tuple[Any, ...] | None:
        with torch.cuda.stream(stream):
            return next(iterator, None)

    ready = load()
    while ready is not None:
        compute = torch.cuda.current_stream(device)
        compute.wait_stream(stream)
        for value in tree_leaves(ready):
            if isinstance(value, torch.Tensor) and value.is_cuda:
                value.record_stream(compute)  # its memory stays until the computation is done
        current, problem = ready, None
        try:
            ready = load()
        except Exception as error:  # of the next batch: train with this one before
            problem = error
        yield current
        if problem is not None:
            raise problem


class DatasetHelper:
    """Iterator over a dataset's batches for custom loops; each pass is an epoch, or ``sink_size`` batches when sinking.
    A pass left early resumes at that batch.

    Args:
        dataset: a mindspore.dataset Dataset.
        dataset_sink_mode: on one device without a data queue it only decides whether ``sink_size`` counts.
        sink_size: batches of a pass; -1 is the whole dataset.
        epoch_num: passes there may be, -1 for any number; without effect when sinking.

    Raises:
        RuntimeError: for a pass after the last of ``epoch_num``.
    """

    def __init__(self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1) -> None:
        if sink_size < -1 or sink_size == 0:
            raise ValueError(f"The 'sink_size' must be -1 or positive, but got sink_size {sink_size}.")
        self.dataset, self.dataset_sink_mode = dataset, dataset_sink_mode
        self._size = dataset_size(dataset)
        self._sink_size = self._size if sink_size == -1 else sink_size
        self._endless = endless(dataset) if dataset_sink_mode and sink_size not in (-1, self._size) else None
        self._source = _passes(dataset, -1 if dataset_sink_mode else epoch_num) if self._endless is None else ()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        if self._endless is not None:
            return (next(self._endless) for _ in range(self._sink_size))
        return _one_pass(self._source, False)

    def sink_size(self) -> int:
        """Return the batches of a pass."""
        return self._sink_size if self.dataset_sink_mode else 1

    def stop_send(self) -> None:
        """Do nothing: there is no queue."""

    def release(self) -> None:
        """Do nothing: no resource is held."""

    def continue_send(self) -> None:
        """Do nothing: there is no queue."""

    def get_data_info(self) -> Any:
        """Return (types, shapes) of the columns."""
        return self.types_shapes()

    def types_shapes(self) -> tuple[Any, Any]:
        """Return (types, shapes) of the columns."""
        return self.dataset.output_types(), self.dataset.output_shapes()


def connect_network_with_dataset(network: Any, dataset_helper: DatasetHelper) -> Any:
    """Return the network itself: without a device queue the helper provides its inputs."""
    return network
