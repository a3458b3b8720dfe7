"""``ckpt inspect``, ``diff`` and ``verify``: contents, differences and integrity of checkpoints."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat._format import ckpt as codec
from mindspore_compat._format.dtypes import STRING
from mindspore_compat._format.wire import FormatError
from mindspore_compat._tensor.wrapping import byte_view
from mindspore_compat.cli._progress import Bar
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.train._checkpoint.entries import entries_of
from mindspore_compat.train._checkpoint.folders import TORCH_ENDS, is_safetensors, open_checkpoint, opened
from mindspore_compat.train._checkpoint.lazy import LazyTensor
from mindspore_compat.train._torch.names import nearest
from mindspore_compat.train.serialization import load_checkpoint


def inspect(options: Any) -> int:
    rows = _rows(options.file, options)
    total = sum(row["bytes"] for row in rows)
    if options.json:
        print(json.dumps({"file": options.file, "values": rows, "bytes": total}, indent=1))
        return 0
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        shown = repr(row["value"]) if "value" in row else str(tuple(row["shape"]))
        print(f"{row['name']:{width}}  {row['dtype']:10} {shown:24} {_size(row['bytes']):>10}")
    print(f"{len(rows)} values, {_size(total)}")
    return 0


def _rows(path: str, options: Any) -> list[dict[str, Any]]:
    """Return name, type, shape and bytes of every entry, without reading the contents."""
    if path.endswith((".safetensors", *TORCH_ENDS)) or not os.path.isfile(path):
        return [_row(entry) for entry in entries_of(_values(path, options), {}, None)]
    with opened(path, options.dec_key, options.dec_mode) as file:
        try:
            return [_row(entry) for entry in codec.read(file.messages).values()]
        except FormatError as error:
            raise ValueError(f"{path}: {error}") from None


def _values(path: str, options: Any) -> dict[str, Any]:
    return open_checkpoint(path, options.dec_key, options.dec_mode).values


def _row(entry: Any) -> dict[str, Any]:
    if isinstance(entry, codec.MapEntry):
        return {
            "name": entry.name,
            "dtype": "map",
            "shape": list(entry.parts[1].dims),
            "bytes": sum(part.byte_count() for part in entry.parts),
        }
    row = {"name": entry.name, "dtype": entry.tensor_type, "shape": list(entry.dims), "bytes": entry.byte_count()}
    if entry.tensor_type == STRING:
        row |= {"shape": [], "value": entry.text()}
    return row


def _size(count: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024  # type: ignore[assignment]
    return f"{count:.4g} GiB"


def diff(options: Any) -> int:
    a, b = (_values(path, options) for path in (options.a, options.b))
    found = list(_differences(a, b, options.tolerance))
    if options.json:
        print(json.dumps({"a": options.a, "b": options.b, "differences": found}, indent=1))
        return int(bool(found))
    for item in found:
        details = f" (nearest: {', '.join(item['nearest'])})" if item.get("nearest") else ""
        details += f", largest difference {item['largest']:.6g}" if "largest" in item else ""
        details += f": {item['a']} against {item['b']}" if "a" in item else ""
        print(f"{item['name']}: {item['what']}{details}")
    print(f"{len(found)} differences" if found else "equal")
    return int(bool(found))


def _differences(a: dict[str, Any], b: dict[str, Any], tolerance: float) -> Iterator[dict[str, Any]]:
    only_b = {name: value for name, value in b.items() if name not in a}
    for name, value in a.items():
        if name not in b:
            yield {
                "name": name,
                "what": "only in A",
                "nearest": nearest(name, tuple(getattr(value, "shape", ())), only_b),
            }
    for name in only_b:
        yield {"name": name, "what": "only in B"}
    common = {name: value.meta.nbytes if isinstance(value, LazyTensor) else 0 for name, value in a.items() if name in b}
    bar = Bar(sum(common.values()))
    for name, count in common.items():
        found = _difference(a[name], b[name], tolerance)
        bar.add(count)
        if found:
            yield {"name": name, **found}


def _difference(a: Any, b: Any, tolerance: float) -> dict[str, Any] | None:
    if not isinstance(a, LazyTensor) or not isinstance(b, LazyTensor):
        same = (
            str(a) == str(b) if isinstance(a, str) or isinstance(b, str) else all((x == y).all() for x, y in zip(a, b))
        )
        return None if same else {"what": "value", "a": str(a), "b": str(b)}
    x, y = a.tensor(), b.tensor()
    if x.shape != y.shape or x.dtype is not y.dtype:
        return {
            "what": "shape or dtype",
            "a": f"{dtype_name(x.dtype)} {tuple(x.shape)}",
            "b": f"{dtype_name(y.dtype)} {tuple(y.shape)}",
        }
    if torch.equal(byte_view(x.contiguous()), byte_view(y.contiguous())):
        return None
    wide = torch.complex128 if x.dtype.is_complex else torch.float64
    largest = float((x.to(wide) - y.to(wide)).abs().nan_to_num(nan=math.inf, posinf=math.inf).max())
    return {"what": "values", "largest": largest} if largest > tolerance else None


def verify(options: Any) -> int:
    path = options.file
    result: dict[str, Any] = {"file": path, "ok": True, "crc": "none", "encryption": None, "values": 0, "problems": []}
    try:
        if is_safetensors(path):
            result["values"] = len(load_checkpoint(path, format="safetensors", crc_check=True))
        else:
            _verify_ckpt(path, options, result)
    except FileNotFoundError:
        raise
    except ValueError as error:
        result["problems"].append(str(error))
    result["ok"] = not result["problems"]
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        print("\n".join(result["problems"]), end="\n" * bool(result["problems"]))
        encryption = f", {result['encryption']}" if result["encryption"] else ""
        print(
            f"{path}: {'good' if result['ok'] else 'DAMAGED'}, {result['values']} values, CRC "
            f"{result['crc']}{encryption}"
        )
    return int(not result["ok"])


def _verify_ckpt(path: str, options: Any, result: dict[str, Any]) -> None:
    with opened(path, options.dec_key, options.dec_mode) as file:
        result["encryption"] = file.encryption
        if file.crc is not None:
            result["crc"] = "wrong"
            file.check_crc(Bar(len(file.messages)).add)
            result["crc"] = "right"
        entries = codec.read(file.messages)
        result["values"] = len(entries)
        for entry in entries.values():
            try:
                if isinstance(entry, codec.MapEntry):
                    codec.to_arrays(entry)
                elif entry.tensor_type == STRING:
                    entry.text()
                else:
                    codec.check_length(entry)
            except FormatError as error:
                result["problems"].append(str(error))
