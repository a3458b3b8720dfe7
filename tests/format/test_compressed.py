"""Compressed files: read at any place, and never held whole where little becomes much."""

from __future__ import annotations

import gzip
import pickle
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest

from mindspore_compat._format import compressed
from mindspore_compat._format.compressed import CompressedFile
from mindspore_compat._format.wire import FormatError

PACK = {"GZIP": gzip.compress, "ZLIB": zlib.compress}


def _file(folder: Path, content: bytes, kind: str) -> str:
    (folder / "f").write_bytes(PACK[kind](content))
    return str(folder / "f")


@pytest.fixture
def content() -> bytes:
    rng = np.random.RandomState(0)
    return b"".join(bytes([number % 251]) * int(rng.randint(1, 40000)) + rng.bytes(50) for number in range(400))


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "_LEAST_ROOM", 1 << 16)
    monkeypatch.setattr(compressed, "_PIECE", 1 << 14)


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("room", ["enough", "little"])
def test_any_place_can_be_read(
    tmp_path: Path, kind: str, room: str, content: bytes, request: pytest.FixtureRequest
) -> None:
    if room == "little":
        request.getfixturevalue("little_room")
    file = CompressedFile(_file(tmp_path, content, kind), kind)
    assert file.size == len(content) and (file._content is None) == (room == "little")
    rng = np.random.RandomState(1)
    for place, length in [
        (0, 10),
        (len(content) - 5, 5),
        (len(content) - 5, 50),
        (len(content) + 9, 3),
        *zip(rng.randint(0, len(content), 60).tolist(), rng.randint(0, 60000, 60).tolist()),
    ]:
        assert file.read(place, length) == content[place : place + length]
    again = pickle.loads(pickle.dumps(file))
    assert again.read(1000, 2000) == content[1000:3000]


def test_points_are_few(tmp_path: Path, content: bytes, little_room: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "_MOST_POINTS", 8)
    file = CompressedFile(_file(tmp_path, content, "GZIP"), "GZIP")
    assert 3 <= len(file._points) <= 8
    assert file.read(5_000_000, 100) == content[5_000_000:5_000_100]


def test_threads_share_it(tmp_path: Path, content: bytes, little_room: None) -> None:
    file, wrong = CompressedFile(_file(tmp_path, content, "GZIP"), "GZIP"), []

    def read(seed: int) -> None:
        for place in np.random.RandomState(seed).randint(0, len(content) - 100, 30).tolist():
            if file.read(place, 100) != content[place : place + 100]:
                wrong.append(place)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_piece_larger_than_the_room_is_refused(tmp_path: Path, little_room: None) -> None:
    file = CompressedFile(_file(tmp_path, bytes(1 << 24), "GZIP"), "GZIP")
    with pytest.raises(FormatError, match="f holds a piece of 8388608 bytes"):
        file.read(0, 1 << 23)


def test_joined_gzip_files_and_zeros_behind(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(gzip.compress(b"ab") + gzip.compress(b"cd") + bytes(100))
    assert CompressedFile(str(path), "GZIP").read(0, 9) == b"abcd"


@pytest.mark.parametrize("kind", PACK)
def test_what_is_damaged_is_refused(tmp_path: Path, kind: str, content: bytes) -> None:
    whole = PACK[kind](content)
    for data in (
        whole[:-6],
        whole[:40],
        b"",
        b"no",
        whole[:-6] + b"\xff" + whole[-5:],
        PACK["ZLIB" if kind == "GZIP" else "GZIP"](b"x"),
    ):
        (tmp_path / "f").write_bytes(data)
        with pytest.raises(FormatError, match=f"f is not compressed with {kind}"):
            CompressedFile(str(tmp_path / "f"), kind)
