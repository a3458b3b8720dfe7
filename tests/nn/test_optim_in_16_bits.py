"""A step of 16-bit Parameters is that of float32 Parameters, rounded: for every optimizer, sizes beyond the vectors of
a CPU, and gradients whose squares and epsilons are 0 in float16.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import mint, nn
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.experimental import optim

NN: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {}),
    ("SGD", {"momentum": 0.9}),
    ("SGD", {"momentum": 0.9, "dampening": 0.3}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("Momentum", {"learning_rate": 0.1, "momentum": 0.9}),
    ("Momentum", {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True, "loss_scale": 4.0}),
    ("Adam", {}),
    ("Adam", {"use_amsgrad": True}),
    ("Adam", {"use_nesterov": True}),
    ("Adam", {"use_lazy": True}),
    ("AdamOffload", {}),
    ("AdamWeightDecay", {"eps": 1e-3}),  # with upstream's own, a square that float16 has not is 0 there, too
    ("LazyAdam", {}),
    ("Adagrad", {}),
    ("RMSProp", {}),
    ("RMSProp", {"centered": True}),
    ("FTRL", {}),
    ("Lamb", {"learning_rate": 0.01}),
    ("Rprop", {}),
    ("ASGD", {}),
    ("Adadelta", {}),
    ("AdaMax", {}),
    ("ProximalAdagrad", {}),
]
TORCH: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("Adam", {}),
    ("Adam", {"amsgrad": True}),
    ("AdamW", {}),
    ("Adagrad", {}),
    ("Adadelta", {}),
    ("Adamax", {}),
    ("ASGD", {}),
    ("NAdam", {}),
    ("RAdam", {}),
    ("RMSprop", {}),
    ("RMSprop", {"centered": True, "momentum": 0.5}),
    ("Rprop", {}),
]
MADE = [
    (module, name, options)
    for module, rows in ((nn, NN), (optim, TORCH), (mint.optim, TORCH))
    for name, options in rows
    if hasattr(module, name)
]


def after(make: Any, dtype: Any, size: float, zeros: bool) -> list[np.ndarray]:
    random = np.random.RandomState(0)
    shapes = ((70,), (3, 9))
    parameters = [
        Parameter(Tensor(random.randn(*shape).astype(np.float32)).astype(dtype).astype(dtype), name=f"p{position}")
        for position, shape in enumerate(shapes)
    ]
    optimizer = make(parameters)
    for _ in range(1 if size == 1e-4 else 2):  # what is kept in 16 bits loses such gradients' squares
        gradients = [random.randn(*shape) * (random.rand(*shape) > 0.5 * zeros) * size for shape in shapes]
        optimizer(tuple(Tensor(gradient.astype(np.float32)).astype(dtype) for gradient in gradients))
    return [parameter.astype(ms.float32).asnumpy() for parameter in parameters]


@pytest.mark.parametrize("size, zeros", [(1.0, False), (1.0, True), (1e-4, True), (0.0, False)])
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16], ids=str)
@pytest.mark.parametrize(
    "module, name, options", MADE, ids=[f"{m.__name__.split('.', 1)[1]}.{n}-{'-'.join(o)}" for m, n, o in MADE]
)
def test_a_step_is_that_of_float32(
    module: Any, name: str, options: dict[str, Any], dtype: Any, size: float, zeros: bool
) -> None:
    def make(parameters: list[Any]) -> Any:
        return getattr(module, name)(parameters, **options)

    narrow = after(make, dtype, size, zeros)
    wide = after(make, ms.float32, size, zeros)
    unit = 2.0**-7 if dtype == ms.bfloat16 else 2.0**-10
    for got, expected in zip(narrow, wide):
        np.testing.assert_allclose(got, expected, rtol=4 * unit, atol=4 * unit * max(1.0, np.abs(expected).max()))
