"""Branches that upstream's compiler can not join (``common/_compiled_branches.py``): what is refused here real MindSpore
refuses, and what it runs is run.
"""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from tests.common.branch_programs import programs
from tests.common.compiled_programs import HEAD, answers, module_of

#: real MindSpore refuses each, with ``x < 3`` for the condition C
REFUSED = {
    "returned": "if C:\n        return Tensor([1, 2, 3])\n    return 0",
    "of a parameter": "if C:\n        return x\n    else:\n        return 'text'",
    "assigned": "if C:\n        a = Tensor([1, 2, 3])\n    else:\n        a = 0\n    return a",
    "assigned before": "a = x\n    if C:\n        a = 0\n    return a",
    "used in between": "if C:\n        a = x\n    else:\n        a = 0\n    b = a * 2\n    return b",
    "one returns": "if C:\n        a = Tensor([1, 2, 3])\n    else:\n        print(x)\n        return 0\n    return a",
    "nested": "if x > -5:\n        if C:\n            return '2'\n        return 1\n    return 1, 2",
    "tuples": "if C:\n        return x, 1\n    return x, 'a'",
    "dtypes": "if C:\n        return x, 1\n    return i, 1",
    "choice": "return x if C else 0",
    "choice in a call": "a = x if C else 0\n    return ops.add(a, y)",
    "loop": "while C:\n        return x\n    return 0",
    "function": "def inner(z):\n        if z < 3:\n            return z\n        return 0\n    return inner(x) + x",
    "function of a function": "def inner(z):\n        if z < 3:\n            return z\n        return 0\n    def outer(z):\n        b = inner(z)\n        return b\n    a = outer(x)\n    return a * 2",
    "dict": "if C:\n        return {'a': x}\n    return 1",
    "list": "if C:\n        return [x]\n    return x * 1",
}
#: real MindSpore runs each
RUN = {
    "unused": "if C:\n        a = x\n    else:\n        a = 0\n    return x",
    "overwritten": "if C:\n        a = x\n    else:\n        a = 0\n    a = y\n    return a",
    "unused in between": "if C:\n        a = x\n    else:\n        a = 0\n    b = a\n    return x",
    "None": "if C:\n        return x\n    return None",
    "nothing": "if C:\n        return x",
    "raises": "if C:\n        a = x\n    else:\n        raise ValueError('no')\n    return a",
    "constant inside": "if C:\n        if x.ndim > 5:\n            return 0\n        return x\n    return y",
    "constant outside": "if x.ndim > 5:\n        if C:\n            return 0\n    return y",
    "numbers": "if C:\n        return 1\n    return 2",
    "lengths": "if C:\n        return x, y\n    return (x,)",
    "shapes": "if C:\n        return x\n    return ops.stack((x, y))",
    "a list of numbers": "if C:\n        return [1]\n    return 0",
    "a dtype": "if C:\n        return ms.float32\n    return 0",
    "unused choice": "a = x if C else 0\n    return y",
    "a dropped call": "def inner(z):\n        if z < 3:\n            return z\n        return 0\n    inner(x)\n    return y",
    "a call for nothing": "def inner(z):\n        if z < 3:\n            return z\n        return 0\n    a = inner(x)\n    return y",
    "numbers only": "def inner(z):\n        if z < 3:\n            return z\n        return 0\n    return inner(2)",
}
VARYING = (
    "x < 3|x|not x|x < y and x < 3|x.sum() > 0|(x > 0).all()|x * 0 > 1|x == x|PARAM > 0|x.item() > 3|int(x) > 3|bool(x)|"
    "x > 0 and x.ndim > 5|1 < x < 3|x[0] > 3|x.max() > 3|-x > 0|abs(x) > 3"
).split("|")
CONSTANT = (
    "Tensor([1.0]) > 0|G > 0|G|x.shape[0] > 0|x is not None|ops.ones_like(x) > 0|ops.zeros((1,)) > 0|len(x) > 3|"
    "x.ndim > 5 and x > 0|x.dtype == ms.float32|ops.full_like(x, 1) > 0|x.shape == (1,)|ops.size(x) > 1|Tensor(x.ndim) > 0"
).split("|")


@pytest.fixture(autouse=True)
def _pynative():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def function_of(body, path):
    names = "G = Tensor([1.0])\nPARAM = Parameter(Tensor([1.0]), name='p')\n\n\n"
    return module_of(f"{HEAD}{names}def f(x, y, i):\n    {body}\n", path / "program.py").f


