"""`has_aux` and `derivative`. One auxiliary output comes back itself, several in a tuple; `grad` gives a tuple always. As real MindSpore
2.10, in both modes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor

X = Tensor(np.array([1.0, 2.0], np.float32))
_TAKEN: dict[str, Callable[[Any], Any]] = {
    "jacrev": lambda f: ms.jacrev(f, has_aux=True)(X)[-1],
    "jacfwd": lambda f: ms.jacfwd(f, has_aux=True)(X)[-1],
    "jvp": lambda f: ms.jvp(f, X, X, has_aux=True)[-1],
    "vjp": lambda f: ms.vjp(f, X, has_aux=True)[-1],
}


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", [*_TAKEN, "grad"])
def test_auxiliary_outputs(name: str, mode: int) -> None:
    ms.set_context(mode=mode)
    try:
        take = _TAKEN.get(name, lambda f: ms.grad(f, has_aux=True)(X)[-1])
        one, several = take(lambda x: (x * x, x + 1)), take(lambda x: (x * x, x + 1, x + 2))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert isinstance(one, tuple if name == "grad" else Tensor)
    alone = one[0] if isinstance(one, tuple) else one
    assert alone.asnumpy().tolist() == [2, 3] and not alone.requires_grad
    assert isinstance(several, tuple) and [item.asnumpy().tolist() for item in several] == [[2, 3], [3, 4]]


def test_derivative_moves_all_inputs_together() -> None:
    """The numbers are those of the formula; real MindSpore 2.10 gives them too."""
    y = Tensor(np.array([3.0, 5.0], np.float32))
    outputs, third = ms.ops.derivative(lambda x, y: ms.ops.sin(x) * ms.ops.cos(y), (X, y), 3)
    total = X.asnumpy() + y.asnumpy()  # sin x cos y = (sin(x + y) + sin(x - y)) / 2, of which the latter stands still
    np.testing.assert_allclose(third.asnumpy(), -4 * np.cos(total), rtol=1e-5)
    np.testing.assert_allclose(outputs.asnumpy(), np.sin(X.asnumpy()) * np.cos(y.asnumpy()), rtol=1e-6)
    outputs, second = ms.ops.derivative(lambda x, y: (x * x * y, x + y), (X, y), 2)
    assert type(outputs) is type(second) is list
    np.testing.assert_allclose(second[0].asnumpy(), 2 * y.asnumpy() + 4 * X.asnumpy())
    assert second[1].asnumpy().tolist() == [0, 0]
    _, alone = ms.ops.derivative(ms.ops.exp, X, 2)
    np.testing.assert_allclose(alone.asnumpy(), np.exp(X.asnumpy()), rtol=1e-6)


def test_positions_of_nothing() -> None:
    weight = Parameter(Tensor([3.0, 4.0]), name="w")
    with pytest.raises(RuntimeError):
        ms.grad(lambda x: x * weight, (), weight)(X)
    assert ms.grad(lambda: weight * 2, 0)() == ()
    by_inputs, by_weight = ms.grad(lambda: weight * 2, 0, weight)()
    assert by_inputs == () and by_weight.asnumpy().tolist() == [2, 2]
    with pytest.raises(RuntimeError):
        ms.grad(lambda x: x * weight, 1)(X)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        with pytest.raises(IndexError):
            ms.grad(lambda: weight * 2, 0)()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize(
    "given", [3, 3.0, None, {"a": X}, [X], "a"], ids=["int", "float", "None", "dict", "list", "str"]
)
def test_what_has_no_gradient(given: Any) -> None:
    weight = Parameter(Tensor([3.0, 4.0]))
    assert ms.grad(lambda x, other: x * 2, 1)(X, given) == ()
    _, (by_input, by_weights) = ms.value_and_grad(lambda other, x: x * weight, 0, [weight])(given, X)
    assert by_input == () and by_weights[0].asnumpy().tolist() == X.asnumpy().tolist()


@pytest.mark.parametrize(
    "mode, error, of_one", [(ms.PYNATIVE_MODE, ValueError, False), (ms.GRAPH_MODE, RuntimeError, True)]
)
def test_functions_without_auxiliary_outputs(mode: int, error: type[Exception], of_one: bool) -> None:
    ms.set_context(mode=mode)
    try:
        with pytest.raises(error):
            ms.value_and_grad(lambda x: x * x, has_aux=True)(X)
        if of_one:
            gradient, others = ms.grad(lambda x: (x * x,), has_aux=True)(X)
            assert gradient.asnumpy().tolist() == [2, 4] and others == ()
        else:
            with pytest.raises(error):
                ms.grad(lambda x: (x * x,), has_aux=True)(X)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_vjp_by_one_parameter_gives_its_gradient_itself(mode: int) -> None:
    weight = Parameter(Tensor([3.0, 4.0]), name="w")
    ms.set_context(mode=mode)
    try:
        for given, kind in ((weight, Tensor), ([weight], tuple), ((weight,), tuple)):
            by_inputs, by_weights = ms.vjp(lambda x: x * weight, X, weights=given)[1](X)
            assert type(by_inputs) is tuple and isinstance(by_weights, kind)
            alone = by_weights if kind is Tensor else by_weights[0]
            assert alone.asnumpy().tolist() == [1, 4]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
