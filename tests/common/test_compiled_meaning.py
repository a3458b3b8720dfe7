"""What means something else in compiled code (``common/_compiled_meaning.py``): each result is real MindSpore's."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn


@pytest.fixture(autouse=True)
def _pynative():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@ms.jit
def is_in(x, items):
    return x in items


@ms.jit
def is_not_in(x, items):
    found = x not in items
    return found


def _tensor(*values, dtype=ms.int64):
    return Tensor(values, dtype)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([_tensor(2, 3, 4)], False),
        ((_tensor(2, 3, 4), "a", _tensor(1.0, 2.0, 3.0, dtype=ms.float32)), False),
        ((_tensor(1, 2, 3), "a"), True),
        ((_tensor(1), "a"), False),
        ((1, (_tensor(1, 2, 3), 2)), False),
        ([1.0, None], False),
        ((1, _tensor(1, 2, 3), np.array([1, 2, 3, 4])), True),
        ((Tensor([[1, 2, 3]]),), False),
    ],
)
def test_a_tensor_is_in_a_sequence_if_an_item_is_the_same_tensor(items, expected):
    assert is_in(_tensor(1, 2, 3), items) is expected
    assert is_not_in(_tensor(1, 2, 3), items) is not expected


def test_a_tensor_of_one_element_is_no_number_in_compiled_code():
    assert is_in(Tensor(1), (1, 2)) is False


class Membership(nn.Cell):
    def construct(self, x, items):
        return x in items


def test_pynative_asks_python():
    assert Membership()(Tensor(1), (1, 2)) is True
    with pytest.raises(ValueError, match="one element"):
        Membership()(_tensor(1, 2, 3), [_tensor(2, 3, 4)])
    ms.set_context(mode=ms.GRAPH_MODE)
    assert Membership()(_tensor(1, 2, 3), [_tensor(2, 3, 4)]) is False


class Mapped(nn.Cell):
    def add(self, x, y):
        return x + y

    def construct(self, x, y):
        return list(map(self.add, x, y))


def test_map_takes_sequences_of_one_kind_and_length():
    net = Mapped()
    assert net([1, 2], (3,)) == [4]
    ms.set_context(mode=ms.GRAPH_MODE)
    assert net([1, 2], [3, 4]) == [4, 6]
    with pytest.raises(RuntimeError, match="length of lists must be the same"):
        net([1, 2], [3])
    with pytest.raises(RuntimeError, match="length of tuples must be the same"):
        net((1, 2), (3,))
    with pytest.raises(RuntimeError, match="must be consistent"):
        net([1, 2], (3, 4))


@ms.jit
def commented(x):
    if x == 2:  # @jit.cond: False
        return 1
    return 0


class Assigning(nn.Cell):
    def __init__(self, dtype):
        super().__init__()
        self.p = Parameter(Tensor([1, 2], dtype), name="p")

    def construct(self, x):
        self.p = x
        return self.p


def test_a_comment_about_a_condition_is_believed():
    assert commented(Tensor(2)) == 0


def test_compiled_code_does_not_take_a_parameter_away():
    net = Assigning(ms.float32)
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(TypeError, match="Failed calling Assign"):
        net(None)
    assert net.p is not None
    net.p = None
    assert net.p is None


@pytest.mark.parametrize(
    ("of", "given"),
    [(ms.float32, ms.float64), (ms.int32, ms.float32), (ms.int32, ms.int64), (ms.float16, ms.float32)],
)
def test_a_parameter_takes_no_wider_dtype_in_compiled_code(of, given):
    x = Tensor([1, 2], given)
    assert Assigning(of)(x).dtype == of
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(TypeError, match="Data type conversion is not supported for a 'Parameter'"):
        Assigning(of)(x)
    assert Assigning(ms.float32)(Tensor([1, 2], ms.int64)).dtype == ms.float32


def test_a_dict_comprehension_has_one_loop_in_compiled_code():
    def joined(items):
        return {key: value for item in items for key, value in item.items()}

    def first(items):
        return {key: value * 2 for key, value in items[0].items()}

    items = ({"a": 1}, {"b": 2})
    assert joined(items) == {"a": 1, "b": 2}
    assert ms.jit(first)(items) == {"a": 2}
    with pytest.raises(TypeError, match="supports 1 'comprehension'"):
        ms.jit(joined)(items)


@ms.jit
def places(x, n):
    return (
        (1, 1.0, True).count(1),
        (1.0, 1, True).index(1),
        ((1, 2), (1.0, 2)).count((1, 2)),
        (1.0, n).index(n),
        [1, x].count(1),
        [x, 1].index(1),
        (1, 2).index(x),
    )


def test_numbers_are_found_by_their_type():
    """Real MindSpore 2.10's places; of Tensors the value alone is asked."""
    assert places(Tensor(1), 1) == (1, 1, 1, 1, 2, 0, 0)
    assert (1, 1.0, True).count(1) == 3
    with pytest.raises(ValueError, match="1 is not in"):
        ms.jit(lambda: (1.0, 2).index(1))()


