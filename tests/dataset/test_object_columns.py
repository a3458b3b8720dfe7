"""Columns of Python objects: what an iterator makes of dicts, lists and tuples with numbers, texts and arrays."""

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from tests.support.oracle import run_oracle

_OBJECTS = """
def kind(value):
    if isinstance(value, dict):
        return {key: kind(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(kind, value)]
    return f"{type(value).__name__} {getattr(value, 'dtype', '')}".lower().replace("torch.", "").strip()


def rows():
    for i in range(2):
        yield {"n": i, "f": 1.5, "s": "x", "b": True, "l": [i, 2.0, "y"], "t": (i, np.float32(2)), "o": None,
               "d": {"a": np.arange(2)}, "y": b"ab", "u": np.int64(3)},


data = ds.GeneratorDataset(rows, ["c"])
give([kind(next(data.create_dict_iterator(1, numpy, do_copy=copied))["c"]) for numpy in (True, False) for copied in (1 > 0, 1 < 0)])
"""


def test_objects_in_columns_are_converted_leaf_by_leaf() -> None:
    found: list = []
    exec(_OBJECTS, {"np": np, "ds": ds, "give": found.extend})
    same = {"o": "nonetype", "y": "bytes", "s": "ndarray <u1"}
    arrays = {"n": "ndarray int64", "f": "ndarray float64", "b": "ndarray bool", "u": "ndarray int64"}
    arrays |= {"l": ["list", "ndarray int64", "ndarray float64", "ndarray <u1"]}
    arrays |= {"t": ["tuple", "ndarray int64", "ndarray float32"], "d": {"a": "ndarray int64"}}
    tensors = eval(repr(arrays).replace("ndarray", "tensor").replace("tensor <", "ndarray <"))
    assert found == [arrays | same] * 2 + [tensors | same] * 2


@pytest.mark.oracle
def test_objects_in_columns_are_converted_as_by_real_mindspore() -> None:
    found: list = []
    exec(_OBJECTS, {"np": np, "ds": ds, "give": found.extend})
    assert run_oracle(f"import mindspore.dataset as ds, numpy as np\n{_OBJECTS}") == found
