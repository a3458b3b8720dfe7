"""Damaged summary files: what is damaged is left out with a warning, all else is read."""

from __future__ import annotations

import logging
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat._format import records
from mindspore_compat._format.proto.lineage import LineageEvent
from mindspore_compat._format.proto.summary import Event
from mindspore_compat.train.summary import read_summary, to_tensorboard
from mindspore_compat.train.summary._tensorboard import TensorBoardFile
from tests.train.summary.support import tensorboard

NAME = "events.out.events.summary.1.0.vm_MS"


def event(step: int, *values: Any) -> bytes:
    message = Event(wall_time=1.0, step=step)
    for tag, change in values:
        change(message.summary.value.add(tag=tag))
    return message.SerializeToString()


def scalar(number: float) -> Any:
    return lambda value: setattr(value, "scalar_value", number)


def tensor(dims: tuple[int, ...], count: int) -> Any:
    def change(value: Any) -> None:
        value.tensor.dims.extend(dims)
        value.tensor.data_type = 11
        value.tensor.float_data.extend([1.0] * count)

    return change


def picture(content: bytes) -> Any:
    def change(value: Any) -> None:
        value.image.height = value.image.width = value.image.colorspace = 3
        value.image.encoded_image = content

    return change


def bomb(side: int) -> bytes:
    """A PNG of one colour, small in the file."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    lines = zlib.compress(bytes(side + 1) * 16)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", lines)
        + chunk(b"IEND", b"")
    )


def written(folder: Path, *data: bytes) -> Path:
    path = folder / NAME
    path.write_bytes(b"".join(records.frame(item) for item in data))
    return path


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (tensor((4,), 3), "reshape"),
        (tensor((-1,), 3), "below 0"),
        (tensor((1,) * 100, 1), "dimension|ndim|maximum"),
        (picture(b"no picture"), "identify"),
        (picture(bomb(6000)), "36000000|6000 x 6000"),
        (picture(bomb(40)[:45]), "left out"),
        (lambda value: None, "has no value"),
    ],
)
def test_one_bad_value_costs_only_itself(bad: Any, text: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    written(tmp_path, event(1, ("a", scalar(1)), ("bad", bad), ("b", scalar(2))), event(2, ("a", scalar(3))))
    data = read_summary(str(tmp_path))
    assert data.scalars == {"a": {1: 1.0, 2: 3.0}, "b": {1: 2.0}}
    assert not data.images.get("bad") and not data.tensors.get("bad") and not data.landscapes
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warning.startswith(f"{tmp_path / NAME}: a value of step 1 is left out: ")
    import re

    assert re.search(text, warning)
    to_tensorboard(str(tmp_path), str(tmp_path / "board"))
    assert [item.value for item in tensorboard(tmp_path / "board").Scalars("a")] == [1.0, 3.0]


def test_a_tag_that_is_no_utf_8(tmp_path: Path) -> None:
    written(tmp_path, event(1, ("Qag", scalar(1)), ("b", scalar(2))).replace(b"Qag", b"\xffag"))
    assert not set(read_summary(str(tmp_path)).scalars) - {"b"}
    to_tensorboard(str(tmp_path), str(tmp_path / "board"))


def test_records_that_are_damaged_or_no_events_are_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(
        tmp_path, event(1, ("a", scalar(1))), b"\xff\xff", event(2, ("a", scalar(2))), event(3, ("a", scalar(3)))
    )
    data = bytearray(path.read_bytes())
    data[-6] ^= 1  # in the last record's data
    path.write_bytes(data + records.frame(event(4, ("a", scalar(4)))))
    assert read_summary(str(path)).scalars == {"a": {1: 1.0, 2: 2.0, 4: 4.0}}
    assert [record.getMessage().partition("vm_MS: ")[2][:30] for record in caplog.records] == [
        "the record 1, which is no Even",
        "a record is left out: the reco",
    ]


def test_behind_a_wrong_length_nothing_is_found(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path, event(1, ("a", scalar(1))), event(2, ("a", scalar(2))))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert read_summary(str(path)).scalars == {"a": {1: 1.0}}
    assert "the rest is left out: the record at byte" in caplog.text


def test_a_length_beyond_the_file_takes_no_memory(tmp_path: Path) -> None:
    head = (1 << 39).to_bytes(8, "little")
    path = written(tmp_path, event(1, ("a", scalar(1))))
    path.write_bytes(path.read_bytes() + head + struct.pack("<I", records.masked_crc32c(head)) + b"x")
    assert read_summary(str(path)).scalars == {"a": {1: 1.0}}


def test_there_are_few_warnings_of_a_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    written(tmp_path, *[b"\xff\xff"] * 1000, event(1, ("a", scalar(1))))
    assert read_summary(str(tmp_path)).scalars == {"a": {1: 1.0}}
    assert len(caplog.records) == 6 and caplog.records[-1].getMessage().endswith(
        "995 more records or values are left out."
    )


def test_lineage_that_is_none_does_not_end_the_conversion(tmp_path: Path) -> None:
    good, bad = LineageEvent(wall_time=1.0), LineageEvent(wall_time=2.0)
    good.evaluation_lineage.metric = '{"acc": 0.5}'
    bad.evaluation_lineage.metric = '{"acc": ' + "1" * 4000 + "}"
    deep = LineageEvent(wall_time=3.0)
    deep.evaluation_lineage.metric = "[" * 100_000
    written(tmp_path, event(1, ("a", scalar(1))))
    (tmp_path / NAME.replace("_MS", "_lineage")).write_bytes(
        b"".join(records.frame(item.SerializeToString()) for item in (bad, deep, good))
    )
    to_tensorboard(str(tmp_path), str(tmp_path / "board"))
    assert [item.value for item in tensorboard(tmp_path / "board").Scalars("lineage/eval_acc")] == [0.5]


def test_a_failure_of_hparams_leaves_no_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch.utils.tensorboard.summary as summary

    def fails(*args: Any) -> Any:
        raise ValueError("no hparams today")

    monkeypatch.setattr(summary, "hparams", fails)
    message = LineageEvent().user_defined_info
    message.map_int32["x"] = 1
    before = len(os.listdir("/proc/self/fd"))
    for number in range(5):
        file = TensorBoardFile(str(tmp_path / str(number)) if (tmp_path / str(number)).mkdir() is None else "")
        file.lineage(1.0, "custom_lineage_data", message.SerializeToString())
        with pytest.raises(ValueError):
            file.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_hparams_of_other_types_are_shown_as_text(tmp_path: Path) -> None:
    file = TensorBoardFile(str(tmp_path))
    file._hparams, file._metrics, file._hparams_are_due = {"x": [1, 2], "y": 1}, {"m": 1.0}, True
    file.record(1.0, 1, [("scalar", "a", np.float32(1))])
    file.close()
    assert tensorboard(tmp_path).Tags()["scalars"] == ["a"]
    assert any(b"[1, 2]" in record for record in records.iterate_records(file.file.path))


@pytest.mark.parametrize("kind", ["fifo", "folder"])
def test_a_run_with_something_that_is_no_file(kind: str, tmp_path: Path) -> None:
    place = tmp_path / NAME
    place.mkdir() if kind == "folder" else os.mkfifo(place)
    with pytest.raises(FileNotFoundError):
        read_summary(str(tmp_path))
    (tmp_path / NAME.replace(".1.", ".2.")).write_bytes(records.frame(event(1, ("a", scalar(1)))))
    assert read_summary(str(tmp_path)).scalars == {"a": {1: 1.0}}
