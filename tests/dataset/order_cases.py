"""Expressions with `ds` and `root`, whose order of rows depends on the seed, and what `orders` makes of them."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CASES", "make_files", "orders"]

_COUNTS = {"a": 4, "b": 7, "c": 2, "d": 5}  # rows of the files, numbered through all


class Source:
    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> Any:
        return np.array(index)


def _samplers(how: str, *samplers: str) -> list[str]:
    return [how.replace("SAMPLER", f"ds.{sampler}") for sampler in samplers]


def _files(name: str, *arguments: str, workers: int = 1) -> list[str]:
    return [f"ds.{name}, num_parallel_workers={workers}{', ' if item else ''}{item})" for item in arguments]


_NUMBERS = "ds.NumpySlicesDataset(np.arange(20)"
_TEXT = "TextFileDataset([root + f'/{c}.txt' for c in 'abcd']"
_READING = ("", "shuffle=ds.Shuffle.FILES", "num_samples=6", "num_shards=2, shard_id=1", "num_shards=3, shard_id=0")

CASES = [
    *[f"ds.NumpySlicesDataset(np.arange({n}), shuffle=True)" for n in (1, 2, 3, 10, 33)],
    *_samplers(
        f"{_NUMBERS}, sampler=SAMPLER)",
        "RandomSampler(num_samples=7)",
        "RandomSampler(True)",
        "RandomSampler(True, 9)",
        "DistributedSampler(4, 1)",
        "DistributedSampler(3, 2, num_samples=4)",
        "SubsetRandomSampler([3, 1, 4, 15, 9, 2, 6])",
        "SubsetRandomSampler([3, 1, 4, 15, 9, 2, 6], 4)",
        "WeightedRandomSampler([0.1 * i for i in range(20)])",
        "WeightedRandomSampler([0.1 * i + 0.1 for i in range(20)], 8, False)",
    ),
    f"{_NUMBERS}, num_samples=8, shuffle=True)",
    f"(lambda d: (d.add_sampler(ds.RandomSampler(num_samples=9)), d)[1])({_NUMBERS}))",
    f"{_NUMBERS}, shuffle=True).take(5).repeat(2)",
    f"{_NUMBERS}, shuffle=True).repeat(2).shuffle(5)",
    *[f"{_NUMBERS}, shuffle=False).shuffle({size})" for size in (2, 10, 50)],
    f"{_NUMBERS}, shuffle=False).filter(lambda x: x % 3).shuffle(5)",
    *[f"{_NUMBERS}, shuffle={shuffle}).split([12, 8])[1]" for shuffle in (True, False)],
    f"(lambda d: (d.use_sampler(ds.RandomSampler()), d)[1])({_NUMBERS}, shuffle=False).split([12, 8])[1])",
    f"{_NUMBERS}, shuffle=False).map(lambda x: x).split([12, 8])[1]",
    f"(lambda d: (d.use_sampler(ds.RandomSampler()), d)[1])({_NUMBERS}, shuffle=False) + "
    "ds.NumpySlicesDataset(np.arange(40, 47), shuffle=False))",
    "ds.GeneratorDataset(Source(), 'x')",
    "ds.GeneratorDataset(Source(), 'x', num_shards=3, shard_id=1)",
    "ds.ImageFolderDataset(root + '/images', decode=True)",
    *_samplers("ds.ImageFolderDataset(root + '/images', decode=True, sampler=SAMPLER)", "PKSampler(2)"),
    *_samplers("ds.ImageFolderDataset(root + '/images', decode=True, sampler=SAMPLER)", "PKSampler(3, shuffle=True)"),
    *_files(_TEXT, *_READING),
    *_files(_TEXT, *_READING, workers=2),
    *_files("TFRecordDataset([root + f'/{c}.tfrecord' for c in 'abcd']", *_READING),
    *[f"{case}.split([10, 8])[0]" for case in _files(_TEXT, "")],
    *_files("MindDataset([root + f'/{c}.mindrecord' for c in 'abcd'], ['x']", *_READING, "shuffle=ds.Shuffle.INFILE"),
    *_files(
        "MindDataset([root + f'/{c}.mindrecord' for c in 'abcd'], ['x']",
        "sampler=ds.RandomSampler(num_samples=7)",
        "sampler=ds.SubsetRandomSampler([3, 1, 4, 15, 9, 2, 6])",
        "sampler=ds.SubsetRandomSampler([-1, 3, 21])",
        "sampler=ds.DistributedSampler(3, 0, shuffle=ds.Shuffle.INFILE)",
    ),
    *[
        f"{case}.split([10, 8])[0]"
        for case in _files("MindDataset([root + f'/{c}.mindrecord' for c in 'abcd'], ['x']", "")
    ],
    "ds.RandomDataset(5, (lambda s: (s.add_column('x', 'uint8', [3]), s)[1])(ds.Schema()), num_parallel_workers=1)",
    "ds.FakeImageDataset(4, (2, 2, 3), 10, 7, shuffle=True)",
]


def orders(ds: Any, case: str, seed: int, root: str) -> list[list[int]]:
    """The first numbers of the rows of three epochs."""
    ds.config.set_seed(seed)
    dataset = eval(case, {"ds": ds, "np": np, "root": root, "Source": Source})
    rows = dataset.create_tuple_iterator(num_epochs=3, output_numpy=True)
    return [[int(np.ravel(row[0])[-1]) for row in rows] for _ in range(3)]


def _masked(data: bytes) -> bytes:
    """The checksum of a TFRecord, CRC-32C turned and shifted."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    value ^= 0xFFFFFFFF
    return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _record(value: int) -> bytes:
    """A TFRecord with the feature ``x``."""

    def field(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    feature = field(1, b"x") + field(2, field(3, field(1, bytes([value]))))
    data = field(1, field(1, feature))
    length = struct.pack("<Q", len(data))
    return length + _masked(length) + data + _masked(data)


def _picture(value: int) -> bytes:
    """A PNG of one grey pixel."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes([0, value, value, value]))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def make_files(root: Path, writer: Any) -> None:
    """The files that the cases read; `writer` is ``mindrecord.FileWriter``."""
    number = 0
    for name, count in _COUNTS.items():
        values = range(number, number + count)
        number += count
        (root / f"{name}.txt").write_text("".join(f"{value}\n" for value in values))
        (root / f"{name}.tfrecord").write_bytes(b"".join(map(_record, values)))
        file = writer(str(root / f"{name}.mindrecord"), 1)
        file.add_schema({"x": {"type": "int32"}}, "numbers")
        file.write_raw_data([{"x": value} for value in values])
        file.commit()
    for number in range(12):
        folder = root / "images" / "pqr"[min(number // 5, 2)]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:02}.png").write_bytes(_picture(number))


def give(ds: Any, writer: Any, root: Path, seeds: tuple[int, ...]) -> str:
    """All of it as a JSON text."""
    make_files(root, writer)
    found = {case: {str(seed): orders(ds, case, seed, str(root)) for seed in seeds} for case in CASES}
    lines = (f"{json.dumps(case)}: {json.dumps(value, separators=(',', ':'))}" for case, value in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
