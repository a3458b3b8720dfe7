"""Tensor's methods that real MindSpore gives another meaning in compiled code: ours follow it in PyNative mode, under
``jit`` and in GRAPH_MODE. The golden file has every call that differed, or that only compiled code takes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))
from mode_cases import NAMES, arrays, calls, same, shown, source

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "modes.json").read_text())
#: (method, arguments, kinds of tensor): why ours do otherwise
EXCEPTIONS: dict[tuple[str, str | None, str], str] = {
    **dict.fromkeys(
        (("div_", "0", "I"), ("div_", "b", "I"), ("floor_divide_", "0", "B"), ("fmod", "0", "B")),
        "ints divided by 0 are refused",
    ),
    ("eigvals", "", "F"): "eigenvalues come in another order",
    ("mul", "1", "B"): "upstream's compiler takes x * 1 for x, of bools, too",
    **{("permute", call, kind): "upstream takes the axis 0 for none" for call in ("0", "axis=0") for kind in "FIB"},
    **{
        ("to_", call, kind): "upstream's compiler drops it, whatever its arguments"
        for call in ("", "None", "y", "i", "b")
        for kind in "FIB"
    },
    **{
        ("sub_", call, kind): "upstream takes alpha by position"
        for call in ("0, True", "b, 1", "b, 1.5")
        for kind in "FI"
    },
}


def function(name: str, call: str | None) -> Callable[..., Any]:
    names: dict[str, Any] = {"ms": ms}
    exec(f"def f(x, y, b, i, j, k, w, v):\n    {source(name, call)}\n", names)
    return names["f"]


class Net(nn.Cell):
    def __init__(self, run: Callable[..., Any]) -> None:
        super().__init__()
        self.run = run

    def construct(self, *inputs: Tensor) -> Any:
        return self.run(*inputs)


@pytest.fixture
def graph_mode() -> Iterator[None]:
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=before)


def given(name: str, call: str | None, kind: str, run: Callable[..., Any]) -> Any:
    try:
        return shown(run(*map(Tensor, arrays(name, kind))))
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, NotImplementedError) as error:
        return ["E", type(error).__name__, str(error)]


@pytest.mark.parametrize(("name", "call", "kind", "eager", "compiled"), GOLDEN["cases"])
def test_modes(graph_mode: None, name: str, call: str | None, kind: str, eager: Any, compiled: Any) -> None:
    run = function(name, call)
    cell, in_jit = (given(name, call, kind, item) for item in (Net(run), ms.jit(run)))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    plain = given(name, call, kind, run)
    alike = same(cell, compiled) and same(in_jit, compiled) and (eager[0] == "E" or same(plain, eager))
    assert alike is ((name, call, kind) not in EXCEPTIONS), (plain, eager, cell, in_jit, compiled)


def test_golden_has_the_whole_table() -> None:
    assert sum(GOLDEN["counts"].values()) > 17_000
    assert GOLDEN["counts"]["differ"] + GOLDEN["counts"]["PyNative refuses"] == len(GOLDEN["cases"])
    assert {case[0] for case in GOLDEN["cases"]} <= set(NAMES)
    assert all(call in calls(name) for name, call, *_ in GOLDEN["cases"])


def test_a_matrix_transposed_by_two_axes() -> None:
    x = Tensor(np.arange(6).reshape(2, 3))
    expected = x.asnumpy().T
    for found in (x.transpose(0, 1), x.transpose(-2, -1), x.transpose(1, 0), x.transpose(), x.transpose((1, 0))):
        assert np.array_equal(found.asnumpy(), expected)
    assert x.transpose((0, 1)).shape == (2, 3)
    assert Parameter(x, name="p").transpose(0, 1).shape == (3, 2)
    assert Tensor(np.zeros((2, 3, 4))).transpose(0, -1).shape == (4, 3, 2)
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.transpose(0, 2)


def test_in_place_with_another_dtype() -> None:
    x = Tensor([1, 2, 3], ms.int32)
    found = x.add_(2.5)
    assert found.dtype == ms.float32 and found.asnumpy().tolist() == [3.5, 4.5, 5.5]
    assert x.asnumpy().tolist() == [1, 2, 3]
    compiled = ms.jit(lambda x: x.mul_(2.5))(x)
    assert compiled.dtype == ms.int32 and compiled.asnumpy().tolist() == x.asnumpy().tolist() == [2, 4, 6]
    assert x.add_(2) is x and x.asnumpy().tolist() == [4, 6, 8]
    y = Tensor([1.0, 2.0])
    assert y.div_(2) is y and y.asnumpy().tolist() == [0.5, 1.0]


X = np.array([[5.75, -2.5], [-2.0, 1.0]], np.float32)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("x.add(x, alpha=2)", 3 * X),
        ("x.sub(2, alpha=3)", X - 6),
        ("x.sub(other=x, alpha=0.5)", X / 2),
        ("(x > 0).add(x > 0, alpha=2)", X > 0),
        ("x.index_add(0, i, x)", X + X[::-1]),
        ("x.index_add(dim=0, index=i, source=x, alpha=2)", X + 2 * X[::-1]),
        ("x.index_select(dim=0, index=i)", X[::-1]),
        ("x.median(dim=0, keepdim=True)[0]", X.min(0, keepdims=True)),
        ("x.permute()", X.T),
        ("x.permute(dims=(1, 0))", X.T),
        ("x.ldexp(2)", 4 * X),
        ("x.remainder(divisor=2)", X % 2),
        ("x.float_power(other=2)", X.astype("f8") ** 2),
        ("x.norm(2.0)", np.sqrt((X**2).sum())),
        ("x.astype(ms.int32).norm(dim=0)", np.sqrt((X.astype("i4") ** 2).sum(0)).astype("f4")),
        ("x.norm(dtype=ms.float16)", np.float16(np.sqrt((X**2).sum()))),
        ("x.sum(0, True, dtype=ms.float16)", X.sum(0, keepdims=True).astype("f2")),
        ("x.tile(reps=(2, 1))", np.tile(X, (2, 1))),
        ("x.reshape(shape=(4,))", X.reshape(4)),
        ("x.to('CPU')", X),
        ("x.to(other=x)", X),
        ("x.new_zeros((2, 2), ms.float16)", np.zeros((2, 2), "f2")),
        ("x.where(condition=x > 0, other=-x)", np.abs(X)),
        ("x.astype(ms.int32).round(1)", X.astype("i4")),
        ("x.astype(ms.int32).clamp(0.5, 1.5)", np.clip(X.astype("i4"), 0.5, 1.5).astype("f4")),
        ("x.scatter(1, j, x, 'add')", X + X[:, ::-1]),
    ],
)
def test_spellings(call: str, expected: Any) -> None:
    """Each value is real MindSpore 2.10's, too, of such a call in the table."""
    names = {"x": Tensor(X), "i": Tensor([1, 0], ms.int32), "j": Tensor([[1, 0], [1, 0]]), "ms": ms}
    found = eval(call, names).asnumpy()
    assert found.dtype == np.asarray(expected).dtype and np.allclose(found, expected, rtol=1e-3)


