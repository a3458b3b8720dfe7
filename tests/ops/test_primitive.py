"""Primitives as objects: attributes, names, copies, users' own subclasses."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import numpy as np
import pytest

import mindspore_compat
from mindspore_compat import ops
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.ops import operations as P
from mindspore_compat.ops.primitive import Primitive, PrimitiveWithInfer, constexpr, prim_attr_register


def test_constructor_arguments_are_attributes() -> None:
    op = P.ReduceSum(keep_dims=True)
    assert (op.name, op.keep_dims, op.skip_mode) == ("ReduceSum", True, False)
    assert isinstance(op, Primitive)


def test_signature_is_the_constructors() -> None:
    assert list(inspect.signature(P.TopK).parameters) == ["sorted"]
    assert list(inspect.signature(P.Add).parameters) == []
    assert list(inspect.signature(P.Concat()).parameters) == ["tensors", "more"]


@pytest.mark.parametrize("make", [lambda: P.BroadcastTo(), lambda: P.MatMul(False, transpose_a=True)])
def test_a_row_refuses_what_its_signature_does(make: object) -> None:
    with pytest.raises(TypeError):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: P.SpaceToDepth(0), ValueError, "For 'SpaceToDepth', the 'block_size' must be in the range"),
        (lambda: P.BiasAdd("HWC"), ValueError, "For 'BiasAdd', the 'data_format' must be one of "),
        (lambda: P.Randperm(max_length=0), ValueError, "For 'Randperm', the 'max_length' must be in the range"),
    ],
)
def test_constructor_arguments_are_checked_by_their_annotations(make: object, error: type, text: str) -> None:
    with pytest.raises(error, match=f"^{text}".replace("(", r"\(")):
        make()  # type: ignore[operator]


def test_an_annotation_without_a_check_is_only_shown() -> None:
    assert P.Elu(1).alpha == 1 and inspect.signature(P.Elu).parameters["alpha"].annotation is float


def test_a_rows_arguments_reach_its_function() -> None:
    x = Tensor(np.array([[1.0, -2.0], [3.0, -4.0]], np.float32))
    assert np.array_equal(P.FillDiagonal(9.0, wrap=True)(x).asnumpy(), [[9, -2], [3, 9]])  # under another name there
    assert np.array_equal(P.ReduceSum(True)(x, 1).asnumpy(), [[-1], [-1]])
    assert list(inspect.signature(P.ReduceSum(True)).parameters) == ["x", "axis"]


@pytest.mark.parametrize("make", [lambda: P.ReduceSum(True), lambda: P.Add(), lambda: P.Conv2D(3, 3, pad_mode="same")])
def test_copies_and_pickles_work_alike(make: object) -> None:
    op = make()  # type: ignore[operator]
    for other in (copy.copy(op), copy.deepcopy(op), pickle.loads(pickle.dumps(op))):
        assert type(other) is type(op)
        assert other.init_attrs == op.init_attrs
    x = Tensor(np.ones((1, 2, 4, 4), np.float32))
    if op.name == "ReduceSum":
        assert pickle.loads(pickle.dumps(op))(x, 1).shape == (1, 1, 4, 4)


def test_graph_hints_are_kept_and_change_nothing() -> None:
    op = P.MatMul().shard(((1, 1), (1, 1))).add_prim_attr("primitive_target", "CPU").set_stage(0).recompute()
    assert op.primitive_target == "CPU"
    assert op.in_strategy == ((1, 1), (1, 1))
    assert op(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])).asnumpy().tolist() == [[11.0]]
    assert op.recompute is True  # upstream's attribute lies in front of the method
    assert P.MatMul().add_prim_attr("recompute", False).recompute is False


class _Scale(PrimitiveWithInfer):
    @prim_attr_register
    def __init__(self, factor: float = 2.0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def __call__(self, x: Tensor) -> Tensor:
        return x * self.factor


def test_users_primitive_with_registered_attributes() -> None:
    op = _Scale(factor=3.0)
    assert op.factor == 3.0
    assert op.name == "_Scale"
    assert op(Tensor([1.0])).asnumpy().tolist() == [3.0]


def test_constexpr_runs_the_function() -> None:
    @constexpr
    def shape_of(x: int) -> tuple:
        return (x, x)

    assert shape_of(2) == (2, 2)

    @constexpr(get_instance=False)
    def doubled(x: int) -> int:
        return 2 * x

    assert doubled()(4) == 8
    assert mindspore_compat.constexpr is constexpr


def test_flags_on_functions() -> None:
    @ops.add_flags(has_effect=True)
    def step() -> int:
        return 1

    assert step._func_graph_flags == {"has_effect": True}
    assert step() == 1


def test_inputs_by_upstreams_names_and_no_constructor_arguments_in_a_call() -> None:
    """The names are those of 2.10's ``__call__``."""
    x, one = Tensor(np.arange(6, dtype=np.float32).reshape(1, 2, 3)), Tensor(np.ones(3, np.float32))
    product = ops.BatchMatMul(transpose_b=True)
    np.testing.assert_array_equal(product(x=x, y=x).asnumpy(), product(x, x).asnumpy())
    norm = ops.LayerNorm(-1, -1)
    np.testing.assert_array_equal(norm(input_x=x, gamma=one, beta=one)[0].asnumpy(), norm(x, one, one)[0].asnumpy())
    flip = ops.ReverseV2([1])
    np.testing.assert_array_equal(flip(input=x).asnumpy(), flip(x).asnumpy())
    scatter, at = ops.TensorScatterElements(axis=0), Tensor(np.array([1, 0, 2]))
    np.testing.assert_array_equal(
        scatter(data=one, indices=at, updates=one * 2).asnumpy(), scatter(one, at, one * 2).asnumpy()
    )
    with pytest.raises(TypeError, match="'axis' is an argument of the constructor"):
        ops.Squeeze(0)(x, axis=0)


