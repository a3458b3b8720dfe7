"""What code in GRAPH_MODE and under ``jit`` does otherwise than Python's own rules say, and derivatives of what is written
to in place. The numbers are real MindSpore 2.10's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.ops import functional
from mindspore_compat.ops.function.grad import grad_func

MODES = {"pynative": ms.PYNATIVE_MODE, "graph": ms.GRAPH_MODE}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    ms.set_context(mode=MODES[request.param])
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.fixture
def graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def _values(found: Any) -> Any:
    if isinstance(found, (tuple, list)):
        return [_values(item) for item in found]
    return found.asnumpy().tolist() if isinstance(found, Tensor) else found


# --- CellList by a Tensor ---------------------------------------------------------------------------------------------


class Chosen(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.CellList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])

    def construct(self, index: Any, x: Any) -> Any:
        return self.layers[index](x)


@pytest.mark.usefixtures("graph_mode")
def test_a_tensor_chooses_of_a_cell_list_in_graph_mode() -> None:
    x = Tensor([-1.0, 2.0])
    assert _values(Chosen()(Tensor(0, ms.int32), x)) == [0, 2]
    for index in (Tensor(-1, ms.int32), Tensor([2], ms.int32)):
        np.testing.assert_allclose(Chosen()(index, x).asnumpy(), [0.26894143, 0.880797], rtol=1e-5)
    with pytest.raises(IndexError, match="range"):
        Chosen()(Tensor(3, ms.int32), x)


# --- what is written to -----------------------------------------------------------------------------------------------


class Accumulated(nn.Cell):
    """The variable after it was changed by a value that has a gradient."""

    def __init__(self, operator: Any) -> None:
        super().__init__()
        self.b = Parameter(Tensor([3.0]), name="b")
        self.operator = operator

    def construct(self, x: Any) -> Any:
        return self.operator(self.b, x) * x


@pytest.mark.parametrize(("operator", "by_input"), [(ops.assign_add, 11.0), (ops.assign_sub, -5.0)])
def test_a_changed_parameter_and_its_change_have_gradients(operator: Any, by_input: float, mode: str) -> None:
    net = Accumulated(operator)
    by_x, by_b = ops.GradOperation(get_all=True, get_by_list=True)(net, net.trainable_params())(Tensor([4.0]))
    assert _values([by_x, by_b]) == [[[by_input]], [[4.0]]]


class Intermediate(nn.Cell):
    def construct(self, x: Any, y: Any) -> Any:
        z = x * 2
        return ops.assign_sub(z, y * 3) * x


def test_a_changed_intermediate_value_has_its_gradient(mode: str) -> None:
    found = ops.grad(Intermediate(), (0, 1))(Tensor([4.0]), Tensor([2.0]))
    assert _values(found) == [[10.0], [-12.0]]


class WrittenBefore(nn.Cell):
    """Goes on with the variable, not with what the operator returned."""

    def construct(self, x: Any, y: Any) -> Any:
        z = x * 2
        ops.AssignSub()(z, y)
        return z * z


def test_compiled_code_differentiates_by_what_a_value_was_changed_by(mode: str) -> None:
    found = ops.grad(WrittenBefore(), (0, 1))(Tensor([1.0]), Tensor([4.0]))
    assert _values(found) == [[-8.0], [4.0] if mode == "graph" else [0.0]]


class Rewritten(nn.Cell):
    """Assigns to its Parameter between reads."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.weight = Parameter(Tensor(0, dtype), name="w")

    def construct(self, x: Any) -> Any:
        out, i = x * 0, 0
        while i < 3:
            ops.assign(self.weight, i)
            out = x * self.weight + out
            i = i + 1
        return out


