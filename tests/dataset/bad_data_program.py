"""Every data operation given data of every kind, by itself and in a pipeline: what real MindSpore and ours make of it.

    python bad_data_program.py OUT.jsonl [part of a name …]

writes lines [case, [exception type, what it says]] or [case, "dtype shape …"]; cases that stand in the file are left
out, so that a run that crashed is gone on with.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from bad_arguments_program import operations
from mindspore.dataset import audio, text, transforms, vision
from PIL import Image

_GREY = np.arange(42).reshape(6, 7) % 251


def _channels(count: int, dtype: Any = np.uint8) -> np.ndarray:
    return np.repeat(_GREY[..., None], count, 2).astype(dtype)


#: what is given to each operation; a tuple is several columns
DATA: dict[str, Any] = {
    "scalar": np.array(3, np.uint8),
    "rank 1": np.arange(5, dtype=np.uint8),
    "rank 1 floats": np.linspace(-1, 1, 50, dtype=np.float32),
    "rank 2": _GREY.astype(np.uint8),
    "rank 2 floats": np.linspace(-1, 1, 60, dtype=np.float32).reshape(2, 30),
    "rank 3 floats": np.linspace(-1, 1, 120, dtype=np.float32).reshape(2, 2, 30),
    **{f"{count} channels": _channels(count) for count in (1, 2, 3, 4, 5)},
    "rank 4": np.stack([_channels(3)] * 2),
    "rank 5": np.stack([np.stack([_channels(3)] * 2)] * 2),
    "no pixels": np.zeros((0, 7, 3), np.uint8),
    **{
        kind: _channels(3, kind)
        for kind in "bool int8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()
    },
    "text": np.array("one"),
    "texts": np.array(["one", "two"]),
    "numbers as text": np.array(["1", "-2"]),
    "two": (_channels(3), np.array([1.0, 2.0], np.float32)),
    "two images": (_channels(3), _channels(3)),
    "other sizes": (_channels(3), _channels(3)[:4]),
    "boxes": (_channels(3), np.array([[1, 1, 3, 3]], np.float32)),
    "boxes outside": (_channels(3), np.array([[1, 1, 30, 3]], np.float32)),
    "boxes below": (_channels(3), np.array([[-1, 1, 3, 3]], np.float32)),
    "boxes of three": (_channels(3), np.array([[1, 1, 3]], np.float32)),
    "boxes of ints": (_channels(3), np.array([[1, 1, 3, 3]], np.int32)),
    "batch": (np.stack([_channels(3)] * 2), np.eye(2, 3, dtype=np.float32)),
    "batch of labels": (np.stack([_channels(3)] * 2), np.array([0, 1], np.int32)),
    "three": (_channels(3), _channels(3), _channels(3)),
}
#: only by themselves
EAGER: dict[str, Any] = {
    "list": [1, 2, 3],
    "number": 3,
    "None": None,
    "str": "one",
    "bytes": b"one",
    "dict": {"a": 1},
    "thing": object(),
    "picture": Image.fromarray(_channels(3)),
    "grey picture": Image.fromarray(_GREY.astype(np.uint8)),
}


#: kinds of data that not every operation is given
_VISION_ONLY = ("boxes", "batch", "other sizes")


def shown(result: Any) -> str:
    """Types and shapes of a result."""
    if isinstance(result, (tuple, list)):
        return " ".join(map(shown, result))
    if isinstance(result, Image.Image):
        return f"PIL {result.mode} {result.size}"
    if isinstance(result, np.ndarray):
        return f"{result.dtype.kind if result.dtype.kind in 'US' else result.dtype} {result.shape}"
    return type(result).__name__


def said(error: BaseException) -> str:
    """The first sentence of the operation's own words."""
    message = str(error).strip().replace("mindspore_compat", "mindspore")
    if "Error description:" in message:
        message = message.partition("Error description:\n")[2]
        lines = [line for line in message.split("\n") if line and not line.startswith((" ", "Traceback", "---"))]
        message = next((line for line in reversed(lines[: _end(lines)])), message)
    elif "[ERROR] " in message:
        message = message.partition("[ERROR] ")[2]
    line = message.strip().split("\n")[0]
    line = re.sub(r"0x[0-9a-f]+", "0x", line)
    return _sentence(line)


