"""Data sets by name and what they read: MATLAB, WAV, annotations in XML and JSON, word vectors. See fuzz_files.py."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from mindspore_compat import dataset as ds
from mindspore_compat._format import matlab
from mindspore_compat.dataset import text
from mindspore_compat.dataset.engine._sources.files import read_mat
from tools._fuzz_data import rows_of
from tools.fuzz_files import Format

__all__ = ["FORMATS"]

_BROKEN = (RuntimeError, ValueError)


def _matlab_seeds(folder: Path) -> list[Path]:
    """Numbers, a struct of text and a sparse matrix in a cell, and compressed numbers."""

    def element(kind: int, data: bytes) -> bytes:
        return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)

    def matrix(name: bytes, kind: int, shape: tuple[int, int], *parts: bytes) -> bytes:
        head = element(6, struct.pack("<II", kind, 0)) + element(5, struct.pack("<2i", *shape)) + element(1, name)
        return element(14, head + b"".join(parts))

    numbers = matrix(b"n", 6, (2, 3), element(9, np.arange(6.0).tobytes()))
    sparse = matrix(
        b"",
        5,
        (3, 2),
        element(5, struct.pack("<2i", 2, 0)),
        element(5, struct.pack("<3i", 0, 1, 2)),
        element(9, struct.pack("<2d", 1, 2)),
    )
    fields = struct.pack("<HHi", 5, 4, 8) + element(1, b"text".ljust(8, b"\0") + b"cell".ljust(8, b"\0"))
    inner = matrix(b"s", 2, (1, 1), fields, matrix(b"", 4, (1, 2), element(16, b"ab")), matrix(b"", 1, (1, 1), sparse))
    packed = zlib.compress(matrix(b"z", 9, (1, 40), element(2, bytes(40))))
    path = folder / "m.mat"
    path.write_bytes(
        b"MATLAB".ljust(124) + b"\x00\x01IM" + numbers + inner + struct.pack("<II", 15, len(packed)) + packed
    )
    return [path]


def _plain(value: Any) -> Any:
    if isinstance(value, matlab.Sparse):
        return matlab.dense(value).tobytes()
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [_plain(inner) for inner in value.reshape(-1)]
    return value if isinstance(value, str) else (value.dtype.str, value.shape, value.tobytes())


def _read_matlab(path: Path) -> Any:
    try:
        return {name: _plain(value) for name, value in read_mat(str(path)).items()}
    except (matlab.FormatError, FileNotFoundError) as error:
        raise RuntimeError(f"{path}: {error}") from error


def _wave_seeds(folder: Path) -> list[Path]:
    (folder / "yesno").mkdir()
    for name, channels, bits in (("0_0_0_0_1_1_1_1", 1, 16), ("1_0_0_0_1_1_1_1", 2, 16), ("1_1_0_0_1_1_1_1", 1, 8)):
        width = channels * bits // 8
        head = struct.pack("<IHHIIHH", 16, 1, channels, 8000, 8000 * width, width, bits)
        data = bytes(range(24 * width))
        body = b"WAVEfmt " + head + b"data" + struct.pack("<I", len(data)) + data
        (folder / "yesno" / f"{name}.wav").write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    return [folder / "yesno"]


_OBJECT = (
    "<object><name>cat</name><difficult>0</difficult>"
    "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>3</xmax><ymax>3</ymax></bndbox></object>"
)


def _coco() -> dict[str, list]:
    found = {"iscrowd": 0, "bbox": [0, 1, 2, 3], "area": 6, "segmentation": [[0, 0, 1, 1, 2, 0]], "category_id": 7}
    return {
        "images": [{"id": i, "file_name": f"{name}.jpg", "height": 4, "width": 4} for i, name in enumerate("ab")],
        "annotations": [{"id": i, "image_id": i, **found} for i in range(2)],
        "categories": [{"id": 7, "name": "cat", "supercategory": "animal"}],
    }


def _annotated_seeds(folder: Path) -> list[Path]:
    root = folder / "annotated"
    for name in ("Annotations", "ImageSets/Main", "JPEGImages"):
        (root / name).mkdir(parents=True)
    for name in ("a", "b"):
        (root / "Annotations" / f"{name}.xml").write_text(f"<annotation>{_OBJECT}</annotation>")
        (root / "JPEGImages" / f"{name}.jpg").write_bytes(b"image")
    (root / "ImageSets" / "Main" / "train.txt").write_text("a\nb\n")
    (root / "coco.json").write_text(json.dumps(_coco()))
    return [root]


def _read_annotated(path: Path) -> Any:
    voc = rows_of(ds.VOCDataset(str(path), "Detection", "train", shuffle=False))
    images, notes = str(path / "JPEGImages"), str(path / "coco.json")
    return voc, [rows_of(ds.CocoDataset(images, notes, task, shuffle=False)) for task in ("Detection", "Stuff")]


def _vectors_seeds(folder: Path) -> list[Path]:
    (folder / "v.txt").write_bytes(b"2 3\na 1 2 3\nb 4 5 6\n")
    return [folder / "v.txt"]


FORMATS = [
    Format("matlab", _matlab_seeds, _read_matlab, _BROKEN),
    Format("wave", _wave_seeds, lambda path: rows_of(ds.YesNoDataset(str(path), shuffle=False)), _BROKEN),
    Format("annotated", _annotated_seeds, _read_annotated, _BROKEN),
    Format("vectors", _vectors_seeds, lambda path: text.Vectors.from_file(str(path)), _BROKEN),
]