@pytest.mark.parametrize("by", [ms.int32, ms.float32])
@pytest.mark.parametrize("dtype", [ms.int32, ms.float32])
def test_each_read_of_a_parameter_that_is_assigned_has_its_value(dtype: Any, by: Any, mode: str) -> None:
    (found,) = ops.GradOperation(get_all=True)(Rewritten(dtype))(Tensor(1, by))
    assert (found.dtype, float(found)) == (by, 3.0 if mode == "graph" else 6.0)


def test_infinite_changes_stay() -> None:
    value = ops.value_and_grad(lambda b, x: ops.assign_add(b * 1, x))(Tensor([3.0]), Tensor([np.inf]))[0]
    assert _values(value) == [np.inf]


INDEX = Tensor([0, 1], ms.int32)


class IndexAdded(nn.Cell):
    def __init__(self, operator: Any) -> None:
        super().__init__()
        self.operator = operator

    def construct(self, x: Any, updates: Any) -> Any:
        z = x * 2
        added = self.operator(z, updates)
        return added * added + z


@pytest.mark.parametrize(
    "operator",
    [
        lambda z, u: ops.index_add(z, INDEX, u, 0),
        lambda z, u: ops.IndexAdd(0)(z, INDEX, u),
        lambda z, u: ops.inplace_index_add(z, INDEX, u, 0),
        lambda z, u: ops.InplaceIndexAdd(0)(z, INDEX, u),
        lambda z, u: z.index_add(INDEX, u, 0),
    ],
)
def test_index_add_writes_to_its_tensor(operator: Any, mode: str) -> None:
    x, updates = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0])
    net = IndexAdded(operator)
    assert _values(net(x, updates)) == [156.0, 600.0, 42.0]
    assert _values(ops.grad(net, (0, 1))(x, updates)) == [[50.0, 98.0, 26.0], [24.0, 48.0]]
    operator(x, updates)
    assert _values(x) == [11.0, 22.0, 3.0]


# --- operators --------------------------------------------------------------------------------------------------------


def _triple(x: Any, b: Any = 2.0, c: Any = 3.0) -> Any:
    return x * b * c


@pytest.mark.usefixtures("graph_mode")
def test_morph_takes_arguments_by_name() -> None:
    operator = ops.Morph(_triple, lambda *given: given[0], lambda *given: given[0])
    assert _values(operator(Tensor([4.0]), b=Tensor([7.0]))) == [84.0]
    assert _values(ops.grad(lambda x, b: operator(x, b=b), (0, 1))(Tensor([4.0]), Tensor([7.0]))) == [[21.0], [12.0]]


def _product(x: Any, b: Any) -> Any:
    return x * b


def _own(x: Any, b: Any, out: Any, dout: Any) -> Any:
    return dout * b * 10, dout * x * 100


@pytest.mark.usefixtures("graph_mode")
def test_morph_with_a_derivative_takes_arguments_by_name() -> None:
    operator = ops.Morph(_product, lambda *given: given[0], lambda *given: given[0], _own)
    assert _values(ops.grad(lambda x, b: operator(b=b, x=x), (0, 1))(Tensor([4.0]), Tensor([7.0]))) == [[70.0], [400.0]]


def test_relu_has_one_input() -> None:
    x = Tensor([-1.0, 2.0])
    with pytest.raises(TypeError, match="positional"):
        ops.ReLU()(x, True)
    assert _values(x) == [-1.0, 2.0]


