"""Axes and shapes that are not there raise MindSpore's exceptions outside of Cells too (common/_telling.py)."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.common._telling import tells_of_refusals
from tests.ops.axis_calls import calls, refusal

REFUSED: dict[str, str] = json.loads((Path(__file__).parents[1] / "golden" / "axis_calls.json").read_text())
KINDS = {"ValueError": ValueError, "TypeError": TypeError}


def test_the_calls_are_those_that_real_mindspore_answered() -> None:
    assert REFUSED.keys() <= set(calls())
    assert len(REFUSED) > 250


@pytest.mark.parametrize("call", REFUSED)
def test_the_exception_is_mindspores(call: str) -> None:
    error = refusal(call, ms)
    assert isinstance(error, KINDS[REFUSED[call]]), repr(error)


def test_a_wrapper_has_the_arguments_of_what_it_calls() -> None:
    def scale(x: int, axis: int = 2, *, dim: int = 3) -> tuple:
        """Scale."""
        return x, axis, dim

    def many(x: int, *rest: int, axis: int = 2, **more: int) -> tuple:
        return x, rest, axis, more

    members = {"scale": scale, "many": many, "other": len}
    tells_of_refusals(members, members)
    made = members["scale"]
    assert made is not scale
    assert inspect.signature(made) == inspect.signature(scale)  # type: ignore[arg-type]
    assert (made(1), made(1, 5), made(1, dim=4), made(x=1, axis=0)) == ((1, 2, 3), (1, 5, 3), (1, 2, 4), (1, 0, 3))  # type: ignore[operator]
    assert made.__doc__ == "Scale."
    assert members["many"](1, 2, axis=3, other=4) == (1, (2,), 3, {"other": 4})
    with pytest.raises(TypeError, match="scale"):
        made(1, 2, 3)  # type: ignore[operator]


def test_what_is_no_refusal_passes_as_it_is() -> None:
    class Odd:
        dtype = ms.float32

        def dim(self) -> int:
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine") as caught:
        ops.amax(Odd(), 1)
    assert type(caught.value) is RuntimeError


def test_torchs_except_clauses_hold_as_well() -> None:
    with pytest.raises(IndexError):
        ops.mean(Tensor([1.0]), 4)
