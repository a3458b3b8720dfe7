"""What Parameters, Tensors and sparse tensors are not made of; types as real MindSpore 2.10's."""

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import COOTensor, Parameter, Tensor, nn


@pytest.mark.parametrize("data", ["s", None, (1, 2), 1 + 2j, np.float32(2), {1: 2}, [1, "2", True], ["a"]], ids=str)
def test_what_a_parameter_is_not_made_of(data: Any) -> None:
    with pytest.raises(TypeError, match=r"default_input|input_data"):
        Parameter(data, name="p")


@pytest.mark.parametrize("data", [3, 3.5, [1, 2], np.ones(2), Tensor([1.0]), [True], []], ids=str)
def test_what_a_parameter_is_made_of(data: Any) -> None:
    made = Parameter(data, name="p")
    assert made.name == "p" and np.array_equal(made.asnumpy(), np.array(data))


@pytest.mark.parametrize("name", [np.ones(2), Tensor([1.0]), True, 3, 3.5, [1, "2"], ("s",)], ids=str)
def test_names_of_parameters_are_strings(name: Any) -> None:
    with pytest.raises(ValueError, match="'name' must be str or None"):
        Parameter(Tensor([1.0]), name=name)
    assert Parameter(Tensor([1.0]), name=None).name.startswith("Parameter#")
    assert Parameter(Tensor([1.0]), name="").name.startswith("Parameter#")


@pytest.mark.parametrize("data", [["88", "0"], "88", np.array(["88", "9"]), ["a", 1]], ids=str)
def test_a_tensor_holds_no_text(data: Any) -> None:
    with pytest.raises(TypeError, match=r"Tensor"):
        Tensor(data)


def test_the_shape_of_a_sparse_tensor() -> None:
    class Made(nn.Cell):
        def construct(self, indices, values):
            return COOTensor(indices, values, (2, 2, 2)).to_dense()

    indices, values = Tensor([[0, 0], [0, 1]], ms.int32), Tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="int"):
        COOTensor(indices, values, (3.0, 4))
    for mode, kind in ((ms.PYNATIVE_MODE, ValueError), (ms.GRAPH_MODE, TypeError)):
        ms.set_context(mode=mode)
        with pytest.raises(kind, match="length of 'shape' must be 2"):
            Made()(indices, values)
        with pytest.raises(ValueError, match=r"indices.shape\[1\]"):
            Made()(Tensor(np.zeros((2, 4)), ms.int32), values)


def test_an_error_of_the_users_keeps_its_cause() -> None:
    def fails(x: Any) -> Any:
        try:
            raise KeyError("first")
        except KeyError as error:
            raise RuntimeError("mine") from error

    with pytest.raises(RuntimeError, match="^mine$") as told:
        ms.grad(fails)(Tensor([2.0]))
    assert isinstance(told.value.__cause__, KeyError)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("args", [(0, 1), (0, [1]), (0, None), (0, 1.0), (True,)], ids=str)
def test_axes_are_no_bools_and_flags_are_bools(name: str, args: tuple) -> None:
    with pytest.raises(TypeError, match=r"must be bool|must be int"):
        getattr(Tensor([[1.0, 2.0]]), name)(*args)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("flag", ["keepdims", "keepdim"])
def test_a_flag_by_name_is_a_bool(name: str, flag: str) -> None:
    with pytest.raises(TypeError, match="must be bool"):
        getattr(Tensor([[1.0, 2.0]]), name)(0, **{flag: 1})
    assert getattr(Tensor([[1.0, 2.0]]), name)(dim=0, keepdim=True) is not None


def test_max_and_min_take_two_positions() -> None:
    with pytest.raises(TypeError, match="at most 2 positional arguments"):
        Tensor([1, 2]).min(None, False, None)


@pytest.mark.parametrize("other", ["ok", b"ok", None, {}, {1}, int], ids=str)
@pytest.mark.parametrize("x", [Tensor(3), Tensor([1.0, 2.0])], ids=["an int", "floats"])
@pytest.mark.parametrize("by", ["+", "-", "*", "/", "//", "%", "**", "@", "<", ">=", "&"])
def test_what_operators_do_not_take(x: Any, by: str, other: Any) -> None:
    """Python's own meaning (``"ok" * 3``) is not asked."""
    words = "takes Tensors and numbers, but got"
    with pytest.raises(TypeError, match=words):
        eval(f"x {by} other")
    if by in "+-*/" or (by == "%" and not isinstance(other, (str, bytes))):
        with pytest.raises(TypeError, match=words):
            eval(f"other {by} x")
    assert "%s" % Tensor(3) == "3"  # noqa: UP031


def test_orders_of_flatten() -> None:
    """They are texts; numbers that come first are axes."""
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match="'order' value must be 'C' or 'F'"):
        x.flatten("K")
    with pytest.raises(ValueError, match="'order' value must be 'C' or 'F'"):
        ms.ops.flatten(x, 123)
    assert x.flatten(0, 1).shape == x.flatten("C", start_dim=0).shape == x.flatten(np.int64(0)).shape == (4,)
    assert x.flatten(order="F", start_dim=0).asnumpy().tolist() == [1.0, 3.0, 2.0, 4.0]
