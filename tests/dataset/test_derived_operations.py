"""Operations that a user derives from upstream's base classes: `_execute_py`, `parse` with the engine's operations, `__call__`."""

from __future__ import annotations

from typing import Any

import pytest

import mindspore_compat
from tests.support.oracle import run_oracle

_PROGRAM = """
import mindspore._c_dataengine as cde
import mindspore.common.dtype as mstype
import numpy as np
from mindspore.dataset import GeneratorDataset, NumpySlicesDataset, text
from mindspore.dataset.core.datatypes import mstype_to_detype
from mindspore.dataset.text.transforms import DE_C_INTER_NORMALIZE_FORM, Implementation, NormalizeForm, TextTensorOperation
from mindspore.dataset.transforms.transforms import PyTensorOperation


class Numbers(TextTensorOperation):
    def __init__(self, vocab, data_type):
        super().__init__()
        self.vocab, self.data_type = vocab, data_type

    def parse(self):
        return cde.LookupOperation(self.vocab, "b", str(mstype_to_detype(self.data_type)))


class Words(TextTensorOperation, PyTensorOperation):
    def __init__(self, in_python):
        super().__init__()
        self.implementation = Implementation.PY if in_python else Implementation.C

    def _execute_py(self, value):
        return np.array(str(value).split("-"))

    def parse(self):
        form = DE_C_INTER_NORMALIZE_FORM.get(NormalizeForm.NFD)
        return cde.BasicTokenizerOperation(True, False, form, False, False)


class Padded(PyTensorOperation):
    def __init__(self):
        super().__init__()
        self.implementation = Implementation.PY

    def __call__(self, value):
        return super().__call__(np.asarray(value))

    def _execute_py(self, value):
        return np.concatenate((value, np.zeros(2, value.dtype)))


class Called(PyTensorOperation):
    def __call__(self, value):
        return value * 2


def column(data, operations):
    data = NumpySlicesDataset(data, ["a"], shuffle=False).map(operations, ["a"])
    return [row["a"].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


vocab = cde.Vocab.from_dict({"a": 3, "b": 5})
found = {}
number = Numbers(vocab, mstype.int64)(np.array(["a", "c"]))
found["lookup"] = [str(number.dtype), number.tolist()]
found["lookup of a public vocabulary"] = column(
    [["b", "a"]], Numbers(text.Vocab.from_list(["b", "a"]).c_vocab, mstype.int32)
)
found["in the engine"] = Words(False)(np.array("\\u00c9a, B")).tolist()
found["in Python"] = Words(True)(np.array("x-y")).tolist()
found["both in a pipeline"] = column(["Ab-C"], Words(False))
found["padded"] = Padded()([1, 2]).tolist()
found["padded in a pipeline"] = column([[1, 2], [3, 4]], Padded())
found["called in a pipeline"] = column([[1, 2]], Called())
give(found)
"""

_FOUND = {
    "lookup": ["int64", [3, 5]],
    "lookup of a public vocabulary": [[0, 1]],
    "in the engine": ["ea", ",", "b"],
    "in Python": ["x", "y"],
    "both in a pipeline": [["ab", "-", "c"]],
    "padded": [1, 2, 0, 0],
    "padded in a pipeline": [[1, 2, 0, 0], [3, 4, 0, 0]],
    "called in a pipeline": [[2, 4]],
}


def test_derived_operations() -> None:
    found: list[Any] = []
    mindspore_compat.install()
    try:
        exec(compile(_PROGRAM, "derived.py", "exec"), {"__name__": "derived", "give": found.append})
    finally:
        mindspore_compat.uninstall()
    assert found == [_FOUND]


@pytest.mark.oracle
def test_derived_operations_of_real_mindspore() -> None:
    assert run_oracle(_PROGRAM) == _FOUND


def test_borrowed_random_fills() -> None:
    import numpy as np

    from mindspore_compat._random import philox

    draws = {
        philox.fill_normal: ((2.0, 0.5), 2.0, 0.5),
        philox.fill_uniform: ((1.0, 3.0), 2.0, 2 / 12**0.5),
        philox.fill_truncated_normal: ((0.0, 2.0, 1.0, 0.5), 1.0, 0.5 * 0.8796),
    }
    for fill, (arguments, mean, deviation) in draws.items():
        one, two, other = (np.empty((100, 100), np.float32) for _ in range(3))
        for seed, array in ((7, one), (7, two), (8, other)):
            assert fill(seed, array, *arguments) is None
        assert (one == two).all() and (one != other).any(), fill
        assert abs(one.mean() - mean) < 0.02 and abs(one.std() - deviation) < 0.02, fill
    assert one.min() >= 0.0 and one.max() <= 2.0
