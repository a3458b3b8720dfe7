"""Calls and statements that Python runs and upstream's compiler refuses (``common/_compiled_refusals.py``)."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from tests.common.compiled_programs import HEAD, answers, module_of

OVERFLOW = (ValueError, "Integer overflow error occurred when traversing the range")
NO_ZIP = (RuntimeError, "The zip operator must have at least 1 argument")
DEAD = (TypeError, "the parameter value is DeadNode")
LOST = (KeyError, "'a'")
MEMBER = (RuntimeError, "only attribute and name of class members can be assigned")
TENSORS, NUMBERS = (TypeError, "the input element must be scalar"), (TypeError, "For op 'tuple_.*' input must be")
NAMES = """
MOST = 2**31


class Held(nn.Cell):
    def __init__(self):
        super().__init__()
        self.x, self.net = 0, nn.ReLU()

    def construct(self, x):
        return x


class Plain:
    x = 3


def called(x):
    return x


HELD, PLAIN, LIST, TENSOR = Held(), Plain(), [Plain()], Tensor([2.0])
"""
#: real MindSpore refuses each
REFUSED = {
    "list(range(MOST - 3, MOST))": OVERFLOW,
    "list(range(MOST, MOST + 3))": OVERFLOW,
    "list(range(0, 2**30 + 1, 2**30))": OVERFLOW,
    "list(range(1, 2, MOST - 1))": OVERFLOW,
    "list(range(1 - MOST, -1 - MOST, -1))": OVERFLOW,
    "list(range(-1, -2, -MOST))": OVERFLOW,
    "[i for i in range(2**63 - 2, 2**63 - 1, 3)]": OVERFLOW,
    "list(zip())": NO_ZIP,
    "list(zip(*[]))": NO_ZIP,
    "'{}'.format(HELD)": DEAD,
    "'{0.x}'.format(HELD)": DEAD,
    "'{}'.format(nn.ReLU())": DEAD,
    "'{}'.format(called)": DEAD,
    "'{} {}'.format(x, HELD)": DEAD,
    "'{a}'.format(a=HELD)": (RuntimeError, "can't be converted to abstract"),
    "'{a}'.format(a=x)": LOST,
    "'{a} {b}'.format(b=2, a=[y])": LOST,
    "(x + 2, (x, x + 1)) < (y + 2, (y, y - 1))": TENSORS,
    "[x] <= [y]": TENSORS,
    "((1, 2), x) > ((2, 3), y)": NUMBERS,
    "('a', x) < ('b', y)": NUMBERS,
}
#: real MindSpore gives what Python gives
RUN = (
    "list(range(MOST - 3, MOST - 1))|list(range(0, 2**30, 2**30))|list(range(1, 2, MOST - 2))|"
    "list(range(2 - MOST, -MOST, -1))|list(range(MOST + 5, MOST + 3, -1))|list(range(0, 10, 2**40))|list(range(MOST, MOST))|"
    "list(zip([]))|list(zip([x], [1]))|'{0.x}'.format(PLAIN)|'{a}'.format(a=1)|'{a}'.format(a='s')|'{} {a}'.format(1, a=2)|"
    "'{}'.format(x)|'{a}'.format(a=TENSOR)|'{a}'.format(a=Tensor([1]))|'abc'.format(a=x)|'{a}'.format(a=x.shape)|"
    "(1, x) < (2, y)|(1, (x, y)) < (2, (y, x))|((x, 1), x) < ((y, 2), y)|(1, 2) < (2, 3)|(x.asnumpy(), x) < (y.asnumpy(), y)|"
    "(x, 1) == (y, 2)|'{}'.format(HELD.x)"
).split("|")
SETTING = ("LIST[0].x = x", "LIST[0].x += 1", "LIST[0].x, b = x, y", "if x.ndim > 5:\n        LIST[0].x = x")
NOT_SETTING = ("PLAIN.x = x", "held = LIST[0]\n    held.x = x", "LIST[0] = PLAIN")


def source_of(body):
    return f"{HEAD}{NAMES}\n\ndef f(x, y, i):\n    {body}\n"


def run(function):
    return function(Tensor([1.0]), Tensor([3.0]), Tensor([2]))


@pytest.fixture(autouse=True)
def _pynative():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize(("expression", "refusal"), REFUSED.items(), ids=REFUSED)
def test_compiled_code_refuses_what_python_runs(expression, refusal, tmp_path):
    function = module_of(source_of(f"return {expression}"), tmp_path / "program.py").f
    run(function)
    with pytest.raises(refusal[0], match=refusal[1]):
        run(ms.jit(function))
    run(function)  # outside of compiled code it is Python's as before


@pytest.mark.parametrize("expression", RUN)
def test_compiled_code_gives_what_python_gives(expression, tmp_path):
    function = module_of(source_of(f"return {expression}"), tmp_path / "program.py").f
    expected = run(function)
    assert str(run(ms.jit(function))) == str(expected)


def test_tuples_that_have_names_are_compared_alike(tmp_path):
    body = "m = (x + 2, 1)\n    n = (y + 2, 2)\n    return m < n, m >= n"
    function = module_of(source_of(body), tmp_path / "program.py").f
    with pytest.raises(TypeError, match="For primitive 'tuple_lt', the input element must be scalar"):
        run(ms.jit(function))


@pytest.mark.parametrize("statement", SETTING)
def test_an_attribute_of_an_element_is_not_set_in_compiled_code(statement, tmp_path):
    function = module_of(source_of(f"{statement}\n    return x"), tmp_path / "program.py").f
    run(function)
    with pytest.raises(MEMBER[0], match=MEMBER[1]):
        run(ms.jit(function))


@pytest.mark.parametrize("statement", NOT_SETTING)
def test_other_attributes_are_set(statement, tmp_path):
    function = module_of(source_of(f"{statement}\n    return x"), tmp_path / "program.py").f
    assert run(ms.jit(function)) == 1.0


@pytest.mark.oracle
@pytest.mark.slow
def test_real_mindspore_refuses_and_runs_the_same():
    bodies = {f"return {expression}": refusal for expression, refusal in REFUSED.items()}
    bodies.update((f"{statement}\n    return x", MEMBER) for statement in SETTING)
    bodies.update((f"return {expression}", None) for expression in RUN)
    bodies.update((f"{statement}\n    return x", None) for statement in NOT_SETTING)
    functions = "".join(f"def f{place}(x, y, i):\n    {body}\n" for place, body in enumerate(bodies))
    found = answers(f"{HEAD}{NAMES}\n\n{functions}", [f"f{place}" for place in range(len(bodies))])
    wrong = [
        (body, answer)
        for (body, refusal), answer in zip(bodies.items(), found.values())
        if answer.partition(":")[0] != ("runs" if refusal is None else refusal[0].__name__)
    ]
    assert wrong == []


BPROP = """
class Own(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor(2.0), name="p")
        self.t, self.d, self.ps = Tensor(2.0), nn.Dense(1, 1, weight_init="ones"), ms.ParameterTuple([self.p])

    def get(self):
        return self.p

    def construct(self, x):
        return 3 * x

    def bprop(self, x, out, dout):
        {body}


