"""`mindspore.utils.MsDispatchMode` sees operators under upstream's names, and says what they give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mindspore_compat import Tensor, mint, nn, ops
from mindspore_compat.utils import MsDispatchMode


class Log(MsDispatchMode):
    def __init__(self) -> None:
        self.names: list[str] = []

    def __ms_dispatch__(self, func: Any, args: tuple, kwargs: Any = None) -> Any:
        self.names.append(func.name)
        return func(*args)


Y = Tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (lambda: Y + Y, "AddExt"),
        (lambda: Y - Y, "SubExt"),
        (lambda: Y * Y, "Mul"),
        (lambda: Y @ Y, "MatMulExt"),
        (lambda: ops.relu(Y), "ReLU"),
        (lambda: ops.exp(Y), "Exp"),
        (lambda: -Y, "Neg"),
        (lambda: Y**2, "Pow"),
        (lambda: Y > 1, "Greater"),
        (lambda: Y.sum(), "SumExt"),
        (lambda: Y.mean(0), "MeanExt"),
        (lambda: Y.reshape(4), "Reshape"),
        (lambda: ops.concat((Y, Y)), "Concat"),
        (lambda: ops.softmax(Y), "Softmax"),
        (lambda: mint.add(Y, Y), "AddExt"),
    ],
)
def test_names_and_results(run: Any, name: str) -> None:
    expected, log = run(), Log()
    with log:
        found = run()
    assert log.names == [name]
    assert type(found) is Tensor and np.array_equal(found.asnumpy(), expected.asnumpy())


def test_a_layer_under_the_mode() -> None:
    net, log = nn.Dense(2, 3), Log()
    expected = net(Y)
    with log:
        found = net(Y)
    assert log.names and np.allclose(found.asnumpy(), expected.asnumpy())


def test_the_innermost_mode_sees_it() -> None:
    outer, inner = Log(), Log()
    with outer:
        Y + Y
        with inner:
            Y * Y
        Y - Y
    assert (outer.names, inner.names) == (["AddExt", "SubExt"], ["Mul"])


def test_as_a_decorator_and_again() -> None:
    log = Log()

    @log
    def run(x: Tensor) -> Tensor:
        return x.exp()

    run(Y), run(Y)
    Y.exp()
    assert log.names == ["Exp", "Exp"]


def test_another_result() -> None:
    class Five(MsDispatchMode):
        def __ms_dispatch__(self, func: Any, args: tuple, kwargs: Any = None) -> Any:
            return Tensor(5)

    with Five():
        found = Y.exp()
    assert int(found) == 5
    with MsDispatchMode(), pytest.raises(NotImplementedError):
        Y.exp()
