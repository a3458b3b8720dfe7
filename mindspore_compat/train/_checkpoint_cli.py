"""``mindspore-compat ckpt inspect|diff|convert|verify|maps``. Exit code 0: fine, 1: files differ or are damaged,
2: wrong use.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from mindspore_compat._format import ckpt as codec
from mindspore_compat._format import envelope
from mindspore_compat._format.dtypes import STRING
from mindspore_compat._format.source import open_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import replacing
from mindspore_compat.common._wrap import plain
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.train._checkpoint.files import TORCH_ENDS, is_safetensors, opened, read_values, write_values
from mindspore_compat.train._torch.names import from_torch_names, nearest, to_torch_names
from mindspore_compat.train.serialization import load_checkpoint

__all__ = ["main"]

_QUIET_BYTES = 1 << 28  # work on less than this shows no progress


def main(arguments: Sequence[str]) -> int:
    """Run ``mindspore-compat ckpt`` with these arguments; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.handler(options)
    except (ValueError, OSError, TypeError, ImportError) as error:
        print(f"mindspore-compat ckpt {options.command}: {error}", file=sys.stderr)
        return 1 if isinstance(error, ValueError) else 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mindspore-compat ckpt",
        description="Look into checkpoints, compare, convert and check them.",
        epilog="A KEY is hexadecimal, or @FILE for the bytes of a file.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, handler: Callable[[Any], int], text: str, *files: str) -> argparse.ArgumentParser:
        result = commands.add_parser(name, help=text, description=text)
        for file in files:
            result.add_argument(file.lower(), metavar=file)
        result.add_argument("--json", action="store_true", help="one JSON object instead of lines")
        result.add_argument("--dec-key", type=_key, metavar="KEY", help="key of an encrypted file")
        result.add_argument(
            "--dec-mode", metavar="MODE", choices=list(envelope.MODES), help="default: as the file says"
        )
        result.set_defaults(handler=handler)
        return result

    for name, handler, text, files in (
        ("inspect", _inspect, "names, shapes, dtypes and sizes", ("FILE",)),
        ("diff", _diff, "what differs between two checkpoints", ("A", "B")),
        ("verify", _verify, "structure, lengths and CRC", ("FILE",)),
    ):
        command(name, handler, text, *files)
    commands.choices["diff"].add_argument(
        "--tolerance", type=float, default=0.0, help="largest difference that counts as equal (default 0)"
    )
    convert = command(
        "convert", _convert, "convert between .ckpt, .safetensors and .pth (by the ends of the names)", "IN", "OUT"
    )
    convert.add_argument(
        "--names",
        choices=("keep", "torch", "mindspore"),
        default="keep",
        help="write torch's or MindSpore's parameter names: guessed, load into the network where there is one",
    )
    convert.add_argument(
        "--map", action="append", default=[], metavar="OLD=NEW", help="rename a parameter; may be given several times"
    )
    convert.add_argument(
        "--rules", metavar="RULES", help="a rule file, or a name that `ckpt maps` lists (docs/checkpoints.md)"
    )
    convert.add_argument("--reverse", action="store_true", help="from the torch network's checkpoint to MindSpore's")
    convert.add_argument(
        "--like",
        metavar="FILE",
        help="a checkpoint of the network that is to load the result: compare names and shapes",
    )
    convert.add_argument("--partial", action="store_true", help="leave out what no rule knows")
    convert.add_argument("--report", metavar="FILE", help="write what became of what, as JSON")
    convert.add_argument("--enc-key", type=_key, metavar="KEY", help="encrypt the new file")
    convert.add_argument("--enc-mode", choices=list(envelope.MODES), default="AES-GCM")
    convert.add_argument("--crc", action="store_true", help="store a CRC-32")
    maps = commands.add_parser(
        "maps",
        help="the rule files that come with the package",
        description="The rule files that come with the package.",
    )
    maps.add_argument("name", nargs="?", metavar="NAME", help="one of them, with what it says of differences")
    maps.add_argument("--json", action="store_true", help="one JSON list instead of lines")
    maps.set_defaults(handler=_maps)
    return parser


def _key(text: str) -> bytes:
    if text.startswith("@"):
        with open(text[1:], "rb") as file:
            return file.read()
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a key is hexadecimal, or @FILE") from None


