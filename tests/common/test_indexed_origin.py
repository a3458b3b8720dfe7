"""Assigning to elements of ``x[index]`` reaches ``x``, also where the index makes a copy, as upstream's Tensors do."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import mindspore_compat
from mindspore_compat import Tensor, grad, int32
from tests.support.oracle import run_oracle

_PROGRAM = """
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, ops


def at(*places):
    return Tensor(np.array(places), ms.int32)


def zeros(*shape):
    return ops.zeros(shape, ms.float32)


INDICES = {
    "arrays": lambda y: y[at(0, 1), at(1, 0)], "int": lambda y: y[0], "slice": lambda y: y[0:1], "list": lambda y: y[[0, 1]],
    "mask": lambda y: y[Tensor(np.array([True, False]))], "one place": lambda y: y[at(1)], "ellipsis": lambda y: y[..., 0:1],
    "new axis": lambda y: y[None], "mixed": lambda y: y[:, at(1, 0)], "view of a copy": lambda y: y[at(1)][0],
    "copy of a view": lambda y: y[0][at(1, 0)], "copy of a copy": lambda y: y[at(1)][at(0)], "backwards": lambda y: y[::-1],
}


def written(index):
    y = zeros(2, 2, 3)
    index(y)[0] = 5.0
    return y


def named(index):
    y = zeros(2, 2, 3)
    part = index(y)
    part[0] = 5.0
    part[0] = 6.0
    return y


def tried(function, index):
    try:
        return function(index).asnumpy().tolist()
    except ValueError:  # real MindSpore's own index arithmetic fails for some
        return None


def parameter():
    y = Parameter(zeros(2, 3))
    y[at(0, 1)][0] = 4.0
    return y


def whole_part():
    y = zeros(2, 3)
    part = y[at(0, 1)]
    y[0] = 7.0
    part[1] = 5.0
    return y


def computed_from():
    y = zeros(2, 3)
    part = y[at(0, 1)]
    for other in (part + 0, part.copy(), part * 2):
        other[0] = 5.0
    return y


def gradient(mode):
    ms.set_context(mode=mode)

    def squares(x):
        y = x * 1
        y[at(0, 1)][:, 0] = 1.0
        return (y * y).sum()

    def value(x):
        y = zeros(2, 3)
        y[at(0, 1)][0] = x
        return (y * y).sum()

    found = [ms.grad(squares)(Tensor(np.arange(6).reshape(2, 3), ms.float32)), ms.grad(value)(Tensor(3.0))]
    ms.set_context(mode=1)
    return found


found = {name: [tried(written, index), tried(named, index)] for name, index in INDICES.items()}
found |= {made.__name__: made().asnumpy().tolist() for made in (parameter, whole_part, computed_from)}
found["gradients"] = [one.asnumpy().tolist() for mode in (1, 0) for one in gradient(mode)]
give(found)
"""


def here() -> dict[str, Any]:
    found: list[Any] = []
    mindspore_compat.install()
    try:
        exec(compile(_PROGRAM, "origin.py", "exec"), {"__name__": "origin", "give": found.append})
    finally:
        mindspore_compat.uninstall()
    return found[0]


def test_every_index_writes_to_its_origin() -> None:
    found = here()
    counts = {name: np.count_nonzero(first) for name, (first, _) in list(found.items())[:13]}
    assert counts == {
        "arrays": 3, "int": 3, "slice": 6, "list": 6, "mask": 6, "one place": 6, "ellipsis": 2, "new axis": 12,
        "mixed": 6, "view of a copy": 3, "copy of a view": 3, "copy of a copy": 6, "backwards": 6,
    }  # fmt: skip
    assert all(np.max(second) == 6.0 and np.max(first) == 5.0 for first, second in list(found.values())[:13])
    assert found["parameter"] == [[4.0] * 3, [0.0] * 3]
    assert found["whole_part"] == [[0.0] * 3, [5.0] * 3]
    assert found["computed_from"] == [[0.0] * 3] * 2
    assert found["gradients"] == [[[0.0, 2.0, 4.0], [0.0, 8.0, 10.0]], 18.0] * 2


@pytest.mark.oracle
def test_as_real_mindspore(tmp_path) -> None:
    program = tmp_path / "origin.py"
    program.write_text(_PROGRAM.replace("give(found)", ""))
    real = run_oracle(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import origin; give(origin.found)")
    known = {name: value for name, value in real.items() if value != [None, None]}
    assert len(known) >= len(real) - 2
    assert known == {name: value for name, value in here().items() if name in known}


def test_an_origin_is_not_kept() -> None:
    origin = Tensor(np.zeros((2, 3), np.float32))
    gone = weakref.ref(origin)
    part = origin[Tensor([0, 1], int32)]
    del origin
    gc.collect()
    assert gone() is None
    part[0] = 1.0
    assert part.asnumpy().tolist() == [[1.0] * 3, [0.0] * 3]


def test_an_input_of_a_gradient_is_not_changed_unseen() -> None:
    def function(x):
        x[Tensor([0, 1], int32)][0] = 1.0
        return x.sum()

    with pytest.raises(RuntimeError):
        grad(function)(Tensor(np.zeros((2, 3), np.float32)))
