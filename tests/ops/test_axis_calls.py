"""Axes and shapes that are not there raise; torch's errors get a note (_numerics/dtype_fallback.py)."""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback, with_dtype_fallback
from tests.ops.axis_calls import calls, refusal

REFUSED: dict[str, str] = json.loads((Path(__file__).parents[1] / "golden" / "axis_calls.json").read_text())
KINDS = {"ValueError": ValueError, "TypeError": TypeError}


def test_the_calls_are_those_that_real_mindspore_answered() -> None:
    assert REFUSED.keys() <= set(calls())
    assert len(REFUSED) > 250


@pytest.mark.parametrize("call", REFUSED)
def test_the_exception_is_mindspores_or_torchs(call: str) -> None:
    error = refusal(call, ms)
    assert isinstance(error, (KINDS[REFUSED[call]], IndexError, RuntimeError, ValueError)), repr(error)


def test_a_decorated_function_keeps_its_signature() -> None:
    def scale(x: int, axis: int = 2, *, dim: int = 3) -> tuple:
        """Scale."""
        return x, axis, dim

    def many(x: int, *rest: int, axis: int = 2, **more: int) -> tuple:
        return x, rest, axis, more

    module: dict = {"scale": scale, "alias": scale, "many": many, "other": len, "fast": many}
    apply_dtype_fallback(module, ["scale", "alias", "other"])
    made = module["scale"]
    assert made is not scale and made is module["alias"] and module["many"] is many
    assert inspect.signature(made) == inspect.signature(scale)
    assert (made(1), made(1, 5), made(1, dim=4), made(x=1, axis=0)) == ((1, 2, 3), (1, 5, 3), (1, 2, 4), (1, 0, 3))
    assert made.__doc__ == "Scale." and with_dtype_fallback(made) is made


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
def test_a_note_names_the_operator() -> None:
    with pytest.raises(RuntimeError) as caught:
        ops.mm(Tensor([1.0]), Tensor([2.0]))
    assert any("'mm'" in note for note in caught.value.__notes__)
    with pytest.raises(ValueError) as mapped:
        ops.cumsum(Tensor([1.0]), 4)
    assert any("'cumsum'" in note for note in mapped.value.__notes__)
    assert isinstance(mapped.value.__cause__, IndexError)


def test_what_is_no_refusal_passes_as_it_is() -> None:
    class Odd:
        dtype = ms.float32

        def dim(self) -> int:
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine") as caught:
        ops.amax(Odd(), 1)
    assert type(caught.value) is RuntimeError
