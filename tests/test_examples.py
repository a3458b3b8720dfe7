"""Every one of the 100 most used names shows a runnable example in its docstring, and the example holds."""

from __future__ import annotations

import csv
import doctest
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, dataset, nn, ops
from mindspore_compat import numpy as mnp
from mindspore_compat._api.resolve import resolve
from mindspore_compat._ops.examples import EXAMPLES
from mindspore_compat.common import seed

MOST_USED = 100
#: what a doctest cannot run: why
NO_EXAMPLE = {
    "mindspore.communication.management.init": "starts process groups",
    "mindspore.communication.management.get_rank": "needs process groups",
    "mindspore.communication.management.get_group_size": "needs process groups",
    "mindspore.nn.wrap.grad_reducer.DistributedGradReducer": "needs process groups",
}
#: what works on images as OpenCV does
NEEDS_OPENCV = {
    f"mindspore.dataset.vision.{name}" for name in ("Decode", "Resize", "RandomHorizontalFlip", "RandomColorAdjust")
}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _is_ours(value: Any) -> bool:
    return callable(value) and getattr(value, "__module__", "").partition(".")[0] == "mindspore_compat"


def most_used(count: int) -> dict[str, Any]:
    """Name -> object of the classes, functions and methods of ours that most projects use: each object once, by the
    spelling that most of them have.
    """
    with (Path(ms.__file__).parent / "_api" / "upstream.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] in ("class", "function", "member")]
    found: dict[str, Any] = {}
    for row in sorted(rows, key=lambda row: -int(row["projects"] or 0)):
        value = resolve(row["name"])
        if _is_ours(value) and row["name"] not in NO_EXAMPLE and not any(value is other for other in found.values()):
            found[row["name"]] = value
        if len(found) == count:
            break
    return found


NAMES = most_used(MOST_USED)


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty folder to work in, PYNATIVE_MODE, seed 1; what an example sets does not outlive it."""
    mode = ms.get_context("mode")
    for name in ("_seed", "_generator"):
        monkeypatch.setattr(seed, name, getattr(seed, name))
    monkeypatch.chdir(tmp_path)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_seed(1)
    yield
    ms.set_context(mode=mode)
    ms.reset_auto_parallel_context()


def test_the_list_is_whole() -> None:
    assert len(NAMES) == MOST_USED
    assert all(_is_ours(resolve(name)) for name in NO_EXAMPLE), "a name that is gone"


def test_the_table_of_examples_holds_no_other() -> None:
    """What the table has beside the most used names would not be run."""
    operators = {name: getattr(ops.operations, name, None) for name in EXAMPLES}
    known = {id(value) for value in NAMES.values()}
    assert not [name for name, value in operators.items() if id(value) not in known]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("own_settings")
def test_the_example_holds(name: str) -> None:
    globs = {
        "ms": ms,
        "nn": nn,
        "ops": ops,
        "P": ops.operations,
        "np": np,
        "Tensor": Tensor,
        "Parameter": Parameter,
        "ds": dataset,
        "mnp": mnp,
        "__name__": "example",
    }
    docstring = NAMES[name].__doc__ or ""
    assert ">>>" in docstring, "no example"
    if name in NEEDS_OPENCV and importlib.util.find_spec("cv2") is None:
        pytest.skip("no OpenCV")  # importing it here would leave its LD_LIBRARY_PATH behind
    example = doctest.DocTestParser().get_doctest(docstring, globs, name, None, None)
    assert any(item.want for item in example.examples), "an example without a result shows nothing"
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=report.append)
    assert result.failed == 0, "".join(report)