def _end(lines: list[str]) -> int:
    return next((i for i, line in enumerate(lines) if line.startswith("- ")), len(lines))


def _sentence(line: str) -> str:
    head, mark, rest = line.partition("] failed. ")
    begin, own = (head + mark, rest) if mark else ("", line)
    return begin + re.split(r"[.;](?:\s|\"?$)", own)[0].rstrip(" ")


def outcome(call: Callable[[], Any]) -> Any:
    """Types and shapes, or the exception's type and words."""
    try:
        return shown(call())
    except Exception as error:
        return [type(error).__name__, said(error)]


def in_pipeline(operation: Any, data: Any) -> Any:
    """One row through a pipeline."""
    columns = data if isinstance(data, tuple) else (data,)
    names = [f"c{i}" for i in range(len(columns))]
    dataset = ds.GeneratorDataset([columns], names, shuffle=False, num_parallel_workers=1)
    many = {"TenCrop": 10, "FiveCrop": 5, "Duplicate": 2, "Unique": 3, "Magphase": 2, "Concatenate": 1}
    outputs = many.get(type(operation).__name__)
    if getattr(operation, "with_offsets", False):
        outputs = 3
    dataset = dataset.map(
        operation, names, [f"o{i}" for i in range(outputs)] if outputs else None, num_parallel_workers=1
    )
    return next(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))


def cases(parts: list[str]) -> dict[str, Callable[[], Any]]:
    """case: what to call."""
    ds.config.set_seed(1)
    found: dict[str, Callable[[], Any]] = {}
    nothing = {
        f"{package}.{name}": (getattr(module, name), {})
        for package, module, names in (
            ("vision", vision, "DecodeVideo Decode Equalize HWC2CHW HorizontalFlip Invert ToNumpy ToPIL VerticalFlip"),
            ("transforms", transforms, "Duplicate Unique"),
            ("text", text, "CaseFold FilterWikipediaXML"),
            ("audio", audio, "Angle"),
        )
        for name in names.split()
    }
    special = {"transforms.Slice": (lambda: transforms.Slice(1, 2), {})}
    for name, (make, good) in {**operations(), **nothing, **special}.items():
        if (parts and not any(part in name for part in parts)) or name[name.index(".") + 1].islower():
            continue
        operation = make(**good)
        for kind, data in {**DATA, **EAGER}.items():
            if kind.startswith(_VISION_ONLY) and not name.startswith("vision"):
                continue
            columns = data if isinstance(data, tuple) else (data,)
            found[f"{name} {kind}"] = lambda o=operation, c=columns: o(*c)
            if kind in DATA and not (kind == "no pixels" and name.startswith("audio")):  # real MindSpore never ends
                found[f"{name} {kind} piped"] = lambda o=operation, d=data: in_pipeline(o, d)
    return found


def main(out: str, parts: list[str]) -> None:
    """Writes what is not yet in the file."""
    known = set()
    if os.path.exists(out):
        with open(out, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        known = {line[0] for line in lines}
        if lines and len(lines[-1]) == 1:  # begun, and never ended
            with open(out, "a", encoding="utf-8") as file:
                file.write(json.dumps([lines[-1][0], "crash"]) + "\n")
    with open(out, "a", encoding="utf-8") as file:
        for case, call in cases(parts).items():
            if case not in known:
                file.write(json.dumps([case]) + "\n")
                file.flush()
                file.write(json.dumps([case, outcome(call)]) + "\n")


if __name__ == "__main__":
    ms.set_seed(1)
    target, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main(target, wanted)
        os.chdir("/")
