"""Dicts as columns: what lies in them comes out as arrays or Tensors, as real MindSpore 2.10 gives it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat import Tensor


def entries() -> Iterator[tuple[dict[str, Any]]]:
    for i in range(4):
        yield (
            {
                "int": i,
                "float": 1.5,
                "text": "ab",
                "bool": True,
                "list": [1, 2],
                "tuple": (1, "x"),
                "array": np.array([1, 2], np.int32),
                "dict": {"a": 0, "ragged": [[1], [2, 3]]},
                "bytes": b"q",
            },
        )


def shown(value: Any) -> Any:
    """Kinds, dtypes and shapes."""
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(shown(item) for item in value)
    if isinstance(value, Tensor):
        return f"T {value.asnumpy().dtype} {tuple(value.shape)}"
    return f"A {value.dtype} {value.shape}" if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("output_numpy", [True, False])
def test_what_lies_in_a_dict(output_numpy: bool) -> None:
    pipeline = ds.GeneratorDataset(entries, ["c"], shuffle=False).map(lambda found: {**found, "int": found["int"] + 1})
    (row,) = next(iter(pipeline.create_tuple_iterator(num_epochs=1, output_numpy=output_numpy)))
    kind = "A" if output_numpy else "T"
    number = f"{kind} int64 ()"
    assert shown(row) == {
        "int": number,
        "float": f"{kind} float64 ()",
        "text": "A <U2 ()",
        "bool": f"{kind} bool ()",
        "list": [number, number],
        "tuple": (number, "A <U1 ()"),
        "array": f"{kind} int32 (2,)",
        "dict": {"a": number, "ragged": [[number], [number, number]]},
        "bytes": b"q",
    }
    assert int(row["int"]) == 1


def batches(per_batch_map: Any) -> list[Any]:
    pipeline = ds.NumpySlicesDataset([1, 2, 3, 4], column_names=["c"], shuffle=False).batch(
        2, per_batch_map=per_batch_map
    )
    return [row["c"] for row in pipeline.create_dict_iterator(num_epochs=1, output_numpy=True)]


def test_dicts_for_the_rows_of_a_batch_become_one_of_lists() -> None:
    found = batches(lambda c, info: ([{"v": x, "square": {"of": x * x}} for x in c],))
    assert [shown(item) for item in found] == [
        {"v": ["A int64 ()", "A int64 ()"], "square": [{"of": "A int64 ()"}, {"of": "A int64 ()"}]}
    ] * 2
    assert [[int(v) for v in item["v"]] for item in found] == [[1, 2], [3, 4]]


def test_one_dict_for_a_batch_stays() -> None:
    assert [shown(item) for item in batches(lambda c, info: ({"v": c[0], "w": 1},))] == [
        {"v": "A int64 ()", "w": "A int64 ()"}
    ] * 2


@pytest.mark.parametrize(
    "returned",
    [[{"a": 1}, 1], [1, {"a": 1}], [{"a": 1}, {"b": 2}]],
    ids=["a number after", "a number before", "other keys"],
)
def test_rows_of_other_kinds_are_refused(returned: list[Any]) -> None:
    with pytest.raises(RuntimeError):
        batches(lambda c, info: (returned,))
