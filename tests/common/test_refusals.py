"""What Parameters, Tensors and sparse tensors are not made of; types as real MindSpore 2.10's."""

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor


@pytest.mark.parametrize("data", [3, 3.5, [1, 2], np.ones(2), Tensor([1.0]), [True], []], ids=str)
def test_what_a_parameter_is_made_of(data: Any) -> None:
    made = Parameter(data, name="p")
    assert made.name == "p" and np.array_equal(made.asnumpy(), np.array(data))


@pytest.mark.parametrize("name", [np.ones(2), Tensor([1.0]), True, 3, 3.5, [1, "2"], ("s",)], ids=str)
def test_names_of_parameters_are_strings(name: Any) -> None:
    with pytest.raises(ValueError):
        Parameter(Tensor([1.0]), name=name)
    assert Parameter(Tensor([1.0]), name=None).name.startswith("Parameter#")
    assert Parameter(Tensor([1.0]), name="").name.startswith("Parameter#")


@pytest.mark.parametrize("data", [["88", "0"], "88", np.array(["88", "9"]), ["a", 1]], ids=str)
def test_a_tensor_holds_no_text(data: Any) -> None:
    with pytest.raises(TypeError):
        Tensor(data)


def test_an_error_of_the_users_keeps_its_cause() -> None:
    def fails(x: Any) -> Any:
        try:
            raise KeyError("first")
        except KeyError as error:
            raise RuntimeError("mine") from error

    with pytest.raises(RuntimeError) as told:
        ms.grad(fails)(Tensor([2.0]))
    assert isinstance(told.value.__cause__, KeyError)


@pytest.mark.parametrize("other", ["ok", b"ok", None, {}, {1}, int], ids=str)
def test_what_operators_do_not_take(other: Any) -> None:
    """Python's own meaning (``"ok" * 3``) is not asked."""
    for x in (Tensor(3), Tensor([1.0, 2.0])):
        for by in ("+", "-", "*", "/", "//", "%", "**", "@", "<", ">=", "&"):
            with pytest.raises(TypeError):
                eval(f"x {by} other")
            if by in "+-*/" or (by == "%" and not isinstance(other, (str, bytes))):
                with pytest.raises(TypeError):
                    eval(f"other {by} x")
        assert "%s" % x == str(x)  # noqa: UP031


def test_orders_of_flatten() -> None:
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.flatten(0, 1).shape == x.flatten("C", start_dim=0).shape == x.flatten(np.int64(0)).shape == (4,)
    assert x.flatten(order="F", start_dim=0).asnumpy().tolist() == [1.0, 3.0, 2.0, 4.0]
