"""Source files of datasets are data: bounded, one documented exception with the file's name, nothing started.
tools/_fuzz_data.py has more.
"""

from __future__ import annotations

import gzip
import json
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat._format.records import frame
from mindspore_compat._format.tfrecord import EXAMPLE
from mindspore_compat.dataset import config, text, vision
from mindspore_compat.dataset.utils.line_reader import LineReader

PACK = {"GZIP": gzip.compress, "ZLIB": zlib.compress}


def _read(dataset: Any) -> list[Any]:
    return list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))


def _example(**values: list[bytes]) -> bytes:
    message = EXAMPLE.Example()
    for name, items in values.items():
        message.features.feature.add(key=name).value.bytes_list.value.extend(items)
    return bytes(message.SerializeToString())


@pytest.mark.parametrize("kind", PACK)
def test_a_compressed_record_that_is_far_larger_than_its_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "r"
    path.write_bytes(PACK[kind](frame(_example(a=[b"x"])) + frame(bytes(70 << 20))))
    assert path.stat().st_size < 1 << 19
    with pytest.raises(RuntimeError, match="r holds a piece of"):
        _read(ds.TFRecordDataset(str(path), shuffle=False, compression_type=kind))


@pytest.mark.parametrize(
    "record",
    [
        _example(a=[b""] * 100000 + [b"x" * 100000]),
        _example(a=[]),
        b"\xff" * 10,
        b"\x0a\x08\x0a\x06\x0a\x02\xff\xfe\x12\x00",
    ],
)
def test_records_that_are_no_example_or_too_much(tmp_path: Path, record: bytes) -> None:
    path = tmp_path / "r"
    path.write_bytes(frame(record))
    try:
        _read(ds.TFRecordDataset(str(path), shuffle=False))
    except RuntimeError as error:
        assert str(path) in str(error)


def _idx(*head: int, data: bytes = b"") -> bytes:
    return struct.pack(f">{len(head)}i", *head) + data


@pytest.mark.parametrize(
    "images",
    [
        _idx(2051, -2, -3, 1, data=bytes(6)),
        _idx(2051, 65536, 65536, 65536),
        _idx(2051, 2, 2),
        b"",
        _idx(2049, 1, 1, 1, data=b"x"),
        _idx(2051, 2**31 - 1, 2**31 - 1, 4, data=b"x" * 4),
    ],
)
@pytest.mark.parametrize("end", ["", ".gz"])
def test_idx_files(tmp_path: Path, images: bytes, end: str) -> None:
    pack: Callable[[bytes], bytes] = gzip.compress if end else bytes
    (tmp_path / f"train-images-idx3-ubyte{end}").write_bytes(pack(images))
    (tmp_path / f"train-labels-idx1-ubyte{end}").write_bytes(pack(_idx(2049, 1, data=b"x")))
    with pytest.raises(RuntimeError, match="Invalid file, .*train-images"):
        _read(ds.MnistDataset(str(tmp_path), "train"))


def test_a_gzipped_idx_file_that_is_far_larger_than_its_size(tmp_path: Path) -> None:
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(
        gzip.compress(_idx(2051, 90000, 28, 28, data=bytes(90000 * 784)))
    )
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(_idx(2049, 90000, data=bytes(90000))))
    with pytest.raises(RuntimeError, match="train-images.* holds a piece of"):
        _read(ds.MnistDataset(str(tmp_path), "train"))


def test_fifos_do_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "train-images-idx3-ubyte")
    with pytest.raises(RuntimeError, match="no data found"):
        _read(ds.MnistDataset(str(tmp_path), "train"))
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / "x.png")
    (tmp_path / "a" / "y.png").symlink_to("y.png")
    with pytest.raises(RuntimeError, match="no data found"):
        _read(ds.ImageFolderDataset(str(tmp_path)))
    os.mkfifo(tmp_path / "f")
    for read in (
        lambda path: ds.TFRecordDataset(path),
        lambda path: ds.TextFileDataset(path),
        text.Vocab.from_file,
        LineReader,
        ds.Schema,
        config.load,
        lambda path: ds.MindDataset(path),
    ):
        with pytest.raises((ValueError, RuntimeError)):
            read(str(tmp_path / "f"))


def test_postscript_starts_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    started: list[Any] = []
    monkeypatch.setattr(subprocess, "check_call", lambda *args, **kwargs: started.append(args))
    monkeypatch.setattr("PIL.EpsImagePlugin.gs_binary", "gs", raising=False)
    content = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n%%EOF\n"
    with pytest.raises(RuntimeError, match="decode image failed"):
        vision.Decode()(np.frombuffer(content, np.uint8))
    assert not started


def test_an_image_that_says_more_pixels_than_its_bytes_can_hold() -> None:
    head = b"IHDR" + struct.pack(">2I5B", 13000, 13000, 8, 2, 0, 0, 0)
    content = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    content += bytes(4) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
    with pytest.raises(RuntimeError, match="13000 by 13000 pixels in 45 bytes"):
        vision.Decode()(np.frombuffer(content, np.uint8))


@pytest.mark.parametrize(
    "line",
    [
        "[1]",
        '{"abst": "a", "id": "x", "keyword": ["k"], "label": "0"}',
        '{"abst": "a", "id": -1, "keyword": [], "label": ""}',
        "[" * 100000,
        '{"target": 1}',
        '{"abst": "a", "id": ' + "9" * 5000 + "}",
        json.dumps({"abst": "", "id": 1, "keyword": [""] * 5000 + ["x" * 50000], "label": ""}),
    ],
)
def test_clue_lines(tmp_path: Path, line: str) -> None:
    (tmp_path / "c.json").write_text(line)
    with pytest.raises(RuntimeError, match="c.json"):
        _read(ds.CLUEDataset(str(tmp_path / "c.json"), "CSL"))


@pytest.mark.parametrize(
    "content",
    [
        "[",
        "[" * 100000,
        "[1]",
        '{"columns": [{"name": "a"}]}',
        '{"columns": 3}',
        '{"columns": {"a": {"type": "x"}}}',
        '{"numRows": -1}',
        "\udcff",
    ],
)
def test_schema_files(tmp_path: Path, content: str) -> None:
    (tmp_path / "s.json").write_text(content, errors="surrogateescape")
    with pytest.raises((ValueError, TypeError, AttributeError, RuntimeError), match="s.json is no schema"):
        ds.Schema(str(tmp_path / "s.json"))


@pytest.mark.parametrize("content", ["[", "[" * 100000, "[1]", '{"seed": "x"}', '{"other": 1}'])
def test_settings(tmp_path: Path, content: str) -> None:
    (tmp_path / "s.json").write_text(content)
    with pytest.raises((ValueError, TypeError), match="s.json"):
        config.load(str(tmp_path / "s.json"))


def test_text_that_is_no_utf8(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"a\n\xff\n")
    with pytest.raises(RuntimeError, match="t is no UTF-8"):
        text.Vocab.from_file(str(tmp_path / "t"))
    with pytest.raises(RuntimeError, match="Line 2 of .*t is no UTF-8"):
        LineReader(str(tmp_path / "t")).readline(2)