# --- reading ----------------------------------------------------------------------------------------------------------


class _Bar:
    """Shows on the terminal which share of so many bytes is done, if they are many."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._shown = max(total, 1), 0, -1
        self._is_shown = total > _QUIET_BYTES and sys.stderr.isatty()

    def add(self, count: int) -> None:
        self._done += count
        percent = min(100 * self._done // self._total, 100)
        if self._is_shown and percent != self._shown:
            self._shown = percent
            print(
                f"\r[{'#' * (percent // 4):25}] {percent:3} %",
                end="\n" if percent == 100 else "",
                file=sys.stderr,
                flush=True,
            )


# --- inspect ----------------------------------------------------------------------------------------------------------


def _rows(path: str, options: Any) -> list[dict[str, Any]]:
    """Name, type, shape and bytes of everything, without a look at the contents."""
    if is_safetensors(path):
        import safetensors

        open_regular(path).close()  # the library waits for a FIFO
        try:
            with safetensors.safe_open(path, framework="pt") as file:
                return [_safetensors_row(name, file.get_slice(name)) for name in file.keys()]  # noqa: SIM118
        except safetensors.SafetensorError as error:
            raise ValueError(f"{path}: {error}") from None
    if path.endswith(TORCH_ENDS):
        return [
            {
                "name": name,
                "dtype": dtype_name(value.dtype),
                "shape": list(value.shape),
                "bytes": value.numel() * value.element_size(),
            }
            for name, value in read_values(path, options.dec_key, options.dec_mode).items()
        ]
    with opened(path, options.dec_key, options.dec_mode) as file:
        try:
            return [_row(entry) for entry in codec.read(file.messages).values()]
        except FormatError as error:
            raise ValueError(f"{path}: {error}") from None


_WIDTHS = {
    "BOOL": 1,
    "I8": 1,
    "U8": 1,
    "F8_E4M3": 1,
    "F8_E5M2": 1,
    "I16": 2,
    "U16": 2,
    "F16": 2,
    "BF16": 2,
    "I32": 4,
    "U32": 4,
    "F32": 4,
}


def _safetensors_row(name: str, part: Any) -> dict[str, Any]:
    return {
        "name": name,
        "dtype": part.get_dtype(),
        "shape": part.get_shape(),
        "bytes": math.prod(part.get_shape()) * _WIDTHS.get(part.get_dtype(), 8),
    }


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


def _inspect(options: Any) -> int:
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


def _size(count: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024  # type: ignore[assignment]
    return f"{count:.4g} GiB"


# --- diff -------------------------------------------------------------------------------------------------------------


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
    common = {name: getattr(value, "nbytes", 0) for name, value in a.items() if name in b}
    bar = _Bar(sum(common.values()))
    for name, count in common.items():
        found = _difference(a[name], b[name], tolerance)
        bar.add(count)
        if found:
            yield {"name": name, **found}


def _difference(a: Any, b: Any, tolerance: float) -> dict[str, Any] | None:
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        same = (
            str(a) == str(b) if isinstance(a, str) or isinstance(b, str) else all((x == y).all() for x, y in zip(a, b))
        )
        return None if same else {"what": "value", "a": str(a), "b": str(b)}
    x, y = plain(a).detach(), plain(b).detach()
    if x.shape != y.shape or x.dtype is not y.dtype:
        return {
            "what": "shape or dtype",
            "a": f"{dtype_name(x.dtype)} {tuple(x.shape)}",
            "b": f"{dtype_name(y.dtype)} {tuple(y.shape)}",
        }
    if x.numel() == 0 or torch.equal(x.reshape(-1).view(torch.uint8), y.reshape(-1).view(torch.uint8)):
        return None
    wide = torch.complex128 if x.dtype.is_complex else torch.float64
    largest = float((x.to(wide) - y.to(wide)).abs().nan_to_num(nan=math.inf, posinf=math.inf).max())
    return {"what": "values", "largest": largest} if largest > tolerance else None


def _diff(options: Any) -> int:
    a, b = (read_values(path, options.dec_key, options.dec_mode) for path in (options.a, options.b))
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


# --- convert ----------------------------------------------------------------------------------------------------------


def _convert(options: Any) -> int:
    values = read_values(options.__dict__["in"], options.dec_key, options.dec_mode)
    if options.rules:
        return _convert_by_rules(values, options)
    if options.reverse or options.partial or options.like or options.report:
        raise TypeError("--reverse, --partial, --like and --report need --rules")
    pairs = [item.partition("=") for item in options.map]
    wrong = [old for old, equal, new in pairs if not equal or not new or old not in values]
    if wrong:
        raise ValueError(f"--map needs OLD=NEW with names of the file, but got {wrong}")
    renamed = {old: new for old, _, new in pairs}
    values = {renamed.get(name, name): value for name, value in values.items()}
    tensors = {name: value for name, value in values.items() if isinstance(value, torch.Tensor)}
    if options.names == "mindspore":
        values = {**from_torch_names(tensors), **{name: value for name, value in values.items() if name not in tensors}}
    elif options.names == "torch":
        values = {to_torch_names(name): value for name, value in values.items()}
    left_out = _write(values, options, "pt" if options.names == "torch" else "ms")
    if options.json:
        print(
            json.dumps(
                {
                    "in": options.__dict__["in"],
                    "out": options.out,
                    "values": len(values) - len(left_out),
                    "left_out": left_out,
                },
                indent=1,
            )
        )
    else:
        print(f"{len(values) - len(left_out)} values written to {options.out}")
    return 0


def _write(values: dict[str, Any], options: Any, metadata_format: str) -> list[str]:
    return write_values(
        values,
        options.out,
        metadata_format,
        options.enc_key,
        options.enc_mode,
        options.crc,
        lambda plan: _Bar(sum(entry.byte_count() for entry in plan.entries)).add,
    )


def _convert_by_rules(values: dict[str, Any], options: Any) -> int:
    from mindspore_compat.train.checkpoint_maps import convert_checkpoint

    if options.map or options.names != "keep":
        raise TypeError("--rules says all the names: it goes with neither --map nor --names")
    like = options.like and read_values(options.like, options.dec_key, options.dec_mode)
    done = convert_checkpoint(values, options.rules, reverse=options.reverse, like=like, partial=options.partial)
    report = {**done.report, "in": options.__dict__["in"], "out": options.out}
    _write(done.values, options, "ms" if options.reverse else "pt")
    if options.report:
        with replacing(options.report) as file:
            file.write((json.dumps(report, indent=1) + "\n").encode())
    if options.json:
        print(json.dumps(report, indent=1))
        return 0
    print(
        f"{len(done.values)} tensors written to {options.out}, {report['elements']} elements, by the rules "
        f"{report['rules']}"
    )
    for key, text in (("dropped", "dropped by a rule"), ("unmatched", "left out, no rule knows them")):
        names = [item if isinstance(item, str) else item["name"] for item in report[key]]
        if names:
            print(f"{text}: {', '.join(names[:8])}" + (f" and {len(names) - 8} more" if len(names) > 8 else ""))
    for key, names in report.get("like", {}).items():
        if names:
            print(
                f"{options.like}: {key}: {', '.join(str(name) for name in names[:8])}"
                + (f" and {len(names) - 8} more" if len(names) > 8 else "")
            )
    return 0


def _maps(options: Any) -> int:
    from mindspore_compat.train.checkpoint_maps._rules import available, read_rules

    maps = [read_rules(name) for name in ([options.name] if options.name else available())]
    if options.json:
        print(
            json.dumps(
                [
                    {
                        "name": one.name,
                        "from": one.source,
                        "to": one.target,
                        "arithmetic": one.arithmetic,
                        "notes": one.notes,
                    }
                    for one in maps
                ],
                indent=1,
            )
        )
        return 0
    width = max(len(one.name) for one in maps)
    for one in maps:
        print(f"{one.name:{width}}  {one.source} → {one.target}")
        if options.name:
            for row in one.arithmetic:
                print(
                    f"  computes otherwise: {row['module']} at {row['path']!r}: {row.get('set', {'pad_mode': 'same'})} "
                    f"({row.get('why', '')})"
                )
            for note in one.notes:
                print(f"  {note}")
    return 0


# --- verify -----------------------------------------------------------------------------------------------------------


def _verify(options: Any) -> int:
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
            file.check_crc(_Bar(len(file.messages)).add)
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
