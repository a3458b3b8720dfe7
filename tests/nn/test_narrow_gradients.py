"""Gradients of 16 bits for Parameters of 32: each optimizer, and each operator of one, does what it does with the same
numbers in float32. Compared with real MindSpore 2.10 for those that it computes (all but RMSProp, Lamb, AdamOffload).
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, nn, ops
from mindspore_compat.experimental import optim as experimental
from mindspore_compat.nn.optim.optimizer import Optimizer

GRADIENT = np.array([[3.0, 0.7], [-0.123, 1e-3]], np.float16)
_WRAPPERS = {"LARS", "OptTFTWrapper", "AdaSumByGradWrapCell", "AdaSumByDeltaWeightWrapCell"}
_NN = {
    name: item
    for name, item in vars(nn).items()
    if inspect.isclass(item) and issubclass(item, Optimizer) and name not in _WRAPPERS and item is not Optimizer
}
_ARGUMENTS: dict[str, dict[str, Any]] = {"Momentum": {"momentum": 0.9}}


def _weight() -> Parameter:
    return Parameter(Tensor(np.array([[0.649, 0.3], [-0.9, 0.01]], np.float32)), name="w")


def _trained(make: Any, dtype: Any, **kwargs: Any) -> np.ndarray:
    weight = _weight()
    optimizer = make([weight], **kwargs)
    for _ in range(3):
        optimizer((Tensor(GRADIENT).astype(dtype),))
    assert weight.dtype == ms.float32
    return weight.asnumpy()


@pytest.mark.parametrize(
    ("name", "decay"),
    [
        (name, decay)
        for name in sorted(_NN)
        for decay in (0.0, 0.1)
        if not decay or "weight_decay" in inspect.signature(_NN[name]).parameters
    ],
)
def test_optimizers(name: str, decay: float) -> None:
    kwargs = {"learning_rate": 0.1, **_ARGUMENTS.get(name, {})}
    if decay:
        kwargs["weight_decay"] = decay
    if name == "AdaFactor":
        kwargs |= {"learning_rate": None}
    narrow, wide = (_trained(_NN[name], dtype, **kwargs) for dtype in (ms.float16, ms.float32))
    np.testing.assert_allclose(narrow, wide, rtol=1e-6)
    assert not np.allclose(wide, _weight().asnumpy())


@pytest.mark.parametrize(
    "make",
    [
        getattr(module, name)
        for module in (experimental, mint.optim)
        for name in module.__all__
        if name != "Optimizer" and name[0].isupper()
    ],
    ids=lambda make: f"{make.__module__.split('.')[1]}.{make.__name__}",
)
def test_optimizers_of_experimental_and_mint(make: Any) -> None:
    narrow, wide = (_trained(make, dtype, lr=0.1) for dtype in (ms.float16, ms.float32))
    np.testing.assert_allclose(narrow, wide, rtol=1e-6, atol=2e-8)  # a unit in the last place of what was subtracted


P = ops.operations
_STEPS: dict[str, Any] = {
    "ApplyMomentum": lambda w, s, g: P.ApplyMomentum()(w(), s(), 0.1, g, 0.9),
    "ApplyKerasMomentum": lambda w, s, g: P.ApplyKerasMomentum()(w(), s(), Tensor(0.1), g, Tensor(0.9)),
    "SGD": lambda w, s, g: P.SGD(weight_decay=0.1)(w(), g, Tensor(0.1), s(), Tensor(0.9), s()),
    "Adam": lambda w, s, g: P.Adam()(w(), s(), s(), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, g),
    "AdamWeightDecay": lambda w, s, g: P.AdamWeightDecay()(w(), s(), s(), 0.1, 0.9, 0.99, 1e-8, 0.1, g),
    "ApplyAdaMax": lambda w, s, g: P.ApplyAdaMax()(w(), s(), s(), 0.9, 0.1, 0.9, 0.99, 1e-8, g),
    "ApplyAdadelta": lambda w, s, g: P.ApplyAdadelta()(w(), s(), s(), 0.1, 0.3, 1e-6, g),
    "ApplyAdagrad": lambda w, s, g: P.ApplyAdagrad()(w(), s(), 0.1, g),
    "ApplyAdagradV2": lambda w, s, g: P.ApplyAdagradV2(1e-6)(w(), s(), 0.1, g),
    "ApplyRMSProp": lambda w, s, g: P.ApplyRMSProp()(w(), s(), s(), 0.1, g, 0.9, 0.0, 1e-8),
    "ApplyFtrl": lambda w, s, g: P.ApplyFtrl()(w(), s(), s(), g, 0.1, 0.1, 0.2, -0.5),
    "ApplyGradientDescent": lambda w, s, g: P.ApplyGradientDescent()(w(), 0.1, g),
    "ApplyProximalGradientDescent": lambda w, s, g: P.ApplyProximalGradientDescent()(w(), 0.1, 0.1, 0.2, g),
    "ApplyProximalAdagrad": lambda w, s, g: P.ApplyProximalAdagrad()(w(), s(), 0.1, 0.1, 0.2, g),
    "ApplyAddSign": lambda w, s, g: P.ApplyAddSign()(w(), s(), 0.1, 2.0, 0.5, 0.9, g),
    "ApplyPowerSign": lambda w, s, g: P.ApplyPowerSign()(w(), s(), 0.1, 2.0, 0.5, 0.9, g),
}


@pytest.mark.parametrize("own", [np.float32, np.float16], ids=["float32", "float16"])
@pytest.mark.parametrize("name", sorted(_STEPS))
def test_operators(name: str, own: Any) -> None:
    """Variables of float16 are computed with in float32, too, and rounded once."""
    found = []
    for dtype, variables in ((ms.float16, own), (ms.float32, np.float32)):
        made: list[Parameter] = []

        def new(value: Any, made: list[Parameter] = made, variables: Any = variables) -> Parameter:
            value = value.astype(np.float16).astype(variables) if own is np.float16 else value
            made.append(Parameter(Tensor(value), name=f"p{len(made)}"))
            return made[-1]

        _STEPS[name](
            lambda: new(_weight().asnumpy()),
            lambda: new(np.full((2, 2), 0.5, np.float32)),
            Tensor(GRADIENT).astype(dtype),
        )
        found.append([item.asnumpy() for item in made])
    for narrow, wide in zip(*found):
        assert narrow.dtype == own
        np.testing.assert_allclose(narrow, wide.astype(own), rtol=1e-6)
    assert not np.allclose(found[1][0], _weight().asnumpy(), rtol=1e-3)


def test_the_gradient_itself_is_not_written_to() -> None:
    gradient = Tensor(GRADIENT)
    before = gradient._version
    P.ApplyGradientDescent()(_weight(), 0.1, gradient)
    assert gradient._version == before and np.array_equal(gradient.asnumpy(), GRADIENT)


def test_variables_of_float16_under_vmap() -> None:
    rows = np.array([[0.6, 0.3], [0.9, 0.1]], np.float16)
    step = ops.vmap(lambda w, s, rate, g: P.ApplyAdagradV2(1e-6)(w, s, rate, g), in_axes=(0, 0, 0, 0))
    weight, state = Parameter(Tensor(rows), name="w"), Parameter(Tensor(rows), name="s")
    step(weight, state, Tensor([0.1, 0.2]), Tensor(rows))
    expected = rows.astype(np.float32) ** 2 + rows
    np.testing.assert_allclose(state.asnumpy(), expected.astype(np.float16))