@pytest.mark.parametrize("call", ["x += y", "x -= y", "x *= y", "x /= y", "x //= y", "x %= y"])
def test_what_is_assigned_to_keeps_its_dtype_where_upstream_compiles(call: str) -> None:
    """As real MindSpore's modes: of an int Tensor, what is left of the other operand as an int counts."""
    names: dict[str, Any] = {}
    exec(f"def function(x, y):\n    {call}\n    return x", names)
    plain, compiled = names["function"], ms.jit(names["function"])
    numbers = np.array([3, 5, 7])
    for other in (2.5, Tensor([2.5, 2.5, 2.5]), Tensor(2.5)):
        x = Tensor(numbers, ms.int32)
        assert plain(x, other).dtype == ms.float32
        found = compiled(x, other)
        expected = {"x": numbers.copy(), "y": 2}
        exec(call if "//" in call else call.replace("/=", "//="), {}, expected)
        assert found.dtype == ms.int32 and found.asnumpy().tolist() == expected["x"].tolist()
        half = compiled(Tensor(numbers, ms.float16), other)
        assert half.dtype == ms.float16
        np.testing.assert_allclose(half.asnumpy(), plain(Tensor(numbers, ms.float32), other).asnumpy(), rtol=1e-3)
        if call in ("x *= y", "x //= y"):
            assert compiled(x > 0, other).asnumpy().tolist() == [True] * 3
        else:
            with pytest.raises(TypeError, match="bool"):
                compiled(x > 0, other)
    assert compiled(Tensor([3, 5]), 2).dtype == ms.int64