@pytest.mark.parametrize(
    ("left", "right", "error"),
    [((8, 14, 20), (2, 2), ValueError), ((8, 14), (2, 0), ZeroDivisionError), ((8, 14), (2, 3), RuntimeError)],
)
def test_tuple_div_refuses(left: Any, right: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        functional.tuple_div(left, right)
    assert functional.tuple_div((-8, 14), (2, 2)) == (-4, 7)


# --- the output's gradient --------------------------------------------------------------------------------------------


def _square(x: Any) -> Any:
    return x * x


def _total(x: Any) -> Any:
    return (x * 2.0).sum()


@pytest.mark.parametrize("dtype", [ms.float64, ms.float16, ms.int64, ms.bool_])
def test_sens_of_another_dtype_is_refused(dtype: Any, mode: str) -> None:
    with pytest.raises(TypeError):
        ops.GradOperation(sens_param=True)(_square)(Tensor([2.0, 3.0]), Tensor([1, 0], dtype))


@pytest.mark.parametrize("sens", [Tensor(2), Tensor(2.0, ms.float16)])
def test_of_an_output_without_axes_pynative_casts_it(sens: Tensor, mode: str) -> None:
    function = ops.GradOperation(sens_param=True)(_total)
    if mode == "graph":
        with pytest.raises(TypeError, match="'sens'"):
            function(Tensor([2.0, 3.0]), sens)
    else:
        assert _values(function(Tensor([2.0, 3.0]), sens)) == [4.0, 4.0]


@pytest.mark.parametrize("sens", [2.0, 2, np.float32(2), Tensor(2.0), Tensor([2.0])])
def test_sens_of_one_number(sens: Any) -> None:
    assert _values(ops.GradOperation(sens_param=True)(_total)(Tensor([2.0, 3.0]), sens)) == [4.0, 4.0]


def test_sens_of_no_use_is_refused(mode: str) -> None:
    function = ops.GradOperation(sens_param=True)(_square)
    with pytest.raises(TypeError):
        function(Tensor([2.0, 3.0]), None)
    with pytest.raises(ValueError):
        function(Tensor([2.0, 3.0]), 2.0)


# --- what goes through a Cell -----------------------------------------------------------------------------------------


class Given(nn.Cell):
    def construct(self, value: Any) -> Any:
        return value


@pytest.mark.parametrize(
    "value", [[1, 2], [1, Tensor([2.0])], [[1, 2], 3], [], {"a": 1}, {"a": [Tensor([1.0])]}], ids=str
)
def test_lists_and_dicts_stay_the_same_objects(value: Any, mode: str) -> None:
    assert Given()(value) is value
    kept = Given()
    kept.value = value
    assert kept(kept.value) is value
    inner = value[0] if isinstance(value, list) and value else value
    if isinstance(inner, (list, dict)):
        assert ms.jit(lambda given: given["inner"][0])({"inner": (inner,)}) is inner


def test_a_list_that_a_cell_gave_back_is_the_programs(mode: str) -> None:
    features: list[Any] = []
    Given()(features).append(Tensor([1.0]))
    assert len(features) == 1


class Frozen(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")
        self.frozen = Parameter(Tensor([3.0]), name="frozen", requires_grad=False)

    def construct(self, x: Any) -> Any:
        return (self.w * x * self.frozen).sum()


def test_frozen_weights_stay_as_they_are(mode: str) -> None:
    net, x = Frozen(), Tensor([2.0, 3.0])
    assert _values(ops.grad(net, None, [net.frozen, net.w])(x)) == [[0.0], [15.0]]
    nn.TrainOneStepCell(net, nn.SGD([net.w, net.frozen], 0.1))(x)
    assert _values(net.frozen) == [3.0]
    np.testing.assert_allclose(net.w.asnumpy(), [0.5], rtol=1e-6)


# --- functions with a derivative of their own -------------------------------------------------------------------------


def _own_function(bprop: Any) -> Any:
    @grad_func.custom_vjp
    def function(x: Any, y: Any) -> Any:
        return 2 * x + y

    if bprop is not None:
        function.defbwd(bprop)
    return function


def test_a_function_has_the_derivative_that_it_was_given(mode: str) -> None:
    function = _own_function(lambda x, y, out, dout: (3 * dout * out, 2 * y))
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    assert _values(function(x, y)) == [5.0, 8.0]
    assert _values(ops.grad(function, (0, 1))(x, y)) == [[15.0, 24.0], [6.0, 8.0]]
    assert _values(ops.grad(lambda a, b: function(a, b) * 10, (0, 1))(x, y)) == [[150.0, 240.0], [6.0, 8.0]]
    assert _values(ops.vjp(function, x, y)[1](Tensor([1.0, 1.0]))) == [[15.0, 24.0], [6.0, 8.0]]


# --- HyperMap and Map -------------------------------------------------------------------------------------------------


class Mapped(nn.Cell):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.map = kind()

    def construct(self, one: Any, other: Any) -> Any:
        return self.map(ops.add, one, other)


_LEAVES, _ELEMENTS = ops.HyperMap, functional.Map
_MAPPED: list[tuple[Any, Any, Any, Any]] = [
    (_LEAVES, [1.0, 2.0], [3.0, 4.0], [4.0, 6.0]),
    (_LEAVES, (1.0, [2.0]), (3.0, [4.0]), (4.0, [6.0])),
    (_LEAVES, [1.0, (2.0, [5.0])], [3.0, (4.0, [6.0])], [4.0, (6.0, [11.0])]),
    (_LEAVES, {"a": 1.0, "b": [2.0]}, {"b": [4.0], "a": 3.0}, {"b": [6.0], "a": 4.0}),
    (_LEAVES, 1.0, 2.0, 3.0),
    (_LEAVES, [], [], []),
    (_ELEMENTS, [1.0, 2.0], [3.0, 4.0], [4.0, 6.0]),
    (_ELEMENTS, (1.0, 2.0), (3.0, 4.0), (4.0, 6.0)),
    (_LEAVES, (1.0, 2.0), (3.0,), ValueError),
]


def _tensors(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: _tensors(item) for key, item in found.items()}
    return type(found)([_tensors(item) for item in found]) if isinstance(found, (tuple, list)) else Tensor([found])


def _numbers(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: _numbers(item) for key, item in found.items()}
    return type(found)([_numbers(item) for item in found]) if isinstance(found, (tuple, list)) else float(found[0])


@pytest.mark.usefixtures("graph_mode")
@pytest.mark.parametrize("kind, one, other, result", _MAPPED)
def test_maps_keep_kinds_in_graph_mode(kind: Any, one: Any, other: Any, result: Any) -> None:
    net = Mapped(kind)
    if isinstance(result, type):
        with pytest.raises(result):
            net(_tensors(one), _tensors(other))
    else:
        assert repr(_numbers(net(_tensors(one), _tensors(other)))) == repr(result)


def test_maps_make_tuples_in_pynative_mode() -> None:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    found = ops.HyperMap()(ops.add, [Tensor([1.0]), (Tensor([2.0]), [Tensor([5.0])])], (1.0, [2.0, (3.0,)], 4.0))
    assert _numbers(found) == (2.0, (4.0, (8.0,)))
    assert _numbers(functional.Map()(ops.add, [Tensor([1.0]), Tensor([2.0])], (1.0,))) == (2.0,)


class _UnusedJoin(nn.Cell):
    """As networks of MaskRCNN in evaluation."""

    def construct(self, x: Tensor) -> Tensor:
        unused = ops.Concat()(())
        unused = ops.Squeeze()(ops.cast(unused, ms.bool_))
        return x * 2


@pytest.mark.usefixtures("graph_mode")
def test_an_empty_tuple_joined_for_nothing_is_no_error_in_graph_mode() -> None:
    assert _values(_UnusedJoin()(Tensor([1.0, 2.0]))) == [2.0, 4.0]


class _UsedJoin(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return ops.concat((ops.concat(()), x))


@pytest.mark.usefixtures("graph_mode")
def test_an_empty_tuple_joined_has_no_values() -> None:
    with pytest.raises((NotImplementedError, RuntimeError, ValueError)):
        _UsedJoin()(Tensor([1.0, 2.0])).asnumpy()


def test_an_empty_tuple_is_not_joined_in_pynative_mode() -> None:
    with pytest.raises(ValueError):
        _UnusedJoin()(Tensor([1.0]))
