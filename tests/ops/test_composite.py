"""MultitypeFuncGraph, HyperMap and Map in the patterns that networks use."""

from __future__ import annotations

import numpy as np
import pytest

from mindspore_compat import ops
from mindspore_compat.common.dtype import float32
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.ops import composite as C
from mindspore_compat.ops import functional as F
from mindspore_compat.ops import operations as P

clip_grad = C.MultitypeFuncGraph("clip_grad")


@clip_grad.register("Number", "Number", "Tensor")
def _clip_grad(clip_type: int, clip_value: float, grad: Tensor) -> Tensor:
    dt = F.dtype(grad)
    if clip_type == 0:
        return C.clip_by_value(
            grad, F.cast(F.tuple_to_array((-clip_value,)), dt), F.cast(F.tuple_to_array((clip_value,)), dt)
        )
    return grad


grad_scale = C.MultitypeFuncGraph("grad_scale")


@grad_scale.register("Tensor", "Tensor")
def _tensor_grad_scale(scale: Tensor, grad: Tensor) -> Tensor:
    return grad * P.Reciprocal()(scale)


@grad_scale.register("Tensor", "Number")
def _number_grad_scale(scale: Tensor, grad: float) -> float:
    return grad


def test_clipping_gradients_as_the_model_zoo_does() -> None:
    grads = (Tensor([5.0, -0.5]), Tensor([[-7.0]]))
    clipped = C.HyperMap()(F.partial(clip_grad, 0, 1.0), grads)
    assert isinstance(clipped, tuple)
    assert [item.asnumpy().tolist() for item in clipped] == [[1.0, -0.5], [[-1.0]]]


def test_dispatch_takes_the_first_matching_types() -> None:
    scaled = C.HyperMap()(F.partial(grad_scale, Tensor(2.0)), (Tensor([4.0]), 3.0))
    assert scaled[0].asnumpy().tolist() == [2.0]
    assert scaled[1] == 3.0


def test_no_match_names_the_types() -> None:
    with pytest.raises(ValueError, match="'str'"):
        grad_scale(Tensor(1.0), "x")


def test_unknown_type_is_refused() -> None:
    with pytest.raises(TypeError, match="Tensr"):
        C.MultitypeFuncGraph("f").register("Tensr")


def test_dtype_of_tensors_can_be_asked_for() -> None:
    kinds = C.MultitypeFuncGraph("kinds")
    kinds.register("Tensor[Float16]")(lambda x: "half")
    kinds.register("Tensor[Float32]")(lambda x: "single")
    kinds.register("Tuple")(lambda x: "tuple")
    kinds.register(float32)(lambda x: "number")
    assert [kinds(Tensor(1.0)), kinds(Tensor(1.0).half()), kinds((1,)), kinds(1.5)] == [
        "single",
        "half",
        "tuple",
        "number",
    ]


def test_hyper_map_goes_into_nested_sequences_and_map_does_not() -> None:
    x = Tensor([1.0])
    assert C.HyperMap(ops.square)([x, (x, x)])[1][0].asnumpy().tolist() == [1.0]
    assert C.Map()(len, ((1, 2), (3,))) == (2, 1)


def test_hyper_map_over_parameters_and_gradients() -> None:
    weights = ParameterTuple([Parameter(Tensor(np.ones(2, np.float32)), name="w")])
    update = C.MultitypeFuncGraph("update")

    @update.register("Tensor", "Tensor", "Tensor")
    def _update(lr: Tensor, weight: Parameter, gradient: Tensor) -> bool:
        ops.assign_sub(weight, lr * gradient)
        return True

    done = C.HyperMap()(F.partial(update, Tensor(0.5)), weights, (Tensor([1.0, 2.0]),))
    assert done == (True,)
    assert weights[0].asnumpy().tolist() == [0.5, 0.0]


def test_ones_like_goes_through_tuples() -> None:
    ones = C.ones_like((Tensor([2.0]), 3))
    assert ones[0].asnumpy().tolist() == [1.0]
    assert ones[1] == 1


def test_what_compiled_loops_go_through() -> None:
    """As the oracle gives them under ``jit``."""
    x = Tensor([1.0, 2.0, 3.0])
    assert [ops.ms_hasnext(item) for item in ((x, 2), (), [x], x)] == [True, False, True, True]
    first, rest = ops.ms_next((x, 2, 3))
    assert first is x and rest == (2, 3)
    assert ops.ms_next([1, 2, 3]) == (1, [2, 3]) and ops.ms_next({"a": 1}) == ("a", {})
    one, others = ops.ms_next(x)
    assert one.shape == () and float(one) == 1 and others.asnumpy().tolist() == [2, 3]
    assert ops.iter_converter({"a": 1, "b": 2}) == ("a", "b") and ops.iter_converter((1, 2)) == (1, 2)


def test_tuples_of_tensors_make_one_with_an_axis_in_front() -> None:
    pair = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert F.tuple_to_array((pair,)).shape == (1, 2, 3)
    np.testing.assert_array_equal(F.tuple_to_array((pair, pair)).asnumpy(), np.stack([pair.asnumpy()] * 2))
    assert F.tuple_to_array((Tensor(1.0), Tensor(2.0))).asnumpy().tolist() == [1.0, 2.0]


def test_scalar_tensor_fits_number_where_nothing_else_fits() -> None:
    decay = C.MultitypeFuncGraph("decay")  # of optimizers copied from 1.x, whose weight_decay was a Number
    decay.register("Number", "Tensor")(lambda rate, weight: "number")
    decay.register("Bool", "Tensor")(lambda rate, weight: "bool")
    assert decay(Tensor(0.5), Tensor([1.0])) == decay(0.5, Tensor([1.0])) == "number"
    with pytest.raises(ValueError, match="decay"):
        decay(Tensor([0.5]), Tensor([1.0]))
    decay.register("Tensor", "Tensor")(lambda rate, weight: "tensor")
    assert decay(Tensor(0.5), Tensor([1.0])) == "tensor"
