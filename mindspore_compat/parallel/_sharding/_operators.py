"""torch's operators on DTensors. Operators with correct rules in DTensor use those; a few have rules here; the others
compute on the whole tensors, which is correct but slow, and logged once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from mindspore_compat import log
from mindspore_compat._runtime.device import current_device
from mindspore_compat.parallel._sharding._rules import RULES, moved, name_of
from mindspore_compat.parallel._sharding._tensor import tensors_in

_aten = torch.ops.aten
#: names of operators that DTensor computes correctly; those with torch's tag "pointwise" as well
_TRUSTED = frozenset(
    """
    mm addmm bmm baddbmm dot mv t transpose reshape expand permute unsqueeze squeeze sum mean amax
    amin max min var native_layer_norm native_layer_norm_backward _softmax _softmax_backward_data _log_softmax
    _log_softmax_backward_data cat stack split slice select slice_backward select_backward clone detach alias ones_like
    zeros_like full_like empty_like _to_copy linalg_vector_norm cumsum new_zeros new_ones new_full lift_fresh
    """.split()
)
_said: set[str] = set()


class Operators(TorchDispatchMode):
    """Dispatch mode for every operator of aten, also those of the backward pass.

    Args:
        devices: what tensors are cut over.
    """

    def __init__(self, devices: Any) -> None:
        super().__init__()
        self.devices = devices
        self.draws_alike = False  # the processes' random generators agree
        self._depth = 0

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Turn the mode on within the context; once only."""
        if self._depth:
            yield
            return
        self._depth = 1
        try:
            with self:
                yield
        finally:
            self._depth = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if torch.Tag.nondeterministic_seeded in func.tags:
            self._agree()
        tensors = tensors_in(args, kwargs)
        if not any(isinstance(item, DTensor) for item in tensors):
            return func(*args, **kwargs)
        if func.namespace not in ("aten", "prim", "prims"):
            raise RuntimeError(
                f"The operator {func} is not available on tensors that several processes share. Communication between "
                "processes is made by the strategies; take it out of the network, or use "
                "parallel_mode='data_parallel'."
            )
        if any(not isinstance(item, DTensor) for item in tensors):
            args, kwargs = tree_map(self._shared, (args, kwargs))
        rule = RULES.get(name_of(func))
        if rule is not None:
            return rule(self, func, args, kwargs)
        if name_of(func) in _TRUSTED or (torch.Tag.pointwise in func.tags and not func._schema.is_mutable):
            try:
                return func(*args, **kwargs)
            except (NotImplementedError, RuntimeError):  # of DTensor's planning, the same in every process
                pass
        return self.on_whole(func, args, kwargs)

    def _shared(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor) and not isinstance(value, DTensor):
            return DTensor.from_local(value, self.devices.mesh, list(self.devices.replicated), run_check=False)
        return value

    def _agree(self) -> None:
        """Broadcast the first process's generator state, so that all processes draw the same."""
        if not self.draws_alike:
            self.draws_alike = True
            device = current_device()
            modules: list[Any] = [torch] if device.type == "cpu" else [torch, torch.cuda]
            for module in modules:
                state = module.get_rng_state().to(device)
                dist.broadcast(state, self.devices.ranks[0])
                module.set_rng_state(state.cpu())

    def local(self, func: Any, args: Any, kwargs: Any, placements: Any) -> Any:
        """Return ``func`` on the local parts, with these placements of its results."""
        args, kwargs = tree_map(lambda item: item._local_tensor if isinstance(item, DTensor) else item, (args, kwargs))
        result = func(*args, **kwargs)
        mesh = self.devices.mesh

        def placed(item: Any) -> Any:
            return (
                DTensor.from_local(item, mesh, list(placements), run_check=False)
                if isinstance(item, torch.Tensor)
                else item
            )

        return tree_map(placed, result)

    def on_whole(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Return ``func`` on the whole tensors, in every process; in-place writes are copied to the parts."""
        whole = self.devices.replicated
        given = tensors_in(args, kwargs)
        if any(tuple(item.placements) != whole for item in given) and str(func) not in _said:
            _said.add(str(func))
            log.info("The operator %s is computed on whole tensors in every process: it has no rule for parts.", func)
        placed: dict[int, Any] = {id(item): moved(item, whole) for item in given}
        replace = lambda item: placed[id(item)] if isinstance(item, DTensor) else item  # noqa: E731
        moved_args, moved_kwargs = tree_map(replace, (args, kwargs))
        result = self.local(func, moved_args, moved_kwargs, whole)
        if not func._schema.is_mutable:
            return result
        written = _written(func, args, kwargs)
        for item in written:
            if placed[id(item)] is not item:
                item._local_tensor.copy_(moved(placed[id(item)], item.placements)._local_tensor)
        returned = [item for item in written if isinstance(result, torch.Tensor)]
        return returned[0] if returned else result


def _written(func: Any, args: Any, kwargs: Any) -> list[Any]:
    """Return the DTensors that ``func`` writes to."""
    found: list[Any] = []
    for position, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = kwargs.get(argument.name, args[position] if position < len(args) else None)
            found.extend(item for item in tensors_in(value) if isinstance(item, DTensor))
    return found
