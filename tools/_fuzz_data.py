"""The formats that ``dataset`` and ``mindrecord`` read: MindRecord, TFRecord, IDX, CIFAR, images, text. See
fuzz_files.py.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mindspore_compat import dataset as ds
from mindspore_compat._format.records import frame, masked_crc32c
from mindspore_compat._format.tfrecord import EXAMPLE
from mindspore_compat.dataset import config, text
from mindspore_compat.dataset.utils.line_reader import LineReader
from mindspore_compat.mindrecord import FileReader, FileWriter, MRMOpenError
from tools import _fuzz_mutations as mutations
from tools.fuzz_files import Format

__all__ = ["FORMATS", "rows_of"]

Rng = np.random.Generator


def rows_of(dataset: Any) -> list[Any]:
    """Everything in a dataset, for comparison."""
    rows = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [[(column.dtype.str, column.shape, column.tobytes()) for column in row] for row in rows]


# --- MindRecord -------------------------------------------------------------------------------------------------------


def _write_mindrecord(path: Path, schema: dict[str, Any], rows: list[dict[str, Any]], shards: int = 1) -> None:
    path.parent.mkdir(exist_ok=True)
    writer = FileWriter(str(path), shards)
    writer.add_schema(schema)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.write_raw_data(rows)
    writer.commit()


def _mindrecord_seeds(folder: Path) -> list[Path]:
    schema = {
        "i": {"type": "int32"},
        "f": {"type": "float64"},
        "s": {"type": "string"},
        "b": {"type": "bytes"},
        "v": {"type": "float32", "shape": [-1, 2]},
        "n": {"type": "int64", "shape": [-1]},
    }
    rows = [
        {
            "i": i,
            "f": 0.1 * i,
            "s": "x" * i,
            "b": bytes(range(i)),
            "v": np.ones((i, 2), np.float32),
            "n": np.arange(i) << 9,
        }
        for i in range(1, 6)
    ]
    _write_mindrecord(folder / "one" / "m", schema, rows)
    _write_mindrecord(folder / "plain" / "m", {"a": {"type": "int64"}}, [{"a": i} for i in range(40)])
    _write_mindrecord(
        folder / "two" / "m",
        {"a": {"type": "int64"}, "b": {"type": "bytes"}},
        [{"a": i, "b": b"b" * i} for i in range(6)],
        2,
    )
    return [folder / "one", folder / "plain", folder / "two"]


def _first_file(folder: Path) -> str:
    return str(
        next(
            (folder / name for name in ("m", "m0") if (folder / f"{name}.db").exists() or (folder / name).exists()),
            folder / "m",
        )
    )


def _read_mindrecord(folder: Path) -> Any:
    reader = FileReader(_first_file(folder))
    try:
        rows = [
            [(name, np.asarray(value).tobytes()) for name, value in sorted(row.items())] for row in reader.get_next()
        ]
    finally:
        reader.close()
    return rows, rows_of(ds.MindDataset(_first_file(folder), shuffle=False))


def _in_header(data: bytes, rng: Rng) -> bytes:
    """Another value somewhere in the header's JSON."""
    length = struct.unpack_from("<Q", data)[0] if len(data) >= 8 else len(data)
    if not 0 < length <= len(data) - 8:
        return mutations.BYTES[0](data, rng, [data])
    try:
        text = mutations.json_value(data[8 : 8 + length], rng)
    except ValueError:
        return data[:8]
    head = struct.pack("<Q", len(text)) + text
    return head + data[len(head) :]


_STATEMENTS = [
    "UPDATE INDEXES SET {column} = {value}",
    "UPDATE INDEXES SET {column} = {value} WHERE ROW_ID = 1",
    "DELETE FROM INDEXES WHERE ROW_ID < 3",
    "ALTER TABLE INDEXES RENAME COLUMN {column} TO other",
    "ALTER TABLE INDEXES RENAME TO INDEXES_2; CREATE VIEW INDEXES AS SELECT * FROM INDEXES_2",
    "ALTER TABLE INDEXES RENAME TO T; CREATE VIEW INDEXES AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM "
    "c) SELECT T.* FROM c, T",
    "CREATE TRIGGER t AFTER INSERT ON INDEXES BEGIN DELETE FROM INDEXES; END",
    "ALTER TABLE INDEXES ADD COLUMN more AS (length(hex(zeroblob(400000000))))",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, 'ROW_ID', {value})",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = {value}",
    "CREATE INDEX x ON INDEXES({column})",
    "DROP TABLE INDEXES",
]
_VALUES = [
    "NULL",
    "'x'",
    "0.5",
    "-1",
    "0",
    "7",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775808",
    "zeroblob(100000)",
    "1000000",
]
_COLUMNS = [
    "ROW_ID",
    "PAGE_ID_RAW",
    "PAGE_OFFSET_RAW",
    "PAGE_OFFSET_RAW_END",
    "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB",
    "PAGE_OFFSET_BLOB_END",
]


