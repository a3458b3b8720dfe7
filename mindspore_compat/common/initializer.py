"""Weight initializers. MindSpore: ``mindspore.common.initializer``.

A subclass overrides ``_initialize(self, arr)`` and fills the numpy array in place, as user code written for MindSpore
does. After the same seed (`set_seed`, ``numpy.random.seed``) the numbers equal real MindSpore's, bit for bit: numpy's
global generator gives each drawing a seed, and `philox` the numbers of a seed.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat._random import lazy_init
from mindspore_compat._random.initial_values import (  # noqa: F401 - scripts borrow them
    _assignment,
    _calculate_correct_fan,
    _calculate_fan_in_and_fan_out,
    _calculate_gain,
    _calculate_in_and_out,
    _init_random_normal,
    _init_random_normal_inplace,
    _init_random_uniform,
    _init_random_uniform_inplace,
    _init_truncated_normal,
    _init_truncated_normal_inplace,
    _numpy_seed,
    _random_normal,
    _random_uniform,
    _truncated_normal,
    random_normal,
)
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.seed import _get_graph_seed, get_seed
from mindspore_compat.common.tensor import Tensor

__all__ = [
    "Initializer",
    "initializer",
    "TruncatedNormal",
    "Normal",
    "Uniform",
    "HeUniform",
    "HeNormal",
    "XavierUniform",
    "XavierNormal",
    "One",
    "Zero",
    "Constant",
    "Identity",
    "Sparse",
    "Dirac",
    "Orthogonal",
    "VarianceScaling",
]


class Initializer:
    """Base class: a callable that fills a numpy array in place.

    ``shape`` and ``dtype`` are those of the last `initializer` call, since some user code reads them; a class that sets
    its own keeps them.
    """

    _asked: tuple[tuple[int, ...] | None, torch.dtype | None] = (None, None)

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._seed: int | None = None

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "dtype"):
            return self._asked[name == "dtype"]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def seed(self) -> tuple[int, int]:
        """Two seeds for `random_normal`, others at every use; (0, 0) before `set_seed`. One number may be set."""
        return _get_graph_seed(get_seed(), "init") if self._seed is None else (self._seed + 1, 0)

    @seed.setter
    def seed(self, value: int) -> None:
        self._seed = value

    def _initialize(self, *kwargs: Any) -> None:
        raise NotImplementedError(
            f"{type(self).__name__} must override '_initialize(self, arr)' and fill 'arr' in place."
        )

    def __call__(self, arr: np.ndarray) -> None:
        self._initialize(arr)


class Zero(Initializer):
    """All zeros; also named ``"zeros"``."""

    def _initialize(self, arr: np.ndarray) -> None:
        arr.fill(0)


class One(Initializer):
    """All ones; also named ``"ones"``."""

    def _initialize(self, arr: np.ndarray) -> None:
        arr.fill(1)


class Constant(Initializer):
    """One value, or an array of the tensor's shape."""

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = self.value


class Normal(Initializer):
    """Normal distribution with standard deviation ``sigma`` around ``mean``.

    Examples:
        >>> weight = ms.common.initializer.initializer(ms.common.initializer.Normal(sigma=0.02), [2, 3])
        >>> print(weight.shape, weight.dtype == ms.float32)
        (2, 3) True
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        super().__init__(sigma=sigma, mean=mean)
        self.sigma, self.mean = sigma, mean

    def _initialize(self, arr: np.ndarray) -> None:
        _init_random_normal_inplace(self.mean, self.sigma, arr)


class TruncatedNormal(Initializer):
    """Normal distribution with standard deviation ``sigma`` around ``mean``, cut at the values ``a`` and ``b``.

    Examples:
        >>> init = ms.common.initializer.TruncatedNormal(sigma=0.02, a=-0.03, b=0.03)
        >>> print(ms.common.initializer.initializer(init, [2, 3]).init_data().abs().max() <= 0.03)
        True
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0) -> None:
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _initialize(self, arr: np.ndarray) -> None:
        _init_truncated_normal_inplace(self.a, self.b, self.mean, self.sigma, arr)