class Around(nn.Cell):
    def __init__(self):
        super().__init__()
        self.own = Own()

    def construct(self, x):
        return self.own(x) * 2
"""


@pytest.mark.parametrize(
    "body",
    [
        "return (self.p * dout,)",
        "return (self.ps[0] * dout,)",
        "return (self.d.weight[0] * dout,)",
        "a = self.p * 2\n        return (dout * a,)",
        "print(self.p)\n        return (dout,)",
        "return (dout * len(self.ps),)",
        "return (dout,), {self.p: x}",
    ],
)
def test_a_bprop_that_uses_parameters_is_not_differentiated_in_compiled_code(body, tmp_path):
    module = module_of(HEAD + BPROP.replace("{body}", body), tmp_path / "own.py")
    x = Tensor([1.0])
    ms.grad(module.Own())(x)
    ms.set_context(mode=ms.GRAPH_MODE)
    assert module.Own()(x) == 3
    for net in (module.Own(), module.Around()):
        with pytest.raises(RuntimeError, match="The user defined 'bprop' function in scope Default does not support"):
            ms.grad(net)(x)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return (self.t * dout,)", 2.0),
        ("return (self.get() * dout,)", 2.0),
        ("return (self.d(dout.reshape((1, 1)))[0] - self.d.bias.shape[0] if x is None else dout,)", 1.0),
        ("a = self.p\n        return (dout,)", 1.0),
        ("if self.p is None:\n            return (x,)\n        return (dout,)", 1.0),
    ],
)
def test_a_bprop_that_comes_to_no_parameter_by_itself_is_differentiated(body, expected, tmp_path):
    module = module_of(HEAD + BPROP.replace("{body}", body), tmp_path / "own.py")
    ms.set_context(mode=ms.GRAPH_MODE)
    assert ms.grad(module.Own())(Tensor([1.0])) == expected


class Frozen(nn.Cell):
    def __init__(self, by_method):
        super().__init__()
        self.p, self.by_method = ms.Parameter(Tensor(2.0), name="p"), by_method

    def construct(self, x):
        if self.by_method:
            self.p.requires_grad_(False)
        else:
            self.p.requires_grad = False
        return x * self.p


@pytest.mark.parametrize(
    ("by_method", "kind", "words"),
    [(False, ValueError, "Do not support to set attribute for a parameter"), (True, RuntimeError, "'requires_grad_'")],
)
def test_compiled_code_does_not_freeze_parameters(by_method, kind, words):
    net = Frozen(by_method)
    assert net(Tensor([1.0])) == 2
    assert not net.p.requires_grad
    net.p.requires_grad = True
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(kind, match=words):
        net(Tensor([1.0]))
    assert net.p.requires_grad


class Half(nn.Cell):
    def construct(self, x, y):
        return x * 2


class Whole(nn.Cell):
    def __init__(self):
        super().__init__()
        self.half, self.w = Half(), ms.Parameter(Tensor([1.0, 1.0]), name="w")

    def construct(self, x, y):
        return self.half(x, self.w * 2)


def told_apart(cell, grad_input, grad_output):
    return (grad_input[0] * (3 if grad_input[1] is None else 5), grad_output[0] * 7)


# what real MindSpore gave: the gradients by both inputs, and by the first and w
@pytest.mark.parametrize(("mode", "factor", "second"), [(ms.PYNATIVE_MODE, 6.0, 7.0), (ms.GRAPH_MODE, 10.0, 0.0)])
def test_a_backward_hook_sees_zeros_in_compiled_code_for_an_input_that_is_not_used(mode, factor, second):
    ms.set_context(mode=mode)
    x = Tensor([1.0, 2.0])
    net = Half()
    net.register_backward_hook(told_apart)
    by_inputs = ops.GradOperation(get_all=True)(net)(x, x + 1)
    assert [item.asnumpy().tolist() for item in by_inputs] == [[factor] * 2, [second] * 2]
    net = Whole()
    net.half.register_backward_hook(told_apart)
    by_input, (by_weight,) = ops.grad(net, 0, [net.w])(x, x + 1)
    assert by_input.asnumpy().tolist() == [factor] * 2
    assert by_weight.asnumpy().tolist() == [second * 2] * 2


def more(gradient):
    return gradient + 5


def hooks_unused(x, y):
    y.register_hook(more)
    return x * 2


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_hook_that_the_forward_sets_on_an_unused_input_is_not_called(mode):
    ms.set_context(mode=mode)
    x = Tensor([1.0, 2.0])
    found = ops.GradOperation(get_all=True)(hooks_unused)(x, x + 1)
    assert [item.asnumpy().tolist() for item in found] == [[2.0, 2.0], [0.0, 0.0]]