def _in_index(data: bytes, rng: Rng) -> bytes:
    """A statement run on the index."""
    statement = _STATEMENTS[rng.integers(len(_STATEMENTS))].format(
        column=_COLUMNS[rng.integers(7)], value=_VALUES[rng.integers(len(_VALUES))]
    )
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(data)  # type: ignore[attr-defined, unused-ignore]
        database.executescript(statement)
        return bytes(database.serialize())  # type: ignore[attr-defined, unused-ignore]
    except sqlite3.Error:
        return data[: len(data) // 2]
    finally:
        database.close()


def _mindrecord_part(data: bytes, rng: Rng) -> bytes:
    return _in_index(data, rng) if data.startswith(b"SQLite") else _in_header(data, rng)


def _record_bytes(data: bytes, rng: Rng) -> bytes:
    """Bytes of rows, behind the header."""
    if data.startswith(b"SQLite") or len(data) <= 1 << 14:
        return _mindrecord_part(data, rng)
    way = mutations.BYTES[rng.integers(len(mutations.BYTES))]
    return data[: 1 << 14] + way(data[1 << 14 :], rng, [data[1 << 14 :]])


def _graph_seeds(folder: Path) -> list[Path]:
    number = {"type": "int32"}
    schema = {
        **dict.fromkeys(("first_id", "second_id", "third_id", "type"), number),
        "attribute": {"type": "string"},
        "weight": {"type": "float32"},
        "node_feature_index": {"type": "int32", "shape": [-1]},
        "node_feature_1": {"type": "float32", "shape": [-1]},
    }
    rest = {"weight": 0.5, "node_feature_index": np.array([1], np.int32), "node_feature_1": np.ones(2, np.float32)}
    rows = [{"first_id": i, "second_id": 0, "third_id": 0, "type": 1, "attribute": "n", **rest} for i in range(4)]
    rows += [{"first_id": i, "second_id": 0, "third_id": i, "type": 3, "attribute": "e", **rest} for i in (1, 2)]
    _write_mindrecord(folder / "graph" / "m", schema, rows)
    return [folder / "graph"]


def _read_graph(folder: Path) -> Any:
    graph = ds.GraphData(str(folder / "m"))
    return graph.graph_info(), [graph.get_all_nodes(kind).tolist() for kind in graph.graph_info()["node_type"]]


# --- TFRecord ---------------------------------------------------------------------------------------------------------


def _example(number: int) -> bytes:
    message = EXAMPLE.Example()
    columns = {"bytes_list": [b"ab" * number, b"c"], "float_list": [0.5, number], "int64_list": [number, -1]}
    for kind, values in columns.items():
        getattr(message.features.feature.add(key=kind[0]).value, kind).value.extend(values)
    return bytes(message.SerializeToString())


_EXAMPLES = [_example(number) for number in range(5)]


def _packed_seeds(pack: Callable[[bytes], bytes]) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        (folder / "r.tfrecord").write_bytes(pack(b"".join(map(frame, _EXAMPLES))))
        (folder / "zeros.tfrecord").write_bytes(pack(frame(_EXAMPLES[0]) + frame(bytes(100000))))
        return [folder / "r.tfrecord", folder / "zeros.tfrecord"]

    return write


def _read_tfrecord(kind: str) -> Callable[[Path], Any]:
    schema = ds.Schema()
    schema.add_column("b", "uint8")
    schema.add_column("i", "int32", [2])

    def read(path: Path) -> Any:
        plain = rows_of(ds.TFRecordDataset(str(path), shuffle=False, compression_type=kind))
        return plain, rows_of(ds.TFRecordDataset(str(path), schema, shuffle=False, compression_type=kind))

    return read


def _in_examples(data: bytes, rng: Rng) -> bytes:
    """One of the records damaged as a protobuf message, in a frame that fits."""
    records = list(_EXAMPLES)
    place = int(rng.integers(len(records)))
    way = (
        mutations.PROTOBUF[rng.integers(len(mutations.PROTOBUF))]
        if isinstance(mutations.PROTOBUF, (list, tuple))
        else mutations.PROTOBUF
    )
    records[place] = way(records[place], rng)
    return b"".join(map(frame, records))


def _packed(pack: Callable[[bytes], bytes], way: Callable[[bytes, Any], bytes]) -> Callable[[bytes, Any], bytes]:
    def change(data: bytes, rng: Rng) -> bytes:
        return pack(way(b"", rng))

    return change


def _bomb(window: int, *starts: bytes) -> Callable[[bytes, Any], bytes]:
    """300 MiB of zeros behind a start, packed; ``window`` is zlib's number for the kind. Rarely, since it
    takes time.
    """
    made: list[bytes] = []

    def change(data: bytes, rng: Rng) -> bytes:
        if not made:
            for start in starts:
                machine = zlib.compressobj(1, zlib.DEFLATED, window)
                made.append(
                    b"".join(
                        [
                            machine.compress(start),
                            *(machine.compress(bytes(1 << 20)) for _ in range(300)),
                            machine.flush(),
                        ]
                    )
                )
        return made[rng.integers(len(made))] if rng.random() < 0.02 else data[: rng.integers(len(data) + 1)]

    return change


def _record_head(length: int) -> bytes:
    return struct.pack("<QI", length, masked_crc32c(struct.pack("<Q", length)))


_BOMBS = b"", frame(_EXAMPLES[1]), frame(_EXAMPLES[1]) + _record_head((300 << 20) - 4), _record_head(200 << 20)


# --- arrays in files of their own -------------------------------------------------------------------------------------


def _mnist(folder: Path, pack: Callable[[bytes], bytes], end: str) -> list[Path]:
    (folder / "mnist").mkdir()
    for prefix, count in (("train", 3), ("t10k", 2)):
        images = struct.pack(">4i", 2051, count, 28, 28) + bytes(range(256))[:196] * 4 * count
        for name, data in (
            (f"{prefix}-images-idx3-ubyte", images),
            (f"{prefix}-labels-idx1-ubyte", struct.pack(">2i", 2049, count) + bytes(count)),
        ):
            (folder / "mnist" / (name + end)).write_bytes(pack(data))
    return [folder / "mnist"]


def _idx_head(data: bytes, rng: Rng) -> bytes:
    """Another size in the head, perhaps in two places, so that a product may fit."""
    result = bytearray(data)
    for _ in range(rng.integers(1, 3)):
        place = 4 * int(rng.integers(0, 4))
        value = [0, 1, -1, -2, 2**31 - 1, -(2**31), 65536, 14, 56, int(rng.integers(-5, 5))][rng.integers(10)]
        result[place : place + 4] = struct.pack(">i", value)
    return bytes(result)


def _gzipped(way: Callable[[bytes, Any], bytes]) -> Callable[[bytes, Any], bytes]:
    def change(data: bytes, rng: Rng) -> bytes:
        try:
            return gzip.compress(way(gzip.decompress(data), rng), 1)
        except (OSError, EOFError, zlib.error):
            return data

    return change


def _cifar10(folder: Path) -> list[Path]:
    (folder / "cifar").mkdir()
    for name in ("data_batch_1.bin", "data_batch_2.bin", "test_batch.bin"):
        (folder / "cifar" / name).write_bytes(bytes(3073) * 2)
    return [folder / "cifar"]


def _cifar100(folder: Path) -> list[Path]:
    (folder / "cifar").mkdir()
    for name in ("train.bin", "test.bin"):
        (folder / "cifar" / name).write_bytes(bytes(3074) * 2)
    return [folder / "cifar"]


def _image_seeds(folder: Path) -> list[Path]:
    from PIL import Image

    image = Image.fromarray(np.random.default_rng(0).integers(0, 255, (9, 11, 3), dtype=np.uint8))
    (folder / "images" / "a").mkdir(parents=True)
    for kind in ("png", "jpeg", "bmp", "gif", "tiff", "webp", "ppm", "jp2", "eps"):
        image.save(folder / "images" / "a" / f"x.{kind}")
    folders = []
    for file in sorted((folder / "images" / "a").iterdir()):
        (folder / file.suffix[1:] / "a").mkdir(parents=True)
        folders.append(folder / file.suffix[1:])
        (folders[-1] / "a" / file.name).write_bytes(file.read_bytes())
    return folders


def _read_images(folder: Path) -> Any:
    return rows_of(ds.ImageFolderDataset(str(folder), shuffle=False, decode=True))


def _png_size(data: bytes, rng: Rng) -> bytes:
    """Another size in a PNG's head, with a checksum that fits; any bytes of other images."""
    if not data.startswith(b"\x89PNG") or len(data) < 33:
        return mutations.BYTES[rng.integers(len(mutations.BYTES))](data, rng, [data])
    sizes = [1, 9, 1000, 5000, 13000, 60000, 2**20, 2**31 - 1]
    head = b"IHDR" + struct.pack(">2I", *(sizes[rng.integers(len(sizes))] for _ in range(2))) + data[24:29]
    return data[:12] + head + struct.pack(">I", zlib.crc32(head)) + data[33:]


# --- text -------------------------------------------------------------------------------------------------------------


def _files(**contents: bytes) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        paths = [folder / name.replace("_", ".") for name in contents]
        for path, data in zip(paths, contents.values()):
            path.write_bytes(data)
        return paths

    return write


_CSL = [
    {"abst": "a", "id": 1, "keyword": ["k", "word"], "label": "0"},
    {"abst": "b", "id": 2, "keyword": ["x"], "label": "1"},
]
_SPANS = {"span1_index": 1, "span1_text": "a", "span2_index": 2, "span2_text": "b"}
_WSC = [{"idx": 1, "label": "true", "target": _SPANS, "text": "t"}]


def _json_lines(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _in_line(data: bytes, rng: Rng) -> bytes:
    lines = data.splitlines() or [b"{}"]
    place = int(rng.integers(len(lines)))
    try:
        lines[place] = mutations.json_value(lines[place], rng)
    except ValueError:
        lines[place] = b'{"keyword": [' + b'"", ' * 5000 + b'"' + b"x" * 50000 + b'"]}'
    return b"\n".join(lines)


def _in_json(data: bytes, rng: Rng) -> bytes:
    try:
        return mutations.json_value(data, rng)
    except ValueError:
        return data + b"["


def _read_clue(path: Path) -> Any:
    return rows_of(ds.CLUEDataset(str(path), "WSC" if path.name.startswith("wsc") else "CSL", shuffle=False))


def _read_lines(path: Path) -> Any:
    reader = LineReader(str(path))
    try:
        return [reader.readline(number + 1) for number in range(len(reader))]
    finally:
        reader.close()


_SCHEMA = {
    "datasetType": "TF",
    "numRows": 3,
    "columns": {"image": {"type": "uint8", "rank": 1, "shape": [2]}, "label": {"type": "int64", "rank": 1}},
}
_SETTINGS = {"seed": 3, "prefetchSize": 4, "numParallelWorkers": 1, "monitorSamplingInterval": 10}
_TEXT = "ein Satz\nthe second line\n\nдва\n\n中文\nlast".encode()
_BROKEN = (RuntimeError, ValueError)

FORMATS = [
    Format(
        "mindrecord", _mindrecord_seeds, _read_mindrecord, (MRMOpenError, *_BROKEN), (_mindrecord_part, _record_bytes)
    ),
    Format("mindrecord-graph", _graph_seeds, _read_graph, (MRMOpenError, *_BROKEN), (_mindrecord_part, _record_bytes)),
    Format("tfrecord", _packed_seeds(bytes), _read_tfrecord(""), _BROKEN, (_in_examples,)),
    Format(
        "tfrecord-gzip",
        _packed_seeds(gzip.compress),
        _read_tfrecord("GZIP"),
        _BROKEN,
        (_packed(gzip.compress, _in_examples), _bomb(31, *_BOMBS)),
    ),
    Format(
        "tfrecord-zlib",
        _packed_seeds(zlib.compress),
        _read_tfrecord("ZLIB"),
        _BROKEN,
        (_packed(zlib.compress, _in_examples), _bomb(15, *_BOMBS)),
    ),
    Format(
        "mnist",
        lambda folder: _mnist(folder, bytes, ""),
        lambda path: rows_of(ds.MnistDataset(str(path), shuffle=False)),
        _BROKEN,
        (_idx_head,),
    ),
    Format(
        "mnist-gz",
        lambda folder: _mnist(folder, gzip.compress, ".gz"),
        lambda path: rows_of(ds.MnistDataset(str(path), shuffle=False)),
        _BROKEN,
        (_gzipped(_idx_head), _bomb(31, b"", struct.pack(">4i", 2051, 401242, 28, 28))),
    ),
    Format("cifar10", _cifar10, lambda path: rows_of(ds.Cifar10Dataset(str(path), shuffle=False)), _BROKEN),
    Format("cifar100", _cifar100, lambda path: rows_of(ds.Cifar100Dataset(str(path), shuffle=False)), _BROKEN),
    Format("images", _image_seeds, _read_images, _BROKEN, (_png_size,)),
    Format(
        "text",
        _files(t_txt=_TEXT, u_txt=b"x\n" * 50),
        lambda path: rows_of(ds.TextFileDataset(str(path), shuffle=False)),
        _BROKEN,
    ),
    Format("clue", _files(csl_json=_json_lines(_CSL), wsc_json=_json_lines(_WSC)), _read_clue, _BROKEN, (_in_line,)),
    Format(
        "schema",
        _files(s_json=json.dumps(_SCHEMA).encode()),
        lambda path: ds.Schema(str(path)).to_json(),
        (*_BROKEN, TypeError, AttributeError),
        (_in_json,),
    ),
    Format(
        "settings",
        _files(s_json=json.dumps(_SETTINGS).encode()),
        lambda path: config.load(str(path)),
        (*_BROKEN, TypeError),
        (_in_json,),
    ),
    Format("vocab", _files(v_txt=_TEXT), lambda path: text.Vocab.from_file(str(path)).vocab(), _BROKEN),
    Format("lines", _files(l_txt=_TEXT), _read_lines, _BROKEN),
]