class _OwnConcat(ops.PrimitiveWithInfer):
    """Declared as upstream's operators are: its kernel is found by name."""

    @ops.prim_attr_register
    def __init__(self, axis=0):
        super().__init__("Concat")


def test_an_operator_declared_by_name_computes_what_the_name_says() -> None:
    x = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2))
    assert np.array_equal(_OwnConcat(1)((x, x)).asnumpy(), np.concatenate([x.asnumpy()] * 2, 1))
    assert ops.grad(lambda x: _OwnConcat()((x, x)).sum())(x).asnumpy().tolist() == [[2, 2], [2, 2]]
    with pytest.raises(NotImplementedError, match="no computation"):
        ops.Primitive("Unheard")(x)


class _Scaled(ops.PrimitiveWithInfer):
    """Upstream runs such operators where it has a kernel; its gradient is the one of ``bprop`` everywhere."""

    @ops.prim_attr_register
    def __init__(self, by):
        self.by = by

    def __call__(self, x, y):
        return Tensor(x.asnumpy() * self.by), y * 3

    def get_bprop(self):
        def bprop(x, y, out, dout):
            return dout[0] * 7 * self.by + out[0], dout[1] * 5 + y

        return bprop


class _Relu(ops.ReLU):
    def get_bprop(self):
        return lambda x, out, dout: (dout * 7 + out,)


class _TooFew(_Scaled):
    def get_bprop(self):
        return lambda x, y, out, dout: (dout[0],)


@pytest.mark.parametrize("mode", [mindspore_compat.PYNATIVE_MODE, mindspore_compat.GRAPH_MODE])
def test_an_operator_of_the_program_has_the_gradient_of_its_bprop(mode):
    mindspore_compat.set_context(mode=mode)
    try:
        x, y = Tensor([1.0]), Tensor([2.0])
        scaled, relu, few = _Scaled(4), _Relu(), _TooFew(4)
        assert [item.asnumpy().tolist() for item in scaled(x, y)] == [[4.0], [6.0]]
        found = mindspore_compat.grad(lambda x, y: scaled(x, y), (0, 1))(x, y)
        assert [item.asnumpy().tolist() for item in found] == [[32.0], [7.0]]
        assert mindspore_compat.grad(lambda x: relu(x) * 3)(x).asnumpy().tolist() == [22.0]
        with pytest.raises(RuntimeError, match="The output size of the 'bprop' must match"):
            mindspore_compat.grad(lambda x: few(x, x))(x)
    finally:
        mindspore_compat.set_context(mode=mindspore_compat.PYNATIVE_MODE)


def test_a_registered_bprop_is_the_gradient_of_an_operator_of_the_program() -> None:
    from mindspore_compat.ops._grad.grad_base import bprop_getters as before_2_0
    from mindspore_compat.ops._grad_experimental.grad_base import bprop_getters

    class Doubled(ops.PrimitiveWithInfer):
        @ops.prim_attr_register
        def __init__(self) -> None:
            self.init_prim_io_names(inputs=["x"], outputs=["y"])

        def __call__(self, x: Any) -> Any:
            return Tensor(x.asnumpy() * 2)

    @bprop_getters.register(Doubled)
    def get_bprop_doubled(self: Any) -> Any:
        return lambda x, out, dout: (dout * 5 + out,)

    doubled = Doubled()
    assert before_2_0 is bprop_getters and callable(get_bprop_doubled)
    assert mindspore_compat.grad(lambda x: doubled(x) * 3)(Tensor([1.0])).asnumpy().tolist() == [17.0]
    with pytest.raises(NotImplementedError, match="not its name"):
        bprop_getters.register("ReLU")


@pytest.mark.parametrize("prim, plain", [(P.Sign, 0.0), (P.Elu, 0.6065307)])
def test_a_registered_bprop_replaces_the_gradient_of_an_operator(prim, plain, monkeypatch) -> None:
    """TensorLayerX registers straight-through gradients of Sign and Round in the constructors of its layers."""
    from mindspore_compat.ops._grad.grad_base import bprop_getters

    x, made = Tensor([-0.5]), prim()
    assert mindspore_compat.grad(made)(x).asnumpy() == pytest.approx(plain)
    monkeypatch.setattr(prim, "__call__", prim.__call__)
    monkeypatch.setattr(prim, "get_bprop", None, raising=False)
    monkeypatch.delattr(prim, "get_bprop")
    for factor in (3.0, 5.0):
        bprop_getters.register(prim)(lambda self: lambda x, out, dout: (dout * factor,))
        assert mindspore_compat.grad(made)(x).item() == mindspore_compat.grad(prim())(x).item() == factor
        assert made(x).item() == prim()(x).item() != 0


def test_run_op_is_the_operator_below_a_subclass() -> None:
    """MindNLP's AllGather calls it from a `__call__` of its own."""
    from mindspore_compat.ops.primitive import _run_op

    class Own(ops.Add):
        def __call__(self, *args: Any) -> Any:
            return _run_op(self, self.name, args) * 2

    assert Own()(Tensor([1.0]), Tensor([2.0])).tolist() == [6.0]
    assert _run_op(ops.Add(), "Add", (Tensor([1.0]), Tensor([2.0]))).tolist() == [3.0]
