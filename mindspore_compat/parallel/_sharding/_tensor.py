"""`Sharded`: a Tensor that is torch's DTensor, and its conversion from and to plain ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.distributed.tensor import DTensor, Replicate
from torch.utils._pytree import tree_flatten, tree_map

from mindspore_compat.common.tensor import Tensor
from mindspore_compat.parallel._sharding._mesh import Devices, Placements

_class_of: Any = object.__dict__["__class__"]


class Sharded(Tensor, DTensor):
    """A Tensor of the whole program's shape, of which this process holds its part.

    Operators of torch return DTensors; `wrap_results` converts them, so that the package's own wrapping, which assigns
    to ``__class__``, has no effect.
    """

    #: override mode for torch's functions on it; set by _modes
    handler: Callable[..., Any]

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return Sharded.handler(func, args, kwargs or {})

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return Sharded

    @__class__.setter
    def __class__(self, value: type) -> None:
        pass

    def asnumpy(self) -> np.ndarray:
        """Return the whole tensor's values; all processes must call this."""
        return Tensor(whole(self)).asnumpy()

    def item(self, index: Any = None) -> Any:
        return Tensor(whole(self)).item(index)

    def __bool__(self) -> bool:
        return bool(Tensor(whole(self)))

    def __int__(self) -> int:
        return int(Tensor(whole(self)))

    def __float__(self) -> float:
        return float(Tensor(whole(self)))

    def __index__(self) -> int:
        return Tensor(whole(self)).__index__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return Tensor(whole(self)).__reduce_ex__(protocol)

    def __deepcopy__(self, memodict: dict) -> Any:
        return sharded(local_of(self).detach().clone(), self._spec.mesh, self.placements, tuple(self._spec.shape))


def as_sharded(result: Any) -> Any:
    """Return a DTensor as `Sharded`, in place; other values unchanged."""
    if type(result) is DTensor:
        _class_of.__set__(result, Sharded)
    return result


def wrap_results(result: Any) -> Any:
    """Convert every DTensor in the results of an operator to `Sharded`."""
    if type(result) is DTensor:
        _class_of.__set__(result, Sharded)
        return result
    if isinstance(result, (tuple, list, dict)):
        return tree_map(as_sharded, result)
    return result


def sharded(local: torch.Tensor, mesh: Any, placements: Sequence[Any], shape: Sequence[int] | None = None) -> Any:
    """Return the tensor with ``local`` as this process's part; ``shape`` is the whole one, None if parts are equal."""
    more: dict[str, Any] = {}
    if shape is not None:
        size = torch.Size(shape)
        more = {"shape": size, "stride": torch.empty(size, device="meta").stride()}
    return as_sharded(DTensor.from_local(_plain(local), mesh, list(placements), run_check=False, **more))


def _plain(value: torch.Tensor) -> torch.Tensor:
    return (
        value
        if type(value) is torch.Tensor
        else torch._C.TensorBase.alias(value)
        if value.requires_grad
        else value.detach()
    )


def placed(value: Any, placements: Placements) -> Any:
    """Return the same tensor, redistributed if its placements differ."""
    if tuple(value.placements) == tuple(placements):
        return value
    with torch._C.DisableTorchFunction():
        return as_sharded(DTensor.redistribute(value, value._spec.mesh, list(placements)))


def is_whole(value: Any) -> bool:
    """Return whether every process holds all of it."""
    return all(isinstance(item, Replicate) for item in value.placements)


def local_of(value: Any) -> torch.Tensor:
    """Return this process's part, without its graph."""
    return value._local_tensor


def whole(value: Any) -> torch.Tensor:
    """Return all of it as a plain tensor without its graph; all processes must call this."""
    with torch.no_grad():
        return local_of(placed(_detached(value), (Replicate(),) * len(value.placements)))


def _detached(value: Any) -> Any:
    with torch._C.DisableTorchFunction():
        return as_sharded(torch.Tensor.detach(value))


def tensors_in(*values: Any) -> list[Any]:
    """Return all tensors in nested arguments."""
    return [item for item in tree_flatten(values)[0] if isinstance(item, torch.Tensor)]


def of(devices: Devices, local: torch.Tensor) -> Any:
    """Return a tensor that every process holds."""
    return sharded(local, devices.mesh, devices.replicated)
