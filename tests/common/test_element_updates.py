"""``x[i] = v`` in compiled code makes a new Tensor for the name ``x``. All numbers are real MindSpore's."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, jit, nn, ops

ONES = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def tensor() -> Tensor:
    return Tensor(np.array(ONES, np.float32))


def plain(value: Any) -> Any:
    return [plain(item) for item in value] if isinstance(value, (tuple, list)) else value.asnumpy().tolist()


def helper(x: Any) -> Any:
    x[0] = 0.0
    return x


class Base(nn.Cell):
    def put(self, x: Any) -> Any:
        x[0] = 0.0
        return x


class Put(Base):
    def put(self, x: Any) -> Any:
        x = super().put(x)
        x[1, 1] += 1.0
        return x

    def construct(self, x: Any) -> Any:
        return x, self.put(x)


class Helper(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x, helper(x)


class View(nn.Cell):
    def construct(self, x: Any) -> Any:
        y = x[0]
        y[1] = 50.0
        return x, y


class Loop(nn.Cell):
    def construct(self, x: Any) -> Any:
        y = x
        for i in range(2):
            y[i, 0] = y[i, 0] + 10.0
        return x, y


class Listed(nn.Cell):
    def construct(self, x: Any) -> Any:
        items = [x, x]
        items[0][1] = 50.0
        return items[1], items[0]


class Nested(nn.Cell):
    def construct(self, x: Any) -> Any:
        y = x
        y[0][1] = 50.0
        return x, y


class Targets(nn.Cell):
    def construct(self, x: Any) -> Any:
        y = x
        y[0, 0], y[1, 1] = x[1, 1], x[0, 0]
        z = y
        z[0, 2] = z[1, 2] = 9.0
        return y, z


class Exchanged(nn.Cell):
    def construct(self, x: Any) -> Any:
        x[0, 0], x[0, 1] = x[0, 1], x[0, 0]
        x[0], x[1] = x[1] + 1.0, x[0]
        return x, x


class Inner(nn.Cell):
    def construct(self, x: Any) -> Any:
        def put(z: Any) -> Any:
            z[:, 1:] = 3.0
            return z

        return x, put(x)


class Decided(nn.Cell):
    def construct(self, x: Any) -> Any:
        y = x
        if x.sum() > 3:
            y[0] *= 3
        return x, y


class Filled(nn.Cell):
    """What Python makes of ``ops.zeros(...)`` depends on the file's imports."""

    def construct(self, x: Any) -> Any:
        buffer = ops.zeros((2, 3), ms.float32)
        for i in range(2):
            buffer[i] = x[i] * (i + 1)
        before = buffer
        buffer[:, Tensor([True, False, True])] *= 2
        return before, buffer


CASES: dict[type, Any] = {
    Filled: ([[1.0, 2.0, 3.0], [8.0, 10.0, 12.0]], [[2.0, 2.0, 6.0], [16.0, 10.0, 24.0]]),
    Exchanged: ([[5.0, 6.0, 7.0], [2.0, 1.0, 3.0]],) * 2,
    Put: (ONES, [[0.0, 0.0, 0.0], [4.0, 6.0, 6.0]]),
    Helper: (ONES, [[0.0, 0.0, 0.0], [4.0, 5.0, 6.0]]),
    View: (ONES, [1.0, 50.0, 3.0]),
    Loop: (ONES, [[11.0, 2.0, 3.0], [14.0, 5.0, 6.0]]),
    Listed: (ONES, [[1.0, 2.0, 3.0], [50.0, 50.0, 50.0]]),
    Nested: (ONES, [[1.0, 50.0, 3.0], [4.0, 5.0, 6.0]]),
    Targets: ([[5.0, 2.0, 3.0], [4.0, 1.0, 6.0]], [[5.0, 2.0, 9.0], [4.0, 1.0, 9.0]]),
    Inner: (ONES, [[1.0, 3.0, 3.0], [4.0, 3.0, 3.0]]),
    Decided: (ONES, [[3.0, 6.0, 9.0], [4.0, 5.0, 6.0]]),
}


@pytest.mark.parametrize("kind", list(CASES))
def test_other_names_and_the_input_keep_their_elements(kind: Any) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net, x = kind(), tensor()
    assert plain(net(x)) == list(CASES[kind])
    assert plain(net(x)) == list(CASES[kind])
    assert plain(x) == ONES


