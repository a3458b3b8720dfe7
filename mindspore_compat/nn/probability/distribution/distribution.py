"""`Distribution`, the base class. MindSpore: ``mindspore.nn.probability.distribution.Distribution``."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.random import reals
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import nptype_to_dtype, to_torch_dtype
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell

__all__ = ["Continuous", "Distribution", "check_name"]

#: Functions by a subclass's method or derived: function -> [(method of a subclass, how the answer
# follows from it)].
_SOURCES: dict[str, list[tuple[str, Any]]] = {
    "log_prob": [("_log_prob", lambda x: x), ("_prob", torch.log)],
    "prob": [("_prob", lambda x: x), ("_log_prob", torch.exp)],
    "cdf": [("_cdf", lambda x: x)],
    "log_cdf": [("_log_cdf", lambda x: x), ("_cdf", torch.log)],
    "survival_function": [("_survival_function", lambda x: x), ("_cdf", lambda x: 1.0 - x)],
    "log_survival": [("_log_survival", lambda x: x), ("_cdf", lambda x: torch.log(1.0 - x))],
    "sd": [("_sd", lambda x: x), ("_var", torch.sqrt)],
    "var": [("_var", lambda x: x), ("_sd", kernels.square)],
    **{name: [(f"_{name}", lambda x: x)] for name in ("mean", "mode", "entropy", "kl_loss", "sample")},
}


def check_name(dist: Any, expected: str) -> None:
    """Raise ValueError unless ``dist`` is the only distribution for a comparison."""
    if dist != expected:
        raise ValueError(f"Expected dist input is {expected}, but got {dist}.")


class _ByName(dict):
    """Dict that torch can call in place of ``Module.parameters``."""

    def __init__(self, owner: Cell, items: Any) -> None:
        super().__init__(items)
        self._owner = owner

    def __call__(self, recurse: bool = True) -> Any:
        return torch.nn.Module.parameters(self._owner, recurse)


def _named(function: Any, name: str, doc: str) -> Any:
    function.__name__, function.__qualname__, function.__doc__ = name, f"Distribution.{name}", doc
    return function


def _of_value(name: str, doc: str) -> Any:
    """Return a method for the function ``name`` of a value."""
    return _named(lambda self, value, *args, **kwargs: self._ask(name, value, *args, **kwargs), name, doc)


def _of_parameters(name: str, doc: str) -> Any:
    """Return a method for the function ``name`` of the parameters alone."""
    return _named(lambda self, *args, **kwargs: self._ask(name, *args, **kwargs), name, doc)


class Distribution(Cell):
    """Distribution whose functions are called by method, or by name as ``distribution("log_prob", value)``.

    A subclass defines methods like ``_log_prob(value, *parameters)`` or ``_var(*parameters)``; others are derived from
    them. Every function takes the parameters after its own arguments; if given, they replace the Cell's own.

    Args:
        seed: of `sample`; None or 0 takes the global seed.
        dtype: of the samples.
        name: of the distribution.
        param: the parameters by name (number, list, array or Tensor), None where they come with each call.
    """

    #: Names that printing has for parameters in place of their own; None prints no parameters.
    _SHOWN: ClassVar[dict[str, str] | None] = {}
    #: Parameters that must be above 0.
    _POSITIVE: ClassVar[tuple[str, ...]] = ()

    def __init__(self, seed: int | None, dtype: Any, name: str, param: dict[str, Any]) -> None:
        super().__init__()
        self._name, self._seed, self._dtype = name, seed or 0, dtype
        self.parameter_type = _common_dtype(param, dtype)
        self.default_parameters = [None if value is None else self._to_tensor(value) for value in param.values()]
        self.parameter_names = list(param)
        for key, value in zip(self.parameter_names, self.default_parameters):
            if key in self._POSITIVE and value is not None and not bool(torch.all(value > 0)):
                raise ValueError(f"{key} must be greater than zero.")
        self._is_scalar_batch = all(value is None or isinstance(value, (int, float)) for value in param.values())
        given = [item for item in self.default_parameters if item is not None]
        self._batch_shape = np.broadcast_shapes(*[item.shape for item in given]) if len(given) == len(param) else None
        self._broadcast_shape = self._batch_shape

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    seed = property(lambda self: self._seed)

    @property
    def parameters(self) -> dict[str, Any]:  # type: ignore[override]
        """The parameters by name; called, as torch does with every module, it returns the trainable ones."""
        return _ByName(self, zip(self.parameter_names, self.default_parameters))

    is_scalar_batch = property(lambda self: self._is_scalar_batch)
    batch_shape = property(lambda self: self._batch_shape)
    broadcast_shape = property(lambda self: self._broadcast_shape)

    def _to_tensor(self, value: Any) -> Any:
        if isinstance(value, Parameter):
            return value
        return Tensor(value, dtype=self.parameter_type)

    def _given(self, *parameters: Any) -> Any:
        """Return the parameters of one call, broadcast against each other, with the Cell's own in place of None."""
        chosen = []
        for value, name, default in zip(parameters, self.parameter_names, self.default_parameters):
            value = default if value is None else value
            if value is None:
                raise TypeError(f"The '{name}' must be a Tensor or number: the distribution was made without one.")
            chosen.append(self._other(value))
        return chosen[0] if len(chosen) == 1 else torch.broadcast_tensors(*chosen)

    _check_param_type = _given  # called by distributions of programs, as the next three

    def checktensor(self, value: Any, name: str) -> Any:
        """Return the value."""
        return value

    _check_value = checktuple = checktensor

    def _value(self, value: Any) -> torch.Tensor:
        """Return the value argument of a function, in the samples' dtype."""
        return constant(value, current_device(), self.dtype)

    def _other(self, value: Any) -> torch.Tensor:
        """Return a parameter of the other distribution in a comparison."""
        return constant(value, current_device(), self.parameter_type)

    def _generator(self, device: torch.device) -> torch.Generator | None:
        """Return torch's generator of the given seed, advanced with every use; None uses torch's own."""
        if not self._seed:
            return None
        self._uses = self.__dict__.get("_uses", -1) + 1
        return torch.Generator(device).manual_seed(self._seed + self._uses)

    def _reals(self, shape: tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
        """Return float32 from [0, 1), for samples of ``shape`` of a batch such as ``like``: MindSpore's, by
        `ops.uniform`.
        """
        return reals("uniform", shape + tuple(like.shape), self._seed).to(like.device)

    def _positive_reals(self, shape: tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
        """Return `_reals` above 0."""
        tiny = torch.finfo(torch.float32).tiny
        return self._reals(shape, like) * (1.0 - tiny) + tiny

    def _ask(self, function: str, *args: Any, **kwargs: Any) -> Any:
        for source, derive in _SOURCES[function]:
            if hasattr(type(self), source):
                return wrap(derive(getattr(self, source)(*args, **kwargs)))
        raise NotImplementedError(f"{function} is not implemented for {self._name} distribution.")

    log_prob = _of_value("log_prob", "Logarithm of the density or probability at ``value``.")
    prob = _of_value("prob", "Density or probability at ``value``.")
    cdf = _of_value("cdf", "Probability of at most ``value``.")
    log_cdf = _of_value("log_cdf", "Logarithm of `cdf`.")
    survival_function = _of_value("survival_function", "1 - `cdf`.")
    log_survival = _of_value("log_survival", "Logarithm of `survival_function`.")
    mean = _of_parameters("mean", "The mean.")
    mode = _of_parameters("mode", "The most likely value.")
    sd = _of_parameters("sd", "The standard deviation.")
    var = _of_parameters("var", "The variance.")
    entropy = _of_parameters("entropy", "The entropy.")
    sample = _of_parameters("sample", "Samples of the shape given first (a tuple) for each distribution of the batch.")

    def kl_loss(self, dist: str, *args: Any, **kwargs: Any) -> Any:
        """Return the divergence from the distribution of type ``dist`` whose parameters follow."""
        return self._ask("kl_loss", dist, *args, **kwargs)

    def cross_entropy(self, dist: str, *args: Any, **kwargs: Any) -> Any:
        """Return `entropy` plus `kl_loss`; the other's parameters come first."""
        count = len(self.parameter_names)
        own = {name: kwargs[name] for name in self.parameter_names if name in kwargs}
        return wrap(self._ask("entropy", *args[count:], **own) + self._ask("kl_loss", dist, *args, **kwargs))

    def get_dist_type(self) -> str:
        """Return its name for `kl_loss`."""
        return type(self).__name__

    def get_dist_args(self, *args: Any, **kwargs: Any) -> tuple:
        """Return the parameters of a call with these arguments."""
        given = {**dict(zip(self.parameter_names, args)), **kwargs}
        return tuple(
            default if given.get(name) is None else given[name]
            for name, default in zip(self.parameter_names, self.default_parameters)
        )

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Return the function called ``name``."""
        return self.get_dist_type() if name == "get_dist_type" else getattr(self, name)(*args, **kwargs)

    def extend_repr(self) -> str:
        if self._SHOWN is None:
            return ""
        shown = ", ".join(f"{self._SHOWN.get(name, name)} = {value}" for name, value in self.parameters.items())
        return shown if self._is_scalar_batch else f"batch_shape = {self._broadcast_shape}"


class Continuous(Distribution):
    """Distribution of real numbers: samples and values have a float type."""

    def __init__(self, seed: int | None, dtype: Any, name: str, param: dict[str, Any]) -> None:
        if not to_torch_dtype(dtype).is_floating_point:
            raise TypeError(f"For '{type(self).__name__}', the 'dtype' must be a float type, but got {dtype}.")
        super().__init__(seed, dtype, name, param)


def _common_dtype(param: dict[str, Any], hint: Any) -> torch.dtype:
    """Return the dtype that parameters are computed in: theirs if they have one, float32 for ints and float64."""
    found: Any = None
    for name, value in param.items():
        dtype = nptype_to_dtype(value.dtype.type) if isinstance(value, np.ndarray) else getattr(value, "dtype", None)
        if dtype is not None and found is not None and dtype != found:
            raise TypeError(f"{name} should have the same dtype as other arguments.")
        found = found or dtype
    hint = torch.float32 if hint is None or not to_torch_dtype(hint).is_floating_point else to_torch_dtype(hint)
    if found is None:
        return hint
    return torch.float32 if not found.is_floating_point or found is torch.float64 else found
