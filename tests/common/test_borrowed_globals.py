"""A jit function that writes ``z += 1`` on a global name reads it there first, as upstream's compiler does."""

# ruff: noqa: F821, F823, F841 (that is what is tested)

from __future__ import annotations

import functools

import numpy as np
import pytest

from mindspore_compat import Tensor, jit
from tests.support.oracle import run_oracle

z = Tensor(np.ones((2, 3), np.float32))
n = 3
k = 5


@jit()
def loops():
    for i in (1, 2, 3):
        z += i
    return z


@jit
def scales(x, by=2.0, *, more=0.0):
    """Its docstring stays first."""
    n += 1
    n *= 2
    return x * n * by + more


def enclosed(factor):
    @jit
    def inner(x):
        n += factor
        return [x * n for _ in range(2)]

    return inner


@jit
def assigns_too(x):
    if x > 100:
        k = 1
    k += 1
    return k


@jit
def says_global(x):
    global k
    k += 1
    return x + k


class Holder:
    @jit
    def method(self, x):
        n += 1
        return x + n


def test_global_names_are_read_first() -> None:
    for _ in range(2):
        assert (loops().asnumpy() == 7).all()
        assert float(scales(Tensor(1.0))) == 16.0
    assert n == 3
    assert float(scales(Tensor(1.0), 1.0, more=1.0)) == 9.0
    assert scales.__doc__ == "Its docstring stays first." and scales.__name__ == "scales"
    assert [float(item) for item in enclosed(4)(Tensor(2.0))] == [14.0, 14.0]
    assert float(Holder().method(Tensor(1.0))) == 5.0


def test_names_bound_otherwise_stay_as_in_python() -> None:
    with pytest.raises(UnboundLocalError):
        assigns_too(Tensor(1.0))
    assert float(says_global(Tensor(1.0))) == 7.0 and k == 6


def test_an_absent_global_raises() -> None:
    @jit
    def nowhere(x):
        absent += 1
        return x

    with pytest.raises(UnboundLocalError):
        nowhere(Tensor(1.0))


def test_a_wrapper_stays_a_wrapper() -> None:
    def twice(function):
        @functools.wraps(function)
        def run(x):
            count = 0
            count += 2
            return function(x) * count

        return run

    @jit
    @twice
    def doubled(x):
        return x + 1

    assert float(doubled(Tensor(1.0))) == 4.0


def test_errors_name_the_line() -> None:
    with pytest.raises(TypeError) as raised:
        scales(None)
    entry = raised.traceback[-1]
    assert entry.path.name == "test_borrowed_globals.py" and "return x * n * by" in str(entry.statement)


@pytest.mark.oracle
def test_as_real_mindspore(tmp_path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport mindspore\nfrom mindspore import Tensor\n"
        "z = Tensor(np.ones((2, 3), np.float32))\nn = 3\n"
        "@mindspore.jit\ndef loops():\n    for i in (1, 2, 3):\n        z += i\n    return z\n"
        "@mindspore.jit\ndef scales(x):\n    n += 1\n    n *= 2\n    return x * n\n"
        "found = [float(loops()[0, 0]), float(scales(Tensor(1.0))), n]\n"
    )
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import program; give(program.found)"
    assert run_oracle(code) == [7.0, 8.0, 3]