def run(function):
    return function(Tensor([1.0]), Tensor([3.0]), Tensor([2]))


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_branches_that_can_not_be_joined_are_refused_at_the_first_call(body, tmp_path):
    function = function_of(body.replace("C", "x < 3"), tmp_path)
    run(function)  # Python takes one of them
    for _ in range(2):
        with pytest.raises(TypeError, match="Cannot join the return values of different branches"):
            run(ms.jit(function))


@pytest.mark.parametrize("body", RUN.values(), ids=RUN)
def test_branches_that_are_not_needed_or_can_be_joined_run(body, tmp_path):
    function = function_of(body.replace("C", "x < 3"), tmp_path)
    expected = run(function)
    assert str(run(ms.jit(function))) == str(expected)


@pytest.mark.parametrize("condition", VARYING)
def test_both_branches_of_a_condition_on_inputs_or_parameters_count(condition, tmp_path):
    function = function_of(f"if {condition}:\n        return x\n    return 0", tmp_path)
    with pytest.raises(TypeError, match="Cannot join"):
        run(ms.jit(function))


@pytest.mark.parametrize("condition", CONSTANT)
def test_of_a_constant_condition_one_branch_counts(condition, tmp_path):
    function = function_of(f"if {condition}:\n        return x\n    return 0", tmp_path)
    expected = run(function)
    assert str(run(ms.jit(function))) == str(expected)


def test_the_message_shows_the_condition_and_both_branches(tmp_path):
    function = function_of("if x < 3:\n        a = Tensor([1, 2])\n    else:\n        a = 0\n    return a", tmp_path)
    with pytest.raises(TypeError) as refusal:
        run(ms.jit(function))
    for line in ("if x < 3:", "a = Tensor([1, 2])", "a = 0"):
        assert line in str(refusal.value)


STEP = """class Step(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor(0), name="count")

    def construct(self, x):
        if self.count > 2:
            return x
        return 0
"""


def test_pynative_mode_runs_what_compiled_code_refuses(tmp_path):
    net = module_of(HEAD + STEP, tmp_path / "step.py").Step()
    assert net(Tensor([1.0])) == 0
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(TypeError, match="Cannot join"):
        net(Tensor([1.0]))


def test_a_condition_is_looked_at_a_few_times_at_most(monkeypatch, tmp_path):
    from mindspore_compat.common import _compiled_branches

    function = ms.jit(function_of("if x < G:\n        return x\n    return x * 0, 1", tmp_path))
    looks = []
    refusal = _compiled_branches._Condition.refusal
    monkeypatch.setattr(
        _compiled_branches._Condition, "refusal", lambda site, frame: (looks.append(1), refusal(site, frame))[1]
    )
    for _ in range(20):
        function(Tensor([0.0]), 1, 2)
    assert len(looks) <= 8


@pytest.mark.oracle
@pytest.mark.slow
def test_real_mindspore_refuses_and_runs_these():
    bodies = [(body.replace("C", "x < 3"), True) for body in REFUSED.values()]
    bodies += [(body.replace("C", "x < 3"), False) for key, body in RUN.items() if key != "raises"]
    for conditions, is_refused in ((VARYING, True), (CONSTANT, False)):
        bodies += [(f"if {condition}:\n        return x\n    return 0", is_refused) for condition in conditions]
    source = HEAD + "G = Tensor([1.0])\nPARAM = Parameter(Tensor([1.0]), name='p')\n"
    source += "".join(f"def f{place}(x, y, i):\n    {body}\n" for place, (body, _) in enumerate(bodies))
    found = answers(source, [f"f{place}" for place in range(len(bodies))])
    wrong = [
        (body, found[f"f{place}"])
        for place, (body, is_refused) in enumerate(bodies)
        if ("Cannot join" in found[f"f{place}"]) != is_refused
    ]
    assert wrong == []


@pytest.mark.oracle
@pytest.mark.slow
def test_no_random_program_that_upstream_compiles_is_refused(tmp_path):
    source = HEAD + programs(7, 60)
    theirs = answers(source, [f"N{number}" for number in range(60)])
    module = module_of(source, tmp_path / "programs.py")
    ms.set_context(mode=ms.GRAPH_MODE)
    refused = 0
    for name, answer in theirs.items():
        try:
            run(getattr(module, name)())
        except TypeError as error:
            assert "Cannot join" in str(error)
            assert "Cannot join" in answer, f"{name}: {answer}\n{error}"
            refused += 1
    assert refused >= 2  # else the programs show nothing
