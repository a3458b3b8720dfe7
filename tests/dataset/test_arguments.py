"""Arguments as annotated attributes (`core/arguments.py`), and nodes that register themselves (`engine/_dataset.py`)."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
from pathlib import Path
from typing import Annotated, Any

import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import audio, vision
from mindspore_compat.dataset.core.arguments import arguments, integer, real
from mindspore_compat.dataset.engine import _dataset
from mindspore_compat.dataset.transforms._operation import TensorOperation

PACKAGE = Path(ds.__file__).parents[1]


def _doubled(value: Any, name: str) -> Any:
    return 2 * value


@arguments
class Base(TensorOperation):
    first: Annotated[int, integer(0, 9)]
    second: Annotated[float | None, real(0, 1)] = None


@arguments
class Derived(Base):
    second: Annotated[float, real(0, 5)] = 2.0
    third: Annotated[Any, _doubled] = 4
    fourth: Any = "as it is"
    _not_an_argument = 1

    def _prepare(self) -> None:
        self.seen = (self.first, self.second, self.third, self.fourth)


def test_arguments_are_the_attributes_in_order_bases_first() -> None:
    assert str(inspect.signature(Base)) == "(first, second=None)"
    assert list(inspect.signature(Derived).parameters) == ["first", "second", "third", "fourth"]
    assert [p.default for p in inspect.signature(Derived).parameters.values()][1:] == [2.0, 4, "as it is"]
    assert Derived(3).seen == (3, 2.0, 8, "as it is")
    assert Derived(3, fourth=None, second=1).seen == (3, 1, 8, None)


def test_none_passes_only_where_it_is_the_default() -> None:
    assert Base(1, None).second is None
    with pytest.raises(TypeError):
        Derived(1, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Base(), TypeError),
        (lambda: Base(10), ValueError),
        (lambda: Base(True), TypeError),
        (lambda: real(0, above=True)(0, "x"), ValueError),
    ],
)
def test_what_is_wrong_is_refused(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_a_class_may_have_an_init_of_its_own() -> None:
    class Own(vision.Resize):
        def __init__(self) -> None:
            super().__init__(5)

    assert Own().size == 5
    assert not inspect.signature(Own).parameters


@pytest.mark.parametrize(
    "operation", [vision.RandomCrop(3, 2), audio.BassBiquad(44100, 10.0), vision.RandomInvert(0.3)]
)
def test_operations_are_copied_and_pickled(operation: Any) -> None:
    for other in (copy.deepcopy(operation), pickle.loads(pickle.dumps(operation))):
        assert vars(other).keys() == vars(operation).keys()


def test_every_node_that_dataset_makes_is_registered() -> None:
    calls = [
        node.args[0].value
        for node in ast.walk(ast.parse(inspect.getsource(_dataset)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_make"
        if isinstance(node.args[0], ast.Constant)
    ]
    assert set(calls) == set(_dataset._MAKERS)


def test_mindrecord_imports_nothing_of_dataset() -> None:
    for path in (PACKAGE / "mindrecord").rglob("*.py"):
        assert "mindspore_compat.dataset" not in path.read_text(encoding="utf-8"), path