def walked_twice(made):
    number = 0
    for _ in made:
        number = number + 1
    for _ in made:
        number = number + 10
    return number


def sequences(x):
    mapped = map(lambda a, b: a + b, [1, 2], [3, 4])
    return (
        walked_twice(map(str, (1, 2))),
        walked_twice(zip((1, 2), (3, 4))),
        walked_twice(enumerate((1, 2), start=1)),
        walked_twice(filter(lambda a: a > 1, [1, 2])),
        mapped,
        zip([1, 2], [3, 4])[1],
        len(enumerate(x)),
        filter(lambda a: a > 1, [1, 2]),
        [a + b for a, b in zip((1, 2), (3, 4))],
        map(int, ("1", "2")),
    )


def test_what_python_walks_through_once_is_a_sequence():
    """Real MindSpore 2.10's results, of a function under `jit` and of a Cell in GRAPH_MODE."""

    class Net(nn.Cell):
        def construct(self, x):
            return sequences(x)

    expected = (22, 22, 22, 11, [4, 6], (2, 4), 2, [2], [4, 6], (1, 2))
    assert ms.jit(sequences)(Tensor([7, 8])) == expected
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert Net()(Tensor([7, 8])) == expected
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(TypeError, match="'zip' object is not subscriptable"):
        sequences(Tensor([7, 8]))


@ms.jit
def negated(x):
    return not x


@ms.jit
def masked(x):
    is_small = not x[0] > 5
    return is_small.astype(ms.float32) * x, [not x[0]], not not x[0], (not x[0]) or is_small


@ms.jit
def chosen(x):
    if not x[0] > 5 and not x.sum() > 100:
        x = x + 1
    while not x[0] > 5:
        x = x * 2
    return x if not x[1] > 100 else -x


class Negated(nn.Cell):
    def __init__(self):
        super().__init__()
        self.is_on = Parameter(Tensor(True), name="is_on")

    def construct(self, x):
        return not self.is_on, not x.shape, not None, not x.all()


@pytest.mark.parametrize("value, shape, expected", [(3, (), False), (0.0, (), True), ([2.0], (1,), False)])
def test_not_of_a_tensor_is_a_tensor_in_compiled_code(value, shape, expected):
    found = negated(Tensor(value))
    assert isinstance(found, Tensor) and found.dtype is ms.bool_ and found.shape == shape
    assert bool(found) is expected


@pytest.mark.parametrize("value", [[[0.0]], [1.0, 2.0], np.zeros(0, np.float32)])
def test_not_wants_one_element(value):
    with pytest.raises(ValueError, match="one element"):
        negated(Tensor(value))


def test_not_of_others_is_a_bool():
    assert [negated(value) for value in (3, 0, None, [], (1,), "", {})] == [False, True, True, True, False, True, True]
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert Negated()(Tensor([1.0, 0.0])) == (False, False, True, True)


def test_not_among_others():
    found = masked(Tensor([1.0, 2.0]))
    assert found[0].asnumpy().tolist() == [1.0, 2.0]
    assert [type(item) for item in (found[1][0], *found[2:])] == [Tensor] * 3
    assert chosen(Tensor([1.0, 2.0])).asnumpy().tolist() == [8.0, 12.0]
    ms.set_context(mode=ms.GRAPH_MODE)
    found = Negated()(Tensor([1.0, 0.0]))
    assert [type(item) for item in found] == [Tensor, bool, bool, Tensor]
    assert [bool(item) for item in found] == [False, False, True, True]
