"""Execution of a network over several processes as if it were one: the outermost call of a Cell or of a differentiated
function is a region, in which Tensors are `Sharded`.

torch's functions and methods on Tensors of a network in several processes: Parameters are replaced by the region's
leaves, plain Tensors count as replicated.

Layouts of Parameters in MindSpore's form, and strategy files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Shard
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from mindspore_compat import log
from mindspore_compat._autograd.engine import GRADS, run_backward
from mindspore_compat._format.strategy import strategy_messages
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.common._strategy import Layout
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.context import get_auto_parallel_context
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.parallel._sharding import _parameters as parameters
from mindspore_compat.parallel._sharding._mesh import Devices, Placements, world
from mindspore_compat.parallel._sharding._parameters import Cut, cut_of
from mindspore_compat.parallel._sharding._rules import Operators
from mindspore_compat.parallel._sharding._strategies import (
    input_placements,
    is_searching,
    layer_strategies,
    operator_placements,
    region_shape,
)
from mindspore_compat.parallel._sharding._tensor import (
    Sharded,
    is_whole,
    local_of,
    placed,
    sharded,
    tensors_in,
    whole,
    wrap_results,
)

_Base = torch._C.TensorBase
#: functions of a Parameter itself, not of its leaf
_OF_ITSELF = {
    getter
    for name in "requires_grad dtype device is_leaf grad_fn grad layout is_cpu is_cuda _version".split()
    for getter in (_Base.__dict__[name].__get__, getattr(_Base.__dict__[name], "__set__", None))
} | {
    _Base.is_floating_point,
    _Base.is_complex,
    _Base.requires_grad_,
    _Base.element_size,
    torch.Tensor.__hash__,
    torch.is_floating_point,
}
_SET_DATA, _SET_ITEM = _Base.data.__set__, _Base.__setitem__  # type: ignore[attr-defined]
#: functions that leave torch
_LEAVING = {_Base.numpy, _Base.tolist, _Base.item, torch.Tensor.tolist}
#: functions allowed between a Parameter and the operator that decides its cut
_SAME_PLACES = {_Base.to, _Base.float, _Base.half, _Base.bfloat16, _Base.detach, _Base.clone, _Base.contiguous}


class Functions(TorchFunctionMode):
    """Override mode for every torch function that the package calls.

    Args:
        leaf: the `Sharded` of a Parameter. ``kept``: the one to differentiate by.
        shared: a plain Tensor as a `Sharded` that every process holds.
        operators: the mode of aten's operators, to be on.
    """

    def __init__(
        self,
        leaf: Callable[[Parameter], Any],
        kept: Callable[[Parameter], Any],
        shared: Callable[[torch.Tensor], Any],
        operators: Any,
    ) -> None:
        super().__init__()
        self.leaf, self.kept, self.shared, self.operators = leaf, kept, shared, operators

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.call(func, args, kwargs or {})

    def call(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Return the result of ``func``, its DTensors as `Sharded`."""
        if func in GRADS:
            return self._gradients(func, args, kwargs)
        if func in _OF_ITSELF:
            with torch._C.DisableTorchFunction():
                return func(*args, **kwargs)
        tensors = tensors_in(args, kwargs)
        if not any(isinstance(item, (DTensor, Parameter)) for item in tensors):
            return func(*args, **kwargs)
        if func == _SET_DATA and isinstance(args[0], Parameter):
            return self._set_data(*args)
        if func in _LEAVING:
            return func(*tree_map(_whole, args), **kwargs)
        args, kwargs = tree_map(self._as_sharded, (args, kwargs))
        if func == _SET_ITEM and isinstance(args[0], DTensor) and not is_whole(args[0]):
            raise RuntimeError(
                "Assigning to elements of a Tensor that is cut over processes is not available. Use ops.select, "
                "ops.tensor_scatter_update or a mask, which give a new Tensor."
            )
        with torch._C.DisableTorchFunction(), self.operators.on():
            result = wrap_results(func(*args, **kwargs))
        if func in _SAME_PLACES and isinstance(result, Sharded):
            origin = getattr(args[0], "of", None)
            if origin is not None:
                result.of = origin
        return result

    def _as_sharded(self, value: Any) -> Any:
        if isinstance(value, Parameter):
            return self.leaf(value)
        if isinstance(value, torch.Tensor) and not isinstance(value, DTensor):
            return self.shared(value)
        return value

    def _set_data(self, parameter: Parameter, value: Any) -> None:
        """Share a result's memory with the Parameter."""
        leaf = self.kept(parameter)
        if isinstance(value, Sharded):
            value = local_of(placed(value, leaf.placements))
        with torch._C.DisableTorchFunction():
            local_of(leaf).copy_(value)

    def _gradients(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Return torch.autograd.grad, by the leaves of Parameters; their gradients keep their placements."""
        names = ("outputs", "inputs", "grad_outputs")
        given = {**dict(zip(names, args)), **kwargs}
        args = args[len(names) :]
        inputs = given["inputs"]
        is_single = isinstance(inputs, torch.Tensor)
        inputs = [inputs] if is_single else list(inputs)
        leaves = [self.kept(item) if isinstance(item, Parameter) else item for item in inputs]
        given["inputs"] = leaves
        given["grad_outputs"] = tree_map(self._as_sharded, given.get("grad_outputs"))
        with self, self.operators.on():  # Python of the backward pass runs as that of the forward
            found = list(run_backward(*[given.pop(name) for name in names], *args, **given))
        with torch._C.DisableTorchFunction(), self.operators.on():
            for number, (item, leaf) in enumerate(zip(inputs, leaves)):
                if isinstance(item, Parameter) and found[number] is not None:
                    found[number] = placed(wrap_results(found[number]), leaf.placements)
                    found[number].of_parameter = True
        return tuple(wrap_results(found))


def _whole(value: Any) -> Any:
    return whole(value) if isinstance(value, DTensor) else value


def layout_of(devices: Any, parameter: Parameter) -> TensorLayout:
    """Return the layout of a Parameter. Neighbouring device axes that cut one axis become one of the device matrix."""
    cut = cut_of(parameter)
    if cut is None:
        return TensorLayout((devices.count,), ((-1,),) * parameter.dim())
    matrix, axis_of = _merged(cut)
    last = len(matrix) - 1
    return TensorLayout(
        tuple(matrix),
        tuple(
            tuple(last - number for number, axis in enumerate(axis_of) if axis == item) or (-1,)
            for item in range(len(cut.shape))
        ),
    )


def _merged(cut: Cut) -> tuple[list[int], list[int]]:
    """Return (the device matrix, the axis cut by each of its axes, -1 for none)."""
    matrix: list[int] = []
    axis_of: list[int] = []
    for size, place in zip(cut.devices.sizes, cut.placements):
        axis = place.dim if isinstance(place, Shard) else -1
        if axis_of and axis_of[-1] == axis:
            matrix[-1] *= size
        else:
            matrix.append(size)
            axis_of.append(axis)
    return matrix, axis_of


def as_list(devices: Any, parameter: Parameter) -> list[Any]:
    """Return MindSpore's [device matrix, tensor map, slice shape, field size, uniform split, group]."""
    layout = layout_of(devices, parameter)
    flat = [item[0] if len(item) == 1 else item for item in layout.tensor_map]
    return [list(layout.dev_matrix), flat, list(parameter.shape), 0, True, ""]


def save_strategy(region: Any, parameters: Sequence[Parameter]) -> None:
    """Write the strategy file of the context, once."""
    config = get_auto_parallel_context("strategy_ckpt_config")
    name = get_auto_parallel_context("strategy_ckpt_save_file") or config.get("save_file", "")
    if not name or name in region.saved:
        return
    if get_auto_parallel_context("strategy_ckpt_load_file") or config.get("load_file"):
        log.warning("A strategy file is not loaded: operators are cut as their 'shard' says.")
    region.saved.add(name)
    found = strategy_messages().ParallelStrategyMap(current_stage=0)
    for number, (primitive, strategy) in enumerate(region.said.values()):
        item = found.parallel_strategy_item.add()
        item.node_name = f"Default/{primitive.name}-op{number}"
        item.parallel_strategys.stage = 0
        for cuts in strategy:
            given = _cuts(region.devices, cuts) if isinstance(cuts, Layout) else cuts
            item.parallel_strategys.parallel_strategy.add().dim.extend(given)
    for parameter in parameters:
        layout = layout_of(region.devices, parameter)
        item = found.parallel_layout_item.add()
        item.param_name = parameter.name
        said = item.parallel_layouts
        said.dev_matrix.add().dim.extend(layout.dev_matrix)
        if all(len(axes) == 1 for axes in layout.tensor_map):
            said.tensor_map.add().dim.extend(axes[0] for axes in layout.tensor_map)
        else:
            for axes in layout.tensor_map:
                said.tensor_map.add().dim.extend(axes)
        said.param_split_shape.add()
        said.indices_offset.add()
        said.field = said.opt_weight_shard_step = said.opt_weight_shard_size = 0
    write_atomically(name, [found.SerializeToString()])


def _cuts(devices: Any, layout: Layout) -> list[int]:
    return devices.cuts(devices.of_layout(layout, "Layout"), len(layout.to_dict()["tensor_map"]))


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
