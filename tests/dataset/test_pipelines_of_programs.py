"""What programs with datasets rely on, each with real MindSpore 2.10's values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import audio, text, transforms, vision


@pytest.mark.parametrize(
    ("pad_info", "padded"),
    [
        ({"w": ([3], "<pad>")}, [["a", "b", "<pad>"], ["cc", "<pad>", "<pad>"]]),
        ({"w": (None, "p")}, [["a", "b"], ["cc", "p"]]),
        ({"w": ([1], "x")}, [["a"], ["cc"]]),
        ({}, [["a", "b"], ["cc", ""]]),
    ],
)
def test_texts_are_padded(pad_info, padded):
    rows = [(np.array(["a", "b"]),), (np.array(["cc"]),)]
    dataset = ds.GeneratorDataset(rows, ["w"], shuffle=False).padded_batch(2, pad_info=pad_info)
    (batch,) = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert batch["w"].tolist() == padded


@pytest.mark.parametrize("fill", [0, b"p"])
def test_texts_are_not_padded_with_another_kind(fill):
    dataset = ds.GeneratorDataset([(np.array(["a", "b"]),)], ["w"]).padded_batch(1, pad_info={"w": ([3], fill)})
    with pytest.raises(RuntimeError):
        next(dataset.create_dict_iterator(num_epochs=1))


def test_words_of_a_vocabulary_are_plain_str():
    dataset = ds.NumpySlicesDataset({"t": np.array(["b", "a", "b"])}, shuffle=False)
    words = text.Vocab.from_dataset(dataset).vocab()
    assert words == {"b": 0, "a": 1}
    assert {type(word) for word in words} == {str}


def test_columns_of_a_dict_in_a_schema_stand_by_name(tmp_path: Path):
    columns = {"z": {"type": "int64", "shape": [1]}, "a": {"type": "float32", "shape": [2]}}
    path = tmp_path / "schema.json"
    path.write_text(json.dumps({"datasetType": "TF", "numRows": 2, "columns": columns}))
    assert ds.RandomDataset(total_rows=2, schema=str(path)).get_col_names() == ["a", "z"]
    path.write_text(json.dumps({"columns": [{"name": name, **column} for name, column in columns.items()]}))
    assert ds.RandomDataset(total_rows=2, schema=str(path)).get_col_names() == ["z", "a"]


class TwoColumns(transforms.PyTensorOperation):
    def __call__(self, x, y):
        return x * 10, y + 1


def test_a_programs_operation_takes_several_columns():
    dataset = ds.GeneratorDataset([(1.0, 2), (3.0, 4)], ["x", "y"], shuffle=False).map(TwoColumns(), ["x", "y"])
    rows = list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert [[item.item() for item in row] for row in rows] == [[10.0, 3], [30.0, 5]]


_PIXELS = np.array([[[172, 47, 117], [192, 67, 251], [195, 103, 9]]], np.uint8)
_MODES = vision.ImageReadMode


@pytest.mark.parametrize(
    ("name", "mode", "values"),
    [
        ("rgb.png", _MODES.GRAYSCALE, [92, 125, 119]),  # libpng cuts off
        ("rgb.bmp", _MODES.GRAYSCALE, [92, 125, 120]),  # others round
        ("rgba.png", _MODES.GRAYSCALE, [92, 125, 119]),
        ("rgba.png", _MODES.UNCHANGED, [172, 47, 117, 192, 67, 251, 195, 103, 9]),
        ("palette.png", _MODES.UNCHANGED, [172, 47, 117, 192, 67, 251, 195, 103, 9]),
        ("gray_and_alpha.png", _MODES.UNCHANGED, [92] * 3 + [125] * 3 + [120] * 3),
        ("gray.png", _MODES.UNCHANGED, [92, 125, 120]),
        ("bits.png", _MODES.UNCHANGED, [0, 255, 0]),
        ("wide.png", _MODES.GRAYSCALE, [172, 192, 195]),
    ],
)
def test_read_image(tmp_path: Path, name: str, mode: vision.ImageReadMode, values: list[int]):
    image = Image.fromarray(_PIXELS)
    made = {
        "rgba.png": lambda: Image.fromarray(np.dstack([_PIXELS, _PIXELS[..., :1]])),
        "palette.png": lambda: image.quantize(3),
        "gray_and_alpha.png": lambda: image.convert("LA"),
        "gray.png": lambda: image.convert("L"),
        "bits.png": lambda: Image.fromarray(np.array([[0, 255, 0]], np.uint8)).convert("1"),
        "wide.png": lambda: Image.fromarray(_PIXELS[..., 0].astype(np.uint16) * 257),
    }
    made.get(name, lambda: image)().save(tmp_path / name)
    array = vision.read_image(str(tmp_path / name), mode)
    assert array.dtype == np.uint8
    assert array.shape == (1, 3, len(values) // 3)
    assert array.ravel().tolist() == values


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16, np.float64])
@pytest.mark.parametrize("operation", [vision.MixUpBatch(), vision.CutMixBatch(vision.ImageBatchFormat.NHWC)])
def test_mixed_labels_are_float32(dtype, operation):
    images, labels = np.full((4, 4, 4, 3), 7, np.uint8), np.eye(4, dtype=dtype)
    dataset = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=False).batch(4)
    dataset = dataset.map(operation, ["image", "label"])
    ((_, mixed),) = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert mixed.dtype == np.float32
    np.testing.assert_allclose(mixed.sum(-1), 1, atol=1e-3)


def test_a_pitch_that_stays_goes_through_the_filters_too():
    tone = (np.sin(np.arange(600) * 2 * np.pi * 200 / 4000) * 0.6).astype(np.float32)
    found = audio.PitchShift(4000, 0, n_fft=64, hop_length=16)(tone)
    assert found.shape == (600,)
    np.testing.assert_allclose(found[:4], [0.0004985, 0.18495114, 0.35303146, 0.48515666], atol=1e-6)
