"""`Parameter` and `ParameterTuple`. MindSpore: ``mindspore.Parameter``, ``mindspore.ParameterTuple``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from mindspore_compat._graph.program import program
from mindspore_compat._numerics.float8 import limited
from mindspore_compat._runtime import placement
from mindspore_compat._tensor import tracing, wrapping
from mindspore_compat._tensor.aliasing import replace_values
from mindspore_compat._tensor.param_info import ParamInfo
from mindspore_compat._tensor.tensor_type import ParameterType
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.tensor import Tensor

__all__ = ["Parameter", "ParameterTuple"]

PARAMETER_NAME_DEFAULT = "Parameter"

_Base = torch._C.TensorBase
_numbers = itertools.count(2)  # MindSpore gives the first one away when it is imported
_set_requires_grad = _Base.requires_grad.__set__  # type: ignore[attr-defined]
_AUTOMATIC = "Parameter#"
_INTEGERS = frozenset((torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64))


def _is_parameter_generated(name: str) -> bool:
    """Return whether the name was made up and a Cell may replace it by the attribute's name."""
    return name.startswith(_AUTOMATIC)


placement.follow(Tensor)


def _is_differentiable(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


class Parameter(Tensor, torch.nn.Parameter, metaclass=ParameterType):
    """Tensor that an optimizer updates and a checkpoint stores under its ``name``.

    Args:
        default_input: Tensor, numpy array, number, list, or an Initializer's result. A Tensor is copied, the storage of
            torch's is shared.
        name: None takes the attribute's name when the Parameter is set on a Cell.
        requires_grad: whether ``trainable_params`` lists it; kept also for integer parameters, which never get a
            gradient.
        layerwise_parallel, parallel_optimizer, storage_format, device: accepted as in MindSpore.

    Examples:
        >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
        >>> print(weight.name, weight.shape, weight.requires_grad)
        weight (2,) True
    """

    _wants_grad = True  # of those that torch makes without a name
    _name = PARAMETER_NAME_DEFAULT
    layerwise_parallel, parallel_optimizer = False, True
    requires_aggr = True  # MindSpore sums gradients over devices by it; everything is summed here

    def __new__(
        cls,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: Any = None,
    ) -> Parameter:
        if isinstance(default_input, bool):
            raise ValueError("Parameter data cannot be `bool`")
        if isinstance(default_input, int):
            default_input = np.int32(default_input)
        data = wrapping.plain(default_input if isinstance(default_input, torch.Tensor) else Tensor(default_input))
        if isinstance(default_input, Tensor) and not default_input.__dict__.pop(
            "_is_new", False
        ):  # two layers may start from one Tensor
            data = _Base.clone(data)
        data.__class__ = cls
        return data  # type: ignore[return-value]

    def __init__(
        self,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: Any = None,
    ) -> None:
        self.name = name  # type: ignore[assignment]
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name in checkpoints and optimizers."""
        return self._name

    @name.setter
    def name(self, value: str | None) -> None:
        if value is None:
            value = ""
        if not isinstance(value, str):
            raise ValueError(
                f"For 'Parameter', the type of the argument 'name' must be str or None, but got {type(value).__name__}."
            )
        if len(value) > 1024:
            raise ValueError(f"For 'Parameter', the length of 'name' must be at most 1024, but got {len(value)}.")
        self._name = value or f"{_AUTOMATIC}{next(_numbers)}"

    @property
    def requires_grad(self) -> bool:  # type: ignore[override]
        return self._wants_grad and (tracing.is_tracing() or not tracing.active or _is_differentiable(self.dtype))

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._wants_grad = value
        program.changed()
        _set_requires_grad(self, value and _is_differentiable(self.dtype))

    def requires_grad_(self, requires_grad: bool = True) -> Parameter:  # type: ignore[override]
        self.requires_grad = requires_grad
        return self

    # --- what MindSpore lets one read from a Parameter ---

    key = -1
    parallel_optimizer_comm_recompute = False
    sliced = False
    unique = False  # type: ignore[assignment]  # not a Tensor's method `unique`
    cache_enable = False  # whether it is marked as cached on the host; nothing is cached here
    comm_fusion = 1
    is_init = False  # type: ignore[assignment]

    @property
    def param_info(self) -> ParamInfo:
        """Name, requires_grad and other attributes without the values; setting it copies them."""
        return ParamInfo(self)

    @param_info.setter
    def param_info(self, value: ParamInfo) -> None:
        value.give(self)

    def set_param_info(self, info: ParamInfo) -> None:
        """Set `param_info`."""
        info.give(self)

    @property
    def inited_param(self) -> None:
        return None

    @property
    def is_in_parallel(self) -> bool:
        return False

    @property
    def cache_shape(self) -> Any:
        """The shape of the cached slice; [] where nothing is cached."""
        return self.__dict__.get("_cache_shape", [])

    @cache_shape.setter
    def cache_shape(self, value: Any) -> None:
        self._cache_shape = value

    def add_pipeline_stage(self, stage: int) -> None:
        """Record that a pipeline stage uses the Parameter beside that of its Cell, for
        `Cell.infer_param_pipeline_stage`.
        """
        self.__dict__.setdefault("_pipeline_stages", []).append(stage)

    # --- changing it ---

    def _set_data(self, value: torch.Tensor) -> None:
        before, after = _is_differentiable(self.dtype), _is_differentiable(value.dtype)
        if before and not after:  # torch has no gradients of integers
            _set_requires_grad(self, False)
        super()._set_data(value)
        if after and not before:
            _set_requires_grad(self, self._wants_grad)

    data = property(Tensor.data.fget, _set_data)  # type: ignore[attr-defined, assignment]

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Take over the values (not the storage) of ``data``, cast to this dtype, and its shape if that is another.

        Raises:
            TypeError: if ``data`` is neither a Tensor nor a number, or a float for integers.

        Examples:
            >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
            >>> print(weight.set_data(Tensor([3.0, 4.0])).asnumpy())
            [3. 4.]
        """
        if isinstance(data, (int, float)):
            if isinstance(data, float) and self.dtype in _INTEGERS:
                raise TypeError(
                    "Incoming Parameter dtype cannot be converted to current dtype implicitly. Current dtype is "
                    f"{dtype_name(self.dtype)}, and incoming is Float. Use .set_dtype(xxx) to change the dtype."
                )
            data = Tensor(data, self.dtype)
        taken = limited(_Base.detach(data), self.dtype)
        if tuple(data.shape) == self.shape:
            replace_values(self, taken)
        else:
            program.values_written()
            Tensor.data.fset(self, _Base.to(_Base.clone(taken), self.device, self.dtype))  # type: ignore[attr-defined]
        return self

    set_parameter_data = set_data  # its name in 0.x

    def init_data(self, layout: Any = None, set_sliced: bool = False) -> Parameter:
        """Return the Parameter itself: here data exist from the start."""
        return self

    def clone(self, init: Any = "same", *, prefix: str = "") -> Parameter:  # type: ignore[override]
        """Return a new Parameter of this shape and name (1.0: ``prefix.NAME``); ``init`` is "same" (copy) or anything
        `initializer` takes.
        """
        if isinstance(init, str) and init == "same":
            data: Any = _Base.clone(_Base.detach(self))
        else:
            data = initializer(init, self.shape, self.dtype).to(self.device, self.dtype)
        name = f"{prefix}.{self.name}" if prefix else self.name
        result = Parameter(data, name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer)
        result.requires_aggr, result.comm_fusion, result.key = self.requires_aggr, self.comm_fusion, self.key
        return result

    def value(self) -> Any:
        """Return a Tensor of its present values, unaffected by later writes; gradients reach the Parameter."""
        return wrapping.wrap(torch.clone(self))

    def asnumpy(self) -> np.ndarray:
        """Return the values as a numpy array that shares the storage on the CPU, but for a single number."""
        return super().asnumpy() if self.dim() else super().asnumpy().copy()  # see `aliasing.replace_values`

    def __copy__(self) -> Parameter:
        return self.__deepcopy__({})

    def __deepcopy__(self, memodict: dict) -> Parameter:
        data = _Base.clone(_Base.detach(self))
        return Parameter(data, self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return Parameter, (_Base.detach(self), self.name, self.requires_grad, self.layerwise_parallel)

    def __str__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={dtype_name(self.dtype)}, "
            f"requires_grad={self.requires_grad})"
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return str(self)


class ParameterTuple(tuple):
    """Tuple of Parameters with unique names.

    Raises:
        ValueError: if two different ones share a name.

    Examples:
        >>> weights = ms.ParameterTuple(nn.Dense(3, 2).trainable_params())
        >>> print(len(weights), weights[0].name)
        2 weight
    """

    def __new__(cls, iterable: Iterable[Parameter]) -> ParameterTuple:
        items = tuple(iterable)
        seen: dict[str, int] = {}
        for item in items:
            if seen.setdefault(item.name, id(item)) != id(item):
                raise ValueError(
                    f"The value {item} , its name '{item.name}' already exists. Please set a unique name for the "
                    "parameter."
                )
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Return clones named ``prefix.NAME``, filled by ``init``."""
        clones = [item.clone(init=init) for item in self]
        for clone in clones:
            clone.name = f"{prefix}.{clone.name}"
        return ParameterTuple(clones)


torch.serialization.add_safe_globals([Parameter, ParameterTuple])


class _BufferType(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and "persistent" in instance.__dict__


class _Buffer(Tensor, metaclass=_BufferType):
    """Tensor that becomes a buffer of the Cell that it is assigned to: on the same memory, without history.

    Args:
        data: the Tensor.
        persistent: whether ``state_dict`` lists it.
    """

    def __new__(cls, data: Any, *, persistent: bool = True) -> Any:
        made: Any = wrapping.wrap(_Base.detach(data))
        made.persistent = persistent
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: `__new__` returns a Tensor."""
