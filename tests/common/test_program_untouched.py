"""The program belongs to the user: its functions, classes and builtins stay as they are, and Python means Python."""

from __future__ import annotations

import builtins
import inspect
import io
import marshal
import pdb
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from tests.common import python_programs as programs
from tests.support.processes import run_python

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])


@pytest.fixture(autouse=True)
def pynative_afterwards() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def ones(count: int = 3) -> Tensor:
    return Tensor(np.ones(count, np.float32))


def numbers(value: Any) -> Any:
    return [numbers(item) for item in value] if isinstance(value, (tuple, list)) else value.asnumpy().tolist()


@MODES
def test_python_means_what_it_says(mode: int) -> None:
    ms.set_context(mode=mode)
    found = programs.Python()(ones())
    nested = found.pop("nested")
    for _ in range(8):
        (nested,) = nested
    assert numbers(nested) == [1.0, 1.0, 1.0] and numbers(found.pop("scaled")) == [3.0, 3.0, 3.0]
    assert found.pop("text").startswith("Python and <function longest")
    assert found == {
        "longest": "bcd",
        "nearest": 1,
        "products": [10, 20, 20, 40],
        "sum": 66,
        "large": 2**70,
        "far": [0, 2**38, 2 * 2**38, 3 * 2**38],
        "nothing": [],
        "keys": 3,
        "stop": 3,
        "once": (2, 0),
        "rows": [5, 2],
        "either": None,
    }


@MODES
def test_functions_and_builtins_stay_the_same(mode: int) -> None:
    ms.set_context(mode=mode)
    functions = [programs.fill, programs.longest, programs.failing, programs.Python.construct, programs.items]
    before = [(function, function.__code__, dict(function.__dict__)) for function in functions]
    names, members = set(vars(builtins)), dict(vars(programs.Python))
    programs.Python()(ones())
    ms.grad(lambda x: programs.Generating()(x * 1)[0].sum())(ones())
    nn.Dense(2, 2).to_float(ms.float16)(ones(2).reshape(1, 2))
    for function, (same, code, own) in zip(functions, before, strict=True):
        assert function is same and function.__code__ is code and function.__dict__ == own
    assert set(vars(builtins)) == names and dict(vars(programs.Python)) == members


def test_a_class_keeps_its_members_when_a_cell_computes_in_another_dtype() -> None:
    class Net(nn.Cell):
        def other(self, x: Any) -> Any:
            return x + 1

        def construct(self, x: Any) -> Any:
            return self.other(x)

    before = dict(vars(Net))
    net = Net().to_float(ms.float16)
    net(ones())
    assert dict(vars(Net)) == before


def test_a_class_keeps_its_members_whatever_its_children_and_mixins_are_called() -> None:
    class Mixin:
        def type(self) -> str:
            return "the mixin's"

    class Net(nn.Cell, Mixin):
        def __init__(self) -> None:
            super().__init__()
            self.train = nn.Dense(2, 2, weight_init="ones")

        def construct(self, x: Any) -> Any:
            return self.train(x)

    assert "type" not in vars(Net) and "train" not in vars(Net)
    before = dict(vars(Net))
    assert Net()(ones(2)).shape == (2,) and Net().type() == "the mixin's"
    assert dict(vars(Net)) == before


@MODES
def test_a_marshalled_function_runs_in_a_bare_process(mode: int) -> None:
    ms.set_context(mode=mode)
    programs.Python()(ones())
    code = marshal.dumps(programs.fill.__code__)
    child = "import marshal, sys, types; f = types.FunctionType(marshal.loads(sys.stdin.buffer.read()), {}); "
    run = subprocess.run([sys.executable, "-c", child + "print(f([1, 2], 5))"], input=code, capture_output=True)
    assert run.stdout.strip() == b"[5, 2]", run.stderr


@MODES
def test_tracebacks_show_the_programs_lines(mode: int) -> None:
    ms.set_context(mode=mode)
    with pytest.raises(IndexError) as caught:
        programs.Failing()(ones())
    assert type(caught.value) is IndexError and caught.value.__cause__ is None
    steps = [step for step in traceback.extract_tb(caught.tb) if step.filename == programs.__file__]
    assert [step.name for step in steps] == ["construct", "failing"]
    assert [str(step.line).partition("#")[2] for step in steps] == [" the calling line", " the failing line"]


@MODES
def test_a_debugger_steps_through_the_programs_lines(mode: int) -> None:
    ms.set_context(mode=mode)
    place = inspect.getsourcelines(programs.failing)[1]
    net, x = programs.Failing(), ones()
    steps = io.StringIO(f"b {programs.__file__}:{place + 1}\nc\nw\np len(rows)\nq\n")
    shown = io.StringIO()
    debugger = pdb.Pdb(stdin=steps, stdout=shown, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    debugger.runcall(net, x)
    assert f"{programs.__file__}({place + 1})failing()" in shown.getvalue()
    assert "rows[place] = 1" in shown.getvalue()


@MODES
def test_stepping_over_an_assignment_to_an_element_stays_in_the_function(mode: int) -> None:
    ms.set_context(mode=mode)
    place = inspect.getsourcelines(programs.fill)[1]
    steps = io.StringIO(f"b {programs.__file__}:{place + 1}\nc\ns\nq\n")
    shown = io.StringIO()
    debugger = pdb.Pdb(stdin=steps, stdout=shown, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    debugger.runcall(programs.Python(), ones())
    assert f"{programs.__file__}({place + 2})fill()" in shown.getvalue()


def test_graph_mode_ends_with_the_call_that_began_it() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert isinstance(programs.MaxByPosition()(x), Tensor)
    assert isinstance(x.max(1), tuple)  # the script's own line
    with pytest.raises(IndexError):
        programs.Failing()(ones())
    assert isinstance(x.max(1), tuple)


def test_graph_mode_is_of_one_thread() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    found: list[Any] = []

    class Starting(nn.Cell):
        def construct(self, x: Any) -> Any:
            thread = threading.Thread(target=lambda: found.append(x.max(1)))
            thread.start()
            thread.join()
            return x.max(1)

    assert isinstance(Starting()(x), Tensor) and isinstance(found[0], tuple)


def test_jit_is_graph_mode_within_pynative_mode() -> None:
    class Outer(nn.Cell):
        def construct(self, x: Any) -> Any:
            return programs.jitted(x), x.max(0)

    (x, y), _ = Outer()(ones())
    assert numbers([x, y]) == [[1.0, 1.0, 1.0], [9.0, 1.0, 1.0]]
    given = ones()
    assert numbers(programs.Generating()(given)) == [[7.0] * 3] * 2  # Python's meaning


def test_generators_assign_to_elements_in_graph_mode() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    assert numbers(programs.Generating()(ones())) == [[1.0, 1.0, 1.0], [7.0, 7.0, 7.0]]


def test_the_meaning_of_assignments_can_be_switched_off(tmp_path: Path) -> None:
    source = "from tests.common import python_programs as p; from mindspore_compat import Tensor; print(p.jitted(Tensor([1.0])))"
    shown = {}
    for value in ("", "off"):
        run = run_python("-c", source, cwd=tmp_path, environment={"MINDSPORE_COMPAT_UPDATES": value})
        assert run.returncode == 0, run.stderr
        shown[value] = run.stdout.count("9.0")
    assert shown == {"": 1, "off": 2}