class Uniform(Initializer):
    """Uniform over [-scale, scale)."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr: np.ndarray) -> None:
        _init_random_uniform_inplace(-self.scale, self.scale, arr)


class XavierUniform(Initializer):
    """Uniform with bound gain·sqrt(6 / (fan_in + fan_out))."""

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        bound = self.gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(arr.shape)))
        _init_random_uniform_inplace(-bound, bound, arr)


class XavierNormal(Initializer):
    """Normal with deviation gain·sqrt(2 / (fan_in + fan_out))."""

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        std = self.gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(arr.shape)))
        _init_random_normal_inplace(0.0, std, arr)


class _He(Initializer):
    def __init__(self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _std(self, shape: Sequence[int]) -> float:
        return _calculate_gain(self.nonlinearity, self.negative_slope) / math.sqrt(
            _calculate_correct_fan(shape, self.mode)
        )


class HeUniform(_He):
    """Kaiming uniform: bound gain·sqrt(3 / fan)."""

    def _initialize(self, arr: np.ndarray) -> None:
        bound = math.sqrt(3.0) * self._std(arr.shape)
        _init_random_uniform_inplace(-bound, bound, arr)


class HeNormal(_He):
    """Kaiming normal: deviation gain / sqrt(fan)."""

    def _initialize(self, arr: np.ndarray) -> None:
        _init_random_normal_inplace(0.0, self._std(arr.shape), arr)


class Identity(Initializer):
    """The 2-D identity matrix."""

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim != 2:
            raise ValueError(f"For 'Identity' initializer, the tensor must have 2 axes, but got {arr.ndim}.")
        arr[...] = np.eye(*arr.shape)


class Sparse(Initializer):
    """A 2-D matrix of Normal(0, sigma) with a share ``sparsity`` of each column set to zero."""

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        super().__init__(sparsity=sparsity, sigma=sigma)
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr: np.ndarray) -> None:
        rows, columns = arr.shape
        _init_random_normal_inplace(0.0, self.sigma, arr)
        for column in range(columns):
            arr[np.random.permutation(rows)[: math.ceil(self.sparsity * rows)], column] = 0


class Dirac(Initializer):
    """A convolution weight (3 to 5 axes) that passes its input through, in ``groups`` groups."""

    def __init__(self, groups: int = 1) -> None:
        super().__init__(groups=groups)
        self.groups = groups

    def _initialize(self, arr: np.ndarray) -> None:
        weight = torch.zeros(arr.shape)
        torch.nn.init.dirac_(weight, self.groups)
        arr[...] = weight.numpy()


class Orthogonal(Initializer):
    """A (semi-)orthogonal matrix over the first axis and all others, times ``gain``."""

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim < 2:
            raise ValueError(f"For 'Orthogonal' initializer, the tensor must have at least 2 axes, but got {arr.ndim}.")
        rows, columns = arr.shape[0], arr.size // arr.shape[0]
        values = _init_random_normal(0.0, 1.0, (rows, columns))
        q, r = np.linalg.qr(values if rows >= columns else values.T)
        q *= np.sign(np.diag(r))
        arr[...] = self.gain * (q if rows >= columns else q.T).reshape(arr.shape)


class VarianceScaling(Initializer):
    """Variance scale / fan, from an untruncated normal distribution or a uniform one; as MindSpore, "truncated_normal"
    is uniform, too.
    """

    def __init__(self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal") -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "For 'VarianceScaling', 'distribution' must be 'uniform', 'truncated_normal' or 'untruncated_normal', "
                f"but got {distribution!r}."
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr: np.ndarray) -> None:
        fan_in, fan_out = _calculate_fan_in_and_fan_out(arr.shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "untruncated_normal":
            _init_random_normal_inplace(0.0, math.sqrt(variance), arr)
        else:
            bound = math.sqrt(3.0 * variance)
            _init_random_uniform_inplace(-bound, bound, arr)


_INITIALIZER_ALIAS: dict[str, type[Initializer]] = {
    "zeros": Zero,
    "zero": Zero,
    "ones": One,
    "one": One,
    "normal": Normal,
    "uniform": Uniform,
    "truncatednormal": TruncatedNormal,
    "xavier_uniform": XavierUniform,
    "xavieruniform": XavierUniform,
    "xavier_normal": XavierNormal,
    "xaviernormal": XavierNormal,
    "he_uniform": HeUniform,
    "heuniform": HeUniform,
    "he_normal": HeNormal,
    "henormal": HeNormal,
    "identity": Identity,
    "dirac": Dirac,
    "orthogonal": Orthogonal,
    "variancescaling": VarianceScaling,
}


def _register(*aliases: str) -> Callable[[type[Initializer]], type[Initializer]]:
    """Decorate a class: `initializer` knows it by its lowercase name and by ``aliases``; existing names stay."""

    def register(cls: type[Initializer]) -> type[Initializer]:
        for name in (cls.__name__.lower(), *aliases):
            _INITIALIZER_ALIAS.setdefault(name, cls)
        return cls

    return register


def _initializer_by_name(name: str) -> Initializer:
    try:
        return _INITIALIZER_ALIAS[name.lower()]()
    except KeyError:
        raise ValueError(
            f"For 'initializer', 'init' must be one of {sorted(_INITIALIZER_ALIAS)}, but got {name!r}."
        ) from None


def _sizes(shape: Any) -> tuple[int, ...]:
    items = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    return tuple(map(operator.index, items))


def initializer(init: Any, shape: Any = None, dtype: Any = torch.float32) -> Tensor:
    """Return a new Tensor that ``init`` fills when its values are first needed, by `init_data` or `Parameter`: a name,
    a number or an `Initializer`. A Tensor is returned as it is, when it fits.

    Raises:
        TypeError: for another kind of ``init``. ValueError: for an unknown name or a Tensor of another shape.

    Examples:
        >>> print(ms.common.initializer.initializer("ones", [2, 2], ms.float32).init_data())
        [[1. 1.]
         [1. 1.]]
    """
    if isinstance(init, torch.Tensor):
        if shape is not None and tuple(init.shape) not in (_sizes(shape),):
            raise ValueError(
                f"For 'initializer', 'shape' must equal the shape of the Tensor 'init' {tuple(init.shape)}, "
                f"but got {_sizes(shape)}."
            )
        return init  # type: ignore[return-value]
    if not isinstance(init, (str, numbers.Number, Initializer)):
        raise TypeError(
            "For 'initializer', the type of the 'init' argument should be 'Tensor', 'number', 'string' or "
            f"'initializer', but got {type(init)}."
        )
    target = to_torch_dtype(dtype)
    if isinstance(init, str):
        init = _initializer_by_name(init)
    elif not isinstance(init, Initializer):
        init = Constant(init)
    shape = init.shape if shape is None else shape
    if shape is None:
        raise AttributeError(
            f"For 'initializer', 'shape' must be given: '{type(init).__name__}' object has no attribute 'shape'."
        )
    checked = _sizes(shape)
    if min(checked, default=1) < 1:
        raise ValueError(f"For 'initializer', the sizes in 'shape' must be at least 1, but got {checked}.")
    init._asked = checked, target
    result = Tensor(shape=checked, dtype=target, init=init)
    result._is_new = True  # it has no other owner: the first Parameter made of it takes the memory
    return result


lazy_init.by_name.append(initializer)
