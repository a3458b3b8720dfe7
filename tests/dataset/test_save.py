"""Dataset.save writes MindRecord files that MindDataset reads back."""

from __future__ import annotations

import numpy as np
import pytest

from mindspore_compat import dataset as ds


def test_saved_rows_come_back(tmp_path) -> None:
    data = {
        "a": np.arange(6, dtype=np.uint8),
        "b": np.arange(12, dtype=np.float16).reshape(6, 2),
        "c": ["x", "y", "z", "u", "v", "w"],
    }
    path = str(tmp_path / "saved.mindrecord")
    ds.NumpySlicesDataset(data, shuffle=False).save(path)
    rows = list(ds.MindDataset(path, shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True))
    assert [row["a"].tolist() for row in rows] == list(range(6)) and rows[0]["a"].dtype == np.int32
    np.testing.assert_array_equal(np.stack([row["b"] for row in rows]), data["b"].astype(np.float32))
    assert [str(row["c"]) for row in rows] == data["c"]


def test_saving_refuses_what_it_cannot_hold(tmp_path) -> None:
    dataset = ds.NumpySlicesDataset([1, 2], ["a"])
    with pytest.raises(ValueError):
        dataset.save(str(tmp_path / "x"), file_type="tfrecord")
    with pytest.raises(RuntimeError):
        ds.NumpySlicesDataset({"z": np.ones(2, np.complex64)}).save(str(tmp_path / "y"))
