"""`Bijector`, the base class. MindSpore: ``mindspore.nn.probability.bijector.Bijector``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell

__all__ = ["Bijector"]


class Bijector(Cell):
    """Invertible function: called by method, or by name as ``bijector("forward", x)``. Called with a distribution it
    returns the distribution of its values.

    A subclass defines ``_forward(x)``, ``_inverse(y)``, ``_forward_log_jacobian(x)``, ``_inverse_log_jacobian(y)``, and
    adds its parameters by `_add_parameter`.

    Args:
        is_constant_jacobian: whether the slope is the same everywhere.
        is_injective: whether no value comes twice.
        name: the bijector's.
        dtype: of values; None: any float type.
        param: its parameters by name: ``{"param_dict": {…}}``.

    """

    def __init__(
        self,
        is_constant_jacobian: bool = False,
        is_injective: bool = True,
        name: str | None = None,
        dtype: Any = None,
        param: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self._name, self._dtype = name, dtype
        self._is_constant_jacobian, self._is_injective = is_constant_jacobian, is_injective
        self._own_parameters = dict(param or {})
        values = self._own_parameters.get("param_dict")
        self._batch_shape: tuple[int, ...] | None = None
        self._is_scalar_batch = False
        if values is not None:
            self._is_scalar_batch = all(value is None or isinstance(value, (int, float)) for value in values.values())
            if all(value is not None for value in values.values()):
                shapes = [torch.as_tensor(value).shape for value in values.values()]
                self._batch_shape = np.broadcast_shapes(*shapes)
        self.default_parameters: list[Any] = []
        self.parameter_names: list[str] = []
        self.common_dtype: Any = None

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    is_constant_jacobian = property(lambda self: self._is_constant_jacobian)
    is_injective = property(lambda self: self._is_injective)
    batch_shape = property(lambda self: self._batch_shape)
    is_scalar_batch = property(lambda self: self._is_scalar_batch)

    def _add_parameter(self, value: Any, name: str) -> Any:
        """Return a parameter as a Tensor of floats."""
        made = value if isinstance(value, torch.Tensor) else Tensor(value)
        made = made if torch.Tensor.is_floating_point(made) else Tensor(value, torch.float32)
        if self.common_dtype not in (None, made.dtype):
            raise TypeError(f"{name} should have the same dtype as other arguments.")
        self.common_dtype = made.dtype
        self.default_parameters.append(value)
        self.parameter_names.append(name)
        return made

    def _check_value_dtype(self, value: Any) -> Any:
        return value

    def cast_param_by_value(self, value: Any, para: Any) -> Any:
        """Return a parameter in the type of ``value``."""
        return torch._C.TensorBase.to(para, value.dtype)

    def shape_mapping(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the results for values of ``shape``."""
        return np.broadcast_shapes(shape, self._batch_shape or ())

    def _ask(self, function: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        own = getattr(self, "_" + function, None)
        if own is None:
            raise NotImplementedError(f"{function} is not implemented for {self._name} bijector.")
        return wrap(own(value, *args, **kwargs))

    def forward(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the function's result for ``value``."""
        return self._ask("forward", value, *args, **kwargs)

    def inverse(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the argument whose result is ``value``."""
        return self._ask("inverse", value, *args, **kwargs)

    def forward_log_jacobian(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the slope of `forward` at ``value``."""
        return self._ask("forward_log_jacobian", value, *args, **kwargs)

    def inverse_log_jacobian(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the slope of `inverse` at ``value``."""
        return self._ask("inverse_log_jacobian", value, *args, **kwargs)

    #: class of transformed distributions; ``distribution.transformed_distribution`` sets it
    transformed: Any = None
    is_distribution: Any = staticmethod(lambda value: False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args and self.is_distribution(args[0]):
            return self.transformed(args[0])
        return super().__call__(*args, **kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Return the function called ``name``."""
        return getattr(self, name)(*args, **kwargs)

    def extend_repr(self) -> str:
        if not self._is_scalar_batch:
            return f"batch_shape = {self._batch_shape}"
        return ", ".join(f"{name} = {value}" for name, value in zip(self.parameter_names, self.default_parameters))
