"""What compiled code refuses, in upstream's exception types and key words (``common/_compiled_words.py``): every message
was compared with real MindSpore's.
"""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


@pytest.fixture(autouse=True)
def _pynative():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@ms.jit
def divided(x, by):
    return x + 5 / by


@ms.jit
def rest(x, by):
    return x + 5 % by


@ms.jit
def counted(x, *ends):
    for _ in range(*ends):
        x = x + 1
    return x


@ms.jit
def counted_to(x, end):
    for _ in range(0, end):
        x = x + 1
    return x


@ms.jit
def mapped(x, what):
    def same(y):
        return y

    return list(map(same, what))


@ms.jit
def walked(x, y):
    for _ in zip([x], y):
        x = x + 1
    return x


@ms.jit
def sliced(x, start):
    return x[start:]


@ms.jit
def operated(x, operator, *others):
    return operator(x, *others)


@pytest.mark.parametrize(
    ("function", "args", "kinds", "words"),
    [
        (divided, (0,), (ValueError, ZeroDivisionError), "The divisor could not be zero"),
        (rest, (0,), (ValueError, ZeroDivisionError), "Cannot perform modulo operation on zero"),
        (counted, (), (RuntimeError, TypeError), r"the input size should within \[1, 3\]"),
        (counted, (1, 2, 0), (RuntimeError, ValueError), "the argument 'step' could not be 0"),
        (counted_to, (0.02,), (TypeError,), "the 1th input should be a int scalar but got AbstractScalar"),
        (mapped, (3,), (RuntimeError,), "Map can only be applied to list, tuple"),
        (walked, (Tensor(3),), (TypeError,), "Cannot iterate over a scalar tensor"),
        (operated, (ops.Abs(), 1), (TypeError,), r"For Operator\[Abs\], the number of inputs .* 1, but got 2"),
        (operated, (ops.Mod(),), (RuntimeError, TypeError), "the size of input should be 2, but got 1"),
    ],
)
def test_what_python_refuses_is_told_in_upstreams_words(function, args, kinds, words):
    with pytest.raises(Exception, match=words) as info:
        function(Tensor([1.0, 2.0]), *args)
    assert all(isinstance(info.value, kind) for kind in kinds)


def test_a_cell_in_graph_mode_too_and_pynative_keeps_pythons():
    class Net(nn.Cell):
        def construct(self, x):
            return x + 1 % 0

    with pytest.raises(ZeroDivisionError) as info:
        Net()(Tensor([1.0]))
    assert not isinstance(info.value, ValueError)
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(ValueError, match="modulo operation on zero"):
        Net()(Tensor([1.0]))


@ms.jit
def unknown_names(x):
    return x.max(a=1, b=2)


@ms.jit
def wrong_type(x):
    return x.max(1, [1])


@ms.jit
def one_left(x):
    return x.max(0, 1, initial=None)


@ms.jit
def too_many(x):
    return x.clamp(1, [1], 1)


@ms.jit
def too_many_of_one(x):
    return x.abs(1)


@ms.jit
def lacking(x):
    return Tensor.add(x)


@ms.jit
def no_shape(x):
    return x.reshape(1, 1.1)


@ms.jit
def no_tensor(x):
    return Tensor.all(1)


@pytest.mark.parametrize(
    ("function", "lines"),
    [
        (
            unknown_names,
            [
                'Failed calling max with "max(a=int, b=int)".',
                "The valid calling should be:",
                '"Tensor.max()"',
                '"Tensor.max(dim=<int>, keepdim=<bool>)"',
                "    match failed because incorrect keyword name: a",
            ],
        ),
        (
            wrong_type,
            [
                '"Tensor.max(dim=<int>, keepdim=<bool>)"',
                "    match failed because invalid types: (int, list<int>)",
                "                                              ~~~~~~~~~~~",
            ],
        ),
        (one_left, ["max(): argument 'keepdims' (position 2) must be bool, not int."]),
        (too_many, ['Failed calling clamp with "clamp(int, list<int>, int)".', "The valid calling should be:"]),
        (too_many_of_one, ["abs() takes 0 positional arguments but 1 was given."]),
        (lacking, ["The valid calling should be:", '"Tensor.add(other=<number>, *, alpha=<number>)"']),
        (no_shape, ["reshape(): argument 'shape' (position 2) must be tuple of int, not float."]),
    ],
)
def test_a_wrong_call_of_a_method_lists_the_right_ones(function, lines):
    with pytest.raises(TypeError) as info:
        function(Tensor([1.0, 2.0]))
    assert "\n".join(lines) in str(info.value)


def test_a_method_of_no_tensor_is_a_type_error():
    with pytest.raises(TypeError, match="must be a Tensor"):
        no_tensor(Tensor([1.0]))


def test_mod_takes_a_tensor():
    with pytest.raises(TypeError, match="Tensor"):
        ops.Mod()(19, 2)


def test_a_right_call_that_fails_otherwise_keeps_its_error():
    class Net(nn.Cell):
        def construct(self, x):
            return x.max(axis=3)

    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(ValueError, match="(?i)dimension|axis"):
        Net()(Tensor([1.0]))


def test_an_error_of_the_programs_own_stays():
    @ms.jit
    def raising(x):
        raise ZeroDivisionError("nothing to divide")

    with pytest.raises(ZeroDivisionError, match="^nothing to divide$"):
        raising(Tensor([1.0]))


@pytest.mark.parametrize(
    ("expression", "kinds", "words"),
    [
        ("(1, 2)[-3]", IndexError, "TupleGetItem evaluator index should be in range[-2, 2), but got -3"),
        ("[1, 2][5]", IndexError, "list_getitem evaluator index should be in range[-2, 2), but got 5"),
        ("()[0]", ValueError, "cannot get item by index from an empty sequence"),
        ("{'a': 1}['b']", ValueError, "The key b does not exist in the dict:{'a': 1}"),
        ("[1, 2].pop(5)", IndexError, "The pop index out of range."),
        ("[1, 2].pop(1.0)", TypeError, "Integer argument expected, but got FP32Imm type value: 1"),
        ("(1, 2).index(7)", ValueError, "7 is not in "),
        ("enumerate(5)", TypeError, "the 'first input' should be tuple or list or tensor, but got <class 'int'>"),
        ("enumerate([1], 1.2)", TypeError, "the 'start' should be a const int number, but got 1.2."),
        ("max(())", ValueError, "max() arg is an empty sequence."),
        ("isinstance(1, 3)", TypeError, "isinstance() arg 2 must be a type or tuple of types"),
        ("2 << -1", ValueError, "shift count must be a non-negative integer"),
        ("2 >> 1.5", TypeError, "For BitRightShift, only integer types are supported, but got"),
        ("not x", ValueError, "can be converted to bool, but"),
        ("bool(x)", ValueError, "The truth value of an array with more than one element is ambiguous."),
        ("max((x, x))", ValueError, "The truth value of an array with more than one element is ambiguous."),
    ],
)
def test_pythons_own_errors_have_upstreams_words(tmp_path, expression, kinds, words):
    path = tmp_path / "compiled_by_test.py"
    path.write_text(f"def function(x):\n    return {expression}\n")
    names: dict = {"__name__": "compiled_by_test"}
    exec(compile(path.read_text(), str(path), "exec"), names)

    class Net(nn.Cell):
        construct = staticmethod(names["function"])

    for call in (ms.jit(names["function"]), Net()):
        ms.set_context(mode=ms.GRAPH_MODE)
        with pytest.raises(kinds) as told:
            call(Tensor([1, 2]))
        assert words in str(told.value)
