"""Moves of Tensors and modules made before the device was chosen. In MindSpore, too, contents reach the device only on
use. A Tensor or Parameter stays the same object; a tensor of torch outside of modules is not moved.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from mindspore_compat._runtime import device as _device
from mindspore_compat._runtime.module_tree import modules

_followed: list[type] = []
#: context without recording; `_graph.program` sets it
unrecorded: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext


def follow(kind: type) -> None:
    """Move objects of this class, a tensor's or a module's, when the device changes."""
    _followed.append(kind)


def _contents(item: object) -> Iterator[torch.Tensor]:
    if isinstance(item, torch.Tensor):
        yield item
    elif isinstance(item, torch.nn.Module) and "_modules" in item.__dict__:
        for part in modules(item):
            held = (*part._parameters.values(), *part._buffers.values())
            yield from (tensor for tensor in held if tensor is not None)
        yield from _contents(item.__dict__.get("ema"))
        optimizer = item.__dict__.get("optimizer")  # of torch, in a step of ours; its counters stay on the host
        if isinstance(optimizer, torch.optim.Optimizer):
            held = tuple(value for state in optimizer.state.values() for value in state.values())
            yield from (value for value in held if isinstance(value, torch.Tensor) and value.dim())


def _living() -> Iterator[torch.Tensor]:
    kinds = tuple(_followed)
    for item in gc.get_objects():
        if issubclass(type(item), kinds) and not hasattr(type(item), "has_no_values"):
            yield from _contents(item)


def _moved(tensor: torch.Tensor, target: torch.device, storages: dict[int, torch.UntypedStorage]) -> torch.Tensor:
    """Return the same values on ``target``, in the moved memory of those that shared it before."""
    if tensor.is_conj() or tensor.is_neg() or not tensor.numel():
        return tensor.to(target)
    place = tensor.untyped_storage()
    if place.data_ptr() not in storages:
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(place)
        storages[place.data_ptr()] = whole.to(target).untyped_storage()
    fresh = torch.empty(0, dtype=tensor.dtype, device=target)
    return fresh.set_(storages[place.data_ptr()], tensor.storage_offset(), tensor.shape, tensor.stride())


def _put(tensors: Iterable[torch.Tensor], source: torch.device, target: torch.device) -> list[tuple]:
    """Move tensors from ``source``; return (tensor, its contents before), to move them back."""
    found = {id(item): item for item in tensors}
    grads = (item.grad for item in list(found.values()) if item.is_leaf and item.grad is not None)
    found.update((id(grad), grad) for grad in list(grads))
    moved: list[tuple] = []
    storages: dict[int, torch.UntypedStorage] = {}
    with torch.no_grad():
        for item in found.values():
            if item.__dict__.get("stays_on_host"):
                continue
            if item.device == source and item.layout is torch.strided and not hasattr(item, "device_mesh"):
                before = item.data
                item.data = _moved(before, target, storages)
                moved.append((item, before))
    return moved


def move(module: torch.nn.Module, target: torch.device) -> bool:
    """Move a module's parameters and buffers from the CPU to ``target``; return whether there was anything to move."""
    if target == _device.CPU:
        return False
    return bool(_put(_contents(module), _device.CPU, target))


def adopted(module: torch.nn.Module) -> None:
    """Move a torch module that becomes a part of a Cell to the Cells' device."""
    move(module, _device.current_device())


def move_all(source: torch.device, target: torch.device) -> None:
    """Move every living Tensor, Parameter and the contents of modules inside of Cells."""
    if source != target:
        _put(_living(), source, target)


@contextlib.contextmanager
def on_cpu(*modules: object) -> Iterator[None]:
    """Move everything to the CPU within the block, then back into the same memory."""
    source = _device.current_device()
    if source == _device.CPU:
        yield
        return
    parts = (item for module in modules for item in _contents(module))
    moved = _put([*_living(), *parts], source, _device.CPU)
    _device._current = _device.CPU
    try:
        yield
    finally:
        _device._current = source
        for item, before in moved:
            item.data = before


# --- from the host, without waiting -----------------------------------------------------------------------------------

_MOST_PINNED = 1 << 20  # bytes; what is larger waits for its copy and leaves no page of the host pinned
#: bytes; batches come again, so pages are pinned for them once
LARGEST_BATCH = 1 << 28


def sent(made: torch.Tensor, device: torch.device, most: int = _MOST_PINNED) -> torch.Tensor:
    """Return a fresh host tensor on ``device``. Up to ``most`` bytes travel without a wait for the device, except where
    a CUDA graph is captured: it would read that memory again.
    """
    size = made.numel() * made.element_size()
    if device.type != "cuda" or made.device.type != "cpu" or not 0 < size <= most:
        return made.to(device)
    if torch.compiler.is_compiling() or torch.cuda.is_current_stream_capturing():
        return made.to(device)
    with unrecorded():  # a recorder takes the result for a tensor from outside
        return made.pin_memory().to(device, non_blocking=True)


def constant(value: Any, device: torch.device, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return a tensor of a number, array, tensor or list of numbers. A CUDA device fills in a number itself, and
    tensors on it stay there.
    """
    if device.type == "cpu" or (isinstance(value, torch.Tensor) and value.device == device):
        return torch.as_tensor(value, dtype=dtype, device=device)
    if isinstance(value, (bool, int, float)):
        return torch.full((), value, dtype=dtype, device=device)
    return sent(torch.as_tensor(value, dtype=dtype, device=_device.CPU), device)