@pytest.mark.parametrize("kind", [Put, Helper, View, Loop, Inner])
def test_pynative_writes_to_the_one_tensor(kind: Any) -> None:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = tensor()
    old, new = kind()(x)
    assert plain(x) == plain(old) != ONES
    assert plain(new) == CASES[kind][1]


def test_functions_under_jit() -> None:
    x = tensor()
    assert plain(jit(lambda x: helper(x))(x)) == [[0.0, 0.0, 0.0], [4.0, 5.0, 6.0]]

    @jit
    def first(x: Any) -> Any:
        x[0] = 0.0
        return x

    assert plain(first(x)) == [[0.0, 0.0, 0.0], [4.0, 5.0, 6.0]]
    assert plain(x) == ONES
    for mode in ("bytecode", "trace"):  # Python's meaning
        y = tensor()
        assert plain(jit(helper, capture_mode=mode)(y)) == plain(y) != ONES
    helper(x)  # a script's own line
    assert plain(x) != ONES


class Squares(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(2.0, ms.float32), name="w")

    def construct(self, x: Any) -> Any:
        y = x * self.w
        squares = (y * y).sum()
        y[0] = 0.0
        x[0, 1] = 5.0
        return squares + (x * y).sum()


def test_what_is_written_to_after_its_use_is_differentiated() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net, x = Squares(), tensor()
    by_x, by_w = ms.grad(net, 0, net.trainable_params())(x)
    assert plain(by_x) == [[8.0, 16.0, 24.0], [48.0, 60.0, 72.0]]
    assert plain(by_w) == [441.0]
    assert plain(x) == ONES

    def function(x: Any) -> Any:
        x[0] = 0.0
        return (x * x).sum()

    assert plain(ops.GradOperation()(function)(x)) == [[0.0, 0.0, 0.0], [8.0, 10.0, 12.0]]


class Scaled(nn.Cell):
    def __init__(self, part):
        super().__init__()
        self.part, self.p = part, Parameter(Tensor([2.0, 3.0, 4.0], ms.float32), name="p")

    def construct(self, x):
        y = x * 1.0
        rows = [y]
        if self.part == "slice":
            y[1:] = y[1:] * self.p[1:]
        elif self.part == "augmented":
            y[1:] *= self.p[1:]
        elif self.part == "numbers":
            y[1] = y[1] * self.p[1]
            y[2] = y[2] * self.p[2]
        else:
            rows[0][1:] *= self.p[1:]
            y = rows[0]
        return y


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("part", ["slice", "augmented", "numbers", "in a list"])
def test_elements_by_themselves_are_differentiated(part, mode):
    ms.set_context(mode=mode)
    net = Scaled(part)
    of_input, of_p = ms.grad(net, 0, net.trainable_params())(Tensor([1.0, -2.0, 3.0], ms.float32))
    assert plain(of_input) == [1.0, 3.0, 4.0]
    assert plain(of_p) == [[0.0, -2.0, 3.0]]


