"""Execution of a network over several processes as if it were one: the outermost call of a Cell or of a differentiated
function is a region, in which Tensors are `Sharded`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor import Shard
from torch.utils._pytree import tree_map

from mindspore_compat._runtime.device import current_device
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.context import get_auto_parallel_context
from mindspore_compat.parallel._sharding import _parameters as parameters
from mindspore_compat.parallel._sharding._functions import Functions
from mindspore_compat.parallel._sharding._layouts import as_list, save_strategy
from mindspore_compat.parallel._sharding._mesh import Devices, Placements, world
from mindspore_compat.parallel._sharding._rules import Operators
from mindspore_compat.parallel._sharding._strategies import (
    input_placements,
    is_searching,
    layer_strategies,
    operator_placements,
    region_shape,
)
from mindspore_compat.parallel._sharding._tensor import Sharded, local_of, placed, sharded, tensors_in


class Region:
    """Region of the process.

    Attributes:
        wishes: for Parameters that an operator wants cut: (Parameter, placements), by id.
        leaves: (Parameter, its `Sharded`, that as operators get it) of the region that runs, by id.
        said: (operator, its strategy), for strategy files.
    """

    def __init__(self, devices: Devices) -> None:
        self.devices = devices
        self.depth = 0
        self.paused = False
        self.leaves: dict[int, tuple[Parameter, Any, Any]] = {}
        self.wishes: dict[int, tuple[Parameter, Placements]] = {}
        self.optimizers: list[Any] = []  # that have updated in this region
        self.said: dict[int, tuple[Any, Any]] = {}
        self.saved: set[str] = set()  # strategy files
        self.seen = parameters.Seen(devices)
        self.operators = Operators(devices)
        self.functions = Functions(self.leaf, self.kept, self.shared, self.operators)
        Sharded.handler = self.functions.call

    # --- tensors ------------------------------------------------------------------------------------------------------

    def shared(self, value: torch.Tensor) -> Any:
        """Return a Tensor that every process holds."""
        with torch._C.DisableTorchFunction():
            return sharded(value, self.devices.mesh, self.devices.replicated)

    def leaf(self, parameter: Parameter) -> Any:
        """Return the Parameter's leaf for autograd in the region; they share memory."""
        found = self.leaves.get(id(parameter))
        if found is None:
            with torch._C.DisableTorchFunction():
                self.seen.broadcast(parameter)
                cut = parameters.cut_of(parameter)
                local = torch._C.TensorBase.data.__get__(parameter)  # type: ignore[attr-defined]
                places = cut.placements if cut else self.devices.replicated
                made = sharded(local, self.devices.mesh, places, cut.shape if cut else None)
                wants = torch._C.TensorBase.requires_grad.__get__(parameter)  # type: ignore[attr-defined]
                made = torch.Tensor.detach(made).requires_grad_(wants) if wants else made
                value = placed(made, cut.used) if cut else made
            found = self.leaves[id(parameter)] = parameter, made, parameters.as_leaf(value, parameter)
        return found[2]

    def kept(self, parameter: Parameter) -> Any:
        """Return the leaf itself, with the Parameter's placements; operators may get a gathered form of it."""
        self.leaf(parameter)
        return self.leaves[id(parameter)][1]

    # --- calls --------------------------------------------------------------------------------------------------------

    def called(self, cell: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run a Cell's call."""
        if self.paused:
            return cell._call_here(args, kwargs)
        if cell._is_optimizer:
            return self.update(cell, args, kwargs)
        if self.depth:
            args = layer_strategies(self, cell, args)
            return cell._call_here(args, kwargs)
        return self.run(lambda *args, **kwargs: self.called(cell, args, kwargs), args, kwargs)

    def run(self, fn: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run ``fn`` as the outermost call."""
        if self.depth or self.paused:
            return fn(*args, **kwargs)
        with self._entered():
            args, kwargs = self._inputs(args, kwargs)
            result = tree_map(self._output, fn(*args, **kwargs))
        self._settle()
        return result

    @contextlib.contextmanager
    def _entered(self) -> Iterator[None]:
        self.leaves.clear()
        self.operators.draws_alike = False
        self.depth += 1
        try:
            with self.functions:
                yield
        finally:
            self.depth -= 1

    def _inputs(self, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Return the inputs as the whole batch, of which each process brought all or its part."""
        tensors = [item for item in (*args, *kwargs.values()) if _is_input(item)]
        places = iter(input_placements(self.devices, [item.dim() for item in tensors]))
        with torch._C.DisableTorchFunction():
            _check_alike(tensors)
            made = {id(item): sharded(item, self.devices.mesh, next(places)) for item in tensors}
            if is_searching():
                made = {key: self._as_data_parallel(item) for key, item in made.items()}
        replaced = lambda item: made[id(item)] if _is_input(item) else item  # noqa: E731
        return tuple(map(replaced, args)), {key: replaced(item) for key, item in kwargs.items()}

    def _as_data_parallel(self, value: Any) -> Any:
        """Return a whole input cut along the batch, if possible."""
        shape = tuple(value._spec.shape)
        if not shape or shape[0] % self.devices.count or any(isinstance(item, Shard) for item in value.placements):
            return value
        return placed(value, self.devices.batch())

    def _output(self, value: Any) -> Any:
        """Return the script's value: gradients of Parameters keep placements, numbers are whole, others are cut."""
        if not isinstance(value, Sharded) or getattr(value, "of_parameter", False):
            return value
        with torch._C.DisableTorchFunction(), torch.no_grad(), self.operators.on():
            shape = tuple(value._spec.shape)
            places = input_placements(self.devices, [len(shape)])[0]
            is_strategy = isinstance(get_auto_parallel_context("dataset_strategy"), tuple)
            if (
                not shape
                or is_strategy
                or (any(isinstance(item, Shard) for item in places) and shape[0] % self.devices.count)
            ):
                places = self.devices.replicated
            return Tensor(local_of(placed(torch.Tensor.detach(value), places)).contiguous())

    # --- operators with strategies ------------------------------------------------------------------------------------

    def place(self, value: Any, placements: Placements) -> Any:
        """Return a Tensor as the operator needs it; a Parameter will be stored so."""
        if isinstance(value, Parameter):
            self.wish(value, placements)
        if not isinstance(value, torch.Tensor):
            return value
        value = self.functions._as_sharded(value)
        origin = getattr(value, "of", None)
        if origin is not None:
            self.wish(origin, placements)
        with torch._C.DisableTorchFunction(), self.operators.on():
            return placed(value, placements)

    def operator(self, primitive: Any, run: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """Call an operator with a strategy."""
        if self.paused or not self.depth:
            return run(*args, **kwargs)
        tensors = tensors_in(args)  # Concat and the like take a tuple
        if primitive.in_strategy is not None:
            self.said[id(primitive)] = primitive, primitive.in_strategy
            strategy = list(primitive.in_strategy)
            while len(strategy) > len(tensors) and () in strategy:  # that of a number
                strategy.remove(())
            shapes = [self._shape(item) for item in tensors]
            places = operator_placements(self.devices, primitive.name, primitive.attrs, strategy, shapes)
            moved = {id(item): self.place(item, place) for item, place in zip(tensors, places)}
            args = tree_map(lambda item: moved.get(id(item), item), args)
        return self._placed_outputs(run(*args, **kwargs), primitive.out_strategy, primitive.name)

    def _shape(self, value: Any) -> tuple[int, ...]:
        return region_shape(value) if isinstance(value, Parameter) else tuple(value.shape)

    def _placed_outputs(self, result: Any, strategy: Any, name: str) -> Any:
        if strategy is None:
            return result
        results = result if isinstance(result, tuple) else (result,)
        places = operator_placements(self.devices, name, {}, strategy, [tuple(item.shape) for item in results])
        made = tuple(self.place(item, place) for item, place in zip(results, places)) + results[len(places) :]
        return made if isinstance(result, tuple) else made[0]

    def sharded_call(self, fn: Any, args: tuple, in_strategy: Any, out_strategy: Any, plan: Any) -> Any:
        """Call a Cell or function to which `mindspore.shard` has given strategies."""
        if self.paused:
            return fn(*args)
        if not self.depth:
            return self.run(lambda *args: self.sharded_call(fn, args, in_strategy, out_strategy, plan), args, {})
        for parameter, layout in plan:
            strategy = (layout,)
            places = operator_placements(
                self.devices, f"shard of {parameter.name}", {}, strategy, [region_shape(parameter)]
            )
            self.wish(parameter, places[0])
        tensors = [item for item in args if isinstance(item, torch.Tensor)]
        places = operator_placements(self.devices, "shard", {}, in_strategy, [self._shape(item) for item in tensors])
        moved = {id(item): self.place(item, place) for item, place in zip(tensors, places)}
        return self._placed_outputs(fn(*[moved.get(id(item), item) for item in args]), out_strategy, "shard")

    def wish(self, parameter: Parameter, placements: Placements) -> None:
        """Record the cut of a Parameter, from the first operator that uses it."""
        if parameters.cut_of(parameter) is None and any(isinstance(item, Shard) for item in placements):
            self.wishes.setdefault(id(parameter), (parameter, tuple(placements)))

    # --- updates ------------------------------------------------------------------------------------------------------

    def update(self, optimizer: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run the optimizer's step on this process's parts, or on whole Parameters if it needs them whole."""
        targets = list(optimizer.parameters)
        grads = list(args[0]) if isinstance(args[0], (tuple, list)) else [args[0]]
        by_parts = parameters.is_elementwise(optimizer)
        with torch._C.DisableTorchFunction(), torch.no_grad(), self._paused():
            found = [self._gradient(target, grad, by_parts) for target, grad in zip(targets, grads)]
            if by_parts:
                result = optimizer._call_here((tuple(found), *args[1:]), kwargs)
            else:
                with parameters.whole(self.devices, targets):
                    result = optimizer._call_here((tuple(found), *args[1:]), kwargs)
        if optimizer not in self.optimizers:
            self.optimizers.append(optimizer)
        if not self.depth:
            self._settle()
        return result

    def _gradient(self, target: Parameter, gradient: Any, by_parts: bool) -> Any:
        if not isinstance(gradient, Sharded):
            return gradient
        cut = parameters.cut_of(target)
        places = cut.placements if cut and by_parts else self.devices.replicated
        with self.operators.on():
            return Tensor(local_of(placed(gradient, places)).contiguous())

    @contextlib.contextmanager
    def _paused(self) -> Iterator[None]:
        self.paused = True
        try:
            yield
        finally:
            self.paused = False

    def settle(self) -> list[Parameter]:
        """Cut Parameters as the operators wished; return all that the last region used, with their states."""
        used = [parameter for parameter, *_ in self.leaves.values()]
        found = [*used, *(state for item in used for state in parameters.states_of(item, self.optimizers))]
        for parameter in used:
            if parameters.cut_of(parameter) is None:
                _, places = self.wishes.get(id(parameter), (parameter, self.devices.replicated))
                kept = parameters.with_optimizer_cut(self.devices, parameter, places)
                if any(isinstance(item, Shard) for item in kept):
                    parameters.cut(self.devices, parameter, kept, places, self.optimizers)
        self.wishes.clear()
        self.leaves.clear()
        self.optimizers = []
        return found

    def layouts(self, network: Any, run: Callable[[], Any]) -> dict[str, list[Any]]:
        """Return the layouts of a network's Parameters after ``run``, which changes no values."""
        items = list(network.get_parameters())
        values, state = [parameters.gathered(item).clone() for item in items], torch.get_rng_state()
        run()
        self.settle()
        for item, value in zip(items, values):
            item.set_data(Tensor(value))
        torch.set_rng_state(state)
        return {item.name: as_list(self.devices, item) for item in items}

    def _settle(self) -> None:
        """Settle the Parameters after the first update."""
        if self.optimizers:
            save_strategy(self, self.settle())


def _is_input(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and not isinstance(value, (Parameter, Sharded))


def _check_alike(tensors: list[Any]) -> None:
    """Raise RuntimeError unless all processes bring inputs of the same shapes."""
    sizes = [size for item in tensors for size in (item.dim(), *torch.Tensor.size(item))]
    said = torch.tensor([len(sizes), -len(sizes), sum(sizes), -sum(sizes)], device=current_device())
    dist.all_reduce(said, dist.ReduceOp.MAX)
    if said[0] != -said[1] or said[2] != -said[3]:
        raise RuntimeError(
            "All processes must bring inputs of the same shapes in this parallel mode, but they differ; here they are "
            f"{[tuple(torch.Tensor.size(item)) for item in tensors]}. Use drop_remainder=True."
        )


_regions: list[Region] = []


def region() -> Region:
    """Return the region of this process."""
    if not _regions:
        _regions.append(Region(world()))
    return _regions[0]
