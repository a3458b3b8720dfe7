"""torch's functions and methods on Tensors of a network in several processes: Parameters are replaced by the region's
leaves, plain Tensors count as replicated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.distributed.tensor import DTensor
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from mindspore_compat._autograd.engine import GRADS, run_backward
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.parallel._sharding._tensor import (
    Sharded,
    is_whole,
    local_of,
    placed,
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