class Kept(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.p = Parameter(Tensor(np.zeros(3, np.float32)), name="p")
        self.buffer = Tensor(np.zeros(3, np.float32))

    def construct(self) -> Any:
        p, buffer = self.p, self.buffer
        p[0] += 5.0
        buffer[0] += 5.0
        return self.p * 1, buffer


def test_a_parameter_is_written_to_and_a_buffer_is_not() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Kept()
    assert plain(net()) == [[5.0, 0.0, 0.0], [5.0, 0.0, 0.0]]
    assert plain(net()) == [[10.0, 0.0, 0.0], [5.0, 0.0, 0.0]]


class Private(nn.Cell):
    __factor = 3.0

    def construct(self, x: Any) -> Any:
        """A name of the class alone."""
        x[0] = self.__factor
        return x


def test_the_functions_stay_what_they_are() -> None:
    before = Loop.construct
    Loop()
    code = Loop.construct.__code__
    assert Loop.construct is before and "for i in range(2)" in inspect.getsource(Loop.construct)
    assert (code.co_name, code.co_filename) == ("construct", __file__)
    lines = inspect.getsourcelines(Loop.construct)[1]
    assert code.co_firstlineno == lines
    x = tensor()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert plain(Private()(x))[0] == [3.0] * 3 and plain(x) == ONES
    scope: dict[str, Any] = {"nn": nn}
    exec("class NoSource(nn.Cell):\n    def construct(self, x):\n        x[0] = 1.0\n        return x", scope)
    assert scope["NoSource"]()(tensor())[0, 2] == 1.0
    with pytest.raises(IndexError):
        Loop()(tensor()[:1])


def test_compiled_by_torch() -> None:
    @jit(jit_level="O1", backend="eager")
    def put(x: Any) -> Any:
        y = x * 2
        y[0] = 7.0
        return y

    assert plain(put(tensor())) == [[7.0, 7.0, 7.0], [8.0, 10.0, 12.0]]


@pytest.mark.parametrize("call", ["fill(x)", "filling.fill(x)", "Fills().fill(x)"])
def test_functions_of_other_modules(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their name, by their module's, and of classes under ``jit_class``."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "filling.py").write_text(
        "from mindspore_compat import jit_class\n"
        "def fill(x):\n    x[0] = 0.0\n    return x\n"
        "@jit_class\nclass Fills:\n    def fill(self, x):\n        x[0] = 0.0\n        return x\n"
    )
    (tmp_path / "asks.py").write_text(
        "import filling\nfrom filling import Fills, fill\nfrom mindspore_compat import jit\n"
        f"@jit\ndef ask(x):\n    return x, {call}\n"
    )
    ask = importlib.import_module("asks").ask
    for name in ("filling", "asks"):
        monkeypatch.delitem(sys.modules, name)
    x = tensor()
    assert plain(ask(x)) == [ONES, [[0.0] * 3, ONES[1]]] and plain(x) == ONES


def test_functions_of_installed_packages_stay_as_they_are() -> None:
    before = np.ma.masked_where.__code__

    def masks(x: Any) -> Any:
        return np.ma.masked_where(x > 1, x)

    jit(masks)
    assert np.ma.masked_where.__code__ is before


def doubled(function: Any) -> Any:
    @functools.wraps(function)
    def run(*inputs: Any) -> Any:
        return function(*inputs) * 2

    return run


class Decorated(nn.Cell):
    @doubled
    def first(self, x: Any) -> Any:
        x[0] = 0.0
        return x

    @staticmethod
    def second(x: Any) -> Any:
        x[1] = 0.0
        return x

    @classmethod
    def third(cls, x: Any) -> Any:
        x[1, 1] = 0.0
        return x

    def construct(self, x: Any) -> Any:
        return self.first(x), self.second(x), self.third(x), x


def test_decorated_methods_and_those_of_the_class() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    x = tensor()
    assert plain(Decorated()(x)) == [
        [[0.0] * 3, [8.0, 10.0, 12.0]],
        [ONES[0], [0.0] * 3],
        [ONES[0], [4.0, 0.0, 6.0]],
        ONES,
    ]
    assert plain(x) == ONES


class Filled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.x, self.y = Tensor([1.0, 2.0]), [1, 2]
        self.x[0] = 5.0
        self.z = [a + b + 2**70 for a in (1, 2) for b in range(2)] + [max([1, 2], key=lambda a: -a)]
        self.fill()

    def fill(self):
        self.y[0] = 5

    def construct(self, x):
        return self.x + x, self.y


class Filling(nn.Cell):
    def construct(self, x):
        return Filled()(x)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_cell_that_compiled_code_makes_keeps_what_its_init_sets(mode):
    ms.set_context(mode=mode)
    try:
        x, y = Filling()(Tensor([1.0, 1.0]))
        assert x.asnumpy().tolist() == [6.0, 3.0]
        assert y == [5, 2]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


class Picking(nn.Cell):
    """Assigns to elements of what a method returns, which has effects."""

    def __init__(self) -> None:
        super().__init__()
        self.rows, self.picks = [[1, 2], [3, 4]], []

    def pick(self, place: int) -> list[int]:
        self.picks.append(place)
        return self.rows[place]

    def construct(self, x: Any) -> Any:
        self.pick(0)[0] += 5
        self.pick(1)[len(self.picks) - 1] += 7
        y = x * 1
        y[0] += 1.0
        return y


def test_the_base_of_an_augmented_assignment_is_computed_once() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Picking()
    assert net(Tensor([1.0, 2.0])).asnumpy().tolist() == [2.0, 2.0]
    assert (net.rows, net.picks) == ([[6, 2], [3, 11]], [0, 1])
