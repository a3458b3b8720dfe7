"""`arguments_of`: signatures that take over another's arguments."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest

from mindspore_compat import nn
from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.nn.layer.quant import Conv2dQuant


def pattern(a: int, b: float = 1.0, c: Any = None, *, flag: bool = False) -> None:
    """Of which the others take over."""


def names(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def test_own_arguments_stand_where_they_are_said_to() -> None:
    @arguments_of(pattern, without="c", x="a")
    def function(b: float = 2.0, x: int = 3, y: int = 4, **given: Any) -> Any:
        return b, x, y, given

    assert str(inspect.signature(function)) == (
        "(a: 'int', x: 'int' = 3, y: 'int' = 4, b: 'float' = 2.0, *, flag: 'bool' = False) -> 'Any'"
    )
    assert function(1) == (2.0, 3, 4, {"a": 1, "flag": False})
    assert function(1, 5, 6, 7.0, flag=True) == (7.0, 5, 6, {"a": 1, "flag": True})


def test_an_argument_of_the_pattern_can_move() -> None:
    @arguments_of(pattern, c="a")
    def function(c: Any = None, **given: Any) -> None: ...

    assert names(function) == ["a", "c", "b", "flag"]


@pytest.mark.parametrize("call", ["function()", "function(1, a=2)", "function(1, wrong=2)", "function(1, 2, 3, 4)"])
def test_wrong_arguments_raise_a_type_error(call: str) -> None:
    @arguments_of(pattern)
    def function(**given: Any) -> None: ...

    with pytest.raises(TypeError, match="argument"):
        eval(call, {"function": function})


def test_a_subclass_calls_a_layer_by_place_and_by_name() -> None:
    class Own(nn.Conv2d):
        def __init__(self) -> None:
            super().__init__(3, 8, 3, pad_mode="valid", has_bias=True)

    class OwnQuant(Conv2dQuant):
        def __init__(self) -> None:
            super().__init__(3, 8, 3, 2, num_bits=8)

    assert Own().bias is not None
    assert OwnQuant().stride == (2, 2)
    assert names(nn.Conv2d)[:4] == ["in_channels", "out_channels", "kernel_size", "stride"]


def test_what_takes_over_arguments_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(nn.exponential_decay_lr)) is nn.exponential_decay_lr
    assert pickle.loads(pickle.dumps(nn.Conv2d(3, 8, 3))).kernel_size == (3, 3)
