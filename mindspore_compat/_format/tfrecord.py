"""TFRecord files: framed ``tf.train.Example`` messages, whole or compressed."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any

from mindspore_compat._format.compressed import CompressedFile
from mindspore_compat._format.proto._build import build_messages
from mindspore_compat._format.records import OVERHEAD, masked_crc32c
from mindspore_compat._format.wire import FormatError

EXAMPLE: Any = build_messages(
    "mindspore_compat.tfrecord",
    {
        "BytesList": "1 value repeated bytes",
        "FloatList": "1 value repeated float",
        "Int64List": "1 value repeated int64",
        "Feature": "1 bytes_list BytesList\n2 float_list FloatList\n3 int64_list Int64List",
        "Entry": "1 key string\n2 value Feature",
        "Features": "1 feature repeated Entry",
        "Example": "1 features Features",
    },
    {},
    packed=True,
)

_HEADER = struct.Struct("<QI")


def record_offsets(path: str, content: CompressedFile | None = None) -> Iterator[tuple[int, int]]:
    """Yield (offset, length) of the message in each record of a file, whose ``content`` is given if it was compressed.

    Only the heads are read. As in MindSpore, the CRC of every head is checked, but not that of the messages.
    """
    size = os.path.getsize(path) if content is None else content.size
    with open(path, "rb") as stream:
        place = 0
        while place < size:
            if content is None:
                stream.seek(place)
                head = stream.read(_HEADER.size)
            else:
                head = content.read(place, _HEADER.size)
            length, crc = _HEADER.unpack(head) if len(head) == _HEADER.size else (0, -1)
            if crc != masked_crc32c(head[:8]):
                raise FormatError(f"{path} is no TFRecord file: no record starts at byte {place} of {size}")
            if place + _HEADER.size + length > size:
                raise FormatError(
                    f"{path} is cut off: the record at byte {place} has {length} bytes, but the file ends at byte "
                    f"{size}"
                )
            yield place + _HEADER.size, length
            place += OVERHEAD + length
